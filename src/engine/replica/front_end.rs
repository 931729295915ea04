//! The front end of a replica: one process that deals with HTTP, tokenises prompts and writes tokens to clients, one job after
//! the other in the order in which they come. It needs no events: when a job is done follows from when the one before it is.

use super::state::Replica;
use super::world::World;
use crate::clock::ReplicaEvent;
use crate::facts::{DropReason, Sink};
use crate::request::{Slab, Slot};
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// What the front end has before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FrontEnd {
    /// When it has done all jobs that came so far.
    free_at: Micros,
    /// How long after the latest step the front end had written its tokens.
    pub(crate) late: Span,
}

impl FrontEnd {
    /// A front end without jobs.
    pub(crate) fn new() -> Self {
        Self { free_at: Micros::ZERO, late: Span::ZERO }
    }

    /// A job of this length comes. When it is done.
    fn take(&mut self, now: Micros, work: Span) -> Micros {
        self.free_at = self.free_at.max(now).saturating_add(work);
        self.free_at
    }
}

/// A request that is sent to a replica.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery {
    pub(crate) slot: Slot,
    pub(crate) now: Micros,
    /// How long its client waits.
    pub(crate) timeout: Span,
}

impl Replica {
    /// A prompt comes to the front end. When that has dealt with it; `None` if there is no front end.
    pub(super) fn tokenise(&mut self, prompt_tokens: u32, now: Micros) -> Option<Micros> {
        let work = self.model.front_end(prompt_tokens);
        (work > Span::ZERO || self.front_end.free_at > now).then(|| self.front_end.take(now, work))
    }

    /// A step with `decode` decoding requests has ended, of a pipe the batch `flight`: the front end writes its tokens. How long after the step they are
    /// written.
    #[inline]
    pub(super) fn stream(&mut self, flight: u32, decode: u32, now: Micros, slab: &Slab) -> Span {
        if self.model.streams() || self.front_end.late > Span::ZERO {
            self.front_end.late = self.write_tokens(flight, decode, now, slab);
        }
        self.front_end.late
    }

    #[inline(never)]
    fn write_tokens(&mut self, flight: u32, decode: u32, now: Micros, slab: &Slab) -> Span {
        let is_done = |slot: &&Slot| {
            let active = &slab[**slot];
            active.flight == flight && active.computed >= active.prefill
        };
        let first = self.prefilling.iter().filter(is_done).count() as u32;
        let work = self.model.streaming(decode + first);
        self.front_end.take(now, work).since(now)
    }

    /// A request is stopped before it has joined the wait queue: what the front end does for it is in vain.
    pub(super) fn stop_on_its_way<S: Sink>(
        &mut self,
        slot: Slot,
        why: DropReason,
        now: Micros,
        w: &mut World<'_, S>,
    ) {
        self.arriving -= 1;
        self.drop_request(slot, now, why, w);
    }

    /// The replica is taken away: so are the requests in its front end, in the order in which they came.
    pub(super) fn empty_front_end<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        if self.front_end.free_at <= now {
            return;
        }
        for event in self.events.take_all(|event| matches!(event, ReplicaEvent::Queued(_))) {
            if let ReplicaEvent::Queued(slot) = event {
                self.enqueue(slot, now, w);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_begins_when_those_before_it_are_done() {
        let mut front_end = FrontEnd::new();
        let mut done = |now, work| front_end.take(Micros(now), Span(work)).0;
        assert_eq!([done(10, 5), done(11, 5), done(12, 0), done(30, 2)], [15, 20, 20, 32]);
    }
}
