//! Autoscalers as a Kubernetes cluster has them: `HorizontalPodAutoscaler`, KEDA's `ScaledObject`, and, in `analysers`, those of llm-d. Each becomes settings of `cluster.pools[].scaling`.
//!
//! Sources of the keys: the API references of Kubernetes (autoscaling/v2), KEDA (keda.sh/v1alpha1) and llm-d.

use super::analysers::{config_map, variant};
use super::{Mapping, ReadText, Reader};
use crate::base::Diagnostic;
use serde_json::{Map, Value, json};

/// The kinds that are read.
const KINDS: [&str; 4] = ["HorizontalPodAutoscaler", "ScaledObject", "VariantAutoscaling", "ConfigMap"];

/// What an object sets, and for which pools.
#[derive(Default)]
pub(super) struct Patch {
    /// The name of what it scales: a pool of that name alone, if there is one.
    pub(super) target: Option<String>,
    /// The model it is about: pools that serve it alone.
    pub(super) model: Option<String>,
    pub(super) scaling: Map<String, Value>,
    /// Settings that give way to what another object says, and to those of a higher rank.
    pub(super) weak: Vec<(u8, &'static str, Value)>,
}

/// Whether a document is an object of Kubernetes.
pub(super) fn is_object(document: &Value) -> bool {
    document.get("kind").is_some() || document.get("apiVersion").is_some()
}

/// Puts the autoscalers into a scenario document, all or none of them.
pub(super) fn apply(
    objects: &[Value],
    read_text: ReadText<'_>,
    scenario: &mut Value,
) -> Result<Vec<Mapping>, Vec<Diagnostic>> {
    let (mut mappings, mut problems, mut patches) = (Vec::new(), Vec::new(), Vec::new());
    for (i, object) in objects.iter().enumerate() {
        let object = flat(object, read_text);
        let mut r = Reader::new(&object);
        let found = read(&mut r);
        // Of several objects each names its own.
        let own = |path: String| if objects.len() > 1 { format!("[{i}].{path}") } else { path };
        match r.finish() {
            Ok(told) => mappings.extend(told.into_iter().map(|m| Mapping { key: own(m.key), ..m })),
            Err(found) => problems.extend(found.into_iter().map(|d| Diagnostic { path: own(d.path), ..d })),
        }
        patches.extend(found);
    }
    let mut pools = pools_of(scenario);
    let name = |pool: &Value| pool.get("name").and_then(Value::as_str).map(str::to_owned);
    let names: Vec<String> = pools.iter().filter_map(name).collect();
    for (i, pool) in pools.iter_mut().enumerate() {
        let of_pool: Vec<&Patch> = patches.iter().filter(|p| is_about(p, pool, &names)).collect();
        problems.extend(settle(&of_pool, pool, i));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    if let Some(cluster) = object_at(scenario, "cluster") {
        cluster.insert("pools".to_owned(), Value::Array(pools));
    }
    Ok(mappings)
}

fn object_at<'a>(value: &'a mut Value, key: &str) -> Option<&'a mut Map<String, Value>> {
    value.as_object_mut()?.entry(key).or_insert_with(|| json!({})).as_object_mut()
}

/// The pools of a document; the one that there is by default where it names none.
fn pools_of(scenario: &Value) -> Vec<Value> {
    let named = scenario.pointer("/cluster/pools").and_then(Value::as_array);
    named.cloned().unwrap_or_else(|| vec![json!({})])
}

/// Whether a patch is about a pool: by the name of what it scales where a pool has it, by its model, or about all of them.
fn is_about(patch: &Patch, pool: &Value, names: &[String]) -> bool {
    let plain = |s: &str| s.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let serves = |model: &str| {
        let own = pool.get("model").and_then(Value::as_str);
        own.is_none_or(|own| plain(model).contains(&plain(own)) || plain(own).contains(&plain(model)))
    };
    let name = pool.get("name").and_then(Value::as_str);
    let targeted = patch.target.as_ref().filter(|t| names.contains(t)).is_none_or(|t| name == Some(t));
    targeted && patch.model.as_deref().is_none_or(serves)
}

/// Puts all that is about a pool into it. What two objects say differently is a problem.
fn settle(patches: &[&Patch], pool: &mut Value, index: usize) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut said: Map<String, Value> = Map::new();
    for (key, value) in patches.iter().flat_map(|p| &p.scaling) {
        match said.get(key) {
            Some(before) if before != value => {
                let path = format!("cluster.pools[{index}].scaling.{key}");
                let found = format!("{before} and {value}");
                let fix = "keep one of the objects that say it";
                problems.push(Diagnostic::error(path, found, "one value", fix));
            }
            _ => _ = said.insert(key.clone(), value.clone()),
        }
    }
    for key in ["policy", "optimizer", "priority"] {
        let weak = patches.iter().flat_map(|p| &p.weak).filter(|(_, of, _)| *of == key);
        let policy = said.get("policy").and_then(Value::as_object).and_then(|p| p.keys().next());
        // Policies that know no variants have no optimiser.
        let fits = key == "policy" || policy.is_some_and(|name| name.starts_with("wva-"));
        if let Some((.., value)) = weak.max_by_key(|(rank, ..)| *rank).filter(|_| fits) {
            said.entry(key).or_insert(value.clone());
        }
    }
    // What is no pool is told when the scenario is read.
    if let Some(scaling) = object_at(pool, "scaling").filter(|_| problems.is_empty() && !said.is_empty()) {
        scaling.extend(said);
    }
    problems
}

/// Lists as sections whose keys are numbers, and text of YAML within a `ConfigMap` as what it says, so that every key has a path.
fn flat(value: &Value, read_text: ReadText<'_>) -> Value {
    match value {
        Value::Array(items) => Value::Object(
            items.iter().enumerate().map(|(i, v)| (i.to_string(), flat(v, read_text))).collect(),
        ),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(k, v)| (k.clone(), flat(v, read_text))).collect())
        }
        Value::String(text) if text.contains(": ") && text.contains('\n') => {
            let said = read_text(text).filter(Value::is_object);
            said.map_or(value.clone(), |v| flat(&v, read_text))
        }
        other => other.clone(),
    }
}

fn read(r: &mut Reader<'_>) -> Vec<Patch> {
    r.without_counterpart("apiVersion", "every version is read alike");
    r.without_counterpart("metadata", "only what is scaled has a name here");
    r.without_counterpart("status", "it is what a cluster reports");
    let kind = r.word("kind").unwrap_or_default();
    match kind {
        "HorizontalPodAutoscaler" => vec![horizontal(r)],
        "ScaledObject" => vec![scaled_object(r)],
        "VariantAutoscaling" => vec![variant(r)],
        "ConfigMap" => config_map(r),
        other => {
            r.unknown_name("kind", other, &KINDS);
            Vec::new()
        }
    }
}

pub(super) fn target(r: &mut Reader<'_>) -> Option<String> {
    r.without_counterpart("spec.scaleTargetRef.apiVersion", "every version is read alike");
    r.without_counterpart("spec.scaleTargetRef.kind", "pools are all of a kind");
    let name = r.word("spec.scaleTargetRef.name")?.to_owned();
    r.note("spec.scaleTargetRef.name", "the pool of this name, or all if none has it");
    Some(name)
}

/// Copies a whole number of replicas.
pub(super) fn replicas(r: &mut Reader<'_>, path: &str, to: &str, scaling: &mut Map<String, Value>) {
    if let Some(n) = r.whole(path, &format!("scaling.{to}")) {
        scaling.insert(to.to_owned(), json!(n));
    }
}

fn horizontal(r: &mut Reader<'_>) -> Patch {
    let mut patch = Patch { target: target(r), ..Patch::default() };
    replicas(r, "spec.minReplicas", "min", &mut patch.scaling);
    replicas(r, "spec.maxReplicas", "max", &mut patch.scaling);
    let behavior = behavior(r, "spec.behavior");
    let count = r.entries("spec.metrics");
    // The number of replicas that an analyser wants is the analyser's; its own object says which.
    let gauge = (0..count).find(|i| r.source.pointer(&format!("/spec/metrics/{i}")).is_some_and(is_gauge));
    let mut found = Vec::new();
    for i in 0..count {
        let at = format!("spec.metrics.{i}");
        if gauge.is_some_and(|gauge| gauge != i) {
            r.without_counterpart(&at, "an analyser says how many replicas there should be");
        } else {
            found.extend(metric(r, &at));
        }
    }
    if gauge.is_some() {
        patch.weak.push((0, "policy", json!({ "wva-saturation-v2": {} })));
    } else if let Some(((metric, target), more)) = found.split_first() {
        let behavior = behavior.unwrap_or_else(|| json!("legacy"));
        let mut hpa = json!({ "metric": metric, "target": target, "behavior": behavior });
        if !more.is_empty() {
            hpa["more"] =
                more.iter().map(|(metric, target)| json!({ "metric": metric, "target": target })).collect();
        }
        patch.scaling.insert("policy".to_owned(), json!({ "hpa": hpa }));
    } else if count == 0 {
        let fix = "name one, such as an external metric vllm:num_requests_waiting";
        r.problems.push(Diagnostic::error("spec.metrics", "nothing", "a metric", fix));
    }
    patch
}

/// Stands for the number of replicas that an analyser wants.
const GAUGE: &str = "desired replicas";

/// Whether an entry is the number of replicas that an analyser wants.
fn is_gauge(entry: &Value) -> bool {
    let name = |section: &str| entry.pointer(&format!("/{section}/metric/name")).and_then(Value::as_str);
    ["external", "pods", "object"].iter().filter_map(|section| name(section)).any(|n| n.contains(DESIRED))
}

/// A part of its name.
const DESIRED: &str = "desired_replicas";

/// The metric of an entry of a `HorizontalPodAutoscaler` and its target.
fn metric(r: &mut Reader<'_>, at: &str) -> Option<(&'static str, f64)> {
    let kind = r.word(&format!("{at}.type"))?.to_owned();
    r.note(&format!("{at}.type"), "where the metric stands");
    let section = match kind.as_str() {
        "External" => "external",
        "Pods" => "pods",
        "Object" => "object",
        other => {
            let fix = "use a metric of the server: CPU says nothing about a GPU";
            let path = format!("{at}.type");
            let wrong =
                Diagnostic::error(path, format!("{other:?}"), "\"External\", \"Pods\" or \"Object\"", fix);
            r.problems.push(wrong);
            r.without_counterpart(at, "not read");
            return None;
        }
    };
    let inner = format!("{at}.{section}");
    r.without_counterpart(&format!("{inner}.metric.selector"), "all replicas of the pool are measured");
    r.without_counterpart(&format!("{inner}.describedObject"), "all replicas of the pool are measured");
    let name = measured(r, &format!("{inner}.metric.name"))?;
    r.word(&format!("{inner}.target.type"));
    r.note(&format!("{inner}.target.type"), "the target is what each replica should have");
    let paths = ["averageValue", "value"].map(|key| format!("{inner}.target.{key}"));
    let found: Vec<f64> = paths.iter().filter_map(|p| r.quantity(p, "policy.hpa.target")).collect();
    let Some(&value) = found.first() else {
        let fix = "such as averageValue: \"5\"";
        r.problems.push(Diagnostic::error(&paths[0], "nothing", "a number", fix));
        return None;
    };
    Some((name, value))
}

/// What a name of a metric, or a query, measures here.
fn measured(r: &mut Reader<'_>, path: &str) -> Option<&'static str> {
    const KNOWN: [(&str, &str); 12] = [
        (DESIRED, GAUGE),
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
    let text = r.word(path)?.to_lowercase();
    let found = KNOWN.iter().find(|(part, _)| text.contains(part)).map(|(_, metric)| *metric);
    if let Some(metric) = found {
        r.note(path, &format!("the metric {metric}"));
    } else {
        let allowed =
            "a metric of requests waiting, running or in flight, of the KV cache, or of requests in a second";
        let fix = "such as vllm:num_requests_waiting";
        r.problems.push(Diagnostic::error(path, format!("{text:?}"), allowed, fix));
    }
    found
}

/// The rules of both directions; nothing where there are none.
fn behavior(r: &mut Reader<'_>, at: &str) -> Option<Value> {
    r.get(at)?;
    let up = direction(r, &format!("{at}.scaleUp"), json!({ "stabilization_s": 0.0 }));
    let down = direction(r, &format!("{at}.scaleDown"), json!({ "stabilization_s": 300.0, "pods": 0 }));
    Some(json!({ "rules": { "up": up, "down": down } }))
}

fn direction(r: &mut Reader<'_>, at: &str, default: Value) -> Value {
    let mut rules = default;
    let into = "policy.hpa.behavior.rules";
    if let Some(s) = r.number(&format!("{at}.stabilizationWindowSeconds"), &format!("{into}.stabilization_s"))
    {
        rules["stabilization_s"] = json!(s);
    }
    if let Some(share) = r.quantity(&format!("{at}.tolerance"), &format!("{into}.tolerance")) {
        rules["tolerance"] = json!(share);
    }
    let path = format!("{at}.selectPolicy");
    if let Some(select) = r.word(&path).map(str::to_lowercase) {
        r.note(&path, &format!("{into}.select"));
        rules["select"] = json!(select);
    }
    let count = r.entries(&format!("{at}.policies"));
    if count > 0 {
        (rules["pods"], rules["percent"]) = (json!(0), json!(0.0));
    }
    let mut period = None;
    for i in 0..count {
        let one = format!("{at}.policies.{i}");
        let key = match r.word(&format!("{one}.type")) {
            Some("Pods") => "pods",
            Some("Percent") => "percent",
            found => {
                let found = format!("{:?}", found.unwrap_or_default());
                let path = format!("{one}.type");
                let fix = "one of each at most";
                r.problems.push(Diagnostic::error(path, found, "\"Pods\" or \"Percent\"", fix));
                continue;
            }
        };
        r.note(&format!("{one}.type"), &format!("{into}.{key}"));
        if let Some(value) = r.number(&format!("{one}.value"), &format!("{into}.{key}")) {
            rules[key] = if key == "pods" { json!(value as u64) } else { json!(value) };
        }
        let path = format!("{one}.periodSeconds");
        if let Some(seconds) = r.number(&path, &format!("{into}.period_s")) {
            if period.is_some_and(|before: f64| (before - seconds).abs() > 0.0) {
                let fix = "a direction has one period here";
                r.problems.push(Diagnostic::error(path, seconds.to_string(), "the period of the other", fix));
            }
            period = Some(seconds);
            rules["period_s"] = json!(seconds);
        }
    }
    rules
}

fn scaled_object(r: &mut Reader<'_>) -> Patch {
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
    r.without_counterpart("spec.idleReplicaCount", "an idle pool has the fewest replicas");
    r.without_counterpart("spec.initialCooldownPeriod", "a run begins with the cooldown over");
    r.without_counterpart("spec.fallback", "measurements never fail");
    r.without_counterpart("spec.advanced.restoreToOriginalReplicaCount", "nothing is removed");
    r.without_counterpart("spec.advanced.horizontalPodAutoscalerConfig.name", "it needs no name");
    let mut keda = json!({});
    if let Some(s) = r.number("spec.cooldownPeriod", "policy.keda.cooldown_s") {
        keda["cooldown_s"] = json!(s);
    }
    if let Some(rules) = behavior(r, "spec.advanced.horizontalPodAutoscalerConfig.behavior") {
        keda["behavior"] = rules;
    }
    let mut more = Vec::new();
    for i in 0..r.entries("spec.triggers") {
        let at = format!("spec.triggers.{i}");
        if i == 0 {
            trigger(r, &at, "policy.keda", &mut keda);
        } else {
            let mut further = json!({});
            trigger(r, &at, &format!("policy.keda.more[{}]", i - 1), &mut further);
            more.push(further);
        }
    }
    if !more.is_empty() {
        keda["more"] = Value::Array(more);
    }
    if keda.get("metric").is_none() && r.problems.is_empty() {
        let fix = "name one of type prometheus, with a query and a threshold";
        r.problems.push(Diagnostic::error("spec.triggers", "nothing", "a trigger", fix));
    }
    patch.scaling.insert("policy".to_owned(), json!({ "keda": keda }));
    patch
}

fn trigger(r: &mut Reader<'_>, at: &str, into: &str, keda: &mut Value) {
    r.word(&format!("{at}.type"));
    r.note(&format!("{at}.type"), "where the metric stands");
    r.without_counterpart(&format!("{at}.name"), "it needs no name");
    r.without_counterpart(&format!("{at}.metricType"), "the threshold is what each replica should have");
    r.without_counterpart(&format!("{at}.authenticationRef"), "nobody has to be asked");
    r.without_counterpart(
        &format!("{at}.useCachedMetrics"),
        "scaling.scrape_s says how old a measurement is",
    );
    for key in ["serverAddress", "metricName", "namespace", "ignoreNullValues", "unsafeSsl"] {
        r.without_counterpart(&format!("{at}.metadata.{key}"), "the pool itself is measured");
    }
    if let Some(metric) = measured(r, &format!("{at}.metadata.query")) {
        keda["metric"] = json!(metric);
    }
    for (key, to) in [("threshold", "threshold"), ("activationThreshold", "activation")] {
        if let Some(x) = r.quantity(&format!("{at}.metadata.{key}"), &format!("{into}.{to}")) {
            keda[to] = json!(x);
        }
    }
}
