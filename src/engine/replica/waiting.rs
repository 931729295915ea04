//! The wait queue: its order, and which requests join the batch.

use super::batch::Phase1;
use super::departure::{Departure, DepartureReason};
use super::state::Replica;
use super::world::World;
use crate::facts::{DropReason, RequestFact, Sink};
use crate::kv::Hit;
use crate::policy::Reason;
use crate::policy::priority::WaitingView;
use crate::policy::scheduling::{QueuePosition, SchedulerState};
use crate::request::{ActiveRequest, Load, Location, Record, Records, Slab, Slot};
use base::Micros;
use base::small::sort::sort_by_key;
use document::Compat;

/// What a request gets as it joins the batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstChunk {
    /// The cached prefix it pins.
    pub(super) hit: Hit,
    /// Tokens computed in its first step.
    pub(super) tokens: u32,
    /// Tokens it has after that step.
    pub(super) end: u32,
}

/// What phase 2 has left for those who wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left {
    /// Tokens of the step.
    pub(crate) budget: u32,
    /// Blocks that the prompts of the batch still need, where whole prompts have to fit.
    pub(crate) promised: u32,
}

/// What becomes of a request whose turn it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum QueueTurn {
    /// Its blocks are found, and its first tokens are stored.
    Joins(FirstChunk),
    /// It waits for blocks on their way from the CPU tier, and others go on.
    Waits,
    /// There is no room for it.
    Blocked,
}

impl Replica {
    /// The wait queue is full: the request leaves without having joined it.
    pub(super) fn refuse<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        let (request, reason) = (w.active[slot].id, Reason::QueueFull);
        let record = w.records.here_mut(request);
        record.relocate(Location::Refused(self.id), w.locations);
        record.refused = Some(reason);
        record.left = now.into();
        record.slot = Slot::NONE;
        w.end_remote(slot);
        self.forget_keeper(request, w);
        w.active.remove(slot);
        self.totals.refused += 1;
        w.departures.push(Departure { request, why: DepartureReason::Refused });
        w.sink.fact(now, RequestFact::Rejected { request, reason, replica: Some(self.id) }.into());
    }

    /// Sorts the wait queue as another scheduler does, by the priorities that requests came with.
    pub(crate) fn reorder(&mut self, scheduler: &SchedulerState, slab: &mut Slab, records: &Records) {
        self.scheduler = scheduler.clone();
        let mut here: Vec<Slot> = self.waiting.iter().copied().collect();
        let mut slot = self.head;
        while slot != Slot::NONE {
            // Who is preempted comes back to the queue.
            here.push(slot);
            slot = slab[slot].after;
        }
        for slot in here {
            let request = &mut slab[slot];
            let view = view_of(request, records.here(request.id));
            request.position = self.scheduler.position(&view, request.urgency);
        }
        if matches!(self.scheduler, SchedulerState::Fcfs(_)) {
            let mut waiting: Vec<Slot> = self.waiting.drain(..).collect();
            sort_by_key(&mut waiting, |&slot| u64::from(slab[slot].id.0));
            self.waiting = waiting.into();
        }
        // All of them are newcomers to the new order.
        self.unsorted = (0, self.waiting.len() as u32);
    }

    /// Sorts the newcomers into the queue, at the beginning of a step.
    #[inline(always)]
    pub(crate) fn order_queue(&mut self, slab: &Slab) {
        let (front, back) = std::mem::take(&mut self.unsorted);
        if !matches!(self.scheduler, SchedulerState::Fcfs(_)) {
            self.sort_newcomers(front, back, slab);
        }
    }

    #[inline(never)]
    fn sort_newcomers(&mut self, front: u32, back: u32, slab: &Slab) {
        let mut newcomers = Vec::with_capacity((front + back) as usize);
        newcomers.extend((0..front).filter_map(|_| self.waiting.pop_front()));
        newcomers.extend((0..back).filter_map(|_| self.waiting.pop_back()));
        let place = |slot: Slot| -> QueuePosition {
            slab[slot].position.expect("INV-2: nobody waits without a place")
        };
        for slot in newcomers {
            let at = self.waiting.partition_point(|&other| place(other) < place(slot));
            self.waiting.insert(at, slot);
        }
    }

    /// Takes the request at a place of the queue out of it.
    fn take_waiting(&mut self, at: usize) {
        self.waiting.remove(at);
        if at < self.unsorted.0 as usize {
            self.unsorted.0 -= 1;
        }
    }

    /// A request leaves the queue at a place out of turn.
    pub(crate) fn leave_queue(&mut self, at: usize) {
        let from_the_end = self.waiting.len() - at;
        if from_the_end <= self.unsorted.1 as usize {
            self.unsorted.1 -= 1;
        }
        self.take_waiting(at);
        self.refused = None;
    }

    /// Phase 2: admits requests whose load from the CPU tier is done, then from the head of the queue in order. Only requests
    /// that wait for the CPU tier, or for a slot of an adapter, are overtaken.
    #[inline(never)]
    /// Who came after `known_by` joins a step later, unless nothing runs.
    pub(crate) fn admit_waiting<S: Sink>(
        &mut self,
        phase1: Phase1,
        known_by: Micros,
        now: Micros,
        w: &mut World<'_, S>,
    ) {
        self.report_unblocked(now, w);
        let known_by = if self.running == 0 { Micros::MAX } else { known_by };
        let mut left = Left { budget: phase1.budget, promised: self.promised(w.active) };
        let mut at = 0;
        while self.running < self.limits.max_num_seqs && left.budget > 0 {
            // An emptied instance admits again at once, unless it is to behave as BLIS.
            if phase1.preempted && (self.compat == Compat::Blis || self.running > 0) {
                break;
            }
            let loaded = self.first_loaded(w.active);
            let place = loaded.unwrap_or(at);
            let Some(&slot) = self.waiting.get(place) else { break };
            if known_by < Micros::MAX && loaded.is_none() && w.queued(slot) > known_by {
                at += 1;
                continue;
            }
            // A home needs the adapter when the request joins the batch, after the landing.
            let seeks_room = w.active[slot].seeks_room_at(self.id);
            if !seeks_room && self.lacks_slot(slot, w.active) || self.waits_for_earlier(slot, w.active) {
                at += 1;
                continue;
            }
            let attempt = (slot, self.kv.version(), left.budget);
            if self.refused == Some(attempt) && !self.kv.reloads() && !self.kv.has_ttl() && !self.has_lower(w)
            {
                break;
            }
            if seeks_room {
                if self.sets_aside(place, attempt, (left, now), w) {
                    continue;
                }
                break;
            }
            match self.turn(slot, left, now, w) {
                QueueTurn::Joins(entry) => {
                    self.take_waiting(place);
                    at -= usize::from(place < at);
                    self.admit(slot, entry, now, w);
                    left.budget -= entry.tokens;
                    left.promised += self.promised_to(&w.active[slot]);
                }
                QueueTurn::Waits => at += 1,
                QueueTurn::Blocked if self.running == 0 => {
                    // Of the loading requests, only those before it in the queue keep it waiting.
                    let behind = if loaded.is_some() { 0 } else { place + 1 };
                    if self.take_back(behind, slot, now, w) {
                        continue;
                    }
                    let loads = loaded.is_none() && self.loads.under_way() > 0;
                    if loads || self.moving.hold_blocks() || self.kv.prefetching() > 0 {
                        break;
                    }
                    at -= usize::from(place < at);
                    self.give_up_on(place, now, w);
                }
                QueueTurn::Blocked => {
                    self.report_blocked(place, left, now, w);
                    self.refused = Some(attempt);
                    break;
                }
            }
        }
    }

    /// The request at a place of the queue gets room at its home, or there will never be any: whether it has left the queue.
    fn sets_aside<S: Sink>(
        &mut self,
        place: usize,
        attempt: (Slot, u64, u32),
        (left, now): (Left, Micros),
        w: &mut World<'_, S>,
    ) -> bool {
        if self.set_aside(attempt.0, left, now, w) {
            self.take_waiting(place);
            return true;
        }
        let holders =
            self.running > 0 || self.moving.hold_blocks() || self.loads.holders() + self.kv.prefetching() > 0;
        if holders {
            self.refused = Some(attempt);
        } else {
            self.give_up_on(place, now, w);
        }
        !holders
    }

    /// The request at a place of the queue was preempted with more tokens than the cache can hold, or the cache was made
    /// smaller meanwhile: there will never be room for it.
    fn give_up_on<S: Sink>(&mut self, at: usize, now: Micros, w: &mut World<'_, S>) {
        let slot = self.waiting[at];
        self.take_waiting(at);
        self.give_up_reads(slot, now, w);
        let fits = self.prompt_blocks(&w.active[slot]) <= self.kv.total();
        let reason = if fits { DropReason::OutgrewKvCache } else { DropReason::PromptExceedsKvCache };
        self.drop_request(slot, now, reason, w);
    }

    /// What becomes of the request whose turn it is.
    fn turn<S: Sink>(&mut self, slot: Slot, left: Left, now: Micros, w: &mut World<'_, S>) -> QueueTurn {
        if self.kv.has_tiers() {
            return self.turn_with_tiers(slot, left, now, w);
        }
        let early = self.kv.tier_counts().thrash;
        let found = self.find_room(slot, left, now, w.active);
        self.report_early_reloads(slot, early, now, w);
        if let Some(entry) = &found {
            self.report_found(slot, &[entry.hit.blocks], now, w);
        }
        found.map_or(QueueTurn::Blocked, QueueTurn::Joins)
    }

    /// The same with a store in CPU memory, which may have more of its prompt than the GPU.
    fn turn_with_tiers<S: Sink>(
        &mut self,
        slot: Slot,
        left: Left,
        now: Micros,
        w: &mut World<'_, S>,
    ) -> QueueTurn {
        let (block, budget) = (self.kv.block_tokens(), left.budget);
        let beside = self.kept_free(left) + self.states_of(&w.active[slot]);
        let active = &mut w.active[slot];
        match active.load {
            Load::None | Load::Fetching => {}
            Load::UnderWay { .. } => return QueueTurn::Waits,
            Load::Done { kept, .. } => {
                let stored = active.block_table.tokens();
                let tokens = self.limits.chunk(active.prefill - stored).min(budget);
                let fit = self.must_fit(active, stored + tokens).div_ceil(block) - active.block_table.len();
                let others = if self.limits.whole_prompt { self.loads.kept() - kept } else { 0 };
                if fit + others + beside > self.kv.free() {
                    return QueueTurn::Blocked;
                }
                self.kv.own().let_go_after_load(active.block_table.len(), 0, now);
                self.kv.own().append_prefill(&mut active.block_table, tokens, &active.chain);
                active.load = Load::None;
                self.loads.forget_done(kept);
                self.loads.readings.remove(&active.id);
                return QueueTurn::Joins(FirstChunk { hit: Hit::default(), tokens, end: stored + tokens });
            }
        }
        if self.has_lower(w) {
            return self.turn_with_lower(slot, (left, beside), now, w);
        }
        let active = &mut w.active[slot];
        let hit = self.cached_prefix(slot, active);
        let cacheable = self.cacheable(active);
        let below = self.kv.own().lookup_below(&active.chain[hit.blocks as usize..cacheable]);
        if below.arriving {
            return QueueTurn::Waits;
        }
        let found = hit.blocks + below.blocks;
        let tokens = self.limits.chunk(active.prefill - found * block).min(budget);
        let end = found * block + tokens;
        let fit = self.must_fit(active, end);
        if !self.kv.can_admit_beside(self.loads.kept() + beside, hit, fit) {
            return QueueTurn::Blocked;
        }
        self.kv.own().missed_below(cacheable as u32 - found);
        let in_cpu = active.chain[hit.blocks as usize..found as usize].iter().copied();
        self.kv.own().prompt_found([hit.blocks, below.blocks], in_cpu);
        self.report_found(slot, &[hit.blocks, below.blocks], now, w);
        if below.blocks > 0 {
            if !self.begin_load(slot, (hit, below.blocks), fit, now, w) {
                return QueueTurn::Waits;
            }
            let active = &mut w.active[slot];
            self.kv.own().append_prefill(&mut active.block_table, tokens, &active.chain);
        } else {
            self.store(&mut w.active[slot], hit, end);
        }
        QueueTurn::Joins(FirstChunk { hit, tokens, end })
    }

    /// Finds blocks for the first waiting request and stores its first tokens, after a reload from the CPU tier of BLIS if needed.
    fn find_room(&mut self, slot: Slot, left: Left, now: Micros, slab: &mut Slab) -> Option<FirstChunk> {
        let (block, budget) = (self.kv.block_tokens(), left.budget);
        let beside = self.kept_free(left) + self.states_of(&slab[slot]);
        let active = &mut slab[slot];
        let entry = self.first_chunk(slot, active, budget);
        if self.kv.can_admit_beside(beside, entry.hit, self.must_fit(active, entry.end)) {
            self.store(active, entry.hit, entry.end);
            return Some(entry);
        }
        if !self.kv.own().reload(now) {
            return None;
        }
        if self.compat == Compat::None {
            let again = self.first_chunk(slot, active, budget);
            let fits = self.kv.can_admit_beside(beside, again.hit, self.must_fit(active, again.end));
            return fits.then(|| {
                self.store(active, again.hit, again.end);
                again
            });
        }
        let hit = self.cached_prefix(slot, active);
        let (before, after) = (entry.hit.blocks * block, hit.blocks * block);
        if after < before {
            return None;
        }
        if after > before && after >= entry.end {
            self.pin_beyond(active, entry.end);
            return Some(entry);
        }
        let fits = self.kv.can_admit(hit, entry.end);
        fits.then(|| {
            self.store(active, hit, entry.end);
            entry
        })
    }

    /// Pins a prefix and stores what follows it up to `end`.
    pub(super) fn store(&mut self, active: &mut ActiveRequest, hit: Hit, end: u32) {
        self.kv.own().pin(&mut active.block_table, &active.chain[..hit.blocks as usize]);
        let n = end - hit.blocks * self.kv.block_tokens();
        if n > 0 {
            self.kv.own().append_prefill(&mut active.block_table, n, &active.chain);
        }
    }

    /// `compat: blis`: a reloaded prefix covers the whole chunk. Its last block counts only in part, and what follows
    /// starts a new block.
    fn pin_beyond(&mut self, active: &mut ActiveRequest, end: u32) {
        let block = self.kv.block_tokens();
        let pinned = end.div_ceil(block);
        self.kv.own().pin(&mut active.block_table, &active.chain[..pinned as usize]);
        active.excess = pinned * block - end;
        if active.excess > 0 {
            active.chain.truncate(pinned as usize);
            let mut previous = active.chain.last().copied().unwrap_or(0);
            for k in pinned..(active.prefill + active.excess) / block {
                previous = active.text.block_hash(previous, k * block - active.excess, block);
                active.chain.push(previous);
            }
        }
    }

    /// The longest cached prefix of what a request has to prefill.
    pub(super) fn cached_prefix(&mut self, slot: Slot, active: &mut ActiveRequest) -> Hit {
        if !self.kv.caching() {
            return Hit::default();
        }
        let block = self.kv.block_tokens();
        if !active.chained {
            active.chain = active.text.chain(block, active.prefill.min(active.shareable) / block);
            active.chained = true;
        }
        let chain = &active.chain[..self.cacheable(active)];
        // A request that found no room looks again at every step until it does.
        let again = self.refused.is_some_and(|(refused, ..)| refused == slot);
        if again { self.kv.own().lookup_again(chain) } else { self.kv.own().find(chain) }
    }

    /// How many leading blocks of what a request has to prefill it may find in the cache.
    pub(super) fn cacheable(&self, active: &ActiveRequest) -> usize {
        let block = self.kv.block_tokens();
        let cacheable = match self.compat {
            Compat::None => (active.prefill - 1) / block,
            Compat::Blis => active.prefill / block,
        };
        active.chain.len().min(cacheable as usize)
    }

    /// How much of a waiting request is cached, and what it computes first.
    fn first_chunk(&mut self, slot: Slot, active: &mut ActiveRequest, budget: u32) -> FirstChunk {
        let hit = self.cached_prefix(slot, active);
        let cached = hit.blocks * self.kv.block_tokens();
        let tokens = self.limits.chunk(active.prefill - cached).min(budget);
        FirstChunk { hit, tokens, end: cached + tokens }
    }

    /// Moves the request whose blocks are found into the batch.
    fn admit<S: Sink>(&mut self, slot: Slot, entry: FirstChunk, now: Micros, w: &mut World<'_, S>) {
        self.reported_blocked = Slot::NONE;
        self.link(slot, w.active);
        let states = self.states_of(&w.active[slot]);
        if states > 0 {
            self.kv.own().take_states(states);
        }
        let active = &mut w.active[slot];
        active.computed = entry.end;
        active.granted = entry.tokens;
        let cached = entry.end - entry.tokens;
        let record = w.records.here_mut(active.id);
        record.relocate(Location::Batch(self.id), w.locations);
        record.scheduled = now.into();
        record.sched_step = self.totals.steps_in_short();
        record.cached_tokens = cached;
        let is_first = !record.first_scheduled.is_known();
        if is_first {
            record.first_scheduled = now.into();
        }
        let (request, prefill, class, urgency) = (active.id, active.prefill, record.class, active.urgency);
        if active.is_prefilled_at(self.id) {
            w.handovers.of(request).prefill_begins(now);
        }
        self.recent.joined(prefill, cached);
        if is_first {
            self.note_used(slot, w);
        }
        self.adapter_waits_no_more(w.active[slot].adapter);
        w.sink.fact(
            now,
            RequestFact::Scheduled { request, replica: self.id, class, urgency, prefill, cached }.into(),
        );
        self.adapter_joins(slot, now, w);
    }
}

impl Replica {
    /// The priority that its policy gives the request; larger is more urgent.
    pub(crate) fn priority_of(&self, request: &ActiveRequest, record: &Record) -> i64 {
        self.priority.of(&view_of(request, record))
    }
}

/// A request as schedulers and priorities see it.
pub(crate) fn view_of(request: &ActiveRequest, record: &Record) -> WaitingView {
    WaitingView {
        arrival: request.arrival,
        tenant: record.tenant,
        class: record.class,
        priority: request.priority,
        prompt_tokens: request.prompt_tokens,
        rank: request.rank,
    }
}
