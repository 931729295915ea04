//! `tokenyard validate`: replays measured runs and prints how far off the simulation is.

use super::args::{LatencyName, Validate};
use super::input::{refused, tell_all};
use super::{BAD_INPUT, Failed, say, tell, unreadable};
use crate::scenario::{CalibratedCoefficients, EngineGeneration};
use crate::validate::{
    Aggregate, Experiment, Latency, Options, Outcome, Ranking, Row, Unmodelled, aggregates, rankings, read,
    replay,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The file of experiments in a folder.
const EXPERIMENTS: &str = "experiments.json";

/// Experiments, each with the folder of its files.
pub(super) type Found = Vec<(Experiment, PathBuf)>;

/// Everything, as `--json` prints it.
#[derive(Serialize)]
struct Document<'a> {
    level: u8,
    latency: &'a str,
    experiments: u32,
    replayed: u32,
    rows: &'a [Row],
    groups: Vec<Aggregate>,
    rankings: Vec<Ranking>,
    not_modelled: &'a [Unmodelled],
}

/// `tokenyard validate`
pub(super) fn run(args: &Validate) -> Result<(), Failed> {
    let mut found = experiments(&args.paths)?;
    found.retain(|(e, _)| {
        args.only.is_empty() || args.only.iter().any(|start| e.id.starts_with(start.as_str()))
    });
    if found.is_empty() {
        tell(&"error: no experiment to replay");
        return Err(Failed(BAD_INPUT));
    }
    let (latency, name) = latency(args)?;
    let mut outcome = replay_all(&found, &options(args, latency));
    if args.level == 0 && args.latency.is_none() {
        outcome = with_roofline(outcome, &found, args);
    }
    print(args, name, &found, &outcome)
}

fn options(args: &Validate, latency: Latency) -> Options {
    Options { latency, seeds: args.seeds, fit_only: false }
}

/// Level 0: what the catalogue does not have is replayed with the roofline.
fn with_roofline(outcome: Outcome, found: &Found, args: &Validate) -> Outcome {
    let lacks = |e: &Experiment| !outcome.rows.iter().any(|r| r.id == e.id);
    let rest: Found = found.iter().filter(|(e, _)| lacks(e)).cloned().collect();
    let more = replay_all(&rest, &options(args, Latency::Roofline));
    let mut rows = outcome.rows;
    rows.extend(more.rows);
    let mut unmodelled = outcome.unmodelled;
    unmodelled.retain(|u| !rest.iter().any(|(e, _)| e.id == u.id));
    unmodelled.extend(more.unmodelled);
    Outcome { rows, unmodelled }
}

fn latency(args: &Validate) -> Result<(Latency, &'static str), Failed> {
    Ok(match (args.latency, args.level, &args.coefficients) {
        (Some(LatencyName::Catalogue), ..) => (Latency::Catalogue, "catalogue"),
        (Some(LatencyName::Roofline), ..) => (Latency::Roofline, "roofline"),
        (None, 0, _) => (Latency::Catalogue, "catalogue, else roofline"),
        (_, _, Some(path)) => (Latency::Own(coefficients(path)?), "calibrated, own coefficients"),
        _ => (Latency::Calibrated, "calibrated"),
    })
}

/// One row of a file of coefficients.
#[derive(serde::Deserialize, Serialize)]
pub(super) struct OwnRow {
    pub(super) gpu: String,
    pub(super) engine: EngineGeneration,
    /// The experiments that the coefficients were fitted to.
    #[serde(default)]
    pub(super) rests_on: Vec<String>,
    pub(super) coefficients: CalibratedCoefficients,
    /// By coefficient: half of the interval that has it with 95 %; nothing where the data do not tell.
    #[serde(default)]
    pub(super) intervals: BTreeMap<String, Option<f64>>,
}

/// Coefficients by GPU and release.
pub(super) type Own = Vec<(String, EngineGeneration, CalibratedCoefficients)>;

pub(super) fn coefficients(path: &Path) -> Result<Own, Failed> {
    let text = std::fs::read_to_string(path).map_err(|e| unreadable(&path.display(), &e))?;
    let rows: Vec<OwnRow> = serde_json::from_str(&text).map_err(|e| {
        tell(&format!("error: {}: {e}; allowed: a file that `tokenyard calibrate -o` wrote", path.display()));
        Failed(BAD_INPUT)
    })?;
    Ok(rows.into_iter().map(|r| (r.gpu, r.engine, r.coefficients)).collect())
}

/// All experiments of the folders and files.
pub(super) fn experiments(paths: &[PathBuf]) -> Result<Found, Failed> {
    let mut found = Found::new();
    for path in paths {
        let (file, folder) = if path.is_dir() {
            (path.join(EXPERIMENTS), path.clone())
        } else {
            (path.clone(), path.parent().unwrap_or_else(|| Path::new("")).to_path_buf())
        };
        let text = std::fs::read_to_string(&file).map_err(|e| unreadable(&file.display(), &e))?;
        let name = file.display().to_string();
        let (list, problems) = read(&text).map_err(|problems| refused(&name, &problems))?;
        tell_all(&name, &problems);
        found.extend(list.into_iter().map(|e| (e, folder.clone())));
    }
    Ok(found)
}

/// Replays all; the order is that of the experiments.
fn replay_all(found: &Found, options: &Options) -> Outcome {
    let jobs: Vec<Job<'_>> = found.iter().map(|of| (of, options.clone())).collect();
    let mut all = Outcome::default();
    for outcome in replay_jobs(&jobs) {
        all.rows.extend(outcome.rows);
        all.unmodelled.extend(outcome.unmodelled);
    }
    all
}

/// An experiment with its folder, and how it is replayed.
pub(super) type Job<'a> = (&'a (Experiment, PathBuf), Options);

/// Replays on as many cores as there are; the order is that of the jobs.
pub(super) fn replay_jobs(jobs: &[Job<'_>]) -> Vec<Outcome> {
    let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; jobs.len()]);
    let next = AtomicUsize::new(0);
    let work = || loop {
        let i = next.fetch_add(1, Ordering::Relaxed);
        let Some(((experiment, folder), options)) = jobs.get(i) else { break };
        let files = |name: &str| std::fs::read(folder.join(name)).map_err(|e| e.to_string());
        let outcome = replay(experiment, &files, options);
        outcomes.lock().expect("a replay does not panic")[i] = Some(outcome);
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    outcomes.into_inner().expect("a replay does not panic").into_iter().flatten().collect()
}

fn print(args: &Validate, latency: &str, found: &Found, outcome: &Outcome) -> Result<(), Failed> {
    let replayed = found.iter().filter(|(e, _)| outcome.rows.iter().any(|r| r.id == e.id)).count() as u32;
    let groups = aggregates(&outcome.rows, args.level == 0);
    let rankings = if args.level == 3 || args.json { rankings(&outcome.rows) } else { Vec::new() };
    if args.json {
        let document = Document {
            level: args.level,
            latency,
            experiments: found.len() as u32,
            replayed,
            rows: &outcome.rows,
            groups,
            rankings,
            not_modelled: &outcome.unmodelled,
        };
        let text = serde_json::to_string_pretty(&document)
            .map_err(|e| unreadable(&"the result", &std::io::Error::from(e)))?;
        return say(&format!("{text}\n"));
    }
    let mut text = format!(
        "{} of {} experiments replayed, latency {latency}, level {}\n",
        replayed,
        found.len(),
        args.level
    );
    if args.level < 3 {
        push_rows(&mut text, &outcome.rows);
        push_groups(&mut text, &groups);
    }
    push_rankings(&mut text, &rankings);
    push_unmodelled(&mut text, &outcome.unmodelled);
    say(&text)
}

/// The figures that the table of experiments shows; `--json` has all.
const SHOWN: [(&str, &str); 6] = [
    ("ttft_ms", "mean"),
    ("ttft_ms", "p50"),
    ("tpot_ms", "mean"),
    ("itl_ms", "p50"),
    ("e2e_ms", "mean"),
    ("e2e_ms", "p99"),
];

fn push_rows(text: &mut String, rows: &[Row]) {
    text.push_str("\nexperiment, stage                                      regime    figure           measured    simulated    error\n");
    for r in rows.iter().filter(|r| SHOWN.contains(&(r.metric.as_str(), r.stat.as_str()))) {
        let stage = r.stage.as_str().map_or_else(|| r.stage.to_string(), str::to_owned);
        let name = format!("{} {stage}", r.id);
        let regime = r.regime.as_deref().unwrap_or("");
        let figure = format!("{} {}", r.metric, r.stat);
        let fitted = if r.fitted_on { " fitted" } else { "" };
        let (measured, simulated) = (r.measured, r.simulated);
        writeln!(
            text,
            "{name:<54} {regime:<9} {figure:<13} {measured:>12.3} {simulated:>12.3} {:>8}{fitted}",
            percent(r.error)
        )
        .expect("a String takes any text");
    }
}

pub(super) fn percent(error: Option<f64>) -> String {
    error.map_or_else(|| "-".to_owned(), |e| format!("{:+.1} %", e * 100.0))
}

fn push_groups(text: &mut String, groups: &[Aggregate]) {
    text.push_str("\ngroup GPU            regime    figure              n   median   signed    worst\n");
    for g in groups {
        let figure = format!("{} {}", g.metric, g.stat);
        writeln!(
            text,
            "{:<5} {:<14} {:<9} {figure:<17} {:>3} {:>6.1} % {:>8} {:>6.1} % {}",
            g.group,
            g.gpu,
            g.regime,
            g.experiments,
            g.median * 100.0,
            percent(Some(g.signed)),
            g.worst * 100.0,
            g.worst_id
        )
        .expect("a String takes any text");
    }
}

fn push_rankings(text: &mut String, rankings: &[Ranking]) {
    if rankings.is_empty() {
        return;
    }
    text.push_str("\nranking                                       by                 n  pairs  tau-b\n");
    for r in rankings {
        let tau = r.tau_b.map_or_else(|| "-".to_owned(), |t| format!("{t:+.2}"));
        writeln!(text, "{:<45} {:<17} {:>3} {:>6} {tau:>6}", r.set, r.metric, r.configurations, r.pairs)
            .expect("a String takes any text");
    }
}

fn push_unmodelled(text: &mut String, unmodelled: &[Unmodelled]) {
    if unmodelled.is_empty() {
        return;
    }
    writeln!(text, "\nnot modelled: {}", unmodelled.len()).expect("a String takes any text");
    for u in unmodelled {
        let stage = if u.stage.is_empty() { String::new() } else { format!(" {}", u.stage) };
        writeln!(text, "  {}{stage}: {}", u.id, u.why).expect("a String takes any text");
    }
}
