//! One request for the inspector: its life in stretches, and the table of scores that sent it where it went.

use serde::Serialize;

/// Everything known about one request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub struct RequestDetail {
    /// Number of the request.
    pub request: u32,
    /// Its own name, where it has one.
    pub label: String,
    /// Name of its client.
    pub client: String,
    /// `in-pipeline`, `queued`, `running`, `completed`, `rejected` or `dropped`.
    pub state: String,
    /// In one sentence, what happened to it.
    pub summary: String,
    /// Its replica, where it has one.
    #[cfg_attr(feature = "cli", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replica: Option<u32>,
    /// Prompt length in tokens.
    pub prompt_tokens: u32,
    /// Output tokens produced so far. The length it will have is nobody's to know before.
    pub output_tokens: u32,
    /// Prompt tokens that came from the prefix cache when it was last scheduled.
    pub cached_tokens: u32,
    /// How often it was preempted.
    pub preemptions: u32,
    /// KV blocks it holds now.
    pub blocks: u32,
    /// When it arrived, in microseconds.
    pub arrival_us: u64,
    /// Time to first token in microseconds, once known.
    #[cfg_attr(feature = "cli", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_us: Option<u64>,
    /// Mean time between its tokens in microseconds, once known.
    #[cfg_attr(feature = "cli", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpot_us: Option<f64>,
    /// End-to-end latency in microseconds, once known.
    #[cfg_attr(feature = "cli", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub e2e_us: Option<u64>,
    /// Where its time went, in order.
    pub segments: Vec<Segment>,
    /// What the router saw of each replica when it chose, the best first, where that is still kept.
    pub candidates: Vec<Candidate>,
}

/// A stretch of a request's life.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub struct Segment {
    /// `admission`, `router`, `delay`, `queue`, `kv-load` (blocks on their way from the CPU tier), `prefill`, `decode`, `preempted` or `recompute`.
    pub kind: String,
    /// Start in microseconds.
    pub from_us: u64,
    /// End in microseconds; the playhead for one that goes on.
    pub to_us: u64,
    /// Tokens computed or produced in it.
    pub tokens: u32,
    /// Whether it still goes on.
    pub open: bool,
}

/// What the router saw of one replica.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub struct Candidate {
    /// The replica.
    pub replica: u32,
    /// Waiting, as seen.
    pub waiting: u32,
    /// Running, as seen.
    pub running: u32,
    /// In flight.
    pub in_flight: u32,
    /// Share of KV blocks in use as seen, 0 to 1.
    pub kv_used: f64,
    /// Waiting + running + in flight as seen.
    pub load: u32,
    /// The same as it truly was.
    pub true_load: u32,
    /// The policy's score; higher is better.
    pub score: f64,
    /// Whether it was chosen.
    pub chosen: bool,
    /// Why it could not be chosen, such as `wait queue full`; missing if it could. Those that could not stand last.
    #[cfg_attr(feature = "cli", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded: Option<String>,
    /// What the score is made of; empty for a policy that does not score.
    pub parts: Vec<ScorePart>,
}

/// One part of a score.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub struct ScorePart {
    /// What is scored, such as `queue-depth`.
    pub name: String,
    /// The score, 0 to 1 for most.
    pub value: f64,
    /// Its weight.
    pub weight: f64,
    /// Value times weight; the candidate's score is the sum of these.
    pub product: f64,
}
