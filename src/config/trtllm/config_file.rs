//! Import of TensorRT-LLM's file of options (`--config`, `--extra_llm_api_options`), and of what a request says of its blocks.

use crate::capability::Capability;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::tiers::{BYTES_OF_GPU, CPU_BLOCKS, GB_OF_GPU};
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::is_object;
use crate::trtllm::read::OF_THE_REST;
use crate::trtllm::retention::retention;
use crate::vllm::read::memory::kv_bytes;
use base::Diagnostic;
use base::import::Import;
use document::limits;
use serde_json::{Value, json};

/// The sections of a file of several servers.
pub(crate) const DISAGGREGATED: [&str; 2] = ["context_servers", "generation_servers"];

const CACHE: &str = "kv_cache_config";
const REQUEST: &str = "kv_cache_retention_config";
const RANGES: &str = "token_range_retention_configs";

/// Whole numbers of the file that are fields of pools.
const WHOLE: [(&str, &str, u64); 5] = [
    ("max_batch_size", "engine.max_num_seqs", limits::BATCH as u64),
    ("max_num_tokens", "engine.max_num_batched_tokens", limits::STEP_TOKENS as u64),
    ("tensor_parallel_size", "tp", limits::TP as u64),
    ("pipeline_parallel_size", "pp", limits::PP as u64),
    ("kv_cache_config.tokens_per_block", "kv.block_tokens", limits::BLOCK_TOKENS as u64),
];

/// Keys of the cache without a counterpart, and why.
const OTHERS: [(&str, &str); 9] = [
    ("enable_partial_reuse", "blocks are reused whole"),
    ("copy_on_partial_reuse", "blocks are reused whole"),
    ("secondary_offload_min_priority", "priorities order the GPU alone: CPU memory gets every block"),
    ("cold_tier_offload_min_priority", "priorities order the GPU alone: CPU memory gets every block"),
    ("disk_cache_path", "it says where the disk is"),
    ("disk_prefetch_num_reqs", "what is on disk is read when the turn of a request comes"),
    ("max_attention_window", "the shape of the model is that of the catalogue"),
    ("sink_token_length", "the shape of the model is that of the catalogue"),
    ("block_reuse_config", "all blocks can be reused"),
];

/// Options of the server without a counterpart, and why.
const REST: [(&str, Capability); 44] = [
    ("max_seq_len", Capability::LengthLimits),
    ("max_input_len", Capability::LengthLimits),
    ("max_beam_width", Capability::Sampling),
    ("moe_expert_parallel_size", Capability::ExpertLoad),
    ("moe_tensor_parallel_size", Capability::ExpertLoad),
    ("moe_config", Capability::ExpertLoad),
    ("moe_cluster_parallel_size", Capability::ExpertLoad),
    ("moe_load_balancer", Capability::ExpertLoad),
    ("attention_dp_config", Capability::AttentionRanks),
    ("context_parallel_size", Capability::ContextParallel),
    ("cp_config", Capability::ContextParallel),
    ("batch_wait_timeout_ms", Capability::BatchWaits),
    ("batch_wait_timeout_iters", Capability::BatchWaits),
    ("batch_wait_max_tokens_ratio", Capability::BatchWaits),
    ("quant_config", Capability::WeightFormats),
    ("dtype", Capability::WeightFormats),
    ("sampler_type", Capability::Sampling),
    ("guided_decoding_backend", Capability::Sampling),
    ("enable_trtllm_sampler", Capability::Sampling),
    ("use_torch_sampler", Capability::Sampling),
    ("torch_compile_config", Capability::Kernels),
    ("nvfp4_gemm_config", Capability::Kernels),
    ("allreduce_strategy", Capability::Kernels),
    ("use_cuda_graph", Capability::Kernels),
    ("cuda_graph_batch_sizes", Capability::Kernels),
    ("autotuner_enabled", Capability::Kernels),
    ("enable_autotuner", Capability::Kernels),
    ("enable_layerwise_nvtx_marker", Capability::Logs),
    ("enable_iter_perf_stats", Capability::Logs),
    ("enable_iter_req_stats", Capability::Logs),
    ("return_perf_metrics", Capability::Logs),
    ("perf_metrics_max_requests", Capability::Logs),
    ("gpus_per_node", Capability::RankMeeting),
    ("load_format", Capability::WeightLoading),
    ("tokenizer", Capability::WeightLoading),
    ("cuda_graph_config", Capability::Kernels),
    ("disable_overlap_scheduler", Capability::Kernels),
    ("attn_backend", Capability::Kernels),
    ("backend", Capability::Kernels),
    ("num_postprocess_workers", Capability::Kernels),
    ("stream_interval", Capability::StreamIntervals),
    ("print_iter_log", Capability::Logs),
    ("cache_transceiver_config", Capability::TransferProgram),
    ("trust_remote_code", Capability::WeightLoading),
];

/// Options that no other program has: two of them tell the file apart.
const OWN: [&str; 9] = [
    "cuda_graph_config",
    "moe_config",
    "attention_dp_config",
    "enable_attention_dp",
    "max_num_tokens",
    "disable_overlap_scheduler",
    "print_iter_log",
    "cache_transceiver_config",
    "free_gpu_memory_fraction",
];

/// The file of options.
pub(crate) struct TrtllmConfig;

impl Import<Configuration> for TrtllmConfig {
    fn name(&self) -> &'static str {
        "trtllm-config"
    }

    fn title(&self) -> &'static str {
        "the options of TensorRT-LLM"
    }

    fn recognises(&self, source: &Value) -> bool {
        let has = |key: &str| source.get(key).is_some_and(Value::is_object);
        let servers = DISAGGREGATED.iter().any(|key| has(key));
        let own = OWN.iter().filter(|key| source.get(**key).is_some()).count();
        (own > 1 || has(CACHE) || has(REQUEST) || has(RANGES))
            && !servers
            && !is_object(source)
            && source.get("words").is_none()
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let of = PoolOf::default();
        options(&mut r, "", &of);
        let at = if source.get(RANGES).is_some() { "" } else { REQUEST };
        retention(&mut r, at);
        r.without_counterpart_of_rest("", NO_OPTION);
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// Why other options have no counterpart.
pub(crate) const NO_OPTION: &str = "vLLM's rules simulate the pool, which have no such option";

/// The path of a key below a section; the section may be the whole file.
fn below(at: &str, key: &str) -> String {
    if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") }
}

/// Reads the options of a server in a section, as far as they have counterparts. Returns the sizes that they say.
pub(crate) fn options(r: &mut Reader<'_>, at: &str, of: &PoolOf) {
    for (key, field, most) in WHOLE {
        whole(r, &below(at, key), field, most, of);
    }
    let cache_at = below(at, CACHE);
    cache(r, &cache_at, of);
    tiers(r, &cache_at, of);
    drafts(r, &below(at, "speculative_config"), of);
    scheduler(r, &below(at, "scheduler_config"));
    adapters(r, &below(at, "lora_config"), of);
    let chunks = below(at, "enable_chunked_prefill");
    match r.get(&chunks).and_then(Value::as_bool) {
        Some(true) => r.note(&chunks, "prompts are computed in chunks, as always here"),
        _ => r.without_counterpart(&chunks, "prompts are always computed in chunks of the token budget"),
    }
    let apart = below(at, "enable_attention_dp");
    match r.get(&apart).and_then(Value::as_bool) {
        Some(false) => r.note(&apart, "the GPUs of a replica work on one batch, as here"),
        _ => r.without_counterpart(&apart, Capability::AttentionRanks.sentence()),
    }
    for (key, why) in REST {
        r.without_counterpart(&below(at, key), why.sentence());
    }
    r.without_counterpart_of_rest(&cache_at, "it concerns the program of the cache, not what is kept");
}

/// What the server does where blocks run out, and how it cuts prompts.
fn scheduler(r: &mut Reader<'_>, at: &str) {
    let path = format!("{at}.capacity_scheduler_policy");
    match r.get(&path).and_then(Value::as_str).map(str::to_ascii_uppercase).as_deref() {
        Some("MAX_UTILIZATION") => r.note(&path, "requests are pre-empted where no block is left, as here"),
        _ => r.without_counterpart(&path, Capability::AnswersReserved.sentence()),
    }
    r.without_counterpart(&format!("{at}.context_chunking_policy"), Capability::OneChunkRule.sentence());
    r.without_counterpart_of_rest(at, Capability::OneChunkRule.sentence());
}

/// Adapters: how many are loaded, and their rank.
fn adapters(r: &mut Reader<'_>, at: &str, of: &PoolOf) {
    for (key, field, most) in [
        ("max_loras", "lora.max_loras", limits::LORA_SLOTS),
        ("max_cpu_loras", "lora.max_cpu_loras", limits::CPU_LORAS),
        ("max_lora_rank", "lora.rank", limits::LORA_RANK),
    ] {
        whole(r, &format!("{at}.{key}"), field, most.into(), of);
    }
    r.without_counterpart_of_rest(at, Capability::AdapterTargets.sentence());
}

/// Speculative decoding: the number of draft tokens.
fn drafts(r: &mut Reader<'_>, at: &str, of: &PoolOf) {
    let kind = format!("{at}.decoding_type");
    let Some(method) = r.get(&kind).and_then(Value::as_str).map(str::to_owned) else { return };
    let keys = ["max_draft_len", "num_nextn_predict_layers"].map(|key| format!("{at}.{key}"));
    let found = keys.iter().find_map(|path| Some((path.clone(), r.get(path)?.as_u64()?)));
    let Some((path, tokens)) = found.filter(|(_, n)| (1..=u64::from(limits::DRAFT_TOKENS)).contains(n))
    else {
        r.without_counterpart(at, "max_draft_len is 1 to 32 here");
        return;
    };
    let drafter = match method.to_ascii_lowercase().as_str() {
        "ngram" | "lookahead" => json!({ "one-pass": { "share": 0.0 } }),
        "medusa" | "eagle3" => json!({ "one-pass": {} }),
        _ => json!({ "autoregressive": {} }),
    };
    let differs = format!(
        "of {method} only the number of tokens is said: acceptance and the drafter's time are assumed"
    );
    r.near(&path, &format!("engine.speculative with {tokens} tokens"), &differs);
    r.set_pool(&path, of, "engine.speculative", json!({ "tokens": tokens, "drafter": drafter }));
    r.shape(&kind, "the method of the drafts");
    r.without_counterpart_of_rest(at, "acceptance and the drafter's time are assumed");
}

/// A whole number that is a field of pools.
fn whole(r: &mut Reader<'_>, path: &str, field: &str, most: u64, of: &PoolOf) {
    let Some(value) = r.get(path).filter(|value| !value.is_null()) else { return };
    if let Some(n) = value.as_u64().filter(|n| (1..=most).contains(n)) {
        r.note(path, &format!("{field} {n}"));
        r.set_pool(path, of, field, json!(n));
        return;
    }
    let (found, allowed) = (value.to_string(), format!("a whole number, 1 to {most}"));
    r.problems.push(Diagnostic::error(path, found, allowed, "write a value in this range"));
}

/// The cache on the GPUs, at a section.
fn cache(r: &mut Reader<'_>, cache_at: &str, of: &PoolOf) {
    let at = |key: &str| format!("{cache_at}.{key}");
    let path = at("enable_block_reuse");
    if let Some(on) = r.flag(&path, "kv.prefix_caching") {
        r.set_pool(&path, of, "kv.prefix_caching", json!(on));
    }
    let path = at("free_gpu_memory_fraction");
    let share = r.get(&path).and_then(Value::as_f64);
    if let Some(share) = share.filter(|x| (limits::MEMORY_SHARE_MIN..=1.0).contains(x)) {
        r.near(&path, &format!("kv.gpu_memory_utilization {share}"), OF_THE_REST);
        r.set_pool(&path, of, "kv.gpu_memory_utilization", json!(share));
    } else {
        r.without_counterpart(&path, "a share of the memory is 0.01 to 1 here");
    }
    let path = at("max_tokens");
    let block = r.get(&at("tokens_per_block")).and_then(Value::as_u64).unwrap_or(32);
    let blocks = r.get(&path).and_then(Value::as_u64).map(|tokens| tokens / block.max(1));
    match blocks.filter(|n| (1..=u64::from(limits::KV_BLOCKS)).contains(n)) {
        Some(n) => {
            r.near(&path, &format!("kv.blocks {n}"), "tokens over those of a block");
            r.set_pool(&path, of, "kv.blocks", json!(n));
        }
        None => r.without_counterpart(&path, "blocks follow from the memory"),
    }
    let path = at("dtype");
    match r.get(&path).and_then(Value::as_str).map(|format| (format, kv_bytes(format))) {
        Some((_, Some(bytes))) => {
            r.note(&path, &format!("architecture.bytes_per_kv_value {bytes}"));
            r.set_pool(&path, of, "architecture.bytes_per_kv_value", json!(bytes));
        }
        Some((_, None)) => {
            r.without_counterpart(&path, "bytes of a number in this format are not known here");
        }
        None => {}
    }
}

/// A size in bytes at a path.
fn bytes(r: &mut Reader<'_>, path: &str) -> Option<f64> {
    let value = r.get(path).filter(|value| !value.is_null())?;
    let found = value.as_f64().filter(|x| (0.0..=limits::TIER_GB * 1e9).contains(x));
    if found.is_none() {
        let (found, allowed) = (value.to_string(), "bytes, 0 or more");
        r.problems.push(Diagnostic::error(path, found, allowed, "write the size in bytes"));
    }
    found
}

/// The tiers below the GPUs, at a section: a block goes to them as the tier above forgets it.
fn tiers(r: &mut Reader<'_>, cache_at: &str, of: &PoolOf) {
    let at = |key: &str| format!("{cache_at}.{key}");
    let path = at("host_cache_size");
    match bytes(r, &path) {
        Some(each) if each > 0.0 => {
            let differs = "the bytes of each GPU's process over those of a block, written as the GPU forgets a block; \
                vLLM's rules simulate the pool, as they have tiers";
            r.near(&path, CPU_BLOCKS, differs);
            r.set_pool(&path, of, "kv.cpu_write", json!("write-back"));
            r.set_pool(&path, of, CPU_BLOCKS, json!({ BYTES_OF_GPU: each }));
        }
        Some(_) => {
            r.note(&path, "kv.cpu_blocks 0");
            r.set_pool(&path, of, CPU_BLOCKS, json!(0));
        }
        None => {}
    }
    let path = at("disk_cache_size");
    match bytes(r, &path) {
        Some(each) if each > 0.0 => {
            let differs = "the bytes of each GPU's process; speed and latency of the disk are assumed";
            r.near(&path, "kv.secondary_tiers fs", differs);
            let disk = json!({ "gb": { GB_OF_GPU: each / 1e9 }, "eviction": "lru", "write": "write-back" });
            r.set_pool(&path, of, "kv.secondary_tiers", json!([{ "fs": disk }]));
        }
        Some(_) => r.note(&path, "no disk"),
        None => {}
    }
    let path = at("onboard_blocks");
    match r.get(&path).and_then(Value::as_bool) {
        Some(true) => r.note(&path, "blocks come back to the GPU before they are used, as always"),
        _ => r.without_counterpart(&path, "blocks come back to the GPU before they are used"),
    }
    for (key, why) in OTHERS {
        r.without_counterpart(&at(key), why);
    }
}
