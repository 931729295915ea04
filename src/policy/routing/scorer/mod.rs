//! The scorers of the weighted policy: each gives every replica a number from 0 to 1, higher being better.

mod active_requests;
mod cost;
mod kv_utilization;
mod load_balance;
mod no_hit_lru;
mod precise_prefix;
mod prefix_affinity;
mod queue_depth;
mod running_requests;
mod waiting_requests;

use super::Fleet;
use crate::policy::RequestView;
use crate::scenario::Scorer;
use serde::{Deserialize, Serialize};

/// A scorer.
trait Score {
    /// Scores every replica of `fleet`; `known` says whether a scorer of prefixes has found the prompt anywhere.
    fn score(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, known: bool, out: &mut [f64]);

    /// The request goes to the replica at this position.
    fn chosen(&mut self, _request: &RequestView<'_>, _fleet: &Fleet<'_>, _position: usize, _known: bool) {}
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
    Cost(cost::Cost),
}

impl ScorerState {
    /// The scorer at its beginning; `index_blocks` is the size of the router's memory of each replica.
    pub(super) fn new(scorer: Scorer, index_blocks: u32) -> Self {
        match scorer {
            Scorer::PrefixAffinity => {
                Self::PrefixAffinity(prefix_affinity::PrefixAffinity::new(index_blocks))
            }
            Scorer::PrecisePrefix => Self::PrecisePrefix(precise_prefix::PrecisePrefix),
            Scorer::QueueDepth => Self::QueueDepth(queue_depth::QueueDepth),
            Scorer::KvUtilization => Self::KvUtilization(kv_utilization::KvUtilization),
            Scorer::LoadBalance => Self::LoadBalance(load_balance::LoadBalance),
            Scorer::ActiveRequests => Self::ActiveRequests(active_requests::ActiveRequests),
            Scorer::RunningRequests => Self::RunningRequests(running_requests::RunningRequests),
            Scorer::WaitingRequests => Self::WaitingRequests(waiting_requests::WaitingRequests),
            Scorer::NoHitLru => Self::NoHitLru(no_hit_lru::NoHitLru::default()),
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
