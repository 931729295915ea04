//! The effect of the coefficients' intervals on TTFT and TPOT: the run is repeated with each coefficient at both ends
//! of its interval.
//!
//! The differences are added by their squares, as for independent errors. The built-in coefficients of one GPU were
//! fitted together and are not independent, so that the true band is narrower.

use super::simulated::{Simulated, run};
use crate::import::benchmark::statistics::statistic;
use base::{Diagnostics, SortedMap, json};
use document::{CalibratedCoefficients, LatencyModel, Scenario, limits};
use engine::perf;
use serde::Serialize;

/// A distribution with its band.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Band {
    /// Metric.
    pub metric: &'static str,
    /// Values in ascending order at equal distances of their rank.
    pub values: Vec<f64>,
    /// Lower edge of the band at each of them.
    pub low: Vec<f64>,
    /// Upper edge.
    pub high: Vec<f64>,
    /// Median with its edges: low, value, high.
    pub p50: [f64; 3],
    /// The same of the 99th percentile.
    pub p99: [f64; 3],
}

/// Points of a distribution.
const POINTS: usize = 100;

/// Half intervals by coefficient.
pub type Halves = SortedMap<String, Option<f64>>;

/// The bands of a scenario whose first pool has calibrated latency; none if no interval is known.
pub fn bands(scenario: &Scenario) -> Result<Vec<Band>, Diagnostics> {
    let pool = scenario.cluster.pools.first();
    let settings = pool.and_then(|pool| match &pool.latency {
        LatencyModel::Calibrated(s) if s.coefficients.is_none() => Some((pool, s)),
        _ => None,
    });
    let Some((pool, settings)) = settings else { return Ok(Vec::new()) };
    let row = perf::calibration(&pool.gpu, settings.engine);
    bands_of(scenario, &row.coefficients, &row.intervals)
}

/// The bands of these intervals of the coefficients of the first pool's GPU.
pub fn bands_of(
    scenario: &Scenario,
    coefficients: &CalibratedCoefficients,
    halves: &Halves,
) -> Result<Vec<Band>, Diagnostics> {
    let moved = moved(coefficients, halves);
    if moved.is_empty() {
        return Ok(Vec::new());
    }
    let middle = run(with(scenario, coefficients), &[])?;
    let metrics = ["ttft_ms", "tpot_ms"];
    let values: Vec<Vec<f64>> = metrics.iter().map(|metric| points(&middle, metric)).collect();
    let mut squares: Vec<Vec<f64>> = values.iter().map(|v| vec![0.0; v.len()]).collect();
    for ends in moved {
        let [one, other] = [run(with(scenario, &ends[0]), &[])?, run(with(scenario, &ends[1]), &[])?];
        for (i, metric) in metrics.iter().enumerate() {
            let (one, other) = (points(&one, metric), points(&other, metric));
            for (k, square) in squares[i].iter_mut().enumerate().take(one.len().min(other.len())) {
                let half = (one[k] - other[k]) / 2.0;
                *square += half * half;
            }
        }
    }
    let band = |(i, values): (usize, Vec<f64>)| {
        let edge = |sign: f64| {
            values.iter().zip(&squares[i]).map(|(v, s)| (v + sign * s.sqrt()).max(0.0)).collect::<Vec<f64>>()
        };
        let (low, high) = (edge(-1.0), edge(1.0));
        let at = |stat: &str| [&low, &values, &high].map(|of| statistic(of, stat).unwrap_or(0.0));
        Band {
            metric: metrics[i],
            p50: at("p50"),
            p99: at("p99"),
            low: low.clone(),
            high: high.clone(),
            values: values.clone(),
        }
    };
    Ok(values.into_iter().enumerate().filter(|(_, v)| !v.is_empty()).map(band).collect())
}

/// For each coefficient with an interval: the coefficients with it at either end, within physical limits.
fn moved(c: &CalibratedCoefficients, halves: &Halves) -> Vec<[CalibratedCoefficients; 2]> {
    let tree = json::tree(c);
    let mut found = Vec::new();
    for (name, half) in halves {
        let (Some(half), Some(value)) =
            (half.filter(|h| *h > 0.0), tree.get(name).and_then(serde_json::Value::as_f64))
        else {
            continue;
        };
        let [low, high] = if name.ends_with("_efficiency") {
            [limits::EFFICIENCY_MIN, 1.0]
        } else {
            [0.0, limits::COEFFICIENT_US]
        };
        let end = |sign: f64| {
            let mut other = tree.clone();
            other[name.as_str()] = serde_json::Value::from((value + sign * half).clamp(low, high));
            json::data::<CalibratedCoefficients>(&other).ok()
        };
        if let (Some(one), Some(other)) = (end(-1.0), end(1.0)) {
            found.push([one, other]);
        }
    }
    found
}

fn with(scenario: &Scenario, c: &CalibratedCoefficients) -> Scenario {
    let mut other = Scenario { edits: Vec::new(), ..scenario.clone() };
    other.observe.anomalies = false;
    let gpu = other.cluster.pools.first().map(|pool| pool.gpu.clone()).unwrap_or_default();
    for pool in other.cluster.pools.iter_mut().filter(|pool| pool.gpu == gpu) {
        if let LatencyModel::Calibrated(settings) = &mut pool.latency {
            settings.coefficients = Some(c.clone());
        }
    }
    other
}

/// A metric at equal distances of rank.
fn points(s: &Simulated, metric: &str) -> Vec<f64> {
    let values = s.values(metric);
    let Some(last) = values.len().checked_sub(1) else { return Vec::new() };
    (0..POINTS).map(|i| values[i * last / (POINTS - 1)]).collect()
}
