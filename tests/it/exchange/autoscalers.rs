//! Autoscalers of other programs: strategies of AIBrix, Dynamo's planner, the entries of `ConfigMaps`, nodes of BLIS.

use super::{import, import_into, row};
use serde_json::{Value, json};

fn scaling(text: &str) -> Value {
    import(text).0["cluster"]["pools"][0]["scaling"].clone()
}

#[test]
fn strategies_of_aibrix_become_horizontal_or_knative_policies() {
    let sample = include_str!("samples/PodAutoscaler.yaml");
    let (scenario, found) = import(sample);
    let own = &scenario["cluster"]["pools"][0]["scaling"];
    assert_eq!((&own["min"], &own["max"]), (&json!(2), &json!(6)));
    let hpa = &own["policy"]["hpa"];
    assert_eq!((&hpa["metric"], &hpa["target"]), (&json!("kv"), &json!(0.6)));
    assert_eq!(hpa["behavior"]["rules"]["up"]["tolerance"], 0.15);
    assert_eq!(row(&found, "spec.metricsSources.0.targetValue").0, "near");
    assert_eq!(row(&found, "metadata.annotations.apa.autoscaling.aibrix.ai/window").0, "exact");
    assert_eq!((&own["window_s"], row(&found, "spec.scalingStrategy").0), (&json!(45.0), "exact"));
    let knative = sample
        .replace("APA", "KPA ")
        .replace("kv_cache_usage_perc", "vllm:num_requests_running")
        .replace("apa.autoscaling.aibrix.ai/window", "kpa.autoscaling.aibrix.ai/panic-window");
    let kpa = &scaling(&knative)["policy"]["kpa"];
    assert_eq!(
        (&kpa["concurrency"], &kpa["utilization"], &kpa["panic_s"]),
        (&json!(60.0), &json!(1.0), &json!(45.0))
    );
}

#[test]
fn rates_of_aibrix_limit_how_a_ratio_multiplies_the_present_replicas() {
    let sample = include_str!("samples/PodAutoscaler.yaml");
    let rules = |text: &str| scaling(text)["policy"]["hpa"]["behavior"]["rules"].clone();
    // Without annotations a decision doubles or halves the replicas at most, and removes none for five minutes.
    let usual = rules(sample);
    for (direction, percent, remembered_s) in [("up", 100.0, 0.0), ("down", 50.0, 300.0)] {
        let rule = &usual[direction];
        assert_eq!((&rule["percent"], &rule["pods"]), (&json!(percent), &json!(0)), "{direction}");
        assert_eq!((&rule["stabilization_s"], &rule["period_s"]), (&json!(remembered_s), &json!(1.0)));
    }
    let said = sample.replace(
        "    autoscaling.aibrix.ai/up-fluctuation-tolerance: \"0.15\"\n",
        "    autoscaling.aibrix.ai/scale-up-tolerance: \"0.2\"\n    autoscaling.aibrix.ai/scale-down-tolerance: \"0.3\"\n    \
         autoscaling.aibrix.ai/max-scale-up-rate: \"3\"\n    autoscaling.aibrix.ai/max-scale-down-rate: \"4\"\n    \
         autoscaling.aibrix.ai/scale-up-cooldown-window: 30s\n    autoscaling.aibrix.ai/scale-down-cooldown-window: 2m\n",
    );
    let rule = rules(&said);
    assert_eq!((&rule["up"]["percent"], &rule["down"]["percent"]), (&json!(200.0), &json!(75.0)));
    assert_eq!((&rule["up"]["tolerance"], &rule["down"]["tolerance"]), (&json!(0.2), &json!(0.3)));
    let remembered = (&rule["up"]["stabilization_s"], &rule["down"]["stabilization_s"]);
    assert_eq!(remembered, (&json!(30.0), &json!(120.0)));
    // By HPA Kubernetes carries the same rates out, in a minute.
    assert_eq!(rules(&said.replace("APA", "HPA"))["up"]["period_s"], 60.0);
    assert_eq!(
        row(
            &import(&said.replace("APA", "HPA")).1,
            "metadata.annotations.autoscaling.aibrix.ai/scale-up-tolerance"
        )
        .0,
        "ignored"
    );
}

#[test]
fn an_autoscaler_of_a_role_is_about_the_pool_of_that_role() {
    let sample = include_str!("samples/PodAutoscaler.yaml").replace("name: chat }", "name: pd }")
        + "  subTargetSelector: {roleName: decode}\n";
    let open = r#"{"cluster": {"pools": [{"name": "pd-prefill", "role": "prefill"}, {"name": "pd-decode", "role": "decode"}]}}"#;
    let found = import_into(open, &[&sample]);
    assert_eq!((found.problems.len(), found.counts.unknown), (0, 0), "{found:?}");
    let scenario: Value = serde_json::from_str(&found.scenario).expect("JSON");
    let pools = &scenario["cluster"]["pools"];
    assert_eq!((&pools[0]["scaling"]["max"], &pools[1]["scaling"]["max"]), (&Value::Null, &json!(6)));
}

#[test]
fn requests_that_wait_and_those_that_run_are_all_in_flight() {
    let of = |query: &str| {
        let text = format!(
            "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {{name: s}}\nspec:\n  scaleTargetRef: {{name: vllm}}\n  triggers:\n  \
             - type: prometheus\n    metadata: {{query: '{query}', threshold: \"20\"}}\n"
        );
        let (scenario, found) = import(&text);
        let keda = scenario["cluster"]["pools"][0]["scaling"]["policy"]["keda"]["metric"].clone();
        (keda, row(&found, "spec.triggers.0.metadata.query").0.to_owned())
    };
    let all = of("sum(vllm:num_requests_running) + sum(vllm:num_requests_waiting)");
    assert_eq!(all, (json!("requests"), "exact".to_owned()));
    assert_eq!(of("sum(vllm:num_requests_waiting)"), (json!("waiting"), "exact".to_owned()));
    let ratio = of("sum(vllm:num_requests_waiting) / sum(vllm:num_requests_running)");
    assert_eq!(ratio, (json!("requests"), "near".to_owned()));
}

#[test]
fn aibrix_s_optimizer_and_a_wrong_strategy_are_told() {
    let sample = include_str!("samples/PodAutoscaler.yaml");
    let found = import_into("", &[&sample.replace("kv_cache_usage_perc", "vllm:deployment_replicas")]);
    assert!(found.problems.is_empty(), "{found:?}");
    assert!(found.warnings.iter().any(|d| d.found.contains("the wish of AIBrix's optimizer")), "{found:?}");
    assert_eq!(row(&found, "spec.minReplicas").0, "exact");
    let told = import_into("", &[&sample.replace("APA", "VPA")]).problems;
    assert!(told[0].path.ends_with("spec.scalingStrategy"), "{told:?}");
}

#[test]
fn dynamo_s_planner_becomes_one_of_its_policies() {
    let sample = include_str!("samples/PlannerConfig.yaml");
    let own = scaling(sample);
    let by_rate = &own["policy"]["dynamo-throughput"];
    assert_eq!(
        (&by_rate["ttft_ms"], &by_rate["itl_ms"], &by_rate["predictor"]),
        (&json!(700.0), &json!(40.0), &json!("trend"))
    );
    assert_eq!((&own["tick_s"], &own["gpus"], &own["min"]), (&json!(120.0), &json!(16), &json!(2)));
    let by_load = "optimization_target: throughput\nload_adjustment_interval: 5\nload_scaling_down_sensitivity: 60\nmax_gpu_budget: -1\n";
    let (scenario, found) = import(by_load);
    let own = &scenario["cluster"]["pools"][0]["scaling"];
    assert_eq!(own["policy"]["dynamo-load"]["sensitivity"], 0.6);
    assert_eq!((&own["tick_s"], &own["gpus"]), (&json!(5.0), &json!(0)));
    assert_eq!(row(&found, "optimization_target").0, "near");
    let found = import_into("", &["optimization_target: sla\nmax_gpu_budge: 3\n"]);
    assert_eq!(row(&found, "max_gpu_budge").0, "unknown");
    assert!(found.warnings[0].fix.contains("did you mean `max_gpu_budget`?"), "{found:?}");
}

#[test]
fn entries_of_config_maps_are_read_by_their_content() {
    let (scenario, found) = import(include_str!("samples/ConfigMap-classes.yaml"));
    let classes = &scenario["slo"]["classes"];
    assert_eq!((&classes[0]["class"], &classes[0]["ttft_ms"]), (&json!("critical"), &json!(400.0)));
    assert_eq!((&classes[1]["class"], &classes[1]["tpot_ms"]), (&json!("standard"), &json!(90.0)));
    assert_eq!(row(&found, "data.basic.yaml.data.1.slo-ttft").0, "ignored");
    assert_eq!(found.warnings, []);
    let analyser = include_str!("samples/ConfigMap.yaml");
    let controller = include_str!("samples/ConfigMap-controller.yaml");
    let found = import_into("", &[analyser, controller]);
    let scenario: Value = serde_json::from_str(&found.scenario).unwrap_or_else(|e| panic!("{e}: {found:?}"));
    let own = &scenario["cluster"]["pools"][0]["scaling"];
    assert_eq!((&own["tick_s"], &own["min"]), (&json!(20.0), &json!(0)));
    let zero = include_str!("samples/ConfigMap-zero.yaml");
    let found = import_into("", &[analyser, zero]);
    let scenario: Value = serde_json::from_str(&found.scenario).unwrap_or_else(|e| panic!("{e}: {found:?}"));
    assert_eq!(scenario["cluster"]["pools"][0]["scaling"]["min"], 0);
    assert_eq!(row(&found, "data.default.retention_period").0, "ignored");
    let told = import_into("", &[&zero.replace("12m", "soon")]).problems;
    assert!(told[0].path.contains("retention_period"), "{told:?}");
}

#[test]
fn the_price_of_a_variant_stands_in_an_annotation() {
    let text = "kind: HorizontalPodAutoscaler\nmetadata: {name: h, annotations: {llm-d.ai/managed: 'true', llm-d.ai/variant-cost: '12.5'}}\n\
                spec: {maxReplicas: 4, metrics: [{type: External, external: {metric: {name: wva_desired_replicas}, target: {type: AverageValue, averageValue: '1'}}}]}\n";
    let (scenario, found) = import(text);
    assert_eq!(scenario["cluster"]["pools"][0]["scaling"]["usd_per_hour"], 12.5);
    assert_eq!(row(&found, "metadata.annotations.llm-d.ai/variant-cost").0, "exact");
}

#[test]
fn nodes_and_an_autoscaler_of_blis_become_scaling() {
    let (scenario, _) = import(include_str!("samples/blis-fleet.yaml"));
    let pool = &scenario["cluster"]["pools"][0];
    let own = &pool["scaling"];
    assert_eq!((&pool["gpu"], &own["gpus"], &own["usd_per_hour"]), (&json!("L40S"), &json!(12), &json!(1.5)));
    assert_eq!(own["policy"]["wva-saturation-v2"]["down"], 0.5);
    let phases = &own["start"]["phases"];
    assert_eq!(
        (&phases["node_s"], &phases["load_s"], &phases["cv"]),
        (&json!(30.0), &json!(100.0), &json!(0.2))
    );
    assert_eq!(own["carried_out_by"]["hpa"]["behavior"]["rules"]["up"]["stabilization_s"], 60.0);
    assert_eq!((&own["tick_s"], &own["lag_s"]), (&json!(20.0), &json!(15.0)));
}

#[test]
fn variants_that_no_pool_is_named_after_are_a_conflict_with_that_advice() {
    let variant = |name: &str, cost: u32| {
        format!(
            "kind: VariantAutoscaling\nspec: {{scaleTargetRef: {{name: {name}}}, variantCost: '{cost}'}}\n---\n"
        )
    };
    let text = [variant("cheap", 5), variant("dear", 25)].concat();
    let found = import_into("", &[&text]);
    assert!(found.conflicts[0].note.contains("no pool is named cheap or dear"), "{found:?}");
    let pools = r#"{"cluster": {"pools": [{"name": "cheap"}, {"name": "dear"}]}}"#;
    assert_eq!(import_into(pools, &[&text]).conflicts, []);
}

#[test]
fn an_object_that_is_not_read_has_rows_that_say_so() {
    let found = import_into(
        "",
        &[include_str!("samples/PodAutoscaler.yaml"), "rules: {default: true}\nprometheus: {port: 9090}\n"],
    );
    assert_eq!(found.problems, [], "{found:?}");
    assert_eq!(row(&found, "prometheus").0, "ignored");
    assert!(found.warnings.iter().any(|d| d.found.contains("rules of the Prometheus adapter")), "{found:?}");
}
