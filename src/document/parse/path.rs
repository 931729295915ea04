//! Setting a field of a document by its path, such as `cluster.pools[0].replicas`.

use super::from_value_in_part;
use super::steps::{PATH_BYTES, display, split_path};
use super::text::value_said_once;
use crate::types::routing::ROUTERS;
use crate::{Scenario, Write};
use base::json::PathStep;
use base::{Diagnostic, Diagnostics, repeated_keys::ReadTree};
use serde_json::Value;

/// Sets the field at `path` (such as `cluster.pools[0].replicas`) to `value`, read as JSON or else as a string.
pub fn set_path(document: &mut Value, path: &str, value: &str) -> Result<(), Diagnostics> {
    let value = match ReadTree::from_json(value) {
        Ok(read) => value_said_once(read).map_err(|all| below(path, all))?,
        Err(_) => Value::String(value.to_owned()),
    };
    place_value(document, path, value)?;
    let_scorers_decide(document, path);
    Ok(())
}

/// The path of the profile beside the scorers that `path` sets, if it sets any.
pub(crate) fn profile_beside(path: &str) -> Option<String> {
    let router = path.strip_suffix(".weighted.scorers").filter(|router| ROUTERS.contains(router))?;
    Some(format!("{router}.weighted.profile"))
}

/// Sets the profile that scorers belong to, where `path` sets scorers.
pub(crate) fn let_scorers_decide(document: &mut Value, path: &str) {
    let Some(profile) = profile_beside(path) else { return };
    let steps = split_path(&profile).unwrap_or_default();
    let Some((_, weighted)) = steps.split_last() else { return };
    let Some(Value::Object(weighted)) = walk_mut(document, weighted) else { return };
    let none = weighted.get("scorers").and_then(Value::as_array).is_some_and(Vec::is_empty);
    if !none {
        weighted.insert("profile".to_owned(), Value::from("custom"));
    }
}

/// Like [`set_path`]; a path into another choice than the current one replaces it.
pub fn set_field(document: &mut Value, path: &str, value: &str) -> Result<(), Diagnostics> {
    set_path(document, path, value)?;
    if from_value_in_part(document.clone()).1.is_empty() {
        return Ok(());
    }
    // The types decide which objects are choices: if one of two keys is too many, the document can be read without it.
    let steps = split_path(path).unwrap_or_default();
    for i in 1..steps.len() {
        let PathStep::Key(chosen) = &steps[i] else { continue };
        let mut tried = document.clone();
        let Some(Value::Object(choice)) = walk_mut(&mut tried, &steps[..i]) else { continue };
        if choice.len() == 2 && choice.contains_key(chosen) {
            choice.retain(|key, _| key == chosen);
            if from_value_in_part(tried.clone()).1.is_empty() {
                *document = tried;
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Puts `value` at `path`.
pub(crate) fn place_value(document: &mut Value, path: &str, value: Value) -> Result<(), Diagnostics> {
    let steps = split_path(path).ok_or_else(|| {
        vec![Diagnostic::error(
            shortened(path),
            "not a path",
            format!("up to {PATH_BYTES} bytes of names separated by dots, with [n] for the n-th entry of a list, such as cluster.pools[0].replicas"),
            "list numbers start at 0",
        )]
    })?;
    // Lists that the document leaves to their defaults are written out before one of their entries changes: an entry for
    // each that says nothing, since all of them have the defaults of an entry.
    let indexed = steps.iter().any(|step| matches!(step, PathStep::Index(_)));
    let defaults = indexed.then(|| Scenario::default().write());
    let mut default = defaults.as_ref();
    let mut at = document;
    for (i, step) in steps.iter().enumerate() {
        let so_far = display(&steps[..i]);
        match step {
            PathStep::Key(key) | PathStep::Variant(key) => {
                // A choice by its bare name gives way to its settings; other values have none.
                if at.is_null() || (at.is_string() && i > 0) {
                    *at = Value::Object(serde_json::Map::new());
                } else if !at.is_object() {
                    return Err(vec![nothing_below(&so_far, at, key)]);
                }
                default = default.and_then(|d| d.get(key));
                let fallback = default.and_then(Value::as_array).map_or(Value::Null, |entries| {
                    entries.iter().map(|_| Value::Object(serde_json::Map::new())).collect()
                });
                at = at.as_object_mut().expect("made an object above").entry(key).or_insert(fallback);
            }
            PathStep::Index(index) => {
                default = default.and_then(|d| d.get(index));
                let length = at.as_array().map_or(0, Vec::len);
                let entry = at.as_array_mut().and_then(|list| list.get_mut(*index));
                at = entry.ok_or_else(|| vec![no_such_entry(&so_far, *index, length)])?;
            }
        }
    }
    *at = value;
    Ok(())
}

/// Makes a document replay a trace. If it did not replay one before, values that it leaves out follow the trace: the
/// run is named after the file and measures from the start until all requests of the trace are done.
pub fn replay_trace(document: &mut Value, file_name: &str) -> Result<(), Diagnostics> {
    let said = |path: &str| document.pointer(path).is_some_and(|t| !t.is_null());
    let named = said("/workload/trace");
    let silent =
        [("/title", "title"), ("/run/horizon_s", "run.horizon_s"), ("/run/warmup_s", "run.warmup_s")];
    let silent = silent.map(|(pointer, path)| if named || said(pointer) { None } else { Some(path) });
    let file = Value::from(file_name).to_string();
    set_path(document, "workload.trace.file", &file)?;
    // The file takes the place of rows that the document carries.
    if let Some(Value::Object(trace)) = document.pointer_mut("/workload/trace") {
        trace.shift_remove("rows");
    }
    for (path, value) in silent.into_iter().zip([file.as_str(), "0", "0"]) {
        if let Some(path) = path {
            set_path(document, path, value)?;
        }
    }
    Ok(())
}

/// The value at the end of these steps.
fn walk_mut<'a>(document: &'a mut Value, steps: &[PathStep]) -> Option<&'a mut Value> {
    steps.iter().try_fold(document, |at, step| match step {
        PathStep::Key(key) | PathStep::Variant(key) => at.get_mut(key),
        PathStep::Index(i) => at.get_mut(i),
    })
}

/// The value at `path`; `None` if the document has none.
pub(crate) fn value_at<'a>(document: &'a Value, path: &str) -> Option<&'a Value> {
    split_path(path)?.iter().try_fold(document, |at, step| match step {
        PathStep::Key(key) | PathStep::Variant(key) => at.get(key),
        PathStep::Index(i) => at.get(i),
    })
}

/// The start of a text that a user gave.
fn shortened(text: &str) -> String {
    let mut start: String = text.chars().take(60).collect();
    if start.len() < text.len() {
        start.push_str("...");
    }
    start
}

/// The same problems for a value at `path`.
fn below(path: &str, mut problems: Diagnostics) -> Diagnostics {
    for problem in &mut problems {
        problem.path = format!("{path}.{}", problem.path);
    }
    problems
}

fn nothing_below(path: &str, there: &Value, key: &str) -> Diagnostic {
    let found = format!("{}, which has no `{key}`", shortened(&there.to_string()));
    let fix = if there.is_array() { "name one of its entries, such as [0]" } else { "set the whole of it" };
    Diagnostic::error(path, found, "an object", fix)
}

fn no_such_entry(list: &str, index: usize, length: usize) -> Diagnostic {
    let (allowed, fix) = match length {
        0 => ("a list that has entries".to_owned(), format!("set all of {list} as JSON instead")),
        n => (format!("entries 0 to {}", n - 1), "list numbers start at 0".to_owned()),
    };
    Diagnostic::error(format!("{list}[{index}]"), "no such entry", allowed, fix)
}
