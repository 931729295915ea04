//! The block pool: reference counts, the free list in least-recently-used order, and the table of cached prefixes.
//!
//! A free block keeps its content until it is taken from the head of the free list; released blocks go to the tail. Blocks
//! that were never used come before all others and have no record yet, so a cache costs memory only where it was touched.

use super::Holding;
use super::tier::{Tier, TierSettings};
use crate::base::Micros;
use crate::base::lookup::LookupMap;
use serde::{Deserialize, Serialize};

/// No block: the end of a list.
const NONE: u32 = u32::MAX;

/// Hash of a full block whose content occurs in one request only: it is cached, but nobody will ever look for it, so it is
/// not in the table. Chained hashes are odd.
const ONCE: u64 = 2;

/// What is known of a block that has been used at least once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Block {
    /// How many requests hold it.
    holders: u32,
    /// Neighbours in the free list.
    before: u32,
    after: u32,
    /// Chained hash of its content if it is full and can be hit; 0 otherwise.
    hash: u64,
}

/// A cached prefix found in the pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// How many leading blocks were found.
    pub blocks: u32,
    /// How many of them nobody holds now.
    pub free: u32,
}

/// What a block is doing, for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellState {
    /// Held by one request.
    Used,
    /// Held by two or more.
    Shared,
    /// Held by nobody; its content can still be hit.
    Cached,
    /// Empty.
    Free,
}

/// The blocks of one replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pool {
    block_tokens: u32,
    caching: bool,
    /// Block numbers below `touched` have a record; those from there to `limit` were never used.
    touched: u32,
    limit: u32,
    blocks: Vec<Block>,
    /// Ends and length of the free list of touched blocks.
    head: u32,
    tail: u32,
    listed: u32,
    /// Blocks taken out of service by a smaller cache size, and how many more are to follow as they become free.
    retired: Vec<u32>,
    debt: u32,
    used: u32,
    shared: u32,
    cached: u32,
    by_hash: LookupMap<u64, u32>,
    hits: u64,
    misses: u64,
    evictions: u64,
    pub(super) tier: Option<Box<Tier>>,
    /// Counts everything that can make a failed allocation succeed or a prefix longer or shorter.
    version: u64,
}

impl Pool {
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
            head: NONE,
            tail: NONE,
            listed: 0,
            retired: Vec::new(),
            debt: 0,
            used: 0,
            shared: 0,
            cached: 0,
            by_hash: LookupMap::default(),
            hits: 0,
            misses: 0,
            evictions: 0,
            tier: None,
            version: 0,
        }
    }

    /// The same with a CPU tier below it.
    #[must_use]
    pub fn with_tier(mut self, settings: TierSettings) -> Self {
        self.tier = Some(Box::new(Tier::new(settings)));
        self
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

    /// Blocks nobody holds whose content can still be hit.
    pub fn cached(&self) -> u32 {
        self.cached
    }

    /// Blocks nobody holds, cached ones included.
    pub fn free(&self) -> u32 {
        self.limit - self.touched + self.listed
    }

    /// Cached blocks pinned so far.
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// Blocks opened so far.
    pub fn misses(&self) -> u64 {
        self.misses
    }

    /// Cached contents lost so far because their block was needed.
    pub fn evictions(&self) -> u64 {
        self.evictions
    }

    /// How many different prefixes can be hit.
    pub fn table_len(&self) -> usize {
        self.by_hash.len()
    }

    /// A number that changes whenever an allocation could turn out differently.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The longest leading run of `chain` (chained block hashes of a text) that is cached.
    pub fn lookup(&self, chain: &[u64]) -> Hit {
        let mut hit = Hit::default();
        for &hash in chain {
            let Some(b) = self.by_hash.get(hash) else { break };
            hit.blocks += 1;
            hit.free += u32::from(self.blocks[b as usize].holders == 0);
        }
        hit
    }

    /// Whether a request that holds nothing yet can pin `hit` and store `tokens` in all (the hit's included).
    pub fn can_admit(&self, hit: Hit, tokens: u32) -> bool {
        tokens.div_ceil(self.block_tokens).saturating_sub(hit.blocks) + hit.free <= self.free()
    }

    /// Whether a request can store `n` more tokens.
    pub fn can_grow(&self, holding: &Holding, n: u32) -> bool {
        holding.blocks_for(n, self.block_tokens) <= self.free()
    }

    /// Pins the cached blocks of `chain`, all of which a [`Pool::lookup`] has just found, for a request that holds nothing.
    pub fn pin(&mut self, holding: &mut Holding, chain: &[u64]) {
        assert!(holding.is_empty(), "INV-4: a prefix pinned after other blocks");
        for &hash in chain {
            let b = self.by_hash.get(hash).expect("INV-4: a cached block vanished");
            match self.blocks[b as usize].holders {
                0 => {
                    self.unlink(b);
                    self.cached -= 1;
                    self.used += 1;
                }
                1 => self.shared += 1,
                _ => {}
            }
            self.blocks[b as usize].holders += 1;
            self.hits += 1;
            holding.blocks.push(b);
        }
        holding.tokens = chain.len() as u32 * self.block_tokens;
        holding.tip = chain.last().copied().unwrap_or(0);
        self.version += 1;
    }

    /// Stores `n` prompt tokens. `chain` holds the chained hashes of the leading blocks whose content can recur; full
    /// blocks beyond it are cached without being in the table. Room must have been checked.
    pub fn append_prefill(&mut self, holding: &mut Holding, n: u32, chain: &[u64]) {
        let end = holding.tokens + n;
        let full_before = holding.tokens / self.block_tokens;
        let full_after = end / self.block_tokens;
        let opened = holding.blocks_for(n, self.block_tokens);
        if full_after > full_before && holding.len() > full_before {
            // The partly filled last block is full now.
            self.register(holding, full_before, chain);
        }
        for _ in 0..opened {
            let index = holding.len();
            self.open(holding);
            if index < full_after {
                self.register(holding, index, chain);
            }
        }
        holding.tokens = end;
    }

    /// Stores one output token that starts a new block. Room must have been checked.
    pub fn append_opening(&mut self, holding: &mut Holding) {
        assert!(holding.tokens.is_multiple_of(self.block_tokens), "INV-4: a block opened too early");
        self.open(holding);
        holding.tokens += 1;
    }

    /// Stores `n` output tokens that start no block; `hash` is that of the block if they fill it and it can be hit.
    pub fn append_inside(&mut self, holding: &mut Holding, n: u32, hash: Option<u64>) {
        holding.tokens += n;
        assert!(holding.tokens <= holding.len() * self.block_tokens, "INV-4: tokens without a block");
        if let Some(hash) = hash {
            let index = holding.tokens / self.block_tokens - 1;
            self.set_hash(holding.blocks[index as usize], hash);
            holding.tip = hash;
        }
    }

    /// Puts the full blocks of a request that will look for its own content again into the table. `chain` holds the hashes
    /// of all its full blocks; those that are in the table already stay as they are.
    pub fn publish(&mut self, holding: &mut Holding, chain: &[u64]) {
        for (index, &hash) in chain.iter().enumerate() {
            let b = holding.blocks[index];
            let known = self.blocks[b as usize].hash;
            if known == ONCE || (known == 0 && self.block_tokens > 1) {
                self.set_hash(b, hash);
            }
        }
    }

    /// Gives everything back, the last block first. `stored` tokens are in it: full blocks stay cached.
    pub fn release(&mut self, holding: &mut Holding, stored: u32, now: Micros) {
        // An output token that fills a block as soon as it opens it does not make it hittable.
        let full = if self.caching && self.block_tokens > 1 { stored / self.block_tokens } else { 0 };
        for (index, b) in holding.blocks.drain(..).enumerate().rev() {
            let block = &mut self.blocks[b as usize];
            assert!(block.holders > 0, "INV-4: block {b} released twice");
            if block.hash == 0 && (index as u32) < full {
                block.hash = ONCE;
            }
            block.holders -= 1;
            match block.holders {
                0 => {
                    self.used -= 1;
                    if self.debt > 0 {
                        self.debt -= 1;
                        self.forget(b);
                        self.retired.push(b);
                    } else {
                        self.cached += u32::from(self.blocks[b as usize].hash != 0);
                        self.link_last(b);
                    }
                }
                1 => self.shared -= 1,
                _ => {}
            }
        }
        holding.tokens = 0;
        holding.tip = 0;
        self.version += 1;
        self.offload(now);
    }

    /// Changes the number of blocks. Fewer than are in use takes effect as they become free.
    pub fn resize(&mut self, total: u32) {
        assert!(total > 0, "INV-4: a cache without blocks");
        self.version += 1;
        let target = self.total() - self.debt;
        if total >= target {
            let mut more = total - target;
            let spared = more.min(self.debt);
            self.debt -= spared;
            more -= spared;
            while more > 0 {
                let Some(b) = self.retired.pop() else { break };
                self.link_last(b);
                more -= 1;
            }
            self.limit += more;
            return;
        }
        let mut fewer = target - total;
        let unused = fewer.min(self.limit - self.touched);
        self.limit -= unused;
        fewer -= unused;
        while fewer > 0 && self.head != NONE {
            let b = self.head;
            self.take_listed(b);
            self.retired.push(b);
            fewer -= 1;
        }
        self.debt += fewer;
    }

    /// What the block at position `b` of the cache is doing.
    pub fn cell(&self, b: u32) -> CellState {
        match self.blocks.get(b as usize) {
            Some(x) if x.holders == 1 => CellState::Used,
            Some(x) if x.holders > 1 => CellState::Shared,
            Some(x) if x.hash != 0 => CellState::Cached,
            Some(_) | None => CellState::Free,
        }
    }

    /// INV-4 in full: O(blocks touched). `held` are the holdings of all requests.
    pub fn verify<'a>(&self, held: impl Iterator<Item = &'a Holding>) {
        let mut holders = vec![0_u32; self.touched as usize];
        for h in held {
            assert!(h.tokens <= h.len() * self.block_tokens, "INV-4: more tokens than room");
            for &b in &h.blocks {
                holders[b as usize] += 1;
            }
        }
        let (mut used, mut shared) = (0, 0);
        for (b, x) in self.blocks.iter().enumerate() {
            assert!(
                x.holders == holders[b],
                "INV-4: block {b} has {} holders, not {}",
                holders[b],
                x.holders
            );
            used += u32::from(x.holders > 0);
            shared += u32::from(x.holders > 1);
        }
        assert!(used == self.used && shared == self.shared, "INV-4: used or shared blocks miscounted");
        let (mut listed, mut cached, mut b, mut before) = (0, 0, self.head, NONE);
        while b != NONE {
            let x = self.blocks[b as usize];
            assert!(x.holders == 0 && x.before == before, "INV-4: block {b} is on the free list wrongly");
            listed += 1;
            cached += u32::from(x.hash != 0);
            before = b;
            b = x.after;
        }
        assert!(listed == self.listed && before == self.tail, "INV-4: the free list is broken");
        assert!(cached == self.cached, "INV-4: cached blocks miscounted");
        for (hash, b) in self.by_hash.sorted() {
            assert!(
                self.blocks[b as usize].hash == hash,
                "INV-4: the table points at a block with other content"
            );
        }
        self.verify_counts();
    }

    /// INV-4 in numbers: O(1).
    pub fn verify_counts(&self) {
        assert!(self.used + self.free() == self.total(), "INV-4: used + free is not total");
        assert!(
            self.cached <= self.listed && self.shared <= self.used,
            "INV-4: more cached or shared than there are"
        );
    }

    /// Takes a free block, the least recently used, for one holder.
    fn open(&mut self, holding: &mut Holding) {
        let b = if self.touched < self.limit {
            self.touched += 1;
            self.blocks.push(Block { holders: 1, before: NONE, after: NONE, hash: 0 });
            self.touched - 1
        } else {
            let b = self.head;
            assert!(b != NONE, "INV-4: no free block although there was room");
            self.take_listed(b);
            self.blocks[b as usize].holders = 1;
            b
        };
        self.used += 1;
        self.misses += 1;
        self.version += 1;
        holding.blocks.push(b);
    }

    /// Takes `b` off the free list and forgets its content.
    fn take_listed(&mut self, b: u32) {
        self.unlink(b);
        self.cached -= u32::from(self.blocks[b as usize].hash != 0);
        self.forget(b);
    }

    /// Forgets the content of `b`; its table entry goes only if it points here.
    fn forget(&mut self, b: u32) {
        let hash = std::mem::take(&mut self.blocks[b as usize].hash);
        if hash == ONCE {
            self.evictions += 1;
        } else if hash != 0 && self.by_hash.get(hash) == Some(b) {
            self.by_hash.remove(hash);
            self.evictions += 1;
        }
    }

    /// Makes the full block at position `index` of `holding` hittable.
    fn register(&mut self, holding: &mut Holding, index: u32, chain: &[u64]) {
        let b = holding.blocks[index as usize];
        if let Some(&hash) = chain.get(index as usize) {
            self.set_hash(b, hash);
            holding.tip = hash;
        } else if self.caching {
            self.blocks[b as usize].hash = ONCE;
        }
    }

    /// The latest registration of a content wins.
    fn set_hash(&mut self, b: u32, hash: u64) {
        self.blocks[b as usize].hash = hash;
        self.by_hash.insert(hash, b);
        self.version += 1;
    }

    fn unlink(&mut self, b: u32) {
        let Block { before, after, .. } = self.blocks[b as usize];
        if before == NONE {
            self.head = after;
        } else {
            self.blocks[before as usize].after = after;
        }
        if after == NONE {
            self.tail = before;
        } else {
            self.blocks[after as usize].before = before;
        }
        self.listed -= 1;
    }

    fn link_last(&mut self, b: u32) {
        let last = self.tail;
        let block = &mut self.blocks[b as usize];
        block.before = last;
        block.after = NONE;
        if last == NONE {
            self.head = b;
        } else {
            self.blocks[last as usize].after = b;
        }
        self.tail = b;
        self.listed += 1;
    }
}

mod content;
#[cfg(test)]
mod tests;
