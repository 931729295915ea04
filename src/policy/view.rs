//! What a policy may know. The true output length of a request is not in here.

use crate::base::{Content, Micros, ReplicaId, RequestId};
use serde::{Deserialize, Serialize};

/// One replica as the gateway sees it: possibly out of date, but for `in_flight`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplicaView {
    /// Which replica.
    pub id: ReplicaId,
    /// Requests in its wait queue.
    pub waiting: u32,
    /// Requests in its batch.
    pub running: u32,
    /// Requests sent there that have neither finished nor been dropped. Always fresh.
    pub in_flight: u32,
    /// KV blocks in use.
    pub kv_used: u32,
    /// KV blocks in all.
    pub kv_total: u32,
}

impl ReplicaView {
    /// A replica of which nothing has been seen yet.
    pub fn unseen(id: ReplicaId) -> Self {
        Self { id, waiting: 0, running: 0, in_flight: 0, kv_used: 0, kv_total: 0 }
    }

    /// Waiting + running + in flight. What runs or waits is also in flight and counts twice, by definition.
    pub fn load(&self) -> u32 {
        self.waiting + self.running + self.in_flight
    }

    /// Share of KV blocks in use, 0 to 1.
    pub fn kv_use(&self) -> f64 {
        if self.kv_total == 0 { 0.0 } else { f64::from(self.kv_used) / f64::from(self.kv_total) }
    }
}

/// A request as a policy sees it.
#[derive(Clone, Copy, Debug)]
pub struct RequestView<'a> {
    /// Which request.
    pub id: RequestId,
    /// When the decision is made.
    pub now: Micros,
    /// Its client.
    pub client: u32,
    /// Its prompt.
    pub prompt: &'a Content,
    /// Its prompt's length in tokens.
    pub prompt_tokens: u32,
}
