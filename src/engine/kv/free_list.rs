//! The free list: the free blocks of a pool in the order in which they will be taken, the least recently used first.
//!
//! Almost all blocks leave at the head, so this is a ring of words, each a block and its kind of content, read and
//! written in order: neither a removal nor an eviction reads the records of other blocks. A block that is pinned out
//! of the middle leaves a hole. A place is counted from the first one ever filled; it holds until
//! [`FreeList::close_holes`].

use super::stamps::Stamps;
use base::Micros;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::VecDeque;

/// The entry of a hole.
pub(super) const HOLE: u32 = u32::MAX;

/// Holes that are not worth closing.
const HOLES_KEPT: u32 = 64;

/// Blocks in the order in which they will be taken.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct FreeList {
    ring: VecDeque<u32>,
    /// The place at the head; places wrap around.
    first: u32,
    holes: u32,
    /// When its blocks came.
    stamps: Stamps,
}

impl FreeList {
    /// A list of these entries and holes, the first of which has the place `first`.
    pub(super) fn of(entries: Vec<u32>, first: u32, stamps: Stamps) -> Self {
        let holes = entries.iter().filter(|entry| **entry == HOLE).count() as u32;
        Self { ring: entries.into(), first, holes, stamps }
    }

    /// The place at the head.
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// All entries and holes in order.
    pub(super) fn slots_in_order(&self) -> Cow<'_, [u32]> {
        match self.ring.as_slices() {
            (all, []) => Cow::Borrowed(all),
            (head, tail) => Cow::Owned([head, tail].concat()),
        }
    }

    /// How many blocks are on it.
    pub(super) fn len(&self) -> u32 {
        self.ring.len() as u32 - self.holes
    }

    /// How many places it takes, holes included.
    pub(super) fn slots(&self) -> usize {
        self.ring.len()
    }

    /// When its blocks came.
    pub(super) fn stamps(&self) -> &Stamps {
        &self.stamps
    }

    /// What is entered from now on comes at `at`; `evicted` blocks have left with their content before.
    pub(super) fn mark(&mut self, at: Micros, evicted: u64) {
        let tail = self.first.wrapping_add(self.ring.len() as u32);
        self.stamps.mark([self.first, tail], at, evicted);
    }

    /// Enters a block at the tail. Returns its place.
    pub(super) fn push(&mut self, entry: u32) -> u32 {
        let place = self.first.wrapping_add(self.ring.len() as u32);
        self.ring.push_back(entry);
        place
    }

    /// Enters blocks at the tail.
    pub(super) fn extend(&mut self, entries: impl Iterator<Item = u32>) {
        self.ring.extend(entries);
    }

    /// Takes the block at the head.
    pub(super) fn pop(&mut self) -> Option<u32> {
        loop {
            let entry = self.ring.pop_front()?;
            self.first = self.first.wrapping_add(1);
            if entry != HOLE {
                return Some(entry);
            }
            self.holes -= 1;
        }
    }

    /// Takes the entry at `place` out of the middle.
    pub(super) fn remove(&mut self, place: u32) -> u32 {
        let found = self.ring.get_mut(place.wrapping_sub(self.first) as usize);
        let entry = std::mem::replace(found.expect("INV-4: a free block is not on the free list"), HOLE);
        assert!(entry != HOLE, "INV-4: a block was taken off the free list twice");
        self.holes += 1;
        entry
    }

    /// Places and entries in order, from a place on.
    pub(super) fn from(&self, place: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let skipped = place.wrapping_sub(self.first);
        let entries = (0..).zip(self.ring.range(skipped as usize..));
        entries.filter(|(_, entry)| **entry != HOLE).map(move |(i, entry)| (place.wrapping_add(i), *entry))
    }

    /// All places and entries in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.from(self.first)
    }

    /// Closes the holes if they are most of the list, which costs no more than making them. Calls `moved` with each
    /// entry and its new place.
    pub(super) fn close_holes(&mut self, mut moved: impl FnMut(u32, u32)) {
        if self.holes <= HOLES_KEPT.max(self.len()) {
            return;
        }
        self.stamps.close(self.first, self.ring.iter().map(|&entry| entry == HOLE));
        self.ring.retain(|&entry| entry != HOLE);
        self.holes = 0;
        for (place, entry) in self.iter() {
            moved(entry, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_out_in_order_after_removals_from_the_middle() {
        let mut list = FreeList { first: u32::MAX - 2, ..FreeList::default() };
        let mut places: Vec<u32> = (0..200).map(|b| list.push(b)).collect();
        for b in (0..200).filter(|b| b % 5 != 1) {
            assert_eq!(list.remove(places[b as usize]), b);
        }
        assert_eq!(list.len(), 40);
        list.close_holes(|b, place| places[b as usize] = place);
        assert_eq!((list.ring.len(), list.holes), (40, 0));
        list.remove(places[6]);
        list.push(1000);
        assert_eq!(list.from(places[11]).next(), Some((places[11], 11)));
        let order: Vec<u32> = std::iter::from_fn(|| list.pop()).collect();
        assert_eq!(order[..3], [1, 11, 16]);
        assert_eq!((order.len(), order[39], list.len()), (40, 1000, 0));
    }
}
