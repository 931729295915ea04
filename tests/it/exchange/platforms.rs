//! Objects and values of platforms that serve models: KServe, vLLM's production stack.

use super::{import, import_into, row};
use serde_json::{Value, json};

/// The pools of an import that must succeed, at paths.
fn pools(text: &str, paths: &[&str]) -> Vec<Vec<Value>> {
    let (scenario, _) = import(text);
    let pools = scenario["cluster"]["pools"].as_array().expect("pools").clone();
    let at = |pool: &Value, path: &&str| path.split('.').fold(pool, |value, key| &value[key]).clone();
    pools.iter().map(|pool| paths.iter().map(|path| at(pool, path)).collect()).collect()
}

/// The paths of the errors of an import that must fail.
fn refused(text: &str) -> Vec<String> {
    let found = import_into("", &[text]);
    assert!(found.scenario.is_empty(), "{text}");
    found.problems.iter().map(|d| d.path.clone()).collect()
}

const SHAPE: [&str; 5] = ["name", "role", "replicas", "model", "tp"];

#[test]
fn the_servers_of_an_llm_inference_service_are_pools_with_their_roles() {
    let text = include_str!("samples/LLMInferenceService.yaml");
    assert_eq!(
        pools(text, &SHAPE),
        [
            [json!("qwen-prefill"), json!("prefill"), json!(3), json!("qwen3-32b"), json!(1)],
            [json!("qwen-decode"), json!("decode"), json!(2), json!("qwen3-32b"), json!(2)],
        ]
    );
    let engine = pools(text, &["engine.max_num_seqs", "kv.gpu_memory_utilization", "gpu"]);
    assert_eq!(engine[1], [json!(64), json!(0.95), json!("H200")]);
    let whole = text.split("  prefill:").next().unwrap_or_default();
    assert_eq!(pools(whole, &SHAPE[..1]), [["qwen"]]);
    assert_eq!(refused(&text.replace("replicas: 2", "replicas: two")), ["line 9: spec.replicas"]);
    let config = "apiVersion: serving.kserve.io/v1alpha1\nkind: LLMInferenceService\nmetadata: {name: a}\nspec: {model: {uri: 'hf://Qwen/Qwen3-8B'}, baseRefs: [{name: b}]}\n";
    let (_, found) = import(config);
    assert!(row(&found, "spec.baseRefs.0.name").1.contains("give the objects that they name"));
}

#[test]
fn the_predictor_of_an_inference_service_is_a_pool_and_a_runtime_its_flags() {
    let service = include_str!("samples/InferenceService.yaml");
    assert_eq!(
        pools(service, &["name", "replicas", "model", "gpu", "engine.max_num_seqs"]),
        [[json!("chat"), json!(2), json!("qwen3-8b"), json!("L40S"), json!(32)]]
    );
    let (_, found) = import(service);
    assert_eq!(found.counts.unknown, 0, "{:?}", found.keys);
    assert_eq!(
        refused(&service.replace("max_num_seqs=32", "max_num_seqs=many")),
        ["line 15: spec.predictor.model.args.3"]
    );
    let sklearn = service.replace("huggingface", "sklearn");
    assert_eq!(refused(&sklearn), [""]);
    // The flags of a runtime are those of the service's pool.
    let both = format!(
        "{}---\n{}",
        service.replace(", --max_num_seqs=32", ""),
        include_str!("samples/ServingRuntime.yaml").replace("--model=/mnt/models, ", "")
    );
    assert_eq!(
        pools(&both, &["name", "replicas", "engine.max_num_seqs", "kv.block_tokens"]),
        [[json!("chat"), json!(2), json!(48), json!(32)]]
    );
    assert_eq!(
        refused(&include_str!("samples/ServingRuntime.yaml").replace("--block-size=32", "--block-size=big")),
        ["line 11: spec.containers.0.args.4"]
    );
}

#[test]
fn models_of_the_production_stack_are_pools_before_its_router() {
    let text = include_str!("samples/production-stack-values.yaml");
    assert_eq!(
        pools(text, &SHAPE),
        [[json!("llama"), Value::Null, json!(3), json!("llama-3.1-8b"), json!(2)]]
    );
    let engine = ["engine.max_num_seqs", "kv.gpu_memory_utilization", "kv.prefix_caching", "gpu"];
    assert_eq!(pools(text, &engine), [[json!(96), json!(0.85), json!(false), json!("A100-80")]]);
    let (scenario, found) = import(text);
    assert!(
        scenario["cluster"]["pools"][0]["kv"]["cpu_blocks"].as_u64() > Some(1000),
        "{}",
        scenario["cluster"]["pools"][0]
    );
    assert!(scenario["cluster"]["routing"]["session-affinity"].is_object());
    assert_eq!(row(&found, "servingEngineSpec.modelSpec.0.requestGPU").1, "tp × pp 2, agrees");
    assert_eq!(found.counts.unknown, 0, "{:?}", found.keys);
    assert_eq!(
        refused(&text.replace("maxNumSeqs: 96", "maxNumSeqs: many")),
        ["line 19: servingEngineSpec.modelSpec.0.vllmConfig.maxNumSeqs"]
    );
}

#[test]
fn a_runtime_of_the_production_stack_is_a_pool_or_one_of_each_role() {
    let text = include_str!("samples/VLLMRuntime.yaml");
    assert_eq!(pools(text, &SHAPE), [[json!("chat"), Value::Null, json!(3), json!("qwen3-8b"), json!(2)]]);
    let engine = ["engine.max_num_seqs", "kv.gpu_memory_utilization", "gpu", "kv.prefix_caching"];
    assert_eq!(pools(text, &engine), [[json!(48), json!(0.85), json!("L40S"), json!(true)]]);
    let (scenario, found) = import(text);
    assert!(scenario["cluster"]["pools"][0]["kv"]["cpu_blocks"].as_u64() > Some(1000));
    assert_eq!((found.counts.unknown, found.warnings.len()), (0, 0), "{:?}", found.keys);
    // LMCache numbers its images by its own releases: it says none of vLLM's.
    assert!(row(&found, "spec.deploymentConfig.image.name").1.contains("no release of vLLM"));
    // The operator switches off what the object does not switch on.
    let silent = text.replace("    enablePrefixCaching: true\n", "");
    assert_eq!(pools(&silent, &["kv.prefix_caching"]), [[json!(false)]]);
    assert_eq!(
        refused(&text.replace("maxNumSeqs: 48", "maxNumSeqs: many")),
        ["line 14: spec.model.maxNumSeqs"]
    );
    let apart = include_str!("samples/VLLMRuntime-disaggregated.yaml");
    assert_eq!(
        pools(apart, &SHAPE),
        [
            [json!("apart-prefill"), json!("prefill"), json!(2), json!("qwen3-8b"), json!(1)],
            [json!("apart-decode"), json!("decode"), json!(3), json!("qwen3-8b"), json!(2)],
        ]
    );
    assert_eq!(
        refused(&apart.replace("replicas: 3", "replicas: three")),
        ["line 20: spec.topology.decode.deploymentConfig.replicas"]
    );
    let router = include_str!("samples/VLLMRouter.yaml");
    let (scenario, found) = import(router);
    assert!(scenario["cluster"]["routing"]["session-affinity"].is_object());
    assert_eq!(scenario["cluster"]["snapshot_refresh_us"], 15_000_000);
    assert_eq!(found.counts.unknown, 0, "{:?}", found.keys);
    assert_eq!(
        refused(&router.replace("routingLogic: session", "routingLogic: sessions")),
        ["line 9: spec.routingLogic"]
    );
    assert!(!refused(&router.replace("enableRouter: true", "enableRouter: false")).is_empty());
}

#[test]
fn roles_of_a_storm_service_and_a_model_serving_are_pools() {
    let storm = include_str!("samples/StormService.yaml");
    assert_eq!(
        pools(storm, &SHAPE),
        [
            [json!("storm-prefill"), json!("prefill"), json!(4), json!("qwen3-8b"), json!(2)],
            [json!("storm-decode"), json!("decode"), json!(6), json!("qwen3-8b"), json!(1)],
        ]
    );
    let (scenario, found) = import(storm);
    assert_eq!(scenario["cluster"]["routing"], "random");
    assert_eq!(scenario["cluster"]["pools"][1]["gpu"], "H200");
    assert_eq!((found.counts.unknown, found.conflicts.len()), (0, 0), "{:?}", found.keys);
    assert!(row(&found, "spec.template.spec.roles.1.replicas").1.contains("times 2 groups"));
    assert_eq!(refused(&storm.replace("replicas: 3", "replicas: three")).len(), 1);
    let serving = include_str!("samples/ModelServing.yaml");
    let (scenario, found) = import(serving);
    let pool = &scenario["cluster"]["pools"][0];
    assert_eq!(
        (&pool["name"], &pool["replicas"], &pool["tp"], &pool["pp"]),
        (&json!("large-server"), &json!(2), &json!(8), &json!(2))
    );
    assert_eq!(
        row(&found, "spec.template.roles.0.entryTemplate.spec.containers.0.resources.limits.nvidia.com/gpu")
            .1,
        "tp × pp 16, agrees"
    );
    assert!(
        !refused(&serving.replace("--tensor-parallel-size 8", "--tensor-parallel-size eight")).is_empty()
    );
}

#[test]
fn a_recipe_of_srt_slurm_has_its_workers_router_and_benchmark() {
    let text = include_str!("samples/srt-slurm-recipe.yaml");
    assert_eq!(
        pools(text, &SHAPE),
        [
            [json!("prefill"), json!("prefill"), json!(2), json!("qwen3-32b"), json!(2)],
            [json!("decode"), json!("decode"), json!(1), json!("qwen3-32b"), json!(4)],
        ]
    );
    assert_eq!(
        pools(text, &["gpu", "engine.max_num_seqs", "kv.prefix_caching"])[1],
        [json!("H200"), json!(256), json!(false)]
    );
    let (scenario, found) = import(text);
    assert!(scenario["cluster"]["routing"]["kv-cost"].is_object(), "{}", scenario["cluster"]["routing"]);
    let client = &scenario["workload"]["clients"][0];
    assert_eq!(client["prompt_tokens"]["constant"]["tokens"], 8192);
    assert_eq!(client["arrivals"]["concurrency"]["requests"], 64);
    assert_eq!(found.counts.unknown, 0, "{:?}", found.keys);
    assert!(row(&found, "benchmark.concurrencies").1.contains("first of several"));
    assert_eq!(
        refused(&text.replace("decode_workers: 1", "decode_workers: one")),
        ["line 13: resources.decode_workers"]
    );
    assert_eq!(refused(&text.replace("type: vllm\n", "type: vlm\n")), ["line 20: backend.type"]);
    let trtllm = include_str!("samples/srt-slurm-recipe-trtllm.yaml");
    let shape = [
        "name",
        "replicas",
        "tp",
        "gpu",
        "engine.max_num_seqs",
        "kv.prefix_caching",
        "engine.speculative.tokens",
    ];
    assert_eq!(
        pools(trtllm, &shape),
        [[json!("workers"), json!(2), json!(4), json!("B200"), json!(64), json!(false), json!(3)]]
    );
    assert!(!refused(&trtllm.replace("max_batch_size: 64", "max_batch_size: 0")).is_empty());
}

#[test]
fn servers_of_a_disaggregated_frontend_of_tensorrt_llm_are_pools() {
    let text = include_str!("samples/trtllm-disaggregated.yaml");
    assert_eq!(
        pools(text, &SHAPE),
        [
            [json!("prefill"), json!("prefill"), json!(2), json!("qwen3-8b"), json!(1)],
            [json!("decode"), json!("decode"), json!(1), json!("qwen3-8b"), json!(2)],
        ]
    );
    let (_, found) = import(text);
    assert_eq!(found.counts.unknown, 0, "{:?}", found.keys);
    assert_eq!(
        refused(&text.replace("max_batch_size: 128", "max_batch_size: all")),
        ["line 16: generation_servers.max_batch_size"]
    );
}
