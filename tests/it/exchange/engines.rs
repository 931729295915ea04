//! Engines of other programs' configuration: commands, `--config` files, deployments, metrics and logs as pools.

use serde_json::{Value, json};
use tokenyard::config::import::configuration::{
    Imported, Mapping, Settled, Standing, TrafficAsked, imported,
};
use tokenyard::config::import::documents::Text;
use tokenyard::scenario;

/// Imports texts into the default scenario.
fn import(texts: &[&str]) -> Imported {
    into("", texts, &[])
}

fn into(base: &str, texts: &[&str], settled: &[Settled]) -> Imported {
    let texts: Vec<Text> =
        texts.iter().map(|text| Text { name: String::new(), text: (*text).to_owned() }).collect();
    imported(&texts, base, settled, &TrafficAsked::default())
}

/// The pools of the scenario that came out, which `check` accepts.
fn pools(found: &Imported) -> Vec<Value> {
    assert!(
        found.problems.is_empty() && found.conflicts.is_empty(),
        "{:?} {:?}",
        found.problems,
        found.conflicts
    );
    let scenario: Value = serde_json::from_str(&found.scenario).expect("a scenario");
    let checked = scenario::from_value(scenario.clone()).and_then(scenario::check);
    assert!(checked.is_ok(), "{checked:?}");
    scenario["cluster"]["pools"].as_array().expect("pools").clone()
}

/// The value at a path below a pool.
fn at<'a>(pool: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(pool, |value, key| &value[key])
}

/// The only row whose value in the source begins with a text.
fn row<'a>(found: &'a Imported, start: &str) -> &'a Mapping {
    let all: Vec<&Mapping> = found.keys.iter().filter(|key| key.found.starts_with(start)).collect();
    assert_eq!(all.len(), 1, "{start}: {all:?}");
    all[0]
}

fn standing(found: &Imported, start: &str) -> Standing {
    row(found, start).standing
}

fn settle(field: &str, choice: u32) -> [Settled; 1] {
    [Settled { field: field.to_owned(), choice }]
}

const SERVE: &str = include_str!("samples/vllm-serve.sh");

#[test]
fn a_command_sets_the_fields_of_a_pool() {
    let found = import(&[SERVE]);
    let [pool] = pools(&found).try_into().expect("one pool");
    for (path, value) in [
        ("name", json!("main")),
        ("model", json!("qwen3-32b")),
        ("tp", json!(2)),
        ("engine.max_num_seqs", json!(256)),
        ("engine.max_num_batched_tokens", json!(16_384)),
        ("engine.scheduler", json!("priority-fcfs")),
        ("engine.speculative.tokens", json!(4)),
        ("kv.gpu_memory_utilization", json!(0.92)),
        ("kv.block_tokens", json!(32)),
        ("kv.prefix_caching", json!(false)),
        ("architecture.bytes_per_kv_value", json!(1.0)),
        ("architecture.hidden", json!(5120)),
    ] {
        assert_eq!(at(&pool, path), &value, "{path}");
    }
    assert_eq!(standing(&found, "--tensor-parallel-size 2"), Standing::Exact);
    assert_eq!(standing(&found, "--scheduling-policy priority"), Standing::Near);
    assert_eq!(standing(&found, "--speculative-config"), Standing::Near);
    assert_eq!(standing(&found, "--port 8000"), Standing::Ignored);
    assert_eq!(
        row(&found, "--max_num_batched_tokens 16K").field,
        "cluster.pools[].engine.max_num_batched_tokens"
    );
    assert_eq!(row(&found, "--block-size 32").line, 4);
    assert_eq!(found.counts.unknown, 0, "{:?}", found.keys);
}

#[test]
fn absent_flags_have_the_defaults_of_vllm_in_a_new_fleet_and_change_no_other_one() {
    let base = r#"{"tokenyard": 1, "cluster": {"pools": [{"replicas": 3, "model": "qwen3-8b",
        "engine": {"max_num_seqs": 8, "scheduler": "sjf"},
        "kv": {"blocks": 7700, "prefix_caching": false}, "lora": {"max_loras": 2}}]}}"#;
    let [kept] = pools(&into(base, &["vllm serve Qwen/Qwen3-8B --max-num-seqs 16"], &[]))
        .try_into()
        .expect("one pool");
    let mut own = scenario::parse(base).expect("a scenario").cluster.pools.remove(0);
    own.engine.max_num_seqs = scenario::BatchLimit::Count(16);
    assert_eq!(kept, serde_json::to_value(&own).expect("plain data"));
    let [pool] = pools(&import(&["vllm serve Qwen/Qwen3-8B"])).try_into().expect("one pool");
    assert_eq!(pool["engine"]["max_num_seqs"], "auto");
    assert_eq!(pool["engine"]["scheduler"], "fcfs");
    assert_eq!(pool["kv"]["blocks"], "auto");
    assert_eq!(pool["kv"]["prefix_caching"], true);
    assert_eq!(pool["lora"], Value::Null);
    assert_eq!(pool["kv"]["gpu_memory_utilization"], 0.92);
}

#[test]
fn other_ways_to_start_a_server_are_read() {
    let python =
        "python3 -m vllm.entrypoints.openai.api_server --model=Qwen/Qwen3-8B -tp 4 --no-async-scheduling";
    let [pool] = pools(&import(&[python])).try_into().expect("one pool");
    assert_eq!((&pool["model"], &pool["tp"]), (&json!("qwen3-8b"), &json!(4)));
    assert_eq!(pool["latency"]["calibrated"]["engine"], "synchronous");
    let docker = include_str!("samples/vllm-serve-docker.sh");
    let found = import(&[docker]);
    let [pool] = pools(&found).try_into().expect("one pool");
    assert_eq!(pool["latency"]["calibrated"]["engine"], "synchronous");
    assert_eq!(pool["lora"]["max_loras"], 4);
    assert_eq!((&pool["lora"]["rank"], &pool["lora"]["max_cpu_loras"]), (&json!(32), &json!(16)));
    let config = include_str!("samples/vllm-config.yaml");
    let [pool] = pools(&import(&[config])).try_into().expect("one pool");
    assert_eq!(pool["engine"]["max_num_batched_tokens"], 8192);
    assert_eq!(pool["kv"]["gpu_memory_utilization"], 0.85);
    // 64 GiB over 16 tokens of 64 layers, 8 heads of 128, keys and values of 2 bytes.
    assert_eq!(pool["kv"]["cpu_blocks"], 64_u64 * (1 << 30) / (16 * 64 * 8 * 128 * 2 * 2));
}

#[test]
fn a_deployment_is_a_pool_of_its_name() {
    let found = import(&[include_str!("samples/Deployment.yaml")]);
    let [pool] = pools(&found).try_into().expect("one pool");
    for (path, value) in [
        ("name", json!("qwen3-32b-decode")),
        ("replicas", json!(4)),
        ("gpu", json!("H100")),
        ("model", json!("qwen3-32b")),
        ("tp", json!(2)),
        ("engine.max_num_seqs", json!(256)),
        ("latency.calibrated.engine", json!("synchronous")),
        ("kv.gpu_memory_utilization", json!(0.9)),
    ] {
        assert_eq!(at(&pool, path), &value, "{path}");
    }
    let by_key = |end: &str| found.keys.iter().find(|key| key.key.ends_with(end)).expect(end);
    assert_eq!(by_key("limits.nvidia.com/gpu").becomes, "tp × pp 2, agrees");
    let flag = row(&found, "--max-num-seqs 256");
    assert_eq!((flag.line, flag.from, flag.to), (30, 12, 30));
    assert_eq!(by_key("containers.0.image").standing, Standing::Ignored);
    // An autoscaler finds it by its name.
    let scaler = "apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: a}
spec:
  scaleTargetRef: {kind: Deployment, name: qwen3-32b-decode}
  minReplicas: 2
  maxReplicas: 9
  metrics:
  - {type: Pods, pods: {metric: {name: 'vllm:num_requests_waiting'}, target: {type: AverageValue, averageValue: '5'}}}
";
    let [pool] =
        pools(&import(&[include_str!("samples/Deployment.yaml"), scaler])).try_into().expect("one pool");
    assert_eq!(pool["scaling"]["max"], 9);
}

#[test]
fn a_command_in_one_text_of_a_list_has_a_row_for_each_flag() {
    let text = "apiVersion: apps/v1
kind: Deployment
metadata: {name: qwen3-32b}
spec:
  template:
    spec:
      containers:
      - name: vllm
        image: vllm/vllm-openai:v0.33.0
        args: [vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2
          --max-num-seqs 256 --kv-cache-dtype fp8 --enable-lora]
        resources: {limits: {nvidia.com/gpu: 4}}
";
    let found = import(&[text]);
    let [pool] = pools(&found).try_into().expect("one pool");
    assert_eq!((&pool["tp"], &pool["replicas"]), (&json!(2), &json!(1)));
    assert_eq!(pool["architecture"]["bytes_per_kv_value"], 1.0);
    assert_eq!(pool["lora"]["max_loras"], 1);
    assert_eq!(row(&found, "--tensor-parallel-size 2").line, 10);
    assert_eq!(row(&found, "--kv-cache-dtype fp8").line, 11);
    let gpus = found.keys.iter().find(|key| key.key.ends_with("nvidia.com/gpu")).expect("a row");
    assert_eq!(gpus.standing, Standing::Near, "{gpus:?}");
}

#[test]
fn several_objects_are_several_pools() {
    let found =
        import(&[include_str!("samples/Deployment.yaml"), include_str!("samples/LeaderWorkerSet.yaml")]);
    let all = pools(&found);
    let names: Vec<&Value> = all.iter().map(|pool| &pool["name"]).collect();
    assert_eq!(names, ["qwen3-32b-decode", "llama-70b"]);
    assert_eq!((&all[1]["tp"], &all[1]["pp"], &all[1]["replicas"]), (&json!(4), &json!(2), &json!(2)));
    let stages = found.keys.iter().find(|key| key.becomes == "tp × pp 8, agrees");
    assert!(stages.is_some(), "{:?}", found.keys);
    let set = import(&[include_str!("samples/StatefulSet.yaml")]);
    let [pool] = pools(&set).try_into().expect("one pool");
    assert_eq!((&pool["gpu"], &pool["role"]), (&json!("L40S"), &json!("decode")));
    assert_eq!(row(&set, "NVIDIA-A10G").standing, Standing::Ignored);
}

#[test]
fn services_of_dynamo_are_pools_with_roles() {
    let found = import(&[include_str!("samples/DynamoGraphDeployment.yaml")]);
    let all = pools(&found);
    let said: Vec<[&Value; 3]> =
        all.iter().map(|pool| [&pool["name"], &pool["role"], &pool["replicas"]]).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said.contains(&[&json!("PrefillWorker"), &json!("prefill"), &json!(2)]), "{said:?}");
    assert!(said.contains(&[&json!("DecodeWorker"), &json!("decode"), &json!(4)]), "{said:?}");
}

#[test]
fn values_of_llm_d_s_chart_are_pools() {
    let found = import(&[include_str!("samples/modelservice-values.yaml")]);
    let [pool] = pools(&found).try_into().expect("one pool");
    for (path, value) in [
        ("name", json!("decode")),
        ("role", Value::Null),
        ("replicas", json!(3)),
        ("gpu", json!("H200")),
        ("model", json!("qwen3-32b")),
        ("tp", json!(2)),
        ("kv.block_tokens", json!(64)),
    ] {
        assert_eq!(at(&pool, path), &value, "{path}");
    }
    assert!(found.keys.iter().any(|key| key.becomes == "tp × pp 2, agrees"), "{:?}", found.keys);
}

#[test]
fn several_commands_are_several_pools() {
    let two = "vllm serve Qwen/Qwen3-8B --kv-transfer-config '{
  \"kv_connector\": \"NixlConnector\",
  \"kv_role\": \"kv_producer\"}'
vllm serve Qwen/Qwen3-8B --max-num-seqs 64 --kv-transfer-config '{\"kv_role\": \"kv_consumer\"}'
";
    let all = pools(&import(&[two]));
    assert_eq!((&all[0]["name"], &all[0]["role"]), (&json!("qwen3-8b-prefill"), &json!("prefill")));
    assert_eq!((&all[1]["name"], &all[1]["role"]), (&json!("qwen3-8b-decode"), &json!("decode")));
    assert_eq!(all[1]["engine"]["max_num_seqs"], 64);
}

#[test]
fn ranks_of_a_server_are_replicas() {
    let found = import(&["vllm serve deepseek-ai/DeepSeek-V3 -dp 8 --enable-expert-parallel"]);
    let [pool] = pools(&found).try_into().expect("one pool");
    assert_eq!((&pool["replicas"], &pool["expert_ranks"]), (&json!(8), &json!(8)));
    assert_eq!(standing(&found, "-dp 8"), Standing::Near);
    assert_eq!(pool["experts"], Value::Null);
    let cut = import(&["vllm serve deepseek-ai/DeepSeek-V3 -dp 8"]);
    assert_eq!(pools(&cut)[0]["experts"]["split"], "tensor");
    // They step together, and the server chooses the rank unless a program before it does.
    assert_eq!((&pool["expert_ranks_lockstep"], &pool["ranks"]["seen"]), (&json!(true), &json!("internal")));
    for apart in ["--data-parallel-external-lb", "--data-parallel-hybrid-lb"] {
        let line = format!("vllm serve deepseek-ai/DeepSeek-V3 -dp 8 --enable-expert-parallel {apart}");
        let [pool] = pools(&import(&[&line])).try_into().expect("one pool");
        assert_eq!((&pool["expert_ranks_lockstep"], &pool["ranks"]), (&json!(true), &Value::Null), "{apart}");
    }
    let dynamo = "python3 -m dynamo.vllm --model deepseek-ai/DeepSeek-V3 -dp 8 --enable-expert-parallel";
    let [pool] = pools(&import(&[dynamo])).try_into().expect("one pool");
    assert_eq!((&pool["expert_ranks_lockstep"], &pool["ranks"]), (&json!(true), &Value::Null));
    // Adapters do not go with ranks in lock step.
    let line = "vllm serve deepseek-ai/DeepSeek-V3 -dp 8 --enable-lora --max-loras 4";
    let [pool] = pools(&import(&[line])).try_into().expect("one pool");
    assert_eq!((&pool["expert_ranks"], &pool["expert_ranks_lockstep"]), (&json!(8), &Value::Null));
}

#[test]
fn ranks_of_sglang_that_divide_attention_are_ranks_in_lock_step() {
    let line = "python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 16 --dp-size 8 \
        --enable-dp-attention --max-running-requests 1024 --chunked-prefill-size 32768";
    let [pool] = pools(&import(&[line])).try_into().expect("one pool");
    // Each is a replica with its part of the GPUs, the requests and the chunk; experts are cut, and ranks taken in turn.
    assert_eq!((&pool["replicas"], &pool["tp"], &pool["expert_ranks"]), (&json!(8), &json!(2), &json!(8)));
    assert_eq!(pool["engine"]["max_num_seqs"], 128);
    assert_eq!(pool["engine"]["max_num_batched_tokens"], 4096);
    assert_eq!((&pool["expert_ranks_lockstep"], &pool["experts"]["split"]), (&json!(true), &json!("tensor")));
    assert_eq!(pool["ranks"], json!({"seen": "internal", "balance": "round-robin"}));
    // Wide: whole experts, with copies that move.
    let wide = format!(
        "{line} --ep-size 16 --moe-a2a-backend deepep --load-balance-method total_tokens --enable-eplb \
        --ep-num-redundant-experts 32"
    );
    let [pool] = pools(&import(&[&wide])).try_into().expect("one pool");
    assert_eq!(pool["experts"]["eplb"]["redundant"], 32);
    assert_eq!(pool["experts"]["split"], Value::Null);
    assert_eq!(pool["ranks"]["balance"], "tokens");
    // Without divided attention ranks share nothing.
    let apart = "python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8 --dp-size 2";
    let [pool] = pools(&import(&[apart])).try_into().expect("one pool");
    assert_eq!((&pool["replicas"], &pool["tp"], &pool["expert_ranks"]), (&json!(2), &json!(8), &Value::Null));
    // What is not simulated is named.
    let dense =
        "python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 8 --dp-size 2 --enable-dp-attention";
    assert_eq!(standing(&import(&[dense]), "--enable-dp-attention"), Standing::Ignored);
}

#[test]
fn metrics_set_the_cache_and_agree_with_a_command_or_conflict() {
    let metrics = include_str!("samples/server-metrics.txt");
    let found = import(&[metrics]);
    let [pool] = pools(&found).try_into().expect("one pool");
    assert_eq!((&pool["kv"]["blocks"], &pool["model"]), (&json!(18_614), &json!("qwen3-32b")));
    // What the catalogue has is not written again.
    assert_eq!(pool["architecture"], Value::Null);
    assert_eq!(row(&found, "\"18614\"").standing, Standing::Exact);
    assert_eq!(row(&found, "2 samples").standing, Standing::Ignored);
    let command = "vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2 --kv-cache-dtype fp8";
    let both = import(&[command, metrics]);
    assert_eq!(both.conflicts.len(), 1, "{:?}", both.conflicts);
    let field = "cluster.pools[0].architecture.bytes_per_kv_value";
    assert_eq!(both.conflicts[0].field, field);
    assert!(both.scenario.is_empty() && both.problems.is_empty());
    assert_eq!(standing(&both, "--kv-cache-dtype fp8"), Standing::Conflict);
    let settled = into("", &[command, metrics], &settle(field, 0));
    let scenario: Value = serde_json::from_str(&settled.scenario).expect("a scenario");
    assert_eq!(scenario["cluster"]["pools"][0]["architecture"]["bytes_per_kv_value"], 1.0);
    let settled = into("", &[command, metrics], &settle(field, 1));
    let scenario: Value = serde_json::from_str(&settled.scenario).expect("a scenario");
    assert_eq!(scenario["cluster"]["pools"][0]["architecture"], Value::Null);
}

#[test]
fn engines_of_a_server_must_agree() {
    let engine = |number: u32, blocks: u32| {
        format!("vllm:cache_config_info{{engine=\"{number}\",num_gpu_blocks=\"{blocks}\"}} 1.0\n")
    };
    let same = engine(0, 5000) + &engine(1, 5000);
    assert_eq!(pools(&import(&[&same]))[0]["kv"]["blocks"], 5000);
    let other = engine(0, 5000) + &engine(1, 6000);
    assert_eq!(import(&[&other]).conflicts.len(), 1);
}

#[test]
fn a_log_sets_the_arguments_and_the_cache() {
    let found = import(&[include_str!("samples/server-log.txt")]);
    let [pool] = pools(&found).try_into().expect("one pool");
    for (path, value) in [
        ("model", json!("qwen3-14b")),
        ("engine.max_num_seqs", json!(128)),
        ("kv.block_tokens", json!(32)),
        ("kv.prefix_caching", json!(false)),
        ("kv.blocks", json!(461_376 / 32)),
        ("latency.calibrated.engine", json!("synchronous")),
    ] {
        assert_eq!(at(&pool, path), &value, "{path}");
    }
    let size = found.keys.iter().find(|key| key.key == "log.kv_cache_tokens.0").expect("a row");
    assert_eq!((size.line, size.standing), (6, Standing::Exact));
    let alone = "INFO 11-20 10:01:00 [kv_cache_utils.py:1087] GPU KV cache size: 461,376 tokens";
    let found = import(&[alone]);
    assert_eq!(pools(&found)[0]["kv"]["blocks"], 28_836);
    assert_eq!(found.keys[0].standing, Standing::Near);
}

#[test]
fn unknown_flags_models_and_gpus_leave_the_rest() {
    let found = import(&["vllm serve acme/own-7b --max-num-seq 64 --brand-new-thing on --max-num-seqs 32"]);
    let [pool] = pools(&found).try_into().expect("one pool");
    assert_eq!(pool["engine"]["max_num_seqs"], 32);
    assert_eq!(pool["model"], "llama-3.1-8b");
    assert_eq!(row(&found, "--max-num-seq 64").nearest, "--max-num-seqs");
    assert_eq!(row(&found, "--brand-new-thing on").nearest, "");
    assert_eq!(standing(&found, "acme/own-7b"), Standing::Ignored);
    assert_eq!(found.warnings.len(), 3, "{:?}", found.warnings);
    let script = "kind: Deployment
metadata: {name: a}
spec: {template: {spec: {containers: [{image: 'vllm/vllm-openai:v0.19.0', command: [/start.sh], args: [fast]}]}}}
";
    let found = import(&[script]);
    assert_eq!((&pools(&found)[0]["name"], found.warnings.len()), (&json!("a"), 1), "{:?}", found.warnings);
    let broken = "vllm:cache_config_info{block_size=\"32\"} 1.0\nvllm:cache_config_info{block_size=\"3\n";
    let found = import(&[broken]);
    assert_eq!((&pools(&found)[0]["kv"]["block_tokens"], found.warnings.len()), (&json!(32), 1));
    let gpu = include_str!("samples/Deployment.yaml").replace("NVIDIA-H100-80GB-HBM3", "Tesla-T4");
    let found = import(&[&gpu]);
    assert_eq!(pools(&found)[0]["gpu"], "H100");
    assert_eq!(found.warnings.len(), 1, "{:?}", found.warnings);
}

#[test]
fn values_of_another_type_or_range_are_one_message_each() {
    for (flags, said) in [
        ("--max-num-seqs=-1", "--max-num-seqs=-1"),
        ("--max-num-seqs -1", "--max-num-seqs -1"),
        ("--max-num-seqs", "--max-num-seqs"),
        ("--max-num-seqs many", "--max-num-seqs many"),
        ("--max-num-seqs 0", "--max-num-seqs 0"),
        ("--max-num-batched-tokens 99999999999999999999", "--max-num-batched-tokens 99999999999999999999"),
        ("--max-num-batched-tokens 8T", "--max-num-batched-tokens 8T"),
        ("--gpu-memory-utilization 92", "--gpu-memory-utilization 92"),
        ("--gpu-memory-utilization nan", "--gpu-memory-utilization nan"),
        ("-tp 1000", "-tp 1000"),
        ("--enable-prefix-caching=maybe", "--enable-prefix-caching=maybe"),
        ("--scheduling-policy sjf", "--scheduling-policy sjf"),
        ("--speculative-config {", "--speculative-config {"),
    ] {
        let found = import(&[&format!("vllm serve Qwen/Qwen3-8B {flags}")]);
        assert_eq!(found.problems.len(), 1, "{flags}: {:?}", found.problems);
        let problem = &found.problems[0];
        assert_eq!(problem.found, said);
        assert!(problem.path.starts_with("line 1: words.3"), "{problem:?}");
        assert!(!problem.allowed.is_empty() && !problem.fix.is_empty(), "{problem:?}");
        assert!(found.scenario.is_empty());
    }
}

#[test]
fn variables_and_repeated_flags_are_said() {
    let found = import(&["vllm serve Qwen/Qwen3-8B -tp $TP --max-num-seqs 8 --max-num-seqs 16"]);
    let [pool] = pools(&found).try_into().expect("one pool");
    assert_eq!((&pool["tp"], &pool["engine"]["max_num_seqs"]), (&json!(1), &json!(16)));
    assert_eq!(standing(&found, "-tp $TP"), Standing::Ignored);
    assert_eq!(standing(&found, "--max-num-seqs 8"), Standing::Ignored);
    assert_eq!(found.warnings.len(), 1, "{:?}", found.warnings);
    let script = "#!/bin/sh\nset -e\nMODEL=Qwen/Qwen3-8B\nexport TP=4\nvllm serve $MODEL -tp ${TP} --max-num-seqs ${SEQS:-32}\n";
    let [pool] = pools(&import(&[script])).try_into().expect("one pool");
    assert_eq!((&pool["model"], &pool["tp"]), (&json!("qwen3-8b"), &json!(4)));
    assert_eq!(pool["engine"]["max_num_seqs"], 32);
    let by_keys = "vllm serve Qwen/Qwen3-8B --speculative-config.method ngram --speculative-config.num_speculative_tokens 5";
    let [pool] = pools(&import(&[by_keys])).try_into().expect("one pool");
    assert_eq!(pool["engine"]["speculative"]["tokens"], 5);
    assert_eq!(pool["engine"]["speculative"]["drafter"]["one-pass"]["share"], 0.0);
}

#[test]
fn hostile_texts_end_in_rows_or_messages() {
    let windows = SERVE.replace('\n', "\r\n");
    assert_eq!(pools(&import(&[&windows])), pools(&import(&[SERVE])));
    let open = "vllm serve Qwen/Qwen3-8B --chat-template 'open\n--max-num-seqs 4\n";
    let _ = import(&[open]);
    let many = format!("vllm serve m {}", "--x 1 ".repeat(200_000));
    let found = import(&[&many]);
    assert_eq!(found.problems.len(), 1, "{:?}", found.problems);
    let unknown = format!("vllm serve Qwen/Qwen3-8B {}", "--what-is-this-flag-called 1 ".repeat(4000));
    let found = import(&[&unknown]);
    assert_eq!(found.counts.unknown, 4000);
    for text in [
        "kind: Deployment",
        "A=1\nvllm serve m --x \"",
        "kind: Deployment\nspec: 5",
        "kind: Deployment\nspec: {template: {spec: {containers: [5, {args: {a: 1}}, {image: 7, command: [vllm, serve, 3]}]}}}",
        "kind: DynamoGraphDeployment\nspec: {services: [1, 2]}",
        "kind: LeaderWorkerSet\nspec: {leaderWorkerTemplate: {size: -3}}",
        "kind: StatefulSet\nmetadata: {name: 7}\nspec: {replicas: 100000000000, template: {spec: {containers: [{command: [vllm, serve, m]}]}}}",
        "vllm serve",
        "vllm serve --model",
        "vllm:cache_config_info{num_gpu_blocks=\"-4\"} 1.0",
        "vllm:cache_config_info{num_gpu_blocks=\"4",
        "INFO 11-20 10:00:00 [a.py:1] non-default args: {'model': ",
        "INFO 11-20 10:00:00 [a.py:1] GPU KV cache size: 99,999,999,999,999 tokens",
        "max-num-seqs: {a: 1}\ntensor-parallel-size: [2]",
    ] {
        let found = import(&[text]);
        let said = found.problems.len() + found.warnings.len() + found.keys.len();
        assert!(said > 0, "{text}: {found:?}");
    }
}
