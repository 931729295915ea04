//! Step times, and the delays of a request before and after the engine.
//!
//! Each family of models has its own file. All are pure functions of the sums over a step's batch, so the cost of a
//! call depends on the number of prompt chunks, not on the number of decoding requests.

use super::calibrated::Calibrated;
use super::cross_model::CrossModel;
use super::fitted::{Fitted, FittedWithContext};
use super::piecewise::Piecewise;
use super::placed::Placed;
use super::roofline::Roofline;
use super::step_load::{LONGEST, StepLoad};
use base::Span;
use base::math::{round_to_span, truncate_to_span};
use queueing::{Params, RequestSize};
use serde::{Deserialize, Serialize};

/// The latency model of one pool, resolved against the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepModel {
    /// Queueing delay per request and per prompt token, in microseconds.
    queueing_us: [f64; 2],
    /// Output processing of each token; cached, as every step reads it.
    output_overhead: Span,
    /// Times of the front end: for each request, for each of its prompt tokens, and for each token that it writes.
    front_end_us: [f64; 3],
    family: Family,
}

/// The family of a latency model, which computes step times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Family {
    Fitted(Fitted),
    Roofline(Roofline),
    CrossModel(CrossModel),
    Piecewise(Piecewise),
    Calibrated(Calibrated),
    FittedWithContext(FittedWithContext),
}

impl StepModel {
    /// A model with its overheads: queueing delay per request and per prompt token, output processing per token, in
    /// microseconds.
    pub(super) fn new(alpha_us: [f64; 3], family: Family) -> Self {
        let [base, per_token, output] = alpha_us;
        // A scenario with numbers out of range is resolved too, so that all its problems are reported at once.
        let output = if output.is_finite() { output.max(0.0) } else { 0.0 };
        Self {
            queueing_us: [base, per_token],
            output_overhead: truncate_to_span(output),
            front_end_us: [0.0; 3],
            family,
        }
    }

    /// The same model with a front end that takes these times, in microseconds: for each request, for each of its prompt tokens,
    /// and for each token that it writes.
    pub(super) fn behind(self, front_end_us: [f64; 3]) -> Self {
        Self { front_end_us, ..self }
    }

    /// Time that the front end takes for a request before the engine has it.
    pub fn front_end(&self, prompt_tokens: u32) -> Span {
        let [base, per_token, _] = self.front_end_us;
        truncate_to_span(base + per_token * f64::from(prompt_tokens))
    }

    /// Whether the front end takes time for the tokens that it writes.
    #[inline]
    pub fn streams(&self) -> bool {
        self.front_end_us[2] > 0.0
    }

    /// Time that the front end takes to write that many tokens.
    pub fn streaming(&self, tokens: u32) -> Span {
        round_to_span(self.front_end_us[2] * f64::from(tokens))
    }

    /// Delay between the routing decision and the wait queue.
    pub fn queueing(&self, prompt_tokens: u32) -> Span {
        truncate_to_span(self.queueing_us[0] + self.queueing_us[1] * f64::from(prompt_tokens))
    }

    /// Whether a step is scheduled when the one before it begins: a request joins a step later.
    pub fn schedules_ahead(&self) -> bool {
        matches!(&self.family, Family::Calibrated(m) if m.schedules_ahead())
    }

    /// What a step takes longer without a recorded graph, where the model tells.
    pub fn without_graph(&self) -> Span {
        if let Family::Calibrated(m) = &self.family { m.without_graph() } else { Span::ZERO }
    }

    /// How many times the mean the rank with the most computes for its experts now; none where they are liked alike.
    pub fn imbalance(&self) -> Option<f64> {
        if let Family::Calibrated(m) = &self.family { m.placed().map(Placed::imbalance) } else { None }
    }

    /// Steps between two rebalancings of experts, and how much longer the step takes in which they move.
    pub(crate) fn rebalancing(&self) -> Option<(u32, Span)> {
        let Family::Calibrated(m) = &self.family else { return None };
        m.placed()?.rebalancing()
    }

    /// Whether experts lie as they were last moved, not in order.
    pub(crate) fn is_balanced(&self) -> bool {
        matches!(&self.family, Family::Calibrated(m) if m.placed().is_some_and(Placed::is_balanced))
    }

    /// Experts were moved, or lie in order again.
    pub(crate) fn set_balanced(&mut self, is_balanced: bool) {
        if let Family::Calibrated(m) = &mut self.family {
            m.set_balanced(is_balanced);
        }
    }

    /// How many replicas step together; 1 if each steps by itself.
    pub fn lockstep_ranks(&self) -> u32 {
        if let Family::Calibrated(m) = &self.family { m.lockstep_ranks() } else { 1 }
    }

    /// Duration of the step of a replica that steps together with others, which have that many tokens in it; at least 1 us.
    pub fn step_beside(&self, load: &StepLoad<'_>, others: u64) -> Span {
        match &self.family {
            Family::Calibrated(m) => m.step_beside(load, others).clamp(Span(1), LONGEST),
            Family::Fitted(_)
            | Family::Roofline(_)
            | Family::CrossModel(_)
            | Family::Piecewise(_)
            | Family::FittedWithContext(_) => self.step(load),
        }
    }

    /// Output processing of each token: seen by the client, not by the engine.
    pub fn output_overhead(&self) -> Span {
        self.output_overhead
    }

    /// The coefficients of the queueing model for requests of this size, if its steps have only such costs: a fitted
    /// line with a cost of context. If prompt and answer tokens cost differently, the mean by work is taken.
    pub fn coefficients(&self, size: RequestSize) -> Option<Params> {
        let Family::FittedWithContext(m) = &self.family else { return None };
        let [fixed, per_prefill, per_decode] = m.line.beta_us;
        let RequestSize { input_tokens, output_tokens } = size;
        let all = input_tokens + output_tokens;
        let beta = (per_prefill * input_tokens + per_decode * output_tokens) / all / 1000.0;
        let params = Params { alpha: fixed / 1000.0, beta, gamma: m.context_us / 1000.0 };
        params.are_positive().then_some(params)
    }

    /// Duration of a step, at least 1 us.
    #[inline(always)]
    pub fn step(&self, load: &StepLoad<'_>) -> Span {
        let span = match &self.family {
            Family::Fitted(m) => m.step(load),
            Family::Roofline(m) => m.step(load),
            Family::CrossModel(m) => m.step(load),
            Family::Piecewise(m) => m.step(load),
            Family::Calibrated(m) => m.step(load),
            Family::FittedWithContext(m) => m.step(load),
        };
        span.clamp(Span(1), LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::Chunk;

    #[test]
    fn no_step_is_shorter_than_a_microsecond() {
        let m = StepModel::new([0.0; 3], Family::Fitted(Fitted { beta_us: [0.0, 0.25, 0.0] }));
        let one = [Chunk { context: 0, cached: 0, tokens: 1 }];
        assert_eq!(
            m.step(&StepLoad { prefill: &one, decode: 0, decode_context: 0, drafts: 0, padding: 0 }),
            Span(1)
        );
        assert_eq!(m.queueing(1_000_000), Span(0));
    }

    #[test]
    fn overheads_are_cut_to_whole_microseconds() {
        let m = StepModel::new([1000.7, 10.25, 50.9], Family::Fitted(Fitted { beta_us: [0.0; 3] }));
        // 1000.7 + 10.25 * 60 = 1615.7
        assert_eq!(m.queueing(60), Span(1615));
        assert_eq!(m.output_overhead(), Span(50));
    }

    #[test]
    fn the_front_end_takes_time_for_requests_their_tokens_and_what_it_writes() {
        let m = StepModel::new([0.0; 3], Family::Fitted(Fitted { beta_us: [0.0; 3] }));
        assert_eq!((m.front_end(60), m.streaming(60), m.streams()), (Span(0), Span(0), false));
        let m = m.behind([3000.5, 1.25, 7.3]);
        // 3000.5 + 1.25 * 61 = 3076.75; 7.3 * 12 = 87.6.
        assert_eq!((m.front_end(61), m.streaming(12), m.streams()), (Span(3076), Span(88), true));
    }
}
