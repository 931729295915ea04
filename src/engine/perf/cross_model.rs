//! The cross-model model: one set of coefficients for all models, scaled by their shape (docs/explanation/model/latency.md).

use super::parts::Parts;
use super::step_load::StepLoad;
use base::Span;
use base::math::truncate_to_span;
use document::{Architecture, CrossModelCoefficients};
use serde::{Deserialize, Serialize};

/// The model with a shape filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct CrossModel {
    /// Per layer; per decoding request and million keys; per token with experts; with tensor parallelism.
    beta_us: [f64; 4],
    layers: f64,
    /// Million keys that a token has in the cache of one GPU.
    keys: f64,
    experts: f64,
    parallel: f64,
}

impl CrossModel {
    pub(super) fn new(c: &CrossModelCoefficients, a: &Architecture, tp: u32) -> Self {
        // A latent replaces keys and values, and every GPU keeps all of it.
        let gpus = if a.kv_latent > 0 { 1.0 } else { f64::from(tp) };
        let keys = Parts::of(a).cached / 2.0 / gpus;
        Self {
            beta_us: [
                c.step_us_per_layer,
                c.step_us_per_decode_token_and_million_keys,
                c.step_us_per_token_with_experts,
                c.step_us_with_tensor_parallelism,
            ],
            layers: f64::from(a.layers),
            keys: keys * 1e-6,
            experts: f64::from(u8::from(a.experts > 0)),
            parallel: f64::from(u8::from(tp > 1)),
        }
    }

    pub(super) fn step(&self, load: &StepLoad<'_>) -> Span {
        let prefill = load.prefill_tokens();
        if prefill == 0 && load.decode == 0 {
            return Span(0);
        }
        let [layer, decode, expert, parallel] = self.beta_us;
        let tokens = (prefill + u64::from(load.verified())) as f64;
        // Evaluated left to right and never fused: the goldens fix the last bit.
        let us = layer * self.layers
            + decode * f64::from(load.decode) * self.keys
            + expert * tokens * self.experts
            + parallel * self.parallel;
        truncate_to_span(us)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;

    fn step(a: &Architecture, tp: u32, prefill: u32, decode: u32) -> Span {
        let chunks = [Chunk { context: 0, cached: 0, tokens: prefill }];
        let prefill = if prefill > 0 { chunks.as_slice() } else { &[] };
        CrossModel::new(&CrossModelCoefficients::default(), a, tp).step(&StepLoad {
            prefill,
            decode,
            decode_context: 77_777,
            drafts: 0,
            padding: 0,
        })
    }

    #[test]
    fn a_dense_model_on_one_gpu_pays_for_layers_and_decoding_keys() {
        let llama = Architecture::default();
        // 116.11 * 32 = 3715.52
        assert_eq!(step(&llama, 1, 512, 0), Span(3715));
        // + 1226.868 * 10 * (32 * 8 * 128 * 1e-6 = 0.032768) = 402.02
        assert_eq!(step(&llama, 1, 512, 10), Span(4117));
        assert_eq!(step(&llama, 1, 0, 0), Span(0));
    }

    #[test]
    fn experts_and_tensor_parallelism_add_their_terms() {
        let mixtral = Architecture { experts: 8, experts_per_token: 2, ..Architecture::default() };
        // 3715.52 + 1226.868 * 10 * 0.016384 + 19.943 * 110 + 9445.157 = 15555.42
        assert_eq!(step(&mixtral, 2, 100, 10), Span(15_555));
        // A latent of 576 numbers is as large as 288 keys, on every GPU.
        let latent = Architecture { kv_latent: 576, ..Architecture::default() };
        // 3715.52 + 1226.868 * 100 * (32 * 288 * 1e-6) + 9445.157 = 14291.36
        assert_eq!(step(&latent, 2, 0, 100), Span(14_291));
    }
}
