//! Batch formation: which requests get how many tokens in the next step.
//!
//! Phase 1 serves the batch in order: a prompt gets its next chunk, a decoding request one token. For one that finds no free
//! block, members are preempted from the end of the batch. Phase 2 admits from the head of the queue, in order, and only if
//! none was preempted.
//!
//! Where the token budget suffices for all, phase 1 looks only at members that compute a prompt, open a block or fill one;
//! where it does not, at all members.

use super::decode::Decoding;
use super::state::Replica;
use super::world::World;
use crate::facts::{CacheFact, DropReason, RequestFact, Sink};
use crate::request::{Location, Slab, Slot};
use base::{Maybe, Micros, Span};
use document::{Compat, PreemptionVictim};

/// What phase 1 left behind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Phase1 {
    pub(crate) budget: u32,
    pub(crate) preempted: bool,
    /// Whether a member waits for a block, without preemption.
    waits: bool,
}

/// What became of a member that asked for blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Served,
    /// It keeps its place and gets nothing in this step.
    Waits,
    /// It lost its place.
    Left,
}

/// A member that phase 1 has to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemberNeed {
    Open,
    Fill,
    Prompt,
}

impl Replica {
    /// Forms the batch of the step that begins `now`, of members and of who waited at `known_by`. Returns what the
    /// decoding members have to do.
    pub(crate) fn form_batch<S: Sink>(
        &mut self,
        known_by: Micros,
        now: Micros,
        w: &mut World<'_, S>,
    ) -> Decoding {
        self.order_queue(w.active);
        self.decoders.starved.clear();
        for &slot in &self.prefilling {
            let active = &mut w.active[slot];
            if active.flight == 0 {
                active.granted = 0;
            }
        }
        let mut phase1 = self.serve(now, w);
        while phase1.waits && self.nobody_served(w.active) {
            // Nobody can go on: the latest makes room after all.
            self.decoders.starved.clear();
            self.preempt(self.tail, now, w);
            phase1 = Phase1 { preempted: true, ..self.serve(now, w) };
        }
        phase1.preempted |= phase1.waits;
        let mut decoding = if self.settles_members() {
            self.verified_work(w.active)
        } else {
            let context = self.set_starved_back(now, w.active);
            let sequences = self.decoders.len() - self.decoders.starved.len() as u32;
            Decoding { sequences, context, drafts: 0 }
        };
        if !self.moving.landed.is_empty() {
            let joined = self.admit_landed(&mut phase1, known_by, now, w);
            decoding.sequences += joined.sequences;
            decoding.context += joined.context;
            decoding.drafts += joined.drafts;
        }
        if !self.waiting.is_empty() && self.lockstep.held_until.is_none() {
            self.admit_waiting(phase1, known_by, now, w);
        }
        decoding
    }

    /// Everything comes a tick later for decoding members that get nothing. Returns the sum of the contexts of the others.
    fn set_starved_back(&mut self, now: Micros, slab: &mut Slab) -> u64 {
        let starved = std::mem::take(&mut self.decoders.starved);
        let mut context = self.decoders.context();
        for &slot in &starved {
            context -= u64::from(slab[slot].counts(self.decoders.ticks).0);
        }
        let last_shown = now + self.front_end.late;
        for &slot in &starved {
            self.decoders.starve(slot, slab, last_shown);
        }
        context
    }

    /// Phase 1.
    fn serve<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) -> Phase1 {
        if self.settles_members() {
            return self.serve_in_turn(now, w);
        }
        let wanted = self.wanted(w.active);
        let budget = self.limits.max_num_batched_tokens;
        if wanted <= u64::from(budget) {
            self.serve_all(false, now, w)
        } else if self.prefilling == [self.tail] && self.decoders.len() < budget {
            self.serve_all(true, now, w)
        } else {
            self.serve_in_turn(now, w)
        }
    }

    /// Whether no member gets anything in this step.
    fn nobody_served(&self, slab: &Slab) -> bool {
        let idle = self.decoders.len() as usize == self.decoders.starved.len();
        idle && self.prefilling.iter().all(|&slot| slab[slot].granted == 0)
    }

    /// Tokens that phase 1 would give out if there were no budget.
    #[inline(always)]
    fn wanted(&self, slab: &Slab) -> u64 {
        let chunks: u64 = self
            .prefilling
            .iter()
            .map(|&s| u64::from(self.limits.chunk(slab[s].prefill - slab[s].progress)))
            .sum();
        chunks + u64::from(self.decoders.len())
    }

    /// Phase 1 where the budget suffices, or suffices for all but the last member, the only prompt there is (`capped`).
    fn serve_all<S: Sink>(&mut self, capped: bool, now: Micros, w: &mut World<'_, S>) -> Phase1 {
        let fills = self.kv.caching() && self.kv.block_tokens() > 1;
        let fillers = if fills { self.decoders.filling() } else { &[] };
        let alone = self.prefilling.is_empty() && fillers.is_empty();
        if alone && self.decoders.opening().len() <= self.kv.free() as usize {
            self.open_blocks(w.active);
            let budget = self.limits.max_num_batched_tokens.saturating_sub(self.decoders.len());
            return Phase1 { budget, preempted: false, waits: false };
        }
        let (mut open, mut fill, mut prompt) = (0, 0, 0);
        let mut granted = 0;
        let (mut preempted, mut waits) = (false, false);
        loop {
            let next_open = self.decoders.opening().get(open).copied();
            let next_fill = if fills { self.decoders.filling().get(fill).copied() } else { None };
            let next_prompt = self.prefilling.get(prompt).copied();
            let order = |slot: Option<Slot>| slot.map_or(u64::MAX, |s| w.active[s].order);
            let (a, b, c) = (order(next_open), order(next_fill), order(next_prompt));
            let (need, slot) = if a < b && a < c {
                (MemberNeed::Open, next_open)
            } else if b < c {
                (MemberNeed::Fill, next_fill)
            } else {
                (MemberNeed::Prompt, next_prompt)
            };
            let Some(slot) = slot else { break };
            let asked = match need {
                MemberNeed::Open => {
                    open += 1;
                    self.open_block(slot, now, &mut preempted, w)
                }
                MemberNeed::Fill => {
                    fill += 1;
                    self.fill_block(slot, w.active);
                    Asked::Served
                }
                MemberNeed::Prompt => {
                    prompt += 1;
                    let active = &w.active[slot];
                    let chunk = self.limits.chunk(active.prefill - active.progress);
                    // All that decode come before it.
                    let spent = self.decoders.len() - self.decoders.starved.len() as u32;
                    let most = self.limits.max_num_batched_tokens - spent;
                    let tokens = if capped { chunk.min(most) } else { chunk };
                    let asked = self.grant(slot, tokens, now, &mut preempted, w);
                    granted += if asked == Asked::Served { tokens } else { 0 };
                    asked
                }
            };
            match (asked, need) {
                (Asked::Waits, MemberNeed::Open) => self.decoders.starved.push(slot),
                (Asked::Served, MemberNeed::Open | MemberNeed::Fill | MemberNeed::Prompt)
                | (Asked::Waits, MemberNeed::Fill | MemberNeed::Prompt) => {}
                // Its list is shorter now.
                (Asked::Left, MemberNeed::Open) => open -= 1,
                (Asked::Left, MemberNeed::Prompt) => prompt -= 1,
                (Asked::Left, MemberNeed::Fill) => fill -= 1,
            }
            waits |= asked == Asked::Waits;
        }
        let spent = self.decoders.len() - self.decoders.starved.len() as u32 + granted;
        Phase1 { budget: self.limits.max_num_batched_tokens.saturating_sub(spent), preempted, waits }
    }

    /// Phase 1 where the budget runs out, or where steps settle their members: members in batch order, and nothing for those
    /// after the budget is spent, nor for those on their way through a pipe.
    fn serve_in_turn<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) -> Phase1 {
        let block = self.kv.block_tokens();
        let mut budget = self.limits.max_num_batched_tokens;
        let drafts = self.set_drafts();
        let (mut preempted, mut waits) = (false, false);
        let mut slot = self.head;
        while slot != Slot::NONE && budget > 0 {
            let active = &w.active[slot];
            if active.flight != 0 {
                slot = active.after;
                continue;
            }
            let decodes = active.decoding;
            let (n, asked) = if decodes && let Some(drafts) = drafts {
                self.verify(slot, (drafts, budget), now, &mut preempted, w)
            } else if decodes {
                let stored = active.counts(self.decoders.ticks).0 + active.excess;
                if stored.is_multiple_of(block) {
                    (1, self.open_block(slot, now, &mut preempted, w))
                } else {
                    if self.kv.caching()
                        && (stored + 1).is_multiple_of(block)
                        && active.is_shareable(stored + 1)
                    {
                        self.fill_block(slot, w.active);
                    }
                    (1, Asked::Served)
                }
            } else {
                let n = self.limits.chunk(active.prefill - active.progress).min(budget);
                (n, self.grant(slot, n, now, &mut preempted, w))
            };
            match asked {
                Asked::Served => budget -= n,
                Asked::Waits if decodes => self.decoders.starved.push(slot),
                Asked::Left if self.running == 0 => break,
                Asked::Waits | Asked::Left => {}
            }
            waits |= asked == Asked::Waits;
            // Who lost its place last knows who followed.
            slot = w.active[slot].after;
        }
        while self.running > 0 && slot != Slot::NONE {
            if w.active[slot].decoding && w.active[slot].flight == 0 {
                self.decoders.starved.push(slot);
            }
            slot = w.active[slot].after;
        }
        Phase1 { budget, preempted, waits }
    }

    /// All members that open a block at the next tick get one: there are enough free blocks, and no other member needs any.
    /// Nearly all steps take this way.
    #[inline(always)]
    fn open_blocks(&mut self, slab: &mut Slab) {
        self.kv.own().append_blocks(slab, self.decoders.opening(), |slab, slot| &mut slab[slot].block_table);
    }

    /// A decoding member stores a token that starts a new block.
    fn open_block<S: Sink>(
        &mut self,
        slot: Slot,
        now: Micros,
        preempted: &mut bool,
        w: &mut World<'_, S>,
    ) -> Asked {
        let active = &mut w.active[slot];
        let missing = active.block_table.len() * self.kv.block_tokens() - active.block_table.tokens();
        if missing > 0 {
            // The last block filled up without a step looking at it, because it cannot be hit.
            self.kv.own().append_inside(&mut active.block_table, missing, None);
        }
        let room = self.make_room(slot, 1, now, preempted, w);
        if room == Asked::Served {
            self.kv.own().append_opening(&mut w.active[slot].block_table);
        }
        room
    }

    /// A decoding member stores the last token of a block: the block can be hit from now on.
    fn fill_block(&mut self, slot: Slot, slab: &mut Slab) {
        let block = self.kv.block_tokens();
        let active = &mut slab[slot];
        let missing = active.block_table.len() * block - active.block_table.tokens();
        let is_shareable = active.is_shareable(active.block_table.len() * block);
        let hash = is_shareable.then(|| active.hash_of_last_block(block));
        self.kv.own().append_inside(&mut active.block_table, missing, hash);
    }

    /// A member that computes its prompt gets `n` tokens.
    fn grant<S: Sink>(
        &mut self,
        slot: Slot,
        n: u32,
        now: Micros,
        preempted: &mut bool,
        w: &mut World<'_, S>,
    ) -> Asked {
        if n == 0 {
            return Asked::Served;
        }
        let room = self.make_room(slot, n, now, preempted, w);
        if room == Asked::Served {
            let active = &mut w.active[slot];
            self.kv.own().append_prefill(&mut active.block_table, n, &active.chain);
            active.granted = n;
            active.computed += n;
        }
        room
    }

    /// Preempts members that were not served yet until `slot` can store `n` more tokens.
    pub(super) fn make_room<S: Sink>(
        &mut self,
        slot: Slot,
        n: u32,
        now: Micros,
        preempted: &mut bool,
        w: &mut World<'_, S>,
    ) -> Asked {
        while !self.has_room(slot, n, now, w) {
            if self.stop_latest_prefetch(w) {
                continue;
            }
            if self.compat == Compat::None && self.running == 1 {
                if self.take_back(0, slot, now, w) {
                    continue;
                }
                assert!(self.tail == slot, "INV-2: {:?} is not in its batch", w.active[slot].id);
                if !self.moving.hold_blocks() {
                    self.leave_batch(slot, now, w.active);
                    w.end_last_stay(slot, now);
                    self.drop_request(slot, now, DropReason::OutgrewKvCache, w);
                    return Asked::Left;
                }
            }
            if !self.limits.preempts {
                return Asked::Waits;
            }
            let victim = self.victim(slot, w.active);
            self.preempt(victim, now, w);
            *preempted = true;
            if victim == slot {
                return Asked::Left;
            }
        }
        Asked::Served
    }

    /// Who makes room for `slot`: one of those from it to the end of the batch, the last of equals. Nobody on the way through
    /// a pipe.
    fn victim(&self, slot: Slot, slab: &Slab) -> Slot {
        let worth = |slot: Slot| match self.limits.victim {
            PreemptionVictim::Latest => 0,
            PreemptionVictim::LowestPriority => slab[slot].urgency,
            PreemptionVictim::CheapestToRecompute => slab[slot].counts(self.decoders.ticks).0.into(),
        };
        if self.limits.victim == PreemptionVictim::Latest && self.pipe.is_none() {
            return self.tail;
        }
        let (mut victim, mut next) = (slot, slab[slot].after);
        while next != Slot::NONE {
            if worth(next) <= worth(victim) && slab[next].flight == 0 {
                victim = next;
            }
            next = slab[next].after;
        }
        victim
    }

    /// Whether `slot` can store `n` more tokens, perhaps after a reload from the CPU tier of BLIS.
    fn has_room<S: Sink>(&mut self, slot: Slot, n: u32, now: Micros, w: &mut World<'_, S>) -> bool {
        let fits = self.kv.can_grow(&w.active[slot].block_table, n);
        if fits || !self.kv.reloads() {
            return fits;
        }
        let early = self.kv.tier_counts().thrash;
        let reloaded = self.kv.own().reload(now);
        self.report_early_reloads(slot, early, now, w);
        reloaded && self.kv.can_grow(&w.active[slot].block_table, n)
    }

    /// Takes a member out of the batch before it is done; a steady decoder got its latest token as the last step ended.
    pub(crate) fn leave_batch(&mut self, slot: Slot, now: Micros, slab: &mut Slab) {
        let steady = slab[slot].decoding && !slab[slot].behind;
        self.unlink(slot, slab);
        self.direct(slot, slab);
        let active = &mut slab[slot];
        self.kv.own().release(&mut active.block_table, active.progress + active.excess, now);
        if steady {
            active.last_token = now + self.front_end.late;
        }
        self.release_states(slot, now, slab);
    }

    /// A request that leaves the batch gives back what it held besides the blocks of its tokens.
    pub(crate) fn release_states(&mut self, slot: Slot, now: Micros, slab: &Slab) {
        let states = self.states_of(&slab[slot]);
        if states > 0 {
            self.kv.own().release_states(states, now);
        }
    }

    /// A preempted request will look up its own blocks again, so all its full blocks become hittable.
    fn publish_own_blocks(&mut self, slot: Slot, slab: &mut Slab) {
        let active = &mut slab[slot];
        if self.kv.caching() && active.shareable < active.text.len() && active.excess == 0 {
            let full = active.counts(self.decoders.ticks).0 / self.kv.block_tokens();
            let chain = active.text.chain(self.kv.block_tokens(), full);
            self.kv.own().publish(&mut active.block_table, &chain);
        }
    }

    /// Recompute preemption: the blocks are lost, and the request is first in the queue again.
    fn preempt<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        self.publish_own_blocks(slot, w.active);
        self.leave_batch(slot, now, w.active);
        w.end_stay(slot, now);
        let active = &mut w.active[slot];
        active.decoding_from = Maybe::NONE;
        active.progress = 0;
        active.computed = 0;
        active.granted = 0;
        active.chain.clear();
        active.chained = false;
        active.shareable = u32::MAX;
        active.excess = 0;
        match self.compat {
            Compat::None => active.prefill = active.prompt_tokens + active.generated,
            Compat::Blis => {
                (active.generated, active.fixed_tokens) = (0, 0);
                (active.fixed_output, active.sat_out) = (Span::ZERO, Span::ZERO);
            }
        }
        let (request, urgency) = (active.id, active.urgency);
        if let Some(d) = w.detail {
            d.preemptions.push((now, self.id, request));
            if self.compat == Compat::Blis {
                d.forget(request);
            }
        }
        let record = w.records.here_mut(request);
        record.relocate(Location::Queue(self.id), w.locations);
        record.preemptions += 1;
        self.totals.preemptions += 1;
        self.preempted_since_progress += 1;
        self.waiting.push_front(slot);
        self.recent.waiting_tokens += u64::from(w.active[slot].to_compute_at(self.id));
        self.adapter_waits(w.active[slot].adapter);
        self.unsorted.0 += 1;
        let (class, times) = (record.class, record.preemptions);
        w.sink.fact(now, RequestFact::Preempted { request, replica: self.id, class, urgency, times }.into());
        if self.preempted_since_progress == LIVELOCK_PREEMPTIONS {
            w.sink.fact(now, CacheFact::Livelock { request, replica: self.id }.into());
        }
    }
}

/// Preemptions on one replica without anything finishing that count as a livelock.
pub(crate) const LIVELOCK_PREEMPTIONS: u64 = 1000;

/// Preemptions on one replica without anything finishing after which the run is not worth going on with.
pub(crate) const HOPELESS_PREEMPTIONS: u64 = 200_000;
