//! What others see of a cluster: progress of requests, checks of the invariants, memory, packed copies.

#[cfg(any(feature = "cli", feature = "closeup"))]
mod blocks;
mod invariants;
mod memory;
mod moving;
mod packed;
mod progress;

use super::fleet::Fleet;
use super::gateway::Gateway;
use super::request::Book;

#[cfg(any(feature = "cli", feature = "closeup"))]
pub use blocks::{HeldBlocks, HeldFor, RequestText};
pub(in crate::engine) use memory::{bytes_alive, bytes_packed_from};
pub(in crate::engine) use packed::{Packed, pack, shows_blocks, unpack};
pub(in crate::engine) use progress::{batch, queue};

/// The parts of a cluster, to be looked at.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Sight<'a> {
    pub(in crate::engine) gateway: &'a Gateway,
    pub(in crate::engine) fleet: &'a Fleet,
    pub(in crate::engine) book: &'a Book,
}
