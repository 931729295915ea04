//! Tests of both formats, with all their keys and with mistakes.

use super::*;
use document::{Decider, FirstToken, Handoff, KvBytes, Role, Transfer, from_value};
use serde_json::json;

/// Adopts documents into an empty scenario: the scenario, or the problems.
fn adopted(documents: Vec<Value>, read: ReadText<'_>) -> Result<Value, Vec<String>> {
    let mut scenario = json!({});
    let found = adopt_policies(documents, read, &mut scenario);
    found.map(|_| scenario).map_err(|all| all.iter().map(ToString::to_string).collect())
}

fn lines(mappings: &[Mapping]) -> String {
    mappings.iter().map(Mapping::line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_bundle_sets_every_policy_and_says_so() {
    let bundle = json!({
        "admission": { "type": "token-bucket", "params": { "bucket_size": 1000, "refill_rate": 100, "per_tenant": true } },
        "priority": { "type": "slo-based", "params": { "realtime_score": 100, "batch_score": 10, "default_score": 50 } },
        "routing": { "type": "weighted-scoring", "params": {
            "cache_affinity_weight": 0.6, "load_balance_weight": 0.3, "queue_depth_weight": 0.1, "prefix_match_bonus": 0.5 } },
        "scheduler": { "type": "priority-fcfs", "params": {
            "respect_priority": true, "preemption_enabled": true, "preemption_policy": "lowest-priority" } },
        "autoscale": { "type": "threshold", "params": {
            "scale_up_threshold": 0.8, "scale_down_threshold": 0.3, "cooldown_seconds": 60 } },
    });
    let mut scenario = json!({});
    let mappings = adopt_policies(vec![bundle.clone()], &|_| None, &mut scenario)
        .unwrap_or_else(|p| panic!("{p:?}"))
        .mappings;
    assert_eq!(mappings.len(), 21, "{}", lines(&mappings));
    assert_eq!(scenario["cluster"]["admission"]["token-bucket"]["per_tenant"], true);
    assert_eq!(scenario["cluster"]["pools"][0]["engine"]["priority"]["slo-class"]["critical"], 100);
    assert_eq!(scenario["cluster"]["routing"]["weighted"]["scorers"][1]["scorer"], "load-balance");
    assert_eq!(scenario["cluster"]["routing"]["weighted"]["scorers"][3]["scorer"], "prefix-match");
    assert_eq!(scenario["cluster"]["routing"]["weighted"]["prefix_match_bonus"], 0.5);
    assert_eq!(scenario["cluster"]["pools"][0]["engine"]["victim"], "lowest-priority");
    assert_eq!(scenario["cluster"]["pools"][0]["engine"]["preemption"], true);
    assert!(mappings.iter().filter(|m| !m.has_counterpart()).count() == 1, "{}", lines(&mappings));
    assert!(
        lines(&mappings).contains("autoscale.type: \"threshold\" → scaling.policy = threshold"),
        "{}",
        lines(&mappings)
    );
    let parsed = from_value(scenario).unwrap_or_else(|p| panic!("{p:?}"));
    assert_ne!(parsed.cluster.admission, document::AdmissionPolicy::AlwaysAdmit);
}

#[test]
fn sections_that_are_off_have_the_policies_that_do_nothing() {
    let bundle = json!({
        "admission": { "enabled": false, "type": "token-bucket", "params": { "bucket_size": 1000 } },
        "autoscale": { "type": "threshold", "params": { "enabled": false, "scale_up_threshold": 0.8 } },
        "scheduler": { "type": "sjf", "enabled": true },
    });
    let mut scenario = json!({});
    let report = adopt_policies(vec![bundle], &|_| None, &mut scenario).unwrap_or_else(|p| panic!("{p:?}"));
    assert_eq!(scenario["cluster"]["admission"], "always-admit");
    let pool = &scenario["cluster"]["pools"][0];
    assert_eq!((&pool["scaling"]["policy"], &pool["engine"]["scheduler"]), (&json!("none"), &json!("sjf")));
    assert_eq!(report.problems, []);
    assert!(
        lines(&report.mappings)
            .contains("admission.params.bucket_size: 1000 → no counterpart: the section is switched off")
    );
}

#[test]
fn a_bundle_with_mistakes_names_them_all() {
    let bundle = json!({
        "admission": { "type": "token-buckett" },
        "routing": { "type": "weighted", "params": { "queue_depth_weight": -1, "cache_afinity_weight": 1 } },
        "scheduler": { "type": 7 },
    });
    let mut scenario = json!({ "seed": 9 });
    let problems = adopt_policies(vec![bundle.clone()], &|_| None, &mut scenario).err().unwrap_or_default();
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 4, "{told:#?}");
    assert!(told.iter().any(|t| t.contains("did you mean \"token-bucket\"?")), "{told:#?}");
    assert!(told.iter().any(|t| t.contains("routing.params.cache_affinity_weight")), "{told:#?}");
    assert_eq!(scenario, json!({ "seed": 9 }), "nothing is half applied");
}

#[test]
fn a_routesim_configuration_becomes_a_scenario() {
    let config = json!({
        "simulation": { "name": "six", "seed": 7, "warmup_requests": 10 },
        "cluster": {
            "gpu_type": "A100Sxm80", "num_backends": 6, "max_batch_tokens": 16384, "kv_cache_blocks": 8192,
            "compute_model": { "prefill_tokens_per_sec": 35000, "decode_throughput_saturation_batch": 48 },
            "disaggregated": { "enabled": false },
        },
        "trace": { "format": "compact_jsonl", "path": "traces/a.jsonl" },
    });
    let (scenario, Report { mappings, .. }) = convert_routesim(&config).unwrap_or_else(|p| panic!("{p:?}"));
    let parsed = from_value(scenario).unwrap_or_else(|p| panic!("{p:?}"));
    assert_eq!((parsed.seed, parsed.cluster.pools[0].replicas), (7, 6));
    assert_eq!(parsed.workload.trace.map(|t| t.file), Some("traces/a.jsonl".to_owned()));
    assert!(
        lines(&mappings).contains("cluster.max_batch_tokens: 16384 → no counterpart"),
        "{}",
        lines(&mappings)
    );
}

#[test]
fn a_routesim_configuration_that_cannot_be_simulated_is_refused() {
    let config = json!({ "cluster": { "disaggregated": { "enabled": true }, "gpu": "H100" } });
    let problems = convert_routesim(&config).err().unwrap_or_default();
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 4, "{told:#?}");
}

/// A configuration of RouteSim with prefill apart, and what is found wrong with it.
fn apart(disaggregated: &Value) -> Result<(Value, Report), Vec<String>> {
    let config = json!({
        "cluster": { "num_backends": 4, "max_queue_depth": 64, "disaggregated": disaggregated },
        "trace": { "path": "a.jsonl" },
    });
    convert_routesim(&config).map_err(|all| all.iter().map(ToString::to_string).collect())
}

#[test]
fn routesim_s_prefill_and_decode_backends_become_pools_with_roles() {
    let given = json!({
        "enabled": true, "prefill_backends": 1, "decode_backends": 3, "kv_transfer_latency_us": 200,
        "kv_transfer_bandwidth_gb_s": 25.0, "num_layers": 32, "head_dim": 128, "num_kv_heads": 8,
    });
    let (scenario, report) = apart(&given).unwrap_or_else(|told| panic!("{told:#?}"));
    assert!(
        report
            .mappings
            .iter()
            .filter(|m| m.key.starts_with("cluster.disaggregated"))
            .all(super::mapping::Mapping::has_counterpart)
    );
    let (parsed, warnings) =
        from_value(scenario).and_then(document::check).unwrap_or_else(|p| panic!("{p:?}"));
    assert_eq!(warnings, []);
    let cluster = &parsed.get().cluster;
    let pools: Vec<_> =
        cluster.pools.iter().map(|p| (p.name.as_str(), p.role, p.replicas, p.engine.max_waiting)).collect();
    assert_eq!(pools, [("prefill", Role::Prefill, 1, 64), ("decode", Role::Decode, 3, 0)]);
    let d = cluster.disaggregation.clone().expect("settings of hand-overs");
    assert_eq!((d.decider, d.handoff, d.first_token), (Decider::Always, Handoff::Pull, FirstToken::Decode));
    // 4 bytes × 32 layers × 128 × 8 heads.
    let kv_bytes_per_token = KvBytes::Count(131_072);
    let want = Transfer {
        port_gb_per_s: 25.0,
        base_us: 200,
        kv_bytes_per_token,
        overlap_share: 0.0,
        shared_ports: false,
    };
    assert_eq!(d.transfer, want);
    // RouteSim's own defaults: 80 layers, 500 us, 50 GB/s.
    let least = json!({ "enabled": true, "prefill_backends": 2, "decode_backends": 2 });
    let (scenario, _) = apart(&least).unwrap_or_else(|told| panic!("{told:#?}"));
    let transfer = &scenario["cluster"]["disaggregation"]["transfer"];
    assert_eq!(
        *transfer,
        json!({ "port_gb_per_s": 50.0, "base_us": 500, "kv_bytes_per_token": 327_680, "shared_ports": false })
    );
    // Switched off, the section changes nothing.
    let (scenario, report) =
        apart(&json!({ "enabled": false, "prefill_backends": 2 })).unwrap_or_else(|t| panic!("{t:#?}"));
    assert_eq!(scenario["cluster"].get("disaggregation"), None);
    assert!(
        report
            .mappings
            .iter()
            .any(|m| m.key == "cluster.disaggregated.prefill_backends" && !m.has_counterpart())
    );
}

#[test]
fn backends_of_routesim_that_do_not_add_up_are_refused() {
    for (prefill, decode, path) in
        [(1, 2, "prefill_backends"), (4, 0, "decode_backends"), (0, 4, "prefill_backends")]
    {
        let given = json!({ "enabled": true, "prefill_backends": prefill, "decode_backends": decode });
        let told = apart(&given).expect_err("the sum or a part is wrong");
        assert_eq!(told.len(), 1, "{told:#?}");
        assert!(told[0].contains(&format!("cluster.disaggregated.{path}:")), "{told:#?}");
    }
}

#[test]
fn embedded_text_is_read_by_the_callers_reader() {
    let inner = "kvCacheThreshold: 0.7\nqueueLengthThreshold: 4\n";
    let map = json!({ "kind": "ConfigMap", "data": { "default": inner } });
    let read =
        |text: &str| (text == inner).then(|| json!({ "kvCacheThreshold": 0.7, "queueLengthThreshold": 4 }));
    let scenario = adopted(vec![map.clone()], &read).expect("the text is read");
    assert_eq!(
        scenario["cluster"]["pools"][0]["scaling"]["policy"]["wva-saturation-v1"]["kv"], 0.7,
        "{scenario}"
    );
    assert!(adopted(vec![map], &|_| None).is_err());
}

#[test]
fn a_list_is_expanded_and_too_many_objects_or_none_are_reported() {
    let keda = json!({ "kind": "ScaledObject", "spec": {
        "scaleTargetRef": { "name": "any" }, "minReplicaCount": 1, "maxReplicaCount": 4,
        "triggers": [{ "type": "prometheus", "metadata": { "query": "sum(vllm:num_requests_waiting)", "threshold": "4" } }] } });
    let list = |n: usize| json!({ "kind": "List", "items": vec![keda.clone(); n] });
    let one = adopted(vec![list(1), Value::Null], &|_| None).expect("an autoscaler");
    assert!(one.to_string().contains("keda"), "{one}");
    let told = |documents: Vec<Value>| adopted(documents, &|_| None).expect_err("a problem").concat();
    assert!(told(vec![list(limits::OBJECTS + 1)]).contains("at most 64 objects"));
    assert!(told(vec![Value::Null]).contains("an empty text"));
}
