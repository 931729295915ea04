//! Confidence intervals of differences from one pair of runs: a bootstrap over blocks of time, resampled alike on
//! both sides and separately between edits.

use super::spans::Spans;
use super::{Ending, GapBlocks, Metric, Outcome, Outcomes};
use base::digest::Digest;
use base::stats::{Blocked, Draws, FIGURES, t_975};
use run::session::report::{RunMetric, Statistic};

/// Most blocks of time.
pub(super) const BLOCKS: u32 = 32;
/// Number of resamples: their standard error is accurate to about 2 %.
const RESAMPLES: u32 = 1000;
/// Resamples that must have values on both sides.
const RESAMPLES_MIN: usize = 900;

/// Figures of a distribution.
type Five = [f64; FIGURES];
/// Which these are, in order.
const FIVE: [Statistic; FIGURES] =
    [Statistic::Mean, Statistic::P50, Statistic::P90, Statistic::P95, Statistic::P99];

/// The number of values, and their figures in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    pub(super) count: u64,
    pub(super) ms: Option<Five>,
}

impl Figures {
    /// The figures of all requests of a run that count and have the time. Those of ITL are the report's, or from the
    /// kept gaps if requests count from an instant on.
    pub(super) fn of(metric: Metric, run: &Outcomes, since_us: Option<u64>) -> Self {
        if metric == Metric::Itl && since_us.is_some() {
            let kept = run.gaps.blocks.iter().flatten();
            return Self::of_all(&Blocked::new(1, kept.map(|&(gap, count)| (gap, 0, count))));
        }
        if metric == Metric::Itl {
            let ms = FIVE.map(|figure| run.figure(RunMetric::Time(Metric::Itl, figure)));
            let count = run.report.itl_count;
            let known = ms.iter().all(Option::is_some);
            return Self { count, ms: known.then(|| ms.map(|x| x.unwrap_or(0.0))) };
        }
        let values = run.requests.iter().filter(|r| r.counted).filter_map(|r| r.time_us(metric));
        Self::of_all(&Blocked::new(1, values.map(|us| (us, 0, 1))))
    }

    fn of_all(all: &Blocked) -> Self {
        Self { count: all.count(), ms: all.figures().map(|us| us.map(|us| us / 1000.0)) }
    }
}

/// A pair of runs in blocks of time.
pub(super) struct Sample<'a> {
    sides: [&'a Outcomes; 2],
    /// Where each block begins, in microseconds, and where the last one ends.
    edges_us: Vec<u64>,
    /// How many blocks lie between two edits.
    spans: Vec<u32>,
    /// Where the runs are edited.
    cuts_us: Vec<u64>,
    paired: bool,
}

impl<'a> Sample<'a> {
    /// Blocks of about equal length from the first arrival that counts to the last, with an average of at least two
    /// requests in each; no block spans an edit.
    pub(super) fn new(a: &'a Outcomes, b: &'a Outcomes, paired: bool, edited: &Spans) -> Self {
        let counted = |run: &'a Outcomes| run.requests.iter().filter(|r| r.counted);
        let (mut from, mut to) = (u64::MAX, 0);
        for r in counted(a).chain(counted(b)) {
            (from, to) = (from.min(r.arrival_us), to.max(r.arrival_us));
        }
        let from = from.min(to);
        let fewest = counted(a).count().min(counted(b).count()) as u32;
        let blocks = (fewest / 2).clamp(2, BLOCKS);
        let width_us = (to - from) / u64::from(blocks) + 1;
        let cuts_us = edited.within(from, to, 2 * width_us);
        let ends = cuts_us.iter().copied().chain([from + width_us * u64::from(blocks)]);
        let (mut edges_us, mut spans, mut begin) = (Vec::new(), Vec::new(), from);
        for end in ends {
            let count = ((end - begin + width_us / 2) / width_us).max(2);
            // Rounded up, so that a block of one span holds the values between its multiples of the width.
            edges_us.extend((0..count).map(|i| begin + ((end - begin) * i).div_ceil(count)));
            spans.push(count as u32);
            begin = end;
        }
        edges_us.push(begin);
        Self { sides: [a, b], edges_us, spans, cuts_us, paired }
    }

    pub(super) fn sides(&self) -> [&'a Outcomes; 2] {
        self.sides
    }

    /// How many blocks there are between edits.
    pub(super) fn spans(&self) -> &[u32] {
        &self.spans
    }

    /// The draws of both sides: the same ones if the arrivals are the same.
    pub(super) fn draws(&self) -> [Draws; 2] {
        let own = |run: &Outcomes| Draws::new(Digest::of(run.report_digest.as_bytes()).value());
        if self.paired { [Draws::new(0), Draws::new(0)] } else { self.sides.map(own) }
    }

    fn blocks(&self) -> u32 {
        self.edges_us.len() as u32 - 1
    }

    fn block(&self, arrival_us: u64) -> u32 {
        (self.edges_us.partition_point(|edge| *edge <= arrival_us) as u32).clamp(1, self.blocks()) - 1
    }

    /// The values of a metric on both sides, by block of arrival, and the spans of the blocks; gaps by block of the time at which they
    /// ended.
    pub(super) fn blocked(&self, metric: Metric) -> ([Option<Blocked>; 2], Vec<u32>) {
        if metric == Metric::Itl {
            return gap_blocks(self.sides.map(|run| &run.gaps), &self.cuts_us);
        }
        (self.sides.map(|run| Some(self.of(run, |r| r.time_us(metric)))), self.spans.clone())
    }

    /// The share `part` of `all` of the requests that count, in millionths.
    pub(super) fn ratio(&self, run: &Outcomes, [part, all]: [fn(Ending) -> bool; 2]) -> Blocked {
        self.of(run, |r| all(r.ending).then(|| if part(r.ending) { 1_000_000 } else { 0 }))
    }

    /// The rate of an amount per second, in millionths, in each block weighted by its length in milliseconds.
    pub(super) fn rate(&self, run: &Outcomes, amount: fn(&Outcome) -> u64) -> Blocked {
        let mut sums = vec![0_u64; self.blocks() as usize];
        for r in run.requests.iter().filter(|r| r.counted) {
            sums[self.block(r.arrival_us) as usize] += amount(r);
        }
        let lengths = self.edges_us.windows(2).map(|edges| edges[1] - edges[0]);
        let values = (0..).zip(sums.into_iter().zip(lengths)).map(|(block, (sum, us))| {
            let per_s = 1e12 * sum as f64 / us as f64;
            (per_s as u64, block, (us / 1000).clamp(1, u64::from(u32::MAX)) as u32)
        });
        Blocked::new(self.blocks(), values)
    }

    fn of(&self, run: &Outcomes, value: impl Fn(&Outcome) -> Option<u64>) -> Blocked {
        let values = run.requests.iter().filter(|r| r.counted);
        let values = values.filter_map(|r| Some((value(r)?, self.block(r.arrival_us), 1)));
        Blocked::new(self.blocks(), values)
    }

    /// Half the length of the 95 % interval of the median of differences of the same requests, each with its arrival in A, in
    /// milliseconds.
    pub(super) fn median_of(&self, differences_us: impl Iterator<Item = (i64, u64)>) -> Option<f64> {
        let values = differences_us.map(|(us, arrival)| (MIDDLE.saturating_add_signed(us), arrival));
        self.half_of(values, Blocked::resampled_median)
    }

    /// The same of their mean. Differences count from the least one, so that sums are exact.
    pub(super) fn mean_of(&self, differences_us: impl Iterator<Item = (i64, u64)> + Clone) -> Option<f64> {
        let least = differences_us.clone().map(|(us, _)| us).min()?;
        let values = differences_us.map(|(us, arrival)| (us.abs_diff(least), arrival));
        self.half_of(values, Blocked::resampled_mean)
    }

    fn half_of(
        &self,
        values: impl Iterator<Item = (u64, u64)>,
        figure: fn(&Blocked, &[u32]) -> Option<f64>,
    ) -> Option<f64> {
        let values = values.map(|(us, arrival)| (us, self.block(arrival), 1));
        let all = Blocked::new(self.blocks(), values);
        if all.count() < 2 {
            return None;
        }
        let mut draws = Draws::new(0);
        let seen = (0..RESAMPLES).filter_map(|_| figure(&all, &draws.next(&self.spans)));
        Some(half_of(&seen.collect::<Vec<f64>>(), &self.spans)? / 1000.0)
    }

    /// The number of blocks with differences of the same requests, of those whose differences sum to a gain, and of
    /// those whose sum is a loss.
    pub(super) fn signs_of(&self, differences_us: impl Iterator<Item = (i64, u64)>) -> [u32; 3] {
        let mut sums: Vec<Option<i64>> = vec![None; self.blocks() as usize];
        for (us, arrival) in differences_us {
            let sum = &mut sums[self.block(arrival) as usize];
            *sum = Some(sum.unwrap_or(0) + us);
        }
        let known = || sums.iter().flatten();
        [known().count(), known().filter(|us| **us < 0).count(), known().filter(|us| **us > 0).count()]
            .map(|n| n as u32)
    }
}

/// Added to a difference so that it is not negative; all results are exact as floating-point numbers.
const MIDDLE: u64 = 1 << 51;

/// Gaps of both sides in blocks of the same length, as long as those of the longer run, and how many of these lie
/// between edits; `None` if gaps were not kept.
fn gap_blocks(sides: [&GapBlocks; 2], cuts_us: &[u64]) -> ([Option<Blocked>; 2], Vec<u32>) {
    let width = sides[0].width_us.max(sides[1].width_us);
    let last = |gaps: &GapBlocks| {
        let used = gaps.blocks.iter().rposition(|b| !b.is_empty()).map_or(0, |i| i as u64 + 1);
        (used * gaps.width_us).div_ceil(width.max(1))
    };
    let first = |gaps: &GapBlocks| {
        let empty = gaps.blocks.iter().position(|b| !b.is_empty()).unwrap_or(0) as u64;
        empty * gaps.width_us / width.max(1)
    };
    if sides.iter().any(|gaps| gaps.width_us == 0 || gaps.blocks.iter().all(Vec::is_empty)) {
        return ([None, None], Vec::new());
    }
    // The warm-up has no gaps.
    let from = first(sides[0]).min(first(sides[1]));
    let blocks = last(sides[0]).max(last(sides[1])) - from;
    let both = sides.map(|gaps| {
        let values = gaps.blocks.iter().zip(0_u64..).flat_map(|(block, i)| {
            let place = (i * gaps.width_us / width - from.min(i * gaps.width_us / width)) as u32;
            block.iter().map(move |&(gap, count)| (gap, place, count))
        });
        (blocks > 1).then(|| Blocked::new(blocks as u32, values))
    });
    let (mut spans, mut begin) = (Vec::new(), 0);
    for cut in cuts_us.iter().map(|us| (us / width).saturating_sub(from)) {
        if cut >= begin + 2 && cut + 2 <= blocks {
            spans.push((cut - begin) as u32);
            begin = cut;
        }
    }
    spans.push((blocks - begin) as u32);
    (both, spans)
}

/// Half the length of the 95 % interval of each figure's difference, in thousandths of the values' unit.
pub(super) fn differences_of_blocks(
    (sides, spans): ([Option<Blocked>; 2], Vec<u32>),
    [mut draws_a, mut draws_b]: [Draws; 2],
) -> [Option<f64>; FIGURES] {
    let [Some(a), Some(b)] = sides else { return [None; FIGURES] };
    if a.count() < 2 || b.count() < 2 {
        return [None; FIGURES];
    }
    let mut seen: Vec<Five> = Vec::with_capacity(RESAMPLES as usize);
    for _ in 0..RESAMPLES {
        let (of_a, of_b) = (a.resampled(&draws_a.next(&spans)), b.resampled(&draws_b.next(&spans)));
        if let (Some(x), Some(y)) = (of_a, of_b) {
            seen.push(std::array::from_fn(|k| y[k] - x[k]));
        }
    }
    std::array::from_fn(|k| {
        let of_figure: Vec<f64> = seen.iter().map(|d| d[k]).collect();
        Some(half_of(&of_figure, &spans)? / 1000.0)
    })
}

/// The same for the difference of two means combined by `figure`, in the values' unit.
pub(super) fn difference_of_means(
    [a, b]: [Blocked; 2],
    spans: &[u32],
    [mut draws_a, mut draws_b]: [Draws; 2],
    figure: impl Fn(usize, f64) -> f64,
) -> Option<f64> {
    let resample = |_| {
        let (x, y) = (a.resampled_mean(&draws_a.next(spans)), b.resampled_mean(&draws_b.next(spans)));
        Some(figure(1, y?) - figure(0, x?)).filter(|d| d.is_finite())
    };
    half_of(&(0..RESAMPLES).filter_map(resample).collect::<Vec<f64>>(), spans)
}

/// Half the length of the 95 % interval from resamples of blocks in spans; `None` for too few.
fn half_of(seen: &[f64], spans: &[u32]) -> Option<f64> {
    let freedom = spans.iter().sum::<u32>() - spans.len() as u32;
    if seen.len() < RESAMPLES_MIN || freedom == 0 {
        return None;
    }
    let n = seen.len() as f64;
    let few = f64::from(freedom + spans.len() as u32) / f64::from(freedom);
    let mean = seen.iter().sum::<f64>() / n;
    let squares: f64 = seen.iter().map(|d| (d - mean) * (d - mean)).sum();
    Some(t_975(freedom) * libm::sqrt(squares / (n - 1.0) * few))
}
