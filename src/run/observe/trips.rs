//! Requests that are prefilled on one replica and decoded on another, from the decision until they are in the batch of their
//! home: which two replicas have a part of each, and how many blocks.

use base::{Chunks, Micros, ReplicaId, RequestId};
use serde::{Deserialize, Serialize};

/// One request on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Trip {
    /// The replica that answers it.
    pub(super) home: ReplicaId,
    /// The replica that prefills it.
    pub(super) prefill: ReplicaId,
    /// Whether its prefill is still to be done or under way.
    pub(super) prefilling: bool,
    /// Whether the prefill replica still has it, or its blocks.
    pub(super) there: bool,
    /// Whether its KV is at home.
    pub(super) landed: bool,
    /// Blocks that the prefill replica holds for its home.
    pub(super) held: u32,
    /// Blocks that are set aside or pinned at home.
    pub(super) reserved: u32,
    /// Since when the bytes of its transfer move, while they do.
    pub(super) flows_since: Option<Micros>,
    /// Bytes of its transfer, and how many of them left during the prefill.
    pub(super) bytes: [u64; 2],
}

impl Trip {
    /// A request that was just routed.
    pub(super) fn new(home: ReplicaId, prefill: ReplicaId) -> Self {
        Self {
            home,
            prefill,
            prefilling: true,
            there: true,
            landed: false,
            held: 0,
            reserved: 0,
            flows_since: None,
            bytes: [0; 2],
        }
    }
}

/// By number of the request: its trip, while it is on its way. Empty where no roles differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Trips(Chunks<Option<Trip>>);

impl Trips {
    /// A request begins its way, perhaps again.
    pub(super) fn begin(&mut self, request: RequestId, trip: Trip) {
        while self.0.len() <= request.index() {
            self.0.push(None);
        }
        self.0[request.index()] = Some(trip);
    }

    /// The trip of a request that is on its way.
    #[inline]
    pub(super) fn get(&self, request: RequestId) -> Option<Trip> {
        *self.0.get(request.index())?
    }

    /// Changes the trip of a request that is on its way; returns the trip before.
    pub(super) fn change(&mut self, request: RequestId, change: impl FnOnce(&mut Trip)) -> Option<Trip> {
        let before = self.get(request)?;
        self.0[request.index()].as_mut().map(change);
        Some(before)
    }

    /// A request is at its home, or gone; returns its trip if it was on its way.
    #[inline]
    pub(super) fn end(&mut self, request: RequestId) -> Option<Trip> {
        let trip = self.get(request)?;
        self.0[request.index()] = None;
        Some(trip)
    }

    /// Bytes that are not shared with `other`.
    pub(super) fn bytes_beside(&self, other: Option<&Self>) -> u64 {
        self.0.bytes_beside(other.map(|other| &other.0))
    }
}
