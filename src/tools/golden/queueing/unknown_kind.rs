//! A kind of case that a format does not have.

use super::reader::Reader;
use base::Diagnostic;

/// The kind of a case is unknown.
pub(super) struct UnknownKind;

/// An unknown kind of case.
pub(super) fn unknown_kind(case: &Reader<'_>, found: &str, known: &[&str]) {
    case.refuse(Diagnostic::error(
        format!("{}.kind", case.path()),
        format!("{found:?}"),
        known.join(", "),
        "write one of these",
    ));
}
