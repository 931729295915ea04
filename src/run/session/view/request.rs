//! One request for the inspector: its time by activity, and the table of scores behind its routing.

use super::{Candidate, HandoverDetail, Part, RequestState, Segment};
use serde::Serialize;

/// Everything known about one request.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestDetail {
    /// Number of the request.
    pub request: u32,
    /// Its own name, if it has one.
    pub label: String,
    /// When it arrived by the calendar of the trace, in UTC; missing without such a trace.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_at: Option<String>,
    /// Name of its client.
    pub client: String,
    /// Name of its LoRA adapter; missing for the base model.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// Its state.
    pub state: RequestState,
    /// Its summary, in one sentence.
    pub summary: String,
    /// Its replica, if it has one.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replica: Option<u32>,
    /// Prompt length in tokens.
    pub prompt_tokens: u32,
    /// Output tokens produced so far; their final number is not shown before the last.
    pub output_tokens: u32,
    /// Prompt tokens that came from the prefix cache when it was last scheduled.
    pub cached_tokens: u32,
    /// How often it was preempted.
    pub preemptions: u32,
    /// KV blocks it holds now.
    pub blocks: u32,
    /// When it arrived, in microseconds.
    pub arrival_us: u64,
    /// When it was routed, in microseconds, once known.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routed_us: Option<u64>,
    /// Time to first token in microseconds, once known.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_us: Option<u64>,
    /// Mean time between its tokens in microseconds, once known.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpot_us: Option<f64>,
    /// End-to-end latency in microseconds, once known.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub e2e_us: Option<u64>,
    /// Where its time went, in order and without gaps.
    pub segments: Vec<Segment>,
    /// The same by activity, in the order in which each began.
    pub parts: Vec<Part>,
    /// Sum of the parts in microseconds: E2E of a finished request, else its age and the output processing of its tokens so far.
    pub total_us: u64,
    /// When its client had all tokens, or it was dropped, in microseconds; the playhead before that.
    pub until_us: u64,
    /// From its arrival to that instant: E2E of a finished request, the age of an unfinished one.
    pub lasted_us: u64,
    /// The candidates as the router saw them, the best first, if still kept.
    pub candidates: Vec<Candidate>,
    /// How it is prefilled and handed over; missing before its routing, and where all pools are mixed.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handover: Option<HandoverDetail>,
    /// Its attempts that broke, in order; missing if none did. Between one that broke and the next routing lies the back-off.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<AttemptDetail>,
}

/// An attempt of a request that broke.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AttemptDetail {
    /// The replica that it was sent to; missing if no replica was known to serve.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replica: Option<u32>,
    /// When it was routed, in microseconds.
    pub routed_us: u64,
    /// When it joined a batch, in microseconds; missing if it did not.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduled_us: Option<u64>,
    /// When it broke, in microseconds.
    pub broke_us: u64,
    /// Why: the reasons of the report.
    pub reason: &'static str,
    /// What it waited for before it joined a batch: its place in the queue, or a connection.
    pub wait: &'static str,
    /// Prompt tokens computed in vain.
    pub prefilled_tokens: u32,
    /// Tokens of the answer that were shown.
    pub shown_tokens: u32,
    /// From its break until the answer went on elsewhere, in microseconds; missing while it has not, and for an attempt that showed
    /// no token of its own.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause_us: Option<u64>,
}
