//! The cached share of the prompt, weighed against load:
//!
//! ```text
//! score = w · (cached leading blocks / full blocks, if ratio < breaker) + (1 − w) · (1 − ratio), ratio = min(load / full_load, 1)
//! ```
//!
//! The highest score wins. A prompt without a full block that another could share is sent to the least loaded
//! replica. The rule is RouteSim's, but only leading blocks count, because only they can be reused.

use super::least_loaded::least_loaded;
use super::prefix_aware::cache_or_load;
use super::{Choice, Fleet, Router, Scores};
use crate::policy::RequestView;
use document::PrefixOverlap as Settings;
use serde::{Deserialize, Serialize};

/// Cache or load, by the cached share of the prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrefixOverlap {
    cache_weight: f64,
    breaker: f64,
    full_load: u32,
}

impl PrefixOverlap {
    pub(super) fn new(s: &Settings) -> Self {
        Self { cache_weight: s.cache_weight, breaker: s.breaker, full_load: s.full_load }
    }
}

impl Router for PrefixOverlap {
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) -> Choice {
        if !fleet.can_share(request) {
            return Ok(least_loaded(fleet));
        }
        Ok(cache_or_load(fleet, [self.cache_weight, self.breaker], self.full_load, scores, |position| {
            (fleet.cached_share)(fleet.replicas[position].id, request)
        }))
    }
}
