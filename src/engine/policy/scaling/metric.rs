//! The metrics of the horizontal autoscaler and of KEDA, by what was measured of a pool.

use super::hpa::Metric;
use super::keda::Trigger;
use super::view::{Measured, PoolSight};
use document::{FurtherMetric, ScalingMetric, TargetOf};
use serde::{Deserialize, Serialize};

/// The value of a metric at a replica.
fn of_replica(metric: ScalingMetric, r: &Measured) -> f64 {
    match metric {
        ScalingMetric::Utilization => r.utilization(),
        ScalingMetric::Kv => r.kv,
        ScalingMetric::Waiting => r.waiting,
        ScalingMetric::Running => r.running,
        ScalingMetric::Requests | ScalingMetric::RequestsRunning => r.waiting + r.running,
        ScalingMetric::Rate => r.rate_per_s,
        ScalingMetric::PrefillBacklog => r.backlog_tokens,
        // The pool has these, not a replica.
        ScalingMetric::GatewayQueue
        | ScalingMetric::PoolSaturation
        | ScalingMetric::ObjectivesMissed
        | ScalingMetric::Replicas
        | ScalingMetric::ReadyReplicas
        | ScalingMetric::PendingReplicas => 0.0,
    }
}

/// A metric that only the pool has, not a replica.
fn of_pool_alone(metric: ScalingMetric, sight: &PoolSight) -> Option<f64> {
    match metric {
        ScalingMetric::GatewayQueue => Some(sight.at_gateway),
        ScalingMetric::PoolSaturation => Some(sight.saturation()),
        ScalingMetric::ObjectivesMissed => Some(sight.missed()),
        ScalingMetric::Replicas => Some(sight.current().into()),
        ScalingMetric::ReadyReplicas => Some(sight.ready.into()),
        ScalingMetric::PendingReplicas => Some(sight.pending.into()),
        ScalingMetric::Utilization
        | ScalingMetric::Kv
        | ScalingMetric::Waiting
        | ScalingMetric::Running
        | ScalingMetric::Requests
        | ScalingMetric::Rate
        | ScalingMetric::RequestsRunning
        | ScalingMetric::PrefillBacklog => None,
    }
}

/// A metric against its target: for each replica, with the numbers of unmeasured and unready replicas, or for the
/// pool.
pub(super) fn measured(&Wanted { metric, target, target_of }: &Wanted, sight: &PoolSight) -> Metric {
    if sight.measured.is_empty() {
        return Metric::Failed;
    }
    if let (TargetOf::Replica, Some(value)) = (target_of, of_pool_alone(metric, sight)) {
        return Metric::AverageValue { value, target };
    }
    if target_of == TargetOf::Pool {
        return Metric::Value { value: of_pool(metric, sight), ready: sight.ready, target };
    }
    Metric::Pods {
        ready: sight.measured.iter().map(|r| of_replica(metric, r)).collect(),
        missing: sight.ready.saturating_sub(sight.measured.len() as u32),
        unready: sight.pending,
        target,
    }
}

/// The metric of the whole pool, with requests held at the gateway.
fn total(metric: ScalingMetric, sight: &PoolSight) -> f64 {
    if let Some(value) = of_pool_alone(metric, sight) {
        return value;
    }
    let held = match metric {
        ScalingMetric::Waiting | ScalingMetric::Requests => sight.held,
        // These begin where a replica was chosen.
        ScalingMetric::RequestsRunning | ScalingMetric::PrefillBacklog => 0.0,
        ScalingMetric::GatewayQueue
        | ScalingMetric::PoolSaturation
        | ScalingMetric::ObjectivesMissed
        | ScalingMetric::Replicas
        | ScalingMetric::ReadyReplicas
        | ScalingMetric::PendingReplicas
        | ScalingMetric::Utilization
        | ScalingMetric::Kv
        | ScalingMetric::Running => {
            // A share is meaningless for a pool without replicas: a waiting request is the signal.
            if sight.ready == 0 { sight.held } else { 0.0 }
        }
        ScalingMetric::Rate => return sight.rate_per_s + if sight.ready == 0 { sight.held } else { 0.0 },
    };
    sight.sum(|r| of_replica(metric, r)) + held
}

/// The metric of the whole pool as one value: shares are a mean over its replicas.
fn of_pool(metric: ScalingMetric, sight: &PoolSight) -> f64 {
    match metric {
        ScalingMetric::Utilization | ScalingMetric::Kv if sight.ready > 0 => {
            sight.mean(|r| of_replica(metric, r))
        }
        ScalingMetric::Utilization
        | ScalingMetric::Kv
        | ScalingMetric::Waiting
        | ScalingMetric::Running
        | ScalingMetric::Requests
        | ScalingMetric::Rate
        | ScalingMetric::GatewayQueue
        | ScalingMetric::RequestsRunning
        | ScalingMetric::PoolSaturation
        | ScalingMetric::PrefillBacklog
        | ScalingMetric::ObjectivesMissed
        | ScalingMetric::Replicas
        | ScalingMetric::ReadyReplicas
        | ScalingMetric::PendingReplicas => total(metric, sight),
    }
}

/// The value of a name in a formula; not a number if nothing measured it.
pub(super) fn of_name(metric: ScalingMetric, target_of: TargetOf, sight: &PoolSight) -> f64 {
    let of_replicas =
        matches!(metric, ScalingMetric::Utilization | ScalingMetric::Kv | ScalingMetric::PoolSaturation);
    if of_replicas && sight.measured.is_empty() {
        return f64::NAN;
    }
    match target_of {
        TargetOf::Replica => total(metric, sight),
        TargetOf::Pool => of_pool(metric, sight),
    }
}

/// The value that a trigger compares with its threshold.
pub(super) fn of_trigger(metric: ScalingMetric, trigger: &Trigger, sight: &PoolSight) -> f64 {
    match trigger.target_of {
        TargetOf::Replica => total(metric, sight),
        TargetOf::Pool => of_pool(metric, sight),
    }
}

/// The target of a metric. A separate type, because a snapshot needs fields that a document leaves out of
/// [`FurtherMetric`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Wanted {
    pub(super) metric: ScalingMetric,
    pub(super) target: f64,
    pub(super) target_of: TargetOf,
}

impl From<&FurtherMetric> for Wanted {
    fn from(&FurtherMetric { metric, target, target_of }: &FurtherMetric) -> Self {
        Self { metric, target, target_of }
    }
}
