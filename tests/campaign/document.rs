//! A case by its number: a small scenario in which roles, faults, autoscalers, flow control, closed loops, agents, adapters, tiers and
//! stores of KV, sessions that want theirs kept, speculative decoding, ranks in lock step, retries and edits meet.
//!
//! What is drawn is sometimes refused: what the messages name is then taken out until it is taken.

use super::cluster::{Kind, cluster};
use super::draw::Draw;
use super::edits::edits;
use super::repair::take_out;
use super::traffic::workload;
use serde_json::{Value, json};
use tokenyard::base::diag::Severity;
use tokenyard::base::{Diagnostic, Diagnostics};
use tokenyard::scenario::{Scenario, from_value};
use tokenyard::session::{Audience, Session};

/// Refused documents have the fields taken out that the messages name, this often.
const MOST_REPAIRS: u32 = 30;

/// The scenario of a document, if it is one.
pub(crate) fn scenario(document: &Value) -> Result<Scenario, Diagnostics> {
    let scenario = from_value(document.clone())?;
    Session::start(scenario.clone(), None, Audience::Live)?;
    Ok(scenario)
}

fn run(draw: &mut Draw) -> Value {
    // A closed loop that is refused sends at once again: only a bound of requests ends that early.
    let most = 4 + draw.below(80);
    let horizon_s = if draw.one_in(2) { 0.0 } else { 0.3 + draw.unit() * 1.7 };
    json!({"horizon_s": horizon_s, "warmup_s": draw.of(&[0.0, 0.0, horizon_s / 5.0]), "max_requests": most,
        "warmup_requests": draw.of(&[0, 0, 3])})
}

fn observe(draw: &mut Draw) -> Value {
    json!({"event_log": draw.of(&[20_000, 50, 0]), "series_points": draw.of(&[600, 16]),
        "counterfactual_k": draw.of(&[0, 0, 3]), "anomalies": !draw.one_in(4), "keep": draw.of(&["rows", "rows", "rows", "summary"])})
}

fn drawn(draw: &mut Draw) -> Value {
    let kind = Kind::drawn(draw);
    let (run, cluster, workload) = (run(draw), cluster(draw, kind), workload(draw, kind));
    let end_s = run["horizon_s"].as_f64().filter(|s| *s > 0.0).unwrap_or(1.5);
    let pools = cluster["pools"].as_array().map_or(&[][..], Vec::as_slice);
    let edits = edits(draw, kind, pools, end_s);
    let mut all = json!({"tokenyard": 1, "seed": draw.below(1 << 20), "run": run, "cluster": cluster, "workload": workload,
        "observe": observe(draw), "edits": edits});
    if draw.one_in(3) {
        all["slo"] = json!({"ttft_ms": 40, "tpot_ms": 4, "e2e_ms": 300});
    }
    all
}

/// The document of a case; none if what was drawn is refused in whole.
pub(crate) fn document(case: u64) -> Option<Value> {
    let mut document = drawn(&mut Draw::new(case));
    super::tiers::add(&mut Draw::further(case), &mut document);
    repaired(document)
}

/// The same without tiers below CPU memory and without what sessions want kept.
pub(crate) fn without_tiers(case: u64) -> Option<Value> {
    repaired(drawn(&mut Draw::new(case)))
}

fn repaired(mut document: Value) -> Option<Value> {
    for _ in 0..MOST_REPAIRS {
        let Err(problems) = scenario(&document) else { return Some(document) };
        let explained = |p: &Diagnostic| !(p.found.is_empty() || p.allowed.is_empty() && p.fix.is_empty());
        assert!(!problems.is_empty() && problems.iter().all(explained), "{problems:?}");
        let wrong = problems.iter().find(|p| p.severity == Severity::Error)?;
        // Of an edit nothing stays.
        let path = wrong.path.split_inclusive(']').next().filter(|path| path.starts_with("edits["));
        if !take_out(&mut document, path.unwrap_or(&wrong.path)) {
            return None;
        }
    }
    None
}
