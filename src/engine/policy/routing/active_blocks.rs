//! Active blocks: the distinct blocks of the prompts in flight on a replica. A block that several requests share
//! counts once.
//!
//! A chained hash identifies a block and all blocks before it, so the blocks form a tree. A request holds the last of
//! its blocks that others could share, and a block holds the one before it; a block without a holder is removed. A
//! request takes the same memory however long its prompt is.

use base::lookup::LookupMap;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ActiveBlocks {
    /// By hash: the index in `blocks` of a block that others could share.
    places: LookupMap<u64, u32>,
    blocks: Vec<ActiveBlock>,
    /// Free indices.
    vacant: Vec<u32>,
    /// Number of blocks of texts that occur once.
    alone: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ActiveBlock {
    hash: u64,
    /// Index of the block before it.
    before: Option<u32>,
    /// Number of requests that end with it and of blocks that follow it.
    holders: u32,
}

/// What one request holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ActiveBlocksHeld {
    /// Index of its last shareable block.
    last: Option<u32>,
    alone: u32,
}

impl ActiveBlocks {
    /// Approximate size of a copy in bytes.
    pub(super) fn bytes(&self) -> u64 {
        20 * self.places.len() as u64 + 24 * self.blocks.len() as u64
    }

    /// How many there would be with a further prompt of `all` blocks that begins with `chain`.
    pub(super) fn blocks_with(&self, chain: &[u64], all: u32) -> u64 {
        let known = chain.iter().take_while(|hash| self.places.get(**hash).is_some()).count();
        self.places.len() as u64 + self.alone + u64::from(all) - known as u64
    }

    /// Adds a request with a prompt of `all` blocks that begins with `chain`.
    pub(super) fn add(&mut self, chain: &[u64], all: u32) -> ActiveBlocksHeld {
        let mut before = None;
        for &hash in chain {
            let place =
                self.places.get(hash).unwrap_or_else(|| self.open(ActiveBlock { hash, before, holders: 0 }));
            before = Some(place);
        }
        self.hold(before);
        let alone = all - chain.len() as u32;
        self.alone += u64::from(alone);
        ActiveBlocksHeld { last: before, alone }
    }

    /// Removes a request.
    pub(super) fn remove(&mut self, held: ActiveBlocksHeld) {
        self.alone -= u64::from(held.alone);
        let mut at = held.last;
        while let Some(place) = at {
            let block = &mut self.blocks[place as usize];
            block.holders -= 1;
            if block.holders > 0 {
                return;
            }
            at = block.before;
            self.places.remove(block.hash);
            self.vacant.push(place);
        }
    }

    /// Stores a new block, which holds the one before it; returns its index.
    fn open(&mut self, block: ActiveBlock) -> u32 {
        self.hold(block.before);
        let place = self.vacant.pop().unwrap_or(self.blocks.len() as u32);
        if place as usize == self.blocks.len() {
            self.blocks.push(block);
        } else {
            self.blocks[place as usize] = block;
        }
        self.places.insert(block.hash, place);
        place
    }

    fn hold(&mut self, place: Option<u32>) {
        if let Some(place) = place {
            self.blocks[place as usize].holders += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::{Purpose, Stream};
    use std::collections::BTreeSet;

    #[test]
    fn it_counts_the_distinct_blocks_of_those_that_are_there() {
        let mut draws = Stream::new(5, Purpose::Routing, 0);
        let mut blocks = ActiveBlocks::default();
        let mut there: Vec<(Vec<u64>, u32, ActiveBlocksHeld)> = Vec::new();
        let count = |there: &[(Vec<u64>, u32, ActiveBlocksHeld)]| {
            let distinct: BTreeSet<u64> = there.iter().flat_map(|(chain, _, _)| chain.clone()).collect();
            distinct.len() as u64 + there.iter().map(|(_, alone, _)| u64::from(*alone)).sum::<u64>()
        };
        for _ in 0..5000 {
            let (group, length, alone) = (draws.below(5), draws.below(8), draws.below(4));
            let chain: Vec<u64> = (0..length).map(|k| u64::from(100 * group + k)).collect();
            let mut with = there.clone();
            with.push((chain.clone(), alone, ActiveBlocksHeld { last: None, alone: 0 }));
            assert_eq!(blocks.blocks_with(&chain, length + alone), count(&with));
            if draws.below(2) == 0 || there.is_empty() {
                let held = blocks.add(&chain, length + alone);
                there.push((chain, alone, held));
            } else {
                let (_, _, held) = there.swap_remove(draws.below(there.len() as u32) as usize);
                blocks.remove(held);
            }
            assert_eq!(blocks.blocks_with(&[], 0), count(&there));
        }
        for (_, _, held) in there {
            blocks.remove(held);
        }
        assert!(blocks.blocks_with(&[], 0) == 0 && blocks.vacant.len() == blocks.blocks.len());
    }
}
