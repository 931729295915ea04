//! What a replica needs of the rest of the engine while it runs an event.

use super::departure::Departure;
use super::lender::Lenders;
use crate::facts::{Detail, Sink};
use crate::network::LowerTiers;
use crate::request::{
    AdapterUses, Handovers, Life, LoadTimes, LocationCounts, Records, Remote, Slab, Slot, Stay, Wishes,
    load_of,
};
use base::{Chunks, Micros, ReplicaId, RequestId, Span};

/// What a replica needs of the rest of the engine while it runs an event.
pub(crate) struct World<'a, S: Sink> {
    pub(crate) records: &'a mut Records,
    pub(crate) locations: &'a mut LocationCounts,
    pub(crate) active: &'a mut Slab,
    /// What ended in a batch of requests that were preempted.
    pub(crate) stays: &'a mut Chunks<Stay>,
    /// When requests loaded blocks from the CPU tier.
    pub(crate) loads: &'a mut LoadTimes,
    /// The adapters of requests.
    pub(crate) adapters: &'a mut AdapterUses,
    /// Where requests are prefilled, and when their KV moves.
    pub(crate) handovers: &'a mut Handovers,
    /// What else follows from this event.
    pub(crate) unsettled: &'a mut Vec<Unsettled>,
    /// The outbox: who has left in this event.
    pub(crate) departures: &'a mut Vec<Departure>,
    /// Who has a first token since this event.
    pub(crate) prefilled: &'a mut Vec<RequestId>,
    pub(crate) sink: &'a mut S,
    pub(crate) detail: &'a mut Option<Box<Detail>>,
    /// What clients want of the KV of their requests.
    pub(crate) wishes: &'a Wishes,
    /// The tiers below CPU memory, if any replica has some.
    pub(crate) lower: Option<&'a mut LowerTiers>,
    /// The other replicas, if blocks are pulled from any.
    pub(crate) peers: Lenders<'a>,
    /// What becomes of sessions' KV, if the scenario says so.
    pub(crate) life: Option<&'a mut Life>,
}

impl<S: Sink> World<'_, S> {
    /// The stay of a request in the batch ends: it has left the batch, and its progress is settled.
    pub(crate) fn end_stay(&mut self, slot: Slot, now: Micros) {
        if self.records.forgets() {
            return;
        }
        let active = &self.active[slot];
        let (record, load) = (self.records.here(active.id), load_of(self.loads, active.id));
        self.stays.push(Stay::ended(active, record, load, now));
    }

    /// The same as a request leaves that may have been preempted before.
    pub(crate) fn end_last_stay(&mut self, slot: Slot, now: Micros) {
        if self.records.here(self.active[slot].id).preemptions > 0 {
            self.end_stay(slot, now);
        }
    }

    /// The same of a request that is between its two replicas, or has landed, and has shown a token.
    pub(crate) fn end_stay_elsewhere(&mut self, slot: Slot) {
        let active = &self.active[slot];
        if active.generated == 0 || self.records.here(active.id).preemptions > 0 {
            return;
        }
        if let Some(ended) = self.handovers.get(active.id).and_then(|h| h.prefill_end.get()) {
            self.end_stay(slot, ended);
        }
    }

    /// Prompt tokens that another replica computed for a request.
    pub(crate) fn handed_over(&self, slot: Slot) -> u32 {
        let active = &self.active[slot];
        let done = self.handovers.get(active.id).is_some_and(|h| h.prefill_end.is_known());
        let cached = self.records.here(active.id).cached_tokens;
        if done { active.prompt_tokens.saturating_sub(cached) } else { 0 }
    }

    /// The prompt of a request that is another replica's is computed.
    pub(crate) fn note_prefill_end(&mut self, slot: Slot, now: Micros, ttft: Span) {
        let h = self.handovers.of(self.active[slot].id);
        (h.prefill_end, h.ttft_prefill) = (now.into(), ttft.into());
    }

    /// A request that leaves or goes back to the gateway has something on another replica, if it has not landed.
    pub(crate) fn end_remote(&mut self, slot: Slot) {
        let active = &mut self.active[slot];
        if let Some(remote) = active.remote.take() {
            let request = active.id;
            self.unsettled.push(Unsettled::Ended { request, slot, remote });
        }
    }

    /// When a request joined the wait queue that it is in.
    pub(crate) fn queued(&self, slot: Slot) -> Micros {
        let active = &self.active[slot];
        let known = self.records.here(active.id).queued.get().unwrap_or(Micros::ZERO);
        active.remote.as_ref().map_or(known, |remote| remote.queued)
    }
}

/// What a replica's event leaves for the cluster to settle, beside departures.
#[derive(Clone, Debug)]
pub(crate) enum Unsettled {
    /// Blocks are set aside at home for this request.
    Reserved(Slot),
    /// This request has left before its KV landed: its other replica has to know.
    Ended { request: RequestId, slot: Slot, remote: Box<Remote> },
    /// Nothing is read from this replica for a request any more, for which it may have waited to stop.
    Lent(ReplicaId),
}
