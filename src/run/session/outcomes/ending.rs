//! The outcome of a request by its objectives.

use serde::{Deserialize, Serialize};

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// All tokens shown, every objective of its class met.
    Met,
    /// All tokens shown, some objective missed.
    Missed,
    /// Refused by admission, the router or a full wait queue.
    Refused,
    /// Impossible to serve, or timed out.
    Dropped,
    /// Still in the system, and beyond an objective already.
    Late,
    /// Still in the system, and within its objectives so far.
    Open,
}

impl Ending {
    /// Whether all its tokens were shown.
    pub fn finished(self) -> bool {
        matches!(self, Self::Met | Self::Missed)
    }

    /// Whether its objectives are decided: it finished, was refused or was dropped. Shares of requests that met their
    /// objectives are among these; requests still in the system do not count.
    pub fn decided(self) -> bool {
        !self.unfinished()
    }

    /// Whether it was still in the system.
    pub fn unfinished(self) -> bool {
        matches!(self, Self::Late | Self::Open)
    }
}
