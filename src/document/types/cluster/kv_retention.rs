//! What is kept on the GPU and for how long: orders of eviction, directives, and the gateway's hint.

use crate::limits;
use crate::table::fields::fields;
use serde::{Deserialize, Serialize};

/// Which free block of the GPU is evicted first.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvictionOrder {
    /// The one used longest ago. Directives mean nothing.
    #[default]
    Lru,
    /// As vLLM's proposal: blocks without a directive first, then the lowest priority. A block whose time is over counts as 0 once it comes to the top.
    Vllm,
    /// In the manner of SGLang: of the blocks that nothing continues, the one with the lowest priority; without a directive that is 0.
    Sglang,
    /// In the manner of TensorRT-LLM: the same, and 35 without a directive.
    Trtllm,
    /// An oracle: of the blocks that nothing continues, the one whose next use is farthest.
    Belady,
}

fields! {
    names EvictionOrder { Lru "lru" Vllm "vllm" Sglang "sglang" Trtllm "trtllm" Belady "belady" }
}

/// Which block of the CPU tier is evicted first.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CpuEviction {
    /// The one used longest ago.
    #[default]
    Lru,
    /// An oracle: the one whose next use is farthest.
    Belady,
}

fields! {
    names CpuEviction { Lru "lru" Belady "belady" }
}

/// A directive: how urgently the KV of some of a request's tokens is to be kept after the request released it. It never pins: every free block can be evicted.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Retention {
    /// The first token.
    pub start: u32,
    /// The token after the last. Left out: all that follow, with those of the answer.
    pub end: Option<u32>,
    /// How urgently they are to be kept; larger is more urgent.
    pub priority: u32,
    /// For how long after their release. Left out: for ever.
    pub duration_s: Option<f64>,
}

fields! {
    entry Retention {
        start [omit]: "From" of "tokens" in [0, limits::REQUEST_TOKENS] or "0 is the first" => Arrivals;
        end [omit]: "To" of "tokens" in [0, limits::REQUEST_TOKENS] or "leave it out for all that follow" => Arrivals;
        priority: "Priority" in [0, limits::KEEP_PRIORITY] or "it is 0 to 100; larger is kept longer" first 70 => Arrivals;
        duration_s [omit]: "For" of "s" in [0.0, limits::HORIZON_S] or "leave it out for as long as the run" first 60.0 => Arrivals;
    }
}

/// The gateway gives sessions that bring no directive one of its own, by the gaps between turns that it has seen (llm-d: `kv-cache-hint`).
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KvHint {
    /// Share of the gaps seen so far that the duration covers.
    pub quantile: f64,
    /// Gaps that have to be seen before the first hint.
    pub least_gaps: u32,
    /// Shortest duration.
    pub min_s: f64,
    /// Longest duration.
    pub max_s: f64,
    /// Priority of the directive.
    pub priority: u32,
    /// Leading tokens of a prompt that are kept. 0 means the whole context, with the answer.
    pub head_tokens: u32,
    /// Tokens under hints that live, of all sessions together. 0 means no bound.
    pub budget_tokens: u64,
}

fields! {
    struct KvHint {
        quantile: "Quantile" in [limits::QUANTILE_MIN, limits::QUANTILE] or "0.9 covers nine gaps of ten" => Routing;
        least_gaps: "Least gaps" in [1, limits::LEAST_GAPS] or "1 hints after the first gap" => Routing;
        min_s: "At least" of "s" in [limits::HINT_S_MIN, limits::HINT_S] or "1 is usual" => Routing;
        max_s: "At most" of "s" in [limits::HINT_S_MIN, limits::HINT_S] or "600 is usual" => Routing;
        priority: "Priority" in [0, limits::KEEP_PRIORITY] or "it is 0 to 100; 70 is usual" => Routing;
        head_tokens: "Head" of "tokens" in [0, limits::REQUEST_TOKENS] or "use 0 for whole contexts" => Routing;
        budget_tokens: "Budget" of "tokens" in [0, limits::HINT_BUDGET_TOKENS] or "use 0 for no bound" => Routing;
    }
}

impl Default for KvHint {
    fn default() -> Self {
        Self {
            quantile: 0.9,
            least_gaps: 1,
            min_s: 1.0,
            max_s: 600.0,
            priority: 70,
            head_tokens: 16_384,
            budget_tokens: 1_000_000,
        }
    }
}
