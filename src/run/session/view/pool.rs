//! The pools of a cluster: the hardware of their replicas, and the resolved values of `auto`.

use crate::observe::report::SpeculativePart;
use serde::Serialize;

/// A pool of equal replicas, with the edits so far.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PoolFrame {
    /// Its name.
    pub name: String,
    /// The model that it serves.
    pub model: String,
    /// Its GPU.
    pub gpu: String,
    /// GPUs of one replica.
    pub tp: u32,
    /// Replicas that get new requests.
    pub serving: u32,
    /// US dollars per hour of one replica; missing if no price is known.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_hour: Option<f64>,
    /// US dollars per hour of all replicas that get new requests.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serving_usd_per_hour: Option<f64>,
    /// KV blocks of one replica, computed if the scenario says `auto`.
    pub kv_blocks: u32,
    /// Tokens in a block.
    pub block_tokens: u32,
    /// Most requests in a batch, computed if the scenario says `auto`.
    pub max_num_seqs: u32,
    /// Output processing of each token, in microseconds: an ITL is a step plus this.
    pub output_us: u64,
    /// Most tokens computed in a step, computed if the scenario says `auto`.
    pub max_num_batched_tokens: u32,
    /// What speculative decoding came to since the start; missing without it.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speculative: Option<SpeculativePart>,
}
