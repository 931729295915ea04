//! `tokenyard validate` and `tokenyard calibrate` on the user's own benchmark: the file of a tool or a server, and a
//! scenario with the cluster that it ran on.

use crate::args::input::Input;
use crate::commands::measured::experiments::EXPERIMENTS;
use crate::commands::measured::own_row::OwnRow;
use crate::failed::{BAD_INPUT, Failed};
use crate::files::input::load;
use crate::print::{refused, say, tell, tell_all, unreadable};
use crate::text::table::signed_percent;
use base::{Diagnostic, SortedMap};
use benchmarks::import::benchmark::{self, Benchmark};
use benchmarks::import::{finite_yaml, is_yaml};
use benchmarks::{self, Compared, Comparison, OneRun, SeriesCompared, ToldLoad, compare, replay};
use config::import::documents::yaml;
use document::{LatencyModel, Scenario, limits, parse};
use serde_json::Value;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};
use tools::validate::{is_silicon, is_split_table};

/// A file and the runs in it.
pub(crate) type Runs = Vec<(String, Vec<Benchmark>)>;

/// What the runs are compared with: a scenario with its changes, and the load where files do not contain it.
pub(crate) struct On<'a> {
    pub(crate) scenario: Option<&'a str>,
    pub(crate) set: &'a [String],
    pub(crate) load: ToldLoad,
}

/// The runs of benchmark files; `None` for measured experiments. The two are not mixed.
pub(crate) fn runs(paths: &[PathBuf]) -> Result<Option<Runs>, Failed> {
    let mut found = Runs::new();
    let mut experiments = Vec::new();
    for path in paths {
        let text = if path.is_dir() { None } else { Some(text(path)?) };
        let name = path.display().to_string();
        match text.filter(|text| !is_experiments(&name, text)) {
            None => experiments.push(name),
            Some(text) => {
                let (list, warnings) =
                    benchmark::read(&text).map_err(|problems| refused(&name, &problems))?;
                tell_all(&name, &warnings);
                found.push((name, list));
            }
        }
    }
    match (found.is_empty(), experiments.first()) {
        (true, _) => Ok(None),
        (false, None) => Ok(Some(found)),
        (false, Some(name)) => {
            let fix = "give them to two calls";
            let mixed = "measured experiments beside results of benchmarks";
            Err(refused(name, &[Diagnostic::error("", mixed, "files of one kind", fix)]))
        }
    }
}

/// Whether a text has the measured format, by its keys or the name of its file; the reader of that format reports its
/// problems.
fn is_experiments(name: &str, text: &str) -> bool {
    if is_silicon(text) || is_split_table(text) {
        return true;
    }
    if benchmark::format(text).is_some() || !text.trim_start().starts_with(['{', '[']) {
        return false;
    }
    if name.ends_with(EXPERIMENTS) {
        return true;
    }
    let tree: Value = serde_json::from_str(text).unwrap_or_default();
    let first = match &tree {
        Value::Array(list) => list.first().unwrap_or(&tree),
        other => other.get("experiments").and_then(|list| list.get(0)).unwrap_or(other),
    };
    ["id", "group", "measured"].iter().filter(|key| first.get(key).is_some()).count() >= 2
}

fn text(path: &Path) -> Result<String, Failed> {
    let most = limits::TRACE_BYTES_PAGE + 1;
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(|e| unreadable(&path.display(), &e))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if !is_yaml(&text) {
        return Ok(text);
    }
    // A report of llm-d-benchmark: the readers of benchmarks take JSON.
    let tree = yaml::value(&finite_yaml(&text));
    tree.map(|tree| tree.to_string()).map_err(|p| refused(&path.display().to_string(), &p))
}

/// The scenario that the runs ran on.
fn cluster(on: &On<'_>) -> Result<Scenario, Failed> {
    let Some(scenario) = on.scenario else {
        tell(
            &"error: --scenario: nothing; allowed: a scenario with the model, GPU and engine that were \
            measured; the file does not contain them",
        );
        return Err(Failed(BAD_INPUT));
    };
    // The comparison itself says how far off a guess is.
    let input = Input { set: on.set.to_vec(), allow_guess: true, ..Input::of(scenario) };
    load(&input).map(|loaded| loaded.scenario)
}

/// Prints measured, simulated and error of every run.
pub(crate) fn validate(runs: &Runs, on: &On<'_>, as_json: bool) -> Result<(), Failed> {
    let scenario = cluster(on)?;
    let mut documents: Vec<Comparison> = Vec::new();
    let mut text = String::new();
    for (name, list) in runs {
        for b in list {
            let b = told(name, b, on)?;
            let compared =
                compare(&b, &replay(&b, &scenario)).map_err(|problems| refused(name, &problems))?;
            push_comparison(&mut text, name, &compared);
            documents.push(compared);
        }
    }
    if !as_json {
        return say(&text);
    }
    let text = serde_json::to_string_pretty(&documents).map_err(|e| unreadable(&"stdout", &e.into()))?;
    say(&format!("{text}\n"))
}

/// A run with the load that the user gives.
fn told(name: &str, b: &Benchmark, on: &On<'_>) -> Result<Benchmark, Failed> {
    let mut b = b.clone();
    on.load.add_to(&mut b).map_err(|problems| refused(name, &problems))?;
    Ok(b)
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a String takes any text");
}

fn push_comparison(text: &mut String, file: &str, c: &Comparison) {
    let parts = [file, c.tool, &c.name, &c.model, &c.date];
    let head: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    line(text, &head.join(", "));
    let failed = if c.failed > 0 { format!("; requests that failed: {}", c.failed) } else { String::new() };
    let times = format!("requests with their own times: {}", c.requests);
    line(text, &format!("run: {}; seeds: {}; {times}{failed}", c.says, c.seeds));
    push_warnings(text, &c.warnings);
    if c.assumed {
        line(text, "load: assumed; no errors are shown, as a difference may come from the load");
        line(text, &format!("load: give {}", benchmarks::options(&c.missing)));
    }
    for note in &c.notes {
        line(text, &format!("note: {note}"));
    }
    if c.rows.is_empty() {
        push_series(text, &c.series);
    } else if c.assumed {
        push_rows_of_assumed(text, &c.rows);
    } else {
        push_rows(text, &c.rows);
    }
    text.push('\n');
}

/// Means of series over the instants that both have.
fn push_series(text: &mut String, series: &[SeriesCompared]) {
    let head = ["series", "instants", "measured", "simulated", "distance", "error"];
    line(
        text,
        &format!(
            "{:<22} {:>8} {:>14} {:>12} {:>12} {:>9}",
            head[0], head[1], head[2], head[3], head[4], head[5]
        ),
    );
    for s in series {
        let (measured, simulated, distance) = (s.measured_mean, s.simulated_mean, s.distance);
        line(
            text,
            &format!(
                "{:<22} {:>8} {measured:>14.3} {simulated:>12.3} {distance:>12.3} {:>9}",
                s.metric,
                s.instants,
                signed_percent(s.error)
            ),
        );
    }
    line(text, "measured, simulated: means over these instants; distance: the mean at the same instant");
}

fn push_warnings(text: &mut String, warnings: &[String]) {
    for warning in warnings {
        line(text, &format!("warning: {warning}"));
    }
}

/// Figures under an unknown load: errors are shown only for figures that do not depend on the load.
fn push_rows_of_assumed(text: &mut String, rows: &[Compared]) {
    line(text, &format!("{:<26} {:>22} {:>12}", "figure", "measured", "simulated"));
    let (told, assumed): (Vec<&Compared>, Vec<&Compared>) = rows.iter().partition(|row| row.error.is_some());
    for row in assumed {
        let [name, measured] = cells(row);
        line(text, &format!("{name:<26} {measured:>22} {:>12.3}", row.simulated));
    }
    if !told.is_empty() {
        line(text, "whatever the load:");
        push_rows(text, &told.into_iter().cloned().collect::<Vec<Compared>>());
    }
}

/// The name of a figure, and its measured value.
fn cells(row: &Compared) -> [String; 2] {
    let (low, high) = (row.measured.low, row.measured.high);
    let measured = if high > low { format!("{low:.3} to {high:.3}") } else { format!("{low:.3}") };
    [format!("{} {}", row.measured.metric, row.measured.stat), measured]
}

fn push_rows(text: &mut String, rows: &[Compared]) {
    line(text, &format!("{:<26} {:>22} {:>12} {:>9}", "figure", "measured", "simulated", "error"));
    for row in rows {
        let [name, measured] = cells(row);
        let error = if row.inside == Some(true) { "inside".to_owned() } else { signed_percent(row.error) };
        line(text, &format!("{name:<26} {measured:>22} {:>12.3} {error:>9}", row.simulated));
    }
}

/// Destination of a calibration.
pub(crate) struct Outputs<'a> {
    pub(crate) coefficients: Option<&'a Path>,
    pub(crate) scenario: Option<&'a Path>,
}

/// Fixes the coefficients that a run determines, and prints them with the figures afterwards.
pub(crate) fn calibrate(runs: &Runs, on: &On<'_>, outputs: &Outputs<'_>) -> Result<(), Failed> {
    let scenario = cluster(on)?;
    let [(name, list)] = runs.as_slice() else {
        tell(&format!("error: {} files; allowed: one result, whose run fixes the coefficients", runs.len()));
        return Err(Failed(BAD_INPUT));
    };
    let Some(b) = list.first() else { return Ok(()) };
    if list.len() > 1 {
        tell(&format!("{name}: {} runs; the first is taken, {}", list.len(), b.name));
    }
    let file = Path::new(name).file_name().map_or_else(|| name.clone(), |n| n.to_string_lossy().into_owned());
    let b = told(name, b, on)?;
    let found = benchmarks::calibrate(&b, &scenario, &file).map_err(|problems| refused(name, &problems))?;
    if let Some(path) = outputs.scenario {
        std::fs::write(path, &found.scenario).map_err(|e| unreadable(&path.display(), &e))?;
    }
    if let Some(path) = outputs.coefficients {
        let rows = serde_json::to_string(&own_row(&found, &file)?)
            .map_err(|e| unreadable(&path.display(), &e.into()))?;
        std::fs::write(path, format!("[\n{rows}\n]\n")).map_err(|e| unreadable(&path.display(), &e))?;
    }
    let (fixed, of, requests, failed) = (found.changes.len(), found.of, found.requests, found.failed);
    let mut text =
        format!("{name}: {fixed} of {of} coefficients fixed by {requests} requests; {failed} failed\n");
    push_warnings(&mut text, &found.warnings);
    for change in &found.changes {
        let half =
            change.half.map_or_else(|| ", interval unknown".to_owned(), |h| format!(" ± {h:.4} (95 %)"));
        let (before, after) = (change.before, change.after);
        line(
            &mut text,
            &format!(
                "  {:<26} {before:>10.4} to {after:>10.4}{half}, by {}",
                change.coefficient, change.told_by
            ),
        );
    }
    for note in &found.notes {
        line(&mut text, &format!("note: {note}"));
    }
    push_rows(&mut text, &found.after);
    say(&text)
}

/// The coefficients in the format of `--coefficients`.
fn own_row(found: &OneRun, file: &str) -> Result<OwnRow, Failed> {
    let scenario = parse(&found.scenario).map_err(|problems| refused(file, &problems))?;
    let pool = scenario.cluster.pools.into_iter().next().unwrap_or_default();
    let LatencyModel::Calibrated(settings) = pool.latency else { return Err(Failed(BAD_INPUT)) };
    let half = |c: &benchmarks::CoefficientChange| (c.coefficient.to_owned(), c.half);
    Ok(OwnRow {
        gpu: pool.gpu,
        engine: settings.engine,
        rests_on: vec![file.to_owned()],
        coefficients: settings.coefficients.unwrap_or_default(),
        intervals: found.changes.iter().map(half).collect(),
        experiments: SortedMap::default(),
        models: SortedMap::default(),
    })
}
