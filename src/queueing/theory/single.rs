//! Single-server laws, and infinitely many servers.

use super::super::trouble::{Trouble, at_least};
use super::{power, stable};
use base::math::{exp, ln};

/// Poisson arrivals, exponential service, one server, first come, first served.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mm1 {
    /// The load.
    pub rho: f64,
    /// Requests in the system.
    pub number: f64,
    /// Waiting requests.
    pub waiting: f64,
    /// Time in the system.
    pub time: f64,
    /// Time in the queue.
    pub wait: f64,
}

/// M/M/1. Needs Poisson arrivals, exponential service, one server, an unlimited queue.
pub fn mm1(rho: f64) -> Result<Mm1, Trouble> {
    stable(rho)?;
    let time = 1.0 / (1.0 - rho);
    Ok(Mm1 { rho, number: rho * time, waiting: rho * rho * time, time, wait: rho * time })
}

impl Mm1 {
    /// The share of requests whose time in the system is longer than `t`: exponential. Needs first come, first served.
    pub fn share_above(&self, t: f64) -> f64 {
        exp(-(1.0 - self.rho) * t)
    }

    /// The time in the system within which a share `p` of the requests stays.
    pub fn percentile(&self, p: f64) -> f64 {
        -ln(1.0 - p) * self.time
    }
}

/// Constant service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Md1 {
    /// Time in the queue.
    pub wait: f64,
    /// Its standard deviation. Needs first come, first served.
    pub wait_deviation: f64,
    /// Time in the system.
    pub time: f64,
    /// Requests in the system.
    pub number: f64,
}

/// M/D/1. Needs Poisson arrivals, constant service, one server, an unlimited queue.
pub fn md1(rho: f64) -> Result<Md1, Trouble> {
    let wait = pollaczek_khinchine(rho, 0.0)?;
    // Var W = W^2 + rate E[S^3] / (3 (1 - rho)).
    let variance = wait * wait + rho / (3.0 * (1.0 - rho));
    Ok(Md1 { wait, wait_deviation: variance.sqrt(), time: wait + 1.0, number: rho * (wait + 1.0) })
}

/// The mean wait of M/G/1 for a squared coefficient of variation of the service (Pollaczek and Khinchine). Needs
/// Poisson arrivals, independent services, one server, and an order that does not depend on the service.
pub fn pollaczek_khinchine(rho: f64, scv: f64) -> Result<f64, Trouble> {
    stable(rho)?;
    at_least("the squared coefficient of variation", scv, 0.0, "at least 0")?;
    Ok(rho * (1.0 + scv) / (2.0 * (1.0 - rho)))
}

/// The squared coefficient of variation of a geometric number of equal steps: an exponential service seen in steps.
pub fn geometric_scv(mean_steps: f64) -> Result<f64, Trouble> {
    at_least("the number of steps", mean_steps, 1.0, "at least 1")?;
    Ok(1.0 - 1.0 / mean_steps)
}

/// One server that all requests share equally.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sharing {
    /// The load.
    pub rho: f64,
    /// Requests in the system.
    pub number: f64,
    /// Time in the system as a multiple of a request's work.
    pub slowdown: f64,
}

/// M/G/1 with processor sharing. Needs Poisson arrivals; the law of the service does not matter.
pub fn processor_sharing(rho: f64) -> Result<Sharing, Trouble> {
    stable(rho)?;
    Ok(Sharing { rho, number: rho / (1.0 - rho), slowdown: 1.0 / (1.0 - rho) })
}

impl Sharing {
    /// The probability of at least `n` requests.
    pub fn share_from(&self, n: u64) -> f64 {
        power(self.rho, n)
    }
}

/// As many servers as there are requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Infinite {
    /// Mean and variance of the number of requests.
    pub mean: f64,
    /// Probability of none.
    pub none: f64,
}

/// M/G/infinity for an offered load, the rate times the mean service: a Poisson law. Needs Poisson arrivals only.
pub fn infinite_servers(offered: f64) -> Result<Infinite, Trouble> {
    at_least("the offered load", offered, 0.0, "at least 0")?;
    Ok(Infinite { mean: offered, none: exp(-offered) })
}
