//! What a cluster does as a whole, between events and across its parts.

pub(crate) mod answers;
pub(crate) mod edits;
pub(crate) mod faults;
pub(crate) mod handover;
pub(crate) mod handover_lost;
pub(crate) mod lower;
mod pauses;
pub(crate) mod probes;
pub(crate) mod standstill;
