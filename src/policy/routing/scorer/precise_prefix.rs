//! The share of the prompt's full blocks that the replica's cache holds, from the first one on. The cache is asked as it is
//! now, however old the other signals are: routers of this kind follow the engines' cache events.

use super::Score;
use crate::policy::RequestView;
use crate::policy::routing::Fleet;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PrecisePrefix;

impl Score for PrecisePrefix {
    fn score(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, _: bool, out: &mut [f64]) {
        if !fleet.can_share(request) {
            return;
        }
        for (score, view) in out.iter_mut().zip(fleet.replicas) {
            *score = (fleet.cached_share)(view.id, request);
        }
    }
}
