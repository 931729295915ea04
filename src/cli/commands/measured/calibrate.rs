//! `tokenyard calibrate`: coefficients of the calibrated latency model from measured runs.

use crate::args::Calibrate;
use crate::commands::measured::benchmark;
use crate::commands::measured::leave_out::leave_out;
use crate::commands::measured::validate::{
    Found, Job, Own, OwnRow, coefficients, experiments, files_of, percent, replay_jobs,
};
use crate::files::outputs::{Outputs, takes_bytes};
use crate::{BAD_INPUT, Failed, say, tell, unreadable};
use document::{CalibratedCoefficients, EngineGeneration};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tools::validate::{
    Fit, Found as Coefficients, Latency, Options, Pull, built_in, carried, first_values, fit, left_out_lines,
    median, served_by,
};

/// Coefficients that fewer experiments determine are marked.
const FEW: u32 = 3;

/// First set to fit: it begins with the defaults, and the others begin with its result.
pub(crate) const FIRST: (&str, EngineGeneration) = ("H100", EngineGeneration::Ahead);

/// A GPU and a release of the engine: the key of coefficients.
pub(crate) type Set = (String, EngineGeneration);

/// `tokenyard calibrate`
pub(crate) fn run(args: &Calibrate) -> Result<(), Failed> {
    if let Some(runs) = benchmark::runs(&args.paths)? {
        let outputs = benchmark::Outputs {
            coefficients: args.output.as_deref(),
            scenario: args.scenario_output.as_deref(),
        };
        keep_apart(args, args.paths.clone())?;
        let on = benchmark::On { scenario: args.scenario.as_deref(), set: &args.set, load: args.load.told() };
        return benchmark::calibrate(&runs, &on, &outputs);
    }
    let mut found = experiments(&args.paths)?;
    keep_apart(args, files_of(&args.paths, &found))?;
    args.output.as_deref().map_or(Ok(()), takes_bytes)?;
    found.retain(|(e, _)| !args.without.iter().any(|text| e.id.contains(text.as_str())));
    if let Some(by) = args.leave_out {
        let lines = leave_out(found, by, &args.only);
        if let Some(path) = &args.output {
            write_lines(path, &lines)?;
        }
        return say(&left_out_lines(&lines));
    }
    let started = args.start.as_deref().map(coefficients).transpose()?.unwrap_or_default();
    let (mut rows, mut text): (Vec<OwnRow>, _) = (Vec::new(), String::new());
    for (set, found) in &of_sets(found) {
        let name = format!("{}/{}", set.0, release(set.1));
        if !args.only.is_empty() && !args.only.iter().any(|start| name.starts_with(start.as_str())) {
            continue;
        }
        let start = with_twin(start_of(set, &started, &rows), set, &started, &rows);
        let Some(fitted) = fit_set(&start, set, found) else { continue };
        push_fit(&mut text, &name, &fitted);
        rows.push(row(set, fitted));
    }
    if rows.is_empty() {
        tell(&"error: no stage that coefficients may be fitted to");
        return Err(Failed(BAD_INPUT));
    }
    if let Some(path) = &args.output {
        write_lines(path, &rows)?;
    }
    say(&text)
}

/// Refuses to write a file that is read.
fn keep_apart(args: &Calibrate, read: Vec<PathBuf>) -> Result<(), Failed> {
    let given = args.scenario.iter().map(PathBuf::from).chain(args.start.clone());
    let outputs = [("--output", &args.output), ("--scenario-output", &args.scenario_output)];
    let outputs = outputs.into_iter().filter_map(|(option, path)| Some((option, path.clone()?)));
    Outputs::beside(read.into_iter().chain(given)).add_all(outputs)
}

/// An array as JSON, a line for each.
fn write_lines<T: serde::Serialize>(path: &Path, rows: &[T]) -> Result<(), Failed> {
    let lines: Vec<String> = rows.iter().map(|r| serde_json::to_string(r).unwrap_or_default()).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    std::fs::write(path, text).map_err(|e| unreadable(&path.display(), &e))
}

/// Experiments by GPU and release; a set comes before those that begin with its result.
pub(crate) fn of_sets(found: Found) -> Vec<(Set, Found)> {
    let mut sets: BTreeMap<(bool, bool, Set), Found> = BTreeMap::new();
    for of in found {
        let set = served_by(&of.0);
        let order = ((set.0.as_str(), set.1) != FIRST, set.0 != FIRST.0);
        sets.entry((order.0, order.1, set)).or_default().push(of);
    }
    sets.into_iter().map(|((.., set), found)| (set, found)).collect()
}

/// First coefficients of a fit: the given ones, those of the same release on an H100, the first set of all, or the
/// built-in ones; those of an H100 are transferred to the GPU by published figures of both.
pub(crate) fn start_of(set: &Set, given: &Own, rows: &[OwnRow]) -> CalibratedCoefficients {
    let own = given.iter().find(|(gpu, engine, _)| (gpu, engine) == (&set.0, &set.1));
    if let Some((.., coefficients)) = own {
        return coefficients.coefficients.clone();
    }
    // A run without the H100 uses its built-in coefficients in place of fitted ones.
    let fitted =
        |engine| rows.iter().find(|r| r.gpu == FIRST.0 && r.engine == engine).map(|r| &r.coefficients);
    let table = built_in();
    let built_in = |engine| table.iter().find(|(gpu, e, _)| gpu == FIRST.0 && *e == engine);
    let of = |engine| fitted(engine).or_else(|| built_in(engine).map(|(.., c)| &c.coefficients));
    let first = of(FIRST.1);
    match set {
        (gpu, engine) if (gpu.as_str(), *engine) == FIRST => None,
        (gpu, _) if gpu == FIRST.0 => first,
        (_, engine) => of(*engine).or(first),
    }
    .map_or_else(first_values, |found| carried(found, FIRST.0, &set.0))
}

/// GPUs with the same chip: attention of the second is assumed to reach the same shares as that of the first, which
/// has more measurements.
const TWINS: (&str, &str) = ("A100-40", "A100-80");

/// First coefficients of a fit, with the attention of the same chip if that was fitted.
pub(crate) fn with_twin(
    start: CalibratedCoefficients,
    set: &Set,
    given: &Own,
    rows: &[OwnRow],
) -> CalibratedCoefficients {
    if set.0 != TWINS.1 || given.iter().any(|(gpu, engine, _)| (gpu, engine) == (&set.0, &set.1)) {
        return start;
    }
    let fitted = rows.iter().find(|r| r.gpu == TWINS.0).map(|r| r.coefficients.attention_efficiency);
    let table = built_in();
    let known =
        table.iter().find(|(gpu, ..)| gpu == TWINS.0).map(|(.., c)| c.coefficients.attention_efficiency);
    let attention_efficiency = fitted.or(known).unwrap_or(start.attention_efficiency);
    CalibratedCoefficients { attention_efficiency, ..start }
}

/// The name of a release in scenarios.
pub(crate) fn release(engine: EngineGeneration) -> String {
    engine.name().to_owned()
}

pub(crate) fn fit_set(start: &CalibratedCoefficients, set: &Set, found: &Found) -> Option<Fit> {
    let replays = |sets: &[Coefficients], most: u32| {
        let options = |c: &Coefficients| Options {
            latency: Latency::Own(vec![(set.0.clone(), set.1, c.clone())]),
            seeds: 1,
            fit_to: Some(most),
        };
        let jobs: Vec<Job<'_>> =
            sets.iter().flat_map(|c| found.iter().map(move |of| (of, options(c)))).collect();
        let mut outcomes = replay_jobs(&jobs).into_iter();
        sets.iter().map(|_| outcomes.by_ref().take(found.len()).collect()).collect()
    };
    let first = (set.0.as_str(), set.1) == FIRST;
    let pull = match found.iter().any(|(e, _)| e.is_listed()) {
        _ if first => Pull::Hard,
        true => Pull::Firm,
        false => Pull::Soft,
    };
    fit(start, pull, &replays)
}

pub(crate) fn row(set: &Set, fitted: Fit) -> OwnRow {
    let mut rests_on: Vec<String> = fitted.rows.iter().map(|r| r.source.clone()).collect();
    rests_on.sort();
    rests_on.dedup();
    OwnRow {
        gpu: set.0.clone(),
        engine: set.1,
        rests_on,
        intervals: fitted.told.iter().map(|t| (t.name.clone(), t.half)).collect(),
        experiments: fitted.told.iter().map(|t| (t.name.clone(), t.experiments)).collect(),
        coefficients: fitted.found.coefficients,
        models: fitted.found.models,
    }
}

fn push_fit(text: &mut String, name: &str, fitted: &Fit) {
    let mut ids: Vec<&str> = fitted.rows.iter().map(|r| r.source.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    writeln!(text, "{name}: fitted to {} figures of {} experiments", fitted.rows.len(), ids.len())
        .expect("a String takes any text");
    writeln!(text, "  loss {:.5}, from {:.5}", fitted.loss[1], fitted.loss[0])
        .expect("a String takes any text");
    for f in &fitted.told {
        let interval =
            f.half.map_or_else(|| "not determined by these data".to_owned(), |h| format!("± {h:.3}"));
        let mark = if f.experiments < FEW { " (few)" } else { "" };
        writeln!(text, "  {:<28} {:>10.4} {interval}, {} experiments{mark}", f.name, f.value, f.experiments)
            .expect("a String takes any text");
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
