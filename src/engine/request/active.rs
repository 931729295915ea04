//! The working state of a request in the system.

use super::remote::Remote;
use super::slot::Slot;
use crate::kv::BlockTable;
use crate::policy::scheduling::QueuePosition;
use crate::workload::RequestSpec;
use base::multiply::times;
use base::{Content, Maybe, Micros, Piece, ReplicaId, RequestId, Span};
use serde::{Deserialize, Serialize};

/// How far the load of a waiting request from the CPU tier is. While there is one, the request holds blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Load {
    /// It has asked for nothing.
    None,
    /// The blocks from number `from` on are being loaded; `kept` further blocks are reserved for its next chunk.
    UnderWay { from: u32, kept: u32 },
    /// They are there.
    Done { from: u32, kept: u32 },
    /// It holds no blocks: what lies below CPU memory is on its way there.
    Fetching,
}

/// The working state of a request that is waiting or running.
///
/// A decoding request is not touched by a step that only gives it another token: `progress` and `generated` are as of
/// `anchor_tick`, and have grown by one for each tick of the replica since.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ActiveRequest {
    pub(crate) id: RequestId,
    /// Prompt and output.
    pub(crate) text: Content,
    /// Number of the model it asks for; 0 for any.
    pub(crate) model: u32,
    /// Number of its adapter; 0 for the base model.
    pub(crate) adapter: u32,
    pub(crate) prompt_tokens: u32,
    pub(crate) output_tokens: u32,
    pub(crate) arrival: Micros,
    /// How urgent it is by its own account; a router may say otherwise before it is delivered.
    pub(crate) priority: i32,
    /// Breaks ties between requests that arrived together.
    pub(crate) rank: u32,
    /// Tokens to prefill before the next output token.
    pub(crate) prefill: u32,
    /// Tokens whose KV is in the cache as of the latest finished step (or anchor).
    pub(crate) progress: u32,
    /// The same with what the running step computes; only kept while prefilling. While verifying drafts: positions that
    /// its blocks are for.
    pub(crate) computed: u32,
    /// Tokens of the running step; only kept while prefilling or verifying drafts.
    pub(crate) granted: u32,
    /// Output tokens produced (as of the anchor).
    pub(crate) generated: u32,
    /// The batch of a pipe that it is in; 0 for none.
    pub(crate) flight: u32,
    pub(crate) block_table: BlockTable,
    pub(crate) load: Load,
    /// While it is prefilled on another replica than its home, up to its landing.
    pub(crate) remote: Option<Box<Remote>>,
    /// Tokens before the first that occurs in this request only.
    pub(crate) shareable: u32,
    /// Chained hashes of the full blocks to be prefilled whose content can recur; `chained` says whether they are known.
    pub(crate) chain: Vec<u64>,
    pub(crate) chained: bool,
    pub(crate) decoding: bool,
    /// When its prompt was computed, since it last joined the batch.
    pub(crate) decoding_from: Maybe<Micros>,
    /// How urgent the priority policy of its replica finds it; larger is more urgent.
    pub(crate) urgency: i64,
    /// Whether the router gave it its urgency, whatever that policy finds.
    pub(crate) urged: bool,
    /// Where it stands in the wait queue of a scheduler that sorts.
    pub(crate) position: Option<QueuePosition>,
    /// Tokens of pinned blocks beyond what counts as computed (`compat: blis`, after a reload from the CPU tier).
    pub(crate) excess: u32,
    /// Position in the batch: batches are in order of this number.
    pub(crate) order: u64,
    pub(crate) before: Slot,
    pub(crate) after: Slot,
    pub(crate) anchor_tick: u64,
    /// The tick that yields its last token.
    pub(crate) due_tick: u64,
    /// When its latest token is shown, but for output processing, while it is not decoding steadily.
    pub(crate) last_token: Micros,
    /// Decoding, but not steadily: the latest step gave it nothing, or what it gave is not shown yet, or each step settles it.
    pub(crate) behind: bool,
    /// The tick that gave it nothing.
    pub(crate) starved_tick: u64,
    /// Tokens that were shown before the latest edit of output processing.
    pub(crate) fixed_tokens: u32,
    /// Output processing of those tokens.
    pub(crate) fixed_output: Span,
    /// `compat: blis`: how long the steps took since its first token in which it got none.
    pub(crate) sat_out: Span,
}

impl ActiveRequest {
    /// The anchor of a request whose progress each step settles: ticks do not move it.
    pub(crate) const VERIFIES: u64 = u64::MAX;

    /// Whether it decodes and each step settles its progress: it verifies drafts, or is in a pipe. Then it is `behind` too.
    pub(crate) fn verifies(&self) -> bool {
        self.decoding && self.anchor_tick == Self::VERIFIES
    }

    /// The router sends it with this priority, or leaves that to the replica's policy.
    pub(crate) fn take_priority(&mut self, given: Option<i64>) {
        self.urged = given.is_some();
        self.urgency = given.unwrap_or(self.urgency);
    }

    /// A request of `spec` that has just arrived.
    pub(crate) fn new(id: RequestId, spec: &RequestSpec) -> Self {
        let mut text = spec.prompt.clone();
        let Piece { source, start, len } = spec.output;
        text.push(Piece { source, start, len });
        let shareable = text.shareable();
        Self {
            id,
            text,
            model: spec.model,
            adapter: spec.adapter,
            shareable,
            prompt_tokens: spec.prompt_tokens,
            output_tokens: spec.output.len,
            arrival: spec.arrival,
            priority: spec.priority,
            rank: spec.rank,
            prefill: spec.prompt_tokens,
            progress: 0,
            computed: 0,
            granted: 0,
            generated: 0,
            flight: 0,
            block_table: BlockTable::default(),
            load: Load::None,
            remote: None,
            chain: Vec::new(),
            chained: false,
            decoding: false,
            decoding_from: Maybe::NONE,
            urgency: 0,
            urged: false,
            position: None,
            excess: 0,
            order: u64::MAX,
            before: Slot::NONE,
            after: Slot::NONE,
            anchor_tick: 0,
            due_tick: 0,
            last_token: Micros::MAX,
            behind: false,
            starved_tick: 0,
            fixed_tokens: 0,
            fixed_output: Span::ZERO,
            sat_out: Span::ZERO,
        }
    }

    /// Whether `replica` computes its prompt for another one.
    pub(crate) fn is_prefilled_at(&self, replica: ReplicaId) -> bool {
        self.remote.as_ref().is_some_and(|r| r.prefill == replica && !r.prefilled)
    }

    /// Whether its prefill replica shows its first token.
    pub(crate) fn shows_first_at_prefill(&self) -> bool {
        self.remote.as_ref().is_some_and(|r| r.ahead > 0 && !r.home_lost)
    }

    /// Whether its prefill replica shows its only token: there is nothing to decode.
    pub(crate) fn ends_at_prefill(&self) -> bool {
        self.remote.as_ref().is_some_and(|r| r.ahead > 0 && !r.home_lost) && self.tokens_due() == 1
    }

    /// Whether it waits at its home for blocks that its KV can come to.
    pub(crate) fn seeks_room_at(&self, replica: ReplicaId) -> bool {
        self.remote.as_ref().is_some_and(|r| r.home == replica && r.seeks_room())
    }

    /// Tokens that it has to compute once it is first in the queue of `replica`.
    pub(crate) fn to_compute_at(&self, replica: ReplicaId) -> u32 {
        if self.seeks_room_at(replica) { 0 } else { self.prefill }
    }

    /// How many tokens it will produce in all; one at least.
    pub(crate) fn tokens_due(&self) -> u32 {
        self.output_tokens.max(1)
    }

    /// `progress` and `generated` as of `ticks`.
    pub(crate) fn counts(&self, ticks: u64) -> (u32, u32) {
        let passed = if self.decoding { ticks.saturating_sub(self.anchor_tick) as u32 } else { 0 };
        (self.progress + passed, self.generated + passed)
    }

    /// Output processing of its first `generated` tokens, where `each` holds since it was last changed.
    pub(crate) fn output_time(&self, each: Span, generated: u32) -> Span {
        self.fixed_output + Span(times(each.0, generated - self.fixed_tokens))
    }

    /// Output processing is about to change, and was `each` up to `ticks`: that of the tokens shown so far stays.
    pub(crate) fn fix_output_time(&mut self, each: Span, ticks: u64) {
        let generated = self.counts(ticks).1;
        (self.fixed_output, self.fixed_tokens) = (self.output_time(each, generated), generated);
    }

    /// When a token is shown that is ready to be shown at `shown`: not before the latest one, which the front end of another replica
    /// may show later.
    pub(crate) fn shown_after(&self, shown: Micros) -> Micros {
        if self.last_token == Micros::MAX { shown } else { shown.max(self.last_token) }
    }

    /// Its next token is ready to be shown at `shown`. Returns its gap to the one before.
    pub(crate) fn show_next(&mut self, shown: Micros) -> Span {
        let before = self.last_token;
        self.last_token = self.shown_after(shown);
        self.last_token.since(before)
    }

    /// Whether a block of `block` tokens that ends at `end` can recur in another request.
    pub(crate) fn is_shareable(&self, end: u32) -> bool {
        end <= self.shareable
    }

    /// Chained hash of the block that its latest output tokens fill.
    pub(crate) fn hash_of_last_block(&self, block: u32) -> u64 {
        let from = (self.block_table.len() - 1) * block - self.excess;
        self.text.block_hash(self.block_table.last_hash(), from, block)
    }

    /// Whether any block that its output fills can recur in another request.
    pub(crate) fn output_is_shareable(&self) -> bool {
        self.shareable > self.prompt_tokens
    }

    /// Brings `progress` and `generated` up to `ticks`.
    pub(crate) fn settle(&mut self, ticks: u64) {
        if self.decoding {
            (self.progress, self.generated) = self.counts(ticks);
            self.anchor_tick = self.anchor_tick.max(ticks);
        }
    }
}
