//! Packed rows of numbers, column by column: a column with the same number in all rows takes no room; any other takes
//! the bits that its largest number needs beyond the smallest.

use crate::bits::{BitReader, BitWriter};

/// Rows of `N` numbers.
#[derive(Debug)]
pub struct Columns<const N: usize> {
    /// By column: the smallest number, and the bits of the excess over it.
    low: [u64; N],
    width: [u32; N],
    row_bits: u32,
    rows: Box<[u64]>,
}

impl<const N: usize> Columns<N> {
    /// Packs these rows.
    pub fn new(rows: &[[u64; N]]) -> Self {
        let mut low = rows.first().copied().unwrap_or([0; N]);
        let mut differs = [0; N];
        for row in rows {
            for ((differs, n), first) in differs.iter_mut().zip(row).zip(&low) {
                *differs |= n ^ first;
            }
        }
        // Most columns are the same in all rows; for these, this is the only cost.
        let varied: Vec<usize> = (0..N).filter(|&i| differs[i] != 0).collect();
        let mut width = [0; N];
        for &i in &varied {
            let column = || rows.iter().map(|row| row[i]);
            let (smallest, largest) = column().fold((low[i], low[i]), |(s, l), n| (s.min(n), l.max(n)));
            low[i] = smallest;
            width[i] = u64::BITS - (largest - smallest).leading_zeros();
        }
        let mut out = BitWriter::default();
        out.reserve(u64::from(width.iter().sum::<u32>()) * rows.len() as u64);
        for row in rows {
            for &i in &varied {
                out.push(row[i] - low[i], width[i]);
            }
        }
        Self { low, width, row_bits: width.iter().sum(), rows: out.finish() }
    }

    /// A row.
    pub fn get(&self, row: usize) -> [u64; N] {
        let mut from = BitReader::at(&self.rows, row as u64 * u64::from(self.row_bits));
        let mut n = self.low;
        for (n, &width) in n.iter_mut().zip(&self.width) {
            if width > 0 {
                *n += from.take(width);
            }
        }
        n
    }

    /// One number of a row.
    pub fn number(&self, row: usize, column: usize) -> u64 {
        if self.width[column] == 0 {
            return self.low[column];
        }
        let before: u32 = self.width[..column].iter().sum();
        let bit = row as u64 * u64::from(self.row_bits) + u64::from(before);
        self.low[column] + BitReader::at(&self.rows, bit).take(self.width[column])
    }

    /// Bytes of all its rows.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + 8 * self.rows.len()
    }
}

/// Difference of `value` from the expected one, with the sign as the lowest bit.
pub fn change(value: u64, expected: u64) -> u64 {
    let by = value.wrapping_sub(expected) as i64;
    (by << 1 ^ by >> 63) as u64
}

/// The value with this difference from the expected one.
pub fn changed(change: u64, expected: u64) -> u64 {
    expected.wrapping_add(change >> 1 ^ (change & 1).wrapping_neg())
}

/// The same for a value that can be unknown, which becomes 0. Instants and spans lie below 2^53.
pub fn known_change(value: Option<u64>, expected: u64) -> u64 {
    value.map_or(0, |value| change(value, expected) + 1)
}

/// The value with this difference from the expected one, if it is known.
pub fn known_changed(number: u64, expected: u64) -> Option<u64> {
    number.checked_sub(1).map(|number| changed(number, expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_and_constant_columns_take_no_room() {
        let rows: Vec<[u64; 4]> = (0..100).map(|i| [7, i * i, u64::MAX - i, 1 << (i % 64)]).collect();
        let all = Columns::new(&rows);
        for (i, row) in rows.iter().enumerate() {
            assert_eq!(all.get(i), *row);
            assert!((0..4).all(|column| all.number(i, column) == row[column]));
        }
        assert_eq!(Columns::<4>::new(&[]).bytes(), size_of::<Columns<4>>());
        assert_eq!(Columns::new(&[[5, u64::MAX]; 50]).bytes(), size_of::<Columns<2>>());
    }

    #[test]
    fn changes_go_both_ways() {
        for (value, expected) in [(0, 0), (3, 9), (9, 3), (u64::MAX, 0), (0, u64::MAX), (1 << 63, 1)] {
            assert_eq!(changed(change(value, expected), expected), value);
        }
        assert_eq!(known_changed(known_change(None, 9), 9), None);
        assert_eq!(known_changed(known_change(Some(4), 9), 9), Some(4));
        assert_eq!((change(5, 6), change(7, 6)), (1, 2));
    }
}
