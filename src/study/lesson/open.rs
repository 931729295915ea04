//! Where a step opens: its scenario, its instant and its view.

use super::{Lesson, LessonScenario};
use crate::sweep::traffic::{TRAFFIC, scale_traffic};
use base::alike::nearest;
use base::{Diagnostic, Diagnostics, json};
use document::link::{View, read_settings};
use document::preset::{DEFAULT_PRESET, PRESETS, Preset};
use document::{Scenario, check, from_value, set_field, to_json};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What the page shows at a step.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OpenedStep {
    /// The scenario as JSON text; null to stay where the page is.
    pub scenario: Option<String>,
    /// The view.
    pub view: View,
}

impl Lesson {
    /// Where a step opens.
    pub fn open_step(&self, step: usize) -> Result<OpenedStep, Diagnostics> {
        let text = self.steps[step].open.trim();
        if text.is_empty() {
            return Ok(OpenedStep::default());
        }
        let at = format!("steps[{step}].open");
        let placed =
            |problems: Diagnostics| -> Diagnostics { problems.into_iter().map(|d| below(&at, d)).collect() };
        let (name, rest) = text.split_once(';').unwrap_or((text, ""));
        let mut document = self.document(name.trim(), &at)?;
        let mut view = View::default();
        let problems = read_settings(rest, &mut document, &mut view);
        if !problems.is_empty() {
            return Err(placed(problems));
        }
        let scenario = from_value(document).map_err(placed)?;
        check(scenario.clone()).map_err(placed)?;
        Ok(OpenedStep { scenario: Some(to_json(&scenario)), view })
    }

    /// The document of a scenario: one of the lesson's, or a preset.
    pub(super) fn document(&self, name: &str, at: &str) -> Result<Value, Diagnostics> {
        if let Some(own) = self.scenarios.get(name) {
            return own_document(own, &format!("scenarios.{name}"));
        }
        if name == DEFAULT_PRESET {
            return Ok(json::tree(&Scenario::default()));
        }
        Preset::named(name).map(|preset| json::tree(&preset.scenario())).ok_or_else(|| {
            let known = self.scenarios.keys().cloned().chain(PRESETS.iter().map(|p| p.name.to_owned()));
            let known: Vec<String> = known.collect();
            let fix = nearest(name, &known).map_or_else(
                || "add it under scenarios".to_owned(),
                |near| format!("did you mean `{near}`? Or add it under scenarios"),
            );
            vec![Diagnostic::error(at, format!("no scenario \"{name}\""), known.join(", "), fix)]
        })
    }

    /// The scenario of a run of the lesson, one of its scenarios, or a preset.
    pub fn scenario_named(&self, name: &str) -> Result<Scenario, Diagnostics> {
        if self.runs.contains_key(name) {
            return self.scenario_of_run(name);
        }
        from_value(self.document(name, "scenarios")?)
    }

    /// The scenario of a run, without its seed's number.
    pub(super) fn scenario_of_run(&self, name: &str) -> Result<Scenario, Diagnostics> {
        let run = &self.runs[name];
        let at = format!("runs.{name}");
        let document = self.document(&run.scenario, &format!("{at}.scenario"))?;
        with_settings(document, &run.set, &at)
    }
}

/// A document with values of fields, as a scenario.
pub(super) fn with_settings(
    mut document: Value,
    set: &BTreeMap<String, Value>,
    at: &str,
) -> Result<Scenario, Diagnostics> {
    let mut traffic = None;
    for (path, value) in set {
        if path == TRAFFIC {
            let factor = value.as_f64().filter(|x| *x > 0.0 && *x <= document::limits::RATE_FACTOR);
            traffic = Some(factor.ok_or_else(|| {
                let allowed = "a factor above 0";
                vec![Diagnostic::error(
                    format!("{at}.set.traffic"),
                    value.to_string(),
                    allowed,
                    "1 leaves the rates",
                )]
            })?);
            continue;
        }
        set_field(&mut document, path, &value.to_string()).map_err(|all| {
            all.into_iter().map(|d| below(&format!("{at}.set"), d)).collect::<Diagnostics>()
        })?;
    }
    let placed = |all: Diagnostics| -> Diagnostics { all.into_iter().map(|d| below(at, d)).collect() };
    let mut scenario = from_value(document).map_err(placed)?;
    if let Some(factor) = traffic {
        scale_traffic(&mut scenario, factor).map_err(|d| vec![below(at, d)])?;
    }
    check(scenario.clone()).map_err(placed)?;
    if scenario.workload.trace.is_some() {
        let fix = "describe the traffic by clients, or list the requests in the document";
        let path = format!("{at}: workload.trace");
        return Err(vec![Diagnostic::error(path, "a trace", "a scenario that needs no other file", fix)]);
    }
    Ok(scenario)
}

fn own_document(own: &LessonScenario, at: &str) -> Result<Value, Diagnostics> {
    let document = match (&own.document, own.preset.as_str()) {
        (Some(_), name) if !name.is_empty() => {
            let fix = "remove one of the two";
            let found = "both a preset and a document";
            return Err(vec![Diagnostic::error(at, found, "a preset or a document", fix)]);
        }
        (Some(document), _) => document.clone(),
        (None, "" | DEFAULT_PRESET) => json::tree(&Scenario::default()),
        (None, name) => {
            let Some(preset) = Preset::named(name) else {
                let names: Vec<String> = PRESETS.iter().map(|p| p.name.to_owned()).collect();
                let fix = nearest(name, &names)
                    .map_or_else(|| "use one of these".to_owned(), |near| format!("did you mean `{near}`?"));
                let path = format!("{at}.preset");
                return Err(vec![Diagnostic::error(path, format!("\"{name}\""), names.join(", "), fix)]);
            };
            json::tree(&preset.scenario())
        }
    };
    with_settings(document, &own.set, at).map(|scenario| json::tree(&scenario))
}

/// A problem below a path.
pub(super) fn below(at: &str, problem: Diagnostic) -> Diagnostic {
    let path = if problem.path.is_empty() { at.to_owned() } else { format!("{at}: {}", problem.path) };
    Diagnostic { path, ..problem }
}
