//! Every range that the schema states is enforced: one number beyond it, in an otherwise good scenario, is refused.

use crate::support::schema::resolved;
use serde_json::{Map, Value, json};
use tokenyard::base::diag::has_errors;
use tokenyard::session::Session;

/// Types within themselves are walked into this often.
const MOST_LEVELS: usize = 24;

/// A value and the document around it.
type Wrap<'a> = &'a dyn Fn(Value) -> Value;

struct Walker {
    schema: Value,
    checked: u32,
    accepted: Vec<String>,
}

impl Walker {
    /// Some value that is allowed.
    fn allowed(&self, part: &Value) -> Value {
        let part = resolved(&self.schema, part);
        if let Some(default) = part.get("default").or(part.get("const")).or(part["enum"].get(0)) {
            return default.clone();
        }
        if let Some(first) = part["oneOf"].get(0) {
            return self.allowed(first);
        }
        match part["type"].as_str() {
            Some("object") => Value::Object(self.required(&part)),
            Some("array") => json!([]),
            Some("string") => json!("x"),
            Some("boolean") => json!(false),
            _ => part.get("minimum").filter(|least| least.as_f64() > Some(0.0)).cloned().unwrap_or(json!(1)),
        }
    }

    fn required(&self, object: &Value) -> Map<String, Value> {
        let names = object["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        names.map(|name| (name.to_owned(), self.allowed(&object["properties"][name]))).collect()
    }

    fn walk(&mut self, part: &Value, path: &str, wrap: Wrap<'_>, levels: usize) {
        if levels == 0 {
            return;
        }
        let part = resolved(&self.schema, part);
        for choice in part["oneOf"].as_array().or(part["anyOf"].as_array()).into_iter().flatten() {
            self.walk(choice, path, wrap, levels - 1);
        }
        for (key, field) in part["properties"].as_object().into_iter().flatten() {
            let others = self.required(&part);
            let within = |value: Value| {
                let mut object = others.clone();
                object.insert(key.clone(), value);
                wrap(Value::Object(object))
            };
            self.walk(field, &format!("{path}.{key}"), &within, levels - 1);
        }
        if part["items"].is_object() {
            let within = |value: Value| wrap(Value::Array(vec![value]));
            self.walk(&part["items"], &format!("{path}[]"), &within, levels - 1);
        }
        self.look_beyond(&part, path, wrap);
    }

    fn look_beyond(&mut self, part: &Value, path: &str, wrap: Wrap<'_>) {
        let whole = part["type"] == "integer";
        let above = part["maximum"].as_f64().map(|most| if whole { most + 1.0 } else { most * 1.01 });
        let below =
            part["minimum"].as_f64().map(|least| if whole { least - 1.0 } else { least * 0.99 - 1e-9 });
        for beyond in [above, below].into_iter().flatten() {
            let value = if whole { json!(beyond as i64) } else { json!(beyond) };
            self.checked += 1;
            if !has_errors(&Session::check(&wrap(value.clone()).to_string())) {
                self.accepted.push(format!("{path} = {value}"));
            }
        }
    }
}

#[test]
fn no_number_beyond_the_range_that_the_schema_states_is_accepted() {
    let text = include_str!("../../../www/src/generated/schema.json");
    let schema: Value = serde_json::from_str(text).expect("the schema is JSON");
    let mut walker = Walker { schema: schema.clone(), checked: 0, accepted: Vec::new() };
    walker.walk(&schema, "", &|document| document, MOST_LEVELS);
    assert!(walker.checked > 300, "only {} ranges found", walker.checked);
    // The version that builds before the first release wrote is read, with a warning.
    assert_eq!(walker.accepted, [".tokenyard = 2"]);
}
