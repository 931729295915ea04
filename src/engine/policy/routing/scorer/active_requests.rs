//! Scores requests in flight, which the gateway counts itself and which are never out of date: 1 up to a threshold, and
//! above it from the highest score of a busy replica to 0 for the one with most.

use super::Score;
use crate::policy::RequestView;
use crate::policy::routing::Fleet;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ActiveRequests {
    pub(super) idle_threshold: u32,
    pub(super) max_busy_score: f64,
}

impl Score for ActiveRequests {
    fn score(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, _: bool, out: &mut [f64]) {
        let most = fleet.replicas.iter().map(|v| v.in_flight).max().unwrap_or_default();
        for (score, view) in out.iter_mut().zip(fleet.replicas) {
            *score = if view.in_flight <= self.idle_threshold {
                1.0
            } else {
                f64::from(most - view.in_flight) / f64::from(most) * self.max_busy_score
            };
        }
    }
}
