//! A reference to a request in the system.

use serde::{Deserialize, Serialize};

/// A reference to a request in the system. It carries the generation of its slot, so that one that outlives its request
/// never finds the next request in the same slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Slot {
    pub(super) index: u32,
    pub(super) generation: u32,
}

impl Slot {
    /// No request.
    pub(crate) const NONE: Self = Self { index: u32::MAX, generation: u32::MAX };

    /// As numbers; zeros if it is none.
    pub(crate) fn numbers(self) -> [u32; 2] {
        [self.index.wrapping_add(1), self.generation.wrapping_add(1)]
    }

    /// Of these numbers.
    pub(crate) fn of(index: u32, generation: u32) -> Self {
        Self { index: index.wrapping_sub(1), generation: generation.wrapping_sub(1) }
    }
}
