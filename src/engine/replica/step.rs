//! The life of a step, in both modes.
//!
//! `compat: none`: a step's results appear at its end, and the next batch forms in the same event. `compat: blis`: they
//! appear at its beginning, with the latencies they will have had.

use super::adapters::AdapterTime;
use super::decode::Decoding;
use super::departure::{Departure, DepartureReason};
use super::running_step::{RunningStep, StepEnd};
use super::state::Replica;
use super::terms::StepTime;
use super::world::World;
use crate::clock::ReplicaEvent;
use crate::facts::{FleetFact, ReplicaFact, RequestFact, Sink, StepParts, StepTrace};
use crate::perf::{Chunk, LONGEST, StepLoad};
use crate::request::{Location, Slab, Slot};
use base::multiply::wide_product;
use base::{Micros, RequestId, Span};
use document::Compat;

/// Most tokens of a step, of each rank where ranks step together, for which a graph would have been recorded.
pub(crate) const LARGEST_MIXED: u64 = 512;

impl Replica {
    /// The step event: the running step ends and the next one begins.
    pub(crate) fn run_step<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        let mut known_by = Micros::MAX;
        if self.limits.align_prefills > Span::ZERO && self.step.is_none() && self.lockstep.until > now {
            // A prompt has waited long enough in the middle of a step of its server.
            self.step_at = self.lockstep.until;
            return;
        }
        if let Some(step) = self.step.take() {
            if self.model.schedules_ahead() {
                known_by = step.started;
            }
            self.finish_step(step, now, w);
            self.flush(now, w);
            self.stop_due(now, w);
            self.drop_batch(now, w);
        }
        if self.running > 0 || !self.waiting.is_empty() || !self.moving.landed.is_empty() {
            self.start_step(known_by, now, w);
        }
    }

    /// Requests join that waited at `known_by`; where nothing runs, any.
    fn start_step<S: Sink>(&mut self, known_by: Micros, now: Micros, w: &mut World<'_, S>) {
        self.totals.steps += 1;
        let decoding = self.form_batch(known_by, now, w);
        if let (0, Some(until)) = (self.running, self.lockstep.held_until) {
            self.step_at = until.max(self.life.stuck_until);
            self.totals.steps -= 1;
            return;
        }
        if self.running == 0 {
            let loads = self.loads.under_way() + self.loads.fetching() + self.kv.prefetches() > 0
                || self.moving.hold_blocks()
                || self.moving.on_duty() > 0;
            assert!(loads || self.waiting.is_empty(), "INV-8: {:?} is idle and somebody waits", self.id);
            self.totals.steps -= 1;
            return;
        }
        if self.lockstep.is_rank() {
            self.await_ranks(now, decoding);
            return;
        }
        let span = self.begin(now, decoding, w);
        let decode = decoding.sequences;
        self.step = Some(RunningStep { started: now, span, decode });
        self.step_at = now.saturating_add(span);
    }

    fn finish_step<S: Sink>(&mut self, step: RunningStep, now: Micros, w: &mut World<'_, S>) {
        assert!(step.started + step.span == now, "INV-3: {:?} ends a step at the wrong time", self.id);
        let overhead = self.model.output_overhead();
        self.totals.step_time += step.span;
        self.totals.kv_block_us += wide_product(step.span.0, self.kv.used().into());
        self.decoders.ticks += 1;
        w.sink.fact(now, ReplicaFact::StepEnded { replica: self.id }.into());
        let shown_before = step.started + self.front_end.late;
        let shown = now + self.stream(0, step.decode, now, w.active);
        if let Some(d) = w.detail {
            d.step_ended(self.id, shown, overhead);
        }
        let end = StepEnd { now, shown, shown_before, overhead };
        let verified = self.show_tokens(step.decode, end, w);
        let mut done = self.finish_prompts(0, end, w);
        done.extend(verified);
        while let Some(slot) = self.decoders.pop_due(w.active) {
            done.push(slot);
        }
        self.complete_all(done, now, w);
    }

    /// Requests that have all their tokens leave the batch.
    pub(super) fn complete_all<S: Sink>(&mut self, mut done: Vec<Slot>, now: Micros, w: &mut World<'_, S>) {
        w.active.sort_by_order(&mut done);
        if self.kv.has_tiers() {
            for &slot in &done {
                self.kv.own().completed(&w.active[slot].block_table);
            }
        }
        for slot in done {
            self.unlink(slot, w.active);
            self.direct(slot, w.active);
            let active = &mut w.active[slot];
            self.kv.own().release(&mut active.block_table, active.progress + active.excess, now);
            self.release_states(slot, now, w.active);
            self.complete(slot, now, now, w);
        }
    }

    /// The `decode` decoding members get their tokens. Returns those that verified drafts and have all of theirs.
    fn show_tokens<S: Sink>(&mut self, decode: u32, end: StepEnd, w: &mut World<'_, S>) -> Vec<Slot> {
        let StepEnd { now, shown, shown_before, overhead } = end;
        if self.speculation.is_some() {
            return self.accept_drafts(0, end, w);
        }
        let late = self.catch_up(end, w);
        let steady = decode - late - self.show_joined(shown, overhead, w);
        if steady > 0 {
            let itl = shown.since(shown_before) + overhead;
            w.sink.fact(now, ReplicaFact::Tokens { replica: self.id, itl, count: steady }.into());
        }
        Vec::new()
    }

    /// Tokens of requests that had been passed over, or whose latest token another front end shows later than this step: their gap
    /// is not a step. Returns how many there were.
    fn catch_up<S: Sink>(&mut self, end: StepEnd, w: &mut World<'_, S>) -> u32 {
        let StepEnd { now, shown, overhead, .. } = end;
        if self.decoders.behind.is_empty() {
            return 0;
        }
        let tick = self.decoders.ticks;
        let mut late = 0;
        let behind = std::mem::take(&mut self.decoders.behind);
        for slot in behind {
            let active = &mut w.active[slot];
            if active.starved_tick == tick {
                self.decoders.behind.push(slot);
                continue;
            }
            late += 1;
            let itl = active.show_next(shown) + overhead;
            active.behind = active.last_token > shown;
            if active.behind {
                self.decoders.behind.push(slot);
            }
            w.sink.fact(now, ReplicaFact::Tokens { replica: self.id, itl, count: 1 }.into());
        }
        late
    }

    /// Applies what the step computed of prompts; of a pipe, what the batch `flight` did. Returns the requests that needed
    /// one token only.
    pub(super) fn finish_prompts<S: Sink>(
        &mut self,
        flight: u32,
        end: StepEnd,
        w: &mut World<'_, S>,
    ) -> Vec<Slot> {
        let StepEnd { now, shown, overhead, .. } = end;
        let (mut done, mut passed_on) = (Vec::new(), Vec::new());
        let mut i = 0;
        while i < self.prefilling.len() {
            let slot = self.prefilling[i];
            let active = &mut w.active[slot];
            if active.flight != flight {
                i += 1;
                continue;
            }
            active.flight = 0;
            if active.granted > 0 {
                let tokens = active.granted;
                active.progress = active.computed;
                w.sink.fact(
                    now,
                    RequestFact::Prefilled { request: active.id, replica: self.id, tokens }.into(),
                );
            }
            if active.progress < active.prefill {
                i += 1;
                continue;
            }
            if active.is_prefilled_at(self.id) {
                if active.ends_at_prefill() {
                    let ttft = (shown + overhead).since(active.arrival);
                    w.note_prefill_end(slot, now, ttft);
                } else {
                    passed_on.push(slot);
                    i += 1;
                    continue;
                }
            }
            let active = &mut w.active[slot];
            active.generated += 1;
            if active.generated == 1 {
                active.last_token = shown;
                self.show_first_token(slot, shown, overhead, w);
            } else {
                let itl = active.show_next(shown) + overhead;
                w.sink.fact(now, ReplicaFact::Tokens { replica: self.id, itl, count: 1 }.into());
            }
            let active = &mut w.active[slot];
            active.decoding_from = now.into();
            active.chain = Vec::new();
            if active.generated == active.tokens_due() {
                done.push(slot);
                i += 1;
            } else {
                self.prefilling.remove(i);
                if self.settles_members() {
                    self.decoders.join_verifying(slot, w.active);
                } else {
                    self.decoders.join_after(slot, shown, w.active);
                }
            }
        }
        for slot in passed_on {
            self.hand_over(slot, end, w);
        }
        done
    }

    /// The step event of `compat: blis`: a step begins, and its results are there at once.
    pub(crate) fn run_step_blis<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        self.drop_batch(now, w);
        if self.running == 0 && self.waiting.is_empty() {
            return;
        }
        self.totals.steps += 1;
        let decoding = self.form_batch(Micros::MAX, now, w);
        if self.running == 0 && self.waiting.is_empty() {
            // The requests that waited no longer fit into the cache and were dropped.
            self.totals.steps -= 1;
            return;
        }
        let span = self.begin(now, decoding, w);
        let (overhead, end) = (self.model.output_overhead(), now + span);
        let steady = self.decoders.len() - self.decoders.starved.len() as u32;
        self.decoders.ticks += 1;
        self.decoders.pass_over(span, w.active);
        if steady > 0 {
            w.sink.fact(
                now,
                ReplicaFact::Tokens { replica: self.id, itl: span + overhead, count: steady }.into(),
            );
        }
        let mut done = self.show_first_tokens(now, span, w);
        self.totals.step_time += span;
        self.totals.kv_block_us += wide_product(span.0, self.kv.used().into());
        while let Some(slot) = self.decoders.pop_due(w.active) {
            done.push(slot);
        }
        w.active.sort_by_order(&mut done);
        for slot in done {
            self.store_last_token(slot, now, w.active);
            self.unlink(slot, w.active);
            let block_table = &mut w.active[slot].block_table;
            // With the last token, if it found room.
            let stored = block_table.tokens();
            self.kv.own().release(block_table, stored, now);
            self.release_states(slot, now, w.active);
            self.events.schedule(now.saturating_add(span), ReplicaEvent::Left);
            self.complete(slot, now, end, w);
        }
        w.sink.fact(now, ReplicaFact::StepEnded { replica: self.id }.into());
        if self.running > 0 || !self.waiting.is_empty() {
            self.step_at = now.saturating_add(span);
        }
    }

    /// `compat: blis`: prompts that this step finishes have their first token when it ends.
    fn show_first_tokens<S: Sink>(&mut self, now: Micros, span: Span, w: &mut World<'_, S>) -> Vec<Slot> {
        let overhead = self.model.output_overhead();
        let mut done = Vec::new();
        let mut i = 0;
        while i < self.prefilling.len() {
            let slot = self.prefilling[i];
            let active = &mut w.active[slot];
            active.progress = active.computed;
            if active.granted > 0 {
                let tokens = active.granted;
                w.sink.fact(
                    now,
                    RequestFact::Prefilled { request: active.id, replica: self.id, tokens }.into(),
                );
            }
            if active.progress < active.prefill {
                i += 1;
                continue;
            }
            active.generated = 1;
            active.decoding_from = (now + span).into();
            let ttft = (now + span + overhead).since(active.arrival);
            let record = w.records.here_mut(active.id);
            (record.ttft, record.first_output) = (ttft.into(), overhead);
            self.recent.first_token(ttft);
            if self.life.first_token() {
                w.sink.fact(now, FleetFact::Warm { replica: self.id }.into());
            }
            w.prefilled.push(active.id);
            w.sink.fact(now, RequestFact::FirstToken { request: active.id, replica: self.id, ttft }.into());
            active.chain = Vec::new();
            if active.tokens_due() == 1 {
                done.push(slot);
                i += 1;
            } else {
                self.prefilling.remove(i);
                self.decoders.join(slot, w.active);
            }
        }
        done
    }

    /// `compat: blis`: the KV of the last token is stored too, if there is room.
    fn store_last_token(&mut self, slot: Slot, now: Micros, slab: &mut Slab) {
        let block = self.kv.block_tokens();
        let active = &mut slab[slot];
        if active.output_tokens == 0 {
            return;
        }
        let stored = active.counts(self.decoders.ticks).0 + active.excess;
        let missing = stored - active.block_table.tokens();
        self.kv.own().append_inside(&mut active.block_table, missing, None);
        if stored.is_multiple_of(block) {
            if self.kv.free() == 0 && !(self.kv.own().reload(now) && self.kv.free() > 0) {
                self.totals.allocation_failures += 1;
            } else {
                self.kv.own().append_opening(&mut active.block_table);
            }
        } else {
            let fills =
                self.kv.caching() && (stored + 1).is_multiple_of(block) && active.is_shareable(stored + 1);
            let hash = fills.then(|| active.hash_of_last_block(block));
            self.kv.own().append_inside(&mut active.block_table, 1, hash);
        }
    }

    /// A batch is formed: how long its step takes, and everything that counts at its beginning.
    pub(super) fn begin<S: Sink>(&mut self, now: Micros, decoding: Decoding, w: &mut World<'_, S>) -> Span {
        self.collect_chunks(w.active);
        let Decoding { sequences: decode, context, drafts } = decoding;
        self.note_prefills(decode, w.active);
        self.rebalance(self.totals.steps);
        if self.limits.mixed_step > Span::ZERO && !self.is_uniform(decoding) {
            let prompts: u64 = self.chunks.iter().map(|c| u64::from(c.tokens)).sum();
            if prompts + u64::from(decode + drafts) <= LARGEST_MIXED {
                self.go_without_graph();
            }
        }
        assert!(
            decode > 0 || !self.chunks.is_empty() || self.compat == Compat::Blis,
            "INV-8: a step of {:?} without work",
            self.id
        );
        self.report_offloaded(now, w);
        let chunks = std::mem::take(&mut self.chunks);
        let load = StepLoad { prefill: &chunks, decode, decode_context: context, drafts, padding: 0 };
        let transfer = if self.kv.reloads() { self.kv.own().take_transfer() } else { Span::ZERO };
        let adapters = self.adapter_time(decode, w.active);
        let computing = self.life.step(self.model_step(&load) + adapters.step);
        let own = (computing + transfer + adapters.loads).min(LONGEST);
        let span = self.pipe.as_mut().map_or(own, |pipe| pipe.enter(now, own, &load));
        self.latest_step = span;
        let parts = w.sink.wants_step_parts().then(|| self.parts_of(&load, adapters, span));
        if w.sink.wants_step_terms() {
            self.tell_terms(self.terms_of(&load, StepTime { transfer, adapters, own, span }), context, w);
        }
        self.longer = Span::ZERO;
        self.chunks = chunks;
        self.announce(RunningStep { started: now, span, decode }, parts, w);
        span
    }

    /// The pieces of prompts in the batch that is formed.
    #[inline]
    pub(super) fn collect_chunks(&mut self, slab: &Slab) {
        self.chunks.clear();
        for &slot in &self.prefilling {
            let active = &slab[slot];
            if active.granted > 0 && active.flight == 0 {
                let cached = active.computed.saturating_sub(active.granted + active.progress);
                self.chunks.push(Chunk { context: active.progress, cached, tokens: active.granted });
            }
        }
    }

    /// A step begins: everything that counts at its beginning.
    #[inline]
    pub(super) fn announce<S: Sink>(
        &mut self,
        step: RunningStep,
        parts: Option<StepParts>,
        w: &mut World<'_, S>,
    ) {
        let RunningStep { started: now, span, decode } = step;
        if let Some(parts) = parts {
            w.sink.step_parts(parts);
        }
        let prefill = self.chunks.iter().map(|c| c.tokens).sum();
        let t = &mut self.totals;
        t.waiting_sum += self.waiting.len() as u64;
        t.running_sum += u64::from(self.running);
        t.kv_peak = t.kv_peak.max(self.kv.used());
        let (waiting, running, kv_used) = (self.waiting.len() as u32, self.running, self.kv.used());
        w.sink.fact(
            now,
            ReplicaFact::StepStarted { replica: self.id, span, prefill, decode, running, waiting, kv_used }
                .into(),
        );
        if w.detail.is_some() {
            self.trace(now, span, w);
        }
    }

    /// What a step of `span` takes its time for.
    fn parts_of(&self, load: &StepLoad<'_>, adapters: AdapterTime, span: Span) -> StepParts {
        let loads = adapters.loads.min(span);
        let rest = Span(span.0 - loads.0);
        let model = (self.model_step(load) + adapters.step).min(rest);
        let without = StepLoad { prefill: &[], ..*load };
        let decoding = match (load.prefill.is_empty(), load.decode) {
            (true, _) => model,
            (false, 0) => Span::ZERO,
            (false, _) => (self.model_step(&without) + adapters.step).min(model),
        };
        // In a pipe the rest is the way through its stages.
        let transfers = if self.pipe.is_some() { Span::ZERO } else { Span(rest.0 - model.0) };
        StepParts { prompts: Span(model.0 - decoding.0), transfers, adapters: loads }
    }

    fn trace<S: Sink>(&self, now: Micros, span: Span, w: &mut World<'_, S>) {
        let Some(detail) = w.detail else { return };
        let tick = self.decoders.ticks + 1;
        let (mut batch, mut yields) = (Vec::new(), Vec::new());
        let mut slot = self.head;
        while slot != Slot::NONE {
            let active = &w.active[slot];
            let stored = active.counts(self.decoders.ticks).0;
            let on_wheel = active.decoding && !active.verifies();
            let tokens = if on_wheel { u32::from(active.starved_tick != tick) } else { active.granted };
            let goes_on = active.is_prefilled_at(self.id) && !active.shows_first_at_prefill();
            let ends = active.decoding || active.computed >= active.prefill && !goes_on;
            batch.push((active.id, stored, tokens));
            yields.push((active.id, tokens, ends));
            if self.compat == Compat::Blis && active.decoding && tokens > 0 {
                detail.gap(active.id, span + self.model.output_overhead());
            }
            slot = active.after;
        }
        let trace =
            StepTrace { at: now, span, waiting: self.waiting.len() as u32, kv_used: self.kv.used(), batch };
        detail.step_started(self.id, trace, yields);
    }

    /// A request that is in no list any more and holds no blocks has all its tokens, the last of a step that ends at `end`.
    fn complete<S: Sink>(&mut self, slot: Slot, now: Micros, end: Micros, w: &mut World<'_, S>) {
        w.end_last_stay(slot, end);
        let active = &w.active[slot];
        // Its latest token may be one that another front end shows later.
        let late = active.shown_after(end + self.front_end.late).since(end);
        let output_time = active.output_time(self.model.output_overhead(), active.generated) + late;
        let e2e = Span((end + output_time).since(active.arrival).0 - active.sat_out.0);
        let request: RequestId = active.id;
        let record = w.records.here_mut(request);
        record.relocate(Location::Completed(self.id), w.locations);
        let ttft = record.ttft.get().expect("INV-5: a request completed without a first token");
        assert!(ttft <= e2e, "INV-5: {request:?} ended before its first token");
        record.e2e = e2e.into();
        record.left = now.into();
        record.finish_step = self.totals.steps_in_short();
        record.progress = active.progress;
        record.generated = active.generated;
        record.slot = Slot::NONE;
        let (tokens, class) = (record.output_tokens, record.class);
        record.output_time = output_time;
        record.streamed[1] = late;
        record.itl_sum = Span(e2e.0 - ttft.0);
        let (generated, itl_sum) = (record.generated, record.itl_sum);
        w.end_remote(slot);
        self.note_turn(slot, now, w);
        self.forget_keeper(request, w);
        w.active.remove(slot);
        self.recent.completed(generated, itl_sum, now);
        self.totals.completed += 1;
        w.departures.push(Departure { request, why: DepartureReason::Completed });
        self.totals.output_tokens += u64::from(tokens);
        let sum = &mut self.totals.ttft_sum.0;
        *sum = sum.saturating_add(ttft.0);
        let sum = &mut self.totals.itl_sum.0;
        *sum = sum.saturating_add(itl_sum.0);
        self.preempted_since_progress = 0;
        w.sink
            .fact(now, RequestFact::Completed { request, replica: self.id, class, ttft, e2e, tokens }.into());
    }
}
