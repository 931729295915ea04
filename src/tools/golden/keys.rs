//! Looks for keys in the objects of a file.

use base::{Diagnostic, Diagnostics};
use serde_json::Value;

/// The entries of a list with their positions; none if it is not a list.
pub(super) fn entries(list: Option<&Value>) -> impl Iterator<Item = (usize, &Value)> {
    list.and_then(Value::as_array).map_or(&[][..], |list| list).iter().enumerate()
}

/// Adds a problem for each of `names` that the object lacks. Values that are not objects are reported when they are read.
pub(super) fn keys(path: &str, object: &Value, names: &[&str], problems: &mut Diagnostics) {
    let Some(object) = object.as_object() else { return };
    for name in names.iter().filter(|name| !object.contains_key(**name)) {
        let place = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
        let fix = format!("add `{name}`; the format's README says what it is");
        problems.push(Diagnostic::error(place, "no such key", "a file with this key", fix));
    }
}
