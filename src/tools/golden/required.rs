//! The required keys of a golden file. Some are required only with some settings.

use super::disaggregation;
use super::keys::{entries, keys};
use base::{Diagnostic, Diagnostics};
use serde_json::Value;

const FILE: [&str; 4] = ["schema", "config", "requests", "expected"];
const CONFIG: [&str; 20] = [
    "horizon_us",
    "num_instances",
    "total_kv_blocks",
    "block_size_tokens",
    "kv_cpu_blocks",
    "max_num_running_reqs",
    "max_num_scheduled_tokens",
    "long_prefill_token_threshold",
    "alpha_coeffs",
    "beta_coeffs",
    "latency_backend",
    "admission_policy",
    "admission_latency_us",
    "routing_policy",
    "routing_scorers",
    "routing_latency_us",
    "snapshot_refresh_interval_us",
    "scheduler",
    "priority_policy",
    "counterfactual_k",
];
const TIER: [&str; 3] = ["kv_offload_threshold", "kv_transfer_bandwidth", "kv_transfer_base_latency"];
const BUCKET: [&str; 2] = ["token_bucket_capacity", "token_bucket_refill_rate"];
const SHAPE: [&str; 4] = ["num_hidden_layers", "hidden_size", "num_attention_heads", "num_key_value_heads"];
const GPU: [&str; 7] = [
    "TFlopsPeak",
    "BwPeakTBs",
    "BwEffConstant",
    "mfuPrefill",
    "mfuDecode",
    "perLayerOverhead",
    "TOverheadMicros",
];
const REQUEST: [&str; 4] = ["id", "arrival_us", "input", "output"];
const SEGMENT: [&str; 2] = ["s", "n"];
/// Most missing keys reported per file.
const MOST: usize = 100;

/// Every key that is missing from `file`.
pub(super) fn required(file: &Value) -> Diagnostics {
    let mut problems = Vec::new();
    keys("", file, &FILE, &mut problems);
    if let Some(config) = file.get("config") {
        let roles = file.get("schema").and_then(Value::as_str) == Some(disaggregation::SCHEMA);
        config_keys(config, roles, &mut problems);
        if roles {
            disaggregation::keys(config, &mut problems);
        } else {
            disaggregation::only_here(config, &mut problems);
        }
    }
    for (i, request) in entries(file.get("requests")) {
        let path = format!("requests[{i}]");
        keys(&path, request, &REQUEST, &mut problems);
        for (k, segment) in entries(request.get("input")) {
            keys(&format!("{path}.input[{k}]"), segment, &SEGMENT, &mut problems);
        }
        if let Some(output) = request.get("output") {
            keys(&format!("{path}.output"), output, &SEGMENT, &mut problems);
        }
        if problems.len() > MOST {
            problems.truncate(MOST);
            let fix = "solve those above first";
            problems.push(Diagnostic::error("", format!("more than {MOST} missing keys"), "", fix));
            break;
        }
    }
    problems
}

fn config_keys(config: &Value, roles: bool, problems: &mut Diagnostics) {
    let text = |key: &str| config.get(key).and_then(Value::as_str).unwrap_or_default();
    let pools = || entries(config.get("pools")).map(|(_, pool)| pool);
    let in_all_pools = |key: &str| pools().next().is_some() && pools().all(|pool| pool.get(key).is_some());
    let needed: Vec<&str> = CONFIG.into_iter().filter(|key| !in_all_pools(key)).collect();
    keys("config", config, &needed, problems);
    if !roles && config.get("kv_cpu_blocks").and_then(Value::as_u64).is_some_and(|n| n > 0) {
        keys("config", config, &TIER, problems);
    }
    if text("admission_policy") == "token-bucket" {
        keys("config", config, &BUCKET, problems);
    }
    let (roofline, cross_model) =
        (text("latency_backend") == "roofline", text("latency_backend") == "crossmodel");
    if roofline || cross_model {
        keys(
            "config",
            config,
            if in_all_pools("tp") { &["model_config"] } else { &["tp", "model_config"] },
            problems,
        );
        if let Some(shape) = config.get("model_config") {
            keys("config.model_config", shape, &SHAPE, problems);
            let others: &[&str] =
                if roofline { &["intermediate_size", "bytes_per_param"] } else { &["num_local_experts"] };
            keys("config.model_config", shape, others, problems);
        }
    }
    if roofline {
        keys("config", config, &["hw_config"], problems);
        if let Some(gpu) = config.get("hw_config") {
            keys("config.hw_config", gpu, &GPU, problems);
            let several = |of: &Value| of.get("tp").and_then(Value::as_u64).is_some_and(|tp| tp > 1);
            if several(config) || pools().any(several) {
                keys("config.hw_config", gpu, &["allReduceLatency"], problems);
            }
        }
    }
}
