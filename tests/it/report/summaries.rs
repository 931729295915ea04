//! Runs that keep summaries only: the report of a run that keeps rows, but for percentiles, which are within their bound.

use crate::support::command::{TempFile, printed, refused, run, stdout};
use crate::support::preset;
use serde_json::Value;
use tokenyard::base::Micros;
use tokenyard::scenario::preset::PRESETS;
use tokenyard::scenario::{Keep, Scenario, limits, parse};
use tokenyard::session::{Audience, Session, Stop};
use tokenyard::stats::RELATIVE_ERROR;

fn summarised(scenario: &Scenario) -> Scenario {
    let mut summarised = scenario.clone();
    summarised.observe.keep = Keep::Summary;
    summarised
}

fn ended(scenario: &Scenario, audience: Audience) -> Session {
    let (mut session, _) = Session::start(scenario.clone(), None, audience).expect("a sound scenario");
    assert_eq!(session.advance(Micros::MAX, u64::MAX), Stop::Finished);
    session
}

/// The presets that can be summed up, 40 s of each.
fn presets() -> Vec<(&'static str, Scenario)> {
    let all = PRESETS.iter().map(|p| (p.name, preset(p.name, 40.0)));
    all.filter(|(_, s)| Session::start(summarised(s), None, Audience::Batch).is_ok()).collect()
}

/// Compares two reports, all values but percentiles for equality.
fn alike(place: &str, exact: &Value, estimate: &Value) {
    let key = place.rsplit('/').next().unwrap_or_default();
    match (exact, estimate) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = |o: &serde_json::Map<String, Value>| -> Vec<String> {
                let own = ["percentiles", "percentile_error", "scenario_digest", "parts"];
                o.keys().filter(|key| !own.contains(&key.as_str())).cloned().collect()
            };
            assert_eq!(keys(a), keys(b), "{place}");
            for key in keys(a) {
                alike(&format!("{place}/{key}"), &a[&key], &b[&key]);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{place}");
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                alike(&format!("{place}/{i}"), a, b);
            }
        }
        (Value::Number(a), Value::Number(b)) if ["p50", "p75", "p90", "p95", "p99"].contains(&key) => {
            let [a, b] = [a, b].map(|x| x.as_f64().expect("a number"));
            assert!((a - b).abs() <= a * RELATIVE_ERROR + 1e-9, "{place}: {b} for {a}");
        }
        _ => assert_eq!(exact, estimate, "{place}"),
    }
}

#[test]
fn a_summary_has_the_figures_of_the_rows_and_percentiles_within_the_bound() {
    let presets = presets();
    let refused = presets.iter().any(|(name, _)| *name == "tenant-quotas");
    assert!(presets.len() >= 8 && refused, "{:?}", presets.iter().map(|p| p.0).collect::<Vec<_>>());
    for (name, scenario) in presets {
        let (rows, summary) =
            (ended(&scenario, Audience::Batch), ended(&summarised(&scenario), Audience::Batch));
        let [exact, estimate] =
            [rows.report(), summary.report()].map(|text| serde_json::from_str::<Value>(&text).unwrap());
        alike(name, &exact, &estimate);
        assert_eq!(estimate["percentile_error"], RELATIVE_ERROR, "{name}");
        assert!(exact.get("percentile_error").is_none() && exact["percentiles"] != estimate["percentiles"]);
        let verdicts = [rows.verdict(), summary.verdict()];
        assert_eq!(verdicts[0].arrivals, verdicts[1].arrivals, "{name}");
        assert_eq!(verdicts[0].state, verdicts[1].state, "{name}: {verdicts:?}");
        assert_eq!(rows.pool_evidence(&verdicts[0]), summary.pool_evidence(&verdicts[0]), "{name}");
    }
}

#[test]
fn a_summary_is_the_same_sliced_whole_watched_and_from_a_snapshot() {
    for name in ["router-showdown", "tenant-quotas", "kv-pressure"] {
        let scenario = summarised(&preset(name, 30.0));
        let whole = ended(&scenario, Audience::Batch).report();
        assert_eq!(ended(&scenario, Audience::Live).report(), whole, "{name}, watched");
        let (mut sliced, _) = Session::start(scenario.clone(), None, Audience::Batch).unwrap();
        sliced.advance(Micros(12_345_678), u64::MAX);
        let bytes = sliced.snapshot();
        while sliced.advance(Micros::MAX, 997) != Stop::Finished {}
        assert_eq!(sliced.report(), whole, "{name}, sliced");
        let (mut restored, _) = Session::start(scenario, None, Audience::Batch).unwrap();
        restored.restore(&bytes).expect("its own snapshot");
        restored.advance(Micros::MAX, u64::MAX);
        assert_eq!(restored.report(), whole, "{name}, from a snapshot");
    }
}

#[test]
fn a_run_without_rows_forgets_requests_that_have_left() {
    let mut scenario = summarised(&preset("router-showdown", 0.0));
    scenario.edits.clear();
    scenario.run.max_requests = 20_000;
    let session = ended(&scenario, Audience::Batch);
    let records = session.engine().records();
    assert_eq!(records.len(), 20_000);
    assert!(records.kept().count() <= 2048, "{} records", records.kept().count());
    assert!(!session.keeps_rows());
    assert!(
        Session::start_for_rows(scenario, None).is_err_and(|problems| problems[0].path == "observe.keep")
    );
}

const TEXT: &str = r#"{"tokenyard":1,"run":{"max_requests":MOST,"warmup_s":0},"observe":{"keep":"KEEP"},
    "workload":{"clients":[{"arrivals":{"poisson":{"rate_per_s":50}}FURTHER}]}CLUSTER}"#;

fn problems(most: u64, keep: &str, [further, cluster]: [&str; 2]) -> Vec<String> {
    let text = TEXT.replace("MOST", &most.to_string()).replace("KEEP", keep);
    let text = text.replace("FURTHER", further).replace("CLUSTER", cluster);
    let started = parse(&text).and_then(|s| Session::start(s, None, Audience::Batch).map(|_| ()));
    started.err().into_iter().flatten().map(|d| d.path).collect()
}

#[test]
fn the_limit_on_requests_depends_on_what_is_kept() {
    let of = |most, keep| problems(most, keep, [""; 2]);
    assert!(of(limits::REQUESTS, "rows").is_empty());
    assert_eq!(of(limits::REQUESTS + 1, "rows"), ["run.max_requests"]);
    assert!(of(limits::REQUESTS_SUMMARISED, "summary").is_empty());
    assert_eq!(of(limits::REQUESTS_SUMMARISED + 1, "summary"), ["run.max_requests"]);
    assert_eq!(of(10, "something"), ["observe.keep"]);
    // A page has no memory for as many.
    let text = TEXT.replace("MOST", "50000000").replace("KEEP", "summary");
    let text = text.replace("FURTHER", "").replace("CLUSTER", "");
    assert!(Session::load(&text, None).is_err_and(|problems| problems[0].path == "run"));
}

#[test]
fn what_reads_single_requests_cannot_be_summed_up() {
    let of = |further, cluster| problems(1000, "summary", [further, cluster]);
    assert_eq!(of("", r#","cluster":{"flow_control":{}}"#), ["cluster.flow_control"]);
    assert_eq!(of("", r#","cluster":{"compat":"blis"}"#), ["cluster.compat"]);
    assert_eq!(of(r#","conversation":{}"#, ""), ["workload.clients[0].conversation"]);
    let roles = r#","cluster":{"pools":[{"role":"prefill"},{"role":"decode"}]}"#;
    assert_eq!(of("", roles), ["cluster.pools[0].role", "cluster.pools[1].role"]);
}

#[test]
fn the_command_line_says_what_a_run_without_rows_lacks() {
    let short = ["chat-4xh100", "--set", "run.horizon_s=3", "--set", "run.warmup_s=1", "--set", "edits=[]"];
    let keep = ["--set", "observe.keep=summary"];
    let out = printed(&[&["run"][..], &short, &keep].concat());
    assert!(out.contains("Percentiles are estimates, ± 0.4 %."), "{out}");
    let [rows, series] = ["rows.csv", "series.csv"].map(|name| TempFile::new(name, b"as it was"));
    printed(&[&["run"][..], &short, &keep, &["--series", series.path()]].concat());
    let asked: [&[&str]; 4] = [
        &["--requests", rows.path()],
        &["--events", rows.path()],
        &["--html", rows.path()],
        &["--perfetto", rows.path()],
    ];
    for further in asked {
        let told = refused(&[&["run"][..], &short, &keep, further].concat());
        assert!(told.contains("observe.keep: ") && told.contains("keeps no rows"), "{told}");
    }
    assert_eq!(std::fs::read_to_string(rows.path()).unwrap(), "as it was", "nothing is opened");
    let scenario = run(&[&["run", "--json"][..], &short, &keep].concat());
    assert!(stdout(&scenario).contains("\"percentile_error\": 0.00390625"));
}
