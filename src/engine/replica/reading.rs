//! What requests in the queue have read from tiers below CPU memory.

use base::Micros;
use serde::{Deserialize, Serialize};

/// What a request in the queue has read, or reads, from tiers below CPU memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reading {
    /// It has fetched in this stay in the queue.
    pub(super) asked: bool,
    /// Tiers that failed it.
    pub(super) barred: Vec<u32>,
    /// Blocks in CPU memory that are kept until it looks again.
    pub(super) pins: Vec<u64>,
    /// Flows under way for it, by number.
    pub(super) flows: Vec<u32>,
    /// When it gives up what has not come.
    pub(super) deadline: Option<Micros>,
    /// Blocks that it fetched, and the tier of each.
    pub(super) fetched: Vec<(u64, u32)>,
}

impl Reading {
    /// One of its flows has ended. Whether it was the last.
    pub(super) fn flow_ended(&mut self, number: u32) -> bool {
        self.flows.retain(|flow| *flow != number);
        self.flows.is_empty()
    }
}
