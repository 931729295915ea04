//! What the steps of a replica are made of: only for a reader that wants it.

use super::adapters::AdapterTime;
use super::lockstep::{BatchTokens, RankTime};
use super::state::Replica;
use super::world::World;
use crate::facts::{PromptChunk, Sink, StepTerms};
use crate::perf::StepLoad;
use crate::request::Slab;
use base::Span;

/// What a step takes its time for, beside the latency model.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepTime {
    /// Blocks that come from the CPU tier.
    pub(super) transfer: Span,
    /// Its LoRA adapters.
    pub(super) adapters: AdapterTime,
    /// All of it, before it waits for stages of a pipe.
    pub(super) own: Span,
    /// The same with that.
    pub(super) span: Span,
}

impl Replica {
    /// Of a step with this load.
    pub(super) fn terms_of(&self, load: &StepLoad<'_>, time: StepTime) -> StepTerms {
        let StepTime { transfer, adapters, own, span } = time;
        let terms = self.model_terms(load, adapters.step, |load, _| self.model_step(load));
        let others = Span(span.0.saturating_sub(own.0));
        StepTerms { others, ..terms.with_waits(transfer, adapters.loads, own) }
    }

    /// Of the step of a rank that waits for the other ranks, which have that many tokens in it.
    pub(crate) fn terms_beside(
        &self,
        others: BatchTokens,
        own: RankTime,
        span: Span,
        slab: &Slab,
    ) -> StepTerms {
        let adapters = self.adapter_step(self.rank_load().decode, slab);
        let terms = self.model_terms(&self.rank_load(), adapters, |load, all| {
            self.model_step_beside(load, if all { others.all } else { others.decoding })
        });
        let transfer = Span(own.span().0.saturating_sub(own.model().0 + own.loads().0));
        let waits = Span(span.0.saturating_sub(own.span().0));
        StepTerms { others: waits, ..terms.with_waits(transfer, own.loads(), own.span()) }
    }

    /// By the latency model, which `step` asks: with a load, and whether that is the whole batch. Beside ranks without a prompt a rank
    /// has their decoding tokens beside it in every term but that of the prompts.
    fn model_terms(
        &self,
        load: &StepLoad<'_>,
        adapters: Span,
        step: impl Fn(&StepLoad<'_>, bool) -> Span,
    ) -> StepTerms {
        let whole = step(load, true);
        let drafts = load.drafts.checked_div(load.decode).unwrap_or(0);
        let one = step(
            &StepLoad { prefill: &[], decode: 1, decode_context: 0, drafts, padding: load.padding },
            false,
        );
        let mut levels = [one; 3];
        if load.decode > 0 {
            let contexts = StepLoad { prefill: &[], ..*load };
            levels[1] = step(&StepLoad { decode_context: 0, ..contexts }, false);
            levels[2] = step(&contexts, false);
        }
        let terms = StepTerms { adapters, ..StepTerms::of_levels(levels, whole) };
        terms.scaled_to(self.life.step(whole + adapters))
    }

    /// Tells what the step that begins is made of, which tokens of contexts it reads, and which parts of prompts it computes.
    pub(super) fn tell_terms<S: Sink>(&self, terms: StepTerms, context: u64, w: &mut World<'_, S>) {
        assert!(terms.sum() == self.latest_step, "INV-3: the terms of a step of {:?} do not add up", self.id);
        w.sink.step_terms(terms, context);
        for &slot in &self.prefilling {
            let active = &w.active[slot];
            if active.granted > 0 && active.flight == 0 {
                let goes_on = active.is_prefilled_at(self.id) && !active.shows_first_at_prefill();
                w.sink.step_chunk(PromptChunk {
                    request: active.id,
                    from: active.computed - active.granted,
                    tokens: active.granted,
                    of: active.prefill,
                    ends: active.computed >= active.prefill && !goes_on,
                });
            }
        }
    }
}
