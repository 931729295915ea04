//! Tiers below the GPU in commands of engines: read from their connectors, and written as one.

use serde_json::{Value, json};
use tokenyard::config::export::{System, exported};
use tokenyard::config::import::configuration::{Imported, Standing, TrafficAsked, imported};
use tokenyard::config::import::documents::Text;
use tokenyard::scenario;

fn import(text: &str) -> Imported {
    let text = Text { name: String::new(), text: text.to_owned() };
    imported(&[text], "", &[], &TrafficAsked::default())
}

/// A command of an engine with a connector.
fn command(connector: &Value) -> String {
    format!("vllm serve meta-llama/Llama-3.1-8B-Instruct --kv-transfer-config '{connector}'")
}

/// The cluster that a connector gives, which `check` accepts.
fn cluster(connector: &Value) -> (Value, Imported) {
    let found = import(&command(connector));
    let scenario: Value = serde_json::from_str(&found.scenario).expect("a scenario");
    let checked = scenario::from_value(scenario.clone()).and_then(scenario::check);
    assert!(checked.is_ok(), "{checked:?}");
    (scenario["cluster"].clone(), found)
}

/// How the key at the end of a path stands.
fn standing(found: &Imported, end: &str) -> Standing {
    let all: Vec<_> = found.keys.iter().filter(|row| row.key.ends_with(end)).collect();
    assert_eq!(all.len(), 1, "{end}: {all:?}");
    all[0].standing
}

#[test]
fn a_cpu_tier_has_the_blocks_of_its_bytes() {
    // A block of 16 tokens of Llama 3.1 8B has 2 MiB.
    let extra = json!({
        "cpu_bytes_to_use": 2_097_152_000_u64, "block_size": 64, "store_threshold": 3, "eviction_policy": "arc"
    });
    let connector = json!({ "kv_connector": "OffloadingConnector", "kv_role": "kv_both", "kv_connector_extra_config": extra });
    let (cluster, found) = cluster(&connector);
    let kv = &cluster["pools"][0]["kv"];
    assert_eq!(kv["cpu_blocks"], 1000);
    assert_eq!(kv["cpu_write"], json!({ "selective": { "hits": 3 } }));
    assert_eq!(kv["offload_prompt_only"], true, "vLLM's default");
    assert_eq!(standing(&found, "cpu_bytes_to_use"), Standing::Near);
    assert_eq!(standing(&found, ".block_size"), Standing::Ignored);
    assert_eq!(standing(&found, "eviction_policy"), Standing::Near);
    assert!(found.problems.is_empty(), "{:?}", found.problems);
}

#[test]
fn tiers_below_cpu_memory_are_disks() {
    let extra = json!({
        "spec_name": "TieringOffloadingSpec",
        "cpu_bytes_to_use": 2_097_152_000_u64,
        "offload_prompt_only": false,
        "secondary_tiers": [
            { "type": "fs", "root_dir": "/mnt/kv", "n_read_threads": 8 },
            { "type": "obj", "bucket": "kv" },
            { "type": "tape", "speed": 1 },
        ],
    });
    let (cluster, found) =
        cluster(&json!({ "kv_connector": "OffloadingConnector", "kv_connector_extra_config": extra }));
    let kv = &cluster["pools"][0]["kv"];
    let tiers = kv["secondary_tiers"].as_array().expect("tiers");
    assert_eq!(tiers.len(), 2);
    assert_eq!(tiers[0]["fs"]["n_read_threads"], 8);
    assert_eq!(tiers[0]["fs"]["n_write_threads"], 16, "vLLM's default");
    assert_eq!(tiers[1]["fs"]["n_read_threads"], 4, "vLLM's default of objects");
    assert_ne!(kv["offload_prompt_only"], true);
    assert_eq!(standing(&found, "secondary_tiers.0.root_dir"), Standing::Ignored);
    assert_eq!(standing(&found, "secondary_tiers.2.type"), Standing::Ignored);
    assert_eq!(standing(&found, "secondary_tiers.2.speed"), Standing::Unknown);
}

#[test]
fn mooncake_is_a_store_with_a_watermark_and_a_lease() {
    let connector = json!({ "kv_connector": "MooncakeStoreConnector", "kv_role": "kv_both",
        "kv_connector_extra_config": { "load_async": true } });
    let (cluster, found) = cluster(&connector);
    let store = &cluster["kv_stores"][0];
    assert_eq!(store["lease_ms"], 10_000.0);
    assert!(store["eviction"]["watermark"].is_object(), "{store}");
    let kv = &cluster["pools"][0]["kv"];
    assert_eq!(kv["secondary_tiers"][0]["store"]["name"], store["name"]);
    assert_eq!(kv["offload_prompt_only"], true, "without save_decode_cache");
    assert_eq!(standing(&found, "load_async"), Standing::Exact);
}

#[test]
fn connectors_within_one_are_read_one_by_one() {
    let inner = |name: &str, extra: Value| json!({ "kv_connector": name, "kv_role": "kv_both", "kv_connector_extra_config": extra });
    let connectors = [
        inner("OffloadingConnector", json!({ "num_cpu_blocks": 500 })),
        inner("MooncakeStoreConnector", json!({})),
    ];
    let (cluster, found) = cluster(
        &json!({ "kv_connector": "MultiConnector", "kv_connector_extra_config": { "connectors": connectors } }),
    );
    let kv = &cluster["pools"][0]["kv"];
    assert_eq!(
        (&kv["cpu_blocks"], &kv["secondary_tiers"][0]["store"]["name"]),
        (&json!(500), &json!("mooncake"))
    );
    assert_eq!(standing(&found, "connectors.0.kv_connector"), Standing::Shape);
}

#[test]
fn wrong_values_and_unknown_keys_are_named_by_their_path() {
    let extra = json!({ "cpu_bytes_to_use": -1, "store_treshold": 2, "offload_prompt_only": "perhaps",
        "secondary_tiers": [{ "type": "fs", "n_read_threads": 0 }, { "root_dir": "/x" }] });
    let found = import(&command(
        &json!({ "kv_connector": "OffloadingConnector", "kv_connector_extra_config": extra }),
    ));
    let ends = ["cpu_bytes_to_use", "offload_prompt_only", "0.n_read_threads", "1.type"];
    let problems = || found.problems.iter();
    for end in ends {
        assert!(problems().any(|p| p.path.ends_with(end)), "{end}: {:?}", found.problems);
    }
    assert!(
        found.keys.iter().any(|row| row.key.ends_with("store_treshold") && row.nearest == "store_threshold")
    );
}

#[test]
fn what_is_written_is_read_again_as_the_same_tiers() {
    let extra = json!({
        "spec_name": "TieringOffloadingSpec", "cpu_bytes_to_use": 2_097_152_000_u64, "store_threshold": 4,
        "secondary_tiers": [{ "type": "fs", "n_read_threads": 8, "n_write_threads": 2 }],
    });
    let (before, _) =
        cluster(&json!({ "kv_connector": "OffloadingConnector", "kv_connector_extra_config": extra }));
    let scenario = scenario::from_value(json!({ "cluster": before })).expect("a scenario");
    let written = exported(&scenario, System::Vllm, None);
    let again = import(&written.text);
    let after: Value = serde_json::from_str(&again.scenario).expect("a scenario");
    let tiers = |cluster: &Value| {
        let kv = &cluster["pools"][0]["kv"];
        ["cpu_blocks", "cpu_write", "offload_prompt_only", "secondary_tiers"].map(|key| kv[key].clone())
    };
    assert_eq!(tiers(&after["cluster"]), tiers(&before), "{}", written.text);
}

#[test]
fn tiers_of_lmcache_stand_in_variables() {
    let connector = json!({ "kv_connector": "LMCacheConnectorV1", "kv_role": "kv_both" });
    let variables = "LMCACHE_MAX_LOCAL_CPU_SIZE=10 LMCACHE_CHUNK_SIZE=256 LMCACHE_MAX_LOCAL_DISK_SIZE=100 \
        LMCACHE_REMOTE_URL=lm://cache:65432 LMCACHE_BLOCKING_TIMEOUT_SECS=2 LMCACHE_LOG_LEVEL=INFO";
    let found = import(&format!("{variables} {}", command(&connector)));
    let scenario: Value = serde_json::from_str(&found.scenario).expect("a scenario");
    let checked = scenario::from_value(scenario.clone()).and_then(scenario::check);
    assert!(checked.is_ok(), "{checked:?}");
    let kv = &scenario["cluster"]["pools"][0]["kv"];
    // 10 GiB in blocks of 2 MiB.
    assert_eq!(kv["cpu_blocks"], 5120);
    assert_eq!(kv["secondary_tiers"][0]["fs"]["eviction"], "lru");
    assert_eq!(kv["secondary_tiers"][1]["store"]["name"], "lmcache");
    assert_eq!(kv["load_wait"]["timeout"]["base_us"], 2_000_000);
    assert_eq!(scenario["cluster"]["kv_stores"][0]["eviction"], "lru");
    let of = |name: &str| found.keys.iter().find(|row| row.found.starts_with(name)).map(|row| row.standing);
    assert_eq!(of("LMCACHE_MAX_LOCAL_CPU_SIZE"), Some(Standing::Near));
    assert_eq!(of("LMCACHE_CHUNK_SIZE"), Some(Standing::Ignored));
    assert_eq!(of("LMCACHE_LOG_LEVEL"), Some(Standing::Ignored));
}

#[test]
fn variables_of_lmcache_without_its_connector_change_nothing() {
    let found = import("LMCACHE_MAX_LOCAL_CPU_SIZE=10 vllm serve meta-llama/Llama-3.1-8B-Instruct");
    let scenario: Value = serde_json::from_str(&found.scenario).expect("a scenario");
    assert_eq!(scenario["cluster"]["pools"][0]["kv"]["cpu_blocks"].as_u64().unwrap_or(0), 0);
    assert!(found.keys.iter().any(|row| row.becomes.contains("no connector of LMCache")), "{:?}", found.keys);
}

#[test]
fn a_router_that_names_the_source_of_pulls_becomes_the_source_here() {
    let picker = |lead: u32| {
        format!(
            "apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n\
             - type: p2p-source-producer\n  parameters: {{minCachedTokenDelta: {lead}}}\n- type: queue-scorer\n\
             - type: max-score-picker\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: queue-scorer\n\
             \x20 - pluginRef: max-score-picker\n"
        )
    };
    for (lead, here) in [(256, 256), (0, 1)] {
        let found = import(&picker(lead));
        let scenario: Value = serde_json::from_str(&found.scenario).expect("a scenario");
        assert_eq!(scenario["cluster"]["kv_source"]["min_cached_token_delta"], here, "{:?}", found.problems);
    }
}

#[test]
fn pools_that_prefill_and_decode_have_a_store_and_a_home_writes_where_its_cache_is_saved() {
    let apart = |role: &str, saves: bool| {
        let extra = json!({ "save_decode_cache": saves });
        let connectors = json!([
            { "kv_connector": "NixlConnector", "kv_role": role },
            { "kv_connector": "MooncakeStoreConnector", "kv_role": "kv_both", "kv_connector_extra_config": extra },
        ]);
        let connector = json!({ "kv_connector": "MultiConnector", "kv_role": role,
            "kv_connector_extra_config": { "connectors": connectors } });
        Text { name: String::new(), text: command(&connector) }
    };
    for saves in [false, true] {
        let texts = [apart("kv_producer", saves), apart("kv_consumer", saves)];
        let found = imported(&texts, "", &[], &TrafficAsked::default());
        let scenario: Value = serde_json::from_str(&found.scenario).expect("a scenario");
        let checked = scenario::from_value(scenario.clone()).and_then(scenario::check);
        assert!(checked.is_ok(), "{checked:?}");
        let pools = &scenario["cluster"]["pools"];
        assert_eq!([&pools[0]["role"], &pools[1]["role"]], ["prefill", "decode"]);
        let of = |i: usize| &pools[i]["kv"];
        assert!([0, 1].iter().all(|i| of(*i)["secondary_tiers"][0]["store"].is_object()), "{pools}");
        assert_eq!(of(0).get("write_decode"), None);
        assert_eq!(of(1).get("write_decode").is_some_and(|on| on == true), saves);
    }
}
