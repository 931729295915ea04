//! Requests that are prefilled on one replica and decoded on another: where they are present, and the blocks and ports that they
//! take.

use super::Meters;
use super::ports::PortMeter;
use crate::observe::trips::Trip;
use base::{Micros, ReplicaId, RequestId};
use engine::HandoverFact;

impl Meters {
    /// A request leaves its replica, or both replicas that have a part of it.
    pub(super) fn leaves(&mut self, request: RequestId, replica: ReplicaId, now: Micros) {
        let Some(trip) = self.trips.end(request) else {
            self.replicas[replica.index()].left(now);
            return;
        };
        self.stop_flow(trip, now);
        let home = &mut self.replicas[trip.home.index()];
        home.moving.give_back(now, trip.reserved, trip.landed);
        home.left(now);
        if trip.there {
            self.leaves_prefill(trip, now);
        }
    }

    /// The ports that a transfer uses.
    fn ports_of(&mut self, trip: Trip) -> [&mut PortMeter; 2] {
        let both = [trip.prefill.index(), trip.home.index()];
        let [out, into] =
            self.replicas.get_disjoint_mut(both).expect("INV-9: a transfer between two replicas");
        [&mut out.ports[0], &mut into.ports[1]]
    }

    /// The transfer of a request ends, if it flows.
    fn stop_flow(&mut self, trip: Trip, now: Micros) {
        if trip.flows_since.is_some() {
            for port in self.ports_of(trip) {
                port.ends(now);
            }
        }
    }

    /// Its prefill replica is done with a request.
    fn leaves_prefill(&mut self, trip: Trip, now: Micros) {
        let m = &mut self.replicas[trip.prefill.index()];
        m.moving.change(now, |b| b.outgoing = b.outgoing.saturating_sub(trip.held));
        m.left(now);
    }

    pub(super) fn handover(&mut self, now: Micros, fact: HandoverFact) {
        match fact {
            HandoverFact::Decided { request, home, prefill: Some(prefill), .. } => {
                self.trips.begin(request, Trip::new(home, prefill));
                self.replicas[prefill.index()].presence.comes(now);
            }
            HandoverFact::Prefilled { request, replica, blocks, .. } => {
                self.trips.change(request, |trip| trip.held = blocks);
                self.replicas[replica.index()].moving.change(now, |b| b.outgoing += blocks);
            }
            HandoverFact::Reserved { request, replica, blocks, cached, .. } => {
                let m = &mut self.replicas[replica.index()];
                m.set_waiting(now, m.waiting.saturating_sub(1));
                m.moving.change(now, |b| b.incoming += blocks + cached);
                self.trips.change(request, |trip| trip.reserved = blocks + cached);
            }
            HandoverFact::Landed { request, to, .. } => {
                let before = self.trips.change(request, |trip| {
                    (trip.there, trip.landed, trip.flows_since) = (false, true, None);
                });
                let Some(trip) = before else { return };
                self.stop_flow(trip, now);
                let from = self.from;
                for port in self.ports_of(trip) {
                    port.lands(&trip, from, now);
                }
                self.leaves_prefill(trip, now);
                self.replicas[to.index()].moving.change(now, |b| {
                    b.incoming = b.incoming.saturating_sub(trip.reserved);
                    b.landed += trip.reserved;
                });
            }
            HandoverFact::Joined { request, replica, .. } => {
                let blocks = self.trips.end(request).map_or(0, |trip| trip.reserved);
                self.replicas[replica.index()].moving.give_back(now, blocks, true);
            }
            HandoverFact::GivenUp { request, replica, .. } => self.gives_up(request, replica, now),
            HandoverFact::TransferStarted { request, bytes, early, .. } => {
                self.trips.change(request, |trip| trip.bytes = [bytes, early]);
            }
            HandoverFact::Flows { request, .. } => {
                let before = self.trips.change(request, |trip| trip.flows_since = Some(now));
                let Some(trip) = before else { return };
                for port in self.ports_of(trip) {
                    port.begins(now);
                }
            }
            HandoverFact::KvLost { request, replica, waiting, .. } => {
                self.replicas[replica.index()].set_waiting(now, waiting);
                let Some(trip) = self.trips.end(request) else { return };
                self.stop_flow(trip, now);
                self.replicas[trip.home.index()].moving.give_back(now, trip.reserved, trip.landed);
                if trip.there {
                    self.leaves_prefill(trip, now);
                }
            }
            HandoverFact::Decided { prefill: None, .. }
            | HandoverFact::Stranded { .. }
            | HandoverFact::LeaseOver { .. } => {}
        }
    }

    /// A replica gives back the blocks of a request before the landing.
    fn gives_up(&mut self, request: RequestId, replica: ReplicaId, now: Micros) {
        let Some(trip) = self.trips.change(request, |trip| trip.flows_since = None) else { return };
        self.stop_flow(trip, now);
        if replica == trip.home {
            self.replicas[replica.index()].moving.give_back(now, trip.reserved, trip.landed);
            self.trips.change(request, |trip| trip.reserved = 0);
        } else if trip.there {
            self.leaves_prefill(trip, now);
            self.trips.change(request, |trip| (trip.there, trip.held) = (false, 0));
        }
    }
}
