//! What a scheduler with an order of its own gives.

use crate::policy::priority::WaitingView;

/// A scheduler that orders its queue.
pub(super) trait Order {
    /// The first sort key, before arrival and rank, for a request of this urgency; smaller goes first.
    fn key(&self, request: &WaitingView, urgency: i64) -> i64;
}
