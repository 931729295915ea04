//! How the experts of a model lie on the ranks of a server, and how evenly tokens are sent to them.

use crate::limits;
use crate::table::fields::fields;
use serde::{Deserialize, Serialize};

/// How the experts of a model lie on the ranks that share them.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpertPlacement {
    /// Whether each rank has some of the experts, or a slice of every one.
    pub split: ExpertSplit,
    /// How evenly tokens are sent to experts.
    pub skew: ExpertSkew,
    /// Rebalancing of experts over the ranks (vLLM: `--enable-eplb`). Left out: they stay in order.
    pub eplb: Option<Eplb>,
}

fields! {
    struct ExpertPlacement {
        split [omit]: "Split" => Replace;
        skew [omit]: "Skew" => Steps;
        eplb [omit]: "Rebalancing" => Replace;
    }
}

/// What a rank has of the experts.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpertSplit {
    /// Some of the experts, each whole: expert parallelism. A token goes to the ranks that have its experts.
    #[default]
    Ranks,
    /// A slice of every expert: data-parallel attention with tensor-parallel experts (SGLang: `--enable-dp-attention` without expert parallelism). All tokens go to all ranks, and every rank does its part for each.
    Tensor,
}

fields! {
    names ExpertSplit { Ranks "ranks" Tensor "tensor" }
}

/// How evenly tokens are sent to experts.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ExpertSkew {
    /// To all alike.
    #[default]
    Even,
    /// The e-th expert has a share in proportion to e to the power of minus this exponent.
    #[cfg_attr(feature = "schema", schemars(rename = "zipf"))]
    Zipf(#[cfg_attr(feature = "schema", schemars(with = "ZipfExponent"))] f64),
    /// In proportion to these weights, one for each expert, in order.
    #[cfg_attr(feature = "schema", schemars(rename = "weights"))]
    Weights(#[cfg_attr(feature = "schema", schemars(with = "ExpertWeights"))] Vec<f64>),
    /// The rank with the most work has this many times the mean.
    #[cfg_attr(feature = "schema", schemars(rename = "imbalance"))]
    Imbalance(#[cfg_attr(feature = "schema", schemars(with = "MaxOverMean"))] f64),
}

fields! {
    choice ExpertSkew [Even "even"] { Zipf "zipf" Weights "weights" Imbalance "imbalance" }
}

/// Rebalancing of experts over the ranks.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Eplb {
    /// Copies of experts beside the first of each (vLLM: `num_redundant_experts`). They take memory.
    pub redundant: u32,
    /// Steps whose load decides (vLLM: `window_size`). Of effect through `coverage` alone.
    pub window_steps: u32,
    /// Steps between two rebalancings (vLLM: `step_interval`).
    pub interval_steps: u32,
    /// How much longer the step takes in which experts move.
    pub rebalance_ms: f64,
    /// How much of the load the last window still describes: 1 if it does not change, 0 if it says nothing.
    pub coverage: f64,
}

fields! {
    struct Eplb {
        redundant: "Redundant" of "experts" in [0, limits::REDUNDANT_EXPERTS] or "use 0 to move experts without copies" => Replace;
        window_steps [omit]: "Window" of "steps" in [1, limits::EPLB_STEPS] or "vLLM's default is 1000" => Replace;
        interval_steps: "Interval" of "steps" in [1, limits::EPLB_STEPS] or "vLLM's default is 3000" => Replace;
        rebalance_ms: "Moving" of "ms" in [0.0, limits::LATENCY_MS] or "times cannot be negative" => Replace;
        coverage: "Coverage" in [0.0, 1.0] or "it is a share, such as 0.9" => Replace;
    }
}

impl Default for Eplb {
    fn default() -> Self {
        Self { redundant: 0, window_steps: 1000, interval_steps: 3000, rebalance_ms: 0.0, coverage: 1.0 }
    }
}

/// Decode context parallelism: the KV cache of a replica divided by tokens over its GPUs.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextParallelism {
    /// GPUs among which the tokens of the cache are divided (vLLM: `--decode-context-parallel-size`). It divides the number of copies that a token has on the GPUs of a replica: `tp` for a latent, `tp` over the KV heads otherwise. 1 means that each GPU has all tokens.
    pub size: u32,
    /// What a layer takes more in a step that decodes, in microseconds, besides the bytes.
    pub us_per_layer: f64,
}

fields! {
    struct ContextParallelism {
        size: "GPUs" of "GPUs" in [1, limits::TP] or "use 1 for a cache that is not divided" => Replace;
        us_per_layer [omit]: "A layer" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" => Replace;
    }
}

impl Default for ContextParallelism {
    fn default() -> Self {
        Self { size: 1, us_per_layer: 0.0 }
    }
}

#[cfg(feature = "schema")]
mod payloads {
    //! What the schema says of payloads that are bare numbers.

    use crate::limits;
    use crate::table::notes::Effect;

    /// How unequal they are: expert e has a share in proportion to 1 / e to the power of this. 0 means that all are liked alike.
    #[derive(schemars::JsonSchema)]
    #[schemars(inline, transform = zipf)]
    pub(super) struct ZipfExponent(#[expect(dead_code, reason = "its schema is what counts")] f64);

    /// Weights of the experts, in their order. Only their proportions count.
    #[derive(schemars::JsonSchema)]
    #[schemars(inline, transform = weights)]
    pub(super) struct ExpertWeights(#[expect(dead_code, reason = "its schema is what counts")] Vec<f64>);

    /// The load of the rank with the most over the mean: 1 is even, the number of ranks is all work on one.
    #[derive(schemars::JsonSchema)]
    #[schemars(inline, transform = imbalance)]
    pub(super) struct MaxOverMean(#[expect(dead_code, reason = "its schema is what counts")] f64);

    fn add(schema: &mut schemars::Schema, notes: serde_json::Value) {
        let edit = serde_json::json!({"x-edit": Effect::Steps.kind(), "x-edit-help": Effect::Steps.help()});
        for all in [notes, edit] {
            schema.ensure_object().extend(all.as_object().cloned().into_iter().flatten());
        }
    }

    fn zipf(schema: &mut schemars::Schema) {
        add(
            schema,
            serde_json::json!({"minimum": 0.0, "maximum": limits::ZIPF_EXPONENT, "default": 0.6, "x-label": "Exponent"}),
        );
    }

    fn weights(schema: &mut schemars::Schema) {
        add(
            schema,
            serde_json::json!({"maxItems": limits::EXPERT_WEIGHTS, "default": [], "x-label": "Weights"}),
        );
    }

    fn imbalance(schema: &mut schemars::Schema) {
        add(
            schema,
            serde_json::json!({"minimum": 1.0, "maximum": limits::EXPERT_RANKS, "default": 1.5, "x-label": "Max over mean"}),
        );
    }
}

#[cfg(feature = "schema")]
use payloads::{ExpertWeights, MaxOverMean, ZipfExponent};
