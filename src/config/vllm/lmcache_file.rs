//! Import of LMCache's file: YAML with its tiers, for all pools.

use crate::import::configuration::mapping::Standing;
use crate::import::configuration::reader::Unknown;
use crate::import::configuration::sets::PoolOf;
use crate::import::configuration::tiers::{BYTES_OF_GPU, CPU_BLOCKS, GB_OF_GPU, STORES};
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::is_object;
use crate::vllm::read::DEFAULTS;
use crate::vllm::read::lmcache::{GIB, REMOTE, USUAL_GB, policy_of, remote};
use base::Diagnostic;
use base::import::Import;
use document::limits;
use serde_json::{Value, json};

/// Keys that only this file has.
const OWN: [&str; 5] = ["local_cpu", "max_local_cpu_size", "local_disk", "max_local_disk_size", "remote_url"];

/// The file of LMCache.
pub(crate) struct LmcacheConfig;

impl Import<Configuration> for LmcacheConfig {
    fn name(&self) -> &'static str {
        "lmcache-config"
    }

    fn title(&self) -> &'static str {
        "the file of LMCache"
    }

    fn recognises(&self, source: &Value) -> bool {
        let has = |key: &&str| source.get(*key).is_some();
        let chunks = has(&"chunk_size");
        let own = OWN.iter().filter(|key| has(key)).count();
        (own > 1 || (own > 0 && chunks)) && !is_object(source) && !has(&"words")
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let of = PoolOf::default();
        cpu_tier(&mut r, &of);
        below(&mut r, &of);
        writes(&mut r, &of);
        r.without_counterpart("chunk_size", "blocks go to other tiers one by one here");
        let why = "it concerns the program, not what is kept";
        r.without_counterpart_of_rest("", why);
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// A size in GB at a path.
fn size(r: &mut Reader<'_>, path: &str) -> Option<f64> {
    let value = r.get(path)?;
    let found = value.as_f64().filter(|gb| (0.0..=limits::TIER_GB).contains(gb));
    if found.is_none() {
        let (found, allowed) = (value.to_string(), "a size of 0 or more GB");
        r.problems.push(Diagnostic::error(path, found, allowed, "write the size in GB"));
    }
    found
}

/// CPU memory, of each GPU.
fn cpu_tier(r: &mut Reader<'_>, of: &PoolOf) {
    let on = r.flag("local_cpu", "whether there is a CPU tier").unwrap_or(true);
    let path = "max_local_cpu_size";
    let each = size(r, path);
    let gb = each.unwrap_or(USUAL_GB);
    let value = json!({ BYTES_OF_GPU: if on { gb * GIB } else { 0.0 } });
    if each.is_some() {
        let why = if on { "the link has kv.transfer_tokens_per_us" } else { "it is off by local_cpu" };
        r.near(path, CPU_BLOCKS, &format!("{gb} GB for each GPU; {why}"));
        r.set_pool(path, of, CPU_BLOCKS, value);
    } else if r.get("local_cpu").is_some() {
        r.set_pool("local_cpu", of, CPU_BLOCKS, value);
    } else {
        r.set_pool_default(of, CPU_BLOCKS, value, DEFAULTS + 1);
    }
    let path = "blocking_timeout_secs";
    let value = r.get(path).and_then(Value::as_f64).filter(|s| (0.0..=3600.0).contains(s));
    match value {
        Some(s) if on => {
            r.note(path, &format!("kv.load_wait timeout, {s} s"));
            r.set_pool(
                path,
                of,
                "kv.load_wait",
                json!({ "timeout": { "base_us": (s * 1e6).round() as u64 } }),
            );
        }
        Some(_) => r.without_counterpart(path, "without a CPU tier nothing is waited for on its way to it"),
        None if r.get(path).is_some() => {
            let fix = "write the time in seconds";
            r.problems.push(Diagnostic::error(path, "another value", "0 to 3600 seconds", fix));
        }
        None => {}
    }
}

/// The tiers below CPU memory.
fn below(r: &mut Reader<'_>, of: &PoolOf) {
    let mut tiers = Vec::new();
    let mut first = None;
    let path = "max_local_disk_size";
    match size(r, path) {
        Some(gb) if gb > 0.0 => {
            let becomes = "kv.secondary_tiers fs";
            r.near(
                path,
                becomes,
                &format!("{gb} GB for each GPU; speed and latency of the disk are assumed"),
            );
            tiers.push(json!({ "fs": { "gb": { GB_OF_GPU: gb * GIB / 1e9 }, "eviction": "lru" } }));
            first = Some(path);
        }
        Some(_) => r.note(path, "no disk"),
        None => {}
    }
    r.shape("local_disk", "where the disk is mounted");
    let path = "remote_url";
    match r.get(path).and_then(Value::as_str).filter(|url| !url.is_empty()) {
        Some(url) => {
            let (name, own) = remote(url);
            r.near(path, &format!("{STORES} {name}"), REMOTE);
            tiers.push(json!({ "store": { "name": name } }));
            r.set(path, STORES, json!([own]));
            first = first.or(Some(path));
        }
        None => r.shape(path, "no store"),
    }
    if let Some(path) = first {
        r.set_pool(path, of, "kv.secondary_tiers", Value::Array(tiers));
    }
}

/// What is written, and what goes.
fn writes(r: &mut Reader<'_>, of: &PoolOf) {
    let path = "save_decode_cache";
    let answers = r.get(path).and_then(Value::as_bool);
    if let Some(answers) = answers {
        r.note(path, &format!("kv.offload_prompt_only {}", !answers));
        r.set_pool(path, of, "kv.offload_prompt_only", json!(!answers));
    } else {
        r.set_pool_default(of, "kv.offload_prompt_only", json!(true), DEFAULTS + 1);
    }
    let path = "cache_policy";
    let Some(policy) = r.get(path).and_then(Value::as_str).map(str::to_owned) else { return };
    let (standing, becomes) = policy_of(&policy);
    r.note(path, becomes);
    if let Some(row) = r.mappings.last_mut().filter(|_| standing == Standing::Near) {
        row.standing = standing;
    }
}
