//! Scores the leading share of the prompt's full blocks that the router sent to the replica recently: an estimate of
//! the contents of its cache, without a look-up there. Blocks are as large as those of the replica's pool, unless the
//! memory has a size of its own. With a limit, only the leading tokens of a prompt are remembered and matched, and the
//! share is one of the blocks below the limit.

use crate::policy::RequestView;
use crate::policy::routing::Fleet;
use crate::policy::routing::prefix_index::PrefixIndex;
#[cfg(any(feature = "cli", feature = "closeup"))]
use base::Content;
use document::Weighted;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PromptMemory {
    /// Most blocks remembered for each replica.
    index_blocks: u32,
    /// Tokens of a block; `None` for as many as in a block of the replica's pool.
    block_tokens: Option<u32>,
    /// Most leading tokens of a prompt that are remembered and matched.
    match_tokens: Option<u32>,
    /// The memory of all replicas with blocks of one size, in the order in which they first got a request.
    indexes: Vec<OfSize>,
}

/// The memory of replicas with blocks of one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OfSize {
    block_tokens: u32,
    index: PrefixIndex,
}

/// What a replica was sent of a prompt before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::policy::routing) struct Match {
    /// Share of the prompt's full blocks.
    pub(in crate::policy::routing) share: f64,
    /// Tokens in these blocks.
    pub(in crate::policy::routing) tokens: u32,
}

impl PromptMemory {
    pub(in crate::policy::routing) fn new(index_blocks: u32) -> Self {
        Self { index_blocks, block_tokens: None, match_tokens: None, indexes: Vec::new() }
    }

    /// A memory with blocks of its own size and a limit of a prompt's length.
    pub(in crate::policy::routing) fn of(s: &Weighted) -> Self {
        Self {
            block_tokens: s.prefix_block_tokens(),
            match_tokens: s.prefix_match_tokens(),
            ..Self::new(s.prefix_index_blocks)
        }
    }

    /// Approximate size of a copy in bytes.
    pub(in crate::policy::routing) fn bytes(&self) -> u64 {
        self.indexes.iter().map(|i| i.index.bytes()).sum()
    }

    fn index_of(&mut self, block_tokens: u32) -> &mut PrefixIndex {
        let known = self.indexes.iter().position(|i| i.block_tokens == block_tokens);
        let at = known.unwrap_or_else(|| {
            self.indexes.push(OfSize { block_tokens, index: PrefixIndex::new(self.index_blocks) });
            self.indexes.len() - 1
        });
        &mut self.indexes[at].index
    }

    /// How much text it remembers for a replica, in tokens.
    pub(in crate::policy::routing) fn tokens_of(&self, replica: u32) -> u64 {
        let tokens = |i: &OfSize| u64::from(i.index.blocks_of(replica)) * u64::from(i.block_tokens);
        self.indexes.iter().map(tokens).sum()
    }

    /// How many leading tokens of the first `tokens` of a text it remembers for a replica.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(in crate::policy::routing) fn remembered(&self, replica: u32, text: &Content, tokens: u32) -> u32 {
        let of_size = |i: &OfSize| {
            let chain = text.chain(i.block_tokens, tokens / i.block_tokens);
            let known = chain.iter().take_while(|hash| i.index.remembers(replica, **hash)).count();
            known as u32 * i.block_tokens
        };
        self.indexes.iter().map(of_size).max().unwrap_or_default()
    }

    /// Continues with the memory of `before`, as far as the capacity allows, if its blocks are of the same size.
    pub(in crate::policy::routing) fn resume(&mut self, before: Self) {
        if self.block_tokens != before.block_tokens {
            return;
        }
        self.indexes = before.indexes;
        for of_size in &mut self.indexes {
            of_size.index.set_capacity(self.index_blocks);
        }
    }

    /// Forgets what was sent to a replica.
    pub(in crate::policy::routing) fn forget(&mut self, replica: u32) {
        for of_size in &mut self.indexes {
            of_size.index.forget(replica);
        }
    }

    /// How many full blocks of `block_tokens` tokens of the prompt it remembers and matches.
    fn blocks(&self, request: &RequestView<'_>, block_tokens: u32) -> u32 {
        let blocks = request.full_blocks(block_tokens);
        self.match_tokens.map_or(blocks, |most| blocks.min(most / block_tokens))
    }

    /// Writes the share of each candidate to `out`, which is all 0 before.
    pub(in crate::policy::routing) fn shares(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        out: &mut [f64],
    ) {
        self.look_up(request, fleet, |position, found| out[position] = found.share);
    }

    /// Calls `found` for every candidate that was sent at least one block of the prompt.
    pub(in crate::policy::routing) fn look_up(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        mut found: impl FnMut(usize, Match),
    ) {
        for at in 0..self.indexes.len() {
            let block_tokens = self.indexes[at].block_tokens;
            let blocks = self.blocks(request, block_tokens);
            let chain = request.chain(block_tokens);
            let chain = &chain[..chain.len().min(blocks as usize)];
            self.indexes[at].index.look_up(chain, |replica, matched| {
                // Views are in order of number; replicas that cannot be chosen are missing.
                if let Ok(position) = fleet.replicas.binary_search_by_key(&replica, |v| v.id.0) {
                    let share = f64::from(matched) / f64::from(blocks);
                    found(position, Match { share, tokens: matched * block_tokens });
                }
            });
        }
    }

    /// The request is sent to the replica at this position.
    pub(in crate::policy::routing) fn chosen(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        position: usize,
    ) {
        let block_tokens = self.block_tokens.unwrap_or(fleet.pool_of(position).block_tokens);
        let replica = fleet.replicas[position].id.0;
        let blocks = self.blocks(request, block_tokens);
        let chain = request.chain(block_tokens);
        let chain = &chain[..chain.len().min(blocks as usize)];
        self.index_of(block_tokens).record(replica, chain, blocks);
    }
}
