//! Requests that leave a replica: it puts each into its outbox with the reason, and after its event the cluster does what
//! follows from that.

use crate::facts::BreakReason;
use base::RequestId;

/// Why a request left a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DepartureReason {
    /// It has all its tokens.
    Completed,
    /// It can never be served.
    Dropped,
    /// The wait queue was full.
    Refused,
    /// The replica is taken away: it goes back to the gateway, and the router decides again.
    Redirected,
    /// Its prompt is computed, and another replica decodes it.
    HandedOver,
    /// Its attempt broke; the number of tokens of its prompt that were computed in vain.
    Broken { reason: BreakReason, prefilled: u32 },
}

/// A request that has left its replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Departure {
    pub(crate) request: RequestId,
    pub(crate) why: DepartureReason,
}
