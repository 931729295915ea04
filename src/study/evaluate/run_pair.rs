//! The runs of the baseline and of a candidate on the same traffic.

use super::chosen::Chosen;
use super::run::CaseRun;
use super::runner::Runner;
use super::suite::Suite;
use base::Diagnostics;
use document::Scenario;
use std::sync::Arc;

/// The runs of one case with one seed.
#[derive(Debug)]
pub(super) struct RunPair {
    pub(super) case: usize,
    pub(super) seed: u64,
    pub(super) baseline: Arc<CaseRun>,
    pub(super) candidate: CaseRun,
}

/// The runs of all chosen cases and seeds.
pub(super) fn pairs(
    suite: &Suite,
    chosen: &[Chosen],
    scenarios: &[Scenario],
    runner: &impl Runner,
) -> Result<Vec<Vec<RunPair>>, Diagnostics> {
    let jobs =
        chosen.iter().zip(scenarios).flat_map(|(c, s)| (0..c.seeds).map(move |seed| (c.case, s, seed)));
    let jobs: Vec<(usize, &Scenario, usize)> = jobs.collect();
    let made = runner.each(jobs.len() * 2, |i| {
        let (number, scenario, at) = jobs[i / 2];
        let case = &suite.cases[number];
        if i % 2 == 1 {
            return CaseRun::of(scenario, case.seeds[at], case.trace.clone()).map(Arc::new);
        }
        if let Some(known) = case.reference[at].get() {
            return Ok(Arc::clone(known));
        }
        let run = Arc::new(CaseRun::of(&case.scenario, case.seeds[at], case.trace.clone())?);
        Ok(Arc::clone(case.reference[at].get_or_init(|| run)))
    });
    let mut made = made.into_iter().collect::<Result<Vec<_>, Diagnostics>>()?.into_iter();
    let mut all: Vec<Vec<RunPair>> = chosen.iter().map(|_| Vec::new()).collect();
    let places = chosen.iter().enumerate().flat_map(|(place, c)| (0..c.seeds).map(move |_| place));
    for ((place, (case, _, at)), (baseline, candidate)) in
        places.zip(&jobs).zip(std::iter::from_fn(|| Some((made.next()?, made.next()?))))
    {
        let candidate = Arc::unwrap_or_clone(candidate);
        all[place].push(RunPair { case: *case, seed: suite.cases[*case].seeds[*at], baseline, candidate });
    }
    Ok(all)
}
