//! Scores batch size as the gateway sees it, from the largest (0) to the smallest (1).

use super::Score;
use crate::policy::RequestView;
use crate::policy::routing::Fleet;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunningRequests;

impl Score for RunningRequests {
    fn score(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, _: bool, out: &mut [f64]) {
        super::smallest_first(fleet.replicas.iter().map(|v| v.running), out);
    }
}
