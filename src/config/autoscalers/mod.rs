//! Autoscalers: those of Kubernetes, KEDA and llm-d in both directions, those of AIBrix and Dynamo as imports.

pub(crate) mod behavior;
pub(crate) mod hpa;
pub(crate) mod keda;
pub(crate) mod keys;
pub(crate) mod measured;
pub(crate) mod objects;
pub(crate) mod planner_config;
pub(crate) mod pod_autoscaler;
pub(crate) mod scaled;
pub(crate) mod wva;
