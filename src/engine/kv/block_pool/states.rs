//! Blocks that running requests hold besides those of their tokens: windows and recurrent states. They have no content
//! that another request could use, so any of them will do, and the pool keeps them for all requests together.

use super::{Block, BlockPool};
use crate::kv::BlockTable;
use base::Micros;

impl BlockPool {
    /// Blocks held as states.
    pub fn states(&self) -> u32 {
        self.states.len()
    }

    /// Takes `n` blocks as states. The caller must have checked for free blocks.
    pub fn take_states(&mut self, n: u32) {
        if n == 0 {
            return;
        }
        let mut states = std::mem::take(&mut self.states);
        let misses = self.misses;
        self.open(&mut states, n, Block(1));
        // These are no misses: nothing was looked up.
        self.misses = misses;
        self.states = states;
    }

    /// Gives back `n` blocks taken as states.
    pub fn release_states(&mut self, n: u32, now: Micros) {
        if n == 0 {
            return;
        }
        assert!(n <= self.states(), "INV-4: {n} blocks of states given back, of {}", self.states());
        let kept = self.states() - n;
        let mut given = BlockTable::without_blocks(0, 0);
        given.blocks = self.states.blocks.split_off(kept as usize);
        self.release(&mut given, 0, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_take_free_blocks_and_give_them_back_without_content() {
        let mut pool = BlockPool::new(10, 4, true);
        let mut request = BlockTable::default();
        pool.append_prefill(&mut request, 13, &[11, 13, 15]);
        pool.take_states(3);
        assert_eq!((pool.used(), pool.free(), pool.states()), (7, 3, 3));
        // The four blocks of the prompt were opened; those of the states are no misses.
        assert_eq!((pool.misses(), pool.prompt_misses()), (4, 4));
        pool.verify(std::iter::once(&request));
        let before = pool.version();
        pool.release_states(2, Micros::ZERO);
        assert!(pool.version() > before, "a request without room tries again");
        assert_eq!((pool.used(), pool.free(), pool.states(), pool.cached()), (5, 5, 1, 0));
        pool.release(&mut request, 13, Micros::ZERO);
        assert_eq!((pool.used(), pool.free(), pool.cached()), (1, 9, 3));
        pool.verify(std::iter::empty());
    }

    #[test]
    fn states_evict_what_is_cached_only_when_nothing_else_is_free() {
        let mut pool = BlockPool::new(4, 4, true);
        let mut request = BlockTable::default();
        pool.append_prefill(&mut request, 8, &[11, 13]);
        pool.release(&mut request, 8, Micros::ZERO);
        pool.take_states(2);
        assert_eq!((pool.cached(), pool.evictions()), (2, 0));
        pool.take_states(1);
        assert_eq!((pool.cached(), pool.evictions(), pool.lookup(&[11, 13]).blocks), (1, 1, 1));
        pool.release_states(3, Micros::ZERO);
        assert_eq!((pool.used(), pool.free()), (0, 4));
        pool.verify(std::iter::empty());
    }

    #[test]
    fn a_smaller_cache_takes_blocks_of_states_as_they_come_back() {
        let mut pool = BlockPool::new(6, 4, true);
        pool.take_states(5);
        pool.resize(2);
        assert_eq!((pool.total(), pool.used()), (5, 5));
        pool.release_states(4, Micros::ZERO);
        assert_eq!((pool.total(), pool.used(), pool.free()), (2, 1, 1));
        pool.verify(std::iter::empty());
    }
}
