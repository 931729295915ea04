//! Edits: what may be changed while the run goes on. An edit is data with a position on the clock.

#[cfg(feature = "cli")]
use super::limits;
use super::{AdmissionPolicy, RoutingPolicy};
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
    /// Requests per second of one client, from now on: the gap that is running shrinks or stretches with it, and lengths and contents stay what they would have been.
    ArrivalRate {
        /// Position of the client in the workload.
        client: u32,
        /// Requests per second.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::RATE_PER_S)))]
        rate_per_s: f64,
    },
    /// Another routing policy, from the next decision on; requests already routed stay where they are. What the old one remembers (turn, sessions, prefixes, costs, draws) stays as far as the new one is of the same kind; otherwise the new one starts without memory.
    Routing(RoutingPolicy),
    /// Another admission policy; it is asked at once about all requests that are held back, in order of arrival. Buckets of the same kind keep their level, as far as it fits; others start full. Requests under way count against the new limit.
    Admission(AdmissionPolicy),
    /// How many replicas a pool has. Replicas taken away, the highest numbers first, finish what they have and get nothing new. Those come back before new ones are added; one that was empty meanwhile comes back with an empty cache. At 0 the pool is drained; a request that no other pool can serve is then refused.
    Replicas {
        /// Position of the pool in the cluster.
        pool: u32,
        /// How many replicas.
        #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::REPLICAS)))]
        replicas: u32,
    },
    /// Most requests in one batch, for all replicas of a pool, from their next step on. A batch that is larger shrinks as its requests finish; nobody is preempted for it.
    MaxNumSeqs {
        /// Position of the pool in the cluster.
        pool: u32,
        /// Most requests in one batch.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::BATCH)))]
        max_num_seqs: u32,
    },
    /// Most tokens computed in one step, for all replicas of a pool, from their next step on.
    MaxNumBatchedTokens {
        /// Position of the pool in the cluster.
        pool: u32,
        /// Most tokens computed in one step.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::STEP_TOKENS)))]
        max_num_batched_tokens: u32,
    },
    /// Size of the KV cache of each replica of a pool. A smaller cache gives up free blocks at once, the longest unused first, and blocks in use as they become free.
    KvBlocks {
        /// Position of the pool in the cluster.
        pool: u32,
        /// Number of blocks.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::KV_BLOCKS)))]
        blocks: u32,
    },
    /// How old the router's picture of a replica may get, in microseconds. The picture of now stays until it is that old.
    SnapshotRefresh {
        /// Microseconds; 0 means every decision sees the present.
        #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::LATENCY_US)))]
        snapshot_refresh_us: u64,
    },
}
