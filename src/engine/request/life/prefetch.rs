//! Prefetches: what was asked for before a turn, and what became of it.

use crate::kv::BlockTable;
use base::{Maybe, Micros, ReplicaId, RequestId};
use serde::{Deserialize, Serialize};

/// What became of a prefetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PrefetchOutcome {
    /// Its blocks are on their way.
    Asked,
    /// They are there.
    Landed,
    /// The turn was there first.
    Late,
    /// There were too few free blocks.
    Refused,
    /// A request that ran needed the blocks, or the replica was lost.
    Stopped,
    /// Nothing was missing that could be brought.
    Nothing,
    /// What it read broke.
    Failed,
}

/// A prefetch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrefetchRow {
    /// The turn after which it was.
    pub after: RequestId,
    /// Where.
    pub replica: ReplicaId,
    /// When it was asked for.
    pub asked: Micros,
    /// When its blocks were there.
    pub done: Maybe<Micros>,
    /// How many blocks it brings.
    pub blocks: u32,
    /// What became of it.
    pub outcome: PrefetchOutcome,
}

impl PrefetchRow {
    pub(super) fn new(after: RequestId, replica: ReplicaId, asked: Micros) -> Self {
        Self { after, replica, asked, done: Maybe::NONE, blocks: 0, outcome: PrefetchOutcome::Nothing }
    }
}

/// A prefetch over the link of a CPU tier that is under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct UnderWay {
    pub(crate) prefetch: u32,
    pub(crate) replica: ReplicaId,
    /// Its blocks.
    pub(crate) table: BlockTable,
    /// The context of its session, and the number of the first block that comes.
    pub(crate) chain: Vec<u64>,
    pub(crate) first: u32,
    /// Whose context it is, and for how long it is kept.
    pub(crate) scope: u64,
    pub(crate) hold: base::Span,
}

impl UnderWay {
    /// The contents that come.
    pub(crate) fn hashes(&self) -> &[u64] {
        &self.chain[self.first as usize..self.first as usize + self.table.len() as usize]
    }
}
