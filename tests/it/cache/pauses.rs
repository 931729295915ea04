//! What is kept in pauses: the laws that hold for any traffic, in runs that are cut and restored.

use crate::support::rows::start;
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::session::{Budget, History, Stop};

const ORDERS: [&str; 5] = ["lru", "vllm", "sglang", "trtllm", "belady"];

/// Agents that pause on two small replicas, with a CPU tier, a disk and every rule of pauses.
fn agents(order: &str, seed: u64) -> Value {
    let when = ["known", "fixed", "ewma", "pause"][seed as usize % 4];
    let to = if seed.is_multiple_of(3) { "cpu" } else { "gpu" };
    json!({
        "seed": seed,
        "run": {"horizon_s": 30, "warmup_s": 0},
        "cluster": {
            "pools": [{
                "name": "main", "replicas": 2,
                "engine": {"max_num_seqs": 8, "max_num_batched_tokens": 512},
                "kv": {
                    "blocks": 150, "cpu_blocks": 120, "cpu_eviction": if seed % 2 == 1 { "belady" } else { "lru" },
                    "transfer_tokens_per_us": 0.02, "eviction_order": order,
                    "max_protected_share": if seed % 5 == 4 { 0.3 } else { 1.0 },
                    "secondary_tiers": [{"fs": {"gb": 0.2}}],
                },
                "latency": {"fitted": {"step_us": 9000.0, "step_us_per_prefill_token": 40.0}},
            }],
            "kv_hint": {"head_tokens": 64, "budget_tokens": 600, "priority": 60},
            "routing": "session-affinity",
        },
        "workload": {"clients": [
            {
                "name": "agents", "concurrency": 9,
                "prompt_tokens": {"constant": {"tokens": 90}}, "output_tokens": {"constant": {"tokens": 20}},
                "prefix": {"groups": 1, "tokens": 48},
                "agent": {
                    "turns": {"constant": {"rounds": 7}}, "tools": {"exponential": {"mean_s": 1.0}},
                    "fork": 0.2, "sub_agents": 2, "sub_turns": 2,
                },
                "session_kv": {
                    "supersede": seed.is_multiple_of(2), "demote_after_s": 2,
                    "prefetch": {"when": when, "gap_s": 1, "lead_s": 0.2, "to": to, "hold_s": if seed % 3 == 1 { 3 } else { 0 }},
                },
            },
            {
                "name": "others", "arrivals": {"poisson": {"rate_per_s": 3}},
                "prompt_tokens": {"constant": {"tokens": 300}}, "output_tokens": {"constant": {"tokens": 10}},
                "retention": if seed.is_multiple_of(2) { json!([{"end": 64, "priority": 30, "duration_s": 5}]) } else { json!([]) },
            },
        ]},
    })
}

#[test]
fn runs_that_are_cut_and_restored_are_those_that_go_straight_under_every_order() {
    let (mut landed, mut wasted) = (0, 0);
    for (seed, order) in (0..10).zip(ORDERS.iter().cycle()) {
        let scenario = agents(order, seed);
        let mut whole = start(&scenario);
        whole.advance(Micros::MAX, u64::MAX);
        whole.engine().verify(true);
        let pauses = whole.report_data().kv.pauses.expect("the scenario asks for it");
        (landed, wasted) = (landed + pauses.landed, wasted + pauses.wasted_blocks);
        let mut pieces = start(&scenario);
        while pieces.advance(Micros::MAX, 397) != Stop::Finished {
            pieces.engine().verify(true);
            let bytes = pieces.snapshot();
            pieces = start(&agents(order, seed + 1));
            assert_eq!(pieces.restore(&bytes), Ok(()), "{order}, seed {seed}");
        }
        assert_eq!(whole.report(), pieces.report(), "{order}, seed {seed}");
    }
    assert!(landed > 20 && wasted > 0, "{landed} prefetches landed, {wasted} blocks wasted");
}

#[test]
fn going_back_into_a_pause_shows_what_a_run_straight_there_has() {
    for (seed, order) in [(1, "vllm"), (2, "sglang")] {
        let scenario = agents(order, seed);
        let mut history = History::new(start(&scenario), Budget { bytes: 12 << 20, events: 300 });
        for at in [20_000_000, 7_300_000, 12_100_000] {
            history.seek(Micros(at));
            while history.advance(Micros(at), 501) == Stop::Events {}
            let mut straight = start(&scenario);
            straight.advance(Micros(at), u64::MAX);
            assert_eq!(history.present().snapshot(), straight.snapshot(), "{order} at {at}");
        }
    }
}

/// The figures of a run that directives may move.
fn figures(scenario: &Value) -> [u64; 4] {
    let mut session = start(scenario);
    session.advance(Micros::MAX, u64::MAX);
    let r = session.report_data();
    [r.kv.hits, r.kv.misses, r.kv.evictions, r.requests.completed.into()]
}

/// The same without rules of pauses, hints and directives.
fn bare(order: &str, seed: u64) -> Value {
    let mut scenario = agents(order, seed);
    scenario["cluster"]["kv_hint"] = Value::Null;
    for client in scenario["workload"]["clients"].as_array_mut().expect("clients") {
        client["session_kv"] = Value::Null;
        client["retention"] = json!([]);
    }
    scenario
}

#[test]
fn equal_priorities_are_the_order_of_use_and_a_duration_of_nothing_is_no_directive() {
    for seed in [0, 2, 3] {
        let with = |order: &str, directives: Value| {
            let mut scenario = bare(order, seed);
            for client in scenario["workload"]["clients"].as_array_mut().expect("clients") {
                client["retention"] = directives.clone();
            }
            figures(&scenario)
        };
        let by_use = figures(&bare("lru", seed));
        assert_eq!(figures(&bare("vllm", seed)), by_use, "seed {seed}");
        assert_eq!(with("vllm", json!([{"priority": 50}])), by_use, "seed {seed}");
        let silent = figures(&bare("sglang", seed));
        assert_eq!(with("sglang", json!([{"priority": 0}])), silent, "seed {seed}");
        assert_eq!(with("trtllm", json!([{"priority": 35}])), figures(&bare("trtllm", seed)), "seed {seed}");
    }
}
