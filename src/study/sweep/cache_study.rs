//! The capacity of a scenario with each of several sizes of a cache, on the same traffic with every seed.

use super::cache::{CacheCase, CacheSizes};
use super::capacity::{Capacity, CapacitySearch, at};
use super::row::RunFigure;
use super::searched::{
    FIGURE_COLUMNS, Searched, best, figure_cells, is_tied, put_back, rates_found, to_best, too_many,
};
use super::summary::SweepValue;
use crate::compare::Difference;
use base::Diagnostics;
use document::{Scenario, check};
use run::session::PoolEvidence;
use serde::Serialize;

/// The capacity with each size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CacheResult {
    /// The sizes in the order given.
    pub rows: Vec<CacheRow>,
    /// The row with the highest capacity; null if none has one.
    pub best: Option<u32>,
    /// The row of the smallest size of which no difference to the best can be shown; null if none has a capacity.
    pub enough: Option<u32>,
    /// Number of seeds.
    pub seeds: u32,
    /// The share that must meet the objectives.
    pub share: f64,
    /// The objectives in words.
    pub at: String,
    /// The result in a sentence.
    pub text: String,
    /// How far it can be trusted, by pool of the best row: a capacity lies near the knee.
    pub evidence: Vec<PoolEvidence>,
}

/// The capacity with one size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CacheRow {
    /// The size.
    pub case: CacheCase,
    /// Runs made.
    pub runs: u32,
    /// Its capacity; null until the searches of all seeds have ended.
    pub capacity: Option<Capacity>,
    /// Share that met every objective at the scenario's own rates.
    pub met_share: Option<SweepValue>,
    /// Goodput at the scenario's own rates, in requests per second.
    pub goodput_per_s: Option<SweepValue>,
    /// Difference to the capacity with the best size, seed by seed: A is the best, B this one. Null if one is unknown.
    pub to_best: Option<Difference>,
    /// Whether no difference to the best can be shown, or too few seeds ran to tell.
    pub tied: bool,
}

/// The searches of all sizes with all seeds. Threads of the command line make the runs.
#[derive(Clone, Debug)]
pub struct CacheSearches {
    rows: Vec<(CacheCase, Searched)>,
    share: f64,
    seeds: u32,
    at: String,
}

impl CacheSearches {
    /// The searches before their first run. Every scenario must pass the check.
    pub fn new(scenario: &Scenario, all: &CacheSizes, seeds: u32, share: f64) -> Result<Self, Diagnostics> {
        if let Some(problem) = Capacity::refuses(scenario) {
            return Err(vec![problem]);
        }
        if let Some(problem) = too_many(all.sizes.len(), "sizes", seeds) {
            return Err(vec![problem]);
        }
        let (mut rows, mut problems) = (Vec::new(), Diagnostics::new());
        for &size in &all.sizes {
            let made = all.with(scenario, size);
            match made.and_then(|(case, s)| check(s.clone()).map(|_| (case, s))) {
                Ok((case, s)) => rows.push((case, Searched::new(s, seeds, share))),
                Err(found) => {
                    problems.extend(found.into_iter().filter(|p| !problems.contains(p)).collect::<Vec<_>>());
                }
            }
        }
        if problems.is_empty() {
            Ok(Self { rows, share, seeds, at: at(scenario, share) })
        } else {
            Err(problems)
        }
    }

    /// All searches, row by row: those of a row are its seeds.
    pub fn searches(&self) -> Vec<CapacitySearch> {
        self.rows.iter().flat_map(|(_, searched)| searched.searches.iter().cloned()).collect()
    }

    /// Puts searches back that were finished elsewhere, in the order of [`Self::searches`].
    pub fn put_back(&mut self, finished: Vec<CapacitySearch>) {
        put_back(self.rows.iter_mut().map(|(_, searched)| searched), finished);
    }

    /// What was found.
    pub fn result(&self) -> CacheResult {
        let row = |(case, searched): &(CacheCase, Searched)| CacheRow {
            case: case.clone(),
            runs: searched.runs(),
            capacity: searched.capacity(self.share),
            met_share: searched.at_own_rates(&RunFigure::MET_SHARE),
            goodput_per_s: searched.at_own_rates(&RunFigure::GOODPUT),
            to_best: None,
            tied: false,
        };
        let mut rows: Vec<CacheRow> = self.rows.iter().map(row).collect();
        let best = best(rows.iter().map(|row| row.capacity.as_ref()));
        let rates = best.and_then(|best| rates_found(rows[best].capacity.as_ref()));
        for (i, row) in rows.iter_mut().enumerate() {
            row.to_best = to_best(rates.as_ref(), row.capacity.as_ref());
            row.tied = Some(i) != best && is_tied(row.to_best);
        }
        let enough = enough(&rows, best);
        let evidence = best.and_then(|best| rows[best].capacity.as_ref()).map(|c| c.evidence.clone());
        CacheResult {
            text: sentence(&rows, best, enough, &self.at),
            rows,
            best: best.map(|i| i as u32),
            enough: enough.map(|i| i as u32),
            seeds: self.seeds,
            share: self.share,
            at: self.at.clone(),
            evidence: evidence.unwrap_or_default(),
        }
    }
}

/// The row of the smallest size among the best one and those that are not told apart from it.
fn enough(rows: &[CacheRow], best: Option<usize>) -> Option<usize> {
    let mut smallest = best?;
    for (i, row) in rows.iter().enumerate().filter(|(_, row)| row.tied) {
        if row.case.total() < rows[smallest].case.total() {
            smallest = i;
        }
    }
    Some(smallest)
}

/// The result in a sentence.
fn sentence(rows: &[CacheRow], best: Option<usize>, enough: Option<usize>, at: &str) -> String {
    let Some((i, of_best)) = best.and_then(|i| Some((i, rows[i].capacity.as_ref()?))) else {
        return format!("no size has a capacity at {at}");
    };
    let named = |i: usize| format!("{}={}", rows[i].case.cache, rows[i].case.size);
    let text = format!("highest with {}: {}", named(i), of_best.text);
    match enough.filter(|enough| *enough != i) {
        Some(enough) => {
            format!("{text}; {} is the smallest size that is not told apart from it", named(enough))
        }
        None => text,
    }
}

impl CacheResult {
    /// The rows as CSV; unknown values are empty.
    pub fn csv(&self) -> String {
        let columns =
            [&["cache", "size", "sizes", "unit"], &FIGURE_COLUMNS[..], &["best", "tied", "enough", "runs"]];
        let mut lines = vec![columns.concat().join(",")];
        for (i, row) in (0..).zip(&self.rows) {
            let sizes: Vec<String> = row.case.sizes.iter().map(ToString::to_string).collect();
            let mut cells = vec![row.case.cache.to_owned(), row.case.size.clone(), sizes.join(" ")];
            cells.push(row.case.unit.to_owned());
            let own_rates = [row.met_share.as_ref(), row.goodput_per_s.as_ref()];
            cells.extend(figure_cells(row.capacity.as_ref(), own_rates));
            let marks = [self.best == Some(i), row.tied, self.enough == Some(i)];
            cells.extend(marks.map(|mark| mark.to_string()));
            cells.push(row.runs.to_string());
            lines.push(cells.join(","));
        }
        lines.join("\n") + "\n"
    }
}
