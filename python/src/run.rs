//! A run that is over.

use crate::columns;
use crate::keeper::{Keeper, Wanted, apart};
use crate::problem::{Problem, problems, refused};
use crate::scenario::Scenario;
use crate::table;
use crate::trace::{self, Trace};
use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use tokenyard::base::{Diagnostics, Micros};
use tokenyard::export::{MOST_CANDIDATES, page};
use tokenyard::scenario::Scenario as Document;
use tokenyard::scenario::link::{Link, make};
use tokenyard::session::view::{Columns, ColumnsQuery, View};
use tokenyard::session::{Audience, Session, Stop, Trace as Rows, trace_mark};

/// Events between two looks whether a run is still wanted: some milliseconds.
const EVENTS: u64 = 50_000;

/// A run that is over, with its report.
#[pyclass(frozen, module = "tokenyard._core")]
pub struct Run {
    document: Document,
    trace: Option<Arc<Rows>>,
    session: Keeper<Session>,
    report: String,
    digest: String,
    warnings: Vec<Problem>,
}

/// Starts a run in a thread of its own, with warnings.
pub(crate) fn start(
    py: Python<'_>,
    document: &Document,
    trace: Option<Arc<Rows>>,
    audience: Audience,
) -> PyResult<(Keeper<Session>, Vec<Problem>)> {
    let document = document.clone();
    let (tell, told) = std::sync::mpsc::channel();
    let made = Keeper::new(py, move || {
        let (session, warnings) = Session::start(document, trace, audience)?;
        let _ = tell.send(warnings);
        Ok::<Session, Diagnostics>(session)
    })?;
    let session = made.map_err(|all| refused(py, &all))?;
    Ok((session, problems(&told.try_recv().unwrap_or_default())))
}

/// Runs on up to an instant, as long as that is wanted.
pub(crate) fn advance(session: &mut Session, until: Micros, wanted: &Wanted) -> Stop {
    loop {
        let stop = session.advance(until, EVENTS);
        if stop != Stop::Events || wanted.is_over() {
            return stop;
        }
    }
}

#[pymethods]
impl Run {
    /// Runs a scenario to its end.
    #[new]
    #[pyo3(signature = (scenario, trace=None))]
    fn new(
        py: Python<'_>,
        scenario: &Bound<'_, Scenario>,
        trace: Option<&Bound<'_, Trace>>,
    ) -> PyResult<Self> {
        let (document, trace) = (scenario.get().document.clone(), trace::rows(trace));
        let (session, warnings) = start(py, &document, trace.clone(), Audience::Batch)?;
        let (report, digest) = session.ask(py, |session, wanted| {
            advance(session, Micros::MAX, wanted);
            (session.assessed(), session.digest())
        })?;
        Ok(Self { document, trace, session, report, digest, warnings })
    }

    /// The report as JSON text, with the verdict on its load and the evidence for its latencies.
    #[getter]
    fn report(&self) -> &str {
        &self.report
    }

    /// The digest of its results.
    #[getter]
    fn digest(&self) -> &str {
        &self.digest
    }

    /// What was noted when it started.
    #[getter]
    fn warnings(&self) -> Vec<Problem> {
        self.warnings.clone()
    }

    /// The link of what ran, with all its edits; nothing if it would be too long for a link.
    fn to_link(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.session.ask(py, |session, _| link(session))
    }

    /// The run as one page of HTML.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        self.session.ask(py, |session, _| page(session, link(session).as_deref()))
    }

    /// The rows of a table as columns.
    #[pyo3(signature = (name, candidates=64))]
    fn table<'py>(&self, py: Python<'py>, name: &str, candidates: u32) -> PyResult<Bound<'py, PyDict>> {
        let table = table::named(name)?;
        if candidates > MOST_CANDIDATES {
            let found = format!("candidates: {candidates}; allowed: up to {MOST_CANDIDATES}");
            return Err(PyValueError::new_err(found));
        }
        let columns = if table::on_the_way(table) {
            let (document, trace) = (self.document.clone(), self.trace.clone());
            apart(py, move |wanted| {
                let (session, _) = Session::start(document, trace, Audience::Batch)
                    .map_err(|_| "the run does not start again".to_owned())?;
                table::of_run(session, table, candidates, wanted)
            })?
        } else {
            self.session.ask(py, move |session, wanted| table::of_kept(session, table, wanted))?
        };
        columns::arrays(py, columns.map_err(table::failed)?)
    }

    /// The columns of a view: what a chart of the page shows.
    #[pyo3(signature = (name, window_s=0.0))]
    fn view<'py>(&self, py: Python<'py>, name: &str, window_s: f64) -> PyResult<Bound<'py, PyDict>> {
        let asked = query(name, window_s)?;
        arrays(py, self.session.ask(py, move |session, _| session.columns(&asked))?)
    }
}

/// The link of a run's scenario with all its edits.
pub(crate) fn link(session: &Session) -> Option<String> {
    let scenario = session.scenario();
    let trace = session.trace().map(|trace| trace_mark(&scenario, trace));
    make(&Link { scenario, trace, ..Link::default() }).map(|made| made.link)
}

/// The query of a view by its name.
pub(crate) fn query(name: &str, window_s: f64) -> PyResult<ColumnsQuery> {
    let view: View = serde_json::from_value(name.into()).map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok(ColumnsQuery { view, from_us: 0, to_us: 0, window_s })
}

/// Columns as arrays by name.
pub(crate) fn arrays(py: Python<'_>, found: Columns) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, column) in found.names.into_iter().zip(found.columns) {
        dict.set_item(name, column.into_pyarray(py))?;
    }
    Ok(dict)
}
