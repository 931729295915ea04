//! Number formats by the names and figures of quantisation methods: bits of a weight, scales included, and the class
//! of matrix products.

use document::Precision;
use serde_json::Value;

/// How a weight is stored and multiplied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Format {
    /// Bits of a weight with its share of the scales.
    pub(super) bits: f64,
    pub(super) precision: Precision,
}

/// Bits of a four-bit value with its share of an eight-bit scale for a block of 32 or 16 values.
const FOUR_BITS_32: f64 = 4.0 + 8.0 / 32.0;
const FOUR_BITS_16: f64 = 4.0 + 8.0 / 16.0;

const fn format(bits: f64, precision: Precision) -> Format {
    Format { bits, precision }
}

/// The format of a weight by the method's name and figures.
pub(super) fn format_of_method(method: &str, config: &Value) -> Option<Format> {
    let yes = |key: &str| config.get(key).is_some_and(|v| *v == true);
    if let Some(bits) = config.get("bits").or_else(|| config.get("w_bit")).and_then(Value::as_f64) {
        return Some(format(with_scales(bits, config), weight_only(bits)));
    }
    if yes("load_in_4bit") {
        // A scale of 32 bits for each 64, or of 8 where scales are quantised too.
        let scale = if yes("bnb_4bit_use_double_quant") { 8.0 } else { 32.0 };
        return Some(format(4.0 + scale / 64.0, Precision::W4a16));
    }
    if yes("load_in_8bit") {
        return Some(format(8.0, Precision::Int8));
    }
    let inner = config.get("quantization").and_then(|inner| inner.get("quant_algo"));
    if let Some(algorithm) = config.get("quant_algo").or(inner).and_then(Value::as_str) {
        return format_of(algorithm);
    }
    if let Some(found) = config.get("global_quant_config").and_then(|c| format_in(c.get("weight")?, 0)) {
        return Some(found);
    }
    match method {
        "mxfp4" => Some(format(FOUR_BITS_32, Precision::Mxfp4)),
        _ if method.contains("nvfp4") || method == "modelopt_fp4" => {
            Some(format(FOUR_BITS_16, Precision::Nvfp4))
        }
        _ if method.contains("fp8") => Some(format(8.0, Precision::Fp8)),
        _ if method.contains("int8") => Some(format(8.0, Precision::Int8)),
        _ => None,
    }
}

/// The format of a group of compressed tensors.
pub(super) fn group_format(bits: f64, weights: &Value, activations: Option<&Value>) -> Format {
    let float = weights.get("type").and_then(Value::as_str) == Some("float");
    let blocks = weights.get("group_size").and_then(Value::as_f64);
    let quantised = activations.is_some_and(|a| !a.is_null());
    let precision = if bits >= 12.0 {
        Precision::Bf16
    } else if bits < 6.0 && float {
        if blocks.is_some_and(|size| size >= 32.0) { Precision::Mxfp4 } else { Precision::Nvfp4 }
    } else if bits >= 6.0 && quantised {
        if float { Precision::Fp8 } else { Precision::Int8 }
    } else {
        weight_only(bits)
    };
    format(with_scales(bits, weights), precision)
}

/// The format of whole numbers with products in 16 bits.
fn weight_only(bits: f64) -> Precision {
    if bits >= 12.0 {
        Precision::Bf16
    } else if bits >= 6.0 {
        Precision::Fp8WeightOnly
    } else {
        Precision::W4a16
    }
}

/// The format of a type or an algorithm by its name, scales included if its block size is fixed.
pub(super) fn format_of(name: &str) -> Option<Format> {
    let name = name.to_ascii_lowercase();
    if name.contains("mixed") {
        return None;
    }
    // Parts of names with what they say; the first of them that occurs counts. Four bits of weights alone are scaled by 128.
    let named: [(&[&str], f64, Precision); 7] = [
        (&["nvfp4"], FOUR_BITS_16, Precision::Nvfp4),
        (&["fp4"], FOUR_BITS_32, Precision::Mxfp4),
        (&["w4a", "awq", "int4"], 4.0 + 16.0 / 128.0, Precision::W4a16),
        (&["w8a16"], 8.0, Precision::Fp8WeightOnly),
        (&["int8", "w8a"], 8.0, Precision::Int8),
        (&["fp8", "float8", "e4m3", "e5m2"], 8.0, Precision::Fp8),
        (&["bfloat16", "float16", "bf16", "fp16"], 16.0, Precision::Bf16),
    ];
    let found = named.into_iter().find(|(parts, ..)| parts.iter().any(|part| name.contains(part)));
    found.map(|(_, bits, precision)| format(bits, precision))
}

/// The type that an object, or the first of a list, names.
pub(super) fn format_in(value: &Value, depth: u32) -> Option<Format> {
    match value {
        Value::Array(list) => format_in(list.first()?, depth),
        Value::Object(map) => match map.get("dtype").and_then(Value::as_str) {
            Some(dtype) => format_of(dtype),
            None if depth < 3 => map.values().find_map(|inner| format_in(inner, depth + 1)),
            None => None,
        },
        _ => None,
    }
}

/// Bits with the share of the group's scale and, if there is one, its zero point.
fn with_scales(bits: f64, of: &Value) -> f64 {
    let Some(group) = of.get("group_size").and_then(Value::as_f64).filter(|n| *n > 0.0) else { return bits };
    let says = |key: &str, value: bool| of.get(key).is_some_and(|v| *v == value);
    let float = of.get("type").and_then(Value::as_str) == Some("float");
    let scale = if float { 8.0 } else { 16.0 };
    let zero =
        if says("zero_point", true) || says("symmetric", false) || says("sym", false) { bits } else { 0.0 };
    bits + (scale + zero) / group
}

/// Whether a value is set.
pub(super) fn says(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Object(map) => !map.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_group_says_how_weights_are_stored_and_multiplied() {
        let of = |bits: f64, kind: &str, size: u32, activations: Value| {
            let weights = json!({"num_bits": bits, "type": kind, "group_size": size});
            let found = group_format(bits, &weights, Some(&activations));
            (found.bits, found.precision)
        };
        let eight = json!({"num_bits": 8});
        assert_eq!(of(4.0, "int", 32, Value::Null), (4.5, Precision::W4a16));
        assert_eq!(of(4.0, "float", 16, json!({"num_bits": 4})), (4.5, Precision::Nvfp4));
        assert_eq!(of(4.0, "float", 32, json!({"num_bits": 4})), (4.25, Precision::Mxfp4));
        assert_eq!(of(8.0, "float", 0, eight.clone()), (8.0, Precision::Fp8));
        assert_eq!(of(8.0, "float", 0, Value::Null), (8.0, Precision::Fp8WeightOnly));
        assert_eq!(of(8.0, "int", 0, eight), (8.0, Precision::Int8));
    }

    #[test]
    fn methods_and_types_are_known_by_their_names() {
        let method = |name: &str, config: Value| format_of_method(name, &config).map(|of| of.precision);
        assert_eq!(method("fp8", json!({})), Some(Precision::Fp8));
        assert_eq!(method("mxfp4", json!({})), Some(Precision::Mxfp4));
        assert_eq!(method("awq", json!({"bits": 4, "group_size": 128})), Some(Precision::W4a16));
        assert_eq!(method("gptq", json!({"bits": 8})), Some(Precision::Fp8WeightOnly));
        assert_eq!(
            method("modelopt", json!({"quantization": {"quant_algo": "NVFP4"}})),
            Some(Precision::Nvfp4)
        );
        assert_eq!(method("modelopt", json!({"quant_algo": "FP8"})), Some(Precision::Fp8));
        let quark = json!({"global_quant_config": {"weight": {"dtype": "fp4", "group_size": 32}}});
        assert_eq!(method("quark", quark), Some(Precision::Mxfp4));
        assert_eq!(format_of("w8a8_sq").map(|of| of.precision), Some(Precision::Int8));
        assert_eq!(method("secret", json!({})), None);
    }
}
