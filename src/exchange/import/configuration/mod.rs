//! Import of other programs' configuration. For every key, the report names the field that it sets, or the reason why
//! it has no counterpart.

pub(crate) mod horizontal;
pub(crate) mod horizontal_rules;
pub(crate) mod kubernetes;
pub(crate) mod reader;
pub(crate) mod stages;
mod unread;

pub(crate) use reader::Reader;

use super::policy_bundle::PolicyBundle;
use super::routesim::RouteSim;
use super::{Family, Import};
use crate::base::diag::has_errors;
use crate::base::pointer::pointer;
use crate::base::{Diagnostic, Diagnostics};
use crate::scenario::limits;
use kubernetes::Patch;
use reader::flat;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The result of one key.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mapping {
    /// Its path in the source.
    pub key: String,
    /// Its value in the source.
    pub found: String,
    /// The field that it sets, or why there is none.
    pub becomes: String,
    /// Whether there is such a field.
    pub has_counterpart: bool,
}

impl Mapping {
    /// One line for the user.
    pub fn line(&self) -> String {
        format!("{}: {} → {}", self.key, self.found, self.becomes)
    }
}

/// The result of a source: its keys one by one, and its problems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The result of each key.
    pub mappings: Vec<Mapping>,
    /// Errors, and warnings about keys that were left out or have an unexpected meaning.
    pub problems: Diagnostics,
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

/// A scenario after the policies of another program were adopted.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AdoptedPolicies {
    /// The scenario with them, JSON text; empty if there is a problem.
    pub scenario: String,
    /// The result of each key.
    pub mappings: Vec<Mapping>,
    /// Warnings about keys that were left out or have an unexpected meaning.
    pub warnings: Vec<Diagnostic>,
    /// Errors; if there are any, nothing is adopted.
    pub problems: Vec<Diagnostic>,
}

impl AdoptedPolicies {
    /// Adopts policies into a scenario that is JSON text, as [`adopt_policies`] does.
    pub fn of(scenario: &str, documents: Vec<Value>, read_text: ReadText<'_>) -> Self {
        let mut document: Value = serde_json::from_str(scenario).unwrap_or_default();
        match adopt_policies(documents, read_text, &mut document) {
            Ok(Report { mappings, problems: warnings }) => {
                Self { scenario: document.to_string(), mappings, warnings, problems: Vec::new() }
            }
            Err(problems) => Self { problems, ..Self::default() },
        }
    }
}

/// Reads YAML that is embedded as text in a document; `None` if it is invalid. The caller supplies the reader: the
/// page has its own.
pub type ReadText<'a> = &'a dyn Fn(&str) -> Option<Value>;

/// Names of the accepted files of policies.
pub const POLICIES: &str = "a policy bundle (admission, priority, routing, scheduler, autoscale), an EndpointPickerConfig, or autoscalers of Kubernetes";

/// Puts the policies of documents into a scenario document, all or nothing, and reports the result of each key. The
/// documents are one bundle, or objects of Kubernetes, also as a `List`. Empty documents next to others are ignored.
pub fn adopt_policies(
    documents: Vec<Value>,
    read_text: ReadText<'_>,
    scenario: &mut Value,
) -> Result<Report, Diagnostics> {
    let objects = objects_of(documents)?;
    match objects.as_slice() {
        [bundle] if !kubernetes::is_object(bundle) => {
            unread::document(bundle).map_or(Ok(()), |d| Err(vec![d]))?;
            adopt_bundle(bundle, scenario)
        }
        objects => kubernetes::apply(objects, read_text, scenario),
    }
}

/// A scenario document from a RouteSim configuration.
pub fn convert_routesim(config: &Value) -> Result<(Value, Report), Diagnostics> {
    let mut report = Report::default();
    let settings = RouteSim.read(config, &mut report);
    report.sound().map(|report| (settings.scenario, report))
}

/// Puts the policies of a bundle into a scenario document. Pools all get the same scheduler and priority.
fn adopt_bundle(bundle: &Value, scenario: &mut Value) -> Result<Report, Diagnostics> {
    let mut report = Report::default();
    // A bundle that is not a section is reported as it is.
    let bundle = if bundle.is_object() { flat(bundle, &|_| None) } else { bundle.clone() };
    let settings = PolicyBundle.read(&bundle, &mut report);
    let report = report.sound()?;
    let Some(root) = scenario.as_object_mut() else { return Ok(report) };
    let cluster = root.entry("cluster").or_insert_with(|| json!({}));
    let Some(cluster) = cluster.as_object_mut() else { return Ok(report) };
    for (field, policy) in settings.cluster {
        cluster.insert(field, policy);
    }
    // A value that is not a list, and entries that are not pools, are reported when the scenario is parsed.
    let pools = cluster.entry("pools").or_insert_with(|| json!([{}]));
    for pool in pools.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if let Some(settings) = &settings.scaling {
            let scaling = pool.entry("scaling").or_insert_with(|| json!({}));
            let Some(scaling) = scaling.as_object_mut() else { continue };
            scaling.extend(settings.clone());
        }
        let engine = pool.entry("engine").or_insert_with(|| json!({}));
        let Some(engine) = engine.as_object_mut() else { continue };
        engine.extend(settings.engine.clone());
    }
    Ok(report)
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
