//! The horizontal autoscaler in whole runs, by numbers worked out by hand.

use crate::support::documents::{put_all, scenario};
use crate::support::scaled::heard;
use serde_json::{Value, json};
use tokenyard::scenario::Scenario;

/// One replica that finishes 10 requests of 100 a second, and further ones that start in 60 s.
fn swamped(target: &Value) -> Scenario {
    let mut hpa = json!({"metric": "waiting", "target": 300, "behavior": {"rules": {"up": {"pods": 50, "percent": 0}}}});
    put_all(&mut hpa, target);
    let start =
        json!({"phases": {"scheduling_s": 0, "load_s": 0, "initialise_s": 60, "probe_s": 0, "cv": 0}});
    let document = json!({
        "run": {"horizon_s": 120, "warmup_s": 0},
        "cluster": {"routing": "least-loaded", "pools": [{
            "replicas": 1, "engine": {"max_num_seqs": 1},
            "latency": {"fitted": {"step_us": 100_000.0, "step_us_per_prefill_token": 0.0, "step_us_per_decode_token": 0.0}},
            "scaling": {"max": 50, "window_s": 0, "start": start, "policy": {"hpa": hpa}},
        }]},
        "workload": {"clients": [{"arrivals": {"constant": {"rate_per_s": 100}},
            "prompt_tokens": {"constant": {"tokens": 16}}, "output_tokens": {"constant": {"tokens": 1}}}]},
    });
    scenario(document)
}

#[test]
fn a_target_of_the_pool_multiplies_the_replicas_that_serve() {
    let desired = |target| {
        let (_, heard) = heard(&swamped(&target));
        heard.scaled.iter().take(6).map(|r| r.decision.desired).collect::<Vec<_>>()
    };
    // 90 of 100 requests a second are left over. With one replica that serves, 1,350 wait at 15 s: ceil(1350 / 300) = 5,
    // then 9, 14, 18. At 75 s five serve: ceil(6750 / 300 · 5) = 113, cut to 50.
    assert_eq!(desired(json!({"target_of": "pool"})), [5, 9, 14, 18, 50, 50]);
    // A target of each replica knows the pods that are not ready: they count as idle, and never as loaded.
    let each = desired(json!({}));
    assert!(each.iter().all(|n| *n <= 26), "{each:?}");
}
