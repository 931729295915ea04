//! Recorded traces.

use crate::problem::{Problem, json, problems, refused};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use tokenyard::base::diag::has_errors;
use tokenyard::scenario::limits;
use tokenyard::session::{Trace as Rows, TraceColumns, TraceReader};

/// The rows of a trace.
#[pyclass(frozen, module = "tokenyard._core")]
pub struct Trace {
    pub(crate) rows: Arc<Rows>,
    summary: String,
    warnings: Vec<Problem>,
}

#[pymethods]
impl Trace {
    /// The digest of its rows.
    #[getter]
    fn digest(&self) -> String {
        self.rows.digest().hex()
    }

    /// What is said of it, as JSON text.
    #[getter]
    fn summary(&self) -> &str {
        &self.summary
    }

    /// What was noted while it was read.
    #[getter]
    fn warnings(&self) -> Vec<Problem> {
        self.warnings.clone()
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }
}

/// A file of a trace, read piece by piece.
#[pyclass(module = "tokenyard._core")]
pub struct TraceFile {
    reader: Option<TraceReader>,
}

#[pymethods]
impl TraceFile {
    /// A reader for a file of this name, whose columns may be named.
    #[new]
    #[pyo3(signature = (name, columns=None))]
    fn new(py: Python<'_>, name: &str, columns: Option<&str>) -> PyResult<Self> {
        let mut reader = TraceReader::new(name, limits::TRACE_BYTES_CLI);
        if let Some(columns) = columns {
            let columns = TraceColumns::parse(columns).map_err(|all| refused(py, &all))?;
            reader = reader.with_columns(columns);
        }
        Ok(Self { reader: Some(reader) })
    }

    /// Takes the next piece; returns whether more are of use.
    fn push(&mut self, py: Python<'_>, piece: &[u8]) -> bool {
        let Some(reader) = &mut self.reader else { return false };
        py.detach(|| reader.push(piece));
        !reader.has_failed()
    }

    /// Ends the file.
    fn finish(&mut self, py: Python<'_>) -> PyResult<Trace> {
        let Some(reader) = self.reader.take() else {
            return Err(PyValueError::new_err("the file has ended"));
        };
        let reading = py.detach(|| reader.finish_reading());
        match reading.trace {
            Some(rows) if !has_errors(&reading.diagnostics) => {
                Ok(Trace { rows, summary: json(&reading.summary)?, warnings: problems(&reading.diagnostics) })
            }
            _ => Err(refused(py, &reading.diagnostics)),
        }
    }
}

/// The rows of a trace that may be there.
pub(crate) fn rows(trace: Option<&Bound<'_, Trace>>) -> Option<Arc<Rows>> {
    trace.map(|trace| Arc::clone(&trace.get().rows))
}
