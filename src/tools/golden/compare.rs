//! Comparison of two JSON values: each difference with its path.
//!
//! Whole numbers and texts must be equal, other numbers within a relative 1e-9. A key of only one side is a
//! difference; the order of keys is not.

use serde_json::Value;

/// Largest relative difference between numbers that count as equal.
const TOLERANCE: f64 = 1e-9;

/// Adds a line for every difference to `out`.
pub(super) fn compare(path: &str, expected: &Value, got: &Value, out: &mut Vec<String>) {
    match (expected, got) {
        (Value::Object(e), Value::Object(g)) => {
            for (key, want) in e {
                match g.get(key) {
                    Some(have) => compare(&format!("{path}.{key}"), want, have, out),
                    None => out.push(format!("{path}.{key}: expected {want}, got nothing")),
                }
            }
            for (key, have) in g.iter().filter(|(key, _)| !e.contains_key(*key)) {
                out.push(format!("{path}.{key}: expected nothing, got {have}"));
            }
        }
        (Value::Array(e), Value::Array(g)) => {
            if e.len() != g.len() {
                out.push(format!("{path}: expected {} entries, got {}", e.len(), g.len()));
            }
            for (i, (want, have)) in e.iter().zip(g).enumerate() {
                compare(&format!("{path}[{i}]"), want, have, out);
            }
        }
        (Value::Number(e), Value::Number(g)) if !numbers_agree(e, g) => {
            out.push(format!("{path}: expected {e}, got {g}"));
        }
        (Value::Number(_), Value::Number(_)) => {}
        (e, g) if e != g => out.push(format!("{path}: expected {e}, got {g}")),
        _ => {}
    }
}

fn numbers_agree(e: &serde_json::Number, g: &serde_json::Number) -> bool {
    if (e.is_u64() || e.is_i64()) && (g.is_u64() || g.is_i64()) {
        return e == g;
    }
    let (Some(e), Some(g)) = (e.as_f64(), g.as_f64()) else { return false };
    (e - g).abs() <= TOLERANCE * e.abs().max(g.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lines(expected: &Value, got: &Value) -> Vec<String> {
        let mut out = Vec::new();
        compare("x", expected, got, &mut out);
        out
    }

    #[test]
    fn equal_values_have_no_differences() {
        let v = json!({"a": [1, 2.5, "t", null, true], "b": {}});
        assert!(lines(&v, &v).is_empty());
        assert!(lines(&json!(2), &json!(2.0)).is_empty());
        assert!(lines(&json!(0.1), &json!(0.1 + 1e-12)).is_empty());
        assert!(lines(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})).is_empty());
    }

    #[test]
    fn every_difference_has_a_line_with_its_path() {
        assert_eq!(
            lines(
                &json!({"a": [1, 2, 3], "b": 0.5, "c": null, "d": "t"}),
                &json!({"a": [1, 7], "b": 0.5001, "d": 1, "e": 0})
            ),
            [
                "x.a: expected 3 entries, got 2",
                "x.a[1]: expected 2, got 7",
                "x.b: expected 0.5, got 0.5001",
                "x.c: expected null, got nothing",
                "x.d: expected \"t\", got 1",
                "x.e: expected nothing, got 0",
            ]
        );
        assert_eq!(lines(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)).len(), 1);
    }
}
