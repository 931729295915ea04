//! The rules of a replica's batch: its limits, who joins and who makes room.

use crate::perf::Resolved;
use crate::scenario::{BatchLimits, Compat, PreemptionVictim};
use serde::{Deserialize, Serialize};

/// Batch limits as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::engine) struct Limits {
    pub(in crate::engine) max_num_seqs: u32,
    pub(in crate::engine) max_num_batched_tokens: u32,
    pub(in crate::engine) long_prefill_threshold: u32,
    /// 0 for no bound.
    pub(in crate::engine) max_waiting: u32,
    /// Whether a request joins only if its whole prompt fits.
    pub(in crate::engine) whole_prompt: bool,
    /// Share of the KV blocks that stay free when a request joins.
    pub(in crate::engine) watermark: f64,
    /// Whether a member that finds no block takes those of another.
    pub(in crate::engine) preempts: bool,
    /// Which other.
    pub(in crate::engine) victim: PreemptionVictim,
}

impl Limits {
    /// Those of a pool.
    pub(in crate::engine) fn new(engine: &BatchLimits, resolved: &Resolved, compat: Compat) -> Self {
        Self {
            max_num_seqs: resolved.max_num_seqs,
            max_num_batched_tokens: resolved.max_num_batched_tokens,
            long_prefill_threshold: engine.long_prefill_threshold_tokens,
            max_waiting: engine.max_waiting,
            whole_prompt: engine.reserves_full_prompt(compat),
            watermark: engine.watermark,
            preempts: engine.preemption,
            victim: engine.victim,
        }
    }

    /// How much of `left` prompt tokens one step takes if the budget allows.
    pub(in crate::engine) fn chunk(&self, left: u32) -> u32 {
        match self.long_prefill_threshold {
            0 => left,
            threshold => left.min(threshold),
        }
    }
}
