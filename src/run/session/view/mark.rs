//! Marks: how the headline figures of a frame compare with the objectives.

use crate::observe::Percentiles;
use serde::Serialize;

/// A tail at more than this share of its objective is at risk.
const TAIL_AT_RISK: f64 = 0.8;
/// Goodput below this share of ended requests is at risk.
const GOODPUT_AT_RISK: f64 = 0.99;
/// Goodput below this share of ended requests is missed.
const GOODPUT_MISSED: f64 = 0.9;

/// How a figure compares with its objective.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Good, without an objective, or without a value.
    #[default]
    None,
    /// Close to missing it.
    Risk,
    /// Beyond it.
    Miss,
}

/// The mark of a tail, by its 99th percentile; an objective of 0 means none.
pub(super) fn of_tail(tail: &Percentiles, objective_us: f64) -> Mark {
    if tail.count == 0 || objective_us <= 0.0 || tail.p99_us <= TAIL_AT_RISK * objective_us {
        Mark::None
    } else if tail.p99_us <= objective_us {
        Mark::Risk
    } else {
        Mark::Miss
    }
}

/// The mark of goodput: the share of ended requests that finished and met every objective.
pub(super) fn of_goodput(good: u32, ended: u32) -> Mark {
    let (good, ended) = (f64::from(good), f64::from(ended));
    if good >= GOODPUT_AT_RISK * ended {
        Mark::None
    } else if good >= GOODPUT_MISSED * ended {
        Mark::Risk
    } else {
        Mark::Miss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_is_at_risk_before_it_misses_its_objective() {
        let tail = |p99_us| Percentiles { count: 9, p50_us: 1.0, p90_us: 1.0, p99_us };
        let marks = [700.0, 801.0, 1000.0, 1001.0].map(|p99_us| of_tail(&tail(p99_us), 1000.0));
        assert_eq!(marks, [Mark::None, Mark::Risk, Mark::Risk, Mark::Miss]);
        assert_eq!(of_tail(&tail(1001.0), 0.0), Mark::None);
        assert_eq!(of_tail(&Percentiles { count: 0, ..tail(1001.0) }, 1000.0), Mark::None);
    }

    #[test]
    fn goodput_is_marked_by_its_share_of_what_ended() {
        let marks = [100, 99, 98, 90, 89].map(|good| of_goodput(good, 100));
        assert_eq!(marks, [Mark::None, Mark::None, Mark::Risk, Mark::Risk, Mark::Miss]);
        assert_eq!(of_goodput(0, 0), Mark::None);
    }
}
