//! Other programs' configuration in our terms: every key says what it becomes, or why it has no counterpart.

mod horizontal;
mod horizontal_rules;
pub(crate) mod kubernetes;
pub(crate) mod reader;
mod unread;

pub use super::routesim::convert as convert_routesim;
pub(crate) use reader::Reader;

use super::policy_bundle as bundle;
use crate::base::pointer::pointer;
use crate::base::{Diagnostic, Diagnostics};
use crate::scenario::limits;
use serde::Serialize;
use serde_json::Value;

/// What happened to one key.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mapping {
    /// Where it stands in the source.
    pub key: String,
    /// What it says there.
    pub found: String,
    /// The field that it sets here, or why there is none.
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

/// What became of a source: its keys one by one, and what is probably not meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// What each key became.
    pub mappings: Vec<Mapping>,
    /// What was left out or is not what it seems.
    pub warnings: Diagnostics,
}

/// What the policies of another program made of a scenario.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AdoptedPolicies {
    /// The scenario with them, JSON text; empty if there is a problem.
    pub scenario: String,
    /// What each key became.
    pub mappings: Vec<Mapping>,
    /// What was left out or is not what it seems.
    pub warnings: Vec<Diagnostic>,
    /// What is wrong with them: nothing is adopted then.
    pub problems: Vec<Diagnostic>,
}

impl AdoptedPolicies {
    /// Adopts policies into a scenario that is JSON text, as [`adopt_policies`] does.
    pub fn of(scenario: &str, documents: Vec<Value>, read_text: ReadText<'_>) -> Self {
        let mut document: Value = serde_json::from_str(scenario).unwrap_or_default();
        match adopt_policies(documents, read_text, &mut document) {
            Ok(Told { mappings, warnings }) => {
                Self { scenario: document.to_string(), mappings, warnings, problems: Vec::new() }
            }
            Err(problems) => Self { problems, ..Self::default() },
        }
    }
}

/// Reads YAML that stands as text within a document; `None` where it is none. Who calls brings the reader: the page has one of its own.
pub type ReadText<'a> = &'a dyn Fn(&str) -> Option<Value>;

/// What a file of policies may be.
pub const POLICIES: &str =
    "a policy bundle (admission, priority, routing, scheduler, autoscale) or autoscalers of Kubernetes";

/// Puts what documents say of policies into a scenario document, all of it or nothing, and tells what each key became: one bundle, or
/// objects of Kubernetes, also as a `List`. Documents with nothing in them count for nothing beside others.
pub fn adopt_policies(
    documents: Vec<Value>,
    read_text: ReadText<'_>,
    scenario: &mut Value,
) -> Result<Told, Diagnostics> {
    let objects = objects_of(documents)?;
    match objects.as_slice() {
        [bundle] if !kubernetes::is_object(bundle) => {
            unread::document(bundle).map_or(Ok(()), |d| Err(vec![d]))?;
            bundle::apply(bundle, scenario)
        }
        objects => kubernetes::apply(objects, read_text, scenario),
    }
}

/// The objects of documents, those of a list one by one.
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
        return Err(vec![Diagnostic::error("", "no text at all", POLICIES, "name a policy")]);
    }
    Ok(objects)
}

#[cfg(test)]
mod tests;
