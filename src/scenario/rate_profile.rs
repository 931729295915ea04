//! How the rate of a client changes over time: a factor on its rate, as a function of the clock.

#[cfg(feature = "cli")]
use super::limits;
use crate::base::{Between, Curve, Micros, math};
use serde::{Deserialize, Serialize};

/// How the rate of a client changes over time: its requests per second are multiplied by a factor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RateProfile {
    /// The same at all times.
    #[default]
    Steady,
    /// Sends during some stretches of time only, and nothing between them.
    Windows {
        /// The stretches, in order.
        windows: Vec<Window>,
    },
    /// More, or less, for a while.
    Spike {
        /// When it begins, in simulated seconds.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::HORIZON_S)))]
        start_s: f64,
        /// How long it lasts, in seconds.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::HORIZON_S)))]
        duration_s: f64,
        /// What the rate is multiplied by meanwhile; before and after it is 1.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::RATE_FACTOR)))]
        factor: f64,
    },
    /// Stops bit by bit: the rate falls to zero in a straight line.
    Drain {
        /// When it begins to fall, in simulated seconds.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::HORIZON_S)))]
        start_s: f64,
        /// How long it takes to reach zero, in seconds. 0 stops at once.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::HORIZON_S)))]
        duration_s: f64,
    },
    /// Day and night: the rate per second is that of the busiest hour; the run starts at midnight.
    Diurnal {
        /// The busiest hour of the day, 0 to 23.
        #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::LAST_HOUR)))]
        peak_hour: u32,
        /// How many times busier the busiest hour is than the quietest, twelve hours away.
        #[cfg_attr(feature = "cli", schemars(range(min = 1.0, max = limits::RATE_FACTOR)))]
        peak_to_trough: f64,
        /// How many simulated seconds a day has: 86,400, or fewer for a day on fast forward.
        #[cfg_attr(feature = "cli", schemars(range(min = limits::DAY_S_MIN, max = limits::HORIZON_S)))]
        day_s: f64,
    },
    /// From each point on, another factor.
    Steps {
        /// The points in order; the first is at 0.
        points: Vec<RatePoint>,
        /// After how many seconds everything starts again. 0 means never: the last factor stays.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::HORIZON_S)))]
        repeat_s: f64,
    },
    /// In straight lines from point to point.
    Ramps {
        /// The points in order; the first is at 0. Two at the same time make a jump.
        points: Vec<RatePoint>,
        /// After how many seconds everything starts again. 0 means never: the last factor stays.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::HORIZON_S)))]
        repeat_s: f64,
    },
}

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// When it begins, in simulated seconds.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::HORIZON_S)))]
    pub start_s: f64,
    /// When it ends, in simulated seconds; this instant itself is outside.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::HORIZON_S)))]
    pub end_s: f64,
}

/// A factor on the rate from some time on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RatePoint {
    /// When, in simulated seconds.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::HORIZON_S)))]
    pub at_s: f64,
    /// What the rate is multiplied by; 0 sends nothing.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::RATE_FACTOR)))]
    pub factor: f64,
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
