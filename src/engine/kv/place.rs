//! A place below CPU memory where blocks lie, found by their contents: the disk of a replica, or a store that replicas share.
//!
//! Room for a block is taken when its write begins, and it can be found once it is there. The caller
//! supplies the time, for how long a lookup protects a block and an unused block can be found.

use base::lookup::LookupMap;
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// No block.
const NONE: u32 = u32::MAX;

/// What goes when a place is full.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PlaceEviction {
    /// Nothing: what finds no room is not written.
    Refuse,
    /// The block used longest ago that may go.
    Oldest,
    /// A share of the blocks, those used longest ago that may go: when there is no room, and when a block that was put leaves so
    /// much in use.
    Watermark {
        /// Share of the capacity in use.
        high: f64,
        /// Share of the blocks that go, at least one.
        share: f64,
    },
}

/// Settings of a place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceSettings {
    /// How many blocks fit; 0 for no end.
    pub capacity: u64,
    /// What goes when it is full.
    pub eviction: PlaceEviction,
    /// How long a block that was looked up for a load, or put again, cannot be evicted. 0: while it is read.
    pub lease: Span,
    /// How long a block that is not used can be found; 0 for ever.
    pub ttl: Span,
}

/// Counters of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceCounts {
    /// Most blocks at once.
    pub peak: u64,
    /// Blocks that got room.
    pub puts: u64,
    /// Blocks that got none.
    pub refused: u64,
    /// Blocks evicted.
    pub evicted: u64,
    /// Blocks that were not used for longer than they are kept.
    pub expired: u64,
    /// Blocks looked up.
    pub lookups: u64,
    /// Of these found.
    pub found: u64,
}

/// A block in a place.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Item {
    hash: u64,
    older: u32,
    newer: u32,
    /// Reads under way.
    readers: u32,
    ready: bool,
    /// Until when it is protected.
    lease: Micros,
    used_at: Micros,
}

/// The blocks in one place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Place {
    settings: PlaceSettings,
    by_hash: LookupMap<u64, u32>,
    items: Vec<Item>,
    vacant: Vec<u32>,
    /// Ends of the list of blocks in order of use.
    oldest: u32,
    newest: u32,
    /// Nothing is found while it is down.
    is_down: bool,
    /// It may have more than fits, since its capacity was made smaller.
    shrinks: bool,
    counts: PlaceCounts,
}

impl Place {
    /// An empty place.
    #[must_use]
    pub fn new(settings: PlaceSettings) -> Self {
        Self {
            settings,
            by_hash: LookupMap::default(),
            items: Vec::new(),
            vacant: Vec::new(),
            oldest: NONE,
            newest: NONE,
            is_down: false,
            shrinks: false,
            counts: PlaceCounts::default(),
        }
    }

    /// Its settings.
    pub fn settings(&self) -> &PlaceSettings {
        &self.settings
    }

    /// Other settings from `now` on. What no longer fits goes at once as far as it may, and the rest as it is freed.
    pub fn adopt(&mut self, settings: PlaceSettings, now: Micros) {
        self.settings = settings;
        self.shrinks = true;
        self.shrink(now);
    }

    /// Its counters.
    pub fn counts(&self) -> PlaceCounts {
        self.counts
    }

    /// Blocks that have room.
    pub fn len(&self) -> u64 {
        self.by_hash.len() as u64
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.by_hash.is_empty()
    }

    /// Whether it is down.
    pub fn is_down(&self) -> bool {
        self.is_down
    }

    /// It is down from now on, or works again.
    pub fn set_down(&mut self, is_down: bool) {
        self.is_down = is_down;
    }

    /// Nothing is in it any more. Nothing reads it, and nothing is written.
    pub fn empty(&mut self) {
        *self = Self { is_down: self.is_down, counts: self.counts, ..Self::new(self.settings) };
    }

    /// Whether a block can be found; one that was not used for too long goes now. Counted as a lookup.
    pub fn holds(&mut self, hash: u64, now: Micros) -> bool {
        self.counts.lookups += 1;
        let found = self.finds(hash, now);
        self.counts.found += u64::from(found);
        found
    }

    /// The same, not counted.
    pub fn finds(&mut self, hash: u64, now: Micros) -> bool {
        if !self.sees(hash) {
            return false;
        }
        let Some(at) = self.by_hash.get(hash) else { return false };
        let item = self.items[at as usize];
        let ttl = self.settings.ttl;
        if ttl > Span::ZERO && item.readers == 0 && now.since(item.used_at) > ttl {
            self.remove(at);
            self.counts.expired += 1;
            return false;
        }
        true
    }

    /// Whether the contents of a block are there, however long they were not used.
    pub fn sees(&self, hash: u64) -> bool {
        !self.is_down && self.by_hash.get(hash).is_some_and(|at| self.items[at as usize].ready)
    }

    /// Whether a block has room, and whether its contents are there.
    pub fn has_room_for(&self, hash: u64) -> Option<bool> {
        self.by_hash.get(hash).map(|at| self.items[at as usize].ready)
    }

    /// A lookup of a block that is there leads to a load, or it was put again: it is used, and protected for the lease.
    pub fn promise(&mut self, hash: u64, now: Micros) {
        let Some(at) = self.by_hash.get(hash) else { return };
        self.use_item(at, now);
        if self.settings.lease > Span::ZERO {
            let item = &mut self.items[at as usize];
            item.lease = item.lease.max(now.saturating_add(self.settings.lease));
        }
    }

    /// Room for a block that will be written; whether there is any.
    pub fn put(&mut self, hash: u64, now: Micros) -> bool {
        let known = self.len();
        let some = |share: f64| ((share * known as f64).floor() as u64).max(1);
        if self.is_full() {
            match self.settings.eviction {
                PlaceEviction::Refuse => {}
                PlaceEviction::Oldest => self.evict(1, now),
                PlaceEviction::Watermark { share, .. } => self.evict(some(share), now),
            }
        }
        if self.is_full() {
            self.counts.refused += 1;
            return false;
        }
        self.insert(hash, now);
        self.counts.puts += 1;
        if let PlaceEviction::Watermark { high, share } = self.settings.eviction
            && self.settings.capacity > 0
            && self.len() >= (high * self.settings.capacity as f64).ceil() as u64
        {
            self.evict(some(share), now);
        }
        self.counts.peak = self.counts.peak.max(self.len());
        true
    }

    /// A block was not written because the place was down.
    pub fn refuse(&mut self) {
        self.counts.refused += 1;
    }

    /// The contents of blocks that have room are there, and used, the last one first.
    pub fn arrive(&mut self, hashes: &[u64], now: Micros) {
        for &hash in hashes {
            let at = self.by_hash.get(hash).expect("INV-13: room that was taken is gone");
            self.items[at as usize].ready = true;
        }
        for &hash in hashes.iter().rev() {
            if let Some(at) = self.by_hash.get(hash) {
                self.use_item(at, now);
            }
        }
        self.shrink(now);
    }

    /// The contents of blocks that have room do not come.
    pub fn forget(&mut self, hashes: &[u64]) {
        for &hash in hashes {
            if let Some(at) = self.by_hash.get(hash)
                && !self.items[at as usize].ready
            {
                self.remove(at);
            }
        }
    }

    /// A read of blocks that are there begins. Where there is a lease, it protects them.
    pub fn begin_read(&mut self, hashes: &[u64]) {
        if self.settings.lease == Span::ZERO {
            for &hash in hashes {
                let at = self.by_hash.get(hash).expect("INV-13: a block that is read is not there");
                self.items[at as usize].readers += 1;
            }
        }
    }

    /// It ends. Blocks that are gone are passed over.
    pub fn end_read(&mut self, hashes: &[u64], now: Micros) {
        if self.settings.lease == Span::ZERO {
            for &hash in hashes {
                if let Some(at) = self.by_hash.get(hash) {
                    let readers = &mut self.items[at as usize].readers;
                    *readers = readers.saturating_sub(1);
                }
            }
            self.shrink(now);
        }
    }

    fn is_full(&self) -> bool {
        self.settings.capacity > 0 && self.len() >= self.settings.capacity
    }

    /// What is beyond a capacity that was made smaller goes as far as it may.
    fn shrink(&mut self, now: Micros) {
        let capacity = self.settings.capacity;
        if !self.shrinks {
            return;
        }
        if capacity > 0 && self.len() > capacity && self.settings.eviction != PlaceEviction::Refuse {
            self.evict(self.len() - capacity, now);
        }
        self.shrinks = capacity > 0 && self.len() > capacity;
    }

    /// Evicts up to `most` blocks, those used longest ago that may go.
    fn evict(&mut self, most: u64, now: Micros) {
        let (mut at, mut gone) = (self.oldest, 0);
        while at != NONE && gone < most {
            let item = self.items[at as usize];
            if item.ready && item.readers == 0 && item.lease <= now {
                self.remove(at);
                gone += 1;
            }
            at = item.newer;
        }
        self.counts.evicted += gone;
    }

    fn insert(&mut self, hash: u64, now: Micros) {
        let item = Item {
            hash,
            older: NONE,
            newer: NONE,
            readers: 0,
            ready: false,
            lease: Micros::ZERO,
            used_at: now,
        };
        let at = if let Some(at) = self.vacant.pop() {
            self.items[at as usize] = item;
            at
        } else {
            self.items.push(item);
            self.items.len() as u32 - 1
        };
        self.link_newest(at);
        self.by_hash.insert(hash, at);
    }

    fn remove(&mut self, at: u32) {
        self.unlink(at);
        self.by_hash.remove(self.items[at as usize].hash);
        self.vacant.push(at);
    }

    fn use_item(&mut self, at: u32, now: Micros) {
        self.items[at as usize].used_at = now;
        if at != self.newest {
            self.unlink(at);
            self.link_newest(at);
        }
    }

    fn unlink(&mut self, at: u32) {
        let Item { older, newer, .. } = self.items[at as usize];
        match older {
            NONE => self.oldest = newer,
            _ => self.items[older as usize].newer = newer,
        }
        match newer {
            NONE => self.newest = older,
            _ => self.items[newer as usize].older = older,
        }
    }

    fn link_newest(&mut self, at: u32) {
        let newest = std::mem::replace(&mut self.newest, at);
        match newest {
            NONE => self.oldest = at,
            _ => self.items[newest as usize].newer = at,
        }
        let item = &mut self.items[at as usize];
        (item.older, item.newer) = (newest, NONE);
    }

    /// INV-13: no more blocks than fit, and each in the list and the table once.
    pub fn verify(&self) {
        let (mut at, mut older, mut n) = (self.oldest, NONE, 0);
        while at != NONE {
            let item = &self.items[at as usize];
            assert!(item.older == older, "INV-13: the list of a place is broken");
            assert!(self.by_hash.get(item.hash) == Some(at), "INV-13: a stored block cannot be found");
            (older, at) = (at, item.newer);
            n += 1;
        }
        assert!(n == self.len() && older == self.newest, "INV-13: a place is miscounted");
        let fits = self.settings.capacity == 0 || self.len() <= self.settings.capacity;
        assert!(fits || self.shrinks, "INV-13: {n} blocks in a place for {}", self.settings.capacity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(capacity: u64, eviction: PlaceEviction, lease: u64) -> Place {
        Place::new(PlaceSettings { capacity, eviction, lease: Span(lease), ttl: Span::ZERO })
    }

    fn fill(p: &mut Place, hashes: &[u64], now: u64) {
        for &hash in hashes {
            if p.put(hash, Micros(now)) {
                p.arrive(&[hash], Micros(now));
            }
        }
        p.verify();
    }

    fn there(p: &mut Place, hashes: &[u64], now: u64) -> Vec<u64> {
        hashes.iter().copied().filter(|hash| p.holds(*hash, Micros(now))).collect()
    }

    #[test]
    fn a_full_place_refuses_or_evicts_as_it_is_told() {
        let all = [1, 3, 5, 7];
        for (eviction, expected) in [
            (PlaceEviction::Refuse, vec![1, 3, 5]),
            (PlaceEviction::Oldest, vec![3, 5, 7]),
            (PlaceEviction::Watermark { high: 1.0, share: 0.7 }, vec![5, 7]),
        ] {
            let mut p = place(3, eviction, 0);
            fill(&mut p, &all, 0);
            assert_eq!(there(&mut p, &all, 0), expected, "{eviction:?}");
        }
    }

    #[test]
    fn what_is_read_leased_or_not_there_yet_is_not_evicted() {
        let mut p = place(2, PlaceEviction::Oldest, 0);
        fill(&mut p, &[1], 0);
        assert!(p.put(3, Micros(0)));
        p.begin_read(&[1]);
        assert!(!p.put(5, Micros(0)), "one is read, the other on its way");
        p.end_read(&[1], Micros(1));
        assert!(p.put(5, Micros(1)) && !p.holds(1, Micros(1)));
        let mut p = place(1, PlaceEviction::Oldest, 100);
        fill(&mut p, &[1], 0);
        p.promise(1, Micros(10));
        assert!(!p.put(3, Micros(109)) && p.put(3, Micros(110)));
        assert_eq!((p.counts().refused, p.counts().evicted), (1, 1));
    }

    #[test]
    fn a_block_that_is_not_used_is_found_for_as_long_as_its_time_lasts() {
        let mut p = place(0, PlaceEviction::Refuse, 0);
        p.settings.ttl = Span(50);
        fill(&mut p, &[1, 3], 0);
        p.promise(1, Micros(40));
        assert_eq!(there(&mut p, &[1, 3], 51), [1]);
        assert_eq!((p.counts().expired, p.counts().lookups, p.counts().found, p.len()), (1, 2, 1, 1));
    }

    #[test]
    fn a_place_that_is_down_finds_nothing_and_has_everything_afterwards() {
        let mut p = place(0, PlaceEviction::Refuse, 0);
        fill(&mut p, &[1], 0);
        p.set_down(true);
        assert!(!p.holds(1, Micros(1)));
        p.set_down(false);
        assert!(p.holds(1, Micros(2)));
    }

    #[test]
    fn a_capacity_that_shrinks_takes_effect_as_blocks_may_go() {
        let mut p = place(4, PlaceEviction::Oldest, 0);
        fill(&mut p, &[1, 3, 5, 7], 0);
        p.begin_read(&[1, 3, 5]);
        p.adopt(PlaceSettings { capacity: 2, ..*p.settings() }, Micros(1));
        assert_eq!(p.len(), 3);
        p.verify();
        p.end_read(&[1, 3, 5], Micros(2));
        assert_eq!(there(&mut p, &[1, 3, 5, 7], 3), [3, 5]);
        p.verify();
    }
}
