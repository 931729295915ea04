//! Requests that are stopped: their clients wait no longer, or they make room. What waits leaves at once, what runs when the
//! step under way ends.

use super::state::Replica;
use super::world::World;
use crate::clock::ReplicaEvent;
use crate::facts::{DropReason, Sink};
use crate::request::{ActiveRequest, Location, Records};
use base::{Micros, RequestId, Span, math};
use document::{Compat, Scenario};

/// How long clients wait for an answer; 0 for ever.
pub(crate) fn timeout_of(scenario: &Scenario) -> Span {
    math::round_to_span(scenario.workload.timeout_s * 1e6)
}

impl Replica {
    /// The client of a request gives up in time, but not before `known`.
    pub(crate) fn expect_timeout(&mut self, request: &ActiveRequest, known: Micros, timeout: Span) {
        if timeout > Span::ZERO && self.compat == Compat::None {
            let due = request.arrival.saturating_add(timeout).max(known);
            self.events.schedule(due, ReplicaEvent::TimedOut(request.id));
        }
    }

    /// A request is stopped at `now`, unless it has left by then. When the next event is.
    pub(crate) fn evict(&mut self, request: RequestId, now: Micros) -> Micros {
        self.events.schedule(now, ReplicaEvent::Evicted(request));
        self.next_at()
    }

    /// The client of a request gives up, or it is evicted, unless it has left.
    pub(crate) fn stop<S: Sink>(
        &mut self,
        (request, why): (RequestId, DropReason),
        now: Micros,
        w: &mut World<'_, S>,
    ) {
        let record = w.records.at(request.index());
        let slot = record.slot;
        if record.replica() != Some(self.id) {
            // It went on to another replica.
            return;
        }
        match record.location() {
            Location::Queue(_) | Location::Loading(_) => {
                let place = self.waiting.iter().position(|&s| s == slot);
                self.leave_queue(place.expect("INV-2: a request waits and is in no queue"));
                self.give_up_reads(slot, now, w);
                self.drop_request(slot, now, why, w);
                self.wake_for_work(now);
            }
            Location::Batch(_) if self.step.is_some() || w.active[slot].flight != 0 => {
                let again = match why {
                    DropReason::Evicted => ReplicaEvent::Evicted(request),
                    DropReason::TimedOut
                    | DropReason::PromptExceedsKvCache
                    | DropReason::OutgrewKvCache
                    | DropReason::Drained
                    | DropReason::Crash
                    | DropReason::Refused
                    | DropReason::NoReplica
                    | DropReason::Unreachable
                    | DropReason::KvLost
                    | DropReason::TransferTimeout => ReplicaEvent::TimedOut(request),
                };
                self.events.schedule(self.step_at, again);
            }
            Location::Batch(_) => {
                self.leave_batch(slot, now, w.active);
                w.end_last_stay(slot, now);
                self.drop_request(slot, now, why, w);
            }
            Location::Transferring(_) | Location::Landed(_) => {
                self.forget_moving(slot, now, w);
                self.drop_request(slot, now, why, w);
                self.wake_for_work(now);
            }
            Location::OnItsWay(_) => self.stop_on_its_way(slot, why, now, w),
            Location::Gateway => panic!("INV-2: {request:?} was stopped at the gateway"),
            Location::Completed(_)
            | Location::Rejected
            | Location::Refused(_)
            | Location::Dropped(_)
            | Location::Lost => {}
        }
    }

    /// A step has ended, and the next has not begun: those leave that were to be stopped meanwhile.
    pub(crate) fn stop_due<S: Sink>(&mut self, now: Micros, w: &mut World<'_, S>) {
        let is_due = |at: Micros, event: ReplicaEvent| at <= now && event.stops().is_some();
        while let Some(stop) = self.events.pop_if(is_due).and_then(ReplicaEvent::stops) {
            self.stop(stop, now, w);
        }
    }

    /// Timeouts of requests that have left are no events: a run does not go on for them.
    pub(crate) fn forget_timeouts(&mut self, records: &Records) {
        let id = self.id;
        let is_over = |_: Micros, event: ReplicaEvent| {
            event.stops().is_some_and(|(request, _)| {
                let record = records.at(request.index());
                record.location().is_gone() || record.replica() != Some(id)
            })
        };
        while self.events.pop_if(is_over).is_some() {}
    }
}
