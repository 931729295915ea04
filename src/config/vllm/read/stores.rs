//! Connectors to a store that replicas share.

use crate::import::configuration::Reader;
use crate::import::configuration::mapping::Standing;
use crate::vllm::read::keys::Keys;
use crate::vllm::read::tiers::Tiers;
use serde_json::json;

/// The lease of Mooncake's master on a block that is read.
const LEASE_MS: f64 = 10_000.0;

/// Mooncake's store: the blocks of prompts, made room for by its watermark.
pub(super) fn mooncake(r: &mut Reader<'_>, keys: &Keys<'_>, tiers: &mut Tiers<'_>) {
    let of = &tiers.around.of;
    let name = "mooncake";
    tiers.add_store(name, json!({ "name": name, "eviction": { "watermark": {} }, "lease_ms": LEASE_MS }));
    let becomes = "cluster.kv_stores mooncake; its size stands in the file of MOONCAKE_CONFIG_PATH: write it as gb and servers";
    let (standing, becomes) = tiers.becomes(becomes);
    keys.row(r, "kv_connector", standing, becomes);
    let Some(extra) = keys.inner("kv_connector_extra_config") else {
        r.set_pool_usual(of, "kv.offload_prompt_only", json!(true), 1);
        return;
    };
    let key = "save_decode_cache";
    let answers = extra.switch(r, key).unwrap_or(false);
    extra.row(r, key, Standing::Exact, &format!("kv.offload_prompt_only {}", !answers));
    if answers {
        r.set_pool(&extra.path(key), of, "kv.offload_prompt_only", json!(false));
    } else {
        r.set_pool_usual(of, "kv.offload_prompt_only", json!(true), 1);
    }
    extra.row(r, "load_async", Standing::Exact, "others go on while a request loads, as always");
    extra.unknown(r, &["save_decode_cache", "load_async"]);
}
