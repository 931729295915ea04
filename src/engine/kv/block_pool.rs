//! The block pool: reference counts, the free list in least-recently-used order, and the table of cached prefixes.
//!
//! A free block keeps its content until it is taken from the head of the free list; released blocks go to the tail.
//! Unused blocks come before all others and have no record yet, so a cache takes memory only for used blocks. Opening
//! and releasing blocks are the most frequent operations of a run, so a block's record is one word, and hashes are
//! stored elsewhere.

use super::BlockTable;
use super::free_list::FreeList;
use super::order::Order;
use super::past::WithPast;
use super::tier::Tier;
use super::tiers::{Filled, Tiers};
use base::lookup::LookupMap;
pub use block::Hit;

use block::{Block, FoundPrefix};
use packed::Packed;
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use watch::LossWatch;

/// Replaces the hash of a full block of unique text: it is cached but never looked up, so it is not in the table of
/// prefixes. Chained hashes are odd.
const UNIQUE_HASH: u64 = 2;

/// The state of a block, for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellState {
    /// Held by one request.
    Used,
    /// Held by two or more.
    Shared,
    /// Held by no request; its content can still be hit.
    Cached,
    /// Empty.
    Free,
}

/// The blocks of one replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlockPool {
    block_tokens: u32,
    caching: bool,
    /// Block numbers below `touched` have a record; those from there to `limit` were never used.
    touched: u32,
    limit: u32,
    blocks: Vec<Block>,
    /// By block, up to the last one ever in the table: the chained hash of its content; 0 without one.
    hashes: Vec<u64>,
    /// By block, like `hashes`: its place on the free list while it is hashed and free, else 0.
    places: Vec<u32>,
    /// Blocks below `touched` that no request holds, each with the bits of its content.
    listed: FreeList,
    /// Blocks taken out of service by a smaller cache size, and how many more will follow as they become free.
    retired: Vec<u32>,
    debt: u32,
    /// Blocks that requests hold as states, without content.
    states: BlockTable,
    used: u32,
    shared: u32,
    cached: u32,
    by_hash: LookupMap<u64, u32>,
    hits: u64,
    /// Blocks opened, and blocks opened by prefills.
    misses: u64,
    prompt_misses: u64,
    evictions: u64,
    /// What is below: the CPU tier of BLIS, or any other tiers.
    pub(super) tier: Option<Box<Tier>>,
    pub(super) tiers: Option<Box<Tiers>>,
    /// The order of free blocks, where it is not by use alone.
    pub(super) order: Option<Box<Order>>,
    /// Blocks opened for contents that were loaded.
    received: u64,
    /// Counts everything that can make a failed allocation succeed or a prefix longer or shorter.
    version: WithPast,
    #[serde(skip)]
    watch: LossWatch,
    /// The result of the latest look-up, for the pin that follows.
    #[serde(skip)]
    found: FoundPrefix,
    /// The packed tables, while the pool is kept in a checkpoint.
    #[serde(skip)]
    packed: Option<Rc<Packed>>,
}

impl BlockPool {
    /// An empty cache of `total` blocks of `block_tokens` tokens; without `caching` no prefix is ever shared.
    #[must_use]
    pub fn new(total: u32, block_tokens: u32, caching: bool) -> Self {
        assert!(total > 0 && block_tokens > 0, "INV-4: a cache without blocks");
        Self {
            block_tokens,
            caching,
            touched: 0,
            limit: total,
            blocks: Vec::new(),
            hashes: Vec::new(),
            places: Vec::new(),
            listed: FreeList::default(),
            retired: Vec::new(),
            debt: 0,
            states: BlockTable::default(),
            used: 0,
            shared: 0,
            cached: 0,
            by_hash: LookupMap::default(),
            hits: 0,
            misses: 0,
            prompt_misses: 0,
            evictions: 0,
            tier: None,
            tiers: None,
            order: None,
            received: 0,
            version: WithPast::default(),
            watch: LossWatch::default(),
            found: FoundPrefix::default(),
            packed: None,
        }
    }

    /// Approximate size of a copy in bytes.
    pub fn bytes(&self) -> u64 {
        let packed = self.bytes_packed();
        let words = self.blocks.len()
            + self.places.len()
            + self.listed.slots()
            + self.retired.len()
            + self.states.len() as usize;
        let stored = self.cpu().map_or(0, |cpu| cpu.blocks().0 as usize);
        let tiered = self.tier.as_ref().map_or(0, |tier| tier.len());
        packed
            + (4 * words
                + self.listed.stamps().bytes()
                + 8 * self.hashes.len()
                + 24 * self.by_hash.len()
                + 72 * stored
                + 40 * tiered
                + self.past_bytes()) as u64
    }

    /// Tokens in one block.
    pub fn block_tokens(&self) -> u32 {
        self.block_tokens
    }

    /// Whether prefixes are shared.
    pub fn caching(&self) -> bool {
        self.caching
    }

    /// All blocks in service.
    pub fn total(&self) -> u32 {
        self.limit - self.retired.len() as u32
    }

    /// Blocks held by at least one request.
    pub fn used(&self) -> u32 {
        self.used
    }

    /// Blocks held by two or more.
    pub fn shared(&self) -> u32 {
        self.shared
    }

    /// Blocks that no request holds and whose content can still be hit.
    pub fn cached(&self) -> u32 {
        self.cached
    }

    /// Blocks that no request holds, cached ones included.
    pub fn free(&self) -> u32 {
        self.limit - self.touched + self.listed.len()
    }

    /// Cached blocks pinned so far.
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// Blocks opened so far, for prompts and answers; BLIS counts these as misses.
    pub fn misses(&self) -> u64 {
        self.misses
    }

    /// Blocks opened so far because a prefill did not find them: together with the hits, the blocks of all prefills.
    pub fn prompt_misses(&self) -> u64 {
        self.prompt_misses
    }

    /// Cached blocks evicted so far because they were needed.
    pub fn evictions(&self) -> u64 {
        self.evictions
    }

    /// How many different prefixes can be hit.
    pub fn table_len(&self) -> usize {
        self.by_hash.len()
    }

    /// A number that changes whenever an allocation could turn out differently.
    pub fn version(&self) -> u64 {
        self.version.number
    }

    /// The longest leading run of `chain` (chained block hashes of a text) that is cached.
    pub fn lookup(&self, chain: &[u64]) -> Hit {
        let mut hit = Hit::default();
        for &hash in chain {
            let Some(b) = self.by_hash.get(hash) else { break };
            hit.blocks += 1;
            hit.free += u32::from(self.blocks[b as usize].holders() == 0);
        }
        hit
    }

    /// As [`BlockPool::lookup`], before a pin: stores the blocks found.
    pub fn find(&mut self, chain: &[u64]) -> Hit {
        let mut hit = Hit::default();
        self.found.blocks.clear();
        for &hash in chain {
            let Some(b) = self.by_hash.get(hash) else { break };
            self.found.blocks.push(b);
            hit.free += u32::from(self.blocks[b as usize].holders() == 0);
        }
        hit.blocks = self.found.blocks.len() as u32;
        (self.found.version, self.found.last) =
            (self.version.number, chain[..hit.blocks as usize].last().copied().unwrap_or(0));
        hit
    }

    /// The blocks of a prefix that is cached as a whole.
    fn blocks_of(&mut self, chain: &[u64]) -> Vec<u32> {
        let mut found = std::mem::take(&mut self.found);
        let known = found.version == self.version.number
            && found.blocks.len() == chain.len()
            && chain.last().is_none_or(|last| *last == found.last);
        let look = |hash: &u64| self.by_hash.get(*hash).expect("INV-4: a cached block vanished");
        if !known {
            found.blocks.clear();
            found.blocks.extend(chain.iter().map(look));
        }
        #[cfg(feature = "verify")]
        assert!(
            chain.iter().map(look).eq(found.blocks.iter().copied()),
            "INV-4: a cached block moved unnoticed"
        );
        found.blocks
    }

    /// Whether a request without blocks can pin `hit` and store `tokens` in all (those of the hit included).
    pub fn can_admit(&self, hit: Hit, tokens: u32) -> bool {
        self.can_admit_beside(0, hit, tokens)
    }

    /// Whether a request can store `n` more tokens.
    pub fn can_grow(&self, block_table: &BlockTable, n: u32) -> bool {
        block_table.blocks_for(n, self.block_tokens) <= self.free()
    }

    /// Pins the cached blocks of `chain`, all of which a [`BlockPool::lookup`] has just found, for a request without
    /// blocks.
    pub fn pin(&mut self, block_table: &mut BlockTable, chain: &[u64]) {
        assert!(block_table.is_empty(), "INV-4: a prefix pinned after other blocks");
        self.watch.forget();
        let found = self.blocks_of(chain);
        for &b in &found {
            match self.blocks[b as usize].holders() {
                0 => {
                    let place = std::mem::take(&mut self.places[b as usize]);
                    let entry = self.listed.remove(place);
                    assert!(entry == self.entry(b), "INV-4: block {b} is on the free list elsewhere");
                    if let Some(order) = &mut self.order {
                        order.pinned(b);
                    }
                    self.cached -= 1;
                    self.used += 1;
                }
                1 => self.shared += 1,
                _ => {}
            }
            self.blocks[b as usize].0 += 1;
        }
        self.hits += found.len() as u64;
        block_table.blocks.extend_from_slice(&found);
        self.found.blocks = found;
        block_table.tokens = chain.len() as u32 * self.block_tokens;
        block_table.last_hash = chain.last().copied().unwrap_or(0);
        self.version.number += 1;
        if let Some(tiers) = &mut self.tiers {
            tiers.pinned(chain);
        }
    }

    /// Stores `n` prompt tokens. `chain` holds the chained hashes of the leading shareable blocks; full blocks beyond
    /// it are cached without being in the table. The caller must have checked for free blocks.
    pub fn append_prefill(&mut self, block_table: &mut BlockTable, n: u32, chain: &[u64]) {
        let end = block_table.tokens + n;
        let full_before = block_table.tokens / self.block_tokens;
        let full_after = end / self.block_tokens;
        let opened = block_table.blocks_for(n, self.block_tokens);
        self.prompt_misses += u64::from(opened);
        if full_after > full_before && block_table.len() > full_before {
            // The partly filled last block is full now.
            self.register(block_table, full_before, chain);
        }
        let end_len = block_table.len() + opened;
        // One by one if contents enter the table: this decides whether the next block's eviction counts.
        let hashed = end_len.min(full_after).min(chain.len() as u32);
        for index in block_table.len()..hashed {
            self.open_one(block_table);
            self.register(block_table, index, chain);
        }
        // Blocks beyond the chain are never looked up.
        let full = full_after.saturating_sub(block_table.len());
        self.open(block_table, full, Block(if self.caching { Block::UNIQUE | 1 } else { 1 }));
        self.open(block_table, end_len - block_table.len(), Block(1));
        block_table.tokens = end;
    }

    /// Opens the blocks that `n` more tokens need, without storing any. The caller must have checked for free blocks.
    pub fn reserve(&mut self, block_table: &mut BlockTable, n: u32) {
        let opened = block_table.blocks_for(n, self.block_tokens);
        self.open(block_table, opened, Block(1));
    }

    /// Stores one output token that starts a new block. The caller must have checked for free blocks.
    pub fn append_opening(&mut self, block_table: &mut BlockTable) {
        assert!(block_table.tokens.is_multiple_of(self.block_tokens), "INV-4: a block opened too early");
        self.open_one(block_table);
        block_table.tokens += 1;
    }

    /// For each of `keys`, with its block table in `tables`: fills its last block with output that cannot be hit, and
    /// stores one output token that starts the next block. The caller must have checked for free blocks.
    pub fn append_blocks<T, K: Copy>(
        &mut self,
        tables: &mut T,
        keys: &[K],
        table_of: impl Fn(&mut T, K) -> &mut BlockTable,
    ) {
        for &key in keys {
            let b = self.take_free();
            let block_table = table_of(tables, key);
            block_table.tokens = block_table.len() * self.block_tokens + 1;
            block_table.blocks.push(b);
        }
        self.count_opened(keys.len() as u32);
    }

    /// Stores `n` output tokens that start no block; `hash` is that of the block if they fill it and it can be hit.
    pub fn append_inside(&mut self, block_table: &mut BlockTable, n: u32, hash: Option<u64>) {
        block_table.tokens += n;
        assert!(block_table.tokens <= block_table.len() * self.block_tokens, "INV-4: tokens without a block");
        if let Some(hash) = hash {
            let index = block_table.tokens / self.block_tokens - 1;
            let filled = Filled::Computed { end: block_table.tokens, limit: block_table.limit };
            self.set_hash(block_table.blocks[index as usize], (hash, block_table.last_hash), filled);
            block_table.last_hash = hash;
        }
    }

    /// Enters the full blocks of a request that will look up its own content again into the table. `chain` holds the
    /// hashes of all its full blocks; blocks already in the table stay unchanged.
    pub fn publish(&mut self, block_table: &mut BlockTable, chain: &[u64]) {
        for (index, &hash) in chain.iter().enumerate() {
            let b = block_table.blocks[index];
            let known = self.blocks[b as usize];
            if !known.is_hashed() && (known.has_content() || self.block_tokens > 1) {
                let end = (index as u32 + 1) * self.block_tokens;
                let parent = index.checked_sub(1).map_or(0, |before| chain[before]);
                self.set_hash(b, (hash, parent), Filled::Computed { end, limit: block_table.limit });
            }
        }
    }

    /// The state of the block at position `b` of the cache.
    pub fn cell(&self, b: u32) -> CellState {
        match self.blocks.get(b as usize) {
            Some(x) if x.holders() == 1 => CellState::Used,
            Some(x) if x.holders() > 1 => CellState::Shared,
            Some(x) if x.has_content() => CellState::Cached,
            Some(_) | None => CellState::Free,
        }
    }

    /// INV-4 in numbers: O(1).
    #[inline(always)]
    pub fn verify_counts(&self) {
        assert!(self.used + self.free() == self.total(), "INV-4: used + free is not total");
        assert!(
            self.cached <= self.listed.len() && self.shared <= self.used,
            "INV-4: more cached or shared than there are"
        );
    }

    /// Makes the full block at position `index` of `block_table` hittable.
    fn register(&mut self, block_table: &mut BlockTable, index: u32, chain: &[u64]) {
        let b = block_table.blocks[index as usize];
        if let Some(&hash) = chain.get(index as usize) {
            let filled = Filled::Computed { end: (index + 1) * self.block_tokens, limit: block_table.limit };
            let parent = index.checked_sub(1).map_or(0, |before| chain[before as usize]);
            self.set_hash(b, (hash, parent), filled);
            block_table.last_hash = hash;
        } else if self.caching {
            self.blocks[b as usize].0 |= Block::UNIQUE;
        }
    }

    /// The latest registration of a content, which follows that of `parent`, wins.
    fn set_hash(&mut self, b: u32, (hash, parent): (u64, u64), filled: Filled) {
        let block = &mut self.blocks[b as usize];
        block.0 = block.holders() | Block::HASHED;
        if self.hashes.len() <= b as usize {
            self.hashes.resize(b as usize + 1, 0);
            self.places.resize(b as usize + 1, 0);
        }
        self.hashes[b as usize] = hash;
        let before = self.by_hash.insert(hash, b);
        if self.watch.is_on() {
            self.watch.entered(hash, before);
        }
        if let (Some(past), None) = (&mut self.version.past, before) {
            past.came(hash);
        }
        self.version.number += 1;
        self.order_entered((hash, parent), before.filter(|before| *before != b));
        if let Some(tiers) = &mut self.tiers {
            tiers.known(hash, filled);
        }
    }
}

mod block;
mod check;
mod content;
mod free;
mod handover;
mod late;
mod load;
mod ordered;
pub(super) mod packed;
mod resize;
#[cfg(any(feature = "cli", feature = "closeup"))]
pub(super) mod sight;
mod states;
#[cfg(test)]
mod tests;
mod watch;
