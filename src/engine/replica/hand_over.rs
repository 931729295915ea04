//! The steps of a hand-over that a replica takes: the end of a prefill for another one, blocks set aside at home, and requests
//! that join the batch with the KV that has come.

use super::batch::Phase1;
use super::decode::Decoding;
use super::departure::{Departure, DepartureReason};
use super::running_step::StepEnd;
use super::state::Replica;
use super::waiting::Left;
use super::world::{Unsettled, World};
use crate::clock::ReplicaEvent;
use crate::facts::{BreakReason, FleetFact, HandoverFact, RequestFact, Sink};
use crate::request::{Location, Slab, Slot};
use base::{Maybe, Micros, Span};

impl Replica {
    /// The prompt of a request is computed for its home: it leaves the batch, and its blocks stay held.
    pub(super) fn hand_over<S: Sink>(&mut self, slot: Slot, end: StepEnd, w: &mut World<'_, S>) {
        let StepEnd { now, shown, overhead, .. } = end;
        w.end_last_stay(slot, now);
        let active = &w.active[slot];
        let (request, ttft) = (active.id, (shown + overhead).since(active.arrival));
        let remote = active.remote.as_ref().expect("INV-9: a prefill for no home");
        if remote.home_lost {
            self.hand_over_to_nobody(slot, now, ttft, w);
            return;
        }
        let (home, push, ahead) = (remote.home, remote.push, remote.ahead);
        w.note_prefill_end(slot, now, ttft);
        if ahead > 0 {
            self.show_first_token(slot, shown, overhead, w);
            let active = &mut w.active[slot];
            (active.generated, active.last_token) = (1, shown);
            (active.fixed_tokens, active.fixed_output) = (1, overhead);
        } else {
            self.recent.first_token(ttft);
            self.warm_up(now, w);
        }
        self.unlink(slot, w.active);
        let blocks = self.hold(slot, w.active);
        let next = if push { Location::Transferring(home) } else { Location::OnItsWay(home) };
        w.records.here_mut(request).relocate(next, w.locations);
        self.moving.handed_over += 1;
        self.moving.ttft_sum = self.moving.ttft_sum.saturating_add(ttft.0);
        self.preempted_since_progress = 0;
        w.departures.push(Departure { request, why: DepartureReason::HandedOver });
        let replica = self.id;
        w.sink.fact(now, HandoverFact::Prefilled { request, replica, home, ttft, blocks }.into());
    }

    /// The prompt of a request is computed whose home is lost: its attempt breaks, and its blocks stay held.
    fn hand_over_to_nobody<S: Sink>(&mut self, slot: Slot, now: Micros, ttft: Span, w: &mut World<'_, S>) {
        w.note_prefill_end(slot, now, ttft);
        self.recent.first_token(ttft);
        self.warm_up(now, w);
        self.unlink(slot, w.active);
        self.hold(slot, w.active);
        self.preempted_since_progress = 0;
        let prefilled = w.handed_over(slot);
        self.break_off(slot, BreakReason::Crash, prefilled, w);
    }

    /// The blocks of a request that has left the batch stay held for its home. How many.
    fn hold(&mut self, slot: Slot, slab: &mut Slab) -> u32 {
        let active = &mut slab[slot];
        (active.granted, active.decoding_from) = (0, Maybe::NONE);
        let table = std::mem::take(&mut active.block_table);
        let blocks = table.len();
        let remote = active.remote.as_mut().expect("INV-9: a prefill for no home");
        (remote.held, remote.prefilled) = (table, true);
        self.moving.outgoing.push(slot);
        self.moving.held_blocks += blocks;
        blocks
    }

    /// A request shows its first token.
    pub(super) fn show_first_token<S: Sink>(
        &mut self,
        slot: Slot,
        shown: Micros,
        overhead: Span,
        w: &mut World<'_, S>,
    ) {
        let (request, replica) = (w.active[slot].id, self.id);
        let ttft = (shown + overhead).since(w.active[slot].arrival);
        let (late, now) = (self.front_end.late, self.clock);
        let record = w.records.here_mut(request);
        (record.ttft, record.first_output) = (ttft.into(), overhead + late);
        record.streamed[0] = late;
        self.recent.first_token(ttft);
        self.warm_up(now, w);
        w.prefilled.push(request);
        w.sink.fact(now, RequestFact::FirstToken { request, replica, ttft }.into());
    }

    /// A request has got its first token here: one fewer finds the replica cold.
    fn warm_up<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        if self.life.first_token() {
            w.sink.fact(now, FleetFact::Warm { replica: self.id }.into());
        }
    }

    /// Sets blocks aside for the request at `slot` of the wait queue, whose KV comes from its prefill replica. Whether there was
    /// room.
    pub(super) fn set_aside<S: Sink>(
        &mut self,
        slot: Slot,
        left: Left,
        now: Micros,
        w: &mut World<'_, S>,
    ) -> bool {
        let states = self.states_of(&w.active[slot]);
        let beside = self.kept_free(left) + states;
        let active = &mut w.active[slot];
        let hit = self.cached_prefix(slot, active);
        let remote = active.remote.as_mut().expect("INV-9: blocks set aside for a request that is here");
        let tokens = active.prompt_tokens + remote.ahead;
        if !self.kv.can_admit_beside(beside, hit, tokens) {
            return false;
        }
        let opened = tokens.div_ceil(self.kv.block_tokens()) - hit.blocks;
        let kv = self.kv.own();
        kv.pin(&mut remote.reserved, &active.chain[..hit.blocks as usize]);
        kv.set_aside(&mut remote.reserved, opened);
        kv.take_states(states);
        (remote.is_reserved, remote.cached, remote.below) = (true, hit.blocks, 0);
        if self.limits.reads_at_home {
            self.read_at_home(slot, now, w);
        }
        let active = &w.active[slot];
        let (request, urgency, adapter) = (active.id, active.urgency, active.adapter);
        self.moving.incoming.push(slot);
        self.moving.reserved_blocks += hit.blocks + opened;
        self.moving.received_blocks += u64::from(opened);
        self.totals.kv_peak = self.totals.kv_peak.max(self.kv.used());
        self.adapter_waits_no_more(adapter);
        if self.reported_blocked == slot {
            self.reported_blocked = Slot::NONE;
        }
        let h = w.handovers.of(request);
        (h.reserved, h.home_cached) = (now.into(), hit.blocks);
        w.unsettled.push(Unsettled::Reserved(slot));
        self.note_reserved(slot, w);
        let (class, replica) = (w.records.here(request).class, self.id);
        let (blocks, cached) = (opened, hit.blocks);
        w.sink.fact(now, HandoverFact::Reserved { request, replica, class, urgency, blocks, cached }.into());
        true
    }

    /// Blocks of a prompt after those in the cache come from CPU memory, while the others travel.
    #[inline(never)]
    fn read_at_home<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        let most = self.cacheable(&w.active[slot]);
        let active = &mut w.active[slot];
        let request = active.id;
        let Some(remote) = active.remote.as_mut() else { return };
        let rest = &active.chain[(remote.cached as usize).min(most)..most];
        let Some((blocks, until)) = self.kv.own().read_beside(rest, now) else { return };
        remote.below = blocks;
        let h = w.handovers.of(request);
        (h.home_below, h.home_read) = (blocks, until.into());
        if until > now {
            self.loads.expect_at_home();
            self.events.schedule(until, ReplicaEvent::Loaded);
        }
    }

    /// Whether a request that has landed waited for what the link brings now.
    pub(super) fn awaits_read<S: Sink>(&self, now: Micros, w: &mut World<'_, S>) -> bool {
        let landed = self.moving.landed.iter().map(|slot| w.active[*slot].id);
        landed.into_iter().any(|request| w.handovers.of(request).home_read.get() == Some(now))
    }

    /// Requests whose KV is here join the batch as decoders, in order of landing, as far as phase 1 left them a place and a
    /// token. Who landed after `known_by` joins a step later, unless nothing runs; who lacks a slot for its adapter is passed over. What
    /// they have to do.
    pub(super) fn admit_landed<S: Sink>(
        &mut self,
        phase1: &mut Phase1,
        known_by: Micros,
        now: Micros,
        w: &mut World<'_, S>,
    ) -> Decoding {
        let known_by = if self.running == 0 { Micros::MAX } else { known_by };
        let mut work = Decoding::NONE;
        let mut at = 0;
        while let Some(&slot) = self.moving.landed.get(at) {
            let full = self.running >= self.limits.max_num_seqs || phase1.budget == 0;
            let h = w.handovers.of(w.active[slot].id);
            let is_read = h.home_read.get();
            if is_read.is_some_and(|at| at > now) {
                at += 1;
                continue;
            }
            let here = h.landed.get().max(is_read);
            let late = known_by < Micros::MAX && here.is_some_and(|at| at > known_by);
            if full || late || phase1.preempted && self.running > 0 {
                break;
            }
            if self.lacks_slot(slot, w.active) {
                at += 1;
                continue;
            }
            self.moving.landed.remove(at);
            let context = u64::from(w.active[slot].progress);
            let tokens = self.join_landed(slot, phase1.budget, now, w);
            phase1.budget -= tokens;
            work.sequences += 1;
            work.context += context;
            work.drafts += tokens - 1;
        }
        work
    }

    /// One of them joins: its token of this step goes into a block that was set aside. How many tokens it takes of the budget.
    fn join_landed<S: Sink>(&mut self, slot: Slot, budget: u32, now: Micros, w: &mut World<'_, S>) -> u32 {
        let settles = self.settles_members();
        if !settles {
            let block = self.kv.block_tokens();
            let active = &mut w.active[slot];
            let stored = active.block_table.tokens() + 1;
            let fills = self.kv.caching() && stored.is_multiple_of(block) && active.is_shareable(stored);
            let hash = fills.then(|| active.hash_of_last_block(block));
            self.kv.own().append_received(&mut active.block_table, hash);
        }
        self.link(slot, w.active);
        self.prefilling.pop();
        let tokens = if settles {
            self.join_with_dummies(slot, budget, w.active)
        } else {
            self.decoders.join(slot, w.active);
            1
        };
        let active = &mut w.active[slot];
        active.decoding_from = now.into();
        if active.generated > 0 && !settles {
            // Its gap began on the prefill replica.
            self.decoders.fall_behind(slot, w.active);
        }
        self.moving.joined.push(slot);
        let active = &w.active[slot];
        let (request, urgency, replica) = (active.id, active.urgency, self.id);
        let record = w.records.here_mut(request);
        record.relocate(Location::Batch(replica), w.locations);
        record.scheduled = now.into();
        record.sched_step = self.totals.steps_in_short();
        let class = record.class;
        w.handovers.of(request).joined = now.into();
        w.sink.fact(now, HandoverFact::Joined { request, replica, class, urgency }.into());
        self.adapter_joins(slot, now, w);
        tokens
    }

    /// A step has ended, the first of those that had joined with their KV. How many of them show their first token with it.
    pub(super) fn show_joined<S: Sink>(
        &mut self,
        shown: Micros,
        overhead: Span,
        w: &mut World<'_, S>,
    ) -> u32 {
        let joined = std::mem::take(&mut self.moving.joined);
        let shows = |slot: &&Slot| self.show_first_at_home(**slot, shown, overhead, w);
        joined.iter().filter(shows).count() as u32
    }

    /// The first step of a request at its home has ended. Whether it shows its first token with it.
    pub(super) fn show_first_at_home<S: Sink>(
        &mut self,
        slot: Slot,
        shown: Micros,
        overhead: Span,
        w: &mut World<'_, S>,
    ) -> bool {
        let active = &w.active[slot];
        let (request, ttft) = (active.id, (shown + overhead).since(active.arrival));
        let is_first = !w.records.here(request).ttft.is_known();
        if is_first {
            self.show_first_token(slot, shown, overhead, w);
        }
        w.handovers.of(request).ttft_decode = ttft.into();
        is_first
    }
}
