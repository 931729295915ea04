//! Golden files: runs each and compares its results with the expected ones, section by section.

mod compare;
mod convert;
mod convert_latency;
mod disaggregation;
mod file;
mod keys;
mod kv;
mod metrics;
mod places;
mod queueing;
mod record;
mod required;
mod routing_policy;
mod sections;
mod wrong;

use base::{Diagnostic, Diagnostics};
use document::{Scenario, data_from_value, value_from_long_json};
use file::GoldenFile;
use queueing::Mode;
use serde_json::{Map, Value};

/// Parts that can be compared alone: the sections of runs, and the kinds of cases and tables of the queueing model.
pub fn sections() -> Vec<&'static str> {
    let roles = disaggregation::SECTIONS.into_iter().filter(|name| !SECTIONS.contains(name));
    SECTIONS.into_iter().chain([kv::SECTION]).chain(roles).chain(queueing::sections()).collect()
}

/// The sections of a run.
const SECTIONS: [&str; 15] = [
    "token_check",
    "per_request",
    "per_instance",
    "rejections",
    "routing",
    "preemption_log",
    "drops",
    "rejected_requests",
    "cluster_clock_us",
    "trace_summary",
    "raw_metrics",
    "fitness_unit_weights",
    "jain_over_tenant_output_tokens",
    "per_slo",
    "summary_json",
];

/// Differences between a golden file and a run of it, one line each; empty if there are none. Only the sections in
/// `only` are compared, or all if it is empty. The error says why the file cannot be run.
pub fn differences(text: &str, only: &[String]) -> Result<Vec<String>, Diagnostics> {
    differences_after(text, only, |scenario| scenario)
}

/// The same for the file's scenario after `change`, such as an equivalent scenario in another form.
pub fn differences_after(
    text: &str,
    only: &[String],
    change: impl Fn(Scenario) -> Scenario,
) -> Result<Vec<String>, Diagnostics> {
    let instead = ["a golden file: a JSON object", "the file may not have been written to its end"];
    let value = value_from_long_json(text, instead)?;
    if let Some(found) = queueing::differences(&value, only) {
        return found;
    }
    let file = read(value)?;
    let scenario = change(convert::scenario(&file)?);
    let recording = record::run(&file, scenario.clone())?;
    let run = sections::Run::new(&file, &scenario, &recording);
    let mut built = if file.has_roles() { disaggregation::build(&run) } else { sections_of_one_pool(&run) };
    kv::add(&run, &mut built);
    let got = chosen(built, only);
    let expected = chosen(file.expected.clone(), only);
    let mut out = Vec::new();
    compare::compare("expected", &Value::Object(expected), &Value::Object(got), &mut out);
    Ok(out)
}

/// All sections of a run without roles.
fn sections_of_one_pool(run: &sections::Run<'_>) -> Map<String, Value> {
    let mut built = sections::build(run);
    metrics::add(run, &mut built);
    built
}

/// The results of a golden file of the queueing model, as JSON; its expected results are ignored.
pub fn queueing_results(text: &str, mode: Mode) -> Result<Value, Diagnostics> {
    let instead =
        ["a golden file of the queueing model: a JSON object", "start with its schema and one case"];
    queueing::results(&value_from_long_json(text, instead)?, mode)
}

fn read(mut value: Value) -> Result<GoldenFile, Diagnostics> {
    let mut problems = required::required(&value);
    if let Some(Value::Object(config)) = value.get_mut("config") {
        config.entry("compat").or_insert_with(|| Value::from("none"));
        config.entry("tp").or_insert_with(|| Value::from(1));
    }
    let schema = value.get("schema").and_then(Value::as_str);
    let own = (schema == Some(kv::SCHEMA)).then_some(kv::SECTION);
    let of_all =
        if schema == Some(disaggregation::SCHEMA) { &disaggregation::SECTIONS[..] } else { &SECTIONS };
    let sections: Vec<&str> = of_all.iter().copied().chain(own).collect();
    for (name, _) in value.get("expected").and_then(Value::as_object).into_iter().flatten() {
        if !sections.contains(&name.as_str()) {
            let fix = "remove it: nothing is compared with it";
            let found = format!("unknown key `{name}`");
            problems.push(Diagnostic::error(format!("expected.{name}"), found, sections.join(", "), fix));
        }
    }
    match data_from_value(&value, "a golden file") {
        Ok(file) if problems.is_empty() => Ok(file),
        Ok(_) => Err(problems),
        Err(misfits) => {
            problems.extend(misfits);
            Err(problems)
        }
    }
}

fn chosen(mut sections: Map<String, Value>, only: &[String]) -> Map<String, Value> {
    if !only.is_empty() {
        sections.retain(|name, _| only.contains(name));
    }
    sections
}
