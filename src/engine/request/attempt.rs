//! Attempts that broke: which replica had the request, from when to when, and what was computed in vain.

use crate::facts::BreakReason;
use base::{Maybe, Micros, ReplicaId, RequestId};
use serde::{Deserialize, Serialize};

/// An attempt that broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Whose it was.
    pub request: RequestId,
    /// The replica that had it; none if no replica was known to serve.
    pub replica: Option<ReplicaId>,
    /// When it was routed, and when it joined the wait queue and a batch, if it did.
    pub routed: Micros,
    /// When it joined the wait queue, if it did.
    pub queued: Maybe<Micros>,
    /// When it joined a batch, if it did.
    pub scheduled: Maybe<Micros>,
    /// When it broke.
    pub broke: Micros,
    /// Why.
    pub reason: BreakReason,
    /// Prompt tokens that it had computed.
    pub prefilled: u32,
    /// Tokens of the answer that it had shown.
    pub generated: u32,
}
