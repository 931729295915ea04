//! How far a difference from one pair of runs can be trusted: blocks of time, resampled alike on both sides.

use super::{Ending, Five, GapBlocks, Metric, Outcome, Outcomes};
use crate::base::digest::Digest;
use crate::stats::{Blocked, Draws, FIGURES, t_975};

/// Most blocks of time.
pub(super) const BLOCKS: u32 = 32;
/// Resamples: the standard error they give is off by 2 % or so.
const RESAMPLES: u32 = 1000;
/// Resamples that must have values on both sides.
const RESAMPLES_MIN: usize = 900;

/// How many values there are, and their figures in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    pub(super) count: u64,
    pub(super) ms: Option<Five>,
}

impl Figures {
    /// Of all requests of a run that count and have the time. Those of ITL are the report's.
    pub(super) fn of(metric: Metric, run: &Outcomes) -> Self {
        if metric == Metric::Itl {
            let figure = |name: &str| run.figure(&format!("latency_ms/itl/{name}"));
            let ms = ["mean", "p50", "p90", "p95", "p99"].map(figure);
            let count = figure("count").unwrap_or(0.0) as u64;
            let known = ms.iter().all(Option::is_some);
            return Self { count, ms: known.then(|| ms.map(|x| x.unwrap_or(0.0))) };
        }
        let values = run.requests.iter().filter(|r| r.counted).filter_map(|r| metric.of(r));
        let all = Blocked::new(1, values.map(|us| (us, 0, 1)));
        Self { count: all.count(), ms: all.figures().map(|us| us.map(|us| us / 1000.0)) }
    }
}

/// A pair of runs in blocks of time.
pub(super) struct Sample<'a> {
    sides: [&'a Outcomes; 2],
    from_us: u64,
    width_us: u64,
    blocks: u32,
    paired: bool,
}

impl<'a> Sample<'a> {
    /// Blocks of equal length from the first arrival that counts to the last, two requests in each at least on average.
    pub(super) fn new(a: &'a Outcomes, b: &'a Outcomes, paired: bool) -> Self {
        let counted = |run: &'a Outcomes| run.requests.iter().filter(|r| r.counted);
        let (mut from, mut to) = (u64::MAX, 0);
        for r in counted(a).chain(counted(b)) {
            (from, to) = (from.min(r.arrival_us), to.max(r.arrival_us));
        }
        let fewest = counted(a).count().min(counted(b).count()) as u32;
        let blocks = (fewest / 2).clamp(2, BLOCKS);
        let width_us = (to.saturating_sub(from) / u64::from(blocks) + 1).max(1);
        Self { sides: [a, b], from_us: from, width_us, blocks, paired }
    }

    pub(super) fn sides(&self) -> [&'a Outcomes; 2] {
        self.sides
    }

    /// The draws of both sides: the same ones if the arrivals are the same.
    pub(super) fn draws(&self) -> [Draws; 2] {
        let own = |run: &Outcomes| Draws::new(Digest::of(run.report_digest.as_bytes()).value());
        if self.paired { [Draws::new(0), Draws::new(0)] } else { self.sides.map(own) }
    }

    fn block(&self, arrival_us: u64) -> u32 {
        ((arrival_us - self.from_us) / self.width_us) as u32
    }

    /// The values of a metric on both sides, by block of arrival; gaps by block of the time at which they ended.
    pub(super) fn blocked(&self, metric: Metric) -> [Option<Blocked>; 2] {
        if metric == Metric::Itl {
            return gap_blocks(self.sides.map(|run| &run.gaps));
        }
        self.sides.map(|run| Some(self.of(run, |r| metric.of(r))))
    }

    /// A share of the requests that count, in millionths.
    pub(super) fn ratio(&self, run: &Outcomes, is: fn(Ending) -> bool) -> Blocked {
        self.of(run, |r| Some(if is(r.ending) { 1_000_000 } else { 0 }))
    }

    fn of(&self, run: &Outcomes, value: impl Fn(&Outcome) -> Option<u64>) -> Blocked {
        let values = run.requests.iter().filter(|r| r.counted);
        let values = values.filter_map(|r| Some((value(r)?, self.block(r.arrival_us), 1)));
        Blocked::new(self.blocks, values)
    }
}

/// Gaps of both sides in blocks of the same length, as long as those of the longer run; nothing where they were not kept.
fn gap_blocks(sides: [&GapBlocks; 2]) -> [Option<Blocked>; 2] {
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
        return [None, None];
    }
    // The warm-up has none.
    let from = first(sides[0]).min(first(sides[1]));
    let blocks = last(sides[0]).max(last(sides[1])) - from;
    sides.map(|gaps| {
        let values = gaps.blocks.iter().zip(0_u64..).flat_map(|(block, i)| {
            let place = (i * gaps.width_us / width - from.min(i * gaps.width_us / width)) as u32;
            block.iter().map(move |&(gap, count)| (gap, place, count))
        });
        (blocks > 1).then(|| Blocked::new(blocks as u32, values))
    })
}

/// Half the length of the 95 % interval of each figure's difference, in thousandths of the values' unit.
pub(super) fn differences_of_blocks(
    sides: [Option<Blocked>; 2],
    [mut draws_a, mut draws_b]: [Draws; 2],
) -> [Option<f64>; FIGURES] {
    let [Some(a), Some(b)] = sides else { return [None; FIGURES] };
    if a.count() < 2 || b.count() < 2 {
        return [None; FIGURES];
    }
    let blocks = a.blocks();
    let mut seen: Vec<Five> = Vec::with_capacity(RESAMPLES as usize);
    for _ in 0..RESAMPLES {
        let (of_a, of_b) = (a.resampled(&draws_a.next(blocks)), b.resampled(&draws_b.next(blocks)));
        if let (Some(x), Some(y)) = (of_a, of_b) {
            seen.push(std::array::from_fn(|k| y[k] - x[k]));
        }
    }
    if seen.len() < RESAMPLES_MIN {
        return [None; FIGURES];
    }
    let n = seen.len() as f64;
    let few = f64::from(blocks) / f64::from(blocks - 1);
    std::array::from_fn(|k| {
        let mean = seen.iter().map(|d| d[k]).sum::<f64>() / n;
        let squares: f64 = seen.iter().map(|d| (d[k] - mean) * (d[k] - mean)).sum();
        Some(t_975(blocks - 1) * libm::sqrt(squares / (n - 1.0) * few) / 1000.0)
    })
}
