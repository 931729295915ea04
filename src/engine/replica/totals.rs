//! What one replica has done since it started.

use super::speculation::DraftTotals;
use base::Span;
use serde::{Deserialize, Serialize};

/// Totals of one replica.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Steps begun.
    pub steps: u64,
    /// Requests completed.
    pub completed: u32,
    /// Requests dropped.
    pub dropped: u32,
    /// Of those, the ones whose clients gave up.
    pub timed_out: u32,
    /// Requests refused because the wait queue was full.
    pub refused: u32,
    /// Preemptions.
    pub preemptions: u64,
    /// `compat: blis`: completions without room for the last token's KV.
    pub allocation_failures: u64,
    /// Prompt tokens of requests that joined the wait queue.
    pub prompt_tokens: u64,
    /// Output tokens of completed requests.
    pub output_tokens: u64,
    /// Sum of the TTFTs of completed requests; it stops at the largest number.
    pub ttft_sum: Span,
    /// Sum of the gaps between tokens of completed requests; it stops at the largest number.
    pub itl_sum: Span,
    /// Sum of the durations of steps (ended ones; begun ones under `compat: blis`).
    pub step_time: Span,
    /// Sum over those steps of blocks in use times duration.
    pub kv_block_us: u128,
    /// Most blocks in use at the beginning of a step.
    pub kv_peak: u32,
    /// Sum over steps begun of the requests waiting.
    pub waiting_sum: u64,
    /// Sum over steps begun of the requests in the batch.
    pub running_sum: u64,
    /// Drafts of speculative decoding.
    pub drafts: DraftTotals,
    /// Steps that took longer because no graph was recorded for them, and how much longer they took together.
    pub mixed_steps: u64,
    /// How much longer.
    pub mixed_time: Span,
    /// Steps in which experts moved.
    pub rebalanced: u64,
    /// Rows of no request that it computed as a rank.
    pub rank_padding: u64,
    /// Time of its server's steps in which it waited as a rank, by cause: the prompts of other ranks, other decoding ranks, no work of
    /// its own.
    pub rank_waits: [Span; 3],
}

impl Totals {
    /// Steps begun, in four bytes; a run ends long before they are not enough.
    pub(crate) fn steps_in_short(&self) -> u32 {
        u32::try_from(self.steps).unwrap_or(u32::MAX)
    }
}
