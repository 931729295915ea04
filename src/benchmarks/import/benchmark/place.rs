//! Typed access to the numbers and texts of a JSON document; problems are reported with their path.

use super::{Benchmark, Problems};
use base::Diagnostic;
use serde_json::Value;

/// A place in a document, with its path.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    value: &'a Value,
    before: &'a str,
}

impl<'a> Place<'a> {
    pub(crate) fn new(value: &'a Value, before: &'a str) -> Self {
        Self { value, before }
    }

    /// The path of a place below.
    pub(crate) fn way(&self, path: &str) -> String {
        if self.before.is_empty() { path.to_owned() } else { format!("{}.{path}", self.before) }
    }

    /// The value at a path such as `latency.mean`,if it is neither null nor an empty text, which tools write for a
    /// missing number.
    pub(crate) fn at(&self, path: &str) -> Option<&'a Value> {
        let found = path.split('.').try_fold(self.value, |value, key| value.get(key))?;
        (!found.is_null() && found.as_str() != Some("")).then_some(found)
    }

    /// The number at a path as it stands there, if it is one.
    pub(crate) fn instant(&self, path: &str) -> Option<&'a Value> {
        self.at(path).filter(|v| v.is_number())
    }

    /// Whether the number at a path is infinite, which means no limit.
    pub(crate) fn is_infinite(&self, path: &str) -> bool {
        not_finite(self.text(path)) == Some(f64::INFINITY)
    }

    pub(crate) fn text(&self, path: &str) -> &'a str {
        self.at(path).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn list(&self, path: &str) -> Option<&'a [Value]> {
        self.at(path).and_then(Value::as_array).map(Vec::as_slice)
    }

    /// A finite number that is not negative. A number that is not finite counts as missing; any other value is a
    /// problem.
    pub(crate) fn number(&self, path: &str, problems: &mut Problems) -> Option<f64> {
        let value = self.at(path).filter(|v| v.as_str().and_then(not_finite).is_none())?;
        let number = value.as_f64().filter(|n| n.is_finite() && *n >= 0.0);
        if number.is_none() {
            let found: String = value.to_string().chars().take(40).collect();
            let fix = "give the file as the tool wrote it";
            problems.push(Diagnostic::error(self.way(path), found, "a number of 0 or more", fix));
        }
        number
    }

    /// A whole number of things.
    pub(crate) fn count(&self, path: &str, problems: &mut Problems) -> Option<u32> {
        self.number(path, problems).filter(|n| *n <= 1e9).map(|n| n.round() as u32)
    }

    /// Statistics of a metric at a path, times `scale`: as (name in the file, our name). Of two names of one statistic the
    /// first counts.
    pub(crate) fn statistics(
        &self,
        path: &str,
        (metric, scale): (&'static str, f64),
        names: &[(&str, &'static str)],
        (into, problems): (&mut Benchmark, &mut Problems),
    ) {
        for (name, stat) in names {
            let known = into.figures.iter().any(|f| f.metric == metric && f.stat == *stat);
            if let Some(value) = self.number(&format!("{path}{name}"), problems).filter(|_| !known) {
                into.put(metric, stat, value * scale);
            }
        }
    }
}

/// A number that is not finite, as tools write it into a text.
fn not_finite(text: &str) -> Option<f64> {
    let letters = text.trim_start_matches(['+', '-']);
    let number =
        if letters.starts_with(|c: char| c.is_ascii_digit()) { None } else { text.parse::<f64>().ok() };
    number.filter(|x| !x.is_finite())
}

/// Whether a text means a number that is not finite, or no number.
pub(crate) fn is_not_finite(text: &str) -> bool {
    text.is_empty() || not_finite(text).is_some()
}

/// Microseconds of seconds.
pub(crate) fn us(seconds: f64) -> u64 {
    (seconds * 1e6).round().clamp(0.0, 1e15) as u64
}
