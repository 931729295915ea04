//! What the chart and the objects of vLLM's production stack have in common.

use crate::command::flags::{Word, words_at};
use crate::import::configuration::Reader;
use crate::routers::vllm_router;
use serde_json::Value;

/// Keys of a router, and its flags.
const OF_ROUTER: [(&str, &str); 9] = [
    ("routingLogic", "routing-logic"),
    ("sessionKey", "session-key"),
    ("engineScrapeInterval", "engine-stats-interval"),
    ("requestStatsWindow", "request-stats-window"),
    ("serviceDiscovery", "service-discovery"),
    ("staticBackends", "static-backends"),
    ("staticModels", "static-models"),
    ("staticModelLabels", "static-model-labels"),
    ("k8sLabelSelector", "k8s-label-selector"),
];

/// Sizes of LMCache, its variables, and those that switch a tier on.
const TIERS: [(&str, &str, &str); 4] = [
    ("cpuOffloadingBufferSize", "LMCACHE_MAX_LOCAL_CPU_SIZE", "LMCACHE_LOCAL_CPU=True"),
    ("diskOffloadingBufferSize", "LMCACHE_MAX_LOCAL_DISK_SIZE", ""),
    ("remoteUrl", "LMCACHE_REMOTE_URL", ""),
    ("remoteSerde", "LMCACHE_REMOTE_SERDE", ""),
];

/// A value as a word.
pub(super) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// `tensorParallelSize` as `tensor-parallel-size`.
pub(super) fn kebab(key: &str) -> String {
    let mut out = String::new();
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The keys of a section, but those that are no flags in another writing, as flags.
pub(super) fn flags_of(r: &mut Reader<'_>, section: &str, no_flags: &[&str]) -> Vec<Word> {
    let map = r.get(section).and_then(Value::as_object).into_iter();
    let keys: Vec<String> = map.flat_map(|map| map.keys().cloned()).collect();
    let mut flags = Vec::new();
    for key in keys.iter().filter(|key| !no_flags.contains(&key.as_str())) {
        let path = format!("{section}.{key}");
        if let Some(text) = r.get(&path).and_then(plain).filter(|text| !text.is_empty()) {
            flags.push(Word { path, text: format!("--{}={text}", kebab(key)) });
        }
    }
    flags
}

/// The tiers of LMCache at a section, as variables of the server; its connector is added to the flags.
pub(super) fn lmcache(r: &mut Reader<'_>, own: &str, flags: &mut Vec<Word>) -> Vec<Word> {
    let enabled = format!("{own}.enabled");
    if r.get(&enabled).is_none_or(|on| *on != true) {
        r.without_counterpart(own, "LMCache is off");
        return Vec::new();
    }
    let connector = "--kv-transfer-config={\"kv_connector\":\"LMCacheConnectorV1\",\"kv_role\":\"kv_both\"}";
    flags.push(Word { path: enabled, text: connector.to_owned() });
    let mut all = Vec::new();
    for (key, name, on) in TIERS {
        let path = format!("{own}.{key}");
        let Some(text) = r.get(&path).and_then(plain).filter(|text| !text.is_empty()) else { continue };
        if text.parse::<f64>().is_ok_and(|size| size == 0.0) {
            r.without_counterpart(&path, "a size of 0 is no tier");
            continue;
        }
        if !on.is_empty() {
            all.push(Word { path: path.clone(), text: on.to_owned() });
        }
        all.push(Word { path, text: format!("{name}={text}") });
    }
    all
}

/// The router at a section.
pub(super) fn router(r: &mut Reader<'_>, at: &str) {
    if r.get(at).is_none_or(|spec| !spec.is_object()) {
        return;
    }
    if r.get(&format!("{at}.enableRouter")).is_some_and(|on| *on == false) {
        r.without_counterpart(at, "there is no router");
        return;
    }
    let mut words = Vec::new();
    for (key, flag) in OF_ROUTER {
        let path = format!("{at}.{key}");
        if let Some(text) = r.get(&path).and_then(plain).filter(|text| !text.is_empty()) {
            words.push(Word { path, text: format!("--{flag}={text}") });
        }
    }
    words.extend(words_at(r, &format!("{at}.extraArgs")));
    (vllm_router::read::PROGRAM.read_words)(r, &words);
    r.without_counterpart_of_rest(at, "it says where the router runs, not what it does");
}
