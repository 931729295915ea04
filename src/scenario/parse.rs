//! Shape: from JSON text to a scenario, with every problem reported at once.
//!
//! serde stops at the first problem. So each problem found is recorded, the value it concerns is taken out (its default
//! takes over) and the document is read again, until it reads or there are too many problems to be worth listing.

use super::left_open::fill_in;
use super::old_edits::{change_of, rewrite_old_edits};
use super::shape::{PathStep, Shape, display, explain, walk_mut};
use super::{Change, FORMAT_VERSION, Scenario, check, former_keys, limits};
use crate::base::pointer::pointer;
use crate::base::{Diagnostic, Diagnostics, Severity, json, noted::Noted};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Most problems listed for one document.
const MOST_PROBLEMS: usize = 100;
/// Longest path of a field. Values may lie as deep as one has parts, and trees are walked by recursion.
const PATH_BYTES: usize = 256;

/// Reads a scenario from JSON text.
pub fn parse(text: &str) -> Result<Scenario, Diagnostics> {
    from_value(value_from_json(text)?)
}

/// Reads a scenario from a JSON value (which may have come from YAML).
pub fn from_value(mut value: Value) -> Result<Scenario, Diagnostics> {
    prepare(&mut value)?;
    let mut meaning = |rest: Scenario, shape: &Shape| {
        // What was taken out has no meaning to check, and where entries moved up, paths would mislead.
        let problems = if shape.moved { Vec::new() } else { check(rest).err().unwrap_or_default() };
        problems.into_iter().filter(|d| d.severity == Severity::Error && !shape.is_gone(&d.path)).collect()
    };
    read(value, "a scenario", &mut meaning)
}

/// Reads the valid parts of a scenario; the others are left out and reported.
pub(super) fn from_value_in_part(mut value: Value) -> (Option<Scenario>, Diagnostics) {
    if let Err(problems) = prepare(&mut value) {
        return (None, problems);
    }
    let mut rest = None;
    let mut keep = |read: Scenario, _: &Shape| {
        rest = Some(read);
        Vec::new()
    };
    match read(value, "a scenario", &mut keep) {
        Ok(whole) => (Some(whole), Vec::new()),
        Err(problems) => (rest, problems),
    }
}

/// Refuses documents of a newer format, and rewrites what older ones say in another way.
fn prepare(value: &mut Value) -> Result<(), Diagnostics> {
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
    former_keys::rename(value);
    fill_in(value);
    rewrite_old_edits(value);
    Ok(())
}

/// Reads what an edit changes of `scenario` from JSON text.
pub fn parse_change(text: &str, scenario: &Scenario) -> Result<Change, Diagnostics> {
    let mut value = value_from_json(text)?;
    if let Some(change) = change_of(&value, &json::tree(scenario)) {
        return Ok(change);
    }
    former_keys::rename_in_edit(&mut value);
    read(value, "an edit", &mut |_, _| Vec::new())
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
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let line = bytes[..e.valid_up_to()].split(|b| *b == b'\n').count();
        not_text(format!("bytes that are not UTF-8, first in line {line}"))
    })?;
    pointer(text).map_or(Ok(text), Err)
}

/// Reads JSON text; problems of syntax name line and column, keys that are given twice their path.
pub fn value_from_json(text: &str) -> Result<Value, Diagnostics> {
    check_size(text.len()).map_err(|d| vec![d])?;
    value_from_long_json(text, ["a scenario as JSON", "start with {} for all defaults"])
}

/// Reads JSON text of any length; `instead` is what is said of an empty one: what should be there, and what to do.
pub fn value_from_long_json(text: &str, instead: [&str; 2]) -> Result<Value, Diagnostics> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(vec![Diagnostic::error("", "no text at all", instead[0], instead[1])]);
    }
    value_said_once(Noted::from_json(text).map_err(|e| vec![syntax_error(text, &e)])?)
}

/// The tree of a document; an error for each key that one of its objects has twice.
pub fn value_said_once(noted: Noted) -> Result<Value, Diagnostics> {
    let twice = |steps: &Vec<PathStep>| {
        let fix = "remove one of them: only one can be meant";
        Diagnostic::error(display(steps), "the same key twice", "each key once in an object", fix)
    };
    let problems: Diagnostics = noted.repeated.iter().map(twice).collect();
    if problems.is_empty() { Ok(noted.tree) } else { Err(problems) }
}

/// Reads data of another kind than a scenario, with every problem of shape reported at once. Its fields need defaults:
/// an object without a field that it must have is taken out as a whole.
pub fn data_from_value<T: DeserializeOwned>(value: Value, what: &str) -> Result<T, Diagnostics> {
    read(value, what, &mut |_, _| Vec::new())
}

/// Sets the field at `path` (such as `cluster.pools[0].replicas`) to `value`, read as JSON or else as a string.
pub fn set_path(document: &mut Value, path: &str, value: &str) -> Result<(), Diagnostics> {
    let value = match Noted::from_json(value) {
        Ok(noted) => value_said_once(noted).map_err(|all| below(path, all))?,
        Err(_) => Value::String(value.to_owned()),
    };
    former_keys::rename(document);
    place_value(document, &former_keys::current(path), value)
}

/// As [`set_path`]; a path into another choice than the one that stands there takes its place.
pub fn set_field(document: &mut Value, path: &str, value: &str) -> Result<(), Diagnostics> {
    set_path(document, path, value)?;
    if from_value_in_part(document.clone()).1.is_empty() {
        return Ok(());
    }
    // Which objects are choices the types know: where one of two keys is too many, the document reads without it.
    let steps = split_path(&former_keys::current(path)).unwrap_or_default();
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
pub(super) fn place_value(document: &mut Value, path: &str, value: Value) -> Result<(), Diagnostics> {
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
    let defaults = indexed.then(|| json::tree(&Scenario::default()));
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

/// Makes a document replay a trace. Where it did not replay one before, what it does not say follows the trace: the run is
/// named after the file and measures from the start until all requests of the trace are done.
pub fn replay_trace(document: &mut Value, file_name: &str) -> Result<(), Diagnostics> {
    let said = |path: &str| document.pointer(path).is_some_and(|t| !t.is_null());
    let named = said("/workload/trace");
    let silent =
        [("/title", "title"), ("/run/horizon_s", "run.horizon_s"), ("/run/warmup_s", "run.warmup_s")];
    let silent = silent.map(|(pointer, path)| if named || said(pointer) { None } else { Some(path) });
    let file = Value::from(file_name).to_string();
    set_path(document, "workload.trace.file", &file)?;
    for (path, value) in silent.into_iter().zip([file.as_str(), "0", "0"]) {
        if let Some(path) = path {
            set_path(document, path, value)?;
        }
    }
    Ok(())
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
    if error.to_string().starts_with("recursion limit") {
        let fix = "no field lies that deep: check the braces and brackets";
        return Diagnostic::error(
            place,
            "values within values, too deep to read (recursion limit exceeded)",
            "a few levels",
            fix,
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
    let reason = in_our_words(message.split(" at line ").next().unwrap_or_default());
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

/// What the reader of JSON says where its own words are about its grammar.
fn in_our_words(reason: &str) -> &str {
    match reason {
        "expected ident" => "a word that JSON does not have",
        "expected value" => "no value",
        "trailing characters" => "text after the end of the document",
        "key must be a string" => "a key without quotes",
        _ if reason.starts_with("control") => "a control character in a text",
        _ if reason.ends_with("hex escape") => "an escape that does not exist",
        _ => reason,
    }
}

fn is_not_finite(word: &str) -> bool {
    matches!(
        word.trim_start_matches(['+', '-', '.']).to_ascii_lowercase().as_str(),
        "nan" | "inf" | "infinity"
    )
}

fn split_path(path: &str) -> Option<Vec<PathStep>> {
    if path.len() > PATH_BYTES {
        return None;
    }
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        if key.is_empty() {
            return None;
        }
        steps.push(PathStep::Key(key.to_owned()));
        while !rest.is_empty() {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(PathStep::Index(index.parse().ok()?));
            rest = after;
        }
    }
    Some(steps)
}

/// The start of a text that a user gave.
fn shortened(text: &str) -> String {
    let mut start: String = text.chars().take(60).collect();
    if start.len() < text.len() {
        start.push_str("...");
    }
    start
}

/// The same problems of a value that stands at `path`.
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
