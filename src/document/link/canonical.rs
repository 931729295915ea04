//! Scenarios as trees in which equal numbers are equal.

use crate::{Scenario, Write, in_order};
use serde_json::{Map, Value};

/// A scenario as a tree in which equal numbers are equal. Values of edits are unchanged except for the order of their
/// keys: their meaning depends on the field.
pub(super) fn canonical(scenario: &Scenario) -> Value {
    let Value::Object(mut tree) = in_order(scenario.clone()).write() else { return Value::Null };
    let edits = tree.shift_remove("edits");
    let mut tree: Map<String, Value> = tree.into_iter().map(|(key, value)| (key, plain(value))).collect();
    tree.extend(edits.map(|edits| ("edits".to_owned(), edits)));
    Value::Object(tree)
}

/// Whole numbers without a fraction, everywhere in a value.
pub(super) fn plain(value: Value) -> Value {
    match value {
        Value::Number(n) => match n.as_f64() {
            Some(x) if n.is_f64() && (0.0..9e15).contains(&x) && libm::floor(x) >= x => Value::from(x as u64),
            _ => Value::Number(n),
        },
        Value::Array(list) => list.into_iter().map(plain).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, plain(value))).collect(),
        other => other,
    }
}
