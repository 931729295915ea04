//! The crash of a replica: the running step yields nothing, and everything that the replica had is gone.
//!
//! INV-11: a replica that is down holds no block, has no request and runs no step.

use super::decode::Decoders;
use super::departure::{Departure, DepartureReason};
use super::front_end::FrontEnd;
use super::signals::Recent;
use super::state::Replica;
use super::tier_load::Loads;
use super::world::World;
use crate::clock::ReplicaEvent;
use crate::facts::{BreakReason, Sink};
use crate::request::{Location, Slot};
use base::{Maybe, Micros};

impl Replica {
    /// Its requests break and go back to the gateway, those in the batch first, then those in the queue, then those on their way
    /// to it. It has no events any more.
    pub(crate) fn crash<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        self.clock = self.clock.max(now);
        self.lose_flows(now, w);
        if let Some(life) = w.life.as_deref_mut() {
            self.stop_prefetches(life);
        }
        while self.head != Slot::NONE {
            self.break_running(self.head, now, w);
        }
        while let Some(&slot) = self.waiting.front() {
            self.leave_queue(0);
            self.give_up_reads(slot, now, w);
            let active = &w.active[slot];
            self.recent.waiting_tokens -= u64::from(active.to_compute_at(self.id));
            self.adapter_waits_no_more(active.adapter);
            self.break_elsewhere(slot, w);
        }
        self.break_moving(now, w);
        for event in self.events.take_all(|_| true) {
            if let ReplicaEvent::Queued(slot) = event
                && w.active.get(slot).is_some()
            {
                self.arriving -= 1;
                self.break_elsewhere(slot, w);
            }
        }
        self.life.stuck_until = Micros::ZERO;
        self.step = None;
        self.step_at = Micros::MAX;
        self.lockstep.break_off(now);
        self.model.set_balanced(false);
        let ticks = self.decoders.ticks;
        self.decoders = Decoders::new(self.kv.block_tokens());
        self.decoders.ticks = ticks;
        self.front_end = FrontEnd::new();
        self.loads = Loads::default();
        self.recent = Recent::new(now);
        self.refused = None;
        self.reported_blocked = Slot::NONE;
        self.preempted_since_progress = 0;
        if let Some(pipe) = &mut self.pipe {
            pipe.empty(now);
        }
        self.tell_time_of_change(now);
        self.restart_memory();
    }

    /// A request that has computed nothing here, and perhaps something on its prefill replica.
    fn break_elsewhere<S: Sink>(&mut self, slot: Slot, w: &mut World<'_, S>) {
        let is_handed_over = w.active[slot].remote.as_ref().is_some_and(|remote| remote.prefilled);
        let prefilled = if is_handed_over { w.handed_over(slot) } else { 0 };
        if is_handed_over {
            w.end_stay_elsewhere(slot);
        }
        self.break_off(slot, BreakReason::Crash, prefilled, w);
    }

    /// A member of the batch: what the running step would have given it is lost too.
    fn break_running<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        let active = &w.active[slot];
        let request = active.id;
        let record = w.records.here(request);
        let prefilled = active.computed.max(active.progress).min(active.prefill);
        let prefilled = prefilled.saturating_sub(record.cached_tokens);
        let steady = active.decoding && !active.behind;
        let shown = self.last_step_end() + self.front_end.late;
        self.leave_batch(slot, now, w.active);
        if steady {
            w.active[slot].last_token = shown;
        }
        if w.active[slot].generated > 0 || w.records.here(request).preemptions > 0 {
            w.end_stay(slot, now);
        }
        self.break_off(slot, BreakReason::Crash, prefilled, w);
    }

    /// What it has done so far stands in its record.
    fn note_progress<S: Sink>(&self, slot: Slot, w: &mut World<'_, S>) {
        let active = &w.active[slot];
        let done = self.progress_of(active, w.records.here(active.id).ttft);
        let record = w.records.here_mut(active.id);
        (record.itl_sum, record.output_time) = (done.itl_sum, done.output_time);
        (record.progress, record.generated) = (done.stored, done.generated);
    }

    /// A request in no list any more, which holds no blocks: it goes back to the gateway, with what was shown of its answer.
    pub(super) fn break_off<S: Sink>(
        &mut self,
        slot: Slot,
        reason: BreakReason,
        prefilled: u32,
        w: &mut World<'_, S>,
    ) {
        self.note_progress(slot, w);
        let overhead = self.model.output_overhead();
        let active = &mut w.active[slot];
        active.fix_output_time(overhead, self.decoders.ticks);
        active.decoding_from = Maybe::NONE;
        (active.progress, active.computed, active.granted) = (0, 0, 0);
        (active.flight, active.excess) = (0, 0);
        active.chain.clear();
        active.chained = false;
        active.position = None;
        let request = active.id;
        w.end_remote(slot);
        self.forget_wishes(request);
        w.records.here_mut(request).relocate(Location::Gateway, w.locations);
        let why = DepartureReason::Broken { reason, prefilled };
        w.departures.push(Departure { request, why });
    }

    /// INV-11: nothing is left of what it had.
    pub(crate) fn verify_down(&self) {
        let idle = self.step.is_none() && self.next_at() == Micros::MAX;
        assert!(idle, "INV-11: {:?} is down and has a step or an event", self.id);
        let (requests, blocks) = (self.in_flight(), self.kv.used());
        assert!(
            requests == 0 && blocks == 0,
            "INV-11: {:?} is down with {requests} requests and {blocks} blocks",
            self.id
        );
    }
}
