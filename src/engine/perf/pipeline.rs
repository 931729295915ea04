//! Pipeline parallelism: what a pool's stages cost, and how fast they hand tokens on.

use super::catalogue::shape;
use base::Diagnostic;
use document::{Pool, limits};

/// Bytes of a number of an activation.
const ACTIVATION_BYTES: f64 = 2.0;

/// Tensors that a stage hands on: the hidden state and the residual.
const TENSORS: f64 = 2.0;

/// Time in which a stage hands one token on to the next, in microseconds; 0 without a known shape.
pub(super) fn hop_us(pool: &Pool) -> f64 {
    let bytes = shape(pool).map_or(0.0, |a| TENSORS * f64::from(a.hidden) * ACTIVATION_BYTES);
    bytes / (pool.pp_link_gb_per_s * 1e3)
}

/// A model with fewer layers than stages; `path` is the pool's.
pub(super) fn too_many_stages(pool: &Pool, path: &str) -> Option<Diagnostic> {
    let layers = shape(pool).map_or(u32::MAX, |a| a.layers);
    // Figures out of their ranges are reported as such.
    (layers > 0 && pool.pp > layers && pool.pp <= limits::PP).then(|| {
        Diagnostic::error(
            format!("{path}.pp"),
            format!("{} stages for {layers} layers", pool.pp),
            format!("1 to {layers}"),
            "every stage has at least one layer: use fewer stages",
        )
    })
}
