//! Converts a golden file to a scenario, or lists its problems.

use super::convert_latency as latency;
use super::disaggregation::{self, Stands};
use super::file::{Config, GoldenFile, Request, SCHEMA, Segment};
use super::kv;
use super::queueing::formats;
use super::routing_policy::routing_policy;
use super::wrong::wrong;
use base::{Diagnostic, Diagnostics};
use document::{
    AdmissionPolicy, BatchLimits, Cluster, Compat, CpuTier, Disaggregation, ExplicitOutput, ExplicitPiece,
    ExplicitRequest, KvBlocks, KvCache, MixedStep, Observe, Pool, PreemptionVictim, PriorityPolicy,
    RandomFaults, Role, Run, Scenario, Scheduler, TokenBucket, Workload, limits,
};

const SCHEDULERS: &str = "fcfs, sjf, priority-fcfs, reverse-priority";
const PRIORITIES: &str = "constant, slo-based, inverted-slo";
const ADMISSIONS: &str = "always-admit, reject-all, token-bucket";

/// The scenario of a golden file; the error lists its problems.
pub(super) fn scenario(file: &GoldenFile) -> Result<Scenario, Diagnostics> {
    let mut problems = Vec::new();
    if ![SCHEMA, disaggregation::SCHEMA, kv::SCHEMA].contains(&file.schema.as_str()) {
        let known: Vec<&str> =
            [SCHEMA, disaggregation::SCHEMA, kv::SCHEMA].into_iter().chain(formats()).collect();
        wrong("schema", &file.schema, &known.join(", "), &mut problems);
    }
    kv::problems(file, &mut problems);
    let cluster = cluster(file, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let c = &file.config;
    // A time beyond the longest run counts as never; this is checked when the run is over.
    let horizon_us = if c.horizon_us > longest_us() { 0 } else { c.horizon_us };
    Ok(Scenario {
        title: String::new(),
        seed: c.seed,
        run: Run { horizon_s: horizon_us as f64 / 1e6, warmup_s: 0.0, ..Run::default() },
        cluster,
        workload: Workload {
            clients: Vec::new(),
            requests: file.requests.iter().map(|r| request(r, file.has_roles())).collect(),
            session_kv: kv::session_kv(c),
            ..Workload::default()
        },
        observe: Observe { event_log: 0, ..Observe::default() },
        ..Scenario::default()
    })
}

/// The end of the longest run.
pub(super) fn longest_us() -> u64 {
    limits::HORIZON_S as u64 * 1_000_000
}

fn cluster(file: &GoldenFile, problems: &mut Diagnostics) -> Cluster {
    let c = &file.config;
    let pools = pools(file, problems);
    let admission = admission(c).unwrap_or_else(|| {
        wrong("config.admission_policy", &c.admission_policy, ADMISSIONS, problems);
        AdmissionPolicy::AlwaysAdmit
    });
    let keys = ["config.routing_policy".to_owned(), "config.routing_scorers".to_owned()];
    let routing = routing_policy(&c.routing_policy, &c.routing_scorers, &keys, problems);
    let routing = kv::routing(c, routing);
    let compat = match c.compat.as_str() {
        "none" => Compat::None,
        "blis" if !file.has_roles() => Compat::Blis,
        other => {
            let allowed = if file.has_roles() { "none" } else { "none, blis" };
            wrong("config.compat", other, allowed, problems);
            Compat::None
        }
    };
    Cluster {
        disaggregation: disaggregation::network(file, problems).or_else(|| {
            let transfer = kv::transfer(c)?;
            Some(Disaggregation { transfer, ..Disaggregation::default() })
        }),
        kv_stores: kv::stores(c),
        kv_source: kv::source(c),
        kv_hint: kv::hint(c),
        kv_event_delay_us: 0,
        flow_control: None,
        resilience: kv::resilience(c),
        faults: RandomFaults::default(),
        pools,
        admission,
        routing,
        // Counts as never if the run is shorter, which is checked when it is over.
        snapshot_refresh_us: c.snapshot_refresh_interval_us.min(limits::LATENCY_US),
        admission_latency_us: c.admission_latency_us,
        routing_latency_us: c.routing_latency_us,
        compat,
    }
}

fn admission(c: &Config) -> Option<AdmissionPolicy> {
    match c.admission_policy.as_str() {
        "always-admit" | "" => Some(AdmissionPolicy::AlwaysAdmit),
        "reject-all" => Some(AdmissionPolicy::RejectAll),
        "token-bucket" => Some(AdmissionPolicy::TokenBucket(TokenBucket {
            capacity_tokens: c.token_bucket_capacity,
            refill_tokens_per_s: c.token_bucket_refill_rate,
            ..TokenBucket::default()
        })),
        _ => None,
    }
}

fn scheduler(name: &str) -> Option<Scheduler> {
    match name {
        "" | "fcfs" => Some(Scheduler::Fcfs),
        "sjf" => Some(Scheduler::Sjf),
        "priority-fcfs" => Some(Scheduler::PriorityFcfs),
        "reverse-priority" => Some(Scheduler::ReversePriority),
        _ => None,
    }
}

fn priority(name: &str) -> Option<PriorityPolicy> {
    match name {
        "" | "constant" => Some(PriorityPolicy::Constant),
        "slo-based" => Some(PriorityPolicy::SloBased),
        "inverted-slo" => Some(PriorityPolicy::InvertedSlo),
        _ => None,
    }
}

/// The pools. Whatever they have in common is wrong once.
fn pools(file: &GoldenFile, problems: &mut Diagnostics) -> Vec<Pool> {
    let all = disaggregation::pools(file, problems);
    for stands in &all {
        for problem in pool_problems(stands) {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    if file.has_roles() && file.config.kv_cpu_blocks > 0 {
        let found = file.config.kv_cpu_blocks.to_string();
        let fix = "leave the second tier out: it does not go with roles";
        problems.push(Diagnostic::error("config.kv_cpu_blocks", found, "0", fix));
    }
    let mut pools: Vec<Pool> = (0..).zip(&all).map(|(i, stands)| pool(file, i, stands)).collect();
    let lone = pools.iter().any(|p| p.role == Role::Prefill) && !pools.iter().any(|p| p.role == Role::Decode);
    if lone {
        // Prefill replicas with nobody to prefill for: the format has them, a scenario has a pool for it.
        let (replicas, name) = (0, "golden-decode".to_owned());
        let beside = pools.iter().find(|p| p.role == Role::Prefill).cloned().unwrap_or_default();
        pools.push(Pool { name, replicas, role: Role::Decode, ..beside });
    }
    pools
}

fn pool_problems(stands: &Stands<'_>) -> Diagnostics {
    let mut problems = Vec::new();
    let c = &stands.config;
    latency::problems(stands, &mut problems);
    if scheduler(&c.scheduler).is_none() {
        wrong(&stands.place("scheduler"), &c.scheduler, SCHEDULERS, &mut problems);
    }
    if priority(&c.priority_policy).is_none() {
        wrong(&stands.place("priority_policy"), &c.priority_policy, PRIORITIES, &mut problems);
    }
    problems
}

fn pool(file: &GoldenFile, number: usize, stands: &Stands<'_>) -> Pool {
    let c = &stands.config;
    Pool {
        name: if number == 0 { "golden".to_owned() } else { format!("golden-{number}") },
        role: stands.role,
        replicas: stands.replicas,
        engine: engine(file, c),
        kv: cache(c),
        // Fitted steps do not depend on it.
        tp: if latency::needs_shape(c) { c.tp } else { 1 },
        architecture: latency::architecture(c),
        hardware: latency::hardware(c),
        latency: latency::model(c),
        ..Pool::default()
    }
}

/// A bound beyond all that the file's requests can need is lowered to that.
fn engine(file: &GoldenFile, c: &Config) -> BatchLimits {
    let tokens = |s: &Segment| u64::from(s.n);
    let of = |q: &Request| q.input.iter().map(tokens).sum::<u64>() + tokens(&q.output);
    let all_tokens = file.requests.iter().map(of).fold(0, u64::saturating_add);
    let bound = |asked: u64, needed: u64, limit: u32| {
        let limit = u64::from(limit);
        let used = if asked > limit && needed <= limit { limit } else { asked };
        u32::try_from(used).unwrap_or(u32::MAX)
    };
    // No request has more tokens than the limit, so that a longer chunk means no chunking.
    let threshold = c.long_prefill_token_threshold;
    let threshold = u32::try_from(threshold).ok().filter(|t| *t < limits::REQUEST_TOKENS).unwrap_or(0);
    BatchLimits {
        max_num_seqs: bound(c.max_num_running_reqs, file.requests.len() as u64, limits::BATCH).into(),
        max_num_batched_tokens: bound(c.max_num_scheduled_tokens, all_tokens, limits::STEP_TOKENS).into(),
        long_prefill_threshold_tokens: threshold,
        max_waiting: 0,
        reserve_full_prompt: Some(false),
        watermark: 0.0,
        preemption: true,
        victim: PreemptionVictim::Latest,
        scheduler: scheduler(&c.scheduler).unwrap_or_default(),
        priority: priority(&c.priority_policy).unwrap_or_default(),
        speculative: None,
        mixed_step_us: MixedStep::default(),
    }
}

fn cache(c: &Config) -> KvCache {
    let plain = KvCache {
        blocks: KvBlocks::Count(c.total_kv_blocks),
        block_tokens: c.block_size_tokens,
        prefix_caching: true,
        cpu_blocks: c.kv_cpu_blocks,
        ..KvCache::default()
    };
    if c.kv.is_some() {
        return kv::cache(c, &plain);
    }
    if c.kv_cpu_blocks == 0 {
        return plain;
    }
    KvCache {
        cpu_tier: CpuTier::Blis,
        offload_threshold: c.kv_offload_threshold,
        transfer_tokens_per_us: c.kv_transfer_bandwidth,
        transfer_base_us: c.kv_transfer_base_latency,
        ..plain
    }
}

/// A request; with roles nothing depends on its tenant and its class.
fn request(r: &Request, roles: bool) -> ExplicitRequest {
    let label = |text: &str| if roles { String::new() } else { text.to_owned() };
    // Texts are distinguished by their number modulo 2^32, as the format says.
    let text = |s: &Segment| s.s as u32;
    let piece = |s: &Segment| ExplicitPiece { text: text(s), tokens: s.n, offset: s.o };
    ExplicitRequest {
        id: r.id.clone(),
        arrival_us: r.arrival_us,
        // Segments without tokens are ignored.
        prompt: r.input.iter().filter(|s| s.n > 0).map(piece).collect(),
        output: ExplicitOutput { text: text(&r.output), tokens: r.output.n, offset: r.output.o },
        tenant: label(&r.tenant),
        slo_class: label(&r.slo),
        model: String::new(),
        adapter: String::new(),
        session: r.session.clone(),
        priority: 0,
        max_offload_tokens: r.max_offload_tokens,
        retention: r.retain.iter().map(kv::directive).collect(),
    }
}
