//! Edits: what may be changed while the run goes on. An edit is data with a position on the clock.

#[cfg(feature = "cli")]
use super::limits;
use super::policy::{AdmissionPolicy, RoutingPolicy};
use serde::{Deserialize, Serialize};

/// An edit and when it applies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TimedEdit {
    /// Instant, in microseconds after the start. The edit applies before the first event at or after it.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::HORIZON_S as u64 * 1_000_000)))]
    pub at_us: u64,
    /// Set by the playground: the edit applies when exactly this many events have run, which fixes its place among events of one instant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_events: Option<u64>,
    /// What changes.
    pub change: Edit,
}

/// What an edit changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Edit {
    /// Requests per second of one client; the gap that is running shrinks or stretches with it.
    ArrivalRate {
        /// Position of the client in the workload.
        client: u32,
        /// Requests per second.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::RATE_PER_S)))]
        rate_per_s: f64,
    },
    /// Another routing policy; it starts without memory.
    Routing(RoutingPolicy),
    /// Another admission policy; it starts without memory.
    Admission(AdmissionPolicy),
    /// How many replicas a pool has. Replicas taken away finish what they have and get nothing new.
    Replicas {
        /// Position of the pool in the cluster.
        pool: u32,
        /// How many replicas.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::REPLICAS)))]
        replicas: u32,
    },
    /// Most requests in one batch, for all replicas of a pool.
    MaxNumSeqs {
        /// Position of the pool in the cluster.
        pool: u32,
        /// Most requests in one batch.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::BATCH)))]
        max_num_seqs: u32,
    },
    /// Most tokens computed in one step, for all replicas of a pool.
    MaxNumBatchedTokens {
        /// Position of the pool in the cluster.
        pool: u32,
        /// Most tokens computed in one step.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::STEP_TOKENS)))]
        max_num_batched_tokens: u32,
    },
    /// Size of the KV cache of each replica of a pool. Blocks in use are given up as they become free.
    KvBlocks {
        /// Position of the pool in the cluster.
        pool: u32,
        /// Number of blocks.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::KV_BLOCKS)))]
        blocks: u32,
    },
    /// How old the router's picture of a replica may get, in microseconds.
    SnapshotRefresh {
        /// Microseconds; 0 means every decision sees the present.
        #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::LATENCY_US)))]
        snapshot_refresh_us: u64,
    },
}
