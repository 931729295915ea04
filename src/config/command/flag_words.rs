//! The words of a command: where each stands in its source, and which of them are flags.

use crate::import::configuration::Reader;
use serde_json::{Map, Value};

/// A word of a command, and its path in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// The words at a path: a list of texts and numbers, or one text, which is split as a shell does.
pub(crate) fn words_at(r: &mut Reader<'_>, path: &str) -> Vec<Word> {
    let mut all = Vec::new();
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    match r.get(path) {
        Some(Value::Object(list)) => {
            let mut numbers: Vec<usize> = list.keys().filter_map(|key| key.parse().ok()).collect();
            numbers.sort_unstable();
            for number in numbers {
                let path = format!("{path}.{number}");
                match r.get(&path) {
                    Some(Value::Object(_)) => all.extend(words_at(r, &path)),
                    Some(value) => all.extend(plain(value).map(|text| Word { path: path.clone(), text })),
                    None => {}
                }
            }
        }
        Some(value) => all.extend(plain(value).map(|text| Word { path: path.to_owned(), text })),
        None => {}
    }
    all
}

/// Puts a value below keys, with hyphens for underscores.
pub(super) fn put(at: &mut Value, keys: &mut dyn Iterator<Item = &str>, value: Value) {
    let Some(key) = keys.next() else {
        *at = value;
        return;
    };
    if !at.is_object() {
        *at = Value::Object(Map::new());
    }
    if let Some(map) = at.as_object_mut() {
        put(map.entry(key.replace('-', "_")).or_insert(Value::Null), keys, value);
    }
}

/// Whether a word begins a flag: numbers with a sign are values.
pub(super) fn is_flag(word: &str) -> bool {
    let rest = word.strip_prefix('-').map(|rest| rest.strip_prefix('-').unwrap_or(rest));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Whether a word is an argument under a condition of a template.
pub(super) fn is_condition(word: &str) -> bool {
    let inside = word.strip_prefix("{{").map(|rest| rest.trim_start_matches('-').trim_start());
    inside.is_some_and(|rest| ["if", "with", "range", "end", "else"].iter().any(|own| rest.starts_with(own)))
}

/// Number of words before the next flag.
pub(super) fn until_flag(words: &[Word]) -> usize {
    words.iter().take_while(|word| !is_flag(&word.text) && !is_condition(&word.text)).count()
}

/// The name of a flag or key: without dashes in front, with hyphens.
pub(super) fn plain(name: &str) -> String {
    name.trim_start_matches('-').replace('_', "-")
}
