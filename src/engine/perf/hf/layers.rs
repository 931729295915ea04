//! The layers of a model: the kind of attention or its replacement, and the feed-forward part.
//!
//! Families describe them by a list of all layers, a repeating pattern, a period and an offset, or ranges. An unknown
//! key that looks like such a description is refused by name.

use super::config::{Config, shortened, whole};
use serde_json::Value;

/// What mixes tokens in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mixer {
    /// Attention to all tokens before.
    Full,
    /// Attention to a window.
    Window,
    /// Attention to an image, or to the keys of an earlier layer: it has no own keys.
    Keyless,
    /// Linear attention of any kind.
    Linear,
    Mamba,
    /// Attention and Mamba side by side.
    Both,
    /// A short convolution.
    Conv,
    /// A gated linear recurrent unit.
    Recurrent,
    /// One matrix in place of attention.
    Matrix,
    Nothing,
}

/// The feed-forward part of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feed {
    /// Dense, with the width of dense layers or another.
    Dense(Option<u32>),
    Experts,
    /// Experts with a dense part beside them.
    Both,
    Matrix,
    Nothing,
}

/// One layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layer {
    pub(super) mixer: Mixer,
    pub(super) feed: Feed,
    /// Number of KV heads if it differs from most layers.
    pub(super) kv_heads: Option<u32>,
}

/// Keys of lists with the kind of each layer.
const TYPES: &[&str] = &["layer_types", "layers_block_type", "block_types", "attention_layers"];
/// Keys of lists of ones and zeros, and the meaning of both.
const FLAGS: &[(&str, Mixer, Mixer)] =
    &[("attn_type_list", Mixer::Full, Mixer::Linear), ("hybrid_layer_pattern", Mixer::Window, Mixer::Full)];
/// Keys of lists of layers with attention; the other layers have the family's replacement.
const FULL: &[&str] = &["attn_layer_indices", "full_attn_idxs", "full_attn_layers"];

/// Key of the number of tokens that share a key, by layer.
pub(super) const COMPRESSED: &str = "compress_ratios";

/// The layers, and the keys that gave their kinds.
pub(super) struct Layers {
    pub(super) all: Vec<Layer>,
    pub(super) mixers_from: &'static str,
}

impl Layers {
    pub(super) fn count(&self, is: impl Fn(&Layer) -> bool) -> usize {
        self.all.iter().filter(|layer| is(layer)).count()
    }
}

impl Config<'_> {
    /// All `count` layers; `experts` is the number of routed experts in layers with experts.
    pub(super) fn layers(&mut self, count: usize, experts: Option<u32>) -> Layers {
        if let Some((key, value)) = self.get(&["block_configs"]) {
            return Layers { all: self.blocks(key, value, count), mixers_from: key };
        }
        if let Some((key, value)) = self.get(&["hybrid_override_pattern"]) {
            return Layers { all: self.letters(key, value, count), mixers_from: key };
        }
        let (mixers_from, kinds) = self.kinds(count);
        if kinds.iter().any(|kind| matches!(kind, LayerKind::Feed(_))) {
            // Blocks of one kind each.
            let all = kinds.into_iter().map(LayerKind::alone).collect();
            return Layers { all, mixers_from };
        }
        let feeds = self.feeds(count, experts);
        let layer = |(kind, feed): (LayerKind, Feed)| Layer { feed, ..kind.alone() };
        let mut all: Vec<Layer> = kinds.into_iter().zip(feeds).map(layer).collect();
        self.without_keys(&mut all);
        Layers { all, mixers_from }
    }

    /// The kind of each layer.
    fn kinds(&mut self, count: usize) -> (&'static str, Vec<LayerKind>) {
        if let Some((key, value)) = self.get(TYPES) {
            return (key, self.types(key, value, count));
        }
        for (key, one, zero) in FLAGS {
            if let Some((key, value)) = self.get(&[*key]) {
                let flags = self.flags(key, value, count);
                return (
                    key,
                    flags.iter().map(|f| LayerKind::Mixer(if *f { *one } else { *zero })).collect(),
                );
            }
        }
        let (key, mixers) = self.mixers_by_rule(count);
        (key, mixers.into_iter().map(LayerKind::Mixer).collect())
    }

    fn mixers_by_rule(&mut self, count: usize) -> (&'static str, Vec<Mixer>) {
        let every = |is: &dyn Fn(usize) -> bool, other: Mixer| -> Vec<Mixer> {
            (0..count).map(|i| if is(i) { Mixer::Full } else { other }).collect()
        };
        if let Some((key, value)) = self.get(&[COMPRESSED]) {
            // A layer without compression attends only to a window.
            let flags = self.flags(key, value, count);
            let mixers = flags.iter().take(count).map(|some| if *some { Mixer::Full } else { Mixer::Window });
            return (key, mixers.collect());
        }
        if let Some((key, list)) = self.full_layers() {
            let first = usize::from(key == "full_attn_layers");
            let other = match key {
                "full_attn_idxs" => Mixer::Conv,
                "attn_layer_indices" => Mixer::Mamba,
                _ => Mixer::Linear,
            };
            return (key, every(&|i| list.contains(&(i + first)), other));
        }
        if let Some(period) = self.positive(&["attn_layer_period"]) {
            let (period, offset) =
                (period as usize, self.number(&["attn_layer_offset"]).unwrap_or(0) as usize);
            return ("attn_layer_period", every(&|i| i % period == offset, Mixer::Mamba));
        }
        for key in ["full_attention_interval", "layer_group_size"] {
            if let Some(every_nth) = self.positive(&[key]) {
                return (key, every(&|i| (i + 1).is_multiple_of(every_nth as usize), Mixer::Linear));
            }
        }
        if self.family == "falcon_h1" {
            return ("model_type", vec![Mixer::Both; count]);
        }
        self.windows(count)
    }

    /// The numbers of the layers with attention, from a list.
    fn full_layers(&mut self) -> Option<(&'static str, Vec<usize>)> {
        let inside = self.get(&["linear_attn_config"]).and_then(|(_, v)| v.get("full_attn_layers"));
        let (key, value) = inside.map(|v| ("full_attn_layers", v)).or_else(|| self.get(FULL))?;
        let list: Option<Vec<usize>> =
            value.as_array().and_then(|l| l.iter().map(|v| whole(v).map(|n| n as usize)).collect());
        if list.is_none() {
            self.error(key, &shortened(value), "a list of the numbers of layers", "correct it");
        }
        Some((key, list.unwrap_or_default()))
    }

    fn types(&mut self, key: &'static str, value: &Value, count: usize) -> Vec<LayerKind> {
        let mut words: Vec<&str> = value.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        // A short list is repeated.
        if key == "block_types" && !words.is_empty() {
            words = words.iter().copied().cycle().take(count).collect();
        }
        self.long_enough(key, words.len(), count);
        words.truncate(count);
        // Falcon-H1 has both in every layer, and its list names one for each.
        let parallel = self.family == "falcon_h1";
        let both = |word: &str| (word == "hybrid" && parallel).then_some(LayerKind::Mixer(Mixer::Both));
        // Names of releases for attention whose keys and values are said by other keys of the file.
        let by_keys = self.get(&["kv_lora_rank", COMPRESSED]).is_some();
        let kinds = words.into_iter().map(|word| {
            LayerKind::of(word)
                .or_else(|| both(word))
                .or_else(|| LayerKind::by_parts(word, by_keys))
                .unwrap_or_else(|| {
                    self.refuse(key, &format!("layers of the kind \"{word}\""));
                    LayerKind::Mixer(Mixer::Full)
                })
        });
        kinds.collect()
    }

    /// A list of ones and zeros, or of `true` and `false`, one for each layer.
    pub(super) fn flags(&mut self, key: &str, value: &Value, count: usize) -> Vec<bool> {
        let one = |v: &Value| v.as_bool().or_else(|| whole(v).map(|n| n > 0));
        let flags: Vec<bool> = value.as_array().into_iter().flatten().filter_map(one).collect();
        self.long_enough(key, flags.len(), count);
        flags
    }

    fn long_enough(&mut self, key: &str, found: usize, count: usize) {
        if found < count {
            self.error(
                key,
                &format!("{found} layers of {count}"),
                "one entry for each layer",
                "check that the file is complete",
            );
        }
    }

    /// One letter for each block, of one kind each.
    fn letters(&mut self, key: &'static str, value: &Value, count: usize) -> Vec<Layer> {
        let letters = value.as_str().unwrap_or_default();
        self.long_enough(key, letters.chars().count(), count);
        let layers = letters.chars().take(count).map(|letter| {
            let kind = match letter {
                'M' => LayerKind::Mixer(Mixer::Mamba),
                '*' => LayerKind::Mixer(Mixer::Full),
                '-' => LayerKind::Feed(Feed::Dense(None)),
                'E' => LayerKind::Feed(Feed::Experts),
                other => {
                    self.refuse(key, &format!("layers of the kind '{other}'"));
                    LayerKind::Mixer(Mixer::Full)
                }
            };
            kind.alone()
        });
        layers.collect()
    }

    /// A description of each layer, as written by architecture searches.
    fn blocks(&mut self, key: &'static str, value: &Value, count: usize) -> Vec<Layer> {
        let blocks: Vec<&Value> = value.as_array().into_iter().flatten().collect();
        self.long_enough(key, blocks.len(), count);
        blocks.into_iter().take(count).enumerate().map(|(i, block)| self.block(i, block)).collect()
    }

    fn block(&mut self, i: usize, block: &Value) -> Layer {
        let parts = [block.get("attention"), block.get("ffn")].map(|part| part.unwrap_or(&Value::Null));
        let yes = |part: &Value, key: &str| part.get(key).is_some_and(|v| v == true);
        let none = |part: &Value| part.is_null() || yes(part, "no_op");
        let [attention, ffn] = parts;
        for (part, name, keys) in
            [(attention, "attention", &["mamba", "llama4"]), (ffn, "ffn", &["moe", "sparsify"])]
        {
            for key in keys.iter().filter(|key| part.get(**key).is_some_and(|v| !v.is_null() && *v != false))
            {
                self.refuse(&format!("block_configs[{i}].{name}.{key}"), "a kind of layer of its own");
            }
        }
        let number = |part: &Value, key: &str| part.get(key).and_then(whole).filter(|n| *n > 0);
        let group = number(attention, "n_heads_in_group");
        let heads = self.number(super::keys::HEADS);
        let kv_heads = number(attention, "num_key_value_heads").or(heads.zip(group).map(|(h, g)| h / g));
        let mixer = if none(attention) {
            Mixer::Nothing
        } else if yes(attention, "replace_with_linear") {
            Mixer::Matrix
        } else if number(attention, "window_length").is_some() {
            Mixer::Window
        } else {
            Mixer::Full
        };
        let hidden = self.number(super::keys::HIDDEN).unwrap_or(0);
        let width = number(ffn, "intermediate_size").or_else(|| {
            let factor = ffn.get("ffn_mult").and_then(Value::as_f64)?;
            // Two thirds, as there is a gate, in whole 256.
            Some(((2.0 * factor * f64::from(hidden) / 3.0) as u32).div_ceil(256) * 256)
        });
        let feed = if none(ffn) {
            Feed::Nothing
        } else if yes(ffn, "replace_with_linear") {
            Feed::Matrix
        } else {
            Feed::Dense(width)
        };
        Layer { mixer, feed, kv_heads }
    }

    /// Marks layers that use the keys of other layers or of an image.
    fn without_keys(&mut self, all: &mut [Layer]) {
        let count = all.len();
        let shared = self.positive(&["num_kv_shared_layers"]).unwrap_or(0) as usize;
        let across = self.get(&["cross_attention_layers"]).and_then(|(_, v)| v.as_array());
        let factor =
            if self.yes("use_cla") { self.positive(&["cla_share_factor"]).unwrap_or(1) as usize } else { 1 };
        for (i, layer) in all.iter_mut().enumerate() {
            let cross = across.is_some_and(|list| list.iter().any(|v| v.as_u64() == Some(i as u64)));
            let attends = matches!(layer.mixer, Mixer::Full | Mixer::Window);
            if attends && (i + shared >= count || cross || !i.is_multiple_of(factor)) {
                layer.mixer = Mixer::Keyless;
            }
        }
    }
}

/// The meaning of an entry in a list of layers.
enum LayerKind {
    Mixer(Mixer),
    /// A block with only a feed-forward part.
    Feed(Feed),
}

impl LayerKind {
    fn of(word: &str) -> Option<Self> {
        Some(Self::Mixer(match word {
            "full_attention" | "attention" | "global_attention" | "global" | "full" => Mixer::Full,
            "sliding_attention"
            | "sliding_window_attention"
            | "chunked_attention"
            | "local_attention"
            | "local" => Mixer::Window,
            "linear_attention" | "linear" | "gated_deltanet" | "kda" | "lightning_attention" => Mixer::Linear,
            "mamba" | "mamba2" => Mixer::Mamba,
            "conv" | "short_conv" => Mixer::Conv,
            "recurrent" => Mixer::Recurrent,
            "moe" => return Some(Self::Feed(Feed::Experts)),
            "mlp" => return Some(Self::Feed(Feed::Dense(None))),
            _ => return None,
        }))
    }

    /// A kind by the parts of its name. `by_keys` says that other keys describe the attention of all layers.
    fn by_parts(word: &str, by_keys: bool) -> Option<Self> {
        let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
        Some(Self::Mixer(if has(&["sliding", "window", "local_", "chunked"]) {
            Mixer::Window
        } else if has(&["linear_attention", "delta_net", "deltanet", "lightning"]) {
            Mixer::Linear
        } else if has(&["mamba"]) {
            Mixer::Mamba
        } else if by_keys && (word.ends_with("attention") || matches!(word, "mla" | "dsa" | "latent")) {
            Mixer::Full
        } else {
            return None;
        }))
    }

    fn alone(self) -> Layer {
        match self {
            Self::Mixer(mixer) => Layer { mixer, feed: Feed::Nothing, kv_heads: None },
            Self::Feed(feed) => Layer { mixer: Mixer::Nothing, feed, kv_heads: None },
        }
    }
}
