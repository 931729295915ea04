//! Scorers by one signal other than queue and cache, as in routers in production.

use super::{Score, smallest_first_of};
use crate::policy::routing::Fleet;
use crate::policy::{ReplicaView, RequestView, Signals};
use serde::{Deserialize, Serialize};

/// Which signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Signal {
    /// 1 - tokens in flight / threshold: the token-load-scorer of llm-d.
    TokenLoad { threshold: u32 },
    /// Half of 1 - waiting requests / threshold: the load-aware-scorer of llm-d.
    LoadAware { threshold: u32 },
    /// Tokens to prefill in the wait queue, fewest first.
    PromptTokensWaiting,
    /// Recent share of the tokens to prefill that were cached.
    CacheHitRate,
    /// Recent TTFT, shortest first.
    RecentTtft,
    /// Recent TPOT, shortest first.
    RecentTpot,
    /// How long it has been idle, longest first.
    IdleTime,
}

/// Marks an unknown value, which scores 1.
const UNKNOWN: f64 = f64::INFINITY;

/// 1 for none, 0 from `threshold` on, in proportion between.
pub(super) fn below(x: f64, threshold: u32) -> f64 {
    1.0 - x.min(f64::from(threshold)) / f64::from(threshold)
}

impl Score for Signal {
    fn score(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, _: bool, out: &mut [f64]) {
        for (score, view) in out.iter_mut().zip(fleet.replicas) {
            let signals = &fleet.signals[view.id.index()];
            *score = match *self {
                Self::TokenLoad { threshold } => below(signals.tokens_in_flight as f64, threshold),
                Self::LoadAware { threshold } => 0.5 * below(f64::from(view.waiting), threshold),
                Self::PromptTokensWaiting => signals.waiting_tokens as f64,
                Self::CacheHitRate => signals.hit_rate,
                Self::RecentTtft => signals.ttft_us.map_or(UNKNOWN, |us| us as f64),
                Self::RecentTpot => signals.tpot_us.map_or(UNKNOWN, |us| us as f64),
                Self::IdleTime => 0.0 - idle_us(request, view, signals),
            };
        }
        match self {
            Self::TokenLoad { .. } | Self::LoadAware { .. } | Self::CacheHitRate => {}
            Self::PromptTokensWaiting | Self::RecentTtft | Self::RecentTpot | Self::IdleTime => {
                smallest_first_of(out);
            }
        }
    }
}

/// How long a replica has been idle, as seen; a replica with requests in flight is not idle.
pub(super) fn idle_us(request: &RequestView<'_>, view: &ReplicaView, signals: &Signals) -> f64 {
    let idle = view.in_flight == 0 && signals.idle_since <= request.now;
    if idle { request.now.since(signals.idle_since).0 as f64 } else { 0.0 }
}
