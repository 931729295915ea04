//! The peak of prompt tokens per second, which routers divide tokens by to get times.

use super::{Chunk, Resolved, StepLoad};

impl Resolved {
    /// Prompt tokens per second of a replica in steps that are full of prompt tokens and have nothing else: B / T(B), B
    /// the most tokens of a step and T(B) the duration of a step that computes the first B tokens of one prompt; as many
    /// times as much as there are stages, each with a batch of its own.
    pub fn peak_prefill_tokens_per_s(&self) -> f64 {
        let tokens = self.max_num_batched_tokens;
        let prefill = [Chunk { context: 0, cached: 0, tokens }];
        let step = self.model.step(&StepLoad {
            prefill: &prefill,
            decode: 0,
            decode_context: 0,
            drafts: 0,
            padding: 0,
        });
        f64::from(tokens) * 1e6 / step.0 as f64 * f64::from(self.stages)
    }
}
