//! Connectors of `--kv-transfer-config`: the role of a pool, and its tiers below the GPU.
//!
//! Every key within the flag has a row of its own, by its path below the flag.

use crate::command::flags::Flags;
use crate::import::configuration::Reader;
use crate::import::configuration::mapping::Standing;
use crate::vllm::read::keys::Keys;
use crate::vllm::read::lmcache::{lmcache, rest};
use crate::vllm::read::offloading::offloading;
use crate::vllm::read::stores::mooncake;
use crate::vllm::read::tiers::Tiers;
use crate::vllm::read::{Around, Sizes};
use serde_json::json;

const FLAG: &str = "kv-transfer-config";

/// Most connectors within one.
const MOST_CONNECTORS: usize = 8;

/// The keys of a connector itself; the others are within `kv_connector_extra_config`.
const KEYS: [&str; 14] = [
    "kv_connector",
    "kv_connector_extra_config",
    "kv_role",
    "engine_id",
    "kv_buffer_device",
    "kv_buffer_size",
    "kv_connector_module_path",
    "kv_ip",
    "kv_load_failure_policy",
    "kv_parallel_size",
    "kv_port",
    "kv_rank",
    "enable_permute_local_kv",
    "kv_enable_permute",
];

/// Reads the connectors of an engine; returns the role that they give the pool.
pub(crate) fn transfer(
    r: &mut Reader<'_>,
    flags: &mut Flags,
    around: &Around,
    sizes: Sizes,
    block_bytes: Option<f64>,
) -> Option<&'static str> {
    let role = read(r, flags, around, sizes, block_bytes);
    let why = "no counterpart: no connector of LMCache is named";
    rest(r, &around.settings, why);
    role
}

fn read(
    r: &mut Reader<'_>,
    flags: &mut Flags,
    around: &Around,
    sizes: Sizes,
    block_bytes: Option<f64>,
) -> Option<&'static str> {
    let Some(value) = flags.value(FLAG).cloned() else { return around.role };
    let (Some(said), Some(path)) = (value.as_object(), flags.path(FLAG).map(str::to_owned)) else {
        return around.role;
    };
    let keys = Keys { at: path.clone(), said };
    let mut tiers =
        Tiers { around, block_bytes, gpus: sizes.tp * sizes.pp, below: Vec::new(), stores: Vec::new() };
    let role = connector(r, flags, &keys, &mut tiers, 0);
    let Tiers { below, stores, .. } = tiers;
    if !below.is_empty() {
        flags.set_pool(r, FLAG, &around.of, "kv.secondary_tiers", json!(below));
    }
    if !stores.is_empty() {
        flags.set(r, FLAG, "cluster.kv_stores", json!(stores));
    }
    role
}

/// Reads one connector, and those within it.
fn connector(
    r: &mut Reader<'_>,
    flags: &mut Flags,
    keys: &Keys<'_>,
    tiers: &mut Tiers<'_>,
    depth: usize,
) -> Option<&'static str> {
    let around = tiers.around;
    let name = keys.text("kv_connector").unwrap_or_default();
    let extra = keys.inner("kv_connector_extra_config");
    let is_inner = depth > 0;
    if is_inner {
        keys.row(r, "kv_connector", Standing::Shape, "a connector within another");
        keys.row(r, "kv_role", Standing::Shape, "the role of that connector");
    }
    let holds_tiers =
        name.contains("Offloading") || name.contains("LMCache") || name == "MooncakeStoreConnector";
    if holds_tiers && around.role.is_some() {
        let why = "prefill and decode pools have no tiers below the GPU here";
        whole_row(r, flags, keys, is_inner, why);
        return around.role;
    }
    let role = match name {
        _ if name.contains("Offloading") => {
            let said = "tiers below the GPU, by the keys within";
            whole_note(r, flags, is_inner, said);
            if let Some(extra) = &extra {
                offloading(r, extra, tiers);
            }
            around.role
        }
        "MooncakeStoreConnector" => {
            whole_note(r, flags, is_inner, "a store that replicas share, by the keys within");
            mooncake(r, keys, tiers);
            around.role
        }
        "MultiConnector" if !is_inner => {
            whole_note(r, flags, is_inner, "the connectors within");
            let inner = extra.as_ref().map(|extra| extra.list("connectors")).unwrap_or_default();
            for extra in inner.iter().skip(MOST_CONNECTORS) {
                extra.ignore(r, "kv_connector", "the first eight connectors are read");
            }
            let roles: Vec<_> = inner
                .iter()
                .take(MOST_CONNECTORS)
                .map(|keys| connector(r, flags, keys, tiers, depth + 1))
                .collect();
            if let Some(extra) = &extra {
                extra.unknown(r, &["connectors"]);
            }
            roles.into_iter().flatten().next().or(around.role)
        }
        _ if name.contains("LMCache") && !around.settings.is_empty() => {
            whole_note(r, flags, is_inner, "the tiers of LMCache, by its variables");
            lmcache(r, tiers);
            around.role
        }
        _ if name.contains("LMCache") => {
            let why = "its tiers stand in its own file: paste its LMCACHE_* variables before the command, or write them as kv.cpu_blocks and kv.secondary_tiers";
            whole_row(r, flags, keys, is_inner, why);
            around.role
        }
        _ => handover(r, flags, keys, around, is_inner),
    };
    let why = "it concerns the connection between processes";
    for key in KEYS.iter().skip(3) {
        keys.ignore(r, key, why);
    }
    keys.unknown(r, &KEYS);
    role
}

/// The row of a whole flag, or of a connector within it.
fn whole_row(r: &mut Reader<'_>, flags: &mut Flags, keys: &Keys<'_>, is_inner: bool, why: &str) {
    if is_inner {
        keys.ignore(r, "kv_connector_extra_config", why);
    } else {
        flags.ignore(r, FLAG, why);
    }
}

fn whole_note(r: &mut Reader<'_>, flags: &mut Flags, is_inner: bool, becomes: &str) {
    if !is_inner {
        flags.note(r, FLAG, becomes);
    }
}

/// A connector that hands caches over from prefill to decode replicas.
fn handover(
    r: &mut Reader<'_>,
    flags: &mut Flags,
    keys: &Keys<'_>,
    around: &Around,
    is_inner: bool,
) -> Option<&'static str> {
    if let Some(role) = around.role {
        let becomes = format!("role {role}: caches are handed over from prefill to decode replicas");
        whole_note(r, flags, is_inner, &becomes);
        return Some(role);
    }
    let role = match keys.text("kv_role").unwrap_or_default() {
        "kv_producer" => "prefill",
        "kv_consumer" => "decode",
        _ => {
            let why = "it does not say whether this engine prefills or decodes: a label llm-d.ai/role does";
            whole_row(r, flags, keys, is_inner, why);
            return None;
        }
    };
    whole_note(r, flags, is_inner, &format!("role {role}"));
    flags.set_pool(r, FLAG, &around.of, "role", json!(role));
    Some(role)
}
