//! Lanes: the steps of every replica between two instants, with what the time of each was made of, and the requests of one of them.

mod open;
mod overview;
mod slices;
mod step;

use crate::observe::Segment;
use engine::StepTerms as EngineTerms;
use serde::{Deserialize, Serialize};

/// Most slices of a lane.
const SLICES: u32 = 4096;
/// Most slices of all lanes together; each lane may have a few even so.
const ALL_SLICES: u32 = 65_536;
/// A lane may have this number of slices, however many lanes there are.
const FEW_SLICES: u32 = 64;
/// Most routing decisions.
const MARKS: usize = 2000;
/// Most requests listed.
const REQUESTS: u32 = 2000;
/// Most changes of a batch.
const CHANGES: u64 = 2000;
/// Most buckets of the overview.
const BUCKETS: usize = 240;

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
    #[cfg_attr(feature = "types", ts(optional))]
    pub replica: Option<u32>,
    /// Most slices of a lane: with more steps than that, neighbours are merged. 0 asks for the totals alone.
    pub most: u32,
    /// Most requests listed.
    pub requests: u32,
    /// Number of the first replica whose slices are listed.
    pub first: u32,
    /// How many replicas have their slices listed; the others have their figures alone.
    pub count: u32,
}

/// What the time of one or more steps was made of, in microseconds. The parts add up to the steps, to the microsecond.
///
/// The latency model says how long a step would take with one request that decodes and has an empty cache (`base_us`); with all that
/// decode, and empty caches (`batch_us` is what they add); with their contexts (`kv_us`); and with the prompt tokens (`prefill_us`). A
/// step in which nothing decodes has its base too: the time of one token with an empty cache, at most that of the step. No part is
/// negative. On a cold replica these parts grow alike.
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
    /// Adapters: computing with them, and waiting for their loads.
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
    /// Time in which a rank waited for the slowest of its server; missing where the replica is no such rank.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wait_us: Vec<u64>,
}

/// Figures of the steps of a replica that began in the span.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StepTotals {
    /// Number of steps.
    pub steps: u64,
    /// Median of their times; missing without steps.
    pub p50_us: Option<u64>,
    /// 99th percentile of their times; missing without steps.
    pub p99_us: Option<u64>,
    /// Prompt tokens computed.
    pub prompt_tokens: u64,
    /// Tokens produced: one of each request that decoded or finished its prompt. Accepted drafts come on top of these.
    pub output_tokens: u64,
    /// Their time in all.
    pub time_us: u64,
    /// Their time, by what it was for.
    pub terms: StepTerms,
    /// Those parts as shares of it, 0 to 1, in order; empty without steps.
    pub shares: Vec<f64>,
}

/// The lane of a replica.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// The row that it is packed into: the first that is free when it is routed. It is the same whichever span is shown.
    pub row: u32,
    /// When it was routed.
    pub from_us: u64,
    /// When it left, or the playhead.
    pub to_us: u64,
    /// When it first joined a batch: the step that computed its first chunk.
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
    /// Its requests in the span.
    pub count: u32,
    /// Those of them beyond the limit, which are not listed.
    pub more: u32,
    /// Rows down to the lowest of them.
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
    /// The token after the last.
    pub to: u32,
    /// Tokens computed.
    pub tokens: u32,
    /// Tokens of the prompt; after a preemption with the tokens of its answer so far.
    pub of: u32,
}

/// One step in full: why it took as long as it did.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// Those parts as shares of it, 0 to 1, in order.
    pub shares: Vec<f64>,
    /// Requests that decode in it.
    pub decode: u32,
    /// Tokens of their contexts, which it reads.
    pub context_tokens: u64,
    /// Prompt tokens computed.
    pub prompt_tokens: u32,
    /// Most tokens a step of this replica may have.
    pub token_budget: u32,
    /// The parts of prompts, in batch order, as far as they are kept.
    pub chunks: Vec<StepChunk>,
    /// Requests running.
    pub running: u32,
    /// Requests waiting.
    pub waiting: u32,
    /// Blocks in use.
    pub kv_used: u32,
    /// Blocks of the cache.
    pub kv_total: u32,
    /// The share of it in use, 0 to 1; missing without blocks.
    pub kv_share: Option<f64>,
    /// How long it would take without its prompt tokens; missing where it has none or nothing decodes, and where it waits for others.
    pub without_prefill_us: Option<u64>,
    /// In one or two sentences: how long it took, why, and what that cost the others.
    pub sentence: String,
}

impl From<EngineTerms> for StepTerms {
    fn from(terms: EngineTerms) -> Self {
        Self {
            base_us: terms.base.0,
            batch_us: terms.batch.0,
            kv_us: terms.kv.0,
            prefill_us: terms.prefill.0,
            transfers_us: terms.transfers.0,
            adapters_us: terms.adapters.0,
            others_us: terms.others.0,
        }
    }
}

impl StepTerms {
    /// Shares of a whole, 0 to 1, in order; empty if that is zero.
    fn shares(&self, whole: u64) -> Vec<f64> {
        let parts = [
            self.base_us,
            self.batch_us,
            self.kv_us,
            self.prefill_us,
            self.transfers_us,
            self.adapters_us,
            self.others_us,
        ];
        let share = |part: u64| part as f64 / whole as f64;
        if whole == 0 { Vec::new() } else { parts.map(share).to_vec() }
    }

    /// Adds those of another step; a sum beyond any run stops at the largest number.
    fn add(&mut self, other: &Self) {
        let sums = [
            (&mut self.base_us, other.base_us),
            (&mut self.batch_us, other.batch_us),
            (&mut self.kv_us, other.kv_us),
            (&mut self.prefill_us, other.prefill_us),
            (&mut self.transfers_us, other.transfers_us),
            (&mut self.adapters_us, other.adapters_us),
            (&mut self.others_us, other.others_us),
        ];
        for (sum, part) in sums {
            *sum = sum.saturating_add(part);
        }
    }
}
