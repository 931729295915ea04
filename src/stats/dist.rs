//! Exact distributions of whole numbers, kept as sorted runs of equal values.
//!
//! Percentiles interpolate linearly between the two nearest of the n sorted values: rank = p / 100 x (n - 1).

use crate::base::bits::{BitReader, BitWriter};
use crate::base::order::{select_pairs, sort_pairs};
use crate::base::product::wide_product;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

/// A multiset of values. Memory follows the number of different values, not the number of values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLength {
    /// Sorted by value, each value once.
    runs: Vec<(u64, u64)>,
    /// Added since the last merge, in any order.
    recent: Vec<(u64, u64)>,
    count: u64,
    /// Wide: a million million gaps of a century each are more than 2^64 microseconds.
    sum: u128,
}

/// The figures of a distribution. All zero when `count` is 0; written down without them then.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cli", derive(ts_rs::TS))]
pub struct Summary {
    /// How many values.
    pub count: u64,
    /// Arithmetic mean.
    #[cfg_attr(feature = "cli", ts(optional, as = "Option<_>"))]
    pub mean: f64,
    /// Smallest value.
    #[cfg_attr(feature = "cli", ts(optional, as = "Option<_>"))]
    pub min: f64,
    /// Median.
    #[cfg_attr(feature = "cli", ts(optional, as = "Option<_>"))]
    pub p50: f64,
    /// 75th percentile.
    #[cfg_attr(feature = "cli", ts(optional, as = "Option<_>"))]
    pub p75: f64,
    /// 90th percentile.
    #[cfg_attr(feature = "cli", ts(optional, as = "Option<_>"))]
    pub p90: f64,
    /// 95th percentile.
    #[cfg_attr(feature = "cli", ts(optional, as = "Option<_>"))]
    pub p95: f64,
    /// 99th percentile.
    #[cfg_attr(feature = "cli", ts(optional, as = "Option<_>"))]
    pub p99: f64,
    /// Largest value.
    #[cfg_attr(feature = "cli", ts(optional, as = "Option<_>"))]
    pub max: f64,
}

impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let figures = [
            ("mean", self.mean),
            ("min", self.min),
            ("p50", self.p50),
            ("p75", self.p75),
            ("p90", self.p90),
            ("p95", self.p95),
            ("p99", self.p99),
            ("max", self.max),
        ];
        let known = if self.count == 0 { &[][..] } else { &figures[..] };
        let mut out = s.serialize_struct("Summary", 1 + known.len())?;
        out.serialize_field("count", &self.count)?;
        for (name, figure) in known {
            out.serialize_field(name, figure)?;
        }
        out.end()
    }
}

/// Writes pairs of numbers that differ little from one pair to the next.
pub fn push_pairs(out: &mut BitWriter, pairs: &[(u64, u64)]) {
    let (first, second): (Vec<u64>, Vec<u64>) = pairs.iter().copied().unzip();
    out.push_list(&first);
    out.push_list(&second);
}

/// Reads them.
pub fn take_pairs(from: &mut BitReader) -> Vec<(u64, u64)> {
    let first = from.take_list();
    first.into_iter().zip(from.take_list()).collect()
}

impl RunLength {
    /// Writes its values and forgets them.
    pub fn pack(&mut self, out: &mut BitWriter) {
        for pairs in [&mut self.runs, &mut self.recent] {
            push_pairs(out, &std::mem::take(pairs));
        }
    }

    /// Has the values again that were written.
    pub fn unpack(&mut self, from: &mut BitReader) {
        self.runs = take_pairs(from);
        self.recent = take_pairs(from);
    }

    /// About how many bytes a copy takes.
    pub fn bytes(&self) -> u64 {
        ((self.runs.len() + self.recent.len()) * size_of::<(u64, u64)>()) as u64
    }

    /// Adds `count` times `value`.
    pub fn add(&mut self, value: u64, count: u64) {
        if count == 0 {
            return;
        }
        self.count += count;
        self.sum += wide_product(value, count);
        match self.recent.last_mut() {
            Some(last) if last.0 == value => last.1 += count,
            _ => self.recent.push((value, count)),
        }
        if self.recent.len() >= 4096.max(self.runs.len()) {
            self.settle();
        }
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Merges what was added lately; reading is cheaper afterwards.
    pub fn settle(&mut self) {
        if !self.recent.is_empty() {
            self.runs = self.sorted();
            self.recent.clear();
        }
    }

    /// All values with their counts, in order.
    pub fn sorted(&self) -> Vec<(u64, u64)> {
        if self.recent.is_empty() {
            return self.runs.clone();
        }
        let mut added = self.recent.clone();
        sort_pairs(&mut added);
        let mut out: Vec<(u64, u64)> = Vec::with_capacity(self.runs.len() + added.len());
        let (mut a, mut b) = (self.runs.iter().peekable(), added.iter().peekable());
        loop {
            let from_a = match (a.peek(), b.peek()) {
                (Some(x), Some(y)) => x.0 <= y.0,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => return out,
            };
            let next = if from_a { a.next() } else { b.next() };
            let Some(&(value, count)) = next else { return out };
            match out.last_mut() {
                Some(last) if last.0 == value => last.1 += count,
                _ => out.push((value, count)),
            }
        }
    }

    /// The sum of all values.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The figures of the distribution.
    pub fn summary(&self) -> Summary {
        summary_of(&self.sorted(), self.sum)
    }
}

/// The figures of sorted runs of values, whose sum is known.
pub(super) fn summary_of(runs: &[(u64, u64)], sum: u128) -> Summary {
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else {
        return Summary::default();
    };
    let mut ends = Vec::with_capacity(runs.len());
    let mut total = 0;
    for (_, count) in runs {
        total += count;
        ends.push(total);
    }
    let at = |p: f64| {
        interpolate(total, p, |rank| {
            let run = ends.partition_point(|&end| end <= rank);
            runs[run].0
        })
    };
    Summary {
        count: total,
        mean: sum as f64 / total as f64,
        min: first.0 as f64,
        p50: at(50.0),
        p75: at(75.0),
        p90: at(90.0),
        p95: at(95.0),
        p99: at(99.0),
        max: last.0 as f64,
    }
}

/// Percentile `p` of `count` sorted values, of which `value(rank)` is the one at `rank`.
fn interpolate(count: u64, p: f64, value: impl Fn(u64) -> u64) -> f64 {
    assert!(count > 0, "INV-1: a percentile of nothing");
    let rank = p / 100.0 * (count - 1) as f64;
    let low = libm::floor(rank);
    let part = rank - low;
    let low = low as u64;
    let below = value(low) as f64;
    if part == 0.0 { below } else { below + part * (value(low + 1) as f64 - below) }
}

/// The median and the 90th and 99th percentile of weighted values; sorts them.
pub fn percentiles_of(values: &mut [(u64, u64)]) -> Option<(u64, [f64; 3])> {
    sort_pairs(values);
    let mut ends = Vec::with_capacity(values.len());
    let mut total = 0;
    for (_, count) in values.iter() {
        total += count;
        ends.push(total);
    }
    if total == 0 {
        return None;
    }
    let at = |p| interpolate(total, p, |rank| values[ends.partition_point(|&end| end <= rank)].0);
    Some((total, [at(50.0), at(90.0), at(99.0)]))
}

/// Percentile `p` of values, each of which has a number of its own. Sorts those above it only, and leaves them all out of order.
pub fn upper_percentile(values: &mut [(u64, u64)], p: f64) -> Option<f64> {
    let count = values.len() as u64;
    // The largest come first.
    for (value, _) in values.iter_mut() {
        *value = u64::MAX - *value;
    }
    let above = count - libm::floor(p / 100.0 * count.checked_sub(1)? as f64) as u64;
    select_pairs(values, above as usize);
    sort_pairs(&mut values[..above as usize]);
    Some(interpolate(count, p, |rank| u64::MAX - values[(count - 1 - rank) as usize].0))
}

/// Sorted values that can be asked for the value at a rank, alone or together with others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranks {
    /// Each value once, with how many values there are up to it.
    ends: Vec<(u64, u64)>,
}

impl Ranks {
    /// Writes its values.
    pub fn pack(&self, out: &mut BitWriter) {
        push_pairs(out, &self.ends);
    }

    /// Reads them.
    pub fn unpacked(from: &mut BitReader) -> Self {
        Self { ends: take_pairs(from) }
    }

    /// Bytes of its values.
    pub fn bytes(&self) -> u64 {
        (self.ends.len() * size_of::<(u64, u64)>()) as u64
    }

    /// The ranks of values with counts, in ascending order.
    pub fn new(sorted: &[(u64, u64)]) -> Self {
        let mut ends: Vec<(u64, u64)> = Vec::with_capacity(sorted.len());
        let mut total = 0;
        for &(value, count) in sorted {
            total += count;
            match ends.last_mut() {
                Some(last) if last.0 == value => last.1 = total,
                _ => ends.push((value, total)),
            }
        }
        Self { ends }
    }

    /// Each value once, with how many there are of it, in order.
    pub fn runs(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let mut before = 0;
        self.ends.iter().map(move |&(value, end)| (value, end - std::mem::replace(&mut before, end)))
    }

    fn count(&self) -> u64 {
        self.ends.last().map_or(0, |(_, end)| *end)
    }

    /// How many values are at most `value`.
    fn up_to(&self, value: u64) -> u64 {
        let runs = self.ends.partition_point(|(v, _)| *v <= value);
        if runs == 0 { 0 } else { self.ends[runs - 1].1 }
    }

    /// The median and the 90th and 99th percentile of all values together, which are never put into one list.
    pub fn percentiles(all: &[&Self]) -> Option<(u64, [f64; 3])> {
        let total: u64 = all.iter().map(|r| r.count()).sum();
        if total == 0 {
            return None;
        }
        let least = all.iter().filter_map(|r| r.ends.first()).map(|(v, _)| *v).min().unwrap_or(0);
        let most = all.iter().filter_map(|r| r.ends.last()).map(|(v, _)| *v).max().unwrap_or(0);
        let value = |rank: u64| {
            let (mut low, mut high) = (least, most);
            while low < high {
                let middle = low + (high - low) / 2;
                let up_to: u64 = all.iter().map(|r| r.up_to(middle)).sum();
                if up_to > rank { high = middle } else { low = middle + 1 }
            }
            low
        };
        let at = |p| interpolate(total, p, value);
        Some((total, [at(50.0), at(90.0), at(99.0)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_interpolate_between_ranks() {
        let mut d = RunLength::default();
        for v in [40, 10, 30, 20] {
            d.add(v, 1);
        }
        let s = d.summary();
        assert_eq!((s.count, s.mean, s.min, s.max), (4, 25.0, 10.0, 40.0));
        assert_eq!((s.p50, s.p75), (25.0, 32.5));
    }

    #[test]
    fn runs_count_as_their_values_would() {
        let (mut runs, mut single) = (RunLength::default(), RunLength::default());
        for k in 0..10_000_u64 {
            let value = k * 7919 % 97;
            runs.add(value, 3);
            for _ in 0..3 {
                single.add(value, 1);
            }
        }
        assert_eq!(runs.summary(), single.summary());
        runs.settle();
        assert_eq!(runs.summary(), single.summary());
    }

    #[test]
    fn percentiles_of_parts_are_those_of_the_whole() {
        let mut whole: Vec<(u64, u64)> = (0..500_u64).map(|k| (k * 7919 % 1013, 1 + k % 3)).collect();
        let parts: Vec<Ranks> = whole
            .chunks(90)
            .map(|part| {
                let mut part = part.to_vec();
                sort_pairs(&mut part);
                Ranks::new(&part)
            })
            .collect();
        let mut all: Vec<&Ranks> = parts.iter().collect();
        let none = Ranks::default();
        all.push(&none);
        assert_eq!(Ranks::percentiles(&all), percentiles_of(&mut whole));
        assert_eq!(Ranks::percentiles(&[&none]), None);
    }

    #[test]
    fn nothing_has_no_figures() {
        assert_eq!(RunLength::default().summary(), Summary::default());
        assert_eq!(percentiles_of(&mut []), None);
        assert_eq!(upper_percentile(&mut [], 99.0), None);
    }

    #[test]
    fn a_percentile_of_the_largest_alone_is_that_of_all() {
        for n in [1_u64, 2, 3, 99, 100, 101, 1000] {
            let value = |i: u64| i * 7919 % 613;
            let mut all: Vec<(u64, u64)> = (0..n).map(|i| (value(i), 1)).collect();
            let mut named: Vec<(u64, u64)> = (0..n).map(|i| (value(i), i)).collect();
            let p99 = percentiles_of(&mut all).map(|(_, [_, _, p99])| p99);
            assert_eq!(upper_percentile(&mut named, 99.0), p99, "{n} values");
        }
    }
}
