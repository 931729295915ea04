//! The tiers of a golden file as those of a pool, and what of them is not simulated.

use super::super::file::{Config, GoldenFile, Request};
use super::super::wrong::wrong;
use super::SCHEMA;
use super::file::{Directive, KvConfig, ScorerWeights, TierConfig};
use base::{Diagnostic, Diagnostics};
use document::{
    BreakEven, CpuEviction, CpuTier, EvictionOrder, FsEviction, FsTier, KvCache, KvHint, KvSource, KvStore,
    LoadAsked, LoadRule, LoadTimeout, LoadWait, P2pTier, PrefetchTo, PrefetchWhen, Retention, RoutingPolicy,
    SecondaryTier, SelectiveWrite, SessionKv, SessionPrefetch, StoreEviction, StoreTier, TierWeights,
    TierWrite, Transfer, Watermark, Weighted, limits,
};
use engine::policy::kv_source::draw_of_text;

const WRITES: &str = "full, release, hits, evict";

/// When a tier is written; `through` is what the tier calls writing as a block comes to the tier above.
fn write(name: &str, hits: u32, through: &str) -> Option<TierWrite> {
    match name {
        "release" => Some(TierWrite::Release),
        "hits" => Some(TierWrite::Selective(SelectiveWrite { hits })),
        "evict" => Some(TierWrite::WriteBack),
        other if other == through => Some(TierWrite::WriteThrough),
        _ => None,
    }
}

/// Blocks of the file as a capacity in GB: half a block more, so that none is lost to rounding. 0 is no end in both.
fn gb(kv: &KvConfig, block_tokens: u32, blocks: u64) -> f64 {
    let bytes = kv.bytes_per_token as f64 * f64::from(block_tokens);
    if blocks == 0 { 0.0 } else { (blocks as f64 + 0.5) * bytes / 1e9 }
}

/// The KV cache of a replica with the tiers of the file.
pub(in crate::golden) fn cache(c: &Config, plain: &KvCache) -> KvCache {
    let kv = c.kv.clone().unwrap_or_default();
    let load = match kv.read.rule.as_str() {
        "tokens" => LoadRule::MinTokens(u32::try_from(kv.read.min_tokens).unwrap_or(u32::MAX)),
        "cost" => LoadRule::BreakEven(BreakEven { us_per_token: Some(kv.read.ns_per_token as f64 / 1e3) }),
        _ => LoadRule::Always,
    };
    let has_cpu = kv.cpu.is_some();
    let timeout = LoadTimeout { base_us: kv.wait.base_us, per_ki_token_us: kv.wait.per_ki_token_us };
    let waits = has_cpu && kv.wait.until == "timeout";
    let plain = KvCache {
        offload_prompt_only: kv.prompt_only,
        secondary_tiers: kv.tiers.iter().map(|tier| secondary(&kv, c.block_size_tokens, tier)).collect(),
        load,
        // Without a CPU tier the format ignores both.
        load_wait: if waits { LoadWait::Timeout(timeout) } else { LoadWait::Complete },
        load_asked: if has_cpu && kv.ask == "arrival" { LoadAsked::Arrival } else { LoadAsked::Turn },
        eviction_order: eviction_order(&kv.retention.order),
        ..plain.clone()
    };
    let Some(cpu) = &kv.cpu else { return plain };
    KvCache {
        cpu_blocks: cpu.blocks,
        cpu_tier: CpuTier::Offloading,
        cpu_write: write(&cpu.write, cpu.write_hits, "full").unwrap_or_default(),
        cpu_eviction: if cpu.eviction == "belady" { CpuEviction::Belady } else { CpuEviction::Lru },
        cpu_ttl_s: cpu.ttl_us as f64 / 1e6,
        transfer_tokens_per_us: c.kv_transfer_bandwidth,
        transfer_base_us: c.kv_transfer_base_latency,
        ..plain
    }
}

fn secondary(kv: &KvConfig, block_tokens: u32, tier: &TierConfig) -> SecondaryTier {
    let write = write(&tier.write, tier.write_hits, "through").unwrap_or_default();
    if tier.kind == "p2p" {
        return SecondaryTier::P2p(P2pTier { base_us: tier.base_us });
    }
    if tier.kind != "fs" {
        return SecondaryTier::Store(StoreTier { name: STORE.to_owned(), write });
    }
    SecondaryTier::Fs(FsTier {
        gb: gb(kv, block_tokens, tier.blocks),
        eviction: if tier.eviction == "lru" { FsEviction::Lru } else { FsEviction::None },
        read_gb_per_s: tier.read_bytes_per_s as f64 / 1e9,
        write_gb_per_s: tier.write_bytes_per_s as f64 / 1e9,
        latency_us: tier.latency_us,
        n_read_threads: tier.n_read_threads,
        n_write_threads: tier.n_write_threads,
        write,
    })
}

/// From whom blocks are pulled, where the file has a tier of peers.
pub(in crate::golden) fn source(c: &Config) -> Option<KvSource> {
    let tiers = c.kv.as_ref().map_or(&[][..], |kv| &kv.tiers);
    let lead = tiers.iter().find(|tier| tier.kind == "p2p")?.min_cached_token_delta;
    Some(KvSource { min_cached_token_delta: u32::try_from(lead).unwrap_or(u32::MAX) })
}

/// The routing policy, with what blocks are worth in each tier.
pub(in crate::golden) fn routing(c: &Config, policy: RoutingPolicy) -> RoutingPolicy {
    let (RoutingPolicy::Weighted(weighted), Some(kv)) = (&policy, &c.kv) else { return policy };
    let ScorerWeights { gpu, cpu, fs, store } = kv.scorer_weights;
    let tier_weights = TierWeights { gpu, cpu, disk: fs, store };
    RoutingPolicy::Weighted(Weighted { tier_weights, ..weighted.clone() })
}

/// Where requests stand among equal peers: by their names, not by their numbers.
pub(in crate::golden) fn draws(file: &GoldenFile) -> Vec<u32> {
    file.requests.iter().map(|r| draw_of_text(&r.id)).collect()
}

fn eviction_order(name: &str) -> EvictionOrder {
    match name {
        "vllm" => EvictionOrder::Vllm,
        "sglang" => EvictionOrder::Sglang,
        "trtllm" => EvictionOrder::Trtllm,
        "belady" => EvictionOrder::Belady,
        _ => EvictionOrder::Lru,
    }
}

fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}

/// What a request of the file wants kept.
pub(in crate::golden) fn directive(d: &Directive) -> Retention {
    Retention { start: d.start, end: d.end, priority: d.priority, duration_s: d.duration_us.map(seconds) }
}

/// What becomes of the KV of the file's sessions.
pub(in crate::golden) fn session_kv(c: &Config) -> Option<SessionKv> {
    let session = &c.kv.as_ref()?.session;
    let prefetch = session.prefetch.as_ref().map(|p| SessionPrefetch {
        when: match p.when.as_str() {
            "fixed" => PrefetchWhen::Fixed,
            "ewma" => PrefetchWhen::Ewma,
            "pause" => PrefetchWhen::Pause,
            _ => PrefetchWhen::Known,
        },
        lead_s: seconds(p.lead_us),
        gap_s: seconds(p.gap_us),
        weight: if p.weight_milli > 0 { p.weight_milli as f64 / 1e3 } else { 0.5 },
        to: if p.to == "cpu" { PrefetchTo::Cpu } else { PrefetchTo::Gpu },
        reserve_blocks: u32::try_from(p.reserve_blocks).unwrap_or(u32::MAX),
        hold_s: seconds(p.hold_us),
    });
    let kv =
        SessionKv { supersede: session.supersede, demote_after_s: session.demote_us.map(seconds), prefetch };
    (kv != SessionKv::default()).then_some(kv)
}

/// What the gateway of the file wants kept.
pub(in crate::golden) fn hint(c: &Config) -> Option<KvHint> {
    let hint = c.kv.as_ref()?.session.hint.as_ref()?;
    let number = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Some(KvHint {
        quantile: hint.quantile,
        least_gaps: number(hint.least_gaps),
        min_s: seconds(hint.min_us),
        max_s: seconds(hint.max_us),
        priority: number(hint.priority),
        head_tokens: number(hint.tokens),
        budget_tokens: hint.budget_tokens,
    })
}

/// The name of the store of a file.
pub(super) const STORE: &str = "store";

/// The stores of the file: one at most.
pub(in crate::golden) fn stores(c: &Config) -> Vec<KvStore> {
    let Some((kv, store)) = c.kv.as_ref().and_then(|kv| Some((kv, kv.store.as_ref()?))) else {
        return Vec::new();
    };
    let mark = Watermark { high: store.high_watermark, share: store.eviction_share };
    vec![KvStore {
        name: STORE.to_owned(),
        servers: 1,
        gb: gb(kv, c.block_size_tokens, store.blocks),
        port_gb_per_s: store.read_bytes_per_s as f64 / 1e9,
        base_us: store.base_us,
        eviction: match store.eviction.as_str() {
            "lru" => StoreEviction::Lru,
            "watermark" => StoreEviction::Watermark(mark),
            _ => StoreEviction::None,
        },
        lease_ms: store.lease_us as f64 / 1e3,
        ttl_s: store.ttl_us as f64 / 1e6,
        keeps_contents: true,
        soft_pins: false,
    }]
}

/// Speeds of the stores to readers and from writers.
pub(in crate::golden) fn store_ports(c: &Config) -> Vec<[u64; 2]> {
    let store = c.kv.as_ref().and_then(|kv| kv.store.as_ref());
    store.map(|store| [store.read_bytes_per_s, store.write_bytes_per_s]).into_iter().collect()
}

/// The ports of replicas, where the file has tiers.
pub(in crate::golden) fn transfer(c: &Config) -> Option<Transfer> {
    let kv = c.kv.as_ref()?;
    Some(Transfer { shared_ports: kv.shared_ports, ..Transfer::default() })
}

/// Adds the problems of what the file says of tiers: names that the format does not have, and rules that are not simulated.
pub(in crate::golden) fn problems(file: &GoldenFile, problems: &mut Diagnostics) {
    if file.schema != SCHEMA {
        foreign(&file.requests, problems);
    }
    let Some(kv) = &file.config.kv else { return };
    if file.schema != SCHEMA {
        let fix = format!("remove it, or write \"schema\": \"{SCHEMA}\"");
        let allowed = format!("a file of schema {SCHEMA} with this key");
        problems.push(Diagnostic::error("config.kv", "unknown key `kv`", allowed, fix));
        return;
    }
    names(kv, problems);
    if let Some(cpu) = &kv.cpu {
        if write(&cpu.write, cpu.write_hits, "full").is_none() {
            wrong("config.kv.cpu.write", &cpu.write, WRITES, problems);
        }
        if cpu.ttl_us > limits::HORIZON_US {
            let found = cpu.ttl_us.to_string();
            let fix = "0 is no time to live";
            problems.push(Diagnostic::error("config.kv.cpu.ttl_us", found, "up to 30 days", fix));
        }
    }
    if file.config.kv_cpu_blocks > 0 {
        let found = file.config.kv_cpu_blocks.to_string();
        problems.push(Diagnostic::error("config.kv_cpu_blocks", found, "0", "the CPU tier is config.kv.cpu"));
    }
    if let Some((key, what)) = left_out(kv) {
        let fix = "this rule is not simulated yet; take a file without it";
        problems.push(Diagnostic::error(format!("config.kv.{key}"), what, "", fix));
    }
}

/// Keys of requests that only this format has, in a file of another.
fn foreign(requests: &[Request], problems: &mut Diagnostics) {
    for (i, r) in requests.iter().enumerate() {
        let keys = [
            ("session", !r.session.is_empty()),
            ("retain", !r.retain.is_empty()),
            ("max_offload_tokens", r.max_offload_tokens.is_some()),
        ];
        for (key, _) in keys.into_iter().filter(|(_, is_there)| *is_there) {
            let (path, found) = (format!("requests[{i}].{key}"), format!("unknown key `{key}`"));
            let allowed = "id, arrival_us, input, output, slo, tenant";
            problems.push(Diagnostic::error(path, found, allowed, "remove it"));
        }
    }
}

/// Names that the format does not have.
fn names(kv: &KvConfig, problems: &mut Diagnostics) {
    let mut check = |key: &str, found: &str, allowed: &[&str]| {
        if !allowed.contains(&found) {
            wrong(&format!("config.kv.{key}"), found, &allowed.join(", "), problems);
        }
    };
    check("read.rule", &kv.read.rule, &["always", "tokens", "cost"]);
    check("wait.until", &kv.wait.until, &["complete", "timeout"]);
    check("ask", &kv.ask, &["turn", "arrival"]);
    check("retention.order", &kv.retention.order, &["lru", "vllm", "sglang", "trtllm", "belady"]);
    if let Some(p) = &kv.session.prefetch {
        check("session.prefetch.when", &p.when, &["known", "fixed", "ewma", "pause"]);
        check("session.prefetch.to", if p.to.is_empty() { "gpu" } else { &p.to }, &["gpu", "cpu"]);
    }
    if let Some(cpu) = &kv.cpu {
        check("cpu.eviction", &cpu.eviction, &["lru", "belady"]);
    }
    for (i, tier) in kv.tiers.iter().enumerate() {
        check(&format!("tiers[{i}].type"), &tier.kind, &["fs", "store", "p2p"]);
        check(&format!("tiers[{i}].write"), &tier.write, &["through", "release", "hits", "evict"]);
        check(&format!("tiers[{i}].eviction"), &tier.eviction, &["none", "lru"]);
    }
    if kv.store.is_none() && kv.tiers.iter().any(|tier| tier.kind == "store") {
        problems.push(Diagnostic::error(
            "config.kv.store",
            "no such key",
            "a store",
            "add it: a tier is one",
        ));
    }
    let mut check = |key: &str, found: &str, allowed: &[&str]| {
        if !allowed.contains(&found) {
            wrong(&format!("config.kv.{key}"), found, &allowed.join(", "), problems);
        }
    };
    if let Some(store) = &kv.store {
        check("store.eviction", &store.eviction, &["none", "lru", "watermark"]);
    }
    for (i, fault) in kv.faults.iter().enumerate() {
        check(&format!("faults[{i}].kind"), &fault.kind, &["store_down", "crash"]);
    }
}

/// What the file asks for that is not simulated: key, and what it says.
fn left_out(kv: &KvConfig) -> Option<(&'static str, &'static str)> {
    let endless = kv.store.as_ref().is_some_and(|store| store.eviction == "watermark" && store.blocks == 0);
    endless.then_some(("store.blocks", "a watermark of no end"))
}
