//! The models of a trace's requests: names by number, and a number for each row.

use crate::base::digest::Digest;
use crate::base::lookup::LookupMap;
use serde::{Deserialize, Serialize};

/// Most different models of a trace.
const MOST: usize = 256;

/// The models of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Models {
    names: Vec<String>,
    /// By row: 0 for any model, otherwise the position of its name plus 1. Empty while no row names one.
    rows: Vec<u32>,
}

/// The models of a trace while it is read.
#[derive(Debug, Default)]
pub(super) struct ModelColumn {
    models: Models,
    /// By digest of the name.
    numbers: LookupMap<u64, u32>,
}

impl Models {
    /// The number of the model of a row.
    pub(super) fn of(&self, row: usize) -> u32 {
        self.rows.get(row).copied().unwrap_or(0)
    }

    /// Whether every number has a name.
    pub(super) fn is_whole(&self) -> bool {
        self.rows.iter().all(|&number| number as usize <= self.names.len())
    }

    /// The names, in order of appearance.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }
}

impl ModelColumn {
    /// The number of a model; `None` if there are too many.
    pub(super) fn number_of(&mut self, name: &str) -> Option<u32> {
        if name.is_empty() {
            return Some(0);
        }
        let key = Digest::of(name.as_bytes()).value();
        if let Some(known) = self.numbers.get(key) {
            return Some(known);
        }
        if self.models.names.len() == MOST {
            return None;
        }
        self.models.names.push(name.to_owned());
        let number = self.models.names.len() as u32;
        self.numbers.insert(key, number);
        Some(number)
    }

    /// Sets the model of row number `row`.
    pub(super) fn push(&mut self, row: usize, number: u32) {
        let rows = &mut self.models.rows;
        if number > 0 || !rows.is_empty() {
            rows.resize(row, 0);
            rows.push(number);
        }
    }

    /// The models of all rows, in the order of `order` (without it, in the order of the file).
    pub(super) fn finish(mut self, rows: usize, order: Option<&[u32]>) -> Models {
        if !self.models.rows.is_empty() {
            self.models.rows.resize(rows, 0);
            if let Some(order) = order {
                self.models.rows = order.iter().map(|&row| self.models.rows[row as usize]).collect();
            }
        }
        self.models
    }
}
