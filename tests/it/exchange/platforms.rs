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
