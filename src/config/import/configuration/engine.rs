//! The settings of a vLLM engine as fields of pools.

use super::Reader;
use super::engine_flags::ENGINE_FLAGS;
use super::engine_memory as memory;
use super::engine_parts as parts;
use super::flags::Flags;
use super::models::{gpu_named, model_named};
use super::sets::PoolOf;
use document::limits;
use serde_json::{Value, json};

/// The rank of vLLM's defaults: any source that says a value overrides them.
const DEFAULTS: u8 = 1;

/// What the source says beside the flags of an engine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// The pool.
    pub(crate) of: PoolOf,
    /// Whether the source describes the whole engine, so that an absent flag has vLLM's default.
    pub(crate) whole: bool,
    /// Prefill or decode, if the source gives the pool a role.
    pub(crate) role: Option<&'static str>,
    /// Servers, if the source says how many.
    pub(crate) servers: Option<u64>,
}

/// What the flags say that their surroundings need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) tp: u64,
    pub(crate) pp: u64,
    /// Engines of a server.
    pub(crate) dp: u64,
}

/// Fields of an engine that are the same number as a flag: flag, field, range.
const NUMBERS: [(&str, &str, [u64; 2]); 6] = [
    ("max-num-seqs", "engine.max_num_seqs", [1, limits::BATCH as u64]),
    ("max-num-batched-tokens", "engine.max_num_batched_tokens", [1, limits::STEP_TOKENS as u64]),
    ("long-prefill-token-threshold", "engine.long_prefill_threshold_tokens", [0, limits::STEP_TOKENS as u64]),
    ("block-size", "kv.block_tokens", [1, limits::BLOCK_TOKENS as u64]),
    ("num-gpu-blocks-override", "kv.blocks", [1, limits::KV_BLOCKS as u64]),
    ("tensor-parallel-size", "tp", [1, limits::TP as u64]),
];

/// Reads the flags of an engine, and gives each a row.
pub(crate) fn engine(r: &mut Reader<'_>, mut flags: Flags, around: &Around) -> Sizes {
    let of = &around.of;
    if around.whole {
        defaults(r, around);
    }
    let model = model(r, &mut flags, of);
    for (name, field, range) in NUMBERS {
        if let Some(n) = flags.whole_in(r, name, range) {
            flags.note(r, name, &format!("{field} {n}"));
            flags.set_pool(r, name, of, field, json!(n));
        }
    }
    if let Some(share) = flags.number_in(r, "gpu-memory-utilization", [limits::MEMORY_SHARE_MIN, 1.0]) {
        flags.note(r, "gpu-memory-utilization", &format!("kv.gpu_memory_utilization {share}"));
        flags.set_pool(r, "gpu-memory-utilization", of, "kv.gpu_memory_utilization", json!(share));
    }
    for (name, field) in [
        ("enable-prefix-caching", "kv.prefix_caching"),
        ("scheduler-reserve-full-isl", "engine.reserve_full_prompt"),
    ] {
        if let Some(on) = flags.switch(name) {
            flags.note(r, name, &format!("{field} {on}"));
            flags.set_pool(r, name, of, field, json!(on));
        }
    }
    if let Some(share) = flags.number_in(r, "watermark", [0.0, limits::WATERMARK]) {
        flags.note(r, "watermark", &format!("engine.watermark {share}"));
        flags.set_pool(r, "watermark", of, "engine.watermark", json!(share));
    }
    scheduling(r, &mut flags, of);
    let sizes = parts::parallel(r, &mut flags, around, model);
    parts::speculation(r, &mut flags, around, sizes.pp);
    parts::adapters(r, &mut flags, around);
    let role = parts::transfer(r, &mut flags, around);
    memory::formats(r, &mut flags, of, model);
    memory::blocks(r, &mut flags, of, model, sizes, role.is_some());
    flags.finish(r, ENGINE_FLAGS);
    sizes
}

/// vLLM's defaults where no source says a value.
fn defaults(r: &mut Reader<'_>, around: &Around) {
    let all = [
        ("engine.max_num_seqs", json!("auto")),
        ("engine.max_num_batched_tokens", json!("auto")),
        ("engine.long_prefill_threshold_tokens", json!(0)),
        ("engine.scheduler", json!("fcfs")),
        ("kv.block_tokens", json!(16)),
        ("kv.blocks", json!("auto")),
        ("kv.gpu_memory_utilization", json!(0.92)),
        ("kv.prefix_caching", json!(true)),
        ("kv.cpu_blocks", json!(0)),
        ("engine.speculative", Value::Null),
        ("lora", Value::Null),
        ("tp", json!(1)),
        ("pp", json!(1)),
    ];
    for (field, value) in all {
        r.set_pool_usual(&around.of, field, value, DEFAULTS);
    }
}

/// The model: that of the catalogue, or a row that says it is unknown.
fn model(r: &mut Reader<'_>, flags: &mut Flags, of: &PoolOf) -> Option<&'static str> {
    let id = flags.text("model")?.to_owned();
    let known = model_named(&id);
    if let Some(name) = known {
        flags.note(r, "model", &format!("model {name}"));
        flags.set_pool(r, "model", of, "model", json!(name));
    } else {
        let path = flags.path("model").unwrap_or_default().to_owned();
        super::models::unknown_model(r, &path, &id);
        flags.ignore(r, "model", super::models::HOW_TO_ADD_A_MODEL);
    }
    known
}

/// The order of the queue, and how steps are scheduled.
fn scheduling(r: &mut Reader<'_>, flags: &mut Flags, of: &PoolOf) {
    let name = "scheduling-policy";
    match flags.text(name) {
        Some("fcfs") => {
            flags.note(r, name, "engine.scheduler fcfs");
            flags.set_pool(r, name, of, "engine.scheduler", json!("fcfs"));
        }
        Some("priority") => {
            let differs = "vLLM serves low numbers first, here larger ones go first";
            flags.near(r, name, "engine.scheduler priority-fcfs", differs);
            flags.set_pool(r, name, of, "engine.scheduler", json!("priority-fcfs"));
            r.set_pool_default(of, "engine.priority", json!("request"), DEFAULTS);
        }
        Some(_) => flags.not_among(r, name, &["fcfs", "priority"]),
        None => {}
    }
    let chunks = "enable-chunked-prefill";
    match flags.switch(chunks) {
        Some(true) => flags.note(r, chunks, "prompts are computed in chunks, as always here"),
        Some(false) => flags.ignore(r, chunks, "prompts are always computed in chunks of the token budget"),
        None => {}
    }
    let ahead = "async-scheduling";
    match flags.switch(ahead) {
        Some(true) => flags.note(r, ahead, "steps are scheduled ahead, as in the latest engine here"),
        Some(false) => {
            let differs = "its other times are those of vLLM 0.10 to 0.13";
            flags.near(r, ahead, "latency.calibrated.engine synchronous", differs);
            flags.set_pool(r, ahead, of, "latency.calibrated.engine", json!("synchronous"));
        }
        None => {}
    }
}

/// The GPU of a label or a name, with a row at a path; an unknown one changes nothing.
pub(crate) fn gpu(r: &mut Reader<'_>, path: &str, text: &str, of: &PoolOf) {
    match gpu_named(text) {
        Some(gpu) => {
            r.note(path, &format!("gpu {gpu}"));
            r.set_pool(path, of, "gpu", json!(gpu));
        }
        None => super::models::unknown_gpu(r, path, text),
    }
}

/// The generation of the engine of a release 0.N.
pub(crate) fn generation(minor: u32) -> &'static str {
    match minor {
        0..=9 => "early",
        10..=13 => "synchronous",
        14..=17 => "ahead",
        _ => "latest",
    }
}
