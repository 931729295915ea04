//! Facts of what breaks: replicas that crash, attempts that break, and what becomes of their requests.

use super::drop_reason::DropReason;
use super::fault_kind::FaultKind;
use base::{Micros, ReplicaId, RequestId, Span};
use serde::{Deserialize, Serialize};

/// Why an attempt broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BreakReason {
    /// Its replica crashed.
    Crash,
    /// Its replica was down, and routers did not know yet.
    Refused,
    /// No replica was known to serve.
    NoReplica,
    /// Its replica could not be reached.
    Unreachable,
    /// Its prefill replica crashed before its KV was at its home.
    KvLost,
    /// The transfer of its KV took too long.
    TransferTimeout,
}

impl BreakReason {
    /// All of them, in order.
    pub const ALL: [Self; 6] =
        [Self::Crash, Self::Refused, Self::NoReplica, Self::Unreachable, Self::KvLost, Self::TransferTimeout];

    /// Its name in reports and logs.
    pub fn name(self) -> &'static str {
        self.lost().name()
    }

    /// Why a request is given up whose last attempt broke so.
    pub fn lost(self) -> DropReason {
        match self {
            Self::Crash => DropReason::Crash,
            Self::Refused => DropReason::Refused,
            Self::NoReplica => DropReason::NoReplica,
            Self::Unreachable => DropReason::Unreachable,
            Self::KvLost => DropReason::KvLost,
            Self::TransferTimeout => DropReason::TransferTimeout,
        }
    }
}

/// Why routers leave a replica out that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EjectedBy {
    /// Its probes failed.
    Probe,
    /// Its attempts broke.
    Outliers,
}

impl EjectedBy {
    /// All of them, in order.
    pub const ALL: [Self; 2] = [Self::Probe, Self::Outliers];

    /// Its name in reports and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Probe => "probe",
            Self::Outliers => "outlier",
        }
    }
}

/// Something broke, or works again.
#[expect(missing_docs, reason = "the fields are named for what they hold")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum FaultFact {
    /// A replica of that pool crashed, or is restarted as planned, and loses `blocks` KV blocks that were in use or cached. It
    /// serves again at `until`; never if that is the end of time.
    Down { replica: ReplicaId, pool: u32, until: Micros, planned: bool, blocks: u32 },
    /// It is there again, with an empty cache.
    Restarted { replica: ReplicaId, pool: u32 },
    /// Routers know from now on whether it serves.
    Noticed { replica: ReplicaId, serves: bool },
    /// A fault of a replica, or of all of them, that lasts for a while began; it is over at `until`, never if that is the end of time.
    Began { replica: Option<ReplicaId>, kind: FaultKind, until: Micros },
    /// It is over.
    Ended { replica: Option<ReplicaId>, kind: FaultKind },
    /// Routers leave a replica out from now on, though it runs; until then, or until its probes pass if that is the end of time.
    Ejected { replica: ReplicaId, pool: u32, by: EjectedBy, until: Micros },
    /// That is over.
    Readmitted { replica: ReplicaId, pool: u32, by: EjectedBy },
    /// Attempt number `attempt` of a request broke. Of its prompt `prefilled` tokens were computed, of its answer `generated` tokens
    /// were shown; `waiting` other requests wait at the replica.
    Broken {
        request: RequestId,
        replica: Option<ReplicaId>,
        reason: BreakReason,
        class: u32,
        urgency: i64,
        attempt: u32,
        prefilled: u32,
        generated: u32,
        waiting: u32,
    },
    /// After a back-off the router decides again about it.
    Retried { request: RequestId, attempt: u32, backoff: Span },
    /// A request arrived from a client that gave up on the same text before: its retry number `times`.
    CameAgain { request: RequestId, times: u32 },
    /// It is lost: it has no attempt left, no budget is left for one, or its answer had begun.
    Lost { request: RequestId, class: u32, reason: BreakReason, denied: bool },
}

impl FaultFact {
    pub(super) fn request(self) -> Option<RequestId> {
        match self {
            Self::Broken { request, .. }
            | Self::Retried { request, .. }
            | Self::CameAgain { request, .. }
            | Self::Lost { request, .. } => Some(request),
            Self::Down { .. }
            | Self::Restarted { .. }
            | Self::Noticed { .. }
            | Self::Ejected { .. }
            | Self::Readmitted { .. }
            | Self::Began { .. }
            | Self::Ended { .. } => None,
        }
    }

    pub(super) fn replica(self) -> Option<ReplicaId> {
        match self {
            Self::Down { replica, .. }
            | Self::Restarted { replica, .. }
            | Self::Noticed { replica, .. }
            | Self::Ejected { replica, .. }
            | Self::Readmitted { replica, .. } => Some(replica),
            Self::Broken { replica, .. } | Self::Began { replica, .. } | Self::Ended { replica, .. } => {
                replica
            }
            Self::Retried { .. } | Self::CameAgain { .. } | Self::Lost { .. } => None,
        }
    }
}
