//! The horizontal autoscaler of Kubernetes (`HorizontalPodAutoscaler`).

pub(crate) mod map;
pub(crate) mod read;
pub(crate) mod write;
