//! Runs a golden file's scenario and records everything.

use super::convert::longest_us;
use super::file::GoldenFile;
use crate::base::{Diagnostic, Diagnostics, Micros, ReplicaId, RequestId};
use crate::engine::{Cluster, Decision, Detail, Fact, Halt, Record, RequestFact, Sink};
use crate::perf::{self, Plan};
use crate::scenario::{Scenario, check, limits};
use crate::workload::Source;

/// Most events of one golden run: far more than any file needs, and few enough to take seconds.
const MOST_EVENTS: u64 = 20_000_000;

/// A finished run and everything that was recorded.
pub(super) struct Recording {
    /// The engine at the end.
    pub engine: Cluster,
    /// By position in the file: number of the request, if it arrived.
    pub arrived: Vec<Option<RequestId>>,
    /// Drops in order.
    pub drops: Vec<(Micros, RequestId, ReplicaId, &'static str)>,
    /// Refusals in order.
    pub rejections: Vec<(Micros, RequestId, &'static str)>,
    /// Preemptions in order.
    pub preemptions: Vec<(Micros, ReplicaId, RequestId)>,
    /// Routing decisions in order.
    pub routing: Vec<Decision>,
}

impl Recording {
    /// The record of the request at a position in the file, if it arrived.
    pub(super) fn record(&self, position: usize) -> Option<Record> {
        self.arrived[position].map(|id| self.engine.records().at(id.index()))
    }

    /// The gaps between the tokens of a request.
    pub(super) fn gaps(&self, request: RequestId) -> impl Iterator<Item = u64> + '_ {
        let all = self.engine.detail().map_or(&[][..], |d| &d.itl);
        all.get(request.index()).into_iter().flatten().map(|gap| gap.0)
    }
}

/// Runs to the end.
pub(super) fn run(file: &GoldenFile, scenario: Scenario) -> Result<Recording, Diagnostics> {
    let (checked, _) = check(scenario).map_err(in_the_file)?;
    let scenario = checked.get().clone();
    let mut resolved = Vec::new();
    for (i, pool) in scenario.cluster.pools.iter().enumerate() {
        let pool = perf::resolve_uneven(pool, scenario.cluster.compat, &format!("cluster.pools[{i}]"));
        resolved.push(pool.map_err(in_the_file)?);
    }
    let mut engine = Cluster::new(&Plan::of(checked, resolved), Source::new(&scenario, None));
    engine.record_detail(Detail::new(file.record().max_steps_per_instance));
    let mut log = Log::default();
    let halt = engine.advance(Micros::MAX, MOST_EVENTS, &mut log);
    within_bounds(file, halt, engine.clock())?;
    let mut arrived = vec![None; file.requests.len()];
    for (i, record) in (0u32..).zip(engine.records()) {
        if let Some(place) = arrived.get_mut(record.listed as usize) {
            *place = Some(RequestId(i));
        }
    }
    let Log { drops, rejections, preemptions, routing, .. } = log;
    Ok(Recording { engine, arrived, drops, rejections, preemptions, routing })
}

/// The run matches the file only if it was short enough.
fn within_bounds(file: &GoldenFile, halt: Halt, clock: Micros) -> Result<(), Diagnostics> {
    let c = &file.config;
    let problem = |key: &str, found: String, allowed: &str, fix: &str| {
        Err(vec![Diagnostic::error(format!("config.{key}"), found, allowed, fix)])
    };
    if halt == Halt::Events {
        let found = format!("a run that is not over after {MOST_EVENTS} events");
        return problem("horizon_us", found, "a run with an end", "give it an earlier horizon");
    }
    if c.horizon_us > longest_us() && clock.0 > c.horizon_us {
        let found = format!("{}, which cuts the run", c.horizon_us);
        return problem("horizon_us", found, "up to 30 days", "give it an earlier horizon");
    }
    if c.snapshot_refresh_interval_us > limits::LATENCY_US && clock.0 >= limits::LATENCY_US {
        let found = format!("{} in a run of {} us", c.snapshot_refresh_interval_us, clock.0);
        let allowed = "up to an hour, or a shorter run";
        return problem("snapshot_refresh_interval_us", found, allowed, "give it an earlier horizon");
    }
    Ok(())
}

/// Problems of the scenario, with the paths of the file.
fn in_the_file(mut problems: Diagnostics) -> Diagnostics {
    for problem in &mut problems {
        problem.path = place(&problem.path);
        if problem.path == "config.total_kv_blocks" {
            "the file must give their number".clone_into(&mut problem.fix);
        }
    }
    problems
}

fn place(path: &str) -> String {
    let alphas = [".queueing_us", ".queueing_us_per_prompt_token", ".output_us_per_token"];
    if let Some(i) = alphas.iter().position(|name| path.ends_with(name)) {
        return format!("config.alpha_coeffs[{i}]");
    }
    if let Some((_, key)) = PLACES.iter().find(|(from, _)| path.starts_with(from)) {
        return (*key).to_owned();
    }
    let Some(request) = path.strip_prefix("workload.") else { return path.to_owned() };
    // requests[3].prompt[0].tokens is requests[3].input[0].n
    let mut place = request.to_owned();
    for (from, to) in
        [(".prompt", ".input"), (".tokens", ".n"), (".offset", ".o"), (".slo_class", ".slo"), (".text", ".s")]
    {
        place = place.replace(from, to);
    }
    place
}

/// Paths in the scenario and the matching keys of the file.
const PLACES: [(&str, &str); 38] = [
    ("run.horizon_s", "config.horizon_us"),
    ("cluster.pools[0].replicas", "config.num_instances"),
    ("cluster.pools[0].tp", "config.tp"),
    ("cluster.pools[0].kv.blocks", "config.total_kv_blocks"),
    ("cluster.pools[0].kv.block_tokens", "config.block_size_tokens"),
    ("cluster.pools[0].kv.cpu_blocks", "config.kv_cpu_blocks"),
    ("cluster.pools[0].kv.offload_threshold", "config.kv_offload_threshold"),
    ("cluster.pools[0].kv.transfer_tokens_per_us", "config.kv_transfer_bandwidth"),
    ("cluster.pools[0].kv.transfer_base_us", "config.kv_transfer_base_latency"),
    ("cluster.pools[0].engine.max_num_seqs", "config.max_num_running_reqs"),
    ("cluster.pools[0].engine.max_num_batched_tokens", "config.max_num_scheduled_tokens"),
    ("cluster.pools[0].engine.long_prefill_threshold_tokens", "config.long_prefill_token_threshold"),
    ("cluster.pools[0].architecture.layers", "config.model_config.num_hidden_layers"),
    ("cluster.pools[0].architecture.hidden", "config.model_config.hidden_size"),
    ("cluster.pools[0].architecture.heads", "config.model_config.num_attention_heads"),
    ("cluster.pools[0].architecture.kv_heads", "config.model_config.num_key_value_heads"),
    ("cluster.pools[0].architecture.intermediate", "config.model_config.intermediate_size"),
    ("cluster.pools[0].architecture.bytes", "config.model_config.bytes_per_param"),
    ("cluster.pools[0].hardware.tflops", "config.hw_config.TFlopsPeak"),
    ("cluster.pools[0].hardware.bandwidth", "config.hw_config.BwPeakTBs"),
    ("cluster.pools[0].latency.fitted.step_us_per_prefill_token", "config.beta_coeffs[1]"),
    ("cluster.pools[0].latency.fitted.step_us_per_decode_token", "config.beta_coeffs[2]"),
    ("cluster.pools[0].latency.fitted.step_us", "config.beta_coeffs[0]"),
    ("cluster.pools[0].latency.cross-model.step_us_per_layer", "config.beta_coeffs[0]"),
    ("cluster.pools[0].latency.cross-model.step_us_per_decode", "config.beta_coeffs[1]"),
    ("cluster.pools[0].latency.cross-model.step_us_per_token", "config.beta_coeffs[2]"),
    ("cluster.pools[0].latency.cross-model.step_us_with", "config.beta_coeffs[3]"),
    ("cluster.pools[0].latency.roofline.prefill_efficiency", "config.hw_config.mfuPrefill"),
    ("cluster.pools[0].latency.roofline.decode_efficiency", "config.hw_config.mfuDecode"),
    ("cluster.pools[0].latency.roofline.bandwidth_efficiency", "config.hw_config.BwEffConstant"),
    ("cluster.pools[0].latency.roofline.step_us_per_layer", "config.hw_config.perLayerOverhead"),
    ("cluster.pools[0].latency.roofline.step_us", "config.hw_config.TOverheadMicros"),
    ("cluster.pools[0].latency.roofline.all_reduce_us", "config.hw_config.allReduceLatency"),
    ("cluster.admission.token-bucket.capacity_tokens", "config.token_bucket_capacity"),
    ("cluster.admission.token-bucket", "config.token_bucket_refill_rate"),
    ("cluster.admission_latency_us", "config.admission_latency_us"),
    ("cluster.routing_latency_us", "config.routing_latency_us"),
    ("cluster.routing.weighted", "config.routing_scorers"),
];

/// Records the data of the file's logs.
#[derive(Default)]
struct Log {
    drops: Vec<(Micros, RequestId, ReplicaId, &'static str)>,
    rejections: Vec<(Micros, RequestId, &'static str)>,
    preemptions: Vec<(Micros, ReplicaId, RequestId)>,
    routing: Vec<Decision>,
}

impl Log {
    fn request(&mut self, at: Micros, fact: RequestFact) {
        match fact {
            RequestFact::Dropped { request, replica, reason, .. } => {
                self.drops.push((at, request, replica, reason.name()));
            }
            RequestFact::Rejected { request, reason, .. } => {
                self.rejections.push((at, request, reason.name()));
            }
            RequestFact::Preempted { request, replica, .. } => self.preemptions.push((at, replica, request)),
            RequestFact::Arrived { .. }
            | RequestFact::Admitted { .. }
            | RequestFact::Delayed { .. }
            | RequestFact::Enqueued { .. }
            | RequestFact::Dispatched { .. }
            | RequestFact::Expired { .. }
            | RequestFact::Routed { .. }
            | RequestFact::Queued { .. }
            | RequestFact::Scheduled { .. }
            | RequestFact::Prefilled { .. }
            | RequestFact::FirstToken { .. }
            | RequestFact::Completed { .. } => {}
        }
    }
}

impl Sink for Log {
    fn fact(&mut self, at: Micros, fact: Fact) {
        match fact {
            Fact::Request(fact) => self.request(at, fact),
            Fact::Replica(_) | Fact::Cache(_) | Fact::Fleet(_) | Fact::Handover(_) => {}
        }
    }

    fn wants_decision(&self, _: RequestId, _: usize) -> bool {
        true
    }

    fn decision(&mut self, _: Micros, decision: &Decision) {
        self.routing.push(decision.clone());
    }
}
