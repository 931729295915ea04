//! The numbers of a `HorizontalPodAutoscaler`. Its metrics are known by their names (`measured`), its rules have readers
//! and writers of their own (`behavior`, `scaled`).

use crate::autoscalers::keys::ScalingKey;

pub(crate) const MIN: ScalingKey = ScalingKey::replicas("minReplicas", "min", "fewest replicas", Some(1.0));
pub(crate) const MAX: ScalingKey = ScalingKey::replicas("maxReplicas", "max", "most replicas", None);
