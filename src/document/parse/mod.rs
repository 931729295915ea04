//! Parses JSON text to a scenario and reports every problem at once: migrate, normalise, read, check.

mod left_open;
mod migrate;
mod named_weights;
mod path;
mod steps;
#[cfg(test)]
mod tests;
mod text;

pub use named_weights::named_weights;
pub(super) use path::{let_scorers_decide, place_value, profile_beside, value_at};
pub use path::{replay_trace, set_field, set_path};
pub use text::{text_from_bytes, value_from_json, value_from_long_json, value_said_once};

use crate::{At, Change, Problems, Read, Scenario, Write, check};
use base::{Diagnostics, Severity, json};
use serde_json::Value;

/// Reads a scenario from JSON text.
pub fn parse(text: &str) -> Result<Scenario, Diagnostics> {
    from_value(value_from_json(text)?)
}

/// Reads a scenario from a JSON value (which may have come from YAML).
pub fn from_value(value: Value) -> Result<Scenario, Diagnostics> {
    let Document { scenario, mut of_shape, of_meaning } = document(value);
    of_shape.extend(of_meaning);
    scenario.filter(|_| of_shape.is_empty()).ok_or(of_shape)
}

/// Reads the valid parts of a scenario; the others are left out and reported.
pub(super) fn from_value_in_part(value: Value) -> (Option<Scenario>, Diagnostics) {
    let Document { scenario, of_shape, .. } = document(value);
    (scenario, of_shape)
}

/// The result of reading a document.
#[derive(Default)]
struct Document {
    /// The part that could be read.
    scenario: Option<Scenario>,
    /// Values that do not have the shape of a scenario's.
    of_shape: Diagnostics,
    /// Other problems, if a value has the wrong shape. A document that can be read is checked later.
    of_meaning: Diagnostics,
}

/// Parses every document, stage by stage.
fn document(mut value: Value) -> Document {
    if let Err(of_shape) = migrate::bring_up_to_date(&mut value) {
        return Document { of_shape, ..Document::default() };
    }
    let mut of_shape = normalise(&mut value);
    let mut problems = Problems::of("a scenario");
    let read = Scenario::read(&value, &At::ROOT, &mut problems);
    let scenario = read.filter(|_| !problems.are_too_many());
    let of_meaning = check_rest(scenario.as_ref(), &problems);
    of_shape.extend(problems.finish());
    Document { scenario, of_shape, of_meaning }
}

/// Writes out values that the document has in a short form, and those that it leaves out and another part of it decides.
/// A short form that cannot be read is reported and taken out.
fn normalise(value: &mut Value) -> Diagnostics {
    let problems = named_weights::normalise(value);
    left_open::normalise(value);
    problems
}

/// Errors of meaning in the rest of a document after values of the wrong shape were left out. These are not checked; if
/// entries moved up, paths would mislead.
fn check_rest(rest: Option<&Scenario>, of_shape: &Problems) -> Diagnostics {
    let Some(rest) = rest.filter(|_| !of_shape.is_empty() && !of_shape.moved_entries()) else {
        return Diagnostics::new();
    };
    let problems = check(rest.clone()).err().unwrap_or_default();
    problems.into_iter().filter(|d| d.severity == Severity::Error && !of_shape.left_out(&d.path)).collect()
}

/// Reads an edit's change of a scenario from JSON text.
pub fn parse_change(text: &str) -> Result<Change, Diagnostics> {
    data_from_value(&value_from_json(text)?, "an edit")
}

/// Reads data of another kind than a scenario, with every problem of shape reported at once; `what` is what the whole
/// should be, such as "a lesson".
pub fn data_from_value<T: Read>(value: &Value, what: &str) -> Result<T, Diagnostics> {
    let mut problems = Problems::of(what);
    let read = T::read(value, &At::ROOT, &mut problems);
    let problems = problems.finish();
    read.filter(|_| problems.is_empty()).ok_or(problems)
}

/// The scenario as pretty JSON, every field written out.
pub fn to_json(scenario: &Scenario) -> String {
    let mut text = json::indented(&scenario.write());
    text.push('\n');
    text
}
