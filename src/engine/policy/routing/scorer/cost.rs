//! Scores the hourly price of the replica, from the most expensive (0) to the cheapest (1). A pool without a price
//! counts as free.

use super::Score;
use crate::policy::RequestView;
use crate::policy::routing::Fleet;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cost;

impl Score for Cost {
    fn score(&mut self, _: &RequestView<'_>, fleet: &Fleet<'_>, _: bool, out: &mut [f64]) {
        let price = |position| fleet.pool_of(position).usd_per_hour;
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for position in 0..fleet.replicas.len() {
            least = least.min(price(position));
            most = most.max(price(position));
        }
        for (position, score) in out.iter_mut().enumerate() {
            *score = if least < most { (most - price(position)) / (most - least) } else { 1.0 };
        }
    }
}
