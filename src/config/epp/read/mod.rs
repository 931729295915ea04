//! Import of the router's configuration in llm-d and the Gateway API (`EndpointPickerConfig`): plugins with parameters,
//! and profiles that refer to them with weights. A profile becomes the weighted router; plugins that a router here
//! has by itself, such as those that count and remember, set its keys. Where a handler splits requests, the profile
//! `decode` becomes the router of homes and the profile `prefill` that of prefills.
//!
//! What differs: `queue-scorer` counts waiting requests, so it is `waiting-requests`; `token-load-scorer` counts
//! uncached tokens until the first one; `blockSize` and `hashBlockSize` are in bytes of text, about four to a token.
//! `plugins` reads the plugins, `flow` flow control and admission.

pub(crate) mod flow;
pub(crate) mod kept;
mod labels;
pub(crate) mod plugins;
pub(crate) mod stages;

use crate::epp::map::{self, AFFINITY, STAYS};
use crate::epp::read::plugins::{
    HEADROOM, PICKERS, RANDOM, SESSION, SHEDS, UTILIZATION, is_of_flow, scorer, scores, settings, takes_part,
};
use crate::epp::read::stages::{Plugin, Stages, Used, stages};
use crate::import::configuration::Reader;
use crate::kubernetes::object::{ObjectKind, object};
use base::Diagnostic;
use document::limits;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// An object of this kind.
pub(crate) const ENDPOINT_PICKER_CONFIG: ObjectKind = ObjectKind {
    kind: "EndpointPickerConfig",
    read: |source, report| {
        object(source, report, |r| {
            routers(r);
            Vec::new()
        })
    },
};

/// All plugins, and the keys of the weighted router that their parameters set.
struct Read<'p, 'a> {
    plugins: &'p [Plugin<'a>],
    keys: Map<String, Value>,
}

/// Sets the fields of the cluster.
fn routers(r: &mut Reader<'_>) {
    r.note("kind", "cluster.routing");
    let plugins = plugins(r);
    let (stages, about_stages) = stages(r, &plugins);
    let mut keys = Map::new();
    keys.insert("profile".to_owned(), json!("custom"));
    keys.insert("ties".to_owned(), json!("random"));
    for plugin in plugins.iter().filter(|p| !about_stages.contains(&p.kind) && !is_of_flow(p.kind)) {
        settings(r, plugin, &plugins, &mut keys);
    }
    let all = Read { plugins: &plugins, keys };
    let used = match &stages {
        Some(stages) => split(r, &all, stages),
        None => router(r, &all),
    };
    flow::flow(r, &plugins, &|at| used.iter().any(|own| own == at));
    for section in ["data", "dataLayer", "parser", "requestHandler"] {
        r.without_counterpart(section, "the router sees every replica, and requests have no text to parse");
    }
    r.without_counterpart(
        "profileHandler",
        "the profiles decode and prefill need a disagg-profile-handler here",
    );
}

/// The router of all requests: the first profile; without profiles, all plugins. Returns the plugins in use.
fn router(r: &mut Reader<'_>, all: &Read<'_, '_>) -> Vec<String> {
    let profiles = r.entries("schedulingProfiles");
    let used: Used<'_, '_> = if profiles == 0 {
        all.plugins.iter().map(|plugin| (plugin, String::new(), 1.0)).collect()
    } else {
        r.note("schedulingProfiles.0.name", "the router's only profile");
        used_in(r, all.plugins, 0)
    };
    for i in 1..profiles {
        let why = "one profile is read, as no plugin says which requests the others are for";
        r.without_counterpart(&format!("schedulingProfiles.{i}"), why);
    }
    unused_filters(r, all.plugins, &[&used]);
    if let Some(routing) = routing_of(r, all, &used, "schedulingProfiles", "cluster.routing") {
        r.set("kind", "cluster.routing", routing);
    }
    used.iter().map(|(plugin, ..)| plugin.at.clone()).collect()
}

/// The routers of homes and of prefills. Returns the plugins in use.
fn split(r: &mut Reader<'_>, all: &Read<'_, '_>, stages: &Stages) -> Vec<String> {
    const FIELDS: [&str; 2] = ["cluster.routing", "cluster.disaggregation.prefill_routing"];
    let mut of_stages: [Option<(usize, Used<'_, '_>)>; 2] = [None, None];
    let names = [&stages.decode, &stages.prefill];
    for i in 0..r.entries("schedulingProfiles") {
        let at = format!("schedulingProfiles.{i}");
        let name = r.word(&format!("{at}.name")).unwrap_or_default();
        let Some(stage) = names.iter().position(|of_stage| *of_stage == name) else {
            r.without_counterpart(&at, "the handler does not run this profile");
            continue;
        };
        r.note(&format!("{at}.name"), FIELDS[stage]);
        of_stages[stage] = Some((i, used_in(r, all.plugins, i)));
    }
    for (name, _) in names.iter().zip(&of_stages).filter(|(_, found)| found.is_none()) {
        let fix = "add the profile, or give its name in the parameters of the handler";
        let found = format!("no profile with the name {name}");
        r.problems.push(Diagnostic::error("schedulingProfiles", found, "profiles of both stages", fix));
    }
    let [Some((home_at, home)), Some((prefill_at, prefill))] = of_stages else { return Vec::new() };
    unused_filters(r, all.plugins, &[&home, &prefill]);
    let at = |i: usize| format!("schedulingProfiles.{i}");
    let routing = routing_of(r, all, &home, &at(home_at), FIELDS[0]);
    let prefill_routing = routing_of(r, all, &prefill, &at(prefill_at), FIELDS[1]);
    // A filter of both profiles is read twice.
    let mut told = BTreeSet::new();
    r.mappings.retain(|mapping| told.insert(mapping.key.clone()));
    labels::roles(r, &home, &prefill);
    let mut apart = json!({ "decider": stages.decider });
    if let Some(prefill_routing) = prefill_routing {
        apart["prefill_routing"] = prefill_routing;
    }
    if let Some(routing) = routing {
        r.set("kind", FIELDS[0], routing);
    }
    r.set(&format!("{}.name", at(prefill_at)), "cluster.disaggregation", apart);
    home.iter().chain(&prefill).map(|(plugin, ..)| plugin.at.clone()).collect()
}

fn plugins<'a>(r: &mut Reader<'a>) -> Vec<Plugin<'a>> {
    let mut plugins = Vec::new();
    for i in 0..r.entries("plugins") {
        let at = format!("plugins.{i}");
        let Some(kind) = r.word(&format!("{at}.type")) else {
            let fix = "give the type of the plugin";
            r.problems.push(Diagnostic::error(format!("{at}.type"), "no type", "the type of a plugin", fix));
            r.set_aside(&at);
            continue;
        };
        let name_at = format!("{at}.name");
        let name = r.word(&name_at).unwrap_or(kind);
        r.note(&name_at, "the plugin, where profiles name it");
        plugins.push(Plugin { at, kind, name });
    }
    plugins
}

/// The plugins that a profile refers to, with their weights.
fn used_in<'p, 'a>(r: &mut Reader<'_>, plugins: &'p [Plugin<'a>], profile: usize) -> Used<'p, 'a> {
    let at = format!("schedulingProfiles.{profile}");
    let mut used = Vec::new();
    for k in 0..r.entries(&format!("{at}.plugins")) {
        let [ref_at, weight_at] = ["pluginRef", "weight"].map(|key| format!("{at}.plugins.{k}.{key}"));
        let Some(name) = r.word(&ref_at) else { continue };
        let Some(plugin) = plugins.iter().find(|plugin| plugin.name == name) else {
            let names: Vec<&str> = plugins.iter().map(|plugin| plugin.name).collect();
            r.unknown_name(&ref_at, name, &names);
            continue;
        };
        if takes_part(plugin.kind)
            || ["decode-filter", "prefill-filter"].contains(&plugin.kind)
            || labels::is_filter(plugin.kind)
        {
            r.note(&ref_at, &format!("the plugin of type {}", plugin.kind));
        } else {
            r.without_counterpart(&ref_at, "this plugin is not simulated");
        }
        let weight = if !takes_part(plugin.kind) {
            r.without_counterpart(&weight_at, "this plugin is not simulated");
            None
        } else if scores(plugin.kind) && !SESSION.contains(&plugin.kind) {
            r.number(&weight_at, "the weight of its scorer")
        } else {
            r.without_counterpart(&weight_at, "filters and pickers have no weight");
            None
        };
        used.push((plugin, weight_at, weight.unwrap_or(1.0)));
    }
    used
}

/// Filters that no profile refers to do nothing.
fn unused_filters(r: &mut Reader<'_>, plugins: &[Plugin<'_>], profiles: &[&Used<'_, '_>]) {
    for plugin in plugins.iter().filter(|p| [AFFINITY, HEADROOM, "utilization-filter"].contains(&p.kind)) {
        let mut used = profiles.iter().flat_map(|profile| profile.iter());
        if !used.any(|(of_profile, ..)| of_profile.at == plugin.at) {
            let why = "the profile does not refer to this plugin";
            r.without_counterpart(&format!("{}.parameters", plugin.at), why);
        }
    }
}

/// The router of a profile, for a field of the cluster.
fn routing_of(
    r: &mut Reader<'_>,
    all: &Read<'_, '_>,
    used: &Used<'_, '_>,
    at: &str,
    field: &str,
) -> Option<Value> {
    let kinds: Vec<&str> = used.iter().map(|(plugin, ..)| plugin.kind).collect();
    let filters = kinds.iter().any(|kind| [AFFINITY, HEADROOM].contains(kind) || UTILIZATION.contains(kind));
    let sessions = kinds.iter().any(|kind| SESSION.contains(kind));
    let counts = |kind: &&str| scores(kind) && !SESSION.contains(kind);
    let (scoring, ours) = (kinds.iter().any(&counts), kinds.iter().any(|k| counts(k) && takes_part(k)));
    let random = kinds.contains(&RANDOM) || !scoring;
    let refused = r.problems.iter().any(|d| d.path.starts_with(at) && d.path.ends_with("pluginRef"));
    if (scoring || refused) && !ours {
        if refused || kinds.is_empty() {
            let fix = "refer to a scorer in the profile, such as queue-scorer";
            let found = "no scorer that has a counterpart";
            r.problems.push(Diagnostic::error(at, found, "at least one", fix));
        } else {
            let fix = "choose a router here: cluster.routing stays as it is";
            let found = "no scorer that has a counterpart: the profile sets no router";
            r.problems.push(Diagnostic::warning(at, found, "at least one", fix));
        }
        return None;
    }
    if random && !filters {
        // Without scores all replicas are equal, and ties are broken at random.
        return Some(if sessions {
            json!({ "session-affinity": { "mode": "sticky" } })
        } else {
            json!("random")
        });
    }
    Some(weighted(r, all, used, field, random))
}

/// The weighted router with the scorers, filters and picker of a profile. `random` leaves the scores out.
fn weighted(r: &mut Reader<'_>, all: &Read<'_, '_>, used: &Used<'_, '_>, field: &str, random: bool) -> Value {
    let mut weighted = all.keys.clone();
    let (mut scorers, mut filters) = (Vec::new(), Vec::new());
    for (plugin, weight_at, weight) in used {
        let producer =
            r.get(&format!("{}.parameters.prefixMatchInfoProducerName", plugin.at)).and_then(Value::as_str);
        if SESSION.contains(&plugin.kind) {
            filters.push(json!({ "session": {} }));
        } else if let Some(scorer) = scorer(plugin, all.plugins, producer) {
            // Only tiers that have a worth tell blocks of the caches apart.
            let by_tier = scorer == "precise-prefix" && weighted.contains_key("tier_weights");
            let scorer = if by_tier { "tier-prefix" } else { scorer };
            let field = format!("{field}.weighted.scorers[{}].weight", scorers.len());
            r.field(weight_at, &field, &json!(weight));
            scorers.push(json!({ "scorer": scorer, "weight": weight }));
        } else if let Some((_, picker)) = PICKERS.iter().find(|(theirs, _)| *theirs == plugin.kind) {
            if *picker != "random" {
                weighted.insert("picker".to_owned(), json!(picker));
            }
        } else if plugin.kind == AFFINITY {
            filters.push(affinity(r, &plugin.at));
        } else if plugin.kind == HEADROOM {
            let shed = all.plugins.iter().any(|p| p.kind == SHEDS);
            filters.push(headroom(r, &plugin.at, shed));
        } else if UTILIZATION.contains(&plugin.kind) {
            filters.push(utilization(r, plugin));
        }
    }
    if random {
        // Equal scores leave the choice to the random ties.
        scorers = vec![json!({ "scorer": { "expression": "1" }, "weight": 1.0 })];
    }
    weighted.insert("scorers".to_owned(), Value::Array(scorers));
    if !filters.is_empty() {
        weighted.insert("filters".to_owned(), Value::Array(filters));
    }
    json!({ "weighted": weighted })
}

/// The filter of predicted objectives.
fn headroom(r: &mut Reader<'_>, at: &str, shed: bool) -> Value {
    let mut filter = json!({});
    if let Some(x) = r.number(&format!("{at}.parameters.epsilon"), "epsilon of the filter slo-headroom") {
        filter["epsilon"] = json!(x);
    }
    if shed {
        filter["shed"] = json!(true);
    }
    r.without_counterpart_of_rest(&format!("{at}.parameters"), "the pool's latency model predicts");
    json!({ "slo-headroom": filter })
}

/// The filter of limits: of a filter by its conditions, of a detector by its thresholds.
fn utilization(r: &mut Reader<'_>, plugin: &Plugin<'_>) -> Value {
    let at = &plugin.at;
    let mut conditions = Vec::new();
    if plugin.kind == "utilization-detector" {
        r.note(&format!("{at}.type"), "the filter utilization");
        let mut number = |key: &str, usual: f64| {
            let becomes = "a limit of the filter utilization";
            r.number(&format!("{at}.parameters.{key}"), becomes).unwrap_or(usual)
        };
        let room = 1.0 + number("headroom", 0.0);
        let [queue, kv] = map::UTILIZATION.map(|own| number(own.theirs, own.usual) * room);
        let (queue, kv) = (queue.min(f64::from(limits::IN_FLIGHT)), kv.min(1.0));
        r.without_counterpart_of_rest(&format!("{at}.parameters"), "a filter sees what the router sees");
        conditions.push(json!({ "metric": "waiting-requests", "max": queue }));
        conditions.push(json!({ "metric": "kv-utilization", "max": kv }));
        return json!({ "utilization": { "conditions": conditions, "fallback": "all" } });
    }
    for i in 0..r.entries(&format!("{at}.parameters.conditions")) {
        let one = format!("{at}.parameters.conditions.{i}");
        let name = r.word(&format!("{one}.metric")).unwrap_or_default().to_lowercase();
        let known = [
            ("kv", "kv-utilization"),
            ("cache", "kv-utilization"),
            ("waiting", "waiting-requests"),
            ("queue", "waiting-requests"),
            ("running", "running-requests"),
            ("active", "active-requests"),
            ("inflight", "active-requests"),
        ];
        let Some((_, metric)) = known.iter().find(|(part, _)| name.contains(part)) else {
            r.unknown(&format!("{one}.metric"), "a metric that is not measured here", &[]);
            r.without_counterpart(&format!("{one}.maxValue"), "its metric is not measured here");
            continue;
        };
        r.note(&format!("{one}.metric"), &format!("a limit of the filter utilization on {metric}"));
        if let Some(max) = r.number(&format!("{one}.maxValue"), "a limit of the filter utilization") {
            conditions.push(json!({ "metric": metric, "max": max }));
        }
    }
    let mut filter = json!({ "conditions": conditions });
    if let Some(all) =
        r.flag(&format!("{at}.parameters.fallbackOnEmpty"), "fallback of the filter utilization")
    {
        filter["fallback"] = json!(if all { "all" } else { "refuse" });
    }
    json!({ "utilization": filter })
}

/// The filter of prefixes, with llm-d's peak where none is given.
fn affinity(r: &mut Reader<'_>, at: &str) -> Value {
    let mut filter = json!({ "peak_prefill_tokens_per_s": 15_928 });
    let peak = ("peakPrefillThroughput", "peak_prefill_tokens_per_s");
    for (parameter, key) in STAYS.iter().map(|own| (own.theirs, own.field)).chain([peak]) {
        let becomes = format!("{key} of the filter prefix-affinity");
        if let Some(x) = r.number(&format!("{at}.parameters.{parameter}"), &becomes) {
            filter[key] =
                if key == "peak_prefill_tokens_per_s" { json!(x.max(0.0) as u64) } else { json!(x) };
        }
    }
    let source = format!("{at}.parameters.ttftSource");
    match r.get(&source).and_then(Value::as_str) {
        Some("prefillThroughput") => r.note(&source, "tokens in flight over the peak, the only source here"),
        _ => r.without_counterpart(&source, "times come from tokens in flight over the peak"),
    }
    json!({ "prefix-affinity": filter })
}
