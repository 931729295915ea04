//! Further figures of whole runs in sweeps and comparisons: as the report has them, and only where they are asked for.

use crate::support::command::{self, TempFile, TempFolder, printed, printed_json, run, stderr};
use serde_json::Value;

const SCENARIO: &str = r#"{ "run": { "horizon_s": 12, "warmup_s": 2 },
    "cluster": { "pools": [{ "replicas": 2, "kv": { "blocks": 400 } }], "admission": { "rate-limit": { "requests_per_s": 4, "burst": 2 } } },
    "workload": { "clients": [{ "name": "a", "arrivals": { "poisson": { "rate_per_s": 6 } }, "prefix": { "groups": 3, "tokens": 400 } }] } }"#;
const ASKED: [&str; 4] = ["--metric", "request_hit_rate", "--metric", "refused_rate_limit"];

fn report(args: &[&str]) -> (f64, f64) {
    let report = printed_json(&[&["run", "--json"], args].concat());
    let hits = report["kv"]["request_hit_rate"].as_f64().expect("a share");
    (hits, report["rejections"][0]["requests"].as_f64().expect("a number"))
}

#[test]
fn rows_and_summary_of_a_sweep_have_the_figures_that_are_asked_for() {
    let scenario = TempFile::new("swept.json", SCENARIO);
    let [with, without] = ["with", "without"].map(|name| TempFolder::new(&format!("metrics-{name}")));
    let vary = ["sweep", scenario.path(), "--vary", "traffic=1,2", "-o"];
    let text = printed(&[&vary[..], &[with.here()], &ASKED].concat());
    assert!(
        text.lines().next().is_some_and(|head| head.contains("refused_rate_limit  request_hit_rate")),
        "{text}"
    );
    printed(&[&vary[..], &[without.here()]].concat());
    let lines: Vec<Value> =
        with.text("rows.jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (hits, refused) = report(&[scenario.path()]);
    assert_eq!(
        (lines[0]["request_hit_rate"].as_f64(), lines[0]["refused_rate_limit"].as_f64()),
        (Some(hits), Some(refused))
    );
    assert!(lines[1]["refused_rate_limit"].as_f64() > Some(refused), "twice the traffic");
    let summary: Value = serde_json::from_str(&with.text("summary.json")).expect("JSON");
    let figures = summary["points"][0]["figures"].as_array().expect("a list");
    let refusals = figures.iter().find(|f| f["name"] == "refused_rate_limit").expect("a figure");
    assert_eq!(refusals["mean"].as_f64(), Some(refused));
    let heads =
        |folder: &TempFolder| folder.text("rows.csv").lines().next().map(str::to_owned).unwrap_or_default();
    assert!(heads(&with).contains(",request_hit_rate,refused_rate_limit,row_digest"), "{}", heads(&with));
    assert!(!heads(&without).contains("request_hit_rate") && !without.text("rows.jsonl").contains("metrics"));
    // Rows without the figures are made again, and rows with them are not.
    let again = run(&[&vary[..], &[with.here()], &ASKED].concat());
    assert!(stderr(&again).contains("2 of 2 cases exist already"), "{}", stderr(&again));
}

#[test]
fn a_comparison_has_the_figures_that_are_asked_for() {
    let scenario = TempFile::new("compared.json", SCENARIO);
    let both = ["compare", scenario.path(), scenario.path(), "--set-b", "cluster.routing=prefix-overlap"];
    let found = printed_json(&[&both[..], &ASKED, &["--json"]].concat());
    let (hits, refused) = report(&[scenario.path()]);
    let figures = found["figures"].as_array().expect("a list");
    assert_eq!(figures.len(), 2);
    assert_eq!(
        (figures[0]["name"].as_str(), figures[0]["a"].as_f64()),
        (Some("request_hit_rate"), Some(hits))
    );
    assert_eq!(
        (figures[0]["better"].as_str(), figures[1]["better"].as_str()),
        (Some("higher"), Some("lower"))
    );
    assert_eq!((figures[1]["a"].as_f64(), figures[1]["diff"].as_f64()), (Some(refused), Some(0.0)));
    let text = printed(&[&both[..], &ASKED].concat());
    assert!(text.lines().any(|line| line.starts_with("refused_rate_limit ")), "{text}");
    let without = printed_json(&[&both[..], &["--json"]].concat());
    assert_eq!(without.get("figures"), None);
    let told = command::refused(&[&both[..], &["--metric", "refused_rate_limits"]].concat());
    assert!(told.contains("did you mean refused_rate_limit?"), "{told}");
    assert!(printed(&["list", "metrics"]).contains("refused_rate_limit"));
}
