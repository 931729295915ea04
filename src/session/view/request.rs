//! One request for the inspector: its time by what it waited for or did, and the table of scores that sent it where it went.

use super::{Candidate, RequestState};
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
    /// Where it is in its life.
    pub state: RequestState,
    /// In one sentence, what happened to it.
    pub summary: String,
    /// Its replica, where it has one.
    #[cfg_attr(feature = "cli", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replica: Option<u32>,
    /// Prompt length in tokens.
    pub prompt_tokens: u32,
    /// Output tokens produced so far; how many it will have is not shown before the last.
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

/// What a request waits for or does in a part of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub enum SegmentKind {
    /// Held back by admission, or on its way to it.
    Admission,
    /// On its way to the router.
    Router,
    /// On its way to the replica.
    Delay,
    /// In the wait queue.
    Queue,
    /// Waiting for blocks on their way from the CPU tier.
    KvLoad,
    /// Computing its prompt.
    Prefill,
    /// Producing tokens.
    Decode,
    /// In the wait queue again, after it lost its blocks.
    Preempted,
    /// Computing again what it lost.
    Recompute,
}

impl SegmentKind {
    /// Its name in a sentence.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Admission => "admission",
            Self::Router => "router",
            Self::Delay => "delay",
            Self::Queue => "queue",
            Self::KvLoad => "KV load",
            Self::Prefill => "prefill",
            Self::Decode => "decode",
            Self::Preempted => "preempted",
            Self::Recompute => "recompute",
        }
    }
}

/// A part of a request's time, spent in one way.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub struct Segment {
    /// What it waited for or did.
    pub kind: SegmentKind,
    /// Start in microseconds.
    pub from_us: u64,
    /// End in microseconds; the playhead for one that goes on.
    pub to_us: u64,
    /// Tokens computed or produced in it.
    pub tokens: u32,
    /// Whether it still goes on.
    pub open: bool,
}
