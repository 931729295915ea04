//! What files of a run take from it while it goes on, and how they end.

use super::perfetto::Held;
use base::Micros;
use engine::{Decision, Fact, ScalingRecord};
use run::session::Session;
use std::io;
use std::ops::Range;

/// Where a file goes. It keeps the first error of writing and drops what comes after it.
pub(super) trait Destination {
    /// Writes what is held back, at the end.
    fn flush(&mut self);

    /// The error that ended it, once.
    fn take_error(&mut self) -> Option<io::Error>;
}

/// A file being written: the events of the run that it takes. Most files take one kind.
pub(super) trait Rows {
    /// Where it goes.
    fn out(&mut self) -> &mut dyn Destination;

    /// Whether it takes facts.
    fn takes_facts(&self) -> bool {
        false
    }

    /// Whether it takes the decisions of the router.
    fn takes_decisions(&self) -> bool {
        false
    }

    /// Something happened.
    fn fact(&mut self, _at: Micros, _fact: &Fact) {}

    /// The router decided.
    fn decision(&mut self, _at: Micros, _decision: &Decision) {}

    /// An autoscaler decided.
    fn scaled(&mut self, _record: &ScalingRecord) {}

    /// The run is over; these requests are the next to write.
    fn requests(&mut self, _session: &Session, _which: Range<usize>) {}

    /// The run is over, and all of its requests were given.
    fn end(&mut self, _session: &Session) {}

    /// After that: writes the next rows, at most this number. Returns whether these were the last.
    fn more(&mut self, _session: &Session, _most: usize) -> bool {
        true
    }

    /// What it holds, if it has no room for all.
    fn held(&self, _session: &Session) -> Option<Held> {
        None
    }

    /// The next instant at which it wants to look at the run.
    fn due(&self) -> Option<Micros> {
        None
    }

    /// The run has come to this instant.
    fn sample(&mut self, _session: &Session, _at: Micros) {}

    /// Seconds between its samples, if it has no room for as many as it should have.
    fn step_s(&self) -> Option<u64> {
        None
    }
}
