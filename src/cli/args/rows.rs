//! The arguments for files of rows of a run.

use export::{CANDIDATES, LATEST_START_S, MOST_CANDIDATES};
use std::path::PathBuf;

/// Files of rows that a run writes. Their columns: `tokenyard list columns`.
#[derive(clap::Args)]
pub(crate) struct Rows {
    /// Write a row for each request: times, tokens, replica, and the reason of a refusal. The name ends in .csv or
    /// .jsonl; `tokenyard list columns` explains the columns
    #[arg(long, value_name = "FILE")]
    pub(crate) requests: Option<PathBuf>,
    /// Write a row for each routing decision and candidate: the router's view, each scorer's score, regret; .csv or
    /// .jsonl
    #[arg(long, value_name = "FILE")]
    pub(crate) decisions: Option<PathBuf>,
    /// Number of candidates written per decision, best first; the chosen one is always written
    #[arg(long, value_name = "N", requires = "decisions", default_value_t = CANDIDATES,
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_CANDIDATES)))]
    pub(crate) decisions_k: u32,
    /// Write a row for each event, in order; .csv or .jsonl
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Write the time series of the page's charts, a row for each bucket and replica; .csv or .jsonl
    #[arg(long, value_name = "FILE")]
    pub(crate) series: Option<PathBuf>,
    /// Write a row for each autoscaling decision: measurements, wanted replicas and rule; .csv or .jsonl
    #[arg(long, value_name = "FILE")]
    pub(crate) scaling: Option<PathBuf>,
    /// Write a trace for Perfetto (ui.perfetto.dev): steps and requests of every replica, decisions, refusals, edits and
    /// anomalies; compressed with gzip if the name ends in .gz. It has at most 1,000,000 slices
    #[arg(long, value_name = "FILE")]
    pub(crate) perfetto: Option<PathBuf>,
    /// The part of the run that the trace holds, in seconds, such as 60-90; default all of it
    #[arg(long, value_name = "FROM-TO", requires = "perfetto")]
    pub(crate) perfetto_span: Option<String>,
    /// Write what Prometheus would have scraped from every replica, under vLLM's metric names: OpenMetrics text with a
    /// sample every 15 s, which `promtool tsdb create-blocks-from openmetrics` reads
    #[arg(long, value_name = "FILE")]
    pub(crate) openmetrics: Option<PathBuf>,
    /// Instant at which the run starts in that file, in seconds since 1970
    #[arg(long, value_name = "SECONDS", requires = "openmetrics", default_value_t = 0,
          value_parser = clap::value_parser!(u64).range(0..=LATEST_START_S))]
    pub(crate) openmetrics_start: u64,
    /// Write the results as one HTML file that opens offline: key figures, charts, tables and the scenario
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Add the gaps between the tokens of each request to `--requests`: a column `itl_us`, a list in JSON, numbers
    /// between semicolons in CSV. At most 10,000,000 gaps of a run are kept
    #[arg(long, requires = "requests")]
    pub(crate) itl: bool,
}
