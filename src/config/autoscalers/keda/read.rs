//! Import of KEDA's autoscaler (`ScaledObject`).

use crate::autoscalers::behavior as rules;
use crate::autoscalers::keda::map;
use crate::autoscalers::keys;
use crate::autoscalers::measured::{NOT_MEASURED, by_analyser, is_gauge, measured, others_decide};
use crate::import::configuration::Reader;
use crate::import::configuration::patch::Patch;
use crate::kubernetes::object::{ObjectKind, object, target};
use base::Diagnostic;
use serde_json::{Map, Value, json};

/// An object of this kind.
pub(crate) const SCALED_OBJECT: ObjectKind = ObjectKind {
    kind: "ScaledObject",
    read: |source, report| object(source, report, |r| vec![scaled_object(r)]),
};

fn scaled_object(r: &mut Reader<'_>) -> Patch {
    let mut patch = Patch { target: target(r), ..Patch::default() };
    let scaling = &mut patch.scaling;
    let keys = [&map::MIN, &map::MAX, &map::TICK];
    keys::usual(&keys, scaling);
    keys::read(r, &keys, scaling);
    let advanced = "spec.advanced.horizontalPodAutoscalerConfig";
    without_counterpart(r, advanced);
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
    if let Some(s) = map::COOLDOWN.read(r) {
        keda["cooldown_s"] = s;
    }
    if let Some(rules) = rules::behavior(r, &format!("{advanced}.behavior"), "policy.keda.behavior.rules") {
        keda["behavior"] = rules;
    }
    let formula = formula(r);
    if let Some(formula) = &formula {
        keda["formula"] = formula.clone();
    }
    let use_of_triggers = if formula.is_some() { Use::InFormula } else { Use::Alone };
    let before = r.problems.len();
    let mut found: Vec<Map<String, Value>> = Vec::new();
    for i in 0..count {
        let into = match found.len() {
            0 => "policy.keda".to_owned(),
            n => format!("policy.keda.more[{}]", n - 1),
        };
        found.extend(trigger(r, &entry(i), &into, use_of_triggers));
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

/// Reports the keys that have no counterpart.
fn without_counterpart(r: &mut Reader<'_>, advanced: &str) {
    for (path, why) in [
        ("spec.idleReplicaCount", "an idle pool has the fewest replicas"),
        ("spec.initialCooldownPeriod", "a run begins with the cooldown over"),
        ("spec.fallback", "measurements never fail"),
        ("spec.advanced.restoreToOriginalReplicaCount", "nothing is removed"),
        (&format!("{advanced}.name"), "it needs no name"),
    ] {
        r.without_counterpart(path, why);
    }
}

/// How a trigger decides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// By its own threshold.
    Alone,
    /// By its name in a formula.
    InFormula,
}

/// The formula that decides in place of the triggers, if there is one.
fn formula(r: &mut Reader<'_>) -> Option<Value> {
    let at = "spec.advanced.scalingModifiers";
    r.get(at)?;
    let [text_at, kind_at] = ["formula", "metricType"].map(|key| format!("{at}.{key}"));
    let into = "policy.keda.formula";
    let Some(text) = r.word(&text_at) else {
        r.without_counterpart(at, "there is no formula");
        return None;
    };
    r.note(&text_at, &format!("{into}.formula"));
    let mut fields = json!({ "formula": text.split_whitespace().collect::<Vec<_>>().join(" ") });
    for (key, to) in [("target", "target"), ("activationTarget", "activation")] {
        if let Some(x) = r.quantity(&format!("{at}.{key}"), &format!("{into}.{to}")) {
            fields[to] = json!(x);
        }
    }
    match r.word(&kind_at) {
        Some("Value") => {
            r.note(&kind_at, &format!("{into}.target_of = pool: the target is the whole pool's"));
            fields["target_of"] = json!("pool");
        }
        Some("AverageValue") => r.note(&kind_at, "the target is what each replica should have"),
        Some(other) => {
            let fix = "CPU and memory say nothing about a GPU";
            let found = format!("{other:?}");
            r.problems.push(Diagnostic::error(kind_at, found, "\"AverageValue\" or \"Value\"", fix));
        }
        None => {}
    }
    Some(fields)
}

/// A trigger as fields of the policy; `None` if its metric is not measured here.
fn trigger(r: &mut Reader<'_>, at: &str, into: &str, used: Use) -> Option<Map<String, Value>> {
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
    one_series(r, &query, into, metric);
    let mut fields = Map::new();
    fields.insert("metric".to_owned(), json!(metric));
    r.word(&format!("{at}.type"));
    r.note(&format!("{at}.type"), "where the metric stands");
    let name_at = format!("{at}.name");
    match (used, r.word(&name_at)) {
        (Use::InFormula, Some(name)) => {
            r.note(&name_at, &format!("{into}.name"));
            fields.insert("name".to_owned(), json!(name));
        }
        (Use::Alone | Use::InFormula, _) => r.without_counterpart(&name_at, "it needs no name"),
    }
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
    thresholds(r, at, into, (used, metric), &mut fields);
    Some(fields)
}

/// Notes a query that gives a value for each replica: KEDA takes one, and fails with several.
fn one_series(r: &mut Reader<'_>, query: &str, into: &str, metric: &str) {
    // What one part of the cluster counts for the whole pool.
    const OF_ONE: [&str; 5] =
        ["gateway-queue", "pool-saturation", "replicas", "ready-replicas", "pending-replicas"];
    let text = r.get(query).and_then(Value::as_str).unwrap_or_default();
    if OF_ONE.contains(&metric) || is_one_series(text) {
        return;
    }
    let (taken, aggregate) = if metric == "kv" { ("mean", "avg") } else { ("sum", "sum") };
    let differs = format!(
        "this query has a value for each replica, and KEDA fails with more than one (\"query returned multiple elements\"): here \
         the {taken} is taken; write {aggregate}({})",
        text.trim()
    );
    r.mappings.retain(|m| m.key != query);
    r.near(query, &format!("{into}.metric = {metric}"), &differs);
}

/// Whether a query has one value, however many replicas there are: an aggregate stands around it, or around each of its parts.
fn is_one_series(query: &str) -> bool {
    const AGGREGATES: [&str; 8] = ["sum", "avg", "max", "min", "count", "quantile", "scalar", "stddev"];
    // Labels that are the same for all replicas of a pool.
    const SHARED: [&str; 8] =
        ["model_name", "model", "namespace", "job", "service", "deployment", "app", "container"];
    let query = query.trim().to_ascii_lowercase();
    let inner = |text: &str| text.strip_prefix('(').map(|rest| rest.trim_start().to_owned());
    let mut rest = query;
    while let Some(within) = inner(&rest) {
        rest = within;
    }
    let Some(name) = AGGREGATES.iter().find(|name| {
        rest.strip_prefix(**name).is_some_and(|after| after.trim_start().starts_with(['(', 'b', 'w']))
    }) else {
        return rest.starts_with("topk(1,")
            || rest.starts_with("vector(")
            || rest.starts_with("histogram_quantile");
    };
    // The labels that keep values apart stand behind the name, or behind the parentheses.
    let after = rest[name.len()..].trim_start();
    let by = after
        .strip_prefix("by")
        .or_else(|| after.split_once(')').and_then(|(_, tail)| tail.trim_start().strip_prefix("by")));
    if after.starts_with("without") {
        return false;
    }
    let labels = by.and_then(|by| {
        by.trim_start().strip_prefix('(')?.split_once(')').map(|(labels, _)| labels.to_owned())
    });
    labels.is_none_or(|labels| {
        labels.split(',').all(|label| SHARED.contains(&label.trim()) || label.trim().is_empty())
    })
}

/// The thresholds of a trigger. A formula takes their place; tokens that its query makes seconds stay tokens.
fn thresholds(
    r: &mut Reader<'_>,
    at: &str,
    into: &str,
    (used, metric): (Use, &str),
    fields: &mut Map<String, Value>,
) {
    let text = r.get(&format!("{at}.metadata.query")).and_then(Value::as_str);
    let per_second = text.filter(|_| metric == "prefill-backlog").and_then(map::divisor);
    for (key, to) in [("threshold", "threshold"), ("activationThreshold", "activation")] {
        let path = format!("{at}.metadata.{key}");
        if used == Use::InFormula {
            r.without_counterpart(&path, "the formula decides");
            continue;
        }
        let becomes = match per_second {
            Some(n) => format!("{into}.{to}, times {n} tokens a second"),
            None => format!("{into}.{to}"),
        };
        if let Some(x) = r.quantity(&path, &becomes) {
            fields.insert(to.to_owned(), json!(x * per_second.unwrap_or(1.0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_one_series;

    #[test]
    fn a_query_without_an_aggregate_has_a_value_for_each_replica() {
        for query in [
            "sum(vllm:num_requests_waiting)",
            "avg(vllm:kv_cache_usage_perc{model_name=\"m\"})",
            "sum by (model_name) (vllm:num_requests_waiting)",
            "sum(rate(vllm:request_success_total[1m])) / 2",
            "(max(vllm:num_requests_waiting))",
            "scalar(vllm:num_requests_waiting)",
            "sum (vllm:num_requests_waiting) by (namespace)",
        ] {
            assert!(is_one_series(query), "{query}");
        }
        for query in [
            "vllm:num_requests_waiting",
            "rate(vllm:request_success_total[1m])",
            "avg_over_time(vllm:num_requests_waiting[1m])",
            "sum by (pod) (vllm:num_requests_waiting)",
            "sum(vllm:num_requests_waiting) by (pod)",
            "max without (job) (vllm:num_requests_waiting)",
            "max_over_time(vllm:num_requests_running[5m])",
        ] {
            assert!(!is_one_series(query), "{query}");
        }
    }
}
