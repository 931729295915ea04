//! By priority, then in order of arrival.

use super::Order;
use crate::policy::priority::{PriorityState, WaitingView};
use serde::{Deserialize, Serialize};

/// By priority, one way or the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ByPriority {
    priority: PriorityState,
    reversed: bool,
}

impl ByPriority {
    pub(super) fn highest_first(priority: PriorityState) -> Self {
        Self { priority, reversed: false }
    }

    pub(super) fn lowest_first(priority: PriorityState) -> Self {
        Self { priority, reversed: true }
    }
}

impl Order for ByPriority {
    fn key(&self, request: &WaitingView) -> i64 {
        let urgency = self.priority.of(request);
        if self.reversed { urgency } else { -urgency }
    }
}
