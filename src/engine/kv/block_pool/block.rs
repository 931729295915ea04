//! A block's record, and what a look-up of blocks finds.

use serde::{Deserialize, Serialize};

/// The record of a block that has been used at least once: how many requests hold it, and in the two highest bits the
/// kind of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Block(pub(super) u32);

impl Block {
    pub(super) const HOLDERS: u32 = (1 << 30) - 1;
    /// It is full, and can be hit by its hash in `BlockPool::hashes`.
    pub(super) const HASHED: u32 = 1 << 31;
    /// It is full, and its content is unique: it is never looked up.
    pub(super) const UNIQUE: u32 = 1 << 30;

    pub(super) fn holders(self) -> u32 {
        self.0 & Self::HOLDERS
    }

    /// The two bits of content.
    pub(super) fn content(self) -> u32 {
        self.0 & !Self::HOLDERS
    }

    pub(super) fn has_content(self) -> bool {
        self.content() != 0
    }

    pub(super) fn is_hashed(self) -> bool {
        self.0 & Self::HASHED != 0
    }

    /// Whether one request holds it, and it is never looked up.
    pub(super) fn is_private(self) -> bool {
        self.0 & !Self::UNIQUE == 1
    }
}

/// A cached prefix found in the pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// How many leading blocks were found.
    pub blocks: u32,
    /// How many of them no request holds now.
    pub free: u32,
}

/// The blocks of a cached prefix found last.
#[derive(Clone, Debug, Default)]
pub(super) struct FoundPrefix {
    /// The version of the pool at that look-up.
    pub(super) version: u64,
    /// The last of the chained hashes, which covers all before it.
    pub(super) last: u64,
    pub(super) blocks: Vec<u32>,
}
