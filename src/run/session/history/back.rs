//! Single steps back: to the latest earlier instant at which a step of the kind ended.
//!
//! A step back by one event goes to a count of events. For other kinds the events since a checkpoint are run again to
//! find the last one that ended such a step; if none did, the events since the checkpoint before.

use super::{Goal, History};
use crate::session::{Session, StepKind, Stop};
use base::Micros;

/// A step back in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Back {
    kind: StepKind,
    phase: Phase,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Searching the events up to `last` since a copy at `from`, at which steps had ended `times` times; `found` is
    /// the latest.
    Looking { from: u64, last: u64, times: u64, found: Option<u64> },
    /// Running to the place after a number of events; `Finished` there if nothing was found.
    Going { events: u64, stop: Stop },
}

impl Session {
    /// The number of events at the place before the latest event or edit, from which a step back begins; all events
    /// if the playhead is beyond it.
    fn events_before(&self) -> u64 {
        let edited = self.edits.all()[..self.edits.applied()].last().map_or(0, |edit| edit.at_us);
        let changed = self.engine.last_event_at().max(Micros(edited));
        // From a playhead beyond the latest event, a step back leads to that event.
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

    /// Begins to search the events since the nearest copy before the event `last`.
    fn look(&mut self, kind: StepKind, last: u64) -> Phase {
        self.go_towards(Goal::After(last));
        Phase::Looking { from: self.present.events(), last, times: self.present.times(kind), found: None }
    }

    /// Runs to an event, with a checkpoint shortly before it: more steps back often follow.
    fn go_back_to(&mut self, events: u64) {
        const BEFORE: u64 = 512;
        self.go_towards(Goal::After(events));
        if events > self.present.events() + 2 * BEFORE {
            self.due = self.due.min(events - BEFORE);
        }
    }

    /// Continues the step back by no more than `max_events` events. `Until`: done. `Events`: not yet. `Finished`:
    /// there was no such step, and the run is at its start.
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
