//! The store: a second tier below the GPU's cache with full blocks in CPU memory, found by their contents.
//!
//! Blocks are written to it as they become full, or as the GPU evicts them; when the store is full, the least
//! recently used block is evicted. A prompt looks up here the continuation of the run cached on the GPU. One link
//! loads blocks back, one load after the other; a block cannot be evicted while a load reads it.

use super::TierCounts;
use base::lookup::LookupMap;
use base::math::round_to_span;
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// No block.
const NONE: u32 = u32::MAX;

/// When a block is written to the tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Written {
    /// As soon as it is full.
    WhenFull,
    /// When the GPU evicts it.
    WhenEvicted,
}

/// Settings of the store.
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
}

/// The continuation of a run of cached blocks in the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Below {
    /// How many blocks in a row.
    pub blocks: u32,
    /// Whether one of them is already being loaded for another request.
    pub arriving: bool,
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
}

/// The blocks in CPU memory of one replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Store {
    settings: StoreSettings,
    /// By chained hash: the index of the block.
    by_hash: LookupMap<u64, u32>,
    blocks: Vec<StoredBlock>,
    /// Ends of the list of blocks in order of use.
    oldest: u32,
    newest: u32,
    pub(super) counts: TierCounts,
    /// Blocks written and evicted since this was last taken.
    news: (u32, u32),
    /// When the link has finished all its loads.
    link_free: Micros,
}

impl Store {
    pub(super) fn new(settings: StoreSettings) -> Self {
        assert!(settings.capacity > 0, "INV-4: a CPU tier without blocks");
        Self {
            settings,
            by_hash: LookupMap::default(),
            blocks: Vec::new(),
            oldest: NONE,
            newest: NONE,
            counts: TierCounts::default(),
            news: (0, 0),
            link_free: Micros::ZERO,
        }
    }

    /// The empty store of a restarted engine; its counters stay.
    pub(super) fn restarted(&self) -> Self {
        Self { counts: self.counts, ..Self::new(self.settings) }
    }

    /// Blocks stored, and the capacity.
    pub(super) fn blocks(&self) -> (u32, u32) {
        (self.blocks.len() as u32, self.settings.capacity)
    }

    /// A block became full on the GPU.
    pub(super) fn filled(&mut self, hash: u64) {
        if self.settings.written == Written::WhenFull {
            self.write(hash);
        }
    }

    /// The GPU evicted a block.
    pub(super) fn evicted(&mut self, hash: u64) {
        if self.settings.written == Written::WhenEvicted {
            self.write(hash);
        }
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

    /// The leading run of `chain` that is stored.
    pub(super) fn lookup(&self, chain: &[u64]) -> Below {
        let mut below = Below::default();
        for &hash in chain {
            let Some(e) = self.by_hash.get(hash) else { break };
            below.blocks += 1;
            if self.blocks[e as usize].loads > 0 {
                below.arriving = true;
                break;
            }
        }
        below
    }

    /// When a load of `tokens` tokens started now would end.
    pub(super) fn done_at(&self, tokens: u64, now: Micros) -> Micros {
        now.max(self.link_free).saturating_add(self.transfer(tokens))
    }

    /// Starts a load of blocks, all of which [`Store::lookup`] has just found. Returns when it ends.
    pub(super) fn begin_load(&mut self, chain: &[u64], tokens: u64, now: Micros) -> Micros {
        for &hash in chain {
            self.stored(hash).loads += 1;
        }
        self.link_free = self.done_at(tokens, now);
        self.counts.loads += 1;
        self.counts.hits += chain.len() as u64;
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

    /// Blocks written and evicted since the last call.
    pub(super) fn take_news(&mut self) -> (u32, u32) {
        std::mem::take(&mut self.news)
    }

    /// How long the link takes for a number of tokens.
    fn transfer(&self, tokens: u64) -> Span {
        self.settings.base + round_to_span(tokens as f64 / self.settings.tokens_per_us)
    }

    fn stored(&mut self, hash: u64) -> &mut StoredBlock {
        let e = self.by_hash.get(hash).expect("INV-4: a block that is being loaded is gone");
        &mut self.blocks[e as usize]
    }

    /// Stores a block as the most recently used. If the store is full, the least recently used block without a load
    /// is evicted; if all are being loaded, the new block is not stored.
    fn write(&mut self, hash: u64) {
        if let Some(e) = self.by_hash.get(hash) {
            self.use_block(e);
            return;
        }
        let fresh = StoredBlock { hash, older: NONE, newer: NONE, loads: 0 };
        let e = if (self.blocks.len() as u32) < self.settings.capacity {
            self.blocks.push(fresh);
            self.blocks.len() as u32 - 1
        } else {
            let mut e = self.oldest;
            while e != NONE && self.blocks[e as usize].loads > 0 {
                e = self.blocks[e as usize].newer;
            }
            if e == NONE {
                return;
            }
            self.unlink(e);
            self.by_hash.remove(self.blocks[e as usize].hash);
            self.blocks[e as usize] = fresh;
            self.counts.evictions += 1;
            self.news.1 += 1;
            e
        };
        self.link_newest(e);
        self.by_hash.insert(hash, e);
        self.counts.offloads += 1;
        self.news.0 += 1;
    }

    fn use_block(&mut self, e: u32) {
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
        let whole = n == self.blocks.len() && n == self.by_hash.len() && older == self.newest;
        assert!(whole && n <= self.settings.capacity as usize, "INV-4: the CPU tier is miscounted");
        assert!(loads == loading, "INV-4: {loads} stored blocks are read, {loading} are being loaded");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(capacity: u32, written: Written) -> Store {
        Store::new(StoreSettings { capacity, written, tokens_per_us: 4.0, base: Span(10) })
    }

    fn stored(s: &Store, hashes: &[u64]) -> Vec<u64> {
        s.verify(0);
        hashes.iter().copied().filter(|h| s.lookup(&[*h]).blocks == 1).collect()
    }

    #[test]
    fn the_block_used_longest_ago_makes_room() {
        let mut s = store(3, Written::WhenFull);
        for hash in [1, 3, 5] {
            s.filled(hash);
        }
        s.use_all([1, 3].into_iter());
        s.filled(7);
        assert_eq!(stored(&s, &[1, 3, 5, 7]), [1, 3, 7]);
        // Of one request's blocks the first outlives the others.
        s.filled(9);
        assert_eq!(stored(&s, &[1, 3, 7, 9]), [1, 7, 9]);
        assert_eq!((s.counts.offloads, s.counts.evictions, s.blocks()), (5, 2, (3, 3)));
        assert_eq!(s.take_news(), (5, 2));
        assert_eq!(s.take_news(), (0, 0));
    }

    #[test]
    fn a_block_that_is_stored_is_not_written_again() {
        let mut s = store(2, Written::WhenFull);
        for hash in [1, 3, 1, 5] {
            s.filled(hash);
        }
        assert_eq!(stored(&s, &[1, 3, 5]), [1, 5]);
        assert_eq!(s.counts.offloads, 3);
    }

    #[test]
    fn blocks_are_written_when_full_or_when_evicted() {
        let (mut full, mut evicted) = (store(4, Written::WhenFull), store(4, Written::WhenEvicted));
        for s in [&mut full, &mut evicted] {
            s.filled(1);
            s.evicted(3);
        }
        assert_eq!(stored(&full, &[1, 3]), [1]);
        assert_eq!(stored(&evicted, &[1, 3]), [3]);
    }

    #[test]
    fn loads_take_turns_on_the_link() {
        let mut s = store(4, Written::WhenFull);
        s.filled(1);
        s.filled(3);
        // 10 us and 16 tokens at 4 tokens a microsecond, twice.
        assert_eq!(s.begin_load(&[1], 16, Micros(100)), Micros(114));
        assert_eq!(s.begin_load(&[3], 16, Micros(101)), Micros(128));
        assert_eq!(s.done_at(2, Micros(500)), Micros(511));
        assert_eq!((s.counts.loads, s.counts.hits, s.counts.load_time), (2, 2, Span(14 + 27)));
    }

    #[test]
    fn a_block_that_is_being_loaded_stays_and_is_told_of() {
        let mut s = store(2, Written::WhenFull);
        s.filled(1);
        s.filled(3);
        s.begin_load(&[1], 4, Micros::ZERO);
        assert_eq!(s.lookup(&[1, 3]), Below { blocks: 1, arriving: true });
        s.filled(5);
        s.verify(1);
        assert_eq!((s.lookup(&[1]).blocks, s.lookup(&[3]).blocks, s.lookup(&[5]).blocks), (1, 0, 1));
        s.begin_load(&[5], 4, Micros::ZERO);
        s.filled(7);
        assert_eq!(s.lookup(&[7]).blocks, 0);
        s.end_load(&[1]);
        s.end_load(&[5]);
        assert_eq!(stored(&s, &[1, 5]), [1, 5]);
    }
}
