//! What happens to a request that is prefilled on one replica and decoded on another.

use base::{Micros, ReplicaId, RequestId, Span};
use serde::{Deserialize, Serialize};

/// Why a request is prefilled where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeciderReason {
    /// At home: a mixed replica answers it.
    Mixed,
    /// At home: the decider says so of all requests.
    Never,
    /// At home: no prefill replica serves.
    NoPrefill,
    /// On a prefill replica: the decider says so of all requests.
    Always,
    /// At home: there is little to compute.
    Short,
    /// At home: all prefill replicas have as many prefills in flight as the decider allows.
    Busy,
    /// On a prefill replica: there is much to compute.
    Long,
    /// At home: its answer had begun elsewhere and goes on, as after a preemption.
    Resumed,
}

impl DeciderReason {
    /// All of them, in order.
    pub const ALL: [Self; 8] = [
        Self::Mixed,
        Self::Never,
        Self::NoPrefill,
        Self::Always,
        Self::Short,
        Self::Busy,
        Self::Long,
        Self::Resumed,
    ];

    /// Its name in reports and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mixed => "mixed",
            Self::Never => "never",
            Self::NoPrefill => "no-prefill",
            Self::Always => "always",
            Self::Short => "short",
            Self::Busy => "busy",
            Self::Long => "long",
            Self::Resumed => "resumed",
        }
    }

    /// Whether the request is prefilled on a prefill replica.
    pub fn is_remote(self) -> bool {
        match self {
            Self::Always | Self::Long => true,
            Self::Mixed | Self::Never | Self::NoPrefill | Self::Short | Self::Busy | Self::Resumed => false,
        }
    }
}

/// A request on its way from its prefill replica to its home, the replica that decodes it. Told only where a pool has the role
/// prefill or decode.
#[expect(missing_docs, reason = "the fields are named for what they hold")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum HandoverFact {
    /// With its routing: who answers it, and who prefills it; none for the home itself. `uncached` tokens of its prompt would have
    /// to be computed at home, where the decider looked.
    Decided {
        request: RequestId,
        home: ReplicaId,
        prefill: Option<ReplicaId>,
        reason: DeciderReason,
        uncached: Option<u32>,
    },
    /// Its prompt is computed. It leaves the batch of its prefill replica, which goes on holding `blocks` blocks for its home.
    /// `ttft` is the time to first token as the prefill replica has it.
    Prefilled { request: RequestId, replica: ReplicaId, home: ReplicaId, ttft: Span, blocks: u32 },
    /// It leaves the wait queue of its home: `cached` blocks are pinned there and `blocks` are set aside.
    Reserved { request: RequestId, replica: ReplicaId, class: u32, urgency: i64, blocks: u32, cached: u32 },
    /// The transfer of its blocks starts: `bytes` in all, of which `early` have left during the prefill.
    TransferStarted { request: RequestId, from: ReplicaId, to: ReplicaId, bytes: u64, early: u64 },
    /// The first byte of the transfer moves.
    Flows { request: RequestId, from: ReplicaId, to: ReplicaId },
    /// All bytes are there. The prefill replica releases its blocks.
    Landed { request: RequestId, from: ReplicaId, to: ReplicaId, bytes: u64 },
    /// It joins the batch of its home as a decoder.
    Joined { request: RequestId, replica: ReplicaId, class: u32, urgency: i64 },
    /// Its hand-over ends before the landing: a replica gives back `blocks` blocks that were held or set aside for it.
    GivenUp { request: RequestId, replica: ReplicaId, blocks: u32 },
    /// Its KV will not come: its home computes its prompt itself, at the head of its queue, in which `waiting` requests are now.
    KvLost { request: RequestId, replica: ReplicaId, class: u32, urgency: i64, waiting: u32 },
    /// Its home is lost: its prefill replica goes on holding `blocks` blocks up to `until`, and nobody fetches them.
    Stranded { request: RequestId, replica: ReplicaId, blocks: u32, until: Micros },
    /// A prefill replica gives back blocks that were stranded.
    LeaseOver { request: RequestId, replica: ReplicaId, blocks: u32 },
}

impl HandoverFact {
    pub(super) fn request(self) -> RequestId {
        match self {
            Self::Decided { request, .. }
            | Self::Prefilled { request, .. }
            | Self::Reserved { request, .. }
            | Self::TransferStarted { request, .. }
            | Self::Flows { request, .. }
            | Self::Landed { request, .. }
            | Self::Joined { request, .. }
            | Self::GivenUp { request, .. }
            | Self::KvLost { request, .. }
            | Self::Stranded { request, .. }
            | Self::LeaseOver { request, .. } => request,
        }
    }

    pub(super) fn replica(self) -> ReplicaId {
        match self {
            Self::Decided { home, .. } => home,
            Self::TransferStarted { to, .. } | Self::Flows { to, .. } | Self::Landed { to, .. } => to,
            Self::Prefilled { replica, .. }
            | Self::Reserved { replica, .. }
            | Self::Joined { replica, .. }
            | Self::GivenUp { replica, .. }
            | Self::KvLost { replica, .. }
            | Self::Stranded { replica, .. }
            | Self::LeaseOver { replica, .. } => replica,
        }
    }
}
