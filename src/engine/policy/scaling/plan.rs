//! Three simple policies: a threshold, a target of the utilisation, and the depth of the queues. Each changes by one
//! replica or to a number, and not within its cooldown.

use super::{Bounds, Decision, Rule, rounded_up};
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// The measurements that a policy reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanView {
    /// Replicas present, starting ones included.
    pub current: u32,
    /// Replicas that a ratio of load multiplies.
    pub counted: u32,
    /// The larger of the shares of cache and batch in use, as a mean over the replicas that serve.
    pub utilization: f64,
    /// Requests waiting at replicas and at the gateway.
    pub queued: u64,
}

/// The rule of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PlanRule {
    /// Never changes anything.
    None,
    /// Adds one replica above a utilisation, removes one below another.
    Threshold {
        /// Adds above this.
        up: f64,
        /// Removes below this.
        down: f64,
    },
    /// The number of replicas that brings the utilisation to its target.
    TargetUtilization {
        /// The target.
        target: f64,
    },
    /// Adds one replica above a number of waiting requests per replica, removes one if none waits and the others
    /// could do the work.
    QueueDepth {
        /// Adds above this number for each replica.
        up: f64,
        /// Removes below this number for each replica.
        down: f64,
    },
}

/// A policy with its state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Its rule.
    pub rule: PlanRule,
    /// Fewest and most replicas.
    pub bounds: Bounds,
    /// Least time between two changes.
    pub cooldown: Span,
    last_change: Option<Micros>,
}

impl Plan {
    /// A new policy without changes.
    pub fn new(rule: PlanRule, bounds: Bounds, cooldown: Span) -> Self {
        Self { rule, bounds, cooldown, last_change: None }
    }

    /// Decides at a tick.
    pub fn tick(&mut self, now: Micros, view: &PlanView) -> Decision {
        let (wanted, rule) = self.wants(view);
        let cooling = self.last_change.is_some_and(|at| now.0 - at.0 < self.cooldown.0);
        if wanted != view.current && cooling {
            let held = Decision::direct(view.current, view.current, Rule::Cooldown, self.bounds);
            return Decision { recommended: wanted, ..held };
        }
        let decision = Decision::direct(view.current, wanted, rule, self.bounds);
        if decision.desired != view.current {
            self.last_change = Some(now);
        }
        decision
    }

    fn wants(&self, view: &PlanView) -> (u32, Rule) {
        let current = view.current;
        let step = |load: f64, up: f64, down: f64| {
            if load > up {
                (current.saturating_add(1), Rule::AboveThreshold)
            } else if load < down {
                (current.saturating_sub(1), Rule::BelowThreshold)
            } else {
                (current, Rule::WithinTolerance)
            }
        };
        match self.rule {
            PlanRule::None => (current, Rule::Hold),
            PlanRule::Threshold { up, down } => step(view.utilization, up, down),
            PlanRule::TargetUtilization { target } => {
                if target > 0.0 && view.utilization.is_finite() {
                    (rounded_up(f64::from(view.counted) * view.utilization / target), Rule::Target)
                } else {
                    (current, Rule::Hold)
                }
            }
            PlanRule::QueueDepth { up, down } => {
                step(view.queued as f64 / f64::from(current.max(1)), up, down)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { min: 1, max: 8 };

    fn view(utilization: f64, queued: u64) -> PlanView {
        PlanView { current: 4, counted: 4, utilization, queued }
    }

    #[test]
    fn each_changes_by_its_own_rule() {
        let once = |rule, view: &PlanView| Plan::new(rule, BOUNDS, Span(0)).tick(Micros(0), view).desired;
        let threshold = PlanRule::Threshold { up: 0.8, down: 0.3 };
        assert_eq!([0.9, 0.5, 0.1].map(|u| once(threshold, &view(u, 0))), [5, 4, 3]);
        let target = PlanRule::TargetUtilization { target: 0.6 };
        assert_eq!([0.9, 0.6, 0.1].map(|u| once(target, &view(u, 0))), [6, 4, 1]);
        let depth = PlanRule::QueueDepth { up: 3.0, down: 0.5 };
        assert_eq!([20, 8, 1].map(|q| once(depth, &view(0.5, q))), [5, 4, 3]);
        assert_eq!(once(PlanRule::None, &view(9.0, 900)), 4);
        assert_eq!(once(PlanRule::TargetUtilization { target: 0.0 }, &view(0.5, 0)), 4);
    }

    #[test]
    fn replicas_that_start_are_multiplied_only_if_they_are_counted() {
        let target = PlanRule::TargetUtilization { target: 0.6 };
        // Four present, of which two serve, at 0.9: 4 * 0.9 / 0.6 = 6, and 2 * 0.9 / 0.6 = 3.
        for (counted, wanted) in [(4, 6), (2, 3)] {
            let view = PlanView { counted, ..view(0.9, 0) };
            assert_eq!(Plan::new(target, BOUNDS, Span(0)).tick(Micros(0), &view).desired, wanted);
        }
    }

    #[test]
    fn a_cooldown_of_nothing_lets_the_first_signal_through_and_one_of_a_minute_holds_the_second() {
        let rule = PlanRule::Threshold { up: 0.8, down: 0.3 };
        let mut plan = Plan::new(rule, BOUNDS, Span(60_000_000));
        assert_eq!(plan.tick(Micros(0), &view(0.9, 0)).desired, 5);
        assert_eq!(plan.tick(Micros(59_999_999), &view(0.9, 0)).rule, Rule::Cooldown);
        assert_eq!(plan.tick(Micros(60_000_000), &view(0.9, 0)).desired, 5);
    }
}
