//! The flags of a TensorRT-LLM server as fields of a pool. The pool has vLLM's rules, which have the tiers below the GPU.

use crate::command::flags::{Flags, same_in};
use crate::command::shell::EngineCommand;
use crate::import::configuration::Reader;
use crate::import::configuration::sets::{PoolOf, name_with_role};
use crate::trtllm::map::FLAGS;
use crate::vllm::command::shape;
use crate::vllm::read::{Around, DEFAULTS, Sizes, memory, model, parallel};
use document::limits;
use serde_json::{Value, json};

/// How the share of memory differs.
pub(crate) const OF_THE_REST: &str = "a share of what the weights leave there, of all memory here";

/// Reads a command.
pub(crate) fn command(r: &mut Reader<'_>, command: &EngineCommand, around: &Around) -> Sizes {
    shape(r, command.program.iter(), "a server of TensorRT-LLM; vLLM's rules simulate its pool");
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
    match mode.to_ascii_lowercase().as_str() {
        "prefill" | "context" => Some("prefill"),
        "decode" | "generation" => Some("decode"),
        _ => None,
    }
}

/// Reads the flags of a server, and gives each a row.
fn engine(r: &mut Reader<'_>, mut flags: Flags, around: &Around) -> Sizes {
    let of = &around.of;
    if around.whole {
        defaults(r, of);
    }
    let model = model(r, &mut flags, of);
    for (flag, field) in same_in(FLAGS, "") {
        let name = flag.names[0];
        if let Some(value) = flags.same(r, flag) {
            flags.note(r, name, &format!("{} {value}", field.path));
            flags.set_pool(r, name, of, field.path, value);
        }
    }
    let name = "disaggregation-mode";
    let role = flags.text(name).and_then(role_of);
    if let Some(role) = role {
        flags.near(r, name, &format!("role {role}"), "caches are handed over as vLLM does");
        flags.set_pool(r, name, of, "role", json!(role));
    }
    let around = &Around { role: around.role.or(role), ..around.clone() };
    let sizes = parallel(r, &mut flags, around, model);
    let name = "kv-cache-free-gpu-memory-fraction";
    if let Some(share) = flags.number_in(r, name, [limits::MEMORY_SHARE_MIN, 1.0]) {
        flags.near(r, name, &format!("kv.gpu_memory_utilization {share}"), OF_THE_REST);
        flags.set_pool(r, name, of, "kv.gpu_memory_utilization", json!(share));
    }
    let name = "enable-chunked-prefill";
    match flags.switch(name) {
        Some(true) => flags.note(r, name, "prompts are computed in chunks, as always here"),
        Some(false) => flags.ignore(r, name, "prompts are always computed in chunks of the token budget"),
        None => {}
    }
    memory::formats(r, &mut flags, of, model);
    flags.finish(r, FLAGS);
    sizes
}

/// TensorRT-LLM's defaults where no source says a value.
fn defaults(r: &mut Reader<'_>, of: &PoolOf) {
    let of_flags = same_in(FLAGS, "").map(|(_, field)| (field.path, field.usual.value()));
    let others: [(&str, Value); 5] = [
        ("kv.blocks", json!("auto")),
        ("kv.gpu_memory_utilization", json!(0.9)),
        ("kv.prefix_caching", json!(true)),
        ("kv.cpu_blocks", json!(0)),
        ("pp", json!(1)),
    ];
    for (field, value) in of_flags.chain(others) {
        r.set_pool_usual(of, field, value, DEFAULTS);
    }
}
