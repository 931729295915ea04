//! The free blocks of a pool, in the order in which they will be taken: the least recently used first.
//!
//! Almost all of them leave at the head, so this is a ring of block numbers, read and written in order: no block's record is
//! touched on behalf of its neighbours. One that is pinned out of the middle leaves a hole. An entry is known by its number,
//! counted from the first one ever entered, which holds until [`FreeList::close_holes`].

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What stands in a hole.
const HOLE: u32 = u32::MAX;

/// Holes that are not worth closing.
const HOLES_KEPT: u32 = 64;

/// Block numbers in the order in which they will be taken.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct FreeList {
    ring: VecDeque<u32>,
    /// Number of the entry at the head; numbers wrap around.
    first: u32,
    holes: u32,
}

impl FreeList {
    /// How many blocks are on it.
    pub(super) fn len(&self) -> u32 {
        self.ring.len() as u32 - self.holes
    }

    /// Enters a block at the tail. Returns the number of its entry.
    pub(super) fn push(&mut self, b: u32) -> u32 {
        let number = self.first.wrapping_add(self.ring.len() as u32);
        self.ring.push_back(b);
        number
    }

    /// Takes the block at the head.
    pub(super) fn pop(&mut self) -> Option<u32> {
        loop {
            let b = self.ring.pop_front()?;
            self.first = self.first.wrapping_add(1);
            if b != HOLE {
                return Some(b);
            }
            self.holes -= 1;
        }
    }

    /// Takes block `b` out of the middle; `number` is that of its entry.
    pub(super) fn remove(&mut self, b: u32, number: u32) {
        let entry = self.ring.get_mut(number.wrapping_sub(self.first) as usize);
        let entry = entry.expect("INV-4: a free block is not on the free list");
        assert!(*entry == b, "INV-4: block {b} is on the free list elsewhere");
        *entry = HOLE;
        self.holes += 1;
    }

    /// Numbers and blocks in order, from the entry with a number on.
    pub(super) fn from(&self, number: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let skipped = number.wrapping_sub(self.first);
        let entries = (0..).zip(self.ring.range(skipped as usize..));
        entries.filter(|(_, b)| **b != HOLE).map(move |(i, b)| (number.wrapping_add(i), *b))
    }

    /// All numbers and blocks in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.from(self.first)
    }

    /// Closes the holes if they are most of the list, which costs no more than making them did. Entries then have other
    /// numbers: `moved` is told of each.
    pub(super) fn close_holes(&mut self, mut moved: impl FnMut(u32, u32)) {
        if self.holes <= HOLES_KEPT.max(self.len()) {
            return;
        }
        self.ring.retain(|&b| b != HOLE);
        self.holes = 0;
        for (number, b) in self.iter() {
            moved(b, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_out_in_order_whoever_left_from_the_middle() {
        let mut list = FreeList { first: u32::MAX - 2, ..FreeList::default() };
        let numbers: Vec<u32> = (0..200).map(|b| list.push(b)).collect();
        for b in (0..200).filter(|b| b % 5 != 1) {
            list.remove(b, numbers[b as usize]);
        }
        assert_eq!(list.len(), 40);
        let mut places = vec![0; 200];
        list.close_holes(|b, number| places[b as usize] = number);
        assert_eq!((list.ring.len(), list.holes), (40, 0));
        list.remove(6, places[6]);
        list.push(1000);
        assert_eq!(list.from(places[11]).next(), Some((places[11], 11)));
        let order: Vec<u32> = std::iter::from_fn(|| list.pop()).collect();
        assert_eq!(order[..3], [1, 11, 16]);
        assert_eq!((order.len(), order[39], list.len()), (40, 1000, 0));
    }
}
