//! Import of the file of `MOONCAKE_CONFIG_PATH`: the size of the store that connectors name.

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::tiers::{LENT, STORES};
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::is_object;
use crate::mooncake::store::{MOONCAKE, size_gb, store};
use base::Diagnostic;
use base::import::Import;
use serde_json::{Value, json};

/// Keys that say where the store is and how it is reached.
const ADDRESSES: [&str; 10] = [
    "local_hostname",
    "metadata_server",
    "master_server_address",
    "master_metrics_port",
    "master_server_entry",
    "protocol",
    "device_name",
    "device_names",
    "cluster_name",
    "storage_root_dir",
];

/// The file of Mooncake's store.
pub(crate) struct MooncakeConfig;

impl Import<Configuration> for MooncakeConfig {
    fn name(&self) -> &'static str {
        "mooncake-config"
    }

    fn title(&self) -> &'static str {
        "the file of a Mooncake store"
    }

    fn recognises(&self, source: &Value) -> bool {
        let has = |key: &str| source.get(key).is_some();
        let own = has("master_server_address") && (has("global_segment_size") || has("metadata_server"));
        own && !is_object(source) && !has("words") && !has("local_cpu")
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        segments(&mut r);
        for key in ADDRESSES {
            r.without_counterpart(key, "it says where the store is; port_gb_per_s and base_us say how fast");
        }
        r.without_counterpart("local_buffer_size", "blocks on their way take no memory here");
        match r.get("enable_offload").and_then(Value::as_bool) {
            Some(false) => r.note("enable_offload", "a store in memory alone, as here"),
            _ => r.without_counterpart("enable_offload", "disks behind a store are not simulated"),
        }
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

/// The memory of the store.
fn segments(r: &mut Reader<'_>) {
    let mode = r.get("mode").and_then(Value::as_str).unwrap_or("embedded").to_owned();
    let is_lent = mode == "embedded";
    let mut own = store();
    if is_lent {
        own[LENT] = json!(true);
        r.note("mode", "servers of the store: each GPU of a replica lends memory");
    } else {
        let differs = "a store of its own: write how many servers it has";
        r.near("mode", &format!("{STORES} {MOONCAKE}, servers 1"), differs);
    }
    let path = "global_segment_size";
    let Some(value) = r.get(path).cloned() else {
        r.set("master_server_address", STORES, json!([own]));
        return;
    };
    let Some(gb) = size_gb(&value) else {
        let fix = "write bytes, or a number with a unit, such as 64GB";
        r.problems.push(Diagnostic::error(path, value.to_string(), "a size", fix));
        return;
    };
    if gb > 0.0 {
        own["gb"] = json!(gb);
        let of = if is_lent { "each GPU" } else { "its only server" };
        r.near(path, &format!("{STORES} {MOONCAKE}, gb {gb:.3}"), &format!("the memory of {of}"));
    } else {
        r.near(
            path,
            &format!("{STORES} {MOONCAKE}, without an end"),
            "these processes lend no memory: write gb",
        );
    }
    r.set(path, STORES, json!([own]));
}
