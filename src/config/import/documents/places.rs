//! Where the keys of a document stand in its text.

use std::collections::BTreeMap;

/// A part of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line in the document, from 1.
    pub line: u32,
    /// The column of its first character, from 0.
    pub from: u32,
    /// The column after its last character.
    pub to: u32,
}

/// The places of a document's keys by their paths: names and numbers of entries, separated by dots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(BTreeMap<String, Place>);

impl Places {
    /// Sets the place of a path.
    pub fn insert(&mut self, path: String, place: Place) {
        self.0.insert(path, place);
    }

    /// Whether a path has a place of its own.
    pub fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    /// The place of a path, or of the longest path above it.
    pub fn of(&self, path: &str) -> Option<Place> {
        let mut path = path;
        loop {
            if let Some(place) = self.0.get(path) {
                return Some(*place);
            }
            path = &path[..path.rfind('.')?];
        }
    }

    /// Extends the place of a path to the end of another part of the same line.
    pub fn extend(&mut self, path: &str, line: u32, to: u32) {
        if let Some(place) = self.0.get_mut(path).filter(|place| place.line == line) {
            place.to = place.to.max(to);
        }
    }

    /// Adds the places of a text inside the document: `below` is its path, its first line stands at `line`, `columns`
    /// to the right.
    pub fn adopt(&mut self, inner: &Self, below: &str, line: u32, columns: u32) {
        for (path, place) in &inner.0 {
            let place = Place {
                line: place.line + line.saturating_sub(1),
                from: place.from + columns,
                to: place.to + columns,
            };
            self.0.insert(format!("{below}.{path}"), place);
        }
    }

    /// Moves all places down by some lines.
    pub fn shift(&mut self, lines: u32) {
        self.0.values_mut().for_each(|place| place.line += lines);
    }

    /// The places below a path, by their paths from there.
    #[must_use]
    pub fn below(&self, path: &str) -> Self {
        let start = format!("{path}.");
        let own =
            self.0.iter().filter_map(|(key, place)| Some((key.strip_prefix(&start)?.to_owned(), *place)));
        Self(own.collect())
    }
}
