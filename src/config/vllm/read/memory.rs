//! Number formats of a vLLM engine, and sizes of caches that are given in bytes.

use crate::command::flags::Flags;
use crate::import::configuration::Reader;
use crate::import::configuration::sets::PoolOf;
use crate::vllm::read::Sizes;
use document::limits;
use engine::perf::{known_model, kv_bytes_per_token};
use serde_json::{Value, json};

const GIB: f64 = 1_073_741_824.0;

/// Bytes of a number in the KV cache, by the name of its format; those of the model for `auto`.
pub(crate) fn kv_bytes(format: &str) -> Option<f64> {
    match format {
        "auto" | "bfloat16" | "float16" | "half" | "bf16" | "fp16" => Some(2.0),
        "int4" | "nvfp4" | "fp4" => Some(0.5),
        format if format.starts_with("fp8") || format == "int8" => Some(1.0),
        _ => None,
    }
}

/// Formats of weights by the names of methods that say one: bytes of a weight, precision.
const WEIGHTS: [(&str, f64, &str); 13] = [
    ("int8", 1.0, "int8"),
    ("fp8", 1.0, "fp8"),
    ("fbgemm_fp8", 1.0, "fp8"),
    ("ptpc_fp8", 1.0, "fp8"),
    ("modelopt", 1.0, "fp8"),
    ("awq", 0.5, "w4a16"),
    ("awq_marlin", 0.5, "w4a16"),
    ("gptq", 0.5, "w4a16"),
    ("gptq_marlin", 0.5, "w4a16"),
    ("bitsandbytes", 0.5, "w4a16"),
    ("mxfp4", 0.5, "mxfp4"),
    ("modelopt_fp4", 0.5, "nvfp4"),
    ("petit_nvfp4", 0.5, "nvfp4"),
];

/// Number formats of the cache and of the weights.
pub(crate) fn formats(r: &mut Reader<'_>, flags: &mut Flags, of: &PoolOf, model: Option<&'static str>) {
    let name = "kv-cache-dtype";
    if let Some(format) = flags.text(name).map(str::to_owned) {
        match kv_bytes(&format) {
            Some(bytes) => {
                flags.note(r, name, &format!("architecture.bytes_per_kv_value {bytes}"));
                flags.set_pool(r, name, of, "architecture.bytes_per_kv_value", json!(bytes));
            }
            None => flags.ignore(r, name, "bytes of a number in this format are not known here"),
        }
    }
    let name = "quantization";
    if let Some(method) = flags.text(name).map(str::to_owned) {
        weights(r, flags, of, &method, model);
    }
    match flags.text("dtype") {
        Some("float32" | "float") => {
            flags.near(r, "dtype", "architecture.bytes_per_param 4", "products have 16 bits here");
            flags.set_pool(r, "dtype", of, "architecture.bytes_per_param", json!(4.0));
        }
        Some(_) => flags.note(r, "dtype", "the model's own format, with activations of 16 bits"),
        None => {}
    }
}

/// Bytes of a weight and the precision of a method.
pub(super) fn weights_of(method: &str) -> Option<(f64, &'static str)> {
    WEIGHTS.iter().find(|(known, ..)| *known == method).map(|(_, bytes, precision)| (*bytes, *precision))
}

/// The format of the weights.
fn weights(r: &mut Reader<'_>, flags: &mut Flags, of: &PoolOf, method: &str, model: Option<&'static str>) {
    let name = "quantization";
    let Some((_, bytes, precision)) = WEIGHTS.iter().find(|(known, ..)| *known == method) else {
        flags.ignore(r, name, "the model's name says the format: the catalogue has checkpoints of several");
        return;
    };
    let own = model.and_then(known_model).map(|m| m.architecture.bytes_per_param);
    if own.is_some_and(|own| own < 2.0) {
        flags.note(r, name, "the format of the model in the catalogue");
        return;
    }
    let differs = "scales and layers that stay in 16 bits are left out";
    flags.near(r, name, &format!("architecture.bytes_per_param {bytes}, precision {precision}"), differs);
    flags.set_pool(r, name, of, "architecture.bytes_per_param", json!(bytes));
    flags.set_pool(r, name, of, "architecture.precision", json!(precision));
}

/// Bytes of a block, all GPUs of a replica together.
pub(crate) fn block_bytes(flags: &Flags, model: Option<&'static str>, sizes: Sizes) -> Option<f64> {
    let format = flags.text("kv-cache-dtype").and_then(kv_bytes);
    let block = flags.value("block-size").and_then(Value::as_u64).unwrap_or(16) as f64;
    let mut shape = model.and_then(known_model)?.architecture.clone();
    shape.bytes_per_kv_value = format.unwrap_or(shape.bytes_per_kv_value);
    Some(kv_bytes_per_token(&shape, sizes.tp as u32) as f64 * block)
}

/// Sizes of caches in bytes.
pub(crate) fn blocks(r: &mut Reader<'_>, flags: &mut Flags, of: &PoolOf, sizes: Sizes, bytes: Option<f64>) {
    let unknown = "the bytes of a block follow from the shape of a model of the catalogue";
    let count = |all: f64| bytes.map(|bytes| (all / bytes).floor()).filter(|n| *n >= 1.0);
    let most = f64::from(limits::KV_BLOCKS);
    let name = "kv-cache-memory-bytes";
    if let Some(each) = flags.value(name).and_then(Value::as_u64) {
        match count(each as f64 * (sizes.tp * sizes.pp) as f64) {
            Some(n) if n <= most => {
                let differs = "the bytes of all GPUs of a replica over those of a block";
                flags.near(r, name, &format!("kv.blocks {n}"), differs);
                flags.set_pool(r, name, of, "kv.blocks", json!(n as u64));
            }
            _ => flags.ignore(r, name, unknown),
        }
    }
    let name = "kv-offloading-size";
    if let Some(gib) = flags.value(name).and_then(Value::as_f64) {
        match count(gib * GIB) {
            Some(n) if n <= most => {
                let differs = "its bytes over those of a block; the link has kv.transfer_tokens_per_us";
                flags.near(r, name, &format!("kv.cpu_blocks {n}"), differs);
                flags.set_pool(r, name, of, "kv.cpu_blocks", json!(n as u64));
            }
            _ => flags.ignore(r, name, unknown),
        }
    }
}
