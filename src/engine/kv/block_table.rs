//! The block table: the blocks that one request holds.

use serde::{Deserialize, Serialize};

/// The blocks that one request holds, in order. All but the last are full, unless some are reserved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockTable {
    /// Block numbers in order of position.
    pub(super) blocks: Vec<u32>,
    /// Tokens stored in them.
    pub(super) tokens: u32,
    /// Chained hash of the last full block with a hash; 0 without one.
    pub(super) last_hash: u64,
    /// Blocks that end within this token may be written to tiers below; [`u32::MAX`] if all may.
    pub limit: u32,
}

impl Default for BlockTable {
    fn default() -> Self {
        Self { blocks: Vec::new(), tokens: 0, last_hash: 0, limit: u32::MAX }
    }
}

impl BlockTable {
    /// A table whose block numbers are not known yet.
    #[must_use]
    pub fn without_blocks(tokens: u32, last_hash: u64) -> Self {
        Self { tokens, last_hash, ..Self::default() }
    }

    /// The same, of which blocks that end within this token may be written to tiers below.
    #[must_use]
    pub fn written_to(self, limit: u32) -> Self {
        Self { limit, ..self }
    }

    /// Sets the block numbers.
    pub fn have(&mut self, blocks: Vec<u32>) {
        self.blocks = blocks;
    }

    /// How many blocks.
    pub fn len(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// How many tokens they hold.
    pub fn tokens(&self) -> u32 {
        self.tokens
    }

    /// Chained hash of the last full block, from which the next block's hash starts.
    pub fn last_hash(&self) -> u64 {
        self.last_hash
    }

    /// The block numbers, for inspection.
    pub fn blocks(&self) -> &[u32] {
        &self.blocks
    }

    /// How many further blocks `n` more tokens need; none where enough are reserved.
    pub fn blocks_for(&self, n: u32, block_tokens: u32) -> u32 {
        (self.tokens + n).div_ceil(block_tokens).saturating_sub(self.len())
    }
}
