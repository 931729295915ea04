//! A queue with a limit.

use super::super::trouble::{Trouble, at_least};

/// Most places.
const MOST_PLACES: u32 = 10_000_000;

/// One server and a limited number of places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiniteQueue {
    /// Share of the requests that find no place.
    pub lost: f64,
    /// Requests in the system.
    pub number: f64,
    /// Served requests in a service time.
    pub throughput: f64,
    /// Time in the system of requests that find a place.
    pub time: f64,
}

/// M/M/1/K at an offered load of any size, with `places` in all, the server's own included. Needs Poisson arrivals,
/// exponential service, one server; a request that finds no place is lost.
pub fn mm1k(rho: f64, places: u32) -> Result<FiniteQueue, Trouble> {
    at_least("the load", rho, 0.0, "at least 0")?;
    if !(1..=MOST_PLACES).contains(&places) {
        return Err(Trouble::input("the number of places", f64::from(places), "1 to 10000000"));
    }
    // Weights from the likelier end, so that none of them overflows.
    let ratio = if rho <= 1.0 { rho } else { 1.0 / rho };
    let (mut weight, mut total, mut number) = (1.0, 0.0, 0.0);
    let mut last = 1.0;
    for k in 0..=places {
        let n = if rho <= 1.0 { k } else { places - k };
        if n == places {
            last = weight;
        }
        total += weight;
        number += f64::from(n) * weight;
        weight *= ratio;
    }
    let (lost, number) = (last / total, number / total);
    let throughput = rho * (1.0 - lost);
    let time = if throughput > 0.0 { number / throughput } else { 1.0 };
    Ok(FiniteQueue { lost, number, throughput, time })
}
