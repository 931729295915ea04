//! Golden files: runs each and compares what comes out with what must come out, section by section.

mod compare;
mod convert;
mod convert_latency;
mod file;
mod metrics;
mod record;
mod sections;

use file::GoldenFile;
use serde_json::{Map, Value};

/// The sections that can be compared.
pub const SECTIONS: [&str; 15] = [
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
/// `only` are compared, or all if it is empty.
pub fn differences(text: &str, only: &[String]) -> Vec<String> {
    let file: GoldenFile = match serde_json::from_str(text) {
        Ok(file) => file,
        Err(e) => return vec![format!("not a golden file: {e}")],
    };
    let scenario = match convert::scenario(&file) {
        Ok(scenario) => scenario,
        Err(missing) => return vec![format!("not supported yet: {}", missing.join(", "))],
    };
    let recording = match record::run(&file, scenario.clone()) {
        Ok(recording) => recording,
        Err(problems) => return problems.iter().map(ToString::to_string).collect(),
    };
    let run = sections::Run { file: &file, scenario: &scenario, recording: &recording };
    let got = chosen(sections::build(&run), only);
    let expected = chosen(file.expected.clone(), only);
    let mut out = Vec::new();
    compare::compare("expected", &Value::Object(expected), &Value::Object(got), &mut out);
    out
}

fn chosen(mut sections: Map<String, Value>, only: &[String]) -> Map<String, Value> {
    if !only.is_empty() {
        sections.retain(|name, _| only.contains(name));
    }
    sections
}
