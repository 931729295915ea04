//! The keys of an object within a flag.

use crate::import::configuration::Reader;
use crate::import::configuration::mapping::{Mapping, Standing};
use crate::import::configuration::merge::shown;
use base::{Diagnostic, alike};
use serde_json::{Map, Value};

/// An object within a flag, whose keys get rows.
pub(crate) struct Keys<'a> {
    /// The path of the object.
    pub(crate) at: String,
    pub(crate) said: &'a Map<String, Value>,
}

impl<'a> Keys<'a> {
    /// The object of a key.
    pub(crate) fn inner(&self, key: &str) -> Option<Keys<'a>> {
        let said = self.said.get(key)?.as_object()?;
        Some(Keys { at: format!("{}.{key}", self.at), said })
    }

    /// The objects of a list.
    pub(crate) fn list(&self, key: &str) -> Vec<Keys<'a>> {
        let all = self.said.get(key).and_then(Value::as_array).into_iter().flatten().enumerate();
        all.filter_map(|(i, entry)| {
            Some(Keys { at: format!("{}.{key}.{i}", self.at), said: entry.as_object()? })
        })
        .collect()
    }

    /// The path of a key.
    pub(crate) fn path(&self, key: &str) -> String {
        format!("{}.{key}", self.at)
    }

    /// Gives a key its row, if it is there.
    pub(crate) fn row(&self, r: &mut Reader<'_>, key: &str, standing: Standing, becomes: &str) {
        let Some(value) = self.said.get(key) else { return };
        let (key, found, becomes) = (self.path(key), shown(value), becomes.to_owned());
        r.mappings.push(Mapping { key, found, standing, becomes, ..Mapping::default() });
    }

    /// A key without a counterpart.
    pub(crate) fn ignore(&self, r: &mut Reader<'_>, key: &str, why: &str) {
        self.row(r, key, Standing::Ignored, &format!("no counterpart: {why}"));
    }

    /// Reports a value of another type or range; it is left out.
    pub(crate) fn refuse(&self, r: &mut Reader<'_>, key: &str, allowed: &str, fix: &str) {
        let found = self.said.get(key).map_or_else(|| "nothing".to_owned(), shown);
        r.problems.push(Diagnostic::error(self.path(key), found, allowed, fix));
    }

    /// A whole number in a range; another value is an error.
    pub(crate) fn whole(&self, r: &mut Reader<'_>, key: &str, [least, most]: [u64; 2]) -> Option<u64> {
        let found = self.said.get(key)?.as_u64().filter(|n| (least..=most).contains(n));
        if found.is_none() {
            self.refuse(r, key, &format!("a whole number, {least} to {most}"), "write a value in this range");
        }
        found
    }

    /// A switch; another value is an error.
    pub(crate) fn switch(&self, r: &mut Reader<'_>, key: &str) -> Option<bool> {
        let found = match self.said.get(key)? {
            Value::Bool(on) => Some(*on),
            Value::String(text) => text.to_ascii_lowercase().parse().ok(),
            Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
        };
        if found.is_none() {
            self.refuse(r, key, "true or false", "write one of the two");
        }
        found
    }

    /// A text.
    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        self.said.get(key)?.as_str()
    }

    /// Gives each key that is not among the known ones a row and a warning.
    pub(crate) fn unknown(&self, r: &mut Reader<'_>, known: &[&str]) {
        for (key, value) in self.said.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
            let nearest = alike::nearest(key, known.iter().copied()).unwrap_or_default().to_owned();
            let fix = if nearest.is_empty() {
                "it may be newer than this reader".to_owned()
            } else {
                format!("correct it if `{nearest}` is meant")
            };
            let (path, found) = (self.path(key), shown(value));
            let what = format!("an unknown key, which is left out: {found}");
            r.problems.push(Diagnostic::warning(path.clone(), what, "the keys of this connector", fix));
            let (standing, becomes) = (Standing::Unknown, "not known here".to_owned());
            r.mappings.push(Mapping { key: path, found, standing, becomes, nearest, ..Mapping::default() });
        }
    }
}
