//! How the rate of a client changes over time: a factor on its rate, as a function of the clock.

use crate::limits;
use crate::table::fields::fields;
use base::{Between, Curve, Micros, math};

/// How the rate of a client changes over time: its requests per second are multiplied by a factor.
#[apply(choice_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RateProfile {
    /// The same at all times.
    #[default]
    Steady,
    /// Sends only during the given windows.
    Windows {
        /// The windows, in order.
        windows: Vec<Window>,
    },
    /// A higher or lower rate for a while.
    Spike {
        /// When it begins, in simulated seconds.
        start_s: f64,
        /// How long it lasts, in seconds.
        duration_s: f64,
        /// Factor on the rate meanwhile; it is 1 before and after.
        factor: f64,
    },
    /// The rate falls to zero in a straight line.
    Drain {
        /// When it begins to fall, in simulated seconds.
        start_s: f64,
        /// How long it takes to reach zero, in seconds. 0 stops at once.
        duration_s: f64,
    },
    /// Day and night: the rate per second is that of the busiest hour; the run starts at midnight.
    Diurnal {
        /// The busiest hour of the day, 0 to 23.
        peak_hour: u32,
        /// How many times busier the busiest hour is than the quietest, twelve hours away.
        peak_to_trough: f64,
        /// How many simulated seconds a day has: 86,400, or fewer for a day on fast forward.
        day_s: f64,
    },
    /// A new factor from each point on.
    Steps {
        /// The points in order; the first is at 0.
        points: Vec<RatePoint>,
        /// Seconds after which the steps repeat. 0 means never: the last factor stays.
        repeat_s: f64,
    },
    /// Straight lines from point to point.
    Ramps {
        /// The points in order; the first is at 0. Two at the same time make a jump.
        points: Vec<RatePoint>,
        /// Seconds after which the steps repeat. 0 means never: the last factor stays.
        repeat_s: f64,
    },
}

fields! {
    enum RateProfile [Steady "steady"] {
        Windows "windows" {
            windows: "Windows" up_to [limits::RATE_POINTS, "windows", "window"]
                first [Window { start_s: 30.0, end_s: 90.0 }] => Rate;
        }
        Spike "spike" {
            start_s: "Start" of "s" in [0.0, limits::HORIZON_S] or "it is in seconds" first 60.0 => Rate;
            duration_s: "Duration" of "s" in [0.0, limits::HORIZON_S]
                or "it is in seconds" first 30.0 => Rate;
            factor: "Factor" in [0.0, limits::RATE_FACTOR]
                or "1 leaves the rate as it is, 0 sends nothing" first 3.0 => Rate;
        }
        Drain "drain" {
            start_s: "Start" of "s" in [0.0, limits::HORIZON_S] or "it is in seconds" first 60.0 => Rate;
            duration_s: "Duration" of "s" in [0.0, limits::HORIZON_S]
                or "it is in seconds" first 30.0 => Rate;
        }
        Diurnal "diurnal" {
            peak_hour: "Peak hour" of "h" in [0, limits::LAST_HOUR]
                or "hours are counted from 0, midnight, to 23" first 14 => Rate;
            peak_to_trough: "Peak to trough" in [1.0, limits::RATE_FACTOR]
                or "1 is no difference between day and night" first 4.0 => Rate;
            day_s: "Length of day" of "s" in [limits::DAY_S_MIN, limits::HORIZON_S]
                or "86,400 is a day in its own time" first 240.0 => Rate;
        }
        Steps "steps" {
            points: "Points" up_to [limits::RATE_POINTS, "points", "point"] first FIRST_POINTS => Rate;
            repeat_s: "Repeats after" of "s" in [0.0, limits::HORIZON_S]
                or "0 means it does not repeat" first 0.0 => Rate;
        }
        Ramps "ramps" {
            points: "Points" up_to [limits::RATE_POINTS, "points", "point"] first FIRST_POINTS => Rate;
            repeat_s: "Repeats after" of "s" in [0.0, limits::HORIZON_S]
                or "0 means it does not repeat" first 0.0 => Rate;
        }
    }
}

/// Three times the rate for a minute.
#[cfg(feature = "schema")]
const FIRST_POINTS: [RatePoint; 3] = [
    RatePoint { at_s: 0.0, factor: 1.0 },
    RatePoint { at_s: 60.0, factor: 3.0 },
    RatePoint { at_s: 120.0, factor: 1.0 },
];

/// A window of time.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// When it begins, in simulated seconds.
    pub start_s: f64,
    /// When it ends, in simulated seconds; the end itself is outside.
    pub end_s: f64,
}

fields! {
    entry Window {
        start_s: "Start" of "s" in [0.0, limits::HORIZON_S]
            or "it is in seconds after the start of the run" and { "x-after": ["end_s", 30.0] } first 60.0 => Rate;
        end_s: "End" of "s" in [0.0, limits::HORIZON_S]
            or "it is in seconds after the start of the run" and { "x-after": ["end_s", 60.0] } first 120.0 => Rate;
    }
}

/// A factor on the rate from some time on.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatePoint {
    /// When, in simulated seconds.
    pub at_s: f64,
    /// Factor on the rate; 0 sends nothing.
    pub factor: f64,
}

fields! {
    entry RatePoint {
        at_s: "At" of "s" in [0.0, limits::HORIZON_S]
            or "it is in seconds after the start of the run" and { "x-after": ["at_s", 30.0] } first 0.0 => Rate;
        factor: "Factor" in [0.0, limits::RATE_FACTOR]
            or "1 leaves the rate as it is, 0 sends nothing" first 3.0 => Rate;
    }
}

impl RateProfile {
    /// Whether the rate never changes.
    pub fn is_steady(&self) -> bool {
        *self == Self::Steady
    }

    /// The factor as a function of time; `None` if it is 1 for ever. The profile must have been checked.
    pub fn curve(&self) -> Option<Curve> {
        let held = |points: &[(Micros, f64)]| Some(Curve::new(points, Between::Hold, Micros::ZERO));
        let listed = |points: &[RatePoint], between, repeat_s| {
            let points: Vec<(Micros, f64)> = points.iter().map(|p| (instant(p.at_s), p.factor)).collect();
            Some(Curve::new(&points, between, instant(repeat_s)))
        };
        match self {
            Self::Steady => None,
            Self::Windows { windows } => {
                let ends = windows.iter().flat_map(|w| [(instant(w.start_s), 1.0), (instant(w.end_s), 0.0)]);
                held(&std::iter::once((Micros::ZERO, 0.0)).chain(ends).collect::<Vec<_>>())
            }
            Self::Spike { start_s, duration_s, factor } => {
                let (start, end) = (instant(*start_s), instant(start_s + duration_s));
                held(&[(Micros::ZERO, 1.0), (start, *factor), (end, 1.0)])
            }
            Self::Drain { start_s, duration_s } => {
                let (start, end) = (instant(*start_s), instant(start_s + duration_s));
                let points = [(Micros::ZERO, 1.0), (start, 1.0), (end, 0.0)];
                Some(Curve::new(&points, Between::Line, Micros::ZERO))
            }
            Self::Diurnal { peak_hour, peak_to_trough, day_s } => {
                let hour =
                    |h| (instant(day_s * f64::from(h) / 24.0), of_hour(h, *peak_hour, *peak_to_trough));
                let hours: Vec<(Micros, f64)> = (0..24).map(hour).collect();
                Some(Curve::new(&hours, Between::Hold, instant(*day_s)))
            }
            Self::Steps { points, repeat_s } => listed(points, Between::Hold, *repeat_s),
            Self::Ramps { points, repeat_s } => listed(points, Between::Line, *repeat_s),
        }
    }
}

/// The factor in hour `h` of the day: 1 in the peak hour, 1 / `ratio` twelve hours from it, a cosine between.
fn of_hour(h: u32, peak: u32, ratio: f64) -> f64 {
    let angle = 2.0 * std::f64::consts::PI * (f64::from(h) - f64::from(peak)) / 24.0;
    f64::midpoint(1.0, math::cos(angle)) * (1.0 - 1.0 / ratio) + 1.0 / ratio
}

/// Seconds as an instant.
fn instant(s: f64) -> Micros {
    Micros(math::round_to_span(s * 1e6).0)
}
