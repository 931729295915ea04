//! The settings of a vLLM engine as fields of pools.

mod around;
mod connector;
mod keys;
pub(crate) mod lmcache;
pub(crate) mod memory;
mod offloading;
mod parts;
mod sizes;
mod stores;
mod tiers;

pub(crate) use around::{Around, is_setting};
pub(crate) use keys::Keys;
pub(crate) use parts::{parallel, spreads_experts};
pub(crate) use sizes::Sizes;

use crate::command::flags::{Flags, same_in};
use crate::command::map::flag_of;
use crate::command::values::Kind;
use crate::import::configuration::Reader;
use crate::import::configuration::models::{gpu_named, model_named, quantised_by_name};
use crate::import::configuration::sets::PoolOf;
use crate::vllm::map::FLAGS;
use serde_json::{Value, json};

/// The rank of vLLM's defaults: any source that says a value overrides them.
pub(crate) const DEFAULTS: u8 = 1;

/// Reads the flags of an engine, and gives each a row.
pub(crate) fn engine(r: &mut Reader<'_>, mut flags: Flags, around: &Around) -> Sizes {
    let of = &around.of;
    if around.whole {
        defaults(r, around);
    }
    let model = model(r, &mut flags, of);
    for (flag, field) in same_in(FLAGS, "") {
        let name = flag.names[0];
        if let Some(value) = flags.same(r, flag) {
            let shown = if flag.kind == Kind::Number { number(&value) } else { value.to_string() };
            flags.note(r, name, &format!("{} {shown}", field.path));
            flags.set_pool(r, name, of, field.path, value);
        }
    }
    scheduling(r, &mut flags, of);
    let role = role(r, &mut flags, around);
    let around = &Around { role, ..around.clone() };
    let of = &around.of;
    let sizes = parts::parallel(r, &mut flags, around, model);
    parts::speculation(r, &mut flags, around, sizes.pp);
    parts::adapters(r, &mut flags, around);
    let block_bytes = memory::block_bytes(&flags, model, sizes);
    connector::transfer(r, &mut flags, around, sizes, block_bytes);
    memory::formats(r, &mut flags, of, model);
    memory::blocks(r, &mut flags, of, sizes, block_bytes);
    flags.finish(r, FLAGS);
    sizes
}

/// Flags that have vLLM's default where a source describes the whole engine and does not say them.
const USUAL: [&str; 10] = [
    "max-num-seqs",
    "max-num-batched-tokens",
    "long-prefill-token-threshold",
    "scheduling-policy",
    "block-size",
    "num-gpu-blocks-override",
    "gpu-memory-utilization",
    "enable-prefix-caching",
    "kv-offloading-size",
    "tensor-parallel-size",
];

/// vLLM's defaults where no source says a value.
fn defaults(r: &mut Reader<'_>, around: &Around) {
    for name in USUAL {
        let Some(field) = flag_of(FLAGS, name).field() else { continue };
        r.set_pool_usual(&around.of, field.path, field.usual.value(), DEFAULTS);
    }
    for field in ["engine.speculative", "lora"] {
        r.set_pool_usual(&around.of, field, Value::Null, DEFAULTS);
    }
    r.set_pool_usual(&around.of, "pp", json!(1), DEFAULTS);
}

/// A number as it is shown.
fn number(value: &Value) -> String {
    value.as_f64().map_or_else(String::new, |x| x.to_string())
}

/// The model: that of the catalogue, or a row that says it is unknown.
pub(crate) fn model(r: &mut Reader<'_>, flags: &mut Flags, of: &PoolOf) -> Option<&'static str> {
    let id = flags.text("model")?.to_owned();
    let known = model_named(&id);
    if let Some(name) = known {
        match quantised_by_name(&id).and_then(memory::weights_of) {
            Some((bytes, precision)) => {
                let weights = format!("architecture.bytes_per_param {bytes}, precision {precision}");
                let differs = "scales and layers that stay in 16 bits are left out";
                flags.near(r, "model", &format!("model {name}, by the end of its name {weights}"), differs);
                flags.set_pool(r, "model", of, "architecture.bytes_per_param", json!(bytes));
                flags.set_pool(r, "model", of, "architecture.precision", json!(precision));
            }
            None => flags.note(r, "model", &format!("model {name}")),
        }
        flags.set_pool(r, "model", of, "model", json!(name));
    } else if let Some(name) = of_clients(flags) {
        let differs = "the name that clients use says which model it is";
        flags.near(r, "model", &format!("model {name}"), differs);
        flags.set_pool(r, "model", of, "model", json!(name));
        return Some(name);
    } else {
        let path = flags.path("model").unwrap_or_default().to_owned();
        crate::import::configuration::models::unknown_model(r, &path, &id);
        flags.ignore(r, "model", crate::import::configuration::models::HOW_TO_ADD_A_MODEL);
    }
    known
}

/// The model of the catalogue that clients name, where the server has it by a path that says nothing.
fn of_clients(flags: &Flags) -> Option<&'static str> {
    let names = flags.value("served-model-name")?;
    let all = names.as_array().map_or_else(|| vec![names], |list| list.iter().collect());
    all.into_iter().filter_map(Value::as_str).find_map(model_named)
}

/// The role that Dynamo's flag gives the pool, if the source has said none.
fn role(r: &mut Reader<'_>, flags: &mut Flags, around: &Around) -> Option<&'static str> {
    let name = "disaggregation-mode";
    let role = match flags.text(name) {
        Some("prefill") => Some("prefill"),
        Some("decode") => Some("decode"),
        Some("agg" | "aggregated" | "none" | "null") => {
            flags.note(r, name, "prefill and decode together");
            None
        }
        Some(_) => {
            flags.not_among(r, name, &["prefill", "decode", "agg"]);
            None
        }
        None => None,
    };
    match (role, around.role) {
        (Some(role), Some(said)) if role != said => {
            flags.ignore(r, name, "the service says another role, which holds");
        }
        (Some(role), _) => {
            flags.note(r, name, &format!("role {role}"));
            flags.set_pool(r, name, &around.of, "role", json!(role));
        }
        (None, _) => {}
    }
    around.role.or(role)
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
        None => crate::import::configuration::models::unknown_gpu(r, path, text),
    }
}

/// The generation of the engine of a release 0.N.
pub(crate) fn generation(minor: u32) -> &'static str {
    match minor {
        0..=9 => "early",
        10..=13 => "synchronous",
        14..=17 => "ahead",
        18..=20 => "v0.18",
        _ => "v0.21",
    }
}
