//! Compares what a file expects with what was computed, figure by figure.

use super::Lines;
use super::reader::Reader;
use serde_json::{Map, Value};

/// How far apart two numbers may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    /// As a share of the larger.
    pub(super) relative: f64,
    /// In the number's own unit: of a difference of large numbers no share can be asked.
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

/// What was computed, under the names of the file.
pub(super) type Figures = Map<String, Value>;

/// A number, or null for none.
pub(super) fn number(x: Option<f64>) -> Value {
    x.and_then(serde_json::Number::from_f64).map_or(Value::Null, Value::Number)
}

/// An object of numbers.
pub(super) fn numbers<const N: usize>(all: [(&str, f64); N]) -> Figures {
    all.into_iter().map(|(name, x)| (name.to_owned(), number(Some(x)))).collect()
}

/// Compares every figure that the file expects; `tolerance` says how far apart one may be, by its name.
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
