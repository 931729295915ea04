//! Compares expected with computed results, figure by figure.

use super::lines::Lines;
use super::reader::Reader;
use serde_json::{Map, Value};

/// Tolerance between two numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    /// A share of the larger number.
    pub(super) relative: f64,
    /// In the number's unit: a relative tolerance does not suit a difference of large numbers.
    pub(super) absolute: f64,
}

impl Tolerance {
    /// A share.
    pub(super) fn relative(relative: f64) -> Self {
        Self { relative, absolute: 0.0 }
    }

    /// Whether two numbers agree.
    pub(super) fn agrees(self, expected: f64, got: f64) -> bool {
        let apart = (expected - got).abs();
        apart <= self.relative * expected.abs().max(got.abs()) || apart <= self.absolute
    }
}

/// The computed results, under the names of the file.
pub(super) type Figures = Map<String, Value>;

/// A number, or null if missing.
pub(super) fn number(x: Option<f64>) -> Value {
    x.and_then(serde_json::Number::from_f64).map_or(Value::Null, Value::Number)
}

/// An object of numbers.
pub(super) fn numbers<const N: usize>(all: [(&str, f64); N]) -> Figures {
    all.into_iter().map(|(name, x)| (name.to_owned(), number(Some(x)))).collect()
}

/// Compares every figure that the file expects, each with the `tolerance` of its name.
pub(super) fn compare(
    expected: &Reader<'_>,
    got: &Figures,
    tolerance: &dyn Fn(&str) -> Tolerance,
    lines: &mut Lines<'_>,
) {
    for (name, want) in expected.fields() {
        match got.get(name) {
            None => lines.add(want.path(), "this program has no such figure"),
            Some(have) => value(&want, have, tolerance(name), lines),
        }
    }
}

/// Compares one figure, or a list of them.
pub(super) fn value(want: &Reader<'_>, have: &Value, tolerance: Tolerance, lines: &mut Lines<'_>) {
    match (want.value(), have) {
        (Value::Number(a), Value::Number(b)) => {
            let agree = match (a.as_f64(), b.as_f64()) {
                (Some(a), Some(b)) => tolerance.agrees(a, b),
                _ => false,
            };
            if !agree {
                lines.add(want.path(), &format!("expected {a}, got {b}"));
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            if a.len() != b.len() {
                lines.add(want.path(), &format!("expected {} entries, got {}", a.len(), b.len()));
            }
            for (entry, have) in want.entries().iter().zip(b) {
                value(entry, have, tolerance, lines);
            }
        }
        (a, b) if a == b => {}
        (a, b) => lines.add(want.path(), &format!("expected {a}, got {b}")),
    }
}
