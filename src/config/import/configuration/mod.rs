//! Import of other programs' configuration. For every key, the report names the field that it sets, or the reason why
//! it has no counterpart.

pub(crate) mod changes;
pub(crate) mod embedded;
#[cfg(feature = "import")]
pub(crate) mod imported;
pub(crate) mod mapping;
pub(crate) mod merge;
pub(crate) mod models;
#[cfg(feature = "import")]
pub(crate) mod new_traffic;
pub(crate) mod pool_shapes;
pub(crate) mod reader;
#[cfg(feature = "import")]
pub(crate) mod script_places;
pub(crate) mod sets;
pub(crate) mod sources;
#[cfg(feature = "import")]
pub(crate) mod title;
pub(crate) mod unread;

pub use changes::FieldChange;
#[cfg(feature = "import")]
pub use imported::{Imported, ImportedDocument, KeyCounts, NewScenario, PoolMemory, imported};
pub use mapping::{Mapping, Standing};
pub use merge::{Choice, Conflict, Settled};
#[cfg(feature = "import")]
pub use new_traffic::{NewTraffic, TrafficAsked};
pub(crate) use reader::Reader;

use crate::kubernetes::object::Patch;
use crate::simulators::routesim::RouteSim;
use base::diag::has_errors;
use base::import::{Family, Import};
use base::pointer::pointer;
use base::{Diagnostic, Diagnostics};
use document::limits;
use reader::flat;
use serde_json::{Map, Value};
use sets::Set;

/// The result of a source: its keys one by one, and its problems.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The result of each key.
    pub mappings: Vec<Mapping>,
    /// Errors, and warnings about keys that were left out or have an unexpected meaning.
    pub problems: Diagnostics,
    /// The fields that it sets, besides those of its settings.
    pub(crate) sets: Vec<Set>,
}

impl Report {
    /// The report, or all problems if one is an error.
    fn sound(self) -> Result<Self, Diagnostics> {
        if has_errors(&self.problems) { Err(self.problems) } else { Ok(self) }
    }
}

/// The parts of a scenario that a source sets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// A whole scenario; null if the source sets only policies.
    pub scenario: Value,
    /// Fields of the cluster.
    pub cluster: Map<String, Value>,
    /// Fields of the engine of every pool.
    pub engine: Map<String, Value>,
    /// Settings of the autoscaler of every pool, if the source has one.
    pub scaling: Option<Map<String, Value>>,
    /// Settings of the autoscalers of pools by their names or models.
    pub autoscalers: Vec<Patch>,
}

/// The family of formats that configure another program.
pub enum Configuration {}

impl Family for Configuration {
    type Source<'a> = Value;
    type Report = Report;
    type Read = Settings;
}

/// Reads YAML that is embedded as text in a document; `None` if it is invalid. The caller supplies the reader: the
/// page has its own.
pub type ReadText<'a> = &'a dyn Fn(&str) -> Option<Value>;

/// Names of the accepted files of policies.
pub const POLICIES: &str = "a policy bundle (admission, priority, routing, scheduler, autoscale), an EndpointPickerConfig, autoscalers of Kubernetes, flags of a router, or a workload";

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
    Ok(Report { mappings, problems, sets: Vec::new() })
}

/// The names of all formats that recognise each document of a text. One that is read has one name.
#[cfg(feature = "import")]
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
