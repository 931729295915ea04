//! Routers of other programs: what their plugins, flags and objectives become, and what is said of those that have no
//! counterpart.

use super::{import, import_into, row};
use serde_json::{Value, json};

/// A router's configuration with these plugins and references of its only profile.
fn picker(plugins: &str, references: &str) -> String {
    format!(
        "kind: EndpointPickerConfig\nplugins: [{plugins}]\nschedulingProfiles: [{{name: default, plugins: [{references}]}}]\n"
    )
}

fn routing(text: &str) -> Value {
    import(text).0["cluster"]["routing"].clone()
}

#[test]
fn all_versions_of_a_router_s_configuration_are_read_alike() {
    let text = picker("{type: queue-scorer}", "{pluginRef: queue-scorer}");
    let of = |version: &str| routing(&format!("apiVersion: {version}\n{text}"));
    let first = of("inference.networking.x-k8s.io/v1alpha1");
    assert_eq!(first["weighted"]["scorers"], json!([{ "scorer": "waiting-requests", "weight": 1.0 }]));
    assert_eq!((of("llm-d.ai/v1alpha1"), of("llm-d.ai/v1")), (first.clone(), first));
}

#[test]
fn a_configuration_in_a_config_map_and_in_values_is_read_with_its_path() {
    let (scenario, found) = import(include_str!("samples/ConfigMap-router.yaml"));
    assert_eq!(scenario["cluster"]["routing"], "random", "the random picker takes no scores");
    let key = "data.default-plugins.yaml.plugins.1.type";
    assert_eq!(row(&found, key).0, "exact");
    let line = found.keys.iter().find(|m| m.key == key).map(|m| m.line);
    assert_eq!(line, Some(10), "{found:?}");
    let (scenario, found) = import(include_str!("samples/router-values.yaml"));
    assert_eq!(scenario["cluster"]["routing"]["weighted"]["scorers"][0]["weight"], 5.0);
    assert_eq!(scenario["cluster"]["snapshot_refresh_us"], 20_000);
    assert_eq!(row(&found, "inferencePool.targetPortNumber").0, "ignored");
}

#[test]
fn of_several_configurations_in_values_the_named_one_is_read() {
    let one = |name: &str, weight: u32| {
        format!(
            "    {name}: |\n      kind: EndpointPickerConfig\n      plugins: [{{type: queue-scorer}}]\n      schedulingProfiles: [{{name: d, plugins: [{{pluginRef: queue-scorer, weight: {weight}}}]}}]\n"
        )
    };
    let text = format!(
        "router:\n  pluginsConfigFile: b.yaml\n  pluginsCustomConfig:\n{}{}",
        one("a.yaml", 1),
        one("b.yaml", 7)
    );
    assert_eq!(routing(&text)["weighted"]["scorers"][0]["weight"], 7.0);
}

#[test]
fn matches_of_prefixes_come_from_the_producer_that_a_scorer_names() {
    let with = |producers: &str, parameters: &str| {
        let plugins = format!("{producers}{{type: prefix-cache-scorer{parameters}}}");
        routing(&picker(&plugins, "{pluginRef: prefix-cache-scorer, weight: 2}"))["weighted"]["scorers"][0]
            .clone()
    };
    let precise =
        "{type: precise-prefix-cache-producer, parameters: {tokenProcessorConfig: {blockSize: 64}}}, ";
    let named = |name: &str| format!(", parameters: {{prefixMatchInfoProducerName: {name}}}");
    let scorer = |name: &str| json!({ "scorer": name, "weight": 2.0 });
    assert_eq!(with(precise, &named("precise-prefix-cache-producer")), scorer("precise-prefix"));
    assert_eq!(with(precise, ""), scorer("precise-prefix"), "there is no other producer");
    let both = format!("{precise}{{type: approx-prefix-cache-producer}}, ");
    assert_eq!(with(&both, ""), scorer("prefix-affinity"));
    assert_eq!(
        with("{type: burst-prefix-cache-producer}, ", &named("burst-prefix-cache-producer")),
        scorer("prefix-affinity")
    );
}

#[test]
fn small_blocks_are_raised_as_llm_d_raises_them() {
    let plugins = "{type: approx-prefix-cache-producer, parameters: {blockSizeTokens: 16, autoTune: true}}, {type: prefix-cache-scorer}";
    let (scenario, found) = import(&picker(plugins, "{pluginRef: prefix-cache-scorer}"));
    assert_eq!(scenario["cluster"]["routing"]["weighted"]["prefix_block_tokens"], 64);
    assert_eq!(row(&found, "plugins.0.parameters.blockSizeTokens").0, "near");
    assert_eq!(row(&found, "plugins.0.parameters.autoTune").0, "near");
}

#[test]
fn a_block_size_in_bytes_of_text_becomes_a_quarter_as_many_tokens() {
    for kind in ["prefix-cache-scorer", "approx-prefix-cache-producer"] {
        let of = |parameters: &str| {
            let scorer = if kind == "prefix-cache-scorer" { "" } else { ", {type: prefix-cache-scorer}" };
            let plugins = format!("{{type: {kind}, parameters: {{{parameters}}}}}{scorer}");
            let (scenario, found) = import(&picker(&plugins, "{pluginRef: prefix-cache-scorer}"));
            let weighted = &scenario["cluster"]["routing"]["weighted"];
            (weighted["prefix_block_tokens"].clone(), weighted["prefix_match_tokens"].clone(), found)
        };
        let (block, longest, found) =
            of("blockSize: 64, maxPrefixBlocksToMatch: 256, lruCapacityPerServer: 31250");
        assert_eq!((block, longest), (json!(16), json!(4096)), "{kind}");
        let (standing, becomes) = row(&found, "plugins.0.parameters.blockSize");
        assert_eq!(standing, "near");
        assert!(becomes.contains("four bytes of text to a token"), "{becomes}");
        // Where tokens are given, they count, as the size of a block of the longest prefix.
        let (block, longest, found) = of("blockSize: 64, blockSizeTokens: 128, maxPrefixBlocksToMatch: 256");
        assert_eq!((block, longest), (json!(128), json!(32_768)), "{kind}");
        assert_eq!(row(&found, "plugins.0.parameters.blockSize").0, "ignored");
    }
}

#[test]
fn filters_pickers_and_flow_control_are_read() {
    let (scenario, found) = import(include_str!("samples/EndpointPickerConfig-flow.yaml"));
    let weighted = &scenario["cluster"]["routing"]["weighted"];
    assert_eq!(weighted["picker"], "weighted-random");
    assert_eq!(weighted["scorers"], json!([{ "scorer": "kv-utilization", "weight": 1.0 }]));
    let conditions =
        json!([{ "metric": "kv-utilization", "max": 0.9 }, { "metric": "waiting-requests", "max": 12.0 }]);
    assert_eq!(
        weighted["filters"][0],
        json!({ "utilization": { "conditions": conditions, "fallback": "all" } })
    );
    assert_eq!(weighted["filters"][1], json!({ "session": { "max_sessions": 100_000 } }));
    let flow = &scenario["cluster"]["flow_control"];
    let detector = json!({ "concurrency": { "mode": "hybrid", "max_requests": 40, "max_tokens": 200_000 } });
    assert_eq!(flow["detector"], detector);
    assert_eq!(flow["ceilings"], json!({ "priority-holdback": { "max": 0.9, "min": 0.4, "by": "value" } }));
    assert_eq!((&flow["ttl_s"], &flow["no_replica_ttl_s"]), (&json!(90.0), &json!(90.0)));
    assert_eq!((&flow["max_requests"], &flow["max_prompt_tokens"]), (&json!(500), &json!(2000)));
    assert_eq!((&flow["fairness"], &flow["eviction"]), (&json!("round-robin"), &json!(true)));
    let band = &flow["bands"][0];
    assert_eq!((&band["priority"], &band["max_requests"]), (&json!(100), &json!(30)));
    assert_eq!((&band["ordering"], &band["fairness"]), (&json!("edf"), &json!("round-robin")));
    assert_eq!(scenario["cluster"]["snapshot_refresh_us"], 100_000);
    assert_eq!(row(&found, "flowControl.maxBytes").0, "near");
    assert_eq!(row(&found, "plugins.8.parameters.maxNumOfEndpoints").0, "near");
    assert_eq!(row(&found, "flowControl.defaultPriorityBand.maxRequests").0, "ignored");
    assert_eq!(found.warnings, []);
}

#[test]
fn a_saturated_router_without_flow_control_sheds() {
    let detector =
        "{type: utilization-detector, parameters: {queueDepthThreshold: 9, kvCacheUtilThreshold: 0.7}}";
    let text = format!(
        "{}saturationDetector: {{pluginRef: utilization-detector}}\n",
        picker(&format!("{{type: queue-scorer}}, {detector}"), "{pluginRef: queue-scorer}")
    );
    let (scenario, _) = import(&text);
    let shed = &scenario["cluster"]["admission"]["shed"];
    assert_eq!(shed["rule"], "saturated");
    assert_eq!(shed["detector"]["utilization"]["queue_threshold"], 9.0);
    assert_eq!(scenario["cluster"].get("flow_control"), None);
    let admitter = picker(
        "{type: probabilistic-admitter, parameters: {power: 4}}, {type: random-picker}",
        "{pluginRef: random-picker}",
    );
    let (scenario, _) = import(&admitter);
    assert_eq!(
        scenario["cluster"]["admission"]["shed"]["rule"],
        json!({ "probabilistic": { "factor": 300.0, "exponent": 4.0 } })
    );
    assert_eq!(scenario["cluster"]["routing"], "random");
}

#[test]
fn a_scorer_without_a_counterpart_and_an_unknown_plugin_are_told() {
    let plugins = "{type: endpoint-attribute-scorer, parameters: {attributeKey: GPUUtilization}}, {type: quue-scorer}, {type: max-score-picker}";
    let text =
        picker(plugins, "{pluginRef: endpoint-attribute-scorer, weight: 2}, {pluginRef: max-score-picker}");
    let before = r#"{"cluster": {"routing": "random"}}"#;
    let found = import_into(before, &[&text]);
    assert_eq!(found.problems, [], "{found:?}");
    let scenario: Value = serde_json::from_str(&found.scenario).expect("a scenario");
    assert_eq!(scenario["cluster"]["routing"], "random", "the router stays");
    let told: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|t| t.contains("no scorer that has a counterpart")), "{told:?}");
    assert!(told.iter().any(|t| t.contains("did you mean \"queue-scorer\"?")), "{told:?}");
    assert_eq!(row(&found, "plugins.1.type").0, "unknown");
    assert_eq!(row(&found, "schedulingProfiles.0.plugins.0.weight").0, "ignored");
}

#[test]
fn sessions_alone_are_a_router_and_beside_scorers_a_filter() {
    let session = "{type: session-affinity-scorer, parameters: {maxAge: 60}}";
    let alone = routing(&picker(session, "{pluginRef: session-affinity-scorer}"));
    assert_eq!(alone["session-affinity"]["mode"], "sticky");
    let both = picker(
        &format!("{session}, {{type: queue-scorer}}"),
        "{pluginRef: session-affinity-scorer, weight: 9}, {pluginRef: queue-scorer}",
    );
    let weighted = &routing(&both)["weighted"];
    assert_eq!(
        (weighted["filters"][0].get("session").is_some(), weighted["scorers"].as_array().map(Vec::len)),
        (true, Some(1))
    );
}

#[test]
fn priorities_of_objectives_hold_beside_flow_control() {
    let objective = include_str!("samples/InferenceObjective.yaml");
    let found = import_into("", &[objective]);
    assert!(row(&found, "spec.priority").1.contains("there is no flow control"), "{found:?}");
    let told: Vec<&str> = found.problems.iter().map(|d| d.found.as_str()).collect();
    assert_eq!(told, ["nothing that sets a field of a scenario in InferenceObjective"]);
    let flow = include_str!("samples/EndpointPickerConfig-flow.yaml");
    let found = import_into("", &[flow, objective]);
    let scenario: Value = serde_json::from_str(&found.scenario).unwrap_or_else(|e| panic!("{e}: {found:?}"));
    assert_eq!(scenario["cluster"]["flow_control"]["priorities"]["batch"], -5);
    assert_eq!(row(&found, "spec.priority").0, "near");
}

#[test]
fn flags_of_dynamo_become_its_router_and_its_queue() {
    let (scenario, found) = import(include_str!("samples/dynamo-frontend.txt"));
    let cost = &scenario["cluster"]["routing"]["kv-cost"];
    assert_eq!((&cost["overlap_credit"], &cost["temperature"]), (&json!(1.5), &json!(0.1)));
    assert_eq!(cost["index"]["approximate"]["ttl_s"], 90.0);
    assert_eq!(scenario["cluster"]["flow_control"]["detector"]["concurrency"]["max_tokens"], 16_384);
    assert_eq!(found.counts.unknown, 0, "{found:?}");
    let (scenario, _) =
        import("python -m dynamo.frontend --router-mode=least-loaded --router-temperature 1\n");
    assert_eq!(scenario["cluster"]["routing"], "least-loaded");
    let told = import_into("", &["python -m dynamo.frontend --router-mode kvv\n"]).problems;
    assert!(told[0].to_string().contains("did you mean \"kv\"?"), "{told:?}");
}

#[test]
fn flags_of_smg_and_of_vllm_s_routers_become_routers_and_limits() {
    let (scenario, _) = import(include_str!("samples/smg.txt"));
    let aware = &scenario["cluster"]["routing"]["cache-aware"];
    assert_eq!((&aware["cache_threshold"], &aware["balance_abs_threshold"]), (&json!(0.4), &json!(16)));
    let limit = json!({ "concurrency-limit": { "max_in_flight": 200, "then": "reject" } });
    assert_eq!(scenario["cluster"]["admission"], limit);
    assert_eq!(scenario["workload"]["timeout_s"], 600.0);
    let apart = "python -m sglang_router.launch_router --pd-disaggregation --policy random --prefill-policy cache_aware\n";
    let (scenario, _) = import(apart);
    assert_eq!(scenario["cluster"]["routing"], "random");
    assert!(
        scenario["cluster"]["disaggregation"]["prefill_routing"].get("cache-aware").is_some(),
        "{scenario}"
    );
    assert_eq!(
        routing(include_str!("samples/vllm-router.txt"))["session-affinity"]["mode"],
        "consistent-hash"
    );
    assert_eq!(routing(include_str!("samples/vllm-router-policy.txt"))["power-of-d"]["d"], 2);
    assert_eq!(routing("vllm-router --routing-logic roundrobin\n"), "round-robin");
    let told = import_into("", &["smg launch --policy cache-awar\n"]).problems;
    assert!(told[0].to_string().contains("did you mean \"cache_aware\"?"), "{told:?}");
}

#[test]
fn the_algorithm_of_aibrix_is_read_from_its_variable() {
    let sample = include_str!("samples/aibrix-gateway.yaml");
    assert_eq!(routing(sample), "least-kv");
    let found = import_into("", &[&sample.replace("least-kv-cache", "throughput")]);
    assert_eq!(row(&found, "spec.template.spec.containers.0.env.0.value").0, "unknown");
}

#[test]
fn a_deployment_that_starts_a_router_sets_the_routing() {
    let pod = |command: &str| {
        format!(
            "kind: Deployment\nmetadata: {{name: router}}\nspec:\n  replicas: 2\n  template:\n    spec:\n      containers:\n      - name: router\n        image: registry.example/vllm-router:1\n        command: {command}\n        ports: [{{containerPort: 8000}}]\n"
        )
    };
    let (scenario, found) = import(&pod("[smg, launch, --policy, power_of_two]"));
    assert_eq!(scenario["cluster"]["routing"], json!({ "power-of-d": { "d": 2 } }));
    assert_eq!(row(&found, "spec.template.spec.containers.0.command.2").0, "exact");
    assert_eq!(row(&found, "spec.replicas").0, "ignored");
    let (scenario, _) = import(&pod("[vllm-router, --routing-logic, session, --session-key, x-user]"));
    assert_eq!(
        scenario["cluster"]["routing"],
        routing("vllm-router --routing-logic session --session-key x-user")
    );
    let text = pod("[python3, -m, dynamo.frontend, --router-mode, least-loaded]");
    assert_eq!(routing(&text), "least-loaded");
}

#[test]
fn the_frontend_of_a_graph_sets_the_routing_by_variables_and_flags() {
    let graph = |frontend: &str| {
        format!(
            "kind: DynamoGraphDeployment\nmetadata: {{name: chat}}\nspec:\n  services:\n    Frontend:\n      componentType: frontend\n      replicas: 1\n{frontend}"
        )
    };
    let by_variables = graph(
        "      envs:\n      - {name: DYN_ROUTER_MODE, value: kv}\n      - {name: DYN_ROUTER_TEMPERATURE, value: \"0.5\"}\n      - {name: DYN_OTHER, value: x}\n",
    );
    let (scenario, found) = import(&by_variables);
    assert_eq!(scenario["cluster"]["routing"]["kv-cost"]["temperature"], 0.5);
    assert_eq!(row(&found, "spec.services.Frontend.envs.0.value").0, "exact");
    assert_eq!(row(&found, "spec.services.Frontend.envs.0.name").0, "shape");
    assert_eq!(row(&found, "spec.services.Frontend.envs.2.value").0, "ignored");
    let by_flags = graph(
        "      extraPodSpec:\n        mainContainer:\n          args: [\"python3 -m dynamo.frontend --router-mode random\"]\n",
    );
    assert_eq!(routing(&by_flags), "random");
    let by_both = format!("{by_flags}      envs: [{{name: DYN_ROUTER_MODE, value: kv}}]\n");
    assert_eq!(routing(&by_both), "random", "a flag of the command holds over a variable");
    let beside = by_both.replace(" --router-mode random", "");
    assert!(routing(&beside)["kv-cost"].is_object(), "variables of the service hold beside a command");
    let unknown = graph("      envs: [{name: DYN_ROUTER_MODE, value: best}]\n");
    let found = import_into("", &[&unknown]);
    assert!(found.problems.iter().any(|p| p.path.contains("envs.0.value")), "{:?}", found.problems);
}
