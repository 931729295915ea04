//! The problem of a name that the format does not have.

use base::{Diagnostic, Diagnostics};

/// Adds the problem of an unknown name.
pub(super) fn wrong(key: &str, found: &str, allowed: &str, problems: &mut Diagnostics) {
    let fix = "write one of these; nothing else is part of the format";
    let found: String = found.chars().take(60).collect();
    problems.push(Diagnostic::error(key, format!("\"{found}\""), allowed, fix));
}
