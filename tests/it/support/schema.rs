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
