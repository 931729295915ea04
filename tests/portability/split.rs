//! A run with prefill and decode apart, for the tests of results.

use serde_json::json;
use tokenyard::scenario::{Change, Scenario, TimedEdit, from_value};

/// Two prefill pools and a decode pool with caches that are too small, over thin ports: pull, then push with overlap, with edits of
/// roles, ports, ratio and decider.
pub(crate) fn split() -> Scenario {
    let pool = |name: &str, role: &str, replicas: u32, blocks: u32| {
        json!({
            "name": name, "role": role, "replicas": replicas, "engine": {"max_num_seqs": 12, "max_num_batched_tokens": 256},
            "kv": {"blocks": blocks},
            "latency": {"fitted": {"queueing_us": 120.5, "queueing_us_per_prompt_token": 0.75, "output_us_per_token": 33.3,
                "step_us": 6000.0, "step_us_per_prefill_token": 41.7, "step_us_per_decode_token": 97.3}},
        })
    };
    let document = json!({
        "seed": 20_261_126,
        "run": {"horizon_s": 24, "warmup_s": 2},
        "cluster": {
            "pools": [pool("prefill", "prefill", 2, 60), pool("decode", "decode", 3, 50), pool("spare", "prefill", 1, 60)],
            "routing": {"weighted": {}},
            "disaggregation": {
                "decider": {"threshold": {"uncached_tokens": 40, "prefill_in_flight": 9}},
                "prefill_routing": {"power-of-d": {}},
                "transfer": {"port_gb_per_s": 0.4, "base_us": 70},
            },
        },
        "workload": {"timeout_s": 9, "clients": [{
            "arrivals": {"gamma": {"rate_per_s": 14.0, "cv": 2.0}},
            "prompt_tokens": {"lognormal": {"median_tokens": 120, "sigma": 0.8, "min_tokens": 4, "max_tokens": 700}},
            "output_tokens": {"gaussian": {"mean_tokens": 30, "sd_tokens": 12, "min_tokens": 1, "max_tokens": 80}},
            "prefix": {"groups": 3, "tokens": 48},
        }]},
    });
    let mut s: Scenario = from_value(document).unwrap_or_else(|problems| panic!("{problems:?}"));
    let set = |path: &str, value| Change::set(path, value);
    let d = "cluster.disaggregation";
    s.edits = vec![
        TimedEdit::new(4_000_000, set(&format!("{d}.transfer.port_gb_per_s"), json!(0.05))),
        TimedEdit::new(
            7_000_000,
            set(&format!("{d}.handoff"), json!("push")).and_set(&format!("{d}.transfer.overlap_share"), 0.7),
        ),
        TimedEdit::new(10_000_000, set("cluster.pools[2].role", json!("decode"))),
        TimedEdit::new(13_000_000, set("cluster.pools[0].replicas", json!(1))),
        TimedEdit::new(16_000_000, set(&format!("{d}.first_token"), json!("prefill"))),
        TimedEdit::new(19_000_000, set(&format!("{d}.decider"), json!("always"))),
        TimedEdit::new(21_000_000, set(&format!("{d}.transfer.shared_ports"), json!(false))),
    ];
    s
}
