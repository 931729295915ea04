//! A race of policies: their order by one figure, among entries with the same offered work.
//!
//! There is no composite score unless the scenario gives weights for one, the fitness. Refusing requests is no
//! advantage: refused and dropped requests have missed their objectives and, like unfinished ones, count as
//! infinitely slow in a percentile.

use super::row::RunRow;
use crate::stats::{POSITIVE, SHARE, SHARE_DIFFERENCE, UNBOUNDED, mean_interval};
use crate::study::compare::{Difference, Direction, Held, RunRegret, Verdict};
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
    fn of(self, run: &RunRow) -> Option<f64> {
        match self {
            Self::MetShare => run.met_share,
            Self::TtftP99 => run.ttft_p99_of_all_ms,
            Self::E2eP99 => run.e2e_p99_of_all_ms,
            Self::Goodput => run.goodput_per_s,
            Self::Usd => run.usd_per_million_output_tokens,
            Self::Fitness => run.fitness,
        }
    }

    /// The bounds of the figure, and of the difference of two.
    fn bounds(self) -> [[f64; 2]; 2] {
        match self {
            Self::MetShare => [SHARE, SHARE_DIFFERENCE],
            Self::TtftP99 | Self::E2eP99 | Self::Goodput | Self::Usd => [POSITIVE, UNBOUNDED],
            Self::Fitness => [UNBOUNDED, UNBOUNDED],
        }
    }

    fn better(self) -> Direction {
        match self {
            Self::MetShare | Self::Goodput | Self::Fitness => Direction::Higher,
            Self::TtftP99 | Self::E2eP99 | Self::Usd => Direction::Lower,
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
    /// The oracle's runs, if autoscalers are raced: the bound, without a place.
    pub bound: Option<RaceBound>,
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
    /// Whether no difference to the first can be shown, or too few seeds ran to tell.
    pub tied: bool,
    /// Against the oracle, if it ran with every seed.
    pub regret: Option<RunRegret>,
}

/// An entry without a place.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unranked {
    /// Name of the entry.
    pub name: String,
    /// Why.
    pub why: String,
}

/// The order of some runs. The first entry defines the offered work and the seeds. `bound` are the runs of the
/// oracle, if there is one.
pub fn rank(entries: &[RaceEntry], bound: &[RunRow], by: RankBy) -> RaceRanking {
    let mut names: Vec<&str> = Vec::new();
    for entry in entries {
        if !names.contains(&entry.name.as_str()) {
            names.push(&entry.name);
        }
    }
    let runs =
        |name: &str| entries.iter().filter(|e| e.name == name).map(|e| &e.run).collect::<Vec<&RunRow>>();
    let reference: Vec<&RunRow> = names.first().map(|first| runs(first)).unwrap_or_default();
    let (mut ranked, mut unranked): (Vec<(&str, Vec<f64>)>, Vec<Unranked>) = (Vec::new(), Vec::new());
    for name in names {
        match values(&reference, &runs(name), by) {
            Ok(found) => ranked.push((name, found)),
            Err(why) => unranked.push(Unranked { name: name.to_owned(), why }),
        }
    }
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    ranked.sort_by(|(_, x), (_, y)| match by.better() {
        Direction::Lower => mean(x).total_cmp(&mean(y)),
        Direction::Higher => mean(y).total_cmp(&mean(x)),
    });
    let first = ranked.first().map(|(_, v)| v.clone()).unwrap_or_default();
    let [own_bounds, bounds] = by.bounds();
    let place = |(place, (name, own)): (u32, &(&str, Vec<f64>))| {
        let pairs: Vec<[Option<f64>; 2]> = first.iter().zip(own).map(|(&a, &b)| [Some(a), Some(b)]).collect();
        let interval = mean_interval(own, own_bounds);
        let to_first = Difference::of(&pairs, None, by.better(), bounds);
        RacePlace {
            place,
            name: (*name).to_owned(),
            mean: mean(own),
            lo: interval.map(|i| i.lo),
            hi: interval.map(|i| i.hi),
            to_first,
            tied: matches!(to_first.verdict, Verdict::NoneShown | Verdict::Unknown),
            regret: regret(&runs(name), bound),
        }
    };
    let places = (1..).zip(&ranked).map(place).collect();
    let own: Vec<&RunRow> = bound.iter().collect();
    let figures = regret(&own, bound);
    let value: Option<Vec<f64>> = own.iter().map(|run| by.of(run)).collect();
    let bound = figures.map(|figures| RaceBound { mean: value.map(|v| mean(&v)), figures });
    RaceRanking { by, better: by.better(), places, unranked, bound }
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
            return Err(format!("there is no run with seed {seed} yet"));
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
        let r = rank(&all, &[], RankBy::MetShare);
        let order: Vec<(&str, bool)> = r.places.iter().map(|p| (p.name.as_str(), p.tied)).collect();
        assert_eq!(order, [("a", true), ("c", true), ("b", false)]);
        assert_eq!(r.places[2].to_first.verdict, Verdict::Worse);
        let why: Vec<&str> = r.unranked.iter().map(|u| u.why.as_str()).collect();
        assert_eq!(
            why,
            [
                "another workload with seed 1: only equal offered work is ranked",
                "there is no run with seed 2 yet"
            ]
        );
        assert!(r.bound.is_none() && r.places.iter().all(|p| p.regret.is_none()));
        assert!(rank(&all, &[], RankBy::Fitness).places.is_empty(), "no score without weights");
        assert!(rank(&[], &[], RankBy::MetShare).places.is_empty());
    }

    #[test]
    fn an_interval_of_a_share_stays_a_share() {
        let all: Vec<RaceEntry> =
            [(1, 100), (2, 99), (3, 80)].map(|(seed, met)| entry("a", seed, met)).to_vec();
        let place = &rank(&all, &[], RankBy::MetShare).places[0];
        assert!(place.lo > Some(0.0) && place.lo < Some(0.8) && place.hi < Some(1.0), "{place:?}");
    }

    #[test]
    fn the_bound_has_no_place_and_everybody_is_held_against_it() {
        let mut all = Vec::new();
        for (seed, met) in [(1, [90, 70]), (2, [80, 61])] {
            all.extend(["a", "b"].iter().zip(met).map(|(name, met)| entry(name, seed, met)));
        }
        let bound: Vec<RunRow> = [(1, 95), (2, 79)].map(|(seed, met)| entry("", seed, met).run).to_vec();
        let r = rank(&all, &bound, RankBy::MetShare);
        assert_eq!(r.places.len(), 2);
        let regrets = r.places.iter().map(|p| p.regret.and_then(|x| x.attainment_regret.regret));
        assert_eq!(regrets.collect::<Vec<_>>(), [Some(2.0), Some(21.5)], "a beats it with the second seed");
        let oracle = r.bound.expect("it ran");
        assert_eq!((oracle.mean, oracle.figures.attainment_regret.regret), (Some(0.87), Some(0.0)));
        let less = rank(&all, &bound[..1], RankBy::MetShare);
        assert!(less.places.iter().all(|p| p.regret.is_none()), "it ran with one seed of two");
    }
}
