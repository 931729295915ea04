//! The shape of a model and the figures of a GPU, as users write them.
//!
//! Zeros mean "as usual", so that a description can be short; the methods return the resulting values.

use crate::limits;
use crate::table::fields::fields;

/// The shape of a transformer, as in its published `config.json`. The defaults are llama-3.1-8b.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Architecture {
    /// Transformer layers (`num_hidden_layers`).
    pub layers: u32,
    /// Width of the hidden state (`hidden_size`).
    pub hidden: u32,
    /// Attention heads (`num_attention_heads`).
    pub heads: u32,
    /// Heads with their own keys and values (`num_key_value_heads`); fewer than `heads` means grouped queries. 0 means as many as `heads`.
    pub kv_heads: u32,
    /// Width of one head (`head_dim`). 0 means hidden / heads.
    pub head_dim: u32,
    /// Numbers cached per token and layer if attention is latent (MLA: `kv_lora_rank` + `qk_rope_head_dim`). 0 means keys and values of the KV heads.
    pub kv_latent: u32,
    /// Width of the feed-forward layer (`intermediate_size`). 0 means 4 × hidden.
    pub intermediate: u32,
    /// Tokens in the vocabulary (`vocab_size`).
    pub vocab: u32,
    /// Whether input and output embeddings are the same weights (`tie_word_embeddings`).
    pub tied_embeddings: bool,
    /// Bytes of one weight: 4 for 32-bit, 2 for 16-bit, 1 for 8-bit, 0.5 for 4-bit.
    pub bytes_per_param: f64,
    /// Bytes of one number in the KV cache and in activations: 2 for 16-bit, 1 for an 8-bit cache.
    pub bytes_per_kv_value: f64,
    /// Routed experts of a mixture-of-experts layer (`num_local_experts`). 0 means a dense model.
    pub experts: u32,
    /// Routed experts that compute each token (`num_experts_per_tok`).
    pub experts_per_token: u32,
    /// Experts that compute every token besides the routed ones (`n_shared_experts`).
    pub shared_experts: u32,
    /// Width of one expert (`moe_intermediate_size`). 0 means the same as `intermediate`.
    pub expert_intermediate: u32,
    /// Number of dense layers in a model whose other layers have experts, at any position (`first_k_dense_replace`).
    pub dense_layers: u32,
    /// Numbers cached per token in all layers together, for models whose layers differ (some cache nothing, or have other heads). 0 means the same number in each layer.
    pub kv_values: u32,
    /// Weights that every token uses, in all layers together (attention, dense layers, shared experts), in millions. 0 means that they follow from the widths.
    pub common_params_millions: f64,
    /// Weights of one routed expert, in millions. 0 means 3 × hidden × the expert's width.
    pub expert_params_millions: f64,
    /// Bytes of one weight of a routed expert. 0 means the same as `bytes_per_param`.
    pub bytes_per_expert_param: f64,
    /// Bytes of one weight of the embeddings and of the output layer. 0 means the same as `bytes_per_param`, but at least 2 with calibrated latency.
    pub bytes_per_embedding_param: f64,
    /// Number format of the matrix products; "auto" takes it from `bytes_per_param`.
    pub precision: Precision,
    /// Number format of the matrix products of routed experts; "auto" takes it from `bytes_per_expert_param`, or `precision` if that is 0.
    pub expert_precision: Precision,
    /// Layers whose attention reads only the latest tokens (`sliding_attention` in `layer_types`).
    pub sliding_layers: u32,
    /// Number of latest tokens that those layers read and keep (`sliding_window`).
    pub sliding_window: u32,
    /// Layers without keys and values: linear attention, Mamba and short convolution, which keep a state of fixed size, and layers without any attention.
    pub linear_layers: u32,
    /// Size of the states that layers keep for one request, in KiB, all layers together.
    pub state_kib_per_request: f64,
    /// Number of tokens that sparse attention reads at most, chosen by an index (`index_topk`). 0 means all.
    pub index_topk: u32,
}

/// Number format of weights and activations in matrix products.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// From the bytes of a weight.
    #[default]
    Auto,
    /// 16 bits.
    Bf16,
    /// FP8 weights and activations.
    Fp8,
    /// 8-bit weights, 16-bit activations and products.
    Fp8WeightOnly,
    /// INT8 weights and activations (w8a8).
    Int8,
    /// 4-bit integer weights, 16-bit activations and products (GPTQ, AWQ).
    W4a16,
    /// MXFP4 weights: 4 bits, and a scale for each 32 of them.
    Mxfp4,
    /// NVFP4 weights and activations: 4 bits, and a scale for each 16 of them.
    Nvfp4,
}

fields! {
    names Precision {
        Auto "auto" Bf16 "bf16" Fp8 "fp8" Fp8WeightOnly "fp8-weight-only" Int8 "int8" W4a16 "w4a16"
        Mxfp4 "mxfp4" Nvfp4 "nvfp4"
    }
}

fields! {
    struct Architecture {
        layers: "Layers" in [1, limits::LAYERS] or "take it from the model's config.json" => Replace;
        hidden: "Hidden" in [1, limits::WIDTH] or "take it from the model's config.json" => Replace;
        heads: "Heads" in [1, limits::HEADS] or "take it from the model's config.json" => Replace;
        kv_heads: "KV heads" in [0, limits::HEADS] or "take it from the model's config.json" => Replace;
        head_dim: "Head dim" in [0, limits::WIDTH] or "take it from the model's config.json" => Replace;
        kv_latent: "KV latent" in [0, limits::WIDTH] or "take it from the model's config.json" => Replace;
        intermediate: "Intermediate" in [0, limits::WIDTH]
            or "take it from the model's config.json" => Replace;
        vocab: "Vocab" in [1, limits::VOCABULARY] or "take it from the model's config.json" => Replace;
        tied_embeddings: "Tied embeddings" => Replace;
        bytes_per_param: "Per weight" of "bytes" in [limits::NUMBER_BYTES_MIN, limits::NUMBER_BYTES]
            or "2 means 16 bits" => Replace;
        bytes_per_kv_value: "Per KV value" of "bytes" in [limits::NUMBER_BYTES_MIN, limits::NUMBER_BYTES]
            or "2 means 16 bits" => Replace;
        experts: "Experts" in [0, limits::EXPERTS] or "take it from the model's config.json" => Replace;
        experts_per_token: "Experts per token" in [0, limits::EXPERTS]
            or "take it from the model's config.json" => Replace;
        shared_experts: "Shared experts" in [0, limits::EXPERTS]
            or "take it from the model's config.json" => Replace;
        expert_intermediate: "Expert width" in [0, limits::WIDTH]
            or "take it from the model's config.json" => Replace;
        dense_layers: "Dense layers" in [0, limits::LAYERS]
            or "take it from the model's config.json" => Replace;
        kv_values: "KV per token" in [0, limits::KV_VALUES]
            or "take it from the model's config.json" => Replace;
        common_params_millions: "Common weights" of "million" in [0.0, limits::PARAMS_MILLIONS]
            or "take it from the model's config.json" => Replace;
        expert_params_millions: "Per expert" of "million" in [0.0, limits::PARAMS_MILLIONS]
            or "take it from the model's config.json" => Replace;
        bytes_per_expert_param: "Per expert weight" of "bytes" in [0.0, limits::NUMBER_BYTES]
            or "2 means 16 bits" => Replace;
        bytes_per_embedding_param: "Per embedding" of "bytes" in [0.0, limits::NUMBER_BYTES]
            or "2 means 16 bits" => Replace;
        precision [omit]: "Precision" => Replace;
        expert_precision [omit]: "Expert precision" => Replace;
        sliding_layers [omit]: "Sliding layers" in [0, limits::LAYERS] or "take it from the model's config.json" => Replace;
        sliding_window [omit]: "Window" of "tok" in [0, limits::REQUEST_TOKENS] or "take it from the model's config.json" => Replace;
        linear_layers [omit]: "Linear layers" in [0, limits::LAYERS] or "take it from the model's config.json" => Replace;
        state_kib_per_request [omit]: "State/request" of "KiB" in [0.0, limits::STATE_KIB]
            or "`tokenyard model config.json` prints it" => Replace;
        index_topk [omit]: "Index top k" of "tok" in [0, limits::REQUEST_TOKENS]
            or "take it from the model's config.json" => Replace;
    }
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
            kv_values: 0,
            common_params_millions: 0.0,
            expert_params_millions: 0.0,
            bytes_per_expert_param: 0.0,
            bytes_per_embedding_param: 0.0,
            precision: Precision::Auto,
            expert_precision: Precision::Auto,
            sliding_layers: 0,
            sliding_window: 0,
            linear_layers: 0,
            state_kib_per_request: 0.0,
            index_topk: 0,
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

    /// Bytes of one weight of a routed expert.
    pub fn bytes_per_expert_param(&self) -> f64 {
        if self.bytes_per_expert_param > 0.0 { self.bytes_per_expert_param } else { self.bytes_per_param }
    }

    /// Layers with attention, over all tokens or over the latest.
    pub fn attention_layers(&self) -> u32 {
        self.layers.saturating_sub(self.linear_layers)
    }

    /// Layers with attention over all tokens.
    pub fn full_layers(&self) -> u32 {
        self.attention_layers().saturating_sub(self.sliding_layers)
    }

    /// Layers with experts.
    pub fn expert_layers(&self) -> u32 {
        if self.experts == 0 { 0 } else { self.layers.saturating_sub(self.dense_layers) }
    }
}

/// The figures of one GPU. The defaults are an H100 SXM.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Hardware {
    /// Memory in GiB.
    pub memory_gib: f64,
    /// Peak of dense 16-bit matrix products, in TFLOP/s (10^12 operations per second), without sparsity.
    pub tflops: f64,
    /// Peak memory bandwidth in TB/s (10^12 bytes per second).
    pub bandwidth_tb_per_s: f64,
    /// Price of one GPU in US dollars per hour. 0 means unknown.
    pub usd_per_hour: f64,
    /// Peak of dense FP8 matrix products, in TFLOP/s. 0 means that the GPU has no such units.
    pub tflops_fp8: f64,
    /// Peak of dense INT8 matrix products, in TOP/s (10^12 operations per second). 0 means that the GPU has no such units.
    pub tops_int8: f64,
    /// Peak of dense FP4 matrix products, in TFLOP/s. 0 means that the GPU has no such units.
    pub tflops_fp4: f64,
    /// Bandwidth of the link of one GPU to the others, in GB/s, both directions together: NVLink, Infinity Fabric, or PCIe of 16 lanes. 0 means unknown.
    pub link_gb_per_s: f64,
    /// Highest clock, in MHz. 0 means unknown.
    pub clock_mhz: f64,
    /// Measured share of the peak memory bandwidth that long reads reach. 0 means unknown.
    pub read_share: f64,
}

fields! {
    struct Hardware {
        memory_gib: "Memory" of "GiB" in [1.0, limits::MEMORY_GIB]
            or "take it from the data sheet or the price list" => Replace;
        tflops: "Tflops" of "TFLOP/s" in [limits::TFLOPS_MIN, limits::TFLOPS]
            or "take it from the data sheet or the price list" => Replace;
        bandwidth_tb_per_s: "Bandwidth" of "TB/s" in [limits::BANDWIDTH_TB_PER_S_MIN, limits::BANDWIDTH_TB_PER_S]
            or "take it from the data sheet or the price list" => Replace;
        usd_per_hour: "Price" of "$/h" in [0.0, limits::USD_PER_HOUR]
            or "take it from the data sheet or the price list" => Price;
        tflops_fp8 [omit]: "FP8" of "TFLOP/s" in [0.0, limits::TFLOPS] or "take it from the data sheet" => Replace;
        tops_int8 [omit]: "INT8" of "TOP/s" in [0.0, limits::TFLOPS] or "take it from the data sheet" => Replace;
        tflops_fp4 [omit]: "FP4" of "TFLOP/s" in [0.0, limits::TFLOPS] or "take it from the data sheet" => Replace;
        link_gb_per_s [omit]: "Link" of "GB/s" in [0.0, limits::LINK_GB_PER_S] or "take it from the data sheet" => Replace;
        clock_mhz [omit]: "Clock" of "MHz" in [0.0, limits::CLOCK_MHZ] or "take it from the data sheet" => Replace;
        read_share [omit]: "Read of peak" in [0.0, 1.0] or "it is a share of the GPU's peak" => Replace;
    }
}

impl Default for Hardware {
    fn default() -> Self {
        Self {
            memory_gib: 80.0,
            tflops: 989.5,
            bandwidth_tb_per_s: 3.35,
            usd_per_hour: 3.5,
            tflops_fp8: 0.0,
            tops_int8: 0.0,
            tflops_fp4: 0.0,
            link_gb_per_s: 0.0,
            clock_mhz: 0.0,
            read_share: 0.0,
        }
    }
}
