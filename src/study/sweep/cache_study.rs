//! The capacity of a scenario with each of several sizes of a cache, on the same traffic with every seed.

use super::cache::{CacheCase, CacheSizes};
use super::capacity::{Capacity, CapacitySearch, at};
use super::row::RunFigure;
use super::searched::{Searched, rate_found, rates_found, to_best};
use super::summary::SweepValue;
use crate::compare::{Difference, Verdict};
use base::{Diagnostic, Diagnostics};
use document::{Scenario, check, limits};
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
        if all.sizes.len() as u64 * u64::from(seeds) > limits::CASES as u64 {
            let found = format!("{} sizes with {seeds} seeds", all.sizes.len());
            let allowed = format!("at most {} searches", limits::CASES);
            return Err(vec![Diagnostic::error("", found, allowed, "give fewer sizes, or fewer seeds")]);
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
        let places = self.rows.iter_mut().flat_map(|(_, searched)| searched.searches.iter_mut());
        for (place, search) in places.zip(finished) {
            *place = search;
        }
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
        let best = best(&rows);
        let rates = best.and_then(|best| rates_found(rows[best].capacity.as_ref()));
        for (i, row) in rows.iter_mut().enumerate() {
            row.to_best = to_best(rates.as_ref(), row.capacity.as_ref());
            let unclear = |d: Difference| matches!(d.verdict, Verdict::NoneShown | Verdict::Unknown);
            row.tied = Some(i) != best && row.to_best.is_some_and(unclear);
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

/// The row with the highest capacity; the first of equal ones.
fn best(rows: &[CacheRow]) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (i, row) in rows.iter().enumerate() {
        if let Some(x) = rate_found(row.capacity.as_ref()).filter(|x| best.is_none_or(|(_, most)| *x > most))
        {
            best = Some((i, x));
        }
    }
    best.map(|(i, _)| i)
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
        let mut lines = vec![COLUMNS.join(",")];
        for (i, row) in (0..).zip(&self.rows) {
            let capacity = row.capacity.as_ref();
            let of = |value: &Option<SweepValue>| value.as_ref().map_or([None; 3], |v| [v.mean, v.lo, v.hi]);
            let capacities = capacity.map_or([None; 4], |c| [c.rate_per_s, c.lo, c.hi, c.factor]);
            let numbers = [&capacities[..], &of(&row.met_share), &of(&row.goodput_per_s)].concat();
            let sizes: Vec<String> = row.case.sizes.iter().map(ToString::to_string).collect();
            let mut cells = vec![row.case.cache.to_owned(), row.case.size.clone(), sizes.join(" ")];
            cells.push(row.case.unit.to_owned());
            cells.push(capacity.map_or("", |c| c.end.name()).to_owned());
            cells.extend(numbers.into_iter().map(|x| x.map_or_else(String::new, |x| x.to_string())));
            let marks = [self.best == Some(i), row.tied, self.enough == Some(i)];
            cells.extend(marks.map(|mark| mark.to_string()));
            cells.push(row.runs.to_string());
            lines.push(cells.join(","));
        }
        lines.join("\n") + "\n"
    }
}

/// The columns of the rows as CSV.
const COLUMNS: [&str; 19] = [
    "cache",
    "size",
    "sizes",
    "unit",
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
    "best",
    "tied",
    "enough",
    "runs",
];
