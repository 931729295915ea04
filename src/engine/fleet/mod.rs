//! The replicas of all pools: how they start, drain and stop, and the autoscalers that decide how many there are.

mod adopt;
mod blueprint;
mod crash;
mod decided;
mod finishes;
mod lockstep;
mod phases;
mod scaling;
mod scaling_group;
mod scrape;
mod state;

pub use adopt::replicas_started;
pub use scaling::PoolCounts;

pub(crate) use adopt::Adoption;
pub(crate) use crash::{BrokenTransfer, Crash, PlannedRestart};
pub(crate) use scrape::GatewayQueue;
pub(crate) use state::{Change, Fleet};
