//! A run under way: it is advanced, edited and looked at.

use crate::columns;
use crate::keeper::Keeper;
use crate::problem::{Problem, json, problems, refused};
use crate::run::{advance, arrays, link, query, start};
use crate::scenario::Scenario;
use crate::table;
use crate::trace::{self, Trace};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering};
use tokenyard::base::diag::has_errors;
use tokenyard::base::{Micros, ReplicaId, RequestId};
use tokenyard::engine::Replica;
use tokenyard::session::view::FrameQuery;
use tokenyard::session::{Audience, Session as Running, StepKind, Stop};

/// A run under way.
#[pyclass(frozen, module = "tokenyard._core")]
pub struct Session {
    running: Keeper<Running>,
    ended: AtomicBool,
    warnings: Vec<Problem>,
    /// Whether a request was sent somewhere without an edit: the run is then not the one of its scenario.
    steered: AtomicBool,
}

/// A replica for a router: number, pool, takes requests, waiting, running, in flight, KV blocks used, KV blocks in all.
type Sight = (u32, u32, bool, u32, u32, u32, u32, u32);

/// A request for a router: arrival in microseconds, prompt tokens, names of client, tenant and class.
type Asked = (u64, u32, String, String, String);

#[pymethods]
impl Session {
    /// Starts the run of a scenario.
    #[new]
    #[pyo3(signature = (scenario, trace=None))]
    fn new(
        py: Python<'_>,
        scenario: &Bound<'_, Scenario>,
        trace: Option<&Bound<'_, Trace>>,
    ) -> PyResult<Self> {
        let trace = trace::rows(trace);
        let (running, warnings) = start(py, &scenario.get().document, trace, Audience::Live)?;
        Ok(Self { running, ended: AtomicBool::new(false), warnings, steered: AtomicBool::new(false) })
    }

    /// Runs up to an instant in microseconds, or to the end; returns whether it has ended.
    #[pyo3(signature = (until_us=None))]
    fn advance(&self, py: Python<'_>, until_us: Option<u64>) -> PyResult<bool> {
        let until = until_us.map_or(Micros::MAX, Micros);
        let stop = self.running.ask(py, move |running, wanted| advance(running, until, wanted))?;
        Ok(self.came_to(stop))
    }

    /// Runs until something of a kind has happened; returns whether the run ended before.
    fn step(&self, py: Python<'_>, kind: &str) -> PyResult<bool> {
        let kind: StepKind =
            serde_json::from_value(kind.into()).map_err(|e| PyValueError::new_err(e.to_string()))?;
        let stop = self.running.ask(py, move |running, wanted| {
            let single = running.begin_step(kind);
            loop {
                let stop = running.advance_step(&single, 10_000);
                if stop != Stop::Events || wanted.is_over() {
                    return stop;
                }
            }
        })?;
        Ok(self.came_to(stop))
    }

    /// Applies an edit, JSON text, at the instant shown.
    fn apply(&self, py: Python<'_>, edit: String) -> PyResult<Vec<Problem>> {
        let found = self.running.ask(py, move |running, _| running.apply_text(&edit))?;
        if has_errors(&found) { Err(refused(py, &found)) } else { Ok(problems(&found)) }
    }

    /// The instant shown, in microseconds.
    #[getter]
    fn now_us(&self, py: Python<'_>) -> PyResult<u64> {
        self.running.ask(py, |running, _| running.now().0)
    }

    /// Whether the run has ended.
    #[getter]
    fn ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Whether a request was sent somewhere without an edit.
    #[getter]
    fn steered(&self) -> bool {
        self.steered.load(Ordering::Relaxed)
    }

    /// Events run so far.
    #[getter]
    fn events(&self, py: Python<'_>) -> PyResult<u64> {
        self.running.ask(py, |running, _| running.events())
    }

    /// What was noted when it started.
    #[getter]
    fn warnings(&self) -> Vec<Problem> {
        self.warnings.clone()
    }

    /// The report so far as JSON text.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        self.running.ask(py, |running, _| running.assessed())
    }

    /// The digest of the results so far.
    #[getter]
    fn digest(&self, py: Python<'_>) -> PyResult<String> {
        self.running.ask(py, |running, _| running.digest())
    }

    /// The scenario with all edits that were made.
    fn scenario(&self, py: Python<'_>) -> PyResult<Scenario> {
        Ok(Scenario { document: self.running.ask(py, |running, _| running.scenario())? })
    }

    /// The link of the run with all its edits; nothing if it would be too long, or if the run is not that of its scenario.
    fn to_link(&self, py: Python<'_>) -> PyResult<Option<String>> {
        if self.steered() { Ok(None) } else { self.running.ask(py, |running, _| link(running)) }
    }

    /// The rows of a table so far as columns.
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let table = table::named(name)?;
        if table::on_the_way(table) {
            let found = format!("{name}: a session keeps none of it; Run.table has it");
            return Err(PyValueError::new_err(found));
        }
        let columns = self.running.ask(py, move |running, wanted| table::of_kept(running, table, wanted))?;
        columns::arrays(py, columns.map_err(table::failed)?)
    }

    /// The columns of a view.
    #[pyo3(signature = (name, window_s=0.0))]
    fn view<'py>(&self, py: Python<'py>, name: &str, window_s: f64) -> PyResult<Bound<'py, PyDict>> {
        let asked = query(name, window_s)?;
        arrays(py, self.running.ask(py, move |running, _| running.columns(&asked))?)
    }

    /// What a page would show at the instant, JSON text.
    fn frame(&self, py: Python<'_>) -> PyResult<String> {
        json(&self.running.ask(py, |running, _| running.frame(&FrameQuery::default()))?)
    }

    /// Requests that have arrived.
    fn arrived(&self, py: Python<'_>) -> PyResult<usize> {
        self.running.ask(py, |running, _| running.engine().records().len())
    }

    /// What a router may know of a request, and the replicas as they are now.
    fn sight(&self, py: Python<'_>, request: usize) -> PyResult<(Asked, Vec<Sight>)> {
        let seen =
            self.running.ask(py, move |running, _| Some((asked(running, request)?, sights(running))))?;
        seen.ok_or_else(|| PyValueError::new_err(format!("request {request} has not arrived")))
    }

    /// Sends a request that is not routed yet to a replica, in place of the router's choice and without an edit.
    fn send(&self, py: Python<'_>, request: u32, replica: u32) -> PyResult<()> {
        let sent = self.running.ask(py, move |running, _| {
            let replicas = running.engine().replicas().len();
            if replica as usize >= replicas {
                return Err(format!("replica {replica}; allowed: below {replicas}"));
            }
            running.send(RequestId(request), ReplicaId(replica));
            Ok(())
        })?;
        sent.map_err(PyValueError::new_err)?;
        self.steered.store(true, Ordering::Relaxed);
        Ok(())
    }
}

impl Session {
    fn came_to(&self, stop: Stop) -> bool {
        let ended = stop == Stop::Finished;
        self.ended.store(ended, Ordering::Relaxed);
        ended
    }
}

fn asked(running: &Running, number: usize) -> Option<Asked> {
    let record = running.engine().records().get(number)?;
    let source = running.engine().source();
    let named = |names: &[String], number: u32| names.get(number as usize).cloned().unwrap_or_default();
    let (client, tenant) = (named(source.clients(), record.client), named(source.tenants(), record.tenant));
    Some((record.arrival.0, record.prompt_tokens, client, tenant, named(source.classes(), record.class)))
}

fn sights(running: &Running) -> Vec<Sight> {
    let engine = running.engine();
    let sight = |r: &Replica| -> Sight {
        let in_flight = engine.in_flight().get(r.id().index()).copied().unwrap_or(0);
        let (used, all) = (r.kv().used(), r.kv().total());
        (r.id().0, r.pool(), r.serving(), r.waiting(), r.running(), in_flight, used, all)
    };
    engine.replicas().iter().map(sight).collect()
}
