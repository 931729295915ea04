//! A scenario with its searches for a capacity, one for each seed, and what the rows of a study of several such scenarios share.

use super::capacity::{Capacity, CapacityEnd, CapacitySearch, capacity};
use super::row::{RunFigure, RunRow};
use super::summary::SweepValue;
use crate::compare::{Difference, Direction, Verdict};
use base::Diagnostic;
use base::stats::UNBOUNDED;
use document::{Scenario, limits};

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

/// Whether no difference to the best one can be shown, or too few seeds ran to tell.
pub(super) fn is_tied(to_best: Option<Difference>) -> bool {
    to_best.is_some_and(|d| matches!(d.verdict, Verdict::NoneShown | Verdict::Unknown))
}

/// The highest capacity, by its position; the first of equal ones.
pub(super) fn best<'a>(all: impl Iterator<Item = Option<&'a Capacity>>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (i, capacity) in all.enumerate() {
        if let Some(x) = rate_found(capacity).filter(|x| best.is_none_or(|(_, most)| *x > most)) {
            best = Some((i, x));
        }
    }
    best.map(|(i, _)| i)
}

/// What is wrong with that many rows, of things with this name, if there are too many searches.
pub(super) fn too_many(rows: usize, named: &str, seeds: u32) -> Option<Diagnostic> {
    let is = rows as u64 * u64::from(seeds) > limits::CASES as u64;
    is.then(|| {
        let found = format!("{rows} {named} with {seeds} seeds");
        let allowed = format!("at most {} searches", limits::CASES);
        Diagnostic::error("", found, allowed, format!("give fewer {named}, or fewer seeds"))
    })
}

/// Puts searches back that were finished elsewhere, row by row.
pub(super) fn put_back<'a>(rows: impl Iterator<Item = &'a mut Searched>, finished: Vec<CapacitySearch>) {
    for (place, search) in rows.flat_map(|row| row.searches.iter_mut()).zip(finished) {
        *place = search;
    }
}

/// The columns of [`figure_cells`].
pub(super) const FIGURE_COLUMNS: [&str; 11] = [
    "end",
    "capacity_per_s",
    "capacity_lo",
    "capacity_hi",
    "factor",
    "own_rates_met_share",
    "own_rates_met_share_lo",
    "own_rates_met_share_hi",
    "own_rates_goodput_per_s",
    "own_rates_goodput_lo",
    "own_rates_goodput_hi",
];

/// A capacity and figures at the scenario's own rates as cells of CSV; unknown values are empty.
pub(super) fn figure_cells(capacity: Option<&Capacity>, own_rates: [Option<&SweepValue>; 2]) -> Vec<String> {
    let capacities = capacity.map_or([None; 4], |c| [c.rate_per_s, c.lo, c.hi, c.factor]);
    let own = own_rates.into_iter().flat_map(|value| value.map_or([None; 3], |v| [v.mean, v.lo, v.hi]));
    let numbers = capacities.into_iter().chain(own).map(|x| x.map_or_else(String::new, |x| x.to_string()));
    let end = capacity.map_or("", |c| c.end.name()).to_owned();
    std::iter::once(end).chain(numbers).collect()
}
