//! Scores requests in the wait queue as the gateway sees it, from the most (0) to the fewest (1). Running requests do
//! not count: the queue scorer of llm-d.

use super::Score;
use crate::policy::RequestView;
use crate::policy::routing::Fleet;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WaitingRequests;

impl Score for WaitingRequests {
    fn score(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, _: bool, out: &mut [f64]) {
        super::smallest_first(fleet.replicas.iter().map(|v| v.waiting), out);
    }
}
