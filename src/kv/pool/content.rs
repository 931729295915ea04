//! Moving the content of free blocks to another tier and back.

use super::{Block, NONE, ONCE, Pool};

impl Pool {
    /// Whether this content can be hit.
    pub(in crate::kv) fn knows(&self, hash: u64) -> bool {
        hash != ONCE && self.by_hash.get(hash).is_some()
    }

    /// Copies content into the least recently used free block, which becomes the most recently used. False if none is free.
    pub(in crate::kv) fn reload_into_free(&mut self, hash: u64) -> bool {
        let b = if self.touched < self.limit {
            self.touched += 1;
            self.blocks.push(Block { holders: 0, before: NONE, after: NONE, hash: 0 });
            self.touched - 1
        } else if self.head != NONE {
            let b = self.head;
            self.take_listed(b);
            b
        } else {
            return false;
        };
        if hash == ONCE {
            self.blocks[b as usize].hash = ONCE;
        } else {
            self.set_hash(b, hash);
        }
        self.cached += 1;
        self.link_last(b);
        true
    }

    /// The first free block with content, in the order they will be taken; after `b` if given.
    pub(in crate::kv) fn first_cached(&self, b: Option<u32>) -> Option<u32> {
        let mut next = b.map_or(self.head, |b| self.blocks[b as usize].after);
        while next != NONE && self.blocks[next as usize].hash == 0 {
            next = self.blocks[next as usize].after;
        }
        (next != NONE).then_some(next)
    }

    /// Takes the content of a free block, which goes to the end of the free list.
    pub(in crate::kv) fn take_content(&mut self, b: u32) -> u64 {
        let hash = std::mem::take(&mut self.blocks[b as usize].hash);
        if hash != ONCE {
            self.by_hash.remove(hash);
        }
        self.cached -= 1;
        self.unlink(b);
        self.link_last(b);
        self.version += 1;
        hash
    }
}
