//! Sweeps and capacities as a user runs them: rows, going on after a cut, parts that add up, and what is refused.

use crate::support::command::{TempFile, TempFolder, run, stderr, stdout};
use serde_json::Value;
use std::fs;

const SHORT: [&str; 5] = ["router-showdown", "--set", "run.horizon_s=20", "--set", "run.warmup_s=5"];
const VARIED: [&str; 6] =
    ["--vary", "cluster.routing=random,round-robin", "--vary", "traffic=0.5..1.5/3", "--seeds", "2"];

fn sweep<'a>(folder: &'a TempFolder, more: &[&'a str]) -> Vec<&'a str> {
    [&["sweep"], &SHORT[..], &VARIED, &["-o", folder.here()], more].concat()
}

fn ran(args: &[&str]) -> std::process::Output {
    let out = run(args);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    out
}

#[test]
fn a_sweep_has_a_row_for_each_case_and_its_figures_are_those_of_run() {
    let folder = TempFolder::new("sweep-rows");
    let out = ran(&sweep(&folder, &[]));
    assert!(stdout(&out).contains("req/s") && stdout(&out).contains("front"), "{}", stdout(&out));
    let rows: Vec<Value> =
        folder.text("rows.jsonl").lines().map(|l| serde_json::from_str(l).expect("a row is JSON")).collect();
    assert_eq!(rows.len(), 12);
    let csv = folder.text("rows.csv");
    assert!(
        csv.starts_with(
            "case,case_digest,cluster.routing,traffic,seed,scenario_digest,workload_digest,report_digest,"
        ),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 13);
    // Case 7: round-robin at half the load, second seed.
    let row = &rows[7];
    assert_eq!(
        (&row["cluster.routing"], &row["traffic"], &row["seed"]),
        (&"round-robin".into(), &0.5.into(), &"12".into())
    );
    let same = ["--set", "seed=12", "--set", "cluster.routing=round-robin", "--set"];
    let rates = [
        "workload.clients[0].arrivals.gamma.rate_per_s=28",
        "--set",
        "workload.clients[1].arrivals.gamma.rate_per_s=2",
    ];
    let report = ran(&[&["run"], &SHORT[..], &same, &rates, &["--json"]].concat());
    let report: Value = serde_json::from_str(&stdout(&report)).expect("a report is JSON");
    assert_eq!(row["scenario_digest"], report["scenario_digest"]);
    assert_eq!(row["ttft_p99_ms"], report["latency_ms"]["ttft"]["p99"]);
    let digest = ran(&[&["digest"], &SHORT[..], &same, &rates].concat());
    assert_eq!(row["report_digest"].as_str(), Some(stdout(&digest).trim()));
    // The traffic is the router's no business.
    assert_eq!(rows[0]["workload_digest"], rows[6]["workload_digest"]);
    assert_ne!(rows[0]["workload_digest"], rows[1]["workload_digest"]);
    let summary: Value = serde_json::from_str(&folder.text("summary.json")).expect("a summary is JSON");
    assert_eq!(summary["points"].as_array().map(Vec::len), Some(6));
    assert!(summary["curves"].as_array().expect("curves").iter().all(|c| c["knee"]["explained"].is_string()));
}

#[test]
fn a_sweep_that_was_cut_off_goes_on_and_ends_with_the_same_bytes() {
    let (whole, cut) = (TempFolder::new("sweep-whole"), TempFolder::new("sweep-cut"));
    ran(&sweep(&whole, &[]));
    let rows = whole.text("rows.jsonl");
    let lines: Vec<&str> = rows.lines().collect();
    // Five rows in any order, one that was changed, and one that was cut off.
    let changed = lines[4].replace("\"finished\":", "\"finished\":1");
    let half = &lines[6][..lines[6].len() / 2];
    let kept = [lines[9], lines[0], lines[3], lines[11], lines[2], changed.as_str(), half].join("\n");
    cut.write("rows.jsonl", &kept);
    let out = ran(&sweep(&cut, &["--jobs", "1"]));
    assert!(
        stderr(&out).contains("2 lines are cut off or changed")
            && stderr(&out).contains("5 of 12 cases exist already"),
        "{}",
        stderr(&out)
    );
    for file in ["rows.jsonl", "rows.csv", "summary.json"] {
        assert_eq!(whole.text(file), cut.text(file), "{file}");
    }
    // All there: nothing is run, the bytes stay.
    let again = ran(&sweep(&cut, &[]));
    assert!(stderr(&again).contains("12 of 12 cases exist already"));
    assert_eq!((whole.text("rows.csv"), stdout(&out)), (cut.text("rows.csv"), stdout(&again)));
}

#[test]
fn parts_add_up_to_the_whole() {
    let (whole, parts) = (TempFolder::new("sweep-one"), TempFolder::new("sweep-parts"));
    ran(&sweep(&whole, &[]));
    let mut lines = Vec::new();
    for part in 1..=5 {
        ran(&sweep(&parts, &["--shard", &format!("{part}/5")]));
        lines.extend(
            parts.text(&format!("rows-{part}-of-5.jsonl")).lines().map(str::to_owned).collect::<Vec<_>>(),
        );
    }
    let number = |line: &String| serde_json::from_str::<Value>(line).expect("JSON")["case"].as_u64();
    lines.sort_by_key(number);
    assert_eq!(lines.join("\n") + "\n", whole.text("rows.jsonl"));
}

#[test]
fn rows_of_another_sweep_are_not_touched() {
    let folder = TempFolder::new("sweep-other");
    ran(&sweep(&folder, &[]));
    let before = folder.text("rows.jsonl");
    let out = run(&sweep(&folder, &["--set", "cluster.pools[0].replicas=9"]));
    assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(2), ""));
    assert!(
        stderr(&out).contains("line 1: a row of case") && stderr(&out).contains("choose another folder"),
        "{}",
        stderr(&out)
    );
    assert_eq!(folder.text("rows.jsonl"), before);
    // More seeds are the same sweep, further on.
    let more: Vec<&str> = sweep(&folder, &[]).into_iter().map(|a| if a == "2" { "3" } else { a }).collect();
    assert!(stderr(&ran(&more)).contains("12 of 18 cases exist already"));
}

#[test]
fn what_cannot_be_swept_is_refused_with_a_message() {
    let folder = TempFolder::new("sweep-refused");
    for (vary, more, part) in [
        ("cluster.routing", vec![], "PATH=a,b,c or PATH=lo..hi/count"),
        ("traffic=1..2", vec![], "two finite numbers and a count"),
        ("seed=1,2", vec![], "--seeds"),
        ("cluster.pools[0].replicas=1.5", vec![], "cluster.pools[0].replicas"),
        ("cluster.ruoting=random", vec![], "routing"),
        ("traffic=0", vec![], "factors above 0"),
        ("traffic=1,2", vec!["--shard", "0/4"], "PART/PARTS"),
        ("traffic=1,2", vec!["--vary", "traffic=3,4"], "varied twice"),
        (
            "traffic=1..2/1000",
            vec!["--vary", "cluster.snapshot_refresh_us=1..1000/1000"],
            "at most 8 paths and 10000 cases",
        ),
    ] {
        let args = [&["sweep"], &SHORT[..], &["--vary", vary, "-o", folder.here()], &more].concat();
        let out = run(&args);
        assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(2), ""), "{vary}");
        assert!(stderr(&out).contains(part), "{part} is not in\n{}", stderr(&out));
    }
    assert!(
        !fs::exists(folder.here()).expect("a readable place"),
        "nothing is written before everything is sound"
    );
}

const SMALL: &str = r#"{"run": {"horizon_s": 60, "warmup_s": 10},
  "cluster": {"pools": [{"replicas": 1, "model": "llama-3.1-8b", "gpu": "H100", "engine": {"max_num_seqs": 16}}]},
  "workload": {"clients": [{"arrivals": {"poisson": {"rate_per_s": 2}}}]}}"#;

#[test]
fn a_capacity_is_a_rate_that_holds_just_below_one_that_does_not() {
    let file = TempFile::new("capacity.json", SMALL);
    let args = ["capacity", file.path(), "--objective", "ttft_ms=500", "--share", "0.9", "--seeds", "3"];
    let out = ran(&args);
    assert!(
        stdout(&out).contains(" req/s (") && stdout(&out).contains(" at p90 TTFT ≤ 500 ms"),
        "{}",
        stdout(&out)
    );
    let found: Value = serde_json::from_str(&stdout(&ran(&[&args[..], &["--json"]].concat()))).expect("JSON");
    let of = |key: &str| found[key].as_f64().unwrap_or_else(|| panic!("{key}"));
    assert!(of("lo") < of("rate_per_s") && of("rate_per_s") < of("hi"));
    for seed in found["seeds"].as_array().expect("seeds") {
        let (holds, fails) =
            (seed["factor"].as_f64().expect("a factor"), seed["fails_at"].as_f64().expect("a factor"));
        assert!(fails / holds > 1.0 && fails / holds <= 1.005, "{seed}");
        assert!(seed["share"].as_f64().expect("a share") >= 0.9);
    }
    // More of the cluster carries more.
    let twice = [&args[..], &["--set", "cluster.pools[0].replicas=2", "--json"]].concat();
    let twice: Value = serde_json::from_str(&stdout(&ran(&twice))).expect("JSON");
    assert!(twice["rate_per_s"].as_f64().expect("a rate") > 1.5 * of("rate_per_s"));
}

#[test]
fn a_missing_capacity_is_reported_plainly() {
    let file = TempFile::new("no-capacity.json", SMALL);
    let never = ran(&["capacity", file.path(), "--objective", "ttft_ms=0.001", "--seeds", "1"]);
    assert!(
        stdout(&never).starts_with("no capacity at p99 TTFT ≤ 0.001 ms: even the lowest load fails"),
        "{}",
        stdout(&never)
    );
    for (more, part) in [
        (vec!["--objective", "ttft=500"], "ttft_ms, tpot_ms or e2e_ms"),
        (vec!["--share", "1.5"], "above 0 up to 1"),
        (vec!["--set", "slo.ttft_ms=0", "--set", "slo.tpot_ms=0"], "no objective"),
        (
            vec!["--set", "workload.clients[0].arrivals.poisson.rate_per_s=0"],
            "nothing whose rate could change",
        ),
    ] {
        let out = run(&[&["capacity", file.path()], &more[..]].concat());
        assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(2), ""), "{more:?}");
        assert!(stderr(&out).contains(part), "{part} is not in\n{}", stderr(&out));
    }
}
