//! The wait queue: its order, and who leaves it for the batch.

use super::batch::Phase1;
use super::fact::{DropReason, Fact, Sink};
use super::replica::{Replica, World};
use super::request::{Live, RequestState};
use super::slab::{Slab, Slot};
use crate::base::Micros;
use crate::kv::Hit;
use crate::policy::scheduling::{Place, SchedulerState};
use crate::scenario::Compat;

/// What a request gets as it joins the batch.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The cached prefix it pins.
    hit: Hit,
    /// Tokens computed in its first step.
    tokens: u32,
    /// Tokens it has after that step.
    end: u32,
}

impl Replica {
    /// Sorts the newcomers into the queue, at the beginning of a step.
    pub(super) fn order_queue(&mut self, lives: &Slab) {
        let (front, back) = std::mem::take(&mut self.unsorted);
        if matches!(self.scheduler, SchedulerState::Fcfs(_)) {
            return;
        }
        let mut newcomers = Vec::with_capacity((front + back) as usize);
        newcomers.extend((0..front).filter_map(|_| self.waiting.pop_front()));
        newcomers.extend((0..back).filter_map(|_| self.waiting.pop_back()));
        let place = |slot: Slot| -> Place { lives[slot].place.expect("INV-2: nobody waits without a place") };
        for slot in newcomers {
            let at = self.waiting.partition_point(|&other| place(other) < place(slot));
            self.waiting.insert(at, slot);
        }
    }

    /// Takes the head of the queue out of it.
    fn pop_waiting(&mut self) {
        self.waiting.pop_front();
        self.unsorted.0 = self.unsorted.0.saturating_sub(1);
    }

    /// Phase 2: admits from the head of the queue.
    pub(super) fn admit_waiting<S: Sink>(&mut self, phase1: Phase1, now: Micros, w: &mut World<'_, S>) {
        self.tell_unblocked(now, w);
        let mut budget = phase1.budget;
        while self.running < self.limits.max_num_seqs && budget > 0 {
            // An emptied instance admits again at once, unless it is to behave as BLIS.
            if phase1.preempted && (self.compat == Compat::Blis || self.running > 0) {
                break;
            }
            let Some(&slot) = self.waiting.front() else { break };
            let attempt = (slot, self.kv.version(), budget);
            if self.refused == Some(attempt) && !self.kv.tiered() {
                break;
            }
            let early = self.kv.tier_counts().thrash;
            let found = self.find_room(slot, budget, now, w.lives);
            self.tell_early_reloads(slot, early, now, w);
            let Some(entry) = found else {
                if self.running == 0 {
                    // Preempted with more tokens than the cache can hold, or the cache was made smaller meanwhile:
                    // nobody will ever make room.
                    self.pop_waiting();
                    let blocks = w.lives[slot].prompt_tokens.div_ceil(self.kv.block_tokens());
                    let fits = blocks <= self.kv.total();
                    let reason =
                        if fits { DropReason::OutgrewKvCache } else { DropReason::PromptExceedsKvCache };
                    self.drop_request(slot, now, reason, w);
                    continue;
                }
                self.tell_blocked(slot, budget, now, w);
                self.refused = Some(attempt);
                break;
            };
            self.pop_waiting();
            self.admit(slot, entry, now, w);
            budget -= entry.tokens;
        }
    }

    /// Finds blocks for the first waiting request and stores its first tokens, after a reload from the CPU tier if needed.
    fn find_room(&mut self, slot: Slot, budget: u32, now: Micros, lives: &mut Slab) -> Option<Entry> {
        let block = self.kv.block_tokens();
        let live = &mut lives[slot];
        let entry = self.first_chunk(live, budget);
        if self.kv.can_admit(entry.hit, entry.end) {
            self.store(live, entry.hit, entry.end);
            return Some(entry);
        }
        if !self.kv.reload(now) {
            return None;
        }
        if self.compat == Compat::None {
            let again = self.first_chunk(live, budget);
            let fits = self.kv.can_admit(again.hit, again.end);
            return fits.then(|| {
                self.store(live, again.hit, again.end);
                again
            });
        }
        let hit = self.cached_prefix(live);
        let (before, after) = (entry.hit.blocks * block, hit.blocks * block);
        if after < before {
            return None;
        }
        if after > before && after >= entry.end {
            self.pin_beyond(live, entry.end);
            return Some(entry);
        }
        let fits = self.kv.can_admit(hit, entry.end);
        fits.then(|| {
            self.store(live, hit, entry.end);
            entry
        })
    }

    /// Pins a prefix and stores what follows it up to `end`.
    fn store(&mut self, live: &mut Live, hit: Hit, end: u32) {
        self.kv.pin(&mut live.holding, &live.chain[..hit.blocks as usize]);
        let n = end - hit.blocks * self.kv.block_tokens();
        if n > 0 {
            self.kv.append_prefill(&mut live.holding, n, &live.chain);
        }
    }

    /// `compat: blis`: a reloaded prefix covers the whole chunk. Its last block counts only in part, and what follows
    /// starts a new block.
    fn pin_beyond(&mut self, live: &mut Live, end: u32) {
        let block = self.kv.block_tokens();
        let pinned = end.div_ceil(block);
        self.kv.pin(&mut live.holding, &live.chain[..pinned as usize]);
        live.excess = pinned * block - end;
        if live.excess > 0 {
            live.chain.truncate(pinned as usize);
            let mut previous = live.chain.last().copied().unwrap_or(0);
            for k in pinned..(live.prefill + live.excess) / block {
                previous = live.text.block_hash(previous, k * block - live.excess, block);
                live.chain.push(previous);
            }
        }
    }

    /// The longest cached prefix of what a request has to prefill.
    fn cached_prefix(&self, live: &mut Live) -> Hit {
        if !self.kv.caching() {
            return Hit::default();
        }
        let block = self.kv.block_tokens();
        if !live.chained {
            live.chain = live.text.chain(block, live.prefill.min(live.recurring) / block);
            live.chained = true;
        }
        let cacheable = match self.compat {
            Compat::None => (live.prefill - 1) / block,
            Compat::Blis => live.prefill / block,
        };
        let known = live.chain.len().min(cacheable as usize);
        self.kv.lookup(&live.chain[..known])
    }

    /// How much of a waiting request is cached, and what it computes first.
    fn first_chunk(&self, live: &mut Live, budget: u32) -> Entry {
        let hit = self.cached_prefix(live);
        let cached = hit.blocks * self.kv.block_tokens();
        let tokens = self.limits.chunk(live.prefill - cached).min(budget);
        Entry { hit, tokens, end: cached + tokens }
    }

    /// Moves the request whose blocks are found into the batch.
    fn admit<S: Sink>(&mut self, slot: Slot, entry: Entry, now: Micros, w: &mut World<'_, S>) {
        self.told_blocked = Slot::NONE;
        self.link(slot, w.lives);
        let live = &mut w.lives[slot];
        live.computed = entry.end;
        live.granted = entry.tokens;
        let cached = entry.end - entry.tokens;
        let record = &mut w.records[live.id.index()];
        record.state = RequestState::Running;
        record.scheduled = now;
        record.sched_step = self.totals.steps;
        record.cached_tokens = cached;
        if record.first_scheduled == Micros::MAX {
            record.first_scheduled = now;
        }
        let (request, prefill, class, urgency) = (live.id, live.prefill, record.class, live.urgency);
        w.sink.fact(now, Fact::Scheduled { request, replica: self.id, class, urgency, prefill, cached });
    }
}
