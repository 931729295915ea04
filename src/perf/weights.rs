//! How much a replica has to load before it can serve.

use super::{catalogue, memory};
use crate::scenario::Pool;

/// Bytes of the weights of a pool's model; as of 8 billion parameters of two bytes where nothing is known of it.
pub fn weight_bytes(pool: &Pool) -> f64 {
    let known = || catalogue::architecture(&pool.model).map(|known| &known.architecture);
    let shape = pool.architecture.as_ref().or_else(known);
    shape.map_or(16e9, |a| memory::parameters(a) as f64 * a.bytes_per_param)
}
