//! LMCache: tiers that stand in variables of the process, `LMCACHE_*`, or in keys of the connector, `lmcache.*`.

use crate::command::flags::Word;
use crate::import::configuration::Reader;
use crate::import::configuration::mapping::{Mapping, Standing};
use crate::mooncake::store::{MOONCAKE, store};
use crate::vllm::read::keys::Keys;
use crate::vllm::read::tiers::Tiers;
use base::Diagnostic;
use document::limits;
use serde_json::{Value, json};

/// What the names of its variables begin with.
const PREFIX: &str = "LMCACHE_";

/// The variable that names its file, which holds in place of all others.
const FILE: &str = "LMCACHE_CONFIG_FILE=";

/// What the names of keys within the connector begin with.
const KEY: &str = "lmcache.";

pub(crate) const GIB: f64 = 1_073_741_824.0;

/// The CPU memory of each GPU where nothing is said, in GB.
pub(crate) const USUAL_GB: f64 = 5.0;

/// Whether its tiers stand in a file: a variable names it, or nothing else says them.
pub(super) fn is_said_by_file(settings: &[Word], keys: &Keys<'_>) -> bool {
    let within = keys.inner("kv_connector_extra_config");
    let says = within.is_some_and(|extra| extra.said.keys().any(|key| key.starts_with(KEY)));
    let named = settings.iter().any(|word| word.text.starts_with(FILE));
    named || !(says || settings.iter().any(|word| word.text.starts_with(PREFIX)))
}

/// The keys within the connector as variables; others get a row.
pub(super) fn within(r: &mut Reader<'_>, keys: &Keys<'_>) -> Vec<Word> {
    let Some(extra) = keys.inner("kv_connector_extra_config") else { return Vec::new() };
    let mut all = Vec::new();
    for (key, value) in extra.said {
        let Some(name) = key.strip_prefix(KEY) else {
            extra.ignore(r, key, "it concerns the program, not what is kept");
            continue;
        };
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let text = format!("{PREFIX}{}={value}", name.to_ascii_uppercase());
        all.push(Word { path: extra.path(key), text });
    }
    all
}

/// The variables of LMCache among the words of a process.
struct Variables<'a> {
    words: &'a [Word],
}

impl Variables<'_> {
    /// A variable by its name without the prefix: its path and value.
    fn find(&self, name: &str) -> Option<(&str, &str)> {
        let of =
            |word: &'_ Word| word.text.strip_prefix(PREFIX)?.split_once('=').map(|(found, _)| found == name);
        let word = self.words.iter().rev().find(|word| of(word) == Some(true))?;
        word.text.split_once('=').map(|(_, value)| (word.path.as_str(), value.trim_matches(['"', '\''])))
    }

    /// A value of a type; another is an error.
    fn value<T>(
        &self,
        r: &mut Reader<'_>,
        name: &str,
        allowed: &str,
        of: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let (path, text) = self.find(name)?;
        let found = of(text);
        if found.is_none() {
            let fix = "write such a value";
            r.problems.push(Diagnostic::error(path, format!("{PREFIX}{name}={text}"), allowed, fix));
        }
        found
    }

    fn size(&self, r: &mut Reader<'_>, name: &str) -> Option<f64> {
        self.value(r, name, "a size of 0 or more GB", |text| {
            text.parse().ok().filter(|gb| (0.0..=limits::TIER_GB).contains(gb))
        })
    }

    fn switch(&self, r: &mut Reader<'_>, name: &str) -> Option<bool> {
        self.value(r, name, "true or false", |text| match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Some(true),
            "false" | "0" | "no" | "off" => Some(false),
            _ => None,
        })
    }

    /// Gives a variable its row, if it is there.
    fn row(&self, r: &mut Reader<'_>, name: &str, standing: Standing, becomes: &str) {
        let Some((path, value)) = self.find(name) else { return };
        let (key, found) = (path.to_owned(), format!("{PREFIX}{name}={value}"));
        let becomes = becomes.to_owned();
        r.mappings.push(Mapping { key, found, standing, becomes, ..Mapping::default() });
    }
}

/// Reads the variables of a process whose connector is LMCache's.
pub(super) fn lmcache(r: &mut Reader<'_>, tiers: &mut Tiers<'_>, words: &[Word]) {
    let around = tiers.around;
    let all = Variables { words };
    if !words.iter().any(|word| word.text.starts_with(PREFIX)) {
        return;
    }
    if all.find("CONFIG_FILE").is_some() {
        all.row(r, "CONFIG_FILE", Standing::Shape, "its file, which is read where it is beside this");
        rest(r, words, "no counterpart: the file of LMCACHE_CONFIG_FILE holds");
        return;
    }
    cpu_tier(r, &all, tiers);
    if let Some(gb) = all.size(r, "MAX_LOCAL_DISK_SIZE").filter(|gb| *gb > 0.0) {
        let gb = (gb * tiers.gpus as f64 * GIB / 1e9).min(limits::TIER_GB);
        tiers.add(json!({ "fs": { "gb": gb, "eviction": "lru" } }));
        let becomes =
            "kv.secondary_tiers fs, of all GPUs of a replica; speed and latency of the disk are assumed";
        let (standing, becomes) = tiers.becomes(becomes);
        all.row(r, "MAX_LOCAL_DISK_SIZE", standing, becomes);
    }
    all.row(r, "LOCAL_DISK", Standing::Shape, "where the disk is mounted");
    if let Some((_, url)) = all.find("REMOTE_URL").filter(|(_, url)| !url.is_empty()) {
        let (name, own) = remote(url);
        tiers.add_store(name, own);
        let becomes = format!("cluster.kv_stores {name}; {REMOTE}");
        let (standing, becomes) = tiers.becomes(&becomes);
        all.row(r, "REMOTE_URL", standing, becomes);
    }
    let answers = all.switch(r, "SAVE_DECODE_CACHE").unwrap_or(false);
    all.row(r, "SAVE_DECODE_CACHE", Standing::Exact, &format!("kv.offload_prompt_only {}", !answers));
    match all.find("SAVE_DECODE_CACHE") {
        Some((path, _)) => {
            let path = path.to_owned();
            r.set_pool(&path, &around.of, "kv.offload_prompt_only", json!(!answers));
            if answers && tiers.decodes && !tiers.is_staged {
                r.set_pool(&path, &around.of, "kv.write_decode", json!(true));
            }
        }
        None => r.set_pool_usual(&around.of, "kv.offload_prompt_only", json!(true), 1),
    }
    all.row(r, "CHUNK_SIZE", Standing::Ignored, "no counterpart: blocks go to other tiers one by one here");
    if let Some((_, policy)) = all.find("CACHE_POLICY") {
        let (standing, becomes) = policy_of(policy);
        all.row(r, "CACHE_POLICY", standing, becomes);
    }
    rest(r, words, "no counterpart: it concerns the program, not what is kept");
}

/// What is not said of a store by its address.
pub(crate) const REMOTE: &str = "its size and port are not said: write them as gb and port_gb_per_s";

/// The store of an address, with its name.
pub(crate) fn remote(url: &str) -> (&'static str, Value) {
    if url.starts_with("mooncakestore://") {
        return (MOONCAKE, store());
    }
    ("lmcache", json!({ "name": "lmcache", "eviction": "lru" }))
}

/// How a policy of eviction stands, and what it becomes.
pub(crate) fn policy_of(policy: &str) -> (Standing, &'static str) {
    if policy.eq_ignore_ascii_case("lru") {
        (Standing::Exact, "the block used longest ago goes, as always")
    } else {
        (Standing::Near, "the block used longest ago goes; other policies are not simulated")
    }
}

/// The CPU memory of all GPUs of a replica.
fn cpu_tier(r: &mut Reader<'_>, all: &Variables<'_>, tiers: &Tiers<'_>) {
    let on = all.switch(r, "LOCAL_CPU").unwrap_or(true);
    let each = all.size(r, "MAX_LOCAL_CPU_SIZE").unwrap_or(USUAL_GB);
    let bytes = if on { each * tiers.gpus as f64 * GIB } else { 0.0 };
    let blocks = tiers.block_bytes.map(|block| (bytes / block).floor().min(f64::from(limits::KV_BLOCKS)));
    let Some(blocks) = blocks else {
        let why = "no counterpart: the bytes of a block follow from the shape of a model of the catalogue";
        all.row(r, "LOCAL_CPU", Standing::Ignored, why);
        all.row(r, "MAX_LOCAL_CPU_SIZE", Standing::Ignored, why);
        return;
    };
    let becomes =
        format!("kv.cpu_blocks {blocks}: {each} GB for each GPU; the link has kv.transfer_tokens_per_us");
    all.row(r, "MAX_LOCAL_CPU_SIZE", Standing::Near, &becomes);
    all.row(r, "LOCAL_CPU", Standing::Exact, &format!("kv.cpu_blocks {blocks}"));
    let path = ["MAX_LOCAL_CPU_SIZE", "LOCAL_CPU"].into_iter().find_map(|name| all.find(name));
    let path = path.map(|(path, _)| path.to_owned());
    let of = &tiers.around.of;
    match path {
        Some(path) => r.set_pool(&path, of, "kv.cpu_blocks", json!(blocks as u64)),
        None => r.set_pool_usual(of, "kv.cpu_blocks", json!(blocks as u64), 2),
    }
    let name = "BLOCKING_TIMEOUT_SECS";
    let most = limits::HORIZON_S;
    let seconds = all.value(r, name, "seconds of 0 or more", |text| {
        text.parse().ok().filter(|s: &f64| (0.0..=most).contains(s))
    });
    if let (Some(s), Some((path, _)), true) = (seconds, all.find(name), blocks > 0.0) {
        let path = path.to_owned();
        all.row(r, name, Standing::Exact, &format!("kv.load_wait timeout, {s} s"));
        let value: Value = json!({ "timeout": { "base_us": (s * 1e6).round() as u64 } });
        r.set_pool(&path, of, "kv.load_wait", value);
    }
}

/// Gives each variable without a row one.
pub(super) fn rest(r: &mut Reader<'_>, settings: &[Word], becomes: &str) {
    for word in settings {
        if r.mappings.iter().any(|row| row.key == word.path) {
            continue;
        }
        let of_store = "no counterpart: it says where a store is, or how its program works";
        let becomes = if word.text.starts_with(PREFIX) { becomes } else { of_store }.to_owned();
        let (key, found) = (word.path.clone(), word.text.clone());
        r.mappings.push(Mapping { key, found, standing: Standing::Ignored, becomes, ..Mapping::default() });
    }
}
