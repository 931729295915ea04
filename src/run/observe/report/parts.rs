//! The parts of a report: plain data with stable names, which docs/reference/report.md lists. Names end in their unit.

use super::kv_tiers::{KvLoadsPart, TierServedPart};
use crate::observe::segments::Part;
use base::stats::Summary;
use document::FitnessMetric;
use serde::{Deserialize, Serialize};

/// The clock of a run.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunPart {
    /// Seed.
    pub seed: u64,
    /// Instant of the latest event, in microseconds.
    pub clock_us: u64,
    /// End of the run in microseconds; 0 if it ends when all requests are done.
    pub horizon_us: u64,
    /// Whether the warm-up is over. While it is not, nothing has been measured yet.
    pub warmup_over: bool,
    /// Start of the measurement window in microseconds; of the latest event while the warm-up is not over.
    pub measured_from_us: u64,
    /// Requests left out of distributions because they arrived in the warm-up.
    pub warmup_requests: u32,
    /// Events run.
    pub events: u64,
    /// Edits applied.
    pub edits_applied: u64,
    /// Why the run cannot make progress; empty if it can.
    pub trouble: String,
}

/// Requests by where they are, warm-up included.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RequestPart {
    /// Arrived.
    pub arrived: u32,
    /// Between arrival and a wait queue.
    pub in_pipeline: u32,
    /// In a wait queue.
    pub queued: u32,
    /// In a batch.
    pub running: u32,
    /// Between their prefill replica and their home, from the start of the transfer to the landing. Left out if there are none.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "is_zero")]
    pub transferring: u32,
    /// At home with their KV, not in the batch yet. Left out if there are none.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "is_zero")]
    pub landed: u32,
    /// Finished.
    pub completed: u32,
    /// Refused.
    pub rejected: u32,
    /// Rejected requests that the router refused because no replica that takes requests serves their model. Left out
    /// if there are none.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "is_zero")]
    pub rejected_by_router: u32,
    /// Impossible to serve, or timed out.
    pub dropped: u32,
    /// Dropped requests whose clients timed out. Left out if there are none.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "is_zero")]
    pub timed_out: u32,
    /// Requests whose last attempt broke. Left out if there are none.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "is_zero")]
    pub lost: u32,
    /// Whether these counts, but for those marked as parts of others, add up to the arrived requests.
    pub conserved: bool,
    /// Preemptions.
    pub preemptions: u64,
    /// Preemptions for each request finished.
    pub preemption_rate: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(x: &u32) -> bool {
    *x == 0
}

/// Requests refused for one reason, warm-up included.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RejectionPart {
    /// Why.
    pub reason: &'static str,
    /// How many.
    pub requests: u32,
}

/// Distributions in milliseconds over requests that arrived in the measurement window.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LatencyPart {
    /// Arrival to first token shown.
    pub ttft: Summary,
    /// Between successive tokens of a request, all tokens shown in the measurement window pooled.
    pub itl: Summary,
    /// Mean gap of each completed request with two tokens or more: (E2E - TTFT) / (tokens - 1), whole microseconds.
    pub tpot: Summary,
    /// Arrival to last token shown, completed requests.
    pub e2e: Summary,
    /// Joining the wait queue to first joining a batch.
    pub queue_wait: Summary,
    /// Arrival to first joining a batch.
    pub scheduling_delay: Summary,
}

/// Rates over the measurement window, which ends with the latest event.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ThroughputPart {
    /// Length of the measurement window in seconds.
    pub seconds: f64,
    /// Requests arrived per second.
    pub arrived_per_s: f64,
    /// Requests finished per second.
    pub completed_per_s: f64,
    /// Requests finished per second that met every objective of their class.
    pub goodput_per_s: f64,
    /// Share of the requests finished that met every objective of their class, 0 to 1; missing if none finished.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attainment: Option<f64>,
    /// Prompt tokens per second, cached ones included, of requests that got their first token.
    pub prompt_tokens_per_s: f64,
    /// Output tokens shown per second.
    pub output_tokens_per_s: f64,
    /// Both together.
    pub total_tokens_per_s: f64,
}

/// Requests that ended in the measurement window, by the objectives of their class that they met.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SloPart {
    /// Requests finished.
    pub finished: u32,
    /// Finished requests that met every objective.
    pub met: u32,
    /// Requests refused, dropped or timed out, which count as missed. Left out if there are none.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "is_zero")]
    pub unserved: u32,
    /// Share of all ended requests, met / (finished + unserved), 0 to 1. Left out without unserved ones: it is the
    /// attainment then.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub met_share: Option<f64>,
    /// Share of the requests finished that met the TTFT objective, 0 to 1; missing if none finished.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_attainment: Option<f64>,
    /// Share that met the TPOT objective.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpot_attainment: Option<f64>,
    /// Share that met the E2E objective.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub e2e_attainment: Option<f64>,
}

/// The KV caches of all replicas together. Counts of blocks include the warm-up, shares of requests do not.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct KvPart {
    /// Blocks of prompts found in a cache.
    pub hits: u64,
    /// Blocks of prompts that were not found and had to be computed.
    pub misses: u64,
    /// Share of prompt blocks found, those loaded from tiers below included, 0 to 1: hits / (hits + misses) without any.
    pub hit_rate: f64,
    /// Blocks opened in all: the misses, the blocks loaded from a CPU tier and the blocks of answers.
    pub opened: u64,
    /// Cached blocks evicted because they were needed.
    pub evictions: u64,
    /// Share of the scheduled requests that found any of their prompt cached, 0 to 1.
    pub request_hit_rate: f64,
    /// Share of the prompt tokens of scheduled requests that came from the cache, 0 to 1.
    pub reused_prompt_share: f64,
    /// The CPU tier below them; missing without one.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<CpuTierPart>,
    /// Blocks of prompts that came from tiers below the GPU; missing without any, and with the tier of BLIS.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loads: Option<KvLoadsPart>,
    /// What was kept and fetched for sessions in their pauses; missing where the scenario asks for none of that.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pauses: Option<PausesPart>,
}

/// What was kept and fetched for sessions in their pauses, warm-up included.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PausesPart {
    /// Blocks under directives that live now.
    pub protected_blocks: u64,
    /// Tokens under the gateway's hints that live now.
    pub hinted_tokens: u64,
    /// Prefetches asked for.
    pub prefetches: u64,
    /// Of these, how many brought their blocks.
    pub landed: u64,
    /// The turn was there first.
    pub late: u64,
    /// There were too few free blocks.
    pub refused: u64,
    /// A request that ran needed their blocks, or the replica was lost.
    pub stopped: u64,
    /// Nothing was missing that could be brought.
    pub nothing: u64,
    /// What they read broke.
    pub failed: u64,
    /// Blocks that landed.
    pub blocks: u64,
    /// Of these to the GPU, hit before they went.
    pub useful_blocks: u64,
    /// Evicted before they were hit.
    pub wasted_blocks: u64,
}

/// The CPU tiers of all replicas together, warm-up included.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CpuTierPart {
    /// Capacity in blocks.
    pub total_blocks: u64,
    /// Blocks in use now.
    pub used_blocks: u64,
    /// Blocks written to it.
    pub offloads: u64,
    /// Blocks evicted there because it was full.
    pub evictions: u64,
    /// Loads, each of one block or more for one request.
    pub loads: u64,
    /// Mean time from the request for a load to its end, in milliseconds.
    pub mean_load_ms: f64,
    /// Blocks found there and loaded back.
    pub hits: u64,
    /// Prompt blocks looked up there and not found. With the tier of BLIS: failed allocations for which nothing could
    /// be copied back.
    pub misses: u64,
    /// hits / (hits + misses), 0 to 1.
    pub hit_rate: f64,
    /// The tier of BLIS: blocks copied back within a millisecond of being copied down.
    pub thrash: u64,
    /// thrash / offloads.
    pub thrash_rate: f64,
    /// Blocks that were not written because nothing could be evicted. Like the two figures that follow only of all replicas
    /// together, and missing with the tier of BLIS.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<u64>,
    /// Blocks that were not used for longer than they are kept.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expired: Option<u64>,
    /// How it served requests.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub served: Option<TierServedPart>,
}

/// How evenly work was spread in the measurement window.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct FairnessPart {
    /// Jain's index over the output tokens of each tenant that sent requests: 1/n (one has all) to 1 (equal).
    pub tenants_jain: f64,
    /// Coefficient of variation of the same.
    pub tenants_cov: f64,
    /// Jain's index over the requests finished by each replica.
    pub replicas_jain: f64,
    /// Coefficient of variation of the same.
    pub replicas_cov: f64,
    /// Longest mean queue of a replica divided by the shortest, which counts as at least one request.
    pub max_min_queue_ratio: f64,
}

/// A score with the scenario's weights.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FitnessPart {
    /// Sum of weight times norm.
    pub score: f64,
    /// Its terms, in the order of the scenario.
    pub parts: Vec<FitnessTerm>,
}

/// One term of the fitness score.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FitnessTerm {
    /// The metric.
    pub metric: FitnessMetric,
    /// Weight of the metric.
    pub weight: f64,
    /// Its value, in requests or tokens per second or in milliseconds.
    pub value: f64,
    /// The value scaled to 0 to 1, where 1 is best; 0 for a latency without values.
    pub norm: f64,
}

/// A slow request, and where its time went.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SlowRequest {
    /// Its number.
    pub request: u32,
    /// Name of its client.
    pub client: String,
    /// The replica that completed it.
    pub replica: u32,
    /// When it arrived, in microseconds.
    pub arrival_us: u64,
    /// Time to first token in microseconds.
    pub ttft_us: u64,
    /// End-to-end latency in microseconds.
    pub e2e_us: u64,
    /// How often it was preempted.
    pub preemptions: u32,
    /// Where its time went; they add up to `e2e_us`.
    pub parts: Vec<Part>,
}

/// The cost of the measurement window, from the GPU prices of the catalogue.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CostPart {
    /// US dollars per hour of the replicas now serving; missing, like every cost, if one of them has no price.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_hour: Option<f64>,
    /// US dollars for all replicas while they existed.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// US dollars per request finished; missing without one. The costs per token are missing without tokens.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_request: Option<f64>,
    /// US dollars per 1,000 tokens, prompt and output.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_1k_tokens: Option<f64>,
    /// US dollars per million output tokens.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_million_output_tokens: Option<f64>,
    /// GPUs times the seconds that their replica existed.
    pub gpu_seconds: f64,
    /// GPUs times the seconds in which a step ran on them.
    pub gpu_busy_seconds: f64,
    /// Busy GPU-seconds per request finished.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_busy_seconds_per_request: Option<f64>,
}

/// One replica. Counts include the warm-up; means over time and distributions do not.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplicaPart {
    /// Its number.
    pub replica: u32,
    /// Its pool.
    pub pool: String,
    /// Whether it gets new requests.
    pub serving: bool,
    /// Requests finished.
    pub completed: u32,
    /// Requests waiting.
    pub queued: u32,
    /// Requests in its batch.
    pub running: u32,
    /// Requests dropped.
    pub dropped: u32,
    /// Requests refused because its wait queue was full.
    pub rejected: u32,
    /// Preemptions.
    pub preemptions: u64,
    /// Steps begun.
    pub steps: u64,
    /// Mean number of requests in a step.
    pub mean_batch: f64,
    /// Seconds that it existed in the measurement window; means over time refer to these.
    pub up_s: f64,
    /// Share of that time in which a step ran, 0 to 1.
    pub busy: f64,
    /// Mean over time of the requests waiting.
    pub mean_queued: f64,
    /// Mean over time of the requests in the batch.
    pub mean_running: f64,
    /// Mean over time of the KV blocks in use.
    pub mean_kv_blocks: f64,
    /// Most KV blocks in use at the beginning of a step.
    pub kv_peak_blocks: u32,
    /// KV blocks in all.
    pub kv_total_blocks: u32,
    /// Share of prompt blocks found in its cache, 0 to 1.
    pub kv_hit_rate: f64,
    /// Its CPU tier; missing without one.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<CpuTierPart>,
    /// Time to first token in milliseconds.
    pub ttft_ms: Summary,
    /// End-to-end latency in milliseconds.
    pub e2e_ms: Summary,
}

/// The requests of one client, tenant or SLO class, without the warm-up.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GroupPart {
    /// Its name.
    pub name: String,
    /// Requests arrived.
    pub arrived: u32,
    /// Requests finished.
    pub finished: u32,
    /// Finished requests that met every objective of their class.
    pub met: u32,
    /// Requests refused, dropped or timed out, which count as missed. Left out if there are none.
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    #[serde(skip_serializing_if = "is_zero")]
    pub unserved: u32,
    /// met / (finished + unserved), 0 to 1. Left out without unserved ones: it is the attainment then.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub met_share: Option<f64>,
    /// met / finished, 0 to 1; missing if none finished.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attainment: Option<f64>,
    /// Requests finished per second that met every objective of their class.
    pub goodput_per_s: f64,
    /// Output tokens of the requests finished.
    pub output_tokens: u64,
    /// Preemptions of requests that arrived.
    pub preemptions: u64,
    /// Time to first token in milliseconds.
    pub ttft_ms: Summary,
    /// Mean time between tokens of a request in milliseconds.
    pub tpot_ms: Summary,
    /// End-to-end latency in milliseconds.
    pub e2e_ms: Summary,
    /// Joining the wait queue to first joining a batch, in milliseconds.
    pub queue_wait_ms: Summary,
}

/// The requests of one SLO class, without the warm-up.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassPart {
    /// The requests.
    #[serde(flatten)]
    pub requests: GroupPart,
    /// TTFT objective in milliseconds; 0 if there is none.
    pub ttft_objective_ms: f64,
    /// TPOT objective in milliseconds; 0 if there is none.
    pub tpot_objective_ms: f64,
    /// E2E objective in milliseconds; 0 if there is none.
    pub e2e_objective_ms: f64,
}
