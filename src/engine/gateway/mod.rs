//! The gateway: arrival, admission, routing, and requests that wait there.

mod admission_queue;
mod around;
mod attempts;
mod departure;
mod ejection;
mod flow;
mod held_requests;
mod kv_source;
mod late;
mod picture;
mod redirect;
mod roles;
mod routing;
mod servers;
mod state;
mod targets;
mod tier_shares;
mod unreachable;

pub use attempts::AttemptCounts;
pub use redirect::{NotRedirected, WhyNot};

pub(crate) use around::Around;
pub(crate) use ejection::Ejection;
pub use flow::BandSight;
pub(crate) use flow::FlowQueue;
pub(crate) use late::FROZEN;
pub(crate) use state::Gateway;
