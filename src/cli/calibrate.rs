//! `tokenyard calibrate`: coefficients of the calibrated latency model from measured runs.

use super::args::Calibrate;
use super::validate::{Found, Job, Own, OwnRow, coefficients, experiments, percent, replay_jobs};
use super::{BAD_INPUT, Failed, say, tell, unreadable};
use crate::scenario::{CalibratedCoefficients, EngineGeneration};
use crate::validate::{Fit, Latency, Options, fit, median, served_by};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What others begin with where they have been fitted.
const FIRST: (&str, EngineGeneration) = ("H100", EngineGeneration::Ahead);

/// `tokenyard calibrate`
pub(super) fn run(args: &Calibrate) -> Result<(), Failed> {
    let mut found = experiments(&args.paths)?;
    found.retain(|(e, _)| !args.without.iter().any(|text| e.id.contains(text.as_str())));
    let started = args.start.as_deref().map(coefficients).transpose()?.unwrap_or_default();
    let mut sets: BTreeMap<(bool, String, EngineGeneration), Found> = BTreeMap::new();
    for of in found {
        let (gpu, engine) = served_by(&of.0);
        let later = (gpu.as_str(), engine) != FIRST;
        sets.entry((later, gpu, engine)).or_default().push(of);
    }
    let (mut rows, mut text) = (Vec::new(), String::new());
    let mut first = start_of(&started, FIRST);
    for ((later, gpu, engine), found) in &sets {
        let name = format!("{gpu}/{}", release(*engine));
        if !args.only.is_empty() && !args.only.iter().any(|start| name.starts_with(start.as_str())) {
            continue;
        }
        let own = started.iter().find(|(g, e, _)| (g, *e) == (gpu, *engine));
        let start = own.map_or_else(|| first.clone(), |(.., c)| c.clone());
        let Some(fitted) = fit_set(&start, gpu, *engine, found) else { continue };
        if !later {
            first = fitted.coefficients.clone();
        }
        push_fit(&mut text, &name, &fitted);
        rows.push(row(gpu, *engine, fitted));
    }
    if rows.is_empty() {
        tell(&"error: no stage that coefficients may be fitted to");
        return Err(Failed(BAD_INPUT));
    }
    if let Some(path) = &args.output {
        let lines: Vec<String> = rows.iter().map(|r| serde_json::to_string(r).unwrap_or_default()).collect();
        let text = format!("[\n{}\n]\n", lines.join(",\n"));
        std::fs::write(path, text).map_err(|e| unreadable(&path.display(), &e))?;
    }
    say(&text)
}

fn start_of(own: &Own, (gpu, engine): (&str, EngineGeneration)) -> CalibratedCoefficients {
    let row = own.iter().find(|(g, e, _)| (g.as_str(), *e) == (gpu, engine));
    row.map_or_else(CalibratedCoefficients::default, |(.., c)| c.clone())
}

/// The name of a release in scenarios.
fn release(engine: EngineGeneration) -> String {
    let name = serde_json::to_value(engine).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}

fn fit_set(
    start: &CalibratedCoefficients,
    gpu: &str,
    engine: EngineGeneration,
    found: &Found,
) -> Option<Fit> {
    let replays = |sets: &[CalibratedCoefficients], most: u32| {
        let options = |c: &CalibratedCoefficients| Options {
            latency: Latency::Own(vec![(gpu.to_owned(), engine, c.clone())]),
            seeds: 1,
            fit_to: Some(most),
        };
        let jobs: Vec<Job<'_>> =
            sets.iter().flat_map(|c| found.iter().map(move |of| (of, options(c)))).collect();
        let mut outcomes = replay_jobs(&jobs).into_iter();
        sets.iter().map(|_| outcomes.by_ref().take(found.len()).collect()).collect()
    };
    fit(start, &replays)
}

fn row(gpu: &str, engine: EngineGeneration, fitted: Fit) -> OwnRow {
    let mut rests_on: Vec<String> = fitted.rows.iter().map(|r| r.id.clone()).collect();
    rests_on.dedup();
    let intervals = fitted.intervals.iter().map(|(name, _, half)| ((*name).to_owned(), *half)).collect();
    OwnRow { gpu: gpu.to_owned(), engine, rests_on, coefficients: fitted.coefficients, intervals }
}

fn push_fit(text: &mut String, name: &str, fitted: &Fit) {
    let mut ids: Vec<&str> = fitted.rows.iter().map(|r| r.id.as_str()).collect();
    ids.dedup();
    writeln!(text, "{name}: fitted to {} figures of {} experiments", fitted.rows.len(), ids.len())
        .expect("a String takes any text");
    for (coefficient, value, half) in &fitted.intervals {
        let interval = half.map_or_else(|| "not told by these data".to_owned(), |h| format!("± {h:.3}"));
        writeln!(text, "  {coefficient:<30} {value:>10.4} {interval}").expect("a String takes any text");
    }
    let mut by_metric: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for row in &fitted.rows {
        if let Some(error) = row.error {
            by_metric.entry((&row.group, &row.metric)).or_default().push(error);
        }
    }
    for ((group, metric), errors) in by_metric {
        let size = median(errors.iter().map(|e| e.abs()).collect());
        let worst = errors.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let signed = median(errors.clone());
        writeln!(
            text,
            "  group {group} {metric:<15} {:>3} figures, median {:.1} %, signed {}, worst {}",
            errors.len(),
            size * 100.0,
            percent(Some(signed)),
            percent(worst)
        )
        .expect("a String takes any text");
    }
}
