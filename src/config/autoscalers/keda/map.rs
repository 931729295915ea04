//! The numbers of a `ScaledObject`, and the one that a query has.

use crate::autoscalers::keys::ScalingKey;

pub(crate) const MIN: ScalingKey =
    ScalingKey::replicas("minReplicaCount", "min", "fewest replicas", Some(0.0));
pub(crate) const MAX: ScalingKey =
    ScalingKey::replicas("maxReplicaCount", "max", "most replicas", Some(100.0));
pub(crate) const TICK: ScalingKey =
    ScalingKey::seconds("pollingInterval", "tick_s", "decides every, s", 30.0);
pub(crate) const COOLDOWN: ScalingKey =
    ScalingKey::seconds("cooldownPeriod", "policy.keda.cooldown_s", "cooldown, s", 300.0);

/// The number by which a query divides tokens to make them seconds, if it does.
pub(crate) fn divisor(query: &str) -> Option<f64> {
    let rest = query.rsplit_once('/')?.1.trim_start();
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse::<f64>().ok().filter(|x| *x > 0.0)
}
