//! Collecting problems: one message for each, always with path, what was found, what is allowed and how to fix it.

use crate::limits;
pub use base::number_text::count as grouped;
use base::{Diagnostic, Diagnostics, Severity, SortedMap, small::decimal};

/// Most problems listed for one document.
const MOST_PROBLEMS: usize = 100;

/// The problems found so far.
#[derive(Default)]
pub(crate) struct Report {
    all: Diagnostics,
}

impl Report {
    /// All problems, in document order as far as they were found in it.
    pub(crate) fn finish(mut self) -> Diagnostics {
        let more = self.all.len().saturating_sub(MOST_PROBLEMS);
        if more > 0 {
            // Errors decide whether the document can be used: none of them may be cut away by warnings.
            let (mut errors, warnings): (Diagnostics, Diagnostics) =
                self.all.drain(..).partition(|d| d.severity == Severity::Error);
            errors.extend(warnings);
            self.all = errors;
            self.all.truncate(MOST_PROBLEMS);
            self.all.push(Diagnostic::warning(
                "",
                format!("{more} more problems"),
                "",
                "solve those above first",
            ));
        }
        self.all
    }

    /// Adds an error.
    pub(crate) fn error(
        &mut self,
        path: impl Into<String>,
        found: impl Into<String>,
        allowed: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.all.push(Diagnostic::error(path, found, allowed, fix));
    }

    /// Adds a warning.
    pub(crate) fn warning(
        &mut self,
        path: impl Into<String>,
        found: impl Into<String>,
        allowed: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.all.push(Diagnostic::warning(path, found, allowed, fix));
    }

    /// Whether the value at `path` and all parts of it can be used: a check of several values computes with those alone.
    pub(crate) fn is_fine(&self, path: &str) -> bool {
        let within = |d: &Diagnostic| {
            let below = d.path.strip_prefix(path);
            d.severity == Severity::Error
                && below.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        !self.all.iter().any(within)
    }

    /// Whether all these fields of the object at `path` can be used.
    pub(crate) fn are_fine(&self, path: &str, fields: &[&str]) -> bool {
        fields.iter().all(|field| self.is_fine(&format!("{path}.{field}")))
    }

    /// Adds problems found elsewhere.
    pub(crate) fn extend(&mut self, problems: Diagnostics) {
        self.all.extend(problems);
    }

    /// A whole number from `min` to `max`.
    pub(crate) fn int<T: Copy + Into<u64>>(
        &mut self,
        path: &str,
        found: T,
        min: T,
        max: T,
        fix: &str,
    ) -> bool {
        let (found, min, max) = (found.into(), min.into(), max.into());
        let fine = (min..=max).contains(&found);
        if !fine {
            self.error(path, grouped(found), format!("{} to {}", grouped(min), grouped(max)), fix);
        }
        fine
    }

    /// A finite number from `min` to `max`.
    pub(crate) fn float(&mut self, path: &str, found: f64, min: f64, max: f64, fix: &str) -> bool {
        let fine = found.is_finite() && found >= min && found <= max;
        if !fine {
            self.error(path, decimal::plain(found), format!("{} to {}", plain(min), plain(max)), fix);
        }
        fine
    }

    /// Text that is not too long.
    pub(crate) fn text(&mut self, path: &str, text: &str) {
        if text.len() > limits::TEXT_BYTES {
            self.error(
                path,
                format!("{} bytes of text", grouped(text.len() as u64)),
                format!("at most {}", grouped(limits::TEXT_BYTES as u64)),
                "shorten it",
            );
        }
    }

    /// A name that is not empty.
    pub(crate) fn not_empty(&mut self, path: &str, name: &str) {
        if name.trim().is_empty() {
            self.error(path, "an empty name", "any text", "give it a name");
        }
    }

    /// A list that is not too long.
    pub(crate) fn count(&mut self, path: &str, found: usize, max: usize, of: &str) {
        if found > max {
            self.error(
                path,
                format!("{} {of}", grouped(found as u64)),
                format!("at most {}", grouped(max as u64)),
                "shorten the list",
            );
        }
    }

    /// Names in a list that must differ; empty ones do not count.
    pub(crate) fn distinct<'a>(&mut self, list: &str, field: &str, names: impl Iterator<Item = &'a str>) {
        let mut seen = SortedMap::default();
        for (i, name) in names.enumerate().filter(|(_, name)| !name.is_empty()) {
            if let Some(first) = seen.get(name) {
                self.error(
                    format!("{list}[{i}].{field}"),
                    format!("\"{name}\", which is the {field} of {list}[{first}] too"),
                    format!("a {field} of its own"),
                    "rename one of them",
                );
            } else {
                seen.insert(name, i);
            }
        }
    }
}

/// A limit: whole ones with commas, others as they are.
pub(crate) fn plain(x: f64) -> String {
    if (0.0..1e15).contains(&x) && libm::floor(x) >= x { grouped(x as u64) } else { decimal::plain(x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_grouped_by_thousands() {
        assert_eq!(plain(0.05), "0.05");
        assert_eq!(plain(2_592_000.0), "2,592,000");
    }
}
