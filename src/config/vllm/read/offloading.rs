//! vLLM's `OffloadingConnector`: a CPU tier, and tiers below it.

use crate::import::configuration::Reader;
use crate::import::configuration::mapping::Standing;
use crate::import::configuration::tiers::{FOLDER, SAID_AT};
use crate::vllm::read::keys::Keys;
use crate::vllm::read::tiers::Tiers;
use document::limits;
use serde_json::{Value, json};

/// The rank of vLLM's defaults.
const DEFAULTS: u8 = 1;

/// Threads of the tier `obj` in vLLM.
const OBJECT_THREADS: u64 = 4;

/// Time to the first byte of an object: tens of milliseconds at public object stores.
const OBJECT_LATENCY_US: u64 = 30_000;

const KEYS: [&str; 13] = [
    "cpu_bytes_to_use",
    "num_cpu_blocks",
    "spec_name",
    "store_threshold",
    "offload_prompt_only",
    "eviction_policy",
    "secondary_tiers",
    "block_size",
    "blocks_per_chunk",
    "max_tracker_size",
    "spec_module_path",
    "cache_policy_module_path",
    "lazy_offload",
];

/// The keys of a tier below CPU memory.
const TIER_KEYS: [&str; 12] = [
    "type",
    "root_dir",
    "n_read_threads",
    "n_write_threads",
    "bucket",
    "endpoint",
    "prefix",
    "region",
    "direct_io",
    "device_class",
    "module_path",
    "unbound_store_timeout_s",
];

/// Reads the keys within the connector.
pub(super) fn offloading(r: &mut Reader<'_>, keys: &Keys<'_>, tiers: &mut Tiers<'_>) {
    keys.row(r, "spec_name", Standing::Shape, "which tiers there are");
    cpu_tier(r, keys, tiers);
    writes(r, keys, tiers);
    for tier in keys.list("secondary_tiers").iter().take(limits::SECONDARY_TIERS) {
        below(r, tier, tiers);
    }
    let found = keys.said.get("secondary_tiers").and_then(Value::as_array).map_or(0, Vec::len);
    if found > limits::SECONDARY_TIERS {
        let allowed = format!("at most {}", limits::SECONDARY_TIERS);
        keys.refuse(r, "secondary_tiers", &allowed, "leave out the lowest ones");
    } else {
        keys.row(r, "secondary_tiers", Standing::Shape, "tiers below CPU memory");
    }
    for key in ["block_size", "blocks_per_chunk"] {
        keys.ignore(r, key, "blocks go to other tiers one by one here");
    }
    for key in ["max_tracker_size", "spec_module_path", "cache_policy_module_path", "lazy_offload"] {
        keys.ignore(r, key, "it concerns the program, not what is kept");
    }
    keys.unknown(r, &KEYS);
}

/// The size of the CPU tier.
fn cpu_tier(r: &mut Reader<'_>, keys: &Keys<'_>, tiers: &Tiers<'_>) {
    let of = &tiers.around.of;
    let most = f64::from(limits::KV_BLOCKS);
    let link = "the speed of the link is that of kv.transfer_tokens_per_us";
    for key in ["num_cpu_blocks", "cpu_bytes_to_use"] {
        let Some(value) = keys.said.get(key) else { continue };
        let number = value.as_f64().or_else(|| value.as_str()?.parse().ok()).filter(|x| *x >= 0.0);
        let blocks = match (number, tiers.block_bytes) {
            (Some(n), _) if key == "num_cpu_blocks" => Some(n.floor()),
            (Some(bytes), Some(block)) => Some((bytes / block).floor()),
            (Some(_), None) => None,
            (None, _) => {
                keys.refuse(r, key, "a number of 0 or more", "write the size of the CPU tier");
                continue;
            }
        };
        match blocks.filter(|n| *n <= most) {
            Some(n) => {
                let becomes = format!("kv.cpu_blocks {n}; {link}");
                keys.row(r, key, Standing::Near, &becomes);
                r.set_pool(&keys.path(key), of, "kv.cpu_blocks", json!(n as u64));
            }
            None if blocks.is_some() => {
                keys.ignore(r, key, &format!("a tier has at most {} blocks here", limits::KV_BLOCKS));
            }
            None => {
                keys.ignore(r, key, "the bytes of a block follow from the shape of a model of the catalogue");
            }
        }
    }
}

/// What is written to CPU memory, and what goes.
fn writes(r: &mut Reader<'_>, keys: &Keys<'_>, tiers: &Tiers<'_>) {
    let of = &tiers.around.of;
    let name = "offload_prompt_only";
    if let Some(on) = keys.switch(r, name) {
        keys.row(r, name, Standing::Exact, &format!("kv.offload_prompt_only {on}"));
        r.set_pool(&keys.path(name), of, "kv.offload_prompt_only", json!(on));
    } else {
        r.set_pool_usual(of, "kv.offload_prompt_only", json!(true), DEFAULTS);
    }
    let name = "store_threshold";
    match keys.whole(r, name, [0, limits::WRITE_HITS.into()]) {
        Some(0 | 1) => keys.row(r, name, Standing::Exact, "kv.cpu_write write-through, as always"),
        Some(n) => {
            let becomes = format!("kv.cpu_write selective, hits {n}; computing a block counts as one here");
            keys.row(r, name, Standing::Near, &becomes);
            r.set_pool(&keys.path(name), of, "kv.cpu_write", json!({ "selective": { "hits": n } }));
        }
        None => {}
    }
    let name = "eviction_policy";
    match keys.text(name) {
        Some("lru") => keys.row(r, name, Standing::Exact, "the block used longest ago goes, as always"),
        Some("arc") => {
            keys.row(r, name, Standing::Near, "the block used longest ago goes; ARC is not simulated");
        }
        Some(_) => keys.ignore(r, name, "another program's policy: the block used longest ago goes here"),
        None => {}
    }
}

/// A tier below CPU memory.
fn below(r: &mut Reader<'_>, keys: &Keys<'_>, tiers: &mut Tiers<'_>) {
    let threads = |r: &mut Reader<'_>, key: &str, usual: u64| {
        let found = keys.whole(r, key, [1, limits::TIER_THREADS.into()]);
        keys.row(r, key, Standing::Exact, &format!("{key} of this tier"));
        found.unwrap_or(usual)
    };
    let tier = |r: &mut Reader<'_>, usual: u64, latency: u64| {
        let (read, write) = (threads(r, "n_read_threads", usual), threads(r, "n_write_threads", usual));
        json!({ "fs": { "n_read_threads": read, "n_write_threads": write, "latency_us": latency } })
    };
    match keys.text("type") {
        Some("fs") => {
            let (standing, becomes) =
                tiers.becomes("kv.secondary_tiers fs; speed and latency of the disk are assumed");
            keys.row(r, "type", standing, becomes);
            let mut value = tier(r, 16, 100);
            if let Some(folder) = keys.text("root_dir").filter(|folder| !folder.is_empty()) {
                value["fs"][FOLDER] = json!(folder);
                value["fs"][SAID_AT] = json!(keys.at);
            }
            tiers.add(value);
            let why = "each replica has a disk of its own here: a folder that other commands name too is a store of cluster.kv_stores";
            keys.ignore(r, "root_dir", why);
        }
        Some("obj") => {
            let becomes =
                "kv.secondary_tiers fs with 4 threads; speed and latency of the object store are assumed";
            let (standing, becomes) = tiers.becomes(becomes);
            keys.row(r, "type", standing, becomes);
            let value = tier(r, OBJECT_THREADS, OBJECT_LATENCY_US);
            tiers.add(value);
            for key in ["bucket", "endpoint", "prefix", "region"] {
                keys.ignore(r, key, "it says where the objects lie");
            }
        }
        Some("p2p") => {
            let (standing, becomes) = tiers
                .becomes("kv.secondary_tiers p2p; who is asked is the router's choice: cluster.kv_source");
            keys.row(r, "type", standing, becomes);
            tiers.add(json!({ "p2p": {} }));
            keys.ignore(
                r,
                "unbound_store_timeout_s",
                "blocks are kept for a reader while it reads; stores have lease_ms",
            );
        }
        Some(_) => keys.ignore(r, "type", "fs, obj and p2p are read"),
        None => keys.refuse(r, "type", "fs, obj, p2p", "write the type of the tier"),
    }
    for key in ["direct_io", "device_class", "module_path"] {
        keys.ignore(
            r,
            key,
            "it concerns the program; write the speed of the disk as read_gb_per_s and write_gb_per_s",
        );
    }
    keys.unknown(r, &TIER_KEYS);
}
