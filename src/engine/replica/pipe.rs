//! Pipeline parallelism: several batches of a replica under way, each on another stage of its GPUs.
//!
//! A batch is formed as soon as fewer batches than stages are under way and a request can be scheduled; it takes all
//! that can. Requests of a batch under way cannot be scheduled again until it has left the last stage. Batches pass each
//! other nowhere: a stage takes a batch when the stage before has handed it over and the batch before has left. As in
//! vLLM (`EngineCore.step_with_batch_queue`).

use super::running_step::{RunningStep, StepEnd};
use super::state::Replica;
use super::world::World;
use crate::facts::{ReplicaFact, Sink};
use crate::perf::StepLoad;
use crate::request::Slot;
use base::math::round_to_span;
use base::multiply::wide_product;
use base::{Micros, Span};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A batch under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Flight {
    number: u32,
    step: RunningStep,
}

/// The stages of one replica.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pipe {
    /// By stage: when it has computed all that it was given.
    free: Vec<Micros>,
    /// Time in which a stage hands one token over to the next, in microseconds.
    hop_us: f64,
    /// Batches under way, the first to leave first.
    flights: VecDeque<Flight>,
    /// Number of the latest batch; 0 is none.
    latest: u32,
}

impl Pipe {
    /// A pipe of that many stages, if there are several.
    pub(crate) fn new(stages: u32, hop_us: f64) -> Option<Self> {
        (stages > 1).then(|| Self {
            free: vec![Micros::ZERO; stages as usize],
            hop_us,
            flights: VecDeque::new(),
            latest: 0,
        })
    }

    /// What was under way is lost.
    pub(super) fn empty(&mut self, now: Micros) {
        self.free.fill(now);
        self.flights.clear();
    }

    /// What is under way takes that much longer.
    pub(super) fn delay(&mut self, by: Span) {
        for flight in &mut self.flights {
            flight.step.span = Span(flight.step.span.0.saturating_add(by.0));
        }
        for free in &mut self.free {
            *free = free.saturating_add(by);
        }
    }

    /// Whether another batch may be formed.
    fn has_room(&self) -> bool {
        self.flights.len() < self.free.len()
    }

    /// When the next batch leaves; [`Micros::MAX`] if none is under way.
    fn next_at(&self) -> Micros {
        self.flights.front().map_or(Micros::MAX, |f| f.step.started.saturating_add(f.step.span))
    }

    /// A batch enters at `now`, which takes `span` on all stages together. How long it is under way.
    pub(super) fn enter(&mut self, now: Micros, span: Span, load: &StepLoad<'_>) -> Span {
        let stages = self.free.len() as u64;
        let each = Span(span.0.div_ceil(stages));
        let tokens = load.prefill.iter().map(|c| u64::from(c.tokens)).sum::<u64>() + u64::from(load.decode);
        let hop = round_to_span(self.hop_us * tokens as f64);
        let mut at = now;
        for (stage, free) in self.free.iter_mut().enumerate() {
            if stage > 0 {
                at = at.saturating_add(hop);
            }
            at = at.max(*free).saturating_add(each);
            *free = at;
        }
        self.latest = self.latest.wrapping_add(1).max(1);
        let span = at.since(now);
        self.flights.push_back(Flight {
            number: self.latest,
            step: RunningStep { started: now, span, decode: load.decode },
        });
        span
    }
}

impl Replica {
    /// Whether each step settles the progress of its members: they verify drafts or are in a pipe.
    #[inline]
    pub(super) fn settles_members(&self) -> bool {
        self.speculation.is_some() || self.pipe.is_some()
    }

    /// A request can be scheduled: the next batch is formed at `now` if none is under way, or if the pipe has room.
    pub(super) fn wake(&mut self, now: Micros) {
        if self.step_at == Micros::MAX || self.pipe.as_ref().is_some_and(|pipe| pipe.has_room()) {
            self.step_at = now.max(self.lockstep.until).max(self.life.stuck_until);
        }
    }

    /// The step event of a pipe: a batch leaves, and others enter.
    pub(super) fn run_pipe<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        while let Some(flight) = self.next_flight(now) {
            self.land(flight, now, w);
        }
        self.step_at = self.leaves_at();
        self.stop_due(now, w);
        self.drop_batch(now, w);
        while self.pipe.as_ref().is_some_and(|pipe| pipe.has_room()) && self.take_off(now, w) {}
        self.step_at = self.leaves_at();
    }

    fn leaves_at(&self) -> Micros {
        self.pipe.as_ref().map_or(Micros::MAX, |pipe| pipe.next_at())
    }

    /// The next batch that leaves at `now`.
    fn next_flight(&mut self, now: Micros) -> Option<Flight> {
        let pipe = self.pipe.as_mut()?;
        if pipe.next_at() > now { None } else { pipe.flights.pop_front() }
    }

    /// A batch leaves the pipe, with its tokens.
    fn land<S: Sink>(&mut self, flight: Flight, now: Micros, w: &mut World<'_, S>) {
        let overhead = self.model.output_overhead();
        self.totals.step_time += flight.step.span;
        self.totals.kv_block_us += wide_product(flight.step.span.0, self.kv.used().into());
        w.sink.fact(now, ReplicaFact::StepEnded { replica: self.id }.into());
        let Flight { number, step } = flight;
        let shown_before = step.started + self.front_end.late;
        let shown = now + self.stream(number, step.decode, now, w.active);
        let end = StepEnd { now: step.started + step.span, shown, shown_before, overhead };
        let decoders = self.accept_drafts(number, end, w);
        let mut done = self.finish_prompts(number, StepEnd { now, ..end }, w);
        done.extend(decoders);
        self.complete_all(done, now, w);
    }

    /// Forms a batch that enters the pipe; false if no request can be scheduled.
    fn take_off<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) -> bool {
        if self.running == 0 && self.waiting.is_empty() && self.moving.landed.is_empty() {
            return false;
        }
        self.totals.steps += 1;
        let decoding = self.form_batch(Micros::MAX, now, w);
        let granted = |slot: &Slot| w.active[*slot].granted > 0 && w.active[*slot].flight == 0;
        if decoding.sequences == 0 && !self.prefilling.iter().any(granted) {
            self.totals.steps -= 1;
            return false;
        }
        self.begin(now, decoding, w);
        let number = self.pipe.as_ref().map_or(0, |pipe| pipe.latest);
        let mut slot = self.head;
        while slot != Slot::NONE {
            let active = &mut w.active[slot];
            if active.granted > 0 && active.flight == 0 {
                active.flight = number;
            }
            slot = active.after;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_waits_for_the_one_before_it_at_every_stage() {
        let mut pipe = Pipe::new(3, 2.0).expect("several stages");
        let load = |decode: u32| StepLoad { decode, ..StepLoad::default() };
        // 3 × 100 and two hops of 10.
        assert_eq!(pipe.enter(Micros(0), Span(300), &load(5)), Span(320));
        // Stage 1 from 100 to 140, the others from 210 and from 320 on.
        assert_eq!(pipe.enter(Micros(50), Span(120), &load(1)), Span(310));
        assert!(pipe.has_room() && pipe.next_at() == Micros(320));
        // From 140 to 240, 250 to 350 and 360 to 460.
        assert_eq!(pipe.enter(Micros(60), Span(300), &load(5)), Span(400));
        assert!(!pipe.has_room());
        assert!(Pipe::new(1, 2.0).is_none());
    }
}
