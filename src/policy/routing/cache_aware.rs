//! The rule of SGLang's router, with the router's own record of the prompts sent to each replica:
//!
//! ```text
//! most − fewest > abs and most > rel · fewest in flight:  the replica with the fewest
//! best share of the prompt sent to a replica > threshold:  that replica
//! otherwise:                                               the replica with the fewest
//! ```
//!
//! A setting selects its former rule, which its comment still describes: otherwise the replica with the smallest
//! memory.
//!
//! SGLang compares characters in a tree of texts; here the memory is that of `prefix-affinity`, full blocks of tokens, and its
//! size counts in tokens. Ties go to the lowest number.

use super::scorer::PromptMemory;
use super::{Choice, Fleet, Router, Scores};
use crate::policy::RequestView;
use crate::scenario::{CacheAware as Settings, CacheMiss};
use serde::{Deserialize, Serialize};

/// The best cache match while loads are in balance, else the fewest requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CacheAware {
    settings: Settings,
    memory: PromptMemory,
    /// Buffer for the shares of one decision.
    #[serde(skip)]
    shares: Vec<f64>,
}

impl CacheAware {
    pub(super) fn new(s: &Settings) -> Self {
        let memory = PromptMemory::new(s.prefix_index_blocks);
        Self { settings: s.clone(), memory, shares: Vec::new() }
    }

    /// Approximate size of a copy in bytes, beyond its own size.
    pub(super) fn bytes(&self) -> u64 {
        self.memory.bytes()
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

    /// The replica that was sent most of the prompt, if that is more than the threshold.
    fn best_match(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>) -> Option<usize> {
        self.shares.clear();
        self.shares.resize(fleet.replicas.len(), 0.0);
        self.memory.shares(request, fleet, &mut self.shares);
        let (mut best, mut most) = (None, self.settings.cache_threshold);
        for (position, share) in self.shares.iter().enumerate() {
            let block = fleet.pool_of(position).block_tokens;
            let tokens = share * f64::from(request.full_blocks(block) * block);
            let of_prompt = tokens / f64::from(request.prompt_tokens);
            if of_prompt > most {
                (best, most) = (Some(position), of_prompt);
            }
        }
        best
    }
}

impl Router for CacheAware {
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, _: &mut Scores) -> Choice {
        let smallest = |of: &dyn Fn(usize) -> u64| {
            (0..fleet.replicas.len()).min_by_key(|&position| of(position)).unwrap_or_default()
        };
        let fewest = || smallest(&|position| u64::from(fleet.replicas[position].in_flight));
        let position = if self.is_out_of_balance(fleet) {
            fewest()
        } else if let Some(position) = self.best_match(request, fleet) {
            position
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
