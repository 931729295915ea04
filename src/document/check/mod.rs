//! Checks the meaning of a scenario that already has the right shape. Ranges are in the tables of the types; relations
//! between fields are here.

mod adapters;
mod conversation;
mod disaggregation;
mod edits;
mod experts;
mod fault;
mod flow_control;
mod keep;
mod kv;
mod kv_retention;
mod kv_tiers;
mod latency;
mod lengths;
mod not_nothing;
mod pipeline;
mod policies;
mod rate;
mod scaling;
mod speculative;
mod workload;

use crate::At;
use crate::table::fields::Fields;
use crate::table::report::Report;
use crate::{
    BatchLimits, Cluster, Compat, FORMAT_VERSION, Pool, PreemptionVictim, PriorityPolicy, Scenario,
    is_unreleased, limits,
};
use adapters::check_lora;
use base::small::decimal::plain;
use base::{Diagnostics, diag::has_errors};
use disaggregation::check_disaggregation;
use edits::check_list;
use experts::check_experts;
use flow_control::check_flow_control;
use keep::check_keep;
use kv::check_kv;
use kv_retention::check_kv_retention;
use kv_tiers::check_kv_tiers;
use latency::check_latency;
use not_nothing::{check_not_nothing, milliseconds, seconds};
use pipeline::check_pipeline;
use policies::{check_admission, check_routing};
use scaling::{check_first_replicas, check_periods, check_scaling, check_together};
use speculative::check_speculative;
use workload::{check_traffic, check_workload};

pub(super) use fault::check_fault;
use fault::check_random_faults;

pub use edits::check_edits;
pub use rate::RequestCount;

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
    checked(scenario, check_first_replicas)
}

/// The same of what a run begins with. Whether pools without replicas get some is known with its edits.
pub fn check_start(scenario: Scenario) -> Result<(Checked<Scenario>, Diagnostics), Diagnostics> {
    checked(scenario, |_, _| ())
}

fn checked(
    mut scenario: Scenario,
    further: fn(&Scenario, &mut Report),
) -> Result<(Checked<Scenario>, Diagnostics), Diagnostics> {
    let mut report = Report::default();
    settle_version(&mut scenario, &mut report);
    check_head(&scenario, &mut report);
    check_cluster(&scenario.cluster, &mut report);
    further(&scenario, &mut report);
    check_periods(&scenario, &mut report);
    check_workload(&scenario, &mut report);
    check_list(&scenario, &mut report);
    let all = report.finish();
    if has_errors(&all) { Err(all) } else { Ok((Checked(scenario), all)) }
}

/// Checks what an edit can have changed. A pool may be empty now.
pub(super) fn check_edited(scenario: Scenario) -> (Checked<Scenario>, Diagnostics) {
    let mut report = Report::default();
    scenario.slo.check_ranges(&At::path("slo"), &mut report);
    check_classes(&scenario, &mut report);
    check_keep(&scenario, &mut report);
    check_cluster(&scenario.cluster, &mut report);
    check_periods(&scenario, &mut report);
    check_traffic(&scenario, &mut report);
    (Checked(scenario), report.finish())
}

/// Documents of a version that no release had are of version 1. Version 2 had other step times, which is said.
fn settle_version(s: &mut Scenario, r: &mut Report) {
    if is_unreleased(s.tokenyard.into()) {
        if s.tokenyard == 2 {
            r.warning(
                "tokenyard",
                "format version 2, which no release had",
                format!("version {FORMAT_VERSION}"),
                "it is read as version 1, with step times of today: results differ from those of older builds",
            );
        }
        s.tokenyard = FORMAT_VERSION;
    }
    if s.tokenyard != FORMAT_VERSION {
        r.error(
            "tokenyard",
            format!("format version {}", s.tokenyard),
            format!("version {FORMAT_VERSION}"),
            format!("write \"tokenyard\": {FORMAT_VERSION}, or leave it out"),
        );
    }
}

fn check_head(s: &Scenario, r: &mut Report) {
    s.check_ranges(&At::path(""), r);
    let run = &s.run;
    check_not_nothing("run.horizon_s", run.horizon_s, seconds("no end but that of the traffic"), r);
    if run.horizon_s > 0.0 && run.warmup_s >= run.horizon_s && r.are_fine("run", &["horizon_s", "warmup_s"]) {
        r.error(
            "run.warmup_s",
            format!("a warm-up of {} s in a run of {} s", plain(run.warmup_s), plain(run.horizon_s)),
            "less than run.horizon_s",
            "nothing would be measured: shorten the warm-up or lengthen the run",
        );
    }
    check_classes(s, r);
    check_keep(s, r);
    let names = s.observe.fitness.iter().map(|part| part.metric.name());
    r.distinct("observe.fitness", "metric", names);
}

fn check_classes(s: &Scenario, r: &mut Report) {
    r.distinct("slo.classes", "class", s.slo.classes.iter().map(|c| c.class.name()));
    let none = milliseconds("no objective");
    let mut check = |path: &str, ttft: f64, tpot: f64, e2e: f64| {
        for (name, ms) in [("ttft_ms", ttft), ("tpot_ms", tpot), ("e2e_ms", e2e)] {
            check_not_nothing(&format!("{path}.{name}"), ms, none, r);
        }
    };
    check("slo", s.slo.ttft_ms, s.slo.tpot_ms, s.slo.e2e_ms);
    for (i, c) in s.slo.classes.iter().enumerate() {
        check(&format!("slo.classes[{i}]"), c.ttft_ms, c.tpot_ms, c.e2e_ms);
    }
}

fn check_cluster(c: &Cluster, r: &mut Report) {
    c.check_ranges(&At::path("cluster"), r);
    if c.pools.is_empty() {
        r.error(
            "cluster.pools",
            "no pools",
            "at least one",
            "add a pool of replicas, or leave the key out for the default",
        );
    }
    for (i, pool) in c.pools.iter().enumerate() {
        check_pool(&format!("cluster.pools[{i}]"), pool, c.compat, r);
    }
    check_together(c, r);
    r.distinct("cluster.pools", "name", c.pools.iter().map(|p| p.name.as_str()));
    let replicas: u64 = c.pools.iter().map(|p| u64::from(p.scaling.most(p.replicas))).sum();
    let fine = |i: usize| r.are_fine(&format!("cluster.pools[{i}]"), &["replicas", "scaling.max"]);
    if replicas > u64::from(limits::REPLICAS) && (0..c.pools.len()).all(fine) {
        r.error(
            "cluster.pools",
            format!("{replicas} replicas in all pools together"),
            format!("at most {}", limits::REPLICAS),
            "take replicas away",
        );
    }
    check_admission("cluster.admission", &c.admission, r);
    if let Some(f) = &c.flow_control {
        check_flow_control("cluster.flow_control", f, c.compat, r);
    }
    check_routing("cluster.routing", &c.routing, r);
    check_disaggregation(c, r);
    check_kv_tiers(c, r);
    check_kv_retention(c, r);
    check_random_faults(c, r);
}

fn check_pool(path: &str, p: &Pool, compat: Compat, r: &mut Report) {
    p.check_ranges(&At::path(path), r);
    r.not_empty(&format!("{path}.name"), &p.name);
    let (seqs, tokens) = (p.engine.max_num_seqs.count(), p.engine.max_num_batched_tokens.count());
    if let (Some(seqs), Some(tokens)) = (seqs, tokens)
        && tokens < seqs
        && r.are_fine(&format!("{path}.engine"), &["max_num_seqs", "max_num_batched_tokens"])
    {
        r.warning(
            format!("{path}.engine.max_num_batched_tokens"),
            format!("{tokens} tokens for up to {seqs} requests"),
            "at least engine.max_num_seqs",
            "a full batch cannot decode all its requests in one step; vLLM refuses such a setting",
        );
    }
    check_joining(&format!("{path}.engine"), &p.engine, compat, r);
    check_pipeline(path, p, compat, r);
    check_speculative(&format!("{path}.engine"), &p.engine, compat, r);
    check_kv(&format!("{path}.kv"), &p.kv, compat, r);
    if let Some(lora) = &p.lora {
        check_lora(&format!("{path}.lora"), lora, compat, r);
    }
    check_priority(&format!("{path}.engine.priority"), &p.engine.priority, r);
    check_latency(path, p, compat, r);
    check_experts(path, p, r);
    check_scaling(&format!("{path}.scaling"), &p.scaling, r);
}

/// BLIS has its own rule for who joins a batch.
fn check_joining(path: &str, engine: &BatchLimits, compat: Compat, r: &mut Report) {
    if compat == Compat::None {
        return;
    }
    if engine.reserve_full_prompt == Some(true) {
        r.error(
            format!("{path}.reserve_full_prompt"),
            "true, with cluster.compat blis",
            "false there",
            "that simulator admits by the first chunk: leave the key out, or use another compat",
        );
    }
    if !engine.preemption || engine.victim != PreemptionVictim::Latest {
        r.error(
            format!("{path}.{}", if engine.preemption { "victim" } else { "preemption" }),
            "another rule, with cluster.compat blis",
            "preemption of the latest request there",
            "that simulator preempts the latest request: leave the key out, or use another compat",
        );
    }
    if engine.watermark > 0.0 && r.are_fine(path, &["watermark"]) {
        r.error(
            format!("{path}.watermark"),
            format!("{}, with cluster.compat blis", plain(engine.watermark)),
            "0 there",
            "that simulator keeps no blocks free: leave the key out, or use another compat",
        );
    }
}

fn check_priority(path: &str, priority: &PriorityPolicy, r: &mut Report) {
    if let PriorityPolicy::TenantPriority(scores) = priority {
        let list = format!("{path}.tenant-priority.tenants");
        r.distinct(&list, "tenant", scores.tenants.iter().map(|t| t.tenant.as_str()));
    }
}
