//! Messages to users about their input: path, what was found, what is allowed, how to fix it.

use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// Severity.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The input cannot be used as it is.
    Error,
    /// The input can be used, but part of it is probably a mistake.
    Warning,
}

/// One problem with the user's input.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Path of the field, such as `cluster.pools[0].replicas`, or `line 17` of a trace. Empty for the whole.
    pub path: String,
    /// What was found.
    pub found: String,
    /// What is allowed there.
    pub allowed: String,
    /// How to fix it.
    pub fix: String,
}

/// All problems of one input.
pub type Diagnostics = Vec<Diagnostic>;

impl Diagnostic {
    /// An error.
    pub fn error(
        path: impl Into<String>,
        found: impl Into<String>,
        allowed: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Error,
            path: path.into(),
            found: found.into(),
            allowed: allowed.into(),
            fix: fix.into(),
        }
    }

    /// A warning.
    pub fn warning(
        path: impl Into<String>,
        found: impl Into<String>,
        allowed: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(path, found, allowed, fix) }
    }
}

/// Most characters of a path in a message, and of the value found there.
const PATH: usize = 160;
const FOUND: usize = 300;

/// Shortens a text to at most `most` characters: the beginning and the end of a longer text are kept.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= most {
        return Cow::Borrowed(text);
    }
    let end = most / 4;
    let start: String = text.chars().take(most - end - 1).collect();
    let rest: String = text.chars().skip(count - end).collect();
    Cow::Owned(format!("{start}…{rest}"))
}

/// Whether any of them is an error.
pub fn has_errors(all: &[Diagnostic]) -> bool {
    all.iter().any(|d| d.severity == Severity::Error)
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{kind}: ")?;
        if !self.path.is_empty() {
            write!(f, "{}: ", cut(&self.path, PATH))?;
        }
        f.write_str(&cut(&self.found, FOUND))?;
        if !self.allowed.is_empty() {
            write!(f, "; allowed: {}", self.allowed)?;
        }
        if !self.fix.is_empty() {
            write!(f, "; {}", self.fix)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_for_a_message_shows_its_beginning_and_its_end() {
        let long: String = (0..100_000).map(|i| char::from(b'a' + (i % 26) as u8)).collect();
        let text = Diagnostic::error(&long, format!("{long}€"), "less", "shorten it").to_string();
        assert!(text.chars().count() < PATH + FOUND + 60, "{text}");
        assert!(text.contains("error: abcdef") && text.contains("€; allowed: less; shorten it"), "{text}");
        assert_eq!(cut("€€€€", 4), "€€€€");
        assert_eq!(cut("abcdefghij", 5), "abc…j");
    }

    #[test]
    fn a_message_says_where_what_and_how() {
        let d = Diagnostic::error("run.horizon_s", "-1", "0 to 2,592,000", "use 0 for no horizon");
        assert_eq!(d.to_string(), "error: run.horizon_s: -1; allowed: 0 to 2,592,000; use 0 for no horizon");
    }
}
