//! The summary of a sweep: means over seeds with intervals, curves with their knees, and the Pareto front.

use super::curve::{CurveKnee, knee};
use super::row::{RunFigure, RunRow};
use crate::compare::{Uncertain, percent};
use base::small::sort::sort_pairs;
use base::stats::{POSITIVE, mean_interval};
use engine::perf::ErrorFigure;
use run::session::PoolEvidence;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A run of a sweep.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepRow {
    /// The values of its case as JSON text, in the order of the paths.
    pub values: Vec<String>,
    /// Its figures.
    pub run: RunRow,
}

/// A sweep in summary.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepSummary {
    /// The paths that were varied.
    pub paths: Vec<String>,
    /// One point for each combination of their values.
    pub points: Vec<SweepPoint>,
    /// One curve for each figure along each path of numbers, the values of the other paths being fixed.
    pub curves: Vec<SweepCurve>,
    /// The cost of the Pareto front: `usd_per_million_output_tokens`, or `gpu_seconds` without prices.
    pub cost: &'static str,
    /// The points, by number, that no other beats in both cost and p99 of TTFT, the cheapest first. A point without a p99 of all
    /// its requests is beaten by every other.
    pub front: Vec<u32>,
    /// How far the latency figures of each pool can be trusted, if their class is the same in all points; else each point
    /// has its own.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<PoolEvidence>,
}

impl SweepSummary {
    /// Whether the class of evidence is the same in all points.
    pub fn one_class(&self) -> bool {
        self.points.windows(2).all(|pair| pair[0].evidence == pair[1].evidence)
    }
}

/// The runs of one combination of values.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepPoint {
    /// The values, in the order of the paths, as JSON text.
    pub values: Vec<String>,
    /// How many seeds ran.
    pub seeds: u32,
    /// Its figures.
    pub figures: Vec<SweepValue>,
    /// How far its latencies can be trusted: the class of the pool of which least is known.
    pub evidence: String,
    /// Why it is not certain whether the point belongs to the front; missing where that survives the error of the simulation.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
}

impl SweepPoint {
    /// The mean of a figure by the name of its column; `None` if a seed has no value.
    pub fn mean(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|f| f.name == name)?.mean
    }
}

/// A figure: its mean over seeds with its 95 % interval.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepValue {
    /// Name of its column.
    pub name: String,
    /// The mean; null if a seed has no value.
    pub mean: Option<f64>,
    /// Lower end; null for one seed.
    pub lo: Option<f64>,
    /// Upper end.
    pub hi: Option<f64>,
}

/// A figure along a path of numbers.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepCurve {
    /// Name of the figure's column.
    pub figure: &'static str,
    /// The path that varies along it.
    pub path: String,
    /// The points by number, in order of the path's value.
    pub points: Vec<u32>,
    /// Its knee.
    pub knee: CurveKnee,
}

/// Values, and the runs that have them.
type Combination<'a> = (&'a [String], Vec<&'a RunRow>);

/// The summary of rows, each with as many values as there are paths. Rows of a combination are its seeds.
pub fn summary(paths: &[String], rows: &[SweepRow]) -> SweepSummary {
    let (mut of_point, mut numbers): (Vec<Combination<'_>>, BTreeMap<&[String], usize>) =
        (Vec::new(), BTreeMap::new());
    for SweepRow { values, run } in rows {
        let number = *numbers.entry(values).or_insert(of_point.len());
        if number == of_point.len() {
            of_point.push((values, Vec::new()));
        }
        of_point[number].1.push(run);
    }
    let mut points: Vec<SweepPoint> = of_point.iter().map(|(values, rows)| point(values, rows)).collect();
    let mut curves = Vec::new();
    for (i, path) in paths.iter().enumerate() {
        curves.extend(along(i, path, &points));
    }
    let priced = !rows.is_empty() && rows.iter().all(|r| r.run.usd_per_million_output_tokens.is_some());
    let cost = if priced { RunFigure::COST } else { RunFigure::GPU_SECONDS };
    let front = front(&of_point, cost.of);
    for (point, doubt) in points.iter_mut().zip(front_doubts(&of_point, cost.of)) {
        point.doubt = doubt;
    }
    SweepSummary { paths: paths.to_vec(), points, curves, cost: cost.name, front, evidence: Vec::new() }
}

impl SweepValue {
    /// A figure of the runs of one combination.
    pub(super) fn of(figure: &RunFigure, rows: &[&RunRow]) -> Self {
        let found: Option<Vec<f64>> = rows.iter().map(|r| (figure.of)(r)).collect();
        Self::named(figure.name, found.as_deref(), figure.unit.bounds())
    }

    /// A figure by its name, if every run has it.
    fn named(name: &str, found: Option<&[f64]>, bounds: [f64; 2]) -> Self {
        let interval = found.and_then(|values| mean_interval(values, bounds));
        let alone = found.and_then(<[f64]>::first).copied();
        Self {
            name: name.to_owned(),
            mean: interval.map(|i| i.value).or(alone),
            lo: interval.map(|i| i.lo),
            hi: interval.map(|i| i.hi),
        }
    }
}

fn point(values: &[String], rows: &[&RunRow]) -> SweepPoint {
    let mut figures: Vec<SweepValue> = RunFigure::ALL.iter().map(|f| SweepValue::of(f, rows)).collect();
    let further: BTreeSet<&str> = rows.iter().flat_map(|r| r.metrics.keys().map(String::as_str)).collect();
    figures.extend(further.into_iter().map(|name| {
        let found: Option<Vec<f64>> = rows.iter().map(|r| r.metrics.get(name).copied()).collect();
        SweepValue::named(name, found.as_deref(), POSITIVE)
    }));
    let evidence = rows.first().map_or_else(String::new, |r| r.evidence.clone());
    SweepPoint { values: values.to_vec(), seeds: rows.len() as u32, figures, evidence, doubt: None }
}

/// The curves along path number `i`, if its values are numbers: one for each combination of the others' values.
fn along(i: usize, path: &str, points: &[SweepPoint]) -> Vec<SweepCurve> {
    let x = |p: &SweepPoint| p.values[i].parse::<f64>().ok().filter(|x| x.is_finite());
    if points.iter().any(|p| x(p).is_none()) {
        return Vec::new();
    }
    let others = |p: &SweepPoint| [&p.values[..i], &p.values[i + 1..]].concat();
    let (mut families, mut numbers): (Vec<Vec<u32>>, BTreeMap<Vec<String>, usize>) =
        (Vec::new(), BTreeMap::new());
    for (point, p) in (0..).zip(points) {
        let number = *numbers.entry(others(p)).or_insert(families.len());
        families.resize(families.len().max(number + 1), Vec::new());
        families[number].push(point);
    }
    let mut curves = Vec::new();
    for mut family in families.into_iter().filter(|f| f.len() > 1) {
        family.sort_by(|a, b| {
            let value = |n: &u32| x(&points[*n as usize]).unwrap_or(0.0);
            value(a).total_cmp(&value(b)).then(a.cmp(b))
        });
        for (k, figure) in RunFigure::WITH_KNEES.iter().enumerate() {
            let value = |n: &u32| {
                let p = &points[*n as usize];
                Some((x(p)?, p.figures[k].mean?))
            };
            let known: Vec<(f64, f64)> = family.iter().filter_map(value).collect();
            let knee = knee(figure.label, path, &known);
            curves.push(SweepCurve {
                figure: figure.name,
                path: path.to_owned(),
                points: family.clone(),
                knee,
            });
        }
    }
    curves
}

/// The mean of a figure over the seeds of a point; `None` if one has no value.
fn mean(rows: &[&RunRow], of: impl Fn(&RunRow) -> Option<f64>) -> Option<f64> {
    let all: Option<Vec<f64>> = rows.iter().map(|r| of(r)).collect();
    all.map(|all| all.iter().sum::<f64>() / all.len() as f64)
}

/// A point by its number, its cost and its p99 of TTFT.
type OnFront = (u32, f64, f64);

/// The points that have both figures of the front.
fn known(points: &[Combination<'_>], cost: impl Fn(&RunRow) -> Option<f64>) -> Vec<OnFront> {
    let both = |rows: &[&RunRow]| Some((mean(rows, &cost)?, mean(rows, |r| r.ttft_p99_of_all_ms)?));
    let points = (0..).zip(points);
    points.filter_map(|(i, (_, rows))| both(rows).map(|(cost, ttft)| (i, cost, ttft))).collect()
}

fn beats((_, c2, p2): OnFront, (_, c, p): OnFront) -> bool {
    c2 <= c && p2 <= p && (c2 < c || p2 < p)
}

/// The points that no other beats in cost and in p99 of TTFT.
fn front(points: &[Combination<'_>], cost: impl Fn(&RunRow) -> Option<f64>) -> Vec<u32> {
    let known = known(points, cost);
    let beaten = |k: &OnFront| known.iter().any(|other| beats(*other, *k));
    // Costs and times are not negative, so that their bits are in their order.
    let kept = known.iter().filter(|k| !beaten(k)).map(|&(i, c, _)| (c.max(0.0).to_bits(), u64::from(i)));
    let mut order: Vec<(u64, u64)> = kept.collect();
    sort_pairs(&mut order);
    order.into_iter().map(|(_, i)| i as u32).collect()
}

/// By point, why it is not certain whether it belongs to the front: no other beats it by more than the error of both, and one that
/// costs no more could be the faster one within it.
fn front_doubts(points: &[Combination<'_>], cost: impl Fn(&RunRow) -> Option<f64>) -> Vec<Option<String>> {
    let known = known(points, cost);
    let error = |i: u32| points[i as usize].1.first().and_then(|run| run.error.as_ref());
    let mut found = vec![None; points.len()];
    for &own in &known {
        let of_two = |&other: &OnFront| {
            let both = error(own.0).zip(error(other.0)).filter(|_| other.0 != own.0 && other.1 <= own.1);
            let uncertain = both.and_then(|(a, b)| a.uncertain(b, ErrorFigure::Ttft, [own.2, other.2]));
            (other, uncertain)
        };
        let all: Vec<(OnFront, Option<Uncertain>)> = known.iter().map(of_two).collect();
        if all.iter().any(|(other, uncertain)| uncertain.is_none() && beats(*other, own)) {
            continue;
        }
        let nearest = all.into_iter().filter_map(|(other, uncertain)| Some((other, uncertain?)));
        let nearest = nearest.reduce(|a, b| if b.1.apart < a.1.apart { b } else { a });
        found[own.0 as usize] =
            nearest.map(|(other, uncertain)| doubt(points[other.0 as usize].0, &uncertain));
    }
    found
}

fn doubt(of_other: &[String], found: &Uncertain) -> String {
    format!(
        "whether it is on the front is not certain: its p99 of TTFT is {} from that of {}, and half of the simulated ones are more than {} (this one) and {} (the other) off",
        percent(found.apart),
        of_other.join(", "),
        percent(found.errors[0]),
        percent(found.errors[1])
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::RunError;
    use document::Pool;
    use run::session::{Regime, RegimeBasis};

    fn row(ttft: f64, usd: f64) -> RunRow {
        RunRow {
            ttft_p99_ms: Some(ttft),
            ttft_p99_of_all_ms: Some(ttft),
            usd_per_million_output_tokens: Some(usd),
            ..RunRow::default()
        }
    }

    fn sweep_row(of: &[&str], ttft: f64, usd: f64) -> SweepRow {
        SweepRow { values: values(of), run: row(ttft, usd) }
    }

    fn values(of: &[&str]) -> Vec<String> {
        of.iter().map(|v| (*v).to_owned()).collect()
    }

    #[test]
    fn seeds_become_points_points_curves_and_the_cheapest_that_are_not_beaten_the_front() {
        let paths = values(&["traffic", "cluster.routing"]);
        let rows = [
            sweep_row(&["1", "\"random\""], 10.0, 4.0),
            sweep_row(&["1", "\"random\""], 12.0, 4.0),
            sweep_row(&["2", "\"random\""], 50.0, 2.0),
            sweep_row(&["1", "\"round-robin\""], 12.0, 5.0),
            sweep_row(&["2", "\"round-robin\""], 20.0, 2.5),
        ];
        let s = summary(&paths, &rows);
        assert_eq!(s.points.len(), 4);
        let ttft = s.points[0].figures.iter().find(|f| f.name == "ttft_p99_ms").unwrap();
        assert!(
            (ttft.mean.unwrap() - 11.0).abs() < 1e-12 && ttft.lo.unwrap() > 0.0 && s.points[0].seeds == 2
        );
        let knees: Vec<_> = s.curves.iter().filter(|c| c.figure == "ttft_p99_ms").collect();
        assert_eq!(knees.len(), 2, "one for each router, none along the routers");
        // 33 between 11 at 1 and 50 at 2.
        assert!((knees[0].knee.x.unwrap() - (1.0 + 22.0 / 39.0)).abs() < 1e-12);
        assert_eq!(knees[1].knee.x, None);
        assert_eq!((s.front, s.cost), (vec![1, 3, 0], "usd_per_million_output_tokens"));
    }

    #[test]
    fn a_point_within_the_error_of_another_fleet_is_in_doubt() {
        let on = |gpu: &str, ttft: f64, usd: f64| {
            let pool = Pool { gpu: gpu.to_owned(), ..Pool::default() };
            let evidence = [PoolEvidence::new(&pool, Some((Regime::Below, RegimeBasis::Load)))];
            let run = RunRow { error: RunError::of(&evidence), ..row(ttft, usd) };
            SweepRow { values: values(&[&format!("{gpu} {ttft}")]), run }
        };
        // The second is beaten by the first for certain, on one fleet; the third only within the error; the fourth is cheaper than all.
        let rows =
            [on("H100", 100.0, 2.0), on("H100", 101.0, 2.0), on("H20", 101.0, 2.0), on("H20", 900.0, 1.0)];
        let s = summary(&values(&["cluster.pools[0].gpu"]), &rows);
        assert_eq!(s.front, [3, 0]);
        let doubts: Vec<bool> = s.points.iter().map(|point| point.doubt.is_some()).collect();
        assert_eq!(doubts, [true, false, true, false], "{s:?}");
        let text = s.points[2].doubt.as_deref().unwrap_or_default();
        assert!(text.contains("is 0\u{a0}% from that of H100 101"), "{text}");
    }
}
