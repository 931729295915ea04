//! Rate, lengths and instants of a trace.

use base::Micros;
use base::digest::Digest;
use base::small::sort::sort_by_key;
use engine::workload::Trace;
use serde::Serialize;

/// Requests over time.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceRate {
    /// Requests per second from the first to the last.
    pub mean_per_s: f64,
    /// Requests per second in the busiest bucket.
    pub peak_per_s: f64,
    /// Length of a bucket in seconds.
    pub bucket_s: f64,
    /// Requests of each bucket.
    pub requests: Vec<u64>,
}

/// Lengths of prompts or answers in tokens.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceLengths {
    /// Mean.
    pub mean: f64,
    /// Half are at most this long.
    pub p50: u32,
    /// 99 % are at most this long.
    pub p99: u32,
    /// The longest.
    pub max: u32,
    /// How many have which length.
    pub bins: Vec<TraceBin>,
}

/// Requests of a range.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TraceBin {
    /// The least value of the range.
    pub from: u32,
    /// The greatest value of the range.
    pub to: u32,
    /// How many.
    pub count: u64,
}

/// Instants at which requests arrive.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TraceArrivals {
    /// Requests at one instant, in the mean.
    pub at_once: f64,
    /// Median time between two instants with requests, in seconds.
    pub step_s: f64,
    /// Whether the clock of the file is coarse: at least two requests at an instant in the mean.
    pub is_coarse: bool,
}

/// Lengths of a bucket of time in seconds; the first that gives few enough buckets is taken.
const BUCKETS_S: [u64; 14] = [1, 2, 5, 10, 20, 60, 120, 300, 600, 1800, 3600, 21_600, 86_400, 604_800];
/// Most buckets of time.
const MOST_BUCKETS: u64 = 400;

pub(super) fn rate(trace: &Trace) -> TraceRate {
    let lasts = trace.last_arrival();
    let buckets = |s: u64| lasts.0 / (s * 1_000_000) + 1;
    let fits = BUCKETS_S.into_iter().find(|&s| buckets(s) <= MOST_BUCKETS);
    let bucket_s = fits.unwrap_or_else(|| lasts.0 / (MOST_BUCKETS * 1_000_000) + 1);
    let mut requests = vec![0u64; buckets(bucket_s) as usize];
    for row in 0..trace.len() {
        requests[(trace.arrival(row).0 / (bucket_s * 1_000_000)) as usize] += 1;
    }
    let most = requests.iter().copied().max().unwrap_or(0);
    let seconds = lasts.as_secs();
    TraceRate {
        mean_per_s: if seconds > 0.0 { trace.len() as f64 / seconds } else { 0.0 },
        peak_per_s: most as f64 / bucket_s as f64,
        bucket_s: bucket_s as f64,
        requests,
    }
}

pub(super) fn lengths(trace: &Trace, of: fn(&Trace, usize) -> u32) -> TraceLengths {
    let mut all: Vec<u32> = (0..trace.len()).map(|row| of(trace, row)).collect();
    sort_by_key(&mut all, |&n| u64::from(n));
    let total: u64 = all.iter().map(|&n| u64::from(n)).sum();
    let mut bins: Vec<TraceBin> = Vec::new();
    for &n in &all {
        // Ranges that double: 1, 2–3, 4–7 and so on.
        let from = 1 << n.max(1).ilog2();
        match bins.last_mut() {
            Some(last) if last.from == from => last.count += 1,
            _ => {
                while let Some(next) = bins.last().map(|last| last.from * 2).filter(|next| *next < from) {
                    bins.push(TraceBin { from: next, to: next * 2 - 1, count: 0 });
                }
                bins.push(TraceBin { from, to: from.saturating_mul(2) - 1, count: 1 });
            }
        }
    }
    let at = |percent: u64| percentile(&all, percent).unwrap_or(0);
    TraceLengths {
        mean: total as f64 / all.len().max(1) as f64,
        p50: at(50),
        p99: at(99),
        max: all.last().copied().unwrap_or(0),
        bins,
    }
}

/// The least of sorted values that at least `percent` of them do not exceed.
pub(super) fn percentile<T: Copy>(sorted: &[T], percent: u64) -> Option<T> {
    let rank = (sorted.len() as u64 * percent).div_ceil(100).max(1);
    sorted.get(rank as usize - 1).copied()
}

/// Times between requests of the same session in microseconds, sorted.
pub(super) fn gaps(trace: &Trace, sessions: usize) -> Vec<u64> {
    let mut last = vec![u64::MAX; sessions + 1];
    let mut gaps = Vec::new();
    for row in 0..trace.len() {
        let (session, now) = (trace.session(row) as usize, trace.arrival(row).0);
        if session == 0 {
            continue;
        }
        if last[session] != u64::MAX {
            gaps.push(now - last[session]);
        }
        last[session] = now;
    }
    sort_by_key(&mut gaps, |&us| us);
    gaps
}

pub(super) fn steps(trace: &Trace) -> TraceArrivals {
    let mut steps = Vec::new();
    for row in 1..trace.len() {
        let step = trace.arrival(row).since(trace.arrival(row - 1)).0;
        if step > 0 {
            steps.push(step);
        }
    }
    let instants = steps.len() + usize::from(!trace.is_empty());
    let at_once = trace.len() as f64 / instants.max(1) as f64;
    sort_by_key(&mut steps, |&us| us);
    let step = percentile(&steps, 50).unwrap_or(0);
    TraceArrivals { at_once, step_s: Micros(step).as_secs(), is_coarse: at_once >= 2.0 && trace.len() > 2 }
}

/// How many ids occur again, and how many rows equal another one.
pub(super) fn repeats(trace: &Trace) -> (u64, u64) {
    let count = |mut all: Vec<u64>| {
        sort_by_key(&mut all, |&key| key);
        all.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64
    };
    let ids = (0..trace.len()).map(|row| trace.request_id(row)).filter(|id| !id.is_empty());
    let ids = count(ids.map(|id| Digest::of(id.as_bytes()).value()).collect());
    let row = |row: usize| {
        let mut digest = Digest::default();
        digest.u64(trace.arrival(row).0);
        digest.u64((u64::from(trace.prompt_tokens(row)) << 32) | u64::from(trace.output_tokens(row)));
        digest.u64(u64::from(trace.session(row)));
        trace.for_each_hash(row, |id| digest.u64(id));
        digest.value()
    };
    (ids, count((0..trace.len()).map(row).collect()))
}
