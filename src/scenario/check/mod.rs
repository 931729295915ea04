//! Meaning: ranges, limits and references of a scenario that already has the right shape.

mod conversation;
mod edits;
mod kv;
mod latency;
mod lengths;
mod policies;
mod rate;
mod workload;

use crate::base::{Diagnostics, diag::has_errors};
use crate::scenario::report::Report;
use crate::scenario::{Cluster, Compat, Edit, FORMAT_VERSION, Pool, PriorityPolicy, Scenario, Slo, limits};
use edits::{check_edits, edit_problems};
use kv::check_kv;
use latency::check_latency;
use policies::{check_admission, check_routing};
use workload::check_workload;

pub use rate::expected_requests;

/// A document that passed [`check`]. The only way to make one is to check.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked<T>(T);

impl<T> Checked<T> {
    /// The document.
    pub fn get(&self) -> &T {
        &self.0
    }
}

/// Checks everything and reports all problems at once; warnings come along with a usable scenario.
pub fn check(scenario: Scenario) -> Result<(Checked<Scenario>, Diagnostics), Diagnostics> {
    let mut report = Report::default();
    check_head(&scenario, &mut report);
    check_cluster(&scenario.cluster, &mut report);
    check_workload(&scenario, &mut report);
    check_edits(&scenario, &mut report);
    let all = report.finish();
    if has_errors(&all) { Err(all) } else { Ok((Checked(scenario), all)) }
}

/// Checks one edit against the scenario it applies to.
pub fn check_edit(scenario: &Scenario, edit: &Edit, path: &str) -> Diagnostics {
    let mut report = Report::default();
    let replicas: Vec<u32> = scenario.cluster.pools.iter().map(|p| p.replicas).collect();
    edit_problems(scenario, &replicas, edit, path, &mut report);
    report.finish()
}

fn check_head(s: &Scenario, r: &mut Report) {
    if s.tokenyard != FORMAT_VERSION {
        r.error(
            "tokenyard",
            format!("format version {}", s.tokenyard),
            format!("version {FORMAT_VERSION}"),
            format!("write \"tokenyard\": {FORMAT_VERSION}, or leave it out"),
        );
    }
    r.text("title", &s.title);
    r.text("note", &s.note);
    let run = &s.run;
    r.float(
        "run.horizon_s",
        run.horizon_s,
        0.0,
        limits::HORIZON_S,
        "use 0 to run until all requests are done",
    );
    r.float("run.warmup_s", run.warmup_s, 0.0, limits::HORIZON_S, "use 0 to measure from the start");
    if run.horizon_s > 0.0 && run.warmup_s >= run.horizon_s {
        r.error(
            "run.warmup_s",
            format!("a warm-up of {} s in a run of {} s", run.warmup_s, run.horizon_s),
            "less than run.horizon_s",
            "nothing would be measured: shorten the warm-up or lengthen the run",
        );
    }
    r.int("run.max_requests", run.max_requests, 0, limits::REQUESTS, "use 0 for no cap besides the horizon");
    r.int(
        "run.warmup_requests",
        run.warmup_requests,
        0,
        limits::REQUESTS,
        "use 0 to leave out no requests by number",
    );
    check_slo(&s.slo, r);
    r.int("observe.event_log", s.observe.event_log, 0, limits::EVENT_LOG, "use 0 to keep no events");
    r.int(
        "observe.series_points",
        s.observe.series_points,
        limits::SERIES_POINTS_MIN,
        limits::SERIES_POINTS,
        "600 fits most screens",
    );
    let k = s.observe.counterfactual_k;
    r.int("observe.counterfactual_k", k, 0, limits::REPLICAS, "use 0 for no summary of decisions");
    for (i, part) in s.observe.fitness.iter().enumerate() {
        let path = format!("observe.fitness[{i}].weight");
        r.float(&path, part.weight, 0.0, limits::FITNESS_WEIGHT, "weights cannot be negative");
    }
    let names = s.observe.fitness.iter().map(|part| part.metric.name());
    r.distinct("observe.fitness", "metric", names);
}

fn check_slo(slo: &Slo, r: &mut Report) {
    let mut check = |path: &str, ttft_ms, tpot_ms, e2e_ms| {
        let longest_ms = limits::LATENCY_US as f64 / 1000.0;
        for (field, ms) in [("ttft_ms", ttft_ms), ("tpot_ms", tpot_ms), ("e2e_ms", e2e_ms)] {
            r.float(&format!("{path}.{field}"), ms, 0.0, longest_ms, "use 0 for no objective");
        }
    };
    check("slo", slo.ttft_ms, slo.tpot_ms, slo.e2e_ms);
    for (i, c) in slo.classes.iter().enumerate() {
        check(&format!("slo.classes[{i}]"), c.ttft_ms, c.tpot_ms, c.e2e_ms);
    }
    r.distinct("slo.classes", "class", slo.classes.iter().map(|c| c.class.name()));
}

fn check_cluster(c: &Cluster, r: &mut Report) {
    if c.pools.is_empty() {
        r.error(
            "cluster.pools",
            "no pools",
            "at least one",
            "add a pool of replicas, or leave the key out for the default",
        );
    }
    r.count("cluster.pools", c.pools.len(), limits::POOLS, "pools");
    for (i, pool) in c.pools.iter().enumerate() {
        check_pool(&format!("cluster.pools[{i}]"), pool, c.compat, r);
    }
    r.distinct("cluster.pools", "name", c.pools.iter().map(|p| p.name.as_str()));
    let replicas: u64 = c.pools.iter().map(|p| u64::from(p.replicas)).sum();
    if replicas > u64::from(limits::REPLICAS) && c.pools.iter().all(|p| p.replicas <= limits::REPLICAS) {
        r.error(
            "cluster.pools",
            format!("{replicas} replicas in all pools together"),
            format!("at most {}", limits::REPLICAS),
            "take replicas away",
        );
    }
    check_admission("cluster.admission", &c.admission, r);
    check_routing("cluster.routing", &c.routing, r);
    for (field, us) in [
        ("snapshot_refresh_us", c.snapshot_refresh_us),
        ("admission_latency_us", c.admission_latency_us),
        ("routing_latency_us", c.routing_latency_us),
    ] {
        r.int(&format!("cluster.{field}"), us, 0, limits::LATENCY_US, "it is in microseconds; 0 means none");
    }
}

fn check_pool(path: &str, p: &Pool, compat: Compat, r: &mut Report) {
    r.name(&format!("{path}.name"), &p.name);
    r.text(&format!("{path}.model"), &p.model);
    r.text(&format!("{path}.gpu"), &p.gpu);
    r.int(
        &format!("{path}.replicas"),
        p.replicas,
        1,
        limits::REPLICAS,
        "remove the pool if it has no replicas",
    );
    r.int(&format!("{path}.tp"), p.tp, 1, limits::TP, "1 means one GPU for each replica");
    let e = &p.engine;
    let (seqs, tokens) = (e.max_num_seqs.count(), e.max_num_batched_tokens.count());
    let fix = "use \"auto\" for what vLLM chooses on this GPU";
    if let Some(seqs) = seqs {
        r.int(&format!("{path}.engine.max_num_seqs"), seqs, 1, limits::BATCH, fix);
    }
    let budget = format!("{path}.engine.max_num_batched_tokens");
    if let Some(tokens) = tokens {
        r.int(&budget, tokens, 1, limits::STEP_TOKENS, fix);
    }
    if let (Some(seqs), Some(tokens)) = (seqs, tokens)
        && tokens < seqs
        && tokens > 0
    {
        r.warning(
            budget,
            format!("{tokens} tokens for up to {seqs} requests"),
            "at least engine.max_num_seqs",
            "a full batch cannot decode all its requests in one step; vLLM refuses such a setting",
        );
    }
    r.int(
        &format!("{path}.engine.long_prefill_threshold_tokens"),
        e.long_prefill_threshold_tokens,
        0,
        limits::STEP_TOKENS,
        "use 0 for no limit besides the token budget",
    );
    let path_of_bound = format!("{path}.engine.max_waiting");
    r.int(&path_of_bound, e.max_waiting, 0, limits::IN_FLIGHT, "use 0 for a queue without a bound");
    check_kv(&format!("{path}.kv"), &p.kv, compat, r);
    check_priority(&format!("{path}.engine.priority"), &p.engine.priority, r);
    check_latency(path, p, r);
}

fn check_priority(path: &str, priority: &PriorityPolicy, r: &mut Report) {
    if let PriorityPolicy::TenantPriority(scores) = priority {
        let list = format!("{path}.tenant-priority.tenants");
        r.count(&list, scores.tenants.len(), limits::CLIENTS, "tenants");
        r.distinct(&list, "tenant", scores.tenants.iter().map(|t| t.tenant.as_str()));
    }
}
