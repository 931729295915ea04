//! The tiers that the connectors of an engine say.

use crate::vllm::read::Around;
use serde_json::Value;

/// What the tiers of a connector become part of.
pub(super) struct Tiers<'a> {
    pub(super) around: &'a Around,
    /// Bytes of a block, all GPUs of a replica together.
    pub(super) block_bytes: Option<f64>,
    /// GPUs of a replica.
    pub(super) gpus: u64,
    /// The tiers below CPU memory.
    pub(super) below: Vec<Value>,
    /// The stores that replicas share.
    pub(super) stores: Vec<Value>,
}
