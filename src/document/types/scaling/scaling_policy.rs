//! The scaling policies and their settings. Defaults are those of the programs that the policies come from.

use crate::limits;
use crate::table::fields::fields;
use crate::types::scaling::horizontal::Horizontal;
use crate::types::scaling::keda::Keda;
use crate::types::scaling::planners::{DynamoLoad, DynamoThroughput, QueueingModel};
use crate::types::scaling::router_metrics::{SloAware, TokenAware};

/// How the number of replicas of a pool is decided.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ScalingPolicy {
    /// No policy: only edits change the number of replicas.
    #[default]
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Simple rules")))]
    None,
    /// Adds one replica above a utilisation, removes one below another.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Simple rules")))]
    Threshold(Threshold),
    /// The number of replicas that brings the utilisation to its target.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Simple rules")))]
    TargetUtilization(TargetUtilization),
    /// Adds or removes one replica by the number of waiting requests per replica.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Simple rules")))]
    QueueDepth(QueueDepth),
    /// The horizontal autoscaler of Kubernetes, version 2.
    #[cfg_attr(feature = "schema", schemars(extend("x-label" = "HPA", "x-group" = "Kubernetes")))]
    Hpa(Horizontal),
    /// KEDA: from zero to one at the first signal and back after a quiet time; above that the horizontal autoscaler.
    #[cfg_attr(feature = "schema", schemars(extend("x-label" = "KEDA", "x-group" = "Kubernetes")))]
    Keda(Keda),
    /// The autoscaler of Knative: concurrent requests averaged over a long window, and over a short one in a burst.
    #[cfg_attr(feature = "schema", schemars(extend("x-label" = "KPA", "x-group" = "Kubernetes")))]
    Kpa(Kpa),
    /// llm-d's token-aware scaling: seconds of prompt tokens that wait, and KV cache in use. The larger need decides.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "llm-d")))]
    TokenAware(TokenAware),
    /// llm-d's scaling by objectives: a quantile of TTFT and TPOT over their objectives, carried out by KEDA.
    #[cfg_attr(feature = "schema", schemars(extend("x-label" = "SLO-aware", "x-group" = "llm-d")))]
    SloAware(SloAware),
    /// Legacy (llm-d ≤ 0.9): the first saturation analyser. It adds a replica when little room is left, and removes one when the others can take its load.
    #[cfg_attr(feature = "schema", schemars(extend("x-label" = "WVA saturation v1 (legacy)", "x-group" = "llm-d, legacy")))]
    WvaSaturationV1(SaturationV1),
    /// Legacy (llm-d ≤ 0.9): the second saturation analyser, by demand and supply in tokens of KV cache.
    #[cfg_attr(feature = "schema", schemars(extend("x-label" = "WVA saturation v2 (legacy)", "x-group" = "llm-d, legacy")))]
    WvaSaturationV2(SaturationV2),
    /// Legacy (llm-d ≤ 0.9): the queueing model. It learns the cost of a step, and asks for the replicas that meet the objectives.
    #[cfg_attr(feature = "schema", schemars(extend("x-label" = "WVA model (legacy)", "x-group" = "llm-d, legacy")))]
    WvaQueueingModel(QueueingModel),
    /// The throughput planner of NVIDIA Dynamo: predicts the next rate.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "NVIDIA Dynamo")))]
    DynamoThroughput(DynamoThroughput),
    /// The load planner of NVIDIA Dynamo: adds a replica if all engines miss an objective.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "NVIDIA Dynamo")))]
    DynamoLoad(DynamoLoad),
    /// Knows the future rates of the clients and has replicas ready in time: an upper bound for any policy.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Bound")))]
    Oracle(Oracle),
}

fields! {
    choice ScalingPolicy [None "none"] {
        Threshold "threshold" TargetUtilization "target-utilization" QueueDepth "queue-depth" Hpa "hpa" Keda "keda" Kpa "kpa"
        TokenAware "token-aware" SloAware "slo-aware"
        WvaSaturationV1 "wva-saturation-v1" WvaSaturationV2 "wva-saturation-v2" WvaQueueingModel "wva-queueing-model"
        DynamoThroughput "dynamo-throughput" DynamoLoad "dynamo-load" Oracle "oracle"
    }
}

impl ScalingPolicy {
    /// Its name in the document.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Threshold(_) => "threshold",
            Self::TargetUtilization(_) => "target-utilization",
            Self::QueueDepth(_) => "queue-depth",
            Self::Hpa(_) => "hpa",
            Self::Keda(_) => "keda",
            Self::Kpa(_) => "kpa",
            Self::TokenAware(_) => "token-aware",
            Self::SloAware(_) => "slo-aware",
            Self::WvaSaturationV1(_) => "wva-saturation-v1",
            Self::WvaSaturationV2(_) => "wva-saturation-v2",
            Self::WvaQueueingModel(_) => "wva-queueing-model",
            Self::DynamoThroughput(_) => "dynamo-throughput",
            Self::DynamoLoad(_) => "dynamo-load",
            Self::Oracle(_) => "oracle",
        }
    }

    /// The time within which two opposite decisions are an oscillation, in seconds. A policy that keeps a cooldown of its own never
    /// decides twice within it: what counts there is twice as long, and four decisions at least.
    pub fn oscillation_s(&self, tick_s: f64) -> f64 {
        let beyond = |cooldown_s: f64| (2.0 * cooldown_s).max(4.0 * tick_s);
        match self {
            Self::Threshold(p) => beyond(p.cooldown_s),
            Self::TargetUtilization(p) => beyond(p.cooldown_s),
            Self::QueueDepth(p) => beyond(p.cooldown_s),
            Self::Keda(p) => p.cooldown_s,
            Self::Hpa(_) | Self::TokenAware(_) | Self::SloAware(_) => 300.0,
            Self::None
            | Self::Kpa(_)
            | Self::WvaSaturationV1(_)
            | Self::WvaSaturationV2(_)
            | Self::WvaQueueingModel(_)
            | Self::DynamoThroughput(_)
            | Self::DynamoLoad(_)
            | Self::Oracle(_) => 60.0,
        }
    }
}

/// Adds one replica above a utilisation, removes one below another.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// Adds a replica above this utilisation: the larger of the shares of KV blocks and of the batch in use, as a mean over the replicas, 0 to 1.
    pub up: f64,
    /// Removes a replica below this utilisation.
    pub down: f64,
    /// Shortest time between two changes, in seconds.
    pub cooldown_s: f64,
}

fields! {
    struct Threshold {
        up: "Up above" in [0.0, 1.0] or "it is a share, such as 0.8" => Scaling;
        down: "Down below" in [0.0, 1.0] or "it is a share, such as 0.3" => Scaling;
        cooldown_s: "Cooldown" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Scaling;
    }
}

impl Default for Threshold {
    fn default() -> Self {
        Self { up: 0.8, down: 0.3, cooldown_s: 60.0 }
    }
}

/// The number of replicas that brings the utilisation to its target.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct TargetUtilization {
    /// The utilisation to hold: the larger of the shares of KV blocks and of the batch in use, as a mean over the replicas.
    pub target: f64,
    /// Which replicas are multiplied by utilisation over target.
    pub counted: Counted,
    /// Shortest time between two changes, in seconds.
    pub cooldown_s: f64,
}

fields! {
    struct TargetUtilization {
        target: "Target" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share, such as 0.6" => Scaling;
        counted [omit]: "Multiplies" => Scaling;
        cooldown_s: "Cooldown" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Scaling;
    }
}

impl Default for TargetUtilization {
    fn default() -> Self {
        Self { target: 0.6, counted: Counted::Present, cooldown_s: 60.0 }
    }
}

/// The replicas that a ratio of load multiplies.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// Those present, starting ones included. Starting replicas then count as loaded like the others.
    #[default]
    Present,
    /// Those that serve, as in Kubernetes and Knative.
    Ready,
}

fields! {
    names Counted { Present "present" Ready "ready" }
}

/// Adds or removes one replica by the number of waiting requests per replica.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct QueueDepth {
    /// Adds a replica if more requests than this wait per replica, including those held at the gateway.
    pub up: f64,
    /// Removes a replica if fewer requests than this wait per replica.
    pub down: f64,
    /// Shortest time between two changes, in seconds.
    pub cooldown_s: f64,
}

fields! {
    struct QueueDepth {
        up: "Up above" of "req" in [0.0, limits::COST] or "it is a number of requests" => Scaling;
        down: "Down below" of "req" in [0.0, limits::COST] or "it is a number of requests" => Scaling;
        cooldown_s: "Cooldown" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Scaling;
    }
}

impl Default for QueueDepth {
    fn default() -> Self {
        Self { up: 3.0, down: 0.5, cooldown_s: 60.0 }
    }
}

/// The autoscaler of Knative. Its windows are its own, made of the latest measurements.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Kpa {
    /// Concurrent requests that a replica can have; its batch limit is a good value.
    pub concurrency: f64,
    /// Target share of `concurrency`.
    pub utilization: f64,
    /// Length of the long window, in seconds.
    pub stable_s: f64,
    /// Length of the short window (panic window), in seconds.
    pub panic_s: f64,
    /// Panic mode begins if the short window asks for this many times the present replicas.
    pub panic_threshold: f64,
    /// Largest factor by which one decision may raise the number of replicas.
    pub max_up: f64,
    /// Largest factor by which one decision may lower the number of replicas.
    pub max_down: f64,
    /// Time after the last request after which the last replica is removed, in seconds.
    pub grace_s: f64,
    /// Which replicas the panic threshold and the largest factors multiply.
    pub counted: Counted,
}

fields! {
    struct Kpa {
        concurrency: "At once" of "req" in [1.0, limits::COST] or "it is a number of requests" => Scaling;
        utilization: "Target" in [limits::EFFICIENCY_MIN, 1.0] or "0.7 leaves room for bursts" => Scaling;
        stable_s: "Stable window" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Scaling;
        panic_s: "Panic window" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Scaling;
        panic_threshold: "Panic from" of "×" in [1.0, limits::RATE_FACTOR] or "2 is twice as many" => Scaling;
        max_up: "Up at most" of "×" in [1.0, limits::RATE_FACTOR] or "1,000 is hardly a limit" => Scaling;
        max_down: "Down at most" of "÷" in [1.0, limits::RATE_FACTOR] or "2 halves at most" => Scaling;
        grace_s: "Grace" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Scaling;
        counted [omit]: "Multiplies" => Scaling;
    }
}

impl Default for Kpa {
    fn default() -> Self {
        Self {
            concurrency: 100.0,
            utilization: 0.7,
            stable_s: 60.0,
            panic_s: 6.0,
            panic_threshold: 2.0,
            max_up: 1000.0,
            max_down: 2.0,
            grace_s: 30.0,
            counted: Counted::Present,
        }
    }
}

/// The first saturation analyser of llm-d.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct SaturationV1 {
    /// Share of KV blocks in use at which a replica counts as full.
    pub kv: f64,
    /// Waiting requests at which a replica counts as full.
    pub queue: f64,
    /// Adds a replica if the replicas that are not full have less free cache than this, as a mean share.
    pub kv_spare: f64,
    /// Adds a replica if the replicas that are not full have less room than this in their queues, as a mean number of requests.
    pub queue_spare: f64,
}

fields! {
    struct SaturationV1 {
        kv: "KV full at" in [0.0, 1.0] or "it is a share, such as 0.8" => Scaling;
        queue: "Queue full at" of "req" in [0.0, limits::COST] or "it is a number of requests" => Scaling;
        kv_spare: "KV to spare" in [0.0, 1.0] or "it is a share, such as 0.1" => Scaling;
        queue_spare: "Queue to spare" of "req" in [0.0, limits::COST] or "it is a number of requests" => Scaling;
    }
}

impl Default for SaturationV1 {
    fn default() -> Self {
        Self { kv: 0.8, queue: 5.0, kv_spare: 0.1, queue_spare: 3.0 }
    }
}

/// The second saturation analyser of llm-d.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct SaturationV2 {
    /// Share of a cache that may be in use.
    pub kv: f64,
    /// Adds replicas if demand is above this share of what they will be able to hold.
    pub up: f64,
    /// Removes replicas if demand is below this share of what they hold.
    pub down: f64,
    /// The tokens that a waiting request counts for.
    pub charge: QueueCharge,
}

fields! {
    struct SaturationV2 {
        kv: "KV share" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share, such as 0.8" => Scaling;
        up: "Up above" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share, such as 0.85" => Scaling;
        down: "Down below" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share, such as 0.7" => Scaling;
        charge: "Waiting counts" => Scaling;
    }
}

impl Default for SaturationV2 {
    fn default() -> Self {
        Self { kv: 0.8, up: 0.85, down: 0.7, charge: QueueCharge::InputAndOutput }
    }
}

/// The tokens that a waiting request counts for.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueCharge {
    /// Its prompt.
    Input,
    /// Its prompt and its answer.
    #[default]
    InputAndOutput,
}

fields! {
    names QueueCharge { Input "input" InputAndOutput "input-and-output" }
}

/// Knows the future.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Oracle {
    /// Requests per second that one replica can serve.
    pub replica_per_s: f64,
    /// How far it looks ahead, in seconds: the start of a replica plus the time until the next decision.
    pub ahead_s: f64,
}

fields! {
    struct Oracle {
        replica_per_s: "Replica carries" of "req/s" in [limits::BUCKET_MIN, limits::RATE_PER_S]
            or "`tokenyard size` says how many" => Scaling;
        ahead_s: "Looks ahead" of "s" in [0.0, limits::SCALING_S]
            or "as long as a replica takes to start" => Scaling;
    }
}

impl Default for Oracle {
    fn default() -> Self {
        Self { replica_per_s: 4.0, ahead_s: 90.0 }
    }
}
