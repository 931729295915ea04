//! Differences between two JSON documents, by path: integers and strings exact, floats within 1e-9 relative.

use serde_json::Value;

/// Every place where `got` is not what was wanted.
pub(crate) fn differences(want: &Value, got: &Value) -> Vec<String> {
    let mut all = Vec::new();
    walk(want, got, "", &mut all);
    all
}

fn walk(want: &Value, got: &Value, path: &str, all: &mut Vec<String>) {
    match (want, got) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                match b.get(key) {
                    Some(other) => walk(value, other, &format!("{path}.{key}"), all),
                    None => all.push(format!("{path}.{key}: missing, expected {value}")),
                }
            }
            for key in b.keys().filter(|&k| !a.contains_key(k)) {
                all.push(format!("{path}.{key}: not expected, found {}", b[key]));
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            if a.len() != b.len() {
                all.push(format!("{path}: {} entries expected, found {}", a.len(), b.len()));
            }
            for (i, (x, y)) in a.iter().zip(b).enumerate() {
                walk(x, y, &format!("{path}[{i}]"), all);
            }
        }
        (Value::Number(_), Value::Number(_)) if !same_number(want, got) => {
            all.push(format!("{path}: {want} expected, found {got}"));
        }
        (Value::Number(_), Value::Number(_)) => {}
        (a, b) if a != b => all.push(format!("{path}: {a} expected, found {b}")),
        _ => {}
    }
}

fn same_number(a: &Value, b: &Value) -> bool {
    if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64()) {
        return a == b;
    }
    let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}
