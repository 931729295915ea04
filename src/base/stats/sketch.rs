//! A distribution in bounded memory: counts of whole numbers in bins whose width grows with the number. Count, mean, smallest and
//! largest value are exact, percentiles are estimates with a bounded relative error. Sums of two sketches are the sketch of all
//! their values, so the order of values and of merges changes nothing.

use super::Summary;
use super::dist::summary_of;
use super::histogram::{bin_of, edges};
use crate::multiply::wide_product;
use serde::{Deserialize, Serialize};

/// Bins from one power of two to the next, as a power of two. Values below twice as many have a bin each.
const FINENESS: u32 = 7;

/// The largest relative error of a percentile: half a bin over its lower edge.
pub const RELATIVE_ERROR: f64 = 1.0 / (1 << (FINENESS + 1)) as f64;

/// How many values fell into each bin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sketch {
    /// The bin of the smallest value.
    first: u32,
    /// From there to the bin of the largest value.
    bins: Vec<u64>,
    count: u64,
    /// Wide: a million million gaps of a century each are more than 2^64 microseconds.
    sum: u128,
    min: u64,
    max: u64,
}

impl Sketch {
    /// Adds `count` times `value`.
    #[inline]
    pub fn add(&mut self, value: u64, count: u64) {
        if count == 0 {
            return;
        }
        let bin = bin_of::<FINENESS>(value) as u32;
        self.reach([bin, bin]);
        self.bins[(bin - self.first) as usize] += count;
        self.note([value, value], count, wide_product(value, count));
    }

    /// Adds all values of another sketch.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        self.reach([other.first, other.first + other.bins.len() as u32 - 1]);
        for (bin, count) in (other.first..).zip(&other.bins) {
            self.bins[(bin - self.first) as usize] += count;
        }
        self.note([other.min, other.max], other.count, other.sum);
    }

    /// Has bins from one to the other, both included.
    #[inline]
    fn reach(&mut self, [low, high]: [u32; 2]) {
        if self.bins.is_empty() {
            self.first = low;
        }
        if low < self.first {
            self.bins.splice(0..0, std::iter::repeat_n(0, (self.first - low) as usize));
            self.first = low;
        }
        let needed = (high - self.first) as usize + 1;
        if needed > self.bins.len() {
            self.bins.resize(needed, 0);
        }
    }

    #[inline]
    fn note(&mut self, [min, max]: [u64; 2], count: u64, sum: u128) {
        self.min = if self.count == 0 { min } else { self.min.min(min) };
        self.max = self.max.max(max);
        self.count += count;
        self.sum += sum;
    }

    /// The figures of the distribution; percentiles are off by [`RELATIVE_ERROR`] at most.
    pub fn summary(&self) -> Summary {
        let middle = |bin: u32| {
            let [low, high] = edges::<FINENESS>(bin as usize);
            (low + (high - low) / 2).clamp(self.min, self.max)
        };
        let filled = (self.first..).zip(&self.bins).filter(|(_, count)| **count > 0);
        let runs: Vec<(u64, u64)> = filled.map(|(bin, count)| (middle(bin), *count)).collect();
        if runs.is_empty() {
            return Summary::default();
        }
        Summary { min: self.min as f64, max: self.max as f64, ..summary_of(&runs, self.sum) }
    }

    /// About how many bytes a copy takes.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.bins) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::RunLength;

    /// Values from microseconds to hours, most of them in the middle.
    fn values(n: u64, seed: u64) -> impl Iterator<Item = u64> {
        (0..n).map(move |k| {
            let mixed = (k + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
            ((mixed % 1009 + 1) * (mixed % 997 + 1)) << (mixed % 13)
        })
    }

    #[test]
    fn percentiles_are_within_the_bound_and_the_rest_is_exact() {
        for n in [1, 2, 3, 100, 40_000] {
            let (mut sketch, mut exact) = (Sketch::default(), RunLength::default());
            for value in values(n, n) {
                sketch.add(value, 1 + value % 3);
                exact.add(value, 1 + value % 3);
            }
            let (found, is) = (sketch.summary(), exact.summary());
            assert_eq!((found.count, found.mean, found.min, found.max), (is.count, is.mean, is.min, is.max));
            let pairs = [
                (found.p50, is.p50),
                (found.p75, is.p75),
                (found.p90, is.p90),
                (found.p95, is.p95),
                (found.p99, is.p99),
            ];
            for (estimate, value) in pairs {
                assert!((estimate - value).abs() <= value * RELATIVE_ERROR, "{estimate} for {value} of {n}");
            }
        }
    }

    #[test]
    fn parts_in_any_order_make_the_whole() {
        let (mut whole, mut parts) = (Sketch::default(), vec![Sketch::default(); 3]);
        for (k, value) in (0..).zip(values(5000, 7)) {
            whole.add(value, 1);
            parts[k % 3].add(value, 1);
        }
        for order in [[0, 1, 2], [2, 0, 1]] {
            let mut sum = Sketch::default();
            for k in order {
                sum.merge(&parts[k]);
            }
            assert_eq!(sum, whole);
        }
        whole.merge(&Sketch::default());
        let bytes = postcard::to_stdvec(&whole).expect("plain data");
        assert_eq!(postcard::from_bytes::<Sketch>(&bytes).expect("the same bytes"), whole);
    }

    #[test]
    fn small_values_are_exact_and_nothing_has_no_figures() {
        let mut sketch = Sketch::default();
        assert_eq!(sketch.summary(), Summary::default());
        sketch.add(9, 0);
        assert_eq!(sketch, Sketch::default());
        for value in [255, 0, 1, 254] {
            sketch.add(value, 1);
        }
        let s = sketch.summary();
        assert_eq!((s.min, s.p50, s.max), (0.0, 127.5, 255.0));
        sketch.add(u64::MAX, 1);
        assert!((sketch.summary().max / u64::MAX as f64 - 1.0).abs() < 1e-12);
    }
}
