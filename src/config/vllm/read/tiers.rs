//! The tiers that the connectors of an engine say.

use crate::import::configuration::mapping::Standing;
use crate::vllm::read::Around;
use serde_json::{Value, json};

/// What the tiers of a connector become part of.
pub(super) struct Tiers<'a> {
    pub(super) around: &'a Around,
    /// Bytes of a block, all GPUs of a replica together.
    pub(super) block_bytes: Option<f64>,
    /// GPUs of a replica.
    pub(super) gpus: u64,
    /// Whether the pool has stages: it then has no tiers below CPU memory.
    pub(super) is_staged: bool,
    /// Whether the pool decodes what others have prefilled.
    pub(super) decodes: bool,
    /// The tiers below CPU memory.
    pub(super) below: Vec<Value>,
    /// The stores that replicas share.
    pub(super) stores: Vec<Value>,
}

impl Tiers<'_> {
    /// Adds a tier below CPU memory, unless the pool has none.
    pub(super) fn add(&mut self, tier: Value) {
        if !self.is_staged {
            self.below.push(tier);
        }
    }

    /// Adds a store that replicas share, and the tier that it is.
    pub(super) fn add_store(&mut self, name: &str, store: Value) {
        if !self.is_staged {
            self.below.push(json!({ "store": { "name": name } }));
            self.stores.push(store);
        }
    }

    /// What a tier below becomes: a pool with stages has none.
    pub(super) fn becomes<'t>(&self, text: &'t str) -> (Standing, &'t str) {
        if self.is_staged {
            (Standing::Ignored, "no counterpart: pools with stages have no tiers below CPU memory here")
        } else {
            (Standing::Near, text)
        }
    }
}
