//! Import of a policy bundle: one YAML file with admission, priority, routing, scheduler and autoscale. Each is a type
//! with params; in the form of BLIS, each is a policy with its settings next to it, and the scheduler is a name.

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Configuration, Mapping, Reader, Report, Settings};
use crate::kubernetes::object;
use crate::simulators::blis::map::{BUCKET, SCORERS};
use base::import::Import;
use base::{Diagnostic, alike};
use document::named_weights;
use serde_json::{Map, Value, json};

pub(crate) const SECTIONS: [&str; 5] = ["admission", "priority", "routing", "scheduler", "autoscale"];

const ADMISSION: [&str; 5] = ["always-admit", "reject-all", "token-bucket", "rate-limit", "tenant-quota"];
const PRIORITY: [&str; 5] = ["constant", "slo-based", "inverted-slo", "tenant-priority", "deadline-aware"];
const ROUTING: [&str; 6] =
    ["round-robin", "random", "least-loaded", "always-busiest", "prefix-affinity", "weighted-scoring"];
const AUTOSCALE: [&str; 3] = ["threshold", "target-utilization", "queue-depth"];
const SCHEDULER: [&str; 4] = ["fcfs", "priority-fcfs", "sjf", "reverse-priority"];

/// A policy bundle.
pub(crate) struct PolicyBundle;

impl Import<Configuration> for PolicyBundle {
    fn name(&self) -> &'static str {
        "policy-bundle"
    }

    fn title(&self) -> &'static str {
        "a policy bundle"
    }

    fn recognises(&self, source: &Value) -> bool {
        source.as_object().is_some_and(|document| !object::is_object(source) && is_one(document))
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let settings = read(&mut r);
        r.finish(Unknown::Refused, report);
        settings
    }
}

/// Whether a document is a bundle: a section of it names a policy, or all of its keys are sections, maybe misspelt.
fn is_one(document: &Map<String, Value>) -> bool {
    let names_a_policy = |section: &&str| {
        let there = document.get(*section);
        let named = there.is_some_and(|s| s.get("type").is_some() || s.get("policy").is_some());
        named || (*section == "scheduler" && there.is_some_and(Value::is_string))
    };
    let is_section = |key: &String| SECTIONS.iter().any(|s| key == s || alike::is_slip(key, s));
    SECTIONS.iter().any(names_a_policy) || (!document.is_empty() && document.keys().all(is_section))
}

/// The policies of a bundle.
fn read(r: &mut Reader<'_>) -> Settings {
    let mut settings = Settings::default();
    let (admission, routing, priority) = (admission(r), routing(r), priority(r));
    let scheduler = scheduler(r);
    settings.scaling = autoscale(r);
    let off = |r: &Reader<'_>, section: &str| {
        let said =
            |path: &str| r.mappings.iter().any(|m| m.key == path && m.becomes.ends_with(off_of(section)));
        let is_off = said(&format!("{section}.enabled")) || said(&format!("{section}.params.enabled"));
        is_off.then(|| json!(off_of(section)))
    };
    let [admission, routing, priority, scheduler] =
        [(admission, "admission"), (routing, "routing"), (priority, "priority"), (scheduler, "scheduler")]
            .map(|(policy, section)| policy.or_else(|| off(r, section)));
    if let Some(none) = off(r, "autoscale") {
        settings.scaling = Some(Map::from_iter([("policy".to_owned(), none)]));
    }
    let policies = |named: [(&str, Option<Value>); 2]| {
        let given = named.into_iter().filter_map(|(field, policy)| Some((field.to_owned(), policy?)));
        given.collect::<Map<String, Value>>()
    };
    settings.cluster = policies([("admission", admission), ("routing", routing)]);
    settings.engine = policies([("scheduler", scheduler), ("priority", priority)]);
    preemption(r, &mut settings.engine);
    settings
}

/// The policy that a section names, and its path; a section must name one.
fn kind<'a>(r: &mut Reader<'a>, section: &str, allowed: &[&str]) -> Option<(&'a str, String)> {
    let [of_type, of_policy] = ["type", "policy"].map(|key| format!("{section}.{key}"));
    let there = r.source.get(section).is_some_and(Value::is_object);
    if is_off(r, section) {
        return None;
    }
    match (r.get(&of_type), r.get(&of_policy)) {
        (Some(_), None) => named(r, section, of_type),
        (None, Some(name)) if name == "" => {
            r.without_counterpart(&of_policy, "it names none");
            None
        }
        (None, Some(_)) => named(r, section, of_policy),
        (Some(_), Some(_)) => {
            let fix = "keep one of the two";
            r.problems.push(Diagnostic::error(section, "both a type and a policy", "one", fix));
            None
        }
        (None, None) if there => {
            let fix = format!("say which {section} policy it is");
            r.problems.push(Diagnostic::error(&of_type, "nothing", allowed.join(", "), fix));
            r.set_aside(section);
            None
        }
        (None, None) => None,
    }
}

/// Whether a section is switched off: its policy is then the one that does nothing.
fn is_off(r: &mut Reader<'_>, section: &str) -> bool {
    for path in [format!("{section}.enabled"), format!("{section}.params.enabled")] {
        if r.get(&path).is_none() {
            continue;
        }
        let off = r.flag(&path, "the section counts") == Some(false);
        if off {
            r.mappings.retain(|m| m.key != path);
            let field = match section {
                "admission" => "cluster.admission",
                "autoscale" => "scaling.policy",
                "priority" => "engine.priority",
                "scheduler" => "engine.scheduler",
                _ => "cluster.routing",
            };
            r.note(&path, &format!("{field} = {}", off_of(section)));
            r.without_counterpart_of_rest(section, "the section is switched off");
            return true;
        }
    }
    false
}

/// The policy of a section that is switched off.
fn off_of(section: &str) -> &'static str {
    match section {
        "admission" => "always-admit",
        "autoscale" => "none",
        "priority" => "constant",
        "scheduler" => "fcfs",
        _ => "round-robin",
    }
}

/// The name at a path. If it is not a name, the section's settings are not read.
fn named<'a>(r: &mut Reader<'a>, section: &str, path: String) -> Option<(&'a str, String)> {
    let name = r.word(&path);
    if name.is_none() {
        r.set_aside(section);
    }
    Some((name?, path))
}

/// Reports an unknown policy; its settings are not read.
fn unknown(r: &mut Reader<'_>, path: &str, found: &str, allowed: &[&str]) {
    r.unknown_name(path, found, allowed);
    r.set_aside(path.split('.').next().unwrap_or(path));
}

fn admission(r: &mut Reader<'_>) -> Option<Value> {
    let (kind, named) = kind(r, "admission", &ADMISSION)?;
    let field = format!("cluster.admission = {kind}");
    let of_blis = BUCKET.map(|(theirs, ..)| format!("admission.{theirs}"));
    if kind != "token-bucket" {
        for path in &of_blis {
            r.without_counterpart(path, "the policy is another");
        }
    }
    match kind {
        "always-admit" | "reject-all" => {
            r.note(&named, &field);
            Some(json!(kind))
        }
        "token-bucket" => {
            r.note(&named, &field);
            let mut p = json!({});
            let at = "cluster.admission.token-bucket";
            let of_plan = ["bucket_size", "refill_rate"].map(|key| format!("admission.params.{key}"));
            let fields = BUCKET.map(|(_, field, _)| field);
            for (paths, field) in [of_plan, of_blis].iter().flat_map(|paths| paths.iter().zip(fields)) {
                if let Some(x) = r.number(paths, &format!("{at}.{field}")) {
                    p[field] = json!(x);
                }
            }
            per_tenant(r, &mut p, at);
            Some(json!({ "token-bucket": p }))
        }
        "rate-limit" => {
            r.note(&named, &field);
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
            r.note(&named, &field);
            let mut p = json!({});
            let becomes = "cluster.admission.tenant-quota.max_in_flight";
            if let Some(n) = r.whole("admission.params.max_in_flight", becomes) {
                p["max_in_flight"] = json!(n);
            }
            Some(json!({ "tenant-quota": p }))
        }
        other => {
            unknown(r, &named, other, &ADMISSION);
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
    let (kind, named) = kind(r, "routing", &ROUTING)?;
    if kind != "weighted" && ROUTING[..5].contains(&kind) {
        r.without_counterpart("routing.scorers", "only the weighted policy scores");
    }
    match kind {
        "round-robin" | "random" | "least-loaded" | "always-busiest" => {
            r.note(&named, &format!("cluster.routing = {kind}"));
            Some(json!(kind))
        }
        "prefix-affinity" => {
            r.note(&named, "cluster.routing = weighted, with the scorer prefix-affinity alone");
            let scorers = json!([{ "scorer": "prefix-affinity", "weight": 1.0 }]);
            Some(json!({ "weighted": { "profile": "custom", "scorers": scorers } }))
        }
        "weighted" | "weighted-scoring" => Some(weighted(r, &named)),
        other => {
            unknown(r, &named, other, &ROUTING);
            None
        }
    }
}

fn weighted(r: &mut Reader<'_>, named: &str) -> Value {
    let mut scorers = listed_scorers(r);
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
    let bonus = match_bonus(r, &mut scorers);
    if scorers.is_empty() && zeros > 0 {
        let fix = "give one of them a weight above 0";
        r.problems.push(Diagnostic::error("routing.params", "no weight above 0", "at least one", fix));
    }
    if scorers.is_empty() {
        r.note(named, "cluster.routing = weighted, with the weights of its default profile");
        return json!({ "weighted": {} });
    }
    r.note(named, "cluster.routing = weighted, with the scorers that have weights");
    let mut own = json!({ "profile": "custom", "scorers": scorers });
    if let Some(bonus) = bonus {
        own["prefix_match_bonus"] = json!(bonus);
    }
    json!({ "weighted": own })
}

/// The bonus of a replica that had the beginning of the prompt lately: what its scorer gives, beside the weights of others.
fn match_bonus(r: &mut Reader<'_>, scorers: &mut Vec<Value>) -> Option<f64> {
    let path = "routing.params.prefix_match_bonus";
    if scorers.is_empty() {
        r.without_counterpart(path, "the default profile has no bonus: give the weights of its scorers, too");
        return None;
    }
    let bonus = r.number(path, "the scorer prefix-match, and its prefix_match_bonus").filter(|x| *x > 0.0)?;
    // The scorer gives 1 at most.
    scorers.push(json!({ "scorer": "prefix-match", "weight": bonus.max(1.0) }));
    Some(bonus.min(1.0))
}

/// The scorers that BLIS lists, with their weights.
fn listed_scorers(r: &mut Reader<'_>) -> Vec<Value> {
    if let Some(text) = r.source.pointer("/routing/scorers").and_then(Value::as_str) {
        return named_scorers(r, text);
    }
    let mut scorers = Vec::new();
    for i in 0..r.entries("routing.scorers") {
        let at = format!("routing.scorers.{i}");
        let [name_at, weight_at] = ["name", "weight"].map(|key| format!("{at}.{key}"));
        let weight = r.number(&weight_at, &format!("cluster.routing.weighted.scorers[{i}].weight"));
        let Some(name) = r.word(&name_at) else {
            let fix = "give its name and its weight";
            r.problems.push(Diagnostic::error(&name_at, "nothing", "the name of a scorer", fix));
            continue;
        };
        let Some((_, scorer)) = SCORERS.iter().find(|(theirs, _)| *theirs == name) else {
            r.unknown_name(&name_at, name, &SCORERS.map(|(theirs, _)| theirs));
            continue;
        };
        r.note(&name_at, &format!("the scorer {scorer}"));
        match weight {
            Some(weight) if weight > 0.0 => scorers.push(json!({ "scorer": scorer, "weight": weight })),
            found => {
                let found = found.map_or_else(|| "nothing".to_owned(), |w| w.to_string());
                let fix = "remove a scorer that should not count";
                r.problems.push(Diagnostic::error(weight_at, found, "a number above 0", fix));
            }
        }
    }
    scorers
}

/// Scorers with their weights as text, as on BLIS's command line.
fn named_scorers(r: &mut Reader<'_>, text: &str) -> Vec<Value> {
    let path = "routing.scorers";
    r.note(path, "cluster.routing.weighted.scorers");
    let (list, problems) = named_weights(text, path, &SCORERS.map(|(theirs, _)| theirs.to_owned()));
    r.problems.extend(problems);
    let ours = |name: &str| SCORERS.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours);
    let row = |(name, weight): (&str, f64)| json!({ "scorer": ours(name), "weight": weight });
    list.into_iter().map(row).collect()
}

fn priority(r: &mut Reader<'_>) -> Option<Value> {
    let (kind, named) = kind(r, "priority", &PRIORITY)?;
    match kind {
        "constant" | "inverted-slo" => {
            r.note(&named, &format!("engine.priority = {kind}"));
            Some(json!(kind))
        }
        "slo-based" => Some(slo_based(r, &named)),
        "tenant-priority" => Some(tenant_priority(r, &named)),
        "deadline-aware" => {
            r.note(&named, "engine.priority = deadline-aware");
            Some(json!({ "deadline-aware": {} }))
        }
        other => {
            unknown(r, &named, other, &PRIORITY);
            None
        }
    }
}

/// Names of tenants may contain dots, so that they are read one by one and not by path.
fn tenant_priority(r: &mut Reader<'_>, named: &str) -> Value {
    r.note(named, "engine.priority = tenant-priority");
    let path = "priority.params.tenants";
    let mut tenants = Vec::new();
    for (tenant, score) in r.get(path).and_then(Value::as_object).into_iter().flatten() {
        let key = format!("{path}.{tenant}");
        r.get(&key);
        if let Some(n) = score.as_i64() {
            let becomes = format!("engine.priority.tenant-priority.tenants[{}]", tenants.len());
            tenants.push(json!({ "tenant": tenant, "priority": n }));
            r.mappings.push(Mapping { key, found: score.to_string(), becomes, ..Mapping::default() });
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

/// The bundle's "slo-based" is our slo-class if it has scores; without scores it grows with age.
fn slo_based(r: &mut Reader<'_>, named: &str) -> Value {
    let mut scores = json!({});
    // Every class gets a score; a class that the bundle does not name would else keep our score and come first.
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
        r.note(named, "engine.priority = slo-based (by age)");
        return json!("slo-based");
    }
    r.note(named, "engine.priority = slo-class (the bundle gives a score to each class)");
    json!({ "slo-class": scores })
}

fn scheduler(r: &mut Reader<'_>) -> Option<Value> {
    if let Some(name) = r.source.get("scheduler").and_then(Value::as_str) {
        r.get("scheduler");
        return schedule(r, name, "scheduler");
    }
    let why = "priority-fcfs always goes by priority; fcfs and sjf never do";
    r.without_counterpart("scheduler.params.respect_priority", why);
    let (name, named) = kind(r, "scheduler", &SCHEDULER)?;
    schedule(r, name, &named)
}

/// Who makes room where KV blocks run out, and whether anybody does.
fn preemption(r: &mut Reader<'_>, engine: &mut Map<String, Value>) {
    const VICTIMS: [(&str, &str); 6] = [
        ("lowest-priority", "lowest-priority"),
        ("latest", "latest"),
        ("newest", "latest"),
        ("lifo", "latest"),
        ("cheapest-to-recompute", "cheapest-to-recompute"),
        ("cheapest", "cheapest-to-recompute"),
    ];
    if !r.source.get("scheduler").is_some_and(Value::is_object) {
        return;
    }
    let enabled = "scheduler.params.preemption_enabled";
    if let Some(on) = r.flag(enabled, "engine.preemption") {
        engine.insert("preemption".to_owned(), json!(on));
    }
    let policy = "scheduler.params.preemption_policy";
    let Some(name) = r.word(policy) else { return };
    match VICTIMS.iter().find(|(theirs, _)| *theirs == name.replace('_', "-")) {
        Some((_, victim)) => {
            r.note(policy, &format!("engine.victim = {victim}"));
            engine.insert("victim".to_owned(), json!(victim));
        }
        None => r.unknown(policy, "a way to choose who makes room", &VICTIMS.map(|(theirs, _)| theirs)),
    }
}

fn schedule(r: &mut Reader<'_>, name: &str, named: &str) -> Option<Value> {
    if !SCHEDULER.contains(&name) {
        unknown(r, named, name, &SCHEDULER);
        return None;
    }
    r.note(named, &format!("engine.scheduler = {name}"));
    Some(json!(name))
}

/// The autoscaler of every pool.
fn autoscale(r: &mut Reader<'_>) -> Option<Map<String, Value>> {
    let (kind, named) = kind(r, "autoscale", &AUTOSCALE)?;
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
            unknown(r, &named, other, &AUTOSCALE);
            return None;
        }
    };
    r.note(&named, &format!("scaling.policy = {kind}"));
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
