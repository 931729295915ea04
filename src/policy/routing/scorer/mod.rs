//! The scorers of the weighted policy: each gives every replica a number from 0 to 1, higher being better.

mod active_requests;
mod cost;
mod kv_utilization;
mod load_balance;
mod no_hit_lru;
mod peak_ewma;
mod precise_prefix;
mod prefix_affinity;
mod queue_depth;
mod running_requests;
mod signal;
mod waiting_requests;

use super::{Fleet, Outcome};
use crate::policy::RequestView;
use crate::scenario::{Scorer, Weighted as Settings};
use serde::{Deserialize, Serialize};
use signal::Signal;

/// A scorer.
trait Score {
    /// Scores every replica of `fleet`; `known` says whether a scorer of prefixes has found the prompt anywhere.
    fn score(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, known: bool, out: &mut [f64]);

    /// The request goes to the replica at this position.
    fn chosen(&mut self, _request: &RequestView<'_>, _fleet: &Fleet<'_>, _position: usize, _known: bool) {}

    /// A request has left its replica.
    fn left(&mut self, _gone: &Outcome) {}
}

/// The state of a scorer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum ScorerState {
    PrefixAffinity(prefix_affinity::PrefixAffinity),
    PrecisePrefix(precise_prefix::PrecisePrefix),
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
}

impl ScorerState {
    /// The scorer at its beginning; `s` has its settings.
    pub(super) fn new(scorer: Scorer, s: &Settings) -> Self {
        match scorer {
            Scorer::PrefixAffinity => {
                Self::PrefixAffinity(prefix_affinity::PrefixAffinity::new(s.prefix_index_blocks))
            }
            Scorer::PrecisePrefix => Self::PrecisePrefix(precise_prefix::PrecisePrefix),
            Scorer::QueueDepth => Self::QueueDepth(queue_depth::QueueDepth),
            Scorer::KvUtilization => Self::KvUtilization(kv_utilization::KvUtilization),
            Scorer::LoadBalance => Self::LoadBalance(load_balance::LoadBalance),
            Scorer::ActiveRequests => Self::ActiveRequests(active_requests::ActiveRequests),
            Scorer::RunningRequests => Self::RunningRequests(running_requests::RunningRequests),
            Scorer::WaitingRequests => Self::WaitingRequests(waiting_requests::WaitingRequests),
            Scorer::NoHitLru => Self::NoHitLru(no_hit_lru::NoHitLru::default()),
            Scorer::TokenLoad => Self::Signal(Signal::TokenLoad { threshold: s.token_threshold }),
            Scorer::LoadAware => Self::Signal(Signal::LoadAware { threshold: s.waiting_threshold }),
            Scorer::PromptTokensWaiting => Self::Signal(Signal::PromptTokensWaiting),
            Scorer::CacheHitRate => Self::Signal(Signal::CacheHitRate),
            Scorer::RecentTtft => Self::Signal(Signal::RecentTtft),
            Scorer::RecentTpot => Self::Signal(Signal::RecentTpot),
            Scorer::IdleTime => Self::Signal(Signal::IdleTime),
            Scorer::PeakEwma => Self::PeakEwma(peak_ewma::PeakEwma::default()),
            Scorer::Cost => Self::Cost(cost::Cost),
        }
    }

    /// Goes on with what `before`, a scorer of the same kind, remembers.
    pub(super) fn resume(&mut self, before: Self) {
        match (before, self) {
            (Self::PrefixAffinity(old), Self::PrefixAffinity(new)) => new.resume(old),
            (old, new) => *new = old,
        }
    }

    /// Whether it looks at further signals than those in the views.
    pub(super) fn wants_signals(&self) -> bool {
        matches!(self, Self::Signal(_))
    }

    /// Whether it wants to know of requests that have left their replica.
    pub(super) fn wants_departures(&self) -> bool {
        matches!(self, Self::PeakEwma(_))
    }

    /// A request has left its replica.
    pub(super) fn left(&mut self, gone: &Outcome) {
        self.scorer().left(gone);
    }

    /// Scores every replica.
    pub(super) fn score(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        known: bool,
        out: &mut [f64],
    ) {
        self.scorer().score(request, fleet, known, out);
    }

    /// The request goes to the replica at this position.
    pub(super) fn chosen(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        position: usize,
        known: bool,
    ) {
        self.scorer().chosen(request, fleet, position, known);
    }

    fn scorer(&mut self) -> &mut dyn Score {
        match self {
            Self::PrefixAffinity(s) => s,
            Self::PrecisePrefix(s) => s,
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
        }
    }
}

/// 1 for the smallest of `values`, 0 for the largest, in proportion between; 1 for all if they are equal.
fn smallest_first(values: impl Iterator<Item = u32> + Clone, out: &mut [f64]) {
    let (least, most) = values.clone().fold((u32::MAX, 0), |(low, high), x| (low.min(x), high.max(x)));
    for (score, x) in out.iter_mut().zip(values) {
        *score = if least == most { 1.0 } else { f64::from(most - x) / f64::from(most - least) };
    }
}

/// Replaces each number by 1 for the smallest, 0 for the largest, in proportion between; 1 for all if they are equal. An
/// infinite one stands for what is not known, and becomes 1.
fn smallest_first_of(out: &mut [f64]) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for &x in out.iter().filter(|x| x.is_finite()) {
        low = low.min(x);
        high = high.max(x);
    }
    for x in out {
        *x = if x.is_finite() && high > low { (high - *x) / (high - low) } else { 1.0 };
    }
}
