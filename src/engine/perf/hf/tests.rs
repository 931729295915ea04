//! Tests on descriptions of models, reduced to the keys that memory and speed depend on.

use super::*;
use crate::perf::catalogue;
use serde_json::{Value, json};

fn read(config: &Value) -> Architecture {
    architecture_from_hf(&config.to_string()).unwrap_or_else(|e| panic!("{e:?}")).architecture
}

fn llama() -> Value {
    json!({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
        "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 14336, "vocab_size": 128_256, "torch_dtype": "bfloat16",
        "tie_word_embeddings": false, "rope_scaling": {"factor": 8.0}
    })
}

fn with(mut config: Value, changes: &Value) -> Value {
    for (key, value) in changes.as_object().expect("an object") {
        config[key] = value.clone();
    }
    config
}

#[test]
fn a_plain_model_reads_as_the_catalogue_has_it() {
    assert_eq!(read(&llama()), Architecture::default());
}

#[test]
fn other_names_and_the_language_half_are_understood() {
    let mut chatglm = json!({
        "num_layers": 28, "hidden_size": 4096, "num_attention_heads": 32, "multi_query_group_num": 2,
        "ffn_hidden_size": 13_696, "padded_vocab_size": 65_024, "dtype": "float16"
    });
    let a = read(&chatglm);
    assert_eq!((a.layers, a.kv_heads, a.intermediate, a.vocab), (28, 2, 13_696, 65_024));
    assert_eq!(a.head_dim(), 128);
    assert_eq!(read(&json!({"model_type": "sees", "hidden_size": 1, "text_config": chatglm})), a);
    chatglm["kv_channels"] = 64.into();
    assert_eq!(read(&json!({"thinker_config": {"text_config": chatglm}})).head_dim(), 64);
    let all = with(llama(), &json!({"num_key_value_heads": null, "multi_query": false}));
    assert_eq!(read(&all).kv_heads(), 32);
    assert_eq!(read(&with(all, &json!({"multi_query": true}))).kv_heads(), 1);
}

#[test]
fn experts_and_latent_attention_are_understood() {
    let glm = with(
        llama(),
        &json!({
            "num_hidden_layers": 78, "hidden_size": 6144, "num_attention_heads": 64, "num_key_value_heads": 64,
            "head_dim": 192, "intermediate_size": 12_288, "moe_intermediate_size": 2048, "vocab_size": 154_880,
            "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8,
            "first_k_dense_replace": 3, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 192,
            "v_head_dim": 256, "q_lora_rank": 2048,
            "quantization_config": {"quant_method": "fp8", "fmt": "e4m3"}
        }),
    );
    let listed = &catalogue::architecture("glm-5.2-fp8").expect("listed").architecture;
    let a = read(&glm);
    // Pairs cost the 256 of a key and of a value. Attention has 6144 * 2048 + 2048 * 64 * 256 + 6144 * 576 + 512 * 64 * 448 +
    // 64 * 256 * 6144 weights in each layer.
    assert_eq!((a.head_dim, a.bytes_per_embedding_param), (256, 2.0));
    let attention = 12_582_912 + 33_554_432 + 3_538_944 + 14_680_064 + 100_663_296;
    let dense = 3 * 3 * 6144 * 12_288;
    let shared = 75 * 3 * 6144 * 2048;
    assert_eq!((a.common_params_millions * 1e6) as u64, 78 * attention + dense + shared);
    let plain = Architecture {
        head_dim: 192,
        common_params_millions: 0.0,
        bytes_per_embedding_param: 0.0,
        precision: Precision::Auto,
        ..a
    };
    assert_eq!(&plain, listed);
    let scout = with(
        llama(),
        &json!({
            "model_type": "llama4_text", "num_local_experts": 16, "num_experts_per_tok": 1,
            "intermediate_size": 8192, "intermediate_size_mlp": 16_384
        }),
    );
    let a = read(&scout);
    assert_eq!((a.expert_intermediate, a.intermediate, a.shared_experts), (8192, 16_384, 1));
}

#[test]
fn quantised_weights_are_smaller_and_their_cache_is_not() {
    for (change, bytes) in [
        (json!({"torch_dtype": "float32"}), (4.0, 4.0)),
        (json!({"torch_dtype": "float8_e4m3fn"}), (1.0, 2.0)),
        (json!({"dtype": "int8", "torch_dtype": null}), (1.0, 2.0)),
        (json!({"quantization_config": {"quant_method": "awq", "bits": 4}}), (0.5, 2.0)),
        (json!({"quantization_config": {"quant_method": "bitsandbytes", "load_in_8bit": true}}), (1.0, 2.0)),
        (json!({"quantization_config": {"quant_method": "mxfp4"}}), (0.531_25, 2.0)),
        (
            json!({"quantization_config": {"quant_method": "compressed-tensors",
                "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "int"}}}}}),
            (1.0, 2.0),
        ),
    ] {
        let a = read(&with(llama(), &change));
        assert_eq!((a.bytes_per_param, a.bytes_per_kv_value), bytes, "{change}");
    }
}

#[test]
fn everything_that_cannot_be_read_is_said_at_once() {
    let paths = |config: &Value| -> Vec<String> {
        let problems = architecture_from_hf(&config.to_string()).expect_err("a bad config");
        problems.into_iter().map(|d| d.path).collect()
    };
    assert_eq!(
        paths(&json!({"hidden_size": "wide", "vocab_size": 32_000, "torch_dtype": "float7"})),
        ["torch_dtype", "num_hidden_layers", "hidden_size", "num_attention_heads"]
    );
    assert_eq!(
        paths(&with(llama(), &json!({"quantization_config": {"quant_method": "secret"}}))),
        ["quantization_config"]
    );
    assert_eq!(paths(&with(llama(), &json!({"hidden_size": 4097}))), ["heads"]);
    assert_eq!(paths(&with(llama(), &json!({"num_hidden_layers": 0}))), ["layers"]);
    assert_eq!(paths(&json!([1])), [""]);
    assert!(architecture_from_hf("{").is_err());
}

/// The shape read, its summary, and the keys with warnings.
fn all(config: &Value) -> (Architecture, String, Vec<String>) {
    let model = architecture_from_hf(&config.to_string()).unwrap_or_else(|e| panic!("{e:?}"));
    (model.architecture, model.summary, model.warnings.into_iter().map(|d| d.path).collect())
}

fn refused(config: &Value) -> Vec<String> {
    let problems = architecture_from_hf(&config.to_string()).expect_err("a config that is refused");
    problems.into_iter().map(|d| d.path).collect()
}

/// A small model, whose attention has 2,621,440 weights in a layer.
fn small() -> Value {
    json!({
        "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 4, "head_dim": 64,
        "num_hidden_layers": 8, "intermediate_size": 4096, "vocab_size": 32_000, "torch_dtype": "bfloat16",
        "tie_word_embeddings": false
    })
}

const ATTENTION: f64 = 2_621_440.0;

fn experts(changes: &Value) -> Value {
    let with_experts = json!({"num_experts": 16, "num_experts_per_tok": 4, "moe_intermediate_size": 512});
    with(with(small(), &with_experts), changes)
}

#[test]
fn layers_with_experts_are_those_that_the_file_says_however_it_says_it() {
    for (says, dense) in [
        (json!({}), 0),
        (json!({"interleave_moe_layer_step": 2}), 4),
        (json!({"decoder_sparse_step": 2, "mlp_only_layers": [1]}), 5),
        (json!({"mlp_only_layers": [0, 3]}), 2),
        (json!({"first_k_dense_replace": 3, "moe_layer_freq": 1}), 3),
        (json!({"first_k_dense_replace": 1, "moe_layer_freq": 2}), 5),
        (json!({"moe_layer_freq": [0, 1, 1, 1, 1, 1, 1, 1]}), 1),
        (
            json!({"mlp_layer_types": ["dense", "dense", "sparse", "sparse", "sparse", "sparse", "sparse", "sparse"]}),
            2,
        ),
        (json!({"expert_layer_period": 2, "expert_layer_offset": 1}), 4),
        (json!({"moe_layers": [1, 3, 5]}), 5),
        (json!({"moe_layers_enum": "4,5,6,7"}), 4),
        (json!({"moe_layer_interval": 1, "moe_layer_start_index": 1, "moe_layer_end_index": 6}), 2),
        (json!({"moe_layer_start_index": 3, "moe_layer_end_index": -1}), 3),
        (json!({"num_dense_layers": 2}), 2),
    ] {
        let (a, _, warned) = all(&experts(&says));
        assert_eq!((a.dense_layers, a.expert_layers(), warned), (dense, 8 - dense, vec![]), "{says}");
        assert!(a.common_params_millions == 0.0 && a.expert_params_millions == 0.0, "{says}: {a:?}");
    }
    assert_eq!(refused(&experts(&json!({"decoder_sparse_step": 0}))), ["num_local_experts"]);
    assert_eq!(refused(&experts(&json!({"moe_every_other_layer": 2}))), ["moe_every_other_layer"]);
    assert_eq!(refused(&with(small(), &json!({"num_expert_banks": 8}))), ["num_expert_banks"]);
}

#[test]
fn experts_go_by_many_names() {
    for names in [
        json!({"num_experts": 16, "top_k_experts": 4, "moe_intermediate_size": 512}),
        json!({"n_routed_experts": 16, "num_experts_per_tok": 4, "moe_intermediate_size": 512}),
        json!({"moe_num_experts": 16, "moe_k": 4, "moe_intermediate_size": 512}),
        json!({"num_local_experts": 16, "experts_per_token": 4, "intermediate_size": 512}),
        json!({"num_experts": 16, "moe_topk": [4, 4, 4, 4, 4, 4, 4, 4], "moe_intermediate_size": 512}),
    ] {
        let a = read(&with(small(), &names));
        assert_eq!((a.experts, a.experts_per_token, a.expert_intermediate()), (16, 4, 512), "{names}");
    }
    // Experts without their own width or one of dense layers.
    assert_eq!(
        refused(&experts(&json!({"intermediate_size": null, "moe_intermediate_size": null}))),
        ["moe_intermediate_size"]
    );
}

#[test]
fn a_missing_feed_forward_width_is_refused_and_not_taken_as_nothing() {
    assert_eq!(refused(&with(small(), &json!({"intermediate_size": null}))), ["intermediate_size"]);
    // If every layer has experts, no dense width is needed.
    assert_eq!(read(&experts(&json!({"intermediate_size": null}))).expert_intermediate, 512);
    // The class of this family has four times the hidden width.
    let bloom = with(small(), &json!({"model_type": "bloom", "intermediate_size": null}));
    assert_eq!(read(&bloom).intermediate, 4096);
}

#[test]
fn layers_for_multi_token_prediction_are_named_and_not_counted() {
    let (plain, summary, _) = all(&small());
    assert!(!summary.contains("multi-token"), "{summary}");
    let (a, summary, warned) = all(&with(small(), &json!({"num_nextn_predict_layers": 1})));
    assert!(a == plain && warned.is_empty(), "{warned:?}");
    let says =
        "not counted: 1 for multi-token prediction, a drafter for engine.speculative with a share of 0.125";
    assert!(summary.ends_with(says), "{summary}");
}

#[test]
fn only_layers_that_keep_keys_and_values_count_in_the_cache() {
    let linear = json!({
        "full_attention_interval": 4, "linear_num_key_heads": 8, "linear_num_value_heads": 16,
        "linear_key_head_dim": 64, "linear_value_head_dim": 64
    });
    let types = ["linear_attention", "linear_attention", "linear_attention", "full_attention"].repeat(2);
    let listed = with(linear.clone(), &json!({"full_attention_interval": null, "layer_types": types}));
    for says in [linear, listed] {
        let (a, summary, warned) = all(&with(small(), &says));
        // 2 layers * 2 * 4 * 64 numbers of 2 bytes.
        assert_eq!(a.kv_values, 1024, "{says}");
        assert!(summary.ends_with("2,048 bytes of KV cache for a token"), "{summary}");
        assert_eq!(warned, [""; 0]);
        // 2 * (3 * (2 * 512 + 1024) + 16 * 64 * 64) bytes in each of six layers.
        assert_eq!((a.linear_layers, a.full_layers(), a.state_kib_per_request), (6, 2, 840.0));
        // 1024 * (2 * 512 + 2 * 1024) + 1024 * 32 + 1024 * 1024 in a linear layer.
        let common = 2.0 * ATTENTION + 6.0 * 4_227_072.0 + 8.0 * 12_582_912.0;
        assert!((a.common_params_millions * 1e6 - common).abs() < 1.0, "{a:?}");
    }
    for says in [
        json!({"attn_type_list": [0, 0, 0, 1, 0, 0, 0, 1], "model_type": "minimax"}),
        json!({"linear_attn_config": {"full_attn_layers": [4, 8], "num_heads": 16, "head_dim": 64}}),
        json!({"attn_layer_period": 4, "attn_layer_offset": 3, "mamba_d_state": 16, "mamba_expand": 2, "mamba_dt_rank": 64}),
        json!({"attn_layer_indices": [3, 7], "mamba_d_state": 16, "mamba_expand": 2, "mamba_n_groups": 1}),
        json!({"full_attn_idxs": [3, 7]}),
        json!({"num_kv_shared_layers": 6}),
    ] {
        assert_eq!(read(&with(small(), &says)).kv_values, 1024, "{says}");
    }
    assert_eq!(
        refused(&with(small(), &json!({"layer_types": vec!["wkv"; 8]}))).first().map(String::as_str),
        Some("layer_types")
    );
    assert_eq!(refused(&with(small(), &json!({"layer_types": ["full_attention"]}))), ["layer_types"]);
    assert_eq!(refused(&with(small(), &json!({"ssm_state_size": 128}))), ["ssm_state_size"]);
    assert_eq!(refused(&with(small(), &json!({"odd_layers": [1, 0, 1, 0, 1, 0, 1, 0]}))), ["odd_layers"]);
    assert_eq!(refused(&with(small(), &json!({"is_encoder_decoder": true}))), ["is_encoder_decoder"]);
}

#[test]
fn blocks_of_one_kind_each_are_counted_as_the_pattern_has_them() {
    let nano = experts(&json!({
        "model_type": "nemotron_h", "hybrid_override_pattern": "MEM*MEME", "n_shared_experts": 1, "intermediate_size": 512,
        "ssm_state_size": 128, "mamba_num_heads": 16, "mamba_head_dim": 64, "n_groups": 8
    }));
    let (a, _, warned) = all(&nano);
    assert_eq!((a.kv_values, a.expert_layers(), warned), (512, 3, Vec::new()));
    // 2 * (3 * (1024 + 2 * 8 * 128) + 1024 * 128) bytes in each of four Mamba layers; the others keep nothing.
    assert_eq!((a.linear_layers, a.full_layers(), a.state_kib_per_request), (7, 1, 1096.0));
    // Two matrices: these experts have no gate.
    assert!((a.expert_params_millions - 1.048_576).abs() < 1e-9);
    // 1024 * (2 * 1024 + 2 * 8 * 128 + 16) + 1024 * 1024 in a Mamba layer.
    let common = ATTENTION + 4.0 * 5_259_264.0 + 3.0 * 1_048_576.0;
    assert!((a.common_params_millions * 1e6 - common).abs() < 1.0, "{a:?}");
    assert_eq!(
        refused(&with(nano, &json!({"hybrid_override_pattern": "MEM*MEMX"}))),
        ["hybrid_override_pattern"]
    );
    let none = json!({"model_type": "nemotron_h", "hybrid_override_pattern": "MMMM-M-M", "ssm_state_size": 128, "mamba_num_heads": 16});
    assert_eq!(refused(&with(small(), &none)), ["hybrid_override_pattern"]);
}

#[test]
fn a_description_of_each_block_says_what_it_has() {
    let attention = json!({"n_heads_in_group": 8, "no_op": false, "replace_with_linear": false});
    let none = json!({"n_heads_in_group": null, "no_op": true});
    let ffn = |factor: f64| json!({"ffn_mult": factor, "no_op": false});
    let block = |attention: &Value, ffn: &Value| json!({"attention": attention, "ffn": ffn});
    let blocks = [
        block(&attention, &ffn(5.25)),
        block(&attention, &ffn(1.0)),
        block(&none, &ffn(5.25)),
        block(&none, &none),
        block(&attention, &json!({"no_op": false, "replace_with_linear": true})),
        block(&Value::Null, &ffn(5.25)),
        block(&attention, &Value::Null),
        block(&json!({"replace_with_linear": true}), &ffn(5.25)),
    ];
    let config = with(
        small(),
        &json!({"model_type": "nemotron-nas", "intermediate_size": null, "num_key_value_heads": null, "block_configs": blocks}),
    );
    let a = read(&config);
    // Four layers with two KV heads of 64; 5.25 * 2 / 3 * 1024 = 3584, and 682 in whole 256 is 768.
    assert_eq!((a.kv_heads, a.kv_values), (2, 4 * 2 * 2 * 64));
    let common = 4.0 * 2.0 * 1024.0 * (1024.0 + 128.0)
        + 4.0 * 3.0 * 1024.0 * 3584.0
        + 3.0 * 1024.0 * 768.0
        + 2.0 * 1024.0 * 1024.0;
    assert!((a.common_params_millions * 1e6 - common).abs() < 1.0, "{a:?}");
    let mut moe = config;
    moe["block_configs"][2]["ffn"]["moe"] = json!({"num_local_experts": 8});
    assert_eq!(refused(&moe), ["block_configs[2].ffn.moe"]);
}

#[test]
fn windows_are_counted_where_a_layer_has_one() {
    let types = ["sliding_attention", "full_attention"].repeat(4);
    for (says, layers, window) in [
        (json!({"sliding_window": 128, "layer_types": types}), 4, 128),
        (json!({"sliding_window": 4096, "model_type": "mistral"}), 8, 4096),
        (json!({"sliding_window": 512, "sliding_window_pattern": 6}), 7, 512),
        (
            json!({"sliding_window": 512, "use_sliding_window": true, "max_window_layers": 4, "model_type": "qwen2"}),
            4,
            512,
        ),
        (json!({"attention_chunk_size": 8192, "model_type": "llama4_text"}), 6, 8192),
        (json!({"sliding_window": null, "use_sliding_window": false, "max_window_layers": 8}), 0, 0),
        (json!({"sliding_window": 4096, "use_sliding_window": false}), 0, 0),
        (json!({"sliding_window": 4096, "max_window_layers": 28, "model_type": "qwen2"}), 0, 0),
        (json!({"sliding_window": 4096, "max_position_embeddings": 4096}), 0, 0),
        (json!({"sliding_window": 128, "layer_types": vec!["full_attention"; 8]}), 0, 0),
    ] {
        let (a, _, warned) = all(&with(small(), &says));
        assert_eq!((a.sliding_layers, a.sliding_window), (layers, window), "{says}");
        assert_eq!((a.kv_values, warned), (0, Vec::new()), "every layer keeps keys and values: {says}");
    }
    let (a, _, warned) = all(&with(small(), &json!({"layer_types": types})));
    assert_eq!((a.sliding_layers, warned), (0, vec!["layer_types".to_owned()]), "a window of unknown size");
}

#[test]
fn an_index_says_how_many_tokens_are_read() {
    let sparse = with(small(), &json!({"index_topk": 2048, "index_n_heads": 4, "index_head_dim": 64}));
    let (a, _, warned) = all(&sparse);
    assert_eq!((a.index_topk, warned), (2048, Vec::new()));
}

#[test]
fn states_have_the_widths_of_the_file() {
    let is = |says: Value, kib: f64| {
        let found = read(&with(small(), &says)).state_kib_per_request;
        assert!((found - kib).abs() < 1e-9, "{says}: {found}");
    };
    let delta = json!({
        "full_attention_interval": 8, "linear_num_key_heads": 8, "linear_num_value_heads": 16,
        "linear_key_head_dim": 64, "linear_value_head_dim": 64, "mamba_ssm_dtype": "float32"
    });
    // 2 * 3 * 2048 + 4 * 16 * 64 * 64 bytes in each of seven layers.
    is(delta, 1876.0);
    // 2 * 3 * 3 * 1024 + 4 * 16 * 64 * 64 bytes in each of six layers.
    let kimi = json!({"linear_attn_config": {"full_attn_layers": [4, 8], "num_heads": 16, "head_dim": 64}});
    is(kimi, 1644.0);
    // Two inputs of 1024 in each of six layers.
    is(json!({"full_attn_idxs": [3, 7]}), 24.0);
    is(json!({}), 0.0);
}

#[test]
fn numbers_of_python_that_json_has_not_do_no_harm_where_they_are_not_needed() {
    let text = small().to_string();
    let odd = text.replacen('{', "{\"time_step_limit\": [0.0, Infinity], \"x\": NaN, \"y\": -Infinity,", 1);
    assert_eq!(architecture_from_hf(&odd), architecture_from_hf(&text));
    let needed = text.replace("1024", "Infinity");
    let problems = architecture_from_hf(&needed).expect_err("no width");
    assert_eq!(problems.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(), ["hidden_size"]);
}

#[test]
fn every_second_layer_of_llama_4_has_experts_and_the_others_are_twice_as_wide() {
    let scout = with(
        small(),
        &json!({
            "model_type": "llama4_text", "interleave_moe_layer_step": 2, "num_local_experts": 8, "num_experts_per_tok": 1,
            "intermediate_size": 2048, "intermediate_size_mlp": 4096
        }),
    );
    let (a, summary, _) = all(&json!({"model_type": "llama4", "text_config": scout}));
    assert_eq!((a.dense_layers, a.intermediate, a.expert_intermediate, a.shared_experts), (4, 4096, 2048, 1));
    // 65.5 + 8 * 2.62 + 4 * 9 * 6.29 + 4 * 12.58 million.
    assert!(summary.starts_with("363.4 million parameters"), "{summary}");
    assert!(summary.contains("0.73 GB of weights"), "{summary}");
}
