//! Scores the share of free KV blocks, as the gateway sees it.

use super::Score;
use crate::policy::RequestView;
use crate::policy::routing::Fleet;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KvUtilization;

impl Score for KvUtilization {
    fn score(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, _: bool, out: &mut [f64]) {
        for (score, view) in out.iter_mut().zip(fleet.replicas) {
            *score = 1.0 - view.kv_use();
        }
    }
}
