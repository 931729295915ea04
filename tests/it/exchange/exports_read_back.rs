//! The two laws of exported configuration against the importers, and files beside which it is written.

use super::exported::{changed, imported, plain, scaled, scenario, weighted};
use super::samples;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};
use tokenyard::config::export::{Standing, System, exported};
use tokenyard::config::import::documents::yaml;
use tokenyard::scenario::{
    Behavior, BehaviorRules, CarriedOutBy, ChangeLimit, DirectionRules, LimitUnit, PeakPrefill, Picker,
    RoutingPolicy, ScalingPolicy, Scenario, Scorer, Weighted, WeightedScorer, Write as _, from_value,
};

/// The systems whose files the importers read, and the samples of each.
const READ_BACK: [(System, &[&str]); 4] = [
    (System::Epp, &["EndpointPickerConfig"]),
    (System::Hpa, &["HorizontalPodAutoscaler"]),
    (System::Keda, &["ScaledObject"]),
    (System::Wva, &["VariantAutoscaling", "ConfigMap"]),
];

#[test]
fn a_file_that_was_imported_comes_out_as_it_was() {
    for (system, names) in READ_BACK {
        for name in names {
            for (file, text) in samples(name, names) {
                let pools = json!([{ "name": "llama-8b", "model": "llama-3.1-8b" }]);
                let base = scenario(json!({ "tokenyard": 1, "cluster": { "pools": pools } }));
                let found = exported(&imported(&base, &text), system, Some(&text));
                assert_eq!(found.not_beside, None, "{file}");
                assert_eq!(changed(&found), Vec::<String>::new(), "{file}");
                assert!(found.text.starts_with(&text), "{file}");
                // Other maps than an analyser's have nothing that an autoscaler's file says; they stay as they are.
                assert!(found.exact > 0 || file.starts_with("ConfigMap-"), "{file}");
            }
        }
    }
}

/// A file with plugins and keys that are not simulated.
const PICKER: &str = "\
# the router of chat
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
featureGates: [dataLayer]   # theirs
plugins:
  - type: queue-depth-scorer   # a former name
  - {type: prefix-cache-scorer, name: prefix}
  - type: kv-cache-utilization-scorer
  - type: gpu-heat-scorer
    parameters: {degrees: 70}
  - type: max-score-picker
schedulingProfiles:
  - name: chat
    plugins:
      - pluginRef: queue-depth-scorer
        weight: 2   # twice
      - {pluginRef: prefix, weight: 3.0}
      - pluginRef: kv-cache-utilization-scorer
      - pluginRef: gpu-heat-scorer
        weight: 9
      - pluginRef: max-score-picker
parser: {pluginRef: openai-parser}
";

#[test]
fn one_weight_is_one_line_of_the_difference() {
    let base = scenario(json!({ "tokenyard": 1, "cluster": { "snapshot_refresh_us": 50_000 } }));
    let mut own = imported(&base, PICKER);
    assert_eq!(changed(&exported(&own, System::Epp, Some(PICKER))), Vec::<String>::new());
    let RoutingPolicy::Weighted(router) = &mut own.cluster.routing else { panic!("it is weighted") };
    router.scorers[0].weight = 4.0;
    let found = exported(&own, System::Epp, Some(PICKER));
    assert_eq!(changed(&found), ["-        weight: 2   # twice", "+        weight: 4   # twice"]);
    let row = found.rows.iter().find(|row| row.ours == "waiting-requests").expect("a row");
    assert_eq!(
        (row.value.as_str(), row.before.as_deref(), row.theirs.as_str()),
        ("4", Some("2"), "queue-scorer")
    );
    assert_eq!(imported(&base, &found.text).cluster.routing, own.cluster.routing);
}

#[test]
fn scorers_come_and_go_and_what_is_not_simulated_stays() {
    let base = Scenario::default();
    let mut own = imported(&base, PICKER);
    let RoutingPolicy::Weighted(router) = &mut own.cluster.routing else { panic!("it is weighted") };
    router.scorers.remove(1);
    router.scorers.push(WeightedScorer { scorer: Scorer::LoadAware, weight: 2.0 });
    router.waiting_threshold = 64;
    let found = exported(&own, System::Epp, Some(PICKER));
    assert_eq!(
        changed(&found),
        [
            "-  - {type: prefix-cache-scorer, name: prefix}",
            "+  - type: load-aware-scorer",
            "+    parameters:",
            "+      threshold: 64",
            "-      - {pluginRef: prefix, weight: 3.0}",
            "+      - {pluginRef: load-aware-scorer, weight: 2}",
        ]
    );
    for kept in ["gpu-heat-scorer", "degrees: 70", "featureGates: [dataLayer]", "openai-parser"] {
        assert!(found.text.contains(kept), "{kept}");
    }
    let back = imported(&base, &found.text);
    let (RoutingPolicy::Weighted(own), RoutingPolicy::Weighted(back)) =
        (&own.cluster.routing, &back.cluster.routing)
    else {
        panic!("both are weighted")
    };
    assert_eq!((own.scorers(), own.waiting_threshold), (back.scorers(), back.waiting_threshold));
}

#[test]
fn a_picker_within_a_config_map_is_changed_in_its_place() {
    let inner: String = PICKER.lines().flat_map(|line| ["    ", line, "\n"]).collect();
    let text =
        format!("kind: ConfigMap\nmetadata: {{name: epp}}\ndata:\n  plugins.yaml: |\n{inner}  other: kept\n");
    let mut own = imported(&Scenario::default(), PICKER);
    let RoutingPolicy::Weighted(router) = &mut own.cluster.routing else { panic!("it is weighted") };
    router.scorers[2].weight = 5.0;
    let found = exported(&own, System::Epp, Some(&text));
    assert_eq!(changed(&found), ["+            weight: 5"]);
}

#[test]
fn another_file_is_no_base_and_the_reason_is_given() {
    let own = weighted(&json!([{ "scorer": "waiting-requests", "weight": 1 }]));
    for text in ["", "kind: Deployment\n", "vllm serve x\n", "a: &x {b: *x\n", "\u{0}", "[[[["] {
        let found = exported(&own, System::Epp, Some(text));
        assert!(found.not_beside.is_some(), "{text:?}");
        assert_eq!(plain(&found), plain(&exported(&own, System::Epp, None)), "{text:?}");
    }
}

/// The parts of a router that an endpoint picker has exactly.
fn in_force(router: &Weighted) -> Value {
    let (count, until) = router.token_rule();
    json!({
        "scorers": router.scorers().write(), "filters": router.filters().write(), "ties": router.ties(),
        "picker": router.picker.write(),
        "index": router.prefix_index_blocks, "block": router.prefix_block_tokens(), "match": router.prefix_match_tokens(),
        "tokens": router.token_threshold, "count": count, "until": until, "waiting": router.waiting_threshold,
        "idle": router.idle_threshold, "busy": router.max_busy_score,
    })
}

/// Scorers that mean the same in llm-d.
const EXACT: [&str; 8] = [
    "waiting-requests",
    "kv-utilization",
    "running-requests",
    "prefix-affinity",
    "lora-affinity",
    "active-requests",
    "load-aware",
    "token-load",
];

/// Scorers of BLIS.
const OF_BLIS: [&str; 8] = [
    "prefix-affinity",
    "queue-depth",
    "kv-utilization",
    "load-balance",
    "active-requests",
    "running-requests",
    "load-aware",
    "no-hit-lru",
];

fn config(seed: u64) -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(seed);
    ProptestConfig { cases: 60, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![(1_u32..20).prop_map(f64::from), (1_u32..4000).prop_map(|n| f64::from(n) / 1000.0)]
}

fn rules() -> impl Strategy<Value = DirectionRules> {
    let limit = (any::<bool>(), 1_u32..200, 1_u32..600).prop_map(|(pods, value, period)| ChangeLimit {
        by: if pods { LimitUnit::Pods } else { LimitUnit::Percent },
        value: value.into(),
        period_s: period.into(),
    });
    (0_u32..600, prop::collection::vec(limit, 1..4)).prop_map(|(window, policies)| DirectionRules {
        stabilization_s: window.into(),
        policies,
        ..DirectionRules::default()
    })
}

/// Rules as lists of limits, whichever way they are written.
fn limits(rules: &DirectionRules) -> Value {
    let mut list: Vec<Value> = rules.policies.iter().map(|l| json!([l.by, l.value, l.period_s])).collect();
    if list.is_empty() && rules.pods > 0 {
        list.push(json!([LimitUnit::Pods, f64::from(rules.pods), rules.period_s]));
    }
    if rules.policies.is_empty() && rules.percent > 0.0 {
        let own = if rules.percent_period_s > 0.0 { rules.percent_period_s } else { rules.period_s };
        list.push(json!([LimitUnit::Percent, rules.percent, own]));
    }
    list.sort_by_key(Value::to_string);
    json!([rules.stabilization_s, rules.tolerance, rules.select, list])
}

fn behavior(own: &Behavior) -> Value {
    match own {
        Behavior::Legacy => json!("legacy"),
        Behavior::Default => behavior(&Behavior::Rules(BehaviorRules::default())),
        Behavior::Rules(rules) => json!([limits(&rules.up), limits(&rules.down)]),
    }
}

/// An autoscaler with its rules as lists.
fn policy(own: &ScalingPolicy) -> Value {
    let mut value = serde_json::to_value(own).expect("JSON");
    let (name, rules) = match own {
        ScalingPolicy::Hpa(own) => ("hpa", behavior(&own.behavior)),
        ScalingPolicy::Keda(own) => ("keda", behavior(&own.behavior)),
        _ => return value,
    };
    value[name]["behavior"] = rules;
    value
}

proptest! {
    #![proptest_config(config(41))]

    #[test]
    fn an_endpoint_picker_reads_back_as_the_router(
        scorers in prop::collection::btree_map(0..EXACT.len(), weight(), 1..6),
        memory in (1_u32..200_000, 64_u32..512, 1_u32..400_000),
        thresholds in (1_u32..5_000_000, 1_u32..500, 0_u32..50, 0_u32..=10),
        filter in prop::option::of((0_u32..=10, 0_u32..=10, 0_u32..40_000, 1_u32..60_000)),
        random in any::<bool>(),
    ) {
        let list: Vec<Value> =
            scorers.iter().map(|(i, weight)| json!({ "scorer": EXACT[*i], "weight": weight })).collect();
        let mut router = json!({
            "profile": "custom", "ties": "random", "scorers": list,
            "prefix_index_blocks": memory.0, "prefix_block_tokens": memory.1, "prefix_match_tokens": memory.2,
        });
        let mut has = |scorer: &str, keys: Value| {
            if scorers.keys().any(|i| EXACT[*i] == scorer) {
                router.as_object_mut().expect("a map").extend(keys.as_object().expect("a map").clone());
            }
        };
        has("token-load", json!({ "token_threshold": thresholds.0, "token_count": "uncached", "token_until": "first-token" }));
        has("load-aware", json!({ "waiting_threshold": thresholds.1 }));
        has("active-requests", json!({ "idle_threshold": thresholds.2, "max_busy_score": f64::from(thresholds.3) / 10.0 }));
        if random {
            router["picker"] = json!("weighted-random");
        }
        if let Some((threshold, exploration, penalty, peak)) = filter {
            router["filters"] = json!([{ "prefix-affinity": {
                "threshold": f64::from(threshold) / 10.0, "exploration": f64::from(exploration) / 10.0,
                "max_ttft_penalty_ms": f64::from(penalty), "peak_prefill_tokens_per_s": peak } }]);
        }
        let own = scenario(json!({ "tokenyard": 1, "cluster": { "snapshot_refresh_us": 50_000, "routing": { "weighted": router } } }));
        let found = exported(&own, System::Epp, None);
        prop_assert_eq!(found.left_out, 0);
        let back = imported(&Scenario { tokenyard: 1, ..Scenario::default() }, &found.text);
        let (RoutingPolicy::Weighted(own), RoutingPolicy::Weighted(back)) = (&own.cluster.routing, &back.cluster.routing)
        else { panic!("both are weighted") };
        let (mut own, mut back) = (in_force(own), in_force(back));
        // The memory has no rows where nothing uses it.
        let remembers = filter.is_some() || scorers.keys().any(|i| ["prefix-affinity", "token-load"].contains(&EXACT[*i]));
        if !remembers {
            for key in ["index", "block", "match"] {
                (own[key], back[key]) = (Value::Null, Value::Null);
            }
        }
        if own["picker"] == json!("weighted-random") {
            (own["ties"], back["ties"]) = (Value::Null, Value::Null);
        }
        prop_assert_eq!(own, back, "{}", found.text);
        // The file beside itself has nothing to change.
        let again = exported(&imported(&Scenario::default(), &found.text), System::Epp, Some(&found.text));
        prop_assert_eq!(changed(&again), Vec::<String>::new(), "{}", again.text);
    }

    #[test]
    fn autoscalers_read_back_as_they_are(
        metrics in prop::collection::vec((0_usize..7, 1_u32..4000, any::<bool>()), 1..4),
        up in rules(), down in rules(), kind in 0..3, replicas in (0_u32..4, 4_u32..40), seconds in (1_u32..600, 1_u32..900),
    ) {
        const METRICS: [&str; 7] =
            ["waiting", "kv", "running", "gateway-queue", "requests-running", "pool-saturation", "prefill-backlog"];
        let all = |name: &str| -> Vec<Value> {
            metrics.iter().map(|(i, n, pool)| {
                let of = if *pool { "pool" } else { "replica" };
                json!({ "metric": METRICS[*i], name: f64::from(*n) / 100.0, "target_of": of })
            }).collect()
        };
        let (system, name) = if kind == 0 { (System::Keda, "threshold") } else { (System::Hpa, "target") };
        let mut list = all(name);
        let mut own = list.remove(0);
        own["more"] = json!(list);
        own["behavior"] = match kind {
            1 => json!("legacy"),
            _ => json!({ "rules": { "up": up.write(), "down": down.write() } }),
        };
        let mut scaling = json!({ "min": replicas.0.max(u32::from(kind != 0)), "max": replicas.1 });
        if system == System::Keda {
            own["cooldown_s"] = json!(seconds.1);
            scaling["tick_s"] = json!(seconds.0);
        }
        scaling["policy"] = if system == System::Keda { json!({ "keda": own }) } else { json!({ "hpa": own }) };
        let own = scaled(&scaling);
        let found = exported(&own, system, None);
        prop_assert_eq!((found.near, found.left_out), (0, 0), "{}", found.text);
        let back = imported(&scaled(&json!({})), &found.text);
        let (own, back) = (&own.cluster.pools[0].scaling, &back.cluster.pools[0].scaling);
        prop_assert_eq!((own.min, own.max, own.tick_s), (back.min, back.max, back.tick_s));
        prop_assert_eq!(policy(&own.policy), policy(&back.policy), "{}", found.text);
        let again = exported(&imported(&scaled(&json!({})), &found.text), system, Some(&found.text));
        prop_assert_eq!(changed(&again), Vec::<String>::new(), "{}", again.text);
    }

    #[test]
    fn analysers_and_bundles_read_back_as_they_are(
        shares in (1_u32..=100, 1_u32..=100, 1_u32..=100), queue in (0_u32..50, 0_u32..50), which in 0..3,
        cost in 1_u32..9000, scorers in prop::collection::btree_map(0_usize..8, weight(), 1..5), order in (0_usize..4, 0_usize..3),
    ) {
        let share = |n: u32| f64::from(n) / 100.0;
        let policy = match which {
            0 => json!({ "wva-saturation-v1": { "kv": share(shares.0), "queue": queue.0, "kv_spare": share(shares.1), "queue_spare": queue.1 } }),
            1 => json!({ "wva-saturation-v2": { "kv": share(shares.0), "up": share(shares.1), "down": share(shares.1.min(shares.2)) } }),
            _ => json!({ "wva-queueing-model": { "slo_multiplier": 1.0 + share(shares.0), "ttft_ms": 500, "itl_ms": 40 } }),
        };
        let own = scaled(&json!({ "usd_per_hour": share(cost), "optimizer": "cost-aware", "min": 1, "max": 9, "policy": policy }));
        let found = exported(&own, System::Wva, None);
        prop_assert_eq!((found.near, found.left_out), (0, 0), "{}", found.text);
        let back = imported(&scaled(&json!({})), &found.text);
        prop_assert_eq!(&own.cluster.pools[0].scaling, &back.cluster.pools[0].scaling, "{}", found.text);

        let list: Vec<Value> = scorers.iter().map(|(i, weight)| json!({ "scorer": OF_BLIS[*i], "weight": weight })).collect();
        let scheduler = ["fcfs", "priority-fcfs", "sjf", "reverse-priority"][order.0];
        let priority = ["constant", "slo-based", "inverted-slo"][order.1];
        let own = scenario(json!({ "tokenyard": 1, "cluster": {
            "admission": { "token-bucket": { "capacity_tokens": cost, "refill_tokens_per_s": share(cost) } },
            "routing": { "weighted": { "profile": "custom", "scorers": list } },
            "pools": [{ "engine": { "scheduler": scheduler, "priority": priority } }] } }));
        let found = exported(&own, System::Blis, None);
        prop_assert_eq!((found.near, found.left_out), (0, 0), "{}", found.text);
        let back = imported(&Scenario { tokenyard: 1, ..Scenario::default() }, &found.text);
        prop_assert_eq!(&own.cluster, &back.cluster, "{}", found.text);
        let again = exported(&back, System::Blis, Some(&found.text));
        prop_assert_eq!(changed(&again), Vec::<String>::new(), "{}", again.text);
    }

    #[test]
    fn every_scenario_has_a_file_of_every_system(seed in any::<u64>(), beside in prop::option::of(0..8_usize)) {
        let document = crate::support::drawn::Drawer::new(seed).scenario();
        let Ok(own) = from_value(document) else { return Ok(()) };
        for system in System::ALL {
            let base = beside.map(|i| exported(&Scenario::default(), System::ALL[i], None).text);
            let found = exported(&own, system, base.as_deref());
            let count = |standing| found.rows.iter().filter(|row| row.standing == standing).count() as u32;
            prop_assert_eq!([found.exact, found.near, found.left_out], [count(Standing::Exact), count(Standing::Near), count(Standing::Ignored)]);
            prop_assert!(found.text.ends_with('\n'));
            for row in &found.rows {
                prop_assert_eq!(row.standing == Standing::Exact, row.why.is_empty(), "{:?}", row);
                prop_assert!(!row.path.is_empty() && !row.ours.is_empty(), "{:?}", row);
            }
            prop_assert!(!found.text.contains(" -- "), "{}", found.text);
            let is_yaml = !matches!(system, System::Vllm | System::Dynamo | System::Smg);
            for part in found.text.split("---\n").filter(|_| is_yaml && base.is_none()) {
                let read = yaml::value(part);
                prop_assert!(read.is_ok(), "{}: {:?}", part, read);
            }
        }
    }
}

#[test]
fn an_analyser_behind_a_horizontal_autoscaler_is_both() {
    let own = scaled(&json!({ "min": 1, "max": 10, "optimizer": "cost-aware", "usd_per_hour": 10,
        "policy": { "wva-saturation-v2": {} },
        "carried_out_by": { "hpa": { "behavior": { "rules": { "up": { "stabilization_s": 0, "pods": 10, "percent": 0 },
            "down": { "stabilization_s": 0, "pods": 10, "percent": 0 } } } } } }));
    let hpa = exported(&own, System::Hpa, None);
    assert!(hpa.text.contains("name: wva_desired_replicas"), "{}", hpa.text);
    let both = format!("{}---\n{}", plain(&exported(&own, System::Wva, None)), plain(&hpa));
    let back = imported(&scaled(&json!({})), &both);
    let (own, back) = (&own.cluster.pools[0].scaling, &back.cluster.pools[0].scaling);
    assert_eq!(own.policy, back.policy);
    let rules = |carried: &CarriedOutBy| match carried {
        CarriedOutBy::Hpa(carrier) => behavior(&carrier.behavior),
        CarriedOutBy::Policy => Value::Null,
    };
    assert_eq!(rules(&own.carried_out_by), rules(&back.carried_out_by));
}

#[test]
fn a_peak_that_the_model_computes_is_written_as_a_number() {
    let own = scenario(
        json!({ "tokenyard": 1, "cluster": { "routing": { "weighted": { "profile": "llm-d-1.0" } } } }),
    );
    let found = exported(&own, System::Epp, None);
    let row = found.rows.iter().find(|row| row.theirs == "peakPrefillThroughput").expect("a row");
    assert_eq!(row.standing, Standing::Near);
    let back = imported(&Scenario { tokenyard: 1, ..Scenario::default() }, &found.text);
    let RoutingPolicy::Weighted(router) = &back.cluster.routing else { panic!("it is weighted") };
    assert_eq!(router.picker, Picker::Max);
    let filters = router.filters().write();
    let peak = filters[0]["prefix-affinity"]["peak_prefill_tokens_per_s"].as_u64();
    assert!(peak.is_some_and(|n| n > 1000), "{filters}");
    assert_eq!(PeakPrefill::Model.write(), json!("model"));
}

#[test]
fn fairness_among_programs_is_read_back_from_its_own_file_and_by_former_names() {
    let fair = json!({ "service_weight": 0.5, "wait_weight": 0.25, "half_life_s": 30.0 });
    let own = scenario(
        json!({ "tokenyard": 1, "cluster": { "flow_control": { "fairness": { "program-aware": fair } } } }),
    );
    let file = exported(&own, System::Epp, None).text;
    assert!(file.contains("lasWeightService: 0.5"), "{file}");
    let fairness =
        |file: &str| imported(&Scenario::default(), file).cluster.flow_control.map(|flow| flow.fairness);
    let expected = own.cluster.flow_control.map(|flow| flow.fairness);
    assert_eq!(fairness(&file), expected);
    let former = file
        .replace("lasWeightService", "weightService")
        .replace("lasWeightHeadWait", "weightServiceHeadWait")
        .replace("lasHalfLifeSeconds", "serviceHalfLifeSeconds");
    assert_eq!(fairness(&former), expected);
}
