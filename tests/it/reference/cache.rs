//! The paged KV cache, block by block.

use std::collections::BTreeMap;

/// Names for prefixes of texts: two equal prefixes of whole blocks have the same name. 0 names no prefix.
#[derive(Debug, Default)]
pub(crate) struct Prefixes(BTreeMap<(u32, Vec<u32>), u32>);

impl Prefixes {
    /// The names of all prefixes of `text` in whole blocks, shortest first.
    pub(crate) fn of(&mut self, text: &[u32], block: usize) -> Vec<u32> {
        let mut names = Vec::new();
        let mut before = 0;
        for tokens in text.chunks_exact(block) {
            let next = u32::try_from(self.0.len()).expect("few prefixes") + 1;
            before = *self.0.entry((before, tokens.to_vec())).or_insert(next);
            names.push(before);
        }
        names
    }
}

/// One block.
#[derive(Clone, Debug)]
struct Block {
    /// How many requests hold it.
    holders: u32,
    /// The prefix it completes; 0 if it is not full or was never named.
    prefix: u32,
    /// How many tokens are in it.
    filled: usize,
    /// When it became free, on the cache's own counter: its key in the free list.
    freed: u64,
}

/// One replica's cache.
#[derive(Debug)]
pub(crate) struct Cache {
    size: usize,
    blocks: Vec<Block>,
    /// Blocks without holders, the one free for longest first.
    free: BTreeMap<u64, usize>,
    releases: u64,
    /// Blocks of each request, first token first.
    held: BTreeMap<usize, Vec<usize>>,
    /// Where a prefix can be found; the latest block that completed it.
    found_at: BTreeMap<u32, usize>,
    pub(crate) hits: u64,
    pub(crate) misses: u64,
}

/// Tokens to store for one request.
pub(crate) struct Wanted<'a> {
    pub(crate) request: usize,
    /// Names of the prefixes of its text.
    pub(crate) prefixes: &'a [u32],
    /// How many more tokens.
    pub(crate) tokens: usize,
    /// Blocks to share if it holds nothing yet.
    pub(crate) shared: &'a [usize],
    /// Whether it still computes its prompt: only then a block that is opened full gets a name.
    pub(crate) prefilling: bool,
}

impl Cache {
    pub(crate) fn new(total: usize, size: usize) -> Self {
        let blank = |k: usize| Block { holders: 0, prefix: 0, filled: 0, freed: k as u64 };
        Self {
            size,
            blocks: (0..total).map(blank).collect(),
            free: (0..total).map(|k| (k as u64, k)).collect(),
            releases: total as u64,
            held: BTreeMap::new(),
            found_at: BTreeMap::new(),
            hits: 0,
            misses: 0,
        }
    }

    pub(crate) fn used(&self) -> usize {
        self.blocks.len() - self.free.len()
    }

    pub(crate) fn free(&self) -> usize {
        self.free.len()
    }

    /// How many of these blocks no request holds.
    pub(crate) fn unheld(&self, blocks: &[usize]) -> usize {
        blocks.iter().filter(|&&b| self.blocks[b].holders == 0).count()
    }

    /// How many blocks a request holds.
    pub(crate) fn held_by(&self, request: usize) -> usize {
        self.held.get(&request).map_or(0, Vec::len)
    }

    pub(crate) fn owners(&self) -> usize {
        self.held.len()
    }

    pub(crate) fn names(&self) -> usize {
        self.found_at.len()
    }

    /// Whether `tokens` tokens fit into the empty cache.
    pub(crate) fn could_ever_hold(&self, tokens: usize) -> bool {
        tokens.div_ceil(self.size) <= self.blocks.len()
    }

    /// Blocks that hold the longest stored beginning of a text.
    pub(crate) fn find(&self, prefixes: &[u32]) -> Vec<usize> {
        prefixes.iter().map_while(|p| self.found_at.get(p).copied()).collect()
    }

    /// Stores tokens, or changes nothing and returns false if there are not enough free blocks.
    pub(crate) fn store(&mut self, want: &Wanted<'_>) -> bool {
        let newcomer = !self.held.contains_key(&want.request);
        let mine = self.held.get(&want.request).cloned().unwrap_or_default();
        let room = match mine.last() {
            Some(&last) if self.blocks[last].filled > 0 => self.size - self.blocks[last].filled,
            _ => 0,
        };
        let fill = room.min(want.tokens);
        let fresh = (want.tokens - fill).div_ceil(self.size);
        let shared = if newcomer { want.shared } else { &[] };
        let revived = shared.iter().filter(|&&b| self.blocks[b].holders == 0).count();
        if fresh + revived > self.free.len() {
            return false;
        }
        let mut mine = mine;
        for &b in shared {
            self.pin(b);
            mine.push(b);
        }
        if fill > 0 {
            let last = *mine.last().expect("room is in a block");
            self.blocks[last].filled += fill;
            if fill == room {
                self.name(last, want.prefixes[mine.len() - 1]);
            }
        }
        let mut left = want.tokens - fill;
        while left > 0 {
            let take = left.min(self.size);
            let b = self.open(take);
            if take == self.size && want.prefilling {
                self.name(b, want.prefixes[mine.len()]);
            }
            mine.push(b);
            left -= take;
        }
        if !mine.is_empty() {
            self.held.insert(want.request, mine);
        }
        true
    }

    /// Gives back everything a request holds, its last block first.
    pub(crate) fn release(&mut self, request: usize) {
        for b in self.held.remove(&request).unwrap_or_default().into_iter().rev() {
            self.blocks[b].holders -= 1;
            if self.blocks[b].holders == 0 {
                self.blocks[b].freed = self.releases;
                self.free.insert(self.releases, b);
                self.releases += 1;
            }
        }
    }

    fn pin(&mut self, b: usize) {
        if self.blocks[b].holders == 0 {
            self.free.remove(&self.blocks[b].freed);
        }
        self.blocks[b].holders += 1;
        self.hits += 1;
    }

    /// Takes the block that has been free for longest, forgets what was in it and puts `filled` tokens there.
    fn open(&mut self, filled: usize) -> usize {
        let (_, b) = self.free.pop_first().expect("counted before");
        if self.found_at.get(&self.blocks[b].prefix) == Some(&b) {
            self.found_at.remove(&self.blocks[b].prefix);
        }
        self.blocks[b] = Block { holders: 1, prefix: 0, filled, freed: 0 };
        self.misses += 1;
        b
    }

    fn name(&mut self, b: usize, prefix: u32) {
        self.blocks[b].prefix = prefix;
        self.found_at.insert(prefix, b);
    }
}
