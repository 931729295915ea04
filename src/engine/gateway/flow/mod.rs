//! Flow control: requests that wait at the gateway in bands of priority while the replicas are saturated.
//!
//! An attempt sends at most one request on. There is one at each arrival, and one at each tick at which another outcome than
//! at the attempt before is possible.

mod attempt;
mod change;
mod evict;
mod expire;
mod gauge;
mod lane;
mod queue;

pub(in crate::gateway) use gauge::Gauge;
pub use queue::BandSight;
pub(crate) use queue::FlowQueue;
