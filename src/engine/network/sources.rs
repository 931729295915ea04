//! Which replica the blocks of a request's prompt may be pulled from, and by what lead.

use base::{ReplicaId, RequestId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which replicas blocks of prompts are pulled from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sources {
    /// How many more tokens a replica must have than the one that computes; none if nothing is pulled.
    pub(crate) lead_tokens: Option<u32>,
    /// By position in a list of requests: where a request stands among equal candidates, in 2^32nds, in place of what follows from its
    /// number.
    pub(crate) draws: Vec<u32>,
    of: BTreeMap<RequestId, ReplicaId>,
}

impl Sources {
    /// Where a request stands that is at this place of a list, if that is given.
    pub(crate) fn draw(&self, listed: u32) -> Option<u32> {
        self.draws.get(listed as usize).copied()
    }

    /// The replica that blocks of a request are pulled from, if there is one.
    pub(crate) fn of(&self, request: RequestId) -> Option<ReplicaId> {
        self.of.get(&request).copied()
    }

    /// From now on blocks of the request are pulled from that one.
    pub(crate) fn set(&mut self, request: RequestId, source: Option<ReplicaId>) {
        match source {
            Some(source) => self.of.insert(request, source),
            None => self.of.remove(&request),
        };
    }
}
