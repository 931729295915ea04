//! Which figure of latencies llm-d's scaling by objectives holds against them: a quantile or the mean.

use crate::support::documents::scenario;
use crate::support::scaled::heard;
use serde_json::{Value, json};
use tokenyard::scenario::{parse, to_json};
use tokenyard::session::Session;

/// A pool that follows latency over objective, with some settings beside the objectives.
fn document(settings: &Value) -> Value {
    let mut policy = json!({"ttft_ms": 400, "tpot_ms": 400, "smoothing_s": 0});
    for (name, value) in settings.as_object().expect("settings") {
        policy[name] = value.clone();
    }
    let ask = |at: u64, tokens: u32| json!({"arrival_us": at, "prompt": [{"text": at, "tokens": tokens}], "output": {"text": 1_000_000 + at, "tokens": 2}});
    // Every second four short prompts, and half a second later a long one.
    let requests: Vec<Value> = (0..100_u64)
        .map(|i| {
            if i % 5 == 4 {
                ask(i / 5 * 1_000_000 + 500_000, 15_000)
            } else {
                ask(i / 5 * 1_000_000 + i % 5, 100)
            }
        })
        .collect();
    json!({
        "run": {"horizon_s": 20, "warmup_s": 0},
        "cluster": {"pools": [{
            "replicas": 2, "engine": {"max_num_seqs": 16, "max_num_batched_tokens": 16384}, "kv": {"blocks": 4000},
            "latency": {"fitted": {"step_us": 2000.0, "step_us_per_prefill_token": 30.0}},
            "scaling": {"policy": {"slo-aware": policy}, "min": 1, "max": 6, "tick_s": 5, "scrape_s": 1, "window_s": 5, "start": "instant"},
        }], "routing": "round-robin"},
        "workload": {"clients": [], "requests": requests},
    })
}

/// The numbers of replicas that the first decision of a run wants and has.
fn first_wish(settings: &Value) -> (u32, u32) {
    let (engine, heard) = heard(&scenario(document(settings)));
    drop(engine);
    heard.scaled.first().map_or((2, 2), |record| (record.decision.desired, record.decision.current))
}

#[test]
fn a_fifth_of_slow_requests_moves_the_mean_and_a_high_quantile_and_not_the_median() {
    // Of five first tokens two take 5 ms, two 10 ms and one 452 ms: of 400 ms the median is a fortieth, the P90 more
    // than one, and the mean (5 + 5 + 10 + 10 + 452) / 5 / 400 = 0.24.
    let wish = |quantile: Value, up: f64, down: f64| {
        first_wish(&json!({"quantile": quantile, "up": up, "down": down}))
    };
    assert_eq!(wish(json!(0.9), 0.8, 0.1), (3, 2));
    assert_eq!(wish(json!("mean"), 0.8, 0.1), (2, 2));
    assert_eq!(wish(json!("mean"), 0.2, 0.1), (3, 2));
    assert_eq!(wish(json!(0.5), 0.2, 0.1).0, 1);
}

#[test]
fn the_word_is_read_and_written_and_no_other_is_taken() {
    let read = |quantile: Value| parse(&document(&json!({"quantile": quantile})).to_string());
    for quantile in [json!("mean"), json!(0.9), json!(0.0), json!(1.0)] {
        let scenario = read(quantile.clone()).expect("a sound scenario");
        let written: Value = serde_json::from_str(&to_json(&scenario)).expect("JSON");
        let at = written.pointer("/cluster/pools/0/scaling/policy/slo-aware/quantile");
        // A quantile of 0.9 is the default.
        assert_eq!(at.unwrap_or(&json!(0.9)), &quantile);
    }
    for (wrong, found) in [(json!("median"), "\"median\""), (json!(true), "true")] {
        let problems = read(wrong).expect_err("no figure of latencies");
        assert_eq!(problems.len(), 1, "{problems:?}");
        let one = &problems[0];
        assert_eq!(one.path, "cluster.pools[0].scaling.policy.slo-aware.quantile");
        assert_eq!((one.found.as_str(), one.allowed.as_str()), (found, "a number or \"mean\""));
    }
    let problems = Session::check(&document(&json!({"quantile": 1.5})).to_string());
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].fix.contains("\"mean\""), "{problems:?}");
}
