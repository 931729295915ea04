//! The leading blocks of the prompt that are anywhere a replica can read them from, each with the weight of the best tier that has it,
//! over all its blocks: the precise prefix scorer of llm-d with tiers, the credits of Dynamo's router. A block in a store counts the
//! same for every replica that reads the store.

use document::TierWeights;
use serde::{Deserialize, Serialize};

/// What a block is worth in each tier.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TierPrefix {
    /// On the GPU.
    pub gpu: f64,
    /// In CPU memory.
    pub cpu: f64,
    /// On a disk of the replica.
    pub disk: f64,
    /// In a store that replicas share.
    pub store: f64,
}

impl TierPrefix {
    pub(super) fn new(weights: TierWeights) -> Self {
        let TierWeights { gpu, cpu, disk, store } = weights;
        Self { gpu, cpu, disk, store }
    }
}
