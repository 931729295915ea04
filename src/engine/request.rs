//! Requests: a permanent record of each, and the working state of those in the system.

use super::fact::DropReason;
use super::location::{Location, LocationCounts};
use super::slab::Slot;
use crate::base::product::times;
use crate::base::{Content, Maybe, Micros, ReplicaId, RequestId, Span};
use crate::kv::BlockTable;
use crate::policy::Reason;
use crate::policy::scheduling::QueuePosition;
use crate::workload::RequestSpec;
use serde::{Deserialize, Serialize};

/// What reports call the place where a request is. It only moves forward, but for preemption, which leads from running to
/// queued.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestState {
    /// Between arrival and a wait queue.
    InPipeline,
    /// In a wait queue.
    Queued,
    /// In a batch.
    Running,
    /// All tokens shown.
    Completed,
    /// Refused by admission, the router or a full wait queue.
    Rejected,
    /// Impossible to serve.
    Dropped,
}

impl RequestState {
    /// Its name in reports and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::InPipeline => "in-pipeline",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Rejected => "rejected",
            Self::Dropped => "dropped",
        }
    }
}

/// What stays known of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When it arrived.
    pub arrival: Micros,
    /// Number of its client.
    pub client: u32,
    /// Number of its tenant.
    pub tenant: u32,
    /// Number of its SLO class.
    pub class: u32,
    /// Number of its session; 0 if it stands alone.
    pub session: u32,
    /// Position in the scenario's list of explicit requests; `u32::MAX` otherwise.
    pub listed: u32,
    /// Prompt length.
    pub prompt_tokens: u32,
    /// Output length. No policy knows it in advance.
    pub output_tokens: u32,
    location: Location,
    /// When it went on to the router.
    pub admitted: Maybe<Micros>,
    /// When the router decided.
    pub routed: Maybe<Micros>,
    /// When it joined the wait queue.
    pub queued: Maybe<Micros>,
    /// When it first joined a batch.
    pub first_scheduled: Maybe<Micros>,
    /// When it last joined a batch.
    pub scheduled: Maybe<Micros>,
    /// The replica's step that it last joined.
    pub sched_step: u32,
    /// Prompt tokens found in the cache when it last joined.
    pub cached_tokens: u32,
    /// How often it was preempted.
    pub preemptions: u32,
    /// Time to first token.
    pub ttft: Maybe<Span>,
    /// End-to-end latency.
    pub e2e: Maybe<Span>,
    /// When it left: completed, dropped or refused.
    pub left: Maybe<Micros>,
    /// The replica's step that completed it.
    pub finish_step: u32,
    /// Tokens whose KV was in the cache when it left (completed or dropped).
    pub progress: u32,
    /// Tokens it had produced when it left.
    pub generated: u32,
    /// Sum of the gaps between its tokens when it left.
    pub itl_sum: Span,
    /// Output processing of its first token.
    pub first_output: Span,
    /// Output processing of all its tokens when it left, each as long as it took when the token was shown.
    pub output_time: Span,
    /// Why it was dropped.
    pub drop: Option<DropReason>,
    /// Why it was refused, or is held back.
    pub refused: Option<Reason>,
    /// Its slot while it is in the system.
    pub(super) slot: Slot,
}

impl Record {
    /// A request of `spec` that has just arrived at the gateway.
    pub(super) fn new(spec: &RequestSpec, slot: Slot, locations: &mut LocationCounts) -> Self {
        locations.enter(Location::Gateway);
        Self {
            client: spec.client,
            tenant: spec.tenant,
            class: spec.class,
            session: spec.session,
            listed: spec.listed,
            prompt_tokens: spec.prompt_tokens,
            output_tokens: spec.output.len,
            slot,
            ..Self::at_rest(spec.arrival, Location::Gateway)
        }
    }

    /// A request that arrived then, is there and in no slot, and of which nothing else is known yet.
    pub(super) fn at_rest(arrival: Micros, location: Location) -> Self {
        Self {
            arrival,
            client: 0,
            tenant: 0,
            class: 0,
            session: 0,
            listed: 0,
            prompt_tokens: 0,
            output_tokens: 0,
            location,
            admitted: Maybe::NONE,
            routed: Maybe::NONE,
            queued: Maybe::NONE,
            first_scheduled: Maybe::NONE,
            scheduled: Maybe::NONE,
            sched_step: 0,
            cached_tokens: 0,
            preemptions: 0,
            ttft: Maybe::NONE,
            e2e: Maybe::NONE,
            left: Maybe::NONE,
            finish_step: 0,
            progress: 0,
            generated: 0,
            itl_sum: Span::ZERO,
            first_output: Span::ZERO,
            output_time: Span::ZERO,
            drop: None,
            refused: None,
            slot: Slot::NONE,
        }
    }

    /// Where it is.
    pub fn location(&self) -> Location {
        self.location
    }

    /// The same record of a request elsewhere.
    #[cfg(test)]
    pub(super) fn at(self, location: Location) -> Self {
        Self { location, ..self }
    }

    /// What reports call that.
    pub fn state(&self) -> RequestState {
        self.location.state()
    }

    /// The replica that has it, or had it when it left.
    pub fn replica(&self) -> Option<ReplicaId> {
        self.location.replica()
    }

    /// When it completed.
    pub fn finish(&self) -> Maybe<Micros> {
        if self.e2e.is_known() { self.left } else { Maybe::NONE }
    }

    /// It goes to another place: the only way to get there.
    #[inline]
    pub(super) fn relocate(&mut self, to: Location, locations: &mut LocationCounts) {
        let from = self.location;
        assert!(
            from.leads_to(to),
            "INV-2: a request that arrived at {:?} went from {from:?} to {to:?}",
            self.arrival
        );
        locations.leave(from);
        locations.enter(to);
        self.location = to;
    }
}

/// What one request has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Tokens whose KV is in the cache.
    pub stored: u32,
    /// Output tokens produced.
    pub generated: u32,
    /// Tokens to prefill before the next output token.
    pub prefill: u32,
    /// Sum of the gaps between its tokens.
    pub itl_sum: Span,
    /// Number of these gaps.
    pub itl_count: u32,
    /// Blocks it holds.
    pub blocks: u32,
    /// Whether it decodes.
    pub decoding: bool,
    /// When the prompt was computed of one that decodes or did so in its batch last; not of one that has left.
    pub decoding_from: Option<Micros>,
    /// Output processing of these tokens.
    pub output_time: Span,
}

/// How far the load of a waiting request from the CPU tier is. While there is one, the request holds blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Load {
    /// It has asked for nothing.
    None,
    /// Its blocks from this one on are on their way. So many more are kept for its next chunk.
    UnderWay { from: u32, kept: u32 },
    /// They are there.
    Done { kept: u32 },
}

/// The working state of a request that is waiting or running.
///
/// A decoding request is not touched by a step that only gives it another token: `progress` and `generated` are as of
/// `anchor_tick`, and have grown by one for each tick of the replica since.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ActiveRequest {
    pub(super) id: RequestId,
    /// Prompt and output.
    pub(super) text: Content,
    /// Number of the model it asks for; 0 for any.
    pub(super) model: u32,
    pub(super) prompt_tokens: u32,
    pub(super) output_tokens: u32,
    pub(super) arrival: Micros,
    /// Breaks ties between requests that arrived together.
    pub(super) rank: u32,
    /// Tokens to prefill before the next output token.
    pub(super) prefill: u32,
    /// Tokens whose KV is in the cache as of the latest finished step (or anchor).
    pub(super) progress: u32,
    /// The same with what the running step computes; only kept while prefilling.
    pub(super) computed: u32,
    /// Tokens of the running step; only kept while prefilling.
    pub(super) granted: u32,
    /// Output tokens produced (as of the anchor).
    pub(super) generated: u32,
    pub(super) block_table: BlockTable,
    pub(super) load: Load,
    /// Tokens before the first that occurs in this request only.
    pub(super) shareable: u32,
    /// Chained hashes of the full blocks to be prefilled whose content can recur; `chained` says whether they are known.
    pub(super) chain: Vec<u64>,
    pub(super) chained: bool,
    pub(super) decoding: bool,
    /// When its prompt was computed, since it last joined the batch.
    pub(super) decoding_from: Maybe<Micros>,
    /// How urgent the priority policy of its replica finds it; larger is more urgent.
    pub(super) urgency: i64,
    /// Where it stands in the wait queue of a scheduler that sorts.
    pub(super) position: Option<QueuePosition>,
    /// Tokens of pinned blocks beyond what counts as computed (`compat: blis`, after a reload from the CPU tier).
    pub(super) excess: u32,
    /// Position in the batch: batches are in order of this number.
    pub(super) order: u64,
    pub(super) before: Slot,
    pub(super) after: Slot,
    pub(super) anchor_tick: u64,
    /// The tick that yields its last token.
    pub(super) due_tick: u64,
    /// End of the step that produced its latest token, while it is not decoding steadily.
    pub(super) last_token: Micros,
    /// Decoding, but the latest step gave it nothing.
    pub(super) behind: bool,
    /// The tick that gave it nothing.
    pub(super) starved_tick: u64,
    /// Tokens that were shown before the latest edit of output processing.
    pub(super) fixed_tokens: u32,
    /// Output processing of those tokens.
    pub(super) fixed_output: Span,
    /// `compat: blis`: how long the steps took since its first token in which it got none.
    pub(super) sat_out: Span,
}

impl ActiveRequest {
    /// How many tokens it will produce in all; one at least.
    pub(super) fn tokens_due(&self) -> u32 {
        self.output_tokens.max(1)
    }

    /// `progress` and `generated` as of `ticks`.
    pub(super) fn counts(&self, ticks: u64) -> (u32, u32) {
        let passed = if self.decoding { ticks.saturating_sub(self.anchor_tick) as u32 } else { 0 };
        (self.progress + passed, self.generated + passed)
    }

    /// Output processing of its first `generated` tokens, where `each` holds since it was last changed.
    pub(super) fn output_time(&self, each: Span, generated: u32) -> Span {
        self.fixed_output + Span(times(each.0, generated - self.fixed_tokens))
    }

    /// Output processing is about to change, and was `each` up to `ticks`: that of the tokens shown so far stays.
    pub(super) fn fix_output_time(&mut self, each: Span, ticks: u64) {
        let generated = self.counts(ticks).1;
        (self.fixed_output, self.fixed_tokens) = (self.output_time(each, generated), generated);
    }

    /// Whether a block of `block` tokens that ends at `end` can recur in another request.
    pub(super) fn is_shareable(&self, end: u32) -> bool {
        end <= self.shareable
    }

    /// Chained hash of the block that its latest output tokens fill.
    pub(super) fn hash_of_last_block(&self, block: u32) -> u64 {
        let from = (self.block_table.len() - 1) * block - self.excess;
        self.text.block_hash(self.block_table.last_hash(), from, block)
    }

    /// Whether any block that its output fills can recur in another request.
    pub(super) fn output_is_shareable(&self) -> bool {
        self.shareable > self.prompt_tokens
    }

    /// Brings `progress` and `generated` up to `ticks`.
    pub(super) fn settle(&mut self, ticks: u64) {
        if self.decoding {
            (self.progress, self.generated) = self.counts(ticks);
            self.anchor_tick = self.anchor_tick.max(ticks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_stays_small_for_there_is_one_for_each_request_of_a_run() {
        assert!(size_of::<Record>() <= 168, "{} bytes", size_of::<Record>());
    }
}
