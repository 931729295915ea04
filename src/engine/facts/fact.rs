//! The one stream of facts: what happened, as it happens. Metrics, the event log and the page all read it; what a reader
//! ignores costs nothing.

use super::decision::Decision;
use super::drop_reason::DropReason;
use super::fault_fact::FaultFact;
use super::handover_fact::HandoverFact;
use super::scaling_record::ScalingRecord;
use super::step_terms::{PromptChunk, StepTerms};
use super::tier_news::TierNews;
use crate::policy::Reason;
use crate::policy::scaling::Rule;
use base::{Content, Micros, Piece, ReplicaId, RequestId, Span};
use serde::{Deserialize, Serialize};

/// Something that happened, by what it is about. A reader names the groups that it ignores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fact {
    /// A request on its way, from its arrival to its end.
    Request(RequestFact),
    /// The steps of a replica.
    Replica(ReplicaFact),
    /// The KV cache of a replica: blocks that move between its tiers, and requests for which there are too few.
    Cache(CacheFact),
    /// Replicas that come and go.
    Fleet(FleetFact),
    /// A request on its way from its prefill replica to its home.
    Handover(HandoverFact),
    /// What breaks, and what follows from it.
    Fault(FaultFact),
}

/// A request on its way.
#[expect(missing_docs, reason = "the fields are named for what they hold")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum RequestFact {
    /// A request arrived.
    Arrived { request: RequestId, client: u32, class: u32 },
    /// Admission let it in.
    Admitted { request: RequestId },
    /// It was refused: by admission, by the router, or by the replica it had been sent to.
    Rejected { request: RequestId, reason: Reason, replica: Option<ReplicaId> },
    /// Admission holds it back for now.
    Delayed { request: RequestId, reason: Reason },
    /// It joined the gateway's queue, in the band of this priority.
    Enqueued { request: RequestId, band: i32 },
    /// The gateway's queue sent it on to the router, after that long.
    Dispatched { request: RequestId, band: i32, waited: Span },
    /// It waited in the gateway's queue for as long as it may, and is refused.
    Expired { request: RequestId, band: i32, waited: Span },
    /// The router chose a replica.
    Routed { request: RequestId, replica: ReplicaId },
    /// It joined the wait queue; the replica's priority policy finds it that urgent, larger is more urgent.
    Queued { request: RequestId, replica: ReplicaId, class: u32, urgency: i64 },
    /// It is given up; `waiting` others wait there.
    Dropped {
        request: RequestId,
        replica: ReplicaId,
        class: u32,
        urgency: i64,
        reason: DropReason,
        waiting: u32,
    },
    /// It joined the batch, with `cached` of `prefill` tokens found in the cache.
    Scheduled { request: RequestId, replica: ReplicaId, class: u32, urgency: i64, prefill: u32, cached: u32 },
    /// A step computed `tokens` of a prompt.
    Prefilled { request: RequestId, replica: ReplicaId, tokens: u32 },
    /// The first token of a request was shown.
    FirstToken { request: RequestId, replica: ReplicaId, ttft: Span },
    /// A running request lost its blocks for the `times`-th time and waits again.
    Preempted { request: RequestId, replica: ReplicaId, class: u32, urgency: i64, times: u32 },
    /// All tokens were shown.
    Completed { request: RequestId, replica: ReplicaId, class: u32, ttft: Span, e2e: Span, tokens: u32 },
}

/// The steps of a replica.
#[expect(missing_docs, reason = "the fields are named for what they hold")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReplicaFact {
    /// A step began: `prefill` prompt tokens and `decode` requests decoding one token each, for `span`. Of the replica as
    /// it is now: requests in the batch, requests waiting, blocks in use.
    StepStarted {
        replica: ReplicaId,
        span: Span,
        prefill: u32,
        decode: u32,
        running: u32,
        waiting: u32,
        kv_used: u32,
    },
    /// A step ended.
    StepEnded { replica: ReplicaId },
    /// `count` requests got a further token, each `itl` after the one before.
    Tokens { replica: ReplicaId, itl: Span, count: u32 },
}

/// Where an adapter was before it was loaded to the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AdapterSource {
    /// In CPU memory.
    Cpu,
    /// On disk.
    Disk,
}

impl AdapterSource {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Cpu, Self::Disk];

    /// Its name in logs and rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Disk => "disk",
        }
    }
}

/// The KV cache of a replica, and its adapters.
#[expect(missing_docs, reason = "the fields are named for what they hold")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum CacheFact {
    /// The head of the queue found too few free blocks, and `behind`, which waits after it, would have found enough.
    /// Reported once for each head, and only to a sink that wants it.
    HeadBlocked { request: RequestId, behind: RequestId, replica: ReplicaId },
    /// The head of the queue waits for a place in the batch now, and no longer for blocks.
    HeadUnblocked { request: RequestId, replica: ReplicaId },
    /// While it waits, `blocks` blocks are on their way to it from the CPU tier; they are there at `until`.
    LoadStarted {
        request: RequestId,
        replica: ReplicaId,
        class: u32,
        urgency: i64,
        blocks: u32,
        until: Micros,
    },
    /// They are there.
    Loaded { request: RequestId, replica: ReplicaId, class: u32, urgency: i64, blocks: u32 },
    /// Before it could join the batch, it gave back the `blocks` blocks it held.
    LoadGivenUp { request: RequestId, replica: ReplicaId, blocks: u32 },
    /// Since the latest step began, `blocks` blocks were written to the CPU tier, which forgot `forgotten` others.
    Offloaded { replica: ReplicaId, blocks: u32, forgotten: u32 },
    /// To make room for it, `blocks` blocks came back from the CPU tier of BLIS right after they had gone there.
    ReloadedEarly { request: RequestId, replica: ReplicaId, blocks: u32 },
    /// Its adapter is loaded to the GPU in the step that it joins, which waits `took` for it; `evicted` lost its slot, 0 if
    /// there was a free one.
    AdapterLoaded {
        request: RequestId,
        replica: ReplicaId,
        adapter: u32,
        source: AdapterSource,
        evicted: u32,
        took: Span,
    },
    /// A thousand preemptions on one replica and nothing finished between them.
    Livelock { request: RequestId, replica: ReplicaId },
}

/// Replicas that come and go, and requests that must leave them.
#[expect(missing_docs, reason = "the fields are named for what they hold")]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum FleetFact {
    /// An autoscaler wants `to` replicas of a pool instead of `from`.
    Scaled { pool: u32, from: u32, to: u32, rule: Rule },
    /// A replica of that pool has its GPUs, and will serve at `until`.
    Starting { replica: ReplicaId, pool: u32, until: Micros },
    /// A new replica serves, and its first requests find it cold.
    Cold { replica: ReplicaId },
    /// It is warm.
    Warm { replica: ReplicaId },
    /// It is not wanted any more before it serves.
    StartGivenUp { replica: ReplicaId },
    /// A request goes back to the router, because its replica is taken away; `waiting` others wait there.
    Redirected { request: RequestId, replica: ReplicaId, class: u32, urgency: i64, waiting: u32 },
    /// A replica of that pool joined the fleet, or takes new requests again.
    Serving { replica: ReplicaId, pool: u32 },
    /// A replica gets no new requests from now on.
    Draining { replica: ReplicaId },
}

impl From<RequestFact> for Fact {
    #[inline]
    fn from(fact: RequestFact) -> Self {
        Self::Request(fact)
    }
}

impl From<ReplicaFact> for Fact {
    #[inline]
    fn from(fact: ReplicaFact) -> Self {
        Self::Replica(fact)
    }
}

impl From<CacheFact> for Fact {
    #[inline]
    fn from(fact: CacheFact) -> Self {
        Self::Cache(fact)
    }
}

impl From<FleetFact> for Fact {
    #[inline]
    fn from(fact: FleetFact) -> Self {
        Self::Fleet(fact)
    }
}

impl From<HandoverFact> for Fact {
    #[inline]
    fn from(fact: HandoverFact) -> Self {
        Self::Handover(fact)
    }
}

impl From<FaultFact> for Fact {
    #[inline]
    fn from(fact: FaultFact) -> Self {
        Self::Fault(fact)
    }
}

impl Fact {
    /// The request that it is about; `None` if it is about a replica.
    pub fn request(&self) -> Option<RequestId> {
        match *self {
            Self::Request(fact) => Some(fact.request()),
            Self::Replica(_) => None,
            Self::Cache(fact) => fact.request(),
            Self::Fleet(fact) => fact.request(),
            Self::Handover(fact) => Some(fact.request()),
            Self::Fault(fact) => fact.request(),
        }
    }

    /// The replica that it is about; `None` if it happened at the gateway.
    pub fn replica(&self) -> Option<ReplicaId> {
        match *self {
            Self::Request(fact) => fact.replica(),
            Self::Replica(fact) => Some(fact.replica()),
            Self::Cache(fact) => Some(fact.replica()),
            Self::Fleet(fact) => fact.replica(),
            Self::Handover(fact) => Some(fact.replica()),
            Self::Fault(fact) => fact.replica(),
        }
    }
}

impl RequestFact {
    fn request(self) -> RequestId {
        match self {
            Self::Arrived { request, .. }
            | Self::Admitted { request }
            | Self::Rejected { request, .. }
            | Self::Delayed { request, .. }
            | Self::Enqueued { request, .. }
            | Self::Dispatched { request, .. }
            | Self::Expired { request, .. }
            | Self::Routed { request, .. }
            | Self::Queued { request, .. }
            | Self::Dropped { request, .. }
            | Self::Scheduled { request, .. }
            | Self::Prefilled { request, .. }
            | Self::FirstToken { request, .. }
            | Self::Preempted { request, .. }
            | Self::Completed { request, .. } => request,
        }
    }

    fn replica(self) -> Option<ReplicaId> {
        match self {
            Self::Arrived { .. }
            | Self::Admitted { .. }
            | Self::Delayed { .. }
            | Self::Enqueued { .. }
            | Self::Dispatched { .. }
            | Self::Expired { .. } => None,
            Self::Rejected { replica, .. } => replica,
            Self::Routed { replica, .. }
            | Self::Queued { replica, .. }
            | Self::Dropped { replica, .. }
            | Self::Scheduled { replica, .. }
            | Self::Prefilled { replica, .. }
            | Self::FirstToken { replica, .. }
            | Self::Preempted { replica, .. }
            | Self::Completed { replica, .. } => Some(replica),
        }
    }
}

impl ReplicaFact {
    fn replica(self) -> ReplicaId {
        match self {
            Self::StepStarted { replica, .. }
            | Self::StepEnded { replica }
            | Self::Tokens { replica, .. } => replica,
        }
    }
}

impl CacheFact {
    fn request(self) -> Option<RequestId> {
        match self {
            Self::HeadBlocked { request, .. }
            | Self::HeadUnblocked { request, .. }
            | Self::LoadStarted { request, .. }
            | Self::Loaded { request, .. }
            | Self::LoadGivenUp { request, .. }
            | Self::ReloadedEarly { request, .. }
            | Self::AdapterLoaded { request, .. }
            | Self::Livelock { request, .. } => Some(request),
            Self::Offloaded { .. } => None,
        }
    }

    fn replica(self) -> ReplicaId {
        match self {
            Self::HeadBlocked { replica, .. }
            | Self::HeadUnblocked { replica, .. }
            | Self::LoadStarted { replica, .. }
            | Self::Loaded { replica, .. }
            | Self::LoadGivenUp { replica, .. }
            | Self::Offloaded { replica, .. }
            | Self::ReloadedEarly { replica, .. }
            | Self::AdapterLoaded { replica, .. }
            | Self::Livelock { replica, .. } => replica,
        }
    }
}

impl FleetFact {
    fn request(self) -> Option<RequestId> {
        match self {
            Self::Redirected { request, .. } => Some(request),
            Self::Scaled { .. }
            | Self::Starting { .. }
            | Self::Cold { .. }
            | Self::Warm { .. }
            | Self::StartGivenUp { .. }
            | Self::Serving { .. }
            | Self::Draining { .. } => None,
        }
    }

    fn replica(self) -> Option<ReplicaId> {
        match self {
            Self::Scaled { .. } => None,
            Self::Starting { replica, .. }
            | Self::Cold { replica }
            | Self::Warm { replica }
            | Self::StartGivenUp { replica }
            | Self::Redirected { replica, .. }
            | Self::Serving { replica, .. }
            | Self::Draining { replica } => Some(replica),
        }
    }
}

/// What a step takes beyond what its decoding requests alone would take by the latency model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepParts {
    /// For the prompts that it computes.
    pub prompts: Span,
    /// For transfers from the CPU tier that it waits for.
    pub transfers: Span,
    /// For loads of adapters that it waits for.
    pub adapters: Span,
}

/// A reader of facts.
pub trait Sink {
    /// Called once for each fact, in order. Times never decrease.
    fn fact(&mut self, at: Micros, fact: Fact);

    /// Whether it wants the router's view behind the decision for this request, with this number of replicas.
    fn wants_decision(&self, _request: RequestId, _replicas: usize) -> bool {
        false
    }

    /// Whether it wants to know what steps take their time for.
    fn wants_step_parts(&self) -> bool {
        false
    }

    /// Called before [`ReplicaFact::StepStarted`], of the same step, if wanted.
    fn step_parts(&mut self, _: StepParts) {}

    /// Whether it wants to know what the time of each step is made of.
    fn wants_step_terms(&self) -> bool {
        false
    }

    /// Called before [`ReplicaFact::StepStarted`], of the same step, if wanted; with the tokens of contexts that the step reads for the
    /// requests that decode.
    fn step_terms(&mut self, _: StepTerms, _context: u64) {}

    /// Called between the two, of the same step, if wanted: once for each prompt in it, in batch order.
    fn step_chunk(&mut self, _: PromptChunk) {}

    /// Whether it wants [`CacheFact::HeadBlocked`] and [`CacheFact::HeadUnblocked`].
    fn wants_blocked_heads(&self) -> bool {
        false
    }

    /// Whether it wants to know the texts of requests.
    fn wants_texts(&self) -> bool {
        false
    }

    /// Called after [`RequestFact::Arrived`], of the same request, if wanted: its prompt and its answer.
    fn text(&mut self, _: RequestId, _prompt: &Content, _answer: Piece) {}

    /// Called where there are tiers below the GPU, as blocks are found in them and move between them.
    fn tiers(&mut self, _: Micros, _: TierNews) {}

    /// Called after each routing decision, at its instant, if wanted.
    fn decision(&mut self, _: Micros, _: &Decision) {}

    /// Called after each decision of an autoscaler, at its instant.
    fn scaled(&mut self, _: &ScalingRecord) {}
}

/// Reads nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ignore;

impl Sink for Ignore {
    fn fact(&mut self, _: Micros, _: Fact) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_six_words() {
        assert_eq!(size_of::<Fact>(), 48);
    }
}
