//! Named scorers as equivalent expressions.

use super::Expression;
use crate::{Scorer, TokenCount, TokenUntil, Weighted};

/// The expression that decides like `scorer` under the settings `s`. `None` for a scorer that learns from the results
/// of its decisions, that counts tokens itself, that gives 1 to unknown replicas, or that reads adapters or tiers.
pub fn expression_of(scorer: &Scorer, s: &Weighted) -> Option<Expression> {
    let text = match scorer {
        Scorer::PrefixAffinity => "prefix".to_owned(),
        Scorer::PrefixMatch => format!("prefix > 0 ? {} : 0", s.prefix_match_bonus),
        Scorer::PrecisePrefix => "cached".to_owned(),
        Scorer::QueueDepth => smallest_first("load"),
        Scorer::KvUtilization => "kv_free".to_owned(),
        Scorer::LoadBalance => "1 / (1 + load)".to_owned(),
        Scorer::ActiveRequests if s.idle_threshold > 0 || s.max_busy_score < 1.0 => format!(
            "in_flight > {} ? (max.in_flight - in_flight) / max.in_flight * {} : 1",
            s.idle_threshold, s.max_busy_score
        ),
        Scorer::ActiveRequests => {
            "max.in_flight > 0 ? (max.in_flight - in_flight) / max.in_flight : 1".to_owned()
        }
        Scorer::RunningRequests => smallest_first("running"),
        Scorer::WaitingRequests => smallest_first("waiting"),
        Scorer::Cost => smallest_first("usd_per_hour"),
        Scorer::TokenLoad if s.token_rule() != (TokenCount::Prompt, TokenUntil::End) => return None,
        Scorer::TokenLoad => format!("1 - min(tokens_in_flight, {0}) / {0}", s.token_threshold),
        Scorer::LoadAware => format!("0.5 * (1 - min(waiting, {0}) / {0})", s.waiting_threshold),
        Scorer::PromptTokensWaiting => smallest_first("waiting_tokens"),
        Scorer::CacheHitRate => "hit_rate".to_owned(),
        Scorer::IdleTime => {
            "max.idle_s > min.idle_s ? (idle_s - min.idle_s) / (max.idle_s - min.idle_s) : 1".to_owned()
        }
        Scorer::Expression(expression) => return Some(expression.clone()),
        Scorer::NoHitLru
        | Scorer::RecentTtft
        | Scorer::RecentTpot
        | Scorer::PeakEwma
        | Scorer::PredictedLatency
        | Scorer::LoraAffinity
        | Scorer::TierPrefix => return None,
    };
    Some(Expression(text))
}

/// 1 for the smallest, 0 for the largest, in proportion between; 1 for all if they are equal.
fn smallest_first(name: &str) -> String {
    format!("max.{name} > min.{name} ? (max.{name} - {name}) / (max.{name} - min.{name}) : 1")
}
