//! The parts of a scenario that a source sets.

use crate::import::configuration::patch::Patch;
use serde_json::{Map, Value};

/// The parts of a scenario that a source sets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// A whole scenario; null if the source sets only policies.
    pub scenario: Value,
    /// Fields of the cluster.
    pub cluster: Map<String, Value>,
    /// Fields of the engine of every pool.
    pub engine: Map<String, Value>,
    /// Settings of the autoscaler of every pool, if the source has one.
    pub scaling: Option<Map<String, Value>>,
    /// Settings of the autoscalers of pools by their names or models.
    pub autoscalers: Vec<Patch>,
}
