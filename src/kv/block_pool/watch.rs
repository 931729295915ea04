//! The cached prefix of one text that is looked for again and again: that of the first in a queue, until it finds room.
//!
//! The prefix of a long conversation is tens of thousands of table entries, and the first of a queue looks at every step. So
//! what was found is kept, with a mark on each of its blocks, and follows what happens to them. It is looked for anew when one
//! in the middle is lost or taken, or when the block after the last one comes.

use super::{BlockPool, Hit};

/// What was found for a text. Not part of any state: without it the same is found again.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    /// Whether it still holds.
    fresh: bool,
    /// The text: how many hashes it has, and the last, which covers all before it.
    text: (usize, u64),
    hit: Hit,
    /// The hash of the first block that was not found.
    next: Option<u64>,
    /// The blocks that were found, in order.
    found: Vec<u32>,
    /// A bit for each block of the pool: whether it is among them.
    marks: Vec<u64>,
}

impl Watch {
    /// Whether anything is being watched.
    pub(super) fn is_on(&self) -> bool {
        self.fresh
    }

    /// The table of prefixes, or the holders of many blocks, have changed.
    pub(super) fn forget(&mut self) {
        self.fresh = false;
    }

    /// No request holds block `b` any more.
    pub(super) fn freed(&mut self, b: u32) {
        self.hit.free += u32::from(self.is_marked(b));
    }

    /// The content of block `b`, which no request holds, is lost; `hash` led to it. The last block of a prefix goes first.
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

    /// `hash` has been entered into the table, which said `before` of it.
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
    /// The same as [`BlockPool::lookup`], for a text that is likely to be asked for again.
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
            self.watch = Watch { fresh: true, text, hit, next: chain.get(len).copied(), ..watch };
        }
        #[cfg(feature = "verify")]
        assert!(self.watch.hit == self.lookup(chain), "INV-4: a cached prefix changed unnoticed");
        self.watch.hit
    }
}
