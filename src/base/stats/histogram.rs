//! A histogram: counts of whole numbers in bins whose width grows with the number. Memory and time do not grow with
//! the number of values.

use serde::{Deserialize, Serialize};

/// Bins from one power of two to the next, as a power of two: a bin is at most 1/64, or 1.6 %, wider than its lower edge.
const FINENESS: u32 = 6;

/// How many values fell into each bin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Up to the bin of the largest value.
    bins: Vec<u64>,
    count: u64,
}

/// The bin of a value, of 2^`FINE` bins from one power of two to the next. Values below 2^(`FINE` + 1) have a bin each.
pub(super) fn bin_of<const FINE: u32>(value: u64) -> usize {
    let octave = value.checked_ilog2().unwrap_or(0).saturating_sub(FINE);
    ((u64::from(octave) << FINE) + (value >> octave)) as usize
}

/// The smallest and the largest value of a bin.
pub(super) fn edges<const FINE: u32>(bin: usize) -> [u64; 2] {
    let octave = (bin as u64 >> FINE).saturating_sub(1);
    let lower = bin as u64 - (octave << FINE);
    [lower << octave, (lower << octave) + ((1 << octave) - 1)]
}

/// The largest value of a bin.
fn upper_edge(bin: usize) -> u64 {
    edges::<FINENESS>(bin)[1]
}

impl Histogram {
    /// Adds a value.
    pub fn add(&mut self, value: u64) {
        let bin = bin_of::<FINENESS>(value);
        if bin >= self.bins.len() {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] += 1;
        self.count += 1;
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The largest value of each non-empty bin with the count of the bin, ascending. Cumulative counts up to such a
    /// value are exact.
    pub fn bins(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        (0..).zip(&self.bins).filter(|&(_, &n)| n > 0).map(|(bin, &n)| (upper_edge(bin), n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_follow_each_other_and_hold_what_lies_up_to_their_edge() {
        let mut value = 0;
        for bin in 0..3072 {
            assert_eq!(bin_of::<FINENESS>(value), bin, "the first value of bin {bin}");
            let last = upper_edge(bin);
            assert_eq!(bin_of::<FINENESS>(last), bin, "the last value of bin {bin}");
            assert!((last - value) << FINENESS <= value, "bin {bin} from {value} to {last} is too wide");
            value = last + 1;
        }
        assert!(value >= 1 << 52, "the largest instant has a bin");
    }

    #[test]
    fn sums_up_to_an_edge_are_exact() {
        let values: Vec<u64> = (0..1000).map(|k| k * k * 7919 % 1_000_003).collect();
        let mut h = Histogram::default();
        for &v in &values {
            h.add(v);
        }
        let mut passed = 0;
        for (edge, n) in h.bins() {
            passed += n;
            assert_eq!(passed, values.iter().filter(|&&v| v <= edge).count() as u64, "up to {edge}");
        }
        assert_eq!((passed, h.count()), (1000, 1000));
    }
}
