//! Studies of whole runs: outcomes, comparisons, the search for capacity, questions about decisions.

use crate::keeper::{Keeper, apart};
use crate::problem::{json, refused};
use crate::scenario::Scenario;
use crate::trace::{self, Trace};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;
use tokenyard::base::{Diagnostic, Diagnostics};
use tokenyard::scenario::Scenario as Document;
use tokenyard::session::{Report, Trace as Rows};
use tokenyard::study::compare::{Comparing, Outcomes as Found};
use tokenyard::study::kv_regret::{KvRegrets, kv_regret, with_seed};
use tokenyard::study::sweep::{
    Capacity as Answer, CapacitySearch, Objective, RunRow, SeedCapacity, capacity,
};
use tokenyard::study::whatif::{Asking, ExplainQuery, Explaining, HitRateFall, WhatIfQuery, WithFall};

/// What became of the requests of a run.
#[pyclass(frozen, module = "tokenyard._core")]
pub struct Outcomes {
    found: Found,
    report: Report,
}

/// Runs a scenario to its end.
fn run(
    py: Python<'_>,
    document: Document,
    trace: Option<Arc<Rows>>,
) -> PyResult<Result<(Found, Report), Diagnostics>> {
    let found = apart(py, move |wanted| {
        Found::of_run_while(document, trace, &mut || if wanted.is_over() { Err(()) } else { Ok(()) })
    })?;
    // One that is no longer wanted has raised before.
    found.map_err(|()| PyKeyboardInterrupt::new_err(()))
}

#[pymethods]
impl Outcomes {
    /// Runs a scenario to its end.
    #[new]
    #[pyo3(signature = (scenario, trace=None))]
    fn new(
        py: Python<'_>,
        scenario: &Bound<'_, Scenario>,
        trace: Option<&Bound<'_, Trace>>,
    ) -> PyResult<Self> {
        let run = run(py, scenario.get().document.clone(), trace::rows(trace))?;
        let (found, report) = run.map_err(|all| refused(py, &all))?;
        Ok(Self { found, report })
    }

    /// The figures of the run in one row, JSON text.
    fn row(&self) -> PyResult<String> {
        json(&RunRow::new(&self.found))
    }

    /// The report, JSON text.
    fn report(&self) -> PyResult<String> {
        json(&self.report)
    }
}

/// The comparison of two scenarios from their outcomes by seed, JSON text.
#[pyfunction]
pub(crate) fn compared(
    py: Python<'_>,
    scenarios: [Bound<'_, Scenario>; 2],
    pairs: Vec<[Bound<'_, Outcomes>; 2]>,
) -> PyResult<String> {
    let [a, b] = scenarios.map(|s| s.get().document.clone());
    let first = pairs.first().map(|pair| pair.each_ref().map(|run| run.get()));
    let hit_rate_fall = first.and_then(|[a, b]| HitRateFall::between(&a.report, &b.report));
    let pairs: Vec<[Found; 2]> =
        pairs.into_iter().map(|pair| pair.map(|run| run.get().found.clone())).collect();
    let result = py.detach(|| {
        let mut comparing = Comparing::default();
        comparing.set_scenarios(&a, &b);
        for [a, b] in pairs {
            comparing.add(a, b);
        }
        comparing.result()
    });
    let comparison = &result.ok_or_else(|| PyValueError::new_err("no seed was run"))?;
    json(&WithFall { comparison, hit_rate_fall })
}

/// The KV caches of a run beside those of an oracle, JSON text.
#[pyfunction]
#[pyo3(signature = (scenario, seeds, trace=None))]
pub(crate) fn regret(
    py: Python<'_>,
    scenario: &Bound<'_, Scenario>,
    seeds: u32,
    trace: Option<&Bound<'_, Trace>>,
) -> PyResult<String> {
    let (scenario, trace) = (scenario.get().document.clone(), trace::rows(trace));
    let found = apart(py, move |_| {
        let one = |k| {
            let (seed, scenario) = with_seed(&scenario, k);
            kv_regret(&scenario, trace.clone()).map(|found| (seed, found))
        };
        (0..seeds.max(1)).map(one).collect::<Result<Vec<_>, _>>()
    })?;
    let mut runs = found.map_err(|all| refused(py, &all))?;
    if runs.len() > 1 { json(&KvRegrets::of(runs)) } else { json(&runs.remove(0).1) }
}

/// The search for the highest load at which enough requests meet their objectives.
#[pyclass(frozen, module = "tokenyard._core")]
pub struct Capacity {
    scenario: Document,
    trace: Option<Arc<Rows>>,
    share: f64,
}

/// The search of one seed, for the answer.
#[pyclass(frozen, module = "tokenyard._core")]
pub(crate) struct SeedFound {
    found: SeedCapacity,
}

#[pymethods]
impl Capacity {
    /// A search with objectives such as `ttft_ms=500` in place of the scenario's.
    #[new]
    #[pyo3(signature = (scenario, objectives, share, trace=None))]
    fn new(
        py: Python<'_>,
        scenario: &Bound<'_, Scenario>,
        objectives: Vec<String>,
        share: f64,
        trace: Option<&Bound<'_, Trace>>,
    ) -> PyResult<Self> {
        let mut document = scenario.get().document.clone();
        let read = objectives.iter().map(|text| Objective::parse(text));
        let (mut read_all, mut problems) = (Vec::new(), Vec::new());
        for one in read {
            match one {
                Ok(objective) => read_all.push(objective),
                Err(problem) => problems.push(problem),
            }
        }
        Objective::replace(&read_all, &mut document);
        if problems.is_empty() {
            problems.extend(Answer::refuses(&document));
        }
        if !(share > 0.0 && share <= 1.0) {
            let fix = "0.99 is 99 % of the requests";
            let wrong = Diagnostic::error("share", share.to_string(), "above 0 up to 1", fix);
            problems.push(wrong);
        }
        if problems.is_empty() {
            Ok(Self { scenario: document, trace: trace::rows(trace), share })
        } else {
            Err(refused(py, &problems))
        }
    }

    /// Searches with one seed.
    fn of_seed(&self, py: Python<'_>, seed: u64) -> PyResult<SeedFound> {
        let mut search = CapacitySearch::new(&self.scenario, seed, self.share);
        while let Some(case) = search.case() {
            let run = match case {
                Ok(scenario) => run(py, scenario, self.trace.clone())?,
                Err(problem) => Err(vec![problem]),
            };
            match run {
                Ok((run, _)) => search.saw(&run),
                Err(problems) => search.refused(problems).map_err(|all| refused(py, &all))?,
            }
        }
        Ok(SeedFound { found: search.found() })
    }

    /// The answer from the searches of all seeds, JSON text.
    fn answer(&self, seeds: Vec<Bound<'_, SeedFound>>) -> PyResult<String> {
        let seeds = seeds.iter().map(|seed| seed.get().found.clone()).collect();
        json(&capacity(&self.scenario, self.share, seeds))
    }
}

/// Questions about the run of a scenario.
#[pyclass(frozen, module = "tokenyard._core")]
pub struct Questions {
    scenario: Document,
    trace: Option<Arc<Rows>>,
    asking: Keeper<Asking>,
}

#[pymethods]
impl Questions {
    /// Questions about a scenario.
    #[new]
    #[pyo3(signature = (scenario, trace=None))]
    fn new(
        py: Python<'_>,
        scenario: &Bound<'_, Scenario>,
        trace: Option<&Bound<'_, Trace>>,
    ) -> PyResult<Self> {
        let (scenario, trace) = (scenario.get().document.clone(), trace::rows(trace));
        let begun = (scenario.clone(), trace.clone());
        let asking = Keeper::new(py, move || Asking::new(begun.0, begun.1).map(|(asking, _)| asking))?;
        Ok(Self { scenario, trace, asking: asking.map_err(|all| refused(py, &all))? })
    }

    /// One routing decision and its alternatives; question and answer are JSON text.
    fn what_if(&self, py: Python<'_>, asked: &str) -> PyResult<String> {
        let asked: WhatIfQuery = read(asked)?;
        let found = self.asking.ask(py, move |asking, _| asking.what_if(&asked))?;
        json(&found.map_err(|problem| refused(py, &[problem]))?)
    }

    /// Why slow requests are slow; question and answer are JSON text.
    fn explain(&self, py: Python<'_>, asked: &str) -> PyResult<String> {
        let asked: ExplainQuery = read(asked)?;
        let (scenario, trace) = (self.scenario.clone(), self.trace.clone());
        let found = apart(py, move |_| {
            let (mut explaining, _) = Explaining::new(scenario, trace)?;
            explaining.explain(&asked).map_err(|problem| vec![problem])
        })?;
        json(&found.map_err(|all| refused(py, &all))?)
    }
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|e| PyValueError::new_err(e.to_string()))
}
