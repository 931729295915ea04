//! What stays known of the hand-over of a request: where it was prefilled, and when its KV moved.

use crate::facts::DeciderReason;
use base::{Chunks, Maybe, Micros, ReplicaId, RequestId, Span};
use serde::{Deserialize, Serialize};

/// The hand-over of a request, from the decision on. Of one that is prefilled at home, only that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handover {
    /// The replica that answers it.
    pub home: ReplicaId,
    /// The replica that prefills it; none for the home itself.
    pub prefill: Option<ReplicaId>,
    /// Why.
    pub reason: DeciderReason,
    /// Tokens of its prompt that its home would have had to compute; none where the decider did not look.
    pub uncached: Option<u32>,
    /// Whether its home sets blocks aside before the prefill.
    pub push: bool,
    /// Tokens made before the transfer: 1 if the prefill replica shows the first token.
    pub ahead: u32,
    /// When it first joined the batch of its prefill replica.
    pub prefill_first: Maybe<Micros>,
    /// When it last did.
    pub prefill_scheduled: Maybe<Micros>,
    /// When its prompt was computed there.
    pub prefill_end: Maybe<Micros>,
    /// When it joined the wait queue of its home for the reservation.
    pub home_queued: Maybe<Micros>,
    /// When blocks were set aside for it at home.
    pub reserved: Maybe<Micros>,
    /// Blocks of its prompt found in the cache of its home.
    pub home_cached: u32,
    /// Blocks after them that its home reads from its CPU memory, and when they are there.
    pub home_below: u32,
    /// See there.
    pub home_read: Maybe<Micros>,
    /// The number of its transfer.
    pub transfer: Option<u32>,
    /// When its transfer started.
    pub start: Maybe<Micros>,
    /// When the first byte moved.
    pub flows: Maybe<Micros>,
    /// When all bytes were there.
    pub landed: Maybe<Micros>,
    /// When it joined the batch of its home after that.
    pub joined: Maybe<Micros>,
    /// Blocks that travel.
    pub blocks: u32,
    /// Bytes that travel.
    pub bytes: u64,
    /// Of these, bytes that left while the prefill ran.
    pub early: u64,
    /// Time to first token as the prefill replica has it.
    pub ttft_prefill: Maybe<Span>,
    /// Time to the first token that its home made.
    pub ttft_decode: Maybe<Span>,
    /// When its KV was lost before the landing, and its home went on to compute its prompt itself.
    pub lost: Maybe<Micros>,
}

/// By number of the request, where roles differ: its hand-over.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Handovers(Chunks<Option<Handover>>);

impl Handovers {
    /// The hand-over of a request; none before its routing, and where no roles differ.
    pub(crate) fn get(&self, request: RequestId) -> Option<&Handover> {
        self.0.get(request.index())?.as_ref()
    }

    /// The same, to be changed, of a request that has one.
    pub(crate) fn of(&mut self, request: RequestId) -> &mut Handover {
        self.0[request.index()].as_mut().expect("INV-2: a hand-over that nobody decided on")
    }

    /// A request is at the gateway again.
    pub(crate) fn forget(&mut self, request: RequestId) {
        if self.get(request).is_some() {
            self.0[request.index()] = None;
        }
    }

    /// A request is routed, perhaps again.
    pub(crate) fn set(&mut self, request: RequestId, handover: Handover) {
        while self.0.len() <= request.index() {
            self.0.push(None);
        }
        self.0[request.index()] = Some(handover);
    }
}

impl Handover {
    /// It joins the batch of its prefill replica.
    pub(crate) fn prefill_begins(&mut self, now: Micros) {
        self.prefill_scheduled = now.into();
        if !self.prefill_first.is_known() {
            self.prefill_first = now.into();
        }
    }

    /// A request that was routed and nothing more.
    pub fn new(
        home: ReplicaId,
        prefill: Option<ReplicaId>,
        reason: DeciderReason,
        uncached: Option<u32>,
    ) -> Self {
        Self {
            home,
            prefill,
            reason,
            uncached,
            push: false,
            ahead: 0,
            prefill_first: Maybe::NONE,
            prefill_scheduled: Maybe::NONE,
            prefill_end: Maybe::NONE,
            home_queued: Maybe::NONE,
            reserved: Maybe::NONE,
            home_cached: 0,
            home_below: 0,
            home_read: Maybe::NONE,
            transfer: None,
            start: Maybe::NONE,
            flows: Maybe::NONE,
            landed: Maybe::NONE,
            joined: Maybe::NONE,
            blocks: 0,
            bytes: 0,
            early: 0,
            ttft_prefill: Maybe::NONE,
            ttft_decode: Maybe::NONE,
            lost: Maybe::NONE,
        }
    }
}
