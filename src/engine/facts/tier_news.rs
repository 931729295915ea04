//! What happens in the tiers below the GPU: for those who follow single blocks and flows. It is no part of the event log.

use base::{ReplicaId, RequestId};
use serde::{Deserialize, Serialize};

/// What a flow of blocks does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FlowKind {
    /// It brings blocks up to CPU memory, or to the GPU where there is none.
    Read,
    /// It writes blocks to a tier below.
    Write,
    /// It brings blocks up to CPU memory before a turn: the number of the prefetch.
    Prefetch(u32),
}

/// How a flow of blocks ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowOutcome {
    /// Its blocks are there.
    Landed,
    /// They will not come: a lease was over, or an end of it broke.
    Failed,
    /// Nobody wants them any more.
    Cancelled,
}

/// Something that happened in the tiers below the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TierNews {
    /// A request joins the batch, or loads what it needs to: how many blocks of its prompt were at a level. Level 0 is the GPU,
    /// which comes first, and 1 is CPU memory.
    Found {
        /// The request.
        request: RequestId,
        /// Where.
        replica: ReplicaId,
        /// Which level.
        level: u32,
        /// How many blocks.
        blocks: u32,
    },
    /// A request waits for blocks on their way to CPU memory.
    FetchAsked {
        /// The request.
        request: RequestId,
    },
    /// It waits no more.
    FetchEnded {
        /// The request.
        request: RequestId,
    },
    /// What lay below CPU memory was not worth its way to a request.
    ReadRefused {
        /// The request.
        request: RequestId,
    },
    /// Blocks of a request may be pulled from another replica.
    Source {
        /// The request.
        request: RequestId,
        /// That replica.
        from: ReplicaId,
    },
    /// Blocks set out.
    FlowAsked {
        /// The number of the flow.
        flow: u32,
        /// What it does.
        kind: FlowKind,
        /// For which replica.
        replica: ReplicaId,
        /// Which of its tiers below CPU memory.
        tier: u32,
        /// Who reads.
        request: Option<RequestId>,
        /// The other replica from whose CPU memory it reads.
        source: Option<ReplicaId>,
        /// How many blocks.
        blocks: u32,
        /// Their bytes.
        bytes: u64,
    },
    /// The first byte of a flow moves.
    FlowBegan {
        /// The number of the flow.
        flow: u32,
    },
    /// A flow is over.
    FlowEnded {
        /// The number of the flow.
        flow: u32,
        /// How it ended.
        outcome: FlowOutcome,
    },
}
