//! The roofline model: a step takes the longer of computing and reading memory (docs/explanation/model/latency.md).
//!
//! Work is linear in three sums over a group of requests: tokens, pairs of a token and its context, and context
//! tokens. The sums are whole numbers, and so is the work of one token if the figures are. So multiplying the sums
//! once gives exactly the floats of a summation request by request, up to 2^53.

use super::parts::Parts;
use super::step_load::StepLoad;
use base::Span;
use base::math::{pow, round_to_span};
use document::{Architecture, Hardware, RooflineSettings};
use serde::{Deserialize, Serialize};

/// Share of the peak that work outside matrix products reaches: softmax, rotations.
const VECTOR_SHARE: f64 = 0.10;

/// The model with shape and hardware filled in. Work and bytes are those of all GPUs of a replica together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Roofline {
    matmul: Linear,
    vector: Linear,
    /// Bytes of activations and new cache entries, per token.
    token_bytes: f64,
    /// Bytes of cache read, per context token.
    context_bytes: f64,
    /// Bytes of the weights that every step reads.
    weight_bytes: f64,
    experts: Option<Experts>,
    tp: f64,
    /// Operations per second of matrix products in prefill and decode, and of the rest.
    prefill_per_s: f64,
    decode_per_s: f64,
    vector_per_s: f64,
    bytes_per_s: f64,
    /// Layers, all-reduces, fixed.
    overhead_us: [f64; 3],
}

/// Operations per token and per pair of a token and a token of its context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Linear {
    per_token: f64,
    per_pair: f64,
}

/// The weights of experts; a step reads those that its tokens are sent to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Experts {
    bytes: f64,
    /// Share of the experts that a token is not sent to.
    idle: f64,
}

/// Sums over the requests of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ChunkSums {
    tokens: u64,
    /// Twice the pairs: the tokens of a chunk see (n − 1) / 2 of each other on average.
    double_pairs: u64,
    context: u64,
}

impl Roofline {
    pub(super) fn new(c: &RooflineSettings, a: &Architecture, hw: &Hardware, tp: u32) -> Self {
        let (layers, hidden, heads) = (f64::from(a.layers), f64::from(a.hidden), f64::from(a.heads));
        let queries = heads * f64::from(a.head_dim());
        let parts = Parts::of(a);
        // Every GPU keeps the whole latent.
        let copies = if a.kv_latent > 0 { f64::from(tp) } else { 1.0 };
        let cache_bytes = parts.cached * copies * a.bytes_per_kv_value;
        let peak = hw.tflops * 1e12;
        let all_reduce = if tp > 1 { (layers * 2.0 * c.all_reduce_us) / 1e6 } else { 0.0 };
        Self {
            matmul: Linear {
                per_token: 2.0 * (parts.common + parts.expert * f64::from(a.experts_per_token)),
                per_pair: 4.0 * queries * parts.attention_layers,
            },
            vector: Linear {
                per_token: 2.0 * hidden * layers,
                per_pair: 5.0 * heads * parts.attention_layers,
            },
            token_bytes: layers * hidden * a.bytes_per_kv_value + cache_bytes,
            context_bytes: cache_bytes,
            weight_bytes: parts.common * a.bytes_per_param,
            experts: (a.expert_layers() > 0).then(|| Experts {
                bytes: parts.expert * f64::from(a.experts) * a.bytes_per_expert_param(),
                idle: 1.0 - f64::from(a.experts_per_token) / f64::from(a.experts),
            }),
            tp: f64::from(tp),
            prefill_per_s: peak * c.prefill_efficiency,
            decode_per_s: peak * c.decode_efficiency,
            vector_per_s: peak * VECTOR_SHARE,
            bytes_per_s: hw.bandwidth_tb_per_s * 1e12 * c.bandwidth_efficiency,
            overhead_us: [(layers * c.step_us_per_layer) / 1e6 * 1e6, all_reduce * 1e6, c.step_us],
        }
    }

    pub(super) fn step(&self, load: &StepLoad<'_>) -> Span {
        let mut prefill = ChunkSums::default();
        for chunk in load.prefill {
            let (tokens, context) = (u64::from(chunk.tokens), u64::from(chunk.context));
            prefill.tokens += tokens;
            prefill.double_pairs += tokens * (2 * context + tokens.saturating_sub(1));
            prefill.context += context;
        }
        // Every draft of a request is paired with its context, which is read once. Drafts are spread evenly.
        let of_drafts = u64::from(load.drafts) * 2 * load.decode_context / u64::from(load.decode.max(1));
        let decode = ChunkSums {
            tokens: u64::from(load.verified()),
            double_pairs: 2 * load.decode_context + of_drafts,
            context: load.decode_context,
        };
        let hardware = self.group_s(prefill, self.prefill_per_s) + self.group_s(decode, self.decode_per_s);
        let [layers, all_reduce, fixed] = self.overhead_us;
        // Evaluated left to right and never fused: the goldens fix the last bit.
        round_to_span(hardware * 1e6 + layers + all_reduce + fixed)
    }

    /// Time of one group, prefills or decodes: the longer of computing and moving bytes, in seconds.
    fn group_s(&self, sums: ChunkSums, matmul_per_s: f64) -> f64 {
        if sums.tokens == 0 {
            return 0.0;
        }
        let tokens = sums.tokens as f64;
        let work =
            |of: &Linear| (of.per_token * tokens + of.per_pair / 2.0 * sums.double_pairs as f64) / self.tp;
        let compute = work(&self.matmul) / matmul_per_s + work(&self.vector) / self.vector_per_s;
        let moved = (self.token_bytes * tokens + self.context_bytes * sums.context as f64) / self.tp;
        let touched = self.experts.as_ref().map_or(0.0, |e| e.bytes * (1.0 - pow(e.idle, tokens)));
        let memory = ((self.weight_bytes + touched) / self.tp + moved) / self.bytes_per_s;
        compute.max(memory)
    }
}

#[cfg(test)]
#[path = "roofline_tests.rs"]
mod tests;
