//! Small integer ids. An id is an index into one table and is never reused within a run.

use serde::{Deserialize, Serialize};

/// A request: its position in order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub u32);

/// A replica (an engine instance): its position in the fleet, in order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReplicaId(pub u32);

impl RequestId {
    /// The index into the request table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl ReplicaId {
    /// The index into the replica table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
