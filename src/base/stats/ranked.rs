//! Summaries of groups of values: the values are sorted once, read once for each grouping, and not copied.

use super::Summary;
use crate::small::sort::sort_pairs;

/// Percentiles in a [`Summary`], ascending.
const PERCENTILES: [f64; 5] = [50.0, 75.0, 90.0, 95.0, 99.0];

/// Sorted values, each with the number of its member.
#[derive(Clone, Debug, Default)]
pub struct Ranked {
    /// (value, member)
    pairs: Vec<(u64, u64)>,
}

/// The state of one group while values are read in ascending order.
#[derive(Clone, Copy, Debug)]
struct Group {
    count: u64,
    seen: u64,
    /// The next rank that a percentile needs.
    next: u64,
    sum: u128,
    first: u64,
    last: u64,
    /// By percentile: the values at the two ranks around it.
    around: [(u64, u64); 5],
}

impl Group {
    /// A group that will have `count` values.
    fn of(count: u64) -> Self {
        let mut g = Self { count, seen: 0, next: 0, sum: 0, first: 0, last: 0, around: [(0, 0); 5] };
        if count > 0 {
            // The median of one or two values needs the first of them; longer lists do not.
            g.next = g.rank(PERCENTILES[0]).0;
        }
        g
    }

    /// Rank below percentile `p`, and how far above it the percentile lies.
    fn rank(&self, p: f64) -> (u64, f64) {
        let rank = p / 100.0 * (self.count - 1) as f64;
        let low = libm::floor(rank);
        (low as u64, rank - low)
    }

    fn add(&mut self, value: u64) {
        if self.seen == 0 {
            self.first = value;
        }
        if self.seen == self.next {
            self.keep(value);
        }
        self.sum += u128::from(value);
        self.last = value;
        self.seen += 1;
    }

    /// Stores a value for the percentiles next to it, and finds the next rank needed.
    fn keep(&mut self, value: u64) {
        let mut next = u64::MAX;
        for (i, p) in PERCENTILES.into_iter().enumerate() {
            let (low, _) = self.rank(p);
            for (rank, upper) in [(low, false), (low + 1, true)] {
                if rank > self.seen {
                    next = next.min(rank);
                } else if rank == self.seen {
                    let (below, above) = &mut self.around[i];
                    *(if upper { above } else { below }) = value;
                }
            }
        }
        self.next = next;
    }

    fn summary(&self) -> Summary {
        if self.count == 0 {
            return Summary::default();
        }
        let at = |i: usize| {
            let (_, part) = self.rank(PERCENTILES[i]);
            let (below, above) = self.around[i];
            if part > 0.0 { below as f64 + part * (above as f64 - below as f64) } else { below as f64 }
        };
        Summary {
            count: self.count,
            mean: self.sum as f64 / self.count as f64,
            min: self.first as f64,
            p50: at(0),
            p75: at(1),
            p90: at(2),
            p95: at(3),
            p99: at(4),
            max: self.last as f64,
        }
    }
}

impl Ranked {
    /// The members of the `most` largest values, the largest first.
    pub fn last(&self, most: usize) -> impl Iterator<Item = u32> + '_ {
        self.pairs.iter().rev().take(most).map(|&(_, member)| member as u32)
    }

    /// Sorts values, at most `most` of them, each with the number of its member.
    pub fn new(most: usize, values: impl Iterator<Item = (u64, u32)>) -> Self {
        // Allocated at once: a growing list needs three times its length while it is copied.
        let mut pairs = Vec::with_capacity(most);
        pairs.extend(values.map(|(value, member)| (value, u64::from(member))));
        sort_pairs(&mut pairs);
        Self { pairs }
    }

    /// The figures of all values together.
    pub fn summary(&self) -> Summary {
        let mut all = Group::of(self.pairs.len() as u64);
        for &(value, _) in &self.pairs {
            all.add(value);
        }
        all.summary()
    }

    /// The figures of each of `groups` groups; `group_of` holds the group of each member, or a number beyond all
    /// groups.
    pub fn by_group(&self, groups: usize, group_of: &[u32]) -> Vec<Summary> {
        let mut counts = vec![0; groups];
        for &(_, member) in &self.pairs {
            if let Some(count) = counts.get_mut(group_of[member as usize] as usize) {
                *count += 1;
            }
        }
        let mut all: Vec<Group> = counts.into_iter().map(Group::of).collect();
        for &(value, member) in &self.pairs {
            if let Some(group) = all.get_mut(group_of[member as usize] as usize) {
                group.add(value);
            }
        }
        all.iter().map(Group::summary).collect()
    }
}

/// How equal shares are: (Σx)² / (n · Σx²), from 1/n (one has all) to 1 (all equal); 1 if all are 0, 0 if there are none.
pub fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|x| x * x).sum();
    match shares.len() {
        0 => 0.0,
        _ if squares <= 0.0 => 1.0,
        n => sum * sum / (n as f64 * squares),
    }
}

/// Coefficient of variation: standard deviation (of the whole population) by mean; 0 if the mean is 0.
pub fn variation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.is_empty() || mean <= 0.0 {
        return 0.0;
    }
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    libm::sqrt(squares / n) / mean
}

/// Counts, in a list in order of arrival, the pairs whose earlier value is more than twice the later one.
pub fn doubled_pairs(values: &[u64]) -> u64 {
    fn count(values: &mut [u64], spare: &mut Vec<u64>) -> u64 {
        let n = values.len();
        if n < 2 {
            return 0;
        }
        let (left, right) = values.split_at_mut(n / 2);
        let mut pairs = count(left, spare) + count(right, spare);
        // Both halves are sorted now: count, for each value on the right, the values on the left above its double.
        let mut below = 0;
        for &r in right.iter() {
            while below < left.len() && left[below] <= r.saturating_mul(2) {
                below += 1;
            }
            pairs += (left.len() - below) as u64;
        }
        spare.clear();
        let (mut i, mut j) = (0, 0);
        while i < left.len() || j < right.len() {
            let from_left = j == right.len() || (i < left.len() && left[i] <= right[j]);
            spare.push(if from_left { left[i] } else { right[j] });
            if from_left { i += 1 } else { j += 1 }
        }
        values.copy_from_slice(spare);
        pairs
    }
    count(&mut values.to_vec(), &mut Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::RunLength;

    fn sample(n: u64) -> Vec<u64> {
        (0..n).map(|k| k * 7919 % 1009 * (k % 5 + 1)).collect()
    }

    #[test]
    fn groups_have_the_figures_of_their_values_alone() {
        for n in [0, 1, 2, 3, 4, 5, 19, 100, 101, 1000] {
            let values = sample(n);
            let ranked = Ranked::new(values.len(), (0..).zip(&values).map(|(i, &v)| (v, i)));
            let group_of: Vec<u32> = (0..n as u32).map(|i| i * i % 3).collect();
            let groups = ranked.by_group(4, &group_of);
            for (g, summary) in groups.iter().enumerate() {
                let mut alone = RunLength::default();
                for (i, &v) in (0_u32..).zip(&values).filter(|(i, _)| (i * i % 3) as usize == g) {
                    let _: u32 = i;
                    alone.add(v, 1);
                }
                assert_eq!(*summary, alone.summary(), "{n} values, group {g}");
            }
        }
    }

    #[test]
    fn pairs_are_counted_as_by_looking_at_each() {
        for n in [0, 1, 2, 9, 100] {
            let values = sample(n);
            let mut pairs = 0;
            for (i, a) in values.iter().enumerate() {
                pairs += values[i + 1..].iter().filter(|b| *a > 2 * **b).count() as u64;
            }
            assert_eq!(doubled_pairs(&values), pairs);
        }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "exact by construction")]
    fn equal_shares_are_fair_and_a_single_one_is_not() {
        assert_eq!(jain(&[3.0, 3.0, 3.0]), 1.0);
        assert_eq!(jain(&[4.0, 0.0, 0.0, 0.0]), 0.25);
        assert_eq!((jain(&[]), jain(&[0.0, 0.0])), (0.0, 1.0));
        assert_eq!((variation(&[2.0, 4.0]), variation(&[]), variation(&[0.0])), (1.0 / 3.0, 0.0, 0.0));
    }
}
