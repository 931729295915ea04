//! Configuration of other systems from a scenario: the expected file of each.

use super::exported::{changed, imported, plain, rows, scaled, scenario, weighted};
use expect_test::expect;
use serde_json::{Value, json};
use tokenyard::config::export::{LineMark, Standing, System, exported};
use tokenyard::scenario::Scenario;

#[test]
fn a_weighted_router_is_an_endpoint_picker() {
    let own = weighted(&json!([
        { "scorer": "waiting-requests", "weight": 4 },
        { "scorer": "kv-utilization", "weight": 2 },
        { "scorer": "prefix-affinity", "weight": 5 },
        { "scorer": "no-hit-lru", "weight": 1 },
        { "scorer": { "expression": "kv_use < 0.9 ? 1 - kv_use : 0" }, "weight": 1 },
    ]));
    let found = exported(&own, System::Epp, None);
    expect![[r"
        apiVersion: llm-d.ai/v1alpha1
        kind: EndpointPickerConfig
        plugins:
        - type: queue-scorer
        - type: kv-cache-utilization-scorer
        - type: prefix-cache-scorer
        - type: no-hit-lru-scorer
        - type: approx-prefix-cache-producer
          parameters:
            autoTune: false
        schedulingProfiles:
        - name: default
          plugins:
          - {pluginRef: queue-scorer, weight: 4}
          - {pluginRef: kv-cache-utilization-scorer, weight: 2}
          - {pluginRef: prefix-cache-scorer, weight: 5}
          - {pluginRef: no-hit-lru-scorer}
    "]]
    .assert_eq(&plain(&found));
    assert_eq!(rows(&found, Standing::Near), ["no-hit-lru", "signal refresh"]);
    assert_eq!(rows(&found, Standing::Ignored), ["expression 'kv_use < 0.9 ? 1 - kv_use : 0'"]);
    assert_eq!((found.near, found.left_out), (2, 1));
    assert!(found.text.starts_with("# Tokenyard "), "{}", found.text);
    let left_out = "# left out: expression 'kv_use < 0.9 ? 1 - kv_use : 0' 1: llm-d takes no expressions";
    assert!(found.text.contains(left_out), "{}", found.text);
    assert!(found.lines.iter().all(|line| matches!(line.mark, LineMark::Same | LineMark::Comment)));
}

#[test]
fn prefill_and_decode_apart_are_two_profiles() {
    let own = scenario(json!({ "tokenyard": 1, "cluster": {
        "pools": [{ "name": "p", "role": "prefill" }, { "name": "d", "role": "decode" }],
        "routing": { "weighted": { "profile": "llm-d-1.0-home" } },
        "disaggregation": {
            "decider": { "threshold": { "uncached_tokens": 16 } },
            "prefill_routing": { "weighted": { "profile": "custom", "ties": "random",
                "scorers": [{ "scorer": "running-requests", "weight": 1 }, { "scorer": "waiting-requests", "weight": 0.5 }] } },
        },
    } }));
    let found = exported(&own, System::Epp, None);
    expect![[r"
        apiVersion: llm-d.ai/v1alpha1
        kind: EndpointPickerConfig
        plugins:
        - type: disagg-headers-handler
        - type: prefix-based-pd-decider
          parameters:
            nonCachedTokens: 16
        - type: disagg-profile-handler
          parameters:
            deciders:
              prefill: prefix-based-pd-decider
        - type: running-requests-size-scorer
        - type: queue-scorer
        - type: prefill-filter
        - type: active-request-scorer
        - type: decode-filter
        schedulingProfiles:
        - name: prefill
          plugins:
          - {pluginRef: prefill-filter}
          - {pluginRef: running-requests-size-scorer}
          - {pluginRef: queue-scorer, weight: 0.5}
        - name: decode
          plugins:
          - {pluginRef: decode-filter}
          - {pluginRef: active-request-scorer}
    "]]
    .assert_eq(&plain(&found));
    let back = imported(&own, &found.text);
    let decider = |s: &Scenario| s.cluster.disaggregation.clone().map(|d| d.decider);
    assert_eq!(decider(&back), decider(&own));
}

#[test]
fn flow_control_has_its_gate_its_policies_and_its_bands() {
    let own = scenario(json!({ "tokenyard": 1, "cluster": {
        "snapshot_refresh_us": 50_000,
        "routing": { "weighted": { "profile": "custom", "ties": "random", "scorers": "waiting-requests:1" } },
        "flow_control": {
            "detector": { "concurrency": { "mode": "hybrid", "max_requests": 64 } },
            "ceilings": { "priority-holdback": { "min": 0.5 } },
            "fairness": "round-robin", "ordering": "fcfs", "max_requests": 1000, "ttl_s": 30, "no_replica_ttl_s": 600,
            "bands": [{ "priority": -10, "max_requests": 50, "fairness": "global-strict", "ordering": "edf" }],
        },
    } }));
    let found = exported(&own, System::Epp, None);
    let flow = "\
flowControl:
  maxRequests: 1000
  defaultRequestTTL: 30s
  noEndpointRequestTTL: 600s
  usageLimitPolicyPluginRef: priority-holdback-policy
  saturationDetector:
    pluginRef: concurrency-detector
  defaultPriorityBand:
    fairnessPolicyRef: round-robin-fairness-policy
  priorityBands:
  - priority: -10
    maxRequests: 50
    fairnessPolicyRef: global-strict-fairness-policy
    orderingPolicyRef: edf-ordering-policy
";
    assert!(plain(&found).ends_with(flow), "{}", found.text);
    assert!(found.text.contains("featureGates: [flowControl]\n"), "{}", found.text);
    let detector =
        "- type: concurrency-detector\n  parameters:\n    concurrencyMode: hybrid\n    maxConcurrency: 64\n";
    assert!(found.text.contains(detector), "{}", found.text);
    assert!(
        found.text.contains("- type: priority-holdback-policy\n  parameters:\n    minCeiling: 0.5\n"),
        "{}",
        found.text
    );
}

#[test]
fn engines_are_commands_with_the_flags_that_are_no_defaults() {
    let own = scenario(json!({ "tokenyard": 1, "cluster": { "pools": [
        { "name": "chat", "model": "llama-3.1-8b", "gpu": "H100", "replicas": 2, "tp": 2,
          "engine": { "max_num_seqs": 256, "max_num_batched_tokens": 8192, "scheduler": "sjf" },
          "kv": { "gpu_memory_utilization": 0.92, "block_tokens": 32, "prefix_caching": false } },
        { "name": "mine", "model": "o/my-model", "gpu": "A100-80", "replicas": 1,
          "latency": { "fitted": { "step_us": 5000 } },
          "kv": { "blocks": 5000, "gpu_memory_utilization": 0.9 } },
    ] } }));
    let found = exported(&own, System::Vllm, None);
    expect![[r"
        vllm serve meta-llama/Llama-3.1-8B-Instruct \
          --tensor-parallel-size 2 \
          --max-num-seqs 256 \
          --block-size 32 \
          --no-enable-prefix-caching

        vllm serve o/my-model \
          --gpu-memory-utilization 0.9 \
          --num-gpu-blocks-override 5000
    "]]
    .assert_eq(&plain(&found));
    assert!(found.text.contains("# pool chat: 2 replicas, each with 2 × H100"), "{}", found.text);
    assert!(found.text.contains("# left out: scheduler sjf: vLLM has fcfs and priority"), "{}", found.text);
}

#[test]
fn routers_of_dynamo_and_sglang_are_flags() {
    let routed = |routing: Value| scenario(json!({ "tokenyard": 1, "cluster": { "routing": routing } }));
    let text = |routing: Value, system| plain(&exported(&routed(routing), system, None));
    assert_eq!(text(json!("round-robin"), System::Dynamo), "python -m dynamo.frontend\n");
    assert_eq!(
        text(json!("least-loaded"), System::Dynamo),
        "python -m dynamo.frontend \\\n  --router-mode least-loaded\n"
    );
    let cost = json!({ "kv-cost": { "overlap_credit": 0.5, "index": { "approximate": { "ttl_s": 60 } } } });
    expect![[r"
        python -m dynamo.frontend \
          --router-mode kv \
          --router-kv-overlap-score-credit 0.5 \
          --no-router-kv-events \
          --router-ttl-secs 60
    "]]
    .assert_eq(&text(cost, System::Dynamo));
    assert_eq!(text(json!({ "weighted": {} }), System::Dynamo), "");
    assert_eq!(text(json!({ "cache-aware": {} }), System::Smg), "smg launch\n");
    let tight = json!({ "cache-aware": { "cache_threshold": 0.5, "balance_abs_threshold": 8 } });
    assert_eq!(
        text(tight, System::Smg),
        "smg launch \\\n  --cache-threshold 0.5 \\\n  --balance-abs-threshold 8\n"
    );
    let small =
        exported(&routed(json!({ "cache-aware": { "prefix_index_blocks": 500 } })), System::Smg, None);
    assert_eq!(rows(&small, Standing::Ignored), ["prefix index, blocks"]);
    assert_eq!(text(json!({ "power-of-d": {} }), System::Smg), "smg launch \\\n  --policy power_of_two\n");
    let near = exported(&routed(json!("least-loaded")), System::Smg, None);
    assert_eq!(rows(&near, Standing::Near), ["routing"]);
}

#[test]
fn a_command_line_of_a_router_changes_in_place() {
    let own =
        scenario(json!({ "tokenyard": 1, "cluster": { "routing": { "kv-cost": { "temperature": 0.4 } } } }));
    let text = "exec python3 -m dynamo.frontend --http-port 8000 --router-mode kv --router-temperature 0.2\n";
    let found = exported(&own, System::Dynamo, Some(text));
    assert_eq!(
        changed(&found),
        [format!("-{}", text.trim_end()), format!("+{}", text.trim_end().replace("0.2", "0.4"))]
    );
    let row = found.rows.iter().find(|row| row.theirs == "--router-temperature").expect("a row");
    assert_eq!((row.value.as_str(), row.before.as_deref()), ("0.4", Some("0.2")));
}

#[test]
fn a_horizontal_autoscaler_is_an_object_of_a_pool() {
    let hpa = scaled(&json!({ "min": 2, "max": 6, "policy": { "hpa": { "metric": "waiting", "target": 2,
        "behavior": { "rules": { "up": { "pods": 2, "percent": 0, "period_s": 60, "stabilization_s": 30 } } } } } }));
    expect![[r#"
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata:
          name: llama-8b
        spec:
          scaleTargetRef:
            apiVersion: apps/v1
            kind: Deployment
            name: llama-8b
          minReplicas: 2
          maxReplicas: 6
          metrics:
          - type: Pods
            pods:
              metric:
                name: vllm:num_requests_waiting
              target:
                type: AverageValue
                averageValue: "2"
          behavior:
            scaleUp:
              stabilizationWindowSeconds: 30
              policies:
              - {type: Pods, value: 2, periodSeconds: 60}
            scaleDown:
              stabilizationWindowSeconds: 300
    "#]]
    .assert_eq(&plain(&exported(&hpa, System::Hpa, None)));
}

#[test]
fn keda_has_a_trigger_for_each_metric() {
    let keda = scaled(&json!({ "min": 1, "max": 10, "tick_s": 15, "policy": { "keda": {
        "metric": "gateway-queue", "threshold": 1, "cooldown_s": 300,
        "more": [{ "metric": "requests-running", "threshold": 16 }] } } }));
    assert_eq!(
        plain(&exported(&keda, System::Keda, None)),
        "\
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: llama-8b
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: llama-8b
  pollingInterval: 15
  minReplicaCount: 1
  maxReplicaCount: 10
  triggers:
  - type: prometheus
    metadata:
      serverAddress: http://prometheus.monitoring:9090
      query: sum(llm_d_epp_flow_control_queue_size)
      threshold: \"1\"
  - type: prometheus
    metadata:
      serverAddress: http://prometheus.monitoring:9090
      query: sum(llm_d_epp_request_running)
      threshold: \"16\"
"
        .replace("query: sum(", "query: \"sum(")
        .replace("_size)", "_size)\"")
        .replace("_running)", "_running)\"")
    );
}

#[test]
fn an_analyser_has_variants_and_a_map_of_its_settings() {
    let wva = scaled(
        &json!({ "min": 1, "max": 4, "usd_per_hour": 12.5, "optimizer": "greedy", "policy": { "wva-saturation-v1": { "queue": 4 } } }),
    );
    expect![[r#"
        apiVersion: llmd.ai/v1alpha1
        kind: VariantAutoscaling
        metadata:
          name: llama-8b
        spec:
          scaleTargetRef:
            kind: Deployment
            name: llama-8b
          modelID: meta-llama/Llama-3.1-8B-Instruct
          variantCost: "12.5"
          minReplicas: 1
          maxReplicas: 4
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: wva-saturation-scaling-config
        data:
          default: |
            kvCacheThreshold: 0.8
            queueLengthThreshold: 4
            kvSpareTrigger: 0.1
            queueSpareTrigger: 3
            enableLimiter: true
    "#]]
    .assert_eq(&plain(&exported(&wva, System::Wva, None)));
    let none = scaled(&json!({}));
    assert_eq!(exported(&none, System::Keda, None).text, "# Nothing to write: no pool has an autoscaler\n");
}

#[test]
fn a_bundle_is_as_blis_writes_it() {
    let own = scenario(json!({ "tokenyard": 1, "cluster": {
        "admission": { "token-bucket": { "capacity_tokens": 500, "refill_tokens_per_s": 50 } },
        "routing": { "weighted": { "profile": "blis-default" } },
        "pools": [{ "engine": { "scheduler": "priority-fcfs", "priority": "slo-based" } }],
    } }));
    expect![[r"
        admission:
          policy: token-bucket
          token_bucket_capacity: 500
          token_bucket_refill_rate: 50
        routing:
          policy: weighted
          scorers:
          - {name: prefix-affinity, weight: 3}
          - {name: queue-depth, weight: 2}
          - {name: kv-utilization, weight: 2}
        priority:
          policy: slo-based
        scheduler: priority-fcfs
    "]]
    .assert_eq(&plain(&exported(&own, System::Blis, None)));
}
