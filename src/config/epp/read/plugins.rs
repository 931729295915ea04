//! Plugins of llm-d's router: what each type becomes here, and the keys of the weighted router that parameters set.

use crate::capability::Capability::{BlockSizes, CacheSight, RouterSight};
use crate::epp::map::{
    AFFINITY, APPROXIMATE, BLOCK, FORMER_BLOCK, MEMORY, MEMORY_PLUGINS, OTHERS, PREDICTION, PROGRAM_AWARE,
    Parameter, SCORERS, parameters_of,
};
use crate::epp::read::kept::{HEAD_HINT, SOURCE, WHOLE_HINT, kv_hint, kv_source, tier_weights};
use crate::epp::read::stages::Plugin;
use crate::import::configuration::reader::Reader;
use serde_json::{Map, Value, json};

const LATENCY: &str = "predicted-latency";
pub(crate) const UTILIZATION: [&str; 2] = ["utilization-filter", "utilization-detector"];
pub(crate) const SESSION: [&str; 2] = ["session-affinity-scorer", "session-affinity-filter"];
pub(crate) const HEADROOM: &str = "slo-headroom-tier-filter";
pub(crate) const SHEDS: &str = "latency-slo-admitter";
const PRECISE: &str = "precise-prefix-cache-producer";
const BURST: &str = "burst-prefix-cache-producer";

pub(crate) const PICKERS: [(&str, &str); 3] =
    [("max-score-picker", "max"), ("weighted-random-picker", "weighted-random"), (RANDOM, "random")];
pub(crate) const RANDOM: &str = "random-picker";

/// Fewest tokens of a block in llm-d's memory of prompts.
const LEAST_BLOCK: u64 = 64;

/// Bytes of text in a token.
const BYTES_PER_TOKEN: u64 = 4;
const IN_TOKENS: &str = "four bytes of text to a token";

/// Tokens of a block without any size: 64 bytes.
const USUAL_BLOCK: u64 = 16;

/// Whether a plugin takes part in flow control or admission, which `flow` reads.
pub(crate) fn is_of_flow(kind: &str) -> bool {
    let ends = ["-fairness-policy", "-ordering-policy", "-detector", "-usage-limit-policy", "-usage-policy"];
    let also = ["probabilistic-admitter", SHEDS, PROGRAM_AWARE, "priority-holdback", "soft-reflective"];
    ends.iter().any(|end| kind.ends_with(end)) || also.iter().any(|begin| kind.starts_with(begin))
}

/// Whether a plugin of this type takes part in the choice of a replica here.
pub(crate) fn takes_part(kind: &str) -> bool {
    SCORERS.iter().any(|(theirs, _)| *theirs == kind)
        || PICKERS.iter().any(|(theirs, _)| *theirs == kind)
        || SESSION.contains(&kind)
        || UTILIZATION.contains(&kind)
        || [AFFINITY, HEADROOM].contains(&kind)
}

/// Whether a plugin scores replicas, here or in llm-d alone.
pub(crate) fn scores(kind: &str) -> bool {
    kind.ends_with("-scorer") || SCORERS.iter().any(|(theirs, _)| *theirs == kind)
}

/// The scorer of a plugin: matches of prefixes may come from another producer.
pub(crate) fn scorer(
    plugin: &Plugin<'_>,
    plugins: &[Plugin<'_>],
    producer: Option<&str>,
) -> Option<&'static str> {
    let (_, scorer) = SCORERS.iter().find(|(theirs, _)| *theirs == plugin.kind)?;
    if plugin.kind != "prefix-cache-scorer" {
        return Some(scorer);
    }
    let named = producer.and_then(|name| plugins.iter().find(|p| p.name == name)).map(|p| p.kind);
    let alone = || {
        let has = |kind: &str| plugins.iter().any(|p| p.kind == kind);
        has(PRECISE) && !has(APPROXIMATE)
    };
    let precise = named.map_or_else(alone, |kind| kind == PRECISE);
    Some(if precise { "precise-prefix" } else { scorer })
}

/// What a plugin becomes, and the keys that its parameters set.
pub(crate) fn settings(
    r: &mut Reader<'_>,
    plugin: &Plugin<'_>,
    plugins: &[Plugin<'_>],
    keys: &mut Map<String, Value>,
) {
    let Plugin { at, kind, .. } = plugin;
    let type_at = format!("{at}.type");
    let parameters = format!("{at}.parameters");
    let kind = *kind;
    if kind == "prefix-cache-scorer" {
        by_prefix(r, plugin, plugins);
    } else if let Some((_, scorer)) = SCORERS.iter().find(|(theirs, _)| *theirs == kind) {
        named_scorer(r, plugin, scorer, keys);
    } else if let Some((_, picker)) = PICKERS.iter().find(|(theirs, _)| *theirs == kind) {
        picker_of(r, plugin, picker);
    } else if SESSION.contains(&kind) {
        session(r, plugin);
    } else if kind == AFFINITY {
        r.note(&type_at, "the filter prefix-affinity");
    } else if kind == HEADROOM {
        r.note(&type_at, "the filter slo-headroom");
    } else if kind == "utilization-filter" {
        r.note(&type_at, "the filter utilization");
    } else if kind == APPROXIMATE {
        r.note(&type_at, "the router's memory of prompts");
        r.without_counterpart(
            &format!("{parameters}.prefixHashSource"),
            "prompts are compared token by token",
        );
    } else if kind == PRECISE {
        tier_weights(r, at, keys);
        precise(r, at, &type_at, "the scorer precise-prefix sees the caches");
    } else if kind == BURST {
        let differs = "prompts that come at once are not gathered before they are routed";
        r.near(&type_at, "the router's memory of prompts", differs);
        r.without_counterpart(&parameters, "prompts are routed one by one, without a window");
    } else if kind == "inflight-load-producer" {
        r.note(&type_at, "what the router counts of the requests that it sent");
        let why = "answers do not count as tokens in flight";
        for key in ["addEstimatedOutputTokens", "outputRatio", "maxEstimatedOutputTokens"] {
            r.without_counterpart(&format!("{parameters}.{key}"), why);
        }
    } else if kind == "single-profile-handler" {
        r.note(&type_at, "one profile for all requests, as here");
    } else if kind == "decode-filter" {
        r.note(&type_at, "requests go to pools with the roles decode and mixed");
    } else if kind == "metrics-data-source" {
        source(r, &type_at, &parameters);
    } else if kind == SOURCE {
        kv_source(r, &type_at, &parameters);
    } else if kind == WHOLE_HINT || kind == HEAD_HINT {
        kv_hint(r, kind, &type_at, &parameters);
    } else if let Some((_, why)) = OTHERS.iter().find(|(part, _)| kind.contains(part)) {
        r.without_counterpart(&type_at, why.sentence());
        r.without_counterpart(&parameters, why.sentence());
    } else {
        let known: Vec<&str> = SCORERS.iter().chain(&PICKERS).map(|(theirs, _)| *theirs).collect();
        r.unknown(&type_at, "an unknown plugin", &known);
        r.without_counterpart(&parameters, "this plugin is not simulated");
    }
    memory(r, plugin, keys);
}

/// The keys of the weighted router that parameters set.
fn memory(r: &mut Reader<'_>, plugin: &Plugin<'_>, keys: &mut Map<String, Value>) {
    let Plugin { at, kind, .. } = plugin;
    if *kind == "token-load-scorer" {
        keys.insert("token_count".to_owned(), json!("uncached"));
        keys.insert("token_until".to_owned(), json!("first-token"));
    }
    // llm-d's memory since 1.0; parameters may set it otherwise.
    if *kind == AFFINITY || *kind == APPROXIMATE {
        for parameter in &MEMORY {
            keys.entry(parameter.field).or_insert_with(|| json!(parameter.usual as u32));
        }
    }
    let is_memory = MEMORY_PLUGINS.contains(kind);
    let of_memory = MEMORY.iter().filter(|p| is_memory && p.theirs != BLOCK);
    for parameter in parameters_of(kind).chain(of_memory) {
        let becomes = format!("cluster.routing.weighted.{}", parameter.field);
        let path = format!("{at}.parameters.{}", parameter.theirs);
        let number = if parameter.field == "max_busy_score" {
            r.number(&path, &becomes).map(|x| json!(x))
        } else {
            r.whole(&path, &becomes).map(|n| json!(n))
        };
        if let Some(number) = number {
            r.field(&path, &becomes, &number);
            keys.insert(parameter.field.to_owned(), number);
        }
    }
    if is_memory {
        blocks(r, at, keys);
        former_memory(r, at, keys);
    }
}

/// Tokens of a block in the memory: llm-d raises small blocks.
fn blocks(r: &mut Reader<'_>, at: &str, keys: &mut Map<String, Value>) {
    let path = format!("{at}.parameters.blockSizeTokens");
    let becomes = "cluster.routing.weighted.prefix_block_tokens";
    let Some(n) = r.get(&path).and_then(Value::as_u64) else {
        r.whole(&path, becomes);
        return;
    };
    let tokens = if n == 0 { LEAST_BLOCK } else { n.max(LEAST_BLOCK) };
    if n < LEAST_BLOCK {
        r.near(&path, becomes, &format!("{tokens} tokens, as llm-d raises smaller blocks"));
    } else {
        r.note(&path, becomes);
    }
    r.field(&path, becomes, &json!(tokens));
    keys.insert("prefix_block_tokens".to_owned(), json!(tokens));
}

/// The keys of the memory in older files: bytes of text in a block, and blocks of a prompt.
fn former_memory(r: &mut Reader<'_>, at: &str, keys: &mut Map<String, Value>) {
    let [tokens_at, blocks_at, tune_at] =
        ["blockSizeTokens", "maxPrefixBlocksToMatch", "autoTune"].map(|key| format!("{at}.parameters.{key}"));
    let mut block = r.get(&tokens_at).and_then(Value::as_u64).filter(|tokens| *tokens > 0);
    for key in FORMER_BLOCK {
        let becomes = "cluster.routing.weighted.prefix_block_tokens";
        let path = format!("{at}.parameters.{key}");
        let Some(bytes) = r.get(&path).and_then(Value::as_u64).filter(|bytes| *bytes > 0) else {
            r.whole(&path, becomes);
            continue;
        };
        if block.is_some() {
            r.without_counterpart(&path, "the other size of a block counts");
            continue;
        }
        let tokens = (bytes / BYTES_PER_TOKEN).max(1);
        r.near(&path, becomes, IN_TOKENS);
        r.field(&path, becomes, &json!(tokens));
        keys.insert("prefix_block_tokens".to_owned(), json!(tokens));
        block = Some(tokens);
    }
    let becomes = "cluster.routing.weighted.prefix_match_tokens";
    if let Some(blocks) = r.get(&blocks_at).and_then(Value::as_u64) {
        let tokens = blocks.saturating_mul(block.unwrap_or(USUAL_BLOCK));
        r.near(&blocks_at, becomes, IN_TOKENS);
        r.field(&blocks_at, becomes, &json!(tokens));
        keys.insert("prefix_match_tokens".to_owned(), json!(tokens));
    } else {
        r.whole(&blocks_at, becomes);
    }
    if r.get(&tune_at) == Some(&Value::Bool(true)) {
        let differs = "blocks and capacity are not taken from the engine's metrics";
        r.near(&tune_at, "the sizes beside it, or llm-d's", differs);
    } else {
        r.note(&tune_at, "sizes stay as they are given");
    }
}

fn by_prefix(r: &mut Reader<'_>, plugin: &Plugin<'_>, plugins: &[Plugin<'_>]) {
    let type_at = format!("{}.type", plugin.at);
    let producer_at = format!("{}.parameters.prefixMatchInfoProducerName", plugin.at);
    let producer = r.word(&producer_at);
    let becomes = scorer(plugin, plugins, producer).unwrap_or_default();
    r.note(&type_at, &format!("the scorer {becomes}"));
    let named = producer.and_then(|name| plugins.iter().find(|p| p.name == name));
    match named.map(|p| p.kind) {
        Some(BURST) => {
            let differs = "prompts that come at once are not gathered before they are routed";
            r.near(&producer_at, "the scorer prefix-affinity", differs);
        }
        Some(_) => r.note(&producer_at, &format!("the scorer {becomes}")),
        None if producer.is_some_and(|name| [PRECISE, APPROXIMATE, BURST].contains(&name)) => {
            r.note(&producer_at, &format!("the scorer {becomes}"));
        }
        None => {
            let names: Vec<&str> = plugins.iter().map(|p| p.name).collect();
            if let Some(name) = producer {
                r.unknown_name(&producer_at, name, &names);
            }
        }
    }
}

fn named_scorer(r: &mut Reader<'_>, plugin: &Plugin<'_>, scorer: &str, keys: &mut Map<String, Value>) {
    let Plugin { at, kind, .. } = plugin;
    let type_at = format!("{at}.type");
    let becomes = format!("the scorer {scorer}");
    match *kind {
        "precise-prefix-cache-scorer" => {
            tier_weights(r, at, keys);
            return precise(r, at, &type_at, &becomes);
        }
        "no-hit-lru-scorer" => {
            r.near(&type_at, &becomes, "it remembers the order of all replicas");
            r.without_counterpart(&format!("{at}.parameters"), "all replicas are remembered");
        }
        "predicted-latency-scorer" | "pd-slo-pair-optimizer" => {
            r.near(&type_at, &becomes, "each replica is scored alone, by the pool's latency model");
        }
        _ => r.note(&type_at, &becomes),
    }
    if scorer != LATENCY {
        return;
    }
    let mut prediction = json!({});
    for Parameter { theirs, field, .. } in &PREDICTION {
        let becomes = format!("cluster.routing.weighted.prediction.{field}");
        if let Some(x) = r.number(&format!("{at}.parameters.{theirs}"), &becomes) {
            prediction[field] = json!(x);
        }
    }
    let path = format!("{at}.parameters.headroomSelectionStrategy");
    match r.word(&path) {
        Some(choice @ ("least" | "most")) => {
            r.note(&path, "cluster.routing.weighted.prediction.headroom");
            prediction["headroom"] = json!(choice);
        }
        Some(_) => r.without_counterpart(&path, "only the least or the most headroom is chosen"),
        None => {}
    }
    r.without_counterpart_of_rest(&format!("{at}.parameters"), "the pool's latency model predicts");
    if prediction.as_object().is_some_and(|p| !p.is_empty()) {
        keys.insert("prediction".to_owned(), prediction);
    }
}

/// The producer or scorer that sees what caches hold.
fn precise(r: &mut Reader<'_>, at: &str, type_at: &str, becomes: &str) {
    r.near(type_at, becomes, "changes of the caches are seen without a delay");
    let block = format!("{at}.parameters.tokenProcessorConfig.blockSize");
    r.without_counterpart(&block, BlockSizes.sentence());
    r.without_counterpart_of_rest(&format!("{at}.parameters"), CacheSight.sentence());
}

fn picker_of(r: &mut Reader<'_>, plugin: &Plugin<'_>, picker: &str) {
    let type_at = format!("{}.type", plugin.at);
    if picker == "random" {
        r.note(&type_at, "a random choice among the replicas that filters leave");
    } else {
        r.note(&type_at, &format!("cluster.routing.weighted.picker = {picker}"));
    }
    let most = format!("{}.parameters.maxNumOfEndpoints", plugin.at);
    match r.get(&most).and_then(Value::as_u64) {
        Some(0 | 1) => r.note(&most, "one replica is picked, as here"),
        Some(_) => r.near(&most, "one replica is picked", "the others would be tried if it failed"),
        None => _ = r.whole(&most, "one replica is picked"),
    }
}

fn session(r: &mut Reader<'_>, plugin: &Plugin<'_>) {
    let type_at = format!("{}.type", plugin.at);
    if plugin.kind.ends_with("-filter") {
        r.note(&type_at, "the filter session");
    } else {
        r.near(&type_at, "the filter session", "a session stays whatever the other scorers say");
    }
    let why = "a client's sessions are known; the least recently used of 100,000 is forgotten first";
    r.without_counterpart(&format!("{}.parameters", plugin.at), why);
}

/// How often the router looks at the replicas.
fn source(r: &mut Reader<'_>, type_at: &str, parameters: &str) {
    let interval = format!("{parameters}.interval");
    if r.get(&interval).is_some() {
        r.note(type_at, "what the router sees of the replicas");
        refresh(r, &interval);
    } else {
        r.without_counterpart(type_at, RouterSight.sentence());
    }
    r.without_counterpart_of_rest(parameters, "the pool itself is measured");
}

/// An interval of looks at the replicas.
pub(crate) fn refresh(r: &mut Reader<'_>, path: &str) {
    let becomes = "cluster.snapshot_refresh_us";
    if let Some(s) = r.duration(path, becomes) {
        let us = (s * 1e6).round().clamp(0.0, 1e15) as u64;
        r.set(path, becomes, json!(us));
    }
}
