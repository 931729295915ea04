//! By age. BLIS's "slo-based" priority is 10^-6 times the age, so at any instant the order is that of arrival.

use super::{Priority, WaitingView};
use serde::{Deserialize, Serialize};

/// By age, one way or the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Age {
    /// The longest waiting is the most urgent.
    OldestFirst,
    /// The latest arrival is the most urgent.
    LatestFirst,
}

impl Priority for Age {
    fn of(&self, request: &WaitingView) -> i64 {
        let arrival = i64::try_from(request.arrival.0).expect("INV-3: instants are below 2^53");
        match self {
            Self::OldestFirst => -arrival,
            Self::LatestFirst => arrival,
        }
    }
}
