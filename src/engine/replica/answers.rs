//! What a replica answers about itself.

use super::state::Replica;
use super::totals::Totals;
use crate::kv::BlockPool;
use crate::perf::StepLoad;
use crate::policy::ReplicaPhase;
use base::{Micros, ReplicaId, Span};

impl Replica {
    /// Its number.
    pub fn id(&self) -> ReplicaId {
        self.id
    }

    /// How many GPUs it has.
    pub fn gpus(&self) -> u32 {
        self.gpus
    }

    /// What it costs in US dollars per hour; `None` without a price.
    pub fn usd_per_hour(&self) -> Option<f64> {
        (self.usd_per_hour > 0.0).then_some(self.usd_per_hour)
    }

    /// Number of its pool.
    pub fn pool(&self) -> u32 {
        self.pool
    }

    /// Where it is in its life.
    pub fn phase(&self) -> ReplicaPhase {
        self.phase
    }

    /// Whether it gets new requests.
    pub fn serving(&self) -> bool {
        self.phase == ReplicaPhase::Serving
    }

    /// Its KV cache.
    pub fn kv(&self) -> &BlockPool {
        &self.kv
    }

    /// Its totals.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Time of its last event.
    pub fn clock(&self) -> Micros {
        self.clock
    }

    /// Duration of its running step, or of the latest one.
    pub fn latest_step(&self) -> Span {
        self.latest_step
    }

    /// Requests in its wait queue.
    pub fn waiting(&self) -> u32 {
        self.waiting.len() as u32
    }

    /// Requests in its batch.
    pub fn running(&self) -> u32 {
        self.running
    }

    /// Of those, how many still compute their prompt.
    pub fn prefilling(&self) -> u32 {
        self.prefilling.len() as u32
    }

    /// Requests sent to it that have neither finished nor been dropped. A prefill replica has a request until it passes it on,
    /// its home from the routing on.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        self.arriving() + self.waiting() + self.running() + self.moving.in_flight()
    }

    /// How long its latency model lets a step take.
    pub fn would_take(&self, load: &StepLoad<'_>) -> Span {
        self.model_step(load)
    }

    /// Whether its steps wait for those of other ranks.
    pub fn is_rank(&self) -> bool {
        self.lockstep.is_rank()
    }

    /// Requests on their way to its wait queue.
    pub fn arriving(&self) -> u32 {
        self.arriving
    }

    /// How many times the mean the rank with the most computes for its experts now; none where they are liked alike and stay.
    pub fn imbalance(&self) -> Option<f64> {
        self.model.imbalance()
    }
}
