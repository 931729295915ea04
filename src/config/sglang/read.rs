//! The flags of an SGLang server as fields of a pool. The pool has vLLM's rules, which have the tiers below the GPU.

use crate::command::flags::{Flags, Word, same_in};
use crate::command::shell::EngineCommand;
use crate::import::configuration::Reader;
use crate::import::configuration::sets::{PoolOf, name_with_role};
use crate::sglang::map::FLAGS;
use crate::sglang::tiers::{hierarchical, settings};
use crate::vllm::command::shape;
use crate::vllm::read::{Around, DEFAULTS, Sizes, is_setting, memory, model, parallel, spreads_experts};
use document::limits;
use engine::perf::known_model;
use serde_json::{Value, json};

/// Tokens of a prefill where nothing is said, on GPUs with 60 to 160 GB.
const CHUNK: u64 = 8192;

/// Reads a command.
pub(crate) fn command(r: &mut Reader<'_>, command: &EngineCommand, around: &Around) -> Sizes {
    let is_set = |word: &&Word| is_setting(&word.text);
    let around = &Around {
        settings: around.settings.iter().chain(command.program.iter().filter(is_set)).cloned().collect(),
        ..around.clone()
    };
    let program = command.program.iter().filter(|word| !is_set(word));
    shape(r, program, "a server of SGLang; vLLM's rules simulate its pool");
    shape(r, command.rest.iter(), "another command");
    let flags = Flags::of_server(r, &command.flags, FLAGS);
    engine(r, flags, around)
}

/// The name of the pool of a command: that of its model, with its role.
pub(crate) fn pool_name(r: &mut Reader<'_>, command: &EngineCommand) -> Option<String> {
    let flags = Flags::of_server(r, &command.flags, FLAGS);
    name_with_role(flags.text("model")?, flags.text("disaggregation-mode").and_then(role_of))
}

fn role_of(mode: &str) -> Option<&'static str> {
    match mode {
        "prefill" => Some("prefill"),
        "decode" => Some("decode"),
        _ => None,
    }
}

/// Reads the flags of a server, and gives each a row.
fn engine(r: &mut Reader<'_>, mut flags: Flags, around: &Around) -> Sizes {
    let of = &around.of;
    let model = model(r, &mut flags, of);
    let shared = attention_ranks(r, &mut flags, of, model);
    if around.whole {
        defaults(r, of, shared.unwrap_or(1));
    }
    for (flag, field) in same_in(FLAGS, "") {
        let name = flag.names[0];
        if let Some(value) = flags.same(r, flag) {
            // The ranks of a server divide its GPUs, and most requests.
            let divided = matches!(name, "tensor-parallel-size" | "max-running-requests");
            let each = value.as_u64().zip(shared).filter(|_| divided);
            let value = each.map_or(value, |(value, ranks)| json!((value / ranks).max(1)));
            flags.note(r, name, &format!("{} {value}", field.path));
            flags.set_pool(r, name, of, field.path, value);
        }
    }
    let role = role(r, &mut flags, around);
    let around = &Around { role, ..around.clone() };
    // Ranks that do not divide attention share nothing, experts neither.
    let sizes = parallel(r, &mut flags, around, model.filter(|_| shared.is_some()));
    let sizes = Sizes { tp: sizes.tp / shared.unwrap_or(1), ..sizes };
    scheduling(r, &mut flags, of, shared.unwrap_or(1));
    cache(r, &mut flags, of);
    hierarchical(r, &mut flags, around, sizes);
    settings(r, &around.settings);
    memory::formats(r, &mut flags, of, model);
    flags.finish(r, FLAGS);
    sizes
}

/// SGLang's defaults where no source says a value.
fn defaults(r: &mut Reader<'_>, of: &PoolOf, ranks: u64) {
    for (field, value) in [
        ("engine.max_num_seqs", json!("auto")),
        ("engine.max_num_batched_tokens", json!((CHUNK / ranks).max(1))),
        ("kv.block_tokens", json!(1)),
        ("kv.blocks", json!("auto")),
        ("kv.gpu_memory_utilization", json!(0.9)),
        ("kv.prefix_caching", json!(true)),
        ("kv.cpu_blocks", json!(0)),
        ("tp", json!(1)),
        ("pp", json!(1)),
    ] {
        r.set_pool_usual(of, field, value, DEFAULTS);
    }
}

/// The role that the flags give the pool.
fn role(r: &mut Reader<'_>, flags: &mut Flags, around: &Around) -> Option<&'static str> {
    let name = "disaggregation-mode";
    let said = flags.text(name).map(str::to_owned);
    let role = said.as_deref().and_then(role_of);
    match (role, said.as_deref()) {
        (Some(role), _) => {
            flags.near(r, name, &format!("role {role}"), "caches are handed over as vLLM does");
            flags.set_pool(r, name, &around.of, "role", json!(role));
        }
        (None, Some("null" | "none")) => flags.note(r, name, "prefill and decode together"),
        (None, Some(_)) => flags.not_among(r, name, &["null", "prefill", "decode"]),
        (None, None) => {}
    }
    around.role.or(role)
}

/// Ranks that divide attention among the GPUs of a server and share its experts, in lock step: how many, if they are simulated. Each is
/// a replica with its part of the GPUs.
fn attention_ranks(
    r: &mut Reader<'_>,
    flags: &mut Flags,
    of: &PoolOf,
    model: Option<&'static str>,
) -> Option<u64> {
    let name = "enable-dp-attention";
    if flags.switch(name)? {
        let whole = |name: &str| flags.value(name).and_then(Value::as_u64).unwrap_or(1);
        let [gpus, ranks] = [whole("tensor-parallel-size"), whole("data-parallel-size")];
        let experts = model.and_then(known_model).map_or(0, |m| m.architecture.experts);
        let why = if ranks < 2 {
            "with one rank nothing is divided"
        } else if experts == 0 {
            "ranks of a model without experts that divide attention alone are not simulated"
        } else if whole("pipeline-parallel-size") > 1 {
            "ranks in lock step have no stages here"
        } else if flags.switch("enable-lora") == Some(true) {
            "ranks in lock step do not serve adapters here"
        } else if ranks > limits::EXPERT_RANKS.into() || !gpus.is_multiple_of(ranks) {
            "the GPUs are no multiple of the ranks, or there are more ranks than a scenario takes"
        } else {
            flags.note(r, name, &format!("{ranks} expert_ranks in lock step, tp {} each", gpus / ranks));
            spread(r, flags);
            balance(r, flags, of);
            return Some(ranks);
        };
        flags.ignore(r, name, why);
        flags.ignore(r, "data-parallel-size", why);
        flags.forget("data-parallel-size");
    } else {
        flags.note(r, name, "each rank has GPUs of its own");
    }
    None
}

/// Whether ranks have whole experts, or a slice of each.
fn spread(r: &mut Reader<'_>, flags: &mut Flags) {
    let size = "ep-size";
    if spreads_experts(flags) {
        for name in [size, "enable-ep-moe", "enable-deepep-moe"] {
            flags.note(r, name, "experts.split ranks");
        }
    } else {
        flags.note(r, size, "experts.split tensor");
    }
}

/// By what the server chooses the rank of a request.
fn balance(r: &mut Reader<'_>, flags: &mut Flags, of: &PoolOf) {
    let name = "load-balance-method";
    let (value, differs) = match flags.text(name) {
        Some("total_requests" | "shortest_queue") => ("requests", None),
        Some("total_tokens" | "minimum_tokens") => ("tokens", None),
        None | Some("round_robin" | "auto") => ("round-robin", None),
        Some(_) => ("round-robin", Some("another rule there: in turn here")),
    };
    match differs {
        Some(differs) => flags.near(r, name, "ranks.balance round-robin", differs),
        None => flags.note(r, name, &format!("ranks.balance {value}")),
    }
    flags.set_pool(r, "enable-dp-attention", of, "ranks.balance", json!(value));
}

/// The order of the queue, and the size of a step.
fn scheduling(r: &mut Reader<'_>, flags: &mut Flags, of: &PoolOf, ranks: u64) {
    let name = "chunked-prefill-size";
    match flags.value(name).and_then(Value::as_f64) {
        Some(tokens) if tokens < 0.0 => {
            flags.ignore(r, name, "prompts are always computed in chunks of the token budget");
        }
        Some(tokens) if (1.0..=f64::from(limits::STEP_TOKENS)).contains(&tokens) => {
            let tokens = (tokens.floor() as u64 / ranks).max(1);
            let differs = "a step of vLLM has prompts and answers within it";
            flags.near(r, name, &format!("engine.max_num_batched_tokens {tokens}"), differs);
            flags.set_pool(r, name, of, "engine.max_num_batched_tokens", json!(tokens));
        }
        Some(_) => _ = flags.number_in(r, name, [-1.0, f64::from(limits::STEP_TOKENS)]),
        None => {}
    }
    let name = "schedule-policy";
    match flags.text(name) {
        Some("fcfs") => flags.note(r, name, "engine.scheduler fcfs"),
        Some(_) => flags.ignore(r, name, "the queue is in order of arrival, or by priority"),
        None => {}
    }
    let name = "enable-priority-scheduling";
    if flags.switch(name) == Some(true) {
        let differs = "larger numbers go first in both; requests that run are not pre-empted for them";
        flags.near(r, name, "engine.scheduler priority-fcfs", differs);
        flags.set_pool(r, name, of, "engine.scheduler", json!("priority-fcfs"));
        r.set_pool_default(of, "engine.priority", json!("request"), DEFAULTS);
    }
}

/// The size of the cache on the GPUs.
fn cache(r: &mut Reader<'_>, flags: &mut Flags, of: &PoolOf) {
    let name = "disable-radix-cache";
    if let Some(off) = flags.switch(name) {
        flags.note(r, name, &format!("kv.prefix_caching {}", !off));
        flags.set_pool(r, name, of, "kv.prefix_caching", json!(!off));
    }
    let name = "mem-fraction-static";
    if let Some(share) = flags.number_in(r, name, [limits::MEMORY_SHARE_MIN, 1.0]) {
        let differs = "weights and cache together; what steps take besides is estimated";
        flags.near(r, name, &format!("kv.gpu_memory_utilization {share}"), differs);
        flags.set_pool(r, name, of, "kv.gpu_memory_utilization", json!(share));
    }
    let name = "max-total-tokens";
    let page = flags.value("page-size").and_then(Value::as_u64).filter(|n| *n > 0).unwrap_or(1);
    if let Some(tokens) = flags.value(name).and_then(Value::as_u64) {
        let blocks = tokens / page;
        if (1..=u64::from(limits::KV_BLOCKS)).contains(&blocks) {
            flags.near(r, name, &format!("kv.blocks {blocks}"), "tokens over those of a page");
            flags.set_pool(r, name, of, "kv.blocks", json!(blocks));
        } else {
            flags.ignore(r, name, &format!("a replica has 1 to {} blocks here", limits::KV_BLOCKS));
        }
    }
}
