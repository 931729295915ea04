//! Comparison of measured and simulated figures.

use super::over_time::{SeriesCompared, compare_series};
use super::replayed::{OverSeeds, error};
use super::scenario::Replay;
use super::simulated::Simulated;
use crate::import::benchmark::statistics::{of_request, sort, statistic};
use crate::import::benchmark::{Benchmark, Figure};
use base::Diagnostics;
use serde::Serialize;

/// A figure, measured and simulated.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// What was measured.
    #[serde(flatten)]
    #[cfg_attr(feature = "types", ts(flatten))]
    pub measured: Figure,
    /// The mean over the seeds.
    pub simulated: f64,
    /// Smallest value of a seed.
    pub lowest: f64,
    /// Largest value of a seed.
    pub highest: f64,
    /// Signed relative error of the simulated figure: 0 between the bounds of the measured one, missing if 0 was
    /// measured.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// Whether the simulated figure lies between the bounds of the measured one; missing if that is exact, or if the load
    /// is assumed.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<bool>,
}

/// A measured and a simulated distribution.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curves {
    /// Metric.
    pub metric: &'static str,
    /// Simulated values in ascending order at equal distances: the first is the smallest, the last the largest.
    pub simulated: Vec<f64>,
    /// Measured: pairs of a percentage of the requests and the value.
    pub measured: Vec<[f64; 2]>,
    /// Largest distance between the two in percentage points, if all requests are known. Values that differ by less
    /// than 1 % count as equal: if many requests have nearly the same value, the share below it would mean nothing.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_gap: Option<f64>,
}

/// The result of a comparison.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Tool that wrote the file.
    pub tool: &'static str,
    /// Name of the run; empty if the file has only one.
    pub name: String,
    /// Model as written in the file.
    pub model: String,
    /// Date as written in the file.
    pub date: String,
    /// Requests in the file with a time of sending.
    pub requests: u32,
    /// Requests that failed.
    pub failed: u32,
    /// The simulated load, in words.
    pub says: String,
    /// Whether the load is assumed, as the file does not give it; then no errors are shown.
    pub assumed: bool,
    /// The parts of the load that the file lacks, if the load is assumed: `sending`, `requests`, `prompt_tokens`,
    /// `output_tokens`. The user can give them.
    pub missing: Vec<&'static str>,
    /// Reasons not to trust the comparison, in sentences.
    pub warnings: Vec<String>,
    /// Notes on these figures.
    pub notes: Vec<String>,
    /// The figures.
    pub rows: Vec<Compared>,
    /// Distributions of TTFT, TPOT and E2E, as far as the file contains them.
    pub curves: Vec<Curves>,
    /// Series over time, if the file has them.
    pub series: Vec<SeriesCompared>,
    /// Seeds.
    pub seeds: u32,
}

/// Number of seeds if arrivals are drawn.
const SEEDS: u64 = 5;
/// Requests of all seeds together.
const MOST_REQUESTS: usize = 100_000;
/// Points of a simulated distribution.
const POINTS: usize = 200;

/// Runs a result and compares it. The server's KV blocks are compared with the number that fits by itself.
pub fn compare(b: &Benchmark, replay: &Replay) -> Result<Comparison, Diagnostics> {
    if let Some(line) = &b.series {
        let series = compare_series(line, replay)?;
        let (instants, step_s, span_s) = (line.instants(), line.step_s(), line.span_s());
        let mut c = head(b, replay, 1);
        c.says = format!("{}; {instants} instants, one every {step_s} s, over {span_s} s", c.says);
        c.series = series;
        return Ok(c);
    }
    let few = (MOST_REQUESTS / (replay.requests() * replay.runs()).max(1)).max(1) as u64;
    let seeds = if replay.is_drawn() { SEEDS.min(few) } else { 1 };
    let seeds: Vec<u64> = (0..seeds).map(|i| replay.seed().wrapping_add(i)).collect();
    let runs: Result<Vec<Simulated>, Diagnostics> = seeds.iter().map(|seed| replay.run(*seed)).collect();
    let runs = runs?;
    let mut rows: Vec<Compared> = b.figures.iter().filter_map(|f| row(f, &runs)).collect();
    let mut curves: Vec<Curves> =
        ["ttft_ms", "tpot_ms", "e2e_ms"].into_iter().filter_map(|metric| curve(b, metric, &runs)).collect();
    if replay.assumed {
        for row in &mut rows {
            (row.error, row.inside) = (None, None);
        }
        for curve in &mut curves {
            curve.largest_gap = None;
        }
    }
    rows.extend(blocks(b, replay));
    Ok(Comparison { rows, curves, ..head(b, replay, seeds.len() as u32) })
}

/// A comparison without figures.
fn head(b: &Benchmark, replay: &Replay, seeds: u32) -> Comparison {
    Comparison {
        tool: b.tool,
        name: b.name.clone(),
        model: b.model.clone(),
        date: b.date.clone(),
        requests: b.requests.iter().filter(|r| r.start_us.is_some()).count() as u32,
        failed: b.failed,
        says: replay.says.clone(),
        assumed: replay.assumed,
        missing: replay.missing.clone(),
        warnings: replay.warnings.clone(),
        notes: b.notes.clone(),
        rows: Vec::new(),
        curves: Vec::new(),
        series: Vec::new(),
        seeds,
    }
}

pub(super) fn row(f: &Figure, runs: &[Simulated]) -> Option<Compared> {
    let values: Vec<f64> = runs.iter().filter_map(|s| s.figure(f.metric, f.stat)).collect();
    let OverSeeds { mean: simulated, lowest, highest } = OverSeeds::of(&values)?;
    Some(Compared {
        measured: f.clone(),
        simulated,
        lowest,
        highest,
        error: error(simulated, f.low, f.high),
        inside: (f.high > f.low).then(|| (f.low..=f.high).contains(&simulated)),
    })
}

fn blocks(b: &Benchmark, replay: &Replay) -> Option<Compared> {
    let (told, auto) = (f64::from(b.engine.blocks?), f64::from(replay.auto_blocks?));
    let measured = Figure { metric: "kv_blocks", stat: "value", low: told, high: told };
    let error = error(auto, told, told);
    Some(Compared { measured, simulated: auto, lowest: auto, highest: auto, error, inside: None })
}

/// Values that differ by no more than this share count as equal.
const SAME: f64 = 0.01;

/// Largest excess of the share of one at or below a value over the share of the other at or below that value plus the
/// tolerance; both in ascending order.
fn beyond(one: &[f64], other: &[f64]) -> f64 {
    let share = |of: &[f64], x: f64| of.partition_point(|v| *v <= x) as f64 / of.len() as f64;
    one.iter().map(|x| share(one, *x) - share(other, x * (1.0 + SAME))).fold(0.0, f64::max)
}

fn curve(b: &Benchmark, metric: &'static str, runs: &[Simulated]) -> Option<Curves> {
    let mut simulated: Vec<f64> = runs.iter().flat_map(|s| s.values(metric)).collect();
    sort(&mut simulated);
    let last = simulated.len().checked_sub(1)?;
    let mut own: Vec<f64> = b.counted().filter_map(|r| of_request(r, metric)).collect();
    sort(&mut own);
    let percentiles = [5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0];
    let measured: Vec<[f64; 2]> = if own.len() >= 20 {
        percentiles.iter().filter_map(|p| Some([*p, statistic(&own, &format!("p{p}"))?])).collect()
    } else {
        let told = |stat: &str, p: f64| {
            let found = b.figures.iter().find(|f| f.metric == metric && f.stat == stat)?;
            (found.high - found.low <= 1e-9).then_some([p, found.low])
        };
        [("p50", 50.0), ("p90", 90.0), ("p95", 95.0), ("p99", 99.0)]
            .iter()
            .filter_map(|(stat, p)| told(stat, *p))
            .collect()
    };
    if measured.is_empty() {
        return None;
    }
    let largest_gap =
        (own.len() >= 20).then(|| beyond(&own, &simulated).max(beyond(&simulated, &own)) * 100.0);
    let points = POINTS.min(last + 1).max(2);
    let at = |i: usize| simulated[i * last / (points - 1)];
    Some(Curves { metric, simulated: (0..points).map(at).collect(), measured, largest_gap })
}
