//! What all tables of rows share: how one is begun, and what its columns are.

use super::rows::Rows;
use super::sheet::{Field, Sheet, Target};
use document::Scenario;

/// A format of rows that are written for other programs.
pub(super) trait Export {
    /// Its name, that of the option of the command line.
    fn name(&self) -> &'static str;
    /// Its columns, in order.
    fn columns(&self) -> Vec<Column>;
    /// Begins a file.
    fn begin(&self, run: Begun<'_>) -> Box<dyn Rows>;
}

/// What is known of a run before its first event, and the destination of a file of its rows.
pub(super) struct Begun<'a> {
    /// The document as the run begins, and after each of its edits.
    pub(super) course: &'a [Scenario],
    /// Names of pools by number, including pools that edits add.
    pub(super) pools: Vec<String>,
    /// Candidates of a decision that are written beside the chosen one.
    pub(super) candidates: u32,
    /// Whether the gaps between the tokens of each request are kept.
    pub(super) gaps: bool,
    pub(super) to: Target,
}

impl Begun<'_> {
    /// The file of a table with these columns.
    pub(super) fn sheet<'f, F: 'f>(self, fields: impl IntoIterator<Item = &'f Field<F>>) -> Sheet {
        let names: Vec<&str> = fields.into_iter().map(|f| f.name).collect();
        Sheet::new(self.to, &names)
    }
}

/// The columns of fields.
pub(super) fn columns_of<F>(fields: &[Field<F>]) -> Vec<Column> {
    fields.iter().map(|f| Column { name: f.name, unit: f.unit, help: f.help }).collect()
}

/// A column of a table, for its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// The unit of its values; empty if they have none.
    pub unit: &'static str,
    /// What it says.
    pub help: &'static str,
}
