//! The request's own, as its client says.

use super::{Priority, WaitingView};
use serde::{Deserialize, Serialize};

/// What the request came with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnPriority;

impl Priority for OwnPriority {
    fn of(&self, request: &WaitingView) -> i64 {
        i64::from(request.priority)
    }
}
