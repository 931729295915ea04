//! Scenarios as values.

use crate::problem::{Problem, json, problems, refused};
use crate::trace::{self, Trace};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;
use tokenyard::base::digest::Digest;
use tokenyard::base::yaml_text::yaml_text;
use tokenyard::base::{Diagnostic, Diagnostics};
use tokenyard::config::import::configuration as import;
use tokenyard::config::import::documents::{Text, yaml};
use tokenyard::scenario::link::{Link, make};
use tokenyard::scenario::preset::{PRESETS, Preset};
use tokenyard::scenario::{
    Scenario as Document, Write, from_value, in_order, limits, set_field, text_from_bytes, to_json,
    value_from_json,
};
use tokenyard::session::{Audience, Session, trace_mark};

/// A scenario that can be read. It never changes.
#[pyclass(frozen, module = "tokenyard._core")]
pub struct Scenario {
    pub(crate) document: Document,
}

/// The tree of a document's text, in JSON or YAML.
pub(crate) fn tree(text: &str) -> Result<Value, Diagnostics> {
    let text = text_from_bytes(text.as_bytes()).map_err(|d| vec![d])?;
    let body = text.trim_start_matches('\u{feff}').trim_start();
    if body.starts_with(['{', '[']) {
        return value_from_json(text);
    }
    match yaml::value(text)? {
        Value::Null => {
            let fix = "start with {} for all defaults";
            Err(vec![Diagnostic::error("", "an empty text", "a scenario as JSON or YAML", fix)])
        }
        value => Ok(value),
    }
}

#[pymethods]
impl Scenario {
    /// The scenario of a text, in JSON or YAML.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str) -> PyResult<Self> {
        let read = tree(text).and_then(from_value);
        read.map(|document| Self { document }).map_err(|all| refused(py, &all))
    }

    /// The built-in scenario of a name.
    #[staticmethod]
    fn preset(name: &str) -> PyResult<Self> {
        let found = Preset::named(name).map(|preset| Self { document: preset.scenario() });
        found.ok_or_else(|| {
            PyValueError::new_err(format!(
                "{name}: no such built-in scenario; allowed: {}",
                presets().join(", ")
            ))
        })
    }

    /// The scenario of a link.
    #[staticmethod]
    fn from_link(py: Python<'_>, link: &str) -> PyResult<Self> {
        let opened = Session::open_link(link, Audience::Batch);
        if opened.problems.is_empty() {
            Ok(Self { document: opened.link.scenario })
        } else {
            Err(refused(py, &opened.problems))
        }
    }

    /// The same with the field at a path set to a value, JSON text.
    fn set(&self, py: Python<'_>, path: &str, value: &str) -> PyResult<Self> {
        let mut tree = value_from_json(&to_json(&self.document)).map_err(|all| refused(py, &all))?;
        let changed = set_field(&mut tree, path, value).and_then(|()| from_value(tree));
        changed.map(|document| Self { document }).map_err(|all| refused(py, &all))
    }

    /// All problems of its meaning; none of them for one that can run.
    fn check(&self) -> Vec<Problem> {
        problems(&Session::check(&to_json(&self.document)))
    }

    /// The digest that reports have as `scenario_digest`.
    #[getter]
    fn digest(&self) -> String {
        Digest::of(to_json(&in_order(self.document.clone())).as_bytes()).hex()
    }

    /// Its seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.document.seed
    }

    /// The file of the trace that it replays and does not carry.
    #[getter]
    fn trace_file(&self) -> Option<&str> {
        let settings = self.document.workload.trace.as_ref().filter(|settings| settings.rows.is_empty())?;
        Some(&settings.file)
    }

    /// The same with another seed.
    fn with_seed(&self, seed: u64) -> Self {
        Self { document: Document { seed, ..self.document.clone() } }
    }

    /// Its link.
    #[pyo3(signature = (trace=None))]
    fn to_link(&self, py: Python<'_>, trace: Option<&Bound<'_, Trace>>) -> PyResult<String> {
        let scenario = self.document.clone();
        let trace = trace::rows(trace).map(|trace| trace_mark(&scenario, &trace));
        let made = make(&Link { scenario, trace, ..Link::default() });
        made.map(|made| made.link).ok_or_else(|| {
            let found = format!("a link of more than {} characters", limits::LINK_CHARS);
            let allowed = format!("at most {}", limits::LINK_CHARS);
            refused(py, &[Diagnostic::error("", found, allowed, "pass the scenario on as a file")])
        })
    }

    /// The scenario as JSON text.
    fn to_json(&self) -> String {
        to_json(&self.document)
    }

    /// The scenario as YAML text.
    fn to_yaml(&self) -> String {
        yaml_text(&self.document.write())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().document == self.document)
    }
}

/// Names of the built-in scenarios.
#[pyfunction]
pub(crate) fn presets() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

/// What becomes of texts of other programs, each with the name of its file, in a scenario, JSON text: JSON text.
#[pyfunction]
pub(crate) fn imported(
    texts: Vec<(String, String)>,
    into: &str,
    settle: Vec<(String, u32)>,
) -> PyResult<String> {
    let texts: Vec<Text> = texts.into_iter().map(|(name, text)| Text { name, text }).collect();
    let settled: Vec<import::Settled> =
        settle.into_iter().map(|(field, choice)| import::Settled { field, choice }).collect();
    json(&import::imported(&texts, into, &settled, &import::TrafficAsked::default()))
}
