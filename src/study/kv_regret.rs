//! Regret of a run's KV caches: how many blocks it computed that it would not have computed, had it known when each block is used
//! next, and how much sooner first tokens would have come.
//!
//! The same scenario with the same draws is run again with the oracle's order of eviction (`belady`), on the GPU
//! and in CPU memory, and with prefetches that know the next turn. The oracle is a bound for hits at equal times. Through its
//! hits other requests come at other times, so it is no bound for a whole run: a regret below 0 is shown as it is.

use crate::kv_policies::KvPolicy;
use base::stats::{SHARE_DIFFERENCE, UNBOUNDED, mean_interval};
use base::{Diagnostic, Diagnostics, Micros, json};
use document::{PrefetchWhen, Scenario, SessionKv, SessionPrefetch, TimedEdit, check, limits};
use run::session::{Session, Trace};
use serde::Serialize;
use std::sync::Arc;

/// A run beside that of the oracle.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KvRegret {
    /// The run.
    pub own: KvFigures,
    /// The run of the oracle.
    pub oracle: KvFigures,
    /// Blocks of prompts that the run computed beyond those of the oracle, as a share of the blocks of its prompts.
    pub block_regret: Option<f64>,
    /// How much longer its mean TTFT is, in milliseconds; null if nothing was measured.
    pub mean_ttft_regret_ms: Option<f64>,
    /// What the oracle's scenario has that the run's has not: paths, with their values.
    pub oracle_has: Vec<String>,
}

/// Figures of the KV caches of a run.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct KvFigures {
    /// Blocks of the prompts that joined batches, warm-up included.
    pub prompt_blocks: u64,
    /// Of these, blocks that were computed.
    pub computed_blocks: u64,
    /// Mean TTFT of the requests measured, in milliseconds; null without any.
    pub mean_ttft_ms: Option<f64>,
}

/// The scenario of the oracle, and what it has that the given one has not.
pub fn kv_oracle_of(scenario: &Scenario) -> Result<(Scenario, Vec<String>), Diagnostics> {
    if let Some((i, _)) = scenario.edits.iter().enumerate().find(|(_, e)| !e.off && changes_keeping(e)) {
        let fix = "leave the edit out";
        let found = "an edit of what is kept in caches";
        return Err(vec![Diagnostic::error(format!("edits[{i}]"), found, "edits of other things", fix)]);
    }
    let (mut made, mut has) = (scenario.clone(), Vec::new());
    for (i, pool) in made.cluster.pools.iter_mut().enumerate() {
        let path = format!("cluster.pools[{i}].kv");
        if pool.kv.eviction_order != KvPolicy::Oracle.order() {
            pool.kv.eviction_order = KvPolicy::Oracle.order();
            has.push(format!("{path}.eviction_order=belady"));
        }
        if pool.kv.cpu_blocks > 0 && pool.kv.cpu_eviction != KvPolicy::Oracle.cpu_order() {
            pool.kv.cpu_eviction = KvPolicy::Oracle.cpu_order();
            has.push(format!("{path}.cpu_eviction=belady"));
        }
    }
    for (i, client) in made.workload.clients.iter_mut().enumerate() {
        know(client.session_kv.as_mut(), &format!("workload.clients[{i}]"), &mut has);
    }
    know(made.workload.session_kv.as_mut(), "workload", &mut has);
    // This scenario, too, must pass the check.
    check(made.clone())?;
    Ok((made, has))
}

/// A prefetch knows when the next turn comes, and is asked for as early as it can be.
fn know(kv: Option<&mut SessionKv>, path: &str, has: &mut Vec<String>) {
    let Some(prefetch) = kv.and_then(|kv| kv.prefetch.as_mut()) else { return };
    let known = SessionPrefetch { when: PrefetchWhen::Known, lead_s: limits::THINK_S, ..prefetch.clone() };
    if *prefetch != known {
        *prefetch = known;
        has.push(format!("{path}.session_kv.prefetch={{when: known, lead_s: {}}}", limits::THINK_S));
    }
}

/// Whether an edit sets an order of eviction or what becomes of KV in pauses.
fn changes_keeping(edit: &TimedEdit) -> bool {
    let names = ["eviction_order", "cpu_eviction", "session_kv"];
    let mut all = edit.set.iter().chain(&edit.add);
    all.any(|(path, value)| {
        names.iter().any(|name| path.contains(name) || json::compact(value).contains(&format!("\"{name}\"")))
    })
}

fn figures(scenario: Scenario, trace: Option<Arc<Trace>>) -> Result<KvFigures, Diagnostics> {
    let (mut session, _) = Session::start_for_rows(scenario, trace)?;
    session.advance(Micros::MAX, u64::MAX);
    let mut figures = KvFigures::default();
    for kv in session.engine().replicas().iter().map(engine::Replica::kv) {
        let found = kv.load_counts().map_or(kv.hits(), |loads| loads.from_gpu + loads.from_below);
        figures.computed_blocks += kv.prompt_misses();
        figures.prompt_blocks += found + kv.prompt_misses();
    }
    let ttft = session.report_data().latency_ms.ttft;
    figures.mean_ttft_ms = (ttft.count > 0).then_some(ttft.mean);
    Ok(figures)
}

/// Runs a scenario and that of its oracle.
pub fn kv_regret(scenario: &Scenario, trace: Option<Arc<Trace>>) -> Result<KvRegret, Diagnostics> {
    let (made, oracle_has) = kv_oracle_of(scenario)?;
    let own = figures(scenario.clone(), trace.clone())?;
    let oracle = if oracle_has.is_empty() { own } else { figures(made, trace)? };
    let more = own.computed_blocks as f64 - oracle.computed_blocks as f64;
    Ok(KvRegret {
        own,
        oracle,
        block_regret: (own.prompt_blocks > 0).then(|| more / own.prompt_blocks as f64),
        mean_ttft_regret_ms: own.mean_ttft_ms.zip(oracle.mean_ttft_ms).map(|(own, oracle)| own - oracle),
        oracle_has,
    })
}

/// The regrets of runs that differ in their seeds alone.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KvRegrets {
    /// From the scenario's seed upwards.
    pub seeds: Vec<SeedRegret>,
    /// Mean of `block_regret` over the seeds; null if a seed has none.
    pub block_regret: Option<RegretMean>,
    /// Mean of `mean_ttft_regret_ms` over the seeds; null if a seed has none.
    pub mean_ttft_regret_ms: Option<RegretMean>,
}

/// The regret of the run with a seed.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeedRegret {
    /// Decimal digits.
    pub seed: String,
    /// Its regret, whose fields stand beside the seed.
    #[serde(flatten)]
    pub regret: KvRegret,
}

/// A mean with its 95 % confidence interval. With one seed there is no interval.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RegretMean {
    /// Over the seeds.
    pub mean: f64,
    /// Lower end of the interval.
    pub lo: Option<f64>,
    /// Upper end.
    pub hi: Option<f64>,
}

impl RegretMean {
    fn of(values: Option<Vec<f64>>, bounds: [f64; 2]) -> Option<Self> {
        let values = values.filter(|values| !values.is_empty())?;
        let interval = mean_interval(&values, bounds);
        Some(Self {
            mean: interval.map_or(values[0], |i| i.value),
            lo: interval.map(|i| i.lo),
            hi: interval.map(|i| i.hi),
        })
    }
}

impl KvRegrets {
    /// Those of these runs.
    pub fn of(runs: Vec<(u64, KvRegret)>) -> Self {
        let blocks = runs.iter().map(|(_, one)| one.block_regret).collect();
        let ttft = runs.iter().map(|(_, one)| one.mean_ttft_regret_ms).collect();
        Self {
            block_regret: RegretMean::of(blocks, SHARE_DIFFERENCE),
            mean_ttft_regret_ms: RegretMean::of(ttft, UNBOUNDED),
            seeds: runs
                .into_iter()
                .map(|(seed, regret)| SeedRegret { seed: seed.to_string(), regret })
                .collect(),
        }
    }
}

/// The scenario with the `k`-th seed from its own upwards, and that seed.
pub fn with_seed(scenario: &Scenario, k: u32) -> (u64, Scenario) {
    let seed = scenario.seed.wrapping_add(k.into());
    (seed, Scenario { seed, ..scenario.clone() })
}
