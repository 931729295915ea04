//! What the format has beside that of one pool without tiers.

use document::shape;

/// The tiers below the GPU, and the life of a session's KV. Rules that are not simulated are read all the same.
#[derive(Clone, Debug)]
pub(in crate::golden) struct KvConfig {
    pub bytes_per_token: u64,
    /// Bytes per second of the ports of a replica in each direction.
    pub port_bytes_per_s: u64,
    pub shared_ports: bool,
    pub cpu: Option<CpuConfig>,
    pub prompt_only: bool,
    pub tiers: Vec<TierConfig>,
    pub store: Option<StoreConfig>,
    pub read: ReadConfig,
    pub wait: WaitConfig,
    /// "turn" or "arrival".
    pub ask: String,
    pub retention: RetentionConfig,
    pub session: SessionConfig,
    pub scorer_weights: ScorerWeights,
    pub faults: Vec<FaultConfig>,
}

shape! {
    read struct KvConfig {
        bytes_per_token port_bytes_per_s shared_ports cpu [null] prompt_only tiers store [null] read wait ask
        retention session scorer_weights faults
    }
}

impl Default for KvConfig {
    fn default() -> Self {
        Self {
            bytes_per_token: 131_072,
            port_bytes_per_s: 50_000_000_000,
            shared_ports: true,
            cpu: None,
            prompt_only: false,
            tiers: Vec::new(),
            store: None,
            read: ReadConfig::default(),
            wait: WaitConfig::default(),
            ask: "turn".to_owned(),
            retention: RetentionConfig::default(),
            session: SessionConfig::default(),
            scorer_weights: ScorerWeights::default(),
            faults: Vec::new(),
        }
    }
}

/// The CPU tier.
#[apply(document::readable!)]
#[derive(Clone, Debug)]
pub(in crate::golden) struct CpuConfig {
    pub blocks: u32,
    /// "full", "release", "hits" or "evict".
    pub write: String,
    pub write_hits: u32,
    pub ttl_us: u64,
    /// "lru" or "belady".
    pub eviction: String,
}

impl Default for CpuConfig {
    fn default() -> Self {
        Self { blocks: 0, write: "full".to_owned(), write_hits: 2, ttl_us: 0, eviction: "lru".to_owned() }
    }
}

/// A tier below CPU memory.
#[derive(Clone, Debug)]
pub(in crate::golden) struct TierConfig {
    /// "fs", "store" or "p2p".
    pub kind: String,
    pub name: Option<String>,
    /// "through", "release", "hits" or "evict".
    pub write: String,
    pub write_hits: u32,
    pub blocks: u64,
    pub eviction: String,
    pub read_bytes_per_s: u64,
    pub write_bytes_per_s: u64,
    pub latency_us: u64,
    pub n_read_threads: u32,
    pub n_write_threads: u32,
    pub base_us: u64,
    pub min_cached_token_delta: u64,
}

shape! {
    read struct TierConfig {
        kind = "type" name [null] write write_hits blocks eviction read_bytes_per_s write_bytes_per_s latency_us
        n_read_threads n_write_threads base_us min_cached_token_delta
    }
}

impl Default for TierConfig {
    fn default() -> Self {
        Self {
            kind: String::new(),
            name: None,
            write: "through".to_owned(),
            write_hits: 2,
            blocks: 0,
            eviction: "none".to_owned(),
            read_bytes_per_s: 0,
            write_bytes_per_s: 0,
            latency_us: 0,
            n_read_threads: 16,
            n_write_threads: 16,
            base_us: 0,
            min_cached_token_delta: 1,
        }
    }
}

/// The store that replicas share.
#[apply(document::readable!)]
#[derive(Clone, Debug)]
pub(in crate::golden) struct StoreConfig {
    pub blocks: u64,
    /// "none", "lru" or "watermark".
    pub eviction: String,
    pub high_watermark: f64,
    pub eviction_share: f64,
    pub lease_us: u64,
    pub ttl_us: u64,
    pub read_bytes_per_s: u64,
    pub write_bytes_per_s: u64,
    pub base_us: u64,
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self {
            blocks: 0,
            eviction: "none".to_owned(),
            high_watermark: 0.9,
            eviction_share: 0.05,
            lease_us: 0,
            ttl_us: 0,
            read_bytes_per_s: 0,
            write_bytes_per_s: 0,
            base_us: 0,
        }
    }
}

/// Whether what lies below is worth its way.
#[apply(document::readable!)]
#[derive(Clone, Debug)]
pub(in crate::golden) struct ReadConfig {
    /// "always", "tokens" or "cost".
    pub rule: String,
    pub min_tokens: u64,
    pub ns_per_token: u64,
}

impl Default for ReadConfig {
    fn default() -> Self {
        Self { rule: "always".to_owned(), min_tokens: 0, ns_per_token: 0 }
    }
}

/// How long a request waits for what lies below.
#[apply(document::readable!)]
#[derive(Clone, Debug)]
pub(in crate::golden) struct WaitConfig {
    /// "complete" or "timeout".
    pub until: String,
    pub base_us: u64,
    pub per_ki_token_us: u64,
}

impl Default for WaitConfig {
    fn default() -> Self {
        Self { until: "complete".to_owned(), base_us: 0, per_ki_token_us: 0 }
    }
}

/// The order of eviction on the GPU.
#[apply(document::readable!)]
#[derive(Clone, Debug)]
pub(in crate::golden) struct RetentionConfig {
    /// "lru", "vllm", "sglang", "trtllm" or "belady".
    pub order: String,
}

impl Default for RetentionConfig {
    fn default() -> Self {
        Self { order: "lru".to_owned() }
    }
}

/// What becomes of the KV of a session between its turns.
#[derive(Clone, Debug, Default)]
pub(in crate::golden) struct SessionConfig {
    pub supersede: bool,
    pub demote_us: Option<u64>,
    pub prefetch: Option<PrefetchConfig>,
    pub hint: Option<HintConfig>,
}

shape! {
    read struct SessionConfig { supersede demote_us [null] prefetch [null] hint [null] }
}

/// When what a session will need comes back before its turn.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default)]
pub(in crate::golden) struct PrefetchConfig {
    /// "known", "fixed", "ewma" or "pause".
    pub when: String,
    pub lead_us: u64,
    pub gap_us: u64,
    pub weight_milli: u64,
    pub to: String,
    pub reserve_blocks: u64,
    pub hold_us: u64,
    pub hold_priority: u64,
}

/// The gateway's directive for sessions that bring none.
#[apply(document::readable!)]
#[derive(Clone, Debug, Default)]
pub(in crate::golden) struct HintConfig {
    pub quantile: f64,
    pub min_us: u64,
    pub max_us: u64,
    pub priority: u64,
    pub tokens: u64,
    pub budget_tokens: u64,
    pub least_gaps: u64,
}

/// What a leading block is worth to a router in each tier.
#[apply(document::readable!)]
#[derive(Clone, Debug)]
pub(in crate::golden) struct ScorerWeights {
    pub gpu: f64,
    pub cpu: f64,
    pub fs: f64,
    pub store: f64,
}

impl Default for ScorerWeights {
    fn default() -> Self {
        Self { gpu: 1.0, cpu: 0.75, fs: 0.25, store: 0.25 }
    }
}

/// What breaks.
#[derive(Clone, Debug, Default)]
pub(in crate::golden) struct FaultConfig {
    /// `store_down` or `crash`.
    pub kind: String,
    pub instance: u32,
    pub from_us: u64,
    pub until_us: u64,
}

shape! {
    read struct FaultConfig { kind instance from_us until_us [null] }
}

/// What a client wants of some of a request's tokens.
#[derive(Clone, Debug, Default)]
pub(in crate::golden) struct Directive {
    pub start: u32,
    pub end: Option<u32>,
    pub priority: u32,
    pub duration_us: Option<u64>,
}

shape! {
    read struct Directive { start end [null] priority duration_us [null] }
}
