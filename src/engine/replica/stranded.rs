//! Blocks that a prefill replica holds for nobody: the home of their request crashed, and the prefill replica does not know. They
//! are given back when their lease is over, and their contents stay cached.

use super::state::Replica;
use crate::kv::BlockTable;
use crate::request::{Remote, Slot};
use base::{Micros, RequestId};
use serde::{Deserialize, Serialize};

/// What a prefill replica holds for a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldKv {
    pub(crate) request: RequestId,
    pub(crate) slot: Slot,
    /// Tokens in its blocks.
    pub(crate) tokens: u32,
    /// Blocks held besides those of tokens.
    pub(crate) states: u32,
}

/// For whom blocks are held until a lease is over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lease {
    pub(crate) request: RequestId,
    /// Its number among all of a run.
    pub(crate) number: u32,
}

/// The blocks of one request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stranded {
    /// Its number among all of a run.
    number: u32,
    request: RequestId,
    pub(crate) held: BlockTable,
    /// Blocks held besides those of tokens.
    pub(crate) states: u32,
    tokens: u32,
    since: Micros,
}

impl Stranded {
    /// Whose they are, and which.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(crate) fn sight(&self) -> (RequestId, &BlockTable) {
        (self.request, &self.held)
    }

    /// Its blocks up to `now`, times microseconds.
    fn so_far(&self, now: Micros) -> u64 {
        now.max(self.since).since(self.since).0.saturating_mul(self.held.len().into())
    }

    /// The same without the numbers of its blocks, which are kept with the caches.
    pub(crate) fn forget_blocks(&mut self) {
        self.held = BlockTable::without_blocks(self.held.tokens(), self.held.last_hash());
    }
}

impl Replica {
    /// Requests whose blocks are held here and whose homes are lost.
    pub fn stranded(&self) -> u32 {
        self.moving.stranded.len() as u32
    }

    /// The blocks held for them.
    pub fn stranded_blocks(&self) -> u32 {
        self.moving.stranded.iter().map(|s| s.held.len()).sum()
    }

    /// Blocks held for lost homes up to `now`, times microseconds.
    pub fn stranded_block_us(&self, now: Micros) -> u64 {
        let so_far = self.moving.stranded.iter().map(|s| s.so_far(now));
        so_far.fold(self.moving.stranded_block_us, u64::saturating_add)
    }

    /// What is held for a request whose home is lost is stranded from now on. How many blocks.
    pub(crate) fn strand(&mut self, lease: Lease, kv: HeldKv, remote: &mut Remote, now: Micros) -> u32 {
        let (Lease { request, number }, HeldKv { slot, tokens, states, .. }) = (lease, kv);
        let at = self.moving.outgoing.iter().position(|&other| other == slot);
        self.moving.outgoing.remove(at.expect("INV-9: blocks held for a request in no list"));
        let held = std::mem::take(&mut remote.held);
        let blocks = held.len();
        self.moving.held_blocks -= blocks;
        self.moving.stranded.push(Stranded { number, request, held, states, tokens, since: now });
        self.forget_wishes(request);
        blocks
    }

    /// The lease of stranded blocks is over: whose they were and how many, unless they are gone.
    pub(crate) fn end_lease(&mut self, number: u32, now: Micros) -> Option<(RequestId, u32)> {
        let at = self.moving.stranded.iter().position(|s| s.number == number)?;
        let stranded = self.moving.stranded.remove(at);
        let ended = (stranded.request, stranded.held.len());
        self.give_back_stranded(stranded, now);
        Some(ended)
    }

    /// All of them go, for the replica crashes.
    pub(super) fn lose_stranded(&mut self, now: Micros) {
        for stranded in std::mem::take(&mut self.moving.stranded) {
            self.give_back_stranded(stranded, now);
        }
    }

    fn give_back_stranded(&mut self, mut stranded: Stranded, now: Micros) {
        let held = stranded.so_far(now);
        self.moving.stranded_block_us = self.moving.stranded_block_us.saturating_add(held);
        self.kv.own().release(&mut stranded.held, stranded.tokens, now);
        self.kv.own().release_states(stranded.states, now);
    }
}
