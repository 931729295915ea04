//! The throughput planner of NVIDIA Dynamo: it predicts the next interval's rate, and asks for the replicas that
//! carry it within the objectives. In Dynamo the capacity of a replica comes from a profile made before; here it is
//! learnt as in the queueing model.

use super::queueing_model::variant_of;
use super::view::PoolSight;
use super::{Bounds, Decision, Rule, rounded_up};
use crate::queueing::{Analyzer, Mode, Objectives, Settings};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// How the next rate is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Predictor {
    /// The last rate.
    Constant,
    /// On the least-squares line through the latest rates.
    Trend,
}

/// Number of rates that a trend is fitted to.
const SEEN: usize = 8;

/// A planner with its observations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DynamoThroughput {
    predictor: Predictor,
    seen: VecDeque<f64>,
    analyzer: Analyzer,
}

impl DynamoThroughput {
    /// A new one without observations.
    pub fn new(objectives: Objectives, predictor: Predictor) -> Self {
        let settings = Settings { mode: Mode::Corrected, explicit: Some(objectives), ..Settings::default() };
        Self { predictor, seen: VecDeque::new(), analyzer: Analyzer { settings, ..Analyzer::default() } }
    }

    /// Takes over what another one has observed and learnt.
    pub(super) fn keep_learnt(&mut self, before: Self) {
        (self.seen, self.analyzer.store) = (before.seen, before.analyzer.store);
    }

    /// Decides at a tick.
    pub fn tick(&mut self, sight: &PoolSight, bounds: Bounds) -> Decision {
        let current = sight.current();
        if self.seen.len() == SEEN {
            self.seen.pop_front();
        }
        self.seen.push_back(sight.rate_per_s);
        let hold = Decision::direct(current, current, Rule::Hold, bounds);
        let Ok(cycle) = self.analyzer.cycle(&[variant_of("pool", sight)]) else { return hold };
        let found = &cycle.capacities[0];
        if found.saturated {
            return Decision::direct(current, found.wanted.max(current), Rule::AboveThreshold, bounds);
        }
        if found.per_replica_per_s <= 0.0 {
            return hold;
        }
        let wanted = rounded_up(self.predicted() / found.per_replica_per_s).max(1);
        Decision::direct(current, wanted, Rule::Target, bounds)
    }

    /// The next rate, by least squares: the line's value one step on.
    fn predicted(&self) -> f64 {
        let n = self.seen.len() as f64;
        let last = self.seen.back().copied().unwrap_or(0.0);
        if self.predictor == Predictor::Constant || self.seen.len() < 3 {
            return last;
        }
        let (mean_x, mean_y) = ((n - 1.0) / 2.0, self.seen.iter().sum::<f64>() / n);
        let (mut xy, mut xx) = (0.0, 0.0);
        for (k, y) in self.seen.iter().enumerate() {
            let x = k as f64 - mean_x;
            xy += x * (y - mean_y);
            xx += x * x;
        }
        (mean_y + xy / xx * (n - mean_x)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_goes_on_and_a_constant_stays() {
        let goals = Objectives { ttft_ms: 500.0, itl_ms: 50.0 };
        for (predictor, next) in [(Predictor::Trend, 50.0), (Predictor::Constant, 40.0)] {
            let mut planner = DynamoThroughput::new(goals, predictor);
            planner.seen = [10.0, 20.0, 30.0, 40.0].into_iter().collect();
            assert!((planner.predicted() - next).abs() < 1e-9, "{predictor:?} {}", planner.predicted());
        }
    }
}
