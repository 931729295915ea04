//! Import of AIBrix's autoscaler (`PodAutoscaler`): its strategies HPA, KPA and APA, and its optimizer.

use crate::autoscalers::hpa::map;
use crate::autoscalers::keys;
use crate::autoscalers::measured::{NOT_MEASURED, measured, others_decide};
use crate::import::configuration::Reader;
use crate::import::configuration::patch::Patch;
use crate::import::configuration::quantities::seconds_of;
use crate::kubernetes::object::{ObjectKind, object, target};
use base::Diagnostic;
use serde_json::{Value, json};

/// An object of this kind.
pub(crate) const POD_AUTOSCALER: ObjectKind = ObjectKind {
    kind: "PodAutoscaler",
    read: |source, report| object(source, report, |r| vec![autoscaler(r)]),
};

const STRATEGIES: [&str; 3] = ["HPA", "KPA", "APA"];
const STRATEGY: &str = "spec.scalingStrategy";

fn autoscaler(r: &mut Reader<'_>) -> Patch {
    let mut patch = Patch { target: target(r), ..Patch::default() };
    keys::read(r, &[&map::MIN, &map::MAX], &mut patch.scaling);
    let strategy = r.word(STRATEGY).unwrap_or_default().trim().to_owned();
    if !STRATEGIES.contains(&strategy.as_str()) {
        let found = if strategy.is_empty() { "nothing".to_owned() } else { format!("{strategy:?}") };
        let fix = "name the strategy";
        r.problems.push(Diagnostic::error(STRATEGY, found, STRATEGIES.join(", "), fix));
        r.set_aside("spec");
        return patch;
    }
    let name = if strategy == "KPA" { "kpa" } else { "hpa" };
    let into = format!("policy.{name}");
    let before = r.problems.len();
    let mut found: Vec<Value> = Vec::new();
    for i in 0..r.entries("spec.metricsSources") {
        let of = if found.is_empty() { into.clone() } else { format!("{into}.more[{}]", found.len() - 1) };
        found.extend(source(r, &format!("spec.metricsSources.{i}"), &of));
    }
    if !found.is_empty() {
        others_decide(r, before);
    }
    let mut found = found.into_iter();
    let Some(first) = found.next() else {
        if r.entries("spec.metricsSources") == 0 {
            let fix = "name one, such as gpu_cache_usage_perc";
            r.problems.push(Diagnostic::error("spec.metricsSources", "nothing", "a metric", fix));
        }
        r.without_counterpart(STRATEGY, "none of its metrics is measured here");
        annotations(r, None);
        return patch;
    };
    let policy = if strategy.as_str() == "KPA" {
        kpa(r, &first)
    } else {
        let mut hpa = first;
        let rest: Vec<Value> = found.collect();
        if !rest.is_empty() {
            hpa["more"] = json!(rest);
        }
        horizontal(r, &strategy, hpa)
    };
    patch.scaling.insert("policy".to_owned(), policy);
    patch
}

/// A metric against its target.
fn source(r: &mut Reader<'_>, at: &str, into: &str) -> Option<Value> {
    for key in ["protocolType", "port", "path", "endpoint", "metricSourceType", "name"] {
        r.without_counterpart(&format!("{at}.{key}"), "the pool itself is measured");
    }
    let metric_at = format!("{at}.targetMetric");
    let value_at = format!("{at}.targetValue");
    let name = r.get(&metric_at).and_then(Value::as_str).unwrap_or_default();
    if name.contains("deployment_replicas") {
        // The optimizer says how many replicas there should be; the target is a percentage of that.
        let why =
            "AIBrix's optimizer works on profiles of its own: choose a policy in cluster.pools[].scaling";
        r.problems.push(Diagnostic::warning(
            &metric_at,
            format!("{NOT_MEASURED}{name:?}, the wish of AIBrix's optimizer"),
            "a metric of the servers",
            why,
        ));
        r.without_counterpart(&metric_at, why);
        r.without_counterpart(&value_at, why);
        return None;
    }
    let Some(metric) = measured(r, &metric_at, into) else {
        r.without_counterpart(&metric_at, "the metric is not measured here");
        r.without_counterpart(&value_at, "the metric is not measured here");
        return None;
    };
    let target = r.silent_quantity(&value_at)?;
    let is_share = metric == "kv";
    let target = if is_share && target > 1.0 {
        r.near(&value_at, &format!("{into}.target"), "a percentage, as a share");
        target / 100.0
    } else {
        r.note(&value_at, &format!("{into}.target"));
        target
    };
    Some(json!({ "metric": metric, "target": target }))
}

/// Reads an annotation: its path, its name and its number; whether it is known.
type ReadAnnotation<'a> = &'a mut dyn FnMut(&mut Reader<'_>, &str, &str, f64) -> bool;

/// The annotations of the strategies, which set windows and tolerances.
fn annotations(r: &mut Reader<'_>, reads: Option<ReadAnnotation<'_>>) {
    let at = "metadata.annotations";
    let all: Vec<(String, String)> = r
        .get(at)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
        .collect();
    let Some(reads) = reads else { return };
    for (key, text) in all {
        let Some((_, name)) = key.split_once("autoscaling.aibrix.ai/") else { continue };
        let path = format!("{at}.{key}");
        r.mappings.retain(|m| m.key != path);
        let number = seconds_of(&text);
        if !number.is_some_and(|x| reads(r, &path, name, x)) {
            r.without_counterpart(&path, "this setting of the strategy is not simulated");
        }
    }
}

/// HPA and APA: a ratio of the metric to its target, with tolerances.
fn horizontal(r: &mut Reader<'_>, strategy: &str, mut hpa: Value) -> Value {
    if strategy == "APA" {
        let differs = "the window and the rates are those of the horizontal autoscaler of Kubernetes";
        r.near(STRATEGY, "policy.hpa", differs);
    } else {
        r.note(STRATEGY, "policy.hpa");
    }
    let (mut up, mut down) =
        (json!({ "stabilization_s": 0.0 }), json!({ "stabilization_s": 300.0, "pods": 0 }));
    let mut any = false;
    annotations(
        r,
        Some(&mut |r: &mut Reader<'_>, path: &str, name: &str, x: f64| {
            let (rules, into) = match name {
                "up-fluctuation-tolerance" => (&mut up, "policy.hpa.behavior.rules.up.tolerance"),
                "down-fluctuation-tolerance" => (&mut down, "policy.hpa.behavior.rules.down.tolerance"),
                "scale-down-delay" => {
                    r.note(path, "policy.hpa.behavior.rules.down.stabilization_s");
                    down["stabilization_s"] = json!(x);
                    any = true;
                    return true;
                }
                _ => return false,
            };
            r.note(path, into);
            rules["tolerance"] = json!(x);
            any = true;
            true
        }),
    );
    hpa["behavior"] = if any { json!({ "rules": { "up": up, "down": down } }) } else { json!("default") };
    json!({ "hpa": hpa })
}

/// KPA goes by requests at once; other metrics stand for them.
fn kpa(r: &mut Reader<'_>, first: &Value) -> Value {
    let metric = first["metric"].as_str().unwrap_or_default();
    let target = first["target"].as_f64().unwrap_or(1.0);
    if !["requests", "running", "waiting"].contains(&metric) {
        let why = format!("the policy kpa goes by requests at once, and the metric is {metric}");
        r.near(STRATEGY, "policy.hpa in its place", &why);
        annotations(r, Some(&mut |_: &mut Reader<'_>, _: &str, _: &str, _: f64| false));
        for mapping in r.mappings.iter_mut().filter(|m| m.becomes.starts_with("policy.kpa")) {
            mapping.becomes = mapping.becomes.replacen("policy.kpa", "policy.hpa", 1);
        }
        let mut hpa = first.clone();
        hpa["behavior"] = json!("default");
        return json!({ "hpa": hpa });
    }
    r.note(STRATEGY, "policy.kpa");
    let mut fields = json!({ "concurrency": target.max(1.0), "utilization": 1.0 });
    annotations(
        r,
        Some(&mut |r: &mut Reader<'_>, path: &str, name: &str, x: f64| {
            let field = match name {
                "stable-window" => "stable_s",
                "panic-window" => "panic_s",
                "panic-threshold" => "panic_threshold",
                "max-scale-up-rate" => "max_up",
                "max-scale-down-rate" => "max_down",
                "scale-down-delay" => "grace_s",
                _ => return false,
            };
            r.note(path, &format!("policy.kpa.{field}"));
            fields[field] = json!(x);
            true
        }),
    );
    json!({ "kpa": fields })
}
