//! The best ratio of prefill to decode replicas as a user asks for it: each row is the capacity of its scenario, and
//! what has no ratio is refused.

use crate::support::command::{TempFile, TempFolder, printed, printed_json, run, stderr, stdout};
use serde_json::Value;

/// Four mixed replicas; the limit of three requests in a batch keeps their capacity, and so the runs, small.
const MIXED: &str = r#"{"run": {"horizon_s": 40, "warmup_s": 5}, "slo": {"ttft_ms": 400, "tpot_ms": 0},
  "cluster": {"pools": [{"name": "chat", "replicas": 4, "engine": {"max_num_seqs": 3}}]},
  "workload": {"clients": [{"arrivals": {"poisson": {"rate_per_s": 4}}}]}}"#;

/// The same replicas, one of which prefills.
const ONE_TO_THREE: &str = r#"{"run": {"horizon_s": 40, "warmup_s": 5}, "slo": {"ttft_ms": 400, "tpot_ms": 0},
  "cluster": {"pools": [{"name": "chat", "role": "decode", "replicas": 3, "engine": {"max_num_seqs": 3}},
                        {"name": "chat-prefill", "role": "prefill", "replicas": 1, "engine": {"max_num_seqs": 3}}]},
  "workload": {"clients": [{"arrivals": {"poisson": {"rate_per_s": 4}}}]}}"#;

#[test]
fn each_row_is_the_capacity_of_its_scenario() {
    let (mixed, apart) = (TempFile::new("mixed.json", MIXED), TempFile::new("apart.json", ONE_TO_THREE));
    let more = ["--share", "0.9", "--seeds", "2", "--json"];
    let found = printed_json(&[&["capacity", mixed.path(), "--vary-ratio=1:3,mixed"], &more[..]].concat());
    let row = |i: usize| &found["rows"][i];
    assert_eq!([&row(0)["case"]["ratio"], &row(1)["case"]["ratio"]], ["1:3", "mixed"]);
    assert_eq!([row(0), row(1)].map(|row| row["case"]["gpus"].as_u64()), [Some(4); 2]);
    for (i, file) in [(0, &apart), (1, &mixed)] {
        let alone = printed_json(&[&["capacity", file.path()], &more[..]].concat());
        assert_eq!(row(i)["capacity"], alone, "row {i}");
        assert!(alone["rate_per_s"].as_f64().is_some_and(|rate| rate > 0.5), "{alone}");
        let report = printed_json(&["run", file.path(), "--json"]);
        let first = printed_json(&["run", file.path(), "--set", "seed=43", "--json"]);
        let goodput = |r: &Value| r["throughput"]["goodput_per_s"].as_f64().expect("a rate");
        let mean = f64::midpoint(goodput(&report), goodput(&first));
        assert!((row(i)["goodput_per_s"]["mean"].as_f64().expect("a mean") - mean).abs() < 1e-9, "row {i}");
    }
    assert_eq!(
        (&found["best"], &row(0)["tied"]),
        (&0.into(), &false.into()),
        "the only ratio is the best one"
    );
    assert_eq!(row(0)["to_best"]["diff"], 0.0);
    let rate = |i: usize| row(i)["capacity"]["rate_per_s"].as_f64().expect("a rate");
    let diff = row(1)["to_best"]["diff"].as_f64().expect("a difference");
    assert!((diff - (rate(1) - rate(0))).abs() < 1e-9, "{}", row(1)["to_best"]);
}

#[test]
fn the_table_marks_the_best_ratio_and_the_same_rows_are_csv() {
    let file = TempFile::new("ratios.json", MIXED);
    let args = ["capacity", file.path(), "--share", "0.9", "--seeds", "2", "--vary-ratio"];
    let text = printed(&args);
    let rows: Vec<&str> = text.lines().skip(1).take(4).collect();
    let firsts: Vec<&str> = rows.iter().filter_map(|row| row.split_whitespace().next()).collect();
    assert_eq!(firsts, ["1:3", "2:2", "3:1", "mixed"], "{text}");
    assert_eq!(rows.iter().filter(|row| row.ends_with('*')).count(), 1, "{text}");
    for part in ["best ratio ", "4 mixed: ", "a capacity lies near the knee", "evidence: "] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let csv = printed(&[&args[..], &["--csv"]].concat());
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert!(lines.len() == 5 && lines.iter().all(|line| line.len() == lines[0].len()), "{csv}");
    let best: Vec<&str> = lines.iter().filter(|line| line.contains(&"true")).map(|line| line[0]).collect();
    let starred = rows.iter().find(|row| row.ends_with('*')).and_then(|row| row.split_whitespace().next());
    assert_eq!(best.first().copied(), starred);
}

#[test]
fn a_ratio_is_a_path_of_a_sweep() {
    let file = TempFile::new("ratio-sweep.json", MIXED);
    let folder = TempFolder::new("ratio-sweep");
    let rows = folder.here();
    printed(&["sweep", file.path(), "--vary", "ratio=1:3..2:2,mixed", "--vary", "traffic=0.5,1", "-o", rows]);
    let csv = folder.text("rows.csv");
    let varied: Vec<String> =
        csv.lines().skip(1).map(|l| l.split(',').skip(2).take(2).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(varied, ["1:3 0.5", "1:3 1", "2:2 0.5", "2:2 1", "mixed 0.5", "mixed 1"]);
}

#[test]
fn what_has_no_ratio_is_refused() {
    let file = TempFile::new("no-ratio.json", MIXED);
    let two = r#"cluster.pools=[{"name": "a"}, {"name": "b"}]"#;
    for (more, part) in [
        (vec!["--vary-ratio", "--set", two], "one mixed pool, or one prefill and one decode pool"),
        (vec!["--vary-ratio=2:3"], "at most 4 GPUs"),
        (vec!["--vary-ratio=2"], "PREFILL:DECODE"),
        (vec!["--vary-ratio", "--set", "cluster.pools[0].replicas=1"], "at least 2 GPUs"),
        (vec!["--vary-ratio", "--set", "slo.ttft_ms=0"], "no objective"),
        (vec!["--csv"], "--vary-ratio"),
    ] {
        let out = run(&[&["capacity", file.path()], &more[..]].concat());
        assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(2), ""), "{more:?}");
        assert!(stderr(&out).contains(part), "{part} is not in\n{}", stderr(&out));
    }
}
