//! A bootstrap over blocks of time: how far the figures of a run, whose values are not independent, would move in
//! another run.
//!
//! Requests that arrive together wait in the same queue, so a run of 2,000 requests tells less than 2,000 independent
//! values. A resample draws whole blocks of time with replacement, as many as there are (non-overlapping blocks:
//! Carlstein, Annals of Statistics 14 (1986); Künsch, Annals of Statistics 17 (1989)). The standard deviation of a
//! figure over the resamples, √(m / (m - 1)) times for m blocks, is its standard error; the interval is that times
//! Student's t with m - 1 degrees of freedom, as batch means have it (Schmeiser, Operations Research 30 (1982): 10 to
//! 30 batches are enough). Two runs on the same arrivals are resampled with the same draws, so that effects of the
//! arrivals on both do not count as a difference. Edits make the blocks before and after them different: the blocks
//! between two edits are resampled separately, and m - h stands for m - 1 with h such spans (stratified bootstrap:
//! Davison and Hinkley, Bootstrap Methods and their Application (1997), 3.2).

use crate::rng::{Purpose, Stream};
use crate::small::sort::sort_pairs;

/// Figures of a distribution: the mean, and the 50th, 90th, 95th and 99th percentile.
pub const FIGURES: usize = 5;
/// The percentiles among them.
const PERCENTILES: [f64; FIGURES - 1] = [50.0, 90.0, 95.0, 99.0];

/// Stretches of values in order between two sums over blocks.
const STRETCHES: usize = 512;
/// Fewest values of such a stretch.
const STRETCH_MIN: usize = 64;

/// How often each block counts.
pub type Weights = Vec<u32>;

/// The draws of resamples; equal arguments give equal draws.
#[derive(Clone, Debug)]
pub struct Draws(Stream);

impl Draws {
    /// The draws for a number; two sides with the same number are resampled alike.
    pub fn new(number: u64) -> Self {
        Self(Stream::new(number, Purpose::Resamples, 0))
    }

    /// A resample of blocks; `spans` holds the number of blocks of each span. A block is replaced only by blocks of
    /// its own span.
    pub fn next(&mut self, spans: &[u32]) -> Weights {
        let mut weights = vec![0; spans.iter().sum::<u32>() as usize];
        let mut first = 0;
        for &blocks in spans {
            for _ in 0..blocks {
                weights[first + self.0.below(blocks) as usize] += 1;
            }
            first += blocks as usize;
        }
        weights
    }
}

/// Values in order, each with its block of time and its count.
#[derive(Clone, Debug)]
pub struct Blocked {
    blocks: usize,
    /// Values, ascending.
    values: Vec<u64>,
    /// Block and count of each.
    places: Vec<(u32, u32)>,
    /// Values in a stretch.
    stretch: usize,
    /// For each stretch: counts by block of all values before it.
    before: Vec<u64>,
    /// Counts by block.
    counts: Vec<u64>,
    /// Sums of values by block.
    sums: Vec<f64>,
}

impl Blocked {
    /// Made from values with their blocks (below `blocks`) and counts, in any order.
    pub fn new(blocks: u32, values: impl Iterator<Item = (u64, u32, u32)>) -> Self {
        let blocks = blocks as usize;
        let mut pairs: Vec<(u64, u64)> = values
            .map(|(value, block, count)| (value, (u64::from(block) << 32) | u64::from(count)))
            .collect();
        sort_pairs(&mut pairs);
        let places: Vec<(u32, u32)> = pairs.iter().map(|&(_, p)| ((p >> 32) as u32, p as u32)).collect();
        let values: Vec<u64> = pairs.into_iter().map(|(value, _)| value).collect();
        let stretch = values.len().div_ceil(STRETCHES).max(STRETCH_MIN);
        let (mut counts, mut sums) = (vec![0_u64; blocks], vec![0.0; blocks]);
        let mut before = Vec::with_capacity((values.len() / stretch + 1) * blocks);
        for (i, (&value, &(block, count))) in values.iter().zip(&places).enumerate() {
            if i % stretch == 0 {
                before.extend_from_slice(&counts);
            }
            counts[block as usize] += u64::from(count);
            sums[block as usize] += value as f64 * f64::from(count);
        }
        Self { blocks, values, places, stretch, before, counts, sums }
    }

    /// How many blocks.
    pub fn blocks(&self) -> u32 {
        self.blocks as u32
    }

    /// The number of values, counts included.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// How many of them are no larger than `value`.
    pub fn at_most(&self, value: u64) -> u64 {
        let end = self.values.partition_point(|v| *v <= value);
        self.places[..end].iter().map(|&(_, count)| u64::from(count)).sum()
    }

    /// The figures of all values; `None` without any.
    pub fn figures(&self) -> Option<[f64; FIGURES]> {
        self.resampled(&vec![1; self.blocks])
    }

    /// The figures of a resample; `None` if it has no values.
    pub fn resampled(&self, weights: &[u32]) -> Option<[f64; FIGURES]> {
        let total = weighted(&self.counts, weights);
        if total == 0 {
            return None;
        }
        let sum: f64 = self.sums.iter().zip(weights).map(|(s, &w)| s * f64::from(w)).sum();
        let mut figures = [sum / total as f64; FIGURES];
        for (figure, p) in figures[1..].iter_mut().zip(PERCENTILES) {
            *figure = self.between_ranks(p, total, weights);
        }
        Some(figures)
    }

    /// Only the mean of a resample; `None` if it has no values.
    pub fn resampled_mean(&self, weights: &[u32]) -> Option<f64> {
        let total = weighted(&self.counts, weights);
        let sum: f64 = self.sums.iter().zip(weights).map(|(s, &w)| s * f64::from(w)).sum();
        (total > 0).then(|| sum / total as f64)
    }

    /// Only the median of a resample; `None` if it has no values.
    pub fn resampled_median(&self, weights: &[u32]) -> Option<f64> {
        let total = weighted(&self.counts, weights);
        (total > 0).then(|| self.between_ranks(50.0, total, weights))
    }

    /// A percentile between the two nearest of the n values in order, at rank p / 100 x (n - 1), as in every report.
    fn between_ranks(&self, p: f64, total: u64, weights: &[u32]) -> f64 {
        let rank = p / 100.0 * (total - 1) as f64;
        let low = libm::floor(rank);
        let part = rank - low;
        let (below, above) = self.at_rank(low as u64, weights);
        if part > 0.0 { below + part * (above - below) } else { below }
    }

    /// The value at a rank of a resample, and the next one.
    fn at_rank(&self, rank: u64, weights: &[u32]) -> (f64, f64) {
        let stretches = self.before.len() / self.blocks;
        let passed = |s: usize| weighted(&self.before[s * self.blocks..(s + 1) * self.blocks], weights);
        // The last stretch with no more than `rank` values before it.
        let (mut low, mut high) = (0, stretches);
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            if passed(middle) <= rank { low = middle } else { high = middle }
        }
        let (mut seen, mut found) = (passed(low), None);
        for (&value, &(block, count)) in self.values.iter().zip(&self.places).skip(low * self.stretch) {
            seen += u64::from(count) * u64::from(weights[block as usize]);
            if seen > rank && found.is_none() {
                found = Some(value as f64);
            }
            if seen > rank + 1 {
                return (found.unwrap_or(value as f64), value as f64);
            }
        }
        let last = found.unwrap_or(0.0);
        (last, last)
    }
}

fn weighted(counts: &[u64], weights: &[u32]) -> u64 {
    counts.iter().zip(weights).map(|(c, &w)| c * u64::from(w)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::RunLength;

    fn values(n: u64) -> Vec<(u64, u32, u32)> {
        (0..n).map(|i| (i * 7919 % 1009, (i * 32 / n) as u32, 1 + (i % 3) as u32)).collect()
    }

    #[test]
    fn the_figures_are_those_of_every_report() {
        for n in [1, 2, 63, 64, 65, 1000, 70_000] {
            let mut all = RunLength::default();
            for (value, _, count) in values(n) {
                all.add(value, u64::from(count));
            }
            let s = all.summary();
            let ours = Blocked::new(32, values(n).into_iter()).figures().unwrap();
            for (x, y) in ours.iter().zip([s.mean, s.p50, s.p90, s.p95, s.p99]) {
                assert!((x - y).abs() < 1e-9, "{n}: {x} is not {y}");
            }
        }
    }

    #[test]
    fn a_resample_counts_each_block_as_often_as_it_was_drawn() {
        let weights = Draws::new(3).next(&[32]);
        assert_eq!(weights.iter().sum::<u32>(), 32);
        let mut all = RunLength::default();
        for (value, block, count) in values(5000) {
            all.add(value, u64::from(count) * u64::from(weights[block as usize]));
        }
        let s = all.summary();
        let ours = Blocked::new(32, values(5000).into_iter()).resampled(&weights).unwrap();
        for (x, y) in ours.iter().zip([s.mean, s.p50, s.p90, s.p95, s.p99]) {
            assert!((x - y).abs() < 1e-9, "{x} is not {y}");
        }
        let empty = Blocked::new(2, std::iter::once((5, 0, 1)));
        assert_eq!((empty.resampled(&[0, 2]), empty.count()), (None, 1));
    }

    #[test]
    fn blocks_of_a_span_stand_for_one_another_alone() {
        let mut draws = Draws::new(5);
        for _ in 0..50 {
            let weights = draws.next(&[9, 2, 21]);
            assert_eq!((weights[..9].iter().sum::<u32>(), weights[9..11].iter().sum::<u32>()), (9, 2));
            assert_eq!(weights[11..].iter().sum::<u32>(), 21);
        }
        let all = Blocked::new(32, values(5000).into_iter());
        let weights = draws.next(&[16, 16]);
        let [mean, p50, ..] = all.resampled(&weights).unwrap();
        assert_eq!(all.resampled_mean(&weights).map(f64::to_bits), Some(mean.to_bits()));
        assert_eq!(all.resampled_median(&weights).map(f64::to_bits), Some(p50.to_bits()));
    }
}
