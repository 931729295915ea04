//! One row of a trace as a format's reader gives it, and what may be wrong with a line.

use super::sessions::Link;
use super::wait::Wait;
use base::Diagnostic;
use std::borrow::Cow;

/// One row as read by a format's reader.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row<'a> {
    /// Arrival in microseconds since any fixed instant.
    pub(super) arrival_us: i64,
    pub(super) prompt_tokens: f64,
    pub(super) output_tokens: f64,
    pub(super) hash_ids: Vec<u64>,
    /// Digest of the name of the prefix, and its length.
    pub(super) prefix: Option<(u64, f64)>,
    pub(super) session: Option<Link>,
    /// Its model; empty for any.
    pub(super) model: Cow<'a, str>,
    /// Its adapter; empty for the base model.
    pub(super) adapter: Cow<'a, str>,
    /// Its tenant; empty for none.
    pub(super) tenant: Cow<'a, str>,
    /// Its SLO class by name; empty for none.
    pub(super) class: Cow<'a, str>,
    pub(super) priority: Option<f64>,
    /// Its own id in the file; empty for none.
    pub(super) id: Cow<'a, str>,
    /// What it waits for, if it does.
    pub(super) wait: Option<Wait>,
}

/// The problem of a line: found, allowed, how to fix it.
pub(super) struct Bad {
    pub(super) found: String,
    pub(super) allowed: &'static str,
    pub(super) fix: &'static str,
    /// Whether it concerns the whole file, which is then not read further.
    pub(super) of_the_file: bool,
    /// Whether the line ends too early.
    pub(super) is_cut: bool,
}

impl Bad {
    pub(super) fn new(found: impl Into<String>, allowed: &'static str, fix: &'static str) -> Self {
        Self { found: found.into(), allowed, fix, of_the_file: false, is_cut: false }
    }

    pub(super) fn at_line(self, line: u64) -> Diagnostic {
        Diagnostic::error(format!("line {line}"), self.found, self.allowed, self.fix)
    }
}
