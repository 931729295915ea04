//! Moving the content of free blocks to another tier and back.

use super::{Block, ONCE, Pool};

impl Pool {
    /// Whether this content can be hit.
    pub(in crate::kv) fn knows(&self, hash: u64) -> bool {
        hash != ONCE && self.by_hash.get(hash).is_some()
    }

    /// Copies content into the least recently used free block, which becomes the most recently used. False if none is free.
    pub(in crate::kv) fn reload_into_free(&mut self, hash: u64) -> bool {
        let b = if self.touched < self.limit {
            self.touched += 1;
            self.blocks.push(Block(0));
            self.touched - 1
        } else if let Some(b) = self.take_listed() {
            b
        } else {
            return false;
        };
        if hash == ONCE {
            self.blocks[b as usize].0 |= Block::ONCE;
        } else {
            self.set_hash(b, hash);
        }
        self.cached += 1;
        self.list(b);
        true
    }

    /// The first free block with content, in the order they will be taken, and the number of its entry on the free list;
    /// behind the entry with number `after` if given.
    pub(in crate::kv) fn first_cached(&self, after: Option<u32>) -> Option<(u32, u32)> {
        let cached = |(_, b): &(u32, u32)| self.blocks[*b as usize].has_content();
        match after {
            Some(number) => self.listed.from(number).skip(1).find(cached),
            None => self.listed.iter().find(cached),
        }
    }

    /// Takes the content of a free block, which goes to the end of the free list; `number` is that of its entry there.
    pub(in crate::kv) fn take_content(&mut self, number: u32, b: u32) -> u64 {
        let hashed = self.blocks[b as usize].is_hashed();
        let hash = if hashed { self.hashes[b as usize] } else { ONCE };
        if hashed {
            self.by_hash.remove(hash);
        }
        self.blocks[b as usize] = Block(0);
        self.cached -= 1;
        self.listed.remove(b, number);
        self.list(b);
        self.version += 1;
        hash
    }
}
