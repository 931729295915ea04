//! The golden file format: a cluster's configuration, requests one by one, and what must come out.

use serde::Deserialize;
use serde_json::Value;

/// The format this program reads.
pub(super) const SCHEMA: &str = "engine-golden/1";

/// One golden file.
#[derive(Debug, Deserialize)]
pub(super) struct GoldenFile {
    /// Version of the format.
    pub schema: String,
    /// What to log.
    #[serde(default)]
    pub record: Record,
    /// Every setting of the cluster.
    pub config: Config,
    /// The requests, in the order of the file.
    pub requests: Vec<Request>,
    /// What must come out, by section.
    pub expected: serde_json::Map<String, Value>,
}

/// What to log.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Record {
    /// Steps of each replica; 0 leaves the key out.
    pub max_steps_per_instance: u32,
    /// The gaps between the tokens of each request.
    pub itl: bool,
    /// What the router chose from.
    pub candidates: bool,
}

/// Every setting of the cluster, under the names of the format.
#[derive(Debug, Deserialize)]
pub(super) struct Config {
    /// "none" or "blis".
    #[serde(default = "none")]
    pub compat: String,
    /// End of the run; 0 means none.
    pub horizon_us: u64,
    /// How many replicas.
    pub num_instances: u32,
    /// KV blocks of each.
    pub total_kv_blocks: u32,
    /// Tokens in a block.
    pub block_size_tokens: u32,
    /// Blocks of the second tier; 0 means none.
    #[serde(default)]
    pub kv_cpu_blocks: u32,
    /// Share of blocks in use above which cached ones are copied down.
    #[serde(default)]
    pub kv_offload_threshold: f64,
    /// Tokens copied in a microsecond.
    #[serde(default)]
    pub kv_transfer_bandwidth: f64,
    /// Fixed time of copying one block.
    #[serde(default)]
    pub kv_transfer_base_latency: u64,
    /// Most requests in a batch.
    pub max_num_running_reqs: u32,
    /// Most tokens in a step.
    pub max_num_scheduled_tokens: u32,
    /// Longest prompt chunk; 0 means no limit.
    pub long_prefill_token_threshold: u32,
    /// Queueing delay and output overhead.
    pub alpha_coeffs: [f64; 3],
    /// Step time.
    pub beta_coeffs: Vec<f64>,
    /// Family of the latency model.
    pub latency_backend: String,
    /// GPUs of a replica.
    #[serde(default = "one")]
    pub tp: u32,
    /// Shape of the model, for the families that ask for it.
    pub model_config: Option<ModelConfig>,
    /// Figures of the GPU, for the families that ask for them.
    pub hw_config: Option<HardwareConfig>,
    /// Who is let in.
    pub admission_policy: String,
    /// Most tokens in the bucket of "token-bucket".
    #[serde(default)]
    pub token_bucket_capacity: f64,
    /// Tokens per second that flow into it.
    #[serde(default)]
    pub token_bucket_refill_rate: f64,
    /// Time before that decision.
    pub admission_latency_us: u64,
    /// Who goes where.
    pub routing_policy: String,
    /// Scorers and weights of "weighted"; empty for its default.
    #[serde(default)]
    pub routing_scorers: String,
    /// Time before that decision.
    pub routing_latency_us: u64,
    /// Age of the router's picture.
    pub snapshot_refresh_interval_us: u64,
    /// Order of the wait queue.
    pub scheduler: String,
    /// Where its priorities come from.
    pub priority_policy: String,
    /// How many routing candidates are logged; 0 also switches regret off.
    pub counterfactual_k: u32,
    /// Seed.
    pub seed: u64,
}

/// Shape of a model.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct ModelConfig {
    /// Bytes of a weight, of an activation and of a cached number.
    pub bytes_per_param: f64,
    /// Width of the hidden state.
    pub hidden_size: u32,
    /// Width of the feed-forward layer; 0 means 4 times `hidden_size`.
    pub intermediate_size: u32,
    /// Attention heads.
    pub num_attention_heads: u32,
    /// Layers.
    pub num_hidden_layers: u32,
    /// Heads with keys and values; 0 means all.
    pub num_key_value_heads: u32,
    /// Experts; 0 means a dense model.
    #[serde(default)]
    pub num_local_experts: u32,
    /// Experts of each token.
    #[serde(default)]
    pub num_experts_per_tok: u32,
}

/// Figures of a GPU, and the roofline model's constants, as `scenario::RooflineSettings` explains them.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct HardwareConfig {
    #[serde(rename = "MemoryGiB")]
    pub memory_gib: f64,
    #[serde(rename = "TFlopsPeak")]
    pub tflops: f64,
    #[serde(rename = "BwPeakTBs")]
    pub bandwidth: f64,
    #[serde(rename = "BwEffConstant")]
    pub bandwidth_efficiency: f64,
    #[serde(rename = "TOverheadMicros")]
    pub step_us: f64,
    #[serde(rename = "perLayerOverhead")]
    pub step_us_per_layer: f64,
    #[serde(rename = "allReduceLatency")]
    pub all_reduce_us: f64,
    #[serde(rename = "mfuPrefill")]
    pub prefill_efficiency: f64,
    #[serde(rename = "mfuDecode")]
    pub decode_efficiency: f64,
}

/// One request.
#[derive(Debug, Deserialize)]
pub(super) struct Request {
    /// Its name.
    pub id: String,
    /// When it arrives.
    pub arrival_us: u64,
    /// Its prompt.
    pub input: Vec<Segment>,
    /// Its answer.
    pub output: Segment,
    /// SLO class.
    #[serde(default)]
    pub slo: String,
    /// Tenant.
    #[serde(default)]
    pub tenant: String,
}

/// `n` tokens of text `s` from position `o`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Segment {
    /// Which text.
    pub s: u32,
    /// How many tokens.
    pub n: u32,
    /// Position of the first.
    #[serde(default)]
    pub o: u32,
}

fn one() -> u32 {
    1
}

fn none() -> String {
    "none".to_owned()
}
