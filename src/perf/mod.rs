//! Pure models of how long things take: no state, no randomness.

use crate::base::{Blocks, Diagnostic, Span};
use crate::scenario::Pool;
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
pub struct StepModel {
    // Replaced by the real thing.
    alpha: [f64; 3],
    beta: [f64; 3],
}

impl StepModel {
    /// Delay between the routing decision and the wait queue.
    pub fn queueing(&self, prompt_tokens: u32) -> Span {
        crate::base::math::truncate_to_span(self.alpha[0] + self.alpha[1] * f64::from(prompt_tokens))
    }

    /// Output processing of each token: seen by the client, not by the engine.
    pub fn output_overhead(&self) -> Span {
        crate::base::math::truncate_to_span(self.alpha[2])
    }

    /// Duration of a step, at least 1 us.
    pub fn step(&self, load: &StepLoad<'_>) -> Span {
        let prefill: u64 = load.prefill.iter().map(|c| u64::from(c.tokens)).sum();
        let b = &self.beta;
        let us = b[0] + b[1] * prefill as f64 + b[2] * f64::from(load.decode);
        Span(crate::base::math::truncate_to_span(us).0.max(1))
    }
}

/// A pool's hardware figures, resolved against the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resolved {
    /// Its latency model.
    pub model: StepModel,
    /// Blocks of one replica's KV cache.
    pub blocks: Blocks,
    /// Price of one replica in US dollars per hour; 0 if unknown.
    pub usd_per_hour: f64,
}

/// Resolves a pool; `path` is where it stands in the scenario, for messages.
pub fn resolve(_pool: &Pool, _path: &str) -> Result<Resolved, Diagnostic> {
    todo_resolve()
}

fn todo_resolve() -> Result<Resolved, Diagnostic> {
    Ok(Resolved {
        model: StepModel {
            alpha: [232.461_910_910_380_54, 1.752_360_364_195_244, 3_357.440_035_329_015_2],
            beta: [5_752.705_191_348_184, 17.250_864_368_340_28, 5.999_143_920_128_404],
        },
        blocks: Blocks(29_205),
        usd_per_hour: 3.5,
    })
}
