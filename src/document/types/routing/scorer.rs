//! The scorers of the weighted router.

use crate::Expression;
use crate::table::fields::fields;
use serde::{Deserialize, Serialize};

/// A score of each replica, between 0 and 1.
#[apply(choice_schema!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scorer {
    /// Share of the prompt's full blocks, from the first one on, that the router sent to the replica lately.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Prefix cache")))]
    PrefixAffinity,
    /// Share of the prompt's full blocks, from the first one on, that are in the replica's cache now.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Prefix cache")))]
    PrecisePrefix,
    /// 1 for the smallest load, 0 for the largest, in proportion between; 1 for all if they are equal.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Requests")))]
    QueueDepth,
    /// Share of KV blocks that are not in use.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Tokens and memory")))]
    KvUtilization,
    /// 1 / (1 + load).
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Requests")))]
    LoadBalance,
    /// 1 for a replica with at most `idle_threshold` requests in flight, 0 for the most, in proportion between, times `max_busy_score`: llm-d's active-request-scorer.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Requests")))]
    ActiveRequests,
    /// 1 for the smallest batch, 0 for the largest, in proportion between; 1 for all if they are equal.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Requests")))]
    RunningRequests,
    /// 1 for the fewest waiting requests, 0 for the most, in proportion between; 1 for all if they are equal. Running requests do not count.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Requests")))]
    WaitingRequests,
    /// For prompts without a match: 1 for the replica that got such a prompt longest ago, 0 for the latest. Otherwise 0.5 for all. Needs prefix-affinity, precise-prefix or tier-prefix as well.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Prefix cache")))]
    NoHitLru,
    /// Price of the replica per hour: 1 for the cheapest, 0 for the most expensive, in proportion between; 1 for all if they are equal. A pool without a price counts as free.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Other")))]
    Cost,
    /// 1 − tokens in flight / `token_threshold`, 0 above the threshold: llm-d's token-load-scorer. `token_count` and `token_until` say what counts.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Tokens and memory")))]
    TokenLoad,
    /// 0.5 · (1 − waiting requests / `waiting_threshold`), 0 above the threshold: llm-d's load-aware-scorer.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Requests")))]
    LoadAware,
    /// 1 for the fewest prompt tokens in the wait queue, 0 for the most, in proportion between; 1 for all if they are equal.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Tokens and memory")))]
    PromptTokensWaiting,
    /// Recent cache hit share: cached tokens over prefill tokens of the requests that joined the batch (each new one counts 1/32).
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Prefix cache")))]
    CacheHitRate,
    /// 1 for the shortest recent mean TTFT (each new one counts 1/32), 0 for the longest, in proportion between; 1 without a measurement.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Latency")))]
    RecentTtft,
    /// 1 for the shortest recent mean TPOT of completed requests (each new one counts 1/32), 0 for the longest, in proportion between; 1 without a measurement.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Latency")))]
    RecentTpot,
    /// 1 for the replica that has been idle for longest, 0 for busy replicas, in proportion between; 1 for all if they are equal.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Requests")))]
    IdleTime,
    /// 1 for the smallest product of observed TTFT (rises at once, decays over 10 s) and requests in flight + 1, 0 for the largest.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Latency")))]
    PeakEwma,
    /// `prefix_match_bonus` for a replica to which the router sent the first block of the prompt lately, 0 for others.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Prefix cache")))]
    PrefixMatch,
    /// Predicted distance from the objectives of TTFT and TPOT, by the settings under `prediction`: llm-d's latency-scorer.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Latency")))]
    PredictedLatency,
    /// 1 for a replica whose batch has a request of the same LoRA adapter, 0.8 for one with fewer different adapters than `lora.max_loras`, 0.6 for one where the adapter waits for a slot, 0 for others: llm-d's lora-affinity-scorer. A request of the base model counts as one of an adapter that is nowhere.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Other")))]
    LoraAffinity,
    /// Sum over the prompt's leading full blocks of what each is worth in the best tier from which the replica can read it now, over all its full blocks. `tier_weights` says what a block is worth.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Prefix cache")))]
    TierPrefix,
    /// Your own formula, such as `1 / (1 + waiting)`, clamped to 0 to 1.
    #[cfg_attr(feature = "schema", schemars(extend("x-group" = "Other")))]
    Expression(Expression),
}

fields! {
    choice Scorer [PrefixAffinity "prefix-affinity" PrecisePrefix "precise-prefix" QueueDepth "queue-depth" KvUtilization "kv-utilization" LoadBalance "load-balance" ActiveRequests "active-requests" RunningRequests "running-requests" WaitingRequests "waiting-requests" NoHitLru "no-hit-lru" Cost "cost" TokenLoad "token-load" LoadAware "load-aware" PromptTokensWaiting "prompt-tokens-waiting" CacheHitRate "cache-hit-rate" RecentTtft "recent-ttft" RecentTpot "recent-tpot" IdleTime "idle-time" PeakEwma "peak-ewma" PrefixMatch "prefix-match" PredictedLatency "predicted-latency" LoraAffinity "lora-affinity" TierPrefix "tier-prefix"] { Expression "expression" }
}

impl Scorer {
    /// Every scorer that has a name: all but expressions.
    pub const NAMED: [Self; 22] = [
        Self::PrefixAffinity,
        Self::PrecisePrefix,
        Self::QueueDepth,
        Self::KvUtilization,
        Self::LoadBalance,
        Self::ActiveRequests,
        Self::RunningRequests,
        Self::WaitingRequests,
        Self::NoHitLru,
        Self::Cost,
        Self::TokenLoad,
        Self::LoadAware,
        Self::PromptTokensWaiting,
        Self::CacheHitRate,
        Self::RecentTtft,
        Self::RecentTpot,
        Self::IdleTime,
        Self::PeakEwma,
        Self::PredictedLatency,
        Self::PrefixMatch,
        Self::LoraAffinity,
        Self::TierPrefix,
    ];

    /// Its name, as written in scenarios.
    pub fn name(&self) -> &'static str {
        match self {
            Self::PrefixAffinity => "prefix-affinity",
            Self::PrecisePrefix => "precise-prefix",
            Self::QueueDepth => "queue-depth",
            Self::KvUtilization => "kv-utilization",
            Self::LoadBalance => "load-balance",
            Self::ActiveRequests => "active-requests",
            Self::RunningRequests => "running-requests",
            Self::WaitingRequests => "waiting-requests",
            Self::NoHitLru => "no-hit-lru",
            Self::TokenLoad => "token-load",
            Self::LoadAware => "load-aware",
            Self::PromptTokensWaiting => "prompt-tokens-waiting",
            Self::CacheHitRate => "cache-hit-rate",
            Self::RecentTtft => "recent-ttft",
            Self::RecentTpot => "recent-tpot",
            Self::IdleTime => "idle-time",
            Self::PeakEwma => "peak-ewma",
            Self::PredictedLatency => "predicted-latency",
            Self::PrefixMatch => "prefix-match",
            Self::LoraAffinity => "lora-affinity",
            Self::TierPrefix => "tier-prefix",
            Self::Cost => "cost",
            Self::Expression(_) => "expression",
        }
    }
}
