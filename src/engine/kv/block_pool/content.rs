//! Content of free blocks: moving it to another tier and back, and clearing all of it.

use super::{Block, BlockPool, Filled, UNIQUE_HASH};
use crate::kv::past::WithPast;
use base::Micros;

impl BlockPool {
    /// Clears the cache for a restarted engine; its counters stay.
    pub fn restart(&mut self) {
        assert!(self.used == 0, "INV-4: {} blocks are in use in a cache that is given up", self.used);
        let version = self.forget_contents();
        let fresh = Self {
            tier: self.tier.as_ref().map(|tier| Box::new(tier.restarted())),
            tiers: self.tiers.as_ref().map(|tiers| Box::new(tiers.restarted())),
            order: self.order.as_ref().map(|order| Box::new(order.restarted())),
            received: self.received,
            hits: self.hits,
            misses: self.misses,
            prompt_misses: self.prompt_misses,
            evictions: self.evictions,
            version,
            ..Self::new(self.total(), self.block_tokens, self.caching)
        };
        *self = fresh;
    }

    /// All contents are lost. Readers that see the cache late see the old contents until the loss is shown to them.
    fn forget_contents(&mut self) -> WithPast {
        let mut version = std::mem::take(&mut self.version);
        version.number += 1;
        if let Some(past) = &mut version.past {
            let mark = past.mark();
            for (hash, _) in self.by_hash.sorted() {
                past.went(hash, past.now);
            }
            past.hold_from(mark);
        }
        version
    }

    /// Whether this content can be hit.
    pub fn knows(&self, hash: u64) -> bool {
        hash != UNIQUE_HASH && self.by_hash.get(hash).is_some()
    }

    /// Blocks that come on the free list from now on come at `now`.
    pub(in crate::kv) fn mark(&mut self, now: Micros) {
        self.listed.mark(now, self.evictions);
    }

    /// Copies content into the least recently used free block, which becomes the most recently used. False if none is free.
    pub(in crate::kv) fn reload_into_free(&mut self, hash: u64) -> bool {
        let b = if self.touched < self.limit {
            self.touched += 1;
            self.blocks.push(Block(0));
            self.touched - 1
        } else if let Some(b) = self.take_listed(Block(0)) {
            b
        } else {
            return false;
        };
        if hash == UNIQUE_HASH {
            self.blocks[b as usize].0 |= Block::UNIQUE;
        } else {
            self.set_hash(b, (hash, 0), Filled::Loaded);
        }
        self.cached += 1;
        self.list(b);
        true
    }

    /// The place on the free list of the first block with content, in the order they will be taken; behind the place `after`
    /// if given.
    pub(in crate::kv) fn first_cached(&self, after: Option<u32>) -> Option<u32> {
        let cached = |(_, entry): &(u32, u32)| Block(*entry).has_content();
        let found = match after {
            Some(place) => self.listed.from(place).skip(1).find(cached),
            None => self.listed.iter().find(cached),
        };
        found.map(|(place, _)| place)
    }

    /// Takes the content of the free block at a place of the free list and moves the block to the tail. Returns the
    /// block and the hash.
    pub(in crate::kv) fn take_content(&mut self, place: u32) -> (u32, u64) {
        let entry = Block(self.listed.remove(place));
        let b = entry.holders();
        let hash = if entry.is_hashed() { self.forget_hash(b) } else { UNIQUE_HASH };
        if hash != UNIQUE_HASH {
            self.by_hash.remove(hash);
        }
        self.blocks[b as usize] = Block(0);
        self.cached -= 1;
        self.watch.forget();
        self.list(b);
        self.version.number += 1;
        (b, hash)
    }
}
