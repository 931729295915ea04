//! Import of AIBrix's autoscaler (`PodAutoscaler`): its strategies HPA, KPA and APA, and its optimizer.

use crate::autoscalers::hpa::map;
use crate::autoscalers::keys;
use crate::autoscalers::measured::{NOT_MEASURED, measured, others_decide};
use crate::import::configuration::Reader;
use crate::import::configuration::patch::Patch;
use crate::import::configuration::quantities::seconds_of;
use crate::kubernetes::object::{ObjectKind, object, target};
use base::Diagnostic;
use serde_json::{Map, Value, json};

/// An object of this kind.
pub(crate) const POD_AUTOSCALER: ObjectKind = ObjectKind {
    kind: "PodAutoscaler",
    read: |source, report| object(source, report, |r| vec![autoscaler(r)]),
};

const STRATEGIES: [&str; 3] = ["HPA", "KPA", "APA"];
const STRATEGY: &str = "spec.scalingStrategy";
const WINDOW: &str = "spec.observeWindowSeconds";

fn autoscaler(r: &mut Reader<'_>) -> Patch {
    let mut patch = Patch { target: target(r), ..Patch::default() };
    let role_at = "spec.subTargetSelector.roleName";
    if let (Some(name), Some(role)) = (&patch.target, r.word(role_at)) {
        r.note(role_at, "the pool of this role of the object");
        patch.target = Some(format!("{name}-{role}"));
    }
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
    if strategy != "KPA"
        && let Some(s) = r.number(WINDOW, "scaling.window_s")
    {
        patch.scaling.insert("window_s".to_owned(), json!(s));
    }
    let policy = if strategy == "KPA" {
        kpa(r, first, &mut patch.scaling)
    } else {
        let mut hpa = first;
        let rest: Vec<Value> = found.collect();
        if !rest.is_empty() {
            hpa["more"] = json!(rest);
        }
        r.without_counterpart("spec.panicWindowSeconds", "only the strategy KPA has a short window");
        r.note(STRATEGY, "policy.hpa");
        horizontal(r, &strategy, hpa, &mut patch.scaling)
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

/// What AIBrix does where an annotation is missing: how much a decision may raise or lower the number of replicas.
const USUAL_RATE: f64 = 2.0;
/// Seconds for which it remembers recommendations before it removes replicas.
const USUAL_DOWN_S: f64 = 300.0;
/// The period of the rates that it gives Kubernetes with the strategy HPA.
const HPA_PERIOD_S: f64 = 60.0;
/// The rates of APA hold for a decision: a period that is over before the next one.
const APA_PERIOD_S: f64 = 1.0;
const RULES: &str = "policy.hpa.behavior.rules";

/// HPA and APA multiply the present replicas by the ratio of the metric to its target, within tolerances and rates.
fn horizontal(r: &mut Reader<'_>, strategy: &str, mut hpa: Value, scaling: &mut Map<String, Value>) -> Value {
    let by_kubernetes = strategy == "HPA";
    let period = if by_kubernetes { HPA_PERIOD_S } else { APA_PERIOD_S };
    let mut up =
        json!({ "stabilization_s": 0.0, "pods": 0, "percent": up_percent(USUAL_RATE), "period_s": period });
    let mut down = json!({
        "stabilization_s": USUAL_DOWN_S, "pods": 0, "percent": down_percent(USUAL_RATE), "period_s": period,
    });
    annotations(
        r,
        Some(&mut |r: &mut Reader<'_>, path: &str, name: &str, x: f64| {
            let (direction, field, value) = match name {
                "window" => {
                    r.note(path, "scaling.window_s");
                    scaling.insert("window_s".to_owned(), json!(x));
                    return true;
                }
                "scale-up-tolerance" | "up-fluctuation-tolerance" if !by_kubernetes => ("up", "tolerance", x),
                "scale-down-tolerance" | "down-fluctuation-tolerance" if !by_kubernetes => {
                    ("down", "tolerance", x)
                }
                "scale-up-cooldown-window" => ("up", "stabilization_s", x),
                "scale-down-cooldown-window" | "scale-down-delay" => ("down", "stabilization_s", x),
                "max-scale-up-rate" => ("up", "percent", up_percent(x)),
                "max-scale-down-rate" => ("down", "percent", down_percent(x)),
                _ => return false,
            };
            r.note(path, &format!("{RULES}.{direction}.{field}"));
            (if direction == "up" { &mut up } else { &mut down })[field] = json!(value);
            true
        }),
    );
    hpa["behavior"] = json!({ "rules": { "up": up, "down": down } });
    json!({ "hpa": hpa })
}

/// The largest growth in per cent: a rate of 2 doubles. A rate of 1 or less is none, and AIBrix doubles then.
fn up_percent(rate: f64) -> f64 {
    if rate > 1.0 { (rate - 1.0) * 100.0 } else { 100.0 }
}

/// The largest decline in per cent: a rate of 2 halves.
fn down_percent(rate: f64) -> f64 {
    if rate > 1.0 { (1.0 - 1.0 / rate) * 100.0 } else { 100.0 }
}

/// KPA goes by requests at once; for other metrics its rule is a ratio too.
fn kpa(r: &mut Reader<'_>, first: Value, scaling: &mut Map<String, Value>) -> Value {
    let metric = first["metric"].as_str().unwrap_or_default();
    let target = first["target"].as_f64().unwrap_or(1.0);
    if !["requests", "running", "waiting"].contains(&metric) {
        let why = format!("the policy kpa goes by requests at once, and the metric is {metric}");
        r.near(STRATEGY, "policy.hpa in its place", &why);
        for mapping in r.mappings.iter_mut().filter(|m| m.becomes.starts_with("policy.kpa")) {
            mapping.becomes = mapping.becomes.replacen("policy.kpa", "policy.hpa", 1);
        }
        r.without_counterpart("spec.panicWindowSeconds", "the policy hpa has no short window");
        return horizontal(r, "KPA", first, scaling);
    }
    r.note(STRATEGY, "policy.kpa");
    // AIBrix multiplies all replicas, and raises or lowers them by a factor of 2 at most.
    let mut fields = json!({
        "concurrency": target.max(1.0), "utilization": 1.0, "max_up": USUAL_RATE, "max_down": USUAL_RATE,
    });
    for (key, field) in [("spec.observeWindowSeconds", "stable_s"), ("spec.panicWindowSeconds", "panic_s")] {
        if let Some(s) = r.number(key, &format!("policy.kpa.{field}")) {
            fields[field] = json!(s);
        }
    }
    annotations(
        r,
        Some(&mut |r: &mut Reader<'_>, path: &str, name: &str, x: f64| {
            let field = match name {
                "stable-window" => "stable_s",
                "panic-window" => "panic_s",
                "panic-threshold" => "panic_threshold",
                "max-scale-up-rate" => "max_up",
                "max-scale-down-rate" => "max_down",
                "scale-down-delay" | "scale-down-cooldown-window" => "grace_s",
                _ => return false,
            };
            r.note(path, &format!("policy.kpa.{field}"));
            fields[field] = json!(x);
            true
        }),
    );
    json!({ "kpa": fields })
}
