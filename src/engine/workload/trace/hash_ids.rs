//! Hash ids of the blocks of prompts, of all rows in one column. Most ids follow the one before, so differences are
//! written, in as few bytes as they need.

use super::select::reordered;
use serde::{Deserialize, Serialize};

/// Bits of a number in a byte; the highest bit says that another byte follows.
const BITS: u32 = 7;
const MORE: u8 = 1 << BITS;

/// The ids of all rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HashIds {
    /// Differences of neighbours, the first of a row to 0.
    bytes: Vec<u8>,
    /// Where the ids of each row begin, and how many there are. Empty while no row has any.
    rows: Vec<(u32, u32)>,
    /// How many rows were pushed.
    pushed: usize,
}

impl HashIds {
    /// Adds the ids of the next row.
    pub(super) fn push(&mut self, ids: &[u64]) {
        self.pushed += 1;
        if ids.is_empty() && self.rows.is_empty() {
            return;
        }
        self.rows.resize(self.pushed - 1, (0, 0));
        self.rows.push((self.bytes.len() as u32, ids.len() as u32));
        let mut before = 0u64;
        for &id in ids {
            let difference = id.wrapping_sub(before).cast_signed();
            // Small differences of either sign become small numbers.
            let mut number = ((difference << 1) ^ (difference >> 63)).cast_unsigned();
            while number >= u64::from(MORE) {
                self.bytes.push(number as u8 | MORE);
                number >>= BITS;
            }
            self.bytes.push(number as u8);
            before = id;
        }
    }

    /// Whether any row has an id.
    pub(super) fn any(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Whether the ids of every row of a trace of `rows` rows are present.
    pub(super) fn is_whole(&self, rows: usize) -> bool {
        let inside =
            |&(first, count): &(u32, u32)| u64::from(first) + u64::from(count) <= self.bytes.len() as u64;
        (self.rows.is_empty() || self.rows.len() == rows) && self.rows.iter().all(inside)
    }

    /// Puts the rows into another order.
    pub(super) fn reorder(&mut self, order: &[u32]) {
        self.rows = reordered(&self.rows, order);
    }

    /// The ids of some rows, and no others.
    pub(super) fn picked(&self, rows: &[u32]) -> Self {
        let mut picked = Self::default();
        let mut ids = Vec::new();
        for &row in rows {
            ids.clear();
            self.for_each(row as usize, |id| ids.push(id));
            picked.push(&ids);
        }
        picked
    }

    /// How many leading ids two rows have in common.
    pub(super) fn common(&self, a: usize, b: usize) -> u32 {
        let ids = |row: usize| {
            let mut ids = Vec::new();
            self.for_each(row, |id| ids.push(id));
            ids
        };
        ids(a).iter().zip(&ids(b)).take_while(|(a, b)| a == b).count() as u32
    }

    /// Calls `f` with each id of `row`, in order.
    pub(super) fn for_each(&self, row: usize, mut f: impl FnMut(u64)) {
        let Some(&(first, count)) = self.rows.get(row) else { return };
        let mut bytes = self.bytes[first as usize..].iter();
        let mut before = 0u64;
        for _ in 0..count {
            let (mut number, mut shift) = (0u64, 0);
            for &byte in bytes.by_ref() {
                number |= u64::from(byte & !MORE).wrapping_shl(shift);
                shift += BITS;
                if byte & MORE == 0 {
                    break;
                }
            }
            let difference = (number >> 1) ^ 0u64.wrapping_sub(number & 1);
            before = before.wrapping_add(difference);
            f(before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_whatever_they_are() {
        let rows: [&[u64]; 6] =
            [&[], &[0, 1, 2, 3], &[u64::MAX, 0, u64::MAX - 1], &[7], &[], &[1 << 63, 127, 128, 1 << 32, 64]];
        let mut column = HashIds::default();
        for ids in rows {
            column.push(ids);
        }
        assert!(column.is_whole(rows.len()) && column.any());
        let of = |column: &HashIds, row: usize| {
            let mut ids = Vec::new();
            column.for_each(row, |id| ids.push(id));
            ids
        };
        (0..rows.len()).for_each(|row| assert_eq!(of(&column, row), rows[row]));
        column.reorder(&[5, 4, 3, 2, 1, 0]);
        (0..rows.len()).for_each(|row| assert_eq!(of(&column, row), rows[5 - row]));
    }

    #[test]
    fn ids_that_follow_each_other_take_a_byte() {
        let mut column = HashIds::default();
        column.push(&(1_000_000..1_000_100).collect::<Vec<u64>>());
        assert_eq!(column.bytes.len(), 3 + 99);
    }
}
