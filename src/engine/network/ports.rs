//! The two directions of a replica's network ports.

use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// The ports of one replica in one direction, taken together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Port {
    /// Bytes per second that it carries without faults.
    pub bytes_per_s: u64,
    /// The numbers of the transfers that use it now, in order.
    pub(super) flows: Vec<u32>,
    /// How many flows of blocks use it now.
    pub(super) others: u32,
    /// Since when it has been used without a gap; meaningless while it is not.
    pub(super) since: Micros,
    /// How long it was used, up to then.
    pub(super) busy: Span,
    /// Bytes of transfers that have landed, with those that left early.
    pub landed_bytes: u64,
    /// Bytes that flowed over it of transfers that are over: without those that left early, with those of transfers given up.
    pub(super) flowed: u64,
    /// The sum of the times of its transfers that are over, from the first byte on.
    pub(super) flow_us: u64,
    /// The share of its speed that faults leave it.
    pub(super) working: f64,
}

impl Port {
    /// A port of this speed.
    pub(super) fn new(bytes_per_s: u64) -> Self {
        Self {
            bytes_per_s,
            flows: Vec::new(),
            others: 0,
            since: Micros::ZERO,
            busy: Span::ZERO,
            landed_bytes: 0,
            flowed: 0,
            flow_us: 0,
            working: 1.0,
        }
    }

    /// Bytes per second that it carries now.
    pub fn carries(&self) -> u64 {
        if self.working < 1.0 { (self.bytes_per_s as f64 * self.working) as u64 } else { self.bytes_per_s }
    }

    /// Transfers that use it now.
    pub fn flows(&self) -> u32 {
        self.flows.len() as u32
    }

    /// Flows of blocks that use it now.
    pub(crate) fn others(&self) -> u32 {
        self.others
    }

    /// How long it was used up to `now`.
    pub fn busy(&self, now: Micros) -> Span {
        if self.flows.is_empty() { self.busy } else { self.busy + now.since(self.since) }
    }

    /// A transfer begins to use it.
    pub(super) fn begin(&mut self, number: u32, now: Micros) {
        if self.flows.is_empty() {
            self.since = now;
        }
        let at = self.flows.partition_point(|&other| other < number);
        self.flows.insert(at, number);
    }

    /// A transfer no longer uses it.
    pub(super) fn end(&mut self, number: u32, now: Micros) {
        self.busy = self.busy(now);
        self.since = now;
        let at =
            self.flows.binary_search(&number).expect("INV-9: a transfer over a port that it does not use");
        self.flows.remove(at);
    }

    /// What each of its transfers may have of it, beside the flows of blocks.
    pub(super) fn share(&self, shared: bool) -> u64 {
        let carries = self.carries();
        let users = self.flows.len() as u64 + u64::from(self.others);
        if shared { carries / users.max(1) } else { carries }
    }
}
