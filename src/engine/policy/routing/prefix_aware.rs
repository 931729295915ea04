//! A replica that caches the first block of the prompt is preferred, unless it is nearly full:
//!
//! ```text
//! score = w · (has it and ratio < breaker) + (1 − w) · (1 − ratio), ratio = min(load / full_load, 1)
//! ```
//!
//! The highest score wins. A prompt without a full block that another could share is sent to the least loaded
//! replica. The rule is RouteSim's; its limit on queues is the parameter `full_load` here, and ties go to the lowest
//! number.

use super::least_loaded::least_loaded;
use super::{Choice, Fleet, Router, Scores, Term};
use crate::policy::RequestView;
use document::PrefixAware as Settings;
use serde::{Deserialize, Serialize};

/// Cache or load, by the beginning of the prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrefixAware {
    cache_weight: f64,
    breaker: f64,
    full_load: u32,
}

impl PrefixAware {
    pub(super) fn new(s: &Settings) -> Self {
        Self { cache_weight: s.cache_weight, breaker: s.breaker, full_load: s.full_load }
    }
}

impl Router for PrefixAware {
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) -> Choice {
        if !fleet.can_share(request) {
            return Ok(least_loaded(fleet));
        }
        Ok(cache_or_load(fleet, [self.cache_weight, self.breaker], self.full_load, scores, |position| {
            let share = (fleet.cached_share)(fleet.replicas[position].id, request);
            if share > 0.0 { 1.0 } else { 0.0 }
        }))
    }
}

/// The best replica by `cache`, which counts only below the breaker, and by idleness.
pub(super) fn cache_or_load(
    fleet: &Fleet<'_>,
    [cache_weight, breaker]: [f64; 2],
    full_load: u32,
    scores: &mut Scores,
    cache: impl Fn(usize) -> f64,
) -> usize {
    let terms = [(Term::Cache, cache_weight), (Term::Idle, 1.0 - cache_weight)];
    scores.begin(fleet.replicas.len(), terms.into_iter());
    for (position, view) in fleet.replicas.iter().enumerate() {
        let ratio = (f64::from(view.load()) / f64::from(full_load)).min(1.0);
        scores.parts[0].values[position] = if ratio < breaker { cache(position) } else { 0.0 };
        scores.parts[1].values[position] = 1.0 - ratio;
    }
    scores.sum_up();
    scores.best()
}
