//! The piecewise-linear model: a prefill rate, and a decode throughput that rises to saturation (docs/explanation/model/latency.md).

use super::step_load::StepLoad;
use base::Span;
use base::math::round_to_span;
use document::PiecewiseRates;
use serde::{Deserialize, Serialize};

/// Rates in tokens per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Piecewise {
    prefill: f64,
    single: f64,
    saturated: f64,
    saturation_batch: u32,
}

impl Piecewise {
    pub(super) fn new(c: &PiecewiseRates) -> Self {
        Self {
            prefill: c.prefill_tokens_per_s,
            single: c.single_decode_tokens_per_s,
            saturated: c.saturated_decode_tokens_per_s,
            saturation_batch: c.saturation_batch,
        }
    }

    /// Tokens per second of `batch` decoding requests together.
    fn throughput(&self, batch: u32) -> f64 {
        if batch >= self.saturation_batch {
            return self.saturated;
        }
        let way = f64::from(batch - 1) / f64::from((self.saturation_batch - 1).max(1));
        self.single + way * (self.saturated - self.single)
    }

    pub(super) fn step(&self, load: &StepLoad<'_>) -> Span {
        let prefill_s = load.prefill_tokens() as f64 / self.prefill;
        let verified = load.verified();
        let decode_s = if verified == 0 { 0.0 } else { f64::from(verified) / self.throughput(verified) };
        round_to_span((prefill_s + decode_s) * 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;

    fn decode(batch: u32) -> u64 {
        let m = Piecewise::new(&PiecewiseRates::default());
        m.step(&StepLoad { prefill: &[], decode: batch, decode_context: 0, drafts: 0, padding: 0 }).0
    }

    #[test]
    fn the_gap_between_tokens_is_as_published_at_the_four_batches() {
        assert_eq!(decode(1), 12_500);
        // 80 + 15/63 * 3120 = 822.857 tokens/s
        assert_eq!(decode(16), 19_444);
        assert_eq!(decode(64), 20_000);
        assert_eq!(decode(128), 40_000);
    }

    #[test]
    fn throughput_never_falls_as_the_batch_grows_and_stays_at_saturation() {
        let m = Piecewise::new(&PiecewiseRates::default());
        for batch in 1..200 {
            assert!(m.throughput(batch) <= m.throughput(batch + 1));
            assert!(m.throughput(batch) <= 3200.0);
        }
        let one = Piecewise::new(&PiecewiseRates { saturation_batch: 1, ..PiecewiseRates::default() });
        assert!((one.throughput(1) - 3200.0).abs() < 1e-9);
    }

    #[test]
    fn prefill_and_decode_share_the_step() {
        let m = Piecewise::new(&PiecewiseRates::default());
        let prompt = [Chunk { context: 0, cached: 0, tokens: 5000 }];
        assert_eq!(
            m.step(&StepLoad { prefill: &prompt, decode: 0, decode_context: 0, drafts: 0, padding: 0 }),
            Span(100_000)
        );
        assert_eq!(
            m.step(&StepLoad { prefill: &prompt, decode: 64, decode_context: 9, drafts: 0, padding: 0 }),
            Span(120_000)
        );
    }
}
