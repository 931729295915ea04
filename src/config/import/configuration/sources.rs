//! The sources of an import, each read by its format: what their keys mean, and the fields that they set.

use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::merge::Conflict;
use crate::import::configuration::reader::flat;
use crate::import::configuration::sets::{Field, PoolOf, SAID, Set};
use crate::import::configuration::{Configuration, Report, Settings, unread as unread_kinds};
use crate::import::{CONFIGURATIONS, Import};
use crate::kubernetes::object;
use base::{Diagnostic, Diagnostics};
use serde_json::{Map, Value};

/// What was read from all sources.
#[derive(Default)]
pub(crate) struct ReadSources {
    /// A whole scenario, if a source is one.
    pub(crate) scenario: Option<Value>,
    pub(crate) sets: Vec<Set>,
    pub(crate) mappings: Vec<Mapping>,
    /// Problems with the numbers of their sources.
    pub(crate) problems: Vec<(u32, Diagnostic)>,
}

/// The format of a source.
pub(crate) fn format_of(source: &Value) -> Option<&'static dyn Import<Configuration>> {
    CONFIGURATIONS.iter().copied().find(|format| format.recognises(source))
}

/// Reads all sources whose format is known.
pub(crate) fn read_all(sources: &[Value]) -> ReadSources {
    let mut all = ReadSources::default();
    for (i, source) in sources.iter().enumerate() {
        let Some(format) = format_of(source) else { continue };
        let mut report = Report::default();
        let mut settings = format.read(source, &mut report);
        let scenario = std::mem::take(&mut settings.scenario);
        if !scenario.is_null() {
            if all.scenario.is_some() {
                let fix = "import them one after the other";
                let twice = Diagnostic::error("", "two whole scenarios", "one", fix);
                all.problems.push((i as u32, twice));
            }
            all.scenario = Some(scenario);
        }
        all.sets.extend(sets_of(i, settings, &report));
        let mut mappings = report.mappings;
        let rows = silent(source, &mappings, &report.problems);
        mappings.extend(rows);
        all.mappings.extend(mappings.into_iter().map(|m| Mapping { document: i as u32, ..m }));
        all.problems.extend(report.problems.into_iter().map(|d| (i as u32, d)));
    }
    all
}

/// All sets of a source: those of its report, and those of its settings.
fn sets_of(document: usize, settings: Settings, report: &Report) -> Vec<Set> {
    let set = |field, value, rank| Set { document, rank, ..Set::said("", field, value) };
    let every = |field: String| Field::Pool(PoolOf::default(), field);
    let mut all: Vec<Set> = report.sets.iter().map(|set| Set { document, ..set.clone() }).collect();
    let cluster = settings.cluster.into_iter();
    all.extend(cluster.map(|(k, v)| set(Field::Scenario(format!("cluster.{k}")), v, SAID)));
    all.extend(settings.engine.into_iter().map(|(k, v)| set(every(format!("engine.{k}")), v, SAID)));
    let scaling: Map<String, Value> = settings.scaling.unwrap_or_default();
    all.extend(scaling.into_iter().map(|(k, v)| set(every(format!("scaling.{k}")), v, SAID)));
    for patch in settings.autoscalers {
        let of = PoolOf { name: patch.target, model: patch.model, ..PoolOf::default() };
        let of_pool = |key: &str| Field::Pool(of.clone(), format!("scaling.{key}"));
        let said = patch.scaling.into_iter().map(|(k, v)| (of_pool(&k), v, SAID));
        let weak = patch.weak.into_iter().map(|(rank, k, v)| (of_pool(k), v, rank));
        let start = patch.start;
        all.extend(
            said.chain(weak)
                .map(|(field, value, rank)| Set { start: start.clone(), ..set(field, value, rank) }),
        );
    }
    all
}

/// Rows for the keys that no mapping and no problem is about.
pub(crate) fn silent(source: &Value, mappings: &[Mapping], problems: &[Diagnostic]) -> Vec<Mapping> {
    let mut keys = Vec::new();
    leaves(source, "", &mut keys);
    let within = |a: &str, b: &str| a == b || a.strip_prefix(b).is_some_and(|rest| rest.starts_with('.'));
    let mut known: Vec<&str> = mappings.iter().map(|m| m.key.as_str()).collect();
    known.extend(mappings.iter().map(|m| m.last.as_str()).filter(|last| !last.is_empty()));
    known.extend(problems.iter().map(|d| d.path.as_str()).filter(|path| !path.is_empty()));
    known.sort_unstable();
    let is_said = |key: &str| {
        let above = known.binary_search(&key).is_ok()
            || key.match_indices('.').any(|(i, _)| known.binary_search(&&key[..i]).is_ok());
        let from = known.partition_point(|k| *k < key);
        above || known[from..].iter().take_while(|k| k.starts_with(key)).any(|k| within(k, key))
    };
    keys.retain(|(key, _)| !is_said(key));
    let shape = |key: &str| matches!(key, "kind" | "apiVersion" | "version" | "metadata.name");
    keys.into_iter()
        .map(|(key, found)| {
            let (standing, becomes) = if shape(&key) {
                (Standing::Shape, "the kind of the document".to_owned())
            } else {
                (Standing::Ignored, "no counterpart: this key has no effect on a simulation".to_owned())
            };
            Mapping { key, found, standing, becomes, ..Mapping::default() }
        })
        .collect()
}

/// The paths of all values, and the values.
fn leaves(value: &Value, path: &str, keys: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, inner) in map {
                leaves(inner, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, keys);
            }
        }
        Value::Array(_) | Value::Object(_) => {}
        _ => keys.push((path.to_owned(), crate::import::configuration::merge::shown(value))),
    }
}

/// Problems about documents of formats that are not read.
pub(crate) fn unread(documents: &[Value]) -> Diagnostics {
    let (objects, others): (Vec<&Value>, Vec<&Value>) = documents.iter().partition(|document| {
        object::is_object(document) && !document.get("metrics").is_some_and(Value::is_object)
    });
    let objects: Vec<Value> = objects.into_iter().cloned().collect();
    let is_read = |document: &&Value| format_of(&flat(document, &|_| None)).is_some();
    let others: Vec<&Value> = others.into_iter().filter(|document| !is_read(document)).collect();
    let alone = others.len() == documents.len();
    let mut all = if objects.is_empty() { Diagnostics::new() } else { unread_kinds::kinds(&objects) };
    all.extend(
        others
            .into_iter()
            .filter_map(unread_kinds::document)
            .map(|d| if alone { d } else { Diagnostic::warning(d.path, d.found, d.allowed, d.fix) }),
    );
    all
}

/// A conflict that is not settled, as a problem.
pub(crate) fn unsettled(conflict: &Conflict, keys: &[Mapping]) -> Diagnostic {
    let said = |key: u32| keys.get(key as usize).map_or_else(String::new, |m| format!(" ({})", m.key));
    let values: Vec<String> =
        conflict.choices.iter().map(|choice| format!("{}{}", choice.value, said(choice.key))).collect();
    let found = values.join(" and ");
    Diagnostic::error(conflict.field.clone(), found, "one value", conflict.note.clone())
}
