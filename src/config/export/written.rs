//! A file that a writer made.

use crate::export::Row;

/// A file and what became of each setting.
#[derive(Default)]
pub(crate) struct Written {
    /// The file without the comments of this export; empty if there is nothing to write.
    pub(crate) text: String,
    /// What became of each setting.
    pub(crate) rows: Vec<Row>,
    /// Lines of comment at the beginning of a new file.
    pub(crate) head: Vec<String>,
    /// Further lines of comment at the end.
    pub(crate) notes: Vec<String>,
    /// Why there is nothing to write, if that is known.
    pub(crate) nothing: Option<&'static str>,
    /// Why the file beside it was not changed in place.
    pub(crate) not_beside: Option<String>,
    /// Whether the file has no comments, as JSON has none.
    pub(crate) without_comments: bool,
}
