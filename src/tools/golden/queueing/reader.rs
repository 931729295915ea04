//! Reads a JSON document key by key, and reports every key that is missing or of the wrong kind.

use base::{Diagnostic, Diagnostics, Micros};
use serde_json::Value;
use std::cell::RefCell;

/// The latest instant, in seconds: far beyond any clock, and small enough that the sum of two is still whole
/// microseconds.
const LATEST_S: f64 = 1e12;

/// Most problems reported per file.
const MOST: usize = 100;

/// The problems of a file so far.
#[derive(Default)]
pub(super) struct Problems(RefCell<Diagnostics>);

impl Problems {
    /// All of them.
    pub(super) fn into_all(self) -> Diagnostics {
        let mut all = self.0.into_inner();
        if all.len() > MOST {
            all.truncate(MOST);
            all.push(Diagnostic::error(
                "",
                format!("more than {MOST} problems"),
                "",
                "solve those above first",
            ));
        }
        all
    }
}

/// A place in the document.
#[derive(Clone)]
pub(super) struct Reader<'a> {
    at: Option<&'a Value>,
    path: String,
    problems: &'a Problems,
}

impl<'a> Reader<'a> {
    /// The whole document.
    pub(super) fn root(value: &'a Value, problems: &'a Problems) -> Self {
        Self { at: Some(value), path: String::new(), problems }
    }

    /// Where this is.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The value here; null if missing.
    pub(super) fn value(&self) -> &'a Value {
        self.at.unwrap_or(&Value::Null)
    }

    /// Adds a problem.
    pub(super) fn refuse(&self, problem: Diagnostic) {
        let mut all = self.problems.0.borrow_mut();
        // One more message says that there are more.
        if all.len() <= MOST {
            all.push(problem);
        }
    }

    fn place(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The value under a key, if it is not null.
    pub(super) fn maybe(&self, key: &str) -> Option<Self> {
        let value = self.at?.get(key).filter(|value| !value.is_null())?;
        Some(Self { at: Some(value), path: self.place(key), problems: self.problems })
    }

    /// The value under a required key, which may be null.
    pub(super) fn get(&self, key: &str) -> Self {
        let at = self.at.and_then(|value| value.get(key));
        if self.at.is_some() && at.is_none() {
            let fix = format!("add `{key}`; the format's README says what it is");
            self.refuse(Diagnostic::error(self.place(key), "no such key", "a file with this key", fix));
        }
        Self { at, path: self.place(key), problems: self.problems }
    }

    fn wrong(&self, allowed: &str) {
        if let Some(found) = self.at {
            let mut text = found.to_string();
            if text.len() > 60 {
                text = text.chars().take(57).collect::<String>() + "...";
            }
            self.refuse(Diagnostic::error(self.path.clone(), text, allowed, format!("write {allowed} here")));
        }
    }

    /// The number here; 0 after a problem.
    pub(super) fn as_number(&self) -> f64 {
        let found = self.value().as_f64();
        if found.is_none() {
            self.wrong("a number");
        }
        found.unwrap_or_default()
    }

    /// The number of seconds under a key as an instant.
    pub(super) fn instant(&self, key: &str) -> Micros {
        let place = self.get(key);
        let seconds = place.as_number();
        if !(0.0..=LATEST_S).contains(&seconds) {
            place.wrong("seconds from 0 to 1000000000000");
            return Micros::ZERO;
        }
        Micros((seconds * 1e6).round() as u64)
    }

    /// The number under a key.
    pub(super) fn number(&self, key: &str) -> f64 {
        self.get(key).as_number()
    }

    /// The whole number under a key.
    pub(super) fn whole(&self, key: &str) -> u32 {
        let place = self.get(key);
        let found = place.value().as_u64().and_then(|n| u32::try_from(n).ok());
        if found.is_none() {
            place.wrong("a whole number from 0 to 4294967295");
        }
        found.unwrap_or_default()
    }

    /// The text under a key.
    pub(super) fn text(&self, key: &str) -> &'a str {
        let place = self.get(key);
        let found = place.value().as_str();
        if found.is_none() {
            place.wrong("a text");
        }
        found.unwrap_or_default()
    }

    /// The entries of a list here.
    pub(super) fn entries(&self) -> Vec<Self> {
        let Some(list) = self.value().as_array() else {
            self.wrong("a list");
            return Vec::new();
        };
        let entry = |(k, value)| Self {
            at: Some(value),
            path: format!("{}[{k}]", self.path),
            problems: self.problems,
        };
        list.iter().enumerate().map(entry).collect()
    }

    /// The entries of the list under a key.
    pub(super) fn list(&self, key: &str) -> Vec<Self> {
        self.get(key).entries()
    }

    /// The keys of an object here, with their values.
    pub(super) fn fields(&self) -> Vec<(&'a str, Self)> {
        let Some(object) = self.value().as_object() else {
            self.wrong("an object");
            return Vec::new();
        };
        let field = |(key, value): (&'a String, &'a Value)| {
            (key.as_str(), Self { at: Some(value), path: self.place(key), problems: self.problems })
        };
        object.iter().map(field).collect()
    }
}
