//! Ceilings: the saturation up to which each band sends requests on.

use document::{Ceilings, HoldbackBy, PriorityHoldback};
use serde::{Deserialize, Serialize};

/// The ceilings of the bands, with what they remember.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CeilingState {
    settings: Ceilings,
    /// Attempts so far.
    attempts: u64,
}

impl CeilingState {
    /// No attempt so far.
    pub fn new(settings: &Ceilings) -> Self {
        Self { settings: settings.clone(), attempts: 0 }
    }

    /// Whether a later attempt can have another ceiling at the same saturation.
    pub fn alternates(&self) -> bool {
        match self.settings {
            Ceilings::SoftReflective => true,
            Ceilings::Static(_) | Ceilings::PriorityHoldback(_) => false,
        }
    }

    /// One attempt: writes the ceiling of each band of `priorities`, the highest first, to `out`.
    pub fn compute(
        &mut self,
        saturation: f64,
        priorities: impl ExactSizeIterator<Item = i32> + Clone,
        out: &mut Vec<f64>,
    ) {
        self.attempts += 1;
        self.show(saturation, priorities, out);
        if matches!(self.settings, Ceilings::SoftReflective) {
            for (i, ceiling) in out.iter_mut().enumerate() {
                *ceiling = gated(saturation, i, *ceiling, self.attempts);
            }
        }
    }

    /// The ceilings without an attempt: those of soft-reflective as the saturation makes them.
    pub fn show(
        &self,
        saturation: f64,
        priorities: impl ExactSizeIterator<Item = i32> + Clone,
        out: &mut Vec<f64>,
    ) {
        out.clear();
        let n = priorities.len();
        match &self.settings {
            Ceilings::Static(s) => out.resize(n, s.ceiling),
            Ceilings::PriorityHoldback(s) => hold_back(s, priorities, out),
            Ceilings::SoftReflective => {
                let below = |i: usize| if i == 0 { 0.0 } else { i as f64 * saturation / (n - 1) as f64 };
                out.extend((0..n).map(|i| 1.0 - below(i)));
            }
        }
    }
}

fn hold_back(
    s: &PriorityHoldback,
    priorities: impl ExactSizeIterator<Item = i32> + Clone,
    out: &mut Vec<f64>,
) {
    let n = priorities.len();
    let highest = priorities.clone().next().unwrap_or_default();
    let lowest = priorities.clone().last().unwrap_or_default();
    let kept = s.max - s.min;
    let of = |(i, priority): (usize, i32)| {
        if highest == lowest {
            return s.max;
        }
        match s.by {
            HoldbackBy::Rank => s.max - i as f64 * kept / (n - 1) as f64,
            HoldbackBy::Value => {
                let above = i64::from(priority) - i64::from(lowest);
                s.min + above as f64 / (i64::from(highest) - i64::from(lowest)) as f64 * kept
            }
        }
    };
    out.extend(priorities.enumerate().map(of));
}

/// Of band `i`, 0 being the highest, whose ceiling is reached or not: open, closed, or open at one attempt in a few.
fn gated(saturation: f64, i: usize, ceiling: f64, attempts: u64) -> f64 {
    if i == 0 || saturation < ceiling {
        return 1.0;
    }
    if saturation >= 1.0 {
        return 0.0;
    }
    if attempts.is_multiple_of(period(saturation)) { 1.0 } else { 0.0 }
}

/// One attempt in this many is open: saturation / (1 − saturation), rounded, at least 1.
fn period(saturation: f64) -> u64 {
    let ratio = saturation / (1.0 - saturation + 1e-9);
    (base::math::floor(ratio + 0.5) as u64).max(1)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the ceilings are exact")]
mod tests {
    use super::*;
    use document::StaticCeiling;

    fn once(settings: &Ceilings, saturation: f64, priorities: &[i32]) -> Vec<f64> {
        let mut out = Vec::new();
        CeilingState::new(settings).compute(saturation, priorities.iter().copied(), &mut out);
        out
    }

    #[test]
    fn held_back_room_falls_by_rank_or_by_value() {
        let by = |by| Ceilings::PriorityHoldback(PriorityHoldback { max: 1.0, min: 0.5, by });
        assert_eq!(once(&by(HoldbackBy::Rank), 0.0, &[100, 0, -100]), [1.0, 0.75, 0.5]);
        // 90 is nine tenths of the way from 0 to 100.
        assert_eq!(once(&by(HoldbackBy::Value), 0.0, &[100, 90, 0]), [1.0, 0.95, 0.5]);
        assert_eq!(once(&by(HoldbackBy::Rank), 0.0, &[7]), [1.0]);
        assert_eq!(once(&Ceilings::Static(StaticCeiling { ceiling: 0.9 }), 5.0, &[1, 0]), [0.9, 0.9]);
    }

    #[test]
    fn soft_ceilings_open_at_one_attempt_in_a_few() {
        let mut state = CeilingState::new(&Ceilings::SoftReflective);
        let mut out = Vec::new();
        let mut at = |saturation: f64| {
            state.compute(saturation, [10, 0, -10].into_iter(), &mut out);
            out.clone()
        };
        // Of three bands the ceilings are 1, 1 - s/2 and 1 - s: at 0.4 they are 1, 0.8 and 0.6, all above.
        assert_eq!(at(0.4), [1.0, 1.0, 1.0]);
        // At 0.65 they are 0.675 and 0.35: the last is gated, with a period of 2 (0.65 / 0.35 is 1.86): of the attempts 2, 3 and
        // 4 the even ones are open.
        assert_eq!([at(0.65), at(0.65), at(0.65)].map(|c| c[2]), [1.0, 0.0, 1.0]);
        // At 0.75 both are gated, with a period of 3: of the attempts 5, 6 and 7 the sixth is open.
        let three = [at(0.75), at(0.75), at(0.75)];
        assert_eq!(three.clone().map(|c| c[1]), [0.0, 1.0, 0.0]);
        assert_eq!(three.map(|c| c[2]), [0.0, 1.0, 0.0]);
        assert_eq!(at(1.0), [1.0, 0.0, 0.0]);
        assert_eq!(once(&Ceilings::SoftReflective, 9.0, &[0]), [1.0]);
    }
}
