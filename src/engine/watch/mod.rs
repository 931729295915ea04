//! What others see of a cluster: progress of requests, checks of the invariants, memory, packed copies.

mod invariants;
mod memory;
mod packed;
mod progress;

pub(in crate::engine) use packed::Packed;
