//! Counts by bucket of a [`super::Timeline`] and by bin of a logarithmic axis: eight bins from one power of two to the next, whose
//! edges are found by comparing whole numbers.

use crate::Chunks;
use serde::{Deserialize, Serialize};

/// Bins from one power of two to the next.
pub const BINS_PER_OCTAVE: usize = 8;

/// 2^63 · 2^(k/8), rounded up.
const EDGES: [u64; BINS_PER_OCTAVE] = [
    9_223_372_036_854_775_808,
    10_058_158_527_438_640_871,
    10_968_499_650_544_839_024,
    11_961_233_684_655_323_371,
    13_043_817_825_332_782_213,
    14_224_384_202_002_324_190,
    15_511_800_964_685_064_949,
    16_915_738_899_553_466_671,
];

/// 2^(k/8).
const STEPS: [f64; BINS_PER_OCTAVE] = [
    1.0,
    1.090_507_732_665_257_7,
    1.189_207_115_002_721,
    1.296_839_554_651_009_6,
    std::f64::consts::SQRT_2,
    1.542_210_825_407_940_7,
    1.681_792_830_507_429,
    1.834_008_086_409_342_4,
];

/// The bin of a value; 0 lies in the bin of 1.
pub fn log_bin(value: u64) -> usize {
    let value = value.max(1);
    let octave = value.ilog2();
    let scaled = value << (63 - octave);
    octave as usize * BINS_PER_OCTAVE + EDGES.partition_point(|&edge| edge <= scaled) - 1
}

/// The lower edge of a bin: the upper one of the bin before.
pub fn log_edge(bin: usize) -> f64 {
    let octave = (bin / BINS_PER_OCTAVE).min(63);
    (1_u64 << octave) as f64 * STEPS[bin % BINS_PER_OCTAVE]
}

/// Values counted by bucket and bin. Bins without a value take no memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BinCounts {
    /// Bins and their counts, one closed bucket after the other.
    closed: Chunks<(u16, u32)>,
    /// By closed bucket: the number of entries up to its end.
    ends: Vec<u32>,
    /// By bin: counts of the open bucket.
    open: Vec<u32>,
}

impl BinCounts {
    /// Counts a value `count` times in the open bucket.
    pub fn add(&mut self, value: u64, count: u32) {
        if count == 0 {
            return;
        }
        let bin = log_bin(value);
        if bin >= self.open.len() {
            self.open.resize(bin + 1, 0);
        }
        self.open[bin] = self.open[bin].saturating_add(count);
    }

    /// Follows the timeline, which has closed a bucket and, if `doubled`, merged every two.
    pub fn follow(&mut self, doubled: bool) {
        for (bin, count) in (0..).zip(&mut self.open) {
            if *count > 0 {
                self.closed.push((bin, std::mem::take(count)));
            }
        }
        self.ends.push(self.closed.len() as u32);
        if doubled {
            self.merge();
        }
    }

    fn merge(&mut self) {
        let mut merged = Self::default();
        for pair in 0..self.ends.len() / 2 {
            for bucket in [2 * pair, 2 * pair + 1] {
                self.of_closed(bucket, |bin, count| {
                    if bin >= merged.open.len() {
                        merged.open.resize(bin + 1, 0);
                    }
                    merged.open[bin] = merged.open[bin].saturating_add(count);
                });
            }
            merged.follow(false);
        }
        *self = merged;
    }

    fn of_closed(&self, bucket: usize, mut each: impl FnMut(usize, u32)) {
        let from = bucket.checked_sub(1).map_or(0, |before| self.ends[before]);
        for entry in from..self.ends[bucket] {
            let (bin, count) = self.closed[entry as usize];
            each(bin.into(), count);
        }
    }

    /// Number of buckets, the open one included.
    pub fn buckets(&self) -> usize {
        self.ends.len() + 1
    }

    /// The bins of a bucket with their counts, from the lowest up.
    pub fn bucket(&self, bucket: usize, mut each: impl FnMut(usize, u32)) {
        if bucket < self.ends.len() {
            self.of_closed(bucket, each);
        } else if bucket == self.ends.len() {
            for (bin, &count) in self.open.iter().enumerate().filter(|(_, count)| **count > 0) {
                each(bin, count);
            }
        }
    }

    /// Bytes of the counts not shared with `later`, which continued from a copy.
    pub fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        self.closed.bytes_beside(later.map(|l| &l.closed)) + 4 * (self.ends.len() + self.open.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_holds_what_lies_between_its_edges() {
        for value in (0..5000).chain((0..51).flat_map(|k| [(1 << k) - 1, 1 << k, (1 << k) + 1, 3 << k])) {
            let bin = log_bin(value);
            let real = value.max(1) as f64;
            assert!(log_edge(bin) <= real && real < log_edge(bin + 1), "{value} in bin {bin}");
        }
        assert_eq!([1, 2, 4, 5].map(log_bin), [0, 8, 16, 18], "5 is above 4 · 2^(2/8)");
    }

    fn all(counts: &BinCounts) -> Vec<Vec<(usize, u32)>> {
        let of = |bucket| {
            let mut out = Vec::new();
            counts.bucket(bucket, |bin, count| out.push((bin, count)));
            out
        };
        (0..counts.buckets()).map(of).collect()
    }

    #[test]
    fn buckets_merge_with_the_timeline_and_lose_nothing() {
        let mut counts = BinCounts::default();
        for (value, count) in [(4, 3), (1, 1), (4, 2), (2, 0)] {
            counts.add(value, count);
        }
        counts.follow(false);
        counts.add(2, 7);
        counts.add(4, 1);
        assert_eq!(all(&counts), [vec![(0, 1), (16, 5)], vec![(8, 7), (16, 1)]]);
        counts.follow(true);
        assert_eq!(all(&counts), [vec![(0, 1), (8, 7), (16, 6)], vec![]]);
        counts.add(1, 2);
        assert_eq!(all(&counts)[1..], [vec![(0, 2)]]);
        assert_eq!(all(&counts).len(), 2);
    }

    #[test]
    fn a_full_count_stays_full() {
        let mut counts = BinCounts::default();
        counts.add(9, u32::MAX);
        counts.add(9, 5);
        assert_eq!(all(&counts), [vec![(25, u32::MAX)]]);
    }
}
