//! What each policy does while nothing arrives: docs/explanation/scaling.md has the table.

use crate::support::documents::scenario;
use crate::support::scaled::heard;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const DOCS: &str = include_str!("../../../docs/explanation/scaling.md");

/// Policies, and the replicas of four that are left ten minutes after the last request, with a minimum of one.
fn policies() -> Vec<(Value, u32)> {
    let quick = json!({"rules": {"down": {"stabilization_s": 20}}});
    vec![
        (json!("none"), 4),
        (json!({"threshold": {"up": 0.9, "down": 0.2, "cooldown_s": 4}}), 1),
        (json!({"target-utilization": {"target": 0.5, "cooldown_s": 4}}), 1),
        (json!({"queue-depth": {"up": 9, "down": 0.2, "cooldown_s": 4}}), 1),
        (json!({"hpa": {"metric": "requests", "target": 6, "behavior": quick}}), 1),
        (json!({"keda": {"threshold": 6, "behavior": quick}}), 1),
        (json!({"kpa": {"concurrency": 10, "stable_s": 12, "panic_s": 3, "grace_s": 5}}), 1),
        (
            json!({"token-aware": {"peak_prefill_tokens_per_s": 2000, "backlog_s": 0.5, "kv": 0.4, "behavior": quick}}),
            1,
        ),
        (json!({"slo-aware": {"ttft_ms": 400, "tpot_ms": 60, "smoothing_s": 6, "behavior": quick}}), 1),
        (json!({"wva-saturation-v1": {}}), 1),
        (json!({"wva-saturation-v2": {}}), 1),
        (json!({"wva-queueing-model": {"ttft_ms": 400, "itl_ms": 60}}), 4),
        (json!({"dynamo-throughput": {"ttft_ms": 2000, "itl_ms": 60}}), 1),
        (json!({"dynamo-throughput": {"ttft_ms": 2000, "itl_ms": 60, "predictor": "trend"}}), 1),
        // Its line through the minute in which it had too few says that fewer would miss.
        (json!({"dynamo-load": {"ttft_ms": 2000, "itl_ms": 60}}), 3),
        (json!({"oracle": {"replica_per_s": 12, "ahead_s": 12}}), 1),
    ]
}

/// Forty requests a second for a minute, and ten minutes of nothing.
fn left(policy: &Value) -> (u32, String) {
    let document = json!({
        "run": {"horizon_s": 660, "warmup_s": 0},
        "cluster": {"pools": [{
            "replicas": 4, "engine": {"max_num_seqs": 16}, "kv": {"blocks": 600},
            "latency": {"fitted": {"step_us": 20000.0, "step_us_per_prefill_token": 30.0}},
            "scaling": {"policy": policy, "min": 1, "max": 6, "tick_s": 5, "scrape_s": 1, "window_s": 5, "start": "hot"},
        }]},
        "workload": {"clients": [{
            "arrivals": {"poisson": {"rate_per_s": 40}},
            "rate_profile": {"steps": {"points": [{"at_s": 0, "factor": 1}, {"at_s": 60, "factor": 0}], "repeat_s": 0}},
            "prompt_tokens": {"constant": {"tokens": 200}}, "output_tokens": {"constant": {"tokens": 40}},
        }]},
    });
    let (engine, heard) = heard(&scenario(document));
    drop(engine);
    let last =
        heard.scaled.last().map(|record| (record.decision.desired, record.decision.rule.name().to_owned()));
    last.unwrap_or((4, "hold".to_owned()))
}

#[test]
fn each_policy_does_what_is_written_down_when_the_traffic_has_ended() {
    for (policy, wanted) in policies() {
        let (found, rule) = left(&policy);
        let holds = policy.get("wva-queueing-model").is_some() || policy == "none";
        if holds {
            assert_eq!(rule, "hold", "{policy}: {found}");
        } else {
            assert_eq!(found, wanted, "{policy}: {rule}");
        }
    }
}

/// The names in the first columns of the rows of a table below a heading.
fn named(heading: &str) -> BTreeSet<String> {
    let part = DOCS.split(heading).nth(1).expect("the heading").split("\n## ").next().unwrap_or_default();
    let mut names = BTreeSet::new();
    for line in part.lines().filter(|line| line.starts_with("| `")) {
        let first = line.split('|').nth(1).unwrap_or_default();
        let mut before = String::new();
        for name in first.split('`').skip(1).step_by(2) {
            // `wva-saturation-v1`, `-v2`: the second is short for the first with another tail.
            let whole = match name.strip_prefix('-') {
                Some(tail) => format!("{}-{tail}", before.rsplit_once('-').map_or("", |(start, _)| start)),
                None => name.to_owned(),
            };
            before.clone_from(&whole);
            names.insert(whole);
        }
    }
    names
}

#[test]
fn the_table_names_every_policy() {
    let all = named("\n## Policies\n");
    assert!(all.len() > 12, "{all:?}");
    assert_eq!(named("\n## When nothing is measured\n"), all);
    let name = |policy: &Value| match policy.as_object() {
        Some(map) => map.keys().next().cloned(),
        None => policy.as_str().map(str::to_owned),
    };
    let tested: BTreeSet<String> = policies().iter().filter_map(|(policy, _)| name(policy)).collect();
    assert_eq!(tested, all);
}
