//! The horizontal autoscaler of Kubernetes, and KEDA, which is built on it. Where an analyser of llm-d says how many replicas there should
//! be, the policy is that analyser, and the rules of these objects, which limit it there, have no counterpart.

use super::kubernetes::{Patch, replicas, target};
use super::{Reader, horizontal_rules as rules};
use crate::base::{Diagnostic, Severity};
use serde_json::{Map, Value, json};

/// A part of the name of the number of replicas that an analyser wants.
const DESIRED: &str = "desired_replicas";
/// Why rules have no counterpart where an analyser decides.
const UNLIMITED: &str = "what the analyser wants is done at once, without rules that delay or limit it";

/// A metric against its target.
struct Target {
    metric: &'static str,
    target: f64,
    /// `pool` where it is the whole pool's.
    of: &'static str,
}

impl Target {
    /// As fields of a policy whose target is called `name`.
    fn fields(&self, name: &str) -> Value {
        let mut fields = json!({ "metric": self.metric });
        fields[name] = json!(self.target);
        if self.of == "pool" {
            fields["target_of"] = json!(self.of);
        }
        fields
    }
}

pub(crate) fn horizontal(r: &mut Reader<'_>) -> Patch {
    let mut patch = Patch { target: target(r), ..Patch::default() };
    replicas(r, "spec.minReplicas", "min", &mut patch.scaling);
    replicas(r, "spec.maxReplicas", "max", &mut patch.scaling);
    let count = r.entries("spec.metrics");
    let entry = |i: usize| format!("spec.metrics.{i}");
    // The number of replicas that an analyser wants is the analyser's; its own object says which.
    if let Some(gauge) = (0..count).find(|i| is_gauge(r, &entry(*i))) {
        for i in (0..count).filter(|i| *i != gauge) {
            r.without_counterpart(&entry(i), "an analyser says how many replicas there should be");
        }
        by_analyser(r, &entry(gauge), &mut patch);
        r.without_counterpart("spec.behavior", UNLIMITED);
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

/// How the problem of a metric that is not simulated begins.
const NOT_MEASURED: &str = "not measured here: ";

/// Whether an entry is the number of replicas that an analyser wants.
fn is_gauge(r: &mut Reader<'_>, at: &str) -> bool {
    let names = [
        "external.metric.name",
        "pods.metric.name",
        "object.metric.name",
        "metadata.query",
        "metadata.metricName",
    ];
    let is_it = |value: &Value| value.as_str().is_some_and(|name| name.contains(DESIRED));
    names.iter().any(|name| r.get(&format!("{at}.{name}")).is_some_and(is_it))
}

/// Leaves the policy to an analyser.
fn by_analyser(r: &mut Reader<'_>, at: &str, patch: &mut Patch) {
    let becomes = "policy.wva-saturation-v2, unless another object says which analyser it is";
    r.note("kind", becomes);
    for (key, found) in r.set_aside(at) {
        let becomes = "the number of replicas that the analyser wants".to_owned();
        r.mappings.push(super::Mapping { key, found, becomes, has_counterpart: true });
    }
    patch.weak.push((0, "policy", json!({ "wva-saturation-v2": {} })));
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

/// A target and whose it is.
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

/// What a name of a metric, or a query, measures here.
fn measured(r: &mut Reader<'_>, path: &str, into: &str) -> Option<&'static str> {
    const KNOWN: [(&str, &str); 11] = [
        ("waiting", "waiting"),
        ("queue", "waiting"),
        ("cache_usage", "kv"),
        ("kv_cache", "kv"),
        ("running", "running"),
        ("in_flight", "requests"),
        ("inflight", "requests"),
        ("concurren", "requests"),
        ("request_success", "rate"),
        ("requests_total", "rate"),
        ("request_rate", "rate"),
    ];
    // Times are no numbers of requests, whatever else their names say.
    const TIMES: [&str; 4] = ["_seconds", "quantile", "latency", "_ms"];
    let text = r.word(path)?.to_lowercase();
    let is_time = TIMES.iter().any(|part| text.contains(part));
    let found = KNOWN.iter().find(|(part, _)| text.contains(part) && !is_time).map(|(_, metric)| *metric);
    let Some(metric) = found else {
        let allowed =
            "a metric of requests waiting, running or in flight, of the KV cache, or of requests in a second";
        let fix = "such as vllm:num_requests_waiting";
        r.problems.push(Diagnostic::error(path, format!("{NOT_MEASURED}{text:?}"), allowed, fix));
        return None;
    };
    r.note(path, &format!("{into}.metric = {metric}"));
    let mean = ["avg(", "avg by", "avg without", "max(", "max by", "min("].iter().any(|f| text.contains(f));
    if mean && metric != "kv" {
        let fix = "give the target that the sum should have, if it is meant";
        let found = "one value of the replicas, such as their mean";
        r.problems.push(Diagnostic::warning(
            path,
            found,
            "the sum over the pool, which is what is measured",
            fix,
        ));
    }
    Some(metric)
}

pub(crate) fn scaled_object(r: &mut Reader<'_>) -> Patch {
    let mut patch = Patch { target: target(r), ..Patch::default() };
    let scaling = &mut patch.scaling;
    // KEDA's own defaults where the object says nothing.
    for (key, value) in [("min", json!(0)), ("max", json!(100)), ("tick_s", json!(30.0))] {
        scaling.insert(key.to_owned(), value);
    }
    replicas(r, "spec.minReplicaCount", "min", scaling);
    replicas(r, "spec.maxReplicaCount", "max", scaling);
    if let Some(s) = r.number("spec.pollingInterval", "scaling.tick_s") {
        scaling.insert("tick_s".to_owned(), json!(s));
    }
    let advanced = "spec.advanced.horizontalPodAutoscalerConfig";
    for (path, why) in [
        ("spec.idleReplicaCount", "an idle pool has the fewest replicas"),
        ("spec.initialCooldownPeriod", "a run begins with the cooldown over"),
        ("spec.fallback", "measurements never fail"),
        ("spec.advanced.restoreToOriginalReplicaCount", "nothing is removed"),
        ("spec.advanced.scalingModifiers", "triggers count as they are, without a formula"),
        (&format!("{advanced}.name"), "it needs no name"),
    ] {
        r.without_counterpart(path, why);
    }
    let count = r.entries("spec.triggers");
    let entry = |i: usize| format!("spec.triggers.{i}");
    if let Some(gauge) = (0..count).find(|i| is_gauge(r, &entry(*i))) {
        for i in (0..count).filter(|i| *i != gauge) {
            r.without_counterpart(&entry(i), "an analyser says how many replicas there should be");
        }
        by_analyser(r, &entry(gauge), &mut patch);
        r.without_counterpart("spec.cooldownPeriod", UNLIMITED);
        r.without_counterpart(&format!("{advanced}.behavior"), UNLIMITED);
        return patch;
    }
    let mut keda = json!({});
    if let Some(s) = r.number("spec.cooldownPeriod", "policy.keda.cooldown_s") {
        keda["cooldown_s"] = json!(s);
    }
    if let Some(rules) = rules::behavior(r, &format!("{advanced}.behavior"), "policy.keda.behavior.rules") {
        keda["behavior"] = rules;
    }
    let before = r.problems.len();
    let mut found: Vec<Map<String, Value>> = Vec::new();
    for i in 0..count {
        let into = match found.len() {
            0 => "policy.keda".to_owned(),
            n => format!("policy.keda.more[{}]", n - 1),
        };
        found.extend(trigger(r, &entry(i), &into));
    }
    if !found.is_empty() {
        others_decide(r, before);
    } else if count == 0 {
        let fix = "name one of type prometheus, with a query and a threshold";
        r.problems.push(Diagnostic::error("spec.triggers", "nothing", "a trigger", fix));
    }
    let mut found = found.into_iter();
    for (key, value) in found.next().into_iter().flatten() {
        keda[key] = value;
    }
    let more: Vec<Map<String, Value>> = found.collect();
    if !more.is_empty() {
        keda["more"] = json!(more);
    }
    r.note("kind", "policy.keda");
    patch.scaling.insert("policy".to_owned(), json!({ "keda": keda }));
    patch
}

/// A trigger as fields of the policy; nothing if what it looks at is not measured here.
fn trigger(r: &mut Reader<'_>, at: &str, into: &str) -> Option<Map<String, Value>> {
    let query = format!("{at}.metadata.query");
    if r.get(&query).is_none() {
        let kind = r.get(&format!("{at}.type")).map_or_else(String::new, Value::to_string);
        let found = format!("{NOT_MEASURED}{kind}, without a query");
        let fix = "give one of type prometheus, with a query and a threshold";
        r.problems.push(Diagnostic::error(&query, found, "a query", fix));
    }
    let Some(metric) = measured(r, &query, into) else {
        r.without_counterpart(at, "it is not measured here");
        return None;
    };
    let mut fields = Map::new();
    fields.insert("metric".to_owned(), json!(metric));
    r.word(&format!("{at}.type"));
    r.note(&format!("{at}.type"), "where the metric stands");
    r.without_counterpart(&format!("{at}.name"), "it needs no name");
    r.without_counterpart(&format!("{at}.authenticationRef"), "nobody has to be asked");
    let cached = format!("{at}.useCachedMetrics");
    r.without_counterpart(&cached, "scaling.scrape_s says how old a measurement is");
    let places = [
        "serverAddress",
        "metricName",
        "namespace",
        "ignoreNullValues",
        "unsafeSsl",
        "authModes",
        "customHeaders",
    ];
    for key in places {
        r.without_counterpart(&format!("{at}.metadata.{key}"), "the pool itself is measured");
    }
    // Beside the type, and in older objects within the metadata.
    for path in [format!("{at}.metricType"), format!("{at}.metadata.metricType")] {
        match r.word(&path) {
            Some("Value") => {
                r.note(&path, &format!("{into}.target_of = pool: the threshold is the whole pool's"));
                fields.insert("target_of".to_owned(), json!("pool"));
            }
            Some("AverageValue") => r.note(&path, "the threshold is what each replica should have"),
            Some(other) => {
                let fix = "CPU and memory say nothing about a GPU";
                let allowed = "\"AverageValue\" or \"Value\"";
                r.problems.push(Diagnostic::error(path, format!("{other:?}"), allowed, fix));
            }
            None => {}
        }
    }
    for (key, to) in [("threshold", "threshold"), ("activationThreshold", "activation")] {
        if let Some(x) = r.quantity(&format!("{at}.metadata.{key}"), &format!("{into}.{to}")) {
            fields.insert(to.to_owned(), json!(x));
        }
    }
    Some(fields)
}

/// The largest of all answers holds: without one that is not simulated, the others still decide. Who is left out is told.
fn others_decide(r: &mut Reader<'_>, before: usize) {
    for problem in r.problems[before..].iter_mut().filter(|p| p.found.starts_with(NOT_MEASURED)) {
        problem.severity = Severity::Warning;
        "left out: the other metrics decide".clone_into(&mut problem.fix);
    }
}
