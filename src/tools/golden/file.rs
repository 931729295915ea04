//! The golden file format: a cluster's configuration, requests one by one, and the expected results.
//!
//! Every field has a default here, so that one reading finds every problem of shape. The required keys are a separate
//! table ([`required`](super::required)), because some are needed only with some settings.

use super::disaggregation::{self, PoolConfig, Settings};
use super::kv::{Directive, KvConfig};
use document::shape;
use serde_json::Value;

/// The format of clusters of one pool.
pub(super) const SCHEMA: &str = "engine-golden/1";

/// One golden file. The last three keys are notes: the recorded results do not depend on them.
#[derive(Debug, Default)]
pub(super) struct GoldenFile {
    /// Version of the format.
    pub schema: String,
    /// What to log; if missing, what the results say was logged.
    pub record: Option<Record>,
    /// Every setting of the cluster.
    pub config: Config,
    /// The requests, in the order of the file.
    pub requests: Vec<Request>,
    /// The expected results, by section.
    pub expected: serde_json::Map<String, Value>,
}

shape! {
    read struct GoldenFile {
        schema record config requests expected; "name" "notes" "oracle"
    }
}

impl GoldenFile {
    /// Whether it is in the format of pools with roles.
    pub(super) fn has_roles(&self) -> bool {
        self.schema == disaggregation::SCHEMA
    }

    /// What to log.
    pub(super) fn record(&self) -> Record {
        self.record.unwrap_or_else(|| Record::of(&self.expected))
    }
}

/// What to log.
#[apply(document::readable!)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Record {
    /// Steps of each replica; 0 leaves the key out.
    pub max_steps_per_instance: u32,
    /// The gaps between the tokens of each request.
    pub itl: bool,
    /// The router's candidates.
    pub candidates: bool,
}

impl Record {
    /// The logs that `expected` was made with.
    fn of(expected: &serde_json::Map<String, Value>) -> Self {
        let rows =
            |section: &str| expected.get(section).and_then(Value::as_array).map_or(&[][..], |rows| rows);
        // Logs that are all empty were requested too.
        let steps = rows("per_instance").iter().filter_map(|x| x.get("step_trace")?.as_array());
        let steps = steps.map(|log| log.len().max(1));
        Self {
            max_steps_per_instance: u32::try_from(steps.max().unwrap_or(0)).unwrap_or(u32::MAX),
            itl: rows("per_request").iter().any(|r| r.get("itl_us").is_some()),
            candidates: rows("routing").iter().any(|r| r.get("candidates").is_some()),
        }
    }
}

/// Every setting of the cluster, under the names of the format.
#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    /// "none" or "blis".
    pub compat: String,
    /// End of the run; 0 means no end.
    pub horizon_us: u64,
    /// How many replicas.
    pub num_instances: u32,
    /// KV blocks of each.
    pub total_kv_blocks: u32,
    /// Tokens in a block.
    pub block_size_tokens: u32,
    /// Blocks of the second tier; 0 means none.
    pub kv_cpu_blocks: u32,
    /// Share of blocks in use above which cached ones are copied down.
    pub kv_offload_threshold: f64,
    /// Tokens copied in a microsecond.
    pub kv_transfer_bandwidth: f64,
    /// Fixed time of copying one block.
    pub kv_transfer_base_latency: u64,
    /// Most requests in a batch.
    pub max_num_running_reqs: u64,
    /// Most tokens in a step.
    pub max_num_scheduled_tokens: u64,
    /// Longest prompt chunk; 0 means no limit.
    pub long_prefill_token_threshold: u64,
    /// Queueing delay and output overhead.
    pub alpha_coeffs: [f64; 3],
    /// Step time.
    pub beta_coeffs: Vec<f64>,
    /// Family of the latency model.
    pub latency_backend: String,
    /// GPUs of a replica.
    pub tp: u32,
    /// Shape of the model, for the families that need it.
    pub model_config: Option<ModelConfig>,
    /// Figures of the GPU, for the families that need them.
    pub hw_config: Option<HardwareConfig>,
    /// Which requests are admitted.
    pub admission_policy: String,
    /// Most tokens in the bucket of "token-bucket".
    pub token_bucket_capacity: f64,
    /// Tokens per second that flow into it.
    pub token_bucket_refill_rate: f64,
    /// Delay before the admission decision.
    pub admission_latency_us: u64,
    /// Routing policy.
    pub routing_policy: String,
    /// Scorers and weights of "weighted"; empty for its default.
    pub routing_scorers: String,
    /// Delay before the admission decision.
    pub routing_latency_us: u64,
    /// Age of the router's view.
    pub snapshot_refresh_interval_us: u64,
    /// Order of the wait queue.
    pub scheduler: String,
    /// Source of the priorities.
    pub priority_policy: String,
    /// How many routing candidates are logged; 0 also switches regret off.
    pub counterfactual_k: u64,
    /// Seed; the format draws nothing from it.
    pub seed: u64,
    /// The replicas by role; empty for one pool of them.
    pub pools: Vec<PoolConfig>,
    /// How requests are divided between the roles.
    pub disaggregation: Option<Settings>,
    /// The tiers below the GPU.
    pub kv: Option<KvConfig>,
}

shape! {
    read struct Config {
        compat horizon_us [null] num_instances total_kv_blocks block_size_tokens kv_cpu_blocks
        kv_offload_threshold kv_transfer_bandwidth kv_transfer_base_latency max_num_running_reqs
        max_num_scheduled_tokens long_prefill_token_threshold alpha_coeffs beta_coeffs latency_backend tp
        model_config hw_config admission_policy token_bucket_capacity token_bucket_refill_rate
        admission_latency_us routing_policy routing_scorers [null] routing_latency_us
        snapshot_refresh_interval_us scheduler priority_policy counterfactual_k seed pools [null]
        disaggregation kv
    }
}

/// Shape of a model. No step depends on the last two keys.
#[derive(Clone, Copy, Debug, Default)]
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
    pub num_local_experts: u32,
}

shape! {
    read struct ModelConfig {
        bytes_per_param hidden_size intermediate_size num_attention_heads num_hidden_layers
        num_key_value_heads num_local_experts; "num_experts_per_tok" "vocab_size"
    }
}

/// Figures of a GPU, and the roofline model's constants, as `scenario::RooflineSettings` explains them. No step depends on the last key.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HardwareConfig {
    pub tflops: f64,
    pub bandwidth: f64,
    pub bandwidth_efficiency: f64,
    pub step_us: f64,
    pub step_us_per_layer: f64,
    pub all_reduce_us: f64,
    pub prefill_efficiency: f64,
    pub decode_efficiency: f64,
}

shape! {
    read struct HardwareConfig {
        tflops = "TFlopsPeak" bandwidth = "BwPeakTBs" bandwidth_efficiency = "BwEffConstant"
        step_us = "TOverheadMicros" step_us_per_layer = "perLayerOverhead"
        all_reduce_us = "allReduceLatency" prefill_efficiency = "mfuPrefill" decode_efficiency = "mfuDecode"
       ; "MemoryGiB"
    }
}

/// One request.
#[derive(Debug, Default)]
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
    pub slo: String,
    /// Tenant.
    pub tenant: String,
    /// Session.
    pub session: String,
    /// What its client wants of its KV.
    pub retain: Vec<Directive>,
    /// Blocks that end within this number of tokens may leave the GPU.
    pub max_offload_tokens: Option<u32>,
}

shape! {
    read struct Request {
        id arrival_us input output slo [null] tenant [null] session [null] retain [null]
        max_offload_tokens [null]
    }
}

/// `n` tokens of text `s` from position `o`.
#[apply(document::readable!)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Segment {
    /// Number of the text, which counts modulo 2^32.
    pub s: u64,
    /// How many tokens.
    pub n: u32,
    /// Position of the first.
    pub o: u32,
}
