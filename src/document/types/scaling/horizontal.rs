//! Settings of the horizontal autoscaler of Kubernetes.

use crate::limits;
use crate::table::fields::fields;

/// The horizontal autoscaler of Kubernetes.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Horizontal {
    /// The metric of each replica.
    pub metric: ScalingMetric,
    /// Target value of the metric for each replica or for the pool: a share, or a number of requests.
    pub target: f64,
    /// Whether the target is per replica or for the pool.
    pub target_of: TargetOf,
    /// Further metrics, at most four. The one that asks for the most replicas decides.
    pub more: Vec<FurtherMetric>,
    /// How fast the number of replicas may change, and how long a change is delayed.
    pub behavior: Behavior,
}

fields! {
    struct Horizontal {
        metric: "Metric" => Scaling;
        target: "Target" in [limits::EFFICIENCY_MIN, limits::COST] or "it is what each replica should have" => Scaling;
        target_of [omit]: "Target of" => Scaling;
        more [omit]: "More metrics" up_to [limits::SCALING_METRICS, "metrics", "metric"] => Scaling;
        behavior: "Behaviour" => Scaling;
    }
}

impl Default for Horizontal {
    fn default() -> Self {
        let FurtherMetric { metric, target, target_of } = FurtherMetric::default();
        Self { metric, target, target_of, more: Vec::new(), behavior: Behavior::Default }
    }
}

/// A further metric of the horizontal autoscaler.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FurtherMetric {
    /// The metric of each replica.
    pub metric: ScalingMetric,
    /// Target value of the metric for each replica or for the pool: a share, or a number of requests.
    pub target: f64,
    /// Whether the target is per replica or for the pool.
    pub target_of: TargetOf,
}

fields! {
    struct FurtherMetric {
        metric: "Metric" => Scaling;
        target: "Target" in [limits::EFFICIENCY_MIN, limits::COST] or "it is what each replica should have" => Scaling;
        target_of [omit]: "Target of" => Scaling;
    }
}

impl Default for FurtherMetric {
    fn default() -> Self {
        Self { metric: ScalingMetric::Utilization, target: 0.6, target_of: TargetOf::Replica }
    }
}

/// Whether a target is per replica or for the pool.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetOf {
    /// Per replica: a target of kind `AverageValue`.
    #[default]
    Replica,
    /// For the pool: a target of kind `Value`. The ready replicas are scaled by the pool's value over the target: the sum of requests, or the mean of shares.
    Pool,
}

fields! {
    names TargetOf { Replica "replica" Pool "pool" }
}

/// The metric that an autoscaler reads.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScalingMetric {
    /// The larger of the shares of KV blocks and of the batch in use.
    #[default]
    Utilization,
    /// The share of KV blocks in use.
    Kv,
    /// Waiting requests.
    Waiting,
    /// Running requests.
    Running,
    /// Waiting and running requests.
    Requests,
    /// Requests that arrive per second.
    Rate,
    /// Requests that wait at the gateway: held for a replica of the pool, delayed by admission or queued by flow control (with several models for all of them).
    GatewayQueue,
    /// Requests in flight at the replicas, waiting and running.
    RequestsRunning,
    /// Saturation of the pool: the mean over replicas of the larger of waiting requests / 5 and share of KV blocks in use / 0.8.
    PoolSaturation,
    /// Prompt tokens sent to the replicas and not computed yet. Of waiting prompts the recent cached share is taken off.
    PrefillBacklog,
    /// Share of the requests finished in the window that missed an objective of the class (`slo`). 0 without finished requests.
    ObjectivesMissed,
    /// Replicas present, starting ones included.
    Replicas,
    /// Replicas that serve.
    ReadyReplicas,
    /// Replicas that start or wait for GPUs.
    PendingReplicas,
}

fields! {
    names ScalingMetric {
        Utilization "utilization" Kv "kv" Waiting "waiting" Running "running" Requests "requests"
        Rate "rate" GatewayQueue "gateway-queue" RequestsRunning "requests-running"
        PoolSaturation "pool-saturation" PrefillBacklog "prefill-backlog"
        ObjectivesMissed "objectives-missed" Replicas "replicas" ReadyReplicas "ready-replicas"
        PendingReplicas "pending-replicas"
    }
}

/// How fast the horizontal autoscaler may change the number of replicas.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Behavior {
    /// Up at once, by 100 % or four replicas in 15 s; down to the largest number recommended in the last five minutes.
    #[default]
    Default,
    /// As before the field `behavior` existed: up to twice as many or four, and down after five minutes.
    Legacy,
    /// Your own rules.
    Rules(BehaviorRules),
}

fields! {
    choice Behavior [Default "default" Legacy "legacy"] { Rules "rules" }
}

/// Rules for both directions.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct BehaviorRules {
    /// Rules for adding replicas.
    pub up: DirectionRules,
    /// Rules for removing replicas.
    pub down: DirectionRules,
}

fields! {
    struct BehaviorRules {
        up: "Up" => Parts;
        down: "Down" => Parts;
    }
}

impl Default for BehaviorRules {
    fn default() -> Self {
        let down = DirectionRules { stabilization_s: 300.0, pods: 0, ..DirectionRules::default() };
        Self { up: DirectionRules::default(), down }
    }
}

/// Rules for one direction.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct DirectionRules {
    /// Stabilization window: how long an opposite recommendation is remembered, in seconds.
    pub stabilization_s: f64,
    /// Deviation of a metric from its target, as a share, below which nothing changes.
    pub tolerance: f64,
    /// Most replicas changed in a period. 0 means no such limit.
    pub pods: u32,
    /// Most replicas changed in a period, in per cent of those at its beginning. 0 means no such limit.
    pub percent: f64,
    /// Length of the period, in seconds.
    pub period_s: f64,
    /// Length of the period of the limit in per cent, in seconds. 0 means the same period.
    pub percent_period_s: f64,
    /// Limits with periods of their own, at most eight. Any of them replace `pods` and `percent`.
    pub policies: Vec<ChangeLimit>,
    /// Which of several limits applies.
    pub select: SelectRule,
}

fields! {
    struct DirectionRules {
        stabilization_s: "Stabilisation" of "s" in [0.0, limits::SCALING_S] or "use 0 for none" => Scaling;
        tolerance: "Tolerance" in [0.0, 1.0] or "Kubernetes has 0.1" => Scaling;
        pods: "Replicas" in [0, limits::REPLICAS] or "use 0 for no such limit" => Scaling;
        percent: "Per cent" of "%" in [0.0, 100_000.0] or "use 0 for no such limit" => Scaling;
        period_s: "Period" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Scaling;
        percent_period_s [omit]: "Period of %" of "s" in [0.0, limits::SCALING_S] or "use 0 for the same" => Scaling;
        policies [omit]: "Limits" up_to [limits::SCALING_LIMITS, "limits", "limit"] => Scaling;
        select: "Which holds" => Scaling;
    }
}

impl Default for DirectionRules {
    fn default() -> Self {
        Self {
            stabilization_s: 0.0,
            tolerance: 0.1,
            pods: 4,
            percent: 100.0,
            period_s: 15.0,
            percent_period_s: 0.0,
            policies: Vec::new(),
            select: SelectRule::Max,
        }
    }
}

/// A limit of the change in a period.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangeLimit {
    /// What the limit counts.
    pub by: LimitUnit,
    /// Largest change in a period, in replicas or per cent.
    pub value: f64,
    /// Length of the period, in seconds.
    pub period_s: f64,
}

fields! {
    struct ChangeLimit {
        by: "Unit" => Scaling;
        value: "At most" in [0.0, 100_000.0] or "0 allows no change" => Scaling;
        period_s: "Period" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Scaling;
    }
}

impl Default for ChangeLimit {
    fn default() -> Self {
        Self { by: LimitUnit::Pods, value: 4.0, period_s: 15.0 }
    }
}

/// What a limit of the change counts.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimitUnit {
    /// Replicas.
    #[default]
    Pods,
    /// Per cent of the replicas at the beginning of the period.
    Percent,
}

fields! {
    names LimitUnit { Pods "pods" Percent "percent" }
}

/// Which of several limits applies.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SelectRule {
    /// The limit that allows the larger change.
    #[default]
    Max,
    /// The limit that allows the smaller change.
    Min,
    /// No change in this direction at all.
    Disabled,
}

fields! {
    names SelectRule { Max "max" Min "min" Disabled "disabled" }
}
