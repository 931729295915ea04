//! Evidence: the known errors of the latency models, and the models, batches and contexts measured on each GPU.
//! `tokenyard validate --evidence` writes the table.

use crate::base::json;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// The errors of a latency model: medians over measured experiments below the knee, as shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// The model, as a scenario names it.
    pub latency: String,
    /// Number of experiments that it could be compared with.
    pub experiments: u32,
    /// Mean end-to-end latency.
    pub e2e: f64,
    /// Mean time per output token.
    pub tpot: f64,
    /// Mean time to first token.
    pub ttft: f64,
}

/// The measurements on a GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredOn {
    /// GPU, as named in the catalogue.
    pub gpu: String,
    /// Models, by the keys of the catalogue.
    pub models: Vec<String>,
    /// Most requests at once on one replica.
    pub batch: u32,
    /// Longest mean context of a request: prompt and half of the answer.
    pub context_tokens: u32,
}

/// The table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceTable {
    /// By latency model.
    pub found: Vec<Found>,
    /// By GPU.
    pub measured: Vec<MeasuredOn>,
}

/// The built-in table.
pub fn evidence() -> &'static EvidenceTable {
    static TABLE: OnceLock<EvidenceTable> = OnceLock::new();
    TABLE.get_or_init(|| {
        let tree = serde_json::from_str(include_str!("evidence.json")).expect("the built-in table is JSON");
        json::data(&tree).expect("the built-in table has its own shape")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_shares_and_gpus_are_those_of_the_catalogue() {
        let table = evidence();
        assert!(
            ["calibrated", "catalogue", "roofline"]
                .iter()
                .all(|name| table.found.iter().any(|f| f.latency == *name))
        );
        assert!(table.found.iter().all(|f| [f.e2e, f.tpot, f.ttft].iter().all(|x| (0.0..10.0).contains(x))));
        for on in &table.measured {
            assert!(crate::perf::known_gpu(&on.gpu).is_some_and(|g| g.name == on.gpu), "{}", on.gpu);
            assert!(on.batch > 0 && on.context_tokens > 0 && !on.models.is_empty(), "{}", on.gpu);
        }
    }
}
