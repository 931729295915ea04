//! Reading the JSON Schema of scenarios.

use serde_json::Value;

/// The type that a reference stands for, with what is said beside the reference.
pub(crate) fn resolved(schema: &Value, part: &Value) -> Value {
    let Some(name) = part["$ref"].as_str() else { return part.clone() };
    let mut whole = resolved(schema, &schema["$defs"][name.trim_start_matches("#/$defs/")]);
    for (key, value) in part.as_object().into_iter().flatten().filter(|(key, _)| *key != "$ref") {
        whole[key] = value.clone();
    }
    whole
}

/// The pointers of all numbers below `at`, in order.
pub(crate) fn numbers(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Number(_) => out.push(at.to_owned()),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, below)| numbers(below, &format!("{at}/{i}"), out));
        }
        Value::Object(map) => map.iter().for_each(|(key, below)| numbers(below, &format!("{at}/{key}"), out)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
