//! Several servers and one queue for all of them, or none.

use super::super::trouble::{Trouble, at_least};
use super::stable;
use crate::base::math::{exp, ln};

/// Most servers.
const MOST_SERVERS: u32 = 1_000_000;
/// Most terms of a series.
const MOST_TERMS: u32 = 1_000_000;
/// Terms below this share of the sum end it.
const NEGLIGIBLE: f64 = 1e-16;

/// Poisson arrivals, exponential service, several servers, one queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ManyServers {
    /// How many servers.
    pub servers: u32,
    /// Load of each.
    pub rho: f64,
    /// Probability that a request waits.
    pub waits: f64,
    /// Mean wait.
    pub wait: f64,
    /// Mean time in the system.
    pub time: f64,
}

fn count(servers: u32) -> Result<f64, Trouble> {
    if (1..=MOST_SERVERS).contains(&servers) {
        Ok(f64::from(servers))
    } else {
        Err(Trouble::input("the number of servers", f64::from(servers), "1 to 1000000"))
    }
}

/// The share that is lost where nobody may wait (Erlang B), for an offered load. Needs Poisson arrivals; the law of the service
/// does not matter.
pub fn erlang_b(servers: u32, offered: f64) -> Result<f64, Trouble> {
    count(servers)?;
    at_least("the offered load", offered, 0.0, "at least 0")?;
    // Of k servers from k - 1: no factorials, no overflow.
    Ok((1..=servers).fold(1.0, |lost, k| offered * lost / (f64::from(k) + offered * lost)))
}

/// The share that waits where everybody may (Erlang C). Needs Poisson arrivals, exponential service, one queue.
pub fn erlang_c(servers: u32, rho: f64) -> Result<f64, Trouble> {
    stable(rho)?;
    let lost = erlang_b(servers, count(servers)? * rho)?;
    Ok(lost / (1.0 - rho * (1.0 - lost)))
}

/// M/M/c at a load of `rho` each. Needs Poisson arrivals, exponential service, one queue for all, first come, first served.
pub fn mmc(servers: u32, rho: f64) -> Result<ManyServers, Trouble> {
    let waits = erlang_c(servers, rho)?;
    let wait = waits / (f64::from(servers) * (1.0 - rho));
    Ok(ManyServers { servers, rho, waits, wait, time: wait + 1.0 })
}

impl ManyServers {
    /// The share of requests that wait longer than `t`.
    pub fn share_above(&self, t: f64) -> f64 {
        self.waits * exp(-f64::from(self.servers) * (1.0 - self.rho) * t)
    }
}

/// The mean wait of M/D/c (Crommelin). Needs Poisson arrivals, constant service, one queue for all, first come, first served.
///
/// The sum over i of P(at least i c arrivals in i services) less 1 / rho times P(more than i c).
pub fn mdc_wait(servers: u32, rho: f64) -> Result<f64, Trouble> {
    stable(rho)?;
    let c = u64::from(servers);
    count(servers)?;
    if rho <= 0.0 {
        return Ok(0.0);
    }
    let mut total = 0.0;
    for i in 1..=u64::from(MOST_TERMS) {
        let n = (i * c) as f64;
        let exactly = poisson_at(i * c, rho);
        // P(N > n) / P(N = n), each next term a factor m / (n + k) smaller, m = rho n.
        let (mut ratio, mut term, mut k) = (0.0, 1.0, 1.0);
        while term > NEGLIGIBLE * ratio && k < f64::from(MOST_TERMS) {
            term *= rho * n / (n + k);
            ratio += term;
            k += 1.0;
        }
        let each = exactly * (1.0 + ratio * (1.0 - 1.0 / rho));
        total += each;
        if each <= NEGLIGIBLE * total {
            break;
        }
    }
    Ok(total)
}

/// The probability of exactly `n` events where `rho n` are expected.
fn poisson_at(n: u64, rho: f64) -> f64 {
    let x = n as f64;
    // ln n! by Stirling's series for large n, so that nothing large is taken from anything large.
    if n >= 16 {
        let inverse = 1.0 / x;
        let square = inverse * inverse;
        let rest =
            inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)));
        return exp(x * (1.0 - rho + ln(rho)) - rest) / (std::f64::consts::TAU * x).sqrt();
    }
    let mean = rho * x;
    (1..=n).fold(exp(-mean), |p, k| p * mean / k as f64)
}
