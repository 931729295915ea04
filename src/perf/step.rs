//! How long a step takes, and what a request pays before and after the engine.
//!
//! One variant per family of models. All are pure functions of the step's load.

use crate::base::Span;
use crate::base::math::truncate_to_span;
use crate::scenario::FittedCoefficients;
use serde::{Deserialize, Serialize};

/// A stretch of one prompt computed in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Tokens of this request already in the cache when it was last scheduled and before this step.
    pub context: u32,
    /// Tokens computed now.
    pub tokens: u32,
}

/// What one step computes.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepLoad<'a> {
    /// Prompt chunks, in batch order.
    pub prefill: &'a [Chunk],
    /// How many requests decode one token.
    pub decode: u32,
    /// Sum of their context lengths before the step, in tokens.
    pub decode_context: u64,
}

/// The latency model of one pool, resolved against the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StepModel {
    /// A straight line through measurements: fixed cost, cost per prefill token, cost per decoding request.
    Fitted(Fitted),
}

/// Coefficients of the fitted model, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// Queueing delay per request and per prompt token, output overhead per token.
    pub alpha_us: [f64; 3],
    /// Step time: fixed, per prefill token, per decoding request.
    pub beta_us: [f64; 3],
}

impl StepModel {
    /// Delay between the routing decision and the wait queue.
    pub fn queueing(&self, prompt_tokens: u32) -> Span {
        match self {
            Self::Fitted(f) => truncate_to_span(f.alpha_us[0] + f.alpha_us[1] * f64::from(prompt_tokens)),
        }
    }

    /// Output processing of each token: seen by the client, not by the engine.
    pub fn output_overhead(&self) -> Span {
        match self {
            Self::Fitted(f) => truncate_to_span(f.alpha_us[2]),
        }
    }

    /// Duration of a step, at least 1 us.
    pub fn step(&self, load: &StepLoad<'_>) -> Span {
        match self {
            Self::Fitted(f) => f.step(load),
        }
    }
}

impl Fitted {
    fn step(&self, load: &StepLoad<'_>) -> Span {
        let prefill: u64 = load.prefill.iter().map(|c| u64::from(c.tokens)).sum();
        let [fixed, per_prefill, per_decode] = self.beta_us;
        // Left to right and never fused: the goldens fix the last bit.
        let us = fixed + per_prefill * prefill as f64 + per_decode * f64::from(load.decode);
        truncate_to_span(us).max(Span(1))
    }
}

impl From<&FittedCoefficients> for Fitted {
    fn from(c: &FittedCoefficients) -> Self {
        Self {
            alpha_us: [c.queueing_us, c.queueing_us_per_prompt_token, c.output_us_per_token],
            beta_us: [c.step_us, c.step_us_per_prefill_token, c.step_us_per_decode_token],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(alpha_us: [f64; 3], beta_us: [f64; 3]) -> StepModel {
        StepModel::Fitted(Fitted { alpha_us, beta_us })
    }

    #[test]
    fn a_step_is_fixed_plus_prefill_plus_decode_cut_to_whole_microseconds() {
        let m = model([1000.7, 10.25, 50.9], [5000.5, 10.5, 3.25]);
        let chunks = [Chunk { context: 0, tokens: 5 }, Chunk { context: 64, tokens: 16 }];
        // 5000.5 + 10.5 * 21 + 3.25 * 3 = 5230.75
        assert_eq!(m.step(&StepLoad { prefill: &chunks, decode: 3, decode_context: 900 }), Span(5230));
        // 5000.5 + 3.25 = 5003.75
        assert_eq!(m.step(&StepLoad { prefill: &[], decode: 1, decode_context: 17 }), Span(5003));
        // 1000.7 + 10.25 * 60 = 1615.7
        assert_eq!(m.queueing(60), Span(1615));
        assert_eq!(m.output_overhead(), Span(50));
    }

    #[test]
    fn no_step_is_shorter_than_a_microsecond() {
        let m = model([0.0; 3], [0.0, 0.25, 0.0]);
        let one = [Chunk { context: 0, tokens: 1 }];
        assert_eq!(m.step(&StepLoad { prefill: &one, decode: 0, decode_context: 0 }), Span(1));
        assert_eq!(m.queueing(1_000_000), Span(0));
    }
}
