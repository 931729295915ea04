//! Events, their order, and the choice of the replica whose event runs next.

mod event;
mod tournament;

pub(in crate::engine) use event::{ClusterEvent, Event, EventQueue, ReplicaEvent};
pub(in crate::engine) use tournament::Tournament;
