//! Import of the horizontal autoscaler of Kubernetes (`HorizontalPodAutoscaler`).

use crate::autoscalers::behavior as rules;
use crate::autoscalers::hpa::map;
use crate::autoscalers::keys;
use crate::autoscalers::measured::{NOT_MEASURED, by_analyser, is_gauge, measured, others_decide};
use crate::import::configuration::Reader;
use crate::import::configuration::patch::Patch;
use crate::kubernetes::object::{ObjectKind, object, target};
use base::Diagnostic;
use serde_json::{Value, json};

/// An object of this kind.
pub(crate) const HORIZONTAL_POD_AUTOSCALER: ObjectKind = ObjectKind {
    kind: "HorizontalPodAutoscaler",
    read: |source, report| object(source, report, |r| vec![horizontal(r)]),
};

/// A metric against its target.
struct Target {
    metric: &'static str,
    target: f64,
    /// `pool` if the target is the whole pool's.
    of: &'static str,
}

impl Target {
    /// The metric as fields of a policy whose target is called `name`.
    fn fields(&self, name: &str) -> Value {
        let mut fields = json!({ "metric": self.metric });
        fields[name] = json!(self.target);
        if self.of == "pool" {
            fields["target_of"] = json!(self.of);
        }
        fields
    }
}

fn horizontal(r: &mut Reader<'_>) -> Patch {
    let mut patch = Patch { target: target(r), ..Patch::default() };
    keys::read(r, &[&map::MIN, &map::MAX], &mut patch.scaling);
    let count = r.entries("spec.metrics");
    let entry = |i: usize| format!("spec.metrics.{i}");
    // A number of replicas that an analyser wants belongs to the analyser; its own object names it.
    if let Some(gauge) = (0..count).find(|i| is_gauge(r, &entry(*i))) {
        for i in (0..count).filter(|i| *i != gauge) {
            r.without_counterpart(&entry(i), "an analyser says how many replicas there should be");
        }
        by_analyser(r, [&entry(gauge), "spec.behavior"], json!("legacy"), &mut patch);
        return patch;
    }
    let behavior = rules::behavior(r, "spec.behavior", "policy.hpa.behavior.rules");
    let before = r.problems.len();
    let mut found: Vec<Target> = Vec::new();
    for i in 0..count {
        found.extend(metric(r, &entry(i), found.len()));
    }
    if !found.is_empty() {
        others_decide(r, before);
    }
    let cpu = "spec.targetCPUUtilizationPercentage";
    if r.get(cpu).is_some() {
        r.without_counterpart(cpu, "CPU says nothing about a GPU");
    }
    if let Some((first, more)) = found.split_first() {
        let mut hpa = first.fields("target");
        hpa["behavior"] = behavior.unwrap_or_else(|| json!("legacy"));
        if !more.is_empty() {
            hpa["more"] = more.iter().map(|m| m.fields("target")).collect();
        }
        r.note("kind", "policy.hpa");
        patch.scaling.insert("policy".to_owned(), json!({ "hpa": hpa }));
    } else if count == 0 {
        let fix = "name one, such as an external metric vllm:num_requests_waiting";
        r.problems.push(Diagnostic::error("spec.metrics", "nothing", "a metric", fix));
    }
    patch
}

/// The metric of an entry of a `HorizontalPodAutoscaler` and its target.
fn metric(r: &mut Reader<'_>, at: &str, index: usize) -> Option<Target> {
    let kind = r.word(&format!("{at}.type"))?.to_owned();
    let section = match kind.as_str() {
        "External" => "external",
        "Pods" => "pods",
        "Object" => "object",
        _ => {
            let path = format!("{at}.type");
            let fix = "use a metric of the server: CPU and memory say nothing about a GPU";
            let allowed = "\"External\", \"Pods\" or \"Object\"";
            let found = format!("{NOT_MEASURED}{kind:?}");
            r.problems.push(Diagnostic::error(path, found, allowed, fix));
            r.without_counterpart(at, "no such metric is measured here");
            return None;
        }
    };
    r.note(&format!("{at}.type"), "where the metric stands");
    let inner = format!("{at}.{section}");
    for key in ["metric.selector", "describedObject"] {
        r.without_counterpart(&format!("{inner}.{key}"), "all replicas of the pool are measured");
    }
    let of = if index == 0 { "policy.hpa".to_owned() } else { format!("policy.hpa.more[{}]", index - 1) };
    let Some(metric) = measured(r, &format!("{inner}.metric.name"), &of) else {
        let start = format!("{at}.");
        r.mappings.retain(|m| !m.key.starts_with(&start));
        r.without_counterpart(at, "the metric is not measured here");
        return None;
    };
    let (target, of) = aim(r, &format!("{inner}.target"), &of, section == "pods")?;
    Some(Target { metric, target, of })
}

/// A target and its scope: each replica or the pool.
fn aim(r: &mut Reader<'_>, at: &str, into: &str, each_alone: bool) -> Option<(f64, &'static str)> {
    let [kind_at, each_at, all_at] = ["type", "averageValue", "value"].map(|key| format!("{at}.{key}"));
    let (each, all) = (r.get(&each_at).is_some(), r.get(&all_at).is_some());
    let kind = match r.word(&kind_at) {
        Some(kind) => kind.to_owned(),
        None if all && !each => "Value".to_owned(),
        None => "AverageValue".to_owned(),
    };
    let (value_at, other_at, of, note) = match kind.as_str() {
        "AverageValue" => (&each_at, &all_at, "replica", "the target is what each replica should have"),
        "Value" if !each_alone => {
            (&all_at, &each_at, "pool", "target_of = pool: the target is the whole pool's")
        }
        _ => {
            let allowed = if each_alone { "\"AverageValue\"" } else { "\"AverageValue\" or \"Value\"" };
            let fix = "such as {type: AverageValue, averageValue: \"5\"}";
            r.problems.push(Diagnostic::error(kind_at, format!("{kind:?}"), allowed, fix));
            r.set_aside(at);
            return None;
        }
    };
    r.note(&kind_at, &if of == "pool" { format!("{into}.{note}") } else { note.to_owned() });
    r.without_counterpart(other_at, &format!("a target of kind {kind} has another key"));
    let value = r.quantity(value_at, &format!("{into}.target"));
    if r.get(value_at).is_none() {
        let fix = "such as \"5\"";
        r.problems.push(Diagnostic::error(value_at, "nothing", "a number", fix));
    }
    Some((value?, of))
}
