//! Import of `Job` objects whose containers run a benchmark tool: `GuideLLM`, by its flags and variables. The configuration of
//! inference-perf stands in a file of its own, such as an entry of a `ConfigMap`.

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Reader, Report, Settings};
use crate::kubernetes::object::ObjectKind;
use crate::kubernetes::pods::{rest, words};
use crate::vllm::command::shape;
use crate::workloads::guidellm_command::{is_program, of_pairs, of_variables, of_words};
use base::Diagnostic;
use serde_json::Value;

/// An object of this kind.
pub(crate) const JOB: ObjectKind = ObjectKind { kind: "Job", read };

const PODS: &str = "spec.template.spec";

fn read(source: &Value, report: &mut Report) -> Settings {
    let mut r = Reader::new(source);
    let all = format!("{PODS}.containers");
    let mut runs = false;
    for i in 0..r.entries(&all) {
        runs |= container(&mut r, &format!("{all}.{i}"));
    }
    if !runs {
        let found = "no container that runs a benchmark tool that is read";
        let allowed = "a container that runs `guidellm benchmark` or inference-perf";
        let fix = "give the configuration that the job reads, such as its ConfigMap";
        r.problems.push(Diagnostic::warning("kind", found, allowed, fix));
    }
    r.shape("metadata", "names and labels of the object");
    r.without_counterpart_of_rest("spec", "it says where the tool runs, not what it sends");
    rest(&mut r, &["apiVersion", "kind", "status", "spec"]);
    r.finish(Unknown::LeftOut, report);
    Settings::default()
}

/// Reads a container; returns whether it runs a tool that is known.
fn container(r: &mut Reader<'_>, path: &str) -> bool {
    let all = words(r, path);
    let image = r.get(&format!("{path}.image")).and_then(Value::as_str).unwrap_or_default().to_owned();
    if let Some(first) = all.iter().position(|word| is_program(&word.text)) {
        let end = all[first..].iter().position(|word| matches!(word.text.as_str(), ";" | "&&" | "|" | ">"));
        let own = &all[first..end.map_or(all.len(), |n| first + n)];
        let others = all.iter().filter(|word| !own.contains(word));
        shape(r, others, "what the shell does around the tool");
        of_words(r, own);
        return true;
    }
    let variables = of_variables(r, &format!("{path}.env"));
    if image.contains("guidellm") && !variables.is_empty() {
        of_pairs(r, &variables);
        return true;
    }
    if image.contains("guidellm") && all.iter().any(|word| word.text.starts_with("--")) {
        // The image runs the tool, and the container has its words alone.
        of_words(r, &all);
        return true;
    }
    if image.contains("inference-perf") || all.iter().any(|word| word.text.contains("inference-perf")) {
        let why = "the configuration stands in a file: give its ConfigMap beside the job";
        r.without_counterpart(&format!("{path}.args"), why);
        r.without_counterpart(&format!("{path}.command"), why);
        return true;
    }
    false
}
