//! Import of KEDA's autoscaler (`ScaledObject`).

use super::Import;
use super::configuration::horizontal::{NOT_MEASURED, by_analyser, is_gauge, measured, others_decide};
use super::configuration::kubernetes::{Patch, is_of, object, replicas, target};
use super::configuration::{Configuration, Reader, Report, Settings, horizontal_rules as rules};
use crate::base::Diagnostic;
use serde_json::{Map, Value, json};

/// An object of this kind.
pub(super) struct ScaledObject;

impl Import<Configuration> for ScaledObject {
    fn name(&self) -> &'static str {
        "ScaledObject"
    }

    fn title(&self) -> &'static str {
        "ScaledObject"
    }

    fn recognises(&self, source: &Value) -> bool {
        is_of(source, self.name())
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        object(source, report, |r| vec![scaled_object(r)])
    }
}

fn scaled_object(r: &mut Reader<'_>) -> Patch {
    let mut patch = Patch { target: target(r), ..Patch::default() };
    let scaling = &mut patch.scaling;
    // KEDA's defaults.
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
        let rules_at = format!("{advanced}.behavior");
        by_analyser(r, [&entry(gauge), &rules_at], json!("default"), &mut patch);
        r.without_counterpart("spec.cooldownPeriod", "the analyser alone removes the last replica");
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

/// A trigger as fields of the policy; `None` if its metric is not measured here.
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
    r.without_counterpart(&format!("{at}.authenticationRef"), "no authentication is needed");
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
    // Next to the type; in older objects within the metadata.
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
