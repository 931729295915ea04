//! Scores the leading share of the prompt's full blocks that the router sent to the replica recently: an estimate of
//! the contents of its cache, without a look-up there. Blocks are as large as those of the replica's pool.

use crate::policy::RequestView;
use crate::policy::routing::Fleet;
use crate::policy::routing::prefix_index::PrefixIndex;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PromptMemory {
    /// Most blocks remembered for each replica.
    index_blocks: u32,
    /// The memory of all replicas with blocks of one size, in the order in which they first got a request.
    indexes: Vec<OfSize>,
}

/// The memory of replicas with blocks of one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OfSize {
    block_tokens: u32,
    index: PrefixIndex,
}

impl PromptMemory {
    pub(in crate::policy::routing) fn new(index_blocks: u32) -> Self {
        Self { index_blocks, indexes: Vec::new() }
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

    /// Continues with the memory of `before`, as far as the capacity allows.
    pub(in crate::policy::routing) fn resume(&mut self, before: Self) {
        self.indexes = before.indexes;
        for of_size in &mut self.indexes {
            of_size.index.set_capacity(self.index_blocks);
        }
    }

    /// Writes the share of each candidate to `out`, which is all 0 before.
    pub(in crate::policy::routing) fn shares(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        out: &mut [f64],
    ) {
        for OfSize { block_tokens, index } in &mut self.indexes {
            let blocks = request.full_blocks(*block_tokens);
            index.look_up(request.chain(*block_tokens), |replica, matched| {
                // Views are in order of number; replicas that cannot be chosen are missing.
                if let Ok(position) = fleet.replicas.binary_search_by_key(&replica, |v| v.id.0) {
                    out[position] = f64::from(matched) / f64::from(blocks);
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
        let block_tokens = fleet.pool_of(position).block_tokens;
        let replica = fleet.replicas[position].id.0;
        let blocks = request.full_blocks(block_tokens);
        self.index_of(block_tokens).record(replica, request.chain(block_tokens), blocks);
    }
}
