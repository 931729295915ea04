//! Connectors of `--kv-transfer-config`: the role of a pool, and its tiers below the GPU.
//!
//! Every key within the flag has a row of its own, by its path below the flag.

use crate::command::flags::{Flags, Word};
use crate::import::configuration::Reader;
use crate::import::configuration::mapping::Standing;
use crate::import::configuration::tiers::STORES;
use crate::vllm::read::keys::Keys;
use crate::vllm::read::lmcache::{is_said_by_file, lmcache, rest, within};
use crate::vllm::read::offloading::offloading;
use crate::vllm::read::stores::mooncake;
use crate::vllm::read::tiers::Tiers;
use crate::vllm::read::{Around, Sizes};
use serde_json::{Value, json};

const FLAG: &str = "kv-transfer-config";

/// The flag with the keys of the connector to tiers alone.
const OFFLOADING: &str = "kv-offload-config";

/// The connector to Mooncake's store.
const MOONCAKE_STORE: &str = "MooncakeStoreConnector";

/// Why LMCache's own file is not read.
const BY_FILE: &str =
    "its tiers stand in its own file: paste that beside this command, or LMCACHE_* variables before it";

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

/// Reads the connectors of an engine: the role that they give the pool, and its tiers.
pub(crate) fn transfer(
    r: &mut Reader<'_>,
    flags: &mut Flags,
    around: &Around,
    sizes: Sizes,
    block_bytes: Option<f64>,
) {
    let value = |name: &str| flags.value(name).filter(|value| value.is_object()).cloned();
    let (connector, offload) = (value(FLAG), value(OFFLOADING));
    for (name, said) in [(FLAG, connector), (OFFLOADING, offload)] {
        let (Some(Value::Object(said)), Some(path)) = (&said, flags.path(name)) else { continue };
        let keys = Keys { at: path.to_owned(), said };
        let decodes = match around.role {
            Some(role) => role == "decode",
            None => receives(&keys) || keys_within(&keys).iter().any(receives),
        };
        let gpus = sizes.tp * sizes.pp;
        let (is_staged, below, stores) = (sizes.pp > 1, Vec::new(), Vec::new());
        let mut tiers = Tiers { around, block_bytes, gpus, is_staged, decodes, below, stores };
        if name == FLAG {
            outer(r, flags, &keys, &mut tiers);
        } else {
            flags.note(r, name, "tiers below the GPU, by the keys within");
            offloading(r, &keys, &mut tiers);
        }
        let Tiers { below, stores, .. } = tiers;
        if !below.is_empty() {
            flags.set_pool(r, name, &around.of, "kv.secondary_tiers", json!(below));
        }
        if !stores.is_empty() {
            flags.set(r, name, STORES, json!(stores));
        }
    }
    rest(r, &around.settings, "no counterpart: no connector of LMCache is named");
}

/// The connectors within one.
fn keys_within<'a>(keys: &Keys<'a>) -> Vec<Keys<'a>> {
    keys.inner("kv_connector_extra_config").map(|extra| extra.list("connectors")).unwrap_or_default()
}

/// Whether a connector takes caches over from prefill replicas.
fn receives(keys: &Keys<'_>) -> bool {
    !holds_tiers(keys) && keys.text("kv_role") == Some("kv_consumer")
}

/// Whether a connector is one to tiers below the GPU.
fn holds_tiers(keys: &Keys<'_>) -> bool {
    let name = keys.text("kv_connector").unwrap_or_default();
    name.contains("Offloading") || name.contains("LMCache") || name == MOONCAKE_STORE
}

/// The connector of the flag itself, whose row is that of the flag.
fn outer(r: &mut Reader<'_>, flags: &mut Flags, keys: &Keys<'_>, tiers: &mut Tiers<'_>) {
    let name = keys.text("kv_connector").unwrap_or_default();
    if name == "MultiConnector" {
        flags.note(r, FLAG, "the connectors within");
        let inner = keys_within(keys);
        for one in inner.iter().skip(MOST_CONNECTORS) {
            one.ignore(r, "kv_connector", "the first eight connectors are read");
        }
        for one in inner.iter().take(MOST_CONNECTORS) {
            if one.text("kv_connector") != Some(MOONCAKE_STORE) {
                one.row(r, "kv_connector", Standing::Shape, "a connector within another");
            }
            one.row(r, "kv_role", Standing::Shape, "the role of that connector");
            if holds_tiers(one) {
                tiers_of(r, one, tiers);
            } else {
                let becomes = handover(r, flags, one, tiers.around);
                one.row(r, "kv_connector_extra_config", Standing::Shape, becomes.text());
            }
            finish(r, one);
        }
        if let Some(extra) = keys.inner("kv_connector_extra_config") {
            extra.unknown(r, &["connectors"]);
        }
    } else if holds_tiers(keys) {
        let by_file = name.contains("LMCache") && is_said_by_file(&tiers.around.settings, keys);
        if by_file {
            flags.ignore(r, FLAG, BY_FILE);
        } else {
            flags.note(r, FLAG, "tiers below the GPU, by the keys within");
        }
        tiers_of(r, keys, tiers);
    } else {
        match handover(r, flags, keys, tiers.around) {
            Handover::Role(text) => flags.note(r, FLAG, &text),
            Handover::Unknown(why) => flags.ignore(r, FLAG, why),
        }
    }
    finish(r, keys);
}

/// Reads the tiers of a connector.
fn tiers_of(r: &mut Reader<'_>, keys: &Keys<'_>, tiers: &mut Tiers<'_>) {
    let name = keys.text("kv_connector").unwrap_or_default();
    if name == MOONCAKE_STORE {
        mooncake(r, keys, tiers);
    } else if name.contains("LMCache") {
        let all: Vec<Word> = tiers.around.settings.iter().cloned().chain(within(r, keys)).collect();
        lmcache(r, tiers, &all);
    } else if let Some(extra) = keys.inner("kv_connector_extra_config") {
        offloading(r, &extra, tiers);
    }
}

/// Gives the other keys of a connector their rows.
fn finish(r: &mut Reader<'_>, keys: &Keys<'_>) {
    let extra = "kv_connector_extra_config";
    let at = keys.path(extra);
    if let Some(inner) = keys.inner(extra).filter(|_| !r.mappings.iter().any(|row| row.key.starts_with(&at)))
    {
        for key in inner.said.keys() {
            inner.ignore(r, key, "it concerns the connection between processes");
        }
    }
    for key in KEYS.iter().skip(3) {
        keys.ignore(r, key, "it concerns the connection between processes");
    }
    keys.unknown(r, &KEYS);
}

/// What a connector says of the role of its pool.
enum Handover {
    Role(String),
    Unknown(&'static str),
}

impl Handover {
    fn text(&self) -> &str {
        match self {
            Self::Role(text) => text,
            Self::Unknown(why) => why,
        }
    }
}

/// A connector that hands caches over from prefill to decode replicas.
fn handover(r: &mut Reader<'_>, flags: &Flags, keys: &Keys<'_>, around: &Around) -> Handover {
    if let Some(role) = around.role {
        return Handover::Role(format!(
            "role {role}: caches are handed over from prefill to decode replicas"
        ));
    }
    let role = match keys.text("kv_role").unwrap_or_default() {
        "kv_producer" => "prefill",
        "kv_consumer" => "decode",
        _ => {
            return Handover::Unknown(
                "it does not say whether this engine prefills or decodes: a label llm-d.ai/role does",
            );
        }
    };
    flags.set_pool(r, FLAG, &around.of, "role", json!(role));
    Handover::Role(format!("role {role}"))
}
