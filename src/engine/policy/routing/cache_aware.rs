//! The rule of SGLang's router, with the router's own record of the prompts sent to each replica:
//!
//! ```text
//! most − fewest > abs and most > rel · fewest in flight:  the replica with the fewest
//! best share of the prompt sent to a replica > threshold:  that replica
//! otherwise:                                               the replica with the fewest
//! ```
//!
//! Settings select its other rules. The former one for prompts without a match, which its comment still describes: the
//! replica with the smallest memory. The later one for loads: a replica is hot with more than `rel` times the mean and
//! more than `abs` above it; of the best matches that are not hot the one with the fewest requests, else the fewest of
//! all that are not hot. And what the caches report in place of the record: any match counts, however short.
//!
//! SGLang compares characters in a tree of texts, or tokens in pages of 16; here the memory is that of
//! `prefix-affinity`, full blocks of tokens, and its size counts in tokens. Its later rule estimates waits where this
//! one counts requests. Ties go to the lowest number.

use super::scorer::PromptMemory;
use super::{Choice, Fleet, Router, Scores};
use crate::policy::RequestView;
use document::{CacheAware as Settings, CacheBalance, CacheKnowledge, CacheMiss};
use serde::{Deserialize, Serialize};

/// The best cache match while loads are in balance, else the fewest requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CacheAware {
    settings: Rule,
    memory: PromptMemory,
    /// Buffer for the shares of one decision.
    #[serde(skip)]
    shares: Vec<f64>,
}

/// The settings of a decision. Part of snapshots, which have every field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Rule {
    cache_threshold: f64,
    balance: CacheBalance,
    balance_abs_threshold: u32,
    balance_rel_threshold: f64,
    miss: CacheMiss,
    knows: CacheKnowledge,
}

impl CacheAware {
    pub(super) fn new(s: &Settings) -> Self {
        let settings = Rule {
            cache_threshold: s.cache_threshold,
            balance: s.balance,
            balance_abs_threshold: s.balance_abs_threshold,
            balance_rel_threshold: s.balance_rel_threshold,
            miss: s.miss,
            knows: s.knows,
        };
        Self { settings, memory: PromptMemory::new(s.prefix_index_blocks), shares: Vec::new() }
    }

    /// Approximate size of a copy in bytes, beyond its own size.
    pub(super) fn bytes(&self) -> u64 {
        self.memory.bytes()
    }

    /// Its memory, unless it asks the caches.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn memory(&self) -> Option<&PromptMemory> {
        match self.settings.knows {
            CacheKnowledge::Sent => Some(&self.memory),
            CacheKnowledge::Events => None,
        }
    }

    /// Forgets what was sent to a replica.
    pub(super) fn forget(&mut self, replica: u32) {
        self.memory.forget(replica);
    }

    /// Continues with the memory of `before`, as far as the capacity allows.
    pub(super) fn resume(&mut self, before: Self) {
        self.memory.resume(before.memory);
    }

    /// Whether requests in flight are too uneven for the cache to count.
    fn is_out_of_balance(&self, fleet: &Fleet<'_>) -> bool {
        let in_flight = || fleet.replicas.iter().map(|v| v.in_flight);
        let (most, fewest) = (in_flight().max().unwrap_or(0), in_flight().min().unwrap_or(0));
        most - fewest > self.settings.balance_abs_threshold
            && f64::from(most) > self.settings.balance_rel_threshold * f64::from(fewest)
    }

    /// Whether the replica at `position` has too many requests for its cache to count, beside the mean of all.
    fn is_hot(&self, fleet: &Fleet<'_>, position: usize) -> bool {
        let all: u64 = fleet.replicas.iter().map(|v| u64::from(v.in_flight)).sum();
        let mean = all as f64 / fleet.replicas.len() as f64;
        let own = f64::from(fleet.replicas[position].in_flight);
        own > self.settings.balance_rel_threshold * mean
            && own > mean + f64::from(self.settings.balance_abs_threshold)
    }

    /// Finds the share of the prompt that each candidate has, and the best one above the threshold.
    fn best_share(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>) -> Option<f64> {
        self.shares.clear();
        let mut most = match self.settings.knows {
            CacheKnowledge::Sent => {
                self.shares.resize(fleet.replicas.len(), 0.0);
                self.memory.shares(request, fleet, &mut self.shares);
                self.settings.cache_threshold
            }
            CacheKnowledge::Events => {
                self.shares.extend(fleet.replicas.iter().map(|v| (fleet.cached_share)(v.id, request)));
                0.0
            }
        };
        let mut found = false;
        for (position, share) in self.shares.iter_mut().enumerate() {
            let block = fleet.pool_of(position).block_tokens;
            let tokens = *share * f64::from(request.full_blocks(block) * block);
            *share = tokens / f64::from(request.prompt_tokens);
            if *share > most {
                (found, most) = (true, *share);
            }
        }
        found.then_some(most)
    }

    /// The replica for a prompt whose best match is `best`, while its match counts.
    fn matched(&self, fleet: &Fleet<'_>, best: f64) -> usize {
        let matches = |&position: &usize| self.shares[position].total_cmp(&best).is_eq();
        let all = 0..fleet.replicas.len();
        let fewest = |positions: &mut dyn Iterator<Item = usize>| {
            positions.min_by_key(|&position| fleet.replicas[position].in_flight)
        };
        match (self.settings.balance, self.settings.knows) {
            (CacheBalance::Spread, CacheKnowledge::Sent) => all.clone().find(matches),
            (CacheBalance::Spread, CacheKnowledge::Events) => fewest(&mut all.clone().filter(matches)),
            (CacheBalance::AboveMean, _) => {
                let cool = |&position: &usize| !self.is_hot(fleet, position);
                fewest(&mut all.clone().filter(matches).filter(cool))
                    .or_else(|| fewest(&mut all.clone().filter(cool)))
            }
        }
        .or_else(|| fewest(&mut all.clone()))
        .unwrap_or_default()
    }
}

impl Router for CacheAware {
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, _: &mut Scores) -> Choice {
        let smallest = |of: &dyn Fn(usize) -> u64| {
            (0..fleet.replicas.len()).min_by_key(|&position| of(position)).unwrap_or_default()
        };
        let fewest = || smallest(&|position| u64::from(fleet.replicas[position].in_flight));
        let by_spread = self.settings.balance == CacheBalance::Spread;
        let position = if by_spread && self.is_out_of_balance(fleet) {
            fewest()
        } else if let Some(best) = self.best_share(request, fleet) {
            self.matched(fleet, best)
        } else {
            match self.settings.miss {
                CacheMiss::FewestInFlight => fewest(),
                CacheMiss::SmallestMemory => {
                    smallest(&|position| self.memory.tokens_of(fleet.replicas[position].id.0))
                }
            }
        };
        self.memory.chosen(request, fleet, position);
        Ok(position)
    }
}
