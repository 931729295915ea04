//! Density: how many requests or gaps between tokens had which latency when, the distribution of a span, and steps by batch size.

use super::{Measure, RequestFilter};
use crate::observe::Percentiles;
use crate::session::Session;
use serde::{Deserialize, Serialize};

/// A query for the heat map of a latency over time.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DensityQuery {
    /// Which latency.
    pub of: Measure,
    /// Start, in microseconds.
    pub from_us: u64,
    /// End, in microseconds; 0 means the right edge of the time axes.
    pub to_us: u64,
    /// About how many columns; their width is a round number of seconds.
    pub columns: u32,
}

/// A heat map: columns of equal width in time, rows of equal width on a logarithmic axis of latency.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Density {
    /// The playhead.
    pub now_us: u64,
    /// Which latency.
    pub of: Measure,
    /// Start of the first column.
    pub from_us: u64,
    /// Width of a column.
    pub width_us: u64,
    /// Number of columns.
    pub columns: u32,
    /// Lower edge of each row, and the upper edge of the last, in microseconds.
    pub edges_us: Vec<f64>,
    /// Counts, column by column from the lowest row up.
    pub counts: Vec<u32>,
    /// The largest count.
    pub most: u32,
    /// Everything counted.
    pub total: u64,
    /// Requests in the span that are not counted, because the latency is not known yet or never will be.
    pub unknown: u64,
    /// Whether columns are by arrival; gaps between tokens are by the instant of the later token.
    pub by_arrival: bool,
    /// The objective of the strictest class, 0 without one.
    pub slo_us: u64,
    /// Width in time of the buckets that gaps were counted in: narrower columns are not possible for them.
    pub finest_us: u64,
}

/// A query for a distribution.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EcdfQuery {
    /// Which latency.
    pub of: Measure,
    /// Which requests.
    pub filter: RequestFilter,
}

/// A query for steps by batch size.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointsQuery {
    /// Start, in microseconds.
    pub from_us: u64,
    /// End, in microseconds.
    pub to_us: u64,
    /// Of this replica alone.
    #[cfg_attr(feature = "schema", ts(optional))]
    pub replica: Option<u32>,
}

/// A distribution: the share of requests with at most this latency. At most 400 points.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Ecdf {
    /// Latencies in milliseconds, rising.
    pub ms: Vec<f64>,
    /// Percent of the requests.
    pub percent: Vec<f64>,
    /// How many requests.
    pub count: u64,
    /// 50th, 90th and 99th percentile in milliseconds; missing without requests.
    pub percentiles_ms: [Option<f64>; 3],
    /// The share within the objective, in percent; missing without an objective or without requests.
    pub within: Option<f64>,
}

/// A query for the figures before and after an instant.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AroundQuery {
    /// The instant, such as that of an edit.
    pub at_us: u64,
    /// Longest span on either side; no other edit, and neither end of the run, lies inside a span.
    pub most_us: u64,
}

/// Figures of the requests that arrived in a span.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SpanFigures {
    /// Start of the span.
    pub from_us: u64,
    /// End of the span.
    pub to_us: u64,
    /// Requests that arrived in it.
    pub arrived: u64,
    /// TTFT, of those that have one.
    pub ttft: Percentiles,
    /// Mean gap between the tokens of a request, of those that have one.
    pub tpot: Percentiles,
    /// E2E, of those that have finished.
    pub e2e: Percentiles,
    /// Percent of the arrivals that finished within every objective; missing while any of them is on its way.
    pub met_percent: Option<f64>,
    /// Preemptions of these requests.
    pub preemptions: u64,
    /// Percent of their prompt tokens found in the cache, of those that joined a batch.
    pub cached_percent: Option<f64>,
    /// Its TTFT as a distribution.
    pub ttft_ecdf: Ecdf,
    /// Its E2E as a distribution.
    pub e2e_ecdf: Ecdf,
}

/// The figures before and after an instant, and their differences: after less before, in microseconds and in percentage points.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Around {
    /// Before.
    pub before: SpanFigures,
    /// From the instant on.
    pub after: SpanFigures,
    /// Difference of the TTFT percentiles: 50, 90, 99; missing where a side has no requests.
    pub ttft_us: [Option<f64>; 3],
    /// The same of TPOT.
    pub tpot_us: [Option<f64>; 3],
    /// The same of E2E.
    pub e2e_us: [Option<f64>; 3],
    /// Difference of the shares that met every objective.
    pub met_points: Option<f64>,
}

/// Steps by batch size: at most 2,000 of the latest, as columns of equal length.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StepPoints {
    /// Running requests.
    pub running: Vec<u32>,
    /// Time of the step in milliseconds.
    pub ms: Vec<f64>,
    /// Whether it computed prompt tokens.
    pub chunk: Vec<bool>,
    /// The line of the latency model for steps that only decode, at the mean context of those steps: requests, milliseconds.
    pub line: [Vec<f64>; 2],
    /// Steps in the span.
    pub steps: u64,
}

impl Session {
    /// Steps between two instants by batch size, of all replicas or of one.
    pub fn step_points(&self, query: &PointsQuery) -> StepPoints {
        self.points(query)
    }
}
