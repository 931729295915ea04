//! A replica that is taken away without waiting for its requests: they are dropped, or go back to the router.
//!
//! What waits goes at the instant of the decision. What runs is in the middle of a step: it is dropped when that ends, and
//! never redirected, because what it has computed is here.

use super::departure::{Departure, DepartureReason};
use super::state::Replica;
use super::world::World;
use crate::facts::{DropReason, FleetFact, Sink};
use crate::policy::ReplicaPhase;
use crate::request::{Location, Slot};
use base::Micros;
use document::Drain;

impl Replica {
    /// What happens to a request that comes here, or waits here, now.
    pub(crate) fn drains_by(&self) -> Drain {
        if self.phase == ReplicaPhase::Draining { self.life.drain } else { Drain::Wait }
    }

    /// The wait queue of a replica that is taken away.
    pub(crate) fn send_away<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        match self.drains_by() {
            Drain::Wait => return,
            Drain::Immediate => {
                while let Some(&slot) = self.waiting.front() {
                    self.leave_queue(0);
                    self.give_up_reads(slot, now, w);
                    self.drop_request(slot, now, DropReason::Drained, w);
                }
                let moving = self.moving.incoming.iter().chain(&self.moving.landed);
                for slot in moving.copied().collect::<Vec<_>>() {
                    if w.records.here(w.active[slot].id).replica() == Some(self.id) {
                        self.forget_moving(slot, now, w);
                        self.drop_request(slot, now, DropReason::Drained, w);
                    }
                }
            }
            Drain::Redirect => {
                let fresh = |slot: &Slot| !w.records.here(w.active[*slot].id).first_scheduled.is_known();
                let going: Vec<Slot> = self.waiting.iter().copied().filter(fresh).collect();
                for slot in going {
                    let at = self.waiting.iter().position(|&s| s == slot);
                    self.leave_queue(at.expect("INV-2: a request waits and is in no queue"));
                    self.give_up_reads(slot, now, w);
                    let prompt = w.active[slot].prompt_tokens;
                    let active = &w.active[slot];
                    self.recent.waiting_tokens -= u64::from(active.to_compute_at(self.id));
                    let seeks_room = active.seeks_room_at(self.id);
                    self.adapter_waits_no_more(w.active[slot].adapter);
                    if seeks_room {
                        self.moving.prompt_tokens -= u64::from(prompt);
                    } else {
                        self.totals.prompt_tokens -= u64::from(prompt);
                    }
                    self.redirect(slot, now, w);
                }
            }
        }
        self.empty_front_end(now, w);
        let empty = self.waiting.is_empty() && self.moving.landed.is_empty();
        if self.step.is_none() && empty && self.running == 0 {
            self.step_at = Micros::MAX;
        }
    }

    /// A request that comes to a replica that is taken away; whether it was sent away.
    pub(crate) fn turn_back<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) -> bool {
        match self.drains_by() {
            Drain::Wait => return false,
            Drain::Immediate => {
                let record = w.records.here_mut(w.active[slot].id);
                if !record.queued.is_known() {
                    record.queued = now.into();
                }
                self.drop_request(slot, now, DropReason::Drained, w);
            }
            Drain::Redirect if w.active[slot].remote.as_ref().is_some_and(|r| r.prefilled) => return false,
            Drain::Redirect => self.redirect(slot, now, w),
        }
        true
    }

    /// The batch of a replica that is taken away at once, between two steps.
    pub(crate) fn drop_batch<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        if self.drains_by() != Drain::Immediate {
            return;
        }
        let mut next = self.head;
        while next != Slot::NONE {
            let slot = next;
            next = w.active[slot].after;
            // What is on its way through a pipe goes when it leaves it.
            if w.active[slot].flight == 0 {
                self.leave_batch(slot, now, w.active);
                w.end_last_stay(slot, now);
                self.drop_request(slot, now, DropReason::Drained, w);
            }
        }
    }

    /// A request in no list any more goes back to the gateway.
    fn redirect<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        let active = &mut w.active[slot];
        // What it looked up was looked up here.
        active.chain.clear();
        active.chained = false;
        active.position = None;
        let (request, urgency) = (active.id, active.urgency);
        w.end_remote(slot);
        let record = w.records.here_mut(request);
        record.relocate(Location::Gateway, w.locations);
        record.routed = base::Maybe::NONE;
        record.tokenised = base::Maybe::NONE;
        record.queued = base::Maybe::NONE;
        let class = record.class;
        if self.reported_blocked == slot {
            self.reported_blocked = Slot::NONE;
        }
        w.departures.push(Departure { request, why: DepartureReason::Redirected });
        let waiting = self.waiting.len() as u32;
        w.sink.fact(now, FleetFact::Redirected { request, replica: self.id, class, urgency, waiting }.into());
    }
}
