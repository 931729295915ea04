//! Weights: how many bytes a replica has to load before it can serve.

use super::catalogue::shape;
use super::memory;
use super::spread::Spread;
use base::Diagnostic;
use document::Pool;

/// Bytes of the weights that a replica of a pool keeps; 8 billion parameters of two bytes if its model is unknown.
pub fn weight_bytes(pool: &Pool) -> f64 {
    shape(pool).map_or(16e9, |a| memory::weight_bytes(a, Spread::of(pool).ranks))
}

/// The warning about spreading experts of a model without any; `path` is the pool's.
pub(super) fn without_experts(pool: &Pool, path: &str) -> Option<Diagnostic> {
    let dense = Spread::of(pool).ranks > 1 && shape(pool).is_some_and(|a| a.experts == 0);
    dense.then(|| {
        Diagnostic::warning(
            format!("{path}.expert_ranks"),
            format!("experts spread over {} replicas, of a model without experts", pool.expert_ranks),
            "1 for a dense model",
            "leave it out: replicas of a dense model share nothing",
        )
    })
}
