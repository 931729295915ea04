//! Loading blocks back from the store in CPU memory.

use super::{Block, BlockPool, Hit};
use crate::kv::BlockTable;
use crate::kv::store::{Below, Store, StoreSettings};
use base::Micros;

impl BlockPool {
    /// The pool with a store in CPU memory below it.
    #[must_use]
    pub fn with_store(mut self, settings: StoreSettings) -> Self {
        self.store = Some(Box::new(Store::new(settings)));
        self
    }

    /// Whether there is a store below.
    pub fn has_store(&self) -> bool {
        self.store.is_some()
    }

    /// As [`BlockPool::can_admit`], with `kept` free blocks reserved for others.
    pub fn can_admit_beside(&self, kept: u32, hit: Hit, tokens: u32) -> bool {
        tokens.div_ceil(self.block_tokens).saturating_sub(hit.blocks) + hit.free + kept <= self.free()
    }

    /// Prompt blocks found in the store and loaded back.
    pub fn loaded(&self) -> u64 {
        self.store.as_ref().map_or(0, |s| s.counts.hits)
    }

    /// Looks up `rest`, which follows a cached run, in the store.
    pub fn lookup_below(&self, rest: &[u64]) -> Below {
        self.store.as_ref().map_or_else(Below::default, |s| s.lookup(rest))
    }

    /// Counts blocks looked up in the store and not found.
    pub fn missed_below(&mut self, blocks: u32) {
        if let Some(store) = &mut self.store {
            store.counts.misses += u64::from(blocks);
        }
    }

    /// Opens blocks for the part of `chain` that `block_table` does not have yet, and starts the load of their
    /// contents, which a [`BlockPool::lookup_below`] has just found. The caller must have checked for free blocks.
    /// Returns when the load ends.
    pub fn begin_load(&mut self, block_table: &mut BlockTable, chain: &[u64], now: Micros) -> Micros {
        let loaded = &chain[block_table.blocks.len()..];
        let tokens = loaded.len() as u64 * u64::from(self.block_tokens);
        let store = self.store.as_mut().expect("INV-4: a load without a CPU tier");
        let done_at = store.begin_load(loaded, tokens, now);
        store.use_all(chain.iter().copied());
        self.open(block_table, loaded.len() as u32, Block(1));
        block_table.tokens = chain.len() as u32 * self.block_tokens;
        done_at
    }

    /// The contents of `chain` from block `from` on have arrived: they can be hit.
    pub fn finish_load(&mut self, block_table: &mut BlockTable, chain: &[u64], from: u32) {
        self.end_load(&chain[from as usize..]);
        for (index, &hash) in chain.iter().enumerate().skip(from as usize) {
            self.set_hash(block_table.blocks[index], hash);
            block_table.last_hash = hash;
        }
    }

    /// Ends a load, whether its contents are still needed or not.
    pub fn end_load(&mut self, loaded: &[u64]) {
        if let Some(store) = &mut self.store {
            store.end_load(loaded);
        }
        self.version += 1;
    }

    /// Blocks written to the store and evicted there since the last call.
    pub fn take_tier_news(&mut self) -> (u32, u32) {
        self.store.as_mut().map_or((0, 0), |s| s.take_news())
    }

    /// INV-4 of the store; `loading` blocks are being loaded.
    pub fn verify_store(&self, loading: u32) {
        if let Some(store) = &self.store {
            store.verify(loading);
        }
    }
}
