//! Events, their order, and the choice of the replica whose event runs next.

mod cluster_clock;
mod event;
mod tournament;

pub(crate) use cluster_clock::Clock;
pub(crate) use event::{ClusterEvent, Event, EventQueue, ReplicaEvent, ScalingEvent};
