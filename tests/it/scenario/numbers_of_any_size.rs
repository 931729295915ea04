//! Numbers of any size in a scenario: each that is refused gives one message, no later check computes with it, and nothing panics.

use crate::support::schema::numbers;
use serde_json::{Value, json};
use tokenyard::base::{Diagnostics, Severity};
use tokenyard::session::Session;

/// Numbers as a document may have them, and some that are out of every range.
const NUMBERS: [&str; 16] = [
    "1e308",
    "1e303",
    "1e300",
    "1e19",
    "-1e300",
    "-1",
    "-0",
    "-0.0",
    "0",
    "1.5",
    "5e-324",
    "1e-300",
    "4294967296",
    "18446744073709551615",
    "123456789012345678901234567890",
    "-9223372036854775808",
];

/// Two scenarios that have every kind of part between them; neither has anything wrong.
fn bases() -> [Value; 2] {
    [weighted_and_scaled(), clients_of_other_kinds()]
}

fn weighted_and_scaled() -> Value {
    let points = json!([{"at_s": 0.0, "factor": 1.0}, {"at_s": 10.0, "factor": 2.0}]);
    json!({
        "seed": 7,
        "run": {"horizon_s": 60.0, "warmup_s": 5.0, "max_requests": 1000, "warmup_requests": 3},
        "cluster": {
            "pools": [
                {"name": "a", "replicas": 2, "tp": 1, "expert_ranks": 1,
                 "architecture": {"layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 8, "head_dim": 0,
                    "intermediate": 14336, "vocab": 128_256, "experts": 0, "experts_per_token": 0,
                    "expert_intermediate": 0, "dense_layers": 0, "bytes_per_param": 2.0, "bytes_per_kv_value": 2.0},
                 "hardware": {"memory_gib": 80.0, "tflops": 900.0, "bandwidth_tb_per_s": 3.0, "usd_per_hour": 2.0},
                 "engine": {"max_num_seqs": 64, "max_num_batched_tokens": 2048,
                    "long_prefill_threshold_tokens": 512, "max_waiting": 100,
                    "speculative": {"tokens": 3, "acceptance": 0.7, "positions": [{"acceptance": 0.9}],
                        "drafter": {"autoregressive": {"share": 0.1, "fixed_us": 5.0}}, "memory_gib": 1.0,
                        "disable_above_batch": 48}},
                 "kv": {"blocks": 2000, "block_tokens": 16, "cpu_blocks": 100, "transfer_tokens_per_us": 1.0,
                    "transfer_base_us": 10, "gpu_memory_utilization": 0.9},
                 "latency": {"roofline": {}},
                 "scaling": {"policy": {"threshold": {"up": 0.8, "down": 0.3}}, "min": 1, "max": 4, "gpus": 8,
                    "tick_s": 5.0, "scrape_s": 1.0, "window_s": 5.0, "lag_s": 1.0, "hold_s": 10.0}},
                {"name": "b", "replicas": 1, "pp": 2, "pp_link_gb_per_s": 100.0, "kv": {"blocks": 2000},
                 "latency": {"fitted": {"step_us": 5000.0, "step_us_per_prefill_token": 10.0,
                    "step_us_per_decode_token": 5.0}},
                 "scaling": {"policy": {"wva-saturation-v1": {}}, "optimizer": "greedy", "tick_s": 30.0}},
            ],
            "admission": {"token-bucket": {"capacity_tokens": 1000.0, "refill_tokens_per_s": 100.0}},
            "routing": {"weighted": {"profile": "custom", "prefix_index_blocks": 1000,
                "scorers": [{"scorer": "queue-depth", "weight": 1.0}],
                "filters": [{"utilization": {"conditions": [{"metric": "kv-utilization", "max": 0.8}]}}]}},
            "snapshot_refresh_us": 1000, "admission_latency_us": 10, "routing_latency_us": 10,
        },
        "workload": {"timeout_s": 30.0, "clients": [
            {"name": "c", "arrivals": {"gamma": {"rate_per_s": 2.0, "cv": 2.0}}, "sessions": 3,
             "rate_profile": {"steps": {"points": points, "repeat_s": 20.0}},
             "prompt_tokens": {"lognormal": {"median_tokens": 100.0, "sigma": 0.5, "min_tokens": 4, "max_tokens": 500}},
             "output_tokens": {"gaussian": {"mean_tokens": 50.0, "sd_tokens": 5.0, "min_tokens": 4, "max_tokens": 99}},
             "prefix": {"groups": 2, "tokens": 32}},
        ], "requests": [{"id": "x", "arrival_us": 5, "prompt": [{"text": 1, "offset": 3, "tokens": 40}],
            "output": {"text": 2, "offset": 1, "tokens": 4}}]},
        "slo": {"ttft_ms": 500.0, "tpot_ms": 50.0, "e2e_ms": 0.0,
            "classes": [{"class": "batch", "ttft_ms": 900.0, "tpot_ms": 90.0, "e2e_ms": 0.0}]},
        "observe": {"event_log": 100, "series_points": 64, "counterfactual_k": 2},
    })
}

fn clients_of_other_kinds() -> Value {
    json!({
        "run": {"horizon_s": 60.0},
        "cluster": {
            "pools": [{"name": "p", "replicas": 2, "kv": {"blocks": 4000},
                "latency": {"piecewise": {"prefill_tokens_per_s": 1e4, "single_decode_tokens_per_s": 100.0,
                    "saturated_decode_tokens_per_s": 2000.0, "saturation_batch": 32}},
                "scaling": {"policy": {"queue-depth": {"up": 4.0, "down": 1.0}}, "min": 1, "max": 3}}],
            "admission": {"rate-limit": {"requests_per_s": 5.0, "burst": 5}}, "routing": {"power-of-d": {"d": 2}},
        },
        "workload": {"clients": [
            {"name": "w", "arrivals": {"poisson": {"rate_per_s": 1.0}},
             "rate_profile": {"windows": {"windows": [{"start_s": 1.0, "end_s": 5.0}, {"start_s": 6.0, "end_s": 9.0}]}},
             "prompt_tokens": {"empirical": {"lengths": [{"tokens": 10, "weight": 1.0}, {"tokens": 20, "weight": 2.0}]}},
             "output_tokens": {"exponential": {"mean_tokens": 20.0, "min_tokens": 1, "max_tokens": 99}},
             "conversation": {"rounds": {"geometric": {"mean_rounds": 3.0, "max_rounds": 9}},
                "think_time": {"lognormal": {"median_s": 1.0, "sigma": 0.5}}, "max_context_tokens": 4000}},
            {"name": "d", "arrivals": {"constant": {"rate_per_s": 1.0}},
             "rate_profile": {"spike": {"start_s": 5.0, "duration_s": 2.0, "factor": 3.0}},
             "prompt_tokens": {"constant": {"tokens": 30}}, "output_tokens": {"constant": {"tokens": 5}}},
            {"name": "e", "arrivals": {"constant": {"rate_per_s": 1.0}},
             "rate_profile": {"diurnal": {"peak_hour": 14, "peak_to_trough": 3.0, "day_s": 86400.0}},
             "prompt_tokens": {"constant": {"tokens": 30}}, "output_tokens": {"constant": {"tokens": 5}}},
        ]},
        "edits": [
            {"at_us": 1_000_000, "set": {"workload.clients[0].arrivals.poisson.rate_per_s": 2.0}},
            {"at_us": 2_000_000, "after_events": 5, "set": {"cluster.pools[0].replicas": 3}},
            {"at_us": 3_000_000, "set": {"cluster.pools[0].scaling.tick_s": 9.0, "slo.ttft_ms": 4.0}},
        ],
    })
}

fn places(base: &Value) -> Vec<String> {
    let mut found = Vec::new();
    numbers(base, "", &mut found);
    assert!(found.len() > 20, "{found:?}");
    found
}

/// The path that a message names for a pointer.
fn path(pointer: &str) -> String {
    let mut out = String::new();
    for step in pointer.split('/').skip(1) {
        match step.parse::<usize>() {
            Ok(i) => out.extend(["[", &i.to_string(), "]"]),
            Err(_) if out.is_empty() => out.push_str(step),
            Err(_) => out.extend([".", step]),
        }
    }
    out
}

/// What is said of a document with numbers in some places, as they would stand in a file.
fn told(base: &Value, changes: &[(&str, &str)]) -> Diagnostics {
    let mut document = base.clone();
    for (i, (place, _)) in changes.iter().enumerate() {
        *document.pointer_mut(place).expect("the base has this place") = json!(format!("@{i}@"));
    }
    let mut text = document.to_string();
    for (i, (_, number)) in changes.iter().enumerate() {
        text = text.replace(&format!("\"@{i}@\""), number);
    }
    Session::check(&text)
}

/// Whether a message is about the value at a place, or one it lies in.
fn is_about(found: &str, place: &str) -> bool {
    let path = path(place);
    // Edits name the field that they set.
    found == path || path.ends_with(found) || path.starts_with(&format!("{found}."))
}

#[test]
fn the_bases_are_good() {
    for base in bases() {
        let found = Session::check(&base.to_string());
        assert!(found.iter().all(|d| d.severity == Severity::Warning), "{found:#?}");
    }
}

#[test]
fn a_number_that_is_refused_gives_one_message() {
    let mut wrong = Vec::new();
    for base in bases() {
        let good = Session::check(&base.to_string());
        for place in places(&base) {
            for number in NUMBERS {
                let found = told(&base, &[(&place, number)]);
                let new: Vec<_> = found.iter().filter(|d| !good.contains(d)).collect();
                let errors = new.iter().filter(|d| d.severity == Severity::Error).count();
                let own = new.iter().any(|d| d.severity == Severity::Error && is_about(&d.path, &place));
                if errors > 1 || (own && new.len() > 1) {
                    let lines: Vec<String> = new.iter().map(ToString::to_string).collect();
                    wrong.push(format!("{place} = {number}:\n  {}", lines.join("\n  ")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn two_numbers_that_are_refused_give_two_messages() {
    let mut wrong = Vec::new();
    for base in bases() {
        let places = places(&base);
        for (i, one) in places.iter().enumerate() {
            // Those beside it, which checks look at together, and some far away.
            let near = places.iter().skip(i + 1).take(6);
            for other in near.chain(places.iter().skip(i + 7).step_by(23)) {
                // An edit is looked at once the scenario that it changes is good.
                if path(other).ends_with(&path(one)) {
                    continue;
                }
                for (a, b) in [("1e308", "1e308"), ("1e303", "-1"), ("-1", "1e300"), ("1e19", "5e-324")] {
                    let found = told(&base, &[(one, a), (other, b)]);
                    let errors: Vec<_> = found.iter().filter(|d| d.severity == Severity::Error).collect();
                    let of = |place: &str| errors.iter().any(|d| is_about(&d.path, place));
                    if errors.len() > 2 || (of(one) && of(other) && errors.len() != 2) {
                        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
                        wrong.push(format!("{one} = {a}, {other} = {b}:\n  {}", lines.join("\n  ")));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

#[test]
fn a_horizon_of_any_size_is_refused_with_its_range_alone() {
    for horizon in ["1e301", "1e302", "1e303", "1e308", "-1e308"] {
        let found = Session::check(&format!("{{\"run\":{{\"horizon_s\":{horizon}}}}}"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].path.as_str(), found[0].allowed.as_str()), ("run.horizon_s", "0 to 2,592,000"));
    }
}
