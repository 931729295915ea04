//! Searches whose runs are made elsewhere: each names the run that it needs next, and takes its outcomes.

use crate::compare::Outcomes;
use crate::sweep::{Capacity, CapacitySearch, RatioResult, RatioSearches, capacity};
use base::Diagnostics;
use document::{Scenario, limits, to_json};
use serde::Deserialize;

/// The scenario that a search runs next, as JSON text.
fn next_of(search: &mut CapacitySearch) -> Option<String> {
    match search.case()? {
        Ok(scenario) => Some(to_json(&scenario)),
        // The load exceeds the limits of a scenario: the search ends with what is known.
        Err(problem) => {
            let _ = search.refused(vec![problem]);
            None
        }
    }
}

/// A number of seeds, as far as the page runs them.
fn seeds_of(asked: u32) -> u32 {
    asked.clamp(1, limits::CASES_PAGE as u32)
}

/// The search for the capacity of a scenario, seed by seed.
pub(super) struct CapacityStudy {
    scenario: Scenario,
    share: f64,
    searches: Vec<CapacitySearch>,
}

impl CapacityStudy {
    /// A search with a number of seeds for the load at which a share of the requests meets the objectives.
    pub(super) fn new(scenario: Scenario, seeds: u32, share: f64) -> Result<Self, Diagnostics> {
        if let Some(problem) = Capacity::refuses(&scenario) {
            return Err(vec![problem]);
        }
        let search = |k| CapacitySearch::new(&scenario, scenario.seed.wrapping_add(k), share);
        let searches = (0..u64::from(seeds_of(seeds))).map(search).collect();
        Ok(Self { scenario, share, searches })
    }

    /// The scenario that runs next for a seed; nothing once its search has ended.
    pub(super) fn next(&mut self, seed: usize) -> Option<String> {
        next_of(self.searches.get_mut(seed)?)
    }

    /// Takes the last requested run.
    pub(super) fn saw(&mut self, seed: usize, run: &Outcomes) {
        if let Some(search) = self.searches.get_mut(seed) {
            search.saw(run);
        }
    }

    /// Records that the last requested run cannot be made. Returns whether a lower load is known to hold.
    pub(super) fn refused(&mut self, seed: usize) -> bool {
        self.searches.get_mut(seed).is_some_and(|search| search.refused(Vec::new()).is_ok())
    }

    /// The result of the searches.
    pub(super) fn result(&self) -> Capacity {
        capacity(&self.scenario, self.share, self.searches.iter().map(CapacitySearch::found).collect())
    }
}

/// Which of the searches for the best ratio.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatioRun {
    /// The row of its ratio.
    row: usize,
    /// The seed, by its index.
    seed: usize,
}

/// The search for the best ratio of prefill to decode replicas: a search for the capacity with each ratio and seed.
pub(super) struct RatioStudy(RatioSearches);

impl RatioStudy {
    /// The searches of all ratios with a number of seeds for the load at which a share of the requests meets the objectives.
    pub(super) fn new(scenario: &Scenario, seeds: u32, share: f64) -> Result<Self, Diagnostics> {
        RatioSearches::new(scenario, &[], seeds_of(seeds), share).map(Self)
    }

    /// The number of ratios.
    pub(super) fn rows(&self) -> usize {
        self.0.cases().len()
    }

    /// The scenario that runs next; nothing once the search has ended.
    pub(super) fn next(&mut self, of: RatioRun) -> Option<String> {
        next_of(self.0.search(of.row, of.seed)?)
    }

    /// Takes the last requested run.
    pub(super) fn saw(&mut self, of: RatioRun, run: &Outcomes) {
        if let Some(search) = self.0.search(of.row, of.seed) {
            search.saw(run);
        }
    }

    /// Records that the last requested run cannot be made. Returns whether a lower load is known to hold.
    pub(super) fn refused(&mut self, of: RatioRun) -> bool {
        self.0.search(of.row, of.seed).is_some_and(|search| search.refused(Vec::new()).is_ok())
    }

    /// The result so far.
    pub(super) fn result(&self) -> RatioResult {
        self.0.result()
    }
}
