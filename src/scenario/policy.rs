//! The policy half of the cluster: who is let in, and where a request goes.

#[cfg(feature = "cli")]
use super::limits;
use super::{Filter, Picker};
use serde::{Deserialize, Serialize};

/// Who is let in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AdmissionPolicy {
    /// Everybody.
    #[default]
    AlwaysAdmit,
    /// Nobody: to see what the gateway alone does.
    RejectAll,
    /// A bucket of tokens that fills at a steady rate; a request takes as many as its prompt has.
    TokenBucket(TokenBucket),
    /// So many requests per second, with bursts up to a limit.
    RateLimit(RateLimit),
    /// So many requests of one tenant at a time.
    TenantQuota(TenantQuota),
    /// So many requests in the whole cluster at a time.
    ConcurrencyLimit(ConcurrencyLimit),
}

/// What happens to a request that is over a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OverLimit {
    /// It is refused.
    #[default]
    Reject,
    /// It is held back at the gateway until it fits, first come, first served.
    Delay,
}

/// A bucket of tokens, full at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TokenBucket {
    /// Most tokens in the bucket. A longer prompt is never let in.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::BUCKET_MIN, max = limits::BUCKET_TOKENS)))]
    pub capacity_tokens: f64,
    /// Tokens that flow in each second.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::BUCKET_MIN, max = limits::BUCKET_TOKENS)))]
    pub refill_tokens_per_s: f64,
    /// Whether each tenant has a bucket of its own.
    pub per_tenant: bool,
    /// What happens to a request for which there are not enough tokens.
    pub then: OverLimit,
}

impl Default for TokenBucket {
    fn default() -> Self {
        Self {
            capacity_tokens: 10_000.0,
            refill_tokens_per_s: 5_000.0,
            per_tenant: false,
            then: OverLimit::Reject,
        }
    }
}

/// A limit on requests per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RateLimit {
    /// Requests per second in the long run.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::BUCKET_MIN, max = limits::RATE_PER_S)))]
    pub requests_per_s: f64,
    /// Most requests at once after a quiet time.
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::IN_FLIGHT)))]
    pub burst: u32,
    /// Whether each tenant has a limit of its own.
    pub per_tenant: bool,
    /// What happens to a request over the limit.
    pub then: OverLimit,
}

impl Default for RateLimit {
    fn default() -> Self {
        Self { requests_per_s: 8.0, burst: 16, per_tenant: false, then: OverLimit::Reject }
    }
}

/// A limit on the requests of one tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TenantQuota {
    /// Most requests of one tenant that are let in and not finished.
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::IN_FLIGHT)))]
    pub most_in_flight: u32,
    /// What happens to a request over the quota.
    pub then: OverLimit,
}

impl Default for TenantQuota {
    fn default() -> Self {
        Self { most_in_flight: 64, then: OverLimit::Reject }
    }
}

/// A limit on the requests in the whole cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ConcurrencyLimit {
    /// Most requests that are let in and not finished.
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::IN_FLIGHT)))]
    pub most_in_flight: u32,
    /// What happens to a request over the limit.
    pub then: OverLimit,
}

impl Default for ConcurrencyLimit {
    fn default() -> Self {
        Self { most_in_flight: 256, then: OverLimit::Delay }
    }
}

/// Which replica gets a request. Ties go to the lowest replica number unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
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
    /// The replica with the highest weighted sum of scores, as production routers do it.
    Weighted(Weighted),
}

/// Drawing a few replicas at random.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PowerOfD {
    /// How many different replicas are drawn. 1 is random; as many as there are is least-loaded.
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::REPLICAS)))]
    pub d: u32,
}

impl Default for PowerOfD {
    fn default() -> Self {
        Self { d: 2 }
    }
}

/// Cache or load, by the beginning of the prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PrefixAware {
    /// Weight of having the first block of the prompt, against that of being idle, 0 to 1.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = 1.0)))]
    pub cache_weight: f64,
    /// Share of `full_load` from which on the cache no longer counts, 0 to 1.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = 1.0)))]
    pub breaker: f64,
    /// The load (waiting + running + in flight) at which a replica counts as full.
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::IN_FLIGHT)))]
    pub full_load: u32,
}

impl Default for PrefixAware {
    fn default() -> Self {
        Self { cache_weight: 0.8, breaker: 0.9, full_load: 256 }
    }
}

/// Cache or load, by the share of the prompt that is cached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PrefixOverlap {
    /// Weight of the share of the prompt that is cached, against that of being idle, 0 to 1.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = 1.0)))]
    pub cache_weight: f64,
    /// Share of `full_load` from which on the cache no longer counts, 0 to 1.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = 1.0)))]
    pub breaker: f64,
    /// The load (waiting + running + in flight) at which a replica counts as full.
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::IN_FLIGHT)))]
    pub full_load: u32,
}

impl Default for PrefixOverlap {
    fn default() -> Self {
        Self { cache_weight: 0.7, breaker: 0.9, full_load: 256 }
    }
}

/// One replica for each session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SessionAffinity {
    /// How a session finds its replica.
    pub mode: SessionMode,
    /// Most sessions that are remembered; the longest unused is forgotten first. Only for `sticky`.
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::SESSIONS)))]
    pub most_sessions: u32,
}

impl Default for SessionAffinity {
    fn default() -> Self {
        Self { mode: SessionMode::Sticky, most_sessions: 100_000 }
    }
}

/// How a session finds its replica.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SessionMode {
    /// Its first request goes to the least loaded replica, the others follow. Requests without a session go to the least loaded.
    #[default]
    Sticky,
    /// By hashing: nothing is remembered, and a replica that leaves takes only its own sessions along.
    ConsistentHash,
}

/// What a request costs its replica, and how fast that is forgotten.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CostEscalation {
    /// Cost of each request.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COST)))]
    pub base: f64,
    /// Further cost for each request that waits there.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COST)))]
    pub queue: f64,
    /// Further cost when its cache is full; in proportion when it is not.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COST)))]
    pub kv: f64,
    /// Further cost for each US dollar that an hour of the replica costs. 0 leaves prices out, as RouteSim does.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COST)))]
    pub price: f64,
    /// How fast costs are forgotten: they fall by a factor e in 1 / this many seconds.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COST)))]
    pub decay_per_s: f64,
}

impl Default for CostEscalation {
    fn default() -> Self {
        Self { base: 1.0, queue: 0.5, kv: 2.0, price: 0.0, decay_per_s: 0.1 }
    }
}

/// A weighted sum of scores, each from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Weighted {
    /// Which scorers and weights.
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
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::KV_BLOCKS)))]
    pub prefix_index_blocks: u32,
    /// Prompt tokens in flight from which on `token-load` scores 0.
    #[serde(skip_serializing_if = "is_token_threshold")]
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::THRESHOLD)))]
    pub token_threshold: u32,
    /// Requests waiting from which on `load-aware` scores 0.
    #[serde(skip_serializing_if = "is_waiting_threshold")]
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::THRESHOLD)))]
    pub waiting_threshold: u32,
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
        let row = |(scorer, weight)| WeightedScorer { scorer, weight };
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
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

/// One scorer and its weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WeightedScorer {
    /// What is scored.
    pub scorer: Scorer,
    /// Its weight; only the proportions of the weights matter.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::WEIGHT_MIN, max = limits::WEIGHT)))]
    pub weight: f64,
}

/// What a replica is scored by. Every score lies between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
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
}

impl Scorer {
    /// Its name, as written in scenarios.
    pub fn name(self) -> &'static str {
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
        }
    }
}

/// Who gets a request among replicas with equal scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// The one with the lowest number.
    #[default]
    Lowest,
    /// Any of them, equally likely.
    Random,
}
