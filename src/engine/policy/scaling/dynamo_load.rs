//! The load planner of NVIDIA Dynamo: it adds a replica if every engine misses an objective, and removes one if every
//! engine would still meet them with a margin after taking its part of another's load. Latencies at another load come
//! from a line through the observations.

use super::view::{Measured, PoolSight};
use super::{Bounds, Decision, Rule};
use document::Role;
use queueing::Objectives;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Number of observations that a line is fitted to.
const SEEN: usize = 256;

/// Settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadSettings {
    /// The objectives.
    pub objectives: Objectives,
    /// Share of the objectives below which a replica may be removed.
    pub sensitivity: f64,
    /// Observations before it decides anything.
    pub min_observations: u32,
}

/// A planner with its observations: concurrent requests, TTFT and ITL in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DynamoLoad {
    settings: LoadSettings,
    seen: VecDeque<[f64; 3]>,
}

impl DynamoLoad {
    /// A new one without observations.
    pub fn new(settings: LoadSettings) -> Self {
        Self { settings, seen: VecDeque::new() }
    }

    /// A prefill replica can do nothing about the gaps between tokens, nor a decode replica about the first one.
    pub(super) fn hold_to(&mut self, role: Role) {
        match role {
            Role::Mixed => {}
            Role::Prefill => self.settings.objectives.itl_ms = 0.0,
            Role::Decode => self.settings.objectives.ttft_ms = 0.0,
        }
    }

    /// Takes over the observations of another one.
    pub(super) fn keep_learnt(&mut self, before: Self) {
        self.seen = before.seen;
    }

    /// Decides at a tick. While replicas start, or have not been measured, it only observes.
    pub fn tick(&mut self, sight: &PoolSight, bounds: Bounds) -> Decision {
        let current = sight.current();
        for r in sight.measured.iter().filter(|r| r.ttft_ms > 0.0) {
            if self.seen.len() == SEEN {
                self.seen.pop_front();
            }
            self.seen.push_back([load(r), r.ttft_ms, r.itl_ms]);
        }
        if current == 0 && sight.held > 0.0 {
            return Decision::direct(current, 1, Rule::Woken, bounds);
        }
        if sight.pending > 0 || sight.draining > 0 || sight.measured.len() as u32 != sight.ready {
            return Decision::direct(current, current, Rule::Transition, bounds);
        }
        if (self.seen.len() as u32) < self.settings.min_observations || sight.measured.is_empty() {
            return Decision::direct(current, current, Rule::Hold, bounds);
        }
        let goals = self.settings.objectives;
        let misses = |r: &Measured| {
            let ttft = goals.ttft_ms > 0.0 && r.ttft_ms > goals.ttft_ms;
            ttft || (goals.itl_ms > 0.0 && r.itl_ms > goals.itl_ms)
        };
        if sight.measured.iter().all(misses) {
            return Decision::direct(current, current.saturating_add(1), Rule::AboveThreshold, bounds);
        }
        let many = f64::from(current);
        let share = self.settings.sensitivity;
        let meets = |r: &Measured| {
            let more = load(r) * many / (many - 1.0);
            let ttft = self.at(1, more).max(r.ttft_ms);
            let itl = self.at(2, more).max(r.itl_ms);
            (goals.ttft_ms <= 0.0 || ttft < goals.ttft_ms * share)
                && (goals.itl_ms <= 0.0 || itl < goals.itl_ms * share)
                && r.kv * many / (many - 1.0) < share
        };
        if current > 1 && sight.measured.iter().all(meets) {
            return Decision::direct(current, current - 1, Rule::BelowThreshold, bounds);
        }
        Decision::direct(current, current, Rule::WithinTolerance, bounds)
    }

    /// A latency at a load, on the least-squares line; flat if all loads were equal, and never falling.
    fn at(&self, which: usize, x: f64) -> f64 {
        let n = self.seen.len() as f64;
        let mean = |k: usize| self.seen.iter().map(|s| s[k]).sum::<f64>() / n;
        let (mean_x, mean_y) = (mean(0), mean(which));
        let (mut xy, mut xx) = (0.0, 0.0);
        for s in &self.seen {
            xy += (s[0] - mean_x) * (s[which] - mean_y);
            xx += (s[0] - mean_x) * (s[0] - mean_x);
        }
        let slope = if xx > 0.0 { (xy / xx).max(0.0) } else { 0.0 };
        mean_y + slope * (x - mean_x)
    }
}

fn load(r: &Measured) -> f64 {
    r.waiting + r.running
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { min: 1, max: 9 };

    /// Latencies that grow with the load: 10 ms of TTFT and 1 ms of ITL for each request.
    fn sight(loads: &[f64]) -> PoolSight {
        let one = |&running: &f64| Measured {
            running,
            ttft_ms: 10.0 * running,
            itl_ms: running,
            ..Measured::default()
        };
        PoolSight {
            ready: loads.len() as u32,
            measured: loads.iter().map(one).collect(),
            ..PoolSight::default()
        }
    }

    fn planner() -> DynamoLoad {
        let objectives = Objectives { ttft_ms: 500.0, itl_ms: 50.0 };
        let mut planner = DynamoLoad::new(LoadSettings { objectives, sensitivity: 0.8, min_observations: 5 });
        planner.tick(&sight(&[5.0, 10.0, 20.0, 30.0, 60.0]), BOUNDS);
        planner
    }

    #[test]
    fn replicas_of_a_role_are_held_to_the_time_that_they_make() {
        let asked = |role, [ttft_ms, itl_ms]: [f64; 2]| {
            let mut planner = planner();
            planner.hold_to(role);
            let mut all = sight(&[30.0, 30.0]);
            all.measured.iter_mut().for_each(|r| (r.ttft_ms, r.itl_ms) = (ttft_ms, itl_ms));
            planner.tick(&all, BOUNDS).desired
        };
        for (times, mixed, prefill, decode) in [([900.0, 40.0], 3, 3, 2), ([400.0, 90.0], 3, 2, 3)] {
            let desired = [Role::Mixed, Role::Prefill, Role::Decode].map(|role| asked(role, times));
            assert_eq!(desired, [mixed, prefill, decode], "{times:?}");
        }
    }

    #[test]
    fn only_if_all_miss_there_is_one_more_and_only_if_all_would_meet_one_fewer() {
        let asked = |loads: &[f64]| planner().tick(&sight(loads), BOUNDS).desired;
        assert_eq!(asked(&[60.0, 70.0, 55.0]), 4);
        assert_eq!(asked(&[60.0, 70.0, 10.0]), 3);
        // A third more of 20 is 27 requests at 270 ms; of 35 it is 47 at 467 ms, above 80 % of the objective.
        assert_eq!(asked(&[20.0, 20.0, 20.0, 20.0]), 3);
        assert_eq!(asked(&[20.0, 20.0, 20.0, 35.0]), 4);
    }

    #[test]
    fn too_few_observations_and_replicas_that_start_change_nothing() {
        let objectives = Objectives { ttft_ms: 500.0, itl_ms: 50.0 };
        let mut fresh = DynamoLoad::new(LoadSettings { objectives, sensitivity: 0.8, min_observations: 5 });
        assert_eq!(fresh.tick(&sight(&[90.0]), BOUNDS).rule, Rule::Hold);
        let starting = PoolSight { pending: 1, ..sight(&[60.0, 60.0]) };
        assert_eq!(planner().tick(&starting, BOUNDS).rule, Rule::Transition);
    }
}
