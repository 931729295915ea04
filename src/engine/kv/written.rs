//! When a block is written to a tier below the GPU.

use serde::{Deserialize, Serialize};

/// When a block is written to a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Written {
    /// As it enters the tier above by being computed.
    WhenFull,
    /// When the request that holds it completes.
    WhenReleased,
    /// After a number of requests have had it.
    WhenHit(u32),
    /// When the tier above forgets it.
    WhenEvicted,
    /// Never.
    Never,
}
