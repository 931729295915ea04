//! Blocks of requests whose contents come from another replica.

use super::{Block, BlockPool};
use crate::kv::BlockTable;

impl BlockPool {
    /// Opens `n` further blocks for contents that are on their way: neither hits nor misses. The caller must have checked for
    /// free blocks.
    pub fn set_aside(&mut self, block_table: &mut BlockTable, n: u32) {
        let misses = self.misses;
        self.open(block_table, n, Block(1));
        self.misses = misses;
    }

    /// The first `stored` tokens of a request are here: its blocks from number `from` on have their contents, and full ones can
    /// be hit from now on. `chain` holds the chained hashes of the leading shareable blocks.
    pub fn receive(&mut self, block_table: &mut BlockTable, from: u32, stored: u32, chain: &[u64]) {
        assert!(stored <= block_table.len() * self.block_tokens, "INV-9: contents without blocks");
        for index in from..stored / self.block_tokens {
            self.register(block_table, index, chain);
        }
        block_table.tokens = stored;
        self.version.number += 1;
    }

    /// Stores one token in a block that was set aside. If it fills the block and that can be hit, `hash` is its hash.
    pub fn append_received(&mut self, block_table: &mut BlockTable, hash: Option<u64>) {
        self.append_inside(block_table, 1, hash);
        let full = block_table.tokens.is_multiple_of(self.block_tokens);
        if full && hash.is_none() && self.caching {
            let index = block_table.tokens / self.block_tokens - 1;
            self.blocks[block_table.blocks[index as usize] as usize].0 |= Block::UNIQUE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Micros;

    #[test]
    fn contents_can_be_hit_once_they_are_here_and_count_as_nothing_looked_up() {
        let mut pool = BlockPool::new(10, 4, true);
        let mut earlier = BlockTable::default();
        pool.append_prefill(&mut earlier, 4, &[11]);
        let mut request = BlockTable::default();
        pool.pin(&mut request, &[11]);
        pool.set_aside(&mut request, 2);
        assert_eq!((pool.used(), pool.hits(), pool.misses(), request.len()), (3, 1, 1, 3));
        assert_eq!(pool.lookup(&[11, 13]).blocks, 1, "what is on its way is not here");
        // 10 of 11 tokens: one block is full, the last has two.
        pool.receive(&mut request, 1, 10, &[11, 13]);
        assert_eq!((pool.lookup(&[11, 13]).blocks, request.tokens(), request.last_hash()), (2, 10, 13));
        pool.append_received(&mut request, None);
        pool.append_received(&mut request, Some(15));
        assert_eq!((request.tokens(), pool.lookup(&[11, 13, 15]).blocks), (12, 3));
        pool.verify([&earlier, &request].into_iter());
        pool.release(&mut request, 12, Micros::ZERO);
        assert_eq!((pool.used(), pool.cached()), (1, 2));
    }
}
