//! What caches could find again, for all sizes at once.
//!
//! A cache that drops the least recently used blocks holds a block exactly if the blocks used since, with it, fit in
//! (Mattson's stack distance). A prompt finds its leading blocks, so a block counts as far away as the farthest one up
//! to it.

use crate::lookup::LookupMap;
use std::collections::BTreeMap;

/// Of what a cache without a bound finds, the share that the knee finds, in percent.
const KNEE: u128 = 99;

/// How far away the tokens are that requests find, in caches of their own.
#[derive(Debug)]
pub struct Distances {
    stacks: Vec<Stack>,
    /// By distance: tokens found at it.
    found: BTreeMap<u64, u64>,
    all: u64,
}

impl Distances {
    /// Of that many caches.
    #[must_use]
    pub fn new(caches: u32) -> Self {
        Self { stacks: (0..caches).map(|_| Stack::default()).collect(), found: BTreeMap::new(), all: 0 }
    }

    /// How many caches.
    pub fn caches(&self) -> u32 {
        self.stacks.len() as u32
    }

    /// Tokens found by caches without a bound.
    pub fn all(&self) -> u64 {
        self.all
    }

    /// A prompt comes to a cache. Tokens of text that this cache has not seen before.
    pub fn prompt(&mut self, cache: usize, pieces: &[(u64, u32)]) -> u64 {
        self.text(cache, pieces, pieces.len())
    }

    /// A text comes to a cache, which keeps all of it: its first `prompt` pieces are looked up, the others are the answer. Tokens of text
    /// that this cache has not seen before.
    pub fn text(&mut self, cache: usize, pieces: &[(u64, u32)], prompt: usize) -> u64 {
        let stack = &mut self.stacks[cache];
        let mut farthest = 0;
        for &(block, len) in &pieces[..prompt.min(pieces.len())] {
            let Some(distance) = stack.distance(block) else { break };
            farthest = distance.max(farthest);
            *self.found.entry(farthest).or_insert(0) += u64::from(len);
            self.all += u64::from(len);
        }
        // The first block is used last, so that it leaves last.
        pieces.iter().rev().map(|&(block, len)| stack.touch(block, len)).sum()
    }

    /// Tokens found by caches of a size.
    pub fn within(&self, size: u64) -> u64 {
        self.found.range(..=size).map(|(_, tokens)| tokens).sum()
    }

    /// The smallest size that finds the share of the knee of all there is to find.
    pub fn knee(&self) -> u64 {
        let wanted = (u128::from(self.all) * KNEE).div_ceil(100);
        let mut so_far = 0u128;
        let reached = self.found.iter().find(|(_, tokens)| {
            so_far += u128::from(**tokens);
            so_far >= wanted
        });
        reached.map_or(0, |(distance, _)| *distance)
    }
}

/// Blocks in the order of their last use, in slots.
#[derive(Debug, Default)]
struct Stack {
    /// The slot of each block.
    slots: LookupMap<u64, u32>,
    /// The block in each slot and its tokens, 0 if it is used elsewhere since.
    blocks: Vec<(u64, u32)>,
    /// A Fenwick tree over the tokens in the slots.
    tree: Vec<u64>,
    tokens: u64,
}

impl Stack {
    /// Tokens of the blocks used since `block`, and of itself.
    fn distance(&self, block: u64) -> Option<u64> {
        let slot = self.slots.get(block)? as usize;
        Some(self.tokens - self.before(slot))
    }

    /// Uses a block of `len` tokens; returns its tokens if it is new.
    fn touch(&mut self, block: u64, len: u32) -> u64 {
        let known = self.slots.get(block);
        let len = match known {
            None => len,
            Some(slot) => {
                let old = self.blocks[slot as usize].1;
                self.blocks[slot as usize].1 = 0;
                self.add(slot as usize, 0u64.wrapping_sub(old.into()));
                self.tokens -= u64::from(old);
                old.max(len)
            }
        };
        if self.blocks.len() == self.tree.len() {
            self.compact();
        }
        let slot = self.blocks.len();
        self.blocks.push((block, len));
        self.slots.insert(block, slot as u32);
        self.add(slot, len.into());
        self.tokens += u64::from(len);
        if known.is_none() { len.into() } else { 0 }
    }

    /// Closes up the slots in use, with room for as many again.
    fn compact(&mut self) {
        self.blocks.retain(|(_, len)| *len > 0);
        self.tree = vec![0; (self.blocks.len() * 2).max(1024)];
        for slot in 0..self.blocks.len() {
            let (block, len) = self.blocks[slot];
            self.slots.insert(block, slot as u32);
            self.add(slot, len.into());
        }
    }

    /// Adds tokens to a slot, modulo 2^64.
    fn add(&mut self, slot: usize, tokens: u64) {
        let mut at = slot + 1;
        while at <= self.tree.len() {
            self.tree[at - 1] = self.tree[at - 1].wrapping_add(tokens);
            at += at & at.wrapping_neg();
        }
    }

    /// Tokens in the slots before `slot`.
    fn before(&self, slot: usize) -> u64 {
        let (mut at, mut sum) = (slot, 0u64);
        while at > 0 {
            sum = sum.wrapping_add(self.tree[at - 1]);
            at -= at & at.wrapping_neg();
        }
        sum
    }
}
