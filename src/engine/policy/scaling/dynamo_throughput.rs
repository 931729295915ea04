//! The throughput planner of NVIDIA Dynamo: it predicts the next interval's rate, and asks for the replicas that
//! carry it within the objectives. In Dynamo the capacity of a replica comes from a profile made before; here it is
//! learnt as in the queueing model.
//!
//! A rate of 0 is a measurement, as in Dynamo since 1.3: no demand needs one replica, or as many as the minimum. Before the first
//! measurement, and while demand is foreseen whose requests have no known size, it holds.

use super::queueing_model::variant_of;
use super::view::PoolSight;
use super::{Bounds, Decision, Rule, rounded_up};
use document::Role;
use queueing::{Analyzer, Mode, Objectives, Settings};
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
    /// Whether its replicas only compute prompts.
    prefills: bool,
}

impl DynamoThroughput {
    /// A new one without observations.
    pub fn new(objectives: Objectives, predictor: Predictor) -> Self {
        let settings = Settings { mode: Mode::Corrected, explicit: Some(objectives), ..Settings::default() };
        Self {
            predictor,
            seen: VecDeque::new(),
            analyzer: Analyzer { settings, ..Analyzer::default() },
            prefills: false,
        }
    }

    /// Prefill replicas are as many as compute the prompt tokens that arrive: rate × mean prompt / tokens a second of one.
    pub(super) fn hold_to(&mut self, role: Role) {
        self.prefills = role == Role::Prefill;
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
        let idle = sight.rate_per_s <= 0.0 && sight.queued() <= 0.0 && self.predicted() <= 0.0;
        if idle && sight.seen_at.is_some() {
            return Decision::direct(current, 1, Rule::Target, bounds);
        }
        if self.prefills {
            let [prompt, _] = sight.mean_size();
            if prompt <= 0.0 || sight.peak_prefill_tokens_per_s <= 0.0 {
                return hold;
            }
            let wanted = rounded_up(self.predicted() * prompt / sight.peak_prefill_tokens_per_s).max(1);
            return Decision::direct(current, wanted, Rule::Target, bounds);
        }
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
    fn prefill_replicas_are_those_that_the_prompt_tokens_need() {
        let goals = Objectives { ttft_ms: 500.0, itl_ms: 50.0 };
        let bounds = Bounds { min: 1, max: 9 };
        let measured =
            super::super::view::Measured { rate_per_s: 10.0, input_tokens: 4000.0, ..Default::default() };
        let sight = PoolSight {
            ready: 2,
            rate_per_s: 20.0,
            measured: vec![measured; 2],
            peak_prefill_tokens_per_s: 25_000.0,
            ..PoolSight::default()
        };
        // 20 prompts of 4,000 tokens a second are 80,000 tokens, 3.2 replicas; answers count for nothing.
        let mut planner = DynamoThroughput::new(goals, Predictor::Constant);
        planner.hold_to(Role::Prefill);
        assert_eq!(planner.tick(&sight, bounds).desired, 4);
    }

    #[test]
    fn no_arrivals_are_a_measurement_and_no_measurement_is_none() {
        let goals = Objectives { ttft_ms: 500.0, itl_ms: 50.0 };
        let bounds = Bounds { min: 1, max: 9 };
        for role in [Role::Prefill, Role::Decode, Role::Mixed] {
            let mut planner = DynamoThroughput::new(goals, Predictor::Constant);
            planner.hold_to(role);
            let unseen = PoolSight { ready: 4, ..PoolSight::default() };
            assert_eq!(planner.tick(&unseen, bounds).rule, Rule::Hold, "{role:?}");
            let quiet = PoolSight { seen_at: Some(base::Micros(1)), ..unseen };
            assert_eq!(planner.tick(&quiet, bounds).desired, 1, "{role:?}");
            assert_eq!(planner.tick(&quiet, Bounds { min: 2, max: 9 }).desired, 2, "{role:?}");
            let waiting = PoolSight { held: 3.0, ..quiet };
            assert_eq!(planner.tick(&waiting, bounds).rule, Rule::Hold, "{role:?}");
        }
        // A trend falls until nothing is foreseen.
        let mut planner = DynamoThroughput::new(goals, Predictor::Trend);
        planner.seen = [30.0; SEEN].into_iter().collect();
        let quiet = PoolSight { ready: 4, seen_at: Some(base::Micros(1)), ..PoolSight::default() };
        let ticks: Vec<u32> = (0..8).map(|_| planner.tick(&quiet, bounds).desired).collect();
        assert_eq!((ticks[0], ticks[7]), (4, 1), "{ticks:?}");
    }

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
