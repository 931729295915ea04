//! The capacity with several sizes of a cache as a user asks for it: each row is the capacity of its scenario, and what has no such
//! cache is refused.

use crate::support::command::{TempFile, printed, printed_json, run, stderr, stdout};

/// A replica that serves three long prefixes, of which its cache holds one.
const PREFIXES: &str = r#"{"run": {"horizon_s": 30, "warmup_s": 5}, "slo": {"ttft_ms": 400, "tpot_ms": 0},
  "cluster": {"pools": [{"name": "chat", "replicas": 1, "engine": {"max_num_seqs": 4}, "kv": {"blocks": 400, "block_tokens": 16},
    "latency": {"fitted": {"step_us": 6000, "step_us_per_prefill_token": 60, "step_us_per_decode_token": 20}}}]},
  "workload": {"clients": [{"arrivals": {"poisson": {"rate_per_s": 2}}, "prefix": {"groups": 3, "tokens": 3200, "zipf": 0},
    "prompt_tokens": {"constant": {"tokens": 64}}, "output_tokens": {"constant": {"tokens": 10}}}]}}"#;

const MORE: [&str; 4] = ["--share", "0.9", "--seeds", "2"];

#[test]
fn each_row_is_the_capacity_with_its_size() {
    let file = TempFile::new("cache-sizes.json", PREFIXES);
    let ask = |more: &[&str]| printed_json(&[&["capacity", file.path(), "--json"], &MORE[..], more].concat());
    let found = ask(&["--vary-cache", "gpu=400,x2"]);
    let row = |i: usize| &found["rows"][i];
    let rate = |i: usize| row(i)["capacity"]["rate_per_s"].as_f64().expect("a rate");
    for (i, blocks) in [(0, 400), (1, 800)] {
        assert_eq!(row(i)["case"]["sizes"], serde_json::json!([f64::from(blocks)]), "row {i}");
        let alone = ask(&["--set", &format!("cluster.pools[0].kv.blocks={blocks}")]);
        assert_eq!(row(i)["capacity"], alone, "row {i}");
    }
    // 800 blocks of 16 tokens hold all three prefixes.
    assert!(rate(1) > 1.3 * rate(0), "{} and {}", rate(0), rate(1));
    assert_eq!(
        (&found["best"], &found["enough"], &row(1)["to_best"]["diff"]),
        (&1.into(), &1.into(), &0.0.into())
    );
}

#[test]
fn the_table_marks_the_highest_capacity_and_the_same_rows_are_csv() {
    let file = TempFile::new("cache-table.json", PREFIXES);
    let args = [&["capacity", file.path(), "--vary-cache", "cpu=0,900,2000"], &MORE[..]].concat();
    let text = printed(&args);
    let rows: Vec<&str> = text.lines().skip(1).take(3).collect();
    let firsts: Vec<&str> = rows.iter().filter_map(|row| row.split_whitespace().next()).collect();
    assert_eq!(firsts, ["0", "900", "2000"], "{text}");
    assert_eq!(rows.iter().filter(|row| row.ends_with('*')).count(), 1, "{text}");
    for part in ["highest with cpu=", "a capacity lies near the knee", "evidence: "] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let csv = printed(&[&args[..], &["--csv"]].concat());
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert!(lines.len() == 4 && lines.iter().all(|line| line.len() == lines[0].len()), "{csv}");
    let sizes: Vec<&str> = lines.iter().skip(1).map(|line| line[1]).collect();
    assert_eq!(sizes, firsts);
}

#[test]
fn what_has_no_such_cache_is_refused() {
    let file = TempFile::new("no-cache.json", PREFIXES);
    for (more, part) in [
        (vec!["--vary-cache", "ram=1"], "gpu, cpu, disk or store"),
        (vec!["--vary-cache", "cpu=x"], "whole numbers of blocks from 0"),
        (vec!["--vary-cache", "cpu=x2"], "cluster.pools[0].kv.cpu_blocks: x2 of 0"),
        (vec!["--vary-cache", "disk=10"], "a tier fs in a pool at least"),
        (vec!["--vary-cache", "store=10"], "a store at least"),
        (vec!["--vary-cache", "cpu=10", "--set", "slo.ttft_ms=0"], "no objective"),
        (vec!["--vary-cache", "cpu=10", "--vary-ratio"], "--vary-ratio"),
    ] {
        let out = run(&[&["capacity", file.path()], &more[..]].concat());
        assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(2), ""), "{more:?}");
        assert!(stderr(&out).contains(part), "{part} is not in\n{}", stderr(&out));
    }
}
