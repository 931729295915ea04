//! The scorers of the weighted policy: each gives every replica a number from 0 to 1, higher being better.

mod active_requests;
mod cost;
mod expression;
mod kv_utilization;
mod load_balance;
mod lora_affinity;
mod no_hit_lru;
mod peak_ewma;
mod predicted_latency;
mod prefix_affinity;
mod prefix_match;
mod queue_depth;
mod running_requests;
mod score;
mod signal;
mod tier_prefix;
mod token_load;
mod waiting_requests;

use super::{Fleet, Outcome};
use crate::policy::RequestView;
use document::expression::Name;
use document::{Scorer, TokenCount, TokenUntil, Weighted as Settings};
use score::{Score, smallest_first, smallest_first_of};
use serde::{Deserialize, Serialize};
use signal::Signal;
use std::rc::Rc;

pub(super) use prefix_affinity::PromptMemory;
pub(super) use score::{Facts, Out};
pub use tier_prefix::TierPrefix;

/// The state of a scorer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum ScorerState {
    /// Its scores are in the [`Facts`].
    PrefixAffinity,
    /// Its scores are in the [`Facts`].
    PrecisePrefix,
    QueueDepth(queue_depth::QueueDepth),
    KvUtilization(kv_utilization::KvUtilization),
    LoadBalance(load_balance::LoadBalance),
    ActiveRequests(active_requests::ActiveRequests),
    RunningRequests(running_requests::RunningRequests),
    WaitingRequests(waiting_requests::WaitingRequests),
    NoHitLru(no_hit_lru::NoHitLru),
    Signal(signal::Signal),
    PeakEwma(peak_ewma::PeakEwma),
    Cost(cost::Cost),
    Expression(expression::ExpressionScorer),
    TokenLoad(token_load::TokenLoad),
    PredictedLatency(predicted_latency::PredictedLatency),
    PrefixMatch(prefix_match::PrefixMatch),
    LoraAffinity(lora_affinity::LoraAffinity),
    /// Its scores come with the fleet.
    TierPrefix(TierPrefix),
}

/// The rule of `token-load` for which the gateway's own count is enough.
const WHOLE_PROMPTS: (TokenCount, TokenUntil) = (TokenCount::Prompt, TokenUntil::End);

impl ScorerState {
    /// The scorer in its initial state, with the settings `s`.
    pub(super) fn new(scorer: &Scorer, s: &Settings) -> Self {
        match scorer {
            Scorer::PrefixAffinity => Self::PrefixAffinity,
            Scorer::PrecisePrefix => Self::PrecisePrefix,
            Scorer::Expression(text) => Self::Expression(expression::ExpressionScorer::new(text)),
            Scorer::QueueDepth => Self::QueueDepth(queue_depth::QueueDepth),
            Scorer::KvUtilization => Self::KvUtilization(kv_utilization::KvUtilization),
            Scorer::LoadBalance => Self::LoadBalance(load_balance::LoadBalance),
            Scorer::ActiveRequests => Self::ActiveRequests(active_requests::ActiveRequests {
                idle_threshold: s.idle_threshold,
                max_busy_score: s.max_busy_score,
            }),
            Scorer::RunningRequests => Self::RunningRequests(running_requests::RunningRequests),
            Scorer::WaitingRequests => Self::WaitingRequests(waiting_requests::WaitingRequests),
            Scorer::NoHitLru => Self::NoHitLru(no_hit_lru::NoHitLru::default()),
            Scorer::TokenLoad if s.token_rule() == WHOLE_PROMPTS => {
                Self::Signal(Signal::TokenLoad { threshold: s.token_threshold })
            }
            Scorer::TokenLoad => Self::TokenLoad(token_load::TokenLoad { threshold: s.token_threshold }),
            Scorer::LoadAware => Self::Signal(Signal::LoadAware { threshold: s.waiting_threshold }),
            Scorer::PromptTokensWaiting => Self::Signal(Signal::PromptTokensWaiting),
            Scorer::CacheHitRate => Self::Signal(Signal::CacheHitRate),
            Scorer::RecentTtft => Self::Signal(Signal::RecentTtft),
            Scorer::RecentTpot => Self::Signal(Signal::RecentTpot),
            Scorer::IdleTime => Self::Signal(Signal::IdleTime),
            Scorer::PredictedLatency => {
                Self::PredictedLatency(predicted_latency::PredictedLatency::new(&s.prediction))
            }
            Scorer::PrefixMatch => {
                Self::PrefixMatch(prefix_match::PrefixMatch { bonus: s.prefix_match_bonus })
            }
            Scorer::PeakEwma => Self::PeakEwma(peak_ewma::PeakEwma::default()),
            Scorer::Cost => Self::Cost(cost::Cost),
            Scorer::LoraAffinity => Self::LoraAffinity(lora_affinity::LoraAffinity),
            Scorer::TierPrefix => Self::TierPrefix(TierPrefix::new(s.tier_weights)),
        }
    }

    /// Continues with the state of `before`, a scorer of the same kind.
    pub(super) fn resume(&mut self, before: Self) {
        if let (Self::NoHitLru(_), Self::NoHitLru(_)) | (Self::PeakEwma(_), Self::PeakEwma(_)) =
            (&before, &*self)
        {
            *self = before;
        }
    }

    /// Whether it reads signals beyond those in the views.
    pub(super) fn wants_signals(&self) -> bool {
        match self {
            Self::Signal(_) => true,
            Self::Expression(s) => s.wants_signals(),
            Self::PrefixAffinity
            | Self::PrecisePrefix
            | Self::QueueDepth(_)
            | Self::KvUtilization(_)
            | Self::LoadBalance(_)
            | Self::ActiveRequests(_)
            | Self::RunningRequests(_)
            | Self::WaitingRequests(_)
            | Self::NoHitLru(_)
            | Self::PeakEwma(_)
            | Self::Cost(_)
            | Self::TokenLoad(_)
            | Self::PredictedLatency(_)
            | Self::PrefixMatch(_)
            | Self::LoraAffinity(_)
            | Self::TierPrefix(_) => false,
        }
    }

    /// What blocks are worth in each tier, if it asks what tiers have.
    pub(super) fn tier_prefix(&self) -> Option<TierPrefix> {
        if let Self::TierPrefix(worth) = self { Some(*worth) } else { None }
    }

    /// Whether it reads the adapters of replicas.
    pub(super) fn wants_adapters(&self) -> bool {
        matches!(self, Self::LoraAffinity(_))
    }

    /// Whether it uses predictions.
    pub(super) fn asks_predictions(&self) -> bool {
        matches!(self, Self::PredictedLatency(_))
    }

    /// Whether it uses the router's own count of tokens.
    pub(super) fn asks_tokens(&self) -> bool {
        matches!(self, Self::TokenLoad(_))
    }

    /// Whether it asks to be called when requests leave their replica.
    pub(super) fn wants_departures(&self) -> bool {
        matches!(self, Self::PeakEwma(_))
    }

    /// Whether it uses the router's memory of prompts.
    pub(super) fn asks_prefix(&self) -> bool {
        matches!(self, Self::PrefixAffinity | Self::PrefixMatch(_)) || self.looks_at(&[Name::Prefix])
    }

    /// Whether it uses the contents of caches.
    pub(super) fn asks_cached(&self) -> bool {
        matches!(self, Self::PrecisePrefix) || self.looks_at(&[Name::Cached, Name::UncachedTokens])
    }

    /// Whether it uses the replicas of sessions.
    pub(super) fn asks_session(&self) -> bool {
        self.looks_at(&[Name::SessionHere])
    }

    fn looks_at(&self, names: &[Name]) -> bool {
        matches!(self, Self::Expression(s) if s.looks_at(names))
    }

    /// The texts of its summands; none unless it is an expression.
    pub(super) fn summands(&mut self) -> impl Iterator<Item = &Rc<str>> {
        let of = if let Self::Expression(s) = self { Some(s.summands()) } else { None };
        of.into_iter().flatten()
    }

    /// A request has left its replica.
    pub(super) fn left(&mut self, gone: &Outcome) {
        if let Some(scorer) = self.scorer() {
            scorer.left(gone);
        }
    }

    /// Scores every replica; returns how many scores are 0 because they were not finite.
    pub(super) fn score(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        facts: &Facts,
        out: Out<'_>,
    ) -> u64 {
        match self {
            Self::PrefixAffinity => out.values.copy_from_slice(&facts.prefix),
            Self::PrecisePrefix => out.values.copy_from_slice(&facts.cached),
            Self::TierPrefix(_) => {
                for (score, view) in out.values.iter_mut().zip(fleet.replicas) {
                    *score = fleet.tier_shares.get(view.id.index()).copied().unwrap_or_default();
                }
            }
            Self::TokenLoad(s) => s.score(&facts.load, out.values),
            Self::PrefixMatch(s) => s.score(&facts.prefix, out.values),
            Self::PredictedLatency(s) => s.score(&facts.headroom, fleet.replicas, out.values),
            Self::Expression(s) => return s.score(request, fleet, facts, out),
            other => {
                if let Some(scorer) = other.scorer() {
                    scorer.score(request, fleet, facts.known, out.values);
                }
            }
        }
        0
    }

    /// The request is sent to the replica at this position.
    pub(super) fn chosen(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        position: usize,
        known: bool,
    ) {
        if let Some(scorer) = self.scorer() {
            scorer.chosen(request, fleet, position, known);
        }
    }

    /// The scorer, if it is one that scores from views and its own state.
    fn scorer(&mut self) -> Option<&mut dyn Score> {
        Some(match self {
            Self::PrefixAffinity
            | Self::PrecisePrefix
            | Self::TierPrefix(_)
            | Self::Expression(_)
            | Self::TokenLoad(_)
            | Self::PredictedLatency(_)
            | Self::PrefixMatch(_) => return None,
            Self::QueueDepth(s) => s,
            Self::KvUtilization(s) => s,
            Self::LoadBalance(s) => s,
            Self::ActiveRequests(s) => s,
            Self::RunningRequests(s) => s,
            Self::WaitingRequests(s) => s,
            Self::NoHitLru(s) => s,
            Self::Signal(s) => s,
            Self::PeakEwma(s) => s,
            Self::Cost(s) => s,
            Self::LoraAffinity(s) => s,
        })
    }
}
