//! Policies: admission, routing, priority, scheduling and scaling. A policy gets read-only views and returns
//! decisions; it never touches the engine's state.
//!
//! Each policy is a file with one struct; the state enums below derive what snapshots need, and their `match` is the
//! only dispatch. docs/how-to/recipes.md lists the places a new policy touches.

pub mod admission;
pub mod flow;
pub mod kv_source;
pub mod priority;
mod reason;
pub mod routing;
pub mod scaling;
pub mod scheduling;
mod view;

pub use reason::Reason;
pub use view::{AdapterView, PoolView, ReplicaPhase, ReplicaView, RequestView, Signals};
