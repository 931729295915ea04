//! llm-d's autoscaler: `VariantAutoscaling`, and the settings of its analysers and its controller in a `ConfigMap`.

pub(crate) mod config_map;
pub(crate) mod controller;
mod map;
pub(crate) mod variant;
pub(crate) mod write;
