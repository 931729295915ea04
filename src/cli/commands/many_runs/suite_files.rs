//! Suites from files, with the scenarios and traces that they name: files beside the suite, and built-in ones.

use crate::files::trace_file;
use base::{Diagnostic, Diagnostics, alike};
use config::import::documents::yaml;
use document::preset::{PRESETS, Preset};
use document::{limits, replay_trace, text_from_bytes, value_from_json};
use run::session::Trace;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use study::evaluate::{CaseSource, Suite, SuiteCase, SuiteDocument};

/// The suites that the program brings, by name.
pub const SUITES: [(&str, &str); 3] = [
    ("herding", include_str!("../../suites/herding.yaml")),
    ("prefix-reuse", include_str!("../../suites/prefix-reuse.yaml")),
    ("mixed-classes", include_str!("../../suites/mixed-classes.yaml")),
];

/// A suite that was read, with what belongs to it on the disk.
#[derive(Debug)]
pub struct SuiteFile {
    /// Its document.
    pub document: SuiteDocument,
    /// The folder of the files that it names.
    pub folder: PathBuf,
    /// The suite with its cases.
    pub suite: Suite,
}

/// Opens a suite: a file in YAML or JSON, or a built-in one by name. Nothing is printed.
pub fn open_suite(name: &str) -> Result<SuiteFile, Diagnostics> {
    let path = Path::new(name);
    let (tree, folder) = match SUITES.iter().find(|(built_in, _)| *built_in == name && !path.exists()) {
        Some((_, text)) => (yaml::value(text)?, PathBuf::new()),
        None => (tree_of(path, "a suite")?, path.parent().map(Path::to_path_buf).unwrap_or_default()),
    };
    let document = SuiteDocument::read(tree)?;
    let mut problems = Diagnostics::new();
    let mut sources = Vec::new();
    for (i, case) in document.cases.iter().enumerate() {
        match source(case, &folder) {
            Ok(source) => sources.push(source),
            Err(all) => problems.extend(all.into_iter().map(|mut problem| {
                problem.path = format!("cases[{i}].{}", problem.path);
                problem
            })),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let suite = Suite::new(&document, sources, yaml::value)?;
    Ok(SuiteFile { document, folder, suite })
}

/// A document in YAML or JSON.
fn tree_of(path: &Path, what: &str) -> Result<Value, Diagnostics> {
    let bytes = bytes_of(path, what)?;
    let text = text_from_bytes(&bytes).map_err(|problem| vec![problem])?;
    if text.trim_start().starts_with('{') { value_from_json(text) } else { yaml::value(text) }
}

fn bytes_of(path: &Path, what: &str) -> Result<Vec<u8>, Diagnostics> {
    let mut bytes = Vec::new();
    let most = limits::SCENARIO_BYTES as u64 + 1;
    let read = std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(|e| {
        let found = format!("{}: {}", path.display(), crate::text::messages::of_file(&e));
        vec![Diagnostic::error("", found, format!("a file with {what}"), "check its name")]
    })?;
    Ok(bytes)
}

/// The scenario and the trace of a case.
fn source(case: &SuiteCase, folder: &Path) -> Result<CaseSource, Diagnostics> {
    let mut scenario = scenario_of(&case.scenario, folder).map_err(|all| at("scenario", all))?;
    if let Some(trace) = &case.trace {
        replay_trace(&mut scenario, trace).map_err(|all| at("scenario", all))?;
    }
    let carries = scenario
        .pointer("/workload/trace/rows")
        .is_some_and(|rows| rows.as_array().is_none_or(|r| !r.is_empty()));
    let named = scenario.pointer("/workload/trace/file").and_then(Value::as_str).filter(|_| !carries);
    let trace = named.map(|file| trace_of(&folder.join(file))).transpose().map_err(|all| at("trace", all))?;
    Ok(CaseSource { scenario, trace })
}

fn at(path: &str, mut problems: Diagnostics) -> Diagnostics {
    for problem in &mut problems {
        problem.path =
            if problem.path.is_empty() { path.to_owned() } else { format!("{path}.{}", problem.path) };
    }
    problems
}

/// A scenario: written out, a file beside the suite, or a built-in one.
fn scenario_of(named: &Value, folder: &Path) -> Result<Value, Diagnostics> {
    let Value::String(name) = named else { return Ok(named.clone()) };
    let path = folder.join(name);
    if path.is_file() {
        return tree_of(&path, "a scenario");
    }
    if let Some(preset) = Preset::named(name) {
        return value_from_json(preset.text);
    }
    let names = PRESETS.iter().map(|preset| preset.name);
    let fix = alike::nearest(name, names).map_or_else(
        || "`tokenyard list presets` names the built-in ones".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    let found = format!("{name}, neither a file beside the suite nor a built-in scenario");
    Err(vec![Diagnostic::error("", found, "a file, a built-in scenario, or a scenario", fix)])
}

fn trace_of(path: &Path) -> Result<Arc<Trace>, Diagnostics> {
    let name = path.display().to_string();
    let unread = || {
        let found = format!("{name}, which cannot be read");
        vec![Diagnostic::error("", found, "a trace beside the suite", "check its name")]
    };
    if !path.is_file() {
        return Err(unread());
    }
    let reading = trace_file::reading(&name, None).map_err(|_| unread())?;
    reading.trace.ok_or(reading.diagnostics)
}
