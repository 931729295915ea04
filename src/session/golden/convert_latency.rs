//! The latency model of a golden file.

use super::file::Config;
use crate::scenario::{
    Architecture, CrossModelCoefficients, FittedCoefficients, Hardware, LatencyModel, RooflineSettings,
};

const FITTED: &str = "blackbox";
const ROOFLINE: &str = "roofline";
const CROSS_MODEL: &str = "crossmodel";

/// Names what is missing: called with a condition, the setting and its value.
pub(super) fn need(c: &Config, need: &mut impl FnMut(bool, &str, &str)) {
    let backend = c.latency_backend.as_str();
    let betas = match backend {
        FITTED => 3,
        CROSS_MODEL => 4,
        ROOFLINE => c.beta_coeffs.len(),
        other => {
            need(false, "latency_backend", other);
            return;
        }
    };
    need(c.beta_coeffs.len() == betas, "beta_coeffs of other than", &format!("{betas} numbers"));
    need(backend == FITTED || c.model_config.is_some(), "no model_config for", backend);
    need(backend != ROOFLINE || c.hw_config.is_some(), "no hw_config for", backend);
}

/// The model's shape.
pub(super) fn architecture(c: &Config) -> Option<Architecture> {
    let m = c.model_config.filter(|_| c.latency_backend != FITTED)?;
    // The format's roofline model has no experts: every layer is the dense one.
    let experts = if c.latency_backend == ROOFLINE { 0 } else { m.num_local_experts };
    Some(Architecture {
        layers: m.num_hidden_layers,
        hidden: m.hidden_size,
        heads: m.num_attention_heads,
        kv_heads: m.num_key_value_heads,
        intermediate: m.intermediate_size,
        bytes_per_param: m.bytes_per_param,
        bytes_per_kv_value: m.bytes_per_param,
        experts,
        // Only whether there are any counts, not how many.
        experts_per_token: m.num_experts_per_tok.clamp(1, experts.max(1)),
        ..Architecture::default()
    })
}

/// The GPU's figures.
pub(super) fn hardware(c: &Config) -> Option<Hardware> {
    let h = c.hw_config.filter(|_| c.latency_backend == ROOFLINE)?;
    Some(Hardware {
        memory_gib: h.memory_gib,
        tflops: h.tflops,
        bandwidth_tb_per_s: h.bandwidth,
        ..Hardware::default()
    })
}

/// The latency model.
pub(super) fn model(c: &Config) -> LatencyModel {
    let [queueing_us, queueing_us_per_prompt_token, output_us_per_token] = c.alpha_coeffs;
    let beta = |i: usize| c.beta_coeffs.get(i).copied().unwrap_or_default();
    match (c.latency_backend.as_str(), c.hw_config) {
        (ROOFLINE, Some(h)) => LatencyModel::Roofline(RooflineSettings {
            queueing_us,
            queueing_us_per_prompt_token,
            output_us_per_token,
            prefill_efficiency: h.prefill_efficiency,
            decode_efficiency: h.decode_efficiency,
            bandwidth_efficiency: h.bandwidth_efficiency,
            step_us: h.step_us,
            step_us_per_layer: h.step_us_per_layer,
            all_reduce_us: h.all_reduce_us,
        }),
        (CROSS_MODEL, _) => LatencyModel::CrossModel(CrossModelCoefficients {
            queueing_us,
            queueing_us_per_prompt_token,
            output_us_per_token,
            step_us_per_layer: beta(0),
            step_us_per_decode_token_and_million_keys: beta(1),
            step_us_per_token_with_experts: beta(2),
            step_us_with_tensor_parallelism: beta(3),
        }),
        _ => LatencyModel::Fitted(FittedCoefficients {
            queueing_us,
            queueing_us_per_prompt_token,
            output_us_per_token,
            step_us: beta(0),
            step_us_per_prefill_token: beta(1),
            step_us_per_decode_token: beta(2),
        }),
    }
}
