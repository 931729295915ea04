//! What the new replicas of a pool are made of.

use crate::kv::{
    BlockPool, EvictionRule, OrderSettings, PlaceEviction, PlaceSettings, ReloadSettings, StoreSettings,
    TierSettings, Written,
};
use crate::network::{LowerFigures, LowerPlan, LowerTiers, StoreFigures};
use crate::perf::{Plan, Resolved};
use crate::policy::priority::PriorityState;
use crate::policy::scheduling::SchedulerState;
use crate::replica::{Limits, Pipe, Speculation};
use crate::workload::Source;
use base::{Micros, Span};
use document::{
    CpuEviction, EvictionOrder, FsEviction, FsTier, HomeHits, KvBytes, KvStore, Pool, Role, Scenario,
    SecondaryTier, StoreEviction, TierWrite, Watermark, limits, model_key,
};
use serde::{Deserialize, Serialize};

/// What is below the GPU's cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Tier {
    None,
    Tiers(TierSettings),
    Reload(ReloadSettings),
    /// The same beside an order of eviction, and whether an oracle says what CPU memory evicts.
    Special {
        tier: Box<Self>,
        order: Option<OrderSettings>,
        known: bool,
    },
    /// The same, seen by routers that long after it changes.
    SeenLate {
        tier: Box<Self>,
        delay: Span,
    },
}

impl Tier {
    fn new(pool: &Pool, scenario: &Scenario) -> Self {
        let (kv, tier) = (&pool.kv, Self::special(pool, scenario));
        let delay = Span(scenario.cluster.kv_event_delay_us);
        let is_late = delay > Span::ZERO && kv.prefix_caching && !matches!(tier, Self::Reload(_));
        if is_late { Self::SeenLate { tier: Box::new(tier), delay } } else { tier }
    }

    /// A replica that stays has this below its cache from `now` on, in place of another one with the same tiers.
    pub(super) fn renew(&self, kv: &mut BlockPool, now: Micros) {
        if let Some(settings) = self.settings() {
            kv.adopt_tiers(settings, now);
        }
        let (order, known) = self.order();
        kv.adopt_order(order, known, now);
    }

    fn settings(&self) -> Option<&TierSettings> {
        match self {
            Self::None | Self::Reload(_) => None,
            Self::Tiers(settings) => Some(settings),
            Self::Special { tier, .. } | Self::SeenLate { tier, .. } => tier.settings(),
        }
    }

    fn order(&self) -> (Option<OrderSettings>, bool) {
        match self {
            Self::None | Self::Tiers(_) | Self::Reload(_) => (None, false),
            Self::Special { order, known, .. } => (*order, *known),
            Self::SeenLate { tier, .. } => tier.order(),
        }
    }

    /// Beside how late it is seen.
    pub(super) fn itself(&self) -> &Self {
        match self {
            Self::SeenLate { tier, .. } => tier,
            Self::None | Self::Tiers(_) | Self::Reload(_) | Self::Special { .. } => self,
        }
    }

    /// How long after a change of contents routers see it.
    pub(super) fn seen_after(&self) -> Span {
        match self {
            Self::SeenLate { delay, .. } => *delay,
            Self::None | Self::Tiers(_) | Self::Reload(_) | Self::Special { .. } => Span::ZERO,
        }
    }

    fn special(pool: &Pool, scenario: &Scenario) -> Self {
        let (kv, tier) = (&pool.kv, Self::plain(pool, scenario));
        let rule = match kv.eviction_order {
            EvictionOrder::Lru => EvictionRule::Lru,
            EvictionOrder::Vllm => EvictionRule::Vllm,
            EvictionOrder::Sglang => EvictionRule::Sglang,
            EvictionOrder::Trtllm => EvictionRule::Trtllm,
            EvictionOrder::Belady => EvictionRule::Belady,
        };
        let is_ordered = kv.prefix_caching && (rule != EvictionRule::Lru || lives(scenario));
        let order = is_ordered.then_some(OrderSettings { rule, max_protected: kv.max_protected_share });
        let known = kv.cpu_eviction == CpuEviction::Belady && matches!(tier, Self::Tiers(_));
        if order.is_none() && !known { tier } else { Self::Special { tier: Box::new(tier), order, known } }
    }

    /// A pool with this below it.
    pub(super) fn below(&self, kv: BlockPool) -> BlockPool {
        match self {
            Self::None => kv,
            Self::Tiers(settings) => kv.with_tiers(settings),
            Self::Reload(settings) => kv.with_reload(*settings),
            Self::Special { tier, order, known } => {
                let mut kv = tier.below(kv);
                if let Some(order) = order {
                    kv = kv.with_order(*order);
                }
                if *known { kv.with_known_uses() } else { kv }
            }
            Self::SeenLate { tier, delay } => {
                let mut kv = tier.below(kv);
                kv.see_late(*delay, Micros::ZERO);
                kv
            }
        }
    }

    fn plain(pool: &Pool, scenario: &Scenario) -> Self {
        let kv = &pool.kv;
        let (capacity, tokens_per_us, base) =
            (kv.cpu_blocks, kv.transfer_tokens_per_us, Span(kv.transfer_base_us));
        if capacity > 0 && kv.uses_tier_of_blis(scenario.cluster.compat) {
            let threshold = kv.offload_threshold;
            return Self::Reload(ReloadSettings { capacity, threshold, tokens_per_us, base });
        }
        if !kv.prefix_caching || capacity == 0 && kv.secondary_tiers.is_empty() {
            return Self::None;
        }
        let (ttl, at) = (micros(kv.cpu_ttl_s * 1e6), written(kv.cpu_write));
        let cpu = StoreSettings { capacity, written: at, tokens_per_us, base, ttl };
        // What lies below CPU memory of a home is written by who prefilled.
        let writes = pool.role != Role::Decode || kv.write_decode;
        let below = kv.secondary_tiers.iter().map(|tier| match tier {
            _ if !writes => Written::Never,
            SecondaryTier::Fs(fs) => written(fs.write),
            SecondaryTier::Store(store) => written(store.write),
            SecondaryTier::P2p(_) => Written::Never,
        });
        let prompt_only = kv.offload_prompt_only;
        let limited = scenario.workload.requests.iter().any(|r| r.max_offload_tokens.is_some())
            || scenario.workload.clients.iter().any(|c| c.max_offload_tokens.is_some());
        Self::Tiers(TierSettings {
            cpu: (capacity > 0).then_some(cpu),
            below: below.collect(),
            prompt_only,
            restricted: prompt_only || limited,
        })
    }
}

/// Whether anything becomes of sessions' KV in pauses.
pub(super) fn lives(scenario: &Scenario) -> bool {
    let workload = &scenario.workload;
    workload.session_kv.is_some()
        || workload.clients.iter().any(|client| client.session_kv.is_some())
        || workload.trace.as_ref().is_some_and(|trace| trace.session_kv.is_some())
}

fn micros(us: f64) -> Span {
    base::math::round_to_span(us)
}

fn bytes_per_s(gb_per_s: f64) -> u64 {
    micros(gb_per_s * 1e9).0
}

/// How many blocks fit into a capacity in GB, at most as many as a tier may have; 0 GB have no other limit.
fn capacity(gb: f64, block_bytes: u64) -> u64 {
    let most = u64::from(limits::KV_BLOCKS);
    if gb > 0.0 { most.min((gb * 1e9 / block_bytes.max(1) as f64) as u64).max(1) } else { most }
}

/// Bytes of a block of a pool, on all GPUs of a replica.
fn block_bytes(pool: &Pool, resolved: &Resolved, scenario: &Scenario) -> u64 {
    let given = scenario.cluster.disaggregation.as_ref().map(|d| d.transfer.kv_bytes_per_token);
    let given = match given {
        Some(KvBytes::Count(n)) => Some(u64::from(n)),
        Some(KvBytes::Auto) | None => None,
    };
    u64::from(pool.kv.block_tokens) * given.or(resolved.kv_bytes_per_token).unwrap_or(1)
}

/// A disk with threads that each carry a block at a time: no faster than all of them together.
fn disk(fs: &FsTier, bytes: u64) -> StoreFigures {
    let rate = |gb_per_s: f64, threads: u32| {
        let by_threads = u128::from(threads) * u128::from(bytes) * 1_000_000;
        let most = by_threads.checked_div(fs.latency_us.into()).unwrap_or(u128::MAX);
        bytes_per_s(gb_per_s).min(u64::try_from(most).unwrap_or(u64::MAX))
    };
    let eviction = match fs.eviction {
        FsEviction::None => PlaceEviction::Refuse,
        FsEviction::Lru => PlaceEviction::Oldest,
    };
    let capacity = capacity(fs.gb, bytes);
    StoreFigures {
        place: PlaceSettings { capacity, eviction, lease: Span::ZERO, ttl: Span::ZERO },
        read_bytes_per_s: rate(fs.read_gb_per_s, fs.n_read_threads),
        write_bytes_per_s: rate(fs.write_gb_per_s, fs.n_write_threads),
        base: Span(fs.latency_us),
        keeps_contents: true,
        soft_pins: false,
    }
}

fn store(store: &KvStore, bytes: u64) -> StoreFigures {
    let eviction = match store.eviction {
        StoreEviction::None => PlaceEviction::Refuse,
        StoreEviction::Lru => PlaceEviction::Oldest,
        StoreEviction::Watermark(Watermark { high, share }) => PlaceEviction::Watermark { high, share },
    };
    let servers = f64::from(store.servers);
    let place = PlaceSettings {
        capacity: capacity(servers * store.gb, bytes),
        eviction,
        lease: micros(store.lease_ms * 1e3),
        ttl: micros(store.ttl_s * 1e6),
    };
    let port = bytes_per_s(servers * store.port_gb_per_s);
    StoreFigures {
        place,
        read_bytes_per_s: port,
        write_bytes_per_s: port,
        base: Span(store.base_us),
        keeps_contents: store.keeps_contents,
        soft_pins: store.soft_pins,
    }
}

/// The tiers below CPU memory of a pool's replicas.
fn lower_plan(pool: &Pool, resolved: &Resolved, scenario: &Scenario) -> LowerPlan {
    let bytes = block_bytes(pool, resolved, scenario);
    let figures = |tier: &SecondaryTier| match tier {
        SecondaryTier::Fs(fs) => LowerFigures::Disk(disk(fs, bytes)),
        SecondaryTier::Store(store) => LowerFigures::Store(store.name.clone()),
        SecondaryTier::P2p(p2p) => LowerFigures::Peers(Span(p2p.base_us)),
    };
    let tiers = if pool.kv.prefix_caching {
        pool.kv.secondary_tiers.iter().map(figures).collect()
    } else {
        Vec::new()
    };
    let transfer = scenario.cluster.disaggregation.clone().unwrap_or_default().transfer;
    let ports = bytes_per_s(transfer.port_gb_per_s).saturating_mul(crate::perf::gpus(pool).into());
    let pools = &scenario.cluster.pools;
    let of = |p: &Pool| (model_key(&p.model), p.kv.block_tokens, p.architecture.clone());
    let kind = pools.iter().position(|other| of(other) == of(pool)).unwrap_or_default() as u32;
    let port_bytes_per_s = resolved.port_bytes_per_s.unwrap_or(ports);
    LowerPlan { tiers, port_bytes_per_s, block_bytes: bytes, kind }
}

/// The tiers below CPU memory of a plan, without any replica yet. None if no pool has any.
pub(super) fn lower_tiers(plan: &Plan) -> Option<Box<LowerTiers>> {
    let any = plan.scenario().cluster.pools.iter().any(|pool| !pool.kv.secondary_tiers.is_empty());
    any.then(|| {
        let mut lower = LowerTiers::new(&stores(plan), shared_ports(plan));
        lower.sources.lead_tokens = lead_tokens(plan);
        lower.sources.draws = plan.draws().to_vec();
        Box::new(lower)
    })
}

/// How many more tokens a replica must have for blocks to be pulled from it; none if none are.
pub(super) fn lead_tokens(plan: &Plan) -> Option<u32> {
    let c = &plan.scenario().cluster;
    let has_peers = |pool: &Pool| pool.kv.secondary_tiers.iter().any(|t| matches!(t, SecondaryTier::P2p(_)));
    c.kv_source.filter(|_| c.pools.iter().any(has_peers)).map(|source| source.min_cached_token_delta)
}

/// Whether ports are shared by what uses them at once.
pub(super) fn shared_ports(plan: &Plan) -> bool {
    plan.scenario().cluster.disaggregation.clone().unwrap_or_default().transfer.shared_ports
}

/// The stores of a plan by name.
pub(super) fn stores(plan: &Plan) -> Vec<(String, StoreFigures)> {
    let scenario = plan.scenario();
    let names = |pool: &Pool, name: &str| {
        pool.kv.secondary_tiers.iter().any(|tier| matches!(tier, SecondaryTier::Store(s) if s.name == name))
    };
    let mut stores = Vec::new();
    for (number, of) in scenario.cluster.kv_stores.iter().enumerate() {
        let user = scenario.cluster.pools.iter().zip(plan.resolved()).find(|(pool, _)| names(pool, &of.name));
        let bytes = user.map_or(1, |(pool, resolved)| block_bytes(pool, resolved, scenario));
        let mut figures = store(of, bytes);
        if let Some([read, write]) = plan.store_ports(number) {
            (figures.read_bytes_per_s, figures.write_bytes_per_s) = (read, write);
        }
        stores.push((of.name.clone(), figures));
    }
    stores
}

/// When a tier is written.
fn written(rule: TierWrite) -> Written {
    match rule {
        TierWrite::WriteThrough => Written::WhenFull,
        TierWrite::Release => Written::WhenReleased,
        TierWrite::WriteBack => Written::WhenEvicted,
        TierWrite::Selective(s) => Written::WhenHit(s.hits),
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
    pub(crate) lower: LowerPlan,
    /// Counts the edits that changed what its replicas are made of.
    pub(crate) revision: u32,
    /// Whether those of an older revision are replaced all at once.
    pub(crate) at_once: bool,
}

impl Blueprint {
    /// What the replicas of a pool of `scenario` are made of.
    pub(crate) fn new(pool: &Pool, resolved: &Resolved, scenario: &Scenario, source: &Source) -> Self {
        let (engine, kv, compat) = (&pool.engine, &pool.kv, scenario.cluster.compat);
        let home_hits = scenario.cluster.disaggregation.as_ref().map(|d| d.home_hits);
        Self {
            limits: Limits {
                reads_at_home: home_hits == Some(HomeHits::GpuCpu),
                ..Limits::new(pool, resolved, compat)
            },
            priority: PriorityState::new(&engine.priority, source.tenants(), source.classes()),
            scheduler: SchedulerState::new(engine.scheduler),
            resolved: resolved.clone(),
            speculation: engine.speculative.as_ref().map(|s| Speculation::new(s, scenario.seed)),
            pipe: Pipe::new(resolved.stages, resolved.hop_us),
            gpus: crate::perf::gpus(pool),
            block_tokens: kv.block_tokens,
            caching: kv.prefix_caching,
            tier: Tier::new(pool, scenario),
            lower: lower_plan(pool, resolved, scenario),
            revision: 0,
            at_once: false,
        }
    }
}
