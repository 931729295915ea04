//! What routers know of tiers: the worth of a block by its tier, the source of pulls and the hint, read and written.

use super::exported::{changed, imported, plain, rows, scenario};
use super::{folder, import, row};
use serde_json::json;
use std::fs;
use tokenyard::config::export::{Standing, System, exported};
use tokenyard::scenario::Scenario;

fn sample() -> String {
    fs::read_to_string(folder().join("EndpointPickerConfig-kept.yaml")).expect("the sample")
}

#[test]
fn the_hint_the_source_and_the_worth_of_tiers_are_read() {
    let (scenario, found) = import(&sample());
    let cluster = &scenario["cluster"];
    let hint = json!({ "quantile": 0.8, "least_gaps": 1, "min_s": 10.0, "max_s": 300.0, "priority": 60,
        "head_tokens": 8192, "budget_tokens": 500_000 });
    assert_eq!(cluster["kv_hint"], hint);
    assert_eq!(cluster["kv_source"]["min_cached_token_delta"], 256);
    let router = &cluster["routing"]["weighted"];
    assert_eq!(router["scorers"][0], json!({ "scorer": "tier-prefix", "weight": 3.0 }));
    assert_eq!((&router["tier_weights"]["gpu"], &router["tier_weights"]["cpu"]), (&json!(1.0), &json!(0.6)));
    let standing = |key: &str| row(&found, key).0;
    assert_eq!(standing("plugins.2.type"), "near");
    assert_eq!(standing("plugins.2.parameters.queues.0.retain.minTTL"), "exact");
    assert_eq!(standing("plugins.2.parameters.queues.0.sessionType"), "ignored");
    assert_eq!(standing("plugins.1.type"), "ignored");
}

#[test]
fn the_hint_for_whole_contexts_has_no_head_and_no_budget() {
    let text = "kind: EndpointPickerConfig\nplugins:\n- type: kv-cache-hint\n  parameters:\n    parentSessionHeader: x\n    queues:\n    \
        - {sessionType: a, retain: {quantile: 0.5}}\n    - {sessionType: b, retain: {quantile: 0.7}}\n- type: queue-scorer\n";
    let (scenario, found) = import(text);
    let hint = &scenario["cluster"]["kv_hint"];
    assert_eq!(
        (&hint["head_tokens"], &hint["budget_tokens"], &hint["quantile"]),
        (&json!(0), &json!(0), &json!(0.5))
    );
    assert_eq!((&hint["min_s"], &hint["max_s"], &hint["priority"]), (&json!(1.0), &json!(600.0), &json!(70)));
    assert_eq!(row(&found, "plugins.0.parameters.queues.1.retain.quantile").0, "ignored");
    assert_eq!(row(&found, "plugins.0.parameters.parentSessionHeader").0, "ignored");
}

#[test]
fn what_an_endpoint_picker_says_of_tiers_comes_back() {
    let own = scenario(json!({ "tokenyard": 1, "cluster": {
        "snapshot_refresh_us": 50_000,
        "routing": { "weighted": { "profile": "custom", "ties": "random",
            "scorers": [{ "scorer": "tier-prefix", "weight": 2 }], "tier_weights": { "cpu": 0.5 } } },
        "kv_source": { "min_cached_token_delta": 512 },
        "kv_hint": { "quantile": 0.75, "min_s": 2, "max_s": 90, "priority": 40, "head_tokens": 4096, "budget_tokens": 100_000 },
    } }));
    let found = exported(&own, System::Epp, None);
    let back = imported(&Scenario { tokenyard: 1, ..Scenario::default() }, &found.text);
    assert_eq!(back.cluster.kv_source, own.cluster.kv_source, "{}", found.text);
    assert_eq!(back.cluster.kv_hint, own.cluster.kv_hint, "{}", found.text);
    assert_eq!(rows(&found, Standing::Ignored), ["worth on a disk", "worth in a store"]);
    assert!(plain(&found).contains("name: cpu\n        weight: 0.5\n"), "{}", found.text);
    let again = exported(&back, System::Epp, Some(&found.text));
    assert_eq!(changed(&again), Vec::<String>::new());
    let changed_lead = scenario(json!({ "tokenyard": 1, "cluster": {
        "kv_source": { "min_cached_token_delta": 64 }, "routing": "random" } }));
    let beside = "kind: EndpointPickerConfig\nplugins:\n- type: p2p-source-producer\n  parameters: {minCachedTokenDelta: 0}\n- type: random-picker\n";
    let lines = changed(&exported(&changed_lead, System::Epp, Some(beside)));
    assert_eq!(
        lines,
        ["-  parameters: {minCachedTokenDelta: 0}", "+  parameters: {minCachedTokenDelta: 64}"]
    );
}

#[test]
fn a_hint_for_whole_contexts_is_the_first_of_the_two_plugins() {
    let own = scenario(json!({ "tokenyard": 1, "cluster": { "routing": "random",
        "kv_hint": { "head_tokens": 0, "budget_tokens": 0, "least_gaps": 5 } } }));
    let found = exported(&own, System::Epp, None);
    assert!(found.text.contains("- type: kv-cache-hint\n"), "{}", found.text);
    assert_eq!(rows(&found, Standing::Ignored), ["hint, gaps before the first"]);
}

#[test]
fn a_system_without_a_place_for_them_says_so() {
    let own = scenario(json!({ "tokenyard": 1, "cluster": {
        "kv_source": {}, "kv_hint": {},
        "kv_stores": [{ "name": "s", "gb": 10, "eviction": "lru" }],
        "pools": [{ "model": "llama-3.1-8b", "kv": {
            "cpu_blocks": 1000, "cpu_write": "write-back", "cpu_ttl_s": 60, "load": { "min_tokens": 256 },
            "load_wait": { "timeout": {} }, "load_asked": "arrival", "eviction_order": "sglang", "max_protected_share": 0.5,
            "secondary_tiers": [{ "fs": { "eviction": "lru", "write": "release" } }, { "store": { "name": "s" } }],
        } }] } }));
    let found = exported(&own, System::Vllm, None);
    let expected = [
        "CPU writes",
        "CPU keeps",
        "load or compute",
        "waits for loads",
        "loads asked for",
        "eviction order",
        "protected at most",
        "written",
        "disk eviction",
        "KV store",
        "source of pulls",
        "KV hint",
    ];
    assert_eq!(rows(&found, Standing::Ignored), expected);
    let dynamo = exported(&own, System::Dynamo, None);
    assert!(rows(&dynamo, Standing::Ignored).contains(&"KV hint"), "{:?}", dynamo.rows);
}

#[test]
fn stores_that_pools_share_come_back_from_their_commands() {
    let pool = |name: &str| {
        json!({ "name": name, "model": "llama-3.1-8b", "kv": { "cpu_blocks": 1000,
        "secondary_tiers": [{ "fs": { "n_read_threads": 4 } }, { "store": { "name": "s" } }] } })
    };
    let own = scenario(json!({ "tokenyard": 1, "cluster": {
        "pools": [pool("llama-3.1-8b-instruct")], "kv_stores": [{ "name": "s" }] } }));
    let found = exported(&own, System::Vllm, None);
    let (again, _) = import(&found.text);
    let tiers = &again["cluster"]["pools"][0]["kv"]["secondary_tiers"];
    assert_eq!(tiers[0]["fs"]["n_read_threads"], 4, "{}", found.text);
    assert_eq!(
        (&tiers[1]["store"]["name"], &again["cluster"]["kv_stores"][0]["name"]),
        (&json!("s"), &json!("s"))
    );
}

#[test]
fn a_cpu_tier_for_prompts_alone_is_a_connector() {
    let own = scenario(json!({ "tokenyard": 1, "cluster": { "pools": [{ "model": "llama-3.1-8b", "kv": {
        "cpu_blocks": 1000, "offload_prompt_only": true, "cpu_write": { "selective": { "hits": 3 } } } }] } }));
    let found = exported(&own, System::Vllm, None);
    let (again, _) = import(&found.text);
    let kv = &again["cluster"]["pools"][0]["kv"];
    assert_eq!(
        (&kv["cpu_blocks"], &kv["offload_prompt_only"]),
        (&json!(1000), &json!(true)),
        "{}",
        found.text
    );
    assert_eq!(kv["cpu_write"], json!({ "selective": { "hits": 3 } }));
}
