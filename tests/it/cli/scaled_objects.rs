//! KEDA's objects on the metrics of llm-d's router, as its guides have them.

use super::digest;
use crate::support::command::{TempFile, refused, run, stderr};

/// Asserts that a file of policies makes these settings of the pool; returns the notes.
#[track_caller]
fn told(name: &str, text: &str, scaling: &str) -> String {
    let file = TempFile::new(name, text);
    let by_hand = format!("cluster.pools[0].scaling={scaling}");
    assert_eq!(digest(&["--policies", file.path()]), digest(&["--set", &by_hand]), "{scaling}");
    stderr(&run(&["check", "kv-pressure", "--policies", file.path()]))
}

/// A guard against overshoot: demand less what starts.
const GUARD: &str = r#"
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: guarded}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: decode}
  pollingInterval: 15
  cooldownPeriod: 300
  minReplicaCount: 1
  maxReplicaCount: 8
  fallback: {failureThreshold: 3, replicas: 1, behavior: static}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        scaleUp: {stabilizationWindowSeconds: 0, policies: [{type: Percent, value: 100, periodSeconds: 15}]}
        scaleDown: {stabilizationWindowSeconds: 300, policies: [{type: Percent, value: 100, periodSeconds: 15}]}
    scalingModifiers:
      formula: >-
        let demand = max(queue / 1, running / 16);
        demand <= replicas ? demand : max(demand - (starting ?? 0), replicas)
      target: "1"
      metricType: AverageValue
  triggers:
  - {type: prometheus, name: queue, metricType: AverageValue, metadata: {query: 'sum(llm_d_epp_flow_control_queue_size{model_name="m"})', threshold: "1"}}
  - {type: prometheus, name: running, metricType: AverageValue, metadata: {query: 'sum(llm_d_epp_request_running{model_name="m"})', threshold: "16"}}
  - {type: prometheus, name: starting, metricType: AverageValue, metadata: {query: 'max(kube_deployment_status_replicas_unavailable{deployment="decode"})', threshold: "1"}}
  - {type: prometheus, name: replicas, metricType: AverageValue, metadata: {query: 'max(kube_deployment_status_replicas{deployment="decode"})', threshold: "1"}}
"#;

#[test]
fn a_guard_against_overshoot_is_read_with_its_formula() {
    let direction = "\"pods\":0,\"percent\":100,\"period_s\":15";
    let scaling = format!(
        "{{\"min\":1,\"max\":8,\"tick_s\":15,\"policy\":{{\"keda\":{{\"cooldown_s\":300,\"metric\":\"gateway-queue\",\"name\":\"queue\",\
        \"more\":[{{\"metric\":\"requests-running\",\"name\":\"running\"}},{{\"metric\":\"pending-replicas\",\"name\":\"starting\"}},\
        {{\"metric\":\"replicas\",\"name\":\"replicas\"}}],\"formula\":{{\"target\":1,\"formula\":\"let demand = max(queue / 1, running / 16); \
        demand <= replicas ? demand : max(demand - (starting ?? 0), replicas)\"}},\"behavior\":{{\"rules\":{{\"up\":{{{direction}}},\
        \"down\":{{\"stabilization_s\":300,{direction}}}}}}}}}}}}}"
    );
    let lines = told("guard.yaml", GUARD, &scaling);
    for line in [
        "spec.advanced.scalingModifiers.target: \"1\" → policy.keda.formula.target",
        "spec.triggers.1.name: \"running\" → policy.keda.more[0].name",
        "spec.triggers.1.metadata.threshold: \"16\" → no counterpart: the formula decides",
        "spec.fallback.replicas: … → no counterpart: measurements never fail",
    ] {
        assert!(lines.contains(line), "{line}: {lines}");
    }
    assert!(!lines.contains("warning"), "{lines}");
}

#[test]
fn a_slip_in_a_formula_is_named_with_its_place() {
    let file = TempFile::new("slip.yaml", GUARD.replace("(starting ?? 0)", "(startin ?? 0)"));
    let told = refused(&["check", "kv-pressure", "--policies", file.path()]);
    assert!(
        told.contains("cluster.pools[0].scaling.policy.keda.formula.formula: unknown name `startin`"),
        "{told}"
    );
    assert!(told.contains("did you mean `starting`?"), "{told}");
}

#[test]
fn the_entry_of_a_model_inherits_default_and_needs_both_targets() {
    let entry = "kind: ConfigMap\ndata:\n  default: |\n    scaleUpThreshold: 0.8\n    scaleDownBoundary: 0.6\n\
        \x20 model: |\n    model_id: meta/llama-3.1-8b\n    scaleDownBoundary: 0.5\n";
    told("inherits.yaml", entry, "{\"policy\":{\"wva-saturation-v2\":{\"up\":0.8,\"down\":0.5}}}");
    let targets = "kind: ConfigMap\ndata:\n  default: |\n    sloMultiplier: 3\n    targetTTFT: 500\n    targetITL: 50\n\
        \x20 model: |\n    model_id: meta/llama-3.1-8b\n    targetTTFT: 300\n";
    let scaling =
        "{\"policy\":{\"wva-queueing-model\":{\"slo_multiplier\":3,\"ttft_ms\":300,\"itl_ms\":50}}}";
    told("targets.yaml", targets, scaling);
    let file = TempFile::new("alone.yaml", targets.replace("    targetITL: 50\n", ""));
    let lines = refused(&["check", "kv-pressure", "--policies", file.path()]);
    assert!(
        lines.contains(
            "error: data.default.targetTTFT: targetTTFT without targetITL; allowed: both targets, or neither"
        ),
        "{lines}"
    );
}

#[test]
fn saturation_and_tokens_are_read() {
    let saturation = "kind: ScaledObject\nspec:\n  pollingInterval: 15\n  minReplicaCount: 1\n  maxReplicaCount: 10\n  triggers:\n\
        \x20 - {type: prometheus, metadata: {query: 'max(llm_d_epp_flow_control_pool_saturation{inference_pool=\"p\"})', threshold: '0.7'}}\n\
        \x20 - {type: prometheus, metadata: {query: 'sum(llm_d_epp_request_running)', threshold: '16'}}\n";
    let scaling = "{\"min\":1,\"max\":10,\"tick_s\":15,\"policy\":{\"keda\":{\"metric\":\"pool-saturation\",\"threshold\":0.7,\
        \"more\":[{\"metric\":\"requests-running\",\"threshold\":16}]}}}";
    let lines = told("saturation.yaml", saturation, scaling);
    assert!(!lines.contains("warning"), "{lines}");
    let tokens = "kind: ScaledObject\nspec:\n  triggers:\n  - {type: prometheus, metadata: {query: '(sum(llm_d_epp_inflight_tokens{namespace=\"n\"}) / 15928) or vector(0)', threshold: '1.5'}}\n\
        \x20 - {type: prometheus, metadata: {query: 'sum(vllm:kv_cache_usage_perc) or vector(0)', threshold: '0.8'}}\n";
    let scaling = "{\"min\":0,\"max\":100,\"tick_s\":30,\"policy\":{\"keda\":{\"metric\":\"prefill-backlog\",\"threshold\":23892,\
        \"more\":[{\"metric\":\"kv\",\"threshold\":0.8}]}}}";
    let lines = told("tokens.yaml", tokens, scaling);
    assert!(lines.contains("policy.keda.threshold, times 15928 tokens a second"), "{lines}");
}
