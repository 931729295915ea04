//! The CPU tier: full blocks of one replica in CPU memory, found by their contents.
//!
//! When it is full, the least recently used block that nothing needs is evicted. A prompt looks up here the continuation of
//! the run cached on the GPU. One link loads blocks back, one load after the other; a block cannot be evicted while a load
//! reads it, while it is on its way here, or while something refers to it: a write to a tier below, or a request that it was
//! fetched for. What is written here, and when, is in `tiers`.

use super::TierCounts;
use super::past::{Then, WithPast};
use super::served::{Ages, passed};
use super::uses::{Uses, used_last};
use super::written::Written;
use base::lookup::LookupMap;
use base::math::round_to_span;
use base::stats::Sketch;
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// No block.
const NONE: u32 = u32::MAX;

/// Settings of the CPU tier.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoreSettings {
    /// Capacity in blocks, at least one.
    pub capacity: u32,
    /// When blocks are written.
    pub written: Written,
    /// Tokens that the link transfers in a microsecond.
    pub tokens_per_us: f64,
    /// Fixed time of a load.
    pub base: Span,
    /// How long a block that is not used can be found; 0 for ever.
    pub ttl: Span,
}

/// A block of the tier as a lookup sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is there.
    Here,
    /// It is there, and on its way to the GPU for a request; or it is on its way here.
    Moving,
}

/// Where the room for a block comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// The tier was not full.
    WasThere,
    /// This block had to go.
    Instead(u64),
}

/// One stored block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoredBlock {
    hash: u64,
    /// Neighbours in order of use.
    older: u32,
    newer: u32,
    /// Number of loads that read it now.
    loads: u32,
    /// What else needs it.
    refs: u32,
    /// Whether its contents are there.
    ready: bool,
    used_at: Micros,
}

impl StoredBlock {
    /// Whether it may go.
    fn is_idle(&self) -> bool {
        self.ready && self.loads == 0 && self.refs == 0
    }
}

/// The blocks in CPU memory of one replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CpuTier {
    pub(super) settings: StoreSettings,
    /// By chained hash: the index of the block.
    by_hash: LookupMap<u64, u32>,
    blocks: Vec<StoredBlock>,
    /// Indices of `blocks` without a block.
    vacant: Vec<u32>,
    /// Ends of the list of blocks in order of use.
    oldest: u32,
    newest: u32,
    pub(super) counts: TierCounts,
    /// Blocks written and evicted since this was last taken.
    news: (u32, u32),
    /// When the link has finished all its loads.
    link_free: Micros,
    /// For how long it has loaded, or will have when it has.
    pub(super) link_busy: Span,
    /// How long requests waited for loads, and the ages of blocks.
    pub(super) waits: Sketch,
    pub(super) ages: Ages,
    /// The present, and what it had a while ago, if readers see it late.
    pub(super) now: WithPast,
}

impl CpuTier {
    pub(super) fn new(settings: StoreSettings) -> Self {
        assert!(settings.capacity > 0, "INV-4: a CPU tier without blocks");
        Self {
            settings,
            by_hash: LookupMap::default(),
            blocks: Vec::new(),
            vacant: Vec::new(),
            oldest: NONE,
            newest: NONE,
            counts: TierCounts::default(),
            news: (0, 0),
            link_free: Micros::ZERO,
            link_busy: Span::ZERO,
            waits: Sketch::default(),
            ages: Ages::default(),
            now: WithPast::default(),
        }
    }

    /// The empty tier of a restarted engine; its counters stay.
    pub(super) fn restarted(&self) -> Self {
        let mut now = self.now.clone();
        if let Some(past) = &mut now.past {
            let mark = past.mark();
            for (hash, e) in self.by_hash.sorted() {
                let block = &self.blocks[e as usize];
                if block.ready {
                    past.went(hash, block.used_at);
                }
            }
            past.hold_from(mark);
        }
        Self {
            counts: self.counts,
            now,
            link_busy: self.link_busy,
            waits: self.waits.clone(),
            ages: self.ages.clone(),
            ..Self::new(self.settings)
        }
    }

    /// Blocks stored, and the capacity.
    pub(super) fn blocks(&self) -> (u32, u32) {
        (self.by_hash.len() as u32, self.settings.capacity)
    }

    /// A block by its hash; one that was not used for too long goes now.
    pub(super) fn find(&mut self, hash: u64) -> Option<Seen> {
        let e = self.by_hash.get(hash)?;
        if self.is_over(e) {
            self.remove(e);
            self.counts.expired += 1;
            return None;
        }
        let block = &self.blocks[e as usize];
        Some(if block.loads > 0 || !block.ready { Seen::Moving } else { Seen::Here })
    }

    /// The same, without any consequence.
    pub(super) fn sees(&self, hash: u64) -> Option<Seen> {
        let e = self.by_hash.get(hash).filter(|e| !self.is_over(*e))?;
        let block = &self.blocks[e as usize];
        Some(if block.loads > 0 || !block.ready { Seen::Moving } else { Seen::Here })
    }

    /// Whether the contents of a block are there, however long it was not used.
    pub(super) fn is_ready(&self, hash: u64) -> bool {
        self.by_hash.get(hash).is_some_and(|e| self.blocks[e as usize].ready)
    }

    /// Whether readers see a block at `now` that learn of this late.
    pub(super) fn shows(&self, hash: u64, now: Micros) -> bool {
        let stored = |e: u32| self.blocks[e as usize];
        let is = || self.by_hash.get(hash).map(stored).filter(|block| block.ready).map(|block| block.used_at);
        let Some(past) = &self.now.past else { return is().is_some() };
        let used_at = match past.of(hash, now) {
            Then::AsNow => is(),
            Then::Absent => None,
            Then::There(used_at) => Some(used_at),
        };
        let (ttl, at) = (self.settings.ttl, past.seen_at(now));
        used_at.is_some_and(|used| ttl == Span::ZERO || used >= at || at.since(used) <= ttl)
    }

    fn now(&self) -> Micros {
        Micros(self.now.number)
    }

    pub(super) fn set_clock(&mut self, now: Micros) {
        self.now.number = now.0;
        if let Some(past) = &mut self.now.past {
            past.now = now;
        }
    }

    /// Whether its time is over.
    fn is_over(&self, e: u32) -> bool {
        let (ttl, block) = (self.settings.ttl, &self.blocks[e as usize]);
        ttl > Span::ZERO && block.is_idle() && self.now().since(block.used_at) > ttl
    }

    /// Marks the blocks of one request as used, the last one first, so that a beginning is evicted after its
    /// continuation.
    pub(super) fn use_all(&mut self, hashes: impl DoubleEndedIterator<Item = u64>) {
        for hash in hashes.rev() {
            if let Some(e) = self.by_hash.get(hash) {
                self.use_block(e);
            }
        }
    }

    /// All blocks count as used now; their order stays.
    pub(super) fn use_all_now(&mut self) {
        let now = self.now();
        for block in &mut self.blocks {
            block.used_at = now;
        }
    }

    /// The hashes of all blocks, in order.
    pub(super) fn contents(&self) -> impl Iterator<Item = u64> {
        self.by_hash.sorted().into_iter().map(|(hash, _)| hash)
    }

    /// The leading run of `chain` that is stored; one that was not used for too long ends it.
    pub(super) fn lookup(&self, chain: &[u64]) -> u32 {
        chain.iter().take_while(|hash| self.sees(**hash).is_some()).count() as u32
    }

    /// When a load of `tokens` tokens started now would end.
    pub(super) fn done_at(&self, tokens: u64, now: Micros) -> Micros {
        now.max(self.link_free).saturating_add(self.transfer(tokens))
    }

    /// A load reads blocks that were found.
    pub(super) fn hold(&mut self, chain: &[u64]) {
        for &hash in chain {
            self.stored(hash).loads += 1;
        }
    }

    /// Starts a load of blocks that are held for it. Returns when it ends.
    pub(super) fn begin_load(&mut self, blocks: u64, tokens: u64, now: Micros) -> Micros {
        self.link_free = self.done_at(tokens, now);
        self.link_busy += self.transfer(tokens);
        self.counts.loads += 1;
        self.counts.hits += blocks;
        self.counts.load_time += self.link_free.since(now);
        self.link_free
    }

    /// Ends a load, finished or cancelled.
    pub(super) fn end_load(&mut self, chain: &[u64]) {
        for &hash in chain {
            let block = self.stored(hash);
            assert!(block.loads > 0, "INV-4: a load ended twice");
            block.loads -= 1;
        }
    }

    /// Something needs a block that is there.
    pub(super) fn refer(&mut self, hash: u64) {
        self.stored(hash).refs += 1;
    }

    /// It needs it no more. A block that has gone with a crash is passed over.
    pub(super) fn unrefer(&mut self, hash: u64) {
        if let Some(e) = self.by_hash.get(hash) {
            let block = &mut self.blocks[e as usize];
            assert!(block.refs > 0, "INV-4: a block of the CPU tier is given back twice");
            block.refs -= 1;
        }
    }

    /// The contents of a block that was on its way are there.
    pub(super) fn arrive(&mut self, hash: u64) {
        self.stored(hash).ready = true;
        self.note_came(hash);
    }

    /// A block that was on its way does not come.
    pub(super) fn forget(&mut self, hash: u64) {
        let e = self.by_hash.get(hash).expect("INV-4: a block that was on its way is gone");
        self.remove(e);
    }

    /// A block that was on its way for a prefetch is there, or does not come. One that has gone with a restart is passed over.
    pub(super) fn end_coming(&mut self, hash: u64, is_here: bool) {
        let Some(e) = self.by_hash.get(hash).filter(|e| !self.blocks[*e as usize].ready) else { return };
        let block = &mut self.blocks[e as usize];
        assert!(block.refs > 0, "INV-4: a block of the CPU tier is given back twice");
        block.refs -= 1;
        block.ready = is_here;
        if is_here {
            self.note_came(hash);
        } else {
            self.remove(e);
        }
    }

    /// Blocks written and evicted since the last call.
    pub(super) fn take_news(&mut self) -> (u32, u32) {
        std::mem::take(&mut self.news)
    }

    /// How long the link takes for a number of tokens.
    pub(super) fn transfer(&self, tokens: u64) -> Span {
        self.settings.base + round_to_span(tokens as f64 / self.settings.tokens_per_us)
    }

    fn stored(&mut self, hash: u64) -> &mut StoredBlock {
        let e = self.by_hash.get(hash).expect("INV-4: a block that is being loaded is gone");
        &mut self.blocks[e as usize]
    }

    /// A request has found a block.
    pub(super) fn hit(&mut self, hash: u64) {
        if let Some(e) = self.by_hash.get(hash) {
            self.ages.hit.add(passed(self.blocks[e as usize].used_at, self.now()).0, 1);
        }
    }

    /// Marks a block that is there as used.
    pub(super) fn touch(&mut self, hash: u64) {
        if let Some(e) = self.by_hash.get(hash) {
            self.use_block(e);
        }
    }

    /// Makes room for one more block; where `uses` to come are known, the block that is used last goes. `None` if there is no room
    /// and nothing may go.
    pub(super) fn make_room(&mut self, uses: Option<&Uses>) -> Option<Room> {
        if (self.by_hash.len() as u32) < self.settings.capacity {
            return Some(Room::WasThere);
        }
        let e = match uses {
            None => self.idle().next()?,
            Some(uses) => used_last(uses, self.idle().map(|e| (e, self.blocks[e as usize].hash)))?,
        };
        let block = self.blocks[e as usize];
        let hash = block.hash;
        self.ages.evicted.add(passed(block.used_at, self.now()).0, 1);
        self.remove(e);
        self.counts.evictions += 1;
        self.news.1 += 1;
        Some(Room::Instead(hash))
    }

    /// Blocks that may go, the one used longest ago first.
    fn idle(&self) -> impl Iterator<Item = u32> + '_ {
        let some = |e: u32| (e != NONE).then_some(e);
        let all = std::iter::successors(some(self.oldest), move |&e| some(self.blocks[e as usize].newer));
        all.filter(|&e| self.blocks[e as usize].is_idle())
    }

    /// Stores a block as the most recently used, for which there is room.
    pub(super) fn insert(&mut self, hash: u64, ready: bool) {
        let refs = u32::from(!ready);
        let fresh =
            StoredBlock { hash, older: NONE, newer: NONE, loads: 0, refs, ready, used_at: self.now() };
        let e = if let Some(e) = self.vacant.pop() {
            self.blocks[e as usize] = fresh;
            e
        } else {
            self.blocks.push(fresh);
            self.blocks.len() as u32 - 1
        };
        self.link_newest(e);
        let before = self.by_hash.insert(hash, e);
        assert!(before.is_none(), "INV-4: a block is in the CPU tier twice");
        if ready {
            self.counts.offloads += 1;
            self.news.0 += 1;
            self.note_came(hash);
        }
    }

    fn note_came(&mut self, hash: u64) {
        if let Some(past) = &mut self.now.past {
            past.came(hash);
        }
    }

    fn remove(&mut self, e: u32) {
        let block = self.blocks[e as usize];
        if let Some(past) = self.now.past.as_mut().filter(|_| block.ready) {
            past.went(block.hash, block.used_at);
        }
        self.unlink(e);
        self.by_hash.remove(self.blocks[e as usize].hash);
        self.vacant.push(e);
    }

    fn use_block(&mut self, e: u32) {
        self.blocks[e as usize].used_at = self.now();
        if e != self.newest {
            self.unlink(e);
            self.link_newest(e);
        }
    }
    fn unlink(&mut self, e: u32) {
        let StoredBlock { older, newer, .. } = self.blocks[e as usize];
        match older {
            NONE => self.oldest = newer,
            _ => self.blocks[older as usize].newer = newer,
        }
        match newer {
            NONE => self.newest = older,
            _ => self.blocks[newer as usize].older = older,
        }
    }

    fn link_newest(&mut self, e: u32) {
        let newest = std::mem::replace(&mut self.newest, e);
        match newest {
            NONE => self.oldest = e,
            _ => self.blocks[newest as usize].newer = e,
        }
        let block = &mut self.blocks[e as usize];
        block.older = newest;
        block.newer = NONE;
    }

    /// Checks that the list has every block once, the table points at each, and `loading` blocks are being read.
    pub(super) fn verify(&self, loading: u32) {
        let (mut e, mut older, mut n, mut loads) = (self.oldest, NONE, 0, 0);
        while e != NONE {
            let block = &self.blocks[e as usize];
            assert!(block.older == older, "INV-4: the CPU tier's list is broken");
            assert!(self.by_hash.get(block.hash) == Some(e), "INV-4: a stored block cannot be found");
            (older, e) = (e, block.newer);
            n += 1;
            loads += block.loads;
        }
        let whole =
            n + self.vacant.len() == self.blocks.len() && n == self.by_hash.len() && older == self.newest;
        assert!(whole && n <= self.settings.capacity as usize, "INV-4: the CPU tier is miscounted");
        assert!(loads == loading, "INV-4: {loads} stored blocks are read, {loading} are being loaded");
    }

    /// What needs each block beside loads, in order of hash, where anything does.
    pub(super) fn refs(&self) -> Vec<(u64, u32)> {
        let all = self.by_hash.sorted().into_iter().map(|(hash, e)| (hash, self.blocks[e as usize].refs));
        all.filter(|(_, refs)| *refs > 0).collect()
    }
}
