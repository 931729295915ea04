//! The rules of a replica's batch: its limits, who joins and who makes room.

use super::read_rules::ReadRules;
use crate::perf::Resolved;
use base::Span;
use base::math::round_to_span;
use document::{Compat, MixedStep, Pool, PreemptionVictim, RankPadding};
use serde::{Deserialize, Serialize};

/// Batch limits as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Limits {
    pub(crate) max_num_seqs: u32,
    pub(crate) max_num_batched_tokens: u32,
    pub(crate) long_prefill_threshold: u32,
    /// 0 for no bound.
    pub(crate) max_waiting: u32,
    /// Whether a request joins only if its whole prompt fits.
    pub(crate) whole_prompt: bool,
    /// Share of the KV blocks that stay free when a request joins.
    pub(crate) watermark: f64,
    /// Whether a member that finds no block takes those of another.
    pub(crate) preempts: bool,
    /// Which other.
    pub(crate) victim: PreemptionVictim,
    /// When requests read from tiers below CPU memory.
    pub(crate) reads: ReadRules,
    /// What a step takes longer without a recorded graph.
    pub(crate) mixed_step: Span,
    /// How many tokens ranks in lock step compute.
    pub(crate) padding: RankPadding,
    /// How long a prompt waits for those of the other ranks.
    pub(crate) align_prefills: Span,
    /// Whether requests that are prefilled elsewhere take blocks of their prompts from its CPU tier.
    pub(crate) reads_at_home: bool,
}

impl Limits {
    /// Those of a pool.
    pub(crate) fn new(pool: &Pool, resolved: &Resolved, compat: Compat) -> Self {
        let (engine, kv) = (&pool.engine, &pool.kv);
        Self {
            max_num_seqs: resolved.max_num_seqs,
            max_num_batched_tokens: resolved.max_num_batched_tokens,
            long_prefill_threshold: engine.long_prefill_threshold_tokens,
            max_waiting: engine.max_waiting,
            whole_prompt: engine.reserves_full_prompt(compat),
            watermark: engine.watermark,
            preempts: engine.preemption,
            victim: engine.victim,
            reads: ReadRules::new(kv),
            mixed_step: match engine.mixed_step_us {
                MixedStep::Auto => resolved.model.without_graph(),
                MixedStep::Count(us) => Span(us.into()),
            },
            padding: pool.ranks.padding,
            align_prefills: round_to_span(pool.ranks.align_prefills_ms * 1000.0),
            reads_at_home: false,
        }
    }

    /// How much of `left` prompt tokens one step takes if the budget allows.
    pub(crate) fn chunk(&self, left: u32) -> u32 {
        match self.long_prefill_threshold {
            0 => left,
            threshold => left.min(threshold),
        }
    }
}
