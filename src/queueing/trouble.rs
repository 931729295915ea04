//! Errors of the queueing model: inputs out of range, loads that a server cannot carry, objectives that it cannot
//! meet.

use std::fmt;

/// Why there is no number.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// A number out of its range.
    Input {
        /// Its name.
        what: &'static str,
        /// The number.
        found: f64,
        /// The allowed values.
        allowed: &'static str,
    },
    /// More work arrives than the server can do: the load, as a share of it, is 1 or above.
    Unstable {
        /// The load.
        rho: f64,
    },
    /// More requests arrive than the model covers.
    Overload {
        /// Arriving requests per second.
        rate_per_s: f64,
        /// Largest rate that the model covers.
        most_per_s: f64,
    },
    /// An objective that an idle server cannot meet.
    Infeasible {
        /// Which: "TTFT" or "ITL".
        objective: &'static str,
        /// The objective, in milliseconds.
        target_ms: f64,
        /// The value of an idle server, in milliseconds.
        idle_ms: f64,
    },
}

impl Trouble {
    /// A number out of its range.
    pub(super) fn input(what: &'static str, found: f64, allowed: &'static str) -> Self {
        Self::Input { what, found, allowed }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input { what, found, allowed } => write!(f, "{what} is {found}; allowed: {allowed}"),
            Self::Unstable { rho } => write!(f, "unstable: {rho} times as much work arrives as can be done"),
            Self::Overload { rate_per_s, most_per_s } => {
                write!(f, "overload: {rate_per_s} requests/s arrive; the model ends at {most_per_s}")
            }
            Self::Infeasible { objective, target_ms, idle_ms } => {
                write!(f, "infeasible: {objective} of {target_ms} ms; an idle server needs {idle_ms} ms")
            }
        }
    }
}

/// A number that must be at least `least` and finite.
pub(super) fn at_least(
    what: &'static str,
    found: f64,
    least: f64,
    allowed: &'static str,
) -> Result<f64, Trouble> {
    if found.is_finite() && found >= least { Ok(found) } else { Err(Trouble::input(what, found, allowed)) }
}

/// A number that must be above zero and finite.
pub(super) fn above_zero(what: &'static str, found: f64) -> Result<f64, Trouble> {
    if found.is_finite() && found > 0.0 { Ok(found) } else { Err(Trouble::input(what, found, "above 0")) }
}
