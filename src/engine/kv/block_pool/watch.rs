//! The watch: the cached prefix of one text that is looked up repeatedly, that of the first request in a queue until
//! it is admitted.
//!
//! The prefix of a long conversation has tens of thousands of table entries, and the first request of a queue looks
//! it up at every step. So the blocks found are kept and marked, and updated as their state changes. A new look-up is
//! needed only if a block in the middle is lost or taken, or if the block after the last one is entered.

use super::{BlockPool, Hit};

/// The prefix found for a text. Not part of the state: without it the same prefix is found again.
#[derive(Clone, Debug, Default)]
pub(super) struct LossWatch {
    /// Whether the result is still valid.
    fresh: bool,
    /// The text: its number of hashes, and the last hash, which covers all before it.
    text: (usize, u64),
    hit: Hit,
    /// The hash of the first block not found.
    next: Option<u64>,
    /// The blocks that were found, in order.
    found: Vec<u32>,
    /// A bit for each block of the pool: whether it is among them.
    marks: Vec<u64>,
}

impl LossWatch {
    /// Whether anything is being watched.
    pub(super) fn is_on(&self) -> bool {
        self.fresh
    }

    /// Invalidates the result: the table of prefixes, or the holders of many blocks, have changed.
    pub(super) fn forget(&mut self) {
        self.fresh = false;
    }

    /// Block `b` is no longer held by any request.
    pub(super) fn freed(&mut self, b: u32) {
        self.hit.free += u32::from(self.is_marked(b));
    }

    /// The content of the free block `b` with the hash `hash` is lost. The last block of a prefix is lost first.
    pub(super) fn lost(&mut self, b: u32, hash: u64) {
        if !self.is_marked(b) {
            return;
        }
        if self.found.last() != Some(&b) {
            self.fresh = false;
            return;
        }
        self.found.pop();
        self.marks[b as usize / 64] &= !(1 << (b % 64));
        self.hit.blocks -= 1;
        self.hit.free -= 1;
        self.next = Some(hash);
    }

    /// `hash` has been entered into the table; `before` is its former entry.
    pub(super) fn entered(&mut self, hash: u64, before: Option<u32>) {
        self.fresh &= match before {
            Some(b) => !self.is_marked(b),
            None => self.next != Some(hash),
        };
    }

    fn is_marked(&self, b: u32) -> bool {
        self.marks.get(b as usize / 64).is_some_and(|word| word >> (b % 64) & 1 == 1)
    }

    fn mark(&mut self, b: u32) {
        let word = b as usize / 64;
        if self.marks.len() <= word {
            self.marks.resize(word + 1, 0);
        }
        self.marks[word] |= 1 << (b % 64);
    }
}

impl BlockPool {
    /// The same as [`BlockPool::lookup`], for a text that is likely to be looked up again.
    pub fn lookup_again(&mut self, chain: &[u64]) -> Hit {
        let text = (chain.len(), chain.last().copied().unwrap_or(0));
        if !self.watch.fresh || self.watch.text != text {
            let hit = self.lookup(chain);
            let len = hit.blocks as usize;
            let mut watch = std::mem::take(&mut self.watch);
            watch.marks.clear();
            watch.found.clear();
            for &hash in &chain[..len] {
                let b = self.by_hash.get(hash).expect("INV-4: a block was found and is not there");
                watch.found.push(b);
                watch.mark(b);
            }
            self.watch = LossWatch { fresh: true, text, hit, next: chain.get(len).copied(), ..watch };
        }
        #[cfg(feature = "verify")]
        assert!(self.watch.hit == self.lookup(chain), "INV-4: a cached prefix changed unnoticed");
        self.watch.hit
    }
}
