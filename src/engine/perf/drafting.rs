//! How long drafting takes in a step with speculative decoding.

use super::step::StepModel;
use super::step_load::{Chunk, StepLoad};
use base::Span;
use base::math::round_to_span;
use document::Drafter;

impl StepModel {
    /// Time in which a drafter makes `drafts` tokens for each sequence of a step: a share of what the model itself would
    /// take, and a fixed time of each pass. Its first pass, or its only one, is over all tokens of the step; each further
    /// pass is over one token of every sequence.
    pub fn drafting(&self, drafter: &Drafter, drafts: u32, load: &StepLoad<'_>) -> Span {
        if drafts == 0 {
            return Span::ZERO;
        }
        let whole = self.step(load).0 as f64;
        let us = match drafter {
            Drafter::OnePass(pass) => pass.share * whole + pass.fixed_us,
            Drafter::Autoregressive(pass) => {
                let ends = |c: &Chunk| u64::from(c.context) + u64::from(c.cached) + u64::from(c.tokens);
                let one_each = StepLoad {
                    prefill: &[],
                    decode: load.decode + load.prefill.len() as u32,
                    decode_context: load.decode_context + load.prefill.iter().map(ends).sum::<u64>(),
                    drafts: 0,
                    padding: 0,
                };
                let further = if drafts > 1 { self.step(&one_each).0 as f64 } else { 0.0 };
                pass.share * (whole + f64::from(drafts - 1) * further) + f64::from(drafts) * pass.fixed_us
            }
        };
        round_to_span(us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::{Compat, DraftPass, FittedCoefficients, KvBlocks, KvCache, LatencyModel, Pool};

    #[test]
    fn a_drafter_passes_once_or_once_for_each_token() {
        let fitted = FittedCoefficients {
            step_us: 1000.0,
            step_us_per_prefill_token: 10.0,
            step_us_per_decode_token: 100.0,
            ..FittedCoefficients::default()
        };
        let kv = KvCache { blocks: KvBlocks::Count(8), ..KvCache::default() };
        let pool = Pool { latency: LatencyModel::Fitted(fitted), kv, ..Pool::default() };
        let model = super::super::resolve(&pool, Compat::None, "").expect("a pool").model;
        let prompt = [Chunk { context: 0, cached: 0, tokens: 50 }];
        let load = StepLoad { prefill: &prompt, decode: 2, decode_context: 0, drafts: 6, padding: 0 };
        // The step: 1000 + 10 * 50 + 100 * (2 + 6) = 2300. A pass over one token of three sequences: 1300.
        let of = |drafter: &Drafter, drafts: u32| model.drafting(drafter, drafts, &load);
        let pass = |fixed_us: f64| DraftPass { share: 0.1, fixed_us };
        let one = Drafter::OnePass(pass(0.0));
        assert_eq!((of(&one, 3), of(&one, 0)), (Span(230), Span(0)));
        let each = Drafter::Autoregressive(pass(0.0));
        assert_eq!((of(&each, 3), of(&each, 1)), (Span(230 + 260), Span(230)));
        let [one, each] = [Drafter::OnePass(pass(7.0)), Drafter::Autoregressive(pass(7.0))];
        assert_eq!((of(&one, 3), of(&each, 3)), (Span(237), Span(490 + 21)));
    }
}
