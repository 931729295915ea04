//! Series over time, measured and simulated at the same instants.

use super::scenario::Replay;
use crate::import::benchmark::series::Points;
use crate::import::benchmark::{MetricSeries, Timeline};
use base::{Diagnostic, Diagnostics, Micros};
use document::Scenario;
use engine::{Fact, Sink};
use export::{Counting, has_page};
use run::session::{Session, Stop};
use serde::Serialize;
use std::collections::BTreeMap;

/// Most events of one run.
const MOST_EVENTS: u64 = 20_000_000;

/// A metric over time, measured and simulated.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesCompared {
    /// Metric with its unit.
    pub metric: &'static str,
    /// Instants in seconds from the first one on.
    pub times_s: Vec<f64>,
    /// Measured values at these instants.
    pub measured: Vec<f64>,
    /// Simulated values; null where the run has none.
    pub simulated: Vec<Option<f64>>,
    /// Instants at which both are known; the means cover them.
    pub instants: u32,
    /// Mean of the measured values.
    pub measured_mean: f64,
    /// Mean of the simulated values.
    pub simulated_mean: f64,
    /// Mean distance of the two at the same instant.
    pub distance: f64,
    /// Relative error of the simulated mean; missing if the load is assumed, or 0 was measured.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

/// Runs the load of a replay with a sample at every step of the measured series.
pub(super) fn compare_series(line: &Timeline, replay: &Replay) -> Result<Vec<SeriesCompared>, Diagnostics> {
    let mut scenario = replay.scenario(replay.seed());
    let own = scenario.run.horizon_s;
    scenario.run.horizon_s = if own > 0.0 { own.min(line.span_s()) } else { line.span_s() };
    (scenario.run.warmup_s, scenario.run.warmup_requests) = (0.0, 0);
    let simulated = watched(scenario, line)?.map(|line| line.metrics()).unwrap_or_default();
    let assumed = replay.assumed;
    let of = |m: MetricSeries| {
        let other = simulated.iter().find(|s| s.metric == m.metric)?;
        Some(compared(&m, other, line.step_s(), assumed))
    };
    Ok(line.metrics().into_iter().filter_map(of).collect())
}

fn compared(m: &MetricSeries, other: &MetricSeries, step_s: f64, assumed: bool) -> SeriesCompared {
    let simulated: Vec<Option<f64>> = m.values.keys().map(|step| other.values.get(step).copied()).collect();
    let both: Vec<(f64, f64)> =
        m.values.values().zip(&simulated).filter_map(|(a, b)| Some((*a, (*b)?))).collect();
    let n = both.len().max(1) as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| both.iter().map(of).sum::<f64>() / n;
    let (measured_mean, simulated_mean) = (mean(&|p| p.0), mean(&|p| p.1));
    let known = !assumed && !both.is_empty() && measured_mean > 0.0;
    SeriesCompared {
        metric: m.metric,
        times_s: m.values.keys().map(|step| *step as f64 * step_s).collect(),
        measured: m.values.values().copied().collect(),
        simulated,
        instants: both.len() as u32,
        measured_mean,
        simulated_mean,
        distance: mean(&|p| (p.0 - p.1).abs()),
        error: known.then(|| simulated_mean / measured_mean - 1.0),
    }
}

/// Counts what the replicas of a run would have counted.
struct Watch(Counting);

impl Sink for Watch {
    fn fact(&mut self, _at: Micros, fact: Fact) {
        self.0.fact(&fact);
    }
}

/// The samples of a run at the steps of a measured series.
fn watched(scenario: Scenario, line: &Timeline) -> Result<Option<Timeline>, Diagnostics> {
    let (mut session, _) = Session::start_for_rows(scenario, None)?;
    let mut watch = Watch(Counting::default());
    let mut points: BTreeMap<(String, u32), Points> = BTreeMap::new();
    let step_us = line.step_us();
    let steps = (line.span_s() / line.step_s()).round() as u64;
    for step in 0..=steps {
        let until = Micros(step.saturating_mul(step_us));
        let left = MOST_EVENTS.saturating_sub(session.events());
        let stop = session.advance_telling(until, left, &mut watch);
        if stop == Stop::Events {
            let found = format!("a run with more than {MOST_EVENTS} events");
            let fix = "query a shorter range";
            return Err(vec![Diagnostic::error("", found, "a run of the length of the series", fix)]);
        }
        if session.now() < until {
            break;
        }
        watch.0.catch_up(&session);
        for replica in session.engine().replicas().iter().filter(|r| has_page(r)) {
            let id = replica.id().0;
            for (name, value) in watch.0.of(id).course(replica) {
                points.entry((name, id)).or_default().insert((until.0 / 1000) as i64, value);
            }
        }
    }
    let mut by_name: BTreeMap<String, Vec<Points>> = BTreeMap::new();
    for ((name, _), values) in points {
        by_name.entry(name).or_default().push(values);
    }
    Ok(Timeline::new(by_name))
}
