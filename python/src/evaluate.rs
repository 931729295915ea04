//! Evaluations of policies on suites.

use crate::keeper::apart;
use crate::problem::refused;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use tokenyard::cli::{SUITES, open_suite};
use tokenyard::study::evaluate::{Options, Split, Suite as Cases, evaluate};

/// A suite that was opened. It keeps the runs of its baseline.
#[pyclass(frozen, module = "tokenyard._core")]
pub struct Suite {
    cases: Arc<Cases>,
}

#[pymethods]
impl Suite {
    /// Opens a suite: a file, or one that comes along by its name.
    #[staticmethod]
    fn open(py: Python<'_>, name: String) -> PyResult<Self> {
        let opened = py.detach(|| open_suite(&name).map(|file| file.suite));
        opened.map(|cases| Self { cases: Arc::new(cases) }).map_err(|all| refused(py, &all))
    }

    /// Its digest, with its scenarios and traces.
    #[getter]
    fn digest(&self) -> &str {
        &self.cases.digest
    }

    /// The names of its cases with their splits.
    fn cases(&self) -> Vec<(String, &'static str)> {
        self.cases.cases.iter().map(|case| (case.id.clone(), case.split.name())).collect()
    }

    /// Its number of stages.
    fn stages(&self) -> usize {
        self.cases.stages.len()
    }

    /// Evaluates a candidate, JSON text.
    fn evaluate(
        &self,
        py: Python<'_>,
        candidate: String,
        split: &str,
        stage: Option<u32>,
        cases: Vec<String>,
        text_bytes: usize,
    ) -> PyResult<String> {
        let split = Split::ALL
            .into_iter()
            .find(|s| s.name() == split)
            .ok_or_else(|| PyValueError::new_err(format!("split: {split}; allowed: train, val, test")))?;
        let options = Options { split, stage, cases, text_bytes };
        let of = Arc::clone(&self.cases);
        let found = apart(py, move |_| evaluate(&candidate, &of, &options))?;
        found.map(|found| found.json()).map_err(|all| refused(py, &all))
    }
}

/// The names of the suites that come along.
#[pyfunction]
pub(crate) fn suites() -> Vec<&'static str> {
    SUITES.iter().map(|(name, _)| *name).collect()
}
