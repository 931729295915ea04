//! Tiers of the KV cache below the GPU: what they are, when blocks are written to them, and when they are read.

use crate::limits;
use crate::table::fields::fields;
use serde::{Deserialize, Serialize};

/// When a block is written to a tier.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TierWrite {
    /// When it is full, as in vLLM: the tier holds every block, including those on the GPU.
    #[default]
    WriteThrough,
    /// When the request that holds it completes.
    Release,
    /// When the GPU evicts it: the tier holds the blocks that the GPU no longer has.
    WriteBack,
    /// After a number of requests have had it (SGLang: `write_through_selective`).
    Selective(SelectiveWrite),
}

fields! {
    choice TierWrite [WriteThrough "write-through" Release "release" WriteBack "write-back"] { Selective "selective" }
}

/// How often a block has to be used before it is written to a tier.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectiveWrite {
    /// How many requests must have had it. Computing it counts as one.
    pub hits: u32,
}

fields! {
    struct SelectiveWrite {
        hits: "Uses" in [1, limits::WRITE_HITS] or "2 leaves out what occurs once" => Steps;
    }
}

impl Default for SelectiveWrite {
    fn default() -> Self {
        Self { hits: 2 }
    }
}

/// A tier below CPU memory, or below the GPU where there is no CPU tier.
#[apply(choice_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SecondaryTier {
    /// A disk of each replica (vLLM: `fs`; with 4 threads `obj`).
    Fs(FsTier),
    /// A store that replicas share.
    Store(StoreTier),
    /// CPU memory of other replicas (vLLM: `p2p`). The router says which of them: see `cluster.kv_source`.
    P2p(P2pTier),
}

fields! {
    choice SecondaryTier [] { Fs "fs" Store "store" P2p "p2p" }
}

/// A disk of each replica. A block takes at least its latency, and as many as there are threads are under way at once.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FsTier {
    /// Capacity in GB. 0 means no end.
    pub gb: f64,
    /// What goes when it is full.
    pub eviction: FsEviction,
    /// Speed of reads, in GB/s.
    pub read_gb_per_s: f64,
    /// Speed of writes, in GB/s.
    pub write_gb_per_s: f64,
    /// Time of a block from the request for it to its first byte.
    pub latency_us: u64,
    /// Blocks that are read at once.
    pub n_read_threads: u32,
    /// Blocks that are written at once.
    pub n_write_threads: u32,
    /// When blocks are written to it.
    pub write: TierWrite,
}

fields! {
    struct FsTier {
        gb: "Capacity" of "GB" in [0.0, limits::TIER_GB] or "use 0 for no end" => Stores;
        eviction: "Eviction" => Stores;
        read_gb_per_s: "Reads" of "GB/s" in [limits::TIER_GB_PER_S_MIN, limits::TIER_GB_PER_S]
            or "an NVMe disk reads about 5" => Stores;
        write_gb_per_s: "Writes" of "GB/s" in [limits::TIER_GB_PER_S_MIN, limits::TIER_GB_PER_S]
            or "an NVMe disk writes about 2" => Stores;
        latency_us: "Latency" of "µs" in [0, limits::LATENCY_US]
            or "it is in microseconds; 100 is an NVMe disk" and { "x-form": ["ms", 1000] } => Stores;
        n_read_threads: "Read threads" in [1, limits::TIER_THREADS] or "vLLM's default is 16" => Stores;
        n_write_threads: "Write threads" in [1, limits::TIER_THREADS] or "vLLM's default is 16" => Stores;
        write [omit]: "Written" => Steps;
    }
}

impl Default for FsTier {
    fn default() -> Self {
        Self {
            gb: 0.0,
            eviction: FsEviction::None,
            read_gb_per_s: 5.0,
            write_gb_per_s: 2.0,
            latency_us: 100,
            n_read_threads: 16,
            n_write_threads: 16,
            write: TierWrite::WriteThrough,
        }
    }
}

/// What goes when a disk is full.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FsEviction {
    /// Nothing: what finds no room is not written.
    #[default]
    None,
    /// The block used longest ago.
    Lru,
}

fields! {
    names FsEviction { None "none" Lru "lru" }
}

/// One of the stores of `cluster.kv_stores` as a tier.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoreTier {
    /// Name of the store.
    pub name: String,
    /// When blocks are written to it.
    pub write: TierWrite,
}

fields! {
    struct StoreTier {
        name: "Store" => Replace;
        write [omit]: "Written" => Steps;
    }
}

/// CPU memory of other replicas as a tier: blocks of a prompt are pulled from the one that the router names, which reads them
/// from its memory between two of its steps. Nothing is written to it.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct P2pTier {
    /// Time from the end of the other replica's step to the first byte: the question and the answer.
    pub base_us: u64,
}

fields! {
    struct P2pTier {
        base_us: "Latency" of "µs" in [0, limits::LATENCY_US]
            or "it is in microseconds" and { "x-form": ["ms", 1000] } => Stores;
    }
}

impl Default for P2pTier {
    fn default() -> Self {
        Self { base_us: 200 }
    }
}

/// Which replica a prompt's blocks are pulled from: as the request is routed, one of those with nearly the longest beginning of
/// its prompt in CPU memory, less likely the more requests wait there. A request that is sent to that replica itself, or to one
/// that has about as much, has none.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KvSource {
    /// How many more tokens of the prompt the other replica must have than the one that computes it (llm-d: `minCachedTokenDelta`).
    pub min_cached_token_delta: u32,
}

fields! {
    struct KvSource {
        min_cached_token_delta: "Lead" of "tokens" in [1, limits::REQUEST_TOKENS]
            or "1 pulls whatever the other replica has more" => Routing;
    }
}

impl Default for KvSource {
    fn default() -> Self {
        Self { min_cached_token_delta: 1 }
    }
}

/// A store of KV blocks that all pools share which name it among their `secondary_tiers`, if they have the same model and size of a block.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct KvStore {
    /// Name of the store.
    pub name: String,
    /// Servers that it is spread over: one reader can use all of them.
    pub servers: u32,
    /// Capacity of each server in GB. 0 means no end.
    pub gb: f64,
    /// Speed of the network port of each server in each direction, in GB/s. 50 is a network of 400 Gbit/s.
    pub port_gb_per_s: f64,
    /// Time from the request for blocks to their first byte.
    pub base_us: u64,
    /// What goes when it is full.
    pub eviction: StoreEviction,
    /// How long a block that was looked up for a read, or put again, cannot be evicted; a read that takes longer fails. 0 means for as long as it is read.
    pub lease_ms: f64,
    /// How long a block that nobody uses can be found. 0 means for ever.
    pub ttl_s: f64,
    /// Whether its contents are there again after a fault `kv-store`. A master that lost what it knew has none.
    pub keeps_contents: bool,
    /// Whether blocks under a directive with a priority above 0 go after all others while that directive lasts (Mooncake's soft pins).
    pub soft_pins: bool,
}

fields! {
    struct KvStore {
        name: "Name" => Stores;
        servers: "Servers" in [1, limits::STORE_SERVERS] or "1 is one server" => Stores;
        gb: "Capacity" of "GB" in [0.0, limits::TIER_GB] or "use 0 for no end" => Stores;
        port_gb_per_s: "Port" of "GB/s" in [limits::TIER_GB_PER_S_MIN, limits::TIER_GB_PER_S]
            or "50 is a network of 400 Gbit/s" => Stores;
        base_us: "Latency" of "µs" in [0, limits::LATENCY_US]
            or "it is in microseconds" and { "x-form": ["ms", 1000] } => Stores;
        eviction: "Eviction" => Stores;
        lease_ms [omit]: "Lease" of "ms" in [0.0, limits::HORIZON_MS]
            or "use 0 for none; Mooncake's is 10 s" => Stores;
        ttl_s [omit]: "Keeps" of "s" in [0.0, limits::HORIZON_S]
            or "use 0 for blocks that stay until they are evicted" => Stores;
        keeps_contents [omit]: "Keeps contents" => Stores;
        soft_pins [omit]: "Soft pins" => Stores;
    }
}

impl Default for KvStore {
    fn default() -> Self {
        Self {
            name: "store".to_owned(),
            servers: 1,
            gb: 0.0,
            port_gb_per_s: 50.0,
            base_us: 200,
            eviction: StoreEviction::None,
            lease_ms: 0.0,
            ttl_s: 0.0,
            keeps_contents: true,
            soft_pins: false,
        }
    }
}

/// What goes when a store is full.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum StoreEviction {
    /// Nothing: what finds no room is not written.
    #[default]
    None,
    /// The block used longest ago.
    Lru,
    /// A share of the blocks at once, those used longest ago, when there is no room or so much is in use (Mooncake).
    Watermark(Watermark),
}

fields! {
    choice StoreEviction [None "none" Lru "lru"] { Watermark "watermark" }
}

/// When a store makes room, and how much.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watermark {
    /// Share of the capacity in use from which it makes room.
    pub high: f64,
    /// Share of its blocks that go each time, at least one.
    pub share: f64,
}

fields! {
    struct Watermark {
        high: "Makes room from" in [0.01, 1.0] or "Mooncake's default is 0.9" => Stores;
        share: "Makes free" in [0.001, 1.0] or "Mooncake's default is 0.05" => Stores;
    }
}

impl Default for Watermark {
    fn default() -> Self {
        Self { high: 0.9, share: 0.05 }
    }
}

/// Whether what lies below CPU memory is read, or computed again.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LoadRule {
    /// It is always read (vLLM, LMCache).
    #[default]
    Always,
    /// It is read from a number of tokens on (SGLang: `prefetch_threshold`, 256).
    #[cfg_attr(feature = "schema", schemars(rename = "min_tokens"))]
    MinTokens(#[cfg_attr(feature = "schema", schemars(with = "FewestTokens"))] u32),
    /// It is read if that takes less time than computing would.
    #[cfg_attr(feature = "schema", schemars(rename = "break_even"))]
    BreakEven(BreakEven),
}

fields! {
    choice LoadRule [Always "always"] { MinTokens "min_tokens" BreakEven "break_even" }
}

/// How many tokens there have to be for a read.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(inline, transform = few_tokens)]
struct FewestTokens(#[expect(dead_code, reason = "its schema is what counts")] u32);

#[cfg(feature = "schema")]
fn few_tokens(schema: &mut schemars::Schema) {
    let notes = serde_json::json!({
        "minimum": 1, "maximum": limits::REQUEST_TOKENS, "default": 256, "x-label": "At least", "x-unit": "tokens",
        "x-edit": crate::table::notes::Effect::QueueJoin.kind(),
        "x-edit-help": crate::table::notes::Effect::QueueJoin.help(),
    });
    schema.ensure_object().extend(notes.as_object().cloned().into_iter().flatten());
}

/// What computing takes, for the decision whether to read.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BreakEven {
    /// Microseconds for a token of a prompt. Left out: by the step times of the pool.
    pub us_per_token: Option<f64>,
}

fields! {
    struct BreakEven {
        us_per_token [omit]: "Computing" of "µs/token" in [0.001, 1e6]
            or "leave it out for the step times of the pool" first 50.0 => QueueJoin;
    }
}

/// How long a request waits for blocks on their way to CPU memory.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadWait {
    /// Until all are there (vLLM).
    #[default]
    Complete,
    /// For a time, by their number; what has come by then is used (SGLang: `timeout`).
    Timeout(LoadTimeout),
}

fields! {
    choice LoadWait [Complete "complete"] { Timeout "timeout" }
}

/// How long that is.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadTimeout {
    /// Time that does not depend on their number.
    pub base_us: u64,
    /// Time for 1,024 tokens.
    pub per_ki_token_us: u64,
}

fields! {
    struct LoadTimeout {
        base_us: "Fixed" of "µs" in [0, limits::LATENCY_US]
            or "it is in microseconds" and { "x-form": ["ms", 1000] } => QueueJoin;
        per_ki_token_us: "For 1,024 tokens" of "µs" in [0, limits::LATENCY_US]
            or "it is in microseconds" and { "x-form": ["ms", 1000] } => QueueJoin;
    }
}

/// When a request asks for what lies below CPU memory.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadAsked {
    /// When its turn in the queue comes (vLLM).
    #[default]
    Turn,
    /// As it joins the queue (SGLang).
    Arrival,
}

fields! {
    names LoadAsked { Turn "turn" Arrival "arrival" }
}
