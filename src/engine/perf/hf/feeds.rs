//! Feed-forward parts and windows: which layers have experts, and which attend only to a window.

use super::config::{Config, shortened, whole};
use super::layers::{Feed, Mixer};
use serde_json::Value;

/// Keys for the number of first layers that are dense.
const FIRST_DENSE: &[&str] =
    &["first_k_dense_replace", "num_dense_layers", "n_dense_layers", "moe_layer_num_skipped"];
/// Keys for the period of layers with experts: the last layer of each period has them.
const EVERY_LAST: &[&str] =
    &["decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval", "moe_layer_frequency"];

impl Config<'_> {
    /// The feed-forward part of each layer.
    pub(super) fn feeds(&mut self, count: usize, experts: Option<u32>) -> Vec<Feed> {
        if experts.is_none() {
            return vec![Feed::Dense(None); count]
                .into_iter()
                .enumerate()
                .map(|(i, _)| self.dense(i))
                .collect();
        }
        // Some families have a dense part in every layer beside the experts.
        let beside = self.yes("enable_moe_block") || self.family == "arctic";
        let with = if beside { Feed::Both } else { Feed::Experts };
        let sparse = self.sparse(count);
        sparse.into_iter().enumerate().map(|(i, sparse)| if sparse { with } else { self.dense(i) }).collect()
    }

    /// A dense layer; some files list the width of each.
    fn dense(&self, i: usize) -> Feed {
        let list = self.get(super::keys::INTERMEDIATE).and_then(|(_, v)| v.as_array());
        Feed::Dense(list.and_then(|list| whole(list.get(i)?)))
    }

    /// Which layers have experts.
    fn sparse(&mut self, count: usize) -> Vec<bool> {
        if let Some(listed) = self.listed_sparse(count) {
            return listed;
        }
        let first = self.number(FIRST_DENSE).unwrap_or(0) as usize;
        let (start, end) =
            (self.index("moe_layer_start_index").unwrap_or(0), self.index("moe_layer_end_index"));
        let last = end.map_or(count, |end| end + 1);
        let steps: Vec<usize> =
            EVERY_LAST.iter().filter_map(|key| self.number(&[key])).map(|n| n as usize).collect();
        let frequency = self.positive(&["moe_layer_freq"]).unwrap_or(1) as usize;
        let period = self.positive(&["expert_layer_period"]).unwrap_or(1) as usize;
        let offset = self.number(&["expert_layer_offset"]).unwrap_or(0) as usize % period;
        let dense = self.numbers("mlp_only_layers").unwrap_or_default();
        let has = |i: usize| {
            i >= first.max(start)
                && i < last
                && i.is_multiple_of(frequency)
                && i % period == offset
                // A step of 0 means that no layer has experts.
                && steps.iter().all(|step| *step > 0 && (i + 1).is_multiple_of(*step))
                && !dense.contains(&i)
        };
        (0..count).map(has).collect()
    }

    /// The same from a list of all layers, or of the layers with experts.
    fn listed_sparse(&mut self, count: usize) -> Option<Vec<bool>> {
        if let Some((key, value)) = self.get(&["moe_layer_freq"]).filter(|(_, v)| v.is_array()) {
            return Some(self.flags(key, value, count));
        }
        if let Some((key, Value::Array(words))) = self.get(&["mlp_layer_types"]) {
            let flags: Vec<Value> = words.iter().map(|word| Value::from(*word == "sparse")).collect();
            return Some(self.flags(key, &Value::from(flags), count));
        }
        let with = match self.text(&["moe_layers_enum"]) {
            Some(text) => text.split(',').filter_map(|n| n.trim().parse().ok()).collect(),
            None => self.numbers("moe_layers").filter(|list| !list.is_empty())?,
        };
        Some((0..count).map(|i| with.contains(&i)).collect())
    }

    /// A list of whole numbers.
    fn numbers(&mut self, key: &'static str) -> Option<Vec<usize>> {
        let (key, value) = self.get(&[key])?;
        let list: Option<Vec<usize>> =
            value.as_array().and_then(|l| l.iter().map(|v| whole(v).map(|n| n as usize)).collect());
        if list.is_none() {
            self.error(key, &shortened(value), "a list of the numbers of layers", "correct it");
        }
        list
    }

    /// The number of a layer; −1 means no specific layer.
    fn index(&mut self, key: &'static str) -> Option<usize> {
        let (_, value) = self.get(&[key])?;
        if value.as_i64() == Some(-1) { None } else { self.number(&[key]).map(|n| n as usize) }
    }

    /// Which layers attend to a window, without a list of layers.
    pub(super) fn windows(&mut self, count: usize) -> (&'static str, Vec<Mixer>) {
        let mix = |is: &dyn Fn(usize) -> bool| -> Vec<Mixer> {
            (0..count).map(|i| if is(i) { Mixer::Window } else { Mixer::Full }).collect()
        };
        if let Some((key, value)) = self.get(&["no_rope_layers"]).filter(|_| self.window().is_some()) {
            // Llama 4 attends to chunks in layers with rotary embeddings.
            let flags = value.as_array().map_or(&[][..], Vec::as_slice);
            let every_fourth = |i: usize| !(i + 1).is_multiple_of(4);
            return (key, mix(&|i| flags.get(i).map_or(every_fourth(i), |v| v == 1)));
        }
        let Some((key, _)) = self.window() else { return ("num_hidden_layers", vec![Mixer::Full; count]) };
        let patterns = ["sliding_window_pattern", "_sliding_window_pattern"];
        if let Some((key, Value::String(letters))) = self.get(&patterns) {
            let letters: Vec<char> = letters.chars().collect();
            return (key, mix(&|i| !letters.is_empty() && letters[i % letters.len()] == 'L'));
        }
        let usual = match self.family {
            "gemma3" | "gemma3_text" => Some(6),
            "cohere2" => Some(4),
            "gemma2" | "gpt_oss" | "llama4_text" => Some(if key == "attention_chunk_size" { 4 } else { 2 }),
            _ => None,
        };
        let written = if self.get(&patterns).is_some() { self.positive(&patterns) } else { None };
        if let Some(every) = written.or(usual) {
            return (key, mix(&|i| !(i + 1).is_multiple_of(every as usize)));
        }
        // Qwen attends in full in its first layers.
        let first = if self.is_of(&["qwen"]) { self.number(&["max_window_layers"]).unwrap_or(0) } else { 0 };
        (key, mix(&|i| i >= first as usize))
    }

    /// The number of tokens in a window and its key, if any layer has a window.
    pub(super) fn window(&self) -> Option<(&'static str, u64)> {
        let used = match self.get(&["use_sliding_window"]) {
            Some((_, value)) => value == true,
            // Qwen's windows are off unless the file turns them on.
            None => !self.is_of(&["qwen"]),
        };
        let keys = ["sliding_window", "sliding_window_size", "attention_chunk_size", "window_size"];
        let (key, value) = self.get(&keys).filter(|_| used)?;
        let longest = self.get(&["max_position_embeddings"]).and_then(|(_, v)| v.as_u64());
        let tokens = value.as_u64().filter(|n| *n > 0)?;
        (longest.is_none_or(|longest| tokens < longest)).then_some((key, tokens))
    }
}
