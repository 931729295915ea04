//! Advancing a run, in slices of any size: cutting a run into pieces changes nothing about it (INV-6).

use super::Session;
use crate::base::Micros;
use crate::engine::Halt;
use crate::observe::recorder::FactCounts;
use serde::{Deserialize, Serialize};

/// Why `advance` came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub enum Stop {
    /// The instant asked for was reached.
    Until,
    /// As many events ran as were allowed.
    Events,
    /// Nothing is left to run, or the horizon was reached.
    Finished,
}

/// How far a single step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
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

/// Events that a single step may run before it gives up looking.
const STEP_EVENTS: u64 = 2_000_000;

impl Session {
    /// Runs up to and including the instant `until`, but no more than `max_events` events. Cutting a run into pieces
    /// changes nothing about it.
    pub fn advance(&mut self, until: Micros, max_events: u64) -> Stop {
        let mut left = max_events;
        loop {
            if self.edit_is_due(until) {
                self.apply_next_edit();
                continue;
            }
            let edit = self.next_edit();
            let before = self.engine.events_done();
            let (last, budget) = edit.map_or((until, left), |e| {
                let (last, events) = e.room(before, self.next_event());
                (until.min(last), left.min(events))
            });
            let halt = self.run_engine(last, budget);
            left -= self.engine.events_done() - before;
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
                Halt::Events | Halt::Until => {}
                Halt::Finished if edit.is_some_and(|e| e.at() <= until) => {}
                Halt::Finished => {
                    self.move_playhead(until.min(self.engine.end()));
                    return Stop::Finished;
                }
            }
        }
    }

    /// One step of the given kind. Returns `Until` when it happened.
    pub fn step(&mut self, kind: StepKind) -> Stop {
        let before = self.recorder.fact_counts;
        for _ in 0..STEP_EVENTS {
            let stop = self.advance(Micros::MAX, 1);
            let happened = |f: fn(&FactCounts) -> u64| f(&self.recorder.fact_counts) > f(&before);
            let there = match kind {
                StepKind::Event => stop == Stop::Events,
                StepKind::EngineStep => happened(|s| s.steps),
                StepKind::Arrival => happened(|s| s.arrivals),
                StepKind::Completion => happened(|s| s.completions),
                StepKind::Preemption => happened(|s| s.preemptions),
            };
            if there {
                return Stop::Until;
            }
            if stop == Stop::Finished {
                return Stop::Finished;
            }
        }
        Stop::Events
    }

    /// The engine up to `until`, closing the buckets of the timeline on the way.
    fn run_engine(&mut self, until: Micros, max_events: u64) -> Halt {
        let mut left = max_events;
        loop {
            let boundary = Micros(self.recorder.timeline.boundary_us() - 1);
            let last = until.min(boundary);
            let before = self.engine.events_done();
            let halt = self.engine.advance(last, left, &mut self.recorder);
            left -= self.engine.events_done() - before;
            if halt == Halt::Until && boundary < until {
                self.recorder.close_bucket(&self.engine);
                continue;
            }
            return halt;
        }
    }

    fn move_playhead(&mut self, to: Micros) {
        self.playhead = self.playhead.max(to);
        while self.recorder.timeline.boundary_us() <= self.playhead.0 {
            self.recorder.close_bucket(&self.engine);
        }
    }
}
