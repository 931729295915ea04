//! Reads a model's shape from the `config.json` that Hugging Face repositories carry.
//!
//! Families name the same thing differently, and models that see or hear keep the language half under `text_config`.
//! What cannot be understood is reported, all at once; nothing is guessed where memory or speed would depend on it.

use crate::base::{Diagnostic, Diagnostics, diag::has_errors};
use crate::scenario::{
    Architecture, KvBlocks, LatencyModel, RooflineSettings, Scenario, check, value_from_json,
};
use serde_json::Value;

const LAYERS: &[&str] = &["num_hidden_layers", "num_layers", "n_layer", "n_layers"];
const HIDDEN: &[&str] = &["hidden_size", "n_embd", "d_model"];
const HEADS: &[&str] = &["num_attention_heads", "n_head", "n_heads"];
const KV_HEADS: &[&str] = &["num_key_value_heads", "num_kv_heads", "multi_query_group_num"];
const INTERMEDIATE: &[&str] = &["intermediate_size", "ffn_hidden_size", "n_inner"];
const VOCAB: &[&str] = &["vocab_size", "padded_vocab_size"];
const EXPERTS: &[&str] = &["num_local_experts", "num_experts", "n_routed_experts"];
const EXPERTS_PER_TOKEN: &[&str] = &["num_experts_per_tok", "num_experts_per_token", "moe_topk"];
const SHARED_EXPERTS: &[&str] = &["n_shared_experts", "num_shared_experts"];
const DTYPE: &[&str] = &["torch_dtype", "dtype"];

/// The shape of the model that a `config.json` describes.
pub fn architecture_from_hf(text: &str) -> Result<Architecture, Diagnostics> {
    let document = value_from_json(text)?;
    if !document.is_object() {
        return Err(vec![Diagnostic::error(
            "",
            "JSON that is not an object",
            "the config.json of a model",
            "open the model's page, Files, config.json",
        )]);
    }
    let mut config = Config { document: &document, problems: Vec::new() };
    let architecture = config.architecture();
    if config.problems.is_empty() { in_range(architecture) } else { Err(config.problems) }
}

/// The ranges are those of a scenario; the paths are then those of the shape's fields.
fn in_range(architecture: Architecture) -> Result<Architecture, Diagnostics> {
    let mut scenario = Scenario::default();
    let pool = &mut scenario.cluster.pools[0];
    pool.architecture = Some(architecture.clone());
    pool.latency = LatencyModel::Roofline(RooflineSettings::default());
    pool.kv.blocks = KvBlocks::Count(1);
    match check(scenario) {
        Err(mut problems) if has_errors(&problems) => {
            for problem in &mut problems {
                problem.path = problem.path.replace("cluster.pools[0].architecture.", "");
            }
            Err(problems)
        }
        _ => Ok(architecture),
    }
}

/// The document and what was found wrong with it so far.
struct Config<'a> {
    document: &'a Value,
    problems: Diagnostics,
}

impl<'a> Config<'a> {
    fn architecture(&mut self) -> Architecture {
        let (mut intermediate, mut expert_intermediate) =
            (self.number(INTERMEDIATE).unwrap_or(0), self.number(&["moe_intermediate_size"]).unwrap_or(0));
        // Llama 4 names the width of its experts plainly and that of its dense layers specially.
        if let Some(dense) = self.number(&["intermediate_size_mlp"]) {
            expert_intermediate = intermediate;
            intermediate = dense;
        }
        let latent = self.number(&["kv_lora_rank"]).unwrap_or(0);
        let rope = self.number(&["qk_rope_head_dim"]).unwrap_or(0);
        let (weights, values) = self.bytes();
        let experts = self.number(EXPERTS).unwrap_or(0);
        Architecture {
            layers: self.required(LAYERS),
            hidden: self.required(HIDDEN),
            heads: self.required(HEADS),
            kv_heads: self.kv_heads(),
            head_dim: self.number(&["head_dim"]).unwrap_or(0),
            kv_latent: if latent > 0 { latent.saturating_add(rope) } else { 0 },
            intermediate,
            vocab: self.required(VOCAB),
            tied_embeddings: self
                .get(&["tie_word_embeddings"])
                .and_then(|(_, v)| v.as_bool())
                .unwrap_or(false),
            bytes_per_param: weights,
            bytes_per_kv_value: values,
            experts,
            experts_per_token: if experts > 0 { self.required(EXPERTS_PER_TOKEN) } else { 0 },
            shared_experts: if experts > 0 { self.shared_experts(expert_intermediate) } else { 0 },
            expert_intermediate: if experts > 0 { expert_intermediate } else { 0 },
            dense_layers: if experts > 0 { self.number(&["first_k_dense_replace"]).unwrap_or(0) } else { 0 },
        }
    }

    /// The first of these keys that is set, in the language half first.
    fn get(&self, names: &[&'static str]) -> Option<(&'static str, &'a Value)> {
        let document = self.document;
        [document.get("text_config"), Some(document)].into_iter().flatten().find_map(|place| {
            names.iter().find_map(|name| place.get(*name).filter(|v| !v.is_null()).map(|v| (*name, v)))
        })
    }

    fn number(&mut self, names: &[&'static str]) -> Option<u32> {
        let (name, value) = self.get(names)?;
        let number = value.as_u64().and_then(|n| u32::try_from(n).ok());
        if number.is_none() {
            self.problem(name, &value.to_string(), "a whole number", "correct it");
        }
        number
    }

    fn required(&mut self, names: &[&'static str]) -> u32 {
        if self.get(names).is_none() {
            let others = names[1..].join("`, `");
            self.problem(
                names[0],
                "nothing under this name",
                &format!("a whole number, here or as `{others}`"),
                "check that this is the config.json of a language model, complete",
            );
        }
        // What stands in after a problem is never used.
        self.number(names).unwrap_or(1)
    }

    fn kv_heads(&mut self) -> u32 {
        let all_share_one = self.get(&["multi_query"]).is_some_and(|(_, v)| v == true);
        self.number(KV_HEADS).unwrap_or(u32::from(all_share_one))
    }

    fn shared_experts(&mut self, expert_width: u32) -> u32 {
        if let Some(count) = self.number(SHARED_EXPERTS) {
            return count;
        }
        if let Some(width) = self.number(&["shared_expert_intermediate_size"]) {
            return width.div_ceil(expert_width.max(1));
        }
        let family = self.get(&["model_type"]).and_then(|(_, v)| v.as_str()).unwrap_or_default();
        // Llama 4 has one without saying so.
        u32::from(family.starts_with("llama4"))
    }

    /// Bytes of a weight, and of an activation or cached number.
    fn bytes(&mut self) -> (f64, f64) {
        let (weights, values) = match self.get(DTYPE) {
            None => (2.0, 2.0),
            Some((name, value)) => {
                let dtype = value.as_str().unwrap_or_default().trim_start_matches("torch.");
                match dtype {
                    "float32" | "float" => (4.0, 4.0),
                    "bfloat16" | "float16" | "half" => (2.0, 2.0),
                    "int8" | "uint8" => (1.0, 2.0),
                    "int4" | "uint4" | "nf4" | "fp4" => (0.5, 2.0),
                    other if other.starts_with("float8") || other.starts_with("fp8") => (1.0, 2.0),
                    _ => {
                        let known = "float32, bfloat16, float16, float8…, fp8, int8, uint8, int4, nf4";
                        self.problem(name, &value.to_string(), known, "write the nearest of these");
                        (2.0, 2.0)
                    }
                }
            }
        };
        (self.quantised().unwrap_or(weights), values)
    }

    /// Bytes of a weight according to `quantization_config`, if there is one.
    fn quantised(&mut self) -> Option<f64> {
        let (name, config) = self.get(&["quantization_config"])?;
        let method = config.get("quant_method").and_then(Value::as_str).unwrap_or_default();
        let says = |key: &str| config.get(key).is_some_and(|v| v == true);
        let groups = config.get("config_groups").and_then(Value::as_object);
        let of_groups = groups.and_then(|groups| {
            groups.values().filter_map(|g| g.get("weights")?.get("num_bits")?.as_f64()).reduce(f64::max)
        });
        let bits = config.get("bits").and_then(Value::as_f64).or(of_groups);
        let bytes = match method {
            _ if bits.is_some() => bits.map(|b| b / 8.0),
            _ if says("load_in_4bit") => Some(0.5),
            _ if says("load_in_8bit") => Some(1.0),
            // Four bits each, and eight for a scale that 32 of them share.
            "mxfp4" => Some(0.531_25),
            _ if method.contains("fp8") || method.contains("int8") => Some(1.0),
            _ => None,
        };
        if bytes.is_none() {
            self.problem(
                name,
                &format!("quant_method \"{method}\" without a number of bits"),
                "bits, config_groups, load_in_4bit, load_in_8bit, or quant_method fp8 or mxfp4",
                "take `quantization_config` out and set `bytes_per_param` in the scenario",
            );
        }
        bytes
    }

    fn problem(&mut self, path: &str, found: &str, allowed: &str, fix: &str) {
        self.problems.push(Diagnostic::error(path, found, allowed, fix));
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue;
    use super::*;
    use serde_json::json;

    fn read(config: &Value) -> Architecture {
        architecture_from_hf(&config.to_string()).unwrap_or_else(|e| panic!("{e:?}"))
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
        chatglm["kv_channels"] = 128.into();
        assert_eq!(read(&json!({"model_type": "sees", "hidden_size": 1, "text_config": chatglm})), a);
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
                "first_k_dense_replace": 3, "kv_lora_rank": 512, "qk_rope_head_dim": 64,
                "quantization_config": {"quant_method": "fp8", "fmt": "e4m3"}
            }),
        );
        assert_eq!(Some(&read(&glm)), catalogue::architecture("glm-5.2-fp8").map(|m| &m.architecture));
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
            (
                json!({"quantization_config": {"quant_method": "bitsandbytes", "load_in_8bit": true}}),
                (1.0, 2.0),
            ),
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
}
