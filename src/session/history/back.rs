//! Single steps back: to the latest instant before at which a step of the kind ended.
//!
//! A step back by one event goes to a count of events. For other kinds the events since a checkpoint are run again to see which was the
//! last to end such a step; if none did, those since the checkpoint before.

use super::{Goal, History};
use crate::base::Micros;
use crate::session::{Session, StepKind, Stop};

/// A step back under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Back {
    kind: StepKind,
    phase: Phase,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Looking among the events up to `last` since a copy at `from`, where a step had ended `times` times; `found` is the latest.
    Looking { from: u64, last: u64, times: u64, found: Option<u64> },
    /// On the way to the place after so many events; `Finished` once there if nothing was found.
    Going { events: u64, stop: Stop },
}

impl Session {
    /// The number of events after which the run stood still before it came to the instant shown.
    fn events_before(&self) -> u64 {
        let edited = self.edits.all()[..self.edits.applied()].last().map_or(0, |edit| edit.at_us);
        let changed = self.engine.last_event_at().max(Micros(edited));
        // Beyond the latest event the way back leads to that event.
        if self.playhead > changed { self.events() } else { self.events().saturating_sub(1) }
    }
}

impl History {
    /// Begins a step back of a kind.
    pub fn begin_back(&mut self, kind: StepKind) {
        let last = self.present.events_before();
        let phase = match kind {
            StepKind::Event => Phase::Going { events: last, stop: Stop::Until },
            StepKind::EngineStep | StepKind::Arrival | StepKind::Completion | StepKind::Preemption => {
                self.look(kind, last)
            }
        };
        if let Phase::Going { events, .. } = phase {
            self.go_back_to(events);
        }
        self.back = Some(Back { kind, phase });
    }

    /// Begins to look among the events since the nearest copy before the event `last`.
    fn look(&mut self, kind: StepKind, last: u64) -> Phase {
        self.go_towards(Goal::After(last));
        Phase::Looking { from: self.present.events(), last, times: self.present.times(kind), found: None }
    }

    /// On the way to an event, with a checkpoint shortly before it: one step back is seldom the last.
    fn go_back_to(&mut self, events: u64) {
        const BEFORE: u64 = 512;
        self.go_towards(Goal::After(events));
        if events > self.present.events() + 2 * BEFORE {
            self.due = self.due.min(events - BEFORE);
        }
    }

    /// Goes on with the step back, but by no more than `max_events` events. `Until`: there. `Events`: not yet. `Finished`: there was
    /// nothing of the kind, and the run is at its beginning.
    pub fn advance_back(&mut self, max_events: u64) -> Stop {
        let Some(Back { kind, mut phase }) = self.back else { return Stop::Until };
        let mut left = max_events;
        while left > 0 {
            match &mut phase {
                Phase::Looking { last, times, found, .. } if self.present.events() < *last => {
                    left -= 1;
                    let before = self.present.events();
                    self.present.advance(Micros::MAX, 1);
                    assert!(self.present.events() > before, "INV-6: no progress after {before} events");
                    let now = self.present.times(kind);
                    if now > *times {
                        (*times, *found) = (now, Some(self.present.events()));
                    }
                }
                Phase::Looking { found: Some(events), .. } => {
                    let events = *events;
                    self.go_back_to(events);
                    phase = Phase::Going { events, stop: Stop::Until };
                }
                Phase::Looking { from: 0, .. } => {
                    self.go_towards(Goal::After(0));
                    phase = Phase::Going { events: 0, stop: Stop::Finished };
                }
                Phase::Looking { from, .. } => {
                    let from = *from;
                    phase = self.look(kind, from);
                    assert!(self.present.events() < from, "INV-6: no progress back from {from} events");
                }
                Phase::Going { events, stop } if self.present.events() >= *events => {
                    self.back = None;
                    return *stop;
                }
                Phase::Going { events, .. } => {
                    let here = self.present.events();
                    let due = if self.due > here { self.due - here } else { u64::MAX };
                    let events = left.min(*events - here).min(due);
                    left -= events;
                    if self.advance(Micros::MAX, events) == Stop::Finished {
                        self.back = None;
                        return Stop::Finished;
                    }
                }
            }
        }
        self.back = Some(Back { kind, phase });
        Stop::Events
    }
}
