//! The policy bundle: one YAML file with admission, priority, routing, scheduler and autoscale, each a type with params.

use super::{Mapping, Reader};
use crate::base::Diagnostic;
use serde_json::{Map, Value, json};

const ADMISSION: [&str; 5] = ["always-admit", "reject-all", "token-bucket", "rate-limit", "tenant-quota"];
const PRIORITY: [&str; 5] = ["constant", "slo-based", "inverted-slo", "tenant-priority", "deadline-aware"];
const ROUTING: [&str; 6] =
    ["round-robin", "random", "least-loaded", "always-busiest", "prefix-affinity", "weighted-scoring"];
const AUTOSCALE: [&str; 3] = ["threshold", "target-utilization", "queue-depth"];
const SCHEDULER: [&str; 4] = ["fcfs", "priority-fcfs", "sjf", "reverse-priority"];

/// Puts the policies of a bundle into a scenario document. Pools all get the same scheduler and priority.
pub(super) fn apply(bundle: &Value, scenario: &mut Value) -> Result<Vec<Mapping>, Vec<Diagnostic>> {
    let mut r = Reader::new(bundle);
    let admission = admission(&mut r);
    let routing = routing(&mut r);
    let priority = priority(&mut r);
    let scheduler = scheduler(&mut r);
    let autoscale = autoscale(&mut r);
    let mappings = r.finish()?;
    let Some(root) = scenario.as_object_mut() else { return Ok(mappings) };
    let cluster = root.entry("cluster").or_insert_with(|| json!({}));
    let Some(cluster) = cluster.as_object_mut() else { return Ok(mappings) };
    for (field, policy) in [("admission", admission), ("routing", routing)] {
        if let Some(policy) = policy {
            cluster.insert(field.to_owned(), policy);
        }
    }
    // What is no list, and what in it is no pool, is told when the scenario is read.
    let pools = cluster.entry("pools").or_insert_with(|| json!([{}]));
    for pool in pools.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if let Some(settings) = &autoscale {
            let scaling = pool.entry("scaling").or_insert_with(|| json!({}));
            let Some(scaling) = scaling.as_object_mut() else { continue };
            scaling.extend(settings.clone());
        }
        let engine = pool.entry("engine").or_insert_with(|| json!({}));
        let Some(engine) = engine.as_object_mut() else { continue };
        for (field, policy) in [("scheduler", &scheduler), ("priority", &priority)] {
            if let Some(policy) = policy {
                engine.insert(field.to_owned(), policy.clone());
            }
        }
    }
    Ok(mappings)
}

fn admission(r: &mut Reader<'_>) -> Option<Value> {
    let kind = r.kind("admission", &ADMISSION)?;
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
            let becomes = "cluster.admission.tenant-quota.max_in_flight";
            if let Some(n) = r.whole("admission.params.max_in_flight", becomes) {
                p["max_in_flight"] = json!(n);
            }
            Some(json!({ "tenant-quota": p }))
        }
        other => {
            r.unknown_name("admission.type", other, &ADMISSION);
            None
        }
    }
}

fn per_tenant(r: &mut Reader<'_>, p: &mut Value, at: &str) {
    if let Some(flag) = r.flag("admission.params.per_tenant", &format!("{at}.per_tenant")) {
        p["per_tenant"] = json!(flag);
    }
}

fn routing(r: &mut Reader<'_>) -> Option<Value> {
    let kind = r.kind("routing", &ROUTING)?;
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
        "weighted" | "weighted-scoring" => Some(weighted(r)),
        other => {
            r.unknown_name("routing.type", other, &ROUTING);
            None
        }
    }
}

fn weighted(r: &mut Reader<'_>) -> Value {
    let mut scorers = Vec::new();
    let mut zeros = 0;
    for (param, scorer) in [
        ("cache_affinity_weight", "prefix-affinity"),
        ("load_balance_weight", "load-balance"),
        ("queue_depth_weight", "queue-depth"),
        ("kv_utilization_weight", "kv-utilization"),
    ] {
        let becomes = format!("weight of the scorer {scorer}; 0 leaves it out");
        let weight = r.number(&format!("routing.params.{param}"), &becomes);
        zeros += u32::from(weight.is_some_and(|w| w.abs() <= 0.0));
        match weight {
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
    if scorers.is_empty() && zeros > 0 {
        let fix = "give one of them a weight above 0";
        r.problems.push(Diagnostic::error("routing.params", "no weight above 0", "at least one", fix));
    }
    if scorers.is_empty() {
        r.note("routing.type", "cluster.routing = weighted, with the weights of its default profile");
        return json!({ "weighted": {} });
    }
    r.note("routing.type", "cluster.routing = weighted, with the scorers that have weights");
    json!({ "weighted": { "profile": "custom", "scorers": scorers } })
}

fn priority(r: &mut Reader<'_>) -> Option<Value> {
    let kind = r.kind("priority", &PRIORITY)?;
    match kind {
        "constant" | "inverted-slo" => {
            r.note("priority.type", &format!("engine.priority = {kind}"));
            Some(json!(kind))
        }
        "slo-based" => Some(slo_based(r)),
        "tenant-priority" => Some(tenant_priority(r)),
        "deadline-aware" => {
            r.note("priority.type", "engine.priority = deadline-aware");
            Some(json!({ "deadline-aware": {} }))
        }
        other => {
            r.unknown_name("priority.type", other, &PRIORITY);
            None
        }
    }
}

/// Tenants may have dots in their names, so that they are read one by one and not by path.
fn tenant_priority(r: &mut Reader<'_>) -> Value {
    r.note("priority.type", "engine.priority = tenant-priority");
    let path = "priority.params.tenants";
    let mut tenants = Vec::new();
    for (tenant, score) in r.get(path).and_then(Value::as_object).into_iter().flatten() {
        let key = format!("{path}.{tenant}");
        r.known.push(key.clone());
        if let Some(n) = score.as_i64() {
            let becomes = format!("engine.priority.tenant-priority.tenants[{}]", tenants.len());
            tenants.push(json!({ "tenant": tenant, "priority": n }));
            r.mappings.push(Mapping { key, found: score.to_string(), becomes, has_counterpart: true });
        } else {
            let fix = "write a whole number";
            r.problems.push(Diagnostic::error(key, score.to_string(), "a whole number", fix));
        }
    }
    if r.get(path).is_some_and(|tenants| !tenants.is_object()) {
        let fix = "write the names of tenants below it, each with a score";
        r.problems.push(Diagnostic::error(path, "no tenants", "a score for each tenant", fix));
    }
    let becomes = "engine.priority.tenant-priority.others";
    let others = r.score("priority.params.default_score", becomes).unwrap_or(0);
    json!({ "tenant-priority": { "tenants": tenants, "others": others } })
}

/// With scores, the bundle's "slo-based" is our slo-class; without, it grows with age.
fn slo_based(r: &mut Reader<'_>) -> Value {
    let mut scores = json!({});
    // Every class has a score, lest one that the bundle does not know keeps ours and goes before all others.
    for (param, class, like_it) in [
        ("realtime_score", "critical", None),
        ("default_score", "standard", Some("sheddable")),
        ("batch_score", "batch", Some("background")),
    ] {
        let as_well = like_it.map_or_else(String::new, |other| format!(" and .{other}"));
        let becomes = format!("engine.priority.slo-class.{class}{as_well}");
        if let Some(n) = r.score(&format!("priority.params.{param}"), &becomes) {
            for class in [class].into_iter().chain(like_it) {
                scores[class] = json!(n);
            }
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
    let kind = r.kind("scheduler", &SCHEDULER)?;
    match kind {
        "fcfs" | "priority-fcfs" | "sjf" | "reverse-priority" => {
            r.note("scheduler.type", &format!("engine.scheduler = {kind}"));
            Some(json!(kind))
        }
        other => {
            r.unknown_name("scheduler.type", other, &SCHEDULER);
            None
        }
    }
}

/// The autoscaler of every pool.
fn autoscale(r: &mut Reader<'_>) -> Option<Map<String, Value>> {
    let kind = r.kind("autoscale", &AUTOSCALE)?;
    let mut scaling = Map::new();
    for (param, field) in [("min_replicas", "min"), ("max_replicas", "max")] {
        if let Some(n) = r.whole(&format!("autoscale.params.{param}"), &format!("scaling.{field}")) {
            scaling.insert(field.to_owned(), json!(n));
        }
    }
    let params: &[(&str, &str)] = match kind {
        "threshold" | "queue-depth" => &[("scale_up_threshold", "up"), ("scale_down_threshold", "down")],
        "target-utilization" => &[("target_utilization", "target")],
        other => {
            r.unknown_name("autoscale.type", other, &AUTOSCALE);
            return None;
        }
    };
    r.note("autoscale.type", &format!("scaling.policy = {kind}"));
    let mut policy = json!({});
    for (param, field) in params.iter().chain(&[("cooldown_seconds", "cooldown_s")]) {
        let becomes = format!("scaling.policy.{kind}.{field}");
        if let Some(x) = r.number(&format!("autoscale.params.{param}"), &becomes) {
            policy[*field] = json!(x);
        }
    }
    scaling.insert("policy".to_owned(), json!({ kind: policy }));
    Some(scaling)
}
