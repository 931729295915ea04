//! Where a request goes: the routing policies and their settings.

use super::fields::{fields, without_fields};
use super::limits;
use super::{CacheAware, Expression, Filter, KvCost, Picker};
use serde::{Deserialize, Serialize};

/// Which replica gets a request. Ties go to the lowest replica number unless said otherwise.
#[apply(schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoutingPolicy {
    /// In turn, whatever their load.
    RoundRobin,
    /// At random, every replica equally likely.
    Random,
    /// The replica with the smallest load: waiting + running + in flight, as the router sees them.
    #[default]
    LeastLoaded,
    /// The least loaded of a few replicas drawn at random.
    PowerOfD(PowerOfD),
    /// The replica with the largest load: the worst that can be done, to compare with.
    AlwaysBusiest,
    /// The replica with the smallest share of KV blocks in use.
    LeastKv,
    /// A replica that has the beginning of the prompt in its cache, unless it is busy.
    PrefixAware(PrefixAware),
    /// The replica that has most of the prompt in its cache, weighed against its load.
    PrefixOverlap(PrefixOverlap),
    /// All requests of a session go to the same replica.
    SessionAffinity(SessionAffinity),
    /// The replica that has become least expensive: each request makes its replica dearer, and time cheaper.
    CostEscalation(CostEscalation),
    /// The replica with the lowest cost: what there is to prefill there, less what its cache has of the prompt, and KV blocks in use. The KV router of NVIDIA Dynamo.
    KvCost(KvCost),
    /// The replica that was sent most of the prompt before; the one with the fewest requests without a match, and once loads are out of balance. The router of SGLang.
    CacheAware(CacheAware),
    /// The replica with the highest weighted sum of scores, as production routers do it.
    Weighted(Weighted),
}

fields! {
    choice RoutingPolicy [RoundRobin Random LeastLoaded AlwaysBusiest LeastKv] {
        PowerOfD "power-of-d" PrefixAware "prefix-aware" PrefixOverlap "prefix-overlap"
        SessionAffinity "session-affinity" CostEscalation "cost-escalation" KvCost "kv-cost"
        CacheAware "cache-aware" Weighted "weighted"
    }
}

/// Drawing a few replicas at random.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PowerOfD {
    /// How many different replicas are drawn. 1 is random; as many as there are is least-loaded.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PrefixAware {
    /// Weight of having the first block of the prompt, against that of being idle, 0 to 1.
    pub cache_weight: f64,
    /// Share of `full_load` from which on the cache no longer counts, 0 to 1.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PrefixOverlap {
    /// Weight of the share of the prompt that is cached, against that of being idle, 0 to 1.
    pub cache_weight: f64,
    /// Share of `full_load` from which on the cache no longer counts, 0 to 1.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionAffinity {
    /// How a session finds its replica.
    pub mode: SessionMode,
    /// Most sessions that are remembered; the longest unused is forgotten first. Only for `sticky`.
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
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionMode {
    /// Its first request goes to the least loaded replica, the others follow. Requests without a session go to the least loaded.
    #[default]
    Sticky,
    /// By hashing: nothing is remembered, and a replica that leaves takes only its own sessions along.
    ConsistentHash,
}

without_fields! { SessionMode }

/// What a request costs its replica, and how fast that is forgotten.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CostEscalation {
    /// Cost of each request.
    pub base: f64,
    /// Further cost for each request that waits there.
    pub queue: f64,
    /// Further cost when its cache is full; in proportion when it is not.
    pub kv: f64,
    /// Further cost for each US dollar that an hour of the replica costs. 0 leaves prices out, as RouteSim does.
    pub price: f64,
    /// How fast costs are forgotten: they fall by a factor e in 1 / this many seconds.
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

/// A weighted sum of scores, each from 0 to 1.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weighted {
    /// Which scorers and weights. Where `scorers` are listed and nothing is said here, it is `custom`.
    pub profile: Profile,
    /// The scorers of the profile `custom`, in the order in which they are summed up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scorers: Vec<WeightedScorer>,
    /// Who is left out before anything is scored, in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<Filter>,
    /// Who gets a request once all are scored.
    #[serde(skip_serializing_if = "Picker::is_max")]
    pub picker: Picker,
    /// Who gets a request among replicas with equal sums. Only for the picker `max`.
    pub ties: Ties,
    /// How many blocks the router remembers of each replica for `prefix-affinity`.
    pub prefix_index_blocks: u32,
    /// Prompt tokens in flight from which on `token-load` scores 0.
    #[serde(skip_serializing_if = "is_token_threshold")]
    pub token_threshold: u32,
    /// Requests waiting from which on `load-aware` scores 0.
    #[serde(skip_serializing_if = "is_waiting_threshold")]
    pub waiting_threshold: u32,
}

fields! {
    struct Weighted {
        profile: "Profile" and { "x-with": { "custom": { "scorers": Weighted::default().scorers() } } } => Routing;
        scorers: "Scorers" up_to [limits::SCORERS, "scorers", "scorer"] and { "default": [] } => Routing;
        filters: "Filters" up_to [limits::FILTERS, "filters", "filter"] and { "default": [] } => Routing;
        picker: "Picker" and { "default": Picker::Max } => Routing;
        ties: "Ties" => Routing;
        prefix_index_blocks: "Prefix index" of "blocks" in [1, limits::KV_BLOCKS]
            or "10,000 blocks of 16 tokens are 160,000 tokens" => Routing;
        token_threshold: "Token threshold" of "tokens" in [1, limits::THRESHOLD]
            or "leave it out for llm-d's default"
            and { "default": TOKEN_THRESHOLD } => Routing;
        waiting_threshold: "Waiting threshold" of "req" in [1, limits::THRESHOLD]
            or "leave it out for llm-d's default"
            and { "default": WAITING_THRESHOLD } => Routing;
    }
}

/// The defaults of llm-d.
const TOKEN_THRESHOLD: u32 = 4_194_304;
const WAITING_THRESHOLD: u32 = 128;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_token_threshold(x: &u32) -> bool {
    *x == TOKEN_THRESHOLD
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_waiting_threshold(x: &u32) -> bool {
    *x == WAITING_THRESHOLD
}

impl Default for Weighted {
    fn default() -> Self {
        Self {
            profile: Profile::BlisDefault,
            scorers: Vec::new(),
            filters: Vec::new(),
            picker: Picker::Max,
            ties: Ties::Lowest,
            prefix_index_blocks: 10_000,
            token_threshold: TOKEN_THRESHOLD,
            waiting_threshold: WAITING_THRESHOLD,
        }
    }
}

impl Weighted {
    /// The scorers in force.
    pub fn scorers(&self) -> Vec<WeightedScorer> {
        let row = |(scorer, weight): (Scorer, f64)| WeightedScorer { scorer, weight };
        match self.profile {
            Profile::BlisDefault => {
                let rows =
                    [(Scorer::PrefixAffinity, 3.0), (Scorer::QueueDepth, 2.0), (Scorer::KvUtilization, 2.0)];
                rows.map(row).to_vec()
            }
            Profile::LlmDDefault => {
                let queue = Scorer::WaitingRequests;
                let rows = [(Scorer::PrefixAffinity, 3.0), (queue, 2.0), (Scorer::KvUtilization, 2.0)];
                rows.map(row).to_vec()
            }
            Profile::Custom => self.scorers.clone(),
        }
    }

    /// How ties are settled.
    pub fn ties(&self) -> Ties {
        if self.profile == Profile::LlmDDefault { Ties::Random } else { self.ties }
    }
}

/// A set of scorers with their weights.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The default of BLIS: prefix-affinity 3, queue-depth 2, kv-utilization 2.
    #[default]
    BlisDefault,
    /// What llm-d's router does without a configuration: prefix-affinity 3, waiting-requests 2, kv-utilization 2; ties are settled at random.
    LlmDDefault,
    /// Those listed under `scorers`.
    Custom,
}

without_fields! { Profile }

/// One scorer and its weight.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedScorer {
    /// What is scored.
    pub scorer: Scorer,
    /// Its weight; only the proportions of the weights matter.
    pub weight: f64,
}

fields! {
    struct WeightedScorer {
        scorer: "Scorer" => Routing;
        weight: "Weight" in [limits::WEIGHT_MIN, limits::WEIGHT]
            or "remove a scorer that should not count" first 1.0 => Routing;
    }
}

/// What a replica is scored by. Every score lies between 0 and 1.
#[apply(schema!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scorer {
    /// Share of the prompt's full blocks that the router sent there lately, from the first one on.
    PrefixAffinity,
    /// Share of the prompt's full blocks that are in the replica's cache now, from the first one on.
    PrecisePrefix,
    /// 1 for the smallest load, 0 for the largest, in proportion between; 1 for all if they are equal.
    QueueDepth,
    /// Share of KV blocks that are not in use.
    KvUtilization,
    /// 1 / (1 + load).
    LoadBalance,
    /// 1 for a replica with nothing in flight, 0 for the one with most, in proportion between.
    ActiveRequests,
    /// 1 for the smallest batch, 0 for the largest, in proportion between; 1 for all if they are equal.
    RunningRequests,
    /// 1 for the fewest requests waiting, 0 for the most, in proportion between; 1 for all if they are equal. What runs does not count.
    WaitingRequests,
    /// For prompts that no replica knows: 1 for the replica that got such a prompt longest ago, 0 for the latest one. Otherwise 0.5 for all. Needs prefix-affinity or precise-prefix beside it.
    NoHitLru,
    /// Price of the replica per hour: 1 for the cheapest, 0 for the dearest, in proportion between; 1 for all if they are equal. A pool without a price counts as free.
    Cost,
    /// 1 − prompt tokens in flight / `token_threshold`, and 0 above: the token-load-scorer of llm-d.
    TokenLoad,
    /// Half of 1 − requests waiting / `waiting_threshold`, and 0 above: the load-aware-scorer of llm-d.
    LoadAware,
    /// 1 for the fewest prompt tokens in the wait queue, 0 for the most, in proportion between; 1 for all if they are equal.
    PromptTokensWaiting,
    /// Of the tokens to prefill of the requests that joined the batch lately (each new one counts 1/32), the share that was in the cache.
    CacheHitRate,
    /// 1 for the shortest recent mean of times to first token (each new one counts 1/32), 0 for the longest, in proportion between; 1 without any.
    RecentTtft,
    /// The same for the mean times per output token of requests that completed.
    RecentTpot,
    /// 1 for the replica that has had nothing to do for longest, 0 for those that have, in proportion between; 1 for all if they are equal.
    IdleTime,
    /// 1 for the smallest product of the TTFT that the router itself has seen there (rises at once, fades over 10 s) and requests in flight + 1, 0 for the largest.
    PeakEwma,
    /// A formula of your own, such as `1 / (1 + waiting)`, cut to 0 to 1.
    Expression(Expression),
}

without_fields! { Scorer }

impl Scorer {
    /// Every scorer that has a name: all but expressions.
    pub const NAMED: [Self; 18] = [
        Self::PrefixAffinity,
        Self::PrecisePrefix,
        Self::QueueDepth,
        Self::KvUtilization,
        Self::LoadBalance,
        Self::ActiveRequests,
        Self::RunningRequests,
        Self::WaitingRequests,
        Self::NoHitLru,
        Self::Cost,
        Self::TokenLoad,
        Self::LoadAware,
        Self::PromptTokensWaiting,
        Self::CacheHitRate,
        Self::RecentTtft,
        Self::RecentTpot,
        Self::IdleTime,
        Self::PeakEwma,
    ];

    /// Its name, as written in scenarios.
    pub fn name(&self) -> &'static str {
        match self {
            Self::PrefixAffinity => "prefix-affinity",
            Self::PrecisePrefix => "precise-prefix",
            Self::QueueDepth => "queue-depth",
            Self::KvUtilization => "kv-utilization",
            Self::LoadBalance => "load-balance",
            Self::ActiveRequests => "active-requests",
            Self::RunningRequests => "running-requests",
            Self::WaitingRequests => "waiting-requests",
            Self::NoHitLru => "no-hit-lru",
            Self::TokenLoad => "token-load",
            Self::LoadAware => "load-aware",
            Self::PromptTokensWaiting => "prompt-tokens-waiting",
            Self::CacheHitRate => "cache-hit-rate",
            Self::RecentTtft => "recent-ttft",
            Self::RecentTpot => "recent-tpot",
            Self::IdleTime => "idle-time",
            Self::PeakEwma => "peak-ewma",
            Self::Cost => "cost",
            Self::Expression(_) => "expression",
        }
    }
}

/// Who gets a request among replicas with equal scores.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// The one with the lowest number.
    #[default]
    Lowest,
    /// Any of them, equally likely.
    Random,
}

without_fields! { Ties }
