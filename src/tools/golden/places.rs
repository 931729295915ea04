//! Where a golden file has what a scenario has under another path.

use super::disaggregation::{self, Stands};
use super::file::GoldenFile;
use base::Diagnostics;

/// Problems of the scenario, with the paths of the file.
pub(super) fn in_the_file(file: &GoldenFile, mut problems: Diagnostics) -> Diagnostics {
    let pools = disaggregation::pools(file, &mut Vec::new());
    for problem in &mut problems {
        problem.path = place(&pools, &problem.path);
        if problem.path.ends_with("total_kv_blocks") {
            "the file must give their number".clone_into(&mut problem.fix);
        }
    }
    let mut once = Vec::new();
    for problem in problems {
        if !once.contains(&problem) {
            once.push(problem);
        }
    }
    once
}

fn place(pools: &[Stands<'_>], path: &str) -> String {
    if let Some((number, setting)) = path.strip_prefix("cluster.pools[").and_then(|p| p.split_once("].")) {
        let pool = number.parse().ok().and_then(|i: usize| pools.get(i));
        return pool.or(pools.first()).map_or_else(|| path.to_owned(), |pool| in_a_pool(pool, path, setting));
    }
    if let Some((from, key)) = PLACES.iter().find(|(from, _)| path.starts_with(from)) {
        // Settings with the same names in the same order.
        let rest = if from.ends_with('.') { path.strip_prefix(from).unwrap_or_default() } else { "" };
        return format!("{key}{rest}");
    }
    let Some(request) = path.strip_prefix("workload.") else { return path.to_owned() };
    // requests[3].prompt[0].tokens is requests[3].input[0].n
    let mut place = request.to_owned();
    for (from, to) in
        [(".prompt", ".input"), (".tokens", ".n"), (".offset", ".o"), (".slo_class", ".slo"), (".text", ".s")]
    {
        place = place.replace(from, to);
    }
    place
}

fn in_a_pool(pool: &Stands<'_>, path: &str, setting: &str) -> String {
    let alphas = [".queueing_us", ".queueing_us_per_prompt_token", ".output_us_per_token"];
    if let Some(i) = alphas.iter().position(|name| setting.ends_with(name)) {
        return pool.place(&format!("alpha_coeffs[{i}]"));
    }
    let found = OF_A_POOL.iter().find(|(from, _)| setting.starts_with(from));
    found.map_or_else(|| path.to_owned(), |(_, key)| pool.place(key))
}

/// Paths in the scenario and the matching keys of the file.
const PLACES: [(&str, &str); 13] = [
    ("run.horizon_s", "config.horizon_us"),
    ("cluster.admission.token-bucket.capacity_tokens", "config.token_bucket_capacity"),
    ("cluster.admission.token-bucket", "config.token_bucket_refill_rate"),
    ("cluster.admission_latency_us", "config.admission_latency_us"),
    ("cluster.routing_latency_us", "config.routing_latency_us"),
    ("cluster.routing.weighted", "config.routing_scorers"),
    ("cluster.disaggregation.decider.threshold.", "config.disaggregation.decider."),
    ("cluster.disaggregation.decider", "config.disaggregation.decider"),
    ("cluster.disaggregation.prefill_routing.weighted", "config.disaggregation.prefill_routing_scorers"),
    ("cluster.disaggregation.prefill_routing", "config.disaggregation.prefill_routing_policy"),
    ("cluster.disaggregation.transfer.overlap_share", "config.disaggregation.transfer.overlap"),
    ("cluster.disaggregation.transfer.shared_ports", "config.disaggregation.transfer.shared"),
    ("cluster.disaggregation.", "config.disaggregation."),
];

/// The same of a pool: paths below it, and keys of its settings.
const OF_A_POOL: [(&str, &str); 33] = [
    ("replicas", "num_instances"),
    ("tp", "tp"),
    ("kv.blocks", "total_kv_blocks"),
    ("kv.block_tokens", "block_size_tokens"),
    ("kv.cpu_blocks", "kv_cpu_blocks"),
    ("kv.offload_threshold", "kv_offload_threshold"),
    ("kv.transfer_tokens_per_us", "kv_transfer_bandwidth"),
    ("kv.transfer_base_us", "kv_transfer_base_latency"),
    ("engine.max_num_seqs", "max_num_running_reqs"),
    ("engine.max_num_batched_tokens", "max_num_scheduled_tokens"),
    ("engine.long_prefill_threshold_tokens", "long_prefill_token_threshold"),
    ("architecture.layers", "model_config.num_hidden_layers"),
    ("architecture.hidden", "model_config.hidden_size"),
    ("architecture.heads", "model_config.num_attention_heads"),
    ("architecture.kv_heads", "model_config.num_key_value_heads"),
    ("architecture.intermediate", "model_config.intermediate_size"),
    ("architecture.bytes", "model_config.bytes_per_param"),
    ("hardware.tflops", "hw_config.TFlopsPeak"),
    ("hardware.bandwidth", "hw_config.BwPeakTBs"),
    ("latency.fitted.step_us_per_prefill_token", "beta_coeffs[1]"),
    ("latency.fitted.step_us_per_decode_token", "beta_coeffs[2]"),
    ("latency.fitted.step_us", "beta_coeffs[0]"),
    ("latency.cross-model.step_us_per_layer", "beta_coeffs[0]"),
    ("latency.cross-model.step_us_per_decode", "beta_coeffs[1]"),
    ("latency.cross-model.step_us_per_token", "beta_coeffs[2]"),
    ("latency.cross-model.step_us_with", "beta_coeffs[3]"),
    ("latency.roofline.prefill_efficiency", "hw_config.mfuPrefill"),
    ("latency.roofline.decode_efficiency", "hw_config.mfuDecode"),
    ("latency.roofline.bandwidth_efficiency", "hw_config.BwEffConstant"),
    ("latency.roofline.step_us_per_layer", "hw_config.perLayerOverhead"),
    ("latency.roofline.step_us", "hw_config.TOverheadMicros"),
    ("latency.roofline.all_reduce_us", "hw_config.allReduceLatency"),
    ("role", "role"),
];
