//! Figures of the rows that run, after the changes that a scenario makes to a trace.

use super::figures::{lengths, rate};
use super::{reuse, sessions};
use document::TraceSettings;
use engine::workload::Trace;
use serde::Serialize;
use std::sync::Arc;

/// Figures of the rows of a trace.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceFigures {
    /// Requests.
    pub requests: u64,
    /// Sessions; nothing if the file names none.
    pub sessions: Option<u64>,
    /// From the first to the last arrival as they run, in seconds.
    pub duration_s: f64,
    /// Requests per second as they run.
    pub mean_per_s: f64,
    /// Requests per second in the busiest bucket of time.
    pub peak_per_s: f64,
    /// Mean length of the prompts, in tokens.
    pub prompt_mean: f64,
    /// The length that 99 % of the prompts do not exceed.
    pub prompt_p99: u32,
    /// Mean length of the answers, in tokens.
    pub output_mean: f64,
    /// The length that 99 % of the answers do not exceed.
    pub output_p99: u32,
    /// Tokens of all prompts.
    pub prompt_tokens: u64,
    /// Tokens of all answers.
    pub output_tokens: u64,
    /// Share of the tokens of prompts that a cache of any size finds again; nothing if no two prompts share text.
    pub reuse: Option<f64>,
}

impl TraceFigures {
    /// The figures of what a run with `seed` replays of a trace. Nothing if no row is left.
    pub fn of(trace: &Arc<Trace>, settings: &TraceSettings, seed: u64) -> Option<Self> {
        let rows = trace.operated(settings, seed);
        if rows.is_empty() || settings.speed <= 0.0 {
            return None;
        }
        let (rate, speed) = (rate(&rows), settings.speed);
        let (prompt, output) = (lengths(&rows, Trace::prompt_tokens), lengths(&rows, Trace::output_tokens));
        let total = |of: fn(&Trace, usize) -> u32| (0..rows.len()).map(|row| u64::from(of(&rows, row))).sum();
        Some(Self {
            requests: rows.len() as u64,
            sessions: sessions(&rows).map(|found| found.sessions),
            duration_s: rows.last_arrival().as_secs() / speed,
            mean_per_s: rate.mean_per_s * speed,
            peak_per_s: rate.peak_per_s * speed,
            prompt_mean: prompt.mean,
            prompt_p99: prompt.p99,
            output_mean: output.mean,
            output_p99: output.p99,
            prompt_tokens: total(Trace::prompt_tokens),
            output_tokens: total(Trace::output_tokens),
            reuse: reuse::of(&rows).map(|found| found.unbounded),
        })
    }
}
