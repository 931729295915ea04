//! The times from arrival to the first batch, and the values of charts that are only drawn where close-ups are answered.

use super::{Window, first_second};
use crate::observe::rolling::LatestWaits;
use base::Micros;
use engine::RequestFact;

impl Window {
    /// Follows requests from their arrival to their first batch.
    pub(super) fn waits(&mut self, now: Micros, fact: RequestFact) {
        match fact {
            RequestFact::Arrived { request, .. } => {
                self.arrivals.insert(request.0, now.0);
            }
            RequestFact::Scheduled { request, .. } => {
                if let Some(arrival) = self.arrivals.remove(&request.0) {
                    self.second(now).wait.push(now.0 - arrival);
                }
            }
            RequestFact::Rejected { request, .. } | RequestFact::Dropped { request, .. } => {
                self.arrivals.remove(&request.0);
            }
            RequestFact::FirstToken { .. }
            | RequestFact::Completed { .. }
            | RequestFact::Routed { .. }
            | RequestFact::Admitted { .. }
            | RequestFact::Delayed { .. }
            | RequestFact::Enqueued { .. }
            | RequestFact::Dispatched { .. }
            | RequestFact::Expired { .. }
            | RequestFact::Queued { .. }
            | RequestFact::Prefilled { .. }
            | RequestFact::Preempted { .. } => {}
        }
    }

    /// The gaps between tokens, or the times from arrival to the first batch, of the latest `window_s` seconds in order, each with
    /// its count.
    pub(crate) fn values_of(&self, now: Micros, window_s: f64, waits: bool) -> Vec<(u64, u64)> {
        self.merged(now, window_s, if waits { |r| &r.wait } else { |r| &r.itl })
    }

    /// The percentiles of both, the gaps as in [`Window::sums`].
    pub(crate) fn latest_waits(&self, now: Micros, window_s: f64) -> LatestWaits {
        self.of_both(&self.since(first_second(now, window_s)), [|r| &r.itl, |r| &r.wait])
    }

    /// Bytes of what each copy has for itself.
    pub(in crate::observe) fn bytes_alive(&self) -> u64 {
        16 * self.arrivals.len() as u64
    }
}
