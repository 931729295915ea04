//! The replicas of all pools: how they start, drain and stop, and the autoscalers that decide how many there are.

mod blueprint;
mod phases;
mod scaling;
mod scaling_group;
mod scrape;

pub use scaling::PoolCounts;

pub(in crate::engine) use blueprint::Blueprint;
pub(in crate::engine) use scaling::{Scaling, ScalingEvent};
