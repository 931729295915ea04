//! Refuses requests of low priority while the replicas are saturated: at once, or more and more often.

use super::{Admission, Circumstances, Verdict};
use crate::policy::Reason;
use crate::policy::RequestView;
use base::math;
use base::rng::{Purpose, Stream};
use document::{ClassPriorities, Shed as Settings, ShedRule};
use serde::{Deserialize, Serialize};

/// Sheds by class and saturation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shed {
    priorities: ClassPriorities,
    rule: ShedRule,
    draws: Stream,
}

impl Shed {
    pub(super) fn new(s: &Settings, seed: u64) -> Self {
        Self {
            priorities: s.priorities.clone(),
            rule: s.rule.clone(),
            draws: Stream::new(seed, Purpose::Shedding, 0),
        }
    }

    /// Continues with the draws of `before`.
    pub(super) fn resume(&mut self, before: Self) {
        self.draws = before.draws;
    }

    fn refuses(&mut self, saturation: f64) -> bool {
        match &self.rule {
            ShedRule::Saturated => saturation >= 1.0,
            ShedRule::Probabilistic(s) => {
                let p = (s.factor * math::pow(saturation, s.exponent)).min(1.0);
                self.draws.unit() < p
            }
        }
    }
}

impl Admission for Shed {
    fn decide(&mut self, request: &RequestView<'_>, seen: Circumstances) -> Verdict {
        let low = self.priorities.of(request.class) < 0;
        if low && self.refuses(seen.saturation) { Verdict::Reject(Reason::Shed) } else { Verdict::Admit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Content, Micros, RequestId};
    use document::Probabilistic;

    fn admitted(s: &Settings, class: u32, saturation: f64, times: u32) -> u32 {
        let mut policy = Shed::new(s, 7);
        let text = Content::EMPTY;
        let view = RequestView::new(RequestId(0), Micros::ZERO, &text, 5).in_class(class);
        let seen = Circumstances { saturation, ..Circumstances::default() };
        (0..times).map(|_| u32::from(policy.decide(&view, seen) == Verdict::Admit)).sum()
    }

    #[test]
    fn low_classes_are_refused_from_saturation_on() {
        let s = Settings::default();
        assert_eq!([0.0, 0.99, 1.0, 7.0].map(|x| admitted(&s, 3, x, 1)), [1, 1, 0, 0]);
        // Critical and standard requests, and those without a class, are never refused.
        assert_eq!([1, 2, 0].map(|class| admitted(&s, class, 7.0, 1)), [1, 1, 1]);
    }

    #[test]
    fn the_probability_is_the_power_of_the_saturation() {
        let s = Settings { rule: ShedRule::Probabilistic(Probabilistic::default()), ..Settings::default() };
        // 300 · 0.2^5 = 0.096 and 300 · 0.3^5 = 0.729; from (1 / 300)^(1 / 5) = 0.3196 on all are refused.
        let refused = |x: f64| f64::from(10_000 - admitted(&s, 4, x, 10_000)) / 10_000.0;
        assert!((refused(0.2) - 0.096).abs() < 0.01, "{}", refused(0.2));
        assert!((refused(0.3) - 0.729).abs() < 0.015, "{}", refused(0.3));
        assert_eq!(admitted(&s, 4, 0.32, 1000), 0);
        assert_eq!(admitted(&s, 4, 0.0, 1000), 1000);
    }
}
