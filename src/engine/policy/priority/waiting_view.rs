//! What a priority policy sees and gives.

use base::Micros;

/// What a priority policy may know of a request.
#[derive(Clone, Copy, Debug)]
pub struct WaitingView {
    /// When it arrived at the gateway.
    pub arrival: Micros,
    /// Number of its tenant.
    pub tenant: u32,
    /// Number of its SLO class.
    pub class: u32,
    /// What it came with; larger is more urgent.
    pub priority: i32,
    /// Prompt length in tokens.
    pub prompt_tokens: u32,
    /// Breaks ties.
    pub rank: u32,
}

/// A priority policy.
pub(super) trait Priority {
    /// How urgent it is; larger is more urgent.
    fn of(&self, request: &WaitingView) -> i64;
}
