//! A place below CPU memory where blocks lie, found by their contents: the disk of a replica, or a store that replicas share.
//!
//! Room for a block is taken when its write begins, and it can be found once it is there. The caller
//! supplies the time, for how long a lookup protects a block and an unused block can be found.

use super::past::WithPast;
use super::served::{Ages, passed};
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
    /// Until when others go first.
    pinned: Micros,
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
    /// Nothing is found while it is down: 1 if it is. What it had a while ago, if readers see it late.
    down: WithPast,
    /// It may have more than fits, since its capacity was made smaller.
    shrinks: bool,
    counts: PlaceCounts,
    ages: Ages,
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
            down: WithPast::default(),
            shrinks: false,
            counts: PlaceCounts::default(),
            ages: Ages::default(),
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

    /// Ages of its blocks.
    pub fn ages(&self) -> &Ages {
        &self.ages
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
        self.down.number != 0
    }

    /// It is down from now on, or works again.
    pub fn set_down(&mut self, is_down: bool, now: Micros) {
        self.note_down(is_down, now);
    }

    /// Nothing is in it any more. Nothing reads it, and nothing is written.
    pub fn empty(&mut self, now: Micros) {
        self.note_empty(now);
        let (down, ages) = (std::mem::take(&mut self.down), std::mem::take(&mut self.ages));
        *self = Self { down, counts: self.counts, ages, ..Self::new(self.settings) };
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
            self.note_went(at, now);
            self.remove(at);
            self.counts.expired += 1;
            return false;
        }
        true
    }

    /// Whether the contents of a block are there, however long they were not used.
    pub fn sees(&self, hash: u64) -> bool {
        !self.is_down() && self.by_hash.get(hash).is_some_and(|at| self.items[at as usize].ready)
    }

    /// Whether a block has room, and whether its contents are there.
    pub fn has_room_for(&self, hash: u64) -> Option<bool> {
        self.by_hash.get(hash).map(|at| self.items[at as usize].ready)
    }

    /// A lookup of a block that is there leads to a load for a request.
    pub fn hit(&mut self, hash: u64, now: Micros) {
        if let Some(at) = self.by_hash.get(hash) {
            self.ages.hit.add(passed(self.items[at as usize].used_at, now).0, 1);
        }
        self.promise(hash, now);
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

    /// A block that has room goes after others until then.
    pub fn pin(&mut self, hash: u64, until: Micros) {
        if let Some(at) = self.by_hash.get(hash) {
            let item = &mut self.items[at as usize];
            item.pinned = item.pinned.max(until);
        }
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
            self.note_came(hash, now);
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

    /// Evicts up to `most` blocks, those used longest ago that may go; those that are pinned after all others.
    fn evict(&mut self, most: u64, now: Micros) {
        let (others, spared) = self.evict_where(most, now, |item| item.pinned <= now);
        let pinned =
            if others < most && spared { self.evict_where(most - others, now, |_| true).0 } else { 0 };
        self.counts.evicted += others + pinned;
    }

    /// Evicts up to `most` blocks of some, those used longest ago that may go. How many, and whether others may go too.
    fn evict_where(&mut self, most: u64, now: Micros, is: impl Fn(&Item) -> bool) -> (u64, bool) {
        let (mut at, mut gone, mut spared) = (self.oldest, 0, false);
        while at != NONE && gone < most {
            let item = self.items[at as usize];
            if item.ready && item.readers == 0 && item.lease <= now {
                if is(&item) {
                    self.ages.evicted.add(passed(item.used_at, now).0, 1);
                    self.note_went(at, now);
                    self.remove(at);
                    gone += 1;
                } else {
                    spared = true;
                }
            }
            at = item.newer;
        }
        (gone, spared)
    }

    fn insert(&mut self, hash: u64, now: Micros) {
        let item = Item {
            hash,
            older: NONE,
            newer: NONE,
            readers: 0,
            ready: false,
            lease: Micros::ZERO,
            pinned: Micros::ZERO,
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

mod late;
#[cfg(test)]
mod tests;
