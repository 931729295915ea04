//! Laws of textbook queues, each a function with its preconditions on arrivals, service and order.
//! docs/explanation/queueing.md names the sources. Times are in units of the mean service time unless stated
//! otherwise.
//!
//! A load of 1 or above, for which a law has no value, is a [`Trouble`] with the load.

mod batch;
mod cache;
mod finite;
mod network;
mod priority;
mod routing;
mod servers;
mod single;

pub use batch::{BatchServer, LimitedBatch, StepMoments, batch_server, limited_batch, ttft_identity};
pub use cache::{CacheHits, lru_hits};
pub use finite::{FiniteQueue, mm1k};
pub use network::{ClosedLoop, Tandem, closed_loop, jackson_tandem, md1_then_constant};
pub use priority::{PriorityClass, cobham};
pub use routing::{PowerOfD, RoundRobin, ShortestQueue, power_of_d, round_robin, shortest_queue};
pub use servers::{ManyServers, erlang_b, erlang_c, mdc_wait, mmc};
pub use single::{
    Infinite, Md1, Mm1, Sharing, geometric_scv, infinite_servers, md1, mm1, pollaczek_khinchine,
    processor_sharing,
};

use super::trouble::Trouble;

/// Checks that an unlimited queue can carry the load.
fn stable(rho: f64) -> Result<f64, Trouble> {
    if !(rho.is_finite() && rho >= 0.0) {
        return Err(Trouble::input("the load", rho, "at least 0"));
    }
    if rho >= 1.0 { Err(Trouble::Unstable { rho }) } else { Ok(rho) }
}

/// `x` to the power of a whole number, by squaring: the same on every target.
fn power(mut x: f64, mut n: u64) -> f64 {
    let mut out = 1.0;
    while n > 0 {
        if n & 1 == 1 {
            out *= x;
        }
        x *= x;
        n >>= 1;
    }
    out
}
