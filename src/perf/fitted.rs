//! The fitted model: a straight line through measurements (docs/model.md, 2.1).

use super::step::StepLoad;
use crate::base::Span;
use crate::base::math::truncate_to_span;
use serde::{Deserialize, Serialize};

/// Coefficients of the fitted model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Fitted {
    /// Step time: fixed, per prefill token, per decoding request, in microseconds.
    pub(super) beta_us: [f64; 3],
}

impl Fitted {
    pub(super) fn step(&self, load: &StepLoad<'_>) -> Span {
        let [fixed, per_prefill, per_decode] = self.beta_us;
        // Left to right and never fused: the goldens fix the last bit.
        let us = fixed + per_prefill * load.prefill_tokens() as f64 + per_decode * f64::from(load.decode);
        truncate_to_span(us)
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
        assert_eq!(m.step(&StepLoad { prefill: &chunks, decode: 3, decode_context: 900 }), Span(5230));
        // 5000.5 + 3.25 = 5003.75
        assert_eq!(m.step(&StepLoad { prefill: &[], decode: 1, decode_context: 17 }), Span(5003));
    }
}
