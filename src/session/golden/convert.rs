//! From a golden file to a scenario, or the list of what this program cannot do yet.

use super::convert_latency as latency;
use super::file::{Config, GoldenFile, Request, SCHEMA, Segment};
use crate::scenario::{
    AdmissionPolicy, Cluster, Compat, Engine, ExplicitOutput, ExplicitPiece, ExplicitRequest, KvBlocks,
    KvCache, Observe, Pool, PriorityPolicy, Profile, RoutingPolicy, Run, Scenario, Scheduler, Scorer,
    TokenBucket, Weighted, WeightedScorer, Workload,
};

/// The scenario of a golden file; the error lists what is missing.
pub(super) fn scenario(file: &GoldenFile) -> Result<Scenario, Vec<String>> {
    let mut missing = Vec::new();
    if file.schema != SCHEMA {
        missing.push(format!("schema \"{}\" (this program reads \"{SCHEMA}\")", file.schema));
    }
    let cluster = cluster(&file.config, &mut missing);
    if !missing.is_empty() {
        return Err(missing);
    }
    Ok(Scenario {
        title: String::new(),
        seed: file.config.seed,
        run: Run { horizon_s: file.config.horizon_us as f64 / 1e6, warmup_s: 0.0, ..Run::default() },
        cluster,
        workload: Workload {
            clients: Vec::new(),
            requests: file.requests.iter().map(request).collect(),
            trace: None,
        },
        observe: Observe { event_log: 0, ..Observe::default() },
        ..Scenario::default()
    })
}

fn cluster(c: &Config, missing: &mut Vec<String>) -> Cluster {
    let mut need = |fine: bool, what: &str, value: &str| {
        if !fine {
            missing.push(format!("{what} \"{value}\""));
        }
    };
    latency::need(c, &mut need);
    need(scheduler(&c.scheduler).is_some(), "scheduler", &c.scheduler);
    need(priority(&c.priority_policy).is_some(), "priority_policy", &c.priority_policy);
    let admission = match c.admission_policy.as_str() {
        "always-admit" => AdmissionPolicy::AlwaysAdmit,
        "reject-all" => AdmissionPolicy::RejectAll,
        "token-bucket" => AdmissionPolicy::TokenBucket(TokenBucket {
            capacity_tokens: c.token_bucket_capacity,
            refill_tokens_per_s: c.token_bucket_refill_rate,
            ..TokenBucket::default()
        }),
        other => {
            need(false, "admission_policy", other);
            AdmissionPolicy::AlwaysAdmit
        }
    };
    let routing = match c.routing_policy.as_str() {
        "round-robin" | "" => RoutingPolicy::RoundRobin,
        "least-loaded" => RoutingPolicy::LeastLoaded,
        "always-busiest" => RoutingPolicy::AlwaysBusiest,
        "weighted" => weighted(&c.routing_scorers).unwrap_or_else(|| {
            need(false, "routing_scorers", &c.routing_scorers);
            RoutingPolicy::RoundRobin
        }),
        other => {
            need(false, "routing_policy", other);
            RoutingPolicy::RoundRobin
        }
    };
    let compat = match c.compat.as_str() {
        "none" => Compat::None,
        "blis" => Compat::Blis,
        other => {
            need(false, "compat", other);
            Compat::None
        }
    };
    Cluster {
        pools: vec![pool(c)],
        admission,
        routing,
        snapshot_refresh_us: c.snapshot_refresh_interval_us,
        admission_latency_us: c.admission_latency_us,
        routing_latency_us: c.routing_latency_us,
        compat,
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

/// The weighted policy with scorers written as "name:weight,name:weight"; none means the default profile.
fn weighted(scorers: &str) -> Option<RoutingPolicy> {
    if scorers.is_empty() {
        return Some(RoutingPolicy::Weighted(Weighted::default()));
    }
    let row = |text: &str| {
        let (name, weight) = text.split_once(':')?;
        let scorer = match name.trim() {
            "prefix-affinity" => Scorer::PrefixAffinity,
            "queue-depth" => Scorer::QueueDepth,
            "kv-utilization" => Scorer::KvUtilization,
            "load-balance" => Scorer::LoadBalance,
            _ => return None,
        };
        Some(WeightedScorer { scorer, weight: weight.trim().parse().ok()? })
    };
    let scorers = scorers.split(',').map(row).collect::<Option<Vec<_>>>()?;
    Some(RoutingPolicy::Weighted(Weighted { profile: Profile::Custom, scorers, ..Weighted::default() }))
}

fn pool(c: &Config) -> Pool {
    Pool {
        name: "golden".to_owned(),
        replicas: c.num_instances,
        engine: Engine {
            max_num_seqs: c.max_num_running_reqs,
            max_num_batched_tokens: c.max_num_scheduled_tokens,
            long_prefill_threshold_tokens: c.long_prefill_token_threshold,
            scheduler: scheduler(&c.scheduler).unwrap_or_default(),
            priority: priority(&c.priority_policy).unwrap_or_default(),
        },
        kv: KvCache {
            blocks: KvBlocks::Count(c.total_kv_blocks),
            block_tokens: c.block_size_tokens,
            prefix_caching: true,
            cpu_blocks: c.kv_cpu_blocks,
            offload_threshold: c.kv_offload_threshold,
            transfer_tokens_per_us: c.kv_transfer_bandwidth,
            transfer_base_us: c.kv_transfer_base_latency,
            ..KvCache::default()
        },
        tp: c.tp,
        architecture: latency::architecture(c),
        hardware: latency::hardware(c),
        latency: latency::model(c),
        ..Pool::default()
    }
}

fn request(r: &Request) -> ExplicitRequest {
    let piece = |s: &Segment| ExplicitPiece { text: s.s, tokens: s.n, offset: s.o };
    ExplicitRequest {
        id: r.id.clone(),
        arrival_us: r.arrival_us,
        // Segments without tokens say nothing.
        prompt: r.input.iter().filter(|s| s.n > 0).map(piece).collect(),
        output: ExplicitOutput { text: r.output.s, tokens: r.output.n, offset: r.output.o },
        tenant: r.tenant.clone(),
        slo_class: r.slo.clone(),
    }
}
