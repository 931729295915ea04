//! Checks that a time which is not 0 is not rounded to 0.

use crate::table::report::Report;
use base::small::decimal::plain;

/// How a time is written, and what 0 means in its place.
#[derive(Clone, Copy)]
pub(super) struct TimeNotation {
    unit: &'static str,
    /// Microseconds of one unit.
    us: f64,
    zero: &'static str,
}

/// A time in seconds; 0 means `zero`.
pub(super) fn seconds(zero: &'static str) -> TimeNotation {
    TimeNotation { unit: "s", us: 1e6, zero }
}

/// A time in milliseconds; 0 means `zero`.
pub(super) fn milliseconds(zero: &'static str) -> TimeNotation {
    TimeNotation { unit: "ms", us: 1000.0, zero }
}

/// Times are whole microseconds: one that is 0 of them, and not 0, would say what 0 says.
pub(super) fn check_not_nothing(path: &str, time: f64, of: TimeNotation, r: &mut Report) {
    let unit = of.unit;
    if time > 0.0 && time * of.us < 0.5 {
        r.error(
            path,
            format!("{} {unit}, which rounds to 0 microseconds", plain(time)),
            format!("0, or at least {} {unit}", plain(1.0 / of.us)),
            format!("times are whole microseconds, and 0 means {}: write that, or a longer time", of.zero),
        );
    }
}
