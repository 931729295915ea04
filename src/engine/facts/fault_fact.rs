//! Facts of what breaks: replicas that crash, attempts that break, and what becomes of their requests.

use super::fact::DropReason;
use crate::base::{Micros, ReplicaId, RequestId, Span};
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
    /// Its prefill replica crashed before its KV was at its home.
    KvLost,
    /// The transfer of its KV took too long.
    TransferTimeout,
}

impl BreakReason {
    /// All of them, in order.
    pub const ALL: [Self; 5] =
        [Self::Crash, Self::Refused, Self::NoReplica, Self::KvLost, Self::TransferTimeout];

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
            Self::KvLost => DropReason::KvLost,
            Self::TransferTimeout => DropReason::TransferTimeout,
        }
    }
}

/// What a fault that lasts for a while is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FaultKind {
    /// Its steps take longer.
    Slow,
    /// No step of it begins or ends.
    Stuck,
    /// Its network ports carry less.
    TransferLink,
}

impl FaultKind {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Slow, Self::Stuck, Self::TransferLink];

    /// Its name in scenarios, reports and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Stuck => "stuck",
            Self::TransferLink => "transfer-link",
        }
    }

    /// What a replica is, in a sentence.
    pub fn state(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Stuck => "stuck",
            Self::TransferLink => "on a slow link",
        }
    }
}

/// Something broke, or works again.
#[expect(missing_docs, reason = "the fields are named for what they hold")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum FaultFact {
    /// A replica of that pool crashed. It serves again at `until`; never if that is the end of time.
    Down { replica: ReplicaId, pool: u32, until: Micros },
    /// It is there again, with an empty cache.
    Restarted { replica: ReplicaId, pool: u32 },
    /// Routers know from now on whether it serves.
    Noticed { replica: ReplicaId, serves: bool },
    /// A fault of a replica that lasts for a while began; it is over at `until`, never if that is the end of time.
    Began { replica: ReplicaId, kind: FaultKind, until: Micros },
    /// It is over.
    Ended { replica: ReplicaId, kind: FaultKind },
    /// Attempt number `attempt` of a request broke, after so many tokens of its prompt were computed and so many of its answer
    /// were shown; `waiting` others wait there.
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
    /// It is lost: it has no attempt left, no budget is left for one, or its answer had begun.
    Lost { request: RequestId, class: u32, reason: BreakReason, denied: bool },
}

impl FaultFact {
    pub(super) fn request(self) -> Option<RequestId> {
        match self {
            Self::Broken { request, .. } | Self::Retried { request, .. } | Self::Lost { request, .. } => {
                Some(request)
            }
            Self::Down { .. }
            | Self::Restarted { .. }
            | Self::Noticed { .. }
            | Self::Began { .. }
            | Self::Ended { .. } => None,
        }
    }

    pub(super) fn replica(self) -> Option<ReplicaId> {
        match self {
            Self::Down { replica, .. }
            | Self::Restarted { replica, .. }
            | Self::Noticed { replica, .. }
            | Self::Began { replica, .. }
            | Self::Ended { replica, .. } => Some(replica),
            Self::Broken { replica, .. } => replica,
            Self::Retried { .. } | Self::Lost { .. } => None,
        }
    }
}
