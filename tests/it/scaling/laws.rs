//! Laws of autoscaling: the cost is the integral of the existing replicas, no request is sent to a replica that does
//! not serve, a drain loses no more than it may, decisions keep their bounds, and a run does not depend on how it is
//! cut.

use crate::support;
use crate::support::Story;
use crate::support::documents::{put_all, scenario};
use crate::support::scaled::{Heard, finished, heard, is_the_same_however_cut_and_saved};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokenyard::base::Micros;
use tokenyard::engine::{Cluster, Fact, FleetFact, Ignore, RequestFact, ScalingRecord};
use tokenyard::scenario::{Change, ScalingMetric, Scenario, TimedEdit, data_from_value};
use tokenyard::workload::Source;

/// Every policy with settings under which it acts within two minutes.
fn policies() -> Vec<Value> {
    vec![
        json!({"threshold": {"up": 0.6, "down": 0.2, "cooldown_s": 4}}),
        json!({"target-utilization": {"target": 0.5, "cooldown_s": 4}}),
        json!({"queue-depth": {"up": 2, "down": 0.2, "cooldown_s": 4}}),
        json!({"hpa": {"metric": "requests", "target": 6, "behavior": {"rules": {"down": {"stabilization_s": 20}}}}}),
        json!({"hpa": {"behavior": "legacy"}}),
        json!({"hpa": {"metric": "kv", "target": 0.5, "more": [{"metric": "requests", "target": 6}, {"metric": "waiting", "target": 1}],
            "behavior": {"rules": {"down": {"stabilization_s": 20}}}}}),
        json!({"keda": {"metric": "running", "threshold": 40, "cooldown_s": 10, "more": [{"metric": "requests", "threshold": 6, "activation": 1}],
            "behavior": {"rules": {"down": {"stabilization_s": 10}}}}}),
        json!({"keda": {"threshold": 6, "cooldown_s": 10, "behavior": {"rules": {"down": {"stabilization_s": 10}}}}}),
        json!({"kpa": {"concurrency": 10, "stable_s": 12, "panic_s": 3, "grace_s": 5}}),
        json!({"token-aware": {"peak_prefill_tokens_per_s": 2000, "backlog_s": 0.5, "kv": 0.4,
            "behavior": {"rules": {"down": {"stabilization_s": 20}}}}}),
        json!({"slo-aware": {"ttft_ms": 400, "tpot_ms": 60, "smoothing_s": 6, "behavior": {"rules": {"down": {"stabilization_s": 20}}}}}),
        json!({"slo-aware": {"ttft_ms": 400, "tpot_ms": 60, "quantile": "mean", "smoothing_s": 6,
            "behavior": {"rules": {"down": {"stabilization_s": 20}}}}}),
        json!({"hpa": {"metric": "objectives-missed", "target": 0.1, "target_of": "pool", "more": [{"metric": "requests-running", "target": 8}],
            "behavior": {"rules": {"down": {"stabilization_s": 20}}}}}),
        json!({"keda": {"metric": "gateway-queue", "name": "queue", "cooldown_s": 10, "more": [{"metric": "requests-running", "name": "running"},
            {"metric": "pool-saturation"}], "formula": {"formula": "let d = max(queue, running / 8, pool_saturation ?? 1); d <= replicas ? d : max(d - pending, ready)"},
            "behavior": {"rules": {"down": {"stabilization_s": 20}}}}}),
        json!({"wva-saturation-v1": {}}),
        json!({"wva-saturation-v2": {}}),
        json!({"wva-queueing-model": {"ttft_ms": 400, "itl_ms": 60}}),
        json!({"wva-queueing-model": {"slo_multiplier": 1.5}}),
        json!({"dynamo-throughput": {"ttft_ms": 300, "itl_ms": 40, "predictor": "trend"}}),
        json!({"dynamo-load": {"ttft_ms": 300, "itl_ms": 40}}),
        json!({"oracle": {"replica_per_s": 12, "ahead_s": 12}}),
    ]
}

/// A quiet minute, thirty busy seconds, and half a minute of nothing much.
fn spike(scaling: &Value) -> Scenario {
    let mut settings = json!({
        "min": 1, "max": 6, "tick_s": 2, "scrape_s": 1, "window_s": 3,
        "start": {"phases": {"scheduling_s": 0.5, "load_s": 3, "initialise_s": 3, "probe_s": 0.5}},
        "warm_up_requests": 5, "warm_up_factor": 2,
    });
    put_all(&mut settings, scaling);
    let document = json!({
        "run": {"horizon_s": 120, "warmup_s": 0},
        "cluster": {"pools": [{
            "replicas": 2, "engine": {"max_num_seqs": 16}, "kv": {"blocks": 600},
            "latency": {"fitted": {"step_us": 20000.0, "step_us_per_prefill_token": 30.0}}, "scaling": settings,
        }]},
        "workload": super::chats(40, 70),
        "slo": {"ttft_ms": 500},
    });
    scenario(document)
}

/// Seconds of replicas from placement until they are gone, by the facts alone.
fn paid_seconds(heard: &Heard, replicas: u32, end: Micros) -> f64 {
    let mut since: BTreeMap<u32, u64> = (0..replicas).map(|id| (id, 0)).collect();
    let mut draining: BTreeMap<u32, bool> = BTreeMap::new();
    let mut present: BTreeMap<u32, i64> = BTreeMap::new();
    let mut paid = 0;
    for (at, fact) in &heard.facts {
        match *fact {
            Fact::Fleet(FleetFact::Starting { replica, .. }) => {
                since.insert(replica.0, at.0);
                draining.insert(replica.0, false);
            }
            Fact::Fleet(FleetFact::Serving { replica, .. }) => {
                since.entry(replica.0).or_insert(at.0);
                draining.insert(replica.0, false);
            }
            Fact::Fleet(FleetFact::StartGivenUp { replica }) => {
                paid += at.0 - since.remove(&replica.0).expect("it started");
            }
            Fact::Fleet(FleetFact::Draining { replica }) => drop(draining.insert(replica.0, true)),
            Fact::Request(RequestFact::Routed { replica, .. }) => *present.entry(replica.0).or_default() += 1,
            Fact::Request(RequestFact::Completed { replica, .. } | RequestFact::Dropped { replica, .. })
            | Fact::Fleet(FleetFact::Redirected { replica, .. }) => {
                *present.entry(replica.0).or_default() -= 1;
            }
            _ => {}
        }
        let gone: Vec<u32> = draining.iter().filter(|(_, d)| **d).map(|(id, _)| *id).collect();
        for id in gone {
            if present.get(&id).copied().unwrap_or(0) == 0
                && let Some(since) = since.remove(&id)
            {
                paid += at.0 - since;
            }
        }
    }
    paid += since.values().map(|since| end.0 - since).sum::<u64>();
    paid as f64 / 1e6
}

#[test]
fn every_policy_scales_within_its_bounds_and_is_paid_for_what_there_is() {
    for drain in ["wait", "immediate", "redirect"] {
        for policy in policies() {
            let scenario = spike(&json!({"policy": policy, "drain": drain, "min": 1}));
            let (engine, heard) = heard(&scenario);
            let what = format!("{policy} {drain}");
            assert!(heard.scaled.len() >= 59, "{what}: {} decisions", heard.scaled.len());
            for record in &heard.scaled {
                let d = record.decision;
                assert!((1..=6).contains(&d.desired), "{what}: {record:?}");
            }
            let grew = heard.scaled.iter().any(|r| r.decision.desired > r.decision.current);
            assert!(grew, "{what} never grew");
            check_serving(&heard, 2);
            let part = &finished(&scenario).report_data().scaling[0];
            let paid = paid_seconds(&heard, 2, engine.end());
            assert!(
                (part.replica_seconds - paid).abs() < 1e-6,
                "{what}: {} and {paid}",
                part.replica_seconds
            );
            assert_eq!(part.gpu_seconds.to_bits(), part.replica_seconds.to_bits());
            assert!(part.starts > 0 && part.decisions as usize == heard.scaled.len(), "{part:?}");
        }
    }
}

/// Requests are sent to replicas only that serve.
fn check_serving(heard: &Heard, replicas: u32) {
    let mut serving: BTreeMap<u32, bool> = (0..replicas).map(|id| (id, true)).collect();
    for (at, fact) in &heard.facts {
        match *fact {
            Fact::Fleet(FleetFact::Serving { replica, .. }) => drop(serving.insert(replica.0, true)),
            Fact::Fleet(FleetFact::Starting { replica, .. } | FleetFact::Draining { replica }) => {
                serving.insert(replica.0, false);
            }
            Fact::Request(RequestFact::Routed { replica, request }) => {
                assert_eq!(serving.get(&replica.0), Some(&true), "{request:?} to {replica:?} at {at:?}");
            }
            _ => {}
        }
    }
}

#[test]
fn a_drain_loses_no_awaited_request_and_drops_or_reroutes_the_others() {
    let run = |drain: &str, victim: &str| {
        let policy = json!({"oracle": {"replica_per_s": 25, "ahead_s": 0}});
        let scenario = spike(&json!({"policy": policy, "drain": drain, "victim": victim, "min": 1}));
        let session = finished(&scenario);
        (session.requests(), session.report_data().scaling[0].clone())
    };
    for victim in ["newest", "oldest", "least-loaded", "least-cache"] {
        let (requests, part) = run("wait", victim);
        assert!(part.scale_downs > 0, "{part:?}");
        assert_eq!((requests.dropped, requests.rejected, part.redirected), (0, 0, 0), "{requests:?}");
        let (requests, _) = run("immediate", victim);
        assert!(requests.dropped > 0, "{victim}: {requests:?}");
        let under_way = requests.in_pipeline + requests.queued + requests.running;
        assert_eq!(requests.arrived, requests.completed + requests.dropped + under_way, "{requests:?}");
        let (requests, part) = run("redirect", victim);
        assert_eq!((requests.dropped, requests.rejected), (0, 0), "{requests:?}");
        let under_way = requests.in_pipeline + requests.queued + requests.running;
        assert_eq!(requests.arrived, requests.completed + under_way, "{requests:?}");
        assert!(part.redirected > 0 || victim == "least-loaded", "{victim}: {part:?}");
    }
}

#[test]
fn a_run_is_the_same_however_it_is_cut_saved_and_gone_on_with() {
    for policy in policies() {
        let scenario = spike(&json!({"policy": policy, "min": 0, "drain": "redirect", "gpus": 5}));
        is_the_same_however_cut_and_saved(&scenario, &policy.to_string());
    }
}

#[test]
fn the_same_seed_decides_the_same_and_another_starts_at_other_times() {
    let policy = json!({"target-utilization": {"target": 0.5, "cooldown_s": 4}});
    let scenario = spike(&json!({"policy": policy}));
    let (first, again) = (heard(&scenario).1, heard(&scenario).1);
    assert_eq!(first.scaled, again.scaled);
    assert_eq!(first.facts, again.facts);
    let other = heard(&Scenario { seed: 43, ..scenario }).1;
    let starts = |h: &Heard| -> Vec<u64> {
        let span = |(at, fact): &(Micros, Fact)| match fact {
            Fact::Fleet(FleetFact::Starting { until, .. }) => Some(until.0 - at.0),
            _ => None,
        };
        h.facts.iter().filter_map(span).collect()
    };
    assert!(!starts(&first).is_empty() && starts(&first) != starts(&other));
}

#[test]
fn settings_without_a_policy_change_no_result() {
    let plain = {
        let mut s = spike(&json!({}));
        s.cluster.pools[0].scaling = tokenyard::scenario::Scaling::default();
        s
    };
    let mut set = plain.clone();
    let scaling = &mut set.cluster.pools[0].scaling;
    (scaling.min, scaling.max, scaling.tick_s, scaling.window_s) = (0, 3, 1.0, 9.0);
    let report = |s: &Scenario| {
        let mut report: Value = serde_json::from_str(&finished(s).report()).expect("a report is JSON");
        report["scenario_digest"] = json!("");
        report.to_string()
    };
    assert_eq!(report(&plain), report(&set));
    assert!(!report(&plain).contains("\"scaling\""));
}

#[test]
fn of_several_metrics_the_one_that_asks_for_most_decides_and_the_record_names_it() {
    let several = |more: Value| {
        let behavior = json!({"rules": {"down": {"stabilization_s": 20}}});
        let policy = json!({"hpa": {"metric": "kv", "target": 0.5, "more": more, "behavior": behavior}});
        heard(&spike(&json!({"policy": policy}))).1.scaled
    };
    let alone = several(json!([]));
    assert!(alone.iter().all(|r| r.decision.metric.is_none()));
    let both = several(json!([{"metric": "requests", "target": 6}]));
    let named = |metric: ScalingMetric| both.iter().filter(|r| r.decision.metric == Some(metric)).count();
    assert!(
        named(ScalingMetric::Requests) > 10 && named(ScalingMetric::Kv) > 0,
        "{}",
        named(ScalingMetric::Kv)
    );
    let most = |all: &[ScalingRecord]| all.iter().map(|r| r.decision.desired).max();
    assert!(most(&both) > most(&alone), "{:?} {:?}", most(&both), most(&alone));
    for r in both.iter().filter(|r| r.decision.metric == Some(ScalingMetric::Requests)) {
        // What its own target asks for, within the tolerance.
        let by_requests = (r.running + r.queued) / 6.0 / f64::from(r.measured.max(1));
        assert!(r.decision.recommended <= r.decision.current || by_requests > 1.0, "{r:?}");
    }
}

#[test]
fn a_window_of_nothing_decides_at_the_first_signal() {
    let policy = json!({"threshold": {"up": 0.05, "down": 0, "cooldown_s": 0}});
    let scenario = spike(&json!({"policy": policy, "window_s": 0, "tick_s": 2, "scrape_s": 2}));
    let first = heard(&scenario).1.scaled[0].clone();
    assert_eq!((first.at, first.seen_at), (Micros(2_000_000), Some(Micros(2_000_000))));
    assert_eq!(first.decision.desired, 3, "{first:?}");
    // Two seconds late, nothing is known at the first decision, and the first measurement decides the second.
    let late = spike(&json!({"policy": {"threshold": {"up": 0.05, "down": 0, "cooldown_s": 0}},
        "window_s": 0, "tick_s": 2, "scrape_s": 2, "lag_s": 2}));
    let decisions = heard(&late).1.scaled;
    assert_eq!((decisions[0].seen_at, decisions[0].decision.desired), (None, 2));
    assert_eq!((decisions[1].seen_at, decisions[1].decision.desired), (Some(Micros(2_000_000)), 3));
}

#[test]
fn later_replicas_miss_no_fewer_objectives() {
    let misses = |load_s: f64| {
        let of_seed = |seed: u64| {
            let start = json!({"phases": {"load_s": load_s, "initialise_s": 1}});
            let policy = json!({"target-utilization": {"target": 0.5, "cooldown_s": 4}});
            let scenario = Scenario { seed, ..spike(&json!({"policy": policy, "start": start})) };
            let report = finished(&scenario).report_data();
            f64::from(report.requests.arrived - report.slo.met)
        };
        (0..20).map(of_seed).sum::<f64>() / 20.0
    };
    let by_delay = [1.0, 8.0, 25.0].map(misses);
    assert!(by_delay.is_sorted() && by_delay[2] > 1.2 * by_delay[0], "{by_delay:?}");
}

#[test]
fn a_pool_scaled_to_zero_holds_new_requests_and_starts_for_them() {
    for policy in [
        json!({"keda": {"threshold": 6, "cooldown_s": 5, "behavior": {"rules": {"down": {"stabilization_s": 2}}}}}),
        json!({"kpa": {"concurrency": 10, "stable_s": 4, "panic_s": 1, "grace_s": 2}}),
    ] {
        let mut scenario = spike(&json!({"policy": policy, "min": 0, "hold_s": 40}));
        scenario.run.horizon_s = 0.0;
        // Ten requests, a minute of nothing, and ten more.
        scenario.workload.clients.clear();
        let request = |k: u64| {
            json!({"id": k.to_string(), "arrival_us": k % 10 * 300_000 + k / 10 * 60_000_000 + 1,
                "prompt": [{"text": k, "tokens": 50}], "output": {"text": k + 1, "tokens": 20}})
        };
        scenario.workload.requests =
            (0..20).map(|k| data_from_value(&request(k), "a request").expect("a request")).collect();
        let (engine, heard) = heard(&scenario);
        let zero = heard.scaled.iter().find(|r| r.decision.desired == 0 && r.decision.current > 0);
        assert!(zero.is_some(), "{policy} never slept");
        let held = heard
            .facts
            .iter()
            .filter(|(_, f)| matches!(f, Fact::Request(RequestFact::Delayed { .. })))
            .count();
        assert!(held > 0, "{policy}: nobody was held");
        assert_eq!(engine.replicas().iter().map(|r| r.totals().completed).sum::<u32>(), 20, "{policy}");
        check_serving(&heard, 2);
        // No request waits for ever: with less patience than a start takes, requests are refused.
        scenario.cluster.pools[0].scaling.hold_s = 1.0;
        let refused = finished(&scenario).requests();
        assert!(refused.rejected > 0, "{policy}: {refused:?}");
    }
}

#[test]
fn replicas_without_gpus_wait_for_them_and_are_counted() {
    let policy = json!({"oracle": {"replica_per_s": 12, "ahead_s": 8}});
    let scenario = spike(&json!({"policy": policy, "gpus": 3}));
    let (_, heard) = heard(&scenario);
    let mut there = 2_i32;
    for (_, fact) in &heard.facts {
        there += match fact {
            Fact::Fleet(FleetFact::Starting { .. }) => 1,
            Fact::Fleet(FleetFact::StartGivenUp { .. }) => -1,
            _ => 0,
        };
        assert!(
            there <= 3
                || heard.facts.iter().any(|(_, f)| matches!(f, Fact::Fleet(FleetFact::Draining { .. })))
        );
    }
    let part = finished(&scenario).report_data().scaling[0].clone();
    assert!(part.without_room > 0 && part.most_without_room == 2, "{part:?}");
    assert!(part.most_serving == 3 && part.capacity_never_reached > 0, "{part:?}");
}

#[test]
fn edits_meet_decisions_in_one_order_and_replay() {
    let policy = json!({"threshold": {"up": 0.6, "down": 0.2, "cooldown_s": 4}});
    let mut scenario = spike(&json!({"policy": policy}));
    // At the instants of decisions: a number, other settings, another policy, none.
    scenario.edits = vec![
        TimedEdit::new(10_000_000, Change::set("cluster.pools[0].replicas", 4)),
        TimedEdit::new(50_000_000, Change::set("cluster.pools[0].scaling.max", 3)),
        TimedEdit::new(60_000_000, Change::set("cluster.pools[0].scaling.policy", json!({"kpa": {}}))),
        TimedEdit::new(90_000_000, Change::set("cluster.pools[0].scaling.policy", "none")),
    ];
    let straight = finished(&scenario);
    let mut by_hand = support::start(&Scenario { edits: Vec::new(), ..scenario.clone() });
    for edit in &scenario.edits {
        by_hand.advance(Micros(edit.at_us - 1), u64::MAX);
        by_hand.advance(Micros(edit.at_us), 0);
        assert!(by_hand.apply(edit.change()).is_empty());
    }
    by_hand.advance(Micros::MAX, u64::MAX);
    let again = finished(&by_hand.scenario());
    assert_eq!(by_hand.digest(), again.digest());
    let report = straight.report_data();
    assert_eq!(report.scaling[0].policy, "none");
}

#[test]
fn a_run_without_a_horizon_ends_with_its_last_request() {
    let policy = json!({"target-utilization": {"target": 0.5, "cooldown_s": 4}});
    let mut scenario = spike(&json!({"policy": policy}));
    scenario.run.horizon_s = 0.0;
    scenario.run.max_requests = 300;
    let plan = support::plan(&scenario);
    let mut engine = Cluster::new(&plan, Source::new(&scenario, None));
    engine.advance(Micros::MAX, u64::MAX, &mut Ignore);
    let mut story = Story::default();
    let mut again = Cluster::new(&plan, Source::new(&scenario, None));
    again.advance(Micros::MAX, u64::MAX, &mut story);
    let last = story
        .facts
        .iter()
        .rev()
        .find(|(_, fact)| matches!(fact, Fact::Request(RequestFact::Completed { .. })));
    assert_eq!(Some(engine.end()), last.map(|(at, _)| *at));
}
