//! Stations one after the other, and a loop of users.

use super::super::trouble::{Trouble, above_zero, at_least};
use super::single::md1;
use super::stable;

/// Most users of a loop.
const MOST_USERS: u32 = 10_000_000;

/// Two stations one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tandem {
    /// Mean time in both.
    pub time: f64,
    /// Requests in both.
    pub number: f64,
    /// Wait at the second.
    pub second_wait: f64,
}

/// Two exponential servers one after the other at a rate, with their service rates (Burke, Jackson). Needs Poisson arrivals,
/// exponential service at both, unlimited queues.
pub fn jackson_tandem(rate: f64, first: f64, second: f64) -> Result<Tandem, Trouble> {
    above_zero("the rate", rate)?;
    stable(rate / above_zero("the first service rate", first)?)?;
    stable(rate / above_zero("the second service rate", second)?)?;
    let (a, b) = (1.0 / (first - rate), 1.0 / (second - rate));
    Ok(Tandem { time: a + b, number: rate * (a + b), second_wait: b - 1.0 / second })
}

/// Constant service at both stations: the first is an M/D/1 at a load, with times in units of its service; at the
/// second, which takes `second` and is not slower, no request waits.
pub fn md1_then_constant(rho: f64, second: f64) -> Result<Tandem, Trouble> {
    if !(second.is_finite() && (0.0..=1.0).contains(&second)) {
        return Err(Trouble::input("the second service", second, "0 to 1 of the first"));
    }
    let time = md1(rho)?.time + second;
    Ok(Tandem { time, number: rho * time, second_wait: 0.0 })
}

/// Users that think, are served, and think again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedLoop {
    /// Requests in a unit of time.
    pub throughput: f64,
    /// Time at the server.
    pub response: f64,
    /// Users at the server.
    pub number: f64,
}

/// A closed loop by mean value analysis: `users` users with a think time of `think` and a service time of `service`.
/// Needs exponential service at one server, first come, first served; the law of thinking does not matter.
pub fn closed_loop(users: u32, think: f64, service: f64) -> Result<ClosedLoop, Trouble> {
    at_least("the time to think", think, 0.0, "at least 0")?;
    above_zero("the service", service)?;
    if !(1..=MOST_USERS).contains(&users) {
        return Err(Trouble::input("the number of users", f64::from(users), "1 to 10000000"));
    }
    let mut at = ClosedLoop { throughput: 0.0, response: 0.0, number: 0.0 };
    for n in 1..=users {
        let response = service * (1.0 + at.number);
        let throughput = f64::from(n) / (response + think);
        at = ClosedLoop { throughput, response, number: throughput * response };
    }
    Ok(at)
}
