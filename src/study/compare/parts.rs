//! The result of a comparison of two runs: plain data, as printed by `--json` and read by the page. A difference is B
//! minus A.

use super::{Difference, Direction, HandoverTable, RegretTable, TotalComparison, TotalTable, Verdict};
use run::session::report::MetricUnit;
use run::session::{PoolEvidence, RunVerdict};
use serde::Serialize;

/// Two runs, or the runs of two scenarios with several seeds.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunComparison {
    /// Whether the requests of both runs are the same, so that each is compared with itself.
    pub paired: bool,
    /// Why they are not; missing if they are.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_paired: Option<String>,
    /// Pairs of requests that count in both runs, of all seeds together; without pairs, requests of A that count.
    pub requests: u64,
    /// The seeds, as text.
    pub seeds: Vec<String>,
    /// How intervals were computed.
    pub interval: IntervalBasis,
    /// The same in a sentence.
    pub explained: String,
    /// The instant from which requests are compared, in seconds: the last difference between the two runs; missing if
    /// all requests that count are compared.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_s: Option<f64>,
    /// What a reader must know to interpret the numbers.
    pub notices: Vec<String>,
    /// The first run.
    pub a: Side,
    /// The second run.
    pub b: Side,
    /// Times of requests, in milliseconds.
    pub metrics: MetricTable,
    /// Figures of whole runs.
    pub totals: TotalTable,
    /// Further figures of whole runs, those that are asked for; missing without any.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<FigureComparison>,
    /// Figures of hand-overs; missing unless a pool has a role in one of them.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handovers: Option<HandoverTable>,
    /// Both against the oracle; missing unless one of them has an autoscaler.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regret: Option<RegretTable>,
    /// The requests of the first seed, one by one.
    pub detail: DetailTable,
}

/// How intervals were computed.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalBasis {
    /// Student's t over the differences of the seeds.
    Seeds,
    /// A bootstrap over blocks of time of one run.
    Blocks,
}

/// One of the two.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Side {
    /// Title of its scenario.
    pub title: String,
    /// Its routers, one after the other, in words: `Round robin, Prefix aware from 42 s`.
    pub routers: String,
    /// Digest of its scenario, of the first seed.
    pub scenario_digest: String,
    /// Digest of its workload, of the first seed.
    pub workload_digest: String,
    /// Digests of its reports, by seed.
    pub report_digests: Vec<String>,
    /// Requests that are compared, of all seeds: those that arrived in the measurement window, and not before the last difference.
    pub requests: u64,
    /// Finished.
    pub finished: u64,
    /// Finished, refused or dropped: it is decided whether they met their objectives.
    pub decided: u64,
    /// Finished with every objective of their class met.
    pub met: u64,
    /// Refused.
    pub refused: u64,
    /// Impossible to serve, or timed out.
    pub dropped: u64,
    /// Still in the system at the end.
    pub unfinished: u64,
    /// Whether requests piled up, of the seed with the worst verdict.
    pub load: RunVerdict,
    /// How far the latency figures of each pool can be trusted, of the seed with the worst verdict.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<PoolEvidence>,
}

/// A time of requests, in milliseconds: figures of the requests that arrived in the measurement window and have it, in both runs if
/// requests are paired.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricComparison {
    /// Values of A, of all seeds.
    pub count_a: u64,
    /// Values of B.
    pub count_b: u64,
    /// The requests that the verdicts are over; missing if both runs have the time of the same ones.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
    /// Why the order of the means is not certain; missing where it survives the error of the simulation.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<OrderDoubt>,
    /// Which values are the better ones.
    pub better: Direction,
    /// The mean.
    pub mean: Difference,
    /// The median.
    pub p50: Difference,
    /// The 90th percentile.
    pub p90: Difference,
    /// The 95th percentile.
    pub p95: Difference,
    /// The 99th percentile.
    pub p99: Difference,
}

/// What a verdict is over where two runs answered different requests, in words that go after it.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Over {
    /// In two words.
    pub short: &'static str,
    /// With the number of requests.
    pub text: String,
}

/// Why the order of two means is not certain, and what either may be.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OrderDoubt {
    /// In a sentence.
    pub text: String,
    /// The mean of A, in milliseconds, less and plus the median of the errors that are named for it.
    pub a: [f64; 2],
    /// The mean of B.
    pub b: [f64; 2],
}

/// The times of requests.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricTable {
    /// Arrival to first token.
    pub ttft_ms: MetricComparison,
    /// Between successive tokens, all of them pooled; without an interval if the gaps were not kept by time.
    pub itl_ms: MetricComparison,
    /// Mean gap of each finished request: (E2E - TTFT) / (tokens - 1).
    pub tpot_ms: MetricComparison,
    /// Arrival to last token.
    pub e2e_ms: MetricComparison,
    /// Joining the wait queue to first joining a batch.
    pub queue_wait_ms: MetricComparison,
    /// Arrival to first joining a batch.
    pub scheduling_delay_ms: MetricComparison,
}

/// A further figure of whole runs, by its name.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureComparison {
    /// Its name in columns and options.
    pub name: String,
    /// Its name for people.
    pub label: String,
    /// How it is written.
    pub unit: MetricUnit,
    /// The figure of both, and its difference.
    #[serde(flatten)]
    pub comparison: TotalComparison,
}

/// The times of single requests of the first seed. ITL is not a time of one request.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DetailTable {
    /// Arrival to first token.
    pub ttft_ms: MetricDetail,
    /// Mean gap of each finished request.
    pub tpot_ms: MetricDetail,
    /// Arrival to last token.
    pub e2e_ms: MetricDetail,
    /// Joining the wait queue to first joining a batch.
    pub queue_wait_ms: MetricDetail,
    /// Arrival to first joining a batch.
    pub scheduling_delay_ms: MetricDetail,
}

/// One time of the requests of one seed.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricDetail {
    /// Both distributions: at most 200 points each.
    pub ecdf: EcdfPart,
    /// The differences of the same requests; missing without pairs.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paired: Option<PairedPart>,
}

/// Two distributions.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EcdfPart {
    /// A: milliseconds, and the percentage of requests with at most this value.
    pub a: Vec<[f64; 2]>,
    /// Of B.
    pub b: Vec<[f64; 2]>,
    /// The area between the two curves in milliseconds: their mean distance over all ranks.
    pub area_ms: f64,
}

/// The differences of the same requests, B minus A, in milliseconds.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairedPart {
    /// Requests that have the time in both runs.
    pub count: u64,
    /// Their mean difference.
    pub mean_ms: f64,
    /// Lower end of the 95 % interval of the mean difference; null for too few.
    pub mean_lo_ms: Option<f64>,
    /// Its upper end.
    pub mean_hi_ms: Option<f64>,
    /// The verdict on the mean difference.
    pub mean_verdict: Verdict,
    /// Blocks of time with such requests, those of the intervals from one seed.
    pub blocks: u32,
    /// Blocks in which the mean difference is a gain.
    pub blocks_gained: u32,
    /// Blocks in which it is a loss.
    pub blocks_lost: u32,
    /// The 1st percentile of the differences: the largest gains.
    pub p1_ms: f64,
    /// The 5th percentile.
    pub p5_ms: f64,
    /// The median.
    pub p50_ms: f64,
    /// Lower end of the 95 % interval of the median of the differences; null for too few.
    pub p50_lo_ms: Option<f64>,
    /// Its upper end.
    pub p50_hi_ms: Option<f64>,
    /// The verdict on the median.
    pub p50_verdict: Verdict,
    /// The 95th percentile.
    pub p95_ms: f64,
    /// The 99th percentile: the largest losses.
    pub p99_ms: f64,
    /// Share of the requests that were faster in B, by any microsecond, 0 to 1.
    pub gained: f64,
    /// Share of those that were slower in B.
    pub lost: f64,
    /// The ten requests that gained most, the most first.
    pub gained_most: Vec<MovedRequest>,
    /// The ten that lost most.
    pub lost_most: Vec<MovedRequest>,
    /// The differences by class, tenant, prompt length and replica: at most 50 groups of each, those that add most to
    /// all differences.
    pub groups: Vec<GroupDifference>,
    /// The differences along the time of arrival: at most 400 stretches of equally many requests.
    pub strip: Vec<StripPoint>,
}

/// A request of both runs.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MovedRequest {
    /// Its number in A.
    pub request_a: u32,
    /// Its number in B, the same except in conversations that wait for their answers.
    pub request_b: u32,
    /// When it arrived in A, in seconds.
    pub arrival_s: f64,
    /// Its time in A, in milliseconds.
    pub a_ms: f64,
    /// Its time in B.
    pub b_ms: f64,
    /// B minus A.
    pub diff_ms: f64,
    /// Its replica in A.
    pub replica_a: Option<u32>,
    /// Its replica in B.
    pub replica_b: Option<u32>,
}

/// What requests are grouped by.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grouping {
    /// SLO class.
    Class,
    /// Tenant.
    Tenant,
    /// Length of the prompt.
    PromptTokens,
    /// Replica in A.
    ReplicaA,
    /// Replica in B.
    ReplicaB,
}

/// The differences of a group of requests.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupDifference {
    /// The property that they are grouped by.
    pub by: Grouping,
    /// Its name.
    pub name: String,
    /// Its requests.
    pub count: u64,
    /// Their mean difference in milliseconds.
    pub mean_ms: f64,
    /// The 1st percentile of their differences: the largest gains.
    pub p1_ms: f64,
    /// The median of their differences.
    pub p50_ms: f64,
    /// Share that gained, 0 to 1.
    pub gained: f64,
    /// Share that lost.
    pub lost: f64,
}

/// A stretch of requests in order of arrival.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StripPoint {
    /// Arrival in A of the request named, in seconds.
    pub t_s: f64,
    /// The request that moved most, by its number in A.
    pub request_a: u32,
    /// The same in B.
    pub request_b: u32,
    /// Its difference in milliseconds.
    pub diff_ms: f64,
    /// The median of the stretch.
    pub p50_ms: f64,
    /// The smallest difference.
    pub min_ms: f64,
    /// The largest.
    pub max_ms: f64,
    /// Requests in the stretch.
    pub count: u32,
}
