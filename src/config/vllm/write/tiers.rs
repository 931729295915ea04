//! Tiers below the GPU as connectors of vLLM, and rows for what vLLM does not have.

use crate::command::write::FlagWriter;
use crate::export::Row;
use crate::import::configuration::tiers::SHARED;
use crate::yaml::scalar::{Scalar, number};
use document::{
    CpuEviction, EvictionOrder, FsEviction, KvCache, KvStore, LoadAsked, LoadRule, LoadWait, Pool, Role,
    Scenario, SecondaryTier, StoreEviction, TierWrite,
};
use serde_json::{Value, json};

/// Whether a CPU tier has rules that a connector alone says.
pub(super) fn has_rules(kv: &KvCache) -> bool {
    kv.offload_prompt_only || matches!(kv.cpu_write, TierWrite::Selective(_))
}

/// A connector with the tiers of a pool: below CPU memory those of vLLM's own, without a CPU tier Mooncake's store.
pub(super) fn tiers_below(pool: &Pool, cpu_bytes: Option<f64>, flags: &mut FlagWriter<'_>) {
    let kv = &pool.kv;
    let name = "kv-transfer-config";
    let below = kv.secondary_tiers.iter().map(tier_name).collect::<Vec<_>>().join(", ");
    let shown = if below.is_empty() { format!("{} blocks", kv.cpu_blocks) } else { below };
    let (connector, extra, why) = match (kv.cpu_blocks, cpu_bytes, kv.secondary_tiers.as_slice()) {
        (0, _, [SecondaryTier::Store(_)]) => {
            let answers = !kv.offload_prompt_only && (pool.role != Role::Decode || kv.write_decode);
            let extra = json!({ "save_decode_cache": answers });
            (
                "MooncakeStoreConnector",
                extra,
                "the size and the ports of the store stand in the file of MOONCAKE_CONFIG_PATH",
            )
        }
        (0, ..) => {
            flags.ignored(
                name,
                shown,
                None,
                "vLLM reads disks and several tiers by way of CPU memory: give the pool cpu_blocks",
            );
            return;
        }
        (_, None, _) => {
            flags.ignored(
                name,
                shown,
                None,
                "vLLM takes the size of the CPU tier in bytes, and the model's shape is not known",
            );
            return;
        }
        (_, Some(bytes), tiers) => {
            let mut extra = json!({
                "cpu_bytes_to_use": bytes as u64,
                "offload_prompt_only": kv.offload_prompt_only,
            });
            if !tiers.is_empty() {
                let below: Vec<Value> = tiers.iter().map(|tier| tier_of_vllm(tier, &pool.name)).collect();
                extra["spec_name"] = json!("TieringOffloadingSpec");
                extra["secondary_tiers"] = json!(below);
            }
            if let TierWrite::Selective(rule) = &kv.cpu_write {
                extra["store_threshold"] = json!(rule.hits);
            }
            let why = "mount the folders: that of a store on every server; capacity and speed are those of the disks";
            ("OffloadingConnector", extra, why)
        }
    };
    let value =
        json!({ "kv_connector": connector, "kv_role": "kv_both", "kv_connector_extra_config": extra });
    flags.own(name, shown, Scalar::text(value.to_string()), why);
}

/// The name of a tier in a row.
fn tier_name(tier: &SecondaryTier) -> String {
    match tier {
        SecondaryTier::Fs(_) => "fs".to_owned(),
        SecondaryTier::Store(store) => format!("store {}", store.name),
        SecondaryTier::P2p(_) => "p2p".to_owned(),
    }
}

/// A tier as vLLM takes it; a store is a folder that all servers share.
fn tier_of_vllm(tier: &SecondaryTier, pool: &str) -> Value {
    match tier {
        SecondaryTier::Fs(disk) => json!({
            "type": "fs",
            "root_dir": format!("/kv/{pool}"),
            "n_read_threads": disk.n_read_threads,
            "n_write_threads": disk.n_write_threads,
        }),
        SecondaryTier::Store(store) => {
            json!({ "type": "fs", "root_dir": format!("{SHARED}{}", store.name) })
        }
        SecondaryTier::P2p(_) => json!({ "type": "p2p" }),
    }
}

/// Rows for rules of tiers and of eviction that vLLM does not have.
pub(super) fn unmatched_tiers(pool: &Pool, at: &str, rows: &mut Vec<Row>) {
    let kv = &pool.kv;
    let mut no = |key: &str, ours: &str, value: &str, why: &str| {
        rows.push(Row::ignored(format!("{at}.kv.{key}"), ours, value, why));
    };
    match kv.cpu_write {
        TierWrite::Release | TierWrite::WriteBack if kv.cpu_blocks > 0 => {
            no("cpu_write", "CPU writes", write_name(kv.cpu_write), "vLLM writes blocks as they fill");
        }
        _ => {}
    }
    if kv.cpu_eviction == CpuEviction::Belady {
        no("cpu_eviction", "CPU eviction", "belady", "an oracle: vLLM has lru and arc");
    }
    if kv.cpu_ttl_s > 0.0 {
        no("cpu_ttl_s", "CPU keeps", &number(kv.cpu_ttl_s), "vLLM forgets blocks by their use alone");
    }
    if kv.load != LoadRule::Always {
        no("load", "load or compute", "by a rule", "vLLM reads whatever there is");
    }
    if kv.load_wait != LoadWait::Complete {
        no("load_wait", "waits for loads", "timeout", "vLLM waits until all blocks are there");
    }
    if kv.load_asked != LoadAsked::Turn {
        no("load_asked", "loads asked for", "arrival", "vLLM asks when the turn of a request comes");
    }
    let order = match kv.eviction_order {
        EvictionOrder::Lru => None,
        EvictionOrder::Vllm => Some(("vllm", "there by itself, as requests bring retention_directives")),
        EvictionOrder::Sglang => Some(("sglang", "it is the order of SGLang")),
        EvictionOrder::Trtllm => Some(("trtllm", "it is the order of TensorRT-LLM")),
        EvictionOrder::Belady => Some(("belady", "an oracle")),
    };
    if let Some((order, why)) = order {
        no("eviction_order", "eviction order", order, why);
    }
    if kv.max_protected_share < 1.0 {
        let share = number(kv.max_protected_share);
        no("max_protected_share", "protected at most", &share, "vLLM has no bound of what directives keep");
    }
    for (i, tier) in kv.secondary_tiers.iter().enumerate() {
        let (write, kind) = match tier {
            SecondaryTier::Fs(disk) => (disk.write, "fs"),
            SecondaryTier::Store(store) => (store.write, "store"),
            SecondaryTier::P2p(_) => continue,
        };
        if write != TierWrite::WriteThrough {
            let why = "vLLM writes to every tier as blocks enter CPU memory";
            no(&format!("secondary_tiers[{i}].{kind}.write"), "written", write_name(write), why);
        }
        if let SecondaryTier::Fs(disk) = tier
            && disk.eviction == FsEviction::Lru
        {
            let why = "vLLM deletes nothing: a job beside it makes room";
            no(&format!("secondary_tiers[{i}].fs.eviction"), "disk eviction", "lru", why);
        }
    }
}

fn write_name(write: TierWrite) -> &'static str {
    match write {
        TierWrite::WriteThrough => "write-through",
        TierWrite::Release => "release",
        TierWrite::WriteBack => "write-back",
        TierWrite::Selective(_) => "selective",
    }
}

/// Rows for the stores that replicas share: their figures stand where the stores are set up.
pub(super) fn stores(scenario: &Scenario) -> Vec<Row> {
    let row = |(i, store): (usize, &KvStore)| {
        let size = if store.gb > 0.0 { format!("{} GB", number(store.gb)) } else { "no end".to_owned() };
        let eviction = match store.eviction {
            StoreEviction::None => "none",
            StoreEviction::Lru => "lru",
            StoreEviction::Watermark(_) => "watermark",
        };
        let value = format!("{}: {} servers, {size}, {eviction}", store.name, store.servers);
        let why = "size, eviction and lease stand where the store is set up: MOONCAKE_CONFIG_PATH and its master, or the file system";
        Row::ignored(format!("cluster.kv_stores[{i}]"), "KV store", value, why)
    };
    scenario.cluster.kv_stores.iter().enumerate().map(row).collect()
}
