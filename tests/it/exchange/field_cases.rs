//! Files from the field, cut down, that were once read wrongly or without a word, each with what is right; the same kinds in other
//! forms.

use super::{import, import_into, row};
use crate::support::command::{run_with, stderr, stdout};
use serde_json::{Value, json};
use tokenyard::config::import::configuration::Imported;

/// The pools of an import that must succeed.
fn pools(text: &str) -> (Vec<Value>, Imported) {
    let (scenario, found) = import(text);
    (scenario["cluster"]["pools"].as_array().expect("pools").clone(), found)
}

/// The values of a pool at paths.
fn of(pool: &Value, paths: &[&str]) -> Vec<Value> {
    let at = |path: &&str| path.split('.').fold(pool, |value, key| &value[key]).clone();
    paths.iter().map(at).collect()
}

const SHAPE: [&str; 4] = ["name", "replicas", "model", "tp"];

/// The problems of an import that must fail, as lines.
fn refused(text: &str) -> String {
    let found = import_into("", &[text]);
    assert!(found.scenario.is_empty() && found.new_scenario.scenario.is_empty(), "{found:?}");
    assert!(!found.problems.is_empty(), "{text}");
    let lines: Vec<String> = found
        .problems
        .iter()
        .map(|d| format!("{}: {}; {}; {}\n", d.path, d.found, d.allowed, d.fix))
        .collect();
    lines.concat()
}

#[test]
fn labels_may_hold_a_name_and_the_same_name_with_a_dot() {
    let text = include_str!("cases/labels-with-dots.yaml");
    for text in [
        text.to_owned(),
        text.replace(
            "    app: chat\n    app.kubernetes.io/part-of: shop",
            "    app.kubernetes.io/part-of: shop\n    app: chat",
        ),
    ] {
        let (pools, found) = pools(&text);
        assert_eq!(of(&pools[0], &SHAPE), [json!("chat"), json!(3), json!("qwen3-14b"), json!(2)]);
        assert_eq!(found.warnings, []);
    }
    // Selectors, node selectors and annotations; each key has a row of its own.
    let more = text
        .replace("matchLabels: { app: chat }", "matchLabels: { app: chat, app.kubernetes.io/name: vllm }")
        .replace("    spec:\n      containers:", "    spec:\n      nodeSelector: { gpu: a, gpu.product: b, nvidia.com/gpu.product: NVIDIA-H200 }\n      containers:");
    let (pools, found) = pools(&more);
    assert_eq!(pools[0]["gpu"], "H200");
    for key in ["spec.selector.matchLabels.app", "spec.selector.matchLabels.app.kubernetes.io/name"] {
        assert_eq!(row(&found, key).0, "ignored", "{key}");
    }
    let refused = refused(&text.replace("metadata:\n  name: chat", "metadata: 7\nother:\n  name: chat"));
    assert!(refused.contains("metadata"), "{refused}");
}

#[test]
fn two_servers_that_say_the_same_are_two_replicas() {
    let (pools_of, found) =
        pools("vllm serve Qwen/Qwen3-14B --port 8001\nvllm serve Qwen/Qwen3-14B --port 8002\n");
    assert_eq!((pools_of.len(), of(&pools_of[0], &SHAPE[1..3])), (1, vec![json!(2), json!("qwen3-14b")]));
    let becomes: Vec<&str> =
        found.keys.iter().filter(|key| key.value == "2").map(|key| key.becomes.as_str()).collect();
    assert_eq!(becomes, ["replicas 2: 2 commands with the same settings are replicas of one pool"]);
    // One of them has other settings: two pools of one replica. Ranks of a server count.
    let (other, _) = pools(
        "vllm serve Qwen/Qwen3-14B --port 1\nvllm serve Qwen/Qwen3-14B --max-num-seqs 8 --port 2\nvllm serve Qwen/Qwen3-14B --max-num-seqs 8 --port 3\n",
    );
    let shapes: Vec<Vec<Value>> =
        other.iter().map(|pool| of(pool, &["name", "replicas", "engine.max_num_seqs"])).collect();
    assert_eq!(
        shapes,
        [vec![json!("qwen3-14b"), json!(1), json!("auto")], vec![json!("qwen3-14b-2"), json!(2), json!(8)],]
    );
    let (ranks, _) =
        pools("vllm serve Qwen/Qwen3-14B -dp 2\nvllm serve Qwen/Qwen3-14B -dp 2\nvllm serve Qwen/Qwen3-8B\n");
    assert_eq!(ranks.iter().map(|pool| pool["replicas"].clone()).collect::<Vec<_>>(), [4, 1]);
    let (kv, _) = pools(
        "vllm serve Qwen/Qwen3-14B --port 1\nvllm serve Qwen/Qwen3-14B --port 2 --kv-transfer-config '{\"kv_connector\":\"LMCacheConnectorV1\",\"kv_role\":\"kv_both\"}'\n",
    );
    assert_eq!(kv.len(), 2, "{kv:?}");
}

#[test]
fn objects_of_one_name_in_two_namespaces_are_two_pools() {
    let one = include_str!("cases/labels-with-dots.yaml")
        .replace("  name: chat\n", "  name: chat\n  namespace: a\n");
    let two = one.replace("namespace: a", "namespace: b").replace("replicas: 3", "replicas: 5");
    let (pools, _) = pools(&format!("{one}\n---\n{two}"));
    let shapes: Vec<Vec<Value>> = pools.iter().map(|pool| of(pool, &SHAPE[..2])).collect();
    assert_eq!(shapes, [[json!("chat"), json!(3)], [json!("chat-b"), json!(5)]]);
}

#[test]
fn a_log_that_a_terminal_cut_is_read_as_it_was() {
    let text = include_str!("cases/wrapped-log.txt");
    let (pools_of, _) = pools(text);
    assert_eq!(
        of(&pools_of[0], &["model", "kv.gpu_memory_utilization", "kv.blocks"]),
        [json!("qwen3-14b"), json!(0.5), json!(8072)]
    );
    // Cut in the number, and by a program that does not go on in the next line.
    let cut = text.replace("129,152 tokens", "129,1");
    let long = format!("{}{}\n52 tokens\n", cut.trim_end(), "");
    let width = long.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let last = long.lines().rev().nth(1).unwrap_or_default().chars().count();
    let padded = long.replace("(EngineCore_0", &format!("{}(EngineCore_0", "x".repeat(width - last)));
    let (pools_of, _) = pools(&padded);
    assert_eq!(pools_of[0]["kv"]["blocks"], 8072, "{padded}");
    let lost: String = text.split_inclusive('\n').filter(|line| !line.starts_with("n3-14B")).collect();
    let found = import_into("", &[&lost]);
    let warned: Vec<&str> = found.warnings.iter().map(|d| d.found.as_str()).collect();
    assert_eq!(warned, ["arguments that end in the middle: none of them is read"]);
}

#[test]
fn an_import_that_read_nothing_says_what_it_looked_for() {
    let service = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: b}\n";
    for (text, part) in [
        (service, "ConfigMap"),
        (
            "kind: DynamoGraphDeployment\nmetadata: {name: x}\nspec: {components: []}\n",
            "DynamoGraphDeployment",
        ),
        (
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: a, image: nginx:1}]}}}\n",
            "Deployment",
        ),
        ("services:\n  web: {image: nginx}\n", "docker-compose"),
    ] {
        let said = refused(text);
        assert!(said.contains(part) && said.contains("docker-compose, systemd units"), "{said}");
    }
    let out = run_with(&["import", "-"], service.as_bytes());
    assert_eq!((out.status.code(), stdout(&out)), (Some(2), String::new()), "{}", stderr(&out));
    // What is read is named, also for a document of no kind; a dashboard has no figures.
    let said = refused(include_str!("cases/dashboard.json"));
    assert!(
        said.contains("Grafana") && said.contains("query_range") && said.contains("Deployments"),
        "{said}"
    );
    let rows = import_into("", &[include_str!("cases/dashboard.json")]).keys.len();
    assert_eq!(rows, 5, "a row for each first key");
    assert!(refused("docker run nginx:1 --x").contains("the command `docker run nginx:1 --x`"));
}

#[test]
fn a_query_of_many_series_is_near_and_says_what_keda_does() {
    let text = include_str!("cases/many-series.yaml");
    let (_, found) = import(text);
    let (standing, becomes) = row(&found, "spec.triggers.0.metadata.query");
    assert_eq!(standing, "near");
    assert!(
        becomes.contains("query returned multiple elements")
            && becomes.contains("write sum(vllm:num_requests_waiting)"),
        "{becomes}"
    );
    let (_, found) = import(&text.replace("vllm:num_requests_waiting", "sum(vllm:num_requests_waiting)"));
    assert_eq!(row(&found, "spec.triggers.0.metadata.query").0, "exact");
    let (_, found) = import(&text.replace("vllm:num_requests_waiting", "vllm:kv_cache_usage_perc"));
    assert!(row(&found, "spec.triggers.0.metadata.query").1.contains("the mean is taken; write avg("));
}

#[test]
fn components_of_dynamo_s_newer_graphs_are_pools_and_the_router() {
    let (scenario, found) = import(include_str!("cases/dynamo-v1beta1.yaml"));
    let pools = scenario["cluster"]["pools"].as_array().expect("pools");
    let paths = ["name", "role", "replicas", "tp", "model"];
    assert_eq!(
        of(&pools[0], &paths),
        [json!("PrefillWorker"), json!("prefill"), json!(2), json!(4), json!("qwen3-30b-a3b")]
    );
    assert_eq!(
        of(&pools[1], &paths),
        [json!("DecodeWorker"), json!("decode"), json!(1), json!(4), json!("qwen3-30b-a3b")]
    );
    let engine = ["engine.max_num_batched_tokens", "engine.long_prefill_threshold_tokens", "gpu"];
    assert_eq!(of(&pools[0], &engine), [json!(32_768), json!(4096), json!("B200")]);
    assert!(scenario["cluster"]["routing"]["kv-cost"].is_object(), "{}", scenario["cluster"]["routing"]);
    assert_eq!(found.counts.unknown, 0, "{:?}", found.keys);
}

#[test]
fn the_command_of_a_systemd_unit_is_read() {
    let text = include_str!("cases/vllm.service");
    let (pools_of, found) = pools(text);
    assert_eq!(of(&pools_of[0], &["model", "kv.gpu_memory_utilization"]), [json!("qwen3-14b"), json!(0.9)]);
    assert_eq!(row(&found, "unit.Service.ExecStartPre").0, "ignored");
    let model = found.keys.iter().find(|key| key.field.strip_suffix(".model").is_some()).expect("the model");
    assert_eq!(
        (model.line, text.lines().nth(model.line as usize - 1).map(str::trim)),
        (15, Some("--model Qwen/Qwen3-14B \\"))
    );
    // Signs before the program, and variables of the unit.
    let other = "[Unit]\nDescription=x\n[Service]\nEnvironment=\"MODEL=Qwen/Qwen3-8B\" TP=2\nExecStart=-@/opt/bin/vllm serve ${MODEL} --tensor-parallel-size $TP\n";
    let (pools_of, _) = pools(other);
    assert_eq!(of(&pools_of[0], &["model", "tp"]), [json!("qwen3-8b"), json!(2)]);
    // A comment between the lines of a command does not end it.
    let noted = "[Unit]\nDescription=x\n[Service]\nExecStart=/opt/bin/vllm serve Qwen/Qwen3-8B \\\n  # of two\n  --tensor-parallel-size 2 \\\n; more\n  \
        --gpu-memory-utilization 0.92\nRestart=always\n";
    let (pools_of, found) = pools(noted);
    assert_eq!(of(&pools_of[0], &["tp", "kv.gpu_memory_utilization"]), [json!(2), json!(0.92)]);
    let tp = found.keys.iter().find(|key| key.field.rsplit('.').next() == Some("tp")).expect("the size");
    assert_eq!(tp.line, 6);
    assert!(
        refused("[Unit]\nDescription=x\n[Service]\nType=simple\n").contains("systemd unit without ExecStart")
    );
    assert!(
        refused("[Service]\nExecStart=/usr/bin/nginx -g x\n").contains("the command `/usr/bin/nginx -g x`")
    );
}

#[test]
fn variables_that_a_script_sets_are_put_in() {
    let (pools_of, found) = pools(include_str!("cases/script-variables.yaml"));
    assert_eq!(of(&pools_of[0], &SHAPE), [json!("chat"), json!(2), json!("qwen3-14b"), json!(4)]);
    assert_eq!(found.warnings, []);
    assert!(
        row(&found, "spec.template.spec.containers.0.resources.limits.nvidia.com/gpu").1.ends_with("agrees")
    );
    let script = "#!/bin/bash\nset -e\nMODEL=Qwen/Qwen3-8B   # the model\n\nTP=${TP:-2}\nARGS=(\n  --max-num-seqs 32\n)\necho starting\nif [ -n \"$BIG\" ]; then\n  export SEQS=64\nfi\n\nvllm serve \"$MODEL\" --tensor-parallel-size $TP \\\n  \"${ARGS[@]}\" --gpu-memory-utilization $SHARE\n";
    let found = import_into("", &[script]);
    let scenario: Value = serde_json::from_str(&found.scenario).expect("a scenario");
    let pool = &scenario["cluster"]["pools"][0];
    assert_eq!(of(pool, &["model", "tp", "engine.max_num_seqs"]), [json!("qwen3-8b"), json!(2), json!(32)]);
    let warned: Vec<&str> = found.warnings.iter().map(|d| d.found.as_str()).collect();
    assert_eq!(warned, ["--gpu-memory-utilization $SHARE"]);
    // What stays unknown refuses nothing, in routers neither.
    let router = "python3 -m dynamo.frontend --router-mode $MODE --router-temperature 0.5\n";
    let found = import_into("", &[&format!("{router}vllm serve Qwen/Qwen3-8B\n")]);
    assert_eq!((found.problems.len(), found.warnings.len()), (0, 1), "{:?}", found.problems);
}

#[test]
fn a_placeholder_in_an_argument_of_no_effect_does_not_matter() {
    let text = include_str!("cases/placeholder.yaml");
    let (pools_of, found) = pools(text);
    assert_eq!(of(&pools_of[0], &SHAPE), [json!("chat"), json!(2), json!("qwen3-14b"), json!(2)]);
    assert_eq!(found.warnings, []);
    let warned = |text: &str| {
        let found = import_into("", &[text]);
        assert_eq!(found.problems, [], "{text}");
        found.warnings.iter().map(|d| format!("{} {}", d.found, d.fix)).collect::<Vec<_>>().concat()
    };
    let matters = warned(&text.replace("--ssl-certfile=/tls/crt", "--max-num-seqs=8"));
    assert!(matters.contains("kubectl get"), "{matters}");
    assert!(warned(&text.replace("\"2\"]", "\"{{ .Spec.Tp }}\"]")).contains("{{ .Spec.Tp }}"));
    let said = refused("kind: Deployment\nspec: {replicas: {{ .Replicas }}\n");
    assert!(said.contains("placeholders {{ … }} in the lines 2") && said.contains("kubectl get"), "{said}");
    assert!(refused("replicas: {{ .Values.replicas }}\n").contains("helm template"));
}

#[test]
fn servers_of_sglang_are_read_in_containers() {
    let (pools_of, _) = pools(include_str!("cases/sglang.yaml"));
    assert_eq!(of(&pools_of[0], &SHAPE), [json!("chat"), json!(3), json!("qwen3-8b"), json!(2)]);
    let docker = "docker run --gpus all --shm-size 32g -p 30000:30000 lmsysorg/sglang:latest \\\n  python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2 --page-size 16\n";
    let (pools_of, _) = pools(docker);
    assert_eq!(
        of(&pools_of[0], &["model", "tp", "kv.block_tokens"]),
        [json!("qwen3-8b"), json!(2), json!(16)]
    );
}

#[test]
fn services_of_docker_compose_are_pools() {
    let (scenario, found) = import(include_str!("samples/docker-compose.yaml"));
    let pools = scenario["cluster"]["pools"].as_array().expect("pools");
    let shapes: Vec<Vec<Value>> = pools.iter().map(|pool| of(pool, &SHAPE)).collect();
    assert_eq!(
        shapes,
        [
            vec![json!("vllm"), json!(3), json!("qwen3-14b"), json!(2)],
            vec![json!("sglang"), json!(1), json!("qwen3-8b"), json!(1)],
        ]
    );
    assert_eq!(scenario["cluster"]["routing"], "round-robin");
    assert!(row(&found, "services.vllm.deploy.resources.reservations.devices.0.count").1.ends_with("agrees"));
    assert_eq!(row(&found, "services.prometheus.image").0, "ignored");
    let broken = "services:\n  vllm: {image: vllm/vllm-openai, command: [--model, Qwen/Qwen3-8B], deploy: {replicas: many}}\n";
    assert!(refused(broken).contains("services.vllm.deploy.replicas"));
}

#[test]
fn quantities_of_kubernetes_are_numbers() {
    let text = include_str!("cases/many-series.yaml").replace("threshold: \"5\"", "threshold: \"1k\"");
    let (scenario, _) = import(&text);
    assert_eq!(scenario["cluster"]["pools"][0]["scaling"]["policy"]["keda"]["threshold"], 1000.0);
}

#[test]
fn models_of_the_field_have_their_weights_and_their_cache() {
    let model = |text: &str| {
        let out = run_with(&["model", "-"], text.as_bytes());
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
        stderr(&out)
    };
    let beside = model(include_str!("cases/experts-beside-mlp.json"));
    assert!(beside.contains("2.54 GB of weights"), "{beside}");
    let sparse = model(include_str!("cases/sparse-attention.json"));
    assert!(sparse.contains("12.98 billion parameters") && sparse.contains("5,136 bytes"), "{sparse}");
    // A long list of modules, of 1.5 MB.
    let mut listed = serde_json::Map::new();
    for (layer, expert) in (0..48).flat_map(|layer| (0..128).map(move |expert| (layer, expert))) {
        for part in ["gate", "up", "down"] {
            let name = format!("model.layers.{layer}.mlp.experts.{expert}.{part}_proj");
            listed.insert(name, json!({"quant_algo": "NVFP4", "group_size": 16}));
        }
    }
    let config = json!({
        "model_type": "qwen3_moe", "num_hidden_layers": 48, "hidden_size": 2048, "intermediate_size": 6144,
        "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8, "num_attention_heads": 32,
        "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 151_936, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
        "quantization_config": {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": listed,
            "exclude_modules": ["lm_head"]},
    });
    // 28,991,029,248 weights of experts at 4.5 bits are 16.31 GB, the rest 2 bytes each.
    let large = model(&config.to_string());
    assert!(large.contains("30.53 billion parameters") && large.contains("19.39 GB of weights"), "{large}");
    let out = run_with(&["model", "-"], " ".repeat(17 << 20).as_bytes());
    assert!(
        stderr(&out).contains("a longer file; allowed: a model's config.json, of at most 16 MiB"),
        "{}",
        stderr(&out)
    );
}

#[test]
fn what_routers_do_when_replicas_fail_is_that_of_the_scenario() {
    let resilience = |text: &str| import(text).0["cluster"]["resilience"].clone();
    let smg = "smg launch --policy round_robin --retry-max-retries 4 --retry-initial-backoff-ms 60 --cb-failure-threshold 7 \\\n  --cb-timeout-duration-secs 20 --health-check-interval-secs 5 --health-failure-threshold 2\n";
    let found = resilience(smg);
    assert_eq!((&found["retries"], &found["backoff_ms"]), (&json!(4), &json!(60.0)));
    assert_eq!(
        (&found["outlier"]["consecutive"], &found["outlier"]["ejection_s"]),
        (&json!(7), &json!(20.0))
    );
    assert_eq!((&found["probe"]["interval_s"], &found["probe"]["failures"]), (&json!(5.0), &json!(2)));
    let off = resilience(&format!("{} --disable-retries --disable-circuit-breaker\n", smg.trim_end()));
    assert_eq!((&off["retries"], &off["outlier"]), (&json!(0), &Value::Null));
    let dynamo = resilience("python3 -m dynamo.frontend --router-mode kv --migration-limit 3\n");
    assert_eq!((&dynamo["retries"], &dynamo["resume"]), (&json!(3), &json!(true)));
    let stack = resilience(
        "vllm-router --routing-logic roundrobin --max-instance-failover-reroute-attempts 2 --static-backend-health-checks\n",
    );
    assert_eq!((&stack["retries"], stack["probe"].is_object()), (&json!(2), true));
}

#[test]
fn entries_of_models_that_no_pool_serves_set_nothing() {
    let text = include_str!("cases/two-models.yaml");
    let (scenario, found) = import(text);
    let policy = &scenario["cluster"]["pools"][0]["scaling"]["policy"]["wva-queueing-model"];
    assert_eq!(
        (&policy["ttft_ms"], &policy["itl_ms"], &policy["slo_multiplier"]),
        (&json!(500.0), &json!(50.0), &json!(3.0))
    );
    let lines: Vec<&str> = found.warnings.iter().map(|d| d.found.as_str()).collect();
    assert_eq!(lines, ["no pool serves the model \"mistralai/Mistral-7B-Instruct-v0.2\""]);
}

#[test]
fn the_dotted_parameters_of_a_candidate_are_those_of_a_bundle() {
    let text = include_str!("samples/policy-candidate.json");
    let (scenario, found) = import(text);
    let cluster = &scenario["cluster"];
    assert_eq!(
        cluster["routing"]["weighted"]["scorers"][0],
        json!({"scorer": "prefix-affinity", "weight": 0.7})
    );
    assert_eq!(cluster["admission"]["token-bucket"]["capacity_tokens"], 500.0);
    assert_eq!(cluster["pools"][0]["scaling"]["policy"]["threshold"]["up"], 0.75);
    assert_eq!(row(&found, "routing.load_balance_weight").0, "exact");
    assert_eq!(found.warnings.len(), 3, "{:?}", found.warnings);
    assert!(refused(&text.replace("0.7", "-0.7")).contains("routing.cache_affinity_weight"));
}

#[test]
fn the_name_that_clients_use_says_which_model_stands_at_a_path() {
    let (scenario, found) =
        import("vllm serve /mnt/models --served-model-name chat qwen3-14b --tensor-parallel-size 2");
    assert_eq!(scenario["cluster"]["pools"][0]["model"], "qwen3-14b");
    assert_eq!((row(&found, "words.2").0, found.warnings.len()), ("near", 0), "{found:?}");
}

#[test]
fn a_script_that_starts_a_server_and_a_client_is_a_pool_with_traffic() {
    let script = "#!/bin/bash\nvllm serve Qwen/Qwen3-8B --tensor-parallel-size 2 --max-num-seqs 32 &\nsleep 60\nvllm bench serve --model \
        Qwen/Qwen3-8B --dataset-name random --random-input-len 512 --random-output-len 64 --request-rate 4 --num-prompts 200\n";
    let (scenario, found) = import(script);
    assert_eq!(scenario["cluster"]["pools"][0]["engine"]["max_num_seqs"], 32);
    let client = &scenario["workload"]["clients"][0];
    assert_eq!(client["arrivals"]["poisson"]["rate_per_s"], 4.0);
    assert_eq!(client["prompt_tokens"]["constant"]["tokens"], 512);
    let titles: Vec<&str> = found.documents.iter().map(|document| document.title.as_str()).collect();
    assert!(!titles.iter().any(|title| title.contains("/metrics")), "{titles:?}");
}
