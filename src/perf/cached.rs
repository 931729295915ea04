//! What a replica caches beside the blocks of its requests' tokens, and how large a token is.

use super::states::StateBlocks;
use super::{Resolver, catalogue, memory};
use crate::perf::KnownModel;
use crate::scenario::Compat;

impl Resolver<'_> {
    /// Whether windows and states count apart from the blocks of tokens.
    pub(super) fn by_kind(&self) -> bool {
        self.rules.refine(self.pool) && self.rules.compat == Compat::None
    }

    /// Blocks that a running request holds besides those of its tokens; none if the model's shape is unknown.
    pub(super) fn states(&self) -> StateBlocks {
        let known = || catalogue::architecture(&self.pool.model).map(KnownModel::refined);
        match self.pool.architecture.as_ref().or_else(known).filter(|_| self.by_kind()) {
            Some(shape) => memory::states(shape, self.pool.tp, self.pool.kv.block_tokens),
            None => StateBlocks::default(),
        }
    }

    /// Bytes of one token in the caches of a replica's GPUs together, in all layers; none if the model's shape is unknown.
    pub(super) fn kv_bytes_per_token(&self) -> Option<u64> {
        let refine = self.rules.refine(self.pool);
        let known = || {
            let found = catalogue::architecture(&self.pool.model)?;
            Some(if refine { found.refined() } else { &found.architecture })
        };
        let shape = self.pool.architecture.as_ref().or_else(known)?;
        Some(memory::kv_bytes_per_token(shape, self.pool.tp))
    }
}
