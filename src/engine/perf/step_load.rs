//! The work of one step, and the longest that a step may take.

use base::Span;

/// Longest step: thirty years. Extreme figures stop here instead of overflowing.
pub const LONGEST: Span = Span(1_000_000_000_000_000);

/// The part of one prompt that is computed in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Tokens of this request computed before this step since it was last scheduled. A cached prefix counts only from
    /// the second chunk on: in the first the context is 0.
    pub context: u32,
    /// Tokens before the computed ones that count neither as computed nor as context: a cached prefix, in the first
    /// chunk.
    pub cached: u32,
    /// Tokens computed now.
    pub tokens: u32,
}

/// The work of one step.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepLoad<'a> {
    /// Prompt chunks, in batch order.
    pub prefill: &'a [Chunk],
    /// How many requests decode.
    pub decode: u32,
    /// Sum of their context lengths before the step, in tokens.
    pub decode_context: u64,
    /// Draft tokens that they verify together, each besides its own token; 0 without speculative decoding.
    pub drafts: u32,
    /// Rows of no request, computed beside them where ranks are padded to as many tokens.
    pub padding: u32,
}

impl StepLoad<'_> {
    /// Prompt tokens computed.
    pub(super) fn prefill_tokens(&self) -> u64 {
        self.prefill.iter().map(|c| u64::from(c.tokens)).sum()
    }

    /// Tokens computed of requests that decode: one of each, and the drafts.
    #[inline(always)]
    pub(super) fn verified(&self) -> u32 {
        self.decode + self.drafts
    }

    /// The same with the rows of no request.
    #[inline(always)]
    pub(super) fn rows(&self) -> u32 {
        self.verified() + self.padding
    }

    /// Tokens read from the cache, those computed in the step included.
    pub(super) fn tokens_read(&self) -> u64 {
        let of = |c: &Chunk| u64::from(c.context) + u64::from(c.cached) + u64::from(c.tokens);
        self.prefill.iter().map(of).sum::<u64>() + self.decode_context + u64::from(self.verified())
    }
}
