//! What the new replicas of a pool are made of.

use crate::base::Span;
use crate::engine::replica::{Limits, Pipe, Speculation};
use crate::kv::{ReloadSettings, StoreSettings, Written};
use crate::perf::Resolved;
use crate::policy::priority::PriorityState;
use crate::policy::scheduling::SchedulerState;
use crate::scenario::{Compat, CpuWrite, KvCache, Pool, Scenario};
use crate::workload::Source;
use serde::{Deserialize, Serialize};

/// What is below the GPU's cache.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::engine) enum Tier {
    None,
    Store(StoreSettings),
    Reload(ReloadSettings),
}

impl Tier {
    fn new(kv: &KvCache, compat: Compat) -> Self {
        let (capacity, tokens_per_us, base) =
            (kv.cpu_blocks, kv.transfer_tokens_per_us, Span(kv.transfer_base_us));
        if capacity == 0 {
            return Self::None;
        }
        if kv.uses_tier_of_blis(compat) {
            let threshold = kv.offload_threshold;
            return Self::Reload(ReloadSettings { capacity, threshold, tokens_per_us, base });
        }
        let written = match kv.cpu_write {
            CpuWrite::WriteThrough => Written::WhenFull,
            CpuWrite::WriteBack => Written::WhenEvicted,
        };
        let store = Self::Store(StoreSettings { capacity, written, tokens_per_us, base });
        if kv.prefix_caching { store } else { Self::None }
    }
}

/// What a pool's new replicas are made of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::engine) struct Blueprint {
    pub(in crate::engine) limits: Limits,
    pub(in crate::engine) priority: PriorityState,
    pub(in crate::engine) scheduler: SchedulerState,
    pub(in crate::engine) resolved: Resolved,
    pub(in crate::engine) speculation: Option<Speculation>,
    pub(in crate::engine) pipe: Option<Pipe>,
    /// GPUs of one replica.
    pub(in crate::engine) gpus: u32,
    pub(in crate::engine) block_tokens: u32,
    pub(in crate::engine) caching: bool,
    pub(in crate::engine) tier: Tier,
    /// Counts the edits that changed what its replicas are made of.
    pub(in crate::engine) revision: u32,
    /// Whether those of an older revision are replaced all at once.
    pub(in crate::engine) at_once: bool,
}

impl Blueprint {
    /// What the replicas of a pool of `scenario` are made of.
    pub(in crate::engine) fn new(
        (pool, resolved): (&Pool, &Resolved),
        scenario: &Scenario,
        source: &Source,
    ) -> Self {
        let (engine, kv, compat) = (&pool.engine, &pool.kv, scenario.cluster.compat);
        Self {
            limits: Limits::new(engine, resolved, compat),
            priority: PriorityState::new(&engine.priority, source.tenants(), source.classes()),
            scheduler: SchedulerState::new(engine.scheduler),
            resolved: resolved.clone(),
            speculation: engine.speculative.as_ref().map(|s| Speculation::new(s, scenario.seed)),
            pipe: Pipe::new(resolved.stages, resolved.hop_us),
            gpus: crate::perf::gpus(pool),
            block_tokens: kv.block_tokens,
            caching: kv.prefix_caching,
            tier: Tier::new(kv, compat),
            revision: 0,
            at_once: false,
        }
    }
}
