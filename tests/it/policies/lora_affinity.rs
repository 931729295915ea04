//! The scorer `lora-affinity` by hand, with and without a picture that is out of date.

use crate::support;
use serde_json::json;
use tokenyard::scenario::{Scenario, from_value};

/// Two replicas with one slot each, and requests of a second that arrive 10 ms after each other.
fn scenario(adapters: &[&str], refresh_us: u64) -> Scenario {
    let request = |(i, adapter): (usize, &&str)| {
        json!({
            "arrival_us": 10_000 * (i + 1), "adapter": adapter,
            "prompt": [{ "text": i, "tokens": 64 }], "output": { "tokens": 100 },
        })
    };
    let requests: Vec<_> = adapters.iter().enumerate().map(request).collect();
    from_value(json!({
        "run": { "horizon_s": 0, "warmup_s": 0 },
        "cluster": {
            "pools": [{
                "replicas": 2, "latency": { "fitted": { "step_us": 1000, "step_us_per_prefill_token": 0, "step_us_per_decode_token": 0 } }, "kv": { "blocks": 1000 },
                "lora": { "max_loras": 1, "adapter_mib": 0.01, "step_us_per_layer": 0 },
            }],
            "routing": { "weighted": { "profile": "custom", "scorers": [{ "scorer": "lora-affinity", "weight": 1 }] } },
            "snapshot_refresh_us": refresh_us,
        },
        "workload": { "clients": [], "requests": requests },
    }))
    .expect("a sound scenario")
}

/// By request: what the scorer gave the two replicas.
fn scores(adapters: &[&str], refresh_us: u64) -> Vec<[f64; 2]> {
    let (_, story) = support::run(&scenario(adapters, refresh_us));
    let of = |d: &tokenyard::engine::Decision| d.scores.parts[0].values.clone().try_into().expect("two");
    story.decisions.iter().map(of).collect()
}

#[test]
fn an_adapter_goes_where_it_runs_then_where_there_is_room_then_where_it_waits() {
    let found = scores(&["a", "a", "b", "c", "c", "", "b"], 0);
    let expected = [
        [0.8, 0.8], // nothing runs
        [1.0, 0.8], // a runs on r0
        [0.0, 0.8], // r0 has no room for b
        [0.0, 0.0], // c has room nowhere, and waits on r0
        [0.6, 0.0], // c waits on r0
        [0.0, 0.0], // the base model counts as an adapter that is nowhere
        [0.0, 1.0], // b runs on r1
    ];
    assert_eq!(found, expected);
}

#[test]
fn adapters_are_seen_as_late_as_other_signals() {
    // Until 30 ms the picture is that of the start: empty replicas. From then on it is that of 30 ms.
    let found = scores(&["a", "a", "b", "a", "b"], 30_000);
    assert_eq!(found, [[0.8, 0.8], [0.8, 0.8], [0.0, 0.8], [1.0, 0.8], [0.0, 0.8]]);
}
