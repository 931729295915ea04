//! Import of other programs' configuration. For every key, the report names the field that it sets, or the reason why
//! it has no counterpart.

pub(crate) mod changes;
pub(crate) mod embedded;
pub(crate) mod family;
pub(crate) mod imported;
pub(crate) mod mapping;
pub(crate) mod merge;
pub(crate) mod models;
pub(crate) mod new_traffic;
pub(crate) mod patch;
pub(crate) mod place;
pub(crate) mod pool_shapes;
pub(crate) mod quantities;
pub(crate) mod read_sources;
pub(crate) mod reader;
pub(crate) mod report;
pub(crate) mod router_roles;
pub(crate) mod script_places;
pub(crate) mod server_identity;
pub(crate) mod servers;
pub(crate) mod sets;
pub(crate) mod settings;
pub(crate) mod sources;
pub(crate) mod tiers;
pub(crate) mod title;
pub(crate) mod unread;

pub use changes::FieldChange;
pub use family::Configuration;
pub use imported::{Imported, ImportedDocument, KeyCounts, NewScenario, PoolMemory, imported};
pub use mapping::{Mapping, Standing};
pub use merge::{Choice, Conflict, Settled};
pub use new_traffic::{NewTraffic, TrafficAsked};
pub(crate) use reader::Reader;
pub use report::Report;
pub use settings::Settings;
pub use unread::POLICIES;

use crate::simulators::routesim::RouteSim;
use base::diag::has_errors;
use base::import::Import;
use base::pointer::pointer;
use base::{Diagnostic, Diagnostics};
use document::limits;
use reader::flat;
use serde_json::Value;

/// Reads YAML that is embedded as text in a document; `None` if it is invalid. The caller supplies the reader: the
/// page has its own.
pub type ReadText<'a> = &'a dyn Fn(&str) -> Option<Value>;

/// Puts the policies of documents into a scenario document, all or nothing, and reports the result of each key. The
/// documents are one bundle, or objects of Kubernetes, also as a `List`. Empty documents next to others are ignored.
pub fn adopt_policies(
    documents: Vec<Value>,
    read_text: ReadText<'_>,
    scenario: &mut Value,
) -> Result<Report, Diagnostics> {
    let objects = objects_of(documents)?;
    let within = |text: &str| {
        let may_be = text.contains(": ") && text.contains('\n');
        may_be.then(|| read_text(text)).flatten().filter(Value::is_object)
    };
    let sources: Vec<Value> = objects.iter().map(|object| flat(object, &within)).collect();
    let read = sources::read_all(&sources);
    // If there are several objects, each message names its own.
    let own = |i: u32, path: &str| if objects.len() > 1 { format!("[{i}].{path}") } else { path.to_owned() };
    let mut problems = sources::unread(&objects);
    problems.extend(read.problems.into_iter().map(|(i, d)| Diagnostic { path: own(i, &d.path), ..d }));
    if has_errors(&problems) {
        return Err(problems);
    }
    let base = read.scenario.unwrap_or_else(|| scenario.clone());
    let mut mappings = read.mappings;
    let merged = merge::merge(base, &read.sets, &mut mappings, &[]);
    problems.extend(merged.problems);
    problems.extend(merged.conflicts.iter().map(|conflict| sources::unsettled(conflict, &mappings)));
    if has_errors(&problems) {
        return Err(problems);
    }
    *scenario = merged.document;
    let mappings = mappings.into_iter().map(|m| Mapping { key: own(m.document, &m.key), ..m }).collect();
    Ok(Report { mappings, problems, ..Report::default() })
}

/// The names of all formats that recognise each document of a text. One that is read has one name.
pub fn formats_of(text: &str) -> Result<Vec<Vec<&'static str>>, Diagnostics> {
    let text = crate::import::documents::Text { name: String::new(), text: text.to_owned() };
    let names = |source: &Value| {
        let all = crate::import::CONFIGURATIONS.iter().filter(|format| format.recognises(source));
        all.map(|format| format.name()).collect()
    };
    let documents = crate::import::documents::documents(&[text])?;
    Ok(documents.iter().map(|document| names(&flat(&document.tree.value, &|_| None))).collect())
}

/// A scenario document from a RouteSim configuration.
pub fn convert_routesim(config: &Value) -> Result<(Value, Report), Diagnostics> {
    let mut report = Report::default();
    let settings = RouteSim.read(config, &mut report);
    report.sound().map(|report| (settings.scenario, report))
}

/// The objects of documents; lists are expanded.
fn objects_of(documents: Vec<Value>) -> Result<Vec<Value>, Diagnostics> {
    let mut objects = Vec::new();
    for document in documents.into_iter().filter(|d| !d.is_null()) {
        match document.get("items").and_then(Value::as_array) {
            Some(items) if document.get("kind").is_some_and(|kind| kind == "List") => {
                objects.extend(items.iter().take(limits::OBJECTS + 1).cloned());
            }
            _ => objects.push(document),
        }
        if objects.len() > limits::OBJECTS {
            let allowed = format!("at most {} objects", limits::OBJECTS);
            let fix = "keep those of the autoscalers";
            let found = format!("more than {}", limits::OBJECTS);
            return Err(vec![Diagnostic::error("", found, allowed, fix)]);
        }
    }
    if let Some(pointer) = objects.first().and_then(Value::as_str).and_then(pointer) {
        return Err(vec![pointer]);
    }
    if objects.is_empty() {
        return Err(vec![Diagnostic::error("", "an empty text", POLICIES, "name a policy")]);
    }
    Ok(objects)
}

#[cfg(test)]
mod tests;
