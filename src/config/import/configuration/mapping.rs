//! The result of one key of a source.

use crate::import::documents::Place;
use serde::Serialize;

/// How a key stands to the scenario.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// The same meaning.
    #[default]
    Exact,
    /// Nearly the same meaning; the text says how it differs.
    Near,
    /// Known, and without a counterpart; the text says why.
    Ignored,
    /// Not known.
    Unknown,
    /// Two sources give the same field different values.
    Conflict,
    /// A key that gives a document its shape, such as its kind.
    Shape,
}

impl Standing {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Near => "near",
            Self::Ignored => "ignored",
            Self::Unknown => "unknown",
            Self::Conflict => "conflict",
            Self::Shape => "shape",
        }
    }
}

/// The result of one key.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Mapping {
    /// Number of its document, from 0.
    pub document: u32,
    /// Its line in the document, from 1; 0 if it is not in the text.
    pub line: u32,
    /// The column of its first character, from 0.
    pub from: u32,
    /// The column after its last character.
    pub to: u32,
    /// Its path in the source.
    pub key: String,
    /// The path of the last part of its value, if that has a path of its own.
    #[serde(skip)]
    pub(crate) last: String,
    /// Its value in the source.
    pub found: String,
    /// How it stands to the scenario.
    pub standing: Standing,
    /// The scenario's field that it sets, as a path; empty if there is none.
    pub field: String,
    /// The value of that field.
    pub value: String,
    /// The field that it sets, how it differs, or why there is none.
    pub becomes: String,
    /// The known key that an unknown one resembles; empty if it resembles none.
    pub nearest: String,
}

impl Mapping {
    /// Whether a field here has its meaning.
    pub fn has_counterpart(&self) -> bool {
        matches!(self.standing, Standing::Exact | Standing::Near | Standing::Conflict)
    }

    /// One line for the user.
    pub fn line(&self) -> String {
        format!("{}: {} → {}", self.key, self.found, self.becomes)
    }

    /// The path of the last part of the value, if it has one of its own; else nothing.
    pub fn value_at(&self) -> &str {
        &self.last
    }

    /// Sets where it stands in its text, to the end of its value if that is on the same line.
    pub(crate) fn stand(&mut self, place: Place, last: Option<Place>) {
        (self.line, self.from, self.to) = (place.line, place.from, place.to);
        if let Some(last) = last.filter(|last| last.line == place.line) {
            self.to = self.to.max(last.to);
        }
    }
}
