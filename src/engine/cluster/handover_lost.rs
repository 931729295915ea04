//! Hand-overs whose home or prefill replica crashes, and transfers that take too long.
//!
//! A home that crashed fetches nothing: what is prefilled for it goes on, and its blocks are stranded on the prefill replica until
//! their lease is over. A prefill replica that crashed took the KV with it that had not landed: attempts break, or homes compute
//! the prompts themselves. INV-11: what a broken attempt held is given back in the same event, stranded blocks by their lease.

use crate::Cluster;
use crate::clock::ScalingEvent;
use crate::cluster::handover::PlacedRequest;
use crate::facts::{BreakReason, HandoverFact, Sink};
use crate::fleet::BrokenTransfer;
use crate::replica::{HeldKv, Lease, Replica};
use crate::request::{Remote, Slot};
use base::math::round_to_span;
use base::small::sort::sort_by_key;
use base::{Micros, ReplicaId, RequestId, Span};
use document::{KvLoadFailure, Resilience};
use serde::{Deserialize, Serialize};

/// What becomes of KV that is lost, and of blocks that nobody fetches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KvLosses {
    /// Whether homes compute prompts again whose KV was lost; otherwise attempts break.
    recompute: bool,
    lease: Span,
    pub(crate) transfer_timeout: Span,
    /// How many requests had their blocks stranded.
    count: u32,
    /// Leases that are not over.
    leases: u32,
}

impl KvLosses {
    /// Follows other settings from now on.
    pub(crate) fn adopt(&mut self, s: &Resilience) {
        self.recompute = s.kv_load_failure == KvLoadFailure::Recompute;
        self.lease = round_to_span(s.lease_s * 1e6);
        self.transfer_timeout = round_to_span(s.transfer_timeout_s * 1e6);
    }

    /// Whether blocks are held until a lease is over.
    pub(crate) fn any_lease(&self) -> bool {
        self.leases > 0
    }
}

impl Cluster {
    /// A replica has crashed, whose own requests broke: it has no part in the hand-overs of others any more. How many others it
    /// counted, and the requests whose homes have to know, by transfer, then by arrival.
    pub(crate) fn part_with(&mut self, lost: ReplicaId, now: Micros) -> (u32, Vec<(Slot, BreakReason)>) {
        let (mut counted, mut others) = (0, Vec::new());
        if self.network.is_none() {
            return (counted, others);
        }
        for (slot, at) in self.hand_overs_of(lost) {
            let active = &self.book.active()[slot];
            let request = active.id;
            let remote = self.remote(slot);
            if remote.home == lost && at == remote.prefill {
                self.lose_home(slot, now);
                counted += 1;
            } else if remote.home != lost && remote.prefilled {
                others.push((slot, BreakReason::KvLost));
            } else if remote.home != lost && at != lost {
                // It waits at home for room, and its prefill replica knows of it.
                self.fleet.replicas_mut()[lost.index()].moving.bound -= 1;
                let (gateway, around) = self.at(now);
                gateway.leaves_prefill(request, lost, false, &around);
                counted += 1;
                others.push((slot, BreakReason::Crash));
            }
        }
        (counted, others)
    }

    /// The hand-overs under way that a replica has a part in, with the replica that has the request, by transfer, then by arrival.
    fn hand_overs_of(&self, replica: ReplicaId) -> Vec<(Slot, ReplicaId)> {
        let mut all = Vec::new();
        for slot in self.book.active().in_use() {
            let active = &self.book.active()[slot];
            let Some(remote) = active.remote.as_deref() else { continue };
            let has_part = remote.prefill == replica || remote.home == replica && !remote.home_lost;
            if let Some(at) = self.book.here(active.id).replica().filter(|_| has_part) {
                all.push((remote.transfer.unwrap_or(u32::MAX), active.id, slot, at));
            }
        }
        sort_by_key(&mut all, |&(transfer, request, ..)| u64::from(transfer) << 32 | u64::from(request.0));
        all.into_iter().map(|(.., slot, at)| (slot, at)).collect()
    }

    /// The home of a request has crashed that is at its prefill replica: its prefill goes on.
    fn lose_home(&mut self, slot: Slot, now: Micros) {
        let active = &mut self.book.active_mut()[slot];
        let request = active.id;
        let remote = active.remote.as_mut().expect("INV-9: a home of a request that is not handed over");
        let (home, epoch) = (remote.home, remote.epoch);
        let moving = &mut self.fleet.replicas_mut()[home.index()].moving;
        moving.bound -= u32::from(remote.is_bound_for(home));
        moving.end_duty(epoch);
        remote.home_lost = true;
        remote.is_reserved = false;
        let (gateway, around) = self.at(now);
        gateway.forget_at(home, request, &around);
    }

    /// A request whose home is lost has left its prefill replica.
    pub(crate) fn end_homeless<S: Sink>(
        &mut self,
        request: RequestId,
        slot: Slot,
        mut remote: Remote,
        sink: &mut S,
    ) {
        let now = self.clock.now();
        let prefill = remote.prefill;
        let (gateway, around) = self.at(now);
        gateway.leaves_prefill_router(request, prefill, remote.prefilled, &around);
        if remote.prefilled {
            self.strand(PlacedRequest { request, slot }, &mut remote, now, sink);
        }
        let r = &mut self.fleet.replicas_mut()[prefill.index()];
        if r.moving.end_duty(remote.epoch) {
            r.wake_for_work(now);
        }
        self.see(prefill, 0, sink);
    }

    /// Nobody fetches what a prefill replica holds for a request: its blocks are stranded until their lease is over.
    pub(crate) fn strand<S: Sink>(
        &mut self,
        placed: PlacedRequest,
        remote: &mut Remote,
        now: Micros,
        sink: &mut S,
    ) {
        let PlacedRequest { request, slot } = placed;
        let (replica, number) = (remote.prefill, self.faults.kv.count);
        let states = self.states_of_gone(request, replica);
        let tokens = self.book.here(request).prompt_tokens;
        let until = now.saturating_add(self.faults.kv.lease);
        (self.faults.kv.count, self.faults.kv.leases) = (number + 1, self.faults.kv.leases + 1);
        let r = &mut self.fleet.replicas_mut()[replica.index()];
        let blocks =
            r.strand(Lease { request, number }, HeldKv { request, slot, tokens, states }, remote, now);
        self.clock.schedule_scaling(until, ScalingEvent::LeaseOver { replica, number });
        sink.fact(now, HandoverFact::Stranded { request, replica, blocks, until }.into());
    }

    /// The lease of stranded blocks is over: they are given back, and stay cached.
    pub(crate) fn end_lease<S: Sink>(&mut self, replica: ReplicaId, number: u32, sink: &mut S) {
        let now = self.clock.now();
        self.faults.kv.leases -= 1;
        let r = &mut self.fleet.replicas_mut()[replica.index()];
        let Some((request, blocks)) = r.end_lease(number, now) else { return };
        r.wake_for_work(now);
        sink.fact(now, HandoverFact::LeaseOver { request, replica, blocks }.into());
        self.see(replica, 0, sink);
    }

    /// The next transfer has taken too long.
    pub(crate) fn time_out_transfer<S: Sink>(&mut self, sink: &mut S) {
        let now = self.clock.now();
        let network = self.network_mut();
        let number = network.pop().expect("INV-9: no transfer takes too long");
        let request =
            network.transfer(number).expect("INV-9: a transfer that is over takes too long").request;
        let slot = self.book.here(request).slot;
        self.lose_kv(slot, BreakReason::TransferTimeout, now, sink);
    }

    /// The KV of a request will not come to its home, where it is: its attempt breaks, or its home computes its prompt itself.
    pub(crate) fn lose_kv<S: Sink>(&mut self, slot: Slot, reason: BreakReason, now: Micros, sink: &mut S) {
        let request = self.book.active()[slot].id;
        let recompute = self.faults.kv.recompute && reason != BreakReason::Crash;
        let remote = self.remote(slot);
        let (home, prefill, transfer) = (remote.home, remote.prefill, remote.transfer);
        if let Some(number) = transfer {
            self.network_mut().give_up(number, now);
        }
        if !self.fleet.is_down(prefill) {
            self.take_back_held(PlacedRequest { request, slot }, prefill, now, sink);
        }
        let (fleet, book) = (&mut self.fleet, &mut self.book);
        let remote = if recompute {
            fleet.recompute(home, slot, now, book, sink)
        } else {
            fleet.break_away(home, BrokenTransfer { slot, reason, now }, book, sink)
        };
        for replica in [prefill, home] {
            let r = &mut self.fleet.replicas_mut()[replica.index()];
            r.moving.end_duty(remote.epoch);
            if r.phase() != crate::policy::ReplicaPhase::Failed {
                r.wake_for_work(now);
                self.clock.set_replica(replica.index(), r.next_at());
            }
        }
        if recompute {
            self.see(home, 0, sink);
        } else {
            let r: &Replica = &self.fleet.replicas()[home.index()];
            self.gateway.see_replica(r, 1, now, std::iter::empty());
            self.settle_departures(home.index(), sink);
        }
        if !self.fleet.is_down(prefill) {
            self.see(prefill, 0, sink);
        }
    }

    /// The prefill replica of a request gives back what it holds for it.
    fn take_back_held<S: Sink>(
        &mut self,
        placed: PlacedRequest,
        prefill: ReplicaId,
        now: Micros,
        sink: &mut S,
    ) {
        let PlacedRequest { request, slot } = placed;
        let states = self.states_of_gone(request, prefill);
        let tokens = self.book.here(request).prompt_tokens;
        let active = &mut self.book.active_mut()[slot];
        let remote = active.remote.as_mut().expect("INV-9: a transfer of what is not handed over");
        let r = &mut self.fleet.replicas_mut()[prefill.index()];
        let blocks = r.release_held(HeldKv { request, slot, tokens, states }, remote, now);
        sink.fact(now, HandoverFact::GivenUp { request, replica: prefill, blocks }.into());
    }
}
