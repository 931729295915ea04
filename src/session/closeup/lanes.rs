//! Lanes: the steps of every replica between two instants, with what the time of each was made of, and the requests of one of them.

use crate::observe::Segment;
use crate::session::Session;
use serde::{Deserialize, Serialize};

/// A query for the lanes between two instants.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanesQuery {
    /// Start, in microseconds.
    pub from_us: u64,
    /// End, in microseconds; what is after the playhead is empty.
    pub to_us: u64,
    /// The replica whose requests are listed.
    #[cfg_attr(feature = "schema", ts(optional))]
    pub replica: Option<u32>,
    /// Most slices of a lane: with more steps than that, neighbours are merged. 0 asks for the totals alone.
    pub most: u32,
    /// Most requests listed.
    pub requests: u32,
}

/// What the time of one or more steps was made of, in microseconds. The parts add up to the steps.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTerms {
    /// A step of one request with an empty cache: launches, and the weights read once.
    pub base_us: u64,
    /// The further requests that decode.
    pub batch_us: u64,
    /// Reading the KV of the requests that decode.
    pub kv_us: u64,
    /// The prompt tokens.
    pub prefill_us: u64,
    /// Waiting for blocks from the CPU tier.
    pub transfers_us: u64,
    /// Waiting for adapters.
    pub adapters_us: u64,
    /// Waiting for others: ranks in lock step, stages of a pipe.
    pub others_us: u64,
}

/// The slices of a lane, as columns of equal length, in order. A slice is a step, or neighbouring steps merged.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LaneSteps {
    /// Number of the first step of the slice among those of its replica, from 0.
    pub seq: Vec<u64>,
    /// How many steps it is.
    pub steps: Vec<u32>,
    /// Start.
    pub at_us: Vec<u64>,
    /// From the start of its first step to the end of its last.
    pub span_us: Vec<u64>,
    /// The part of it in which steps ran.
    pub busy_us: Vec<u64>,
    /// Time for prompt tokens.
    pub prefill_us: Vec<u64>,
    /// Prompt tokens computed.
    pub prompt_tokens: Vec<u32>,
    /// Requests that decoded; the mean, rounded, of merged steps.
    pub decode: Vec<u32>,
}

/// Figures of the steps of a replica that began in the span.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StepTotals {
    /// Number of steps.
    pub steps: u64,
    /// Median of their times; missing without steps.
    pub p50_us: Option<u64>,
    /// 99th percentile of their times; missing without steps.
    pub p99_us: Option<u64>,
    /// Prompt tokens computed.
    pub prompt_tokens: u64,
    /// Tokens produced: one of each request that decoded or finished its prompt.
    pub output_tokens: u64,
    /// Their time, by what it was for.
    pub terms: StepTerms,
}

/// The lane of a replica.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lane {
    /// Number of the replica.
    pub replica: u32,
    /// Its slices.
    pub steps: LaneSteps,
    /// Figures of the span.
    pub totals: StepTotals,
}

/// A routing decision.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LaneMark {
    /// When.
    pub at_us: u64,
    /// The request.
    pub request: u32,
    /// Number of its client.
    pub client: u32,
    /// The replica chosen.
    pub replica: u32,
}

/// A request in the open lane.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LaneRequest {
    /// Its number.
    pub request: u32,
    /// Number of its client.
    pub client: u32,
    /// The row that it is packed into: the first that is free when it comes, in order of arrival.
    pub row: u32,
    /// When it was routed.
    pub from_us: u64,
    /// When it left, or the playhead.
    pub to_us: u64,
    /// Its first slice here: the start of the step that computed its first chunk, if there was one in what is kept.
    pub first_step_us: Option<u64>,
    /// What it did and waited for, clipped to the span.
    pub parts: Vec<Segment>,
}

/// The requests of one replica.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenLane {
    /// Number of the replica.
    pub replica: u32,
    /// Its requests in the span, in order of arrival.
    pub requests: Vec<LaneRequest>,
    /// Requests in the span beyond the limit, which are not listed.
    pub more: u32,
    /// Rows that they take.
    pub rows: u32,
    /// Instants at which its batch changed, and from then on the running and the waiting requests.
    pub batch_us: Vec<u64>,
    /// Running requests from that instant on.
    pub running: Vec<u32>,
    /// Waiting requests from that instant on.
    pub waiting: Vec<u32>,
}

/// The lanes of all replicas.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lanes {
    /// The playhead.
    pub now_us: u64,
    /// Start of the span.
    pub from_us: u64,
    /// End of the span.
    pub to_us: u64,
    /// Steps are kept from this instant on; earlier ones come back by going back to them.
    pub kept_from_us: u64,
    /// A lane for each replica, in order.
    pub lanes: Vec<Lane>,
    /// Routing decisions in the span, at most 2,000 of them, the latest.
    pub marks: Vec<LaneMark>,
    /// Figures over all replicas.
    pub totals: StepTotals,
    /// The requests of the replica asked for.
    pub open: Option<OpenLane>,
    /// The whole run in buckets: start of each, prompt tokens a second, tokens produced a second.
    pub overview: [Vec<f64>; 3],
}

/// A query for one step.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepQuery {
    /// Number of the replica.
    pub replica: u32,
    /// Number of the step among those of its replica.
    pub seq: u64,
}

/// The part of a prompt in a step.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepChunk {
    /// The request.
    pub request: u32,
    /// First token computed, counted from the start of the prompt.
    pub from: u32,
    /// Tokens computed.
    pub tokens: u32,
    /// Tokens of the prompt.
    pub of: u32,
}

/// One step in full: why it took as long as it did.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepDetail {
    /// Number of the replica.
    pub replica: u32,
    /// Number of the step among those of its replica.
    pub seq: u64,
    /// Start.
    pub at_us: u64,
    /// How long it takes.
    pub span_us: u64,
    /// What its time is made of.
    pub terms: StepTerms,
    /// Requests that decode in it.
    pub decode: u32,
    /// Tokens of their contexts, which it reads.
    pub context_tokens: u64,
    /// Prompt tokens computed.
    pub prompt_tokens: u32,
    /// Most tokens a step of this replica may have.
    pub token_budget: u32,
    /// The parts of prompts, in batch order.
    pub chunks: Vec<StepChunk>,
    /// Requests running.
    pub running: u32,
    /// Requests waiting.
    pub waiting: u32,
    /// Blocks in use.
    pub kv_used: u32,
    /// Blocks of the cache.
    pub kv_total: u32,
    /// How long it would take without its prompt tokens; missing where it has none or nothing decodes.
    pub without_prefill_us: Option<u64>,
    /// In one or two sentences: how long it took, why, and what that cost the others.
    pub sentence: String,
}

impl Session {
    /// The lanes between two instants.
    pub fn lanes(&self, query: &LanesQuery) -> Lanes {
        Lanes {
            now_us: self.playhead.0,
            from_us: query.from_us,
            to_us: query.to_us,
            kept_from_us: 0,
            lanes: Vec::new(),
            marks: Vec::new(),
            totals: StepTotals::default(),
            open: None,
            overview: [Vec::new(), Vec::new(), Vec::new()],
        }
    }

    /// One step in full; `None` if it is not kept.
    pub fn step_detail(&self, _: &StepQuery) -> Option<StepDetail> {
        None
    }
}
