//! What the file of a benchmark says of the engine besides its figures: speculation, quantisation, chunking. A comparison runs the
//! scenario's engine, so that these are named.

use super::Benchmark;
use serde_json::Value;

/// Parts of the names of keys that are about the engine.
const PARTS: [&str; 9] = [
    "specul",
    "spec_dec",
    "draft",
    "accept_length",
    "acceptance",
    "quantiz",
    "chunked_prefill",
    "kv_cache_dtype",
    "enforce_eager",
];

/// Most sections that are entered, and most words of a note.
const DEPTH: usize = 8;
const MOST: usize = 8;
/// The longest value that is shown, in characters.
const LONGEST: usize = 40;

/// Adds a note to each run: a document of several runs is a list of as many entries.
pub(super) fn name(runs: &mut [Benchmark], document: Option<&Value>) {
    let Some(document) = document else { return };
    let entries = document.as_array().filter(|list| list.len() == runs.len());
    for (i, run) in runs.iter_mut().enumerate() {
        let mut found = Vec::new();
        look(entries.map_or(document, |list| &list[i]), "", DEPTH, &mut found);
        found.truncate(MOST);
        let said = run.notes.iter().any(|note| note.contains("Of its server the row says"));
        if !found.is_empty() && !said {
            run.note(format!(
                "Of its engine the file says: {}. The scenario's engine is run: give it the same.",
                found.join(", ")
            ));
        }
    }
}

fn look(value: &Value, path: &str, depth: usize, found: &mut Vec<String>) {
    let Value::Object(map) = value else { return };
    for (key, inner) in map {
        let full = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let lower = key.to_ascii_lowercase().replace('-', "_");
        let is_about = PARTS.iter().any(|part| lower.contains(part));
        let shown = match inner {
            Value::String(text) if text.is_empty() => None,
            Value::Null | Value::Bool(false) | Value::Array(_) => None,
            Value::Object(_) if !is_about => {
                if depth > 0 && found.len() < MOST {
                    look(inner, &full, depth - 1, found);
                }
                None
            }
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        if let Some(text) = shown.filter(|_| is_about && found.len() < MOST) {
            let short: String = text.chars().take(LONGEST).collect();
            let cut = if short.len() < text.len() { "…" } else { "" };
            found.push(format!("{full} {short}{cut}"));
        }
    }
}
