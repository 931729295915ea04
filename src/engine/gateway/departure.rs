//! What follows from requests having left a replica: in the counts, in the router, in admission and for the user.

use super::around::Around;
use super::attempts::BrokenAttempt;
use super::state::Gateway;
use crate::clock::ClusterEvent;
use crate::facts::{BreakReason, DropReason, Sink};
use crate::policy::routing::Outcome;
use crate::replica::{Departure, DepartureReason};
use base::ReplicaId;

impl Gateway {
    /// Everything that follows from these requests having left a replica.
    #[inline(never)]
    pub(crate) fn settle_departures<S: Sink>(
        &mut self,
        replica: ReplicaId,
        left: &mut Vec<Departure>,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        let now = around.now;
        for gone in left.iter() {
            self.report_to_router(*gone, replica, around);
        }
        for gone in left.iter() {
            if let DepartureReason::Broken { reason, prefilled } = gone.why {
                let slot = around.book.here(gone.request).slot;
                // A request whose home crashed breaks at the end of its prefill, on a replica that is up.
                let handover = around.book.handovers().get(gone.request);
                let home = handover.filter(|h| h.prefill == Some(replica)).map(|h| h.home);
                let is_up = reason == BreakReason::Crash && !around.fleet.is_down(replica);
                let of = home.filter(|_| is_up).unwrap_or(replica);
                let attempt = BrokenAttempt { replica: Some(of), reason, prefilled };
                self.attempt_broke(slot, attempt, around, sink);
            }
        }
        left.retain(|gone| !matches!(gone.why, DepartureReason::Broken { .. }));
        left.retain(|gone| {
            let stays = gone.why == DepartureReason::Redirected;
            if stays {
                let slot = around.book.here(gone.request).slot;
                self.back_to_router(gone.request, around);
                around.clock.schedule(now, ClusterEvent::Routing(slot));
            }
            !stays
        });
        for gone in left.iter() {
            match gone.why {
                DepartureReason::Refused => {
                    let census = around.book.census_mut();
                    census.rejected += 1;
                    census.turned_away += 1;
                }
                DepartureReason::Completed => self.ejections.completed(replica),
                DepartureReason::Dropped
                | DepartureReason::Redirected
                | DepartureReason::HandedOver
                | DepartureReason::Broken { .. } => {}
            }
            self.attempts.ended(gone.request);
            Self::forget_source(gone.request, around);
            if let Some(flow) = &mut self.flow {
                flow.ended(around.book.here(gone.request), now);
            }
            self.release_admission(gone.request, around, sink);
        }
        for gone in left.iter() {
            let record = around.book.here(gone.request);
            let gave_up = record.drop == Some(DropReason::TimedOut);
            if self.source.comes_again(gone.request, now, gave_up) {
                continue;
            }
            let shown = record.e2e.get().map(|e2e| record.arrival.saturating_add(e2e).max(now));
            self.source.settled(record.session, record.listed, now, shown);
            self.source.freed(record.client, now, shown);
        }
        left.clear();
        let (all, arrived) = (around.book.locations().total(), around.book.census().arrived);
        assert!(all == arrived, "INV-1: {arrived} requests arrived and {all} are somewhere");
    }

    /// The gateway no longer counts the tokens of a request that has left a replica, and reports it to a router that wants to know.
    fn report_to_router(&mut self, gone: Departure, replica: ReplicaId, around: &Around<'_>) {
        let r = around.book.here(gone.request);
        self.picture.forget(replica.index(), r.prompt_tokens);
        if let Some(gauge) = &mut self.admission.gauge {
            gauge.computed(gone.request);
        }
        if let Some(flow) = &mut self.flow {
            flow.left_replica(gone.request, around.now);
        }
        if !self.router.wants_departures() {
            return;
        }
        let (ttft, e2e) = match gone.why {
            DepartureReason::Completed => (r.ttft.get(), r.e2e.get()),
            DepartureReason::Dropped
            | DepartureReason::Refused
            | DepartureReason::Redirected
            | DepartureReason::HandedOver
            | DepartureReason::Broken { .. } => (None, None),
        };
        // The router chose its home, wherever it left.
        let replica = around.book.handovers().get(gone.request).map_or(replica, |h| h.home);
        let replica = self.known_as(replica, around);
        self.router.left(&Outcome {
            now: around.now,
            request: gone.request,
            replica,
            ttft,
            e2e,
            output_tokens: r.generated,
        });
    }
}
