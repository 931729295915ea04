//! Requests that leave a replica: it puts each into its outbox with the reason, and after its event the cluster does what
//! follows from that.

use crate::base::RequestId;

/// Why a request left a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum DepartureReason {
    /// It has all its tokens.
    Completed,
    /// It can never be served.
    Dropped,
    /// The wait queue was full.
    Refused,
    /// The replica is taken away: it goes back to the gateway, and the router decides again.
    Redirected,
}

/// A request that has left its replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Departure {
    pub(in crate::engine) request: RequestId,
    pub(in crate::engine) why: DepartureReason,
}
