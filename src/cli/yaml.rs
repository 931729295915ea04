//! YAML text as a tree.

use super::said::{of_text, rest_of_line};
use crate::base::noted::Noted;
use crate::base::{Diagnostic, Diagnostics};
use crate::scenario::value_said_once;
use serde_json::Value;
use serde_saphyr::options::DuplicateKeyPolicy;

/// Reads YAML text; problems of syntax name line and column, keys that are given twice their path. Null where there is
/// nothing but comments.
pub(super) fn value(text: &str) -> Result<Value, Diagnostics> {
    let mut options = serde_saphyr::Options::default();
    // Both values are wanted, to tell of every key.
    options.duplicate_keys = DuplicateKeyPolicy::LastWins;
    let read =
        serde_saphyr::with_deserializer_from_str_with_options(text, options, |source| Noted::read(source));
    value_said_once(read.map_err(|e| vec![problem(text, &e)])?)
}

fn problem(text: &str, error: &serde_saphyr::Error) -> Diagnostic {
    let place =
        error.location().map_or_else(String::new, |l| format!("line {}, column {}", l.line(), l.column()));
    let message = error.without_snippet().to_string();
    // The place is told already, and what the library's options are is nothing to its user's user.
    let first = message.lines().next().unwrap_or_default();
    let reason = first.split(" at line ").next().unwrap_or_default();
    let said = |start: &str| reason.starts_with(start);
    if said("non-finite float") {
        let found = "a number that is not finite";
        return Diagnostic::error(place, found, "finite numbers up to 1.8e308", "write a plain number");
    }
    if said("budget breached: Depth") || said("recursion limit") {
        let fix = "no field lies that deep: check the indentation";
        return Diagnostic::error(place, "values within values, too deep to read", "a few levels", fix);
    }
    if said("budget breached") || said("alias") {
        let fix = "write it out, or leave the anchors away";
        return Diagnostic::error(place, "more than a document of this size may unfold to", "less", fix);
    }
    if said("multiple YAML documents") {
        let fix = "keep what stands before the line ---";
        return Diagnostic::error(place, "a second document", "one document in a file", fix);
    }
    let near = error
        .location()
        .map_or_else(String::new, |l| rest_of_line(text, l.line() as usize, l.column() as usize));
    let found = of_text(reason, "YAML", &near);
    Diagnostic::error(place, found, "a YAML document", "correct the text there")
}
