//! Scores requests in flight, which the gateway counts itself: 1 for none, 0 for the replica with most. Never out of
//! date.

use super::Score;
use crate::policy::RequestView;
use crate::policy::routing::Fleet;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ActiveRequests;

impl Score for ActiveRequests {
    fn score(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, _: bool, out: &mut [f64]) {
        let most = fleet.replicas.iter().map(|v| v.in_flight).max().unwrap_or_default();
        for (score, view) in out.iter_mut().zip(fleet.replicas) {
            *score = if most == 0 { 1.0 } else { f64::from(most - view.in_flight) / f64::from(most) };
        }
    }
}
