//! Connectors to a store that replicas share.

use crate::import::configuration::Reader;
use crate::import::configuration::mapping::{Mapping, Standing};
use crate::mooncake::store::{MOONCAKE, store};
use crate::vllm::read::keys::Keys;
use crate::vllm::read::tiers::Tiers;
use serde_json::json;

/// The variable that names the file of the store.
const FILE: &str = "MOONCAKE_CONFIG_PATH=";

/// Mooncake's store: the blocks of prompts, made room for by its watermark.
pub(super) fn mooncake(r: &mut Reader<'_>, keys: &Keys<'_>, tiers: &mut Tiers<'_>) {
    let of = &tiers.around.of;
    tiers.add_store(MOONCAKE, store());
    let becomes = "cluster.kv_stores mooncake; its size stands in the file of MOONCAKE_CONFIG_PATH: paste that beside this";
    let (standing, becomes) = tiers.becomes(becomes);
    keys.row(r, "kv_connector", standing, becomes);
    for word in tiers.around.settings.iter().filter(|word| word.text.starts_with(FILE)) {
        let becomes = "the file of the store, which is read where it is beside this".to_owned();
        let (key, found, standing) = (word.path.clone(), word.text.clone(), Standing::Shape);
        r.mappings.push(Mapping { key, found, standing, becomes, ..Mapping::default() });
    }
    let Some(extra) = keys.inner("kv_connector_extra_config") else {
        r.set_pool_usual(of, "kv.offload_prompt_only", json!(true), 1);
        return;
    };
    let key = "save_decode_cache";
    let answers = extra.switch(r, key).unwrap_or(false);
    extra.row(r, key, Standing::Exact, &format!("kv.offload_prompt_only {}", !answers));
    if answers {
        r.set_pool(&extra.path(key), of, "kv.offload_prompt_only", json!(false));
        if tiers.decodes && !tiers.is_staged {
            r.set_pool(&extra.path(key), of, "kv.write_decode", json!(true));
        }
    } else {
        r.set_pool_usual(of, "kv.offload_prompt_only", json!(true), 1);
    }
    extra.row(r, "load_async", Standing::Exact, "others go on while a request loads, as always");
    extra.unknown(r, &["save_decode_cache", "load_async"]);
}
