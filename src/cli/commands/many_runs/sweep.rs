//! `tokenyard sweep`: runs every combination of values with every seed and writes a row for each; existing rows are
//! not computed again.
//!
//! While it runs, rows are appended to `rows.jsonl` as they are computed, so that an interrupted run loses little. At
//! the end the file is rewritten in order of the cases, and `rows.csv` next to it: the same bytes after any number of
//! interruptions and on any number of cores. A part of the cases (`--shard`) has its own files.

use crate::args::studies::Sweep;
use crate::commands::many_runs::parallel::{NOTHING_DRAWN, each, progress, threads};
use crate::failed::Failed;
use crate::files::input::{Loaded, load};
use crate::files::outputs::Outputs;
use crate::print::{refused, say, tell, tell_all, unreadable};
use crate::text::table::{Align, Table, cost, number, visible};
use base::{Diagnostic, Diagnostics, json};
use document::Scenario;
use run::session::report::MetricUnit;
use run::session::{Audience, Session, guesses, pool_evidence};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use study::sweep::{Case, CaseRow, Plan, RunFigure, Shard, SweepRow, SweepSummary, Vary, summary};

/// Most bytes of a file of rows that is read: more than any sweep writes.
const ROWS_BYTES: u64 = 256 << 20;

/// `tokenyard sweep`
pub(crate) fn run(args: &Sweep) -> Result<(), Failed> {
    let varied = varied(&args.vary)?;
    let metrics = crate::commands::many_runs::metrics::named(&args.metric)?;
    let shard = args.shard.as_deref().map(Shard::parse).transpose();
    let shard = shard.map_err(|problem| refused("--shard", &[problem]))?;
    let Loaded { scenario, trace, read, .. } = load(&args.input)?;
    let files = Files::new(&args.output, shard);
    Outputs::beside(read).add_all(files.all().map(|path| ("--output", path)))?;
    let name = &args.input.scenario;
    let started = Session::start(scenario.clone(), trace.clone(), Audience::Batch);
    let (session, warnings) = started.map_err(|problems| refused(name, &problems))?;
    tell_all(name, &warnings);
    let mut seeds = args.seeds;
    if seeds > 1 && !session.draws_workload() {
        tell(&NOTHING_DRAWN);
        seeds = 1;
    }
    let allow = args.input.allow_guess;
    let check = |s: &Scenario| {
        let guessed = guesses(s);
        if !allow && !guessed.is_empty() {
            return Err(guessed);
        }
        Session::start(s.clone(), trace.clone(), Audience::Batch).map(|_| ())
    };
    let plan = Plan::new(&scenario, trace.clone(), &varied, seeds, check);
    let plan = plan.map_err(|problems| refused("--vary", &problems))?.with_metrics(metrics);
    for edit in &plan.left_out {
        tell(&format!("note: {edit}"));
    }
    let cases = plan.part(shard);
    let mut done = files.read(&plan)?;
    let missing: Vec<&Case> = cases.iter().filter(|case| !done.contains_key(&case.number)).copied().collect();
    if missing.len() < cases.len() {
        tell(&format!("{} of {} cases exist already", cases.len() - missing.len(), cases.len()));
    }
    for row in run_missing(&plan, &missing, &files, args.jobs)? {
        done.insert(row.number, row);
    }
    let rows: Vec<&CaseRow> = cases.iter().filter_map(|case| done.get(&case.number)).collect();
    files.write(&plan, &rows)?;
    let of_summary: Vec<SweepRow> = rows.iter().map(|r| r.row.clone()).collect();
    let mut summary = summary(&plan.paths, &of_summary);
    if let Some(case) = cases.first().filter(|_| summary.one_class()) {
        summary.evidence = pool_evidence(&case.scenario, None);
    }
    files.write_summary(&summary)?;
    say(&text(&summary))
}

fn varied(texts: &[String]) -> Result<Vec<Vary>, Failed> {
    let (mut varied, mut problems) = (Vec::new(), Diagnostics::new());
    for text in texts {
        match Vary::parse(text) {
            Ok(vary) => varied.push(vary),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(varied) } else { Err(refused("--vary", &problems)) }
}

/// Runs cases, and appends each row to the file as it is computed.
fn run_missing(
    plan: &Plan,
    cases: &[&Case],
    files: &Files,
    jobs: Option<u32>,
) -> Result<Vec<CaseRow>, Failed> {
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    let rows = files.rows();
    let file = OpenOptions::new().create(true).append(true).open(&rows);
    let file = Mutex::new(file.map_err(|e| unreadable(&rows.display(), &e))?);
    let pool = threads(jobs)?;
    let bar = progress(cases.len() as u64);
    let made = each(&pool, cases.len(), |i| {
        let row = plan.run(cases[i]).map_err(Trouble::Case)?;
        let line = format!("{}\n", row.line());
        let mut file = file.lock().expect("no thread panics while it is locked");
        file.write_all(line.as_bytes()).and_then(|()| file.flush()).map_err(Trouble::File)?;
        bar.inc(1);
        Ok(row)
    });
    bar.finish_and_clear();
    made.into_iter()
        .map(|row| {
            row.map_err(|trouble| match trouble {
                Trouble::Case(problems) => refused("a case", &problems),
                Trouble::File(e) => unreadable(&rows.display(), &e),
            })
        })
        .collect()
}

/// Why a row is missing.
enum Trouble {
    Case(Diagnostics),
    File(io::Error),
}

/// The files of a sweep, or of a part of it.
struct Files {
    folder: PathBuf,
    part: String,
}

impl Files {
    fn new(folder: &Path, shard: Option<Shard>) -> Self {
        let part = shard.map_or(String::new(), |s| format!("-{}-of-{}", s.part, s.of));
        Self { folder: folder.to_path_buf(), part }
    }

    fn named(&self, name: &str, end: &str) -> PathBuf {
        self.folder.join(format!("{name}{}.{end}", self.part))
    }

    /// All rows to write.
    fn all(&self) -> [PathBuf; 4] {
        let written = [("rows", "jsonl"), ("rows", "csv"), ("summary", "json"), ("unfinished", "tmp")];
        written.map(|(name, end)| self.named(name, end))
    }

    fn rows(&self) -> PathBuf {
        self.named("rows", "jsonl")
    }

    /// The existing rows, by case. A line that was cut off or changed is reported, and its case runs again.
    fn read(&self, plan: &Plan) -> Result<BTreeMap<u32, CaseRow>, Failed> {
        fs::create_dir_all(&self.folder).map_err(|e| unreadable(&self.folder.display(), &e))?;
        let path = self.rows();
        let shown = path.display().to_string();
        let length = fs::metadata(&path).map_or(0, |m| m.len());
        if length > ROWS_BYTES {
            let allowed = format!("at most {ROWS_BYTES} bytes");
            let wrong = Diagnostic::error("", format!("{length} bytes"), allowed, "choose another folder");
            return Err(refused(&shown, &[wrong]));
        }
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(e) => return Err(unreadable(&shown, &e)),
        };
        let text = String::from_utf8_lossy(&bytes);
        let (mut rows, mut damaged) = (BTreeMap::new(), 0);
        for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            match plan.read(line) {
                Ok(Some(row)) => _ = rows.insert(row.number, row),
                Ok(None) => damaged += 1,
                Err(problem) => {
                    return Err(refused(
                        &shown,
                        &[Diagnostic { path: format!("line {}", i + 1), ..problem }],
                    ));
                }
            }
        }
        if damaged > 0 {
            tell(&format!("{shown}: {damaged} lines are cut off or changed: their cases run again"));
            let whole: Vec<&CaseRow> = rows.values().collect();
            self.write_lines(&whole)?;
        }
        Ok(rows)
    }

    /// All rows in order of the cases, in place of the appended ones.
    fn write(&self, plan: &Plan, rows: &[&CaseRow]) -> Result<(), Failed> {
        self.write_lines(rows)?;
        let path = self.named("rows", "csv");
        let mut writer = csv::Writer::from_writer(Vec::new());
        let names: Vec<&String> = rows.first().map(|row| row.fields.keys().collect()).unwrap_or_default();
        let mut written = if names.is_empty() { Ok(()) } else { writer.write_record(names) };
        for row in rows {
            written = written.and_then(|()| writer.write_record(row.cells()));
        }
        debug_assert!(plan.cases.len() >= rows.len(), "INV-6: a row without a case");
        written.expect("INV-6: rows of a sweep have the same columns, and memory takes them");
        let bytes = writer.into_inner().expect("memory takes all");
        self.replace(&path, &bytes)
    }

    fn write_lines(&self, rows: &[&CaseRow]) -> Result<(), Failed> {
        let lines: String = rows.iter().map(|row| row.line() + "\n").collect();
        self.replace(&self.rows(), lines.as_bytes())
    }

    fn write_summary(&self, summary: &SweepSummary) -> Result<(), Failed> {
        self.replace(&self.named("summary", "json"), format!("{}\n", json::indented(summary)).as_bytes())
    }

    /// Writes a temporary file and renames it, so that the file is never incomplete.
    fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), Failed> {
        let beside = self.named("unfinished", "tmp");
        let written =
            File::create(&beside).and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
        let placed = written.and_then(|()| fs::rename(&beside, path));
        placed.map_err(|e| unreadable(&path.display(), &e))
    }
}

/// The figures of the table: heading, decimals.
const SHOWN: [(RunFigure, &str, usize); 6] = [
    (RunFigure::ARRIVALS, "req/s", 2),
    (RunFigure::TTFT_P50, "TTFT p50", 1),
    (RunFigure::TTFT_P99, "TTFT p99", 1),
    (RunFigure::ITL_P99, "ITL p99", 1),
    (RunFigure::MET_SHARE, "met", 4),
    (RunFigure::COST, "USD/M out", 3),
];

/// Most points of the table.
const MOST_POINTS: usize = 100;

/// The summary, readable: means over the seeds, knees, the Pareto front.
fn text(s: &SweepSummary) -> String {
    let mut out = String::new();
    let heads = s.paths.iter().map(|path| (last_of(path), Align::Left, 8));
    let figures = SHOWN.iter().map(|&(_, head, _)| (head, Align::Right, 8));
    // Further figures follow those that every sweep has.
    let further: Vec<&str> = s
        .points
        .first()
        .map_or(&[][..], |p| &p.figures[RunFigure::ALL.len()..])
        .iter()
        .map(|f| f.name.as_str())
        .collect();
    let asked = further.iter().map(|name| (*name, Align::Right, 8));
    let several = (!s.one_class()).then_some(("evidence", Align::Left, 8));
    let columns: Vec<(&str, Align, usize)> =
        heads.chain(figures).chain(asked).chain([("front", Align::Left, 5)]).chain(several).collect();
    let mut table = Table::new(&columns);
    for (i, point) in (0..).zip(&s.points).take(MOST_POINTS) {
        let mut row: Vec<String> = point.values.iter().map(|v| shortened(v)).collect();
        for (figure, _, decimals) in SHOWN {
            let (mean, ttft) = (point.mean(figure.name), point.mean(RunFigure::TTFT_P50.name));
            let is_cost = figure.unit == MetricUnit::Usd;
            row.push(if is_cost { cost(mean, decimals, ttft) } else { number(mean, decimals) });
        }
        row.extend(further.iter().map(|column| number(point.mean(column), 4)));
        let on_front = if s.front.contains(&i) { "*" } else { "" };
        row.push(format!("{on_front}{}", if point.doubt.is_some() { "?" } else { "" }));
        row.extend(several.map(|_| point.evidence.clone()));
        table.row(row);
    }
    out.push_str(&table.text());
    if s.points.len() > MOST_POINTS {
        writeln!(out, "and {} more (rows.csv lists all)", s.points.len() - MOST_POINTS)
            .expect("a String takes any text");
    }
    writeln!(out, "\nmet: of the requests that finished, were refused or were dropped")
        .expect("a String takes any text");
    writeln!(out, "* not beaten by another in both {} and p99 TTFT of all requests", s.cost)
        .expect("a String takes any text");
    for point in s.points.iter().take(MOST_POINTS) {
        let Some(doubt) = &point.doubt else { continue };
        let values: Vec<String> = point.values.iter().map(|v| shortened(v)).collect();
        writeln!(out, "? {}: {}", values.join(", "), visible(doubt)).expect("a String takes any text");
    }
    for of_pool in &s.evidence {
        let pool = if s.evidence.len() > 1 { format!("{}: ", of_pool.pool) } else { String::new() };
        let text = visible(&format!("{pool}{}", of_pool.text));
        writeln!(out, "evidence of all: {text}").expect("a String takes any text");
    }
    for curve in s.curves.iter().filter(|c| c.knee.x.is_some()) {
        let fixed = fixed_values(s, curve.points[0], &curve.path);
        writeln!(out, "along {}{fixed}: {}", curve.path, curve.knee.explained)
            .expect("a String takes any text");
    }
    out
}

/// The values of the other paths on a curve.
fn fixed_values(s: &SweepSummary, point: u32, along: &str) -> String {
    let values = s.paths.iter().zip(&s.points[point as usize].values);
    let others: Vec<String> = values
        .filter(|(path, _)| *path != along)
        .map(|(path, v)| format!("{}={}", last_of(path), shortened(v)))
        .collect();
    if others.is_empty() { String::new() } else { format!(" with {}", others.join(", ")) }
}

/// The last name of a path.
fn last_of(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// A value without its quotes, and no longer than a column is wide.
fn shortened(value: &str) -> String {
    let plain = value.trim_matches('"');
    if plain.chars().count() <= 24 {
        plain.to_owned()
    } else {
        plain.chars().take(23).chain(['…']).collect()
    }
}
