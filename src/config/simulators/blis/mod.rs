//! BLIS: its policy bundle in both directions, its nodes and its workload as imports.

pub(crate) mod candidate;
pub(crate) mod fleet;
mod map;
pub(crate) mod read;
pub(crate) mod workload;
pub(crate) mod write;
