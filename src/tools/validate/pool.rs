//! Turns the servers of an experiment into a pool of a scenario.

use super::experiment::Experiment;
use base::SortedMap;
use document::{
    Architecture, BatchLimit, CalibratedCoefficients, CalibratedSettings, EngineGeneration, KvBlocks,
    LatencyClock, LatencyModel, Pool, Precision, RooflineSettings, RoutingPolicy, limits, model_key,
};
use engine::perf::{self, KnownModel};

/// The latency model of a replay.
#[derive(Clone, Debug, PartialEq)]
pub enum Latency {
    /// The catalogue's coefficients.
    Catalogue,
    /// The roofline with its defaults.
    Roofline,
    /// The built-in calibrated coefficients.
    Calibrated,
    /// The user's calibrated coefficients, by GPU and release; the others are built in.
    Own(Vec<(String, EngineGeneration, Found)>),
}

/// The coefficients of a fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Coefficients of all models.
    pub coefficients: CalibratedCoefficients,
    /// By model: how much longer its layers take than those of others, in microseconds.
    pub models: SortedMap<String, f64>,
}

/// The name of a pool's GPU, without text in brackets.
pub(super) fn gpu_name(gpu: &str) -> String {
    let bare = gpu.split(" (").next().unwrap_or(gpu).trim();
    perf::known_gpu(bare).map_or_else(|| bare.to_owned(), |g| g.name.clone())
}

/// The built-in coefficients, by GPU and release.
pub fn built_in() -> Vec<(String, EngineGeneration, Found)> {
    let own =
        |c: &perf::Calibration| Found { coefficients: c.coefficients.clone(), models: c.models.clone() };
    perf::calibrations().iter().map(|c| (c.gpu.clone(), c.engine, own(c))).collect()
}

/// The key of a model without a precision at its end.
pub fn without_precision(key: &str) -> &str {
    let ends = ["-fp8-dynamic", "-fp8", "-fp4", "-nvfp4", "-awq"];
    ends.iter().find_map(|end| key.strip_suffix(end)).unwrap_or(key)
}

/// The model as the catalogue names it, if it does.
pub fn model_name(e: &Experiment) -> Option<&'static str> {
    perf::known_model(&model_key(&e.model)).map(|known| known.name.as_str())
}

/// The model's shape, with weights of the experiment's precision.
pub(super) fn shape(e: &Experiment) -> Option<Architecture> {
    let mut a = bare_shape(e)?;
    if e.text("/engine/kv_dtype").starts_with("fp8") {
        a.bytes_per_kv_value = 1.0;
    }
    Some(a)
}

/// The shape of a row of a table of many models: as the catalogue has it if it says the same number format for the
/// experts, or for all of a dense model; else with the row's formats.
fn listed_shape(e: &Experiment, mut a: Architecture) -> Architecture {
    let overall = format_of(e.text("/precision"));
    let [common, routed] =
        ["common", "routed"].map(|part| format_of(e.text(&format!("/formats/{part}"))).or(overall));
    let bits = |precision: Precision| match precision {
        Precision::Auto | Precision::Bf16 => 16,
        Precision::Fp8 | Precision::Fp8WeightOnly | Precision::Int8 => 8,
        Precision::W4a16 | Precision::Mxfp4 | Precision::Nvfp4 => 4,
    };
    let by_bytes = |own: Precision, bytes: f64| match own {
        Precision::Auto if bytes >= 1.5 => 16,
        Precision::Auto if bytes >= 0.75 => 8,
        Precision::Auto => 4,
        own => bits(own),
    };
    if a.experts > 0 {
        let own = if a.expert_precision == Precision::Auto { a.precision } else { a.expert_precision };
        let known = by_bytes(own, a.bytes_per_expert_param());
        if routed.is_none_or(|routed| bits(routed) == known) {
            return a;
        }
    } else if common.is_none_or(|common| bits(common) == by_bytes(a.precision, a.bytes_per_param)) {
        return a;
    }
    if let Some(common) = common {
        (a.precision, a.bytes_per_param) = (common, bytes_of(common));
    }
    if let Some(routed) = routed.filter(|_| a.experts > 0) {
        (a.expert_precision, a.bytes_per_expert_param) = (routed, bytes_of(routed));
    }
    a
}

/// A number format as tables call it.
fn format_of(name: &str) -> Option<Precision> {
    let name = name.to_ascii_lowercase();
    let found = [
        ("mxfp4", Precision::Mxfp4),
        ("w4a8_mxfp4", Precision::Mxfp4),
        ("w4a16", Precision::W4a16),
        ("int4", Precision::W4a16),
        ("nvfp4", Precision::Nvfp4),
        ("fp4", Precision::Nvfp4),
        ("int8", Precision::Int8),
        ("fp8", Precision::Fp8),
        ("bf16", Precision::Bf16),
        ("fp16", Precision::Bf16),
        ("float16", Precision::Bf16),
    ];
    found.iter().find(|(part, _)| name.contains(part)).map(|(_, precision)| *precision)
}

/// Bytes of a weight with its share of the scales.
fn bytes_of(precision: Precision) -> f64 {
    match precision {
        Precision::Auto | Precision::Bf16 => 2.0,
        Precision::Fp8 | Precision::Fp8WeightOnly | Precision::Int8 => 1.0,
        Precision::W4a16 | Precision::Nvfp4 => 0.5625,
        Precision::Mxfp4 => 0.531_25,
    }
}

fn bare_shape(e: &Experiment) -> Option<Architecture> {
    let key = model_key(e.model.split(" (").next().unwrap_or(&e.model));
    let bare = without_precision(&key);
    let known: &KnownModel = perf::known_model(&key).or_else(|| perf::known_model(bare))?;
    let mut a = known.architecture.clone();
    if e.is_listed() {
        return Some(listed_shape(e, a));
    }
    // Published in this format alone.
    if a.precision == Precision::Bf16 && a.expert_precision != Precision::Auto {
        return Some(a);
    }
    let precision = e.text("/precision").to_ascii_lowercase();
    if precision.contains("mxfp4") {
        a.bytes_per_param = 0.531_25;
    } else if precision.contains("fp4") {
        a.bytes_per_param = 0.562_5;
    } else if precision.contains("fp8") || precision.contains("int8") {
        a.bytes_per_param = 1.0;
    } else if precision.contains("16") {
        a.bytes_per_param = 2.0;
    }
    Some(a)
}

/// The number formats of the experiment's weights and cache, in words.
pub fn precision_name(e: &Experiment) -> String {
    shape(e).map_or_else(|| "unknown".to_owned(), |a| perf::precision(&a))
}

/// Data-parallel ranks of each server: replicas behind the server's own balancer.
pub(super) fn ranks(e: &Experiment) -> u32 {
    e.count("/engine/dp").unwrap_or(1).max(1)
}

/// Stages of each replica.
fn stages(e: &Experiment) -> u32 {
    e.count("/engine/pp").unwrap_or(1).max(1)
}

/// The release of the engine as far as costs differ. A fleet without a number was measured in autumn 2025; others
/// count as the middle of the measured releases.
pub(super) fn generation(e: &Experiment) -> EngineGeneration {
    // Releases of other engines count otherwise.
    if e.is_apart() && !e.text("/engine/name").starts_with("vllm") {
        return EngineGeneration::Latest.release();
    }
    match e.release() {
        Some((0, minor)) if minor < 10 => EngineGeneration::Early,
        Some((0, minor)) if minor < 14 => EngineGeneration::Synchronous,
        Some((0, minor)) if minor < 18 => EngineGeneration::Ahead,
        Some((0, minor)) if minor < 21 => EngineGeneration::V018,
        Some(_) => EngineGeneration::V021,
        None if e.at("/router").is_some() => EngineGeneration::Synchronous,
        None => EngineGeneration::Ahead,
    }
}

/// The GPU as the catalogue names it, and the release of the engine: the key of coefficients.
pub fn served_by(e: &Experiment) -> (String, EngineGeneration) {
    (gpu_name(&e.gpu), generation(e))
}

/// Features of an experiment that scenarios do not have.
pub(super) fn beyond(e: &Experiment) -> Option<&'static str> {
    if !e.is_split() && e.text("/mode").starts_with("disagg") {
        return Some("prefill and decode on different replicas, without the numbers of both");
    }
    if !matches!(e.text("/backend"), "" | "vllm") {
        return Some("another engine than vLLM");
    }
    if stages(e) > 1 && ranks(e) > 1 {
        return Some("pipeline parallelism of data-parallel ranks");
    }
    e.at("/engine/speculative").map(|_| "speculative decoding")
}

/// The pool that serves an experiment at a tensor parallelism; the error names the feature that is not modelled.
pub(super) fn pool(e: &Experiment, tp: u32, latency: &Latency) -> Result<Pool, String> {
    if let Some(why) = beyond(e) {
        return Err(why.to_owned());
    }
    if e.is_split() {
        return Err("prefill and decode on different replicas: no single pool".to_owned());
    }
    served(e, tp, latency)
}

/// The same of replicas of one kind, without their roles.
pub(super) fn served(e: &Experiment, tp: u32, latency: &Latency) -> Result<Pool, String> {
    let architecture = shape(e).ok_or_else(|| format!("no shape of the model {}", e.model))?;
    let gpu = gpu_name(&e.gpu);
    if perf::known_gpu(&gpu).is_none() {
        return Err(format!("no figures of the GPU {}", e.gpu));
    }
    let ranks = ranks(e);
    let expert_ranks = if architecture.experts > 0 { ranks.min(limits::EXPERT_RANKS) } else { 1 };
    let mut pool = Pool {
        replicas: e.count("/replicas").unwrap_or(1).max(1).saturating_mul(ranks),
        model: e.model.clone(),
        gpu,
        tp,
        pp: stages(e),
        // With or without expert parallelism, layers with experts are spread over the GPUs of all ranks.
        expert_ranks,
        expert_ranks_lockstep: expert_ranks > 1,
        ..Pool::default()
    };
    let limit = |path| match e.count(path) {
        Some(n) if n > 0 => BatchLimit::Count(n),
        _ => BatchLimit::Auto,
    };
    pool.engine.max_num_seqs = limit("/engine/max_num_seqs");
    pool.engine.max_num_batched_tokens = limit("/engine/max_num_batched_tokens");
    // The measured releases admit by the first chunk.
    pool.engine.reserve_full_prompt = Some(false);
    if let Some(block) = e.count("/engine/block_size").filter(|b| *b > 0) {
        pool.kv.block_tokens = block;
    }
    let share = e.number("/engine/gpu_memory_utilization").or_else(|| usual_share(e));
    if let Some(share) = share.filter(|u| *u > 0.0) {
        pool.kv.gpu_memory_utilization = share;
    }
    pool.kv.prefix_caching = e.flag("/engine/prefix_caching").unwrap_or(true);
    if serves_one(e) {
        pool.replicas = ranks;
    }
    let blocks = e.count("/engine/kv_blocks").or_else(|| e.count("/engine/kv_blocks_inferred"));
    pool.kv.blocks = blocks.filter(|b| *b > 0).map_or(KvBlocks::Auto, KvBlocks::Count);
    pool.kv.cpu_blocks = cpu_blocks(e.text("/engine/kv_offload"), &architecture, pool.kv.block_tokens);
    set_latency(&mut pool, e, architecture, latency)?;
    Ok(pool)
}

/// The share of the memory that the engine may use if it is not recorded: the value that one source sets in all runs
/// that record it.
fn usual_share(e: &Experiment) -> Option<f64> {
    e.text("/source/repo").ends_with("llm-d-benchmark").then_some(0.95)
}

/// Whether the notes say that all replicas but one were idle.
fn serves_one(e: &Experiment) -> bool {
    e.list("/notes").iter().filter_map(|n| n.as_str()).any(|n| n.contains("only one of the two replicas"))
}

/// The blocks of a replica if the scenario leaves them open.
pub(super) fn auto_blocks(e: &Experiment, tp: u32, latency: &Latency) -> Result<u32, String> {
    let mut pool = pool(e, tp, latency)?;
    pool.kv.blocks = KvBlocks::Auto;
    let resolved = perf::resolve(&pool, document::Compat::None, "");
    resolved.map(|r| r.blocks.0).map_err(|_| "the blocks that fit are not known".to_owned())
}

fn set_latency(
    pool: &mut Pool,
    e: &Experiment,
    shape: Architecture,
    latency: &Latency,
) -> Result<(), String> {
    let engine = generation(e);
    let server = e.text("/client/latency_side").starts_with("server");
    let clock = if server { LatencyClock::Server } else { LatencyClock::Client };
    let calibrated = |coefficients| {
        LatencyModel::Calibrated(CalibratedSettings { engine, clock, coefficients, rests_on: None })
    };
    pool.latency = match latency {
        Latency::Catalogue => {
            pool.latency = LatencyModel::Catalogue;
            let found = perf::resolve(pool, document::Compat::None, "").is_ok();
            return if found { Ok(()) } else { Err("no row of the catalogue".to_owned()) };
        }
        Latency::Roofline => LatencyModel::Roofline(RooflineSettings::default()),
        Latency::Calibrated => calibrated(None),
        Latency::Own(rows) => {
            let own = rows.iter().find(|(gpu, of, _)| *gpu == pool.gpu && *of == engine);
            let further =
                |c: &Found| model_name(e).and_then(|name| c.models.get(name).copied()).unwrap_or(0.0);
            calibrated(own.map(|(.., c)| perf::corrected(&c.coefficients, further(c))))
        }
    };
    pool.architecture = Some(shape);
    Ok(())
}

/// Blocks of a CPU tier described in words: "CPU, 8 GiB", "CPU, 6553 blocks" or "LMCache, size unknown", which was
/// large enough to keep every prompt.
fn cpu_blocks(words: &str, a: &Architecture, block_tokens: u32) -> u32 {
    const UNKNOWN_GIB: u32 = 256;
    let amount = words.split(|c: char| !c.is_ascii_digit()).find_map(|n| n.parse::<u32>().ok());
    let amount = match amount {
        None if words.starts_with("LMCache") => UNKNOWN_GIB,
        Some(amount) if words.starts_with("CPU") || words.starts_with("LMCache") => amount,
        _ => return 0,
    };
    if words.contains("blocks") {
        return amount;
    }
    let token =
        2.0 * f64::from(a.layers) * f64::from(a.kv_heads()) * f64::from(a.head_dim()) * a.bytes_per_kv_value;
    (f64::from(amount) * 1_073_741_824.0 / (token * f64::from(block_tokens))) as u32
}

/// Blocks of each replica that a router with estimated caches remembers by default.
const REMEMBERED_BLOCKS: u32 = 31_250;

/// Tokens of one of its blocks, which are 64 bytes of text.
const REMEMBERED_BLOCK_TOKENS: u32 = 16;

/// Tokens of a prompt that it remembers and matches, which are 256 blocks. All three as in
/// kubernetes-sigs/gateway-api-inference-extension at 32970c0b, the router of the measured runs: it read neither blocks
/// nor capacity from the engines.
const REMEMBERED_PROMPT_TOKENS: u32 = 256 * REMEMBERED_BLOCK_TOKENS;

/// Blocks of each replica that a router with estimated caches remembers.
fn remembered_blocks(e: &Experiment) -> u32 {
    e.count("/router/lru_blocks").unwrap_or(REMEMBERED_BLOCKS).max(1)
}

/// Largest age of the router's view of its replicas. It polls far more often, but an engine reports its load at the
/// end of a step, which takes half a second or more with a long prompt.
const SIGNAL_REFRESH_US: u64 = 1_000_000;

/// Age of the view that a server's own balancer has of its ranks: their counts arrive every 100 ms (vLLM's
/// `DPCoordinator`).
const RANKS_REFRESH_US: u64 = 100_000;

/// Routing within a server, as in vLLM's `DPLBAsyncMPClient`: the rank with the smallest 4 * waiting + running, the
/// lowest of equal ones. Requests sent since the last counts count as waiting.
const RANKS_SCORE: &str = "1 / (1 + 4 * max(waiting, in_flight - running) + running)";

/// Whether the balancer within one server is the only router.
fn only_ranks(e: &Experiment) -> bool {
    ranks(e) > 1 && e.count("/replicas").unwrap_or(1) <= 1 && e.text("/router/router").is_empty()
}

/// Largest age of the router's view of its replicas.
pub(super) fn signal_refresh_us(e: &Experiment, routing: &RoutingPolicy) -> u64 {
    let asks = matches!(routing, RoutingPolicy::Weighted(_));
    match (asks, only_ranks(e)) {
        (false, _) => 0,
        (true, true) => RANKS_REFRESH_US,
        (true, false) => SIGNAL_REFRESH_US,
    }
}

/// How the experiment routes its requests.
pub(super) fn routing(e: &Experiment) -> Result<RoutingPolicy, String> {
    use document::{Expression, Profile, Scorer, Ties, Weighted, WeightedScorer};
    if only_ranks(e) {
        let scorer = Scorer::Expression(Expression(RANKS_SCORE.to_owned()));
        let scorers = vec![WeightedScorer { scorer, weight: 1.0 }];
        return Ok(RoutingPolicy::Weighted(Weighted {
            profile: Profile::Custom,
            scorers,
            ..Weighted::default()
        }));
    }
    let words = e.text("/router/router").to_ascii_lowercase();
    let weight = |key: &str, usual: f64| e.number(&format!("/router/weights/{key}")).unwrap_or(usual);
    let weighted = |prefix: Option<Scorer>| {
        let mut scorers = Vec::new();
        scorers.extend(prefix.map(|scorer| WeightedScorer { scorer, weight: weight("prefix", 2.0) }));
        scorers.push(WeightedScorer { scorer: Scorer::KvUtilization, weight: weight("kv_cache", 1.0) });
        scorers.push(WeightedScorer { scorer: Scorer::WaitingRequests, weight: weight("queue", 1.0) });
        let prefix_index_blocks = remembered_blocks(e);
        let profile = Profile::Custom;
        let ties = Ties::Random;
        RoutingPolicy::Weighted(Weighted {
            profile,
            scorers,
            ties,
            prefix_index_blocks,
            prefix_block_tokens: REMEMBERED_BLOCK_TOKENS,
            prefix_match_tokens: REMEMBERED_PROMPT_TOKENS,
            ..Weighted::default()
        })
    };
    match words.as_str() {
        "" => Ok(RoutingPolicy::RoundRobin),
        w if w.contains("random") => Ok(RoutingPolicy::Random),
        w if w.contains("no prefix") => Ok(weighted(None)),
        w if w.contains("exactly") || w.contains("precise") || w.contains("kv events") => {
            Ok(weighted(Some(Scorer::PrecisePrefix)))
        }
        w if w.contains("prefix") || w.contains("approximate") || w.contains("estimate") => {
            Ok(weighted(Some(Scorer::PrefixAffinity)))
        }
        w if w.contains("load") || w.contains("queue") => Ok(weighted(None)),
        other => Err(format!("the router \"{other}\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn experiment(model: &str, engine: &serde_json::Value) -> Experiment {
        let document = json!({"id": "x", "group": "C", "model": model, "gpu": "H100", "tp": 1, "engine": engine, "measured": []});
        super::super::read(&document.to_string()).expect("an experiment").0.remove(0)
    }

    #[test]
    fn a_router_that_guesses_at_caches_has_the_memory_of_its_release() {
        let document = json!({"id": "h", "group": "H", "model": "llama-3.1-8b", "gpu": "H100", "tp": 1,
            "engine": {"block_size": 64}, "router": {"router": "prefix cache estimated"}, "measured": []});
        let read = super::super::read(&document.to_string()).expect("an experiment");
        let Ok(RoutingPolicy::Weighted(w)) = routing(&read.0[0]) else { panic!("a weighted router") };
        assert_eq!(w.prefix_index_blocks, 31_250);
        assert_eq!((w.prefix_block_tokens(), w.prefix_match_tokens()), (Some(16), Some(4096)));
    }

    #[test]
    fn a_server_has_its_stages_and_ranks_with_stages_are_left_out() {
        let staged = pool(&experiment("llama-3.1-8b", &json!({"pp": 2})), 1, &Latency::Calibrated);
        assert_eq!(staged.expect("a pool").pp, 2);
        let ranks = experiment("mixtral-8x7b", &json!({"pp": 2, "dp": 2}));
        let why = pool(&ranks, 1, &Latency::Calibrated).expect_err("stages of ranks");
        assert_eq!(why, "pipeline parallelism of data-parallel ranks");
    }

    #[test]
    fn ranks_of_a_server_share_its_experts_and_its_own_balancer_routes() {
        let mixtral = experiment("mixtral-8x7b", &json!({"dp": 4, "expert_parallel": 4}));
        let shared = pool(&mixtral, 1, &Latency::Calibrated).expect("a pool");
        assert_eq!((shared.replicas, shared.expert_ranks, shared.expert_ranks_lockstep), (4, 4, true));
        assert_eq!(shared.architecture.map(|a| a.experts), Some(8));
        let policy = routing(&mixtral).expect("a policy");
        assert_eq!(signal_refresh_us(&mixtral, &policy), RANKS_REFRESH_US);
        let RoutingPolicy::Weighted(weighted) = policy else { panic!("{policy:?}") };
        assert_eq!(weighted.ties, document::Ties::Lowest);
        let document::Scorer::Expression(e) = &weighted.scorers[0].scorer else { panic!("{weighted:?}") };
        assert!(e.formula().is_ok());
        let dense = pool(&experiment("llama-3.1-8b", &json!({"dp": 2})), 1, &Latency::Calibrated);
        assert_eq!(dense.map(|p| (p.replicas, p.expert_ranks)), Ok((2, 1)));
        let alone = experiment("mixtral-8x7b", &json!({}));
        assert_eq!(routing(&alone), Ok(RoutingPolicy::RoundRobin));
    }
}
