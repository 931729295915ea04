//! Widths of heads, feed-forward layers and experts, from a file or its family.

use super::config::{Config, shortened, whole};
use super::differs;
use super::keys::{EXPERT_WIDTH, EXPERTS, INTERMEDIATE, KV_HEADS, SHARED_EXPERTS, SHARED_WIDTH};
use super::layers::{COMPRESSED, Feed, Layers, Mixer};
use super::modules::{Compressed, Experts, Heads, Latent, Widths};
use document::Architecture;
use serde_json::Value;

/// Families whose feed-forward layers have no gate.
const WITHOUT_GATE: &[&str] = &[
    "gpt2",
    "gpt_neo",
    "gptj",
    "gpt_bigcode",
    "opt",
    "bloom",
    "falcon",
    "RefinedWeb",
    "phi",
    "starcoder2",
    "mpt",
    "codegen",
    "nemotron",
    "persimmon",
];
/// Families with a gate whose names begin like a family without.
const WITH_GATE: &[&str] = &["phi3", "phi4", "phimoe", "phi_moe", "falcon_h1", "falcon3", "nemotron-nas"];
/// Families whose classes default to four times the hidden width.
const FOUR_TIMES: &[&str] =
    &["gpt2", "gpt_neo", "gptj", "gpt_bigcode", "bloom", "falcon", "RefinedWeb", "mpt", "codegen"];
/// Families whose classes tie the output layer to the input embeddings by default.
const TIED: &[&str] = &[
    "gemma",
    "cohere",
    "gpt2",
    "gpt_bigcode",
    "bloom",
    "opt",
    "falcon",
    "starcoder2",
    "recurrent_gemma",
    "smollm3",
    "lfm2",
];

impl Config<'_> {
    pub(super) fn tied(&mut self) -> bool {
        if let Some((_, value)) = self.get(&["tie_word_embeddings", "tie_embedding"]) {
            return value == true;
        }
        let tied = self.is_of(TIED) && self.family != "falcon_h1";
        self.taken("tie_word_embeddings", if tied { "true" } else { "false" });
        tied
    }

    /// Number of KV heads; 0 for one for each head.
    pub(super) fn kv_heads(&mut self) -> u32 {
        let all_share_one = self.yes("multi_query");
        // Falcon's first models give a number that their class ignores.
        if all_share_one && self.is_of(&["falcon", "RefinedWeb"]) && !self.yes("new_decoder_architecture") {
            return 1;
        }
        if self.get(&["multi_query_attention"]).is_some_and(|(_, v)| *v == false) {
            return 0;
        }
        if let Some(heads) = self.number(KV_HEADS) {
            return heads;
        }
        let said = self.keys().any(|(key, _)| KV_HEADS.contains(&key.as_str()) || key == "block_configs");
        if !said && !all_share_one && !self.is_of(FOUR_TIMES) && !self.is_of(&["opt", "phi", "gpt_neox"]) {
            self.taken(KV_HEADS[0], "as many as there are heads");
        }
        u32::from(all_share_one)
    }

    /// Widths of all kinds of layers; also sets the fields of the shape that follow from them.
    pub(super) fn widths(&mut self, a: &mut Architecture, layers: &Layers) -> Widths {
        let hidden = f64::from(a.hidden);
        let first = layers.all.iter().find_map(|layer| layer.kv_heads);
        if let (0, Some(heads)) = (a.kv_heads, first) {
            a.kv_heads = heads;
        }
        let (full, window) = self.heads(a);
        let latent = self.latent(a);
        let compressed = self.compressed(a, layers.all.len());
        self.feed_widths(a, layers);
        let experts = (a.experts > 0).then(|| self.experts(a));
        let ungated = self.is_of(WITHOUT_GATE) && !self.is_of(WITH_GATE);
        let act = self.text(&["mlp_hidden_act", "hidden_act", "hidden_activation"]);
        Widths {
            hidden,
            full,
            window,
            latent,
            compressed,
            dense: f64::from(a.intermediate()),
            experts,
            matrices: if ungated || act == Some("relu2") { 2.0 } else { 3.0 },
            linear: self.linear(layers, hidden, full),
            linear_places: self.linear_places(layers),
            mamba: self.mamba(layers, hidden),
        }
    }

    /// Heads of layers with full attention, and of layers with a window.
    fn heads(&mut self, a: &Architecture) -> (Heads, Heads) {
        let key = f64::from(a.head_dim());
        let gated = match self.get(&["attn_output_gate"]) {
            Some((_, value)) => value == true,
            None => self.is_of(&["qwen3_next", "qwen3_5"]),
        };
        let usual = Heads {
            heads: f64::from(a.heads),
            kv: f64::from(a.kv_heads()),
            key,
            value: self.positive(&["v_head_dim"]).map_or(key, f64::from),
            own_values: true,
            query_rank: self.positive(&["share_q_dim"]).map(f64::from),
            gates: if gated { 1.0 } else { 0.0 },
        };
        let mut or = |key: &'static str, usual: f64| self.positive(&[key]).map_or(usual, f64::from);
        let wide = or("global_head_dim", usual.key);
        let full = Heads {
            kv: or("num_global_key_value_heads", usual.kv),
            key: wide,
            value: if differs(wide, usual.key) { wide } else { usual.value },
            ..usual
        };
        let narrow = or("swa_head_dim", usual.key);
        let window = Heads {
            heads: or("swa_num_attention_heads", usual.heads),
            kv: or("swa_num_key_value_heads", usual.kv),
            key: narrow,
            value: or("swa_v_head_dim", if differs(narrow, usual.key) { narrow } else { usual.value }),
            ..usual
        };
        let full = Heads { own_values: !self.yes("attention_k_eq_v"), ..full };
        (full, self.other_setting(window))
    }

    /// Settings of layers with a window that some files keep in a separate object.
    fn other_setting(&self, window: Heads) -> Heads {
        let Some((_, other)) = self.get(&["attention_other_setting"]) else { return window };
        let number = |key: &str, usual: f64| other.get(key).and_then(Value::as_f64).unwrap_or(usual);
        let key = number("head_dim", window.key);
        Heads {
            heads: number("num_attention_heads", window.heads),
            kv: number("num_attention_groups", window.kv),
            key,
            value: key,
            ..window
        }
    }

    /// Attention with a latent, if the model has it.
    fn latent(&mut self, a: &mut Architecture) -> Option<Latent> {
        let rank = self.positive(&["kv_lora_rank"])?;
        let rotated = self.required(&["qk_rope_head_dim"]);
        let usual = a.head_dim();
        let plain = self.or_usual(&["qk_nope_head_dim"], usual);
        let value = self.or_usual(&["v_head_dim"], usual);
        let index = [self.number(&["index_n_heads"]), self.number(&["index_head_dim"])];
        let index = index.map(|n| n.unwrap_or(0));
        a.kv_latent = rank.saturating_add(rotated).saturating_add(index_keys(a, index[1].into()) as u32);
        // A pair of a query and a key costs the widths of the key and of a value.
        a.head_dim = plain.saturating_add(rotated).saturating_add(value).div_ceil(2);
        Some(Latent {
            rank: rank.into(),
            rotated: rotated.into(),
            plain: plain.into(),
            value: value.into(),
            queries: self.positive(&["q_lora_rank"]).map(f64::from),
            index: index.map(f64::from),
            gates: if self.yes("mla_use_output_gate") { 1.0 } else { 0.0 },
        })
    }

    /// Attention to keys of several tokens together, if the model has it.
    fn compressed(&mut self, a: &Architecture, count: usize) -> Option<Compressed> {
        let (key, value) = self.get(&[COMPRESSED])?;
        let tokens: Vec<f64> =
            value.as_array().into_iter().flatten().filter_map(Value::as_f64).take(count).collect();
        if tokens.len() < count {
            self.error(
                key,
                &shortened(value),
                "a whole number for each layer",
                "check that the file is complete",
            );
            return None;
        }
        let mut number = |name| f64::from(self.required(&[name]));
        let (queries, out, groups) = (number("q_lora_rank"), number("o_lora_rank"), number("o_groups"));
        let index = [number("index_n_heads"), number("index_head_dim")];
        Some(Compressed { tokens, queries, out, groups, index, index_keys: index_keys(a, index[1]) })
    }

    /// Widths of dense layers and of experts.
    fn feed_widths(&mut self, a: &mut Architecture, layers: &Layers) {
        let list = self.get(INTERMEDIATE).is_some_and(|(_, v)| v.is_array());
        let plain = if list { None } else { self.positive(INTERMEDIATE) };
        let dense = self.dense_width(plain, a.hidden);
        let expert = self.positive(EXPERT_WIDTH);
        // Llama 4 and Granite use the plain name for the width of experts and a special one for dense layers.
        let special = self.positive(&["intermediate_size_mlp"]);
        if a.experts > 0 {
            a.expert_intermediate = expert.or(special.and(plain)).unwrap_or(0);
            if expert.is_none() && plain.is_none() {
                self.required(EXPERT_WIDTH);
            }
        }
        let widest = layers
            .all
            .iter()
            .filter_map(|l| if let Feed::Dense(width) = l.feed { width } else { None })
            .max();
        let needed = layers.count(|l| matches!(l.feed, Feed::Dense(None) | Feed::Both)) > 0;
        if needed && dense.is_none() {
            self.required(INTERMEDIATE);
        }
        a.intermediate = dense.or(widest).unwrap_or(0);
    }

    fn dense_width(&mut self, plain: Option<u32>, hidden: u32) -> Option<u32> {
        if let Some(special) = self.positive(&["intermediate_size_mlp"]) {
            return Some(special);
        }
        if self.is_of(&["granitemoe"]) && self.positive(EXPERTS).is_none() {
            return self.positive(&["shared_intermediate_size"]).or(plain);
        }
        let plain = plain.or_else(|| self.is_of(FOUR_TIMES).then(|| hidden.saturating_mul(4)))?;
        if self.family == "qwen" {
            // Both halves of the first matrix together.
            return Some(plain / 2);
        }
        if self.yes("block_auto_adjust_ff_dim") {
            let of = self.positive(&["block_multiple_of"]).unwrap_or(1);
            return Some((2 * (plain / 3) + 2 * (plain % 3) / 3).div_ceil(of) * of);
        }
        Some(plain)
    }

    fn experts(&mut self, a: &mut Architecture) -> Experts {
        let width = f64::from(a.expert_intermediate());
        let own = self.get(SHARED_WIDTH).and_then(|(_, v)| whole(v)).map(f64::from);
        let count = self.positive(SHARED_EXPERTS);
        let beside = if self.is_of(&["granitemoe", "minimax"]) {
            self.positive(&["shared_intermediate_size"])
        } else {
            None
        };
        let shared = match (own, count) {
            (Some(own), _) => own,
            (None, Some(count)) => f64::from(count) * width,
            // Llama 4 has one without a key for it.
            (None, None) if self.is_of(&["llama4"]) => width,
            (None, None) => beside.map_or(0.0, f64::from),
        };
        a.shared_experts = (shared / width.max(1.0)).ceil() as u32;
        let hidden = self.positive(&["moe_latent_size", "routed_expert_hidden_size"]);
        Experts { width, hidden: hidden.map_or(f64::from(a.hidden), f64::from), shared }
    }
}

/// Size of a key of an index in numbers of the cache: the key has 8 bits per number and a scale of four bytes.
fn index_keys(a: &Architecture, width: f64) -> f64 {
    if width > 0.0 { ((width + 4.0) / a.bytes_per_kv_value).ceil() } else { 0.0 }
}

impl Widths {
    /// Numbers that a token has in the caches of all layers.
    pub(super) fn cached(&self, layers: &Layers, latent: u32) -> f64 {
        if let Some(compressed) = &self.compressed {
            let of = |layer| compressed.cached(layer, self.full.key);
            return (0..layers.all.len()).map(of).sum::<f64>().ceil();
        }
        let of = |layer: &super::layers::Layer| match layer.mixer {
            Mixer::Full | Mixer::Window | Mixer::Both => {
                let heads = self.heads(layer);
                if self.latent.is_some() { f64::from(latent) } else { heads.kv * (heads.key + heads.value) }
            }
            Mixer::Keyless
            | Mixer::Linear
            | Mixer::Mamba
            | Mixer::Conv
            | Mixer::Recurrent
            | Mixer::Matrix
            | Mixer::Nothing => 0.0,
        };
        layers.all.iter().map(of).sum()
    }
}
