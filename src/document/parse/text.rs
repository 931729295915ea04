//! Reads the text of a document to a tree; problems of syntax name line and column.

use super::steps::display;
use crate::limits;
use base::json::PathStep;
use base::pointer::pointer;
use base::{Diagnostic, Diagnostics, repeated_keys::ReadTree};
use serde_json::Value;

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

/// Reads JSON text of any length; `instead` is the message for an empty one: the expected content, and the advice.
pub fn value_from_long_json(text: &str, instead: [&str; 2]) -> Result<Value, Diagnostics> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(vec![Diagnostic::error("", "an empty text", instead[0], instead[1])]);
    }
    value_said_once(ReadTree::from_json(text).map_err(|e| vec![syntax_error(text, &e)])?)
}

/// The tree of a document; an error for each key that one of its objects has twice.
pub fn value_said_once(read: ReadTree) -> Result<Value, Diagnostics> {
    let twice = |steps: &Vec<PathStep>| {
        let fix = "remove one of them: only one can be meant";
        Diagnostic::error(display(steps), "the same key twice", "each key once in an object", fix)
    };
    let problems: Diagnostics = read.repeated.iter().map(twice).collect();
    if problems.is_empty() { Ok(read.tree) } else { Err(problems) }
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
            "values nested too deeply to read (recursion limit exceeded)",
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
