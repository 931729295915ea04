//! Speculative decoding: requests that verify drafts, and how long drafting takes.
//!
//! A request that decodes verifies its next token and up to as many drafts as the pool allows. It holds blocks for all
//! of these positions and for as many further ones as the drafter fills ahead, and keeps the blocks of rejected drafts
//! for its next step. It advances by one token and the accepted drafts. Members that verify are touched by every step;
//! those of replicas without speculative decoding are not (`decode.rs`).

use super::batch::Asked;
use super::decode::Decoding;
use super::running_step::StepEnd;
use super::state::Replica;
use super::world::World;
use crate::facts::{ReplicaFact, Sink};
use crate::perf::{Chunk, StepLoad, StepModel};
use crate::request::{Slab, Slot};
use base::math::round_to_span;
use base::rng::{Purpose, Stream};
use base::{Micros, RequestId, Span};
use document::{Drafter, Speculative};
use serde::{Deserialize, Serialize};

/// Speculative decoding of one replica.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Speculation {
    /// By position in the drafts of a step: the probability that the token is accepted if all before it were.
    rates: Vec<f64>,
    drafter: Drafter,
    /// Most requests of a batch with drafts.
    most: u32,
    seed: u64,
    /// Whether requests have dummies for drafts in their first step at home.
    pads: bool,
    /// Drafts of each request in the step that is being formed or runs.
    drafts: u32,
    /// How much longer a step takes that computes prompts for other replicas, as a share.
    prefill_share: f64,
    /// Whether the step that is being formed does: nothing is drafted in it.
    prefills: bool,
}

/// What the drafts of a replica came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftTotals {
    /// How often a request had drafts verified.
    pub verifications: u64,
    /// Draft tokens verified.
    pub verified: u64,
    /// Of those, the accepted ones.
    pub accepted: u64,
    /// Dummies in the first steps of requests at their homes.
    pub padding: u64,
}

impl DraftTotals {
    /// Adds those of another replica.
    pub fn add(&mut self, other: &Self) {
        self.verifications += other.verifications;
        self.verified += other.verified;
        self.accepted += other.accepted;
        self.padding += other.padding;
    }
}

impl Speculation {
    /// That of a pool, in a run with `seed`.
    pub(crate) fn new(settings: &Speculative, seed: u64) -> Self {
        let most = if settings.disable_above_batch == 0 { u32::MAX } else { settings.disable_above_batch };
        Self {
            rates: settings.rates(),
            drafter: settings.drafter.clone(),
            most,
            seed,
            pads: settings.pad_first_step,
            drafts: 0,
            prefill_share: settings.prefill_share,
            prefills: false,
        }
    }

    /// Drafts of each request in a batch of `running` requests.
    fn drafts_of(&self, running: u32) -> u32 {
        if running > self.most { 0 } else { self.rates.len() as u32 }
    }

    /// How many dummies stand in for the drafts of a request in its first step at its home, where the drafter has nothing of it yet.
    fn dummies(&self) -> u32 {
        if self.pads { self.drafts } else { 0 }
    }

    /// How many of its drafts a request with `generated` tokens accepts. Every token of an answer has its own draw, so
    /// that the result depends neither on the steps before nor on other requests.
    fn accepted(&self, request: RequestId, generated: u32, drafts: u32) -> u32 {
        let mut draws = Stream::from_draw(self.seed, Purpose::Acceptance, request.0, generated);
        let rates = self.rates.iter().take(drafts as usize);
        rates.take_while(|rate| draws.unit() < **rate).count() as u32
    }

    /// Time of a step and of the drafting in it.
    fn step(&self, model: &StepModel, load: &StepLoad<'_>) -> Span {
        Span(model.step(load).0.saturating_add(self.drafting(model, load).0))
    }

    /// Time of the drafting in a step.
    fn drafting(&self, model: &StepModel, load: &StepLoad<'_>) -> Span {
        if self.prefills {
            return round_to_span(self.prefill_share * model.step(load).0 as f64);
        }
        model.drafting(&self.drafter, self.drafts, load)
    }
}

impl Replica {
    /// The time of a step that computes this number of prompt tokens, and nothing else.
    pub(super) fn prompt_time(&self, tokens: u32) -> Span {
        let chunk = [Chunk { context: 0, cached: 0, tokens }];
        let prefill = if tokens > 0 { &chunk[..] } else { &[] };
        self.model_step(&StepLoad { prefill, ..StepLoad::default() })
    }

    /// How long the latency model lets a step take, drafting included.
    #[inline]
    pub(super) fn model_step(&self, load: &StepLoad<'_>) -> Span {
        let step = match &self.speculation {
            None => self.model.step(load),
            Some(speculation) => speculation.step(&self.model, load),
        };
        step + self.longer
    }

    /// How long a rank takes beside ranks that compute `others` tokens together, drafting included. A drafter has no part
    /// in the experts of other ranks: drafting takes what it takes beside ranks with as much work.
    pub(super) fn model_step_beside(&self, load: &StepLoad<'_>, others: u64) -> Span {
        let step = self.model.step_beside(load, others);
        let drafting = |s: &Speculation| s.drafting(&self.model, load);
        Span(step.0.saturating_add(self.speculation.as_ref().map_or(0, |s| drafting(s).0))) + self.longer
    }

    /// Whether every request of the batch that is formed has as many tokens: one, and its drafts. A recorded graph takes such a batch.
    pub(super) fn is_uniform(&self, decoding: Decoding) -> bool {
        let drafts = self.speculation.as_ref().map_or(0, |s| s.drafts);
        self.chunks.is_empty() && decoding.drafts == decoding.sequences * drafts
    }

    /// The step that begins has no recorded graph: it takes longer.
    pub(crate) fn go_without_graph(&mut self) {
        let by = self.limits.mixed_step;
        self.longer += by;
        self.totals.mixed_steps += 1;
        self.totals.mixed_time += by;
    }

    /// A batch is formed: whether it computes prompts for other replicas, and nothing else.
    pub(super) fn note_prefills(&mut self, decode: u32, slab: &Slab) {
        let id = self.id;
        let Some(speculation) = self.speculation.as_mut() else { return };
        let mut computed =
            self.prefilling.iter().map(|&slot| &slab[slot]).filter(|active| active.granted > 0);
        speculation.prefills = decode == 0 && computed.any(|active| active.is_prefilled_at(id));
    }

    /// A batch is about to be formed: how many drafts each request verifies in it. `None` where steps do not settle their
    /// members.
    pub(super) fn set_drafts(&mut self) -> Option<u32> {
        let places = self.limits.max_num_seqs.saturating_sub(self.running);
        let running = self.running + places.min(self.moving.landed.len() as u32);
        let Some(speculation) = self.speculation.as_mut() else { return self.pipe.as_ref().map(|_| 0) };
        speculation.drafts = speculation.drafts_of(running);
        Some(speculation.drafts)
    }

    /// A member that decodes gets up to `budget` tokens to verify, its own and `drafts` after it. How many, and what
    /// became of it.
    pub(super) fn verify<S: Sink>(
        &mut self,
        slot: Slot,
        (drafts, budget): (u32, u32),
        now: Micros,
        preempted: &mut bool,
        w: &mut World<'_, S>,
    ) -> (u32, Asked) {
        let tokens = self.limits.chunk(1 + drafts).min(budget);
        let stored = w.active[slot].progress;
        self.fill_up_to(slot, stored, w.active);
        let active = &w.active[slot];
        // The drafter writes as many positions ahead; but never more than the whole answer needs.
        let all = active.prompt_tokens + active.tokens_due() - 1;
        let held = (stored + tokens + drafts).min(all);
        let asked = self.make_room(slot, held - stored, now, preempted, w);
        if asked == Asked::Served {
            let active = &mut w.active[slot];
            self.kv.own().reserve(&mut active.block_table, held - stored);
            active.granted = tokens;
            active.computed = active.computed.max(held);
            self.fill_up_to(slot, stored + 1, w.active);
        }
        (tokens, asked)
    }

    /// A request joins the batch at its home with the KV that has come, and gets up to `budget` tokens: its own, and dummies for
    /// drafts. The blocks that drafts need are opened now; without room it joins without dummies, with the blocks that were set aside.
    pub(super) fn join_with_dummies(&mut self, slot: Slot, budget: u32, slab: &mut Slab) -> u32 {
        let (drafts, dummies) = self.speculation.as_deref().map_or((0, 0), |s| (s.drafts, s.dummies()));
        self.decoders.join_verifying(slot, slab);
        let active = &mut slab[slot];
        let stored = active.progress;
        let all = active.prompt_tokens + active.tokens_due() - 1;
        let wanted = (stored + 1 + 2 * drafts).min(all);
        let has_room = self.kv.can_grow(&active.block_table, wanted - stored);
        if has_room {
            self.kv.own().reserve(&mut active.block_table, wanted - stored);
        }
        let tokens = if has_room { self.limits.chunk(1 + dummies).min(budget) } else { 1 };
        active.granted = tokens;
        active.computed = if has_room { wanted } else { stored + 1 };
        self.fill_up_to(slot, stored + 1, slab);
        tokens
    }

    /// Tokens of a member up to `end` are stored for certain: blocks that they fill can be hit, if their contents recur.
    fn fill_up_to(&mut self, slot: Slot, end: u32, slab: &mut Slab) {
        let block = self.kv.block_tokens();
        let hits = self.kv.caching() && block > 1;
        let active = &mut slab[slot];
        while active.block_table.tokens() < end {
            let from = active.block_table.tokens();
            let full = (from / block + 1) * block;
            let to = full.min(end);
            let hash = (hits && to == full && active.is_shareable(full))
                .then(|| active.text.block_hash(active.block_table.last_hash(), full - block, block));
            self.kv.own().append_inside(&mut active.block_table, to - from, hash);
        }
    }

    /// What the members that decode have to do in the step that was formed.
    pub(super) fn verified_work(&self, slab: &Slab) -> Decoding {
        let mut work = Decoding::default();
        let mut slot = self.head;
        while slot != Slot::NONE {
            let active = &slab[slot];
            if active.decoding && active.granted > 0 && active.flight == 0 {
                work.sequences += 1;
                work.context += u64::from(active.progress);
                work.drafts += active.granted - 1;
            }
            slot = active.after;
        }
        work
    }

    /// How many tokens a member gets beyond its own: accepted drafts. In its first step at home there are dummies in their place.
    fn count_drafts(&mut self, slot: Slot, are_dummies: bool, slab: &Slab) -> u32 {
        let active = &slab[slot];
        let drafts = active.granted - 1;
        let totals = &mut self.totals.drafts;
        if are_dummies {
            totals.padding += u64::from(drafts);
            return 0;
        }
        let by = |s: &Speculation| s.accepted(active.id, active.generated, drafts);
        let accepted = self.speculation.as_deref().map_or(0, by);
        if drafts > 0 {
            totals.verifications += 1;
            totals.verified += u64::from(drafts);
            totals.accepted += u64::from(accepted);
        }
        accepted.min(active.tokens_due() - active.generated - 1)
    }

    /// The tokens of a step, or of the batch `flight` of a pipe, go to the members that decoded in it. The front end has
    /// written them at `shown`, and those of the step before it `before` after that one ended; tokens of a request that come
    /// together are written together. These count as gaps of no time but that of output processing, after the first of
    /// them. Returns who has all its tokens.
    pub(super) fn accept_drafts<S: Sink>(
        &mut self,
        flight: u32,
        end: StepEnd,
        w: &mut World<'_, S>,
    ) -> Vec<Slot> {
        let StepEnd { now, shown, shown_before, overhead } = end;
        let usual = Span(shown.0.saturating_sub(shown_before.0));
        let (mut steady, mut together, mut done) = (0, 0, Vec::new());
        let replica = self.id;
        let mut slot = self.head;
        while slot != Slot::NONE {
            let active = &w.active[slot];
            let this = slot;
            slot = active.after;
            if !active.decoding || active.granted == 0 || active.flight != flight {
                continue;
            }
            let joined = self.moving.joined.iter().position(|&other| other == this);
            let tokens = 1 + self.count_drafts(this, joined.is_some(), w.active);
            let shows_first = joined.is_some_and(|at| {
                self.moving.joined.remove(at);
                self.show_first_at_home(this, shown, overhead, w)
            });
            let active = &mut w.active[this];
            (active.granted, active.flight) = (0, 0);
            active.progress += tokens;
            active.generated += tokens;
            together += tokens - 1;
            if shows_first {
                active.last_token = shown;
            } else if let gap = active.show_next(shown)
                && gap != usual
            {
                w.sink.fact(now, ReplicaFact::Tokens { replica, itl: gap + overhead, count: 1 }.into());
            } else {
                steady += 1;
            }
            if active.generated == active.tokens_due() {
                done.push(this);
            }
        }
        for (itl, count) in [(usual + overhead, steady), (overhead, together)] {
            if count > 0 {
                w.sink.fact(now, ReplicaFact::Tokens { replica, itl, count }.into());
            }
        }
        done
    }
}
