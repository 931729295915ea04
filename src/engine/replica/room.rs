//! Room: which of the free blocks a request may join the batch with.
//!
//! As in vLLM: a request that needs its whole prompt to fit leaves the blocks alone that the prompts of the batch still
//! need, and the watermark is kept free for those that run. An empty batch keeps nothing free, so that every request
//! that fits in the cache joins at last.

use super::state::Replica;
use super::waiting::Left;
use crate::request::{ActiveRequest, Slab};

impl Replica {
    /// Free blocks with which no request joins now.
    pub(super) fn kept_free(&self, left: Left) -> u32 {
        let kept = self.limits.watermark > 0.0 && self.running > 0;
        let watermark = if kept { (self.limits.watermark * f64::from(self.kv.total())) as u32 } else { 0 };
        left.promised + watermark
    }

    /// Blocks that a request holds besides those of its tokens while it runs: as many as its full length needs.
    pub(crate) fn states_of(&self, request: &ActiveRequest) -> u32 {
        self.states_of_length(request.prompt_tokens, request.tokens_due())
    }

    /// The same for a request of these lengths.
    pub(crate) fn states_of_length(&self, prompt_tokens: u32, tokens_due: u32) -> u32 {
        if self.states.is_none() {
            return 0;
        }
        self.states.of(prompt_tokens.saturating_add(tokens_due), self.kv.block_tokens())
    }

    /// Blocks without which a request can never join.
    pub(crate) fn prompt_blocks(&self, request: &ActiveRequest) -> u32 {
        let ahead = request.remote.as_ref().filter(|r| r.home == self.id).map_or(0, |r| r.ahead);
        let prompt = (request.prompt_tokens + ahead).div_ceil(self.kv.block_tokens());
        prompt.saturating_add(self.states_of(request))
    }

    /// How many tokens of a request have to fit for it to join, with `end` of them after its first step.
    pub(super) fn must_fit(&self, request: &ActiveRequest, end: u32) -> u32 {
        if self.limits.whole_prompt { request.prefill } else { end }
    }

    /// Blocks that the prompts of the batch still need, where whole prompts have to fit.
    pub(super) fn promised(&self, slab: &Slab) -> u32 {
        if !self.limits.whole_prompt {
            return 0;
        }
        self.prefilling.iter().map(|&slot| self.promised_to(&slab[slot])).sum()
    }

    /// Those of one request.
    pub(super) fn promised_to(&self, request: &ActiveRequest) -> u32 {
        if !self.limits.whole_prompt {
            return 0;
        }
        request.prefill.div_ceil(self.kv.block_tokens()) - request.block_table.len()
    }
}
