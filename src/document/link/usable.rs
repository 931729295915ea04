//! The usable part of a scenario from a link: what is invalid gets the value of the scenario that the link differs from.

use super::canonical::canonical;
use crate::parse::from_value_in_part;
use crate::{At, Problems, Read, Scenario, limits, set_path};
use base::diag::has_errors;
use base::{Diagnostic, Diagnostics, Severity, json};
use serde_json::Value;

/// Most rounds in which an invalid scenario is repaired.
const ROUNDS: usize = 20;

/// Finds the errors of a readable scenario: values that its fields may not have.
pub type Errors<'a> = &'a dyn Fn(&Scenario) -> Diagnostics;

/// The document as a valid scenario. Values of the wrong shape are left out, invalid values get the preset's value.
pub(super) fn usable(
    document: Value,
    base: &Value,
    problems: &mut Diagnostics,
    errors: Errors<'_>,
) -> Scenario {
    let (read, mut wrong) = from_value_in_part(document);
    problems.append(&mut wrong);
    let base_scenario =
        || Scenario::read(base, &At::ROOT, &mut Problems::of("a scenario")).unwrap_or_default();
    let Some(mut scenario) = read else { return base_scenario() };
    if scenario.run.max_requests > limits::REQUESTS_FROM_LINK {
        problems.push(Diagnostic::error(
            "run.max_requests",
            scenario.run.max_requests.to_string(),
            format!("at most {} from a link", limits::REQUESTS_FROM_LINK),
            "save the scenario as a file to run more",
        ));
        scenario.run.max_requests = limits::REQUESTS_FROM_LINK;
    }
    for _ in 0..ROUNDS {
        let found = errors(&scenario);
        if !has_errors(&found) {
            return scenario;
        }
        let mut tree = canonical(&scenario);
        // In reverse, so that edits that are left out do not move those before them.
        for problem in found.iter().rev().filter(|problem| problem.severity == Severity::Error) {
            take_back(&mut tree, base, &problem.path);
        }
        let told = found.into_iter().filter(|d| d.severity == Severity::Error && !problems.contains(d));
        problems.extend(told.collect::<Vec<_>>());
        let (Some(mended), _) = from_value_in_part(tree) else { break };
        if mended == scenario {
            break;
        }
        scenario = mended;
    }
    base_scenario()
}

/// Gives the field at `path` the value it has in `base`. An edit is left out.
fn take_back(tree: &mut Value, base: &Value, path: &str) {
    let edit = path.strip_prefix("edits[").and_then(|rest| rest.split(']').next()?.parse::<usize>().ok());
    if let (Some(i), Some(edits)) = (edit, tree.get_mut("edits").and_then(Value::as_array_mut)) {
        if i < edits.len() {
            edits.remove(i);
        }
        return;
    }
    let place = path.replace(['[', '.'], "/").replace(']', "");
    let mut pointer = format!("/{}", place.trim_start_matches('/'));
    loop {
        if let Some(value) = base.pointer(&pointer) {
            if let Some(field) = tree.pointer_mut(&pointer) {
                *field = value.clone();
            } else {
                let _ = set_path(tree, path, &json::compact(value));
            }
            return;
        }
        // A value that the preset does not have is reset together with its parent.
        match pointer.rfind('/') {
            Some(0) | None => return,
            Some(end) => pointer.truncate(end),
        }
    }
}
