//! Shared parts of the readers for the horizontal autoscaler of Kubernetes and for KEDA, which is built on it. If an
//! analyser of llm-d sets the number of replicas, the policy is that analyser, and the horizontal autoscaler carries out
//! what it wants.

use crate::autoscalers::behavior as rules;
use crate::import::configuration::patch::Patch;
use crate::import::configuration::{Mapping, Reader};
use base::{Diagnostic, Severity};
use serde_json::{Value, json};

/// Part of the name of the metric with the number of replicas that an analyser wants.
const DESIRED: &str = "desired_replicas";
/// Beginning of the message about a metric that is not simulated.
pub(crate) const NOT_MEASURED: &str = "not measured here: ";

/// Whether an entry is the number of replicas that an analyser wants.
pub(crate) fn is_gauge(r: &mut Reader<'_>, at: &str) -> bool {
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

/// Leaves the choice of policy to an analyser. The horizontal autoscaler with the rules at `rules_at` carries out what
/// it wants.
pub(crate) fn by_analyser(
    r: &mut Reader<'_>,
    [at, rules_at]: [&str; 2],
    otherwise: Value,
    patch: &mut Patch,
) {
    let behavior = rules::behavior(r, rules_at, "scaling.carried_out_by.hpa.behavior.rules");
    let carrier = json!({ "hpa": { "behavior": behavior.unwrap_or(otherwise) } });
    patch.scaling.insert("carried_out_by".to_owned(), carrier);
    let becomes = "policy.wva-saturation-v2, unless another object says which analyser it is";
    r.note("kind", becomes);
    let cost = "metadata.annotations.llm-d.ai/variant-cost";
    if r.get(cost).is_some() {
        r.mappings.retain(|m| m.key != cost);
        if let Some(usd) = r.quantity(cost, "scaling.usd_per_hour, what a replica costs the optimiser") {
            patch.scaling.insert("usd_per_hour".to_owned(), json!(usd));
        }
    }
    for (key, found) in r.set_aside(at) {
        let becomes = "the number of replicas that the analyser wants".to_owned();
        r.mappings.push(Mapping { key, found, becomes, ..Mapping::default() });
    }
    patch.weak.push((0, "policy", json!({ "wva-saturation-v2": {} })));
}

/// The metric that a name or a query means here.
pub(crate) fn measured(r: &mut Reader<'_>, path: &str, into: &str) -> Option<&'static str> {
    const KNOWN: [(&str, &str); 20] = [
        // Those of llm-d's router, then those of a deployment.
        ("flow_control_queue_size", "gateway-queue"),
        ("flow_control_pool_saturation", "pool-saturation"),
        ("epp_request_running", "requests-running"),
        ("objective_running_requests", "requests-running"),
        ("epp_inflight_tokens", "prefill-backlog"),
        ("replicas_unavailable", "pending-replicas"),
        ("replicas_ready", "ready-replicas"),
        ("deployment_status_replicas", "replicas"),
        ("deployment_spec_replicas", "replicas"),
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
    // One value of the whole pool, or a share: any aggregate is right.
    const OF_THE_POOL: [&str; 6] =
        ["kv", "gateway-queue", "pool-saturation", "replicas", "ready-replicas", "pending-replicas"];
    // Times are not numbers of requests, even if their names say so.
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
    // Requests that wait and those that run are all that are in flight.
    let both =
        text.contains("waiting") && text.contains("running") && ["waiting", "running"].contains(&metric);
    let metric = if both { "requests" } else { metric };
    if both && !text.contains('+') {
        let differs = "requests waiting and running, whatever the query does with the two";
        r.near(path, &format!("{into}.metric = {metric}"), differs);
    } else {
        r.note(path, &format!("{into}.metric = {metric}"));
    }
    let mean = ["avg(", "avg by", "avg without", "max(", "max by", "min("].iter().any(|f| text.contains(f));
    if mean && !OF_THE_POOL.contains(&metric) {
        let fix = "give the target of the sum, if the sum is meant";
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

/// The largest of all answers holds: without a metric that is not simulated, the others still decide. Omitted metrics
/// are reported.
pub(crate) fn others_decide(r: &mut Reader<'_>, before: usize) {
    for problem in r.problems[before..].iter_mut().filter(|p| p.found.starts_with(NOT_MEASURED)) {
        problem.severity = Severity::Warning;
        "left out: the other metrics decide".clone_into(&mut problem.fix);
    }
}
