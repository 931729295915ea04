//! Several servers and one queue for all of them, or none.

use super::super::trouble::{Trouble, at_least};
use super::stable;
use base::math::{cos, exp, ln, sin};

/// Most servers.
const MOST_SERVERS: u32 = 1_000_000;
/// Most terms of a series.
const MOST_TERMS: u32 = 1_000_000;
/// Terms below this share of the sum end it.
const NEGLIGIBLE: f64 = 1e-16;
/// From this count of terms on, the wait with constant service times is computed from the roots, whose cost does not depend on the load.
const MANY_TERMS: f64 = 1e6;
/// A sum of fewer terms than this is short: there the wait is so small that the roots would lose its digits.
const SHORT: f64 = 100.0;
/// Most steps to a root; they begin at the neighbouring root and double the digits each time.
const STEPS: u32 = 12;

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

/// The lost share without waiting places (Erlang B), for an offered load. Needs Poisson arrivals; the law of the
/// service does not matter.
pub fn erlang_b(servers: u32, offered: f64) -> Result<f64, Trouble> {
    count(servers)?;
    at_least("the offered load", offered, 0.0, "at least 0")?;
    // Of k servers from k - 1: no factorials, no overflow.
    Ok((1..=servers).fold(1.0, |lost, k| offered * lost / (f64::from(k) + offered * lost)))
}

/// The waiting share with unbounded waiting places (Erlang C). Needs Poisson arrivals, exponential service, one
/// queue.
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
/// The sum over i of P(at least i c arrivals in i services) minus 1 / rho times P(more than i c). Near a load of 1 it
/// has too many terms; the roots of the same queue are as many as there are servers.
pub fn mdc_wait(servers: u32, rho: f64) -> Result<f64, Trouble> {
    stable(rho)?;
    let c = u64::from(servers);
    count(servers)?;
    if rho <= 0.0 {
        return Ok(0.0);
    }
    let free = 1.0 - rho;
    // Terms fall as exp(-i c free^2 / 2), and those within one as exp(-k free).
    let (terms, within) = (74.0 / (f64::from(servers) * free * free), 37.0 / free);
    if terms > SHORT && terms * within > MANY_TERMS {
        return Ok(mdc_wait_by_roots(servers, rho));
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

/// The same from the queue at instants one service apart: max(n - c, 0) requests wait, and Poisson arrivals are
/// added. With the roots z of z^c = exp(-c rho (1 - z)) within the unit circle, other than 1, its mean is rho / (2 (1
/// - rho)) - c rho / 2 - (c - 1) / 2 plus the sum of 1 / (1 - z).
fn mdc_wait_by_roots(servers: u32, rho: f64) -> f64 {
    let c = f64::from(servers);
    let mut sum = 0.0;
    let [mut x, mut y] = [0.0_f64, 0.0_f64];
    // Roots come in pairs above and below the real line, except the one on it.
    for k in (1..=servers / 2).rev() {
        let angle = std::f64::consts::TAU * f64::from(k) / c;
        for _ in 0..STEPS {
            let (size, turn) = (exp(-rho * (1.0 - x)), angle + rho * y);
            let of = [size * cos(turn), size * sin(turn)];
            // Newton's step for z minus its image.
            let (off, slope) = ([x - of[0], y - of[1]], [1.0 - rho * of[0], -rho * of[1]]);
            let square = slope[0] * slope[0] + slope[1] * slope[1];
            let step = [
                (off[0] * slope[0] + off[1] * slope[1]) / square,
                (off[1] * slope[0] - off[0] * slope[1]) / square,
            ];
            [x, y] = [x - step[0], y - step[1]];
            let from_one = (1.0 - x) * (1.0 - x) + y * y;
            if step[0] * step[0] + step[1] * step[1] <= 1e-30 * from_one {
                break;
            }
        }
        let part = (1.0 - x) / ((1.0 - x) * (1.0 - x) + y * y);
        sum += if 2 * k == servers { part } else { 2.0 * part };
    }
    ((rho / (1.0 - rho) - c * rho - (c - 1.0)) / 2.0 + sum) / (c * rho)
}

/// The probability of exactly `n` events where `rho n` are expected.
fn poisson_at(n: u64, rho: f64) -> f64 {
    let x = n as f64;
    // ln n! by Stirling's series for large n, so that no large numbers are subtracted from each other.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roots_and_the_series_give_the_same_wait_where_both_are_short() {
        for (servers, rho) in [(1, 0.9), (2, 0.9), (3, 0.95), (16, 0.95), (64, 0.9)] {
            let (series, roots) = (mdc_wait(servers, rho).expect("stable"), mdc_wait_by_roots(servers, rho));
            assert!((series / roots - 1.0).abs() < 1e-9, "{servers} at {rho}: {series} {roots}");
        }
    }

    #[test]
    fn near_a_load_of_one_the_wait_is_that_of_heavy_traffic_at_any_number_of_servers() {
        for servers in [1, 2, 16, 1000, 4096] {
            for free in [1e-4, 1e-6, 1e-9, 1e-12] {
                let rho = 1.0 - free;
                let wait = mdc_wait(servers, rho).expect("stable") * 2.0 * f64::from(servers) * (1.0 - rho);
                // For one server it is rho; the difference is of the order of sqrt(c) (1 - rho).
                let lacking = 1.0 - wait;
                let most = 2.0 * free * f64::from(servers).sqrt() + 1e-9;
                assert!((0.0..most).contains(&(lacking + 1e-12)), "{servers} at {rho}: {lacking}");
            }
        }
    }

    #[test]
    fn the_wait_grows_with_the_load_across_both_ways_to_it() {
        let mut before = 0.0;
        for k in 1..200 {
            let wait = mdc_wait(16, 0.9 + 0.0995 * f64::from(k) / 200.0).expect("stable");
            assert!(wait > before, "{k}: {wait} after {before}");
            before = wait;
        }
    }
}
