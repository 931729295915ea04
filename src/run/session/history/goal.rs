//! The target of a seek.

use crate::session::Session;
use base::Micros;

/// The target of a seek.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// An instant, as if reached by running up to it.
    At(Micros),
    /// After a number of events, as if reached by single steps.
    After(u64),
}

impl Goal {
    /// Whether running on from `session` reaches it.
    pub(super) fn lies_ahead_of(self, session: &Session) -> bool {
        let at_start = session.events() == 0 && session.now() == Micros::ZERO;
        match self {
            Self::At(until) => session.now() <= until,
            Self::After(events) => session.events() < events || at_start,
        }
    }
}
