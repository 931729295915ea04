//! Density: how many requests or gaps between tokens had which latency when, the distribution of a span, and steps by batch size.

use super::{Measure, RequestFilter};
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
    #[cfg_attr(feature = "types", ts(optional))]
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
