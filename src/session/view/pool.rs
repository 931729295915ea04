//! The pools of a cluster: what their replicas are made of, and what `auto` came to.

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
    #[cfg_attr(feature = "schema", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_hour: Option<f64>,
    /// The same of all that get new requests.
    #[cfg_attr(feature = "schema", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serving_usd_per_hour: Option<f64>,
    /// KV blocks of one replica, worked out if the scenario says `auto`.
    pub kv_blocks: u32,
    /// Tokens in a block.
    pub block_tokens: u32,
    /// Most requests in a batch, worked out if the scenario says `auto`.
    pub max_num_seqs: u32,
    /// Output processing of each token, in microseconds: an ITL is a step and this.
    pub output_us: u64,
    /// Most tokens computed in a step, worked out if the scenario says `auto`.
    pub max_num_batched_tokens: u32,
}
