//! The simulator itself on a case, with its results as the same sections as the reference engine's.

use crate::reference::case::{Case, Compat, PoolConfig, Segment};
use serde_json::{Map, Value, json};
use tokenyard::base::{Micros, RequestId};
use tokenyard::engine::{Cluster, Detail, Fact, Halt, Record, Replica, RequestFact, RequestState, Sink};
use tokenyard::perf::Plan;
use tokenyard::scenario::{
    Compat as Mode, ExplicitOutput, ExplicitPiece, ExplicitRequest, FittedCoefficients, KvBlocks,
    LatencyModel, Pool, PreemptionVictim, PriorityPolicy, RoutingPolicy, Scenario, Scheduler, check,
};
use tokenyard::workload::{NOT_LISTED, Source};

/// The scenario that says the same as the case.
pub(crate) fn scenario(case: &Case) -> Scenario {
    let c = &case.config;
    let mut s = Scenario::default();
    s.run.horizon_s = c.horizon_us as f64 / 1e6;
    s.run.warmup_s = 0.0;
    s.cluster.compat = if c.compat == Compat::Blis { Mode::Blis } else { Mode::None };
    s.cluster.routing = match c.routing_policy.as_str() {
        "least-loaded" => RoutingPolicy::LeastLoaded,
        "always-busiest" => RoutingPolicy::AlwaysBusiest,
        "least-kv" => RoutingPolicy::LeastKv,
        _ => RoutingPolicy::RoundRobin,
    };
    s.cluster.snapshot_refresh_us = c.snapshot_refresh_interval_us;
    s.cluster.admission_latency_us = c.admission_latency_us;
    s.cluster.routing_latency_us = c.routing_latency_us;
    s.cluster.pools = c.pools().enumerate().map(|(k, p)| pool(k, p)).collect();
    s.workload.clients.clear();
    let piece = |p: &Segment| ExplicitPiece { text: p.s, tokens: p.n, offset: p.o };
    for r in &case.requests {
        s.workload.requests.push(ExplicitRequest {
            id: r.id.clone(),
            arrival_us: r.arrival_us,
            prompt: r.input.iter().filter(|p| p.n > 0).map(piece).collect(),
            output: ExplicitOutput { text: r.output.s, tokens: r.output.n, offset: r.output.o },
            tenant: String::new(),
            slo_class: String::new(),
            model: String::new(),
            adapter: String::new(),
            session: String::new(),
            priority: 0,
            max_offload_tokens: None,
            retention: Vec::new(),
        });
    }
    s
}

fn pool(number: usize, c: &PoolConfig) -> Pool {
    let mut pool =
        Pool { name: format!("pool-{number}"), replicas: c.num_instances as u32, ..Pool::default() };
    pool.engine.max_num_seqs = (c.max_num_running_reqs as u32).into();
    pool.engine.max_num_batched_tokens = (c.max_num_scheduled_tokens as u32).into();
    pool.engine.long_prefill_threshold_tokens = c.long_prefill_token_threshold as u32;
    pool.engine.reserve_full_prompt = Some(c.whole_prompts);
    pool.engine.watermark = f64::from(c.watermark_permille) / 1000.0;
    pool.engine.preemption = !c.without_preemption;
    pool.engine.victim = match c.victim.as_str() {
        "lowest-priority" => PreemptionVictim::LowestPriority,
        "cheapest-to-recompute" => PreemptionVictim::CheapestToRecompute,
        _ => PreemptionVictim::Latest,
    };
    pool.engine.scheduler = match c.scheduler.as_str() {
        "sjf" => Scheduler::Sjf,
        "priority-fcfs" => Scheduler::PriorityFcfs,
        "reverse-priority" => Scheduler::ReversePriority,
        _ => Scheduler::Fcfs,
    };
    pool.engine.priority = match c.priority_policy.as_str() {
        "slo-based" => PriorityPolicy::SloBased,
        "inverted-slo" => PriorityPolicy::InvertedSlo,
        _ => PriorityPolicy::Constant,
    };
    pool.kv.blocks = KvBlocks::Count(c.total_kv_blocks as u32);
    pool.kv.block_tokens = c.block_size_tokens as u32;
    pool.kv.prefix_caching = !c.without_prefix_caching;
    pool.latency = LatencyModel::Fitted(FittedCoefficients {
        queueing_us: c.alpha_coeffs[0],
        queueing_us_per_prompt_token: c.alpha_coeffs[1],
        output_us_per_token: c.alpha_coeffs[2],
        step_us: c.beta_coeffs[0],
        step_us_per_prefill_token: c.beta_coeffs[1],
        step_us_per_decode_token: c.beta_coeffs[2],
        step_us_per_context_token: 0.0,
    });
    pool
}

/// Notes what golden files list.
#[derive(Default)]
struct Notes {
    routed: Vec<(Micros, RequestId, u32)>,
    dropped: Vec<(Micros, RequestId, u32, &'static str)>,
}

impl Sink for Notes {
    fn fact(&mut self, at: Micros, fact: Fact) {
        if let Fact::Request(RequestFact::Routed { request, replica }) = fact {
            self.routed.push((at, request, replica.0));
        }
        if let Fact::Request(RequestFact::Dropped { request, replica, reason, .. }) = fact {
            self.dropped.push((at, request, replica.0, reason.name()));
        }
    }
}

/// Runs a scenario whose traffic is that of the case, checking every invariant after each `slice` events and at the end.
pub(crate) fn simulate(scenario: Scenario, case: &Case, slice: u64) -> Value {
    let (checked, _) = check(scenario).expect("a generated case is a valid scenario");
    let source = Source::new(checked.get(), None);
    let (plan, _) = Plan::new(checked.get().clone()).expect("explicit coefficients");
    let mut engine = Cluster::new(&plan, source);
    engine.record_detail(Detail::new(case.record.max_steps_per_instance as u32));
    let mut notes = Notes::default();
    while engine.advance(Micros::MAX, slice, &mut notes) == Halt::Events {
        engine.verify(true);
    }
    engine.verify(true);
    sections(&engine, &notes, case)
}

fn sections(engine: &Cluster, notes: &Notes, case: &Case) -> Value {
    let id = |r: &RequestId| &case.requests[line_of(engine, *r)].id;
    let mut of_line = vec![None; case.requests.len()];
    for r in (0..engine.records().len() as u32).map(RequestId) {
        of_line[line_of(engine, r)] = Some(r);
    }
    let mut all = Map::new();
    let lines = of_line.iter().enumerate().map(|(line, r)| request(engine, *r, line, case)).collect();
    all.insert("per_request".to_owned(), Value::Array(lines));
    let instances = engine.replicas().iter().map(|r| instance(engine, r, case)).collect();
    all.insert("per_instance".to_owned(), Value::Array(instances));
    let routing = notes.routed.iter().map(|(t, r, to)| json!({"id": id(r), "t": t.0, "to": name(*to)}));
    all.insert("routing".to_owned(), routing.collect());
    let detail = engine.detail().expect("it was asked for");
    let preempted = detail.preemptions.iter().map(|(t, replica, r)| json!([t.0, replica.0, id(r)]));
    all.insert("preemption_log".to_owned(), preempted.collect());
    if case.config.compat == Compat::None {
        let drops = notes.dropped.iter().map(
            |(t, r, replica, reason)| json!({"id": id(r), "t": t.0, "instance": name(*replica), "reason": reason}),
        );
        all.insert("drops".to_owned(), drops.collect());
    }
    all.insert("cluster_clock_us".to_owned(), engine.clock().0.into());
    Value::Object(all)
}

/// Position of a request in the case, which has requests that are not listed in order of arrival.
fn line_of(engine: &Cluster, request: RequestId) -> usize {
    match engine.records().at(request.index()).listed {
        NOT_LISTED => request.index(),
        line => line as usize,
    }
}

fn name(replica: u32) -> String {
    format!("instance_{replica}")
}

/// The word that golden files use.
fn state(record: Option<&Record>, compat: Compat) -> &'static str {
    let state = record.map(Record::state);
    match (state, compat) {
        (Some(RequestState::Running), _) => "running",
        (Some(RequestState::Completed), _) => "completed",
        (Some(RequestState::Queued), _) | (_, Compat::Blis) => "queued",
        (None, Compat::None) => "not_arrived",
        (Some(RequestState::InPipeline), Compat::None) => "in_pipeline",
        (Some(RequestState::Rejected), Compat::None) => "rejected",
        (Some(RequestState::Dropped), Compat::None) => "dropped",
        (Some(RequestState::Transferring), Compat::None) => "transferring",
        (Some(RequestState::Landed), Compat::None) => "landed",
        (Some(RequestState::Lost), Compat::None) => "lost",
    }
}

fn request(engine: &Cluster, request: Option<RequestId>, line: usize, case: &Case) -> Value {
    let record = request.map(|r| engine.records().at(r.index()));
    let progress = request.map(|r| engine.progress(r)).unwrap_or_default();
    let (input, output) = (&case.requests[line].input, case.requests[line].output.n);
    let compat = case.config.compat;
    let mut o = Map::new();
    let mut put = |key: &str, value: Value| {
        o.insert(key.to_owned(), value);
    };
    put("id", case.requests[line].id.clone().into());
    let replica = record.as_ref().and_then(Record::replica).map(|id| id.0);
    put("instance", replica.map(name).unwrap_or_default().into());
    put("state", state(record.as_ref(), compat).into());
    put("n_in", input.iter().map(|s| s.n).sum::<u32>().into());
    put("n_out", output.into());
    put("progress", progress.stored.into());
    put("preemptions", record.as_ref().map_or(0, |r| r.preemptions).into());
    put("itl_n", progress.itl_count.into());
    put("itl_sum_us", progress.itl_sum.0.into());
    if compat == Compat::None {
        put("generated", progress.generated.min(output).into());
    }
    let Some(record) = record else { return Value::Object(o) };
    if let Some(at) = record.scheduled.get() {
        put("scheduled_us", at.0.into());
        put("first_scheduled_us", record.first_scheduled.get().map(|at| at.0).into());
        put("sched_step", record.sched_step.into());
    }
    if let Some(ttft) = record.ttft.get() {
        put("ttft_us", ttft.0.into());
    }
    if let Some(e2e) = record.e2e.get() {
        put("e2e_us", e2e.0.into());
        put("completion_us", (record.arrival.0 + e2e.0).into());
        put("finish_step", record.finish_step.into());
        let gaps = f64::from(output.saturating_sub(1).max(1));
        put("itl_mean_us", if output == 0 { 0.0 } else { progress.itl_sum.0 as f64 / gaps }.into());
    }
    let itl = engine.detail().and_then(|d| d.itl.get(request.map_or(0, RequestId::index)));
    if let Some(itl) = itl.filter(|gaps| case.record.itl && !gaps.is_empty()) {
        put("itl_us", itl.iter().map(|gap| gap.0).collect());
    }
    if compat == Compat::None {
        if let Some(at) = record.finish().get() {
            put("finish_us", at.0.into());
        }
        if let Some(reason) = record.drop {
            put("drop_reason", reason.name().into());
        }
    }
    Value::Object(o)
}

fn instance(engine: &Cluster, x: &Replica, case: &Case) -> Value {
    let (t, kv) = (x.totals(), x.kv());
    let looked_up = kv.hits() + kv.misses();
    let hit_rate = if looked_up == 0 { 0.0 } else { kv.hits() as f64 / looked_up as f64 };
    let mut o = json!({
        "id": name(x.id().0),
        "completed": t.completed,
        "still_queued": x.waiting(),
        "still_running": x.running(),
        "dropped_unservable": t.dropped,
        "preemption_count": t.preemptions,
        "kv_allocation_failures": t.allocation_failures,
        "total_input_tokens": t.prompt_tokens,
        "total_output_tokens": t.output_tokens,
        "sim_ended_us": x.clock().min(engine.horizon()).0,
        "kv_blocks_used_integral": t.kv_block_us as f64,
        "peak_kv_blocks": t.kv_peak,
        "cache_hit_rate": hit_rate,
        "kv_thrashing_rate": 0,
        "ttft_sum_us": t.ttft_sum.0,
        "steps": t.steps,
        "step_time_sum_us": t.step_time.0,
        "final_used_blocks": kv.used(),
        "in_flight_at_end": engine.in_flight()[x.id().index()],
        "wait_queue_len_sum": t.waiting_sum,
        "running_batch_len_sum": t.running_sum,
        "kv": {
            "cache_hits": kv.hits(),
            "cache_misses": kv.misses(),
            "request_map_len": x.running(),
            "hash_table_len": kv.table_len(),
        },
    });
    if case.record.max_steps_per_instance > 0 {
        let none = Vec::new();
        let detail = engine.detail().expect("it was asked for");
        let steps = detail.steps.get(x.id().index()).unwrap_or(&none);
        let id = |r: &RequestId| &case.requests[line_of(engine, *r)].id;
        let line = |s: &tokenyard::engine::StepTrace| {
            let batch: Vec<Value> = s.batch.iter().map(|(r, had, gets)| json!([id(r), had, gets])).collect();
            json!({"t": s.at.0, "dt": s.span.0, "wait": s.waiting, "kv_used": s.kv_used, "batch": batch})
        };
        o["step_trace"] = steps.iter().map(line).collect();
    }
    o
}
