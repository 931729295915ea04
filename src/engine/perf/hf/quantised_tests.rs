//! Tests on partly quantised models.

use super::*;
use crate::perf::hf::architecture_from_hf;
use crate::perf::memory::weight_bytes;
use document::Architecture;
use serde_json::json;

fn small(changes: &Value) -> Value {
    let mut config = json!({
        "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 4, "head_dim": 64,
        "num_hidden_layers": 8, "intermediate_size": 4096, "vocab_size": 32_000, "torch_dtype": "bfloat16",
        "tie_word_embeddings": false
    });
    for (key, value) in changes.as_object().expect("an object") {
        config[key] = value.clone();
    }
    config
}

fn read(changes: &Value) -> Architecture {
    let text = small(changes).to_string();
    architecture_from_hf(&text).unwrap_or_else(|e| panic!("{changes}: {e:?}")).architecture
}

fn refused(changes: &Value) -> Vec<String> {
    let problems = architecture_from_hf(&small(changes).to_string()).expect_err("a config that is refused");
    problems.into_iter().map(|d| d.path).collect()
}

const EMBEDDINGS: f64 = 65_536_000.0;
const ATTENTION: f64 = 8.0 * 2_621_440.0;
const DENSE: f64 = 8.0 * 12_582_912.0;
const NORMS: f64 = 17.0 * 1024.0;

#[test]
fn what_is_not_to_be_quantised_keeps_its_bytes() {
    let four = |ignore: &Value| {
        json!({"quantization_config": {
            "quant_method": "compressed-tensors", "format": "pack-quantized", "ignore": ignore,
            "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int", "group_size": 32}}}
        }})
    };
    let bits = 4.5 / 8.0;
    for (ignore, attention, dense) in [
        (json!(["lm_head", "re:.*self_attn.*"]), 2.0, bits),
        (json!(["lm_head"]), bits, bits),
        (json!(["model.layers.*.mlp"]), bits, 2.0),
        (json!(["language_model.lm_head", "re:.*mlp\\.(gate|up|gate_up|down)_proj.*"]), bits, 2.0),
        // One layer of eight.
        (
            json!([
                "model.layers.3.self_attn.q_proj",
                "model.layers.3.self_attn.k_proj",
                "model.layers.3.self_attn.v_proj",
                "model.layers.3.self_attn.o_proj"
            ]),
            (7.0 * bits + 2.0) / 8.0,
            bits,
        ),
        (json!(["visual.blocks.0.attn.qkv", "vision_model.model.layers.0.mlp.fc1"]), bits, bits),
    ] {
        let a = read(&four(&ignore));
        let found = weight_bytes(&a, 1);
        let wanted = EMBEDDINGS * 2.0 + ATTENTION * attention + DENSE * dense;
        // Normalisations are counted with the bytes of most weights.
        assert!((found - wanted).abs() < NORMS * 2.0 + 200.0, "{ignore}: {found} {wanted}");
    }
    assert_eq!(refused(&four(&json!(["re:.*(?P<x>mlp).*"]))), ["quantization_config.ignore"]);
}

#[test]
fn experts_may_have_other_bytes_than_the_rest() {
    let experts = json!({"num_experts": 16, "num_experts_per_tok": 2, "moe_intermediate_size": 512});
    let with = |more: Value| {
        let mut config = experts.clone();
        for (key, value) in more.as_object().expect("an object") {
            config[key] = value.clone();
        }
        read(&config)
    };
    let fp8 = json!({"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]});
    let bytes = |a: Architecture| (a.bytes_per_param, a.bytes_per_expert_param, a.bytes_per_embedding_param);
    assert_eq!(bytes(with(json!({"expert_dtype": "fp4", "quantization_config": fp8}))), (1.0, 0.531_25, 2.0));
    assert_eq!(bytes(with(json!({"quantization_config": fp8}))), (1.0, 0.0, 2.0));
    let only =
        json!({"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"]});
    assert_eq!(bytes(with(json!({"quantization_config": only}))), (2.0, 0.531_25, 0.0));
    let groups = json!({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head", "model.layers.0.self_attn*"],
        "config_groups": {"group_0": {"targets": ["re:.*experts.*"], "weights": {"num_bits": 4, "type": "float", "group_size": 16}}}});
    assert_eq!(bytes(with(json!({"quantization_config": groups}))), (2.0, 0.562_5, 0.0));
}

#[test]
fn a_cache_in_eight_bits_is_read_wherever_it_stands() {
    let fp8 = |more: Value| {
        let mut config = json!({"quant_method": "modelopt", "quant_algo": "FP8"});
        for (key, value) in more.as_object().expect("an object") {
            config[key] = value.clone();
        }
        json!({"quantization_config": config})
    };
    for (says, bytes) in [
        (fp8(json!({"kv_cache_scheme": {"num_bits": 8, "type": "float"}})), 1.0),
        (fp8(json!({"kv_cache_quant_algo": "FP8"})), 1.0),
        (fp8(json!({"kv_cache_scheme": null, "kv_cache_quant_algo": null})), 2.0),
        (json!({"kv_cache_quant": "fp8"}), 1.0),
        (json!({"kv_cache_dtype": "auto"}), 2.0),
    ] {
        let a = read(&says);
        assert!((a.bytes_per_kv_value - bytes).abs() < 1e-12, "{says}");
    }
    assert_eq!(refused(&fp8(json!({"kv_cache_quant_algo": "ODD"}))), ["kv_cache_quant_algo"]);
}

#[test]
fn scales_and_zero_points_count_with_the_weights_that_share_them() {
    for (config, bits) in [
        (
            json!({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": true}),
            4.0 + 20.0 / 128.0,
        ),
        (json!({"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": true}), 4.125),
        (json!({"quant_method": "gptq", "bits": 4, "group_size": -1}), 4.0),
        (json!({"quant_method": "bitsandbytes", "load_in_4bit": true}), 4.5),
        (json!({"quant_method": "modelopt", "quant_algo": "NVFP4"}), 4.5),
        (json!({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp8_e4m3"}}}), 8.0),
    ] {
        let a = read(&json!({"quantization_config": config}));
        assert!((a.bytes_per_param - bits / 8.0).abs() < 1e-6, "{config}: {}", a.bytes_per_param);
    }
}

#[test]
fn modules_that_a_file_lists_have_their_own_formats() {
    let listed = |layers: Value| {
        json!({"quantization_config":
            {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": layers, "exclude_modules": ["lm_head"]}})
    };
    let fp8 = json!({"quant_algo": "FP8"});
    let mut layers = serde_json::Map::new();
    for layer in 0..4 {
        layers.insert(format!("model.layers.{layer}.mlp"), json!({"quant_algo": "NVFP4", "group_size": 16}));
        layers.insert(format!("model.layers.{layer}.self_attn.q_proj"), fp8.clone());
    }
    let found = weight_bytes(&read(&listed(Value::Object(layers))), 1);
    // Half of the dense weights have 4.5 bits, a half of the queries 8.
    let dense = DENSE / 2.0 * (2.0 + 4.5 / 8.0);
    let queries = 4.0 * 1024.0 * 1024.0;
    let wanted = EMBEDDINGS * 2.0 + (ATTENTION - queries) * 2.0 + queries + dense;
    assert!((found - wanted).abs() < NORMS * 2.0 + 400.0, "{found} {wanted}");
    // A module of another half says nothing of this one; an unknown format is refused.
    let vision = json!({"visual.layers.0.mlp": fp8});
    assert!((weight_bytes(&read(&listed(vision)), 1) - weight_bytes(&read(&json!({})), 1)).abs() < 1.0);
    let odd = json!({"model.layers.0.mlp": {"quant_algo": "ODD"}});
    assert_eq!(refused(&listed(odd)), ["quantization_config.quantized_layers"]);
}

#[test]
fn experts_beside_a_dense_part_are_not_below_it() {
    let with = |ignore: Value| {
        read(&json!({
            "model_type": "gemma4_text", "enable_moe_block": true, "num_experts": 16, "top_k_experts": 2, "moe_intermediate_size": 512,
            "quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ignore},
        }))
    };
    let bytes = |a: &Architecture| (a.bytes_per_param, a.bytes_per_expert_param);
    let dense = with(json!(["lm_head", "model.layers.*.mlp*", "model.layers.*.self_attn*"]));
    assert_eq!(bytes(&dense), (2.0, 0.562_5));
    let both = with(json!(["model.layers.*.mlp*", "model.layers.*.self_attn*", "model.layers.*.experts*"]));
    assert!((both.bytes_per_param - 2.0).abs() < 1e-9 && both.bytes_per_expert_param.abs() < 1e-9);
}

#[test]
fn attention_and_what_stands_in_for_it_have_names_of_their_own() {
    let types = ["linear_attention", "linear_attention", "linear_attention", "full_attention"].repeat(2);
    let with = |ignore: Value| {
        read(&json!({
            "model_type": "qwen3_next", "layer_types": types, "linear_num_key_heads": 8, "linear_num_value_heads": 16,
            "linear_key_head_dim": 64, "linear_value_head_dim": 64,
            "quantization_config": {"quant_method": "fp8", "modules_to_not_convert": ignore},
        }))
    };
    let [none, attention, linear] = [json!([]), json!(["re:.*self_attn.*"]), json!(["re:.*linear_attn.*"])]
        .map(|ignore| with(ignore).bytes_per_param);
    assert!(none < attention && attention < linear, "{none} {attention} {linear}");
}

#[test]
fn formats_are_those_of_most_weights() {
    use Precision::{Auto, Fp8, Mxfp4, Nvfp4, W4a16};
    let experts = json!({"num_experts": 16, "num_experts_per_tok": 2, "moe_intermediate_size": 512});
    let with = |more: Value| {
        let mut config = experts.clone();
        for (key, value) in more.as_object().expect("an object") {
            config[key] = value.clone();
        }
        let a = read(&config);
        (a.precision, a.expert_precision)
    };
    let quantised = |q: Value| with(json!({"quantization_config": q}));
    assert_eq!(with(json!({})), (Auto, Auto));
    assert_eq!(quantised(json!({"quant_method": "fp8"})), (Fp8, Auto));
    assert_eq!(quantised(json!({"quant_method": "mxfp4"})), (Auto, Mxfp4));
    let attention = json!({"quant_algo": "NVFP4", "ignore": ["re:.*self_attn.*"]});
    assert_eq!(quantised(attention), (Auto, Nvfp4));
    assert_eq!(quantised(json!({"quant_method": "awq", "bits": 4, "group_size": 128})), (W4a16, Auto));
    assert_eq!(with(json!({"expert_dtype": "fp4"})), (Auto, Mxfp4));
}
