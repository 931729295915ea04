//! What the format has beside that of one pool.

use document::shape;

/// Some replicas, and what differs from the cluster's settings.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default)]
pub(in crate::golden) struct PoolConfig {
    /// "mixed", "prefill" or "decode".
    pub role: String,
    /// How many.
    pub replicas: u32,
    pub total_kv_blocks: Option<u32>,
    pub max_num_running_reqs: Option<u64>,
    pub max_num_scheduled_tokens: Option<u64>,
    pub long_prefill_token_threshold: Option<u64>,
    pub alpha_coeffs: Option<[f64; 3]>,
    pub beta_coeffs: Option<Vec<f64>>,
    pub tp: Option<u32>,
    pub scheduler: Option<String>,
    pub priority_policy: Option<String>,
    /// Bytes per second of a replica's ports in each direction.
    pub port_bytes_per_s: Option<u64>,
}

impl PoolConfig {
    /// Whether it has a setting of its own under that key.
    pub(super) fn has(&self, key: &str) -> bool {
        match key {
            "total_kv_blocks" => self.total_kv_blocks.is_some(),
            "max_num_running_reqs" => self.max_num_running_reqs.is_some(),
            "max_num_scheduled_tokens" => self.max_num_scheduled_tokens.is_some(),
            "long_prefill_token_threshold" => self.long_prefill_token_threshold.is_some(),
            "alpha_coeffs" => self.alpha_coeffs.is_some(),
            "beta_coeffs" => self.beta_coeffs.is_some(),
            "tp" => self.tp.is_some(),
            "scheduler" => self.scheduler.is_some(),
            "priority_policy" => self.priority_policy.is_some(),
            "port_bytes_per_s" => self.port_bytes_per_s.is_some(),
            other => matches!(other, "role" | "replicas"),
        }
    }
}

/// Who prefills, and how the KV gets to the decode replica.
#[derive(Clone, Debug)]
pub(in crate::golden) struct Settings {
    pub decider: DeciderConfig,
    /// "pull" or "push".
    pub handoff: String,
    /// "decode" or "prefill".
    pub first_token: String,
    /// Routing policy of the second decision; empty for that of the first, with its scorers.
    pub prefill_routing_policy: String,
    pub prefill_routing_scorers: String,
    pub transfer: TransferConfig,
}

shape! {
    read struct Settings {
        decider handoff first_token prefill_routing_policy [null] prefill_routing_scorers [null] transfer
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            decider: DeciderConfig::default(),
            handoff: "pull".to_owned(),
            first_token: "decode".to_owned(),
            prefill_routing_policy: String::new(),
            prefill_routing_scorers: String::new(),
            transfer: TransferConfig::default(),
        }
    }
}

/// Who prefills.
#[apply(document::readable!)]
#[derive(Clone, Debug)]
pub(in crate::golden) struct DeciderConfig {
    /// "always", "never" or "threshold".
    pub kind: String,
    pub uncached_tokens: u64,
    pub uncached_share: f64,
    pub prefill_in_flight: u64,
}

impl Default for DeciderConfig {
    fn default() -> Self {
        Self { kind: "always".to_owned(), uncached_tokens: 0, uncached_share: 0.0, prefill_in_flight: 0 }
    }
}

/// How KV moves.
#[apply(document::readable!)]
#[derive(Clone, Debug)]
pub(in crate::golden) struct TransferConfig {
    pub kv_bytes_per_token: u64,
    pub port_bytes_per_s: u64,
    pub base_us: u64,
    pub overlap: f64,
    pub shared: bool,
}

impl Default for TransferConfig {
    fn default() -> Self {
        Self {
            kv_bytes_per_token: 131_072,
            port_bytes_per_s: 50_000_000_000,
            base_us: 0,
            overlap: 0.0,
            shared: true,
        }
    }
}
