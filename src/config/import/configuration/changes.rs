//! The fields that an import changes in a scenario.

use crate::import::configuration::merge::shown;
use serde::Serialize;
use serde_json::Value;

/// A field with its value before and after.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldChange {
    /// The field, as a path of the scenario.
    pub field: String,
    /// Its value before; empty if it was absent.
    pub before: String,
    /// Its value after; empty if it is absent.
    pub after: String,
}

/// The fields in which two documents differ. A choice that changes its name is one field.
pub(crate) fn changes(before: &Value, after: &Value) -> Vec<FieldChange> {
    let mut all = Vec::new();
    compare(Some(before), Some(after), "", &mut all);
    all
}

fn compare(before: Option<&Value>, after: Option<&Value>, path: &str, all: &mut Vec<FieldChange>) {
    match (before, after) {
        (Some(Value::Object(a)), Some(Value::Object(b))) if !is_other_choice(a, b) => {
            let keys = b.keys().chain(a.keys().filter(|key| !b.contains_key(*key)));
            for key in keys {
                let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                compare(a.get(key), b.get(key), &inner, all);
            }
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) if a.iter().chain(b).any(Value::is_object) => {
            for i in 0..a.len().max(b.len()) {
                compare(a.get(i), b.get(i), &format!("{path}[{i}]"), all);
            }
        }
        (a, b) if a == b => {}
        (a, b) => {
            let text = |value: Option<&Value>| value.map(shown).unwrap_or_default();
            all.push(FieldChange { field: path.to_owned(), before: text(a), after: text(b) });
        }
    }
}

/// Whether two objects are choices of different names.
fn is_other_choice(a: &serde_json::Map<String, Value>, b: &serde_json::Map<String, Value>) -> bool {
    a.len() == 1 && b.len() == 1 && a.keys().next() != b.keys().next()
}
