//! Inspection of a recorded trace, before anything runs: its rate, its lengths, how much of its prompts a cache finds
//! again, its sessions, and what is odd about it.

mod ceiling;
mod figures;
mod reuse;
mod rows;

use base::{Diagnostics, Micros};
pub use ceiling::{CeilingPoint, DealtCeiling, TierShare, TierSize, TraceCeiling};
use document::SloClass;
use engine::workload::{Trace, TraceFound, TraceReading, TraceSummary};
pub use figures::{TraceArrivals, TraceBin, TraceLengths, TraceRate};
use figures::{gaps, lengths, rate, repeats, steps};
pub use reuse::{TraceReuse, TraceReusePoint};
pub use rows::TraceFigures;
use serde::Serialize;

/// What a trace is like.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceInspection {
    /// Its size.
    pub summary: TraceSummary,
    /// What was found in the file, and what was left out.
    pub found: TraceFound,
    /// When its first request arrived by the calendar, if the file says it.
    pub started: Option<String>,
    /// Requests over time.
    pub rate: TraceRate,
    /// Lengths of the prompts.
    pub prompt: TraceLengths,
    /// Lengths of the answers.
    pub output: TraceLengths,
    /// Share of the prompts that an ideal cache finds again; nothing if no two prompts share text.
    pub reuse: Option<TraceReuse>,
    /// Its sessions; nothing if the file names none.
    pub sessions: Option<TraceSessions>,
    /// Instants at which requests arrive.
    pub arrivals: TraceArrivals,
    /// Requests whose id occurred before.
    pub repeated_ids: u64,
    /// Rows that equal another one in instant, lengths, blocks and session.
    pub repeated_rows: u64,
    /// Requests by tenant, the largest first.
    pub tenants: Vec<TraceName>,
    /// Requests by SLO class.
    pub classes: Vec<TraceName>,
    /// Requests by model.
    pub models: Vec<TraceName>,
    /// Requests by adapter.
    pub adapters: Vec<TraceName>,
    /// Warnings about the file.
    pub problems: Diagnostics,
}

/// Sessions of a trace.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceSessions {
    /// How many.
    pub sessions: u64,
    /// Requests that belong to one.
    pub requests: u64,
    /// Requests of a session, in the mean.
    pub mean_requests: f64,
    /// Sessions by their number of requests.
    pub bins: Vec<TraceBin>,
    /// Median time from one request of a session to its next, in seconds; nothing if all have one.
    pub gap_p50_s: Option<f64>,
    /// 99 % of these times are at most this long, in seconds.
    pub gap_p99_s: Option<f64>,
}

/// Requests with a name.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TraceName {
    /// The name; empty for none.
    pub name: String,
    /// How many requests.
    pub requests: u64,
}

/// Most names listed of one kind.
const NAMES: usize = 20;

impl TraceInspection {
    /// Inspects what a reader has read; nothing if it refused the file.
    pub fn of(reading: &TraceReading) -> Option<Self> {
        let (trace, found) = (reading.trace.as_deref()?, reading.found.clone()?);
        let summary = reading.summary.clone()?;
        let (repeated_ids, repeated_rows) = repeats(trace);
        let number = |of: fn(&Trace, usize) -> u32| move |row: usize| of(trace, row);
        Some(Self {
            started: trace.wall_clock(0),
            rate: rate(trace),
            prompt: lengths(trace, Trace::prompt_tokens),
            output: lengths(trace, Trace::output_tokens),
            reuse: reuse::of(trace),
            sessions: sessions(trace),
            arrivals: steps(trace),
            repeated_ids,
            repeated_rows,
            tenants: names(trace, trace.tenants(), number(Trace::tenant)),
            classes: names(trace, &SloClass::ALL.map(|c| c.name().to_owned()), number(Trace::class)),
            models: names(trace, trace.models(), number(Trace::model)),
            adapters: names(trace, trace.adapters(), number(Trace::adapter)),
            problems: reading.diagnostics.clone(),
            summary,
            found,
        })
    }
}

/// Requests by name, the most frequent first; empty if no request has one.
fn names(trace: &Trace, names: &[String], of: impl Fn(usize) -> u32) -> Vec<TraceName> {
    let mut counts = vec![0u64; names.len() + 1];
    for row in 0..trace.len() {
        if let Some(count) = counts.get_mut(of(row) as usize) {
            *count += 1;
        }
    }
    if counts[1..].iter().all(|&count| count == 0) {
        return Vec::new();
    }
    let name = |i: usize| i.checked_sub(1).map_or(String::new(), |i| names[i].clone());
    let all = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    let mut all: Vec<TraceName> = all.map(|(i, &requests)| TraceName { name: name(i), requests }).collect();
    base::small::sort::sort_by_key(&mut all, |n| u64::MAX - n.requests);
    all.truncate(NAMES);
    all
}

/// Upper ends of the bins of [`TraceSessions`]; the last has none.
const SESSION_BINS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

fn sessions(trace: &Trace) -> Option<TraceSessions> {
    let mut counts: Vec<u32> = Vec::new();
    for session in (0..trace.len()).map(|row| trace.session(row) as usize).filter(|&s| s > 0) {
        if counts.len() < session {
            counts.resize(session, 0);
        }
        counts[session - 1] += 1;
    }
    let sessions = counts.iter().filter(|&&n| n > 0).count() as u64;
    if sessions == 0 {
        return None;
    }
    let mut bins: Vec<TraceBin> = Vec::new();
    for (i, from) in [1].into_iter().chain(SESSION_BINS.map(|end| end + 1)).enumerate() {
        let to = SESSION_BINS.get(i).copied().unwrap_or(u32::MAX);
        let count = counts.iter().filter(|n| (from..=to).contains(*n)).count() as u64;
        bins.push(TraceBin { from, to, count });
    }
    let requests: u64 = counts.iter().map(|&n| u64::from(n)).sum();
    let gaps = gaps(trace, counts.len());
    let seconds = |us: u64| Micros(us).as_secs();
    Some(TraceSessions {
        sessions,
        requests,
        mean_requests: requests as f64 / sessions as f64,
        bins,
        gap_p50_s: figures::percentile(&gaps, 50).map(seconds),
        gap_p99_s: figures::percentile(&gaps, 99).map(seconds),
    })
}
