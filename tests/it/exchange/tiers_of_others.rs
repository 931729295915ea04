//! Tiers in commands and files of SGLang, TensorRT-LLM, LMCache and Mooncake, and what several sources say of one store.

use super::{folder, import_into};
use serde_json::{Value, json};
use std::fs;
use tokenyard::config::import::configuration::{Imported, Mapping, Standing};
use tokenyard::scenario;

/// The import of texts, and the cluster, which `check` accepts.
fn cluster(texts: &[&str]) -> (Value, Imported) {
    let found = import_into("", texts);
    assert_eq!(found.problems, [], "{texts:?}");
    let scenario: Value = serde_json::from_str(&found.scenario).expect("a scenario");
    let checked = scenario::from_value(scenario.clone()).and_then(scenario::check);
    assert!(checked.is_ok(), "{checked:?}");
    (scenario["cluster"].clone(), found)
}

fn sample(file: &str) -> String {
    fs::read_to_string(folder().join(file)).expect("a sample")
}

/// How the key that contains a text stands, and what it becomes.
fn row<'a>(found: &'a Imported, text: &str) -> (Standing, &'a str) {
    let is = |row: &&Mapping| row.key.ends_with(text) || row.found.starts_with(text);
    let all: Vec<_> = found.keys.iter().filter(is).collect();
    assert_eq!(all.len(), 1, "{text}: {all:?}");
    (all[0].standing, &all[0].becomes)
}

#[test]
fn the_hierarchical_cache_of_sglang_is_a_cpu_tier_over_a_store() {
    let (cluster, found) = cluster(&[&sample("sglang-serve.sh")]);
    let (pool, store) = (&cluster["pools"][0], &cluster["kv_stores"][0]);
    let kv = &pool["kv"];
    assert_eq!((&pool["model"], &pool["tp"], &pool["replicas"]), (&json!("qwen3-8b"), &json!(2), &json!(2)));
    assert_eq!(kv["block_tokens"], 64);
    assert_eq!(kv["cpu_write"], json!({ "selective": { "hits": 2 } }));
    assert_eq!(kv["eviction_order"], "sglang");
    assert_eq!(kv["load"], json!({ "min_tokens": 512 }));
    assert_eq!(kv["load_wait"], json!({ "timeout": { "base_us": 500_000, "per_ki_token_us": 250_000 } }));
    assert_eq!(kv["load_asked"], "arrival");
    assert_eq!(kv["secondary_tiers"][0]["store"]["name"], store["name"]);
    assert_eq!(
        (&store["servers"], &store["lease_ms"]),
        (&json!(4), &json!(10_000.0)),
        "each GPU lends memory"
    );
    assert!(store["eviction"]["watermark"].is_object(), "{store}");
    let gb = store["gb"].as_f64().expect("a size");
    assert!((gb - 68.719).abs() < 0.001, "{gb}");
    assert_eq!(row(&found, "--hicache-io-backend").0, Standing::Ignored);
    assert_eq!(row(&found, "--enable-hierarchical-cache").0, Standing::Exact);
    assert_eq!(row(&found, "MOONCAKE_MASTER").0, Standing::Ignored);
    assert_eq!(row(&found, "MOONCAKE_GLOBAL_SEGMENT_SIZE").0, Standing::Near);
}

#[test]
fn a_ratio_is_a_multiple_of_the_blocks_and_a_size_is_that_of_each_gpu() {
    let of = |flags: &str| {
        let text = format!(
            "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2 --page-size 64 --max-total-tokens 64000 {flags}"
        );
        let (cluster, found) = cluster(&[&text]);
        (cluster["pools"][0]["kv"]["cpu_blocks"].as_u64().unwrap_or(0), found)
    };
    assert_eq!(of("--enable-hierarchical-cache").0, 2000, "SGLang's ratio is 2");
    let (blocks, found) = of("--enable-hierarchical-cache --hicache-ratio 1.5");
    assert_eq!(blocks, 1500);
    let (standing, becomes) = row(&found, "--hicache-ratio");
    assert_eq!(standing, Standing::Near);
    assert!(becomes.starts_with("kv.cpu_blocks 1500;"), "{becomes}");
    // 64 tokens of Qwen3 8B have 9 MiB on two GPUs together.
    let (blocks, found) = of("--enable-hierarchical-cache --hicache-size 30 --hicache-ratio 3");
    assert_eq!(blocks, (60e9 / (64.0 * 147_456.0)) as u64);
    assert_eq!(row(&found, "--hicache-ratio").0, Standing::Ignored);
    let (blocks, found) = of("--hicache-ratio 3");
    assert_eq!(blocks, 0);
    assert!(row(&found, "--hicache-ratio").1.contains("--enable-hierarchical-cache"), "{:?}", found.keys);
}

#[test]
fn policies_of_sglang_have_their_counterparts() {
    let of = |flags: &str| {
        let text = format!(
            "sglang serve --model-path Qwen/Qwen3-8B --page-size 64 --enable-hierarchical-cache {flags}"
        );
        cluster(&[&text]).0["pools"][0]["kv"].clone()
    };
    assert_eq!(of("--hicache-write-policy write_back")["cpu_write"], "write-back");
    let kv = of("--hicache-storage-backend hf3fs");
    assert_eq!(kv["load_wait"], json!({ "timeout": { "base_us": 0, "per_ki_token_us": 0 } }), "best effort");
    assert_eq!(kv["load"], json!({ "min_tokens": 256 }));
    let kv = of("--hicache-storage-backend file --hicache-storage-prefetch-policy wait_complete");
    assert!(kv.get("load_wait").is_none_or(|wait| wait == "complete"), "{kv}");
    let kv = of("--hicache-storage-prefetch-policy timeout");
    assert!(kv.get("load_asked").is_none() && kv.get("secondary_tiers").is_none(), "{kv}");
    let wrong = import_into(
        "",
        &["sglang serve --model-path Qwen/Qwen3-8B --enable-hierarchical-cache --hicache-write-policy lazy"],
    );
    assert_eq!(wrong.problems.len(), 1, "{:?}", wrong.problems);
}

#[test]
fn a_pool_of_sglang_with_a_role_has_a_store_and_no_order_of_eviction() {
    let text = "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --page-size 64 --disaggregation-mode prefill \
        --enable-hierarchical-cache --hicache-ratio 2 --hicache-storage-backend mooncake --radix-eviction-policy priority";
    let found = import_into("", &[text]);
    assert_eq!(row(&found, "--hicache-storage-backend").0, Standing::Near);
    assert_eq!(row(&found, "--radix-eviction-policy").0, Standing::Ignored);
    assert_eq!(row(&found, "--disaggregation-mode").0, Standing::Near);
}

#[test]
fn a_container_of_sglang_is_a_pool() {
    let (cluster, found) = cluster(&[&sample("StatefulSet-sglang.yaml")]);
    let pool = &cluster["pools"][0];
    assert_eq!((&pool["name"], &pool["replicas"], &pool["tp"]), (&json!("chat"), &json!(3), &json!(2)));
    assert_eq!(pool["kv"]["secondary_tiers"][0]["store"]["name"], "hicache-file");
    assert_eq!(cluster["kv_stores"][0]["name"], "hicache-file");
    assert!(row(&found, "containers.0.image").1.contains("image"));
}

#[test]
fn the_caches_of_tensorrt_llm_are_tiers_and_its_retention_is_directives() {
    let texts = [
        sample("trtllm-serve.sh"),
        sample("trtllm-config.yaml")
            .replace("max_batch_size: 512\n", "")
            .replace("max_num_tokens: 16384\n", ""),
    ];
    let (cluster, found) = cluster(&[&texts[0], &texts[1]]);
    let pool = &cluster["pools"][0];
    let kv = &pool["kv"];
    assert_eq!((&pool["tp"], &pool["engine"]["max_num_seqs"]), (&json!(2), &json!(256)));
    assert_eq!((&kv["block_tokens"], &kv["eviction_order"]), (&json!(32), &json!("trtllm")));
    // 32 tokens of Qwen3 8B have 2.25 MiB with one byte for each value.
    assert_eq!(kv["cpu_blocks"], (90e9 / (32.0 * 73_728.0)) as u64);
    assert_eq!(kv["cpu_write"], "write-back");
    let disk = &kv["secondary_tiers"][0]["fs"];
    assert_eq!((&disk["gb"], &disk["eviction"]), (&json!(1800.0), &json!("lru")));
    assert!(row(&found, "host_cache_size").1.starts_with("kv.cpu_blocks "));
    assert_eq!(row(&found, "secondary_offload_min_priority").0, Standing::Ignored);
    let scenario: Value = serde_json::from_str(&found.scenario).expect("a scenario");
    let directives = &scenario["workload"]["clients"][0]["retention"];
    let keys = |i: usize, key: &str| directives[i][key].clone();
    assert_eq!((keys(0, "end"), keys(0, "priority")), (json!(1000), json!(100)));
    assert_eq!((keys(1, "start"), keys(1, "duration_s")), (json!(1000), json!(30.0)));
    assert_eq!(
        (keys(2, "start"), keys(2, "priority"), keys(2, "duration_s")),
        (json!(3000), json!(30), json!(10.0))
    );
}

#[test]
fn options_of_tensorrt_llm_are_fields_or_say_why_not() {
    let text = "enable_attention_dp: true\ncuda_graph_config: {max_batch_size: 64}\nmax_num_tokens: 4096\nscheduler_config: \
        {capacity_scheduler_policy: MAX_UTILIZATION, context_chunking_policy: EQUAL_PROGRESS}\nlora_config: {max_loras: 4, \
        max_lora_rank: 16, lora_dir: [/a]}\nmoe_config: {backend: CUTLASS}\nbatch_wait_timeout_ms: 5\nquant_config: {quant_algo: FP8}\n";
    let (cluster, found) = cluster(&[text]);
    let pool = &cluster["pools"][0];
    assert_eq!(pool["engine"]["max_num_batched_tokens"], 4096);
    assert_eq!((&pool["lora"]["max_loras"], &pool["lora"]["rank"]), (&json!(4), &json!(16)));
    assert_eq!(row(&found, "scheduler_config.capacity_scheduler_policy").0, Standing::Exact);
    for (key, why) in [
        ("enable_attention_dp", "expert_ranks"),
        ("batch_wait_timeout_ms", "a step begins"),
        ("quant_config.quant_algo", "the bits of weights"),
        ("scheduler_config.context_chunking_policy", "one rule of chunks"),
    ] {
        let (standing, becomes) = row(&found, key);
        assert!(standing == Standing::Ignored && becomes.contains(why), "{key}: {becomes}");
    }
    assert_eq!(found.counts.unknown, 0, "{:?}", found.keys);
    let command = "trtllm-serve Qwen/Qwen3-8B --moe_expert_parallel_size 4 --cp_size 2 --disable_overlap_scheduler --load_format auto";
    assert_eq!(import_into("", &[command]).counts.unknown, 0);
}

#[test]
fn a_retention_without_an_end_covers_the_answer() {
    let text = "token_range_retention_configs:\n- {token_start: 0, token_end: null, priority: 80}\ndecode_retention_priority: 35\n";
    let (_, found) = cluster(&[text]);
    let scenario: Value = serde_json::from_str(&found.scenario).expect("a scenario");
    let directives = scenario["workload"]["clients"][0]["retention"].as_array().expect("directives");
    assert_eq!((directives.len(), &directives[0]["priority"]), (1, &json!(80)));
    assert_eq!(row(&found, "decode_retention_priority").0, Standing::Ignored);
    let wrong = import_into("", &["token_range_retention_configs:\n- {token_start: 0, priority: 101}\n"]);
    assert!(wrong.problems.iter().any(|p| p.path.ends_with("0.priority")), "{:?}", wrong.problems);
}

#[test]
fn directives_of_a_file_go_to_the_clients_of_a_scenario() {
    let open =
        json!({ "tokenyard": 1, "workload": { "clients": [{ "name": "a" }, { "name": "b" }] } }).to_string();
    let found = import_into(&open, &["kv_cache_retention_config: {decode_retention_priority: 50}\n"]);
    assert_eq!(found.problems, []);
    let scenario: Value = serde_json::from_str(&found.scenario).expect("a scenario");
    for client in [0, 1] {
        assert_eq!(scenario["workload"]["clients"][client]["retention"][0]["priority"], 50);
    }
}

const LMCACHE: &str = "vllm serve meta-llama/Llama-3.1-8B-Instruct -tp 2 \
    --kv-transfer-config '{\"kv_connector\": \"LMCacheConnectorV1\", \"kv_role\": \"kv_both\"}'";

#[test]
fn the_file_of_lmcache_has_the_tiers_of_the_command_beside_it() {
    let command = format!("LMCACHE_CONFIG_FILE=/etc/lmcache.yaml LMCACHE_LOCAL_CPU=false {LMCACHE}");
    let (cluster, found) = cluster(&[&command, &sample("lmcache-config.yaml")]);
    let kv = &cluster["pools"][0]["kv"];
    // 10 GiB of each of two GPUs in blocks of 2 MiB.
    assert_eq!(kv["cpu_blocks"], 10_240);
    let gb = kv["secondary_tiers"][0]["fs"]["gb"].as_f64().expect("a size");
    assert!((gb - 214.748).abs() < 0.001, "{gb}");
    assert_eq!(kv["secondary_tiers"][1]["store"]["name"], "lmcache");
    assert_eq!(kv["load_wait"]["timeout"]["base_us"], 2_000_000);
    assert_ne!(kv["offload_prompt_only"], true, "it saves the answers");
    assert!(row(&found, "LMCACHE_LOCAL_CPU").1.contains("LMCACHE_CONFIG_FILE"));
    assert_eq!(row(&found, "cache_policy").0, Standing::Near);
    assert_eq!(row(&found, "use_odirect").0, Standing::Ignored);
}

#[test]
fn keys_of_lmcache_within_its_connector_are_its_variables() {
    let connector = json!({ "kv_connector": "LMCacheConnectorV1", "kv_role": "kv_both", "kv_connector_extra_config":
        { "lmcache.max_local_cpu_size": 4, "lmcache.remote_url": "mooncakestore://10.0.0.7:50051/", "discard_partial_chunks": false } });
    let command = format!("vllm serve meta-llama/Llama-3.1-8B-Instruct --kv-transfer-config '{connector}'");
    let (cluster, found) = cluster(&[&command]);
    assert_eq!(cluster["pools"][0]["kv"]["cpu_blocks"], 2048);
    assert_eq!(cluster["kv_stores"][0]["name"], "mooncake");
    assert_eq!(row(&found, "discard_partial_chunks").0, Standing::Ignored);
    assert_eq!(row(&found, "lmcache.max_local_cpu_size").0, Standing::Near);
}

/// A command with Mooncake's store.
fn mooncake(model: &str) -> String {
    format!(
        "MOONCAKE_CONFIG_PATH=/etc/mooncake.json vllm serve {model} -tp 2 -dp 2 \
         --kv-transfer-config '{{\"kv_connector\": \"MooncakeStoreConnector\", \"kv_role\": \"kv_both\"}}'"
    )
}

#[test]
fn the_file_of_mooncake_says_the_size_of_the_store_of_the_command() {
    let (cluster, found) = cluster(&[&mooncake("Qwen/Qwen3-8B"), &sample("mooncake-config.json")]);
    let stores = cluster["kv_stores"].as_array().expect("stores");
    assert_eq!((stores.len(), &stores[0]["servers"]), (1, &json!(4)), "two replicas of two GPUs lend memory");
    let gb = stores[0]["gb"].as_f64().expect("a size");
    assert!((gb - 68.719).abs() < 0.001, "{gb}");
    assert_eq!(row(&found, "MOONCAKE_CONFIG_PATH").0, Standing::Shape);
    assert_eq!(row(&found, "enable_offload").0, Standing::Exact);
    assert_eq!(row(&found, "local_buffer_size").0, Standing::Ignored);
}

#[test]
fn a_store_of_several_models_is_one_for_each() {
    let (cluster, _) =
        cluster(&[&mooncake("Qwen/Qwen3-8B"), &mooncake("Qwen/Qwen3-14B"), &sample("mooncake-config.json")]);
    let names: Vec<&Value> =
        cluster["kv_stores"].as_array().expect("stores").iter().map(|store| &store["name"]).collect();
    assert_eq!(names, ["mooncake-qwen3-8b", "mooncake-qwen3-14b"]);
    for pool in cluster["pools"].as_array().expect("pools") {
        let model = pool["model"].as_str().expect("a model");
        let own = format!("mooncake-{model}");
        assert_eq!(pool["kv"]["secondary_tiers"][0]["store"]["name"], own.as_str());
    }
    assert!(
        cluster["kv_stores"].as_array().expect("stores").iter().all(|store| store["gb"].is_f64()),
        "{cluster}"
    );
}

/// A command with a disk at a folder.
fn disk(model: &str, folder: &str) -> String {
    let extra = json!({ "spec_name": "TieringOffloadingSpec", "cpu_bytes_to_use": 2_097_152_000_u64,
        "secondary_tiers": [{ "type": "fs", "root_dir": folder, "n_read_threads": 8 }] });
    let connector = json!({ "kv_connector": "OffloadingConnector", "kv_role": "kv_both", "kv_connector_extra_config": extra });
    format!("vllm serve {model} --kv-transfer-config '{connector}'\n")
}

#[test]
fn a_folder_of_several_commands_is_one_store() {
    let model = "meta-llama/Llama-3.1-8B-Instruct";
    let named = |name: &str| format!("{} --served-model-name {name}", disk(model, "/mnt/kv").trim_end());
    let (cluster, found) = cluster(&[&named("small"), &named("large")]);
    let stores = cluster["kv_stores"].as_array().expect("stores");
    assert_eq!((stores.len(), &stores[0]["name"]), (1, &json!("kv")), "{stores:?}");
    for pool in [0, 1] {
        assert_eq!(cluster["pools"][pool]["kv"]["secondary_tiers"], json!([{ "store": { "name": "kv" } }]));
    }
    let folders: Vec<_> = found.keys.iter().filter(|row| row.key.ends_with("root_dir")).collect();
    assert!(
        folders
            .iter()
            .all(|row| row.standing == Standing::Near && row.becomes.contains("cluster.kv_stores kv:")),
        "{folders:?}"
    );
    // Folders of their own, and folders of different models, are not shared.
    let (apart, _) = self::cluster(&[&named("small"), &named("large").replace("/mnt/kv", "/mnt/other")]);
    assert!(apart.get("kv_stores").is_none_or(|all| all == &json!([])), "{apart}");
    assert_eq!(apart["pools"][0]["kv"]["secondary_tiers"][0]["fs"]["n_read_threads"], 8);
    let (apart, _) = self::cluster(&[&disk(model, "/mnt/kv"), &disk("Qwen/Qwen3-8B", "/mnt/kv")]);
    assert!(apart["pools"][1]["kv"]["secondary_tiers"][0]["fs"].is_object(), "{apart}");
}

#[test]
fn the_stores_of_a_scenario_stay_beside_those_of_a_source() {
    let open = json!({ "tokenyard": 1, "cluster": { "kv_stores": [{ "name": "own", "gb": 7.0 }],
        "pools": [{ "model": "qwen3-8b", "tp": 2, "kv": { "secondary_tiers": [{ "store": { "name": "own" } }] } }] } });
    let found = import_into(&open.to_string(), &[&sample("mooncake-config.json")]);
    assert_eq!(found.problems, []);
    let scenario: Value = serde_json::from_str(&found.scenario).expect("a scenario");
    let names: Vec<&Value> =
        scenario["cluster"]["kv_stores"].as_array().expect("stores").iter().map(|s| &s["name"]).collect();
    assert_eq!(names, ["own", "mooncake"]);
}

#[test]
fn tiers_of_a_model_without_a_shape_are_named_and_left_out() {
    let text = "python -m sglang.launch_server --model-path acme/own-7b --page-size 64 --enable-hierarchical-cache \
        --hicache-size 30 --hicache-storage-backend file";
    let found = import_into("", &[text]);
    let scenario: Value = serde_json::from_str(&found.new_scenario.scenario).unwrap_or_default();
    // The scenario's own model stays, whose shape is known.
    assert!(scenario["cluster"]["pools"][0]["kv"]["cpu_blocks"].as_u64().is_some_and(|n| n > 0), "{found:?}");
    assert_eq!(row(&found, "--model-path").0, Standing::Ignored);
}
