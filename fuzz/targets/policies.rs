//! Policies of other programs as the page hands them over: one document of JSON, or a list of them. All of it or nothing is taken, and no
//! key is dropped without a word.

use serde_json::Value;
use tokenyard::base::Severity;
use tokenyard::config::import::configuration::{Report, adopt_policies};

pub(crate) fn policies(data: &[u8]) {
    let Ok(tree) = serde_json::from_slice::<Value>(data) else { return };
    let documents = match tree {
        Value::Array(documents) => documents,
        document => vec![document],
    };
    let mut scenario = serde_json::json!({});
    match adopt_policies(documents.clone(), &|_| None, &mut scenario) {
        Ok(told) => {
            // Of several objects, as in a list, each has the number of its object before its paths.
            if let [document] = &documents[..]
                && document.get("items").is_none()
            {
                all_told(document, "", &told);
            }
        }
        Err(problems) => {
            let errors = || problems.iter().filter(|d| d.severity == Severity::Error);
            assert!(errors().next().is_some(), "refused without an error: {problems:?}");
            assert!(errors().all(|d| !d.found.is_empty() && !d.fix.is_empty()), "no remedy in {problems:?}");
            assert_eq!(scenario, serde_json::json!({}), "a part was taken of what was refused");
        }
    }
}

/// Each value with a meaning has a note or a warning, its own or that of the object around it.
fn all_told(value: &Value, path: &str, told: &Report) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Null => {}
        Value::Object(map) => map.iter().for_each(|(key, inner)| all_told(inner, &below(key), told)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, inner)| all_told(inner, &below(&i.to_string()), told));
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let about = |d: &str| path == d || path.starts_with(&format!("{d}."));
            let said = told.mappings.iter().any(|m| about(&m.key))
                || told.problems.iter().any(|d| about(&d.path) || d.path == "kind");
            assert!(said, "{path} is dropped without a word: {told:?}");
        }
    }
}
