//! The table of requests: those of a filter, sorted, page by page; and what sets the filtered ones apart from the rest.

use crate::observe::Percentiles;
use crate::session::view::RequestState;
use crate::session::{RequestRow, Session};
use base::RequestId;
use serde::{Deserialize, Serialize};

/// Most rows of one answer.
const MOST_ROWS: u32 = 100_000;

/// A latency of requests.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// Time to first token.
    #[default]
    Ttft,
    /// Inter-token latency: in tables of requests the mean gap of each, TPOT.
    Itl,
    /// End-to-end latency.
    E2e,
}

/// Which requests. Everything set must hold; spans include their ends.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequestFilter {
    /// They arrived at or after this instant, in microseconds.
    pub from_us: u64,
    /// They arrived at or before this instant, in microseconds; 0 means the playhead.
    pub to_us: u64,
    /// Whether requests of the warm-up are left out.
    pub measured: bool,
    /// Their latency is within any of these: which, least and most in microseconds. Empty for all requests.
    pub boxes: Vec<LatencyBox>,
    /// They were routed to this replica.
    #[cfg_attr(feature = "types", ts(optional))]
    pub replica: Option<u32>,
    /// They are of this client.
    #[cfg_attr(feature = "types", ts(optional))]
    pub client: Option<u32>,
    /// They are in this state.
    #[cfg_attr(feature = "types", ts(optional))]
    pub state: Option<RequestState>,
}

/// A box of a heat map: arrivals between two instants with a latency between two values, all in microseconds.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencyBox {
    /// Which latency.
    pub of: Measure,
    /// First arrival.
    pub from_us: u64,
    /// Last arrival.
    pub to_us: u64,
    /// Least latency.
    pub least_us: f64,
    /// Largest latency.
    pub most_us: f64,
}

/// The column by which the table is sorted.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SortKey {
    /// Number of the request.
    #[default]
    Request,
    /// Name of its client.
    Client,
    /// Name of its class.
    Class,
    /// Its replica.
    Replica,
    /// Its state.
    State,
    /// Tokens of its prompt.
    Prompt,
    /// Tokens produced.
    Output,
    /// Time to first token.
    Ttft,
    /// Mean gap between its tokens.
    Tpot,
    /// End-to-end latency.
    E2e,
    /// Preemptions.
    Preemptions,
}

/// A query for rows.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequestRowsQuery {
    /// Which requests.
    pub filter: RequestFilter,
    /// Sorted by this; equal ones by number. Missing values come last in both directions.
    pub sort: SortKey,
    /// Whether the largest come first.
    pub descending: bool,
    /// Rows left out before the first.
    pub offset: u32,
    /// Most rows, at most 100,000.
    pub limit: u32,
}

/// A row of the table.
#[apply(typescript!)]
#[cfg_attr(feature = "types", ts(rename = "RequestRow"))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestTableRow {
    /// Its number.
    pub request: u32,
    /// Number of its client.
    pub client: u32,
    /// Name of its client.
    pub client_name: String,
    /// Name of its class.
    pub class: String,
    /// Its replica, once routed.
    pub replica: Option<u32>,
    /// Its state.
    pub state: RequestState,
    /// Arrival, in microseconds.
    pub arrival_us: u64,
    /// Tokens of its prompt.
    pub prompt_tokens: u32,
    /// Tokens of it found in the cache.
    pub cached_tokens: u32,
    /// Tokens produced.
    pub output_tokens: u32,
    /// Of its TTFT so far: before its first step.
    pub queue_us: u64,
    /// Of its TTFT so far: from its first step on.
    pub prefill_us: u64,
    /// Time to first token, once known.
    pub ttft_us: Option<u64>,
    /// Whether its TTFT missed its objective; missing without an objective or without a first token.
    pub ttft_missed: Option<bool>,
    /// Mean gap between its tokens, once it has finished.
    pub tpot_us: Option<f64>,
    /// End-to-end latency, once known.
    pub e2e_us: Option<u64>,
    /// Preemptions.
    pub preemptions: u32,
}

/// Rows of the table.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RequestRows {
    /// The rows.
    pub rows: Vec<RequestTableRow>,
    /// Requests of the filter.
    pub matching: u64,
    /// Requests that have arrived.
    pub arrived: u64,
    /// The objective of TTFT of the strictest class, 0 without one.
    pub slo_ttft_us: u64,
}

/// A property that the filtered requests have more or less often than the rest.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Apart {
    /// The property in words, such as `on r2`.
    pub what: String,
    /// Percent of the filtered requests.
    pub these: f64,
    /// Percent of the rest.
    pub rest: f64,
}

/// The latencies of one side of a selection.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SelectionSide {
    /// Requests.
    pub count: u64,
    /// Their TTFT, of those that have one.
    pub ttft: Percentiles,
    /// The slowest TTFT.
    pub slowest_us: Option<u64>,
    /// Percent of the sum of their TTFT spent before the first step, and from it on; missing without first tokens.
    pub queue_percent: Option<f64>,
    /// The rest of that sum.
    pub prefill_percent: Option<f64>,
}

/// What sets the filtered requests apart from the other arrivals of the measurement window.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SelectionSummary {
    /// The filtered ones.
    pub these: SelectionSide,
    /// The rest.
    pub rest: SelectionSide,
    /// Properties, by difference, at most eight.
    pub apart: Vec<Apart>,
    /// The slowest of these.
    pub slowest: Option<u32>,
    /// In one or two sentences.
    pub sentence: String,
}

/// By number: the place of its name among all of them in order; equal names share one.
fn places(names: &[String]) -> Vec<u64> {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort();
    names.iter().map(|name| sorted.partition_point(|other| *other < name) as u64).collect()
}

impl Session {
    /// Rows of the table of requests.
    pub fn request_rows(&self, query: &RequestRowsQuery) -> RequestRows {
        let source = self.engine.source();
        let names = match query.sort {
            SortKey::Client => places(source.clients()),
            SortKey::Class => places(source.classes()),
            SortKey::Request
            | SortKey::Replica
            | SortKey::State
            | SortKey::Prompt
            | SortKey::Output
            | SortKey::Ttft
            | SortKey::Tpot
            | SortKey::E2e
            | SortKey::Preemptions => Vec::new(),
        };
        let (mut known, mut missing) = (Vec::new(), Vec::new());
        for (id, record) in self.filtered(&query.filter) {
            let row = RequestRow { session: self, id, record };
            match sort_value(query.sort, &names, &row) {
                Some(value) => known.push((if query.descending { u64::MAX - value } else { value }, id.0)),
                None => missing.push(id.0),
            }
        }
        let matching = (known.len() + missing.len()) as u64;
        known.sort_unstable();
        let order = known.into_iter().map(|(_, request)| request).chain(missing);
        let shown = order.skip(query.offset as usize).take(query.limit.min(MOST_ROWS) as usize);
        RequestRows {
            rows: shown.filter_map(|request| Some(self.table_row(&self.row(RequestId(request))?))).collect(),
            matching,
            arrived: self.engine.records().len() as u64,
            slo_ttft_us: self.strictest(Measure::Ttft),
        }
    }

    fn table_row(&self, row: &RequestRow<'_>) -> RequestTableRow {
        let [queue_us, prefill_us] = self.ttft_parts(row.id, &row.record);
        RequestTableRow {
            request: row.id.0,
            client: row.record.client,
            client_name: row.client().to_owned(),
            class: row.class().to_owned(),
            replica: row.replica(),
            state: row.state(),
            arrival_us: row.arrival_us(),
            prompt_tokens: row.record.prompt_tokens,
            cached_tokens: row.record.cached_tokens,
            output_tokens: row.output_tokens(),
            queue_us,
            prefill_us,
            ttft_us: row.ttft_us(),
            ttft_missed: self.ttft_missed(row.id, &row.record),
            tpot_us: row.tpot_us().map(|us| us as f64),
            e2e_us: row.e2e_us(),
            preemptions: row.record.preemptions,
        }
    }
}

/// The value of a request by which the table is sorted; `None` if it is missing. Names are by their places.
fn sort_value(key: SortKey, names: &[u64], row: &RequestRow<'_>) -> Option<u64> {
    let place = |number: u32| names.get(number as usize).copied();
    match key {
        SortKey::Request => Some(row.id.0.into()),
        SortKey::Client => place(row.record.client),
        SortKey::Class => place(row.record.class),
        SortKey::Replica => row.replica().map(u64::from),
        SortKey::State => Some(row.state() as u64),
        SortKey::Prompt => Some(row.record.prompt_tokens.into()),
        SortKey::Output => Some(row.output_tokens().into()),
        SortKey::Ttft => row.ttft_us(),
        SortKey::Tpot => row.tpot_us(),
        SortKey::E2e => row.e2e_us(),
        SortKey::Preemptions => Some(row.record.preemptions.into()),
    }
}
