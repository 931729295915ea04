//! Parses JSON text to a scenario and reports every problem at once: migrate, normalise, read, explain, check.
//!
//! serde stops at the first problem. So each problem is recorded, its value is removed (the default replaces it) and
//! the document is read again, until it can be read or there are too many problems to list.

mod left_open;
mod migrate;
mod named_weights;
mod path;
mod shape;
mod text;

pub use named_weights::named_weights;
pub(super) use path::{let_scorers_decide, place_value, profile_beside};
pub use path::{replay_trace, set_field, set_path};
pub use shape::nearest;
pub use text::{text_from_bytes, value_from_json, value_from_long_json, value_said_once};

use super::{Change, Scenario, check};
use base::{Diagnostic, Diagnostics, Severity, json};
use serde::de::DeserializeOwned;
use serde_json::Value;
use shape::{Problem, Shape};

/// Most problems listed for one document.
const MOST_PROBLEMS: usize = 100;

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
    let found = read::<Scenario>(value);
    of_shape.extend(explain(&found, "a scenario"));
    let of_meaning = check_rest(&found);
    Document { scenario: found.data, of_shape, of_meaning }
}

/// Writes out values that the document has in a short form, and those that it leaves out and another part of it decides.
/// A short form that cannot be read is reported and taken out.
fn normalise(value: &mut Value) -> Diagnostics {
    let problems = named_weights::normalise(value);
    left_open::normalise(value);
    problems
}

/// The result of reading a tree.
struct Found<T> {
    /// The data without the values of the wrong shape; `None` if nothing can be read.
    data: Option<T>,
    problems: Vec<Problem>,
    shape: Shape,
    /// Whether there are more problems than are listed.
    cut_off: bool,
}

/// Reads the tree repeatedly: each time the value of the wrong shape is removed.
fn read<T: DeserializeOwned>(mut value: Value) -> Found<T> {
    let mut found = Found { data: None, problems: Vec::new(), shape: Shape::default(), cut_off: false };
    // Every round removes something, so this ends; the bound keeps the list readable.
    while found.problems.len() < MOST_PROBLEMS {
        let misfit = match json::data::<T>(&value) {
            Ok(data) => return Found { data: Some(data), ..found },
            Err(misfit) => misfit,
        };
        if Shape::fill_in_settings(&mut value, &misfit) {
            continue;
        }
        found.problems.extend(found.shape.next_problem(&value, &misfit));
        if !found.shape.take_out(&mut value) {
            return found;
        }
    }
    Found { cut_off: true, ..found }
}

/// The problems of shape in words; `what` is what the whole document should be.
fn explain<T>(found: &Found<T>, what: &str) -> Diagnostics {
    let mut problems: Diagnostics =
        found.problems.iter().map(|problem| shape::explain(problem, what)).collect();
    if found.cut_off {
        let many = format!("more than {MOST_PROBLEMS} problems");
        problems.push(Diagnostic::error("", many, "", "solve those above first"));
    }
    problems
}

/// Errors of meaning in the rest of a document after values of the wrong shape were removed. Removed values are not
/// checked; if entries moved up, paths would mislead.
fn check_rest(found: &Found<Scenario>) -> Diagnostics {
    let Some(rest) = found.data.as_ref().filter(|_| !found.problems.is_empty() && !found.shape.moved) else {
        return Diagnostics::new();
    };
    let problems = check(rest.clone()).err().unwrap_or_default();
    problems.into_iter().filter(|d| d.severity == Severity::Error && !found.shape.is_gone(&d.path)).collect()
}

/// Reads an edit's change of a scenario from JSON text.
pub fn parse_change(text: &str) -> Result<Change, Diagnostics> {
    data_from_value(value_from_json(text)?, "an edit")
}

/// Reads data of another kind than a scenario, with every problem of shape reported at once. Its fields need defaults:
/// an object without a required field is removed as a whole.
pub fn data_from_value<T: DeserializeOwned>(value: Value, what: &str) -> Result<T, Diagnostics> {
    let found = read::<T>(value);
    let problems = explain(&found, what);
    found.data.filter(|_| problems.is_empty()).ok_or(problems)
}

/// The scenario as pretty JSON, every field written out.
pub fn to_json(scenario: &Scenario) -> String {
    let mut text = json::indented(scenario);
    text.push('\n');
    text
}
