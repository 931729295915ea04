//! Requests sent to a replica that the gateway cannot reach: each counts as sent there until its attempt breaks, and stays at the
//! gateway. Signals that are late because of faults.

use super::around::Around;
use super::attempts::BrokenAttempt;
use super::routing::uncached_tokens;
use super::state::Gateway;
use crate::clock::ClusterEvent;
use crate::facts::{BreakReason, RequestFact, Sink};
use crate::policy::routing::Outcome;
use crate::replica::Replica;
use crate::request::Slot;
use base::{Micros, ReplicaId, Span};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many requests wait for a connection, by number of the replica.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Connecting(BTreeMap<u32, u32>);

impl Connecting {
    /// Those to a replica.
    #[inline]
    pub(super) fn to(&self, replica: ReplicaId) -> u32 {
        if self.0.is_empty() { 0 } else { self.0.get(&replica.0).copied().unwrap_or(0) }
    }

    fn begin(&mut self, replica: ReplicaId) {
        *self.0.entry(replica.0).or_insert(0) += 1;
    }

    fn end(&mut self, replica: ReplicaId) {
        let waiting = self.0.get_mut(&replica.0).expect("INV-1: no connection to end");
        *waiting -= 1;
        if *waiting == 0 {
            self.0.remove(&replica.0);
        }
    }
}

impl Gateway {
    /// A request is sent to a replica that cannot be reached: its attempt breaks when the time for a connection is over.
    pub(super) fn connect<S: Sink>(
        &mut self,
        slot: Slot,
        replica: ReplicaId,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        let now = around.now;
        let request = around.book.active()[slot].id;
        let record = around.book.here_mut(request);
        if !record.ttft.is_known() {
            record.routed = now.into();
        }
        let prompt_tokens = record.prompt_tokens;
        let index = replica.index();
        self.attempts.counts.attempts += 1;
        self.connecting.begin(replica);
        self.in_flight[index] += 1;
        self.picture.send(index, self.in_flight[index], prompt_tokens, now);
        let to = &around.fleet.replicas()[index];
        if let Some(gauge) = &mut self.admission.gauge {
            gauge.sent(request, replica, || uncached_tokens(to, &around.book.active()[slot], now));
        }
        if let Some(flow) = &mut self.flow {
            flow.sent((request, now), to, around.book);
        }
        sink.fact(now, RequestFact::Routed { request, replica }.into());
        let at = now.saturating_add(self.attempts.connect);
        around.clock.schedule(at, ClusterEvent::Unreached { slot, replica });
    }

    /// The time for a connection is over.
    pub(super) fn give_up_connecting<S: Sink>(
        &mut self,
        slot: Slot,
        replica: ReplicaId,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        let request = around.book.active()[slot].id;
        let index = replica.index();
        self.connecting.end(replica);
        self.in_flight[index] -= 1;
        self.picture.take_back(index, self.in_flight[index]);
        self.picture.forget(index, around.book.here(request).prompt_tokens);
        if let Some(gauge) = &mut self.admission.gauge {
            gauge.computed(request);
        }
        if let Some(flow) = &mut self.flow {
            flow.left_replica(request, around.now);
        }
        self.tell_router_it_broke(slot, replica, around);
        self.attempt_broke(
            slot,
            BrokenAttempt::before_prefill(Some(replica), BreakReason::Unreachable),
            around,
            sink,
        );
    }

    /// The router learns that a request which it sent to a replica never got there.
    pub(super) fn tell_router_it_broke(&mut self, slot: Slot, replica: ReplicaId, around: &Around<'_>) {
        if !self.router.wants_departures() {
            return;
        }
        let request = around.book.active()[slot].id;
        let output_tokens = around.book.here(request).generated;
        let (now, ttft, e2e) = (around.now, None, None);
        let replica = self.known_as(replica, around);
        self.router.left(&Outcome { now, request, replica, ttft, e2e, output_tokens });
    }

    /// The signals of a replica are that late from now on; not any more if that is 0.
    pub(crate) fn set_late(&mut self, replica: &Replica, delay: Span, now: Micros) {
        self.picture.set_late(replica, delay, now);
        if let Some(gauge) = &mut self.admission.gauge {
            gauge.set_late(replica, delay, now);
        }
        if let Some(flow) = &mut self.flow {
            flow.set_late(replica, delay, now);
        }
    }
}
