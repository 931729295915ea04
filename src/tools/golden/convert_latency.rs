//! The latency model of a golden file.

use super::disaggregation::Stands;
use super::file::Config;
use super::wrong::wrong;
use base::{Diagnostic, Diagnostics};
use document::{
    Architecture, CrossModelCoefficients, FittedCoefficients, Hardware, LatencyModel, RooflineSettings,
    limits,
};

const FITTED: &str = "blackbox";
const ROOFLINE: &str = "roofline";
const CROSS_MODEL: &str = "crossmodel";

/// Whether steps depend on the model's shape.
pub(super) fn needs_shape(c: &Config) -> bool {
    matches!(c.latency_backend.as_str(), ROOFLINE | CROSS_MODEL)
}

/// Adds the problems of the latency model.
pub(super) fn problems(stands: &Stands<'_>, problems: &mut Diagnostics) {
    let c = &stands.config;
    let betas = match c.latency_backend.as_str() {
        FITTED | "" => 3,
        CROSS_MODEL => 4,
        ROOFLINE => 0,
        other => return wrong("config.latency_backend", other, "blackbox, roofline, crossmodel", problems),
    };
    if c.beta_coeffs.len() < betas {
        let found = format!("{} coefficients", c.beta_coeffs.len());
        let fix = "give all of them; 0 leaves a term out";
        problems.push(Diagnostic::error(
            stands.place("beta_coeffs"),
            found,
            format!("at least {betas}"),
            fix,
        ));
    }
    let mut need = |there: bool, key: &str| {
        if !there {
            let fix = format!("{} steps are computed from it", c.latency_backend);
            problems.push(Diagnostic::error(key, "null", "an object", fix));
        }
    };
    need(!needs_shape(c) || c.model_config.is_some(), "config.model_config");
    need(c.latency_backend != ROOFLINE || c.hw_config.is_some(), "config.hw_config");
}

/// The model's shape.
pub(super) fn architecture(c: &Config) -> Option<Architecture> {
    let m = c.model_config.filter(|_| needs_shape(c))?;
    let shape = Architecture {
        layers: m.num_hidden_layers,
        hidden: m.hidden_size,
        heads: m.num_attention_heads,
        kv_heads: m.num_key_value_heads,
        ..Architecture::default()
    };
    if c.latency_backend == ROOFLINE {
        // The format's roofline model has no experts: every layer is the dense one.
        return Some(Architecture {
            intermediate: m.intermediate_size,
            bytes_per_param: m.bytes_per_param,
            bytes_per_kv_value: m.bytes_per_param,
            ..shape
        });
    }
    // Only the presence of experts matters, not their number.
    let experts = m.num_local_experts.min(limits::EXPERTS);
    Some(Architecture { experts, experts_per_token: experts.min(1), ..shape })
}

/// The GPU's figures.
pub(super) fn hardware(c: &Config) -> Option<Hardware> {
    let h = c.hw_config.filter(|_| c.latency_backend == ROOFLINE)?;
    Some(Hardware { tflops: h.tflops, bandwidth_tb_per_s: h.bandwidth, ..Hardware::default() })
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
            ..FittedCoefficients::default()
        }),
    }
}
