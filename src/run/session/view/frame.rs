//! The types of a frame: the state of a run at one instant, as a screen shows it.

use super::KvFrame;
use super::{Mark, Move, MovingFrame, Percentiles, PoolFrame, ServerFrame, SplitFrame, Statement};
use crate::observe::Notice;
use crate::observe::anomaly::AnomalyKind;
use crate::observe::report::OneFaultPart;
use serde::{Deserialize, Serialize};

/// The state of the whole run at one instant, bounded in size for any fleet.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Frame {
    /// The playhead, in microseconds.
    pub now_us: u64,
    /// End of the run in microseconds, 0 if it ends when all requests are done.
    pub horizon_us: u64,
    /// Right edge for time axes: the horizon, or a round instant beyond the playhead.
    pub axis_end_us: u64,
    /// How far the run was computed, in microseconds; beyond the playhead after a step back.
    pub computed_us: u64,
    /// Events run so far.
    pub events: u64,
    /// Whether nothing is left to run.
    pub finished: bool,
    /// A sentence when the run can no longer make progress or ended early, else empty.
    pub trouble: String,
    /// What it shows, for a reader who sees it for the first time.
    pub says: Statement,
    /// What a reader must know to interpret the numbers; most notices appear only once the run has finished.
    pub notices: Vec<Notice>,
    /// Requests by where they are now.
    pub counts: Counts,
    /// The headline numbers over the latest window.
    pub key: KeyFigures,
    /// Arrivals by client over the latest window.
    pub clients: Vec<ClientFrame>,
    /// The gateway's queue; missing without flow control.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gateway: Option<GatewayFrame>,
    /// Prefill and decode apart; missing where all pools are mixed.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<SplitFrame>,
    /// Every pool, in order.
    pub pools: Vec<PoolFrame>,
    /// Every replica, in order.
    pub replicas: Vec<ReplicaFrame>,
    /// Servers whose ranks step together, in order; missing if there are none.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerFrame>,
    /// Moves since the previous frame: the newest, up to the limit of the query.
    pub moves: Vec<Move>,
    /// Edits so far and to come, in order.
    pub flags: Vec<Flag>,
    /// Faults so far, in order: the latest 32; missing if none.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<OneFaultPart>,
    /// Anomalies so far, the first 64 of them, in the order in which they were noticed.
    pub anomalies: Vec<AnomalyMark>,
    /// How many anomalies there were so far, unlisted ones included.
    pub anomaly_count: u32,
}

/// Requests by where they are now, or how they ended.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Requests that have arrived.
    pub arrived: u32,
    /// Between arrival and a wait queue.
    pub in_pipeline: u32,
    /// Requests in the pipeline that wait at the gateway: delayed by admission, or held until a replica serves.
    pub held: u32,
    /// In a wait queue.
    pub waiting: u32,
    /// In a batch.
    pub running: u32,
    /// Finished.
    pub completed: u32,
    /// Refused by admission.
    pub rejected: u32,
    /// Impossible to serve.
    pub dropped: u32,
    /// Given up because their last attempts broke.
    pub lost: u32,
    /// Whether every request that arrived is in one of these places, or between its prefill replica and the batch of its home.
    pub conserved: bool,
    /// Preemptions so far (one request can be preempted several times).
    pub preemptions: u64,
}

/// The headline numbers over the latest window.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct KeyFigures {
    /// Length of the window in seconds.
    pub window_s: f64,
    /// Time to first token of requests that got it in the window.
    pub ttft: Percentiles,
    /// Time between tokens produced in the window.
    pub itl: Percentiles,
    /// Mean time between the tokens of each request that finished in the window.
    pub tpot: Percentiles,
    /// End-to-end latency of requests that finished in the window.
    pub e2e: Percentiles,
    /// Requests per second that arrived in the window.
    pub offered_per_s: f64,
    /// Requests per second that finished in the window.
    pub completed_per_s: f64,
    /// Requests per second that ended in the window: finished, were refused or were dropped.
    pub ended_per_s: f64,
    /// Requests per second that finished and met every objective.
    pub goodput_per_s: f64,
    /// Output tokens per second in the window.
    pub output_tokens_per_s: f64,
    /// Share of prompt blocks found in the prefix cache since the start, not only in the window, 0 to 1.
    pub cache_hit_rate: f64,
    /// Share of the prompt blocks looked up in CPU tiers since the start that were found there, 0 to 1; 0 without any tier.
    pub cpu_hit_rate: f64,
    /// US dollars per million output tokens of the window, for all replicas that existed in it; 0 without output, and
    /// missing if one of them has no price.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_million_tokens: Option<f64>,
    /// TTFT objective in microseconds, 0 if none.
    pub slo_ttft_us: f64,
    /// TPOT objective in microseconds, 0 if none.
    pub slo_tpot_us: f64,
    /// E2E objective in microseconds, 0 if none.
    pub slo_e2e_us: f64,
    /// Share of the window's TTFTs within the objective, 0 to 1; 0 if there are none.
    pub ttft_within: f64,
    /// Share of the window's E2Es within the objective, 0 to 1; 0 if there are none.
    pub e2e_within: f64,
    /// How TTFT compares with its objective.
    pub ttft_mark: Mark,
    /// How TPOT compares with its objective.
    pub tpot_mark: Mark,
    /// How E2E compares with its objective.
    pub e2e_mark: Mark,
    /// How goodput compares with ended requests.
    pub goodput_mark: Mark,
    /// What broke; missing if nothing did.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<FaultFigures>,
}

/// The gateway's queue now.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GatewayFrame {
    /// How saturated an attempt would find the replicas now; 1 is saturated.
    pub saturation: f64,
    /// Its bands and those that clients will use, the highest priority first.
    pub bands: Vec<BandFrame>,
}

/// One band of the gateway's queue now.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BandFrame {
    /// Its priority.
    pub priority: i32,
    /// The SLO classes of that priority, in order.
    pub classes: Vec<&'static str>,
    /// Requests that wait in it.
    pub waiting: u32,
    /// Their prompt tokens.
    pub prompt_tokens: u64,
    /// How long the one that has waited longest waits, in microseconds; 0 if none waits.
    pub longest_us: u64,
    /// Its ceiling: the saturation at and above which its requests wait.
    pub ceiling: f64,
    /// The first of its requests in order of joining.
    pub queue: Vec<QueueChip>,
}

/// One client's traffic over the latest window.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClientFrame {
    /// Name of the client.
    pub name: String,
    /// Its tenant, if that has another name.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Requests per second that arrived in the window.
    pub rate_per_s: f64,
    /// The priority of its requests at the gateway; missing without flow control.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
}

/// One replica now.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplicaFrame {
    /// Number of the replica.
    pub id: u32,
    /// Name of its pool.
    pub pool: String,
    /// Whether it gets new requests; a removed replica finishes its requests.
    pub serving: bool,
    /// The phase of its life, if `serving` is not enough: while it starts or drains, is cold, or has stopped under an autoscaler.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub life: Option<LifeFrame>,
    /// What is wrong with it for a while; missing if nothing is.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<ReplicaFault>,
    /// What its crash broke; missing unless it is down.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crash: Option<CrashFrame>,
    /// What it has of prefills and decodes apart; missing where all pools are mixed.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<MovingFrame>,
    /// Requests in its wait queue.
    pub waiting: u32,
    /// Waiting requests whose blocks are being loaded from the CPU tier.
    pub loading: u32,
    /// Requests in its batch.
    pub running: u32,
    /// Running requests that still compute their prompt.
    pub prefilling: u32,
    /// Share of the latest window in which a step was running, 0 to 1.
    pub busy: f64,
    /// Duration of the running step, or of the latest one, in microseconds.
    pub step_us: u64,
    /// Share of the routing decisions of the latest window for this replica, 0 to 1.
    pub share: f64,
    /// Requests sent here that have not left: on their way to its queue, waiting or running.
    pub in_flight: u32,
    /// Requests in flight that are on their way to its queue.
    pub arriving: u32,
    /// TTFT of requests that got their first token here in the latest window.
    pub ttft: Percentiles,
    /// Blocks of its KV cache.
    pub kv: KvFrame,
    /// The head of its wait queue, in order, up to the limit of the query.
    pub queue: Vec<QueueChip>,
    /// Its batch, up to the limit of the query.
    pub batch: BatchFrame,
}

/// A phase of a replica's life other than serving warm.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LifePhase {
    /// It starts or warms up.
    Starting,
    /// It serves, and its first requests find it cold.
    Cold,
    /// It gets no new requests.
    Draining,
    /// It is gone.
    Stopped,
    /// It has failed.
    Down,
    /// It was taken out by probes or by the router.
    Ejected,
}

/// The phase of a replica's life.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LifeFrame {
    /// Its phase.
    pub phase: LifePhase,
    /// What it waits for while it starts: `scheduling`, `node`, `pulling`, `loading`, `initialising` or `probing`; else empty.
    pub step: &'static str,
    /// Since when it is in its phase, in microseconds.
    pub since_us: u64,
    /// When the current step of its start ends, in microseconds; 0 if it is not starting.
    pub step_until_us: u64,
    /// When it will serve, in microseconds; 0 if it is not starting, or never will.
    pub ready_us: u64,
    /// How many more requests will find it cold.
    pub cold_requests: u32,
}

/// A request in a wait queue.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct QueueChip {
    /// The request.
    pub request: u32,
    /// Number of its client.
    pub client: u32,
    /// Whether it was running before and lost its blocks.
    pub preempted: bool,
    /// Whether it waits for blocks to be loaded from the CPU tier.
    pub loading: bool,
    /// Whether its prompt is computed on a prefill replica, and it waits for room at its home; missing if not.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub prefilled: bool,
    /// Whether an attempt of it broke before; missing if not.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub retried: bool,
}

/// Requests of a batch, column by column: first decoding ones, then those in prefill.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BatchFrame {
    /// Their numbers.
    pub requests: Vec<u32>,
    /// By request: tokens with KV in the cache.
    pub contexts: Vec<u32>,
    /// How many of them decode.
    pub decoding: u32,
    /// By request in prefill: tokens to prefill before its next output token.
    pub prefill: Vec<u32>,
}

/// The figures of one run in a list of runs.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RunFigures {
    /// How far it was computed, in microseconds.
    pub computed_us: u64,
    /// 99th percentile of TTFT, in milliseconds; missing if no request has got its first token.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_p99_ms: Option<f64>,
    /// 99th percentile of E2E, in milliseconds; missing if no request has finished.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub e2e_p99_ms: Option<f64>,
}

/// An edit on the timeline.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Flag {
    /// When, in microseconds.
    pub at_us: u64,
    /// In a few words: `arrivals 9.0 → 9.6`.
    pub label: String,
    /// Whether the playhead has passed it.
    pub applied: bool,
    /// Whether it is switched off: it stays on the timeline and changes nothing.
    pub off: bool,
    /// What it breaks; missing if it breaks nothing.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultFlag>,
}

/// What an edit breaks, and for how long.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultFlag {
    /// Its kind, as in the scenario: `crash`.
    pub kind: &'static str,
    /// Number of the replica, if the edit names one.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replica: Option<u32>,
    /// Name of the pool, if the edit names one.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// When it is over, in microseconds; missing if never.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until_us: Option<u64>,
}

/// What is wrong with a replica for a while.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ReplicaFault {
    /// `slow`, `stuck`, `signals`, `unreachable` or `transfer-link`.
    pub kind: &'static str,
    /// What the replica is because of it, in one or two short words.
    pub short: &'static str,
    /// How many times as long its steps take because of it, or the share that its ports carry; 1 if that is not what it does.
    pub factor: f64,
    /// When it is over, in microseconds; missing if never.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until_us: Option<u64>,
}

/// What the crash of a replica that is down did so far.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CrashFrame {
    /// Requests that it had, or whose KV was lost with it: each broke off once.
    pub inside: u32,
    /// Attempts that broke because of it: those, and what was sent there before routers knew.
    pub broken: u32,
    /// Requests lost with them; the others go on elsewhere or finished.
    pub lost: u32,
    /// Whether it is a planned restart.
    pub planned: bool,
}

/// What broke so far, in figures.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FaultFigures {
    /// Share of the replicas' time since the start in which they were not down, 0 to 1.
    pub availability: f64,
    /// Requests completed, as a share of those that ended: completed, lost, timed out or dropped.
    pub success: f64,
    /// Attempts for each request that arrived.
    pub attempts_per_arrival: f64,
    /// Requests whose first attempt broke and that wait for another one, or are in one.
    pub retrying: u32,
    /// Requests lost.
    pub lost: u32,
    /// How often replicas were ejected.
    pub ejections: u32,
    /// Replicas that are slow, stuck, seen late, cut off or have a thin link now, and are not down.
    pub degraded: u32,
    /// Replicas that are down now.
    pub down: u32,
}

/// An anomaly on the timeline.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnomalyMark {
    /// When it began, in microseconds.
    pub at_us: u64,
    /// When it ended, in microseconds; missing while it lasts.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_us: Option<u64>,
    /// What is wrong.
    pub kind: AnomalyKind,
    /// The replica.
    pub replica: u32,
    /// The first request that proves it, if there is one.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<u32>,
    /// What happened, in one sentence.
    pub label: String,
}

/// How much detail a frame has.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FrameQuery {
    /// Length of the window of the key figures, in seconds.
    pub window_s: f64,
    /// Most queue chips of one replica.
    pub queue: u32,
    /// Most batch bars of one replica.
    pub batch: u32,
    /// Most sampled KV cells of one replica, in a cluster of at most 8 replicas.
    pub cells: u32,
    /// Most moves.
    pub moves: u32,
    /// The inspected replica: up to 96 requests of its queue and of its batch are always included.
    #[cfg_attr(feature = "types", ts(optional))]
    pub focus: Option<u32>,
}

impl Default for FrameQuery {
    fn default() -> Self {
        Self { window_s: 30.0, queue: 12, batch: 64, cells: 168, moves: 64, focus: None }
    }
}
