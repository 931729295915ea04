//! SGLang: the flags of its servers, with those of its hierarchical cache.

pub(crate) mod map;
pub(crate) mod read;
pub(crate) mod serve;
mod tiers;
