//! The fitted model: a straight line through measurements (docs/explanation/model/latency.md).

use super::step_load::StepLoad;
use base::Span;
use base::math::truncate_to_span;
use serde::{Deserialize, Serialize};

/// Coefficients of the fitted model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Fitted {
    /// Step time: fixed, per prefill token, per decoding request, in microseconds.
    pub(super) beta_us: [f64; 3],
}

impl Fitted {
    pub(super) fn step(&self, load: &StepLoad<'_>) -> Span {
        truncate_to_span(self.us(load))
    }

    fn us(&self, load: &StepLoad<'_>) -> f64 {
        let [fixed, per_prefill, per_decode] = self.beta_us;
        // Evaluated left to right and never fused: the goldens fix the last bit.
        fixed + per_prefill * load.prefill_tokens() as f64 + per_decode * f64::from(load.verified())
    }
}

/// The fitted model with a cost of context: a separate family, so that the state of the others does not carry its
/// coefficient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct FittedWithContext {
    /// The line.
    pub(super) line: Fitted,
    /// Extra time for each token read from the KV cache, those computed in the step included, in microseconds.
    pub(super) context_us: f64,
}

impl FittedWithContext {
    pub(super) fn step(&self, load: &StepLoad<'_>) -> Span {
        truncate_to_span(self.line.us(load) + self.context_us * load.tokens_read() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;

    #[test]
    fn a_step_is_fixed_plus_prefill_plus_decode_cut_to_whole_microseconds() {
        let m = Fitted { beta_us: [5000.5, 10.5, 3.25] };
        let chunks =
            [Chunk { context: 0, cached: 0, tokens: 5 }, Chunk { context: 64, cached: 0, tokens: 16 }];
        // 5000.5 + 10.5 * 21 + 3.25 * 3 = 5230.75
        assert_eq!(
            m.step(&StepLoad { prefill: &chunks, decode: 3, decode_context: 900, drafts: 0, padding: 0 }),
            Span(5230)
        );
        // 5000.5 + 3.25 = 5003.75
        assert_eq!(
            m.step(&StepLoad { prefill: &[], decode: 1, decode_context: 17, drafts: 0, padding: 0 }),
            Span(5003)
        );
    }

    #[test]
    fn a_token_of_context_costs_whether_it_was_read_or_is_computed_now() {
        let m = FittedWithContext { line: Fitted { beta_us: [1000.0, 10.0, 20.0] }, context_us: 0.5 };
        // A prompt of 100 tokens: 1000 + 10 * 100 + 0.5 * 100 = 2050.
        let whole = [Chunk { context: 0, cached: 0, tokens: 100 }];
        assert_eq!(
            m.step(&StepLoad { prefill: &whole, decode: 0, decode_context: 0, drafts: 0, padding: 0 }),
            Span(2050)
        );
        // Its second half, after 30 tokens from the cache and 20 computed before: 1000 + 10 * 50 + 0.5 * 100 = 1550.
        let half = [Chunk { context: 20, cached: 30, tokens: 50 }];
        assert_eq!(
            m.step(&StepLoad { prefill: &half, decode: 0, decode_context: 0, drafts: 0, padding: 0 }),
            Span(1550)
        );
        // Two that decode after 300 tokens together: 1000 + 20 * 2 + 0.5 * 302 = 1191.
        assert_eq!(
            m.step(&StepLoad { prefill: &[], decode: 2, decode_context: 300, drafts: 0, padding: 0 }),
            Span(1191)
        );
    }
}
