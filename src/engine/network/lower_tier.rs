//! A tier below CPU memory as one replica sees it, and what is counted of it.

use super::LowerTiers;
use super::flows::Flow;
use crate::facts::FlowKind;
use crate::kv::Busy;
use base::stats::Sketch;
use base::{Micros, ReplicaId, Span};
use serde::{Deserialize, Serialize};

/// A tier as one replica sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LowerTier {
    /// None if its blocks lie at other replicas.
    pub(super) place: Option<u32>,
    pub(super) base: Span,
    pub(super) read: Vec<u32>,
    pub(super) write: Vec<u32>,
    pub(super) counts: LowerCounts,
    /// How long requests waited for reads that landed.
    pub(super) waits: Sketch,
    /// For how long a flow moved bytes.
    pub(super) busy: Busy,
}

/// Counters of a tier of one replica.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LowerCounts {
    /// Blocks that were read.
    pub read: u64,
    /// Blocks that were written.
    pub written: u64,
    /// Flows that failed.
    pub failed: u64,
    /// Blocks of prompts that came from it.
    pub found: u64,
    /// Blocks of prompts that were there and not worth their way.
    pub refused: u64,
    /// Blocks of prompts that found no slot in CPU memory, or took longer than a request waits.
    pub cut: u64,
    /// Blocks of prompts whose read failed.
    pub lost: u64,
}

impl LowerTier {
    /// A flow of its own is over.
    pub(super) fn ended(&mut self, flow: &Flow, has_landed: bool, now: Micros) {
        if flow.begun.is_some() {
            self.busy.ends(now);
        }
        if !has_landed {
            return;
        }
        let blocks = flow.hashes.len() as u64;
        match flow.kind {
            FlowKind::Read | FlowKind::Prefetch(_) => self.counts.read += blocks,
            FlowKind::Write => self.counts.written += blocks,
        }
        if flow.kind == FlowKind::Read && flow.request.is_some() {
            self.waits.add(now.since(flow.asked).0, 1);
        }
    }
}

impl LowerTiers {
    /// Counters of a tier of a replica.
    pub fn counts(&self, replica: ReplicaId, tier: u32) -> LowerCounts {
        self.tier(replica, tier).counts
    }

    /// The same, to count more.
    pub(crate) fn counts_mut(&mut self, replica: ReplicaId, tier: u32) -> &mut LowerCounts {
        &mut self.tier_mut(replica, tier).counts
    }

    /// How long requests of a replica waited for reads from a tier that landed, in microseconds.
    pub fn waits(&self, replica: ReplicaId, tier: u32) -> &Sketch {
        &self.tier(replica, tier).waits
    }

    /// For how long flows of a replica have moved bytes from a tier or to it.
    pub fn busy(&self, replica: ReplicaId, tier: u32, now: Micros) -> Span {
        self.tier(replica, tier).busy.up_to(now)
    }

    /// A flow that ended has failed.
    pub(crate) fn count_failed(&mut self, flow: &Flow) {
        let counts = self.counts_mut(flow.replica, flow.tier);
        counts.failed += 1;
        if flow.kind == FlowKind::Read && flow.request.is_some() {
            counts.lost += flow.hashes.len() as u64;
        }
    }
}
