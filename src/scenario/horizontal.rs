//! Settings of the horizontal autoscaler of Kubernetes and of KEDA, which is built on it.

use super::fields::{fields, without_fields};
use super::limits;
use super::scaling::is_zero;
use serde::{Deserialize, Serialize};

/// The horizontal autoscaler of Kubernetes.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Horizontal {
    /// What is measured of each replica.
    pub metric: ScalingMetric,
    /// What each replica, or the pool, should have of it: a share, or a number of requests.
    pub target: f64,
    /// Whose target it is.
    #[serde(skip_serializing_if = "TargetOf::is_replica")]
    pub target_of: TargetOf,
    /// Further metrics, at most four. The one that asks for the most replicas decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<FurtherMetric>,
    /// How fast it may go, and how long it waits.
    pub behavior: Behavior,
}

fields! {
    struct Horizontal {
        metric: "Metric" => Scaling;
        target: "Target" in [limits::EFFICIENCY_MIN, limits::COST] or "it is what each replica should have" => Scaling;
        target_of: "Target of" and { "default": "replica" } => Scaling;
        more: "More metrics" up_to [limits::SCALING_METRICS, "metrics", "metric"] and { "default": [] } => Scaling;
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FurtherMetric {
    /// What is measured of each replica.
    pub metric: ScalingMetric,
    /// What each replica, or the pool, should have of it: a share, or a number of requests.
    pub target: f64,
    /// Whose target it is.
    #[serde(skip_serializing_if = "TargetOf::is_replica")]
    pub target_of: TargetOf,
}

fields! {
    struct FurtherMetric {
        metric: "Metric" => Scaling;
        target: "Target" in [limits::EFFICIENCY_MIN, limits::COST] or "it is what each replica should have" => Scaling;
        target_of: "Target of" and { "default": "replica" } => Scaling;
    }
}

impl Default for FurtherMetric {
    fn default() -> Self {
        Self { metric: ScalingMetric::Utilization, target: 0.6, target_of: TargetOf::Replica }
    }
}

/// Whose target a metric has.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetOf {
    /// Each replica's: a target of kind `AverageValue`.
    #[default]
    Replica,
    /// The pool's: a target of kind `Value`. As many times the replicas that are ready as the pool has of it: requests in sum, shares as a mean.
    Pool,
}

without_fields! { TargetOf }

impl TargetOf {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
    fn is_replica(&self) -> bool {
        *self == Self::Replica
    }
}

/// What an autoscaler measures.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScalingMetric {
    /// The larger of the shares of KV blocks and of the batch in use.
    #[default]
    Utilization,
    /// The share of KV blocks in use.
    Kv,
    /// Requests that wait.
    Waiting,
    /// Requests that run.
    Running,
    /// Requests that wait or run.
    Requests,
    /// Requests that arrive in a second.
    Rate,
}

without_fields! { ScalingMetric }

impl ScalingMetric {
    /// Its name in the document.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utilization => "utilization",
            Self::Kv => "kv",
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Requests => "requests",
            Self::Rate => "rate",
        }
    }
}

/// How fast the horizontal autoscaler may go.
#[apply(schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behavior {
    /// Up at once, by as many again or by four in 15 s; down by the largest number asked for in five minutes.
    #[default]
    Default,
    /// As before `behavior` could be written: at most twice as many or four, and down after five minutes.
    Legacy,
    /// Rules of its own.
    Rules(BehaviorRules),
}

fields! {
    choice Behavior [Default Legacy] { Rules "rules" }
}

/// Rules for both directions.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BehaviorRules {
    /// More replicas.
    pub up: DirectionRules,
    /// Fewer.
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

/// How the autoscaler goes in one direction.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DirectionRules {
    /// How long a recommendation against it is remembered, in seconds.
    pub stabilization_s: f64,
    /// How far from its target a metric may be, as a share, before anything changes.
    pub tolerance: f64,
    /// At most so many replicas in a period. 0 for no such limit.
    pub pods: u32,
    /// At most such a part of those at its beginning, in per cent. 0 for no such limit.
    pub percent: f64,
    /// The period, in seconds.
    pub period_s: f64,
    /// The period of the per cent, in seconds. 0 for the same.
    #[serde(skip_serializing_if = "is_zero")]
    pub percent_period_s: f64,
    /// Which of the two limits holds.
    pub select: SelectRule,
}

fields! {
    struct DirectionRules {
        stabilization_s: "Stabilisation" of "s" in [0.0, limits::SCALING_S] or "use 0 for none" => Scaling;
        tolerance: "Tolerance" in [0.0, 1.0] or "Kubernetes has 0.1" => Scaling;
        pods: "Replicas" in [0, limits::REPLICAS] or "use 0 for no such limit" => Scaling;
        percent: "Per cent" of "%" in [0.0, 100_000.0] or "use 0 for no such limit" => Scaling;
        period_s: "Period" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Scaling;
        percent_period_s: "Period of %" of "s" in [0.0, limits::SCALING_S] or "use 0 for the same" and { "default": 0.0 } => Scaling;
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
            select: SelectRule::Max,
        }
    }
}

/// Which of two limits holds.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SelectRule {
    /// The one that changes most.
    #[default]
    Max,
    /// The one that changes least.
    Min,
    /// No change in this direction at all.
    Disabled,
}

without_fields! { SelectRule }

/// KEDA.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Keda {
    /// What triggers it, as a sum over the pool; requests held at the gateway wait, too.
    pub metric: ScalingMetric,
    /// What each replica, or the pool, should have of it.
    pub threshold: f64,
    /// Whose threshold it is.
    #[serde(skip_serializing_if = "TargetOf::is_replica")]
    pub target_of: TargetOf,
    /// The trigger is active above this.
    pub activation: f64,
    /// Further triggers, at most four: any of them keeps the pool awake, and the one that asks for the most decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<FurtherTrigger>,
    /// How long it must have been quiet before the last replica goes, in seconds.
    pub cooldown_s: f64,
    /// How fast it may go above one replica.
    pub behavior: Behavior,
}

fields! {
    struct Keda {
        metric: "Trigger" => Scaling;
        threshold: "Threshold" in [limits::EFFICIENCY_MIN, limits::COST] or "it is what each replica should have" => Scaling;
        target_of: "Threshold of" and { "default": "replica" } => Scaling;
        activation: "Active above" in [0.0, limits::COST] or "0 is any signal" => Scaling;
        more: "More triggers" up_to [limits::SCALING_METRICS, "triggers", "trigger"] and { "default": [] } => Scaling;
        cooldown_s: "Cooldown" of "s" in [0.0, limits::SCALING_S] or "it is in seconds" => Scaling;
        behavior: "Behaviour" => Scaling;
    }
}

impl Default for Keda {
    fn default() -> Self {
        let FurtherTrigger { metric, threshold, target_of, activation } = FurtherTrigger::default();
        let (more, behavior) = (Vec::new(), Behavior::Default);
        Self { metric, threshold, target_of, activation, more, cooldown_s: 300.0, behavior }
    }
}

/// A further trigger of KEDA.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FurtherTrigger {
    /// What triggers it, as a sum over the pool; requests held at the gateway wait, too.
    pub metric: ScalingMetric,
    /// What each replica, or the pool, should have of it.
    pub threshold: f64,
    /// Whose threshold it is.
    #[serde(skip_serializing_if = "TargetOf::is_replica")]
    pub target_of: TargetOf,
    /// The trigger is active above this.
    pub activation: f64,
}

fields! {
    struct FurtherTrigger {
        metric: "Trigger" => Scaling;
        threshold: "Threshold" in [limits::EFFICIENCY_MIN, limits::COST] or "it is what each replica should have" => Scaling;
        target_of: "Threshold of" and { "default": "replica" } => Scaling;
        activation: "Active above" in [0.0, limits::COST] or "0 is any signal" => Scaling;
    }
}

impl Default for FurtherTrigger {
    fn default() -> Self {
        Self {
            metric: ScalingMetric::Requests,
            threshold: 8.0,
            target_of: TargetOf::Replica,
            activation: 0.0,
        }
    }
}
