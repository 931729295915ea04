//! A scenario with its searches for a capacity, one for each seed, and what two of them have beside each other.

use super::capacity::{Capacity, CapacityEnd, CapacitySearch, capacity};
use super::row::{RunFigure, RunRow};
use super::summary::SweepValue;
use crate::compare::{Difference, Direction};
use base::stats::UNBOUNDED;
use document::Scenario;

/// The searches of one scenario.
#[derive(Clone, Debug)]
pub(super) struct Searched {
    scenario: Scenario,
    pub(super) searches: Vec<CapacitySearch>,
}

impl Searched {
    /// The searches before their first run, with seeds from the scenario's upwards.
    pub(super) fn new(scenario: Scenario, seeds: u32, share: f64) -> Self {
        let search = |k: u32| CapacitySearch::new(&scenario, scenario.seed.wrapping_add(k.into()), share);
        let searches = (0..seeds).map(search).collect();
        Self { scenario, searches }
    }

    /// Seeds whose search has ended.
    pub(super) fn ended(&self) -> u32 {
        self.searches.iter().filter(|s| s.ended()).count() as u32
    }

    /// Runs so far.
    pub(super) fn runs(&self) -> u32 {
        self.searches.iter().map(CapacitySearch::runs).sum()
    }

    /// The capacity, once the searches of all seeds have ended.
    pub(super) fn capacity(&self, share: f64) -> Option<Capacity> {
        let all = self.ended() as usize == self.searches.len();
        all.then(|| {
            capacity(&self.scenario, share, self.searches.iter().map(CapacitySearch::found).collect())
        })
    }

    /// A figure at the scenario's own rates, once every seed ran there.
    pub(super) fn at_own_rates(&self, figure: &RunFigure) -> Option<SweepValue> {
        let own: Option<Vec<&RunRow>> = self.searches.iter().map(CapacitySearch::at_own_rates).collect();
        Some(SweepValue::of(figure, &own?))
    }
}

/// The rate of a capacity, if it was found.
pub(super) fn rate_found(capacity: Option<&Capacity>) -> Option<f64> {
    capacity.filter(|c| c.end == CapacityEnd::Found)?.rate_per_s
}

/// The rates of its seeds.
pub(super) fn rates_found(capacity: Option<&Capacity>) -> Option<Vec<f64>> {
    rate_found(capacity)?;
    capacity?.seeds.iter().map(|seed| seed.rate_per_s).collect()
}

/// The difference of a capacity to the best one, seed by seed: A is the best.
pub(super) fn to_best(best: Option<&Vec<f64>>, own: Option<&Capacity>) -> Option<Difference> {
    let (best, own) = best.zip(rates_found(own))?;
    let pairs: Vec<_> = best.iter().zip(own).map(|(&a, b)| [Some(a), Some(b)]).collect();
    Some(Difference::of(&pairs, None, Direction::Higher, UNBOUNDED))
}
