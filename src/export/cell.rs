//! Values of rows, for text and for columns alike.

use base::{Micros, Span};
use std::borrow::Cow;

/// A value of a row. Unknown ones are an empty cell in CSV, and null in JSON.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    Unknown,
    Whole(u64),
    Signed(i64),
    Real(f64),
    Text(Cow<'a, str>),
    Flag(bool),
    /// Whole numbers: a list in JSON, between semicolons in CSV.
    Spans(&'a [Span]),
}

impl From<u64> for Cell<'_> {
    fn from(x: u64) -> Self {
        Self::Whole(x)
    }
}

impl From<u32> for Cell<'_> {
    fn from(x: u32) -> Self {
        Self::Whole(x.into())
    }
}

impl From<i64> for Cell<'_> {
    fn from(x: i64) -> Self {
        Self::Signed(x)
    }
}

impl From<f64> for Cell<'_> {
    fn from(x: f64) -> Self {
        Self::Real(x)
    }
}

impl From<bool> for Cell<'_> {
    fn from(x: bool) -> Self {
        Self::Flag(x)
    }
}

impl From<Micros> for Cell<'_> {
    fn from(x: Micros) -> Self {
        Self::Whole(x.0)
    }
}

impl From<Span> for Cell<'_> {
    fn from(x: Span) -> Self {
        Self::Whole(x.0)
    }
}

/// An empty name counts as unknown.
impl<'a> From<Cow<'a, str>> for Cell<'a> {
    fn from(x: Cow<'a, str>) -> Self {
        Self::Text(x)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(x: &'a str) -> Self {
        if x.is_empty() { Self::Unknown } else { Self::Text(Cow::Borrowed(x)) }
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell<'_> {
    fn from(x: Option<T>) -> Self {
        x.map_or(Self::Unknown, Into::into)
    }
}
