//! The text of a benchmark's file and its JSON, parsed once for all formats.

use base::json;
use serde_json::Value;
use std::borrow::Cow;

/// A trimmed text; JSON as Python writes it becomes plain JSON.
pub struct Text<'a> {
    pub(crate) text: Cow<'a, str>,
    /// The document.
    document: Option<Value>,
    /// The document of the first line, if the text is not a single document.
    first: Option<Value>,
}

impl<'a> Text<'a> {
    /// The text of a file.
    pub fn new(text: &'a str) -> Self {
        let text = text.trim_start_matches('\u{feff}').trim();
        if !text.starts_with(['{', '[']) {
            return Self { text: Cow::Borrowed(text), document: None, first: None };
        }
        let text = json::from_python(text);
        let document = serde_json::from_str(&text).ok();
        let line = text.lines().next().filter(|_| document.is_none());
        let first = line.and_then(|line| serde_json::from_str(line).ok());
        Self { text, document, first }
    }

    /// Whether it is not JSON but lines of a log or of metrics. Lines of a log may begin with a pod's name or a time in
    /// brackets.
    pub(crate) fn is_plain(&self) -> bool {
        let line = self.text.lines().next().unwrap_or_default();
        let bracketed = || {
            let rest = line.strip_prefix('[').and_then(|line| line.split_once("] "));
            rest.is_some_and(|(inside, rest)| !inside.contains(['{', '"']) && !rest.is_empty())
        };
        let is_json = self.document.is_some() || self.first.is_some();
        !self.text.starts_with(['{', '[']) || (!is_json && bracketed())
    }

    /// The document, if the text is one.
    pub(crate) fn document(&self) -> Option<&Value> {
        self.document.as_ref()
    }

    /// The document, or that of the first line.
    pub(crate) fn first(&self) -> Option<&Value> {
        self.document.as_ref().or(self.first.as_ref())
    }

    /// Whether the document has a key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.document().is_some_and(|tree| tree.get(key).is_some())
    }

    /// Whether the document is a list, and the first entry has a key.
    pub(crate) fn rows_have(&self, key: &str) -> bool {
        let rows = self.document().and_then(Value::as_array);
        rows.and_then(|list| list.first()).is_some_and(|row| row.get(key).is_some())
    }
}
