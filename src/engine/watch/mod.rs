//! What others see of a cluster: progress of requests, checks of the invariants, memory, packed copies.

#[cfg(any(feature = "cli", feature = "closeup"))]
mod blocks;
mod invariants;
mod memory;
mod moving;
mod packed;
mod progress;

use crate::fleet::Fleet;
use crate::gateway::Gateway;
use crate::request::Book;

#[cfg(any(feature = "cli", feature = "closeup"))]
pub use blocks::{HeldBlocks, HeldFor, RequestText};
pub(crate) use memory::{bytes_alive, bytes_packed_from};
pub(crate) use packed::{Packed, pack, shows_blocks, unpack};
pub(crate) use progress::{batch, queue};

/// The parts of a cluster, to be looked at.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'a> {
    pub(crate) gateway: &'a Gateway,
    pub(crate) fleet: &'a Fleet,
    pub(crate) book: &'a Book,
}
