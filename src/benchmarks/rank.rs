//! Whether the simulation orders policies as measurements do: the benchmark of each policy beside its simulation under
//! the same load.

use super::compare::{Compared, Comparison, compare};
use super::scenario::replay;
use super::told::options;
use crate::import::benchmark::Benchmark;
use base::stats::{PairOrder, spearman};
use base::{Diagnostic, Diagnostics};
use document::Scenario;
use serde::Serialize;

/// Fewest policies.
const LEAST: usize = 2;
/// Most policies.
const MOST: usize = 64;

/// The benchmark of a policy, and the scenario with that policy.
#[derive(Clone, Debug)]
pub struct PolicyRun {
    /// Name of the policy.
    pub policy: String,
    /// The file of the benchmark.
    pub file: String,
    /// What was measured.
    pub benchmark: Benchmark,
    /// The cluster with the policy.
    pub scenario: Scenario,
}

/// A figure of a policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PolicyFigure {
    /// The policy.
    pub policy: String,
    /// The file of its benchmark.
    pub file: String,
    /// As measured; the middle of its bounds.
    pub measured: f64,
    /// As simulated; the mean over the seeds.
    pub simulated: f64,
}

/// How far apart two policies are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// The first policy.
    pub a: String,
    /// The second one.
    pub b: String,
    /// The second minus the first, as measured.
    pub measured: f64,
    /// As simulated.
    pub simulated: f64,
    /// The measured gap as a share of the first one's figure; null if that is 0.
    pub measured_share: Option<f64>,
    /// The same as simulated.
    pub simulated_share: Option<f64>,
    /// Whether both have the same sign; null if the two measure the same.
    pub right: Option<bool>,
}

/// The policies by one figure that all files have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// Metric.
    pub metric: &'static str,
    /// Statistic.
    pub stat: &'static str,
    /// Spearman's rank correlation of measured with simulated, -1 to 1; null if one of them does not differ.
    pub spearman: Option<f64>,
    /// Kendall's tau-b; null likewise.
    pub kendall: Option<f64>,
    /// Pairs of policies that measure differently.
    pub pairs: u32,
    /// Those that the simulation has in the right order.
    pub pairs_right: u32,
    /// Share of these pairs in the right order; null without such pairs.
    pub right_share: Option<f64>,
    /// The policies, in the order given.
    pub policies: Vec<PolicyFigure>,
    /// Every pair of policies.
    pub gaps: Vec<Gap>,
}

/// Simulates every policy under the load of its benchmark and ranks them by each figure that all files have.
pub fn rank(runs: &[PolicyRun]) -> Result<Vec<Ranked>, Diagnostics> {
    check(runs)?;
    let mut compared = Vec::new();
    for run in runs {
        let found =
            compare(&run.benchmark, &replay(&run.benchmark, &run.scenario)).map_err(|mut problems| {
                for problem in &mut problems {
                    problem.path = format!("{}: {}", run.policy, problem.path);
                }
                problems
            })?;
        if found.assumed {
            let fix = format!("give {}", options(&found.missing));
            let what = "a file that does not say what was sent";
            return Err(vec![Diagnostic::error(&run.file, what, "the load of the benchmark", fix)]);
        }
        compared.push(found);
    }
    let ranked = ranked(runs, &compared);
    if ranked.is_empty() {
        let fix = "use results of one tool, such as the JSON of vllm bench serve";
        return Err(vec![Diagnostic::error(
            "",
            "no figure that all files have",
            "a figure in each file",
            fix,
        )]);
    }
    Ok(ranked)
}

fn check(runs: &[PolicyRun]) -> Result<(), Diagnostics> {
    let mut problems = Diagnostics::new();
    if !(LEAST..=MOST).contains(&runs.len()) {
        let found = format!("{} measured policies", runs.len());
        let fix = "give a file for each policy, as NAME=FILE";
        problems.push(Diagnostic::error("", found, format!("{LEAST} to {MOST}"), fix));
    }
    for (i, run) in runs.iter().enumerate() {
        if runs[..i].iter().any(|other| other.policy == run.policy) {
            let fix = "give one file for each policy";
            problems.push(Diagnostic::error(&run.policy, "measured twice", "each policy once", fix));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn ranked(runs: &[PolicyRun], compared: &[Comparison]) -> Vec<Ranked> {
    let Some(first) = compared.first() else { return Vec::new() };
    let is_same = |a: &Compared, b: &Compared| {
        (a.measured.metric, a.measured.stat) == (b.measured.metric, b.measured.stat)
    };
    let of_row = |row: &Compared| {
        let rows: Option<Vec<&Compared>> = compared
            .iter()
            .map(|of_policy| of_policy.rows.iter().find(|other| is_same(row, other)))
            .collect();
        Some(by_figure(row, runs, &rows?))
    };
    first.rows.iter().filter_map(of_row).collect()
}

fn by_figure(row: &Compared, runs: &[PolicyRun], rows: &[&Compared]) -> Ranked {
    let figure = |(run, row): (&PolicyRun, &&Compared)| PolicyFigure {
        policy: run.policy.clone(),
        file: run.file.clone(),
        measured: f64::midpoint(row.measured.low, row.measured.high),
        simulated: row.simulated,
    };
    let policies: Vec<PolicyFigure> = runs.iter().zip(rows).map(figure).collect();
    let measured: Vec<f64> = policies.iter().map(|p| p.measured).collect();
    let simulated: Vec<f64> = policies.iter().map(|p| p.simulated).collect();
    let order = PairOrder::of(&measured, &simulated);
    let mut gaps = Vec::new();
    for (i, a) in policies.iter().enumerate() {
        gaps.extend(policies[i + 1..].iter().map(|b| gap(a, b)));
    }
    Ranked {
        metric: row.measured.metric,
        stat: row.measured.stat,
        spearman: spearman(&measured, &simulated),
        kendall: order.tau_b(),
        pairs: order.pairs,
        pairs_right: order.right,
        right_share: (order.pairs > 0).then(|| f64::from(order.right) / f64::from(order.pairs)),
        policies,
        gaps,
    }
}

fn gap(a: &PolicyFigure, b: &PolicyFigure) -> Gap {
    let (measured, simulated) = (b.measured - a.measured, b.simulated - a.simulated);
    let share = |gap: f64, of: f64| (of.abs() > 0.0).then(|| gap / of);
    let differs = measured.abs() > 0.0;
    Gap {
        a: a.policy.clone(),
        b: b.policy.clone(),
        measured,
        simulated,
        measured_share: share(measured, a.measured),
        simulated_share: share(simulated, a.simulated),
        right: differs.then_some(measured * simulated > 0.0),
    }
}
