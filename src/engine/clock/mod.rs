//! Events, their order, and the choice of the replica whose event runs next.

mod cluster_clock;
mod event;
mod tournament;

pub(in crate::engine) use cluster_clock::Clock;
pub(in crate::engine) use event::{ClusterEvent, Event, EventQueue, ReplicaEvent, ScalingEvent};
