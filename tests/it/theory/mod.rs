//! Queueing theory: in degenerate configurations the simulator must give the closed forms.
//!
//! A queue needs requests that compete for the engine only: no latency at the gateway, no queueing delay, no prefix
//! cache, more KV blocks than are ever needed. A request of one output token is one step; the step's duration is its service
//! time. Statistical tests drop the first tenth of the requests, estimate the error of the mean from batch means and accept
//! |simulated - exact| < max(3 standard errors, 1 %), provided the standard error itself is small. Seeds are fixed.

mod basics;
mod batches;
mod caches;
pub(crate) mod common;
mod conservation;
mod law_beside_run;
mod lines;
pub(crate) mod little;
mod loss_and_loops;
mod one_server;
mod own_world;
mod routing;
mod split;
mod timeouts;
