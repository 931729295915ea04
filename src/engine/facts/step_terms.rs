//! What the time of a step is made of, for readers that look at single steps.

use base::{RequestId, Span};
use serde::{Deserialize, Serialize};

/// What the time of a step is made of. The terms add up to its span, to the microsecond.
///
/// The latency model is asked four times, each time with more of the batch: for one request that decodes with an empty cache
/// (`base`), for all requests that decode with empty caches (`batch` is what that adds), for the same with their contexts (`kv`), and
/// for the whole batch (`prefill`). A step in which nothing decodes has no `batch` and no `kv`; its `base` is what one token with an
/// empty cache takes too, for its kernels are launched and its weights are read as well. No term is negative: a step that the model
/// lets take less with more of the batch adds nothing there. While a replica is cold, these terms grow alike, and what rounding leaves
/// is in `base`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTerms {
    /// A step of one request with an empty cache: launches, and the weights read once.
    pub base: Span,
    /// The further requests that decode.
    pub batch: Span,
    /// Reading the KV of the requests that decode.
    pub kv: Span,
    /// The prompt tokens.
    pub prefill: Span,
    /// Waiting for blocks from the CPU tier.
    pub transfers: Span,
    /// Adapters: computing with them, and waiting for their loads.
    pub adapters: Span,
    /// Waiting for others: ranks in lock step, stages of a pipe.
    pub others: Span,
}

/// The part of a prompt that a step computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptChunk {
    /// The request.
    pub request: RequestId,
    /// First token computed, counted from the start of the prompt.
    pub from: u32,
    /// Tokens computed.
    pub tokens: u32,
    /// Tokens to be computed or found in the cache before its next token: the prompt, and after a preemption its answer so far.
    pub of: u32,
    /// Whether the request has a token when the step ends.
    pub ends: bool,
}

impl StepTerms {
    /// Their sum.
    #[must_use]
    pub fn sum(&self) -> Span {
        self.base + self.batch + self.kv + self.prefill + self.transfers + self.adapters + self.others
    }

    /// Of a step that takes `whole` by the latency model; with one request and no context, with all of them, and with their contexts
    /// it takes as long as `levels` say.
    #[must_use]
    pub fn of_levels([one, all, contexts]: [Span; 3], whole: Span) -> Self {
        let base = one.min(whole);
        let all = all.clamp(base, whole);
        let contexts = contexts.clamp(all, whole);
        Self {
            base,
            batch: Span(all.0 - base.0),
            kv: Span(contexts.0 - all.0),
            prefill: Span(whole.0 - contexts.0),
            ..Self::default()
        }
    }

    /// The same terms for a step of another length: all grow or shrink alike, and what rounding leaves is in `base`.
    #[must_use]
    pub fn scaled_to(self, span: Span) -> Self {
        let sum = self.sum();
        if sum == span {
            return self;
        }
        let share = |term: Span| {
            let part = u128::from(term.0) * u128::from(span.0) / u128::from(sum.0.max(1));
            Span(part as u64)
        };
        let scaled = Self {
            base: Span::ZERO,
            batch: share(self.batch),
            kv: share(self.kv),
            prefill: share(self.prefill),
            transfers: share(self.transfers),
            adapters: share(self.adapters),
            others: share(self.others),
        };
        Self { base: Span(span.0 - scaled.sum().0), ..scaled }
    }

    /// The same step after it has waited for transfers and for loads of adapters: as much of each as there is room for in `span`.
    #[must_use]
    pub fn with_waits(self, transfers: Span, loads: Span, span: Span) -> Self {
        let computing = self.scaled_to(self.sum().min(span));
        let transfers = transfers.min(Span(span.0 - computing.sum().0));
        let rest = Span(span.0 - computing.sum().0 - transfers.0);
        Self { transfers, adapters: computing.adapters + loads.min(rest), ..computing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(t: &StepTerms) -> [u64; 7] {
        [t.base, t.batch, t.kv, t.prefill, t.transfers, t.adapters, t.others].map(|term| term.0)
    }

    #[test]
    fn levels_of_the_model_become_terms_none_of_which_is_negative() {
        let terms = |levels: [u64; 3], whole| numbers(&StepTerms::of_levels(levels.map(Span), Span(whole)));
        assert_eq!(terms([100, 130, 190], 400), [100, 30, 60, 210, 0, 0, 0]);
        // A batch that takes less than one request, and prompts that take nothing.
        assert_eq!(terms([100, 80, 150], 150), [100, 0, 50, 0, 0, 0, 0]);
        // A step shorter than that of one request.
        assert_eq!(terms([100, 130, 190], 70), [70, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn terms_of_a_cold_step_grow_alike_and_waits_come_on_top() {
        let terms = StepTerms::of_levels([100, 101, 103].map(Span), Span(110));
        let cold = terms.scaled_to(Span(165));
        // 1.5 and 3 and 10.5 are cut; base has the rest.
        assert_eq!(numbers(&cold), [165 - 1 - 3 - 10, 1, 3, 10, 0, 0, 0]);
        assert_eq!(numbers(&cold.with_waits(Span(20), Span(7), Span(192))), [151, 1, 3, 10, 20, 7, 0]);
        assert_eq!(numbers(&cold.with_waits(Span(20), Span(7), Span(180))), [151, 1, 3, 10, 15, 0, 0]);
        assert_eq!(cold.with_waits(Span(20), Span(7), Span(33)).sum(), Span(33));
        assert_eq!(numbers(&StepTerms::default().scaled_to(Span(9))), [9, 0, 0, 0, 0, 0, 0]);
    }
}
