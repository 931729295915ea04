//! Classes with priorities.

use super::super::trouble::{Trouble, at_least};
use super::stable;

/// A class: its rate, and the first two moments of its service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriorityClass {
    /// Requests in a unit of time.
    pub rate: f64,
    /// Mean service.
    pub service: f64,
    /// Mean of its square.
    pub service_squared: f64,
}

/// The mean waits of the classes, the first of which is served first (Cobham). Needs Poisson arrivals, one server, services that
/// are not interrupted, first come, first served within a class.
pub fn cobham(classes: &[PriorityClass]) -> Result<Vec<f64>, Trouble> {
    let mut residual = 0.0;
    for c in classes {
        at_least("the rate of a class", c.rate, 0.0, "at least 0")?;
        at_least("the service of a class", c.service, 0.0, "at least 0")?;
        at_least(
            "the squared service of a class",
            c.service_squared,
            c.service * c.service,
            "at least its mean squared",
        )?;
        residual += c.rate * c.service_squared / 2.0;
    }
    let (mut waits, mut above) = (Vec::with_capacity(classes.len()), 0.0);
    for c in classes {
        let with = above + c.rate * c.service;
        stable(with)?;
        waits.push(residual / ((1.0 - above) * (1.0 - with)));
        above = with;
    }
    Ok(waits)
}
