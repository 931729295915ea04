//! Import of the values of the chart of vLLM's production stack: each entry of `servingEngineSpec.modelSpec` is a pool, `routerSpec`
//! the router.
//!
//! Source: helm/values.yaml of vllm-project/production-stack. Keys of `vllmConfig` are flags of vLLM in another writing.

use crate::command::flags::Word;
use crate::command::shell::{EngineCommand, release};
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::pods::{engine_of, expressions, gpus_of};
use crate::routers::vllm_router;
use crate::vllm::command::release_row;
use crate::vllm::read::Around;
use base::import::Import;
use serde_json::Value;

/// The values of this chart.
pub(crate) struct ProductionStack;

const MODELS: &str = "servingEngineSpec.modelSpec";
const ROUTER: &str = "routerSpec";
/// Keys of `vllmConfig` that are no flags in another writing.
const NO_FLAGS: [&str; 3] = ["extraArgs", "v1", "v0"];
/// Keys of the router, and its flags.
const OF_ROUTER: [(&str, &str); 4] = [
    ("routingLogic", "routing-logic"),
    ("sessionKey", "session-key"),
    ("engineScrapeInterval", "engine-stats-interval"),
    ("requestStatsWindow", "request-stats-window"),
];

impl Import<Configuration> for ProductionStack {
    fn name(&self) -> &'static str {
        "production-stack-values"
    }

    fn title(&self) -> &'static str {
        "values of vLLM's production stack"
    }

    fn recognises(&self, source: &Value) -> bool {
        source.get("kind").is_none()
            && source.get("servingEngineSpec").is_some_and(|spec| {
                spec.get("modelSpec").is_some_and(Value::is_object)
                    || spec.get("modelSpec").is_some_and(Value::is_array)
            })
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        for i in 0..r.entries(MODELS) {
            servers(&mut r, &format!("{MODELS}.{i}"));
        }
        router(&mut r);
        r.without_counterpart_of_rest("", "it says where servers run, not what they serve");
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// A value as a word.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// `tensorParallelSize` as `tensor-parallel-size`.
fn kebab(key: &str) -> String {
    let mut out = String::new();
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Reads the servers of a model.
fn servers(r: &mut Reader<'_>, at: &str) {
    let name_at = format!("{at}.name");
    let name = r.get(&name_at).and_then(plain).unwrap_or_else(|| "main".to_owned());
    r.shape(&name_at, "the name of the pool");
    let of = PoolOf::defined(&name);
    let mut flags = Vec::new();
    let url = format!("{at}.modelURL");
    if let Some(text) = r.get(&url).and_then(plain) {
        flags.push(Word { path: url, text: format!("--model={text}") });
    }
    let config = format!("{at}.vllmConfig");
    let keys: Vec<String> =
        r.get(&config).and_then(Value::as_object).into_iter().flat_map(|map| map.keys().cloned()).collect();
    for key in keys.iter().filter(|key| !NO_FLAGS.contains(&key.as_str())) {
        let path = format!("{config}.{key}");
        if let Some(text) = r.get(&path).and_then(plain).filter(|text| !text.is_empty()) {
            flags.push(Word { path, text: format!("--{}={text}", kebab(key)) });
        }
    }
    for key in ["v1", "v0"] {
        r.without_counterpart(&format!("{config}.{key}"), "the release says which engine it is");
    }
    let lora = format!("{at}.enableLoRA");
    if r.get(&lora).is_some_and(|on| *on == true) {
        flags.push(Word { path: lora, text: "--enable-lora".to_owned() });
    }
    let settings = lmcache(r, at, &mut flags);
    flags.extend(crate::command::flags::words_at(r, &format!("{config}.extraArgs")));
    let found = EngineCommand { flags, ..EngineCommand::default() };
    let around = Around { of: of.clone(), whole: true, settings, ..Around::default() };
    let sizes = engine_of(r, &format!("{at}.image"), &found, &format!("{at}.replicaCount"), around);
    let tag = format!("{at}.tag");
    if let Some(text) = r.get(&tag).and_then(plain) {
        release_row(r, &tag, &text, release(&text), &of);
    }
    r.shape(&format!("{at}.repository"), "the image of the server");
    gpus_of(r, &format!("{at}.requestGPU"), 1, sizes.tp * sizes.pp * sizes.dp, sizes);
    let terms = format!("{at}.nodeSelectorTerms");
    for i in 0..r.entries(&terms) {
        expressions(r, &format!("{terms}.{i}.matchExpressions"), &of);
    }
    r.without_counterpart_of_rest(at, "it does not change what the server serves");
}

/// The tiers of LMCache, as the chart gives them to the server.
fn lmcache(r: &mut Reader<'_>, at: &str, flags: &mut Vec<Word>) -> Vec<Word> {
    let own = format!("{at}.lmcacheConfig");
    let enabled = format!("{own}.enabled");
    if r.get(&enabled).is_none_or(|on| *on != true) {
        r.without_counterpart(&own, "LMCache is off");
        return Vec::new();
    }
    let connector = "--kv-transfer-config={\"kv_connector\":\"LMCacheConnectorV1\",\"kv_role\":\"kv_both\"}";
    flags.push(Word { path: enabled, text: connector.to_owned() });
    let mut all = Vec::new();
    for (key, name, on) in [
        ("cpuOffloadingBufferSize", "LMCACHE_MAX_LOCAL_CPU_SIZE", "LMCACHE_LOCAL_CPU=True"),
        ("diskOffloadingBufferSize", "LMCACHE_MAX_LOCAL_DISK_SIZE", ""),
    ] {
        let path = format!("{own}.{key}");
        let Some(text) = r.get(&path).and_then(plain).filter(|text| !text.is_empty()) else { continue };
        if !on.is_empty() {
            all.push(Word { path: path.clone(), text: on.to_owned() });
        }
        all.push(Word { path, text: format!("{name}={text}") });
    }
    all
}

/// The router of the chart.
fn router(r: &mut Reader<'_>) {
    if r.get(ROUTER).is_none_or(|spec| !spec.is_object()) {
        return;
    }
    if r.get(&format!("{ROUTER}.enableRouter")).is_some_and(|on| *on == false) {
        r.without_counterpart(ROUTER, "there is no router");
        return;
    }
    let mut words = Vec::new();
    for (key, flag) in OF_ROUTER {
        let path = format!("{ROUTER}.{key}");
        if let Some(text) = r.get(&path).and_then(plain).filter(|text| !text.is_empty()) {
            words.push(Word { path, text: format!("--{flag}={text}") });
        }
    }
    words.extend(crate::command::flags::words_at(r, &format!("{ROUTER}.extraArgs")));
    (vllm_router::read::PROGRAM.read_words)(r, &words);
    r.without_counterpart_of_rest(ROUTER, "it says where the router runs, not what it does");
}
