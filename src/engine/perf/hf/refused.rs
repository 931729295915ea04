//! Refuses unknown content of a `config.json` that memory or speed may depend on, with its key.

use super::config::{Config, shortened};
use super::keys::{EXPERTS, LAYERS};
use serde_json::Value;

/// Keys about layers that are read, or have no effect on memory and speed.
const KNOWN: &[&str] = &[
    "layer_types",
    "layers_block_type",
    "block_types",
    "attention_layers",
    "attention_types",
    "hybrid_override_pattern",
    "hybrid_layer_pattern",
    "attn_type_list",
    "attn_layer_indices",
    "compress_ratios",
    "attn_layer_period",
    "attn_layer_offset",
    "full_attn_idxs",
    "full_attention_interval",
    "cross_attention_layers",
    "sliding_window_pattern",
    "_sliding_window_pattern",
    "max_window_layers",
    "no_rope_layers",
    "block_configs",
    "moe_layer_freq",
    "moe_layer_frequency",
    "moe_layer_interval",
    "moe_layer_start_index",
    "moe_layer_end_index",
    "moe_layer_num_skipped",
    "moe_layers",
    "moe_layers_enum",
    "mlp_layer_types",
    "mlp_only_layers",
    "expert_layer_period",
    "expert_layer_offset",
    "decoder_sparse_step",
    "interleave_moe_layer_step",
    "num_dense_layers",
    "n_dense_layers",
    "intermediate_size",
    "moe_intermediate_size",
    "num_experts",
    "moe_topk",
    "num_shared_expert",
];
/// Keys that change a layer in a way that no field of a shape can express.
const REFUSED: &[(&str, &str)] = &[
    ("hidden_size_per_layer_input", "embeddings of their own for each layer"),
    ("zero_expert_num", "experts that compute nothing, and layers with two attentions"),
    ("altup_num_inputs", "several hidden states side by side"),
    ("num_mem_blocks", "layers that several places share"),
    ("num_encoder_layers", "an encoder beside the decoder"),
    ("encoder_layers", "an encoder beside the decoder"),
];
/// Words of keys that describe layers without attention.
const STATES: &[&str] = &[
    "ssm_state_size",
    "mamba_d_state",
    "state_size",
    "linear_num_value_heads",
    "rwkv",
    "lru_width",
    "time_mix",
];
/// Words of keys that describe differences between layers.
const KINDS: &[&str] =
    &["moe", "expert", "sparse", "dense", "mlp", "attn", "attention", "mamba", "window", "hybrid", "linear"];
const PLACES: &[&str] =
    &["layer", "period", "offset", "interval", "pattern", "freq", "every", "indices", "idxs", "schedule"];
/// Words of keys that do not describe layers.
const HARMLESS: &[&str] = &[
    "rope", "rotary", "norm", "swiglu", "scale", "limit", "token", "bias", "mtp", "nextn", "loss", "drop",
    "init", "index", "lora",
];

impl Config<'_> {
    /// Reports unknown keys that may matter.
    pub(super) fn look_for_the_unknown(&mut self) {
        if self.yes("is_encoder_decoder") {
            self.refuse("is_encoder_decoder", "an encoder beside the decoder");
        }
        for (key, what) in REFUSED {
            if self.get(&[*key]).is_some_and(|(_, value)| counts(value)) {
                self.refuse(key, what);
            }
        }
        let layers = self.get(LAYERS).and_then(|(_, v)| v.as_u64()).unwrap_or(0);
        let experts = self.get(EXPERTS).is_some();
        for (key, value) in self.keys() {
            let has = |words: &[&str]| words.iter().any(|word| key.contains(word));
            if KNOWN.contains(&key.as_str()) || has(HARMLESS) || !counts(value) {
                continue;
            }
            let list = value.as_array().is_some_and(|list| layers > 3 && list.len() as u64 == layers);
            let says = has(KINDS) && has(PLACES) && !value.is_object();
            let uncounted = !experts
                && value.as_f64().is_some_and(|n| n > 1.0)
                && (key.contains("expert") || key.starts_with("moe_"));
            if list || says || uncounted {
                self.refuse(key, &format!("{}, which is not known here", shortened(value)));
            }
        }
        self.states_without_layers();
    }

    /// Reports sizes of states without a key for the layers that have them.
    fn states_without_layers(&mut self) {
        const SAID_BY: &[&str] = &[
            "layer_types",
            "layers_block_type",
            "block_types",
            "hybrid_override_pattern",
            "attn_layer_indices",
            "attn_layer_period",
            "full_attention_interval",
            "attn_type_list",
            "linear_attn_config",
        ];
        if self.get(SAID_BY).is_some() || self.family == "falcon_h1" {
            return;
        }
        for (key, value) in self.keys() {
            if counts(value)
                && STATES.iter().any(|word| key == word || (*word == "rwkv" && key.starts_with(word)))
            {
                self.refuse(
                    key,
                    &format!("{}, and nothing that says which layers have it", shortened(value)),
                );
            }
        }
    }
}

/// Whether a value is set and has an effect.
fn counts(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(n) => n.as_f64() != Some(0.0),
        Value::Array(list) => !list.is_empty(),
        Value::String(text) => !text.is_empty(),
        Value::Object(_) | Value::Bool(true) => true,
    }
}
