//! A horizontal autoscaler that carries out the wish of another policy. It reads the wished number of replicas as an external
//! metric with an average value of 1 as its target, so tolerance, stabilisation windows and rates apply to the wish.

use super::hpa::{Behavior, Hpa, Metric};
use super::{Bounds, Decision};
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// A horizontal autoscaler with the latest wish.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Carrier {
    hpa: Hpa,
    period: Span,
    wish: Option<u32>,
}

impl Carrier {
    /// A new one without a decision to carry out.
    pub fn new(bounds: Bounds, behavior: Option<Behavior>, period: Span) -> Self {
        Self { hpa: Hpa::new(bounds, behavior), period, wish: None }
    }

    /// Time between two decisions.
    pub fn period(&self) -> Span {
        self.period
    }

    /// Takes the number of replicas that the policy wants.
    pub fn take_wish(&mut self, wish: u32) {
        self.wish = Some(wish);
    }

    /// Takes over the wish and the history of the one before an edit.
    pub fn keep_learnt(&mut self, before: Self) {
        self.wish = before.wish;
        self.hpa.keep_history(before.hpa);
    }

    /// Decides at a tick of its own. Without a wish nothing changes.
    pub fn tick(&mut self, now: Micros, current: u32) -> Decision {
        let wish = |n: u32| Metric::AverageValue { value: f64::from(n), target: 1.0 };
        self.hpa.tick(now, current, &[self.wish.map_or(Metric::Failed, wish)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::scaling::Rule;

    const BOUNDS: Bounds = Bounds { min: 1, max: 20 };

    fn carrier() -> Carrier {
        Carrier::new(BOUNDS, Some(Behavior::default()), Span(15_000_000))
    }

    #[test]
    fn a_wish_for_fewer_waits_for_the_window_and_one_for_more_does_not() {
        let mut carrier = carrier();
        let mut at = |seconds: u64, current, wish| {
            carrier.take_wish(wish);
            let decision = carrier.tick(Micros(seconds * 1_000_000), current);
            (decision.desired, decision.rule)
        };
        assert_eq!(at(0, 3, 3), (3, Rule::WithinTolerance));
        assert_eq!(at(15, 3, 2), (3, Rule::Stabilised));
        // A sample exactly 300 s old counts no more: the wish for three is forgotten at 300 s.
        assert_eq!(at(285, 3, 2), (3, Rule::Stabilised));
        assert_eq!(at(300, 3, 2), (2, Rule::Target));
        assert_eq!(at(315, 2, 5), (5, Rule::Target));
    }

    #[test]
    fn nothing_wished_holds_and_one_of_ten_is_within_the_tolerance() {
        let mut carrier = carrier();
        assert_eq!(carrier.tick(Micros(0), 3).rule, Rule::Hold);
        carrier.take_wish(11);
        assert_eq!(carrier.tick(Micros(0), 10).rule, Rule::WithinTolerance);
        carrier.take_wish(12);
        assert_eq!(carrier.tick(Micros(0), 10).desired, 12);
    }
}
