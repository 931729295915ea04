//! Notices of a run: each appears when it is due and not otherwise, and names which of the two limits ended the run.

use crate::support::start;
use std::sync::Arc;
use tokenyard::base::Micros;
use tokenyard::scenario::{Scenario, limits, parse, to_json};
use tokenyard::session::view::FrameQuery;
use tokenyard::session::{Audience, Notice, NoticeKind, Session, Trace, TraceReader};

fn ended(scenario: Scenario, trace: Option<Arc<Trace>>) -> Session {
    let mut session = match Session::start(scenario, trace, Audience::Batch) {
        Ok((session, _)) => session,
        Err(problems) => panic!("not a valid scenario: {problems:?}"),
    };
    session.advance(Micros::MAX, u64::MAX);
    session
}

fn read(text: &str) -> Scenario {
    parse(text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"))
}

fn run(text: &str) -> Session {
    ended(read(text), None)
}

#[track_caller]
fn only(session: &Session, kind: NoticeKind) -> Notice {
    let all = session.notices();
    assert_eq!(all.iter().map(|n| n.kind).collect::<Vec<_>>(), [kind], "{all:?}");
    assert_eq!(session.report_data().notices, all);
    all[0].clone()
}

fn trace(rows: &str) -> Arc<Trace> {
    let mut reader = TraceReader::new("t.csv", limits::TRACE_BYTES_CLI);
    reader.push(format!("TIMESTAMP,ContextTokens,GeneratedTokens\n{rows}").as_bytes());
    reader.finish().0.expect("a good trace")
}

/// Two requests a second on four replicas that are hardly busy.
const QUIET: &str = r#""workload": {"clients": [{"arrivals": {"constant": {"rate_per_s": 2}},
    "prompt_tokens": {"constant": {"tokens": 50}}, "output_tokens": {"constant": {"tokens": 10}}}]}"#;

#[test]
fn a_run_in_which_nothing_is_amiss_has_no_notices() {
    let session = run(&format!(r#"{{"run": {{"horizon_s": 40, "warmup_s": 5}}, {QUIET}}}"#));
    assert_eq!(session.notices(), []);
    assert!(!session.report().contains("\"notices\""));
}

#[test]
fn a_run_that_ends_within_its_warm_up_says_that_nothing_was_measured() {
    let session = run(&format!(r#"{{"run": {{"max_requests": 30}}, {QUIET}}}"#));
    let notice = only(&session, NoticeKind::NothingMeasured);
    assert_eq!(notice.path, "run.warmup_s");
    assert!(
        notice.text.starts_with("All 30 requests arrived in the warm-up of 20 s, the last at 15"),
        "{notice:?}"
    );
    let text = session.report();
    let report: serde_json::Value = serde_json::from_str(&text).expect("a report is JSON");
    assert_eq!(report["latency_ms"]["ttft"], serde_json::json!({ "count": 0 }));
    assert_eq!(report["throughput"].get("attainment"), None);
    assert_eq!(report["cost"].get("usd_per_request"), None);
    // By number, and without any arrivals.
    let by_number =
        format!(r#"{{"run": {{"max_requests": 30, "warmup_s": 0, "warmup_requests": 30}}, {QUIET}}}"#);
    assert_eq!(only(&run(&by_number), NoticeKind::NothingMeasured).path, "run.warmup_requests");
    let nobody = QUIET.replace("\"rate_per_s\": 2", "\"rate_per_s\": 0");
    assert_eq!(only(&run(&format!("{{{nobody}}}")), NoticeKind::NothingMeasured).path, "workload");
}

#[test]
fn nothing_is_said_of_the_end_before_the_end() {
    let scenario = read(&format!(r#"{{"run": {{"max_requests": 30}}, {QUIET}}}"#));
    let mut session = start(&scenario);
    session.advance(Micros(5_000_000), u64::MAX);
    assert_eq!(session.frame(&FrameQuery::default()).notices, []);
    session.advance(Micros::MAX, u64::MAX);
    let frame = session.frame(&FrameQuery::default());
    assert_eq!((frame.finished, frame.notices.len()), (true, 1));
}

/// One replica that takes a request at a time, each for a fifth of a second.
const NARROW: &str = r#""cluster": {"pools": [{"replicas": 1, "engine": {"max_num_seqs": 1},
    "latency": {"fitted": {"step_us": 10000}}}]}"#;

fn narrow(run: &str, rate_per_s: f64) -> String {
    format!(
        r#"{{"run": {run}, {NARROW}, "workload": {{"clients": [{{"arrivals": {{"constant": {{"rate_per_s": {rate_per_s}}}}},
        "prompt_tokens": {{"constant": {{"tokens": 5}}}}, "output_tokens": {{"constant": {{"tokens": 20}}}}}}]}}}}"#
    )
}

#[test]
fn a_queue_that_grows_to_the_end_is_saturated_with_counts() {
    let session = run(&narrow(r#"{"horizon_s": 60, "warmup_s": 0}"#, 20.0));
    let notice = only(&session, NoticeKind::Saturated);
    let p = session.report_data().requests;
    let left = p.arrived - p.completed;
    assert!(notice.text.contains(&format!("with {left} of 1,200 requests unfinished")), "{notice:?}");
    assert!(notice.text.contains("20.0 arrive a second"), "{notice:?}");
    assert_eq!(notice.path, "cluster.pools");
}

#[test]
fn requests_that_came_faster_than_they_were_served_are_reported_when_all_are_done() {
    let session = run(&narrow(r#"{"max_requests": 300, "warmup_s": 0}"#, 20.0));
    let notice = only(&session, NoticeKind::Saturated);
    assert!(
        notice.text.contains("Requests arrived for 14.9 s") && notice.text.contains("took 60.1 s"),
        "{notice:?}"
    );
    assert_eq!(run(&narrow(r#"{"max_requests": 300, "warmup_s": 0}"#, 4.0)).notices(), []);
}

#[test]
fn a_run_cut_in_the_middle_of_its_requests_says_how_many_are_unfinished() {
    let long = r#"{"run": {"horizon_s": 5, "warmup_s": 0}, "workload": {"clients": [{"arrivals": {"constant": {"rate_per_s": 10}},
        "output_tokens": {"constant": {"tokens": 5000}}}]}}"#;
    let notice = only(&run(long), NoticeKind::Unfinished);
    assert!(notice.text.contains("with 50 of 50 requests unfinished"), "{notice:?}");
}

#[test]
fn a_cap_alone_and_a_horizon_alone_decide_when_the_run_ends() {
    let capped = read(r#"{"run": {"max_requests": 100000}}"#);
    assert_eq!((capped.run.horizon_s, capped.run.max_requests), (0.0, 100_000));
    let timed = read(r#"{"run": {"horizon_s": 60}}"#);
    assert_eq!((timed.run.horizon_s, timed.run.max_requests), (60.0, 0));
    let both = read(r#"{"run": {"max_requests": 7, "horizon_s": 60}}"#);
    assert_eq!((both.run.horizon_s, both.run.max_requests), (60.0, 7));
    let neither = read(r#"{"run": {"max_requests": 0}}"#);
    assert_eq!(neither.run, tokenyard::scenario::Run::default());
    for scenario in [capped, timed, both, neither] {
        assert_eq!(read(&to_json(&scenario)), scenario, "a document that is written back means the same");
    }
}

#[test]
fn a_run_cut_by_the_other_limit_says_so() {
    let session =
        run(&format!(r#"{{"run": {{"horizon_s": 40, "warmup_s": 5, "max_requests": 1000}}, {QUIET}}}"#));
    let notice = only(&session, NoticeKind::CutShort);
    assert_eq!(notice.path, "run.horizon_s");
    assert!(notice.text.contains("ended at 40 s, when 80 of 1,000 requests had arrived"), "{notice:?}");
    let session =
        run(&format!(r#"{{"run": {{"horizon_s": 40, "warmup_s": 5, "max_requests": 20}}, {QUIET}}}"#));
    let notice = only(&session, NoticeKind::CutShort);
    assert_eq!(notice.path, "run.max_requests");
    assert!(notice.text.contains("reached at 10.0 s of 40 s"), "{notice:?}");
}

#[test]
fn a_trace_that_is_cut_and_rows_that_are_left_out_are_reported() {
    let rows: Vec<String> = (0..20).map(|i| format!("2023-11-16 18:15:{i:02}.0000000,100,20\n")).collect();
    let rows = rows.concat();
    let text = r#"{"run": {"horizon_s": 4.5, "warmup_s": 0}, "workload": {"trace": {"file": "t.csv"}}}"#;
    let notice = only(&ended(read(text), Some(trace(&rows))), NoticeKind::CutShort);
    assert!(notice.text.contains("when 5 of 20 requests had arrived"), "{notice:?}");
    let rows = format!("{rows}2023-11-16 18:15:20.0000000,0,20\n2023-11-16 18:15:21.0000000,9,0\n");
    let whole = text.replace("4.5", "0");
    let notice = only(&ended(read(&whole), Some(trace(&rows))), NoticeKind::TraceRows);
    assert!(notice.text.starts_with("Rows of the trace left out: 2."), "{notice:?}");
}

#[test]
fn a_pool_without_a_price_makes_the_cost_unknown_and_not_zero() {
    let pools = r#""cluster": {"pools": [{"name": "a"}, {"name": "b", "gpu": "mine", "kv": {"blocks": 900},
        "latency": {"fitted": {"step_us": 9000}}}]}"#;
    let session = run(&format!(r#"{{"run": {{"horizon_s": 40, "warmup_s": 5}}, {pools}, {QUIET}}}"#));
    let notice = only(&session, NoticeKind::NoPrice);
    assert_eq!(notice.path, "cluster.pools[1].hardware.usd_per_hour");
    let cost = session.report_data().cost;
    assert_eq!((cost.usd_per_hour, cost.usd, cost.usd_per_request), (None, None, None));
    assert!(cost.gpu_seconds > 0.0);
}

#[test]
fn dropped_requests_are_told() {
    let text = r#"{"run": {"horizon_s": 20, "warmup_s": 0}, "cluster": {"pools": [{"kv": {"blocks": 4}}]},
        "workload": {"clients": [{"arrivals": {"constant": {"rate_per_s": 2}}, "prompt_tokens": {"constant": {"tokens": 500}}}]}}"#;
    let session = run(text);
    let dropped = session.requests().dropped;
    assert!(dropped >= 39, "{dropped}");
    let notice = only(&session, NoticeKind::Dropped);
    assert!(notice.text.starts_with(&format!("Dropped requests: {dropped}.")), "{notice:?}");
}
