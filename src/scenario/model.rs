//! The shape of a model and the figures of a GPU, as users write them.
//!
//! Zeros stand for "as usual" so that a description can be short; the methods say what that comes to.

#[cfg(feature = "cli")]
use super::limits;
use serde::{Deserialize, Serialize};

/// The shape of a transformer, as in its published `config.json`. The defaults are llama-3.1-8b.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Architecture {
    /// Transformer layers (`num_hidden_layers`).
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::LAYERS)))]
    pub layers: u32,
    /// Width of the hidden state (`hidden_size`).
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::WIDTH)))]
    pub hidden: u32,
    /// Attention heads (`num_attention_heads`).
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::HEADS)))]
    pub heads: u32,
    /// Heads with keys and values of their own (`num_key_value_heads`); fewer than `heads` means grouped queries. 0 means all of them.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::HEADS)))]
    pub kv_heads: u32,
    /// Width of one head (`head_dim`). 0 means hidden / heads.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::WIDTH)))]
    pub head_dim: u32,
    /// Numbers cached per token and layer if attention is latent (MLA: `kv_lora_rank` + `qk_rope_head_dim`). 0 means keys and values of the KV heads.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::WIDTH)))]
    pub kv_latent: u32,
    /// Width of the feed-forward layer (`intermediate_size`). 0 means 4 × hidden.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::WIDTH)))]
    pub intermediate: u32,
    /// Tokens in the vocabulary (`vocab_size`).
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::VOCABULARY)))]
    pub vocab: u32,
    /// Whether input and output embeddings are the same weights (`tie_word_embeddings`).
    pub tied_embeddings: bool,
    /// Bytes of one weight: 4 for 32-bit, 2 for 16-bit, 1 for 8-bit, 0.5 for 4-bit.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::NUMBER_BYTES_MIN, max = limits::NUMBER_BYTES)))]
    pub bytes_per_param: f64,
    /// Bytes of one number in the KV cache and in activations: 2 for 16-bit, 1 for an 8-bit cache.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::NUMBER_BYTES_MIN, max = limits::NUMBER_BYTES)))]
    pub bytes_per_kv_value: f64,
    /// Routed experts of a mixture-of-experts layer (`num_local_experts`). 0 means a dense model.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::EXPERTS)))]
    pub experts: u32,
    /// Routed experts that compute each token (`num_experts_per_tok`).
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::EXPERTS)))]
    pub experts_per_token: u32,
    /// Experts that compute every token besides the routed ones (`n_shared_experts`).
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::EXPERTS)))]
    pub shared_experts: u32,
    /// Width of one expert (`moe_intermediate_size`). 0 means as wide as `intermediate`.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::WIDTH)))]
    pub expert_intermediate: u32,
    /// How many of the first layers are dense although the others have experts (`first_k_dense_replace`).
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::LAYERS)))]
    pub dense_layers: u32,
}

impl Default for Architecture {
    fn default() -> Self {
        Self {
            layers: 32,
            hidden: 4096,
            heads: 32,
            kv_heads: 8,
            head_dim: 0,
            kv_latent: 0,
            intermediate: 14_336,
            vocab: 128_256,
            tied_embeddings: false,
            bytes_per_param: 2.0,
            bytes_per_kv_value: 2.0,
            experts: 0,
            experts_per_token: 0,
            shared_experts: 0,
            expert_intermediate: 0,
            dense_layers: 0,
        }
    }
}

impl Architecture {
    /// Heads with keys and values of their own.
    pub fn kv_heads(&self) -> u32 {
        if self.kv_heads == 0 { self.heads } else { self.kv_heads }
    }

    /// Width of one head. Exact where `hidden` is a multiple of `heads`, which is required where this is used.
    pub fn head_dim(&self) -> u32 {
        if self.head_dim == 0 { self.hidden / self.heads.max(1) } else { self.head_dim }
    }

    /// Width of the feed-forward layer.
    pub fn intermediate(&self) -> u32 {
        if self.intermediate == 0 { self.hidden.saturating_mul(4) } else { self.intermediate }
    }

    /// Width of one expert.
    pub fn expert_intermediate(&self) -> u32 {
        if self.expert_intermediate == 0 { self.intermediate() } else { self.expert_intermediate }
    }

    /// Layers with experts.
    pub fn expert_layers(&self) -> u32 {
        if self.experts == 0 { 0 } else { self.layers.saturating_sub(self.dense_layers) }
    }
}

/// The figures of one GPU. The defaults are an H100 SXM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Hardware {
    /// Memory in GiB.
    #[cfg_attr(feature = "cli", schemars(range(min = 1.0, max = limits::MEMORY_GIB)))]
    pub memory_gib: f64,
    /// Peak of dense 16-bit matrix products, in TFLOP/s (10^12 operations per second), without sparsity.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::TFLOPS_MIN, max = limits::TFLOPS)))]
    pub tflops: f64,
    /// Peak memory bandwidth in TB/s (10^12 bytes per second).
    #[cfg_attr(feature = "cli", schemars(range(min = limits::BANDWIDTH_TB_PER_S_MIN, max = limits::BANDWIDTH_TB_PER_S)))]
    pub bandwidth_tb_per_s: f64,
    /// Price of one GPU in US dollars per hour. 0 means unknown.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::USD_PER_HOUR)))]
    pub usd_per_hour: f64,
}

impl Default for Hardware {
    fn default() -> Self {
        Self { memory_gib: 80.0, tflops: 989.5, bandwidth_tb_per_s: 3.35, usd_per_hour: 3.5 }
    }
}
