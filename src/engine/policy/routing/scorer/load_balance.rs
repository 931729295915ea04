//! Scores 1 / (1 + load): the first requests count most.

use super::Score;
use crate::policy::RequestView;
use crate::policy::routing::Fleet;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LoadBalance;

impl Score for LoadBalance {
    fn score(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, _: bool, out: &mut [f64]) {
        for (score, view) in out.iter_mut().zip(fleet.replicas) {
            *score = 1.0 / (1.0 + f64::from(view.load()));
        }
    }
}
