//! How long a step takes: the families of latency models and their figures, as users write them.
//!
//! Every family has the same three overheads outside the engine. docs/model.md has the formulas; here stand only
//! names, units, defaults and ranges.

#[cfg(feature = "cli")]
use super::limits;
use serde::{Deserialize, Serialize};

/// How long a step takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LatencyModel {
    /// Coefficients fitted to measurements of this model, GPU and tensor parallelism, from the catalogue.
    Catalogue,
    /// Coefficients of your own: a straight line in prefill tokens and decoding requests.
    Fitted(FittedCoefficients),
    /// From the model's shape and the GPU's peaks: a step takes the longer of computing and reading memory.
    Roofline(RooflineSettings),
    /// One set of coefficients for all models, scaled by their layers, KV size, experts and tensor parallelism.
    CrossModel(CrossModelCoefficients),
    /// A prefill rate, and a decode throughput that rises with the batch up to saturation.
    Piecewise(PiecewiseRates),
}

/// Coefficients of the fitted latency model, all in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FittedCoefficients {
    /// Delay before a request is queued, whatever its length.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub queueing_us: f64,
    /// Further delay before a request is queued, for each prompt token.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub queueing_us_per_prompt_token: f64,
    /// Output processing of each token: part of TTFT and ITL, but it does not hold up the engine.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub output_us_per_token: f64,
    /// Fixed part of a step.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub step_us: f64,
    /// Further time of a step, for each prompt token it computes.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub step_us_per_prefill_token: f64,
    /// Further time of a step, for each running request it decodes.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub step_us_per_decode_token: f64,
}

impl Default for FittedCoefficients {
    fn default() -> Self {
        Self {
            queueing_us: 0.0,
            queueing_us_per_prompt_token: 0.0,
            output_us_per_token: 0.0,
            step_us: 6000.0,
            step_us_per_prefill_token: 20.0,
            step_us_per_decode_token: 6.0,
        }
    }
}

/// What the roofline model adds to the figures of model and GPU. The defaults are those of the simulator BLIS for data centre GPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RooflineSettings {
    /// Delay before a request is queued, whatever its length, in microseconds.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub queueing_us: f64,
    /// Further delay before a request is queued, for each prompt token, in microseconds.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub queueing_us_per_prompt_token: f64,
    /// Output processing of each token, in microseconds: part of TTFT and ITL, but it does not hold up the engine.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub output_us_per_token: f64,
    /// Share of the peak FLOP/s that the matrix products of a prefill reach.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::EFFICIENCY_MIN, max = 1.0)))]
    pub prefill_efficiency: f64,
    /// Share of the peak FLOP/s that the matrix products of decoding reach.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::EFFICIENCY_MIN, max = 1.0)))]
    pub decode_efficiency: f64,
    /// Share of the peak memory bandwidth that is reached.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::EFFICIENCY_MIN, max = 1.0)))]
    pub bandwidth_efficiency: f64,
    /// Fixed part of a step, in microseconds.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub step_us: f64,
    /// Further time of a step for each layer of the model, in microseconds: launching kernels.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub step_us_per_layer: f64,
    /// Time of one all-reduce between the GPUs of a replica, in microseconds. Each layer has two if tensor parallelism is above 1.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub all_reduce_us: f64,
}

impl Default for RooflineSettings {
    fn default() -> Self {
        Self {
            queueing_us: 0.0,
            queueing_us_per_prompt_token: 0.0,
            output_us_per_token: 0.0,
            prefill_efficiency: 0.65,
            decode_efficiency: 0.12,
            bandwidth_efficiency: 0.72,
            step_us: 500.0,
            step_us_per_layer: 20.0,
            all_reduce_us: 20.0,
        }
    }
}

/// Coefficients of the cross-model latency model. The defaults are those shipped with the simulator BLIS, fitted over several models on H100.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CrossModelCoefficients {
    /// Delay before a request is queued, whatever its length, in microseconds.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub queueing_us: f64,
    /// Further delay before a request is queued, for each prompt token, in microseconds.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub queueing_us_per_prompt_token: f64,
    /// Output processing of each token, in microseconds: part of TTFT and ITL, but it does not hold up the engine.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub output_us_per_token: f64,
    /// Time of a step for each layer of the model, in microseconds.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub step_us_per_layer: f64,
    /// Further time of a step for each decoding request, in microseconds per million keys that one token has in the cache of one GPU.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub step_us_per_decode_token_and_million_keys: f64,
    /// Further time of a step of a mixture-of-experts model, for each token it computes, in microseconds.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub step_us_per_token_with_experts: f64,
    /// Further time of a step if tensor parallelism is above 1, in microseconds.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub step_us_with_tensor_parallelism: f64,
}

impl Default for CrossModelCoefficients {
    fn default() -> Self {
        Self {
            queueing_us: 13_732.0,
            queueing_us_per_prompt_token: 0.0,
            output_us_per_token: 860.6,
            step_us_per_layer: 116.11,
            step_us_per_decode_token_and_million_keys: 1226.868,
            step_us_per_token_with_experts: 19.943,
            step_us_with_tensor_parallelism: 9445.157,
        }
    }
}

/// Rates of the piecewise-linear latency model. The defaults are those of the simulator RouteSim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PiecewiseRates {
    /// Delay before a request is queued, whatever its length, in microseconds.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub queueing_us: f64,
    /// Further delay before a request is queued, for each prompt token, in microseconds.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub queueing_us_per_prompt_token: f64,
    /// Output processing of each token, in microseconds: part of TTFT and ITL, but it does not hold up the engine.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::COEFFICIENT_US)))]
    pub output_us_per_token: f64,
    /// Prompt tokens computed per second.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::TOKENS_PER_S_MIN, max = limits::TOKENS_PER_S)))]
    pub prefill_tokens_per_s: f64,
    /// Tokens per second of a request that decodes alone.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::TOKENS_PER_S_MIN, max = limits::TOKENS_PER_S)))]
    pub single_decode_tokens_per_s: f64,
    /// Tokens per second of all requests together, once enough of them decode.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::TOKENS_PER_S_MIN, max = limits::TOKENS_PER_S)))]
    pub saturated_decode_tokens_per_s: f64,
    /// How many decoding requests are enough: from there on throughput stays the same.
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::BATCH)))]
    pub saturation_batch: u32,
}

impl Default for PiecewiseRates {
    fn default() -> Self {
        Self {
            queueing_us: 0.0,
            queueing_us_per_prompt_token: 0.0,
            output_us_per_token: 0.0,
            prefill_tokens_per_s: 50_000.0,
            single_decode_tokens_per_s: 80.0,
            saturated_decode_tokens_per_s: 3200.0,
            saturation_batch: 64,
        }
    }
}
