//! Advancing a run in slices of any size: slicing a run does not change it (INV-6).

use super::Session;
use crate::observe::recorder::Recorder;
use base::{Content, Micros, Piece, RequestId};
use engine::{
    Decision, Fact, Halt, Ignore, PromptChunk, ScalingRecord, Sink, StepParts, StepTerms, TierNews,
};
use serde::{Deserialize, Serialize};

/// Why `advance` returned.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The requested instant was reached.
    Until,
    /// The limit of events was reached.
    Events,
    /// Nothing is left to run, or the horizon was reached.
    Finished,
}

/// How far a single step goes.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// One event.
    Event,
    /// Until an engine step of any replica has started.
    EngineStep,
    /// Until a request has arrived.
    Arrival,
    /// Until a request has finished.
    Completion,
    /// Until a request was preempted.
    Preemption,
}

/// A single step in progress: the event that it waits for, and how often that had happened when it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleStep {
    kind: StepKind,
    already: u64,
}

/// How many events to run between two readings of the wall clock, so that a slice ends soon after its time is up,
/// however long an event takes. Where a slice ends changes no result (INV-6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    events: u64,
}

impl Pace {
    const FEWEST: u64 = 16;
    const MOST: u64 = 1024;
    /// Time between two readings, in milliseconds, above which there are too many events between them.
    const LONG_MS: f64 = 1.0;

    /// Events until the next reading.
    pub fn events(self) -> u64 {
        self.events
    }

    /// The events took `ms` milliseconds: halves their number if that was long, doubles it if that was less than half
    /// of it.
    pub fn took(&mut self, ms: f64) {
        if ms > Self::LONG_MS {
            self.events = (self.events / 2).max(Self::FEWEST);
        } else if ms < Self::LONG_MS / 2.0 {
            self.events = (self.events * 2).min(Self::MOST);
        }
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self { events: 256 }
    }
}

/// Events after which a run that keeps no rows forgets the requests that have left.
const FORGOTTEN_AFTER: u64 = 1 << 16;

/// The recorder, and a second reader of an unwatched run.
pub(super) struct Both<'a, S: ?Sized> {
    pub(super) recorder: &'a mut Recorder,
    pub(super) also: &'a mut S,
}

impl<S: Sink + ?Sized> Sink for Both<'_, S> {
    #[inline]
    fn fact(&mut self, at: Micros, fact: Fact) {
        self.also.fact(at, fact);
        self.recorder.fact(at, fact);
    }

    #[inline]
    fn wants_decision(&self, request: RequestId, replicas: usize) -> bool {
        self.recorder.wants_decision(request, replicas) || self.also.wants_decision(request, replicas)
    }

    #[inline]
    fn wants_blocked_heads(&self) -> bool {
        self.recorder.wants_blocked_heads() || self.also.wants_blocked_heads()
    }

    #[inline]
    fn wants_step_parts(&self) -> bool {
        self.also.wants_step_parts()
    }

    #[inline]
    fn step_parts(&mut self, parts: StepParts) {
        self.also.step_parts(parts);
    }

    #[inline]
    fn wants_step_terms(&self) -> bool {
        self.recorder.wants_step_terms() || self.also.wants_step_terms()
    }

    #[inline]
    fn step_terms(&mut self, terms: StepTerms, context: u64) {
        self.also.step_terms(terms, context);
        self.recorder.step_terms(terms, context);
    }

    #[inline]
    fn step_chunk(&mut self, chunk: PromptChunk) {
        self.also.step_chunk(chunk);
        self.recorder.step_chunk(chunk);
    }

    #[inline]
    fn decision(&mut self, at: Micros, d: &Decision) {
        self.also.decision(at, d);
        self.recorder.decision(at, d);
    }

    #[inline]
    fn wants_texts(&self) -> bool {
        self.recorder.wants_texts() || self.also.wants_texts()
    }

    #[inline]
    fn text(&mut self, request: RequestId, prompt: &Content, answer: Piece) {
        self.also.text(request, prompt, answer);
        self.recorder.text(request, prompt, answer);
    }

    #[inline]
    fn tiers(&mut self, at: Micros, news: TierNews) {
        self.also.tiers(at, news);
        self.recorder.tiers(at, news);
    }

    fn scaled(&mut self, record: &ScalingRecord) {
        self.also.scaled(record);
        self.recorder.scaled(record);
    }
}

impl Session {
    /// Runs up to and including the instant `until`, but no more than `max_events` events. Slicing a run does not
    /// change it.
    pub fn advance(&mut self, until: Micros, max_events: u64) -> Stop {
        self.advance_with(until, max_events, &mut Ignore)
    }

    /// As [`Self::advance`]; `also` gets every fact. All readers share one copy of the engine's code.
    pub fn advance_telling(&mut self, until: Micros, max_events: u64, also: &mut dyn Sink) -> Stop {
        self.advance_with(until, max_events, also)
    }

    fn advance_with<S: Sink + ?Sized>(&mut self, until: Micros, max_events: u64, also: &mut S) -> Stop {
        let mut left = max_events;
        loop {
            if self.edit_is_due(until) {
                self.apply_next_edit(also);
                continue;
            }
            let before = self.engine.events_done();
            let (last, budget) = self
                .next_edit()
                .map_or((until, u64::MAX), |edit| edit.room(until, before, self.next_event()));
            let halt = self.run_engine(last, left.min(budget), also);
            let ran = self.engine.events_done() - before;
            left -= ran;
            if self.edit_is_due(until) {
                continue;
            }
            match halt {
                Halt::Events if left == 0 => {
                    self.playhead = self.playhead.max(self.engine.last_event_at());
                    return Stop::Events;
                }
                Halt::Until if last == until => {
                    self.move_playhead(until);
                    return Stop::Until;
                }
                // The limit before an edit was reached. Events must have run, or the next round would repeat this
                // one.
                Halt::Events | Halt::Until => {
                    assert!(ran > 0, "INV-6: no progress at {last:?} on the way to {until:?}");
                }
                Halt::Finished => {
                    self.move_playhead(until.min(self.engine.end()));
                    return Stop::Finished;
                }
            }
        }
    }

    /// Begins a single step of the given kind; [`advance_step`](Self::advance_step) runs to its end.
    pub fn begin_step(&self, kind: StepKind) -> SingleStep {
        SingleStep { kind, already: self.times(kind) }
    }

    /// Runs towards the end of a step, but no more than `max_events` events. `Until`: the latest event ended the
    /// step. `Events`: not yet; it can be continued or abandoned.
    pub fn advance_step(&mut self, step: &SingleStep, max_events: u64) -> Stop {
        for _ in 0..max_events {
            let stop = self.advance(Micros::MAX, 1);
            if self.times(step.kind) > step.already {
                return Stop::Until;
            }
            if stop == Stop::Finished {
                return stop;
            }
        }
        Stop::Events
    }

    /// How often a step of this kind could have ended so far.
    pub(super) fn times(&self, kind: StepKind) -> u64 {
        let counts = &self.recorder.fact_counts;
        match kind {
            StepKind::Event => self.engine.events_done(),
            StepKind::EngineStep => counts.steps,
            StepKind::Arrival => counts.arrivals,
            StepKind::Completion => counts.completions,
            StepKind::Preemption => counts.preemptions,
        }
    }

    /// Runs the engine up to `until`, closing the buckets of the timeline on the way.
    fn run_engine<S: Sink + ?Sized>(&mut self, until: Micros, max_events: u64, also: &mut S) -> Halt {
        let mut left = max_events;
        loop {
            let boundary = Micros(self.recorder.timeline.boundary_us() - 1);
            let last = until.min(boundary);
            let before = self.engine.events_done();
            let most = if self.recorder.keeps_rows() { left } else { left.min(FORGOTTEN_AFTER) };
            let halt = self.engine.advance(last, most, &mut Both { recorder: &mut self.recorder, also });
            left -= self.engine.events_done() - before;
            if !self.recorder.keeps_rows() {
                self.recorder.retire(self.engine.take_retired(), self.engine.last_event_at());
                if halt == Halt::Events && left > 0 {
                    continue;
                }
            }
            if halt == Halt::Until && boundary < until {
                self.close_bucket();
                continue;
            }
            return halt;
        }
    }

    pub(super) fn move_playhead(&mut self, to: Micros) {
        self.playhead = self.playhead.max(to);
        while self.recorder.timeline.boundary_us() <= self.playhead.0 {
            self.close_bucket();
        }
    }

    /// Closes the open bucket of the timeline: the next one ends later.
    fn close_bucket(&mut self) {
        let end = self.recorder.timeline.boundary_us();
        self.recorder.close_bucket(&self.engine);
        assert!(
            self.recorder.timeline.boundary_us() > end,
            "INV-6: no progress at the bucket's end {end} us"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::Pace;

    #[test]
    fn a_pace_settles_where_looks_are_half_a_millisecond_to_one_apart() {
        let settled = |event_ms: f64| {
            let mut pace = Pace::default();
            for _ in 0..12 {
                pace.took(pace.events() as f64 * event_ms);
            }
            pace.events()
        };
        assert_eq!([0.002, 0.01, 0.0001, 1.0].map(settled), [256, 64, 1024, 16]);
    }
}
