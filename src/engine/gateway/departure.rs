//! What follows from requests having left a replica: in the counts, in the router, in admission and for the user.

use crate::engine::Cluster;
use crate::engine::clock::ClusterEvent;
use crate::engine::facts::Sink;
use crate::engine::replica::{Departure, DepartureReason};
use crate::policy::routing::Outcome;

impl Cluster {
    /// Everything that follows from requests having left replica `index`, which `self.departures` holds.
    #[inline(never)]
    pub(in crate::engine) fn settle_departures<S: Sink>(&mut self, index: usize, sink: &mut S) {
        let mut left = std::mem::take(&mut self.departures);
        self.stop_if_drained(self.views[index].id);
        for gone in &left {
            self.report_to_router(*gone, index);
        }
        left.retain(|gone| {
            let stays = gone.why == DepartureReason::Redirected;
            if stays {
                let slot = self.records.here(gone.request).slot;
                self.back_to_router(gone.request, self.clock);
                self.events.schedule(self.clock, ClusterEvent::Routing(slot));
            }
            !stays
        });
        for gone in &left {
            match gone.why {
                DepartureReason::Refused => {
                    self.census.rejected += 1;
                    self.census.turned_away += 1;
                }
                DepartureReason::Completed | DepartureReason::Dropped | DepartureReason::Redirected => {}
            }
            self.release_admission(gone.request, sink);
        }
        for gone in &left {
            let record = self.records.here(gone.request);
            let shown = record.e2e.get().map(|e2e| record.arrival.saturating_add(e2e).max(self.clock));
            self.source.ended(record.session, shown);
        }
        left.clear();
        self.departures = left;
        let (all, arrived) = (self.locations.total(), self.census.arrived);
        assert!(all == arrived, "INV-1: {arrived} requests arrived and {all} are somewhere");
    }

    /// The gateway no longer counts the tokens of a request that has left replica `index`, and reports it to a router that
    /// wants to know.
    fn report_to_router(&mut self, gone: Departure, index: usize) {
        let r = self.records.here(gone.request);
        self.signals[index].tokens_in_flight -= u64::from(r.prompt_tokens);
        if !self.router.wants_departures() {
            return;
        }
        let (ttft, e2e) = match gone.why {
            DepartureReason::Completed => (r.ttft.get(), r.e2e.get()),
            DepartureReason::Dropped | DepartureReason::Refused | DepartureReason::Redirected => (None, None),
        };
        self.router.left(&Outcome {
            now: self.clock,
            request: gone.request,
            replica: self.views[index].id,
            ttft,
            e2e,
            output_tokens: r.generated,
        });
    }
}
