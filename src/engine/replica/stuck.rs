//! A replica that is stuck: its running step ends as much later as that lasts, and none begins. Its other events go on.

use super::state::Replica;
use base::{Micros, Span};

impl Replica {
    /// It is stuck from `now` until `until`, or for longer if it is already.
    pub(crate) fn get_stuck(&mut self, now: Micros, until: Micros) {
        let from = self.life.stuck_until.max(now);
        if until <= from {
            return;
        }
        let longer = until.since(from);
        self.life.stuck_until = until;
        if self.lockstep.until > now {
            self.lockstep.until = self.lockstep.until.saturating_add(longer);
        }
        if until == Micros::MAX {
            self.step_at = Micros::MAX;
            return;
        }
        if let Some(step) = &mut self.step {
            step.span = Span(step.span.0.saturating_add(longer.0));
            self.step_at = self.step_at.saturating_add(longer);
        } else if let Some(pipe) = &mut self.pipe {
            pipe.delay(longer);
            if self.step_at != Micros::MAX {
                self.step_at = self.step_at.saturating_add(longer).max(until);
            }
        } else if self.step_at != Micros::MAX {
            self.step_at = self.step_at.max(until);
        }
    }
}
