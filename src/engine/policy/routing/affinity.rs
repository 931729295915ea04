//! The filter that keeps a prompt where it was sent before until those replicas are saturated, as llm-d's
//! prefix-cache-affinity-filter. In this order:
//!
//! ```text
//! one candidate, or threshold ≤ 0:                    all are kept
//! a draw < exploration:                               all
//! no candidate with a share ≥ threshold ("sticky"):   all
//! least TTFT of sticky − least of others > penalty:   all
//! otherwise:                                          the sticky ones
//! ```
//!
//! The TTFT of a replica is the tokens without those cached that the router sent there and that have no first token
//! yet, over its peak of prompt tokens per second. The prompt that is being routed does not count.

use super::predictor::Headroom;
use super::{Excluded, Fleet};
use crate::policy::PoolView;
use base::ReplicaId;
use base::rng::{Purpose, Stream};
use document::{PeakPrefill, PrefixAffinityFilter};
use serde::{Deserialize, Serialize};

/// The filter with its random draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Affinity {
    threshold: f64,
    exploration: f64,
    max_penalty_ms: f64,
    /// Prompt tokens per second; `None` for that of the replica's pool.
    peak: Option<u32>,
    draws: Stream,
}

/// What the filter uses of the candidates, by position in the fleet.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// The share of the prompt that each was sent before.
    pub(super) shares: &'a [f64],
    /// The tokens without those cached that were sent to a replica and have no first token yet.
    pub(super) uncached: &'a dyn Fn(ReplicaId) -> u64,
    /// How far each is predicted to be from the objectives.
    pub(super) headroom: &'a [Headroom],
}

impl Affinity {
    pub(super) fn new(s: &PrefixAffinityFilter, seed: u64) -> Self {
        Self {
            threshold: s.threshold,
            exploration: s.exploration,
            max_penalty_ms: s.max_ttft_penalty_ms,
            peak: match s.peak_prefill_tokens_per_s {
                PeakPrefill::Model => None,
                PeakPrefill::TokensPerS(n) => Some(n),
            },
            draws: Stream::new(seed, Purpose::Exploration, 0),
        }
    }

    /// Continues the draws of `before`.
    pub(super) fn resume(&mut self, before: &Self) {
        self.draws = before.draws.clone();
    }

    /// Removes positions of `fleet` from `kept`, which holds at least one, and sets the reason in `excluded`.
    pub(super) fn keep(
        &mut self,
        fleet: &Fleet<'_>,
        known: Known<'_>,
        kept: &mut Vec<u32>,
        excluded: &mut [Option<Excluded>],
    ) {
        if kept.len() <= 1 || self.threshold <= 0.0 {
            return;
        }
        if self.exploration > 0.0 && self.draws.unit() < self.exploration {
            return;
        }
        let share = |position: u32| known.shares[position as usize];
        let threshold = self.threshold;
        let sticky = |position: &u32| share(*position) >= threshold;
        let count = kept.iter().filter(|&position| sticky(position)).count();
        if count == 0 || count == kept.len() || self.is_saturated(fleet, known, kept) {
            return;
        }
        kept.retain(|position| {
            if !sticky(position) {
                excluded[*position as usize] =
                    Some(Excluded::LowAffinity { share: share(*position), threshold });
            }
            sticky(position)
        });
    }

    /// Whether the replicas that have the prompt are slower than another by more than is allowed.
    fn is_saturated(&self, fleet: &Fleet<'_>, known: Known<'_>, kept: &[u32]) -> bool {
        if self.max_penalty_ms <= 0.0 {
            return false;
        }
        let (mut sticky, mut other) = (f64::INFINITY, f64::INFINITY);
        for &position in kept {
            let at = position as usize;
            let best = if known.shares[at] >= self.threshold { &mut sticky } else { &mut other };
            let ttft_ms =
                (known.uncached)(fleet.replicas[at].id) as f64 / self.peak_of(fleet.pool_of(at)) * 1000.0;
            *best = best.min(ttft_ms);
        }
        sticky - other > self.max_penalty_ms
    }

    fn peak_of(&self, pool: &PoolView) -> f64 {
        self.peak.map_or(pool.peak_prefill_tokens_per_s, f64::from)
    }
}
