//! Autoscalers of Kubernetes as commands read them: the settings match the notes, and every omission is reported.

use super::digest;
use crate::support::command::{TempFile, run, stderr};
use serde_json::Value;

/// The messages for a file of policies, with this exit code.
#[track_caller]
fn told(name: &str, text: &str, code: i32) -> String {
    let file = TempFile::new(name, text);
    let out = run(&["check", "kv-pressure", "--policies", file.path()]);
    assert_eq!(out.status.code(), Some(code), "{}", stderr(&out));
    stderr(&out).replace(&format!("{}: ", file.path()), "")
}

/// Asserts that settings of the pool are those that a file of policies makes.
#[track_caller]
fn check_sets(name: &str, text: &str, scaling: &str) {
    let file = TempFile::new(name, text);
    let by_hand = format!("cluster.pools[0].scaling={scaling}");
    assert_eq!(digest(&["--policies", file.path()]), digest(&["--set", &by_hand]), "{scaling}");
}

/// Autoscalers as a cluster of llm-d has them, with the keys that their own documentation shows.
const KUBERNETES: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: wva-saturation-scaling-config, labels: {app.kubernetes.io/name: wva}}
data:
  default: |
    kvCacheThreshold: 0.75
    queueLengthThreshold: 4
    kvSpareTrigger: 0.2
    queueSpareTrigger: 2
---
# Comments alone are no document.
---
apiVersion: llmd.ai/v1alpha1
kind: VariantAutoscaling
metadata: {name: llama}
spec:
  scaleTargetRef: {kind: Deployment, name: llama-8b}
  modelID: meta-llama/Meta-Llama-3.1-8B-Instruct
  variantCost: "10.0"
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: llama}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama-8b}
  minReplicas: 2
  maxReplicas: 6
  metrics:
  - type: External
    external:
      metric: {name: wva_desired_replicas, selector: {matchLabels: {variant_name: llama}}}
      target: {type: AverageValue, averageValue: "1"}
"#;

#[test]
fn autoscalers_of_kubernetes_are_the_settings_they_say_they_set() {
    let objects = TempFile::new("objects.yaml", KUBERNETES);
    let policy = "cluster.pools[0].scaling={\"min\":2,\"max\":6,\"usd_per_hour\":10,\"optimizer\":\"cost-aware\",\
        \"carried_out_by\":{\"hpa\":{\"behavior\":\"legacy\"}},\"policy\":{\"wva-saturation-v1\":{\"kv\":0.75,\"queue\":4,\"kv_spare\":0.2,\"queue_spare\":2}}}";
    assert_eq!(digest(&["--policies", objects.path()]), digest(&["--set", policy]));
    let told = stderr(&run(&["check", "kv-pressure", "--policies", objects.path()]));
    for line in [
        "[0].data.default.kvSpareTrigger: 0.2 → policy.wva-saturation-v1.kv_spare",
        "[1].kind: \"VariantAutoscaling\" → no counterpart: another object's value holds",
        "[1].spec.variantCost: \"10.0\" → scaling.usd_per_hour, what a replica costs the optimiser",
        "[2].spec.maxReplicas: 6 → scaling.max",
    ] {
        assert!(told.contains(line), "{line} is not in:\n{told}");
    }
}

#[test]
fn a_horizontal_autoscaler_and_a_scaled_object_keep_their_rules() {
    let hpa = r#"{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "spec": {
        "scaleTargetRef": {"name": "vllm"}, "maxReplicas": 9,
        "metrics": [{"type": "Pods", "pods": {"metric": {"name": "vllm:num_requests_waiting"}, "target": {"type": "AverageValue", "averageValue": "2500m"}}}],
        "behavior": {"scaleUp": {"stabilizationWindowSeconds": 30, "selectPolicy": "Min", "policies": [
            {"type": "Pods", "value": 2, "periodSeconds": 60}, {"type": "Percent", "value": 50, "periodSeconds": 60}]}}}}"#;
    let by_hand = "cluster.pools[0].scaling={\"max\":9,\"policy\":{\"hpa\":{\"metric\":\"waiting\",\"target\":2.5,\"behavior\":{\"rules\":\
        {\"up\":{\"stabilization_s\":30,\"pods\":2,\"percent\":50,\"period_s\":60,\"select\":\"min\"},\"down\":{\"stabilization_s\":300,\"pods\":0}}}}}}";
    let file = TempFile::new("hpa.json", hpa);
    assert_eq!(digest(&["--policies", file.path()]), digest(&["--set", by_hand]));

    let keda = "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nspec:\n  scaleTargetRef: {name: vllm}\n  minReplicaCount: 1\n  cooldownPeriod: 120\n\
        \x20 triggers:\n  - type: prometheus\n    metadata: {serverAddress: http://prometheus, query: 'sum(vllm:num_requests_running)', threshold: '20', activationThreshold: '1'}\n";
    let by_hand = "cluster.pools[0].scaling={\"min\":1,\"max\":100,\"tick_s\":30,\"policy\":{\"keda\":{\"metric\":\"running\",\"threshold\":20,\
        \"activation\":1,\"cooldown_s\":120}}}";
    let file = TempFile::new("keda.yaml", keda);
    assert_eq!(digest(&["--policies", file.path()]), digest(&["--set", by_hand]));
}

#[test]
fn all_metrics_and_triggers_of_an_object_are_read() {
    let hpa = r#"{"kind": "HorizontalPodAutoscaler", "spec": {"maxReplicas": 9, "metrics": [
        {"type": "Pods", "pods": {"metric": {"name": "vllm:num_requests_waiting"}, "target": {"type": "AverageValue", "averageValue": "2"}}},
        {"type": "External", "external": {"metric": {"name": "vllm:kv_cache_usage_perc"}, "target": {"type": "AverageValue", "averageValue": "500m"}}}]}}"#;
    let by_hand = "cluster.pools[0].scaling={\"max\":9,\"policy\":{\"hpa\":{\"metric\":\"waiting\",\"target\":2,\"behavior\":\"legacy\",\
        \"more\":[{\"metric\":\"kv\",\"target\":0.5}]}}}";
    let file = TempFile::new("two.json", hpa);
    assert_eq!(digest(&["--policies", file.path()]), digest(&["--set", by_hand]));

    let keda = "kind: ScaledObject\nspec:\n  triggers:\n  - type: prometheus\n    metadata: {query: 'sum(vllm:num_requests_running)', threshold: '20'}\n\
        \x20 - type: prometheus\n    metadata: {query: 'sum(vllm:num_requests_waiting)', threshold: '3', activationThreshold: '1'}\n";
    let by_hand = "cluster.pools[0].scaling={\"min\":0,\"max\":100,\"tick_s\":30,\"policy\":{\"keda\":{\"metric\":\"running\",\"threshold\":20,\
        \"more\":[{\"metric\":\"waiting\",\"threshold\":3,\"activation\":1}]}}}";
    let file = TempFile::new("two.yaml", keda);
    assert_eq!(digest(&["--policies", file.path()]), digest(&["--set", by_hand]));
    let told = stderr(&run(&["check", "kv-pressure", "--policies", file.path()]));
    assert!(
        told.contains("spec.triggers.1.metadata.threshold: \"3\" → policy.keda.more[0].threshold"),
        "{told}"
    );

    // The number that an analyser wants leaves the policy to the analyser, wherever it stands.
    let gauge = hpa.replace("vllm:kv_cache_usage_perc", "wva_desired_replicas");
    let file = TempFile::new("gauge.json", gauge);
    let told = stderr(&run(&["check", "kv-pressure", "--policies", file.path()]));
    assert!(told.contains("spec.metrics.0.type: … → no counterpart: an analyser says"), "{told}");
    let by_hand = "cluster.pools[0].scaling={\"max\":9,\"policy\":{\"wva-saturation-v2\":{}},\"carried_out_by\":{\"hpa\":{\"behavior\":\"legacy\"}}}";
    assert_eq!(digest(&["--policies", file.path()]), digest(&["--set", by_hand]));
}

#[test]
fn a_limiter_priorities_and_scores_are_the_optimisers() {
    let map = "kind: ConfigMap\ndata:\n  default: |\n    scaleUpThreshold: 0.8\n    scaleDownBoundary: 0.6\n    enableLimiter: true\n    priority: 2\n\
        \x20   analyzers:\n    - {name: saturation, score: 1.5}\n---\nkind: VariantAutoscaling\nspec: {modelID: other/qwen3-14b, variantCost: 7}\n";
    let file = TempFile::new("limiter.yaml", map);
    let by_hand = "cluster.pools[0].scaling={\"policy\":{\"wva-saturation-v2\":{\"up\":0.8,\"down\":0.6}},\"optimizer\":\"greedy\",\"priority\":3}";
    assert_eq!(digest(&["--policies", file.path()]), digest(&["--set", by_hand]));
    let told = stderr(&run(&["check", "kv-pressure", "--policies", file.path()]));
    for line in [
        "data.default.enableLimiter: true → scaling.optimizer, greedy or cost-aware",
        "data.default.priority: 2 → scaling.priority",
        "data.default.analyzers.0.score: 1.5 → a factor of scaling.priority",
        "data.default.analyzers.0.name: \"saturation\" → no counterpart",
    ] {
        assert!(told.contains(line), "{line} is not in:\n{told}");
    }
}

#[test]
fn mistakes_in_an_autoscaler_of_kubernetes_are_reported() {
    let told = |name: &str, text: &str| told(name, text, 2);
    let cpu = "kind: HorizontalPodAutoscaler\nspec: {maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu}}]}\n";
    assert!(told("cpu.yaml", cpu).contains("spec.metrics.0.type: not measured here: \"Resource\""));
    assert!(
        told("kind.yaml", "kind: Horizontal\nspec: {}\n")
            .contains("did you mean \"HorizontalPodAutoscaler\"?")
    );
    let unknown = "kind: ScaledObject\nspec: {minReplicas: 1, triggers: [{type: prometheus, metadata: {query: queue, threshold: 5}}]}\n";
    let unknown = self::told("unknown.yaml", unknown, 0);
    assert!(unknown.contains("did you mean `spec.minReplicaCount`?"), "{unknown}");
    let twice = format!("{KUBERNETES}---\nkind: VariantAutoscaling\nspec: {{maxReplicas: 7}}\n");
    let twice = told("twice.yaml", &twice);
    assert!(twice.contains("cluster.pools[0].scaling.max: 6 (") && twice.contains(") and 7 ("), "{twice}");
}

/// An autoscaler with one metric, as the body of `metrics`, and a behaviour.
fn hpa(metrics: &str, behavior: &str) -> String {
    format!(
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nspec:\n  scaleTargetRef: {{name: any}}\n  maxReplicas: 9\n\
         \x20 behavior: {behavior}\n  metrics: [{metrics}]\n"
    )
}

const WAITING: &str = "{type: Pods, pods: {metric: {name: vllm_num_requests_waiting}, target: {type: AverageValue, averageValue: \"5\"}}}";

#[test]
fn a_target_of_kind_value_is_the_whole_pools() {
    let value = "{type: External, external: {metric: {name: gateway_queue_depth}, target: {type: Value, value: \"300\"}}}";
    let scaling = "{\"max\":9,\"policy\":{\"hpa\":{\"metric\":\"waiting\",\"target\":300,\"target_of\":\"pool\",\"behavior\":{\"rules\":{}}}}}";
    check_sets("value.yaml", &hpa(value, "{}"), scaling);
    let lines = told("value-told.yaml", &hpa(value, "{}"), 0);
    assert!(lines.contains("target.type: \"Value\" → policy.hpa.target_of = pool"), "{lines}");
    // The kind may be left out where the key says it; a key of the other kind, or a kind that its metric cannot have, is told.
    check_sets("bare.yaml", &hpa(&value.replace("type: Value, ", ""), "{}"), scaling);
    let other = told("other.yaml", &hpa(&value.replace("value: \"300\"", "averageValue: \"300\""), "{}"), 2);
    assert!(other.contains("external.target.value: nothing"), "{other}");
    let pods = value.replace("External", "Pods").replace("external", "pods");
    assert!(
        told("pods.yaml", &hpa(&pods, "{}"), 2).contains("target.type: \"Value\"; allowed: \"AverageValue\"")
    );
    for place in ["    metricType: Value\n", ""] {
        let within = if place.is_empty() { ", metricType: Value" } else { "" };
        let keda = format!(
            "kind: ScaledObject\nspec:\n  triggers:\n  - type: prometheus\n{place}    metadata: {{query: 'sum(vllm:num_requests_waiting)', threshold: '40'{within}}}\n"
        );
        let scaling = "{\"min\":0,\"max\":100,\"tick_s\":30,\"policy\":{\"keda\":{\"metric\":\"waiting\",\"threshold\":40,\"target_of\":\"pool\"}}}";
        check_sets("keda-value.yaml", &keda, scaling);
    }
}

/// What one replica of one request at a time asks for while a hundred requests a second come: the column `desired` by instant.
fn desired(kind: &str) -> Vec<(u64, u64)> {
    let scenario = r#"{"cluster": {"pools": [{"replicas": 1, "engine": {"max_num_seqs": 1},
        "latency": {"fitted": {"step_us": 100000, "step_us_per_prefill_token": 0, "step_us_per_decode_token": 0}},
        "scaling": {"window_s": 0, "start": {"phases": {"scheduling_s": 0, "load_s": 0, "initialise_s": 60, "probe_s": 0, "cv": 0}}}}],
        "routing": "least-loaded"}, "run": {"horizon_s": 100, "warmup_s": 0},
        "workload": {"clients": [{"arrivals": {"constant": {"rate_per_s": 100}}, "prompt_tokens": {"constant": {"tokens": 16}},
            "output_tokens": {"constant": {"tokens": 1}}}]}}"#;
    let target =
        if kind == "Value" { "{type: Value, value: 300}" } else { "{type: AverageValue, averageValue: 300}" };
    let metric = format!("{{type: External, external: {{metric: {{name: queue}}, target: {target}}}}}");
    let rules = "{scaleUp: {policies: [{type: Pods, value: 50, periodSeconds: 15}]}}";
    let policies = hpa(&metric, rules).replace("maxReplicas: 9", "maxReplicas: 50");
    let (scenario, policies) =
        (TempFile::new("growing.json", scenario), TempFile::new(&format!("growing-{kind}.yaml"), policies));
    let rows = TempFile::new(&format!("growing-{kind}.jsonl"), "");
    let out =
        run(&["run", "--json", scenario.path(), "--policies", policies.path(), "--scaling", rows.path()]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let text = std::fs::read_to_string(rows.path()).expect("rows");
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a row"));
    let number = |row: &Value, key: &str| row[key].as_u64().expect("a number");
    rows.map(|row| (number(&row, "time_us") / 1_000_000, number(&row, "desired"))).collect()
}

#[test]
fn a_pools_target_asks_for_as_many_times_the_replicas_that_are_ready() {
    let (each, all) = (desired("AverageValue"), desired("Value"));
    let early = |rows: &[(u64, u64)]| rows.iter().filter(|r| r.0 <= 60).map(|r| r.1).collect::<Vec<_>>();
    assert_eq!((early(&each), early(&all)), (vec![5, 9, 14, 18], vec![5, 9, 14, 18]), "one is ready");
    let last = |rows: &[(u64, u64)]| rows.iter().find(|r| r.0 == 90).map(|r| r.1);
    assert_eq!((last(&each), last(&all)), (Some(23), Some(50)));
}

#[test]
fn notes_of_what_an_analyser_or_another_object_overrides_say_so() {
    let gauge = "{type: External, external: {metric: {name: wva_desired_replicas}, target: {type: AverageValue, averageValue: \"1\"}}}";
    let rules = "{scaleDown: {stabilizationWindowSeconds: 300, policies: [{type: Pods, value: 1, periodSeconds: 60}]}}";
    let lines = told("gauge.yaml", &hpa(gauge, rules), 0);
    assert!(lines.contains("kind: \"HorizontalPodAutoscaler\" → policy.wva-saturation-v2"), "{lines}");
    assert!(!lines.contains("policy.hpa"), "{lines}");
    for line in lines.lines().filter(|line| line.contains("behavior")) {
        assert!(line.contains("→ scaling.carried_out_by.hpa.behavior.rules.down."), "{line}");
    }
    let keda = "kind: ScaledObject\nspec:\n  cooldownPeriod: 30\n  triggers:\n  - type: prometheus\n    metadata: {query: wva_desired_replicas, threshold: '1'}\n";
    check_sets(
        "keda-gauge.yaml",
        keda,
        "{\"min\":0,\"max\":100,\"tick_s\":30,\"policy\":{\"wva-saturation-v2\":{}},\"carried_out_by\":{\"hpa\":{}}}",
    );
    let behavior =
        "{\"rules\":{\"up\":{},\"down\":{\"stabilization_s\":300,\"pods\":1,\"percent\":0,\"period_s\":60}}}";
    check_sets(
        "hpa-gauge.yaml",
        &hpa(gauge, rules),
        &format!(
            "{{\"max\":9,\"policy\":{{\"wva-saturation-v2\":{{}}}},\"carried_out_by\":{{\"hpa\":{{\"behavior\":{behavior}}}}}}}"
        ),
    );
    assert!(told("keda-gauge-told.yaml", keda, 0).contains("spec.cooldownPeriod: 30 → no counterpart"));
    // Another object decides; keys of another analyser; a model that nobody serves.
    let map = "kind: ConfigMap\ndata:\n  default: |\n    kvCacheThreshold: 0.8\n    queueLengthThreshold: 5\n    scaleUpThreshold: 0.85\n";
    let lines = told("v2.yaml", map, 0);
    assert!(lines.contains("kvCacheThreshold: 0.8 → policy.wva-saturation-v2.kv"), "{lines}");
    assert!(
        lines.contains("queueLengthThreshold: 5 → no counterpart: the other keys select wva-saturation-v2"),
        "{lines}"
    );
    let lines = told("both.yaml", &format!("{map}---\n{}", hpa(WAITING, "{}")), 0);
    assert!(
        lines.contains(
            "[0].data.default.kvCacheThreshold: 0.8 → no counterpart: another object's value holds"
        ),
        "{lines}"
    );
    let variant =
        "kind: VariantAutoscaling\nspec: {modelID: other/model-14b, variantCost: 7, minReplicas: 2}\n";
    let lines = told("nobody.yaml", variant, 0);
    assert!(lines.contains("spec.minReplicas: 2 → no counterpart: no pool serves the model"), "{lines}");
    assert!(lines.contains("warning: no pool serves the model \"other/model-14b\""), "{lines}");
}

#[test]
fn each_policy_of_a_direction_has_its_period() {
    let rules = "{scaleUp: {stabilizationWindowSeconds: 0, policies: [{type: Percent, value: 100, periodSeconds: 30}, {type: Pods, value: 5, periodSeconds: 15}]}}";
    let scaling = "{\"max\":9,\"policy\":{\"hpa\":{\"metric\":\"waiting\",\"target\":5,\"behavior\":{\"rules\":{\"up\":\
        {\"pods\":5,\"percent\":100,\"period_s\":15,\"percent_period_s\":30}}}}}}";
    check_sets("periods.yaml", &hpa(WAITING, rules), scaling);
    let twice = "{scaleUp: {policies: [{type: Pods, value: 2, periodSeconds: 15}, {type: Pods, value: 30, periodSeconds: 60}]}}";
    let scaling = "{\"max\":9,\"policy\":{\"hpa\":{\"metric\":\"waiting\",\"target\":5,\"behavior\":{\"rules\":{\"up\":{\"pods\":0,\"percent\":0,\
        \"policies\":[{\"value\":2,\"period_s\":15},{\"value\":30,\"period_s\":60}]}}}}}}";
    check_sets("twice.yaml", &hpa(WAITING, twice), scaling);
    let lines = told("twice.yaml", &hpa(WAITING, twice), 0);
    assert!(lines.contains("policies.1.value: 30 → policy.hpa.behavior.rules.up.policies"), "{lines}");
    assert!(!lines.contains("warning"), "{lines}");
}

#[test]
fn a_newer_key_and_a_slip_are_left_out_with_a_warning() {
    let map = |key: &str| {
        format!("kind: ConfigMap\ndata:\n  default: |\n    kvCacheThreshold: 0.8\n    {key}: true\n")
    };
    let lines = told("newer.yaml", &map("enableRescale"), 0);
    assert!(
        lines.contains("warning: data.default.enableRescale: an unknown key, which is left out"),
        "{lines}"
    );
    assert!(!lines.contains("did you mean"), "{lines}");
    let lines = told("slip.yaml", &map("enableLimitr"), 0);
    assert!(lines.contains("did you mean `data.default.enableLimiter`?"), "{lines}");
    let other = "kind: ConfigMap\ndata:\n  premium.yaml: |\n    name: Premium\n    priority: 1\n";
    let lines = told("other-map.yaml", other, 0);
    assert!(lines.contains("warning: data.premium.yaml: an entry of no format that is read"), "{lines}");
    let newer = hpa(WAITING, "{scaleUp: {forecast: {horizonSeconds: 60, model: linear}}}");
    let lines = told("section.yaml", &newer, 0);
    assert!(lines.contains("warning: spec.behavior.scaleUp.forecast: an unknown key"), "{lines}");
    assert_eq!(lines.matches("forecast").count(), 1, "once for all below it: {lines}");
}

#[test]
fn an_object_that_is_not_read_gives_one_message_with_the_accepted_ones() {
    let pool = "apiVersion: inference.networking.k8s.io/v1\nkind: InferencePool\nspec: {targetPorts: [{number: 8000}]}\n";
    let lines = told("pool.yaml", pool, 2);
    assert_eq!(lines.lines().count(), 1, "{lines}");
    for part in
        ["a pool of the Gateway API", "not read", "HorizontalPodAutoscaler, ScaledObject", "a policy bundle"]
    {
        assert!(lines.contains(part), "{part} is not in {lines}");
    }
    assert!(!lines.contains("did you mean"), "{lines}");
    // Beside an autoscaler it is left out.
    let lines =
        told("beside.yaml", &format!("{pool}---\nkind: Service\nspec: {{}}\n---\n{}", hpa(WAITING, "{}")), 0);
    assert_eq!(lines.matches("warning: ").count(), 1, "{lines}");
    for (name, text, part) in [
        (
            "helm.yaml",
            "image: {tag: v1}\nrouting: {servicePort: 8000}\nautoscaling: {minReplicas: 1}\n",
            "a document with image",
        ),
        ("scenario.yaml", "cluster: {routing: random}\n", "a scenario"),
        (
            "pointer.yaml",
            "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 99\n",
            "git lfs pull",
        ),
    ] {
        let lines = told(name, text, 2);
        assert!(lines.lines().count() == 1 && lines.contains(part), "{lines}");
    }
}

#[test]
fn variants_without_a_pool_of_their_name_are_reported_to_share_one_pool() {
    let variant = |name: &str, cost: u32| {
        format!(
            "kind: VariantAutoscaling\nspec: {{scaleTargetRef: {{name: {name}}}, variantCost: \"{cost}\"}}\n"
        )
    };
    let all = [variant("cheap", 5), variant("mid", 15), variant("dear", 25)].join("---\n");
    let lines = told("variants.yaml", &all, 2);
    assert_eq!(lines.lines().count(), 1, "{lines}");
    assert!(lines.contains("no pool is named cheap, dear or mid"), "{lines}");
    assert!(lines.contains("give the pools these names") && !lines.contains("keep one"), "{lines}");
}

#[test]
fn a_metric_of_another_kind_is_left_out_beside_others_and_times_are_no_queues() {
    let cpu = "{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}";
    let lines = told("cpu-too.yaml", &hpa(&format!("{cpu}, {WAITING}"), "{}"), 0);
    assert!(
        lines.contains("warning: spec.metrics.0.type") && lines.contains("the other metrics decide"),
        "{lines}"
    );
    assert!(lines.contains("pods.target.averageValue: \"5\" → policy.hpa.target"), "{lines}");
    let keda = "kind: ScaledObject\nspec:\n  triggers:\n  - {type: cpu, metricType: Utilization, metadata: {value: '60'}}\n\
                \x20 - {type: prometheus, metadata: {query: 'sum(vllm:num_requests_waiting)', threshold: '3'}}\n";
    let scaling = "{\"min\":0,\"max\":100,\"tick_s\":30,\"policy\":{\"keda\":{\"metric\":\"waiting\",\"threshold\":3}}}";
    check_sets("cpu-trigger.yaml", keda, scaling);
    let lines = told("cpu-trigger-told.yaml", keda, 0);
    assert!(lines.contains("spec.triggers.0.metadata.value: … → no counterpart"), "{lines}");
    let time = WAITING.replace("vllm_num_requests_waiting", "vllm:request_queue_time_seconds");
    assert!(told("time.yaml", &hpa(&time, "{}"), 2).contains("not measured here"));
}
