//! The best ratio of prefill to decode replicas: for each the capacity of the scenario within its objectives, on the
//! same traffic with every seed, and the mixed arrangement at equal GPUs beside them.

use super::capacity::{Capacity, CapacityEnd, CapacitySearch, at, rate};
use super::ratio::{Ratio, RatioCase, Ratios};
use super::row::RunFigure;
use super::searched::{
    FIGURE_COLUMNS, Searched, best, figure_cells, is_tied, put_back, rates_found, to_best, too_many,
};
use super::summary::SweepValue;
use crate::compare::{Difference, Verdict};
use base::Diagnostics;
use document::{Scenario, check};
use run::session::PoolEvidence;
use serde::Serialize;

/// The capacity with each ratio.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatioResult {
    /// The ratios in order of their prefill replicas; the mixed arrangement last.
    pub rows: Vec<RatioRow>,
    /// The row of the ratio with the highest capacity; null while none is known. The mixed arrangement is no ratio.
    pub best: Option<u32>,
    /// Number of seeds.
    pub seeds: u32,
    /// The share that must meet the objectives.
    pub share: f64,
    /// The objectives in words.
    pub at: String,
    /// GPUs that every row may use.
    pub gpus: u32,
    /// Number of ratios that are left out because there are too many.
    pub left_out: u32,
    /// The result in a sentence.
    pub text: String,
    /// How far it can be trusted, by pool of the best row: a capacity lies near the knee.
    pub evidence: Vec<PoolEvidence>,
}

/// The capacity with one ratio.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatioRow {
    /// The ratio.
    pub case: RatioCase,
    /// Seeds whose search has ended.
    pub ended: u32,
    /// Runs so far.
    pub runs: u32,
    /// Its capacity; null until the searches of all seeds have ended.
    pub capacity: Option<Capacity>,
    /// Share that met every objective at the scenario's own rates; null until every seed ran there.
    pub met_share: Option<SweepValue>,
    /// Goodput at the scenario's own rates, in requests per second.
    pub goodput_per_s: Option<SweepValue>,
    /// Difference to the capacity of the best ratio, seed by seed: A is the best, B this one. Null if one is unknown.
    pub to_best: Option<Difference>,
    /// Whether no difference to the best can be shown, or too few seeds ran to tell.
    pub tied: bool,
}

/// The searches of all ratios with all seeds. Threads of the command line or workers of the page make the runs.
#[derive(Clone, Debug)]
pub struct RatioSearches {
    rows: Vec<Row>,
    share: f64,
    seeds: u32,
    at: String,
    gpus: u32,
    left_out: u32,
}

#[derive(Clone, Debug)]
struct Row {
    case: RatioCase,
    searched: Searched,
}

impl RatioSearches {
    /// The searches before their first run, for the given ratios or, without any, for all of the scenario. Every
    /// scenario must pass the check.
    pub fn new(scenario: &Scenario, ratios: &[Ratio], seeds: u32, share: f64) -> Result<Self, Diagnostics> {
        if let Some(problem) = Capacity::refuses(scenario) {
            return Err(vec![problem]);
        }
        let of = Ratios::of(scenario)?;
        let (chosen, left_out) = if ratios.is_empty() { of.all() } else { (ratios.to_vec(), 0) };
        if let Some(problem) = too_many(chosen.len(), "ratios", seeds) {
            return Err(vec![problem]);
        }
        let (mut rows, mut problems) = (Vec::new(), Diagnostics::new());
        for ratio in chosen {
            let made = of.with(ratio).and_then(|split| check(split.clone()).map(|_| split));
            match made.and_then(|split| Ok((of.case(ratio).map_err(|d| vec![d])?, split))) {
                Ok((case, split)) => rows.push(Row { case, searched: Searched::new(split, seeds, share) }),
                Err(found) => {
                    problems.extend(found.into_iter().filter(|p| !problems.contains(p)).collect::<Vec<_>>());
                }
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self { rows, share, seeds, at: at(scenario, share), gpus: of.gpus(), left_out })
    }

    /// The ratios, in order of the rows.
    pub fn cases(&self) -> Vec<RatioCase> {
        self.rows.iter().map(|row| row.case.clone()).collect()
    }

    /// All searches, row by row: those of a row are its seeds.
    pub fn searches(&self) -> Vec<CapacitySearch> {
        self.rows.iter().flat_map(|row| row.searched.searches.iter().cloned()).collect()
    }

    /// Puts searches back that were finished elsewhere, in the order of [`Self::searches`].
    pub fn put_back(&mut self, finished: Vec<CapacitySearch>) {
        put_back(self.rows.iter_mut().map(|row| &mut row.searched), finished);
    }

    /// The search of a row with a seed.
    pub fn search(&mut self, row: usize, seed: usize) -> Option<&mut CapacitySearch> {
        self.rows.get_mut(row)?.searched.searches.get_mut(seed)
    }

    /// What is known so far.
    pub fn result(&self) -> RatioResult {
        let mut rows: Vec<RatioRow> = self.rows.iter().map(|row| row.result(self.share)).collect();
        let best = best_ratio(&rows);
        let rates = best.and_then(|best| rates_found(rows[best].capacity.as_ref()));
        for (i, row) in rows.iter_mut().enumerate() {
            row.to_best = to_best(rates.as_ref(), row.capacity.as_ref());
            row.tied = Some(i) != best && is_tied(row.to_best);
        }
        let evidence = best.and_then(|best| rows[best].capacity.as_ref()).map(|c| c.evidence.clone());
        RatioResult {
            text: sentence(&rows, best, &self.at),
            rows,
            best: best.map(|best| best as u32),
            seeds: self.seeds,
            share: self.share,
            at: self.at.clone(),
            gpus: self.gpus,
            left_out: self.left_out,
            evidence: evidence.unwrap_or_default(),
        }
    }
}

impl Row {
    fn result(&self, share: f64) -> RatioRow {
        RatioRow {
            case: self.case.clone(),
            ended: self.searched.ended(),
            runs: self.searched.runs(),
            capacity: self.searched.capacity(share),
            met_share: self.searched.at_own_rates(&RunFigure::MET_SHARE),
            goodput_per_s: self.searched.at_own_rates(&RunFigure::GOODPUT),
            to_best: None,
            tied: false,
        }
    }
}

/// The ratio with the highest capacity. The mixed arrangement is none.
fn best_ratio(rows: &[RatioRow]) -> Option<usize> {
    best(rows.iter().map(|row| row.capacity.as_ref().filter(|_| row.case.mixed == 0)))
}

/// The result in a sentence.
fn sentence(rows: &[RatioRow], best: Option<usize>, at: &str) -> String {
    let searching = rows.iter().filter(|row| row.capacity.is_none()).count();
    let Some((row, of_best)) = best.and_then(|i| Some((&rows[i], rows[i].capacity.as_ref()?))) else {
        return match searching {
            0 => format!("no ratio has a capacity at {at}"),
            left => format!("{left} of {} searches go on", rows.len()),
        };
    };
    let mut parts = vec![format!("best ratio {}: {}", row.case.ratio, of_best.text)];
    let named = |is: &dyn Fn(&RatioRow) -> bool| {
        let all: Vec<&str> = rows.iter().filter(|r| is(r)).map(|r| r.case.ratio.as_str()).collect();
        (!all.is_empty()).then(|| all.join(", "))
    };
    let tied = named(&|r| r.tied && r.case.mixed == 0);
    parts.extend(tied.map(|names| format!("not told apart from {names}")));
    let above = named(&|r| r.capacity.as_ref().is_some_and(|c| c.end == CapacityEnd::HighestHolds));
    parts.extend(above.map(|names| format!("the capacity of {names} is above what was tried")));
    parts.extend(rows.iter().filter(|r| r.case.mixed > 0).filter_map(beside_mixed));
    if searching > 0 {
        parts.push(format!("{searching} of {} ratios are still searched", rows.len()));
    }
    parts.join("; ")
}

/// The mixed arrangement beside the best ratio.
fn beside_mixed(mixed: &RatioRow) -> Option<String> {
    let capacity = mixed.capacity.as_ref()?;
    let rates = (capacity.rate_per_s, mixed.to_best.and_then(|d| d.a));
    let Some((own, best)) = rates.0.zip(rates.1).filter(|_| capacity.end == CapacityEnd::Found) else {
        return Some(format!("{} mixed: none found", mixed.case.mixed));
    };
    let verdict = mixed.to_best.map_or(Verdict::Unknown, |d| d.verdict);
    let word = match verdict {
        Verdict::Better => ", which is more",
        Verdict::Worse => ", which is less",
        Verdict::NoneShown => ", no difference can be shown",
        Verdict::Unknown => "",
    };
    Some(format!("{} mixed: {} req/s, {:.2} of it{word}", mixed.case.mixed, rate(own), own / best))
}

impl RatioResult {
    /// The rows as CSV; unknown values are empty.
    pub fn csv(&self) -> String {
        let columns = [
            &["ratio", "prefill", "decode", "mixed", "gpus"],
            &FIGURE_COLUMNS[..],
            &["best", "tied", "runs"],
        ];
        let mut lines = vec![columns.concat().join(",")];
        for (i, row) in (0..).zip(&self.rows) {
            let RatioCase { ratio, prefill, decode, mixed, gpus } = &row.case;
            let mut cells = vec![ratio.clone()];
            cells.extend([prefill, decode, mixed, gpus].map(ToString::to_string));
            let own_rates = [row.met_share.as_ref(), row.goodput_per_s.as_ref()];
            cells.extend(figure_cells(row.capacity.as_ref(), own_rates));
            cells.extend([(self.best == Some(i)).to_string(), row.tied.to_string(), row.runs.to_string()]);
            lines.push(cells.join(","));
        }
        lines.join("\n") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Direction;
    use crate::sweep::{SeedCapacity, capacity};
    use base::stats::UNBOUNDED;

    fn row(ratio: &str, mixed: u32, rates: &[f64]) -> RatioRow {
        let (prefill, decode) =
            ratio.split_once(':').map_or((0, 0), |(a, b)| (a.parse().unwrap(), b.parse().unwrap()));
        let seeds = rates.iter().map(|r| SeedCapacity {
            seed: "1".to_owned(),
            end: CapacityEnd::Found,
            rate_per_s: Some(*r),
            factor: Some(1.0),
            share: None,
            fails_at: None,
            runs: 9,
            levels: Vec::new(),
        });
        let mut scenario = Scenario::default();
        (scenario.slo.ttft_ms, scenario.slo.tpot_ms) = (500.0, 0.0);
        RatioRow {
            case: RatioCase { ratio: ratio.to_owned(), prefill, decode, mixed, gpus: 4 },
            ended: rates.len() as u32,
            runs: 9,
            capacity: (!rates.is_empty()).then(|| capacity(&scenario, 0.9, seeds.collect())),
            met_share: None,
            goodput_per_s: None,
            to_best: None,
            tied: false,
        }
    }

    #[test]
    fn the_best_is_a_ratio_and_the_first_of_equal_ones() {
        let rows =
            [row("1:3", 0, &[5.0]), row("2:2", 0, &[9.0]), row("3:1", 0, &[9.0]), row("mixed", 4, &[12.0])];
        assert_eq!(best_ratio(&rows), Some(1));
        assert_eq!(best_ratio(&rows[3..]), None);
        assert_eq!(best_ratio(&[row("1:3", 0, &[])]), None, "a search that goes on has no capacity");
    }

    #[test]
    fn the_sentence_names_the_best_and_the_mixed_arrangement() {
        let mut rows = vec![row("1:3", 0, &[5.0]), row("2:2", 0, &[9.0]), row("mixed", 4, &[4.5])];
        rows[2].to_best = Some(Difference::of(&[[Some(9.0), Some(4.5)]], None, Direction::Higher, UNBOUNDED));
        let text = sentence(&rows, Some(1), "p90 TTFT ≤ 500 ms");
        assert_eq!(
            text,
            "best ratio 2:2: 9.00 req/s (one seed: no interval) at p90 TTFT ≤ 500 ms; 4 mixed: 4.50 req/s, 0.50 of it"
        );
        assert_eq!(
            sentence(&rows[2..], None, "p90 TTFT ≤ 500 ms"),
            "no ratio has a capacity at p90 TTFT ≤ 500 ms"
        );
    }
}
