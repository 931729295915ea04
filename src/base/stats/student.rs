//! Confidence intervals of a mean of independent values by Student's t, kept within the bounds of the quantity.

use crate::math::exp;

/// 97.5th percentiles of Student's t for 1 to 30 degrees of freedom (Abramowitz and Stegun, table 26.10).
const T_975: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];
/// The same for more degrees of freedom, by 1 / `freedom`.
const T_975_BEYOND: [(f64, f64); 4] =
    [(1.0 / 30.0, 2.042), (1.0 / 60.0, 2.000), (1.0 / 120.0, 1.980), (0.0, 1.960)];

/// The 97.5th percentile of Student's t with `freedom` degrees of freedom, which must be at least one. Beyond 30 it
/// interpolates linearly in 1 / `freedom` between entries of the table: off by at most 0.001.
pub fn t_975(freedom: u32) -> f64 {
    assert!(freedom > 0, "INV-6: an interval of a single value");
    if let Some(&t) = T_975.get(freedom as usize - 1) {
        return t;
    }
    let x = 1.0 / f64::from(freedom);
    let after = T_975_BEYOND.iter().position(|&(at, _)| at <= x).unwrap_or(T_975_BEYOND.len() - 1).max(1);
    let ((x0, t0), (x1, t1)) = (T_975_BEYOND[after - 1], T_975_BEYOND[after]);
    t1 + (t0 - t1) * (x - x1) / (x0 - x1)
}

/// A value with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

impl Interval {
    /// The interval `value` ± `half` of a quantity within `bounds`: 0 to 1 for a share, 0 and up for a time.
    ///
    /// An end `half` away goes toward a bound at distance `d` by `d (1 - exp(-half / d))`. That is `half` where the bound is far,
    /// as on the logarithm of a time or of the odds of a share, and it never reaches the bound.
    pub fn within(value: f64, half: f64, bounds: [f64; 2]) -> Self {
        let toward = |bound: f64| {
            let room = (bound - value).abs();
            if room.is_infinite() {
                half
            } else if room > 0.0 {
                room * (1.0 - exp(-half / room))
            } else {
                0.0
            }
        };
        Self { value, lo: value - toward(bounds[0]), hi: value + toward(bounds[1]) }
    }
}

/// Bounds of an unbounded quantity.
pub const UNBOUNDED: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
/// Bounds of a time, a rate or a cost.
pub const POSITIVE: [f64; 2] = [0.0, f64::INFINITY];
/// Bounds of a share.
pub const SHARE: [f64; 2] = [0.0, 1.0];
/// Bounds of the difference of two shares.
pub const SHARE_DIFFERENCE: [f64; 2] = [-1.0, 1.0];

/// The mean of independent values with its interval: mean ± t s / √n, where s² is the sum of squares about the mean
/// by n - 1. `None` for fewer than two values. The interval stays within `bounds`.
pub fn mean_interval(values: &[f64], bounds: [f64; 2]) -> Option<Interval> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len() as f64;
    // The mean of equal values is that value, to the bit.
    let first = values[0];
    let mean = first + values.iter().map(|v| v - first).sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let half = t_975(values.len() as u32 - 1) * libm::sqrt(squares / (n - 1.0) / n);
    Some(Interval::within(mean, half, bounds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_goes_on_without_a_jump() {
        assert_eq!([t_975(1), t_975(30)].map(f64::to_bits), [12.706_f64, 2.042].map(f64::to_bits));
        for (freedom, t) in
            [(31, 2.040), (40, 2.021), (60, 2.000), (99, 1.984), (120, 1.980), (100_000, 1.960)]
        {
            assert!((t_975(freedom) - t).abs() < 0.0015, "{freedom}: {}", t_975(freedom));
        }
        assert!((1..2000).all(|f| t_975(f + 1) <= t_975(f)));
    }

    #[test]
    fn a_mean_has_the_interval_of_the_books() {
        // 1, 2, 3: s = 1, t with 2 degrees 4.303, 4.303 / sqrt(3) = 2.4843.
        let i = mean_interval(&[1.0, 2.0, 3.0], UNBOUNDED).unwrap();
        assert!(
            (i.value - 2.0).abs() < 1e-12 && (i.hi - 4.4843).abs() < 1e-4 && (i.lo + 0.4843).abs() < 1e-4
        );
        let equal = mean_interval(&[0.1; 7], SHARE).unwrap();
        assert_eq!([equal.value, equal.lo, equal.hi].map(f64::to_bits), [0.1_f64; 3].map(f64::to_bits));
        assert_eq!(mean_interval(&[5.0], POSITIVE), None);
    }

    #[test]
    fn an_interval_keeps_to_what_its_quantity_can_be_and_is_students_far_from_there() {
        for value in [0.0, 1e-9, 0.01, 0.5, 0.973, 1.0] {
            for half in [0.0, 1e-6, 0.02, 0.4, 3.0, 1e6] {
                let i = Interval::within(value, half, SHARE);
                assert!(
                    0.0 <= i.lo && i.lo <= value && value <= i.hi && i.hi <= 1.0,
                    "{value} {half}: {i:?}"
                );
                let time = Interval::within(value, half, POSITIVE);
                assert!(0.0 <= time.lo && (time.hi - value - half).abs() <= 1e-9 * half, "{time:?}");
                let free = Interval::within(value, half, UNBOUNDED);
                assert!((free.hi - free.lo - 2.0 * half).abs() <= 1e-9 * half, "{free:?}");
            }
        }
        let far = Interval::within(0.5, 0.005, SHARE);
        assert!((far.lo - 0.495).abs() < 3e-5 && (far.hi - 0.505).abs() < 3e-5, "{far:?}");
    }
}
