//! What a replica does at once: stages, drafts, ranks in lock step, adapters and a front end, each pair worked out by hand.

use crate::support;
use crate::support::documents::scenario;
use serde_json::{Value, json};
use tokenyard::engine::{Cluster, Record};

/// Replicas with steps of 1 ms, `prompt_us` more for each prompt in it, and a front end that takes `stream_us` to write the
/// tokens of a request. Requests: arrival in us, adapter, answer; prompts of 10 tokens.
fn document(prompt_us: u32, stream_us: u32, requests: &[(u64, &str, u32)]) -> Value {
    let listed: Vec<Value> = (0..)
        .zip(requests)
        .map(|(i, (arrival, adapter, output))| {
            json!({"arrival_us": arrival, "adapter": adapter, "prompt": [{"text": i, "tokens": 10}],
                "output": {"tokens": output, "text": 100_000 + i}})
        })
        .collect();
    json!({
        "run": {"horizon_s": 0, "warmup_s": 0},
        "cluster": {"routing": "round-robin", "pools": [{
            "replicas": 1,
            "kv": {"blocks": 1000, "prefix_caching": false},
            "architecture": {"layers": 2, "hidden": 64, "heads": 1, "kv_heads": 1, "vocab": 64,
                "experts": 4, "experts_per_token": 1},
            "hardware": {"memory_gib": 80, "tflops": 100_000, "bandwidth_tb_per_s": 1000},
            "latency": {"calibrated": {"engine": "synchronous", "coefficients": {
                "weights_efficiency": 1, "kv_efficiency": 1, "compute_efficiency": 1, "attention_efficiency": 1,
                "compute_not_hidden": 0, "step_us": 1000, "step_us_per_layer": 0, "step_us_per_sequence": 0,
                "step_us_per_sequence_layer": 0, "step_us_per_prompt": prompt_us, "step_us_with_prefill": 0,
                "step_us_per_expert_layer": 0, "prefill_us_per_expert_layer": 0, "step_us_per_parallel_layer": 0,
                "reduce_us_per_megabyte": 0, "queueing_us": 0, "queueing_us_per_prompt_token": 0,
                "stream_us_per_token": stream_us}}},
        }]},
        "workload": {"clients": [], "requests": listed},
    })
}

/// Three drafts that are all accepted and take no time to make.
fn drafts() -> Value {
    json!({"tokens": 3, "acceptance": 1, "drafter": {"one-pass": {"share": 0}}})
}

/// A slot for one adapter; a load from disk takes 7.5 ms, and adapters add nothing to steps.
fn one_slot() -> Value {
    json!({"max_loras": 1, "adapter_mib": 13e6 / 1_048_576.0, "cpu_gb_per_s": 13, "disk_gb_per_s": 2,
        "step_us_per_layer": 0})
}

fn run(document: &Value) -> Cluster {
    support::run(&scenario(document)).0
}

/// By request: time to first token and to the last.
fn times(document: &Value) -> Vec<[u64; 2]> {
    let of = |r: Record| [r.ttft.get().expect("a token").0, r.e2e.get().expect("it completed").0];
    run(document).records().iter().map(of).collect()
}

/// Both prompts take 6 ms. Then rank 0 is done after a step with 1 + 3 tokens; a third request holds up the second step of
/// rank 1, from 7 to 13 ms.
#[test]
fn ranks_in_lock_step_verify_drafts() {
    let mut s = document(5000, 0, &[(0, "", 5), (0, "", 9), (6500, "", 1)]);
    let pool = &mut s["cluster"]["pools"][0];
    pool["replicas"] = json!(2);
    (pool["expert_ranks"], pool["expert_ranks_lockstep"]) = (json!(2), json!(true));
    pool["engine"] = json!({"speculative": drafts()});
    assert_eq!(times(&s), [[6000, 7000], [6000, 13_000], [6500, 6500]]);
}

/// The load of one rank holds up the other: 1 ms and 7.5 ms for both. The second step takes 1 ms.
#[test]
fn ranks_in_lock_step_wait_for_adapters_of_each_other() {
    let mut s = document(0, 0, &[(0, "a", 2), (0, "", 2)]);
    let pool = &mut s["cluster"]["pools"][0];
    pool["replicas"] = json!(2);
    (pool["expert_ranks"], pool["expert_ranks_lockstep"]) = (json!(2), json!(true));
    pool["lora"] = one_slot();
    assert_eq!(times(&s), [[8500, 9500]; 2]);
}

/// The front end writes the tokens that come together at once: 0.3 ms after each of the steps.
#[test]
fn verified_tokens_are_written_together() {
    let mut s = document(0, 300, &[(0, "", 9)]);
    assert_eq!(times(&s), [[1300, 9300]]);
    s["cluster"]["pools"][0]["engine"] = json!({"speculative": drafts()});
    assert_eq!(times(&s), [[1300, 3300]]);
    // Two requests wait for each other's tokens to be written.
    s["workload"]["requests"] = document(0, 300, &[(0, "", 9), (0, "", 5)])["workload"]["requests"].take();
    assert_eq!(times(&s), [[1600, 3300], [1600, 2600]]);
}

/// The second enters 0.3 ms after the first: it is on the first stage from 500 us, on the second from 1000 to 1500. Tokens
/// are written 0.3 ms after each batch that leaves, at 1000, 1500 and 2000.
#[test]
fn batches_of_a_pipe_are_written_as_they_leave() {
    let mut s = document(0, 300, &[(0, "", 2), (300, "", 1)]);
    let pool = &mut s["cluster"]["pools"][0];
    (pool["pp"], pool["pp_link_gb_per_s"]) = (json!(2), json!(1e6));
    assert_eq!(times(&s), [[1300, 2300], [1500, 1500]]);
}

/// The load of "a" is spread over both stages, until 4250 and 8500 us. The third request, without an adapter, follows it and
/// leaves at 9000. The second token of the first leaves at 9500, and only then there is a slot for the second.
#[test]
fn an_adapter_of_a_batch_on_its_way_keeps_its_slot() {
    let mut s = document(0, 0, &[(0, "a", 2), (100, "b", 1), (200, "", 1)]);
    let pool = &mut s["cluster"]["pools"][0];
    (pool["pp"], pool["pp_link_gb_per_s"]) = (json!(2), json!(1e6));
    pool["lora"] = one_slot();
    assert_eq!(times(&s), [[8500, 9500], [17_900, 17_900], [8800, 8800]]);
}

/// Each of the tokens that are verified passes through the adapter: 10 of the prompt, then twice four.
#[test]
fn adapters_take_time_for_verified_tokens() {
    let mut s = document(0, 0, &[(0, "a", 9)]);
    let pool = &mut s["cluster"]["pools"][0];
    pool["lora"] = one_slot();
    pool["lora"]["step_us_per_token"] = json!(10);
    pool["engine"] = json!({"speculative": drafts()});
    assert_eq!(times(&s), [[8600, 8600 + 2 * 1040]]);
}
