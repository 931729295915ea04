//! `tokenyard calibrate`: coefficients of the calibrated latency model from measured runs.

use crate::args::Calibrate;
use crate::commands::measured::benchmark;
use crate::commands::measured::experiments::{experiments, files_of};
use crate::commands::measured::fit_set::{fit_set, of_sets, release, row, start_of, with_twin};
use crate::commands::measured::leave_out::leave_out;
use crate::commands::measured::own_row::{OwnRow, coefficients};
use crate::failed::{BAD_INPUT, Failed};
use crate::files::outputs::{Outputs, takes_bytes};
use crate::print::{say, tell, unreadable};
use crate::text::table::signed_percent;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tools::validate::{Fit, left_out_lines, median};

/// Coefficients that fewer experiments determine are marked.
const FEW: u32 = 3;

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
            signed_percent(Some(signed)),
            signed_percent(worst)
        )
        .expect("a String takes any text");
    }
}
