//! Flow control at the gateway: bands of priority in which requests wait while the replicas are saturated.

use crate::limits;
use crate::table::fields::fields;
use serde::{Deserialize, Serialize};

/// Queues at the gateway, as in llm-d's router: requests wait in bands of priority while the replicas are saturated, and engines keep short queues.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowControl {
    /// What counts as saturated. Requests wait while the saturation is at or above the ceiling of their band.
    pub detector: Detector,
    /// The saturation up to which each band sends requests on.
    pub ceilings: Ceilings,
    /// Priority of each SLO class: requests of equal priority wait in one band. Higher bands go first; a negative priority can be shed and evicted.
    pub priorities: ClassPriorities,
    /// What separates the flows of a band, among which the fairness policy chooses.
    pub flow: FlowKey,
    /// Which flow of a band goes next.
    pub fairness: Fairness,
    /// Which request of a flow goes next.
    pub ordering: Ordering,
    /// Settings of single bands, in place of the general ones.
    pub bands: Vec<FlowBand>,
    /// Most requests that wait in all bands together; one more is refused. 0 means no limit.
    pub max_requests: u32,
    /// Most prompt tokens of requests that wait in all bands together. 0 means no limit.
    pub max_prompt_tokens: u64,
    /// Longest wait at the gateway while replicas serve, in seconds; then the request is refused. 0 means no limit.
    pub ttl_s: f64,
    /// Longest wait while no replica serves, in seconds. A change between the two begins a new wait. 0 means no limit.
    pub no_replica_ttl_s: f64,
    /// Time between two attempts to send a request on; each arrival is an attempt too. An attempt sends at most one request.
    pub tick_us: u64,
    /// Whether a running request of negative priority is stopped when a higher band has to wait: the lowest priority first, then the newest.
    pub eviction: bool,
}

fields! {
    struct FlowControl {
        detector: "Detector" => FlowControl;
        ceilings: "Ceilings" => FlowControl;
        priorities: "Priorities" => FlowControl;
        flow: "Flow" => FlowControl;
        fairness: "Fairness" => FlowControl;
        ordering: "Ordering" => FlowControl;
        bands: "Bands" up_to [limits::FLOW_BANDS, "bands", "band"] => FlowControl;
        max_requests: "Most waiting" of "req" in [0, limits::IN_FLIGHT] or "0 means no limit" => FlowControl;
        max_prompt_tokens: "Most tokens" of "tokens" in [0, limits::FLOW_TOKENS] or "0 means no limit" => FlowControl;
        ttl_s: "Longest wait" of "s" in [0.0, limits::SCALING_S] or "0 means no limit" => FlowControl;
        no_replica_ttl_s: "Without replicas" of "s" in [0.0, limits::SCALING_S] or "0 means no limit" => FlowControl;
        tick_us: "Tick" of "µs" in [limits::FLOW_TICK_US_MIN, limits::FLOW_TICK_US]
            or "llm-d's router has 1,000" and { "x-form": ["ms", 1000] } => FlowControl;
        eviction: "Eviction" => FlowControl;
    }
}

impl Default for FlowControl {
    fn default() -> Self {
        Self {
            detector: Detector::default(),
            ceilings: Ceilings::default(),
            priorities: ClassPriorities::default(),
            flow: FlowKey::default(),
            fairness: Fairness::default(),
            ordering: Ordering::default(),
            bands: Vec::new(),
            max_requests: 0,
            max_prompt_tokens: 0,
            ttl_s: 60.0,
            no_replica_ttl_s: 60.0,
            tick_us: 1000,
            eviction: false,
        }
    }
}

impl FlowControl {
    /// The settings of the band of a priority.
    pub fn band(&self, priority: i32) -> FlowBand {
        self.bands.iter().find(|band| band.priority == priority).cloned().unwrap_or_else(|| FlowBand {
            priority,
            max_requests: 0,
            max_prompt_tokens: 0,
            fairness: self.fairness.clone(),
            ordering: self.ordering,
        })
    }
}

/// How full the replicas are, as one number: 1 is saturated. Replicas that take no requests do not count; without any it is 1.
#[apply(choice_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Detector {
    /// Mean over the replicas of the larger of waiting requests / `queue_threshold` and KV use / `kv_threshold`, as last seen.
    Utilization(UtilizationDetector),
    /// Requests or tokens in flight over what the replicas may have, by the gateway's own count, which is always current.
    Concurrency(ConcurrencyDetector),
    /// Nothing is ever saturated: requests go on in the order of their bands, one for each attempt.
    Never,
}

fields! {
    choice Detector [Never "never"] { Utilization "utilization" Concurrency "concurrency" }
}

impl Default for Detector {
    fn default() -> Self {
        Self::Utilization(UtilizationDetector::default())
    }
}

/// Saturation by what replicas report of themselves.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UtilizationDetector {
    /// Waiting requests at which a replica is saturated.
    pub queue_threshold: f64,
    /// Share of KV blocks in use at which a replica is saturated, above 0 to 1.
    pub kv_threshold: f64,
    /// Largest age of what the detector sees of a replica; an attempt after that looks again. 0 means that it always sees the present.
    pub refresh_us: u64,
    /// Age from which a replica counts as saturated, whatever was seen of it.
    pub stale_us: u64,
}

fields! {
    struct UtilizationDetector {
        queue_threshold: "Queue" of "req" in [limits::FLOW_THRESHOLD_MIN, limits::FLOW_THRESHOLD] or "5 is llm-d's default" => FlowControl;
        kv_threshold: "KV use" in [limits::FLOW_THRESHOLD_MIN, 1.0] or "0.8 is llm-d's default" => FlowControl;
        refresh_us: "Refresh" of "µs" in [0, limits::LATENCY_US]
            or "it is in microseconds; 50,000 is llm-d's default" and { "x-form": ["ms", 1000] } => FlowControl;
        stale_us: "Stale after" of "µs" in [1, limits::LATENCY_US]
            or "it is in microseconds; 200,000 is llm-d's default" and { "x-form": ["ms", 1000] } => FlowControl;
    }
}

impl Default for UtilizationDetector {
    fn default() -> Self {
        Self { queue_threshold: 5.0, kv_threshold: 0.8, refresh_us: 50_000, stale_us: 200_000 }
    }
}

/// Saturation by what the gateway itself has sent.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConcurrencyDetector {
    /// What is counted.
    pub mode: ConcurrencyMode,
    /// Requests in flight that a replica may have. For the modes `requests` and `hybrid`.
    pub max_requests: u32,
    /// Uncached prompt tokens of requests without a first token that a replica may have. For the modes `tokens` and `hybrid`.
    pub max_tokens: u64,
}

fields! {
    struct ConcurrencyDetector {
        mode: "Mode" => FlowControl;
        max_requests: "Requests" of "req" in [1, limits::IN_FLIGHT] or "100 is llm-d's default" => FlowControl;
        max_tokens: "Tokens" of "tokens" in [1, limits::FLOW_TOKENS] or "1,000,000 is llm-d's default" => FlowControl;
    }
}

impl Default for ConcurrencyDetector {
    fn default() -> Self {
        Self { mode: ConcurrencyMode::Requests, max_requests: 100, max_tokens: 1_000_000 }
    }
}

/// What the concurrency detector counts.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConcurrencyMode {
    /// Requests in flight of all replicas over the sum of their limits.
    #[default]
    Requests,
    /// Uncached prompt tokens of requests without a first token, over the sum of the limits.
    Tokens,
    /// Mean over the replicas of the larger of the two shares.
    Hybrid,
}

fields! {
    names ConcurrencyMode { Requests "requests" Tokens "tokens" Hybrid "hybrid" }
}

/// The saturation up to which each band sends requests on. The highest band with a request that may not go on stops all bands below it.
#[apply(choice_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ceilings {
    /// The same for all bands.
    Static(StaticCeiling),
    /// Falls from the highest band to the lowest, so that room is kept for urgent requests.
    PriorityHoldback(PriorityHoldback),
    /// Band i of N counted from 0 at the highest: while the saturation is at or above 1 − i · saturation / (N − 1), it sends at only one attempt in saturation / (1 − saturation).
    SoftReflective,
}

fields! {
    choice Ceilings [SoftReflective "soft-reflective"] { Static "static" PriorityHoldback "priority-holdback" }
}

impl Default for Ceilings {
    fn default() -> Self {
        Self::Static(StaticCeiling::default())
    }
}

/// One ceiling for all bands.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StaticCeiling {
    /// Saturation at and above which requests wait.
    pub ceiling: f64,
}

fields! {
    struct StaticCeiling {
        ceiling: "Ceiling" in [limits::FLOW_THRESHOLD_MIN, limits::FLOW_THRESHOLD] or "1 is saturated" => FlowControl;
    }
}

impl Default for StaticCeiling {
    fn default() -> Self {
        Self { ceiling: 1.0 }
    }
}

/// Ceilings that fall with the priority.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriorityHoldback {
    /// Ceiling of the highest band.
    pub max: f64,
    /// Ceiling of the lowest band, at most `max`.
    pub min: f64,
    /// What the ceilings between them follow.
    pub by: HoldbackBy,
}

fields! {
    struct PriorityHoldback {
        max: "Highest band" in [limits::FLOW_THRESHOLD_MIN, limits::FLOW_THRESHOLD] or "1 is saturated" => FlowControl;
        min: "Lowest band" in [limits::FLOW_THRESHOLD_MIN, limits::FLOW_THRESHOLD] or "0.5 keeps half of the room" => FlowControl;
        by: "Steps by" => FlowControl;
    }
}

impl Default for PriorityHoldback {
    fn default() -> Self {
        Self { max: 1.0, min: 0.5, by: HoldbackBy::Rank }
    }
}

/// What ceilings between the highest and the lowest follow.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HoldbackBy {
    /// The place of the band among all bands: equal steps.
    #[default]
    Rank,
    /// The priority itself: steps in proportion to the differences.
    Value,
}

fields! {
    names HoldbackBy { Rank "rank" Value "value" }
}

/// Priority of each SLO class at the gateway.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassPriorities {
    /// Priority of class critical.
    pub critical: i32,
    /// Priority of class standard, and of requests without a class.
    pub standard: i32,
    /// Priority of class sheddable.
    pub sheddable: i32,
    /// Priority of class batch.
    pub batch: i32,
    /// Priority of class background.
    pub background: i32,
}

fields! {
    struct ClassPriorities {
        critical: "Critical band" => FlowControl;
        standard: "Standard band" => FlowControl;
        sheddable: "Sheddable band" => FlowControl;
        batch: "Batch band" => FlowControl;
        background: "Background band" => FlowControl;
    }
}

impl Default for ClassPriorities {
    fn default() -> Self {
        Self { critical: 100, standard: 0, sheddable: -10, batch: -50, background: -100 }
    }
}

impl ClassPriorities {
    /// The priority by the number of a class: 1 for critical to 5 for background, any other as standard.
    pub fn of(&self, class: u32) -> i32 {
        match class {
            1 => self.critical,
            3 => self.sheddable,
            4 => self.batch,
            5 => self.background,
            _ => self.standard,
        }
    }
}

/// What separates the flows of a band.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlowKey {
    /// The tenant.
    #[default]
    Tenant,
    /// The client.
    Client,
    /// The session; requests without one are a flow together.
    Session,
}

fields! {
    names FlowKey { Tenant "tenant" Client "client" Session "session" }
}

/// Which flow of a band goes next.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fairness {
    /// The flow whose next request is first by the ordering: flows make no difference.
    #[default]
    GlobalStrict,
    /// Each flow in turn.
    RoundRobin,
    /// The flow with the least attained service, weighed against the wait of its next request: llm-d's program-aware-fairness.
    ProgramAware(ProgramAware),
}

fields! {
    choice Fairness [GlobalStrict "global-strict" RoundRobin "round-robin"] { ProgramAware "program-aware" }
}

/// Least attained service. Service is prompt tokens + `output_weight` · output tokens of completed requests.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramAware {
    /// Weight of little attained service.
    pub service_weight: f64,
    /// Weight of a long wait of the flow's next request.
    pub wait_weight: f64,
    /// Time in which the service of a flow with nothing to do falls by half, in seconds. 0 means that it stays.
    pub half_life_s: f64,
    /// Weight of an output token against a prompt token.
    pub output_weight: f64,
}

fields! {
    struct ProgramAware {
        service_weight: "Service" in [0.0, limits::WEIGHT] or "0.8 is llm-d's default" => FlowControl;
        wait_weight: "Wait" in [0.0, limits::WEIGHT] or "0.2 is llm-d's default" => FlowControl;
        half_life_s: "Half-life" of "s" in [0.0, limits::SCALING_S] or "0 means that service stays" => FlowControl;
        output_weight: "Output token" in [0.0, limits::WEIGHT] or "2 is llm-d's default" => FlowControl;
    }
}

impl Default for ProgramAware {
    fn default() -> Self {
        Self { service_weight: 0.8, wait_weight: 0.2, half_life_s: 60.0, output_weight: 2.0 }
    }
}

/// Which request of a flow goes next. Among equals the one that came first.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ordering {
    /// First come, first served.
    #[default]
    Fcfs,
    /// The earliest end of its wait: when it came plus `ttl_s`, or the client's timeout if that is earlier.
    Edf,
    /// The earliest deadline of its objective: arrival plus the TTFT objective of its class. Requests without one go last.
    SloDeadline,
}

fields! {
    names Ordering { Fcfs "fcfs" Edf "edf" SloDeadline "slo-deadline" }
}

/// Settings of one band.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowBand {
    /// The band: the priority of its requests.
    pub priority: i32,
    /// Most requests that wait in the band; one more is refused. 0 means no limit.
    pub max_requests: u32,
    /// Most prompt tokens of requests that wait in the band. 0 means no limit.
    pub max_prompt_tokens: u64,
    /// Which flow of the band goes next.
    pub fairness: Fairness,
    /// Which request of a flow goes next.
    pub ordering: Ordering,
}

fields! {
    struct FlowBand {
        priority: "Priority" first 0 => FlowControl;
        max_requests: "Most waiting" of "req" in [0, limits::IN_FLIGHT] or "0 means no limit" => FlowControl;
        max_prompt_tokens: "Most tokens" of "tokens" in [0, limits::FLOW_TOKENS] or "0 means no limit" => FlowControl;
        fairness: "Fairness" => FlowControl;
        ordering: "Ordering" => FlowControl;
    }
}
