//! The states that layers without keys and values keep for one request.
//!
//! Sizes are those of vLLM: the latest inputs of a convolution in the width of activations, and a recurrent state in
//! that width unless the file or the family gives 32 bits.

use super::config::Config;
use super::layers::{Layers, Mixer};
use super::modules::Heads;

/// The state of one layer, in numbers.
struct State {
    /// Latest inputs of the convolution.
    inputs: f64,
    recurrent: f64,
    /// Whether the family keeps the recurrent part in 32 bits whatever the file says.
    wide: bool,
}

impl Config<'_> {
    /// KiB of the states of all layers together; `None` if the size of one is unknown. `bytes` is the width of
    /// activations.
    pub(super) fn state_kib(
        &mut self,
        layers: &Layers,
        hidden: f64,
        heads: Heads,
        bytes: f64,
    ) -> Option<f64> {
        let said = self.text(&["mamba_ssm_dtype", "mamba_ssm_cache_dtype"]);
        let own = if said == Some("float32") { 4.0 } else { bytes };
        let mut sum = 0.0;
        for mixer in [Mixer::Linear, Mixer::Mamba, Mixer::Both, Mixer::Conv, Mixer::Recurrent] {
            let count = layers.count(|layer| layer.mixer == mixer);
            if count == 0 {
                continue;
            }
            let state = match mixer {
                Mixer::Linear => self.linear_state(heads)?,
                Mixer::Mamba | Mixer::Both => self.mamba_state(hidden),
                Mixer::Conv => {
                    let kernel = self.count_or("conv_L_cache", 3.0);
                    State { inputs: (kernel - 1.0) * hidden, recurrent: 0.0, wide: false }
                }
                Mixer::Recurrent => {
                    let width = self.count_or("lru_width", hidden);
                    let kernel = self.count_or("conv1d_width", 4.0);
                    State { inputs: (kernel - 1.0) * width, recurrent: width, wide: true }
                }
                Mixer::Full | Mixer::Window | Mixer::Keyless | Mixer::Matrix | Mixer::Nothing => return None,
            };
            let recurrent = if state.wide { 4.0 } else { own };
            sum += count as f64 * (state.inputs * bytes + state.recurrent * recurrent);
        }
        Some((sum / 1024.0 * 1e3).round() / 1e3)
    }

    fn count_or(&mut self, key: &'static str, usual: f64) -> f64 {
        self.number(&[key]).map_or(usual, f64::from)
    }

    fn linear_state(&mut self, heads: Heads) -> Option<State> {
        if let Some(values) = self.number(&["linear_num_value_heads"]) {
            // A gated delta rule: a matrix of keys and values for each head.
            let mut number = |key| self.number(&[key]).map(f64::from);
            let (keys, key, value) = (
                number("linear_num_key_heads")?,
                number("linear_key_head_dim")?,
                number("linear_value_head_dim")?,
            );
            let values = f64::from(values);
            let kernel = self.count_or("linear_conv_kernel_dim", 4.0);
            return Some(State {
                inputs: (kernel - 1.0) * (2.0 * keys * key + values * value),
                recurrent: values * key * value,
                wide: false,
            });
        }
        if let Some((_, config)) = self.get(&["linear_attn_config"]) {
            let number = |key: &str| config.get(key).and_then(serde_json::Value::as_f64);
            let (heads, width) = (number("num_heads")?, number("head_dim")?);
            let kernel = number("short_conv_kernel_size").unwrap_or(4.0);
            let inputs = (kernel - 1.0) * 3.0 * heads * width;
            return Some(State { inputs, recurrent: heads * width * width, wide: true });
        }
        if !self.is_of(&["minimax", "bailing"]) {
            return None;
        }
        Some(State { inputs: 0.0, recurrent: heads.heads * heads.key * heads.value, wide: false })
    }

    fn mamba_state(&mut self, hidden: f64) -> State {
        let first = |config: &Self, keys: &[&'static str]| config.get(keys).and_then(|(_, v)| v.as_f64());
        let kernel = first(self, &["conv_kernel", "mamba_d_conv", "d_conv"]).unwrap_or(4.0);
        let inner_of_hidden =
            |config: &Self| first(config, &["mamba_expand", "expand"]).unwrap_or(2.0) * hidden;
        if self.is_of(&["jamba", "zamba"]) || self.get(&["mamba_dt_rank"]).is_some() {
            // Mamba 1.
            let inner = inner_of_hidden(self);
            let state = self.count_or("mamba_d_state", 16.0);
            return State { inputs: (kernel - 1.0) * inner, recurrent: inner * state, wide: false };
        }
        let heads = self.number(&["mamba_num_heads", "mamba_n_heads"]).map(f64::from);
        let width = self
            .get(&["mamba_head_dim", "mamba_d_head"])
            .and_then(|(_, v)| v.as_f64())
            .or_else(|| self.is_of(&["nemotron_h"]).then_some(64.0));
        let inner = first(self, &["mamba_d_ssm", "mamba_intermediate_size"])
            .or_else(|| Some(heads? * width?))
            .unwrap_or_else(|| inner_of_hidden(self));
        let usual = if self.is_of(&["nemotron_h"]) { 8.0 } else { 1.0 };
        let groups = first(self, &["n_groups", "mamba_n_groups", "mamba_num_groups"]).unwrap_or(usual);
        let state = first(self, &["ssm_state_size", "mamba_d_state", "mamba_state_dim"]).unwrap_or(128.0);
        State {
            inputs: (kernel - 1.0) * (inner + 2.0 * groups * state),
            recurrent: inner * state,
            wide: false,
        }
    }
}
