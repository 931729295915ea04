//! The oracle of a scenario: the same run with autoscalers that know the future arrival rate. It is the bound for the
//! policies of the scenario: same workload, same limits on replicas and GPUs, same start-up and drain.
//!
//! The capacity of a replica is that of `tokenyard size` for its pool: the closed form of
//! docs/explanation/queueing.md for the mean lengths of the scenario's first requests, within its strictest
//! objectives. The oracle looks ahead by the mean start-up and one period of decisions. docs/explanation/scaling.md
//! has the derivation in words.

use super::compare::OraclePool;
use super::sizing::pool_coefficients;
use base::{Diagnostic, Diagnostics, json};
use document::{Optimizer, Oracle, Pool, Role, ScalingPolicy, Scenario, Slo, check, limits};
use engine::mean_start_s;
use engine::workload::Source;
use queueing::{ClosedForm, Objectives, RequestSize, Trouble};
use run::session::Trace;
use std::sync::Arc;

/// Requests whose lengths are averaged.
const PLANNED: u64 = 4000;

/// The scenario of the oracle, and what it was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct OracleRun {
    /// The scenario to run.
    pub scenario: Scenario,
    /// Each pool that has an autoscaler.
    pub pools: Vec<OraclePool>,
}

/// The oracle of a scenario; `None` if no pool has an autoscaler. It is a problem if an edit changes the autoscaler,
/// if no replica meets the objectives, or if the requests are unknown.
pub fn oracle_of(scenario: &Scenario, trace: Option<&Arc<Trace>>) -> Result<Option<OracleRun>, Diagnostics> {
    let scaled = |pool: &Pool| pool.scaling.policy != ScalingPolicy::None;
    if !scenario.cluster.pools.iter().any(scaled) {
        return Ok(None);
    }
    if let Some((i, _)) = scenario.edits.iter().enumerate().find(|(_, e)| !e.off && changes_scaling(e)) {
        let fix = "leave the edit out, or compare runs from its instant on";
        let found = "an edit of the autoscaler";
        return Err(vec![Diagnostic::error(format!("edits[{i}]"), found, "edits of other things", fix)]);
    }
    if scenario.workload.trace.is_some() && trace.is_none() {
        let fix = "give the file of the trace";
        return Err(vec![Diagnostic::error("workload.trace", "no file", "the requests of the trace", fix)]);
    }
    let (checked, _) = check(scenario.clone())?;
    let size = mean_lengths(checked.get(), trace)?;
    let mut made = OracleRun { scenario: scenario.clone(), pools: Vec::new() };
    for (i, pool) in made.scenario.cluster.pools.iter_mut().enumerate().filter(|(_, pool)| scaled(pool)) {
        let of_pool = told(pool, &scenario.slo, size, &format!("cluster.pools[{i}]"))?;
        let (replica_per_s, ahead_s) = (of_pool.replica_per_s, of_pool.ahead_s);
        pool.scaling.policy = ScalingPolicy::Oracle(Oracle { replica_per_s, ahead_s });
        // It decides for its pool alone: only policies that share their needs are decided together.
        pool.scaling.optimizer = Optimizer::Alone;
        made.pools.push(of_pool);
    }
    // This scenario, too, must pass the check.
    check(made.scenario.clone())?;
    Ok(Some(made))
}

/// Whether an edit sets something of an autoscaler.
fn changes_scaling(edit: &document::TimedEdit) -> bool {
    let mut all = edit.set.iter().chain(&edit.add);
    all.any(|(path, value)| path.contains("scaling") || json::compact(value).contains("\"scaling\":"))
}

/// The mean lengths of the first requests; conversations continue as if every answer came at once.
fn mean_lengths(scenario: &Scenario, trace: Option<&Arc<Trace>>) -> Result<RequestSize, Diagnostics> {
    let mut source = Source::new(scenario, trace);
    let (mut requests, mut prompt, mut output) = (0_u64, 0_u64, 0_u64);
    while requests < PLANNED {
        let Some(spec) = source.take() else { break };
        source.ended(spec.session, Some(spec.arrival));
        source.freed(spec.client, spec.arrival, Some(spec.arrival));
        requests += 1;
        prompt += u64::from(spec.prompt_tokens);
        output += u64::from(spec.output.len);
    }
    if requests == 0 {
        let fix = "add clients, requests or a trace";
        return Err(vec![Diagnostic::error("workload", "no requests", "requests to scale for", fix)]);
    }
    let mean = |sum: u64| sum as f64 / requests as f64;
    Ok(RequestSize { input_tokens: mean(prompt), output_tokens: mean(output).max(1.0) })
}

/// The inputs of the oracle of a pool at a path.
fn told(pool: &Pool, slo: &Slo, size: RequestSize, path: &str) -> Result<OraclePool, Diagnostics> {
    if pool.role != Role::Mixed {
        let fix =
            "hold mixed pools against the oracle; the ratio of two roles is found by capacity --vary-ratio";
        let allowed = "a mixed pool: the oracle's replicas prefill and decode";
        return Err(vec![Diagnostic::error(format!("{path}.role"), pool.role.name(), allowed, fix)]);
    }
    let server = pool_coefficients(pool, size)?;
    let goals = strictest(slo);
    let wrong = |why: &Trouble| {
        let fix = "raise the objective, or take a faster replica";
        vec![Diagnostic::error(path, why.to_string(), "objectives that an idle replica meets", fix)]
    };
    // Time outside the engine is part of an objective, but not of the model.
    let inside = |objective, goal: f64, outside: f64| match goal {
        goal if goal <= 0.0 => Ok(0.0),
        goal if goal <= outside => {
            Err(wrong(&Trouble::Infeasible { objective, target_ms: goal, idle_ms: outside }))
        }
        goal => Ok(goal - outside),
    };
    let within = Objectives {
        ttft_ms: inside("TTFT", goals.ttft_ms, server.outside_ms[0])?,
        itl_ms: inside("ITL", goals.itl_ms, server.outside_ms[1])?,
    };
    let closed = ClosedForm::new(server.params, size).map_err(|why| wrong(&why))?;
    let found = closed.capacity(within, server.max_batch).map_err(|why| wrong(&why))?;
    Ok(OraclePool {
        pool: pool.name.clone(),
        replica_per_s: found.rate_per_s.clamp(limits::BUCKET_MIN, limits::RATE_PER_S),
        binding: found.binding.name(),
        ahead_s: (mean_start_s(pool) + pool.scaling.tick_s).min(limits::SCALING_S),
        prompt_tokens: size.input_tokens,
        output_tokens: size.output_tokens,
    })
}

/// The strictest TTFT and time between tokens of any class; 0 without one.
fn strictest(slo: &Slo) -> Objectives {
    let least = |own: f64, of_classes: &mut dyn Iterator<Item = f64>| {
        let least = of_classes.chain([own]).filter(|ms| *ms > 0.0).fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 0.0 }
    };
    Objectives {
        ttft_ms: least(slo.ttft_ms, &mut slo.classes.iter().map(|c| c.ttft_ms)),
        itl_ms: least(slo.tpot_ms, &mut slo.classes.iter().map(|c| c.tpot_ms)),
    }
}
