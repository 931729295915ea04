//! The routing policies and their settings.

pub(crate) mod cache_routing;
pub(crate) mod filters;
pub(crate) mod kv_cost;
pub(crate) mod predicted_latency;
pub(crate) mod prefix_affinity;
pub(crate) mod scorer;
pub(crate) mod weighted;

use crate::limits;
use crate::table::fields::fields;
use crate::{CacheAware, KvCost, Weighted};

/// Where a document has routing policies.
pub(crate) const ROUTERS: [&str; 2] = ["cluster.routing", "cluster.disaggregation.prefill_routing"];

/// Which replica gets a request. Ties go to the lowest replica number unless said otherwise.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RoutingPolicy {
    /// Each replica in turn, independent of load.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "No signals")))]
    RoundRobin,
    /// At random, every replica equally likely.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "No signals")))]
    Random,
    /// The replica with the smallest load: waiting + running + in flight, as the router sees them.
    #[default]
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Load")))]
    LeastLoaded,
    /// The least loaded of a few replicas drawn at random.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Load")))]
    PowerOfD(PowerOfD),
    /// The replica with the largest load: a deliberately bad policy, to compare with.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Load")))]
    AlwaysBusiest,
    /// The replica with the smallest share of KV blocks in use.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Load")))]
    LeastKv,
    /// A replica that has the beginning of the prompt in its cache, unless that replica is busy.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Cache and sessions")))]
    PrefixAware(PrefixAware),
    /// The replica with the largest cached share of the prompt, weighed against its load.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Cache and sessions")))]
    PrefixOverlap(PrefixOverlap),
    /// All requests of a session go to the same replica.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Cache and sessions")))]
    SessionAffinity(SessionAffinity),
    /// The replica with the lowest cost: each request raises the cost of its replica, and costs decay with time.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Load")))]
    CostEscalation(CostEscalation),
    /// NVIDIA Dynamo's KV router: the replica with the lowest cost, which is blocks to prefill, less those of the prompt that are cached, plus KV blocks in use.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Cache and sessions")))]
    KvCost(KvCost),
    /// SGLang's router: the replica with the longest matching prefix; without a good match, or when loads are out of balance, the replica with the fewest requests.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Cache and sessions")))]
    CacheAware(CacheAware),
    /// The replica with the highest weighted sum of scores, as in production routers.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Weighted scores")))]
    Weighted(Weighted),
}

fields! {
    choice RoutingPolicy [RoundRobin "round-robin" Random "random" LeastLoaded "least-loaded" AlwaysBusiest "always-busiest" LeastKv "least-kv"] {
        PowerOfD "power-of-d" PrefixAware "prefix-aware" PrefixOverlap "prefix-overlap"
        SessionAffinity "session-affinity" CostEscalation "cost-escalation" KvCost "kv-cost"
        CacheAware "cache-aware" Weighted "weighted"
    }
}

/// Drawing a few replicas at random.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerOfD {
    /// Number of different replicas drawn. 1 equals `random`; all of them equals `least-loaded`.
    pub d: u32,
}

fields! {
    struct PowerOfD {
        d: "Replicas drawn" of "replicas" in [1, limits::REPLICAS] or "2 gets most of the benefit" => Routing;
    }
}

impl Default for PowerOfD {
    fn default() -> Self {
        Self { d: 2 }
    }
}

/// Cache or load, by the beginning of the prompt.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct PrefixAware {
    /// Weight of a cached first block of the prompt, against the weight of an idle replica, 0 to 1.
    pub cache_weight: f64,
    /// Share of `full_load` above which the cache no longer counts, 0 to 1.
    pub breaker: f64,
    /// The load (waiting + running + in flight) at which a replica counts as full.
    pub full_load: u32,
}

fields! {
    struct PrefixAware {
        cache_weight: "Cache weight" in [0.0, 1.0] or "0 looks at load only, 1 at the cache only" => Routing;
        breaker: "Breaker" in [0.0, 1.0] or "1 never disregards the cache below full_load" => Routing;
        full_load: "Full load" of "req" in [1, limits::IN_FLIGHT] or "256 is a full default batch" => Routing;
    }
}

impl Default for PrefixAware {
    fn default() -> Self {
        Self { cache_weight: 0.8, breaker: 0.9, full_load: 256 }
    }
}

/// Cache or load, by the share of the prompt that is cached.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct PrefixOverlap {
    /// Weight of the cached share of the prompt, against the weight of an idle replica, 0 to 1.
    pub cache_weight: f64,
    /// Share of `full_load` above which the cache no longer counts, 0 to 1.
    pub breaker: f64,
    /// The load (waiting + running + in flight) at which a replica counts as full.
    pub full_load: u32,
}

fields! {
    struct PrefixOverlap {
        cache_weight: "Cache weight" in [0.0, 1.0] or "0 looks at load only, 1 at the cache only" => Routing;
        breaker: "Breaker" in [0.0, 1.0] or "1 never disregards the cache below full_load" => Routing;
        full_load: "Full load" of "req" in [1, limits::IN_FLIGHT] or "256 is a full default batch" => Routing;
    }
}

impl Default for PrefixOverlap {
    fn default() -> Self {
        Self { cache_weight: 0.7, breaker: 0.9, full_load: 256 }
    }
}

/// One replica for each session.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionAffinity {
    /// How a session finds its replica.
    pub mode: SessionMode,
    /// Most sessions remembered; the least recently used is forgotten first. Only for `sticky`.
    pub max_sessions: u32,
}

fields! {
    struct SessionAffinity {
        mode: "Mode" => Routing;
        max_sessions: "Most sessions" of "sessions" in [1, limits::SESSIONS]
            or "100,000 is plenty" => Routing;
    }
}

impl Default for SessionAffinity {
    fn default() -> Self {
        Self { mode: SessionMode::Sticky, max_sessions: 100_000 }
    }
}

/// How a session finds its replica.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionMode {
    /// The first request of a session goes to the least loaded replica, the others follow it. Requests without a session go to the least loaded replica.
    #[default]
    Sticky,
    /// By hashing: nothing is remembered, and a removed replica moves only its own sessions.
    ConsistentHash,
}

fields! {
    names SessionMode { Sticky "sticky" ConsistentHash "consistent-hash" }
}

/// Cost of a request for its replica, and how fast it decays.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct CostEscalation {
    /// Cost of each request.
    pub base: f64,
    /// Further cost for each waiting request.
    pub queue: f64,
    /// Further cost of a full cache, in proportion to the share in use.
    pub kv: f64,
    /// Further cost for each US dollar per hour of the replica's price. 0 ignores prices, as in RouteSim.
    pub price: f64,
    /// Decay rate of costs: they fall by a factor e in 1 / this many seconds.
    pub decay_per_s: f64,
}

fields! {
    struct CostEscalation {
        base: "Per request" in [0.0, limits::COST] or "use 0 to switch this part off" => Routing;
        queue: "Per waiting" in [0.0, limits::COST] or "use 0 to switch this part off" => Routing;
        kv: "Cache full" in [0.0, limits::COST] or "use 0 to switch this part off" => Routing;
        price: "Price" in [0.0, limits::COST] or "use 0 to switch this part off" => Routing;
        decay_per_s: "Decay" of "/s" in [0.0, limits::COST] or "use 0 to switch this part off" => Routing;
    }
}

impl Default for CostEscalation {
    fn default() -> Self {
        Self { base: 1.0, queue: 0.5, kv: 2.0, price: 0.0, decay_per_s: 0.1 }
    }
}
