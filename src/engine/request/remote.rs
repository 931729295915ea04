//! The working state of a request that is prefilled on another replica than its home.

use crate::kv::BlockTable;
use base::{Micros, ReplicaId};
use serde::{Deserialize, Serialize};

/// A request on its way from its prefill replica to its home, from its routing to its landing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remote {
    /// The replica that decodes it and answers its client.
    pub(crate) home: ReplicaId,
    /// The replica that prefills it.
    pub(crate) prefill: ReplicaId,
    /// Whether its home sets blocks aside before the prefill.
    pub(crate) push: bool,
    /// Tokens made before the transfer: 1 if the prefill replica shows the first token.
    pub(crate) ahead: u32,
    /// How often roles of pools, or which of both replicas takes blocks first, had changed when it was routed.
    pub(crate) epoch: u32,
    /// When it joined the wait queue that it is in.
    pub(crate) queued: Micros,
    /// Whether its home crashed since it was routed: its prefill goes on, and nobody fetches its KV.
    pub(crate) home_lost: bool,
    /// Whether its prompt is computed: the prefill replica holds `held` for it.
    pub(crate) prefilled: bool,
    /// Whether `reserved` is set aside for it at home, and how many leading blocks of that were in the cache there.
    pub(crate) is_reserved: bool,
    pub(crate) cached: u32,
    /// How many blocks after them come from CPU memory there.
    pub(crate) below: u32,
    /// The number of its transfer.
    pub(crate) transfer: Option<u32>,
    pub(crate) held: BlockTable,
    pub(crate) reserved: BlockTable,
}

impl Remote {
    /// A request that is routed.
    pub(crate) fn new(home: ReplicaId, prefill: ReplicaId, push: bool, ahead: u32, epoch: u32) -> Self {
        Self {
            home,
            prefill,
            push,
            ahead,
            epoch,
            queued: Micros::ZERO,
            home_lost: false,
            prefilled: false,
            is_reserved: false,
            cached: 0,
            below: 0,
            transfer: None,
            held: BlockTable::default(),
            reserved: BlockTable::default(),
        }
    }

    /// Whether it waits, or will wait, at home for blocks to be set aside, and nothing else is done for it before.
    pub(crate) fn seeks_room(&self) -> bool {
        !self.is_reserved && (self.push || self.prefilled)
    }

    /// Whether its home sets blocks aside after the prefill, and has not yet.
    pub(crate) fn seeks_room_later(&self) -> bool {
        !self.push && !self.is_reserved
    }

    /// Whether `replica` counts it among its requests while it has it in none of its lists.
    pub(crate) fn is_bound_for(&self, replica: ReplicaId) -> bool {
        let waits_for_prefill = !self.push && !self.prefilled && replica == self.home;
        let waits_for_room = self.push && !self.is_reserved && !self.prefilled && replica == self.prefill;
        !self.home_lost && (waits_for_prefill || waits_for_room)
    }

    /// The other one of its two replicas.
    pub(crate) fn counterpart(&self, of: ReplicaId) -> ReplicaId {
        if of == self.home { self.prefill } else { self.home }
    }

    /// The same without the numbers of its blocks, which are kept with the caches.
    pub(crate) fn without_blocks(&self) -> Self {
        let bare = |table: &BlockTable| {
            BlockTable::without_blocks(table.tokens(), table.last_hash()).written_to(table.limit)
        };
        Self { held: bare(&self.held), reserved: bare(&self.reserved), ..self.clone() }
    }
}
