//! Columns of names, such as models and tenants: each name once, and its number for each row.

use super::select::picked;
use base::digest::Digest;
use base::lookup::LookupMap;
use serde::{Deserialize, Serialize};

/// A column of names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Interned {
    names: Vec<String>,
    /// By row: 0 for none, otherwise the position of its name plus 1. Empty while no row has one.
    rows: Vec<u32>,
}

/// A column of names while the trace is read.
#[derive(Debug)]
pub(super) struct InternedColumn {
    column: Interned,
    /// By digest of the name.
    numbers: LookupMap<u64, u32>,
    /// The name of the latest row and its number: neighbours mostly have the same.
    latest: (String, u32),
    most: usize,
}

impl Interned {
    /// The number of the name of a row.
    pub(super) fn of(&self, row: usize) -> u32 {
        self.rows.get(row).copied().unwrap_or(0)
    }

    /// Whether every number has a name, and every row a number if there are any.
    pub(super) fn is_whole(&self, rows: usize) -> bool {
        (self.rows.is_empty() || self.rows.len() == rows)
            && self.rows.iter().all(|&number| number as usize <= self.names.len())
    }

    /// Those of some rows; the names keep their numbers.
    pub(super) fn picked(&self, rows: &[u32]) -> Self {
        Self { names: self.names.clone(), rows: picked(&self.rows, rows) }
    }

    /// The names, in order of appearance.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }
}

impl InternedColumn {
    /// A column of at most `most` different names.
    pub(super) fn of_at_most(most: usize) -> Self {
        Self { column: Interned::default(), numbers: LookupMap::default(), latest: (String::new(), 0), most }
    }

    /// The number of a name, 0 for an empty one; `None` if there are too many names.
    pub(super) fn number_of(&mut self, name: &str) -> Option<u32> {
        if name == self.latest.0 {
            return Some(self.latest.1);
        }
        if name.is_empty() {
            return Some(0);
        }
        let key = Digest::of(name.as_bytes()).value();
        let number = match self.numbers.get(key) {
            Some(known) => known,
            None if self.column.names.len() >= self.most => return None,
            None => {
                self.column.names.push(name.to_owned());
                let number = self.column.names.len() as u32;
                self.numbers.insert(key, number);
                number
            }
        };
        self.latest = (name.to_owned(), number);
        Some(number)
    }

    /// Sets the number of row `row`.
    pub(super) fn push(&mut self, row: usize, number: u32) {
        let rows = &mut self.column.rows;
        if number > 0 || !rows.is_empty() {
            rows.resize(row, 0);
            rows.push(number);
        }
    }

    /// The column, in the order of `order` (without it, in the order of the file).
    pub(super) fn finish(mut self, rows: usize, order: Option<&[u32]>) -> Interned {
        if !self.column.rows.is_empty() {
            self.column.rows.resize(rows, 0);
            if let Some(order) = order {
                self.column.rows = order.iter().map(|&row| self.column.rows[row as usize]).collect();
            }
        }
        self.column
    }
}
