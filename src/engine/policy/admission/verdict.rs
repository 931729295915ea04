//! What an admission policy sees and decides.

use crate::policy::{Reason, RequestView};
use base::Micros;
use document::OverLimit;

/// When admission decides again on a delayed request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryWhen {
    /// At this instant, which lies in the future.
    At(Micros),
    /// When an admitted request leaves. Only used while there is one.
    WhenOneLeaves,
}

/// The decision about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on to the router.
    Admit,
    /// It is refused, for this reason.
    Reject(Reason),
    /// It waits at the gateway, for this reason.
    Delay(Reason, RetryWhen),
}

/// What a decision may depend on beside the request. Requests in flight were admitted and have neither finished nor been dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Circumstances {
    /// Requests in flight in the whole cluster.
    pub cluster: u32,
    /// Requests in flight of the tenant of the request being decided.
    pub tenant: u32,
    /// How saturated the replicas are; only for a policy that goes by it.
    pub saturation: f64,
}

/// An admission policy.
pub(super) trait Admission {
    /// Decides about one request.
    fn decide(&mut self, request: &RequestView<'_>, seen: Circumstances) -> Verdict;

    /// The number of the queue in which a tenant's requests wait when they are delayed; each is first come first served.
    fn queue(&self, _tenant: u32) -> u32 {
        0
    }

    /// Whether a request of a session is decided on although others wait in its queue.
    fn overtakes(&self, _session: u32, _now: Micros) -> bool {
        false
    }

    /// A request of a session that was let in has left.
    fn left(&mut self, _session: u32, _now: Micros) {}
}

/// The verdict of a policy that limits requests in flight.
pub(super) fn over_count(under_way: u32, most: u32, reason: Reason, then: OverLimit) -> Verdict {
    match then {
        _ if under_way < most => Verdict::Admit,
        OverLimit::Reject => Verdict::Reject(reason),
        OverLimit::Delay => Verdict::Delay(reason, RetryWhen::WhenOneLeaves),
    }
}

/// The verdict of a policy that limits arrivals, from the answer of its bucket.
pub(super) fn over_time(taken: Result<(), Option<Micros>>, reason: Reason, then: OverLimit) -> Verdict {
    match (taken, then) {
        (Ok(()), _) => Verdict::Admit,
        (Err(Some(at)), OverLimit::Delay) => Verdict::Delay(reason, RetryWhen::At(at)),
        (Err(_), _) => Verdict::Reject(reason),
    }
}
