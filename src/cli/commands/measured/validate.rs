//! `tokenyard validate`: replays measured runs and prints the errors of the simulation.

use crate::args::{LatencyName, Validate};
use crate::commands::measured::benchmark;
use crate::commands::measured::experiments::{Found, experiments, files_of};
use crate::commands::measured::leave_out::{held_out, transfers};
use crate::commands::measured::own_row::coefficients;
use crate::commands::measured::replay_jobs::{Job, replay_jobs};
use crate::commands::measured::rows_of::rows_of;
use crate::failed::{BAD_INPUT, DIFFERENT, Failed};
use crate::files::outputs::{Outputs, takes_bytes};
use crate::print::{say, tell, unreadable};
use crate::text::messages::of_file;
use crate::text::table::signed_percent;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tools::validate::{
    Aggregate, Coverage, Distance, Experiment, Latency, LeftOut, Links, Options, Order, Outcome, Ranking,
    Recorded, Row, Unmodelled, accuracy_page, aggregates, coverage, coverage_table, crossed_coverage,
    distance_table, distances, evidence_table, held_back, kind_errors, left_out_table, level_table,
    of_version, orders, orders_table, page_data, page_figures, page_level, page_models, page_rankings,
    pictures, rankings, recorded, stage_links, tables, with_version, worse,
};

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
    orders: Vec<Order>,
    not_modelled: &'a [Unmodelled],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    coverage: Vec<Coverage>,
}

/// `tokenyard validate`
pub(crate) fn run(args: &Validate) -> Result<(), Failed> {
    if let Some(runs) = benchmark::runs(&args.paths)? {
        let on = benchmark::On { scenario: args.scenario.as_deref(), set: &args.set, load: args.load.told() };
        return benchmark::validate(&runs, &on, args.json);
    }
    let mut found = experiments(&args.paths)?;
    found.retain(|(e, _)| {
        args.only.is_empty() || args.only.iter().any(|start| e.id.starts_with(start.as_str()))
    });
    if found.is_empty() {
        tell(&"error: no experiment to replay");
        return Err(Failed(BAD_INPUT));
    }
    keep_apart(args, &found)?;
    if let Some(by) = args.leave_out {
        return held_out(args.json, by, found);
    }
    let (latency, name) = latency(args)?;
    let mut outcome = if args.level == 2 && args.latency.is_none() && args.coefficients.is_none() {
        transfers(&found, args.seeds)
    } else {
        replay_all(&found, &options(args, latency))
    };
    if args.level == 0 && args.latency.is_none() {
        outcome = with_roofline(outcome, &found, args);
    }
    print(args, name, &found, &outcome)?;
    if let Some(folder) = &args.page {
        write_accuracy(args, folder, &found, &outcome.rows)?;
    }
    if args.report.is_some() || args.evidence.is_some() {
        write_found(args, &found, &outcome)?;
    }
    let groups = aggregates(&outcome.rows, args.level == 0);
    if let Some(path) = &args.record {
        let lines = recorded(&groups).iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>();
        let lines = lines.map_err(|e| unreadable(&path.display(), &std::io::Error::from(e)))?;
        write(path, &format!("[\n{}\n]\n", lines.join(",\n")))?;
    }
    args.gate.as_deref().map_or(Ok(()), |path| gate(path, &groups))
}

/// Refuses to write a file that is read.
fn keep_apart(args: &Validate, found: &Found) -> Result<(), Failed> {
    let given = [args.scenario.as_ref().map(PathBuf::from), args.coefficients.clone(), args.gate.clone()];
    let read = files_of(&args.paths, found).into_iter().chain(given.into_iter().flatten());
    let in_report = |folder: &PathBuf| {
        let pictures = pictures(&[]).into_iter().map(|picture| picture.name);
        let names = pictures.chain(["validation.md", PAGE]);
        names.map(|name| ("--report", folder.join(name))).collect::<Vec<_>>()
    };
    let report = args.report.iter().flat_map(in_report);
    let page = args.page.iter().map(|folder| ("--page", folder.join(ACCURACY[0])));
    let report = report.chain(page);
    let single = [("--record", &args.record), ("--evidence", &args.evidence)];
    let single = single.into_iter().filter_map(|(option, path)| Some((option, path.clone()?)));
    Outputs::beside(read).add_all(report.chain(single))?;
    [&args.record, &args.evidence].into_iter().flatten().try_for_each(|path| takes_bytes(path))
}

fn write(path: &Path, text: &str) -> Result<(), Failed> {
    std::fs::write(path, text).map_err(|e| unreadable(&path.display(), &e))
}

/// Writes the accuracy of this version beside that of earlier ones.
fn write_accuracy(args: &Validate, folder: &Path, found: &Found, rows: &[Row]) -> Result<(), Failed> {
    let path = folder.join(ACCURACY[1]);
    let older = match std::fs::read_to_string(&path) {
        Ok(text) => rows_of(&path, &text, "what `tokenyard validate --page` wrote")?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(unreadable(&path.display(), &e)),
    };
    let all = with_version(older, of_version(rows, args.day.as_deref().unwrap_or_default()));
    let mut links = Links::new();
    for (experiment, folder) in found {
        let files = |name: &str| std::fs::read(folder.join(name)).map_err(|e| of_file(&e));
        let of = stage_links(experiment, &files).into_iter();
        links.extend(of.map(|(stage, link)| ((experiment.id.clone(), stage), link)));
    }
    write(&folder.join(ACCURACY[0]), &accuracy_page(rows, &all, (&args.site, &links)))?;
    let lines: Vec<String> = all.iter().map(|of| serde_json::to_string(of).unwrap_or_default()).collect();
    write(&path, &format!("[\n{}\n]\n", lines.join(",\n")))
}

/// The page of the accuracy, and the versions on it.
const ACCURACY: [&str; 2] = ["accuracy.html", "accuracy.json"];

/// Writes the report, the page's data and the core's table of evidence, with the replays by other latency models that
/// they need.
fn write_found(args: &Validate, found: &Found, outcome: &Outcome) -> Result<(), Failed> {
    let other = |latency: Latency| replay_all(found, &options(args, latency)).rows;
    let (catalogue, roofline) = (other(Latency::Catalogue), other(Latency::Roofline));
    let transfer = transfers(found, args.seeds).rows;
    let own: Vec<Row> = outcome.rows.iter().filter(|r| !r.is_apart()).cloned().collect();
    let experiments: Vec<&Experiment> = found.iter().map(|(e, _)| e).collect();
    let files = args.report.as_deref().map_or_else(|| Ok(Vec::new()), left_out)?;
    let apart: Vec<(&str, &[LeftOut])> = files.iter().map(|(name, _, lines)| (*name, &lines[..])).collect();
    if let Some(folder) = &args.report {
        let lacking = roofline.iter().filter(|r| !catalogue.iter().any(|c| c.id == r.id));
        let mut raw: Vec<Row> = catalogue.iter().chain(lacking).cloned().collect();
        for row in &mut raw {
            row.fitted_on = false;
        }
        let levels: [(&str, &[Row]); 3] = [("raw", &raw), ("calibrated", &own), ("transfer", &transfer)];
        let by_distance = distances(&own, &apart);
        let within = coverage_table(&crossed_coverage(&held_back(&experiments, &own, &apart)));
        report(folder, outcome, [&level_table(&levels), &within], (&by_distance, &files))?;
        write(&folder.join(PAGE), &page_of(found, &own, &levels, &by_distance))?;
    }
    let Some(path) = &args.evidence else { return Ok(()) };
    let by_latency: [(&str, &[Row]); 3] =
        [("calibrated", &own), ("catalogue", &catalogue), ("roofline", &roofline)];
    let kinds = kind_errors(&held_back(&experiments, &own, &apart));
    write(path, &evidence_table(&experiments, &by_latency, &transfer, kinds))
}

/// The page's data: one level or experiment per line.
fn page_of(found: &Found, rows: &[Row], levels: &[(&str, &[Row])], by_distance: &[Distance]) -> String {
    let levels: Vec<String> = levels.iter().map(|(name, rows)| page_level(name, rows).to_string()).collect();
    let mut lines = Vec::new();
    // Rows of a table are in the sums alone.
    for (experiment, folder) in found.iter().filter(|(e, _)| !e.is_listed()) {
        let files = |name: &str| std::fs::read(folder.join(name)).map_err(|e| of_file(&e));
        lines.push(page_data(experiment, rows, &files).to_string());
    }
    format!(
        "{{\n\"figures\": {},\n\"levels\": [\n{}\n],\n\"models\": {},\n\"rankings\": {},\n\"distances\": {},\n\"experiments\": [\n{}\n]\n}}\n",
        page_figures(),
        levels.join(",\n"),
        page_models(rows),
        page_rankings(rows),
        serde_json::to_string(by_distance).unwrap_or_default(),
        lines.join(",\n")
    )
}

/// The document with the tables after its line `<!-- generated -->`; the text before that line is kept.
fn report(
    folder: &Path,
    outcome: &Outcome,
    [levels, within]: [&str; 2],
    (by_distance, left_out): (&[Distance], &[LeftOutFile]),
) -> Result<(), Failed> {
    let page = folder.join("validation.md");
    let old = std::fs::read_to_string(&page).unwrap_or_default();
    let words = old.split(GENERATED).next().unwrap_or_default();
    let mut text = format!("{words}{GENERATED}\n\n");
    for picture in pictures(&outcome.rows) {
        write(&folder.join(picture.name), &picture.svg)?;
        writeln!(text, "![measured against simulated]({})\n", picture.name).expect("a String takes any text");
    }
    write!(text, "## By level\n\nMedians over experiments below the knee, and how many they are: as it comes, calibrated, and predicted by coefficients that have seen\nneither this GPU, token budget nor parallelism.\n\n{levels}\n")
        .expect("a String takes any text");
    write!(text, "## By distance and regime\n\n{}\n", distance_table(by_distance))
        .expect("a String takes any text");
    write!(text, "## Within the named error\n\nEach held-back row against the errors of all other experiments: how many lie within the median and the 90th percentile that are\nnamed for a run of its kind. Right are 50 and 90 %.\n\n{within}\n")
        .expect("a String takes any text");
    for (_, title, lines) in left_out {
        write!(text, "## {title}\n\n{}\n", left_out_table(lines)).expect("a String takes any text");
    }
    text.push_str(&tables(&outcome.rows, &outcome.unmodelled));
    write(&page, &text)
}

/// A file of fits that left something out: the distance, a title, and its lines.
type LeftOutFile = (&'static str, &'static str, Vec<LeftOut>);

/// What the files of `tokenyard calibrate --leave-out` next to the report say, by distance and title.
fn left_out(folder: &Path) -> Result<Vec<LeftOutFile>, Failed> {
    let mut found = Vec::new();
    for (file, distance, title) in LEFT_OUT {
        let path = folder.join(file);
        let Ok(old) = std::fs::read_to_string(&path) else { continue };
        let lines = rows_of(&path, &old, "what `tokenyard calibrate --leave-out -o` wrote")?;
        found.push((distance, title, lines));
    }
    Ok(found)
}

/// The tables of fits that leave something out, and the files of `tokenyard calibrate --leave-out` that they come
/// from.
const LEFT_OUT: [(&str, &str, &str); 3] = [
    ("left-out-model.json", "unseen model", "Each model predicted by a fit to the others"),
    (
        "left-out-gpu.json",
        "unseen GPU",
        "Each GPU predicted by what is published of it and a fit to the H100",
    ),
    ("left-out-precision.json", "unseen precision", "Each precision predicted by a fit to the others"),
];

/// The page's data of the experiments.
const PAGE: &str = "validation-page.json";

/// The text after this line in docs/data/validation.md is written by the program.
const GENERATED: &str = "<!-- generated by `tokenyard validate --report` -->";

fn gate(path: &Path, groups: &[Aggregate]) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path).map_err(|e| unreadable(&path.display(), &e))?;
    let table: Vec<Recorded> = rows_of(path, &text, "a table that `tokenyard validate --record` wrote")?;
    let lines = worse(&table, groups);
    for line in &lines {
        tell(&format!("worse: {line}"));
    }
    if lines.is_empty() { Ok(()) } else { Err(Failed(DIFFERENT)) }
}

fn options(args: &Validate, latency: Latency) -> Options {
    Options { latency, seeds: args.seeds, fit_to: None }
}

/// Level 0: experiments without a catalogue entry are replayed with the roofline.
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

fn print(args: &Validate, latency: &str, found: &Found, outcome: &Outcome) -> Result<(), Failed> {
    let replayed = found.iter().filter(|(e, _)| outcome.rows.iter().any(|r| r.id == e.id)).count() as u32;
    let groups = aggregates(&outcome.rows, args.level == 0);
    let rankings = if args.level == 3 || args.json { rankings(&outcome.rows) } else { Vec::new() };
    let orders = if args.level == 3 || args.json { orders(&outcome.rows) } else { Vec::new() };
    let experiments: Vec<&Experiment> = found.iter().map(|(e, _)| e).collect();
    let coverage = if args.coverage { coverage(&experiments, &outcome.rows) } else { Vec::new() };
    if args.json {
        let document = Document {
            level: args.level,
            latency,
            experiments: found.len() as u32,
            replayed,
            rows: &outcome.rows,
            groups,
            rankings,
            orders,
            not_modelled: &outcome.unmodelled,
            coverage,
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
        push_transfers(&mut text, &outcome.rows);
    }
    push_rankings(&mut text, &rankings);
    if !orders.is_empty() {
        text.push('\n');
        text.push_str(&orders_table(&orders));
    }
    push_unmodelled(&mut text, &outcome.unmodelled);
    if args.coverage {
        writeln!(text, "\nwithin the error that a run of their kind names\n\n{}", coverage_table(&coverage))
            .expect("a String takes any text");
    }
    say(&text)
}

/// The figures that the table of experiments shows; `--json` has all.
const SHOWN: [(&str, &str); 10] = [
    ("ttft_ms", "mean"),
    ("ttft_ms", "p50"),
    ("tpot_ms", "mean"),
    ("itl_ms", "p50"),
    ("e2e_ms", "mean"),
    ("e2e_ms", "p99"),
    ("req_per_s", "value"),
    ("tok_per_s_per_gpu", "value"),
    ("backlog_per_s", "value"),
    ("knee_req_per_s", "value"),
];

fn push_rows(text: &mut String, rows: &[Row]) {
    text.push_str("\nexperiment, stage                                      regime    figure           measured    simulated    error\n");
    for r in rows.iter().filter(|r| SHOWN.contains(&(r.metric.as_str(), r.stat.as_str()))) {
        let stage = r.stage.as_str().map_or_else(|| r.stage.to_string(), str::to_owned);
        let name = format!("{} {stage}", r.id);
        let regime = r.regime.as_deref().unwrap_or("");
        let figure = format!("{} {}", r.metric, r.stat);
        let fitted = if r.fitted_on { " fitted" } else { "" };
        let settings =
            if r.settings.is_empty() { String::new() } else { format!("  settings: {}", r.settings) };
        let (measured, simulated) = (r.measured, r.simulated);
        writeln!(
            text,
            "{name:<54} {regime:<9} {figure:<13} {measured:>12.3} {simulated:>12.3} {:>8}{fitted}{settings}",
            signed_percent(r.error)
        )
        .expect("a String takes any text");
    }
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
            signed_percent(Some(g.signed)),
            g.worst * 100.0,
            g.worst_id
        )
        .expect("a String takes any text");
    }
}

/// Level 2: by source and target of the prediction.
fn push_transfers(text: &mut String, rows: &[Row]) {
    let transfers: BTreeSet<&str> = rows.iter().filter_map(|r| r.transfer.as_deref()).collect();
    for transfer in transfers {
        let own: Vec<Row> =
            rows.iter().filter(|r| r.transfer.as_deref() == Some(transfer)).cloned().collect();
        writeln!(text, "\ntransfer: {transfer}").expect("a String takes any text");
        push_groups(text, &aggregates(&own, false));
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
