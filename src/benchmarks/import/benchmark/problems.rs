//! The problems of a benchmark's file, limited to a readable number.

use base::{Diagnostic, Diagnostics, diag};
use document::limits;

/// Most requests of a file.
pub(crate) const MOST_REQUESTS: usize = limits::EXPLICIT_REQUESTS;
/// Most gaps between tokens that are kept of a file.
pub(crate) const MOST_GAPS: usize = 4_000_000;
/// Most messages about one file.
const MOST_PROBLEMS: usize = 20;

/// The problems of one file, limited to a readable number.
#[derive(Default)]
pub struct Problems {
    all: Diagnostics,
    more: u32,
}

impl Problems {
    pub(crate) fn push(&mut self, problem: Diagnostic) {
        if self.all.len() < MOST_PROBLEMS {
            self.all.push(problem);
        } else {
            self.more += 1;
        }
    }

    /// Warnings, or all problems if one of them is an error.
    pub fn finish(mut self) -> Result<Diagnostics, Diagnostics> {
        if self.more > 0 {
            let found = format!("{} more problems", self.more);
            self.all.push(Diagnostic::warning("", found, "none", "correct those above first"));
        }
        if diag::has_errors(&self.all) { Err(self.all) } else { Ok(self.all) }
    }

    /// Reports a list whose length differs from another's.
    pub(crate) fn length(&mut self, path: &str, found: usize, other: &str, wanted: usize) {
        let allowed = format!("{wanted} entries, as {other} has");
        let fix = "give the file as the tool wrote it";
        self.push(Diagnostic::error(path, format!("{found} entries"), allowed, fix));
    }

    /// Reports more requests than are read.
    pub(crate) fn too_many(&mut self, path: &str, found: usize) {
        let allowed = format!("at most {MOST_REQUESTS}");
        let fix = "give a shorter run, or its summary";
        self.push(Diagnostic::error(path, format!("{found} requests"), allowed, fix));
    }

    /// Reports that a mandatory part of a format is missing.
    pub(crate) fn missing(&mut self, path: &str, allowed: &str) {
        let fix = "give the file as the tool wrote it";
        self.push(Diagnostic::error(path, "nothing", allowed, fix));
    }
}
