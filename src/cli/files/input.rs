//! Reading scenarios and traces: from files, stdin and the built-in list, JSON or YAML.

use crate::args::input::Input;
use crate::failed::{BAD_INPUT, FILE_TROUBLE, Failed};
use crate::files::trace_file;
use crate::print::{refused, tell, tell_all, unreadable};
use crate::text::messages::{of_toml, rest_of_line};
use base::diag::has_errors;
use base::{Diagnostic, Diagnostics, alike, json};
use config::import::configuration::{self, Report, Standing, adopt_policies, convert_routesim};
use config::import::documents::{Text, documents, yaml};
use config::import::servegen;
use document::link::{self, TraceMark};
use document::preset::{PRESETS, Preset};
use document::{self, Scenario, from_value, limits, set_field, text_from_bytes, value_from_json};
use run::session::{Audience, Session, Trace, carried, guesses, other_trace};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scenario of the right shape, and its trace.
pub(crate) struct Loaded {
    pub(crate) scenario: Scenario,
    pub(crate) trace: Option<Arc<Trace>>,
    /// The file of the trace, if it is one.
    pub(crate) trace_file: Option<String>,
    /// The files that it was read from.
    pub(crate) read: Vec<PathBuf>,
}

/// Reads everything that `input` names.
pub(crate) fn load(input: &Input) -> Result<Loaded, Failed> {
    let named = [Some(&input.scenario), input.policies.as_ref(), input.trace.as_ref()];
    if named.into_iter().flatten().filter(|name| *name == "-").count() > 1 {
        let fix = "give one of them as a file";
        let twice = Diagnostic::error("", "stdin given more than once", "`-` for one input", fix);
        return Err(refused("-", &[twice]));
    }
    let (mut document, origin, wanted) = if link::is_link(&input.scenario) {
        let (document, wanted) = from_link(&input.scenario)?;
        (document, Origin::User, wanted)
    } else {
        let (document, origin) = read_document(&input.scenario, SCENARIO)?;
        (document, origin, None)
    };
    if !document.is_object() {
        // The next steps set fields, and would turn it into an object.
        from_value(document.clone()).map_err(|all| refused(&input.scenario, &all))?;
    }
    if let Some(name) = &input.trace {
        replay(&mut document, origin, name).map_err(|all| refused(&input.scenario, &all))?;
    }
    if let Some(name) = &input.policies {
        let documents = read_policies(name)?;
        let told = adopt_policies(documents, &|_| None, &mut document).map_err(|all| refused(name, &all))?;
        if told.mappings.is_empty() {
            let fix = "it changes nothing: remove --policies, or fill the file";
            tell_all(name, &[Diagnostic::warning("", "nothing at all", BUNDLE[0], fix)]);
        }
        tell_mappings(name, &told);
    }
    apply_settings(&mut document, &input.set)?;
    let scenario = from_value(document).map_err(|all| refused(&input.scenario, &all))?;
    if input.trace.is_some() && scenario.workload.trace.is_none() {
        let fix = "remove --trace, or do not set workload.trace";
        let none =
            Diagnostic::error("workload.trace", "null, together with --trace", "the trace to replay", fix);
        return Err(refused(&input.scenario, &[none]));
    }
    let guessed = guesses(&scenario);
    if !input.allow_guess && !guessed.is_empty() {
        return Err(refused(&input.scenario, &guessed));
    }
    let columns = trace_file::columns(input.columns.as_deref())?;
    let named = trace_name(input, &scenario);
    if columns.is_some() && named.is_none() {
        let fix = "give the trace with --trace, or leave --columns out";
        return Err(refused("--columns", &[Diagnostic::error("", "no trace", "a trace to read", fix)]));
    }
    let read = [Some(&input.scenario), input.policies.as_ref(), named.as_ref()];
    let read = read.into_iter().flatten().map(PathBuf::from).collect();
    let trace = match &named {
        Some(name) => Some(trace_file::read(name, columns)?),
        None => carried_trace(&input.scenario, &scenario)?,
    };
    if let Some(other) = trace.as_deref().and_then(|trace| other_trace(&scenario, trace)) {
        return Err(refused(&input.scenario, &[other]));
    }
    if let Some(wanted) = wanted {
        compare_trace("link", &wanted, trace.as_deref())?;
    }
    Ok(Loaded { scenario, trace, trace_file: named, read })
}

/// The name of a kind of document, and the advice for an empty one.
type Kind = [&'static str; 2];

const SCENARIO: Kind = ["a scenario as JSON or YAML", "start with {} for all defaults"];
const BUNDLE: Kind = [configuration::POLICIES, "name a policy"];

/// Where a document comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    BuiltIn,
    User,
}

/// Replaces the clients by a trace. A built-in scenario's run settings were made for its clients and are dropped.
fn replay(document: &mut Value, origin: Origin, trace: &str) -> Result<(), Diagnostics> {
    if let (Origin::BuiltIn, Some(fields)) = (origin, document.as_object_mut()) {
        for field in ["title", "note", "run", "edits"] {
            fields.shift_remove(field);
        }
        tell(&format!(
            "{trace}: replayed until all requests are done and measured from the start; the built-in scenario's run and \
             edits do not apply, --set run.horizon_s=... sets an end"
        ));
    }
    let name = Path::new(trace).file_name().map(|n| n.to_string_lossy().into_owned());
    let name = name.filter(|name| name != "-").unwrap_or_else(|| "stdin".to_owned());
    document::replay_trace(document, &name)
}

/// Applies all `--set`s in order, and reports all that cannot be applied.
fn apply_settings(document: &mut Value, settings: &[String]) -> Result<(), Failed> {
    let mut problems = Diagnostics::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for setting in settings {
        let Some((path, value)) = setting.split_once('=') else {
            let start: String = setting.chars().take(60).collect();
            let fix = "such as --set cluster.pools[0].replicas=8";
            problems.push(Diagnostic::error("", start, "PATH=VALUE", fix));
            continue;
        };
        let path = path.trim();
        let drawn = if path == "seed" && value.trim() == "random" { Some(fresh_seed()?) } else { None };
        problems
            .extend(set_field(document, path, drawn.as_deref().unwrap_or(value)).err().unwrap_or_default());
        if !seen.insert(path) && problems.is_empty() {
            let warning = Diagnostic::warning(path, "set more than once", "one value", "the last one counts");
            tell_all("--set", &[warning]);
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(refused("--set", &problems)) }
}

/// A fresh seed below 2^32, printed so that the run can be repeated.
fn fresh_seed() -> Result<String, Failed> {
    let seed = getrandom::u32().map_err(|e| {
        tell(&format!("error: the system gives no random seed (error {e})"));
        Failed(FILE_TROUBLE)
    })?;
    tell(&format!("seed: {seed} (--set seed={seed} gives this run again)"));
    Ok(seed.to_string())
}

/// A RouteSim configuration, or policies put into the default scenario, as a scenario text.
pub(crate) fn convert(name: &str) -> Result<String, Failed> {
    let bytes = read_bounded(name)?;
    let text = text_from_bytes(&bytes).map_err(|d| refused(name, &[d]))?;
    let (document, told) = if servegen::recognises(text) {
        of_servegen(name, text)?
    } else if is_policies(name, text) {
        let mut document = Value::Object(serde_json::Map::new());
        let documents = policies_in(name, text)?;
        let told = adopt_policies(documents, &|_| None, &mut document).map_err(|all| refused(name, &all))?;
        (document, told)
    } else {
        let config: Value = toml::from_str(text).map_err(|e| {
            let start = e.span().map_or(0, |s| s.start.min(text.len()));
            let before = text.get(..start).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            let found = of_toml(e.message(), &rest_of_line(text, line, column));
            let fix = "correct the text there";
            refused(name, &[Diagnostic::error(format!("line {line}"), found, "a TOML document", fix)])
        })?;
        convert_routesim(&config).map_err(|all| refused(name, &all))?
    };
    tell_mappings(name, &told);
    let scenario = from_value(document).map_err(|all| refused(name, &all))?;
    let text = document::to_json(&scenario);
    let problems = Session::check(&text);
    if has_errors(&problems) { Err(refused(name, &problems)) } else { Ok(text) }
}

/// A client of ServeGen, with the lengths of the file beside it if there is one.
fn of_servegen(name: &str, text: &str) -> Result<(Value, Report), Failed> {
    let stem =
        Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let client = stem.strip_suffix("-trace").unwrap_or(&stem);
    let client = if client.is_empty() || client == "-" { "servegen" } else { client };
    let beside = Path::new(name).with_file_name(format!("{client}-dataset.json"));
    let dataset = if beside.is_file() {
        let beside = beside.to_string_lossy();
        Some(read_document(&beside, ["lengths as JSON", "fetch it again"])?.0)
    } else {
        None
    };
    servegen::scenario(client, text, dataset.as_ref()).map_err(|all| refused(name, &all))
}

/// Whether a text is YAML or JSON with policies rather than TOML: by its name, or by its first key.
fn is_policies(name: &str, text: &str) -> bool {
    let extension = Path::new(name).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        Some("yaml" | "yml" | "json") => true,
        Some("toml") => false,
        _ => {
            let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
            first.is_some_and(|line| {
                line.starts_with(['{', '-']) || (line.contains(':') && !line.contains('='))
            })
        }
    }
}

fn tell_mappings(source: &str, told: &Report) {
    // Unknown keys are among the problems.
    for mapping in told.mappings.iter().filter(|mapping| mapping.standing != Standing::Unknown) {
        tell(&format!("{source}: {}", mapping.line()));
    }
    tell_all(source, &told.problems);
}

/// The scenario of a link, and the trace that it names. A link with unusable parts is refused.
fn from_link(text: &str) -> Result<(Value, Option<TraceMark>), Failed> {
    let behind = text.split_once('#').map_or(text, |(_, behind)| behind);
    if behind.starts_with("lesson=") || behind == "learn" {
        let fix = "open it in a browser; `tokenyard lesson check FILE` runs the claims of a lesson's file";
        return Err(refused(
            "link",
            &[Diagnostic::error("", "a link to a lesson", "a link of a scenario", fix)],
        ));
    }
    let opened = Session::open_link(text, Audience::Batch);
    if opened.problems.is_empty() {
        if let Some(beside) = &opened.link.beside {
            tell(&format!(
                "link: it has a second run, “{}”, which the page shows; this is the first",
                beside.name
            ));
        }
        return Ok((json::tree(&opened.link.scenario), opened.link.trace));
    }
    Err(refused("link", &opened.problems))
}

/// Checks that the trace given for a link is the one that the link was made with.
fn compare_trace(source: &str, wanted: &TraceMark, given: Option<&Trace>) -> Result<(), Failed> {
    let Some(given) = given else {
        let found =
            format!("a run of the trace {} of {} rows, which links do not contain", wanted.name, wanted.rows);
        let missing = Diagnostic::error("workload.trace", found, "that file", "give it with --trace FILE");
        return Err(refused(source, &[missing]));
    };
    let Some(problem) = wanted.refuses(given.len() as u64, &given.digest().hex()) else { return Ok(()) };
    tell(&format!("{source}: {problem}"));
    Err(Failed(BAD_INPUT))
}

fn read_document(name: &str, kind: Kind) -> Result<(Value, Origin), Failed> {
    let path = Path::new(name);
    if name != "-" && !path.exists() {
        if let Some(preset) = Preset::named(name) {
            let value = value_from_json(preset.text).map_err(|all| refused(name, &all))?;
            return Ok((value, Origin::BuiltIn));
        }
        if path.extension().is_none() {
            let names: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
            let found = "no such file and no such built-in scenario";
            let fix = alike::nearest(name, names.iter().copied()).map_or_else(
                || "name one of these, or a .json or .yaml file".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(refused(name, &[Diagnostic::error("", found, names.join(", "), fix)]));
        }
    }
    let bytes = read_bounded(name)?;
    let text = text_from_bytes(&bytes).map_err(|d| refused(name, &[d]))?;
    Ok((parsed(name, text, kind)?, Origin::User))
}

/// The document of a scenario: a file, a link or a built-in one.
pub(crate) fn scenario_document(name: &str) -> Result<Value, Failed> {
    if link::is_link(name) { Ok(from_link(name)?.0) } else { Ok(read_document(name, SCENARIO)?.0) }
}

/// The text of a file or of stdin.
pub(crate) fn read_text(name: &str) -> Result<String, Failed> {
    let bytes = read_at_most(name, limits::IMPORT_BYTES)?;
    if bytes.len() > limits::IMPORT_BYTES {
        let (found, allowed) =
            ("more bytes than the limit", format!("at most {} MiB", limits::IMPORT_BYTES >> 20));
        return Err(refused(name, &[Diagnostic::error("", found, allowed, "give the part that matters")]));
    }
    String::from_utf8(bytes).map_err(|_| {
        refused(name, &[Diagnostic::error("", "a binary file", "text in UTF-8", "give the file as text")])
    })
}

/// A lesson, as a tree.
pub(crate) fn read_lesson(name: &str) -> Result<Value, Failed> {
    let bytes = read_bounded(name)?;
    let text = text_from_bytes(&bytes).map_err(|d| refused(name, &[d]))?;
    parsed(name, text, ["a lesson as YAML or JSON", "start with `tokenyard lesson new`"])
}

/// The documents of a file of policies.
fn read_policies(name: &str) -> Result<Vec<Value>, Failed> {
    let bytes = read_bounded(name)?;
    policies_in(name, text_from_bytes(&bytes).map_err(|d| refused(name, &[d]))?)
}

/// The documents of a text of policies, in any format that `tokenyard import` reads.
fn policies_in(name: &str, text: &str) -> Result<Vec<Value>, Failed> {
    let texts = [Text { name: name.to_owned(), text: text.to_owned() }];
    let found = documents(&texts).map_err(|all| refused(name, &all))?;
    Ok(found.into_iter().map(|document| document.tree.value).collect())
}

/// The tree of a document's text.
fn parsed(name: &str, text: &str, kind: Kind) -> Result<Value, Failed> {
    let extension = Path::new(name).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let is_yaml = match extension.as_deref() {
        Some("yaml" | "yml") => true,
        Some("json") => false,
        // JSON documents start with a brace; YAML documents may, and are then read as JSON.
        _ => !text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']),
    };
    let value = if is_yaml { yaml::value(text) } else { value_from_json(text) };
    match value.map_err(|all| refused(name, &all))? {
        // A document of comments only counts as empty.
        Value::Null => Err(refused(name, &[Diagnostic::error("", "an empty text", kind[0], kind[1])])),
        value => Ok(value),
    }
}

/// The bytes of a file or of stdin; at most one more than a scenario may have, which shows that there are more.
pub(crate) fn read_bounded(name: &str) -> Result<Vec<u8>, Failed> {
    read_at_most(name, limits::SCENARIO_BYTES)
}

/// The bytes of a file or of stdin; at most one more than allowed.
pub(crate) fn read_at_most(name: &str, most: usize) -> Result<Vec<u8>, Failed> {
    let most = most as u64 + 1;
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

/// Path of the trace: as given, or next to the scenario under the name that the scenario gives.
fn trace_name(input: &Input, scenario: &Scenario) -> Option<String> {
    if input.trace.is_some() {
        return input.trace.clone();
    }
    let settings = scenario.workload.trace.as_ref().filter(|settings| settings.rows.is_empty())?;
    let name = &settings.file;
    let beside = Path::new(&input.scenario).parent()?.join(Path::new(name).file_name()?);
    beside.is_file().then(|| beside.to_string_lossy().into_owned())
}

/// The trace that a scenario carries, if it carries one.
fn carried_trace(source: &str, scenario: &Scenario) -> Result<Option<Arc<Trace>>, Failed> {
    let Some(settings) = &scenario.workload.trace else { return Ok(None) };
    let read = carried(settings).map_err(|problem| refused(source, &[problem]))?;
    Ok(read.map(|(trace, warnings)| {
        tell_all(source, &warnings);
        trace
    }))
}
