//! What the memory of a GPU holds: weights, KV cache, activations and buffers, and the part that stays free.

use super::heads::Heads;
use super::memory::{Fit, GIB};
use super::resolver::{Resolver, resolve};
use document::{Compat, Pool};
use serde::Serialize;

/// The memory of one GPU of a pool, in GiB.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryShares {
    /// GPUs of a replica, which share weights and blocks evenly.
    pub gpus: u32,
    /// All of its memory.
    pub total_gib: f64,
    /// Weights.
    pub weights_gib: f64,
    /// Blocks of the KV cache.
    pub kv_gib: f64,
    /// Activations, and memory of the driver and communication.
    pub activations_gib: f64,
    /// The rest, which stays free; negative if all of this does not fit.
    pub free_gib: f64,
    /// KV blocks of a replica.
    pub blocks: u32,
    /// A block of a replica, in MiB on all its GPUs together.
    pub block_mib: f64,
}

/// The memory of one GPU of a pool; none if model, GPU or number of blocks is not known.
pub fn memory_shares(pool: &Pool, compat: Compat) -> Option<MemoryShares> {
    let blocks = resolve(pool, compat, "").ok()?.blocks.0;
    let mut resolver = Resolver { pool, compat, path: "", heads: Heads::Even, problems: Vec::new() };
    let ((architecture, _), (hardware, _)) = (resolver.shape()?, resolver.gpu()?);
    let [weights, buffers, block] = Fit::of(pool, architecture, hardware, compat).shares();
    let gpus = f64::from(pool.tp.max(1));
    let kv = block * f64::from(blocks);
    let each = |gib: f64| gib / gpus;
    Some(MemoryShares {
        gpus: super::gpus(pool),
        total_gib: hardware.memory_gib,
        weights_gib: each(weights),
        kv_gib: each(kv),
        activations_gib: each(buffers),
        free_gib: hardware.memory_gib - each(weights + kv + buffers),
        blocks,
        block_mib: block * GIB / f64::from(1 << 20),
    })
}
