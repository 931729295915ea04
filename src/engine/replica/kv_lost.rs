//! Requests whose KV does not come to their home: they break there, or their home computes their prompts itself.

use super::state::Replica;
use super::waiting::view_of;
use super::world::World;
use crate::clock::ReplicaEvent;
use crate::facts::{BreakReason, HandoverFact, Sink};
use crate::request::{Location, Remote, Slot};
use base::{Maybe, Micros};

impl Replica {
    /// A request at its home breaks before its KV is here. What it had of a hand-over.
    pub(crate) fn break_away<S: Sink>(
        &mut self,
        slot: Slot,
        reason: BreakReason,
        now: Micros,
        w: &mut World<'_, S>,
    ) -> Remote {
        let request = w.active[slot].id;
        let location = w.records.here(request).location();
        if matches!(location, Location::OnItsWay(_)) {
            self.events.take_all(|event| event == ReplicaEvent::Queued(slot));
            self.arriving -= 1;
        } else if matches!(location, Location::Transferring(_)) {
            self.forget_incoming(slot, now, w);
        } else {
            self.part_from_queue(slot, w);
        }
        let prefilled = w.handed_over(slot);
        w.end_stay_elsewhere(slot);
        let remote = w.active[slot].remote.take().expect("INV-9: KV that was not to come");
        self.break_off(slot, reason, prefilled, w);
        self.forget_timeouts(w.records);
        *remote
    }

    /// A request at its home computes its prompt here: at the head of the queue, or where it joins it if it is on its way. What
    /// it had of a hand-over.
    pub(crate) fn recompute<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) -> Remote {
        let request = w.active[slot].id;
        let location = w.records.here(request).location();
        let [on_its_way, transferring] =
            [matches!(location, Location::OnItsWay(_)), matches!(location, Location::Transferring(_))];
        if transferring {
            self.give_up_incoming(slot, now, w.active);
        } else if !on_its_way {
            self.part_from_queue(slot, w);
        }
        let remote = w.active[slot].remote.take().expect("INV-9: KV that was not to come");
        w.handovers.of(request).lost = now.into();
        let active = &mut w.active[slot];
        active.prefill = active.prompt_tokens + active.generated;
        (active.progress, active.computed, active.granted) = (0, 0, 0);
        active.decoding_from = Maybe::NONE;
        active.chain.clear();
        active.chained = false;
        let record = w.records.here_mut(request);
        record.preemptions += 1;
        if !on_its_way {
            if transferring {
                record.relocate(Location::Queue(self.id), w.locations);
                let view = view_of(active, record);
                active.urgency = if active.urged { active.urgency } else { self.priority.of(&view) };
                active.position = self.scheduler.position(&view, active.urgency);
            }
            let prompt = u64::from(active.prompt_tokens);
            self.moving.prompt_tokens -= prompt;
            self.totals.prompt_tokens += prompt;
            self.recent.waiting_tokens += u64::from(active.prefill);
            let adapter = active.adapter;
            self.adapter_waits(adapter);
            self.join_head(slot, now);
        }
        let (class, urgency, replica) = (w.records.here(request).class, w.active[slot].urgency, self.id);
        let waiting = self.waiting.len() as u32;
        w.sink.fact(now, HandoverFact::KvLost { request, replica, class, urgency, waiting }.into());
        *remote
    }

    /// To the head of the queue, after those that came there at the same instant.
    fn join_head(&mut self, slot: Slot, now: Micros) {
        let (at, before) = self.moving.recovered;
        let place = if at == now { before.min(self.unsorted.0) } else { 0 };
        self.waiting.insert(place as usize, slot);
        self.unsorted.0 += 1;
        self.moving.recovered = (now, place + 1);
        self.refused = None;
    }

    /// A request that waits for its KV leaves the queue.
    fn part_from_queue<S: Sink>(&mut self, slot: Slot, w: &World<'_, S>) {
        let place = self.waiting.iter().position(|&other| other == slot);
        self.leave_queue(place.expect("INV-2: a request waits and is in no queue"));
        let active = &w.active[slot];
        self.recent.waiting_tokens -= u64::from(active.to_compute_at(self.id));
        self.adapter_waits_no_more(active.adapter);
        if self.reported_blocked == slot {
            self.reported_blocked = Slot::NONE;
        }
    }

    /// What is set aside here for a request goes back.
    fn forget_incoming<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        let blocks = self.give_up_incoming(slot, now, w.active);
        let (request, replica) = (w.active[slot].id, self.id);
        w.sink.fact(now, HandoverFact::GivenUp { request, replica, blocks }.into());
    }

    /// The replica crashes: so do the requests whose KV is here or on its way here, and what it holds for others is gone. Requests
    /// that are prefilled elsewhere for it go on there.
    pub(super) fn break_moving<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        for slot in std::mem::take(&mut self.moving.landed) {
            let active = &mut w.active[slot];
            self.kv.own().release(&mut active.block_table, active.progress, now);
            self.release_states(slot, now, w.active);
            let prefilled = w.handed_over(slot);
            w.end_stay_elsewhere(slot);
            self.break_off(slot, BreakReason::Crash, prefilled, w);
        }
        for slot in self.moving.incoming.clone() {
            if w.records.here(w.active[slot].id).replica() == Some(self.id) {
                self.give_up_incoming(slot, now, w.active);
                let prefilled = w.handed_over(slot);
                w.end_stay_elsewhere(slot);
                self.break_off(slot, BreakReason::Crash, prefilled, w);
            } else {
                self.forget_incoming(slot, now, w);
            }
        }
        for slot in std::mem::take(&mut self.moving.outgoing) {
            let states = self.states_of(&w.active[slot]);
            let remote = w.active[slot].remote.as_mut().expect("INV-9: blocks held for what has landed");
            self.kv.own().release(&mut remote.held, 0, now);
            self.kv.own().release_states(states, now);
        }
        self.moving.held_blocks = 0;
        self.moving.joined.clear();
        self.lose_stranded(now);
    }
}
