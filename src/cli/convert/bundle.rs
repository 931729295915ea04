//! The policy bundle: one YAML file with admission, priority, routing, scheduler and autoscale, each a type with params.

use super::{Mapping, Reader};
use crate::base::Diagnostic;
use serde_json::{Value, json};

/// Puts the policies of a bundle into a scenario document. Pools all get the same scheduler and priority.
pub(crate) fn apply(bundle: &Value, scenario: &mut Value) -> Result<Vec<Mapping>, Vec<Diagnostic>> {
    let mut r = Reader::new(bundle);
    let admission = admission(&mut r);
    let routing = routing(&mut r);
    let priority = priority(&mut r);
    let scheduler = scheduler(&mut r);
    autoscale(&mut r);
    let mappings = r.finish()?;
    let Some(root) = scenario.as_object_mut() else { return Ok(mappings) };
    let cluster = root.entry("cluster").or_insert_with(|| json!({}));
    for (field, policy) in [("admission", admission), ("routing", routing)] {
        if let Some(policy) = policy {
            cluster[field] = policy;
        }
    }
    if cluster.get("pools").is_none() {
        cluster["pools"] = json!([{}]);
    }
    for pool in cluster["pools"].as_array_mut().into_iter().flatten() {
        for (field, policy) in [("scheduler", &scheduler), ("priority", &priority)] {
            if let (Some(policy), Some(pool)) = (policy, pool.as_object_mut()) {
                pool.entry("engine").or_insert_with(|| json!({}))[field] = policy.clone();
            }
        }
    }
    Ok(mappings)
}

fn admission(r: &mut Reader<'_>) -> Option<Value> {
    let kind = r.word("admission.type")?;
    let field = format!("cluster.admission = {kind}");
    match kind {
        "always-admit" | "reject-all" => {
            r.note("admission.type", &field);
            Some(json!(kind))
        }
        "token-bucket" => {
            r.note("admission.type", &field);
            let mut p = json!({});
            let at = "cluster.admission.token-bucket";
            if let Some(x) = r.number("admission.params.bucket_size", &format!("{at}.capacity_tokens")) {
                p["capacity_tokens"] = json!(x);
            }
            if let Some(x) = r.number("admission.params.refill_rate", &format!("{at}.refill_tokens_per_s")) {
                p["refill_tokens_per_s"] = json!(x);
            }
            per_tenant(r, &mut p, at);
            Some(json!({ "token-bucket": p }))
        }
        "rate-limit" => {
            r.note("admission.type", &field);
            let mut p = json!({});
            let at = "cluster.admission.rate-limit";
            if let Some(x) = r.number("admission.params.requests_per_second", &format!("{at}.requests_per_s"))
            {
                p["requests_per_s"] = json!(x);
            }
            if let Some(n) = r.whole("admission.params.burst", &format!("{at}.burst")) {
                p["burst"] = json!(n);
            }
            per_tenant(r, &mut p, at);
            Some(json!({ "rate-limit": p }))
        }
        "tenant-quota" => {
            r.note("admission.type", &field);
            let mut p = json!({});
            let becomes = "cluster.admission.tenant-quota.most_in_flight";
            if let Some(n) = r.whole("admission.params.max_in_flight", becomes) {
                p["most_in_flight"] = json!(n);
            }
            Some(json!({ "tenant-quota": p }))
        }
        other => {
            let allowed = ["always-admit", "reject-all", "token-bucket", "rate-limit", "tenant-quota"];
            r.unknown_name("admission.type", other, &allowed);
            None
        }
    }
}

fn per_tenant(r: &mut Reader<'_>, p: &mut Value, at: &str) {
    if let Some(flag) = r.get("admission.params.per_tenant") {
        r.note("admission.params.per_tenant", &format!("{at}.per_tenant"));
        p["per_tenant"] = flag.clone();
    }
}

fn routing(r: &mut Reader<'_>) -> Option<Value> {
    let kind = r.word("routing.type")?;
    match kind {
        "round-robin" | "random" | "least-loaded" | "always-busiest" => {
            r.note("routing.type", &format!("cluster.routing = {kind}"));
            Some(json!(kind))
        }
        "prefix-affinity" => {
            r.note("routing.type", "cluster.routing = weighted, with the scorer prefix-affinity alone");
            let scorers = json!([{ "scorer": "prefix-affinity", "weight": 1.0 }]);
            Some(json!({ "weighted": { "profile": "custom", "scorers": scorers } }))
        }
        "weighted" | "weighted-scoring" => {
            r.note("routing.type", "cluster.routing = weighted");
            Some(weighted(r))
        }
        other => {
            let allowed = [
                "round-robin",
                "random",
                "least-loaded",
                "always-busiest",
                "prefix-affinity",
                "weighted-scoring",
            ];
            r.unknown_name("routing.type", other, &allowed);
            None
        }
    }
}

fn weighted(r: &mut Reader<'_>) -> Value {
    let mut scorers = Vec::new();
    for (param, scorer) in [
        ("cache_affinity_weight", "prefix-affinity"),
        ("load_balance_weight", "load-balance"),
        ("queue_depth_weight", "queue-depth"),
        ("kv_utilization_weight", "kv-utilization"),
    ] {
        let becomes = format!("weight of the scorer {scorer}");
        match r.number(&format!("routing.params.{param}"), &becomes) {
            Some(weight) if weight > 0.0 => scorers.push(json!({ "scorer": scorer, "weight": weight })),
            Some(weight) if weight < 0.0 => {
                let path = format!("routing.params.{param}");
                let problem =
                    Diagnostic::error(path, weight.to_string(), "0 or more", "0 leaves the scorer out");
                r.problems.push(problem);
            }
            _ => {}
        }
    }
    let why = "prefix-affinity scores the share of the prompt that is cached, without a bonus";
    r.without_counterpart("routing.params.prefix_match_bonus", why);
    if scorers.is_empty() {
        return json!({ "weighted": {} });
    }
    json!({ "weighted": { "profile": "custom", "scorers": scorers } })
}

fn priority(r: &mut Reader<'_>) -> Option<Value> {
    let kind = r.word("priority.type")?;
    match kind {
        "constant" | "inverted-slo" => {
            r.note("priority.type", &format!("engine.priority = {kind}"));
            Some(json!(kind))
        }
        "slo-based" => Some(slo_based(r)),
        "tenant-priority" => {
            r.note("priority.type", "engine.priority = tenant-priority");
            let mut tenants = Vec::new();
            if let Some(named) = r.get("priority.params.tenants").and_then(Value::as_object) {
                for tenant in named.keys() {
                    let path = format!("priority.params.tenants.{tenant}");
                    if let Some(x) = r.number(&path, "tenant-priority.tenants") {
                        tenants.push(json!({ "tenant": tenant, "priority": x as i64 }));
                    }
                }
            }
            let others = r.number("priority.params.default_score", "tenant-priority.others").unwrap_or(0.0);
            Some(json!({ "tenant-priority": { "tenants": tenants, "others": others as i64 } }))
        }
        "deadline-aware" => {
            r.note("priority.type", "engine.priority = deadline-aware");
            Some(json!({ "deadline-aware": {} }))
        }
        other => {
            let allowed = ["constant", "slo-based", "inverted-slo", "tenant-priority", "deadline-aware"];
            r.unknown_name("priority.type", other, &allowed);
            None
        }
    }
}

/// With scores, the bundle's "slo-based" is our slo-class; without, it grows with age.
fn slo_based(r: &mut Reader<'_>) -> Value {
    let mut scores = json!({});
    for (param, class) in
        [("realtime_score", "critical"), ("default_score", "standard"), ("batch_score", "batch")]
    {
        let becomes = format!("engine.priority.slo-class.{class}");
        if let Some(x) = r.number(&format!("priority.params.{param}"), &becomes) {
            scores[class] = json!(x as i64);
        }
    }
    if scores.as_object().is_some_and(serde_json::Map::is_empty) {
        r.note("priority.type", "engine.priority = slo-based (by age)");
        return json!("slo-based");
    }
    r.note("priority.type", "engine.priority = slo-class (the bundle gives a score to each class)");
    json!({ "slo-class": scores })
}

fn scheduler(r: &mut Reader<'_>) -> Option<Value> {
    let why = "priority-fcfs always goes by priority; fcfs and sjf never do";
    r.without_counterpart("scheduler.params.respect_priority", why);
    let why = "preemption happens only when KV blocks run out";
    r.without_counterpart("scheduler.params.preemption_enabled", why);
    let why = "the last member of the batch is preempted, as in vLLM";
    r.without_counterpart("scheduler.params.preemption_policy", why);
    let kind = r.word("scheduler.type")?;
    match kind {
        "fcfs" | "priority-fcfs" | "sjf" | "reverse-priority" => {
            r.note("scheduler.type", &format!("engine.scheduler = {kind}"));
            Some(json!(kind))
        }
        other => {
            let allowed = ["fcfs", "priority-fcfs", "sjf", "reverse-priority"];
            r.unknown_name("scheduler.type", other, &allowed);
            None
        }
    }
}

fn autoscale(r: &mut Reader<'_>) {
    let why = "the fleet has a fixed size; change it with an edit";
    for key in ["type", "params.scale_up_threshold", "params.scale_down_threshold", "params.cooldown_seconds"]
    {
        r.without_counterpart(&format!("autoscale.{key}"), why);
    }
}
