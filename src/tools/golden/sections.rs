//! The sections of `expected` that list things: requests, replicas, drops, decisions.

use super::file::{GoldenFile, Record, Request};
use super::kv::ended;
use super::record::Recording;
use base::{Micros, RequestId};
use document::{Compat, Role, RoutingPolicy, Scenario};
use engine::{Decision, Replica, RequestState};
use serde_json::{Map, Value, json};

/// The data of the sections.
pub(super) struct Run<'a> {
    /// The file.
    pub file: &'a GoldenFile,
    /// What was logged.
    pub record: Record,
    /// The scenario made from the file.
    pub scenario: &'a Scenario,
    /// What happened.
    pub recording: &'a Recording,
    /// By replica: its role.
    pub roles: Vec<Role>,
}

impl<'a> Run<'a> {
    /// A run that is over.
    pub(super) fn new(file: &'a GoldenFile, scenario: &'a Scenario, recording: &'a Recording) -> Self {
        let pools = scenario.cluster.pools.iter();
        let roles = pools.flat_map(|p| std::iter::repeat_n(p.role, p.replicas as usize)).collect();
        Self { file, record: file.record(), scenario, recording, roles }
    }

    /// Whether the run follows BLIS.
    pub(super) fn blis(&self) -> bool {
        self.scenario.cluster.compat == Compat::Blis
    }

    /// The name of a request.
    pub(super) fn name(&self, id: RequestId) -> &str {
        let listed = self.recording.engine.records().at(id.index()).listed;
        self.file.requests.get(listed as usize).map_or("", |r| &r.id)
    }
}

/// Name of a replica in the format.
pub(super) fn instance(number: u32) -> String {
    format!("instance_{number}")
}

/// The sections of this file.
pub(super) fn build(run: &Run<'_>) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("per_request".into(), per_request(run));
    out.insert("per_instance".into(), per_instance(run));
    add_logs(run, &mut out);
    out.insert("rejected_requests".into(), json!(run.recording.rejections.len()));
    out.insert("routing".into(), routing(run));
    out
}

/// What happened in order, and when the run ended.
pub(super) fn add_logs(run: &Run<'_>, out: &mut Map<String, Value>) {
    let preemptions = &run.recording.preemptions;
    out.insert(
        "preemption_log".into(),
        preemptions.iter().map(|(at, replica, id)| json!([at.0, replica.0, run.name(*id)])).collect(),
    );
    if !run.blis() {
        let drops = &run.recording.drops;
        let row = |(at, id, replica, reason): &(Micros, RequestId, base::ReplicaId, &str)| json!({"id": run.name(*id), "t": at.0, "instance": instance(replica.0), "reason": reason});
        out.insert("drops".into(), drops.iter().map(row).collect());
    }
    out.insert("cluster_clock_us".into(), json!(ended(run.file, run.recording.engine.clock()).0));
    let rejections = &run.recording.rejections;
    out.insert(
        "rejections".into(),
        rejections
            .iter()
            .map(|(at, id, reason)| json!({"id": run.name(*id), "t": at.0, "reason": reason}))
            .collect(),
    );
}

fn per_request(run: &Run<'_>) -> Value {
    (0..run.file.requests.len()).map(|i| one_request(run, i)).collect()
}

fn one_request(run: &Run<'_>, position: usize) -> Value {
    let asked = &run.file.requests[position];
    let n_in: u32 = asked.input.iter().map(|s| s.n).sum();
    let n_out = asked.output.n;
    let Some((id, r)) = run.recording.arrived[position].zip(run.recording.record(position)) else {
        return not_arrived(run, asked, n_in);
    };
    let progress = run.recording.engine.progress(id);
    let replica = r.replica().or_else(|| run.recording.losses.replica(id));
    let replica = replica.map_or_else(String::new, |id| instance(id.0));
    let mut o = json!({
        "id": asked.id, "instance": replica, "state": state(run, r.state()), "n_in": n_in, "n_out": n_out,
        "progress": progress.stored, "preemptions": r.preemptions,
    });
    let fields = o.as_object_mut().expect("made as an object");
    let mut put = |key: &str, value: Value| fields.insert(key.to_owned(), value);
    if let (Some(at), Some(first)) = (r.scheduled.get(), r.first_scheduled.get()) {
        put("scheduled_us", json!(at.0));
        put("first_scheduled_us", json!(first.0));
        put("sched_step", json!(r.sched_step));
    }
    if let Some(ttft) = r.ttft.get() {
        put("ttft_us", json!(ttft.0));
    }
    let gaps: Vec<u64> = run.recording.gaps(id).collect();
    let sum: u64 = gaps.iter().sum();
    if let Some(e2e) = r.e2e.get() {
        put("e2e_us", json!(e2e.0));
        put("completion_us", json!(asked.arrival_us + e2e.0));
        put("finish_step", json!(r.finish_step));
        let mean = if n_out == 0 { 0.0 } else { sum as f64 / f64::from((n_out - 1).max(1)) };
        put("itl_mean_us", json!(mean));
    }
    // The engine's own count and sum, not the recorder's: they must agree with the list below.
    put("itl_n", json!(progress.itl_count));
    put("itl_sum_us", json!(progress.itl_sum.0));
    if run.record.itl && !gaps.is_empty() {
        put("itl_us", json!(gaps));
    }
    if !run.blis() {
        put("generated", json!(progress.generated.min(n_out)));
        if let Some(finish) = r.finish().get() {
            put("finish_us", json!(finish.0));
        }
        if let Some(reason) = r.drop.filter(|_| r.state() != RequestState::Lost) {
            put("drop_reason", json!(reason.name()));
        }
    }
    o
}

fn not_arrived(run: &Run<'_>, asked: &Request, n_in: u32) -> Value {
    let mut o = json!({
        "id": asked.id, "instance": "", "state": if run.blis() { "queued" } else { "not_arrived" },
        "n_in": n_in, "n_out": asked.output.n, "progress": 0, "preemptions": 0, "itl_n": 0, "itl_sum_us": 0,
    });
    if !run.blis() {
        o["generated"] = json!(0);
    }
    o
}

/// The state of a request in the format.
pub(super) fn state(run: &Run<'_>, state: RequestState) -> &'static str {
    let early = |name| if run.blis() { "queued" } else { name };
    match state {
        RequestState::InPipeline => early("in_pipeline"),
        RequestState::Rejected => early("rejected"),
        RequestState::Dropped => early("dropped"),
        RequestState::Lost => early("lost"),
        RequestState::Queued => "queued",
        RequestState::Running => "running",
        RequestState::Transferring => "transferring",
        RequestState::Landed => "landed",
        RequestState::Completed => "completed",
    }
}

fn per_instance(run: &Run<'_>) -> Value {
    run.recording.engine.replicas().iter().map(|replica| one_instance(run, replica)).collect()
}

fn one_instance(run: &Run<'_>, replica: &Replica) -> Value {
    let (t, kv, number) = (replica.totals(), replica.kv(), replica.id().0);
    let engine = &run.recording.engine;
    let holders = engine.batch(replica).filter(|id| engine.progress(*id).blocks > 0).count();
    let mut o = json!({
        "id": instance(number),
        "completed": t.completed,
        "still_queued": replica.waiting(),
        "still_running": replica.running(),
        "dropped_unservable": t.dropped,
        "preemption_count": t.preemptions,
        "kv_allocation_failures": t.allocation_failures,
        "total_input_tokens": t.prompt_tokens,
        "total_output_tokens": t.output_tokens,
        "sim_ended_us": run.recording.losses.clock(replica).min(engine.horizon()).0,
        "kv_blocks_used_integral": u64::try_from(t.kv_block_us).unwrap_or(u64::MAX),
        "peak_kv_blocks": t.kv_peak,
        "cache_hit_rate": hit_rate(run, replica),
        "kv_thrashing_rate": thrash_rate(replica),
        "ttft_sum_us": t.ttft_sum.0,
        "steps": t.steps,
        "step_time_sum_us": t.step_time.0,
        "final_used_blocks": kv.used(),
        "in_flight_at_end": engine.in_flight()[number as usize],
        "wait_queue_len_sum": t.waiting_sum,
        "running_batch_len_sum": t.running_sum,
        "kv": kv_counters(run, kv, holders + replica.loading_or_loaded() as usize),
    });
    add_steps(run, number, &mut o);
    o
}

/// Adds the first steps of a replica, if they were recorded.
pub(super) fn add_steps(run: &Run<'_>, number: u32, o: &mut Value) {
    if run.record.max_steps_per_instance > 0 {
        let steps =
            run.recording.engine.detail().and_then(|d| d.steps.get(number as usize)).map_or(&[][..], |s| s);
        o["step_trace"] = steps
            .iter()
            .map(|s| {
                let batch: Value =
                    s.batch.iter().map(|(id, had, new)| json!([run.name(*id), had, new])).collect();
                json!({"t": s.at.0, "dt": s.span.0, "wait": s.waiting, "kv_used": s.kv_used, "batch": batch})
            })
            .collect();
    }
}

fn kv_counters(run: &Run<'_>, kv: &engine::kv::BlockPool, holders: usize) -> Value {
    if run.file.config.kv.is_some() {
        return super::kv::counters(kv, holders);
    }
    if !kv.tiered() {
        return json!({
            "cache_hits": kv.hits(),
            "cache_misses": kv.misses(),
            "request_map_len": holders,
            "hash_table_len": kv.table_len(),
        });
    }
    let tier = kv.tier_counts();
    json!({
        "gpu_cache_hits": kv.hits(),
        "gpu_cache_misses": kv.misses(),
        "offload_count": tier.offloads,
        "cpu_hit_count": tier.hits,
        "cpu_miss_count": tier.misses,
        "thrashing_count": tier.thrash,
        "cpu_used": kv.tier_blocks().0,
        "pending_latency": kv.pending_transfer().0,
        "request_map_len": holders,
    })
}

/// Cached blocks pinned, as a share of all blocks pinned or opened; with a CPU tier its hits and misses count too.
pub(super) fn hit_rate(run: &Run<'_>, replica: &Replica) -> f64 {
    let (kv, tier) = (replica.kv(), replica.kv().tier_counts());
    let of_the_gpu = run.file.config.kv.is_some();
    let hits = kv.hits() + if of_the_gpu { 0 } else { tier.hits };
    let all = hits + kv.misses() + if of_the_gpu { 0 } else { tier.misses } - kv_received(run, replica);
    if all == 0 { 0.0 } else { hits as f64 / all as f64 }
}

/// Blocks opened for what was loaded, where these are no misses.
fn kv_received(run: &Run<'_>, replica: &Replica) -> u64 {
    if run.file.config.kv.is_some() { replica.kv().received() } else { 0 }
}

/// Blocks reloaded within a millisecond, as a share of all blocks copied down.
pub(super) fn thrash_rate(replica: &Replica) -> f64 {
    let tier = replica.kv().tier_counts();
    if tier.offloads == 0 { 0.0 } else { tier.thrash as f64 / tier.offloads as f64 }
}

fn routing(run: &Run<'_>) -> Value {
    let policy = &run.scenario.cluster.routing;
    let decisions = run.recording.routing.iter().enumerate();
    decisions.filter_map(|(turn, d)| one_decision(run, policy, turn, d)).collect()
}

/// `None` for a refused request, which the format does not have.
pub(super) fn one_decision(
    run: &Run<'_>,
    policy: &RoutingPolicy,
    turn: usize,
    d: &Decision,
) -> Option<Value> {
    let most = usize::try_from(run.file.config.counterfactual_k).unwrap_or(usize::MAX);
    let (chosen, target) = (d.chosen?, d.target()?);
    let load = d.seen[chosen].load();
    let reason = match policy {
        RoutingPolicy::RoundRobin => format!("round-robin[{turn}]"),
        RoutingPolicy::LeastLoaded => format!("least-loaded (load={load})"),
        RoutingPolicy::AlwaysBusiest => format!("always-busiest (load={load})"),
        RoutingPolicy::Weighted(_) => format!("weighted-scoring (score={:.3})", d.score(chosen)),
        // The format has no others.
        other => format!("{other:?}"),
    };
    // A request that was refused because its replica is down was lost as it was routed.
    let routed = d.request.and_then(|id| {
        let routed = run.recording.engine.records().at(id.index()).routed.get();
        routed.or_else(|| run.recording.losses.lost_at(id))
    });
    let mut o = json!({
        "id": d.request.map_or("", |id| run.name(id)),
        "t": routed.map(|at| at.0),
        "to": instance(target.0),
        "reason": reason,
        "regret": if most == 0 { 0.0 } else { d.regret() },
    });
    if !d.scores.totals.is_empty() {
        o["scores"] = json!(d.scores.totals);
    }
    if run.record.candidates {
        // Before the first refresh, the format has no data of a replica, not even the size of its cache.
        let unseen = routed.unwrap_or(Micros::ZERO).0 < run.file.config.snapshot_refresh_interval_us;
        let row = |i: usize| {
            let v = &d.seen[i];
            let free = if unseen { 0 } else { v.kv_total - v.kv_used };
            json!([instance(v.id.0), d.score(i), v.waiting, v.running, v.in_flight, v.kv_use(), free])
        };
        o["candidates"] = d.ranking().into_iter().take(most).map(row).collect();
    }
    Some(o)
}
