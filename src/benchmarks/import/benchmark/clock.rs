//! The clock of a benchmark tool: seconds, milliseconds, microseconds or nanoseconds since 1970, since the machine started, or since
//! anything else.
//!
//! Only differences matter: instants are whole microseconds of any sign, and nothing is cut off. The unit follows from
//! the size of the numbers: no benchmark measures a hundred billion seconds. If the length of the run is known,
//! instants must fit into it.

use serde_json::Value;

/// Units as parts of a second, each with the largest instant that counts as this unit: the year 5138 for each.
const UNITS: [(i64, f64); 4] = [(1, 1e11), (1000, 1e14), (1_000_000, 1e17), (1_000_000_000, f64::INFINITY)];

/// Tolerance of the run's length: requests may be sent before it begins and answered after it ends.
const SLACK: f64 = 3.0;

/// The unit of all instants of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    parts_of_second: i64,
}

impl Clock {
    /// Nanoseconds, if the name of a field says so.
    pub(crate) const NANOSECONDS: Self = Self { parts_of_second: 1_000_000_000 };

    /// The clock of these instants; `run_s` is the length of the run, if known.
    pub(crate) fn of(instants: &[&Value], run_s: Option<f64>) -> Self {
        let mut shown: Vec<f64> = instants.iter().filter_map(|v| v.as_f64()).collect();
        shown.sort_by(f64::total_cmp);
        let (first, last) = (shown.first().copied().unwrap_or(0.0), shown.last().copied().unwrap_or(0.0));
        let size = first.abs().max(last.abs());
        let fits = |parts: i64| run_s.is_none_or(|run| (last - first) / parts as f64 <= run * SLACK + 1.0);
        let found = UNITS.iter().find(|(parts, most)| size < *most && fits(*parts));
        let by_size = || UNITS.iter().find(|(_, most)| size < *most);
        let parts_of_second = found.or_else(by_size).map_or(1, |(parts, _)| *parts);
        Self { parts_of_second }
    }

    /// Whole microseconds; `None` for a number that is not finite.
    pub(crate) fn us(self, instant: &Value) -> Option<i64> {
        let parts = i128::from(self.parts_of_second);
        let us = if let Some(whole) = instant.as_i64() {
            (i128::from(whole) * 1_000_000 + parts / 2).div_euclid(parts)
        } else {
            let shown = instant.as_f64().filter(|x| x.is_finite() && x.abs() < 1e30)?;
            // Converted separately: seconds since 1970 keep all their digits.
            let scale = 1e6 / self.parts_of_second as f64;
            (shown.trunc() * scale).round() as i128 + (shown.fract() * scale).round() as i128
        };
        i64::try_from(us).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn instants_of_any_epoch_and_unit_are_the_same_microseconds_apart() {
        let seconds = [0.25, 2.0, 2.5, 4.125];
        for epoch in [0.0, 17.0, 86_400.0, 1_772_473_358.0] {
            for (parts, _) in UNITS {
                let whole = |s: f64| json!(((epoch + s) * 1000.0) as i64 * (parts / 1000).max(1));
                let shown: Vec<Value> =
                    seconds.iter().map(|s| if parts == 1 { json!(epoch + s) } else { whole(*s) }).collect();
                let clock = Clock::of(&shown.iter().collect::<Vec<_>>(), Some(4.0));
                let us: Vec<i64> = shown.iter().filter_map(|v| clock.us(v)).collect();
                let apart: Vec<i64> = us.iter().map(|x| x - us[0]).collect();
                assert_eq!(apart, [0, 1_750_000, 2_250_000, 3_875_000], "{epoch} {parts}");
            }
        }
        assert_eq!(Clock::of(&[&json!("x")], None).us(&json!("x")), None);
    }
}
