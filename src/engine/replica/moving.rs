//! Requests between their prefill replica and their home, as each of the two has them.

use super::state::Replica;
use crate::engine::request::Slot;
use serde::{Deserialize, Serialize};

/// What a replica has of requests that are prefilled here and decoded elsewhere, or the other way round.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::engine) struct Moving {
    /// Bound for here and in none of its lists: their prefill is under way elsewhere, or waits for blocks at home.
    pub(in crate::engine) bound: u32,
    /// At home: blocks are set aside, the KV is not here. In order of reservation.
    pub(in crate::engine) incoming: Vec<Slot>,
    /// At home: the KV is here, and they are not in the batch. In order of landing.
    pub(in crate::engine) landed: Vec<Slot>,
    /// Prefilled here: their blocks are held until the landing. In order of the prefill's end.
    pub(in crate::engine) outgoing: Vec<Slot>,
    /// Joined the batch from `landed` with the running step, and have no token of it yet.
    pub(in crate::engine) joined: Vec<Slot>,
    /// Blocks of `incoming` with those that were cached.
    pub(in crate::engine) reserved_blocks: u32,
    /// Blocks of `outgoing`.
    pub(in crate::engine) held_blocks: u32,
    /// Prefills passed on so far.
    pub(in crate::engine) handed_over: u32,
    /// Blocks opened for transfers so far.
    pub(in crate::engine) received_blocks: u64,
}

impl Replica {
    /// Requests whose blocks are set aside here and whose KV is not here yet.
    pub fn incoming(&self) -> u32 {
        self.moving.incoming.len() as u32
    }

    /// Requests whose KV is here and that wait for the next step.
    pub fn landed(&self) -> u32 {
        self.moving.landed.len() as u32
    }

    /// Requests prefilled here whose blocks are held until their KV is at home.
    pub fn outgoing(&self) -> u32 {
        self.moving.outgoing.len() as u32
    }

    /// Requests bound for here that wait or are prefilled elsewhere.
    pub fn bound(&self) -> u32 {
        self.moving.bound
    }

    /// Blocks set aside for requests on their way here, with those of their prompts that were cached.
    pub fn reserved_blocks(&self) -> u32 {
        self.moving.reserved_blocks
    }

    /// Blocks held for requests on their way to their homes.
    pub fn held_blocks(&self) -> u32 {
        self.moving.held_blocks
    }

    /// Prefills passed on so far.
    pub fn handed_over(&self) -> u32 {
        self.moving.handed_over
    }

    /// Blocks opened for transfers so far.
    pub fn received_blocks(&self) -> u64 {
        self.moving.received_blocks
    }
}
