//! A race of policies: their order by one figure, among entries with the same offered work.
//!
//! There is no composite score unless the scenario gives weights for one, the fitness. Refusing requests is no
//! advantage: refused and dropped requests have missed their objectives and, like unfinished ones, count as
//! infinitely slow in a percentile.

use super::row::{RunFigure, RunRow};
use crate::compare::{Difference, Direction, Held, RunError, RunRegret, Verdict, percent};
use base::stats::mean_interval;
use engine::perf::ErrorFigure;
use serde::{Deserialize, Serialize};

/// A run of an entry in the race.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RaceEntry {
    /// Name of the entry.
    pub name: String,
    /// Its figures.
    pub run: RunRow,
}

/// The figure that decides the order.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankBy {
    /// Share that met their objectives, among requests that finished, were refused or were dropped.
    MetShare,
    /// 99th percentile of TTFT over all requests; those without a first token count as infinitely slow.
    TtftP99,
    /// 99th percentile of E2E over all requests; unfinished ones count as infinitely slow.
    E2eP99,
    /// Requests per second that met their objectives.
    Goodput,
    /// US dollars per million output tokens.
    Usd,
    /// The fitness score, with the scenario's weights.
    Fitness,
}

impl RankBy {
    fn figure(self) -> RunFigure {
        match self {
            Self::MetShare => RunFigure::MET_SHARE,
            Self::TtftP99 => RunFigure::TTFT_P99_OF_ALL,
            Self::E2eP99 => RunFigure::E2E_P99_OF_ALL,
            Self::Goodput => RunFigure::GOODPUT,
            Self::Usd => RunFigure::COST,
            Self::Fitness => RunFigure::FITNESS,
        }
    }

    fn of(self, run: &RunRow) -> Option<f64> {
        (self.figure().of)(run)
    }

    /// The time whose measured error is taken for the figure; `None` where no error is known of such figures.
    fn error(self) -> Option<ErrorFigure> {
        match self {
            Self::TtftP99 => Some(ErrorFigure::Ttft),
            Self::E2eP99 => Some(ErrorFigure::E2e),
            Self::MetShare | Self::Goodput | Self::Usd | Self::Fitness => None,
        }
    }
}

/// The order of a race so far.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RaceRanking {
    /// The deciding figure.
    pub by: RankBy,
    /// Which values are the better ones.
    pub better: Direction,
    /// The best first.
    pub places: Vec<RacePlace>,
    /// Entries without a place, and why.
    pub unranked: Vec<Unranked>,
    /// What the ranked entries were offered; missing without any.
    pub work: Option<RaceWork>,
    /// The oracle's runs, if autoscalers are raced: the bound, without a place.
    pub bound: Option<RaceBound>,
    /// What a reader must know of the order; missing where there is nothing.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// The work that was offered to all ranked entries.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RaceWork {
    /// The seeds, as text.
    pub seeds: Vec<String>,
    /// Fewest requests that arrived in the measurement window with one of them.
    pub requests_least: u64,
    /// Most.
    pub requests_most: u64,
    /// Digest of the workload of the first seed.
    pub workload_digest: String,
}

/// The figures of the oracle on the same work.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RaceBound {
    /// The deciding figure, a mean over the seeds so far; null if a run has none.
    pub mean: Option<f64>,
    /// Its figures against themselves, for comparison.
    pub figures: RunRegret,
}

/// A place in the race.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RacePlace {
    /// The place, from 1.
    pub place: u32,
    /// Name of the entry.
    pub name: String,
    /// Mean over the seeds.
    pub mean: f64,
    /// Lower end of the 95 % interval of the mean; null for one seed.
    pub lo: Option<f64>,
    /// Upper end.
    pub hi: Option<f64>,
    /// Difference to the first entry, seed by seed: A is the first, B this one.
    pub to_first: Difference,
    /// The difference with each seed, in the order of the seeds.
    pub by_seed: Vec<f64>,
    /// Whether no difference to the first can be shown, or too few seeds ran to tell.
    pub tied: bool,
    /// Why its order against the first is not certain; missing where it survives the error of the simulation.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// Against the oracle, if it ran with every seed.
    pub regret: Option<RunRegret>,
}

/// An entry without a place.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unranked {
    /// Name of the entry.
    pub name: String,
    /// Why.
    pub why: String,
    /// Seeds with a run so far.
    pub seeds: u32,
    /// Mean over these; null if one of them has no value.
    pub mean: Option<f64>,
    /// Difference to the first entry over the seeds so far, if the offered work is the same: A is the first, B this one.
    pub to_first: Option<Difference>,
    /// The difference with each of these seeds.
    pub by_seed: Vec<f64>,
}

/// The order of some runs; only entries with a run for each of `seeds` seeds have a place. The first of them defines
/// the offered work. `bound` are the runs of the oracle, if there is one.
pub fn rank(entries: &[RaceEntry], bound: &[RunRow], by: RankBy, seeds: u32) -> RaceRanking {
    let mut names: Vec<&str> = Vec::new();
    for entry in entries {
        if !names.contains(&entry.name.as_str()) {
            names.push(&entry.name);
        }
    }
    let runs =
        |name: &str| entries.iter().filter(|e| e.name == name).map(|e| &e.run).collect::<Vec<&RunRow>>();
    let reference: Vec<&RunRow> =
        names.iter().map(|name| runs(name)).find(|runs| runs.len() >= seeds as usize).unwrap_or_default();
    let mut ranked: Vec<(&str, Vec<f64>)> = Vec::new();
    let mut others: Vec<(&str, String)> = Vec::new();
    for name in names {
        let own = runs(name);
        if own.len() < seeds as usize {
            others.push((name, format!("{} of {seeds} seeds in", own.len())));
            continue;
        }
        match values(&reference, &own, by) {
            Ok(found) => ranked.push((name, found)),
            Err(why) => others.push((name, why)),
        }
    }
    ranked.sort_by(|(_, x), (_, y)| match by.figure().better {
        Direction::Lower => mean(x).total_cmp(&mean(y)),
        Direction::Higher => mean(y).total_cmp(&mean(x)),
    });
    let first = ranked.first().map(|(_, v)| v.clone()).unwrap_or_default();
    let leader = ranked.first().map(|(name, _)| runs(name)).unwrap_or_default();
    let unit = by.figure().unit;
    let place = |(place, (name, own)): (u32, &(&str, Vec<f64>))| {
        let pairs: Vec<[Option<f64>; 2]> = first.iter().zip(own).map(|(&a, &b)| [Some(a), Some(b)]).collect();
        let interval = mean_interval(own, unit.bounds());
        let to_first = Difference::of(&pairs, None, by.figure().better, unit.difference_bounds());
        let compared = [mean(&first), mean(own)];
        RacePlace {
            place,
            name: (*name).to_owned(),
            mean: mean(own),
            lo: interval.map(|i| i.lo),
            hi: interval.map(|i| i.hi),
            to_first,
            by_seed: first.iter().zip(own).map(|(a, b)| b - a).collect(),
            tied: matches!(to_first.verdict, Verdict::NoneShown | Verdict::Unknown),
            doubt: doubt(by, [&leader, &runs(name)], compared)
                .filter(|_| to_first.verdict != Verdict::NoneShown),
            regret: regret(&runs(name), bound),
        }
    };
    let places = (1..).zip(&ranked).map(place).collect();
    let apart = ranked.iter().any(|(name, _)| is_apart([&leader, &runs(name)]));
    let notices = (apart && by.error().is_none()).then(|| no_error(by)).into_iter().collect();
    let unranked =
        others.into_iter().map(|(name, why)| unranked(name, why, &runs(name), &leader, by)).collect();
    let own: Vec<&RunRow> = bound.iter().collect();
    let figures = regret(&own, bound);
    let value: Option<Vec<f64>> = own.iter().map(|run| by.of(run)).collect();
    let bound = figures.map(|figures| RaceBound { mean: value.map(|v| mean(&v)), figures });
    RaceRanking { by, better: by.figure().better, places, unranked, work: work(&leader), bound, notices }
}

/// Why the order of an entry against the first is not certain, by the means of both.
fn doubt(by: RankBy, [first, own]: [&[&RunRow]; 2], means: [f64; 2]) -> Option<String> {
    let figure = by.error()?;
    let [a, b] = [worst(first, figure)?, worst(own, figure)?];
    let found = a.uncertain(b, figure, means)?;
    Some(format!(
        "whether it is behind the first is not certain: {} is {} apart, and half of the simulated ones are more than {} (the first) and {} (this one) off",
        by.figure().label,
        percent(found.apart),
        percent(found.errors[0]),
        percent(found.errors[1])
    ))
}

/// The largest error of the runs of an entry; `None` where it is not known of one of them.
fn worst<'a>(runs: &[&'a RunRow], figure: ErrorFigure) -> Option<&'a RunError> {
    let known: Option<Vec<(f64, &RunError)>> =
        runs.iter().map(|run| run.error.as_ref().and_then(|e| Some((e.median(figure)?, e)))).collect();
    let larger = |a: (f64, &'a RunError), b: (f64, &'a RunError)| if b.0 > a.0 { b } else { a };
    known?.into_iter().reduce(larger).map(|(_, error)| error)
}

/// Whether two entries have errors of their own: they differ in a value behind the step times.
fn is_apart([first, own]: [&[&RunRow]; 2]) -> bool {
    let [a, b] = [first, own].map(|runs| runs.first().and_then(|run| run.error.as_ref()));
    a.zip(b).is_some_and(|(a, b)| a.in_common(b) < 1.0)
}

fn no_error(by: RankBy) -> String {
    format!(
        "entrants differ in a value behind the step times, and no error is known of {}: whether the order survives the error of the simulation is not known",
        by.figure().label
    )
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len() as f64
}

/// The work of the runs of an entry; `None` without any.
fn work(runs: &[&RunRow]) -> Option<RaceWork> {
    let requests = || runs.iter().map(|run| run.requests);
    Some(RaceWork {
        seeds: runs.iter().map(|run| run.seed.clone()).collect(),
        requests_least: requests().min()?,
        requests_most: requests().max()?,
        workload_digest: runs.first()?.workload_digest.clone(),
    })
}

/// An entry without a place, with its figures over the seeds that it has in common with the first.
fn unranked(name: &str, why: String, own: &[&RunRow], leader: &[&RunRow], by: RankBy) -> Unranked {
    let known: Option<Vec<f64>> = own.iter().map(|run| by.of(run)).collect();
    let same = |run: &&RunRow| {
        let theirs = leader.iter().find(|l| l.seed == run.seed)?;
        let equal = theirs.workload_digest == run.workload_digest && theirs.requests == run.requests;
        equal.then(|| [by.of(theirs), by.of(run)])
    };
    let pairs: Option<Vec<[Option<f64>; 2]>> = own.iter().map(same).collect();
    let pairs = pairs.filter(|pairs| !pairs.is_empty());
    let difference = |pair: &[Option<f64>; 2]| Some(pair[1]? - pair[0]?);
    let figure = by.figure();
    Unranked {
        name: name.to_owned(),
        why,
        seeds: own.len() as u32,
        mean: known.filter(|known| !known.is_empty()).map(|known| mean(&known)),
        by_seed: pairs.iter().flatten().filter_map(difference).collect(),
        to_first: pairs
            .map(|pairs| Difference::of(&pairs, None, figure.better, figure.unit.difference_bounds())),
    }
}

/// Runs against those of the oracle on the same work; `None` if one of them is missing.
fn regret(own: &[&RunRow], bound: &[RunRow]) -> Option<RunRegret> {
    let held = |run: &RunRow| -> Held { [run.met_share.map(|x| 100.0 * x), run.replica_seconds, run.usd] };
    let of = |run: &&RunRow| {
        let same = |b: &&RunRow| b.seed == run.seed && b.workload_digest == run.workload_digest;
        bound.iter().find(same).map(|b| [held(run), held(b)])
    };
    let pairs: Option<Vec<[Held; 2]>> = own.iter().map(of).collect();
    pairs.filter(|pairs| !pairs.is_empty()).map(|pairs| RunRegret::of(&pairs))
}

/// The values of an entry's runs in the order of the reference's seeds; or why they cannot be compared.
fn values(reference: &[&RunRow], own: &[&RunRow], by: RankBy) -> Result<Vec<f64>, String> {
    let mut found = Vec::new();
    for of in reference {
        let seed = &of.seed;
        let Some(run) = own.iter().find(|r| r.seed == *seed) else {
            return Err(format!("there is no run with seed {seed}"));
        };
        if run.workload_digest != of.workload_digest {
            return Err(format!("another workload with seed {seed}: only equal offered work is ranked"));
        }
        if run.requests != of.requests {
            return Err(format!(
                "{} requests arrived with seed {seed} and {} at the first: only equal offered work is ranked (a slow cluster gets the \
                 next round of a conversation later)",
                run.requests, of.requests
            ));
        }
        let missing = match by {
            RankBy::TtftP99 => "more than one request in a hundred got no first token",
            RankBy::E2eP99 => "more than one request in a hundred did not finish",
            RankBy::Fitness => "the scenario gives no weights for a score",
            RankBy::Usd => "a pool has no price",
            RankBy::MetShare | RankBy::Goodput => "nothing was measured",
        };
        found.push(by.of(run).ok_or_else(|| format!("{missing} with seed {seed}"))?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::Pool;
    use run::session::{PoolEvidence, Regime, RegimeBasis};

    fn entry(name: &str, seed: u32, met: u64) -> RaceEntry {
        let run = RunRow {
            seed: seed.to_string(),
            workload_digest: format!("w{seed}"),
            requests: 100,
            met,
            met_share: Some(met as f64 / 100.0),
            ..RunRow::default()
        };
        RaceEntry { name: name.to_owned(), run }
    }

    #[test]
    fn only_equal_offered_work_is_ranked_and_what_cannot_be_told_apart_is_tied() {
        let mut all = Vec::new();
        for (seed, met) in [(1, [90, 70, 89, 99]), (2, [80, 61, 82, 99]), (3, [85, 64, 83, 99])] {
            for (name, met) in ["a", "b", "c", "other"].iter().zip(met) {
                all.push(entry(name, seed, met));
            }
        }
        all.iter_mut().filter(|e| e.name == "other").for_each(|e| e.run.workload_digest = "x".to_owned());
        all.push(entry("late", 1, 100));
        let r = rank(&all, &[], RankBy::MetShare, 3);
        let order: Vec<(&str, bool)> = r.places.iter().map(|p| (p.name.as_str(), p.tied)).collect();
        assert_eq!(order, [("a", true), ("c", true), ("b", false)]);
        assert_eq!(r.places[2].to_first.verdict, Verdict::Worse);
        let why: Vec<&str> = r.unranked.iter().map(|u| u.why.as_str()).collect();
        assert_eq!(
            why,
            ["another workload with seed 1: only equal offered work is ranked", "1 of 3 seeds in"]
        );
        // Of the seed that it has, 100 are met, and 90 at the first.
        let late = &r.unranked[1];
        assert_eq!((late.seeds, late.mean), (1, Some(1.0)));
        assert!((late.by_seed[0] - 0.1).abs() < 1e-12 && late.by_seed.len() == 1);
        assert_eq!(late.to_first.map(|d| d.verdict), Some(Verdict::Unknown), "one seed has no interval");
        assert_eq!(r.unranked[0].to_first, None, "other work is not held against the first");
        let ticks: Vec<i64> = r.places[2].by_seed.iter().map(|d| (d * 100.0).round() as i64).collect();
        assert_eq!(ticks, [-20, -19, -21]);
        let work = r.work.as_ref().expect("three are ranked");
        assert_eq!((work.requests_least, work.requests_most, work.seeds.len()), (100, 100, 3));
        assert!(rank(&all, &[], RankBy::MetShare, 4).places.is_empty(), "no rank before all seeds are in");
        assert!(r.bound.is_none() && r.places.iter().all(|p| p.regret.is_none()));
        assert!(rank(&all, &[], RankBy::Fitness, 3).places.is_empty(), "no score without weights");
        assert!(rank(&[], &[], RankBy::MetShare, 1).places.is_empty());
    }

    #[test]
    fn an_interval_of_a_share_stays_a_share() {
        let all: Vec<RaceEntry> =
            [(1, 100), (2, 99), (3, 80)].map(|(seed, met)| entry("a", seed, met)).to_vec();
        let place = &rank(&all, &[], RankBy::MetShare, 3).places[0];
        assert!(place.lo > Some(0.0) && place.lo < Some(0.8) && place.hi < Some(1.0), "{place:?}");
    }

    /// An entry by its p99 of TTFT, on a GPU.
    fn on(gpu: &str, ttft_ms: f64, seed: u32) -> RaceEntry {
        let pool = Pool { gpu: gpu.to_owned(), ..Pool::default() };
        let evidence = [PoolEvidence::new(&pool, Some((Regime::Below, RegimeBasis::Load)))];
        let of = entry(&format!("{gpu} {ttft_ms}"), seed, 90);
        let (error, ttft_p99_of_all_ms) = (RunError::of(&evidence), Some(ttft_ms + f64::from(seed) / 100.0));
        RaceEntry { run: RunRow { ttft_p99_of_all_ms, error, ..of.run }, ..of }
    }

    #[test]
    fn an_order_within_the_error_of_two_fleets_is_in_doubt_and_that_of_one_fleet_is_not() {
        let all: Vec<RaceEntry> = [("H100", 100.0), ("H100", 101.0), ("H20", 102.0), ("H20", 900.0)]
            .iter()
            .flat_map(|&(gpu, ms)| [1, 2].map(|seed| on(gpu, ms, seed)))
            .collect();
        let r = rank(&all, &[], RankBy::TtftP99, 2);
        let doubts: Vec<bool> = r.places.iter().map(|place| place.doubt.is_some()).collect();
        assert_eq!(doubts, [false, false, true, false], "{r:?}");
        let text = r.places[2].doubt.as_deref().unwrap_or_default();
        assert!(text.contains("TTFT p99 of all requests is 2\u{a0}% apart"), "{text}");
        assert!(!r.places[2].tied && r.notices.is_empty(), "the seeds show a difference");
        let met = rank(&all, &[], RankBy::MetShare, 2);
        assert!(met.places.iter().all(|place| place.doubt.is_none()));
        assert!(met.notices[0].contains("no error is known of objectives met"), "{:?}", met.notices);
        let one_fleet = rank(&all[..4], &[], RankBy::MetShare, 2);
        assert!(one_fleet.notices.is_empty() && one_fleet.places.len() == 2);
    }

    #[test]
    fn the_bound_has_no_place_and_everybody_is_held_against_it() {
        let mut all = Vec::new();
        for (seed, met) in [(1, [90, 70]), (2, [80, 61])] {
            all.extend(["a", "b"].iter().zip(met).map(|(name, met)| entry(name, seed, met)));
        }
        let bound: Vec<RunRow> = [(1, 95), (2, 79)].map(|(seed, met)| entry("", seed, met).run).to_vec();
        let r = rank(&all, &bound, RankBy::MetShare, 2);
        assert_eq!(r.places.len(), 2);
        let regrets = r.places.iter().map(|p| p.regret.and_then(|x| x.attainment_regret.regret));
        assert_eq!(regrets.collect::<Vec<_>>(), [Some(2.0), Some(21.5)], "a beats it with the second seed");
        let oracle = r.bound.expect("it ran");
        assert_eq!((oracle.mean, oracle.figures.attainment_regret.regret), (Some(0.87), Some(0.0)));
        let less = rank(&all, &bound[..1], RankBy::MetShare, 2);
        assert!(less.places.iter().all(|p| p.regret.is_none()), "it ran with one seed of two");
    }
}
