//! Exact distributions of whole numbers, kept as sorted runs of equal values.
//!
//! Percentiles interpolate linearly between the two nearest of the n sorted values: rank = p / 100 x (n - 1).

use crate::bits::{BitReader, BitWriter};
use crate::multiply::wide_product;
use crate::small::sort::{select, select_pairs, sort_pairs};
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

/// The figures of a distribution. All are zero when `count` is 0, and left out of JSON then.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// How many values.
    pub count: u64,
    /// Arithmetic mean.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub mean: f64,
    /// Smallest value.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub min: f64,
    /// Median.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub p50: f64,
    /// 75th percentile.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub p75: f64,
    /// 90th percentile.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub p90: f64,
    /// 95th percentile.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub p95: f64,
    /// 99th percentile.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub p99: f64,
    /// Largest value.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
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
    /// Writes its values and clears them.
    pub fn pack(&mut self, out: &mut BitWriter) {
        for pairs in [&mut self.runs, &mut self.recent] {
            push_pairs(out, &std::mem::take(pairs));
        }
    }

    /// Restores the written values.
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

    /// Merges recently added values; reading is cheaper afterwards.
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

/// Where percentile `p` of `count` sorted values lies: the rank below it, and the fraction of the way to the next.
fn rank_of(count: u64, p: f64) -> (u64, f64) {
    assert!(count > 0, "INV-1: a percentile of nothing");
    let rank = p / 100.0 * (count - 1) as f64;
    let low = libm::floor(rank);
    (low as u64, rank - low)
}

/// A value at a fraction of the way from one value to the next.
fn between(below: u64, above: u64, part: f64) -> f64 {
    let below = below as f64;
    if part == 0.0 { below } else { below + part * (above as f64 - below) }
}

/// Percentile `p` of `count` sorted values, where `value(rank)` is the value at `rank`.
fn interpolate(count: u64, p: f64, value: impl Fn(u64) -> u64) -> f64 {
    let (low, part) = rank_of(count, p);
    let below = value(low);
    between(below, if part == 0.0 { below } else { value(low + 1) }, part)
}

/// The percentiles of headline numbers, with the names that documents give them.
pub const HEADLINE: [(&str, f64); 3] = [("p50", 50.0), ("p90", 90.0), ("p99", 99.0)];

/// How many values, their median and their 90th and 99th percentile. Reorders the values and sorts as few as
/// possible.
pub fn percentiles_of(values: &mut [u64]) -> Option<(u64, [f64; 3])> {
    let count = values.len() as u64;
    if count == 0 {
        return None;
    }
    // No value before `done` is larger than a value after it.
    let mut done = 0;
    let mut at = |p| {
        let (low, part) = rank_of(count, p);
        let low = low as usize;
        select(&mut values[done..], low - done);
        done = low;
        let above = values[low + 1..].iter().min();
        between(values[low], above.copied().unwrap_or(values[low]), part)
    };
    Some((count, HEADLINE.map(|(_, p)| at(p))))
}

/// Percentile `p` of values, each with its own number. Sorts only the values above it, and reorders the rest.
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

/// Sorted values with look-up by rank, alone or together with other lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranks {
    /// Each value once, with the number of values up to it.
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

    /// Each value once, with its count, in order.
    pub fn runs(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let mut before = 0;
        self.ends.iter().map(move |&(value, end)| (value, end - std::mem::replace(&mut before, end)))
    }

    fn count(&self) -> u64 {
        self.ends.last().map_or(0, |(_, end)| *end)
    }

    /// How many values are at most `limit`.
    pub fn up_to(&self, limit: u64) -> u64 {
        let runs = self.ends.partition_point(|(value, _)| *value <= limit);
        runs.checked_sub(1).map_or(0, |last| self.ends[last].1)
    }

    /// The median and the 90th and 99th percentile of all values together, without merging the lists.
    pub fn percentiles(all: &[&Self]) -> Option<(u64, [f64; 3])> {
        let total: u64 = all.iter().map(|r| r.count()).sum();
        if total == 0 {
            return None;
        }
        let at = |p| {
            let (low, part) = rank_of(total, p);
            let (below, above) = Self::at_and_after(all, low);
            between(below, above, part)
        };
        Some((total, HEADLINE.map(|(_, p)| at(p))))
    }

    /// The value at a rank of all values together, and the one at the next rank (the same where there is none).
    fn at_and_after(all: &[&Self], rank: u64) -> (u64, u64) {
        let mut low = all.iter().filter_map(|r| r.ends.first()).map(|(v, _)| *v).min().unwrap_or(0);
        let mut high = all.iter().filter_map(|r| r.ends.last()).map(|(v, _)| *v).max().unwrap_or(0);
        // By list: the bounds of the place of the first value above the one sought.
        let mut spans: Vec<(usize, usize)> = all.iter().map(|r| (0, r.ends.len())).collect();
        let mut places = vec![0; all.len()];
        loop {
            let middle = low + (high - low) / 2;
            let mut up_to = 0;
            for ((list, (from, to)), place) in all.iter().zip(&spans).zip(&mut places) {
                *place = from + list.ends[*from..*to].partition_point(|(v, _)| *v <= middle);
                up_to += place.checked_sub(1).map_or(0, |last| list.ends[last].1);
            }
            let reaches = up_to > rank;
            if reaches && low == high {
                let next = all.iter().zip(&places).filter_map(|(r, p)| r.ends.get(*p)).map(|(v, _)| *v).min();
                return (low, if up_to > rank + 1 { low } else { next.unwrap_or(low) });
            }
            for (span, place) in spans.iter_mut().zip(&places) {
                if reaches { span.1 = *place } else { span.0 = *place }
            }
            if reaches { high = middle } else { low = middle + 1 }
        }
    }

    /// The values of all lists in order, each with its count: lists are merged two by two.
    pub fn merged(all: &[&Self]) -> Vec<(u64, u64)> {
        let mut lists: Vec<Vec<(u64, u64)>> = all.iter().map(|r| r.runs().collect()).collect();
        while lists.len() > 1 {
            lists =
                lists.chunks(2).map(|pair| merge(&pair[0], pair.get(1).map_or(&[], Vec::as_slice))).collect();
        }
        lists.pop().unwrap_or_default()
    }
}

/// Merges two sorted lists; of equal values the one with the smaller count comes first.
fn merge(a: &[(u64, u64)], b: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let first = a[i] <= b[j];
        out.push(if first { a[i] } else { b[j] });
        i += usize::from(first);
        j += usize::from(!first);
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
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
    fn values_up_to_a_limit_are_counted_with_it() {
        let ranks = Ranks::new(&[(3, 2), (7, 1), (9, 4)]);
        assert_eq!([0, 2, 3, 8, 9, u64::MAX].map(|limit| ranks.up_to(limit)), [0, 0, 2, 3, 7, 7]);
        assert_eq!(Ranks::default().up_to(5), 0);
    }

    #[test]
    fn percentiles_of_parts_are_those_of_the_whole() {
        for (n, unlike) in [(1, 1), (2, 9), (3, 1), (5, 9), (100, 7), (500, 1013), (1000, 1)] {
            let mut whole: Vec<u64> =
                (0..n).flat_map(|k| vec![k * 7919 % unlike; 1 + k as usize % 3]).collect();
            let parts: Vec<Ranks> = whole
                .chunks(90)
                .map(|part| {
                    let mut part: Vec<(u64, u64)> = part.iter().map(|v| (*v, 1)).collect();
                    sort_pairs(&mut part);
                    Ranks::new(&part)
                })
                .collect();
            let mut all: Vec<&Ranks> = parts.iter().collect();
            let none = Ranks::default();
            all.insert(0, &none);
            let merged = Ranks::merged(&all);
            assert!(merged.is_sorted(), "{n}");
            let mut again = RunLength::default();
            for (v, count) in &merged {
                again.add(*v, *count);
            }
            whole.sort_unstable();
            let at = |p| interpolate(whole.len() as u64, p, |rank| whole[rank as usize]);
            let expected = Some((whole.len() as u64, HEADLINE.map(|(_, p)| at(p))));
            assert_eq!(Ranks::percentiles(&all), expected, "{n} of {unlike}");
            let s = again.summary();
            assert_eq!(Some((s.count, [s.p50, s.p90, s.p99])), expected, "{n} of {unlike}");
            whole.sort_by_key(|v| v * 7907 % 1009);
            assert_eq!(percentiles_of(&mut whole), expected, "{n} of {unlike}");
        }
        assert_eq!(Ranks::percentiles(&[&Ranks::default()]), None);
        assert_eq!(Ranks::merged(&[]), []);
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
            let mut all: Vec<u64> = (0..n).map(value).collect();
            let mut named: Vec<(u64, u64)> = (0..n).map(|i| (value(i), i)).collect();
            let p99 = percentiles_of(&mut all).map(|(_, [_, _, p99])| p99);
            assert_eq!(upper_percentile(&mut named, 99.0), p99, "{n} values");
        }
    }
}
