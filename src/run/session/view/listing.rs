//! Listings of the catalogue for lists of choices.

use document::Architecture;
use engine::perf::{Gpu, Row, catalogue};
use serde::Serialize;

/// A model that a pool can name.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ModelInfo {
    /// Its name.
    pub name: String,
    /// Models of the same shape.
    pub aliases: Vec<String>,
    /// Its measured configurations, for which latency `catalogue` works.
    pub measured: Vec<Row>,
    /// Its shape, if it is known: latency `roofline` and `cross-model`, and derived KV blocks, read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub architecture: Option<Architecture>,
}

/// All models of the catalogue, sorted by name.
pub fn models() -> Vec<ModelInfo> {
    let table = catalogue();
    let mut names: Vec<&String> = table.coefficients.iter().map(|r| &r.name).collect();
    names.extend(table.architectures.iter().map(|a| &a.name));
    names.sort();
    names.dedup();
    let info = |name: &String| {
        let shape = table.architectures.iter().find(|a| a.name == *name || a.aliases.contains(name));
        let aliases = shape.filter(|a| a.name == *name).map_or_else(Vec::new, |a| a.aliases.clone());
        ModelInfo {
            name: name.clone(),
            aliases,
            measured: table.coefficients.iter().filter(|r| r.name == *name).cloned().collect(),
            architecture: shape.map(|a| a.architecture.clone()),
        }
    };
    names.into_iter().map(info).collect()
}

/// All GPUs of the catalogue.
pub fn gpus() -> &'static [Gpu] {
    &catalogue().gpus
}
