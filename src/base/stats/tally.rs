//! An exact distribution of mostly small whole numbers: each small value has its own counter, so that adding a value
//! is one addition.

use super::dist::{RunLength, Summary, push_pairs, summary_of, take_pairs};
use crate::bits::{BitReader, BitWriter};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Values below this have counters.
const SMALL: u64 = 1 << 16;

/// A multiset of values. Serialised as the small values that occur, with their counts, and the large ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// By value, up to the largest small one.
    counters: Vec<u64>,
    large: RunLength,
}

impl Tally {
    /// Adds `count` times `value`.
    #[inline]
    pub fn add(&mut self, value: u64, count: u64) {
        if value < self.counters.len() as u64 {
            self.counters[value as usize] += count;
        } else {
            self.add_beyond(value, count);
        }
    }

    /// Adds a value without a counter: a new small one or a large one.
    #[cold]
    #[inline(never)]
    fn add_beyond(&mut self, value: u64, count: u64) {
        if value >= SMALL {
            self.large.add(value, count);
        } else if count > 0 {
            self.counters.resize(value as usize + 1, 0);
            self.counters[value as usize] = count;
        }
    }

    /// All small values with their counts, in order.
    fn small(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        (0..).zip(&self.counters).filter(|(_, count)| **count > 0).map(|(value, count)| (value, *count))
    }

    /// All values with their counts, in order.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub fn values(&self) -> Vec<(u64, u64)> {
        let large = self.large.sorted();
        self.small().chain(large).collect()
    }

    /// The figures of the distribution.
    pub fn summary(&self) -> Summary {
        let mut runs: Vec<(u64, u64)> = self.small().collect();
        let small: u128 = runs.iter().map(|&(value, count)| u128::from(value) * u128::from(count)).sum();
        runs.extend(self.large.sorted());
        summary_of(&runs, small + self.large.sum())
    }

    fn enter(&mut self, small: Vec<(u64, u64)>) {
        for (value, count) in small {
            self.add(value, count);
        }
    }

    /// Writes its values and clears them.
    pub fn pack(&mut self, out: &mut BitWriter) {
        push_pairs(out, &self.small().collect::<Vec<_>>());
        self.counters = Vec::new();
        self.large.pack(out);
    }

    /// Restores the written values.
    pub fn unpack(&mut self, from: &mut BitReader) {
        self.enter(take_pairs(from));
        self.large.unpack(from);
    }

    /// About how many bytes a copy takes.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.counters) as u64 + self.large.bytes()
    }
}

impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        (self.small().collect::<Vec<_>>(), &self.large).serialize(s)
    }
}

impl<'de> Deserialize<'de> for Tally {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let (small, large) = Deserialize::deserialize(d)?;
        let mut tally = Self { counters: Vec::new(), large };
        tally.enter(small);
        Ok(tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_has_the_figures_of_its_values() {
        let (mut tally, mut plain) = (Tally::default(), RunLength::default());
        assert_eq!(tally.summary(), plain.summary());
        for k in 0..5_000_u64 {
            let value = [k * 7919 % 977, SMALL - 1 - k % 3, SMALL + k % 5, k << 40][(k % 4) as usize];
            tally.add(value, k % 4);
            plain.add(value, k % 4);
            if k % 1000 == 7 {
                let mut out = BitWriter::default();
                let before = tally.clone();
                tally.pack(&mut out);
                tally.unpack(&mut BitReader::new(&out.finish()));
                assert_eq!(tally, before);
                let text = serde_json::to_string(&tally).expect("numbers");
                assert_eq!(serde_json::from_str::<Tally>(&text).expect("the same text"), before);
                assert_eq!(tally.summary(), plain.summary());
            }
        }
        assert_eq!(tally.summary(), plain.summary());
    }
}
