//! Admission: is a request let in?

mod always_admit;

use super::{ReplicaView, RequestView};
use crate::scenario::AdmissionPolicy;
use serde::{Deserialize, Serialize};

/// The answer to a request that asks to be let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on to the router.
    Admit,
    /// It is refused, for this reason.
    Reject(&'static str),
}

/// An admission policy.
trait Admission {
    /// Decides on one request; `replicas` are those that take new requests.
    fn decide(&mut self, request: &RequestView<'_>, replicas: &[ReplicaView]) -> Verdict;
}

/// The state of the admission policy in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AdmissionState {
    /// See [`AdmissionPolicy::AlwaysAdmit`].
    AlwaysAdmit(always_admit::AlwaysAdmit),
}

impl AdmissionState {
    /// The policy at its beginning.
    pub fn new(policy: &AdmissionPolicy) -> Self {
        match policy {
            AdmissionPolicy::AlwaysAdmit => Self::AlwaysAdmit(always_admit::AlwaysAdmit),
        }
    }

    /// Decides on one request.
    pub fn decide(&mut self, request: &RequestView<'_>, replicas: &[ReplicaView]) -> Verdict {
        match self {
            Self::AlwaysAdmit(p) => p.decide(request, replicas),
        }
    }
}
