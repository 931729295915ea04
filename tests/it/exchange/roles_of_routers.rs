//! Roles that a router alone tells: by labels, by addresses, by services and by the lists of its flags.

use super::{import, import_into, row};
use serde_json::{Value, json};

/// The names and roles of the pools of an import that must succeed.
fn roles(text: &str) -> Vec<(String, Value)> {
    let (scenario, _) = import(text);
    let pools = scenario["cluster"]["pools"].as_array().expect("pools").clone();
    pools
        .iter()
        .map(|pool| (pool["name"].as_str().unwrap_or_default().to_owned(), pool["role"].clone()))
        .collect()
}

fn named(name: &str, role: &str) -> (String, Value) {
    (name.to_owned(), json!(role))
}

/// A Deployment of a vLLM server with a label.
fn deployment(name: &str, label: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  replicas: 2\n  template:\n    metadata: {{labels: {{{label}}}}}\n    spec:\n      containers:\n      - {{name: vllm, image: \"vllm/vllm-openai:v0.19.0\", args: [\"Qwen/Qwen3-8B\"]}}\n---\n"
    )
}

#[test]
fn labels_of_a_router_tell_pods_apart() {
    let servers = deployment("one", "model: qwen-p") + &deployment("two", "model: qwen-d");
    let router = "apiVersion: production-stack.vllm.ai/v1alpha1\nkind: VLLMRouter\nmetadata: {name: r}\nspec:\n  enableRouter: true\n  routingLogic: disaggregated_prefill\n  extraArgs: [--prefill-model-labels, qwen-p, --decode-model-labels, \"qwen-d,other\"]\n";
    let text = servers.clone() + router;
    assert_eq!(roles(&text), [named("one", "prefill"), named("two", "decode")]);
    let (_, found) = import(&text);
    let (standing, becomes) = row(&found, "spec.extraArgs.0");
    assert_eq!((standing, becomes), ("exact", "role prefill of the pool one"));
    let (standing, becomes) = row(&found, "spec.extraArgs.2");
    assert_eq!(standing, "near");
    assert!(becomes.contains("no server given here has the label model=other"), "{becomes}");
    // Servers that the router does not name, and a router without servers.
    let (_, alone) = import(&(deployment("one", "app: x") + router));
    assert!(row(&alone, "spec.extraArgs.0").1.contains("no server given here"), "{:?}", alone.keys);
    assert!(alone.warnings.iter().any(|d| d.fix.contains("beside the router")), "{:?}", alone.warnings);
    // A role that a server says itself and the router contradicts is a conflict.
    let other = deployment("one", "model: qwen-p, llm-d.ai/role: decode") + router;
    let found = import_into("", &[&other]);
    assert_eq!(found.conflicts.len(), 1, "{found:?}");
}

#[test]
fn addresses_of_a_router_tell_commands_and_services_apart() {
    let commands = "vllm serve Qwen/Qwen3-8B --port 8100\nvllm serve Qwen/Qwen3-8B --port 8200\nvllm serve Qwen/Qwen3-8B --port 8201\n";
    let router = "smg launch --pd-disaggregation --prefill http://localhost:8100 --decode http://localhost:8200 --decode http://localhost:8201\n";
    let text = format!("{commands}{router}");
    assert_eq!(roles(&text), [named("qwen3-8b-prefill", "prefill"), named("qwen3-8b-decode", "decode")]);
    let (scenario, _) = import(&text);
    assert_eq!(scenario["cluster"]["pools"][1]["replicas"], 2);
    let file = "context_servers: {num_instances: 1, urls: [\"localhost:8100\"]}\ngeneration_servers: {num_instances: 2, urls: [\"localhost:8200\", \"localhost:8201\"]}\n";
    let found = import_into("", &[&commands.replace("vllm serve", "trtllm-serve"), file]);
    assert_eq!(found.problems, []);
    let scenario: Value = serde_json::from_str(&found.scenario).expect("JSON");
    assert_eq!(scenario["cluster"]["pools"][0]["role"], "prefill", "{}", found.scenario);
    // A file of addresses alone has no servers.
    let alone = import_into("", &[file]);
    assert!(alone.scenario.is_empty() && alone.problems[0].found.contains("nothing that sets"), "{alone:?}");
    let services = deployment("a", "app: one")
        + &deployment("b", "app: two")
        + "apiVersion: v1\nkind: Service\nmetadata: {name: first}\nspec: {selector: {app: one}}\n---\n";
    let by_name = "vllm-router --policy round_robin --vllm-pd-disaggregation --prefill http://first.default.svc:8000 --decode http://b:8000\n";
    let found = import_into("", &[&services, by_name]);
    assert_eq!(found.problems, []);
    let scenario: Value = serde_json::from_str(&found.scenario).expect("JSON");
    let of: Vec<&Value> = (0..2).map(|i| &scenario["cluster"]["pools"][i]["role"]).collect();
    assert_eq!(of, ["prefill", "decode"]);
}

#[test]
fn a_model_server_of_kthena_tells_the_roles_of_a_model_serving() {
    let serving = "apiVersion: workload.serving.volcano.sh/v1alpha1\nkind: ModelServing\nmetadata: {name: apart}\nspec:\n  replicas: 2\n  template:\n    roles:\n    - name: first\n      replicas: 1\n      entryTemplate: {spec: {containers: [{name: a, command: [vllm, serve, Qwen/Qwen3-8B]}]}}\n    - name: second\n      replicas: 3\n      entryTemplate: {spec: {containers: [{name: a, command: [vllm, serve, Qwen/Qwen3-8B]}]}}\n---\n";
    let text = serving.to_owned() + include_str!("samples/ModelServer.yaml");
    assert_eq!(roles(&text), [named("apart-first", "prefill"), named("apart-second", "decode")]);
    let (scenario, found) = import(&text);
    assert_eq!(scenario["cluster"]["pools"][1]["replicas"], 6);
    assert_eq!(scenario["cluster"]["resilience"]["retries"], 2);
    assert_eq!(scenario["workload"]["timeout_s"], 30.0);
    assert_eq!(found.counts.unknown, 0, "{:?}", found.keys);
}

#[test]
fn a_loop_of_a_script_starts_as_many_servers_as_it_has_rounds() {
    let script = "#!/bin/bash\nN=4\nMODEL=Qwen/Qwen3-8B\nfor i in $(seq 1 $N); do\n  CUDA_VISIBLE_DEVICES=$i vllm serve $MODEL --max-num-seqs 32 \\\n    --port $((8000 + i)) &\ndone\nwait\n";
    let (scenario, found) = import(script);
    let pool = &scenario["cluster"]["pools"][0];
    assert_eq!((&pool["replicas"], &pool["engine"]["max_num_seqs"]), (&json!(4), &json!(32)));
    assert_eq!(row(&found, "rounds").0, "exact");
    // Each round starts a server with two ranks; another server stands after the loop.
    let ranks = script.replace("--max-num-seqs 32", "-dp 2") + "vllm serve Qwen/Qwen3-14B\n";
    let (scenario, _) = import(&ranks);
    let of: Vec<&Value> = (0..2).map(|i| &scenario["cluster"]["pools"][i]["replicas"]).collect();
    assert_eq!(of, [8, 1]);
    let unknown = script.replace("$(seq 1 $N)", "$(nvidia-smi -L)");
    let (_, found) = import(&unknown);
    assert_eq!(row(&found, "rounds").0, "ignored");
    assert!(found.changes.iter().all(|change| !change.field.ends_with("replicas")), "{:?}", found.changes);
    assert!(found.warnings.iter().any(|d| d.path.contains("rounds")), "{:?}", found.warnings);
}

#[test]
fn filters_by_label_give_the_pods_of_a_stage_their_role() {
    let router = include_str!("samples/EndpointPickerConfig-disagg.yaml")
        .replace(
            "  - type: prefill-filter\n",
            "  - type: by-label-selector\n    name: prefill-filter\n    parameters: {matchLabels: {kaito.sh/inference-role: prefill}}\n",
        )
        .replace(
            "  - type: decode-filter\n",
            "  - type: by-label\n    name: decode-filter\n    parameters: {label: kaito.sh/inference-role, validValues: [decode, both]}\n",
        );
    let servers: String = [("first", "prefill"), ("second", "decode"), ("third", "both")]
        .map(|(name, role)| deployment(name, &format!("app: {name}, kaito.sh/inference-role: {role}")))
        .concat();
    let text = servers + &router;
    // A pool without a role prefills and decodes.
    assert_eq!(
        roles(&text),
        [named("first", "prefill"), named("second", "decode"), ("third".to_owned(), Value::Null)]
    );
    let (_, found) = import(&text);
    assert_eq!(
        row(&found, "plugins.4.parameters.matchLabels.kaito.sh/inference-role"),
        ("exact", "role prefill of the pool first")
    );
    assert_eq!(row(&found, "plugins.5.parameters.validValues.1"), ("exact", "role mixed of the pool third"));
    assert_eq!(found.counts.unknown, 0, "{:?}", found.keys);
}
