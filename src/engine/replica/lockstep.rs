//! Data-parallel ranks of one server that step together: a rank forms its batch, waits until the others have formed theirs, and
//! the step takes as long as that of the slowest. A rank without work has no step of its own; what comes to it joins when the next
//! step of the server begins.

use super::decode::Decoding;
use super::running_step::RunningStep;
use super::state::Replica;
use super::world::World;
use crate::facts::{Sink, StepParts};
use crate::perf::{LONGEST, StepLoad};
use crate::request::{Slab, Slot};
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// The place of a replica in a server whose ranks step together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lockstep {
    /// Number of the server; `u32::MAX` for a replica that steps by itself.
    pub(crate) server: u32,
    /// When the step of the server ends, or the latest one ended.
    pub(crate) until: Micros,
    /// Whether it has formed a batch and waits for the other ranks. Until the step begins, it runs no event.
    pub(crate) waits: bool,
    /// What the requests that decode in that batch have to do.
    decoding: Decoding,
    /// Rows of no request that are computed beside them.
    padding: u32,
    /// Steps of the server so far.
    pub(crate) steps: u64,
    /// Prompts that wait do not begin in the batch that is formed, but wait until then for those of other ranks.
    #[serde(skip)]
    pub(crate) held_until: Option<Micros>,
}

/// Causes of waiting in a step of a server, as places of a list: a prompt of some rank, more to decode on another one, no work of its own.
pub(crate) const PROMPTS: usize = 0;
/// See [`PROMPTS`].
pub(crate) const DECODES: usize = 1;
const NO_WORK: usize = 2;

/// How long a rank takes for its batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RankTime {
    /// By the latency model.
    model: Span,
    /// Of loads of adapters.
    loads: Span,
    /// With transfers and loads of adapters.
    whole: Span,
}

impl RankTime {
    /// How long the step takes.
    pub(crate) fn span(self) -> Span {
        self.whole
    }

    /// That part of it which the latency model gives.
    pub(crate) fn model(self) -> Span {
        self.model
    }

    /// That part of it in which adapters are loaded.
    pub(crate) fn loads(self) -> Span {
        self.loads
    }

    /// What the step takes its time for, if it takes `decoding` without any prompt.
    fn parts(self, decoding: Span) -> StepParts {
        let loads = self.loads.min(self.whole);
        let rest = Span(self.whole.0 - loads.0);
        let model = self.model.min(rest);
        let decoding = decoding.min(model);
        StepParts { prompts: Span(model.0 - decoding.0), transfers: Span(rest.0 - model.0), adapters: loads }
    }

    /// The server takes the longest of each.
    pub(crate) fn or_longer(self, other: Self) -> Self {
        Self {
            model: self.model.max(other.model),
            loads: self.loads.max(other.loads),
            whole: self.whole.max(other.whole),
        }
    }
}

/// Tokens of a batch: all, and those of requests that decode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BatchTokens {
    pub(crate) all: u64,
    pub(crate) decoding: u64,
}

impl Lockstep {
    /// A replica that steps by itself.
    pub(crate) const NONE: Self = Self {
        server: u32::MAX,
        until: Micros::ZERO,
        waits: false,
        decoding: Decoding::NONE,
        padding: 0,
        steps: 0,
        held_until: None,
    };

    /// The step of the server is broken off.
    pub(super) fn break_off(&mut self, now: Micros) {
        (self.waits, self.until) = (false, self.until.min(now));
    }

    /// Whether it is a rank of a server.
    #[inline]
    pub(crate) fn is_rank(&self) -> bool {
        self.server != u32::MAX
    }
}

/// A step of ranks that step together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerStep {
    /// How long it takes.
    pub(crate) time: RankTime,
    /// How long it would take without any prompt.
    pub(crate) decoding: Span,
}

/// What one rank has in such a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankShare {
    /// How long it alone would take beside the tokens of the others.
    pub(crate) own: RankTime,
    /// These tokens.
    pub(crate) others: BatchTokens,
}

impl Replica {
    /// The batch of a rank is formed.
    pub(super) fn await_ranks(&mut self, now: Micros, decoding: Decoding) {
        (self.lockstep.waits, self.lockstep.decoding) = (true, decoding);
        self.step = Some(RunningStep { started: now, span: Span::ZERO, decode: decoding.sequences });
    }

    /// Whether it has nothing but prompts that wait for those of other ranks.
    fn is_held(&self) -> bool {
        self.step.is_none() && !self.lockstep.waits && self.running == 0 && !self.waiting.is_empty()
    }

    /// Prompts need not wait any longer for those of other ranks: whether any did.
    pub(crate) fn let_in(&mut self, now: Micros) -> bool {
        let at = now.max(self.lockstep.until).max(self.life.stuck_until);
        self.lockstep.held_until = None;
        let held = self.is_held() && self.step_at != Micros::MAX && self.step_at > at;
        if held {
            self.step_at = at;
        }
        held
    }

    /// When the oldest of the requests that wait there came; none where none waits.
    pub(crate) fn oldest_waiting(&self, queued: impl Fn(Slot) -> Micros) -> Option<Micros> {
        self.waiting.iter().map(|&slot| queued(slot)).min()
    }

    /// The tokens of the batch that waits.
    pub(crate) fn batch_tokens(&mut self, slab: &Slab) -> BatchTokens {
        self.collect_chunks(slab);
        let Decoding { sequences, drafts, .. } = self.lockstep.decoding;
        let decoding = u64::from(sequences + drafts);
        let prompts: u64 = self.chunks.iter().map(|c| u64::from(c.tokens)).sum();
        BatchTokens { all: prompts + decoding, decoding }
    }

    /// Rows of no request that this rank computes in the step that begins, beside the batch whose tokens were counted last.
    pub(crate) fn pad(&mut self, rows: u64) {
        self.lockstep.padding = u32::try_from(rows).unwrap_or(u32::MAX);
        self.totals.rank_padding += rows;
    }

    /// Step number `steps` is about to begin. If it is a multiple of the interval, experts move in it, and it takes longer.
    pub(crate) fn rebalance(&mut self, steps: u64) {
        let Some((interval, takes)) = self.model.rebalancing() else { return };
        if steps.is_multiple_of(interval.into()) {
            self.longer += takes;
            self.totals.rebalanced += 1;
            self.model.set_balanced(true);
        }
    }

    /// Whether the batch whose tokens were counted last has a recorded graph.
    pub(crate) fn has_graph(&self) -> bool {
        self.is_uniform(self.lockstep.decoding)
    }

    /// A step of the server lasts that much longer than this rank's own part. By cause: the prompts of other ranks, other decoding
    /// ranks, no work of its own.
    pub(crate) fn wait_for_ranks(&mut self, cause: usize, wait: Span) {
        self.totals.rank_waits[cause] += wait;
    }

    /// The rank has no work in a step of its server, in which it computes these rows of no request.
    pub(crate) fn run_along(&mut self, rows: u64, step: Span) {
        self.totals.rank_padding += rows;
        self.wait_for_ranks(NO_WORK, step);
    }

    /// How long it takes for the batch whose tokens were counted last, beside these of the other ranks.
    pub(crate) fn time_beside(&mut self, others: BatchTokens, slab: &Slab) -> RankTime {
        let transfer = if self.kv.reloads() { self.kv.own().take_transfer() } else { Span::ZERO };
        let Decoding { sequences: decode, context, drafts } = self.lockstep.decoding;
        self.note_prefills(decode, slab);
        let adapters = self.adapter_time(decode, slab);
        let padding = self.lockstep.padding;
        let load = StepLoad { prefill: &self.chunks, decode, decode_context: context, drafts, padding };
        let computing = self.model_step_beside(&load, others.all) + adapters.step;
        let model = self.life.step(computing).min(LONGEST);
        let whole = (model + transfer + adapters.loads).min(LONGEST);
        RankTime { model, loads: adapters.loads, whole }
    }

    /// The load of the batch whose tokens were counted last.
    pub(super) fn rank_load(&self) -> StepLoad<'_> {
        let Decoding { sequences: decode, context, drafts } = self.lockstep.decoding;
        let padding = self.lockstep.padding;
        StepLoad { prefill: &self.chunks, decode, decode_context: context, drafts, padding }
    }

    /// How long that batch would take by the latency model without the prompts of any rank; at most `model`.
    pub(crate) fn decoding_beside(&self, others: BatchTokens, model: Span, slab: &Slab) -> Span {
        let without = StepLoad { prefill: &[], ..self.rank_load() };
        if without.decode == 0 {
            return Span::ZERO;
        }
        let adapters = self.adapter_step(without.decode, slab);
        self.life.step(self.model_step_beside(&without, others.decoding) + adapters).min(model)
    }

    /// The step of the server begins, of which this rank has that share.
    pub(crate) fn step_with_ranks<S: Sink>(
        &mut self,
        now: Micros,
        step: ServerStep,
        share: RankShare,
        w: &mut World<'_, S>,
    ) {
        let (ServerStep { time, decoding }, RankShare { own, others }) = (step, share);
        self.lockstep.waits = false;
        self.report_offloaded(now, w);
        let (span, decode) = (time.whole, self.lockstep.decoding.sequences);
        self.latest_step = span;
        if w.sink.wants_step_terms() {
            let terms = self.terms_beside(others, own, span, w.active);
            self.tell_terms(terms, self.lockstep.decoding.context, w);
        }
        let parts = w.sink.wants_step_parts().then(|| time.parts(decoding));
        let step = RunningStep { started: now, span, decode };
        self.longer = Span::ZERO;
        self.announce(step, parts, w);
        self.step = Some(step);
        self.step_at = now.saturating_add(span);
    }
}
