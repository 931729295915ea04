//! Sums of a model's shape: its weights by part, and the numbers that it caches for a token.
//!
//! Step times and memory take these figures from here, so that differing layers of a shape count everywhere. Counts
//! are whole numbers below 2^53, so that their sums are exact in any order.

use document::Architecture;

/// Weights by part, and the size of a token in the cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Parts {
    /// Weights that every token passes, in all layers: attention, dense layers, shared experts.
    pub(super) common: f64,
    /// Weights of one routed expert, in all layers that have experts.
    pub(super) expert: f64,
    /// Input embeddings and output layer; once if they are the same.
    pub(super) embeddings: f64,
    /// Numbers cached per token in all layers, each kept once.
    pub(super) cached: f64,
    /// The same in layers with full attention: those with a window keep no more than that.
    pub(super) cached_full: f64,
    /// Layers whose queries read the cache, in equivalents of a layer with the shape's heads.
    pub(super) attention_layers: f64,
}

impl Parts {
    pub(super) fn of(a: &Architecture) -> Self {
        let (layers, hidden) = (f64::from(a.layers), f64::from(a.hidden));
        let queries = f64::from(a.heads) * f64::from(a.head_dim());
        let keys = f64::from(a.kv_heads()) * f64::from(a.head_dim());
        let with_experts = f64::from(a.expert_layers());
        let attention = 2.0 * hidden * (queries + keys) * layers;
        let dense = 3.0 * hidden * f64::from(a.intermediate()) * (layers - with_experts);
        let plain_expert = 3.0 * hidden * f64::from(a.expert_intermediate());
        let shared = plain_expert * with_experts * f64::from(a.shared_experts);
        let in_a_layer = if a.kv_latent > 0 { f64::from(a.kv_latent) } else { 2.0 * keys };
        let attending = f64::from(a.attention_layers());
        let cached = own_or(f64::from(a.kv_values), in_a_layer * attending);
        let own = f64::from(a.kv_values);
        Self {
            common: own_or(a.common_params_millions * 1e6, attention + dense + shared),
            expert: own_or(a.expert_params_millions * 1e6, plain_expert) * with_experts,
            embeddings: f64::from(a.vocab) * hidden * if a.tied_embeddings { 1.0 } else { 2.0 },
            cached,
            // Where the figures do not tell the kinds apart, their layers cache alike.
            cached_full: if a.sliding_layers > 0 {
                cached * f64::from(a.full_layers()) / attending
            } else {
                cached
            },
            attention_layers: if own > 0.0 { own / in_a_layer } else { attending },
        }
    }

    /// Numbers cached per token by all of a replica's GPUs together.
    pub(super) fn cached_by(&self, a: &Architecture, tp: u32) -> f64 {
        kept_by(self.cached, a, tp)
    }

    /// The same in layers with full attention.
    pub(super) fn cached_full_by(&self, a: &Architecture, tp: u32) -> f64 {
        kept_by(self.cached_full, a, tp)
    }
}

/// Numbers that `tp` GPUs keep, where one would keep `cached`.
fn kept_by(cached: f64, a: &Architecture, tp: u32) -> f64 {
    if a.kv_latent > 0 {
        // Every GPU keeps the whole latent.
        cached * f64::from(tp)
    } else {
        // A GPU keeps at least one head: with more GPUs than KV heads some are kept several times.
        cached * f64::from(a.kv_heads().max(tp)) / f64::from(a.kv_heads())
    }
}

fn own_or(own: f64, usual: f64) -> f64 {
    if own > 0.0 { own } else { usual }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixtral() -> Architecture {
        Architecture { experts: 8, experts_per_token: 2, ..Architecture::default() }
    }

    #[test]
    fn a_shape_that_says_what_follows_from_its_widths_is_the_same_shape() {
        let plain = mixtral();
        let parts = Parts::of(&plain);
        let said = Architecture {
            kv_values: parts.cached as u32,
            common_params_millions: parts.common / 1e6,
            expert_params_millions: parts.expert / 1e6 / 32.0,
            ..plain.clone()
        };
        assert_eq!(Parts::of(&said), parts);
        for tp in [1, 4, 16] {
            assert_eq!(
                Parts::of(&said).cached_by(&said, tp).to_bits(),
                parts.cached_by(&plain, tp).to_bits()
            );
        }
    }

    #[test]
    fn what_is_cached_says_how_many_layers_read_it() {
        // A quarter of 32 layers, 2 * 8 * 128 numbers each.
        let parts = Parts::of(&Architecture { kv_values: 16_384, ..Architecture::default() });
        assert_eq!((parts.cached, parts.attention_layers), (16_384.0, 8.0));
        let latent = Architecture { kv_latent: 576, kv_values: 5760, ..Architecture::default() };
        let parts = Parts::of(&latent);
        assert_eq!((parts.attention_layers, parts.cached_by(&latent, 4)), (10.0, 23_040.0));
    }
}
