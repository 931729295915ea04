//! What a routing policy sees and gives.

use super::Scores;
use crate::perf::StepLoad;
use crate::policy::{AdapterView, PoolView, Reason, ReplicaView, RequestView, Signals};
use base::{Micros, ReplicaId, RequestId, Span};

/// The candidate replicas, at least one, and functions that look up their caches.
#[derive(Clone, Copy)]
pub struct Fleet<'a> {
    /// The view of each candidate, in order of number.
    pub replicas: &'a [ReplicaView],
    /// Further signals, by replica number; up to date only if the policy [wants](RouterState::wants_signals) them.
    pub signals: &'a [Signals],
    /// The adapters, by replica number; up to date only if the policy [wants](RouterState::wants_adapters) them.
    pub adapters: &'a [AdapterView],
    /// The views of the pools, by number.
    pub pools: &'a [PoolView],
    /// The leading share of a prompt's full blocks that a replica's cache holds now.
    pub cached_share: &'a dyn Fn(ReplicaId, &RequestView<'_>) -> f64,
    /// The share of the following blocks that its CPU tier holds.
    pub below_share: &'a dyn Fn(ReplicaId, &RequestView<'_>) -> f64,
    /// By replica number: what the leading blocks of the prompt are worth where it can read them from, over all its full blocks; or the
    /// share of these that only disks have. Empty unless the policy [asks](RouterState::tier_prefix) for the one or the
    /// [other](RouterState::asks_disks).
    pub tier_shares: &'a [f64],
    /// The priority that a replica's policy would give the request; larger is more urgent.
    pub priority: &'a dyn Fn(ReplicaId) -> i64,
    /// The duration of a step of a replica with this work, by its latency model.
    pub step: &'a dyn Fn(ReplicaId, &StepLoad<'_>) -> Span,
}

impl<'a> Fleet<'a> {
    /// The pool of the replica at `position`.
    pub fn pool_of(&self, position: usize) -> &'a PoolView {
        &self.pools[self.replicas[position].pool as usize]
    }

    /// Whether the request has a full block that another request could share, on any of these replicas.
    pub(super) fn can_share(&self, request: &RequestView<'_>) -> bool {
        let tokens = request.shareable_tokens();
        (0..self.replicas.len()).any(|position| self.pool_of(position).block_tokens <= tokens)
    }
}

/// The outcome of a request that left its replica, as the gateway sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// When.
    pub now: Micros,
    /// Which request.
    pub request: RequestId,
    /// Its replica.
    pub replica: ReplicaId,
    /// Its time to first token; `None` if it did not complete.
    pub ttft: Option<Span>,
    /// Its end-to-end latency; `None` if it did not complete.
    pub e2e: Option<Span>,
    /// Its output tokens.
    pub output_tokens: u32,
}

/// The position of the chosen replica, or why the request is refused.
pub(super) type Choice = Result<usize, Reason>;

/// A routing policy.
pub(super) trait Router {
    /// Chooses the position in `fleet` that gets the request. A policy that scores fills `scores`.
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) -> Choice;

    /// A request has its first token. Called only if the policy asks for it.
    fn prefilled(&mut self, _: RequestId) {}

    /// A request has left its replica. Called only if the policy asks for it.
    fn left(&mut self, _: &Outcome) {}
}
