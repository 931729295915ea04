//! What the new replicas of a pool are made of.

use crate::kv::{ReloadSettings, StoreSettings, Written};
use crate::perf::Resolved;
use crate::policy::priority::PriorityState;
use crate::policy::scheduling::SchedulerState;
use crate::replica::{Limits, Pipe, Speculation};
use crate::workload::Source;
use base::Span;
use document::{Compat, CpuWrite, KvCache, Pool, Scenario};
use serde::{Deserialize, Serialize};

/// What is below the GPU's cache.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Tier {
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
pub(crate) struct Blueprint {
    pub(crate) limits: Limits,
    pub(crate) priority: PriorityState,
    pub(crate) scheduler: SchedulerState,
    pub(crate) resolved: Resolved,
    pub(crate) speculation: Option<Speculation>,
    pub(crate) pipe: Option<Pipe>,
    /// GPUs of one replica.
    pub(crate) gpus: u32,
    pub(crate) block_tokens: u32,
    pub(crate) caching: bool,
    pub(crate) tier: Tier,
    /// Counts the edits that changed what its replicas are made of.
    pub(crate) revision: u32,
    /// Whether those of an older revision are replaced all at once.
    pub(crate) at_once: bool,
}

impl Blueprint {
    /// What the replicas of a pool of `scenario` are made of.
    pub(crate) fn new((pool, resolved): (&Pool, &Resolved), scenario: &Scenario, source: &Source) -> Self {
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
