//! Laws of queueing theory beside a run: which of them could fit, whether the run meets their assumptions, and their
//! predictions at the rates of the run. docs/explanation/theory.md has the laws, the rules and the thresholds.
//!
//! It works on a scenario and on [`Outcomes`], as comparisons do: the command line makes these, and the page gets
//! them from the thread of its run.

mod buckets;
mod judge;
mod laws;
mod little;
mod observed;
mod predict;
mod server;

pub use judge::{Assumption, AssumptionVerdict};
pub use laws::{AssumptionKind, Law};
pub use observed::{Measured, Simulated};
pub use predict::Prediction;

use super::compare::Outcomes;
use base::Diagnostics;
use document::Scenario;
use observed::Observed;
use run::session::Trace;
use serde::Serialize;
use server::Fleet;
use std::sync::Arc;

/// A law beside a run.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LawFound {
    /// The assumption.
    pub law: Law,
    /// Its title.
    pub title: &'static str,
    /// Whether the cluster is of the law's kind, so that the law may be chosen.
    pub fits: bool,
    /// How many of its assumptions are violated.
    pub violated: u32,
    /// Its assumptions, judged.
    pub assumptions: Vec<Assumption>,
    /// Its prediction at the mean rate.
    pub predicted: Prediction,
}

/// The laws beside a run.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Theory {
    /// The requested law, or the one with the fewest violated assumptions among those that fit.
    pub chosen: Law,
    /// Requests considered: those that arrived in the measurement window.
    pub requests: u64,
    /// Their rate.
    pub rate_per_s: f64,
    /// Coefficient of variation of the gaps between them; null if they are too few.
    pub gap_cv: Option<f64>,
    /// Their measured times.
    pub simulated: Simulated,
    /// All laws.
    pub laws: Vec<LawFound>,
}

/// The prediction of a law over the time of a run, at the rate of each stretch; columns of equal length.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TheoryLine {
    /// The middles of the stretches, in seconds. A stretch has 100 arrivals on average, and there are at most 240.
    pub t_s: Vec<f64>,
    /// Arrivals per second.
    pub rate_per_s: Vec<f64>,
    /// Mean TTFT in milliseconds; null if the law gives none.
    pub ttft_ms: Vec<Option<f64>>,
    /// Mean time between tokens.
    pub itl_ms: Vec<Option<f64>>,
    /// Mean E2E.
    pub e2e_ms: Vec<Option<f64>>,
    /// Mean time from arrival to first joining a batch.
    pub wait_ms: Vec<Option<f64>>,
    /// Requests finished per second: the arrivals, at most what the servers can do; by Little's law the mean number inside divided
    /// by the mean E2E of those that arrived.
    pub finished_per_s: Vec<Option<f64>>,
    /// Mean number in the queue of one replica: its rate times the mean wait there.
    pub waiting: Vec<Option<f64>>,
    /// Whether an assumption is violated there: one of the whole run, or the steady rate at this place.
    pub violated: Vec<bool>,
}

/// The laws beside a run, and one of them over its time.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TheoryOfRun {
    /// All laws, with the chosen one.
    pub theory: Theory,
    /// The chosen one over time.
    pub line: TheoryLine,
}

/// A run, or a scenario that has not been run, as a queue.
#[derive(Clone, Debug)]
pub struct Theorist {
    fleet: Fleet,
    seen: Observed,
}

impl Theorist {
    /// The queue of a run. All problems of the scenario are reported at once.
    pub fn of_run(scenario: &Scenario, run: &Outcomes) -> Result<Self, Diagnostics> {
        let seen = Observed::of_run(scenario, run);
        Ok(Self { fleet: Fleet::new(scenario, &seen)?, seen })
    }

    /// The queue of a scenario without a run: its first 4,000 requests. All problems of the scenario are reported at
    /// once.
    pub fn of_plan(scenario: &Scenario, trace: Option<&Arc<Trace>>) -> Result<Self, Diagnostics> {
        // A source may only be made from a checked scenario.
        engine::perf::Plan::new(scenario.clone())?;
        let seen = Observed::planned(scenario, trace);
        Ok(Self { fleet: Fleet::new(scenario, &seen)?, seen })
    }

    /// All laws; `asked` is chosen if given.
    pub fn theory(&self, asked: Option<Law>) -> Theory {
        let laws: Vec<LawFound> = Law::ALL.into_iter().map(|law| self.found(law)).collect();
        // Ties go to the first.
        let best = laws.iter().filter(|l| l.fits && l.law != Law::Little).min_by_key(|l| l.violated);
        Theory {
            chosen: asked.unwrap_or(best.map_or(Law::BatchServer, |l| l.law)),
            requests: self.seen.requests as u64,
            rate_per_s: self.seen.rate_per_s,
            gap_cv: self.seen.cv,
            simulated: self.seen.simulated,
            laws,
        }
    }

    fn found(&self, law: Law) -> LawFound {
        let assumptions = judge::judge(law, &self.fleet, &self.seen);
        let violated = assumptions.iter().filter(|a| a.verdict == AssumptionVerdict::Violated).count() as u32;
        LawFound {
            law,
            title: law.title(),
            fits: law.fits(&self.fleet, &self.seen),
            violated,
            assumptions,
            predicted: self.at(law, self.seen.rate_per_s),
        }
    }

    /// The prediction of a law at a rate.
    pub fn at(&self, law: Law, rate_per_s: f64) -> Prediction {
        predict::predict(law, &self.fleet, &self.seen, rate_per_s)
    }

    /// All laws, and the chosen one over the time of the run.
    pub fn of_law(&self, asked: Option<Law>) -> TheoryOfRun {
        let theory = self.theory(asked);
        let line = self.line(theory.chosen);
        TheoryOfRun { theory, line }
    }

    /// The prediction of a law over the time of the run.
    pub fn line(&self, law: Law) -> TheoryLine {
        if law == Law::Little {
            return self.line_of_little();
        }
        let everywhere = judge::judge(law, &self.fleet, &self.seen).iter().any(|a| {
            a.verdict == AssumptionVerdict::Violated
                && !matches!(a.kind, AssumptionKind::SteadyRate | AssumptionKind::StableLoad)
        });
        let buckets = &self.seen.buckets;
        let mut line = TheoryLine::default();
        // Solving the chain of shortest queues is slow: loads within a hundredth share a solution.
        let mut solved: Vec<Option<Prediction>> = vec![None; 128];
        for i in 0..buckets.counts.len() {
            let Some(rate) = buckets.rate_per_s(i) else { continue };
            let rho = predict::load(law, &self.fleet, rate);
            let p = if law == Law::ShortestQueue && rho < 1.0 {
                let rounded = (rho * 100.0).round();
                let at = || self.at(law, rate * rounded / 100.0 / rho.max(f64::MIN_POSITIVE));
                *solved[rounded as usize].get_or_insert_with(at)
            } else {
                self.at(law, rate)
            };
            line.t_s.push(buckets.middle_s(i));
            line.rate_per_s.push(rate);
            line.ttft_ms.push(p.ttft_ms);
            line.itl_ms.push(p.itl_ms);
            line.e2e_ms.push(p.e2e_ms);
            line.wait_ms.push(p.wait_ms);
            line.finished_per_s.push(predict::finished_per_s(law, &self.fleet, &self.seen, rate));
            line.waiting.push(predict::waiting(&self.fleet, &Prediction { rate_per_s: rate, ..p }));
            line.violated.push(everywhere || judge::drifts_at(buckets, i) || rho >= 1.0);
        }
        line
    }
}

impl Theorist {
    /// Little's law by stretch: times from numbers and the rate, numbers from times and the rate, the rate from both.
    fn line_of_little(&self) -> TheoryLine {
        let buckets = &self.seen.buckets;
        let mut line = TheoryLine::default();
        for (i, stretch) in self.seen.stretches.iter().enumerate() {
            let Some(rate) = buckets.rate_per_s(i) else { continue };
            let time = |number: f64| (rate > 0.0).then(|| 1000.0 * number / rate);
            let e2e_ms = stretch.e2e_ms.filter(|ms| *ms > 0.0);
            line.t_s.push(buckets.middle_s(i));
            line.rate_per_s.push(rate);
            line.ttft_ms.push(None);
            line.itl_ms.push(None);
            line.e2e_ms.push(time(stretch.inside));
            line.wait_ms.push(time(stretch.waiting));
            line.finished_per_s.push(e2e_ms.map(|ms| 1000.0 * stretch.inside / ms));
            let each = rate / f64::from(self.fleet.replicas) / 1000.0;
            line.waiting.push(stretch.queue_ms.map(|ms| each * ms));
            let arrived = f64::from(buckets.counts[i]);
            line.violated.push(stretch.grown.abs() > judge::UNBALANCED * arrived);
        }
        line
    }
}

/// The prediction of a law for a case of a sweep.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseTheory {
    /// Which law: the one asked for, or the one that fits the first case.
    pub law: Law,
    /// Its title.
    pub title: &'static str,
    /// Its prediction at the rate of the case.
    pub predicted: Prediction,
    /// Its assumptions that the case violates, as far as the scenario tells.
    pub violated: Vec<String>,
}

/// The prediction of a law for each case of a sweep, from the scenarios alone.
pub fn of_cases(cases: &[Scenario], asked: Option<Law>) -> Result<Vec<CaseTheory>, Diagnostics> {
    let mut law = asked;
    let mut found = Vec::with_capacity(cases.len());
    for scenario in cases {
        let theorist = Theorist::of_plan(scenario, None)?;
        let law = *law.get_or_insert_with(|| theorist.theory(None).chosen);
        let one = theorist.found(law);
        let violated =
            one.assumptions.into_iter().filter(|a| a.verdict == AssumptionVerdict::Violated).map(|a| a.text);
        found.push(CaseTheory {
            law,
            title: law.title(),
            predicted: one.predicted,
            violated: violated.collect(),
        });
    }
    Ok(found)
}
