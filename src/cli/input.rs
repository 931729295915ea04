//! Reading scenarios and traces: from files, stdin and the built-in list, JSON or YAML.

use super::args::Input;
use super::convert::{Mapping, apply_bundle, convert_routesim};
use super::{BAD_INPUT, Failed, tell, unreadable};
use crate::base::diag::has_errors;
use crate::base::{Diagnostic, Severity};
use crate::scenario::preset::{PRESETS, Preset};
use crate::scenario::{self, Scenario, from_value, limits, set_path, text_from_bytes, value_from_json};
use crate::session::{Session, Trace, TraceReader};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes read at once.
const PIECE: usize = 1 << 20;

/// A scenario of the right shape, and its trace.
pub(super) struct Loaded {
    pub(super) scenario: Scenario,
    pub(super) trace: Option<Arc<Trace>>,
}

/// Reads everything that `input` names.
pub(super) fn load(input: &Input) -> Result<Loaded, Failed> {
    let mut document = read_document(&input.scenario)?;
    if let Some(path) = &input.trace {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        scenario::replay_trace(&mut document, &name);
    }
    if let Some(path) = &input.policies {
        let name = path.display().to_string();
        let bundle = read_document(&name)?;
        let mappings = apply_bundle(&bundle, &mut document).map_err(|all| refused(&name, &all))?;
        tell_mappings(&name, &mappings);
    }
    for setting in &input.set {
        let (path, value) = setting.split_once('=').ok_or_else(|| {
            let fix = "such as --set cluster.pools[0].replicas=8";
            refused("--set", &[Diagnostic::error("", setting.as_str(), "PATH=VALUE", fix)])
        })?;
        set_path(&mut document, path.trim(), value).map_err(|d| refused("--set", &[d]))?;
    }
    let scenario = from_value(document).map_err(|all| refused(&input.scenario, &all))?;
    let trace = match trace_path(input, &scenario) {
        Some(path) => Some(read_trace(&path)?),
        None => None,
    };
    Ok(Loaded { scenario, trace })
}

/// A RouteSim configuration as a scenario text.
pub(super) fn convert(file: &Path) -> Result<String, Failed> {
    let name = file.display().to_string();
    let bytes = read_bounded(&name)?;
    let text = text_from_bytes(&bytes).map_err(|d| refused(&name, &[d]))?;
    let config: Value = toml::from_str(text).map_err(|e| {
        let line = e.span().map_or(0, |s| text[..s.start].matches('\n').count() + 1);
        let fix = "correct the text there";
        refused(&name, &[Diagnostic::error(format!("line {line}"), e.message(), "a TOML document", fix)])
    })?;
    let (document, mappings) = convert_routesim(&config).map_err(|all| refused(&name, &all))?;
    tell_mappings(&name, &mappings);
    let scenario = from_value(document).map_err(|all| refused(&name, &all))?;
    let text = scenario::to_json(&scenario);
    let problems = Session::check(&text);
    if has_errors(&problems) { Err(refused(&name, &problems)) } else { Ok(text) }
}

fn tell_mappings(source: &str, mappings: &[Mapping]) {
    for mapping in mappings {
        tell(&format!("{source}: {}", mapping.line()));
    }
}

/// Prints problems to stderr; the caller gives up.
pub(super) fn refused(source: &str, problems: &[Diagnostic]) -> Failed {
    tell_all(source, problems);
    Failed(BAD_INPUT)
}

/// Prints problems to stderr, each with its source.
pub(super) fn tell_all(source: &str, problems: &[Diagnostic]) {
    for problem in problems {
        tell(&format!("{source}: {problem}"));
    }
}

fn read_document(name: &str) -> Result<Value, Failed> {
    let path = Path::new(name);
    if name != "-" && !path.exists() {
        if let Some(preset) = Preset::named(name) {
            return value_from_json(preset.text).map_err(|d| refused(name, &[d]));
        }
        if path.extension().is_none() {
            let names: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
            let missing = Diagnostic::error(
                "",
                "no such file and no such built-in scenario",
                names.join(", "),
                "name one of these, or a .json or .yaml file",
            );
            return Err(refused(name, &[missing]));
        }
    }
    let bytes = read_bounded(name)?;
    let text = text_from_bytes(&bytes).map_err(|d| refused(name, &[d]))?;
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let yaml = match extension.as_deref() {
        Some("yaml" | "yml") => true,
        Some("json") => false,
        // JSON documents start with a brace; YAML ones may, and then read as JSON or fail with a JSON message.
        _ => !text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']),
    };
    let value = if yaml { value_from_yaml(text) } else { value_from_json(text) };
    value.map_err(|d| refused(name, &[d]))
}

/// The bytes of a file or of stdin; no more than a scenario may have, and one to tell that there are more.
fn read_bounded(name: &str) -> Result<Vec<u8>, Failed> {
    let most = limits::SCENARIO_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let read = if name == "-" {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(name).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    match read {
        Ok(_) => Ok(bytes),
        Err(e) => Err(unreadable(&name, &e)),
    }
}

fn value_from_yaml(text: &str) -> Result<Value, Diagnostic> {
    let value = serde_saphyr::from_str(text).map_err(|e| {
        let place =
            e.location().map_or_else(String::new, |l| format!("line {}, column {}", l.line(), l.column()));
        let message = e.without_snippet().to_string();
        let reason = message.lines().next().unwrap_or_default();
        // The place is told already.
        let reason = reason.split(" at line ").next().unwrap_or_default();
        if reason.starts_with("non-finite float") {
            return Diagnostic::error(
                place,
                "a number that is not finite",
                "finite numbers up to 1.8e308",
                "write a plain number",
            );
        }
        Diagnostic::error(place, reason, "a YAML document", "correct the text there")
    })?;
    match value {
        // Nothing but comments: the same as no text.
        Value::Null => value_from_json(""),
        value => Ok(value),
    }
}

/// Where the trace is: as given, or beside the scenario under the name that the scenario gives.
fn trace_path(input: &Input, scenario: &Scenario) -> Option<PathBuf> {
    if input.trace.is_some() {
        return input.trace.clone();
    }
    let name = &scenario.workload.trace.as_ref()?.file;
    let beside = Path::new(&input.scenario).parent()?.join(Path::new(name).file_name()?);
    beside.is_file().then_some(beside)
}

fn read_trace(path: &Path) -> Result<Arc<Trace>, Failed> {
    let shown = path.display().to_string();
    let mut file = std::fs::File::open(path).map_err(|e| unreadable(&shown, &e))?;
    let mut reader = TraceReader::new(&shown, limits::TRACE_BYTES_CLI);
    let mut piece = vec![0; PIECE];
    while !reader.has_failed() {
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(n) => reader.push(&piece[..n]),
            Err(e) => return Err(unreadable(&shown, &e)),
        }
    }
    let (trace, problems, summary) = reader.finish();
    tell_all(&shown, &problems);
    if let Some(s) = summary {
        tell(&format!(
            "{shown}: {} trace, {} requests in {:.0} s, {} prompt and {} output tokens",
            s.format, s.requests, s.duration_s, s.prompt_tokens, s.output_tokens
        ));
    }
    match trace {
        Some(trace) if !problems.iter().any(|d| d.severity == Severity::Error) => Ok(trace),
        _ => Err(Failed(BAD_INPUT)),
    }
}
