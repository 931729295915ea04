//! What a replica caches beside the blocks of its requests' tokens, and how large a token is.

use super::catalogue::shape;
use super::states::StateBlocks;
use super::{Resolver, memory, placed};
use document::Compat;

impl Resolver<'_> {
    /// Blocks that a running request holds besides those of its tokens; none if the model's shape is unknown.
    pub(super) fn states(&self) -> StateBlocks {
        match shape(self.pool).filter(|_| self.compat == Compat::None) {
            Some(shape) => memory::states(shape, self.pool.tp, self.pool.kv.block_tokens),
            None => StateBlocks::default(),
        }
    }

    /// Bytes of one token in the caches of a replica's GPUs together, in all layers; none if the model's shape is unknown.
    pub(super) fn kv_bytes_per_token(&self) -> Option<u64> {
        let shape = shape(self.pool)?;
        let share = placed::token_share(self.pool, shape);
        Some(memory::kv_bytes_per_token(shape, self.pool.tp, share))
    }
}
