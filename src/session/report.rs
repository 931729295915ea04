//! The report of a run: stable names, durations in milliseconds, percentiles by linear interpolation on n - 1.

use super::recorder::Recorder;
use crate::base::{Micros, RequestId};
use crate::engine::{Engine, Record, RequestState};
use crate::scenario::{Scenario, to_json};
use crate::stats::{RunLength, Summary};
use serde::Serialize;

/// The results of a run up to its playhead.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of the report's format.
    pub tokenyard_report: u32,
    /// Title of the scenario.
    pub title: String,
    /// Digest of the scenario's canonical JSON, edits included as far as they were applied.
    pub scenario_digest: String,
    /// Digest of the trace's requests; empty without a trace.
    pub trace_digest: String,
    /// The clock.
    pub run: RunPart,
    /// Requests by where they are.
    pub requests: RequestPart,
    /// Distributions in milliseconds.
    pub latency_ms: LatencyPart,
    /// Rates over the measured stretch.
    pub throughput: ThroughputPart,
    /// The KV caches together.
    pub kv: KvPart,
    /// What it cost.
    pub cost: CostPart,
    /// Each replica.
    pub replicas: Vec<ReplicaPart>,
    /// Each client.
    pub clients: Vec<ClientPart>,
}

/// The clock of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunPart {
    /// Seed.
    pub seed: u64,
    /// Instant of the latest event, in microseconds.
    pub clock_us: u64,
    /// End of the run in microseconds; 0 if it ends when all requests are done.
    pub horizon_us: u64,
    /// Requests that arrived before this instant, and tokens shown before it, are left out of distributions and rates.
    pub warmup_us: u64,
    /// Events run.
    pub events: u64,
    /// Edits applied.
    pub edits_applied: u64,
    /// Why the run cannot make progress; empty if it can.
    pub trouble: String,
}

/// Requests by where they are, warm-up included.
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
    /// Finished.
    pub completed: u32,
    /// Refused.
    pub rejected: u32,
    /// Impossible to serve.
    pub dropped: u32,
    /// Whether the six add up to those that arrived.
    pub conserved: bool,
    /// Preemptions.
    pub preemptions: u64,
}

/// Distributions in milliseconds over requests that arrived after the warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LatencyPart {
    /// Arrival to first token shown.
    pub ttft: Summary,
    /// Between successive tokens of a request, all tokens pooled.
    pub itl: Summary,
    /// Mean gap of each completed request with two tokens or more: (E2E - TTFT) / (tokens - 1).
    pub tpot: Summary,
    /// Arrival to last token shown, completed requests.
    pub e2e: Summary,
    /// Joining the wait queue to first joining a batch.
    pub queue_wait: Summary,
    /// Arrival to first joining a batch.
    pub scheduling_delay: Summary,
}

/// Rates over the measured stretch: from the end of the warm-up to the latest event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ThroughputPart {
    /// Length of the measured stretch in seconds.
    pub seconds: f64,
    /// Requests arrived per second.
    pub arrived_per_s: f64,
    /// Requests finished per second.
    pub completed_per_s: f64,
    /// Requests finished per second that met every objective.
    pub goodput_per_s: f64,
    /// Share of the requests finished that met every objective, 0 to 1; 0 if none finished.
    pub attainment: f64,
    /// Output tokens shown per second.
    pub output_tokens_per_s: f64,
}

/// The KV caches of all replicas together, warm-up included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct KvPart {
    /// Cached blocks pinned.
    pub hits: u64,
    /// Blocks opened.
    pub misses: u64,
    /// hits / (hits + misses), 0 to 1.
    pub hit_rate: f64,
    /// Cached contents lost because their block was needed.
    pub evictions: u64,
}

/// What the run cost, from the GPU prices of the catalogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CostPart {
    /// US dollars per hour of the replicas now serving; 0 if unknown.
    pub usd_per_hour: f64,
    /// US dollars per million output tokens at the measured rate; 0 if unknown.
    pub usd_per_million_output_tokens: f64,
}

/// One replica, warm-up included.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplicaPart {
    /// Its number.
    pub replica: u32,
    /// Its pool.
    pub pool: String,
    /// Requests finished.
    pub completed: u32,
    /// Requests waiting.
    pub queued: u32,
    /// Requests in its batch.
    pub running: u32,
    /// Requests dropped.
    pub dropped: u32,
    /// Preemptions.
    pub preemptions: u64,
    /// Steps begun.
    pub steps: u64,
    /// Share of the time until the latest event in which a step ran, 0 to 1.
    pub busy: f64,
    /// Mean number of requests in a step.
    pub mean_batch: f64,
    /// Most KV blocks in use at the beginning of a step.
    pub kv_peak_blocks: u32,
    /// KV blocks in all.
    pub kv_total_blocks: u32,
    /// hits / (hits + misses), 0 to 1.
    pub kv_hit_rate: f64,
}

/// One client, without the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClientPart {
    /// Its name.
    pub client: String,
    /// Requests arrived.
    pub arrived: u32,
    /// Requests finished.
    pub completed: u32,
    /// Time to first token in milliseconds.
    pub ttft_ms: Summary,
    /// End-to-end latency in milliseconds.
    pub e2e_ms: Summary,
}

/// Part of a whole; 0 of nothing.
pub(super) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// A distribution of microseconds in milliseconds.
fn in_ms(d: &RunLength) -> Summary {
    let s = d.summary();
    Summary {
        count: s.count,
        mean: s.mean / 1000.0,
        min: s.min / 1000.0,
        p50: s.p50 / 1000.0,
        p75: s.p75 / 1000.0,
        p90: s.p90 / 1000.0,
        p95: s.p95 / 1000.0,
        p99: s.p99 / 1000.0,
        max: s.max / 1000.0,
    }
}

/// Latencies of some requests.
#[derive(Clone, Debug, Default)]
struct Latencies {
    arrived: u32,
    completed: u32,
    ttft: RunLength,
    tpot: RunLength,
    e2e: RunLength,
    queue_wait: RunLength,
    scheduling_delay: RunLength,
}

impl Latencies {
    fn add(&mut self, r: &Record) {
        self.arrived += 1;
        if r.first_scheduled != Micros::MAX {
            self.queue_wait.add(r.first_scheduled.since(r.queued).0, 1);
            self.scheduling_delay.add(r.first_scheduled.since(r.arrival).0, 1);
        }
        if r.ttft != Micros::MAX {
            self.ttft.add(r.ttft.0, 1);
        }
        if r.state == RequestState::Completed {
            self.completed += 1;
            self.e2e.add(r.e2e.0, 1);
            if r.output_tokens > 1 {
                self.tpot.add((r.e2e.0 - r.ttft.0) / u64::from(r.output_tokens - 1), 1);
            }
        }
    }
}

impl Report {
    pub(super) fn new(
        scenario: &Scenario,
        trace: Option<String>,
        engine: &Engine,
        recorder: &Recorder,
    ) -> Self {
        let warmup = recorder.warmup();
        let mut all = Latencies::default();
        let mut by_client = vec![Latencies::default(); engine.source().clients().len()];
        let (mut finished, mut good) = (0_u32, 0_u32);
        for r in engine.records() {
            if r.arrival >= warmup {
                all.add(r);
                by_client[r.client as usize].add(r);
            }
            if r.state == RequestState::Completed && r.finish >= warmup {
                finished += 1;
                good += u32::from(recorder.objectives.met(r.ttft.0, r.e2e.0, r.output_tokens));
            }
        }
        let seconds = (engine.last_event_at().as_secs() - warmup.as_secs()).max(0.0);
        let tokens = recorder.tokens as f64;
        let usd_per_hour = usd_per_hour(engine);
        Self {
            tokenyard_report: 1,
            title: scenario.title.clone(),
            scenario_digest: crate::base::digest::Digest::of(to_json(scenario).as_bytes()).hex(),
            trace_digest: trace.unwrap_or_default(),
            run: run_part(scenario, engine, warmup),
            requests: request_part(engine),
            latency_ms: LatencyPart {
                ttft: in_ms(&all.ttft),
                itl: in_ms(&recorder.itl),
                tpot: in_ms(&all.tpot),
                e2e: in_ms(&all.e2e),
                queue_wait: in_ms(&all.queue_wait),
                scheduling_delay: in_ms(&all.scheduling_delay),
            },
            throughput: ThroughputPart {
                seconds,
                arrived_per_s: share(f64::from(all.arrived), seconds),
                completed_per_s: share(f64::from(finished), seconds),
                goodput_per_s: share(f64::from(good), seconds),
                attainment: share(f64::from(good), f64::from(finished)),
                output_tokens_per_s: share(tokens, seconds),
            },
            kv: kv_part(engine),
            cost: CostPart {
                usd_per_hour,
                usd_per_million_output_tokens: share(usd_per_hour / 3600.0 * seconds * 1e6, tokens),
            },
            replicas: replica_parts(scenario, engine),
            clients: client_parts(engine, &by_client),
        }
    }
}

/// Price of all serving replicas in US dollars per hour.
pub(super) fn usd_per_hour(engine: &Engine) -> f64 {
    engine.replicas().iter().filter(|r| r.serving()).map(|r| engine.usd_per_hour(r.pool())).sum()
}

/// Why the run cannot make progress; empty if it can.
pub(super) fn trouble(engine: &Engine) -> String {
    let Some((RequestId(request), replica)) = engine.livelock() else { return String::new() };
    format!(
        "Livelock on r{replica}: 1,000 preemptions and nothing finished between them. Request #{request} and its \
         neighbours take each other's KV blocks. Give the replica more blocks, or lower max_num_seqs."
    )
}

/// Requests by where they are.
pub(super) fn request_part(engine: &Engine) -> RequestPart {
    let c = engine.census();
    let mut p = RequestPart {
        arrived: c.arrived,
        in_pipeline: c.at_gateway,
        rejected: c.rejected,
        ..RequestPart::default()
    };
    for r in engine.replicas() {
        p.in_pipeline += r.arriving();
        p.queued += r.waiting();
        p.running += r.running();
        p.completed += r.totals().completed;
        p.dropped += r.totals().dropped;
        p.preemptions += r.totals().preemptions;
    }
    p.conserved = p.arrived == p.in_pipeline + p.queued + p.running + p.completed + p.rejected + p.dropped;
    p
}

/// The KV caches of all replicas together.
pub(super) fn kv_part(engine: &Engine) -> KvPart {
    let mut p = KvPart::default();
    for r in engine.replicas() {
        p.hits += r.kv().hits();
        p.misses += r.kv().misses();
        p.evictions += r.kv().evictions();
    }
    p.hit_rate = share(p.hits as f64, (p.hits + p.misses) as f64);
    p
}

fn run_part(scenario: &Scenario, engine: &Engine, warmup: Micros) -> RunPart {
    RunPart {
        seed: scenario.seed,
        clock_us: engine.last_event_at().0,
        horizon_us: if engine.horizon() == Micros::MAX { 0 } else { engine.horizon().0 },
        warmup_us: warmup.0,
        events: engine.events_done(),
        edits_applied: scenario.edits.len() as u64,
        trouble: trouble(engine),
    }
}

fn replica_parts(scenario: &Scenario, engine: &Engine) -> Vec<ReplicaPart> {
    let part = |r: &crate::engine::Replica| {
        let (t, kv) = (r.totals(), r.kv());
        ReplicaPart {
            replica: r.id().0,
            pool: scenario.cluster.pools[r.pool() as usize].name.clone(),
            completed: t.completed,
            queued: r.waiting(),
            running: r.running(),
            dropped: t.dropped,
            preemptions: t.preemptions,
            steps: t.steps,
            busy: share(t.step_time.0 as f64, engine.last_event_at().0 as f64),
            mean_batch: share(t.running_sum as f64, t.steps as f64),
            kv_peak_blocks: t.kv_peak,
            kv_total_blocks: kv.total(),
            kv_hit_rate: share(kv.hits() as f64, (kv.hits() + kv.misses()) as f64),
        }
    };
    engine.replicas().iter().map(part).collect()
}

fn client_parts(engine: &Engine, by_client: &[Latencies]) -> Vec<ClientPart> {
    let pairs = engine.source().clients().iter().zip(by_client);
    pairs
        .map(|(name, l)| ClientPart {
            client: name.clone(),
            arrived: l.arrived,
            completed: l.completed,
            ttft_ms: in_ms(&l.ttft),
            e2e_ms: in_ms(&l.e2e),
        })
        .collect()
}
