//! Problems of input as exceptions of Python.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde::Serialize;
use tokenyard::base::{Diagnostic, Severity};

/// A problem as it crosses: severity, path, found, allowed, fix.
pub(crate) type Problem = (&'static str, String, String, String, String);

fn crossed(d: &Diagnostic) -> Problem {
    let severity = match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    (severity, d.path.clone(), d.found.clone(), d.allowed.clone(), d.fix.clone())
}

/// Problems as they cross.
pub(crate) fn problems(all: &[Diagnostic]) -> Vec<Problem> {
    all.iter().map(crossed).collect()
}

/// The exception `ScenarioError` with all problems.
pub(crate) fn refused(py: Python<'_>, all: &[Diagnostic]) -> PyErr {
    let made = PyModule::import(py, "tokenyard.problems")
        .and_then(|module| module.getattr("ScenarioError"))
        .and_then(|class| class.call_method1("of", (problems(all),)));
    made.map_or_else(|failed| failed, PyErr::from_value)
}

/// A document as JSON text.
pub(crate) fn json(of: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(of).map_err(|e| PyRuntimeError::new_err(e.to_string()))
}
