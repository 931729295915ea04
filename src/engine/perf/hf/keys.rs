//! The keys under which models write down their shape.

pub(super) const LAYERS: &[&str] = &["num_hidden_layers", "num_layers", "n_layer", "n_layers"];

pub(super) const HIDDEN: &[&str] = &["hidden_size", "n_embd", "d_model"];

pub(super) const HEADS: &[&str] = &["num_attention_heads", "n_head", "n_heads"];

pub(super) const KV_HEADS: &[&str] = &[
    "num_key_value_heads",
    "num_kv_heads",
    "n_kv_heads",
    "kv_n_heads",
    "multi_query_group_num",
    "num_attention_groups",
    "n_head_kv",
];

pub(super) const HEAD_DIM: &[&str] = &["head_dim", "attention_head_dim", "kv_channels", "head_size"];

pub(super) const INTERMEDIATE: &[&str] =
    &["intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim", "block_ff_dim"];

pub(super) const VOCAB: &[&str] = &["vocab_size", "padded_vocab_size"];

pub(super) const EXPERTS: &[&str] = &[
    "num_local_experts",
    "num_experts",
    "n_routed_experts",
    "moe_num_experts",
    "num_routed_experts",
    "num_moe_experts",
];

pub(super) const EXPERTS_PER_TOKEN: &[&str] = &[
    "num_experts_per_tok",
    "num_experts_per_token",
    "moe_topk",
    "top_k_experts",
    "experts_per_token",
    "moe_k",
    "moe_top_k",
    "num_selected_experts",
    "num_activated_experts",
    "moe_router_topk",
    "n_activated_experts",
];

pub(super) const EXPERT_WIDTH: &[&str] =
    &["moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size", "expert_ffn_hidden_size"];

pub(super) const SHARED_EXPERTS: &[&str] =
    &["n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"];

pub(super) const SHARED_WIDTH: &[&str] = &[
    "shared_expert_intermediate_size",
    "moe_shared_expert_intermediate_size",
    "share_expert_dim",
    "share_expert_dims",
];

pub(super) const DTYPE: &[&str] = &["torch_dtype", "dtype"];
