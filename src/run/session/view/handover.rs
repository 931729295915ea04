//! The hand-over of one request for the inspector: where its KV is, what it shares its port with, and what is to come.

use super::{Candidate, SegmentKind};
use serde::Serialize;

/// How a request is prefilled and handed over.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HandoverDetail {
    /// The replica that answers it.
    pub home: u32,
    /// The replica that prefills it; missing if that is its home.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill: Option<u32>,
    /// Why: `mixed`, `never`, `no-prefill`, `always`, `short`, `busy`, `long` or `resumed`.
    pub reason: &'static str,
    /// Tokens of its prompt that its home would have had to compute; missing where the decider did not look.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncached: Option<u32>,
    /// Where it is: `prefill`, `room`, `first-byte`, `transfer`, `join`, `home`.
    pub stage: &'static str,
    /// Whether its home set blocks aside before the prefill.
    pub push: bool,
    /// Time to first token as the prefill replica has it, in microseconds, once known.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_prefill_us: Option<u64>,
    /// Its transfer, once it has started.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer: Option<TransferDetail>,
    /// Its blocks at both ends.
    pub blocks: BlocksDetail,
    /// What is still to come up to its first token, with the ends as they are expected now.
    pub ahead: Vec<AheadPart>,
    /// The prefill replicas as their router saw them, the best first, if still kept.
    pub prefill_candidates: Vec<Candidate>,
}

/// The transfer of a request's KV.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TransferDetail {
    /// When it started, in microseconds.
    pub start_us: u64,
    /// When its first byte moved, once known.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flows_us: Option<u64>,
    /// When it landed, once known; until then when it will, if no other transfer begins or ends before.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lands_us: Option<u64>,
    /// Whether it has landed.
    pub over: bool,
    /// Bytes in all.
    pub bytes: u64,
    /// Bytes that left while the prefill ran.
    pub early: u64,
    /// Bytes that have arrived.
    pub arrived: u64,
    /// Bytes per second now; 0 before the first byte and after the landing.
    pub bytes_per_s: u64,
    /// Bytes per second that it would have alone on its ports.
    pub alone_per_s: u64,
    /// The replica whose port it shares; missing while it has its ports to itself.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_at: Option<u32>,
    /// The requests with which it shares that port now.
    pub shared_with: Vec<u32>,
    /// How fast it was over time; one step with its mean if the transfers beside it are no longer known.
    pub rates: Vec<RateStep>,
}

/// A stretch of a transfer at one speed.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RateStep {
    /// Start in microseconds.
    pub from_us: u64,
    /// End in microseconds; the playhead for the present one.
    pub to_us: u64,
    /// Bytes per second.
    pub bytes_per_s: u64,
}

/// The blocks of a request at both ends.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BlocksDetail {
    /// Blocks of its prompt.
    pub prompt: u32,
    /// Blocks that its prefill replica holds for its home now.
    pub held: u32,
    /// Blocks of its prompt found in the cache of its home.
    pub cached: u32,
    /// Blocks set aside at home whose KV is not there.
    pub reserved: u32,
    /// Bytes of a block that travels; 0 before its transfer.
    pub bytes: u64,
}

/// A part of a request's time that is still to come.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AheadPart {
    /// The activity or wait.
    pub kind: SegmentKind,
    /// Its expected end in microseconds.
    pub to_us: u64,
}
