//! Result of a benchmark, independent of the tool: figures with one unit and one meaning, requests, load, and facts
//! about the engine.

pub(crate) mod aiperf_load;
mod benchmarks;
pub(crate) mod clock;
mod engine_words;
pub(crate) mod exposition;
pub(crate) mod place;
pub(crate) mod problems;
mod reading;
mod refused;
pub mod series;
pub mod statistics;
mod text;

pub use benchmarks::Benchmarks;
pub(crate) use place::Place;
pub use problems::Problems;
pub use reading::{format, formats, read};
pub use series::{MetricSeries, Timeline};
pub use text::Text;

use document::LatencyClock;
use serde::Serialize;

/// One figure: a metric and a statistic of it, exact or between two bounds.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Metric with its unit: `ttft_ms`, `tpot_ms`, `itl_ms`, `e2e_ms`, `queue_ms`, `prefill_ms`, `decode_ms`, `inference_ms`, `req_per_s`, `out_tok_per_s`, `running`,
    /// `waiting`, `preemptions`, `reused_prompt_share`.
    pub metric: &'static str,
    /// mean, p50, p90, p95, p99, or `value` for a single value.
    pub stat: &'static str,
    /// The figure, or its lower bound.
    pub low: f64,
    /// The figure, or its upper bound: a histogram gives only bounds.
    pub high: f64,
}

/// One measured request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// Time of sending in microseconds on the tool's clock, which may have any origin.
    pub start_us: Option<i64>,
    /// Prompt length.
    pub prompt_tokens: u32,
    /// Length of the answer.
    pub output_tokens: u32,
    /// Time to first token.
    pub ttft_us: Option<u64>,
    /// Time to the last token.
    pub e2e_us: u64,
    /// Whether the tool counts it in its figures: some tools leave out the warm-up.
    pub counted: bool,
}

/// How requests were sent, as far as the file says.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Load {
    /// Requests sent.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u32>,
    /// Rate of sending; missing if all were sent at once or the rate is unknown.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_per_s: Option<f64>,
    /// Coefficient of variation of the gaps; 1 is Poisson.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_cv: Option<f64>,
    /// Most requests in flight.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// Whether all were sent at once, except for the limit of requests in flight.
    pub at_once: bool,
    /// Whether the user says that the traffic of the scenario was sent.
    pub own_traffic: bool,
    /// Mean prompt length.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<f64>,
    /// Mean length of an answer.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<f64>,
}

/// A server's facts about its KV cache.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EngineFacts {
    /// KV blocks of a replica.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<u32>,
    /// Tokens of KV cache of a replica, if the number of blocks is missing.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_tokens: Option<u32>,
    /// Tokens in a block.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_tokens: Option<u32>,
    /// Share of the GPU's memory that the engine may use.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_memory_utilization: Option<f64>,
    /// Whether prefixes are cached.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix_caching: Option<bool>,
}

/// One run of a benchmark, or the counters of a server.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Benchmark {
    /// Common name of the tool that wrote it.
    pub tool: &'static str,
    /// Name of the run in a file with several runs; empty if there is only one.
    pub name: String,
    /// Model as written in the file; may be empty.
    pub model: String,
    /// Date as written in the file; may be empty.
    pub date: String,
    /// Side that measured the times: client or server.
    #[serde(skip)]
    pub clock: LatencyClock,
    /// What was measured.
    pub figures: Vec<Figure>,
    /// Standard deviations by metric, as far as the file has them.
    #[serde(skip)]
    pub deviations: Vec<(&'static str, f64)>,
    /// The requests, if the file has them.
    #[serde(skip)]
    pub requests: Vec<Request>,
    /// Requests that succeeded, if the file says so.
    #[serde(skip)]
    pub completed: Option<u32>,
    /// Requests that failed.
    pub failed: u32,
    /// How requests were sent.
    pub load: Load,
    /// Facts of the engine.
    pub engine: EngineFacts,
    /// Series over time, if the file has them.
    #[serde(skip)]
    pub series: Option<Timeline>,
    /// Notes on these figures, in sentences.
    pub notes: Vec<String>,
}

impl Benchmark {
    pub(crate) fn new(tool: &'static str) -> Self {
        Self {
            tool,
            name: String::new(),
            model: String::new(),
            date: String::new(),
            clock: LatencyClock::Client,
            figures: Vec::new(),
            deviations: Vec::new(),
            requests: Vec::new(),
            completed: None,
            failed: 0,
            load: Load::default(),
            engine: EngineFacts::default(),
            series: None,
            notes: Vec::new(),
        }
    }

    /// The requests that the tool counts in its figures.
    pub fn counted(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter().filter(|r| r.counted)
    }

    /// Number of requests behind the figures, if known.
    pub fn measured(&self) -> Option<u32> {
        match self.counted().count() as u32 {
            0 => self.completed.or(self.load.requests),
            counted => Some(counted),
        }
    }

    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// An exact figure.
    pub(crate) fn put(&mut self, metric: &'static str, stat: &'static str, value: f64) {
        self.put_between(metric, stat, [value, value]);
    }

    pub(crate) fn put_between(&mut self, metric: &'static str, stat: &'static str, [low, high]: [f64; 2]) {
        self.figures.push(Figure { metric, stat, low, high });
    }

    /// The standard deviation of a metric over the requests.
    pub(crate) fn put_deviation(&mut self, metric: &'static str, value: f64) {
        self.deviations.push((metric, value));
    }

    /// A figure, or the middle of its bounds.
    pub(crate) fn figure(&self, metric: &str, stat: &str) -> Option<f64> {
        let found = self.figures.iter().find(|f| f.metric == metric && f.stat == stat)?;
        Some(f64::midpoint(found.low, found.high))
    }
}
