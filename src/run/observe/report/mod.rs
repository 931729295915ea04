//! The report of a run: stable names, durations in milliseconds, percentiles by linear interpolation on n - 1.
//!
//! Made from the records of requests and the sums of the recorder, in time proportional to the requests (and the
//! sorting of their latencies). docs/reference/report.md lists every name.

mod anomalies;
mod cost;
mod disaggregation;
mod faults;
mod figures;
mod gateway;
mod groups;
mod home_reads;
mod kv;
mod kv_tiers;
mod measure;
mod metrics;
mod parts;
mod pools;
mod requests;
mod scaling;
mod sessions;
mod shares;

pub use super::summaries::tpot_us;
pub use anomalies::{
    AnomalyExample, AnomalyPart, AnomalyProof, BlisPart, KindCounts, hol_blocking_events, priority_inversions,
};
pub use metrics::{Direction, Metric, MetricUnit, RunMetric, Statistic};
pub use parts::{
    ClassPart, CostPart, CpuTierPart, FairnessPart, FitnessPart, FitnessTerm, GroupPart, KvPart, LatencyPart,
    PausesPart, RejectionPart, ReplicaPart, RequestPart, RunPart, SloPart, SlowRequest, ThroughputPart,
};
pub(crate) use pools::speculative;
pub use pools::{ExpertsPart, LoraPart, MixedStepsPart, PoolPart, RanksPart, SpeculativePart};

pub use disaggregation::{DisaggregationPart, HintPart, KvSplitPart, LinkPart, PoolSplitPart};
pub use faults::{BrokenPart, FaultPart, OneFaultPart};
pub use gateway::{BandPart, GatewayPart};
pub use home_reads::HomeReadsPart;
pub use kv_tiers::{KvLoadsPart, KvPlacePart, KvTierPart, TierServedPart};
pub use scaling::ScalingPart;
pub use sessions::{SessionPart, TurnPart};

use super::decisions::DecisionPart;
use super::notices::{Notice, has_price};
use super::recorder::Recorder;
use super::verdict::RunVerdict;
use base::stats::{RELATIVE_ERROR, jain, variation};
use base::{Micros, json};
use document::Scenario;
use engine::perf::PoolEvidence;
use engine::policy::Reason;
use engine::{Cluster, RequestState};
pub(crate) use faults::one_fault;
use groups::Groups;
use kv::cpu_tier;
pub(crate) use kv::{kv_blocks, kv_parts};
pub(crate) use measure::p99s_ms;
use measure::{By, MeasurementWindow};
pub(crate) use requests::{request_part, trouble};
use serde::Serialize;
use serde_json::Value;
use shares::in_ms;
pub(crate) use shares::{known_share, share};

/// How percentiles are computed; stands in every report.
const PERCENTILES: &str =
    "linear interpolation between the two nearest of the n sorted values, at rank p / 100 x (n - 1)";

/// How percentiles of a run that keeps summaries only are computed.
const ESTIMATES: &str = "estimated from bins whose width grows with the value: off by percentile_error at most, relative to the value";

/// The results of a run up to its playhead.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of the report's format.
    pub tokenyard_report: u32,
    /// Title of the scenario.
    pub title: String,
    /// Digest of the scenario's canonical JSON, with the edits applied so far.
    pub scenario_digest: String,
    /// Digest of the trace's requests; empty without a trace.
    pub trace_digest: String,
    /// The link to the run, which the command line adds when it prints the report. Digests are of the report without
    /// it.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// How percentiles are computed.
    pub percentiles: String,
    /// Largest relative error of a percentile, where percentiles are estimates: in a run that keeps summaries only.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percentile_error: Option<f64>,
    /// What a reader must know to interpret the numbers.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// Whether requests piled up: an assessment of the results. Digests are of the report without it.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<RunVerdict>,
    /// How far the latency figures of each pool can be trusted: an assessment of the results. Digests are of the report
    /// without it.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<PoolEvidence>,
    /// The clock.
    pub run: RunPart,
    /// Requests by where they are.
    pub requests: RequestPart,
    /// Why requests were refused; missing if none were.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejections: Vec<RejectionPart>,
    /// The gateway's queue; missing without flow control.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gateway: Option<GatewayPart>,
    /// Sessions whose requests wait for the answers of others; missing if there are none.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<SessionPart>,
    /// What broke, and what became of it; missing if nothing did.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<FaultPart>,
    /// Distributions in milliseconds.
    pub latency_ms: LatencyPart,
    /// Rates over the measurement window.
    pub throughput: ThroughputPart,
    /// How many finished requests met their objectives.
    pub slo: SloPart,
    /// The KV caches together.
    pub kv: KvPart,
    /// The tiers below CPU memory, by pool; missing where there are none.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kv_tiers: Vec<KvTierPart>,
    /// How evenly work was spread.
    pub fairness: FairnessPart,
    /// The score with the scenario's weights; missing without weights.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fitness: Option<FitnessPart>,
    /// What it cost.
    pub cost: CostPart,
    /// A summary of the routing decisions, if `observe.counterfactual_k` is above 0.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions: Option<DecisionPart>,
    /// Each pool.
    pub pools: Vec<PoolPart>,
    /// Requests that are prefilled on one replica and decoded on another; missing where all pools are mixed.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disaggregation: Option<DisaggregationPart>,
    /// The ports of replicas; missing where all pools are mixed.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkPart>,
    /// Each pool's autoscaler; missing if there is none.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scaling: Vec<ScalingPart>,
    /// Each replica.
    pub replicas: Vec<ReplicaPart>,
    /// Each SLO class that sent requests, the most urgent first.
    pub classes: Vec<ClassPart>,
    /// Each tenant.
    pub tenants: Vec<GroupPart>,
    /// Each client.
    pub clients: Vec<GroupPart>,
    /// The requests measured that took longest, the slowest first, at most ten.
    pub slowest: Vec<SlowRequest>,
    /// Anomalies; missing if the scenario disables them.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anomalies: Option<AnomalyPart>,
    /// The counts that BLIS would report; only with its semantics.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blis: Option<BlisPart>,
}

impl Report {
    /// A report that is text already, without what is no result: the link, the verdict and the evidence. A text that is no report stays as it is.
    pub(crate) fn results_of(report: &str) -> String {
        let mut document: Value = serde_json::from_str(report).unwrap_or_default();
        let Some(fields) = document.as_object_mut() else { return report.to_owned() };
        if ["link", "verdict", "evidence"].map(|field| fields.shift_remove(field).is_some()) == [false; 3] {
            return report.to_owned();
        }
        let mut text = json::indented(&document);
        text.push('\n');
        text
    }

    /// A report that is text already, with its `link` set: the bytes that the command line prints. A text that is no report stays
    /// as it is.
    pub fn with_link(report: &str, link: &str) -> String {
        let mut document: Value = serde_json::from_str(report).unwrap_or_default();
        let Some(fields) = document.as_object_mut() else { return report.to_owned() };
        let Some(before) = fields.keys().position(|field| field == "trace_digest") else {
            return report.to_owned();
        };
        fields.shift_insert(before + 1, "link".to_owned(), Value::from(link));
        let mut text = json::indented(&document);
        text.push('\n');
        text
    }

    pub(crate) fn new(
        scenario: &Scenario,
        [scenario_digest, trace_digest]: [String; 2],
        engine: &Cluster,
        recorder: &Recorder,
        notices: Vec<Notice>,
    ) -> Self {
        let m = MeasurementWindow::new(scenario, engine, recorder);
        let throughput = m.throughput();
        let latency_ms = m.latencies();
        let replicas = replica_parts(scenario, &m);
        let tenants = m.groups(engine.source().tenants(), By::Tenant);
        let names: Vec<String> = scenario.cluster.pools.iter().map(|pool| pool.name.clone()).collect();
        let roles = disaggregation::RoleSums::new(scenario, &m, recorder);
        Self {
            tokenyard_report: 1,
            title: scenario.title.clone(),
            scenario_digest,
            trace_digest,
            link: None,
            percentiles: if m.estimates() { ESTIMATES } else { PERCENTILES }.to_owned(),
            percentile_error: m.estimates().then_some(RELATIVE_ERROR),
            notices,
            verdict: None,
            evidence: Vec::new(),
            run: run_part(scenario, &m),
            requests: request_part(engine),
            rejections: rejections(&m),
            gateway: gateway::gateway(scenario, &m, recorder),
            sessions: sessions::sessions(engine, recorder),
            faults: faults::faults(scenario, &m, recorder),
            latency_ms,
            throughput,
            slo: m.slo(),
            kv: m.kv(),
            kv_tiers: kv_tiers::kv_tiers(&names, engine),
            fairness: fairness_part(&m, &tenants, &replicas),
            fitness: cost::fitness(&scenario.observe.fitness, &throughput, &latency_ms),
            cost: cost::cost(&m, &throughput),
            decisions: recorder.decisions.summary(engine),
            pools: pools::pools(scenario, &m, roles.as_ref()),
            disaggregation: roles.as_ref().map(|sums| disaggregation::disaggregation(scenario, &m, sums)),
            links: roles.map_or_else(Vec::new, |_| disaggregation::links(scenario, &m)),
            scaling: scaling::scaling(scenario, &m, recorder),
            replicas,
            classes: m.classes(),
            tenants: tenants.into_parts(),
            clients: m.groups(engine.source().clients(), By::Client).into_parts(),
            slowest: m.slowest(),
            anomalies: recorder.detectors.as_deref().map(AnomalyPart::new),
            blis: BlisPart::new(scenario, engine),
        }
    }
}

/// How many requests were refused for each reason that occurred.
fn rejections(m: &MeasurementWindow<'_>) -> Vec<RejectionPart> {
    let engine = m.engine();
    if engine.census().rejected == 0 {
        return Vec::new();
    }
    let mut requests = Reason::ALL.map(|reason| m.refused(reason).unwrap_or(0));
    for r in engine.records().iter().filter(|_| !m.estimates()) {
        if let Some(reason) = r.refused.filter(|_| r.state() == RequestState::Rejected) {
            requests[reason as usize] += 1;
        }
    }
    let part = |(reason, requests): (Reason, u32)| {
        (requests > 0).then(|| RejectionPart { reason: reason.name(), requests })
    };
    Reason::ALL.into_iter().zip(requests).filter_map(part).collect()
}

fn run_part(scenario: &Scenario, m: &MeasurementWindow<'_>) -> RunPart {
    let engine = m.engine();
    RunPart {
        seed: scenario.seed,
        clock_us: engine.last_event_at().0,
        horizon_us: if engine.horizon() == Micros::MAX { 0 } else { engine.horizon().0 },
        warmup_over: m.has_begun(),
        measured_from_us: m.from().0,
        warmup_requests: engine.census().arrived - m.arrived(),
        events: engine.events_done(),
        edits_applied: scenario.edits.len() as u64,
        trouble: trouble(engine),
    }
}

fn replica_parts(scenario: &Scenario, m: &MeasurementWindow<'_>) -> Vec<ReplicaPart> {
    let [ttft, e2e] = m.by_replica();
    let part = |r: &engine::Replica| {
        let (t, kv, i) = (r.totals(), r.kv(), r.id().index());
        let read = m.readings()[i];
        let found = kv.found();
        let over_time = |area: u128| share(area as f64, read.up_us as f64);
        ReplicaPart {
            replica: r.id().0,
            pool: scenario.cluster.pools[r.pool() as usize].name.clone(),
            serving: r.serving(),
            completed: t.completed,
            queued: r.waiting(),
            running: r.running(),
            dropped: t.dropped,
            rejected: t.refused,
            preemptions: t.preemptions,
            steps: t.steps,
            mean_batch: share(t.running_sum as f64, t.steps as f64),
            up_s: read.up_us as f64 / 1e6,
            busy: over_time(read.busy_us.into()),
            mean_queued: over_time(read.waiting_area),
            mean_running: over_time(read.running_area),
            mean_kv_blocks: over_time(read.kv_area),
            kv_peak_blocks: t.kv_peak,
            kv_total_blocks: kv.total(),
            kv_hit_rate: share(found as f64, (found + kv.prompt_misses()) as f64),
            cpu: cpu_tier(std::slice::from_ref(r)),
            ttft_ms: in_ms(ttft[i]),
            e2e_ms: in_ms(e2e[i]),
        }
    };
    m.engine().replicas().iter().map(part).collect()
}

fn fairness_part(m: &MeasurementWindow<'_>, tenants: &Groups, replicas: &[ReplicaPart]) -> FairnessPart {
    let tokens: Vec<f64> = tenants.sent().map(|g| g.output_tokens as f64).collect();
    let pairs = m.finished_by_replica().iter().zip(m.readings());
    let finished: Vec<f64> = pairs.filter(|(_, read)| read.up_us > 0).map(|(&n, _)| f64::from(n)).collect();
    let queues = || replicas.iter().filter(|r| r.up_s > 0.0).map(|r| r.mean_queued);
    let longest = queues().fold(0.0, f64::max);
    let shortest = queues().fold(f64::INFINITY, f64::min);
    FairnessPart {
        tenants_jain: jain(&tokens),
        tenants_cov: variation(&tokens),
        replicas_jain: jain(&finished),
        replicas_cov: variation(&finished),
        max_min_queue_ratio: if finished.is_empty() { 0.0 } else { longest.max(1.0) / shortest.max(1.0) },
    }
}
