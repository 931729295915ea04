//! By priority, then in order of arrival.

use super::Order;
use crate::policy::priority::WaitingView;
use serde::{Deserialize, Serialize};

/// By priority, one way or the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ByPriority {
    reversed: bool,
}

impl ByPriority {
    pub(super) fn highest_first() -> Self {
        Self { reversed: false }
    }

    pub(super) fn lowest_first() -> Self {
        Self { reversed: true }
    }
}

impl Order for ByPriority {
    fn key(&self, _: &WaitingView, urgency: i64) -> i64 {
        if self.reversed { urgency } else { -urgency }
    }
}
