//! Import of the router's configuration in llm-d and the Gateway API (`EndpointPickerConfig`): plugins with parameters,
//! and profiles that refer to them with weights. A profile becomes the weighted router; plugins that a router here
//! has by itself, such as those that count and remember, set its keys. Where a handler splits requests, the profile
//! `decode` becomes the router of homes and the profile `prefill` that of prefills.
//!
//! What differs: `queue-scorer` counts waiting requests, so it is `waiting-requests`; `token-load-scorer` counts
//! uncached tokens until the first one; `hashBlockSize` is in bytes of text, about four to a token.

use super::Import;
use super::configuration::kubernetes::{is_of, object};
use super::configuration::stages::{Plugin, Stages, stages};
use super::configuration::{Configuration, Reader, Report, Settings};
use crate::base::Diagnostic;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Scorers by their types.
const SCORERS: [(&str, &str); 12] = [
    ("queue-scorer", "waiting-requests"),
    ("queue-depth-scorer", "waiting-requests"),
    ("kv-cache-utilization-scorer", "kv-utilization"),
    ("prefix-cache-scorer", "prefix-affinity"),
    ("precise-prefix-cache-scorer", "precise-prefix"),
    ("running-requests-size-scorer", "running-requests"),
    ("running-request-scorer", "running-requests"),
    ("token-load-scorer", "token-load"),
    ("active-request-scorer", "active-requests"),
    ("load-aware-scorer", "load-aware"),
    ("no-hit-lru-scorer", "no-hit-lru"),
    ("lora-affinity-scorer", "lora-affinity"),
];

const AFFINITY: &str = "prefix-cache-affinity-filter";
const PICKERS: [(&str, &str); 2] =
    [("max-score-picker", "max"), ("weighted-random-picker", "weighted-random")];

/// Parameters that are keys of the weighted router: types of plugins, parameter, key.
const KEYS: [(&[&str], &str, &str); 7] = [
    (&["token-load-scorer"], "queueThresholdTokens", "token_threshold"),
    (&["load-aware-scorer"], "threshold", "waiting_threshold"),
    (&["active-request-scorer"], "idleThreshold", "idle_threshold"),
    (&["active-request-scorer"], "maxBusyScore", "max_busy_score"),
    (MEMORY, "lruCapacityPerServer", "prefix_index_blocks"),
    (MEMORY, "blockSizeTokens", "prefix_block_tokens"),
    (MEMORY, "maxPrefixTokensToMatch", "prefix_match_tokens"),
];

/// The plugins with parameters of the router's memory of prompts.
const MEMORY: &[&str] = &["prefix-cache-scorer", "approx-prefix-cache-producer"];

/// Bytes of text in a token.
const BYTES_PER_TOKEN: u64 = 4;

/// An object of this kind.
pub(super) struct EndpointPickerConfig;

impl Import<Configuration> for EndpointPickerConfig {
    fn name(&self) -> &'static str {
        "EndpointPickerConfig"
    }

    fn title(&self) -> &'static str {
        "EndpointPickerConfig"
    }

    fn recognises(&self, source: &Value) -> bool {
        is_of(source, self.name())
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut cluster = Map::new();
        let settings = object(source, report, |r| {
            cluster = routers(r);
            Vec::new()
        });
        Settings { cluster, ..settings }
    }
}

/// The plugins that a profile refers to, with their weights.
type Used<'p, 'a> = Vec<(&'p Plugin<'a>, f64)>;

/// The fields of the cluster.
fn routers(r: &mut Reader<'_>) -> Map<String, Value> {
    r.note("kind", "cluster.routing = weighted, with the profile custom");
    let plugins = plugins(r);
    let (stages, about_stages) = stages(r, &plugins);
    let mut keys = json!({ "profile": "custom", "ties": "random" });
    let keys = keys.as_object_mut().expect("an object");
    for plugin in plugins.iter().filter(|plugin| !about_stages.contains(&plugin.kind)) {
        settings(r, plugin, keys);
    }
    let routers = match &stages {
        Some(stages) => split(r, &plugins, keys, stages),
        None => router(r, &plugins, keys).map(|router| ("routing".to_owned(), router)).into_iter().collect(),
    };
    for gate in ["featureGates", "flowControl", "saturationDetector", "data", "parser"] {
        r.without_counterpart(gate, "only the plugins of the router are read");
    }
    routers
}

/// The router of all requests: the first profile; without profiles, all plugins.
fn router(r: &mut Reader<'_>, plugins: &[Plugin<'_>], keys: &Map<String, Value>) -> Option<Value> {
    let profiles = r.entries("schedulingProfiles");
    let used = if profiles == 0 {
        plugins.iter().map(|plugin| (plugin, 1.0)).collect()
    } else {
        r.note("schedulingProfiles.0.name", "the router's only profile");
        used_in(r, plugins, 0)
    };
    for i in 1..profiles {
        let why = "one profile is read, as no plugin says which requests the others are for";
        r.without_counterpart(&format!("schedulingProfiles.{i}"), why);
    }
    unused_filters(r, plugins, &[&used]);
    weighted(r, &used, keys, "schedulingProfiles")
}

/// The routers of homes and of prefills.
fn split(
    r: &mut Reader<'_>,
    plugins: &[Plugin<'_>],
    keys: &Map<String, Value>,
    stages: &Stages,
) -> Map<String, Value> {
    let mut of_stages: [Option<(usize, Used<'_, '_>)>; 2] = [None, None];
    let names = [&stages.decode, &stages.prefill];
    for i in 0..r.entries("schedulingProfiles") {
        let at = format!("schedulingProfiles.{i}");
        let name = r.word(&format!("{at}.name")).unwrap_or_default();
        let Some(stage) = names.iter().position(|of_stage| *of_stage == name) else {
            r.without_counterpart(&at, "the handler does not run this profile");
            continue;
        };
        let becomes = ["cluster.routing", "cluster.disaggregation.prefill_routing"][stage];
        r.note(&format!("{at}.name"), becomes);
        of_stages[stage] = Some((i, used_in(r, plugins, i)));
    }
    for (name, _) in names.iter().zip(&of_stages).filter(|(_, found)| found.is_none()) {
        let fix = "add the profile, or give its name in the parameters of the handler";
        let found = format!("no profile with the name {name}");
        r.problems.push(Diagnostic::error("schedulingProfiles", found, "profiles of both stages", fix));
    }
    let [Some((home_at, home)), Some((prefill_at, prefill))] = of_stages else { return Map::new() };
    unused_filters(r, plugins, &[&home, &prefill]);
    let mut routing_of = |i: usize, used: &[(&Plugin<'_>, f64)]| {
        if used.iter().any(|(plugin, _)| plugin.kind.ends_with("-scorer") || plugin.kind == AFFINITY) {
            weighted(r, used, keys, &format!("schedulingProfiles.{i}"))
        } else {
            // Without scores all are equal, and ties are broken at random.
            Some(json!("random"))
        }
    };
    let (home, prefill) = (routing_of(home_at, &home), routing_of(prefill_at, &prefill));
    // A filter of both profiles is read twice.
    let mut told = BTreeSet::new();
    r.mappings.retain(|mapping| told.insert(mapping.key.clone()));
    let mut apart = json!({ "decider": stages.decider });
    if let Some(prefill) = prefill {
        apart["prefill_routing"] = prefill;
    }
    let routing = home.map(|home| ("routing".to_owned(), home));
    routing.into_iter().chain([("disaggregation".to_owned(), apart)]).collect()
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

/// What a plugin becomes, and the keys that its parameters set.
fn settings(r: &mut Reader<'_>, plugin: &Plugin<'_>, keys: &mut Map<String, Value>) {
    let Plugin { at, kind, .. } = plugin;
    let type_at = format!("{at}.type");
    if let Some((_, scorer)) = SCORERS.iter().find(|(theirs, _)| theirs == kind) {
        r.note(&type_at, &format!("the scorer {scorer}"));
    } else if let Some((_, picker)) = PICKERS.iter().find(|(theirs, _)| theirs == kind) {
        r.note(&type_at, &format!("cluster.routing.weighted.picker = {picker}"));
    } else if *kind == AFFINITY {
        r.note(&type_at, "the filter prefix-affinity");
    } else if *kind == "approx-prefix-cache-producer" {
        r.note(&type_at, "the router's memory of prompts");
    } else if *kind == "inflight-load-producer" {
        r.note(&type_at, "what the router counts of the requests that it sent");
        let why = "answers do not count as tokens in flight";
        for key in ["addEstimatedOutputTokens", "outputRatio", "maxEstimatedOutputTokens"] {
            r.without_counterpart(&format!("{at}.parameters.{key}"), why);
        }
    } else if *kind == "single-profile-handler" {
        r.note(&type_at, "one profile for all requests, as here");
    } else {
        r.without_counterpart(&type_at, "this plugin is not simulated");
        r.without_counterpart(&format!("{at}.parameters"), "this plugin is not simulated");
    }
    if *kind == "token-load-scorer" {
        keys.insert("token_count".to_owned(), json!("uncached"));
        keys.insert("token_until".to_owned(), json!("first-token"));
    }
    // llm-d's memory since 1.0; parameters may set it otherwise.
    if *kind == AFFINITY || *kind == "approx-prefix-cache-producer" {
        for (key, usual) in
            [("prefix_index_blocks", 31_250), ("prefix_block_tokens", 64), ("prefix_match_tokens", 131_072)]
        {
            keys.entry(key).or_insert_with(|| json!(usual));
        }
    }
    for (_, parameter, key) in KEYS.iter().filter(|(kinds, ..)| kinds.contains(kind)) {
        let becomes = format!("cluster.routing.weighted.{key}");
        let path = format!("{at}.parameters.{parameter}");
        let number = if *key == "max_busy_score" {
            r.number(&path, &becomes).map(|x| json!(x))
        } else {
            r.whole(&path, &becomes).map(|n| json!(n))
        };
        keys.extend(number.map(|number| ((*key).to_owned(), number)));
    }
    if MEMORY.contains(kind) {
        former_memory(r, at, keys);
    }
}

/// The keys of the memory before blocks were counted in tokens.
fn former_memory(r: &mut Reader<'_>, at: &str, keys: &mut Map<String, Value>) {
    let [bytes_at, blocks_at, tune_at] =
        ["hashBlockSize", "maxPrefixBlocksToMatch", "autoTune"].map(|key| format!("{at}.parameters.{key}"));
    let bytes = r.get(&bytes_at).and_then(Value::as_u64).unwrap_or(64);
    r.without_counterpart(&bytes_at, "it is in bytes of text; blocks are as large as those of the pool");
    if let Some(blocks) =
        r.whole(&blocks_at, "cluster.routing.weighted.prefix_match_tokens, four bytes to a token")
    {
        let tokens = blocks.saturating_mul(bytes) / BYTES_PER_TOKEN;
        keys.insert("prefix_match_tokens".to_owned(), json!(tokens));
    }
    r.without_counterpart(&tune_at, "sizes stay as they are given");
}

/// The plugins that a profile refers to, with their weights.
fn used_in<'p, 'a>(
    r: &mut Reader<'_>,
    plugins: &'p [Plugin<'a>],
    profile: usize,
) -> Vec<(&'p Plugin<'a>, f64)> {
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
        r.note(&ref_at, &format!("the plugin of type {}", plugin.kind));
        let weight = r.number(&weight_at, "the weight of its scorer");
        used.push((plugin, weight.unwrap_or(1.0)));
    }
    used
}

/// Filters that no profile refers to do nothing.
fn unused_filters(r: &mut Reader<'_>, plugins: &[Plugin<'_>], profiles: &[&[(&Plugin<'_>, f64)]]) {
    for plugin in plugins.iter().filter(|p| p.kind == AFFINITY) {
        let mut used = profiles.iter().flat_map(|profile| profile.iter());
        if !used.any(|(of_profile, _)| of_profile.at == plugin.at) {
            let why = "the profile does not refer to this plugin";
            r.without_counterpart(&format!("{}.parameters", plugin.at), why);
        }
    }
}

/// The weighted router with the scorers, filters and picker of a profile.
fn weighted(
    r: &mut Reader<'_>,
    used: &[(&Plugin<'_>, f64)],
    keys: &Map<String, Value>,
    at: &str,
) -> Option<Value> {
    let mut weighted = keys.clone();
    let (mut scorers, mut filters) = (Vec::new(), Vec::new());
    for (plugin, weight) in used {
        if let Some((_, scorer)) = SCORERS.iter().find(|(theirs, _)| *theirs == plugin.kind) {
            scorers.push(json!({ "scorer": scorer, "weight": weight }));
        } else if let Some((_, picker)) = PICKERS.iter().find(|(theirs, _)| *theirs == plugin.kind) {
            weighted.insert("picker".to_owned(), json!(picker));
        } else if plugin.kind == AFFINITY {
            filters.push(affinity(r, &plugin.at));
        }
    }
    if scorers.is_empty() {
        let fix = "refer to a scorer in the profile, such as queue-scorer";
        let found = "no scorer that has a counterpart";
        r.problems.push(Diagnostic::error(at, found, "at least one", fix));
        return None;
    }
    weighted.insert("scorers".to_owned(), Value::Array(scorers));
    if !filters.is_empty() {
        weighted.insert("filters".to_owned(), Value::Array(filters));
    }
    Some(json!({ "weighted": weighted }))
}

/// The filter of prefixes, with llm-d's peak where none is given.
fn affinity(r: &mut Reader<'_>, at: &str) -> Value {
    let mut filter = json!({ "peak_prefill_tokens_per_s": 15_928 });
    for (parameter, key) in [
        ("affinityThreshold", "threshold"),
        ("explorationProbability", "exploration"),
        ("maxTTFTPenaltyMs", "max_ttft_penalty_ms"),
        ("peakPrefillThroughput", "peak_prefill_tokens_per_s"),
    ] {
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
