//! Time series with a bounded number of points: when a series is full, every two neighbours are merged.

use super::dist::percentiles_of;
use crate::{Chunks, SortedMap};
use serde::{Deserialize, Serialize};

/// Counters and gauges by bucket of time. Buckets double in width when their number reaches the limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    width_us: u64,
    most: usize,
    /// Counters by name (outer) and bucket (inner); the last bucket is still open.
    counters: Vec<Vec<u64>>,
    /// Gauges by name and closed bucket: the value at the bucket's end.
    gauges: Vec<Vec<u32>>,
    /// Buckets that are closed.
    closed: usize,
}

impl Timeline {
    /// A timeline with `counters` counters and at most `most` buckets (at least two), `width_us` wide at first.
    #[must_use]
    pub fn new(counters: usize, most: u32, width_us: u64) -> Self {
        assert!(width_us > 0, "a bucket has a width");
        Self {
            width_us,
            most: (most as usize).max(2),
            counters: vec![vec![0]; counters],
            gauges: Vec::new(),
            closed: 0,
        }
    }

    /// About how many bytes a copy takes.
    pub fn bytes(&self) -> u64 {
        let points: usize = self.gauges.iter().map(Vec::len).sum();
        (4 * points + 8 * self.counters.len() * (self.closed + 1)) as u64
    }

    /// Width of a bucket in microseconds.
    pub fn width_us(&self) -> u64 {
        self.width_us
    }

    /// How many buckets are closed.
    pub fn closed(&self) -> usize {
        self.closed
    }

    /// End of the open bucket: gauges are due there.
    pub fn boundary_us(&self) -> u64 {
        (self.closed as u64 + 1) * self.width_us
    }

    /// Adds to a counter of the open bucket.
    pub fn count(&mut self, counter: usize, n: u64) {
        self.counters[counter][self.closed] += n;
    }

    /// Closes the open bucket with the gauges' values at its end. Returns whether the width doubled.
    pub fn close(&mut self, gauges: impl Iterator<Item = u32>) -> bool {
        let mut known = 0;
        for (i, value) in gauges.enumerate() {
            if i == self.gauges.len() {
                // A replica added later counts as zero before.
                self.gauges.push(vec![0; self.closed]);
            }
            self.gauges[i].push(value);
            known = i + 1;
        }
        for g in &mut self.gauges[known..] {
            g.push(0);
        }
        self.closed += 1;
        for c in &mut self.counters {
            c.push(0);
        }
        if self.closed < self.most {
            return false;
        }
        self.halve();
        true
    }

    /// Counter values by bucket, the open one last.
    pub fn counter(&self, counter: usize) -> &[u64] {
        &self.counters[counter]
    }

    /// Gauge values by closed bucket.
    pub fn gauge(&self, gauge: usize) -> Option<&[u32]> {
        self.gauges.get(gauge).map(Vec::as_slice)
    }

    fn halve(&mut self) {
        self.width_us *= 2;
        for c in &mut self.counters {
            *c = c.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        for g in &mut self.gauges {
            *g = g.chunks_exact(2).map(|pair| pair[1]).collect();
        }
        self.closed /= 2;
        for c in &mut self.counters {
            c.resize(self.closed + 1, 0);
        }
    }
}

/// The number of values and their 50th, 90th and 99th percentile; `None` without values.
pub type Percentiles = Option<(u64, [f64; 3])>;

/// Marks a value that takes more than four bytes.
const LONG: u32 = u32::MAX;

/// Values in the order in which they became known, and their percentiles by bucket of a [`Timeline`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BucketLog {
    /// In four bytes each; a larger value is stored as `LONG`.
    values: Chunks<u32>,
    /// By position: the values that do not fit.
    long: SortedMap<usize, u64>,
    /// Percentiles of closed buckets, and the number of values up to the end of each.
    closed: Vec<(Percentiles, usize)>,
}

impl BucketLog {
    /// Bytes of the values not shared with `later`, which continued from a copy.
    pub fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        self.values.bytes_beside(later.map(|l| &l.values))
    }

    /// Adds a value to the open bucket.
    pub fn push(&mut self, value: u64) {
        let short = u32::try_from(value).unwrap_or(LONG);
        if short == LONG {
            self.long.insert(self.values.len(), value);
        }
        self.values.push(short);
    }

    /// Follows the timeline, which has closed a bucket and, if `doubled`, merged every two.
    pub fn follow(&mut self, doubled: bool) {
        self.closed.push((self.since_closed(), self.values.len()));
        if !doubled {
            return;
        }
        let mut start = 0;
        let pairs: Vec<usize> = self.closed.chunks_exact(2).map(|pair| pair[1].1).collect();
        let close = |end: usize| {
            let percentiles = self.percentiles(start, end);
            start = end;
            (percentiles, end)
        };
        self.closed = pairs.into_iter().map(close).collect();
    }

    /// The percentiles of each closed bucket, and of the open one last.
    pub fn buckets(&self) -> Vec<Percentiles> {
        self.closed.iter().map(|(percentiles, _)| *percentiles).chain([self.since_closed()]).collect()
    }

    fn since_closed(&self) -> Percentiles {
        self.percentiles(self.closed.last().map_or(0, |(_, end)| *end), self.values.len())
    }

    fn percentiles(&self, start: usize, end: usize) -> Percentiles {
        let value = |position| match self.values[position] {
            LONG => self.long[&position],
            short => u64::from(short),
        };
        let mut values: Vec<u64> = (start..end).map(value).collect();
        percentiles_of(&mut values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_timelines_double_their_width_and_keep_their_sums() {
        let mut t = Timeline::new(1, 4, 100_000);
        for k in 0..4 {
            t.count(0, k + 1);
            t.close([k as u32, 10 * k as u32].into_iter());
        }
        assert_eq!((t.width_us(), t.closed()), (200_000, 2));
        assert_eq!(t.counter(0), [3, 7, 0]);
        assert_eq!(t.gauge(1), Some(&[10, 30][..]));
    }

    #[test]
    fn bucket_percentiles_follow_the_timeline() {
        let mut t = Timeline::new(0, 4, 100_000);
        let mut log = BucketLog::default();
        log.push(5);
        log.follow(t.close(std::iter::empty()));
        log.push(7);
        log.push(9);
        assert_eq!(log.buckets(), vec![Some((1, [5.0; 3])), Some((2, [8.0, 8.8, 8.98]))]);
        log.follow(t.close(std::iter::empty()));
        log.follow(t.close(std::iter::empty()));
        log.follow(t.close(std::iter::empty()));
        log.push(1);
        assert_eq!(log.buckets(), vec![Some((3, [7.0, 8.6, 8.96])), None, Some((1, [1.0; 3]))]);
    }

    #[test]
    fn values_of_any_size_are_kept_as_they_are() {
        let mut log = BucketLog::default();
        for value in [u64::from(LONG) - 1, u64::from(LONG), 1 << 52] {
            log.push(value);
            log.follow(false);
        }
        let medians: Vec<f64> = log.buckets().into_iter().flatten().map(|(_, [p50, ..])| p50).collect();
        assert_eq!(medians, [4_294_967_294.0, 4_294_967_295.0, 4_503_599_627_370_496.0]);
    }
}
