//! Blocks pulled from the CPU memory of other replicas: what these have of a prompt, and what is read from them.
//!
//! Only CPU memory is read, and only of the replica that the router named. That one answers between two of its steps. What is read
//! stays there until the flow ends, so that its new blocks may find no room meanwhile.

use super::lender::Lender;
use super::state::Replica;
use super::world::{Unsettled, World};
use crate::facts::{FlowKind, Sink};
use crate::network::Flow;
use crate::policy::ReplicaPhase;
use base::{Micros, ReplicaId, RequestId};

impl Replica {
    /// Whether others may read its CPU memory.
    pub(crate) fn lends_blocks(&self) -> bool {
        matches!(self.phase, ReplicaPhase::Serving | ReplicaPhase::Draining)
    }

    /// Whether a block in its CPU memory can be read.
    pub(crate) fn lends(&mut self, hash: u64) -> bool {
        self.kv.has_cpu_tier() && self.kv.own().lends(hash)
    }

    /// Whether routers see a block in its CPU memory at `now`.
    pub(crate) fn shows_below(&mut self, hash: u64, now: Micros) -> bool {
        if self.kv.is_seen_late() { self.kv.shows_below(hash, now) } else { self.lends(hash) }
    }

    /// How many leading blocks of a chain they see in its CPU memory, or on its GPU where that counts too.
    pub(crate) fn leading(&mut self, chain: &[u64], with_gpu: bool, now: Micros) -> u32 {
        self.tell_time(now);
        self.kv.own().leading(chain, with_gpu, now)
    }

    /// Routers learn that it has lost its contents, if it has.
    pub(crate) fn show_loss(&mut self) {
        if self.kv.is_loss_hidden() {
            self.kv.own().show_loss();
        }
    }
}

impl Lender for Replica {
    fn has_to_lend(&mut self, hash: u64, now: Micros) -> bool {
        self.tell_time(now);
        self.lends_blocks() && self.lends(hash)
    }

    fn free_at(&self, now: Micros) -> Micros {
        let is_computing = self.step.is_some() || self.pipe.is_some() && self.step_at != Micros::MAX;
        if is_computing { self.step_at } else { now }
    }

    fn lend(&mut self, hashes: &[u64]) {
        for &hash in hashes {
            self.kv.own().refer(hash);
        }
    }

    fn take_back(&mut self, hashes: &[u64]) -> bool {
        for &hash in hashes {
            self.kv.own().unrefer(hash);
        }
        self.phase == ReplicaPhase::Draining
    }
}

impl<S: Sink> World<'_, S> {
    /// The first tier below CPU memory of a replica from which a request may read a block, but those it is `barred` from.
    pub(super) fn find_below(
        &mut self,
        (replica, request): (ReplicaId, RequestId),
        hash: u64,
        barred: &[u32],
        now: Micros,
    ) -> Option<u32> {
        let lower = self.lower.as_deref_mut()?;
        let (peers, tiers) = (&mut self.peers, lower.tiers(replica));
        let mut holds = |tier| {
            if let Some(place) = lower.place_mut(replica, tier) {
                return place.holds(hash, now);
            }
            let source = lower.sources.of(request).and_then(|from| peers.get(from));
            source.is_some_and(|peer| peer.has_to_lend(hash, now))
        };
        (0..tiers).filter(|tier| !barred.contains(tier)).find(|tier| holds(*tier))
    }

    /// A read from a tier below CPU memory sets out. Its number.
    pub(super) fn start_read(
        &mut self,
        request: RequestId,
        of: (ReplicaId, u32),
        hashes: Vec<u64>,
        now: Micros,
    ) -> Option<u32> {
        let lower = self.lower.as_deref_mut()?;
        let source = lower.sources.of(request).filter(|_| lower.place(of.0, of.1).is_none());
        let peer = source.and_then(|from| Some((from, self.peers.get(from)?)));
        let flow = match peer {
            Some((from, peer)) => {
                peer.lend(&hashes);
                let free = peer.free_at(now);
                lower.pull((request, from), of, hashes, (now, free))
            }
            None => lower.start((FlowKind::Read, Some(request)), of, hashes, now),
        };
        self.sink.tiers(now, flow.news());
        Some(flow.number)
    }

    /// A flow ends: its blocks are there, or will not come by it. What it read of another replica may go.
    pub(crate) fn end_flow(&mut self, number: u32, has_landed: bool, now: Micros) -> Option<Flow> {
        let flow = self.lower.as_deref_mut()?.end(number, has_landed, now);
        if let Some(from) = flow.source
            && self.peers.get(from).is_some_and(|peer| peer.take_back(&flow.hashes))
        {
            self.unsettled.push(Unsettled::Lent(from));
        }
        Some(flow)
    }
}
