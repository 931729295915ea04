//! Shape: from JSON text to a scenario, with every problem reported at once.
//!
//! serde stops at the first problem. So each problem found is recorded, the value it concerns is taken out (its default
//! takes over) and the document is read again, until it reads or there are too many problems to be worth listing.

use super::shape::{Shape, Step, display, explain};
use super::{Edit, FORMAT_VERSION, Scenario, check, limits};
use crate::base::{Diagnostic, Diagnostics, Severity, json};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Most problems listed for one document.
const MOST_PROBLEMS: usize = 100;

/// Reads a scenario from JSON text.
pub fn parse(text: &str) -> Result<Scenario, Diagnostics> {
    from_value(value_from_json(text).map_err(|d| vec![d])?)
}

/// Reads a scenario from a JSON value (which may have come from YAML).
pub fn from_value(value: Value) -> Result<Scenario, Diagnostics> {
    if let Some(version) = value.get("tokenyard").and_then(Value::as_u64)
        && version > u64::from(FORMAT_VERSION)
    {
        return Err(vec![Diagnostic::error(
            "tokenyard",
            format!("a scenario of format version {version}"),
            format!("versions up to {FORMAT_VERSION}"),
            "it was made with a newer Tokenyard: update this one",
        )]);
    }
    let mut meaning = |rest: Scenario, shape: &Shape| {
        // What was taken out has no meaning to check, and where entries moved up, paths would mislead.
        let problems = if shape.moved { Vec::new() } else { check(rest).err().unwrap_or_default() };
        problems.into_iter().filter(|d| d.severity == Severity::Error && !shape.is_gone(&d.path)).collect()
    };
    read(value, "a scenario", &mut meaning)
}

/// Reads an edit from JSON text.
pub fn parse_edit(text: &str) -> Result<Edit, Diagnostics> {
    read(value_from_json(text).map_err(|d| vec![d])?, "an edit", &mut |_, _| Vec::new())
}

/// The scenario as pretty JSON, every field written out.
pub fn to_json(scenario: &Scenario) -> String {
    let mut text = json::indented(scenario);
    text.push('\n');
    text
}

/// The text in `bytes`, if they are text at all and not too many.
pub fn text_from_bytes(bytes: &[u8]) -> Result<&str, Diagnostic> {
    check_size(bytes.len())?;
    let not_text = |found: String| {
        Diagnostic::error(
            "",
            found,
            "a scenario: JSON or YAML text in UTF-8",
            "check that this is the right file",
        )
    };
    if let Some(at) = bytes.iter().position(|b| *b == 0) {
        return Err(not_text(format!("a binary file (a zero byte at position {at})")));
    }
    std::str::from_utf8(bytes).map_err(|e| {
        let line = bytes[..e.valid_up_to()].split(|b| *b == b'\n').count();
        not_text(format!("bytes that are not UTF-8, first in line {line}"))
    })
}

/// Reads JSON text; problems of syntax name line and column.
pub fn value_from_json(text: &str) -> Result<Value, Diagnostic> {
    check_size(text.len())?;
    value_from_long_json(text, ["a scenario as JSON", "start with {} for all defaults"])
}

/// Reads JSON text of any length; `instead` is what is said of an empty one: what should be there, and what to do.
pub fn value_from_long_json(text: &str, instead: [&str; 2]) -> Result<Value, Diagnostic> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Diagnostic::error("", "no text at all", instead[0], instead[1]));
    }
    serde_json::from_str(text).map_err(|e| syntax_error(text, &e))
}

/// Reads data of another kind than a scenario, with every problem of shape reported at once. Its fields need defaults:
/// an object without a field that it must have is taken out as a whole.
pub fn data_from_value<T: DeserializeOwned>(value: Value, what: &str) -> Result<T, Diagnostics> {
    read(value, what, &mut |_, _| Vec::new())
}

/// Sets the field at `path` (such as `cluster.pools[0].replicas`) to `value`, read as JSON or else as a string.
pub fn set_path(document: &mut Value, path: &str, value: &str) -> Result<(), Diagnostic> {
    let steps = split_path(path).ok_or_else(|| {
        Diagnostic::error(
            path,
            "not a path",
            "names separated by dots, with [n] for the n-th entry of a list, such as cluster.pools[0].replicas",
            "list numbers start at 0",
        )
    })?;
    // Lists that the document leaves to their defaults are written out before one of their entries changes.
    let defaults = json::tree(&Scenario::default());
    let mut default = Some(&defaults);
    let mut at = document;
    for (i, step) in steps.iter().enumerate() {
        let so_far = display(&steps[..i]);
        match step {
            Step::Key(key) | Step::Variant(key) => {
                if !at.is_object() {
                    *at = Value::Object(serde_json::Map::new());
                }
                default = default.and_then(|d| d.get(key));
                let fallback = default.filter(|d| d.is_array()).cloned().unwrap_or(Value::Null);
                at = at.as_object_mut().expect("made an object above").entry(key).or_insert(fallback);
            }
            Step::Index(index) => {
                default = default.and_then(|d| d.get(index));
                let length = at.as_array().map_or(0, Vec::len);
                let entry = at.as_array_mut().and_then(|list| list.get_mut(*index));
                at = entry.ok_or_else(|| no_such_entry(&so_far, *index, length))?;
            }
        }
    }
    *at = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    Ok(())
}

/// Makes a document replay a trace. Where it did not replay one before, its title, clock and edits were meant for its
/// clients: the run is then named after the file and measures from the start until all requests of the trace are done.
pub fn replay_trace(document: &mut Value, file_name: &str) {
    let named = document.pointer("/workload/trace").is_some_and(|t| !t.is_null());
    let file = Value::from(file_name).to_string();
    let mut set = |path: &str, value: &str| {
        set_path(document, path, value).expect("a path of names alone can be set in any document");
    };
    set("workload.trace.file", &file);
    if !named {
        set("title", &file);
        set("run.horizon_s", "0");
        set("run.warmup_s", "0");
        set("edits", "[]");
    }
}

/// What else is wrong with a document once everything of the wrong shape was taken out of it.
type Meaning<'a, T> = &'a mut dyn FnMut(T, &Shape) -> Diagnostics;

fn read<T: DeserializeOwned>(
    mut value: Value,
    what: &str,
    meaning: Meaning<'_, T>,
) -> Result<T, Diagnostics> {
    let mut shape = Shape::default();
    let mut problems = Diagnostics::new();
    // Every round removes something, so this ends; the bound keeps the list readable.
    while problems.len() < MOST_PROBLEMS {
        let error = match json::data::<T>(&value) {
            Ok(read) => {
                if problems.is_empty() {
                    return Ok(read);
                }
                problems.extend(meaning(read, &shape));
                return Err(problems);
            }
            Err(error) => error,
        };
        if Shape::fill_in_settings(&mut value, &error) {
            continue;
        }
        if let Some(problem) = shape.next_problem(&value, &error) {
            problems.push(explain(&problem, what));
        }
        if !shape.take_out(&mut value) {
            return Err(problems);
        }
    }
    problems.push(Diagnostic::error(
        "",
        format!("more than {MOST_PROBLEMS} problems"),
        "",
        "solve those above first",
    ));
    Err(problems)
}

fn check_size(bytes: usize) -> Result<(), Diagnostic> {
    if bytes <= limits::SCENARIO_BYTES {
        return Ok(());
    }
    Err(Diagnostic::error(
        "",
        format!("{bytes} bytes of scenario"),
        format!("at most {} bytes", limits::SCENARIO_BYTES),
        "a long list of requests belongs in a trace file",
    ))
}

fn syntax_error(text: &str, error: &serde_json::Error) -> Diagnostic {
    let (line, column) = (error.line(), error.column());
    let place = format!("line {line}, column {column}");
    if error.is_eof() {
        return Diagnostic::error(
            place,
            "the text ends in the middle",
            "a complete JSON document",
            "the file may have been cut off: close every quote, brace and bracket",
        );
    }
    let source = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let start = source.char_indices().map(|(i, _)| i).take_while(|i| *i < column).last().unwrap_or(0);
    let word_start = source[..start]
        .char_indices()
        .rev()
        .find(|(_, c)| !(c.is_alphanumeric() || matches!(c, '+' | '-' | '.' | '_')))
        .map_or(0, |(i, c)| i + c.len_utf8());
    let word: String =
        source[word_start..].chars().take_while(|c| !matches!(c, ',' | '}' | ']')).take(30).collect();
    let word = word.trim();
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or_default();
    if is_not_finite(word) || reason == "number out of range" {
        return Diagnostic::error(
            place,
            format!("{word}, which is not a number that JSON can hold"),
            "finite numbers up to 1.8e308",
            "write a plain number",
        );
    }
    Diagnostic::error(place, format!("{reason}, near `{word}`"), "a JSON document", "correct the text there")
}

fn is_not_finite(word: &str) -> bool {
    matches!(
        word.trim_start_matches(['+', '-', '.']).to_ascii_lowercase().as_str(),
        "nan" | "inf" | "infinity"
    )
}

fn split_path(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        if key.is_empty() {
            return None;
        }
        steps.push(Step::Key(key.to_owned()));
        while !rest.is_empty() {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Index(index.parse().ok()?));
            rest = after;
        }
    }
    Some(steps)
}

fn no_such_entry(list: &str, index: usize, length: usize) -> Diagnostic {
    let (allowed, fix) = match length {
        0 => ("a list that has entries".to_owned(), format!("set all of {list} as JSON instead")),
        n => (format!("entries 0 to {}", n - 1), "list numbers start at 0".to_owned()),
    };
    Diagnostic::error(format!("{list}[{index}]"), "no such entry", allowed, fix)
}
