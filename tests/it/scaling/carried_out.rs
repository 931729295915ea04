//! A policy whose decisions a horizontal autoscaler carries out.

use super::chats;
use crate::support::documents::scenario;
use crate::support::scaled::{heard, is_the_same_however_cut_and_saved};
use serde_json::{Value, json};
use tokenyard::engine::ScalingRecord;
use tokenyard::policy::scaling::Rule;
use tokenyard::scenario::Scenario;
use tokenyard::session::Session;

/// Six replicas with ten minutes of load and fifteen without; `carried_out_by` is that of the pool.
fn ten_minutes(carried_out_by: &Value) -> Scenario {
    let scaling =
        json!({"policy": {"wva-saturation-v2": {}}, "min": 1, "max": 6, "carried_out_by": carried_out_by});
    let document = json!({
        "cluster": {"pools": [{"replicas": 6, "model": "llama-3.1-8b", "gpu": "H100", "scaling": scaling}], "routing": "least-loaded"},
        "run": {"horizon_s": 1500, "warmup_s": 0},
        "workload": {"clients": [{"arrivals": {"poisson": {"rate_per_s": 20}},
            "rate_profile": {"windows": {"windows": [{"start_s": 0, "end_s": 600}]}},
            "prompt_tokens": {"constant": {"tokens": 3000}}, "output_tokens": {"constant": {"tokens": 600}}}]},
    });
    scenario(document)
}

/// Changes of the number of replicas from second 600 on: second, and the number from then on.
fn changes(records: &[ScalingRecord]) -> Vec<(u64, u32)> {
    let late = records.iter().filter(|r| r.at.0 >= 600_000_000 && r.decision.desired != r.decision.current);
    late.map(|r| (r.at.0 / 1_000_000, r.decision.desired)).collect()
}

#[test]
fn a_wish_for_fewer_is_carried_out_when_the_window_has_passed() {
    let by_itself = heard(&ten_minutes(&json!("policy"))).1.scaled;
    assert!(changes(&by_itself).iter().any(|(at, _)| *at < 700), "{:?}", changes(&by_itself));
    let rules = json!({"rules": {"down": {"stabilization_s": 300, "pods": 1, "percent": 0, "period_s": 60}}});
    let records = heard(&ten_minutes(&json!({"hpa": {"behavior": rules}}))).1.scaled;
    // The last wish for six is a little after 600 s, the last change before it is forgotten 300 s later; then one a minute.
    let late = changes(&records);
    assert!(late[0].0 >= 900, "{late:?}");
    assert!(late.windows(2).all(|w| w[1].0 - w[0].0 >= 60 && w[1].1 + 1 == w[0].1), "{late:?}");
    assert_eq!(late.last().map(|(_, n)| *n), Some(1), "{late:?}");
}

#[test]
fn each_wish_and_each_decision_about_it_is_a_record() {
    let records = heard(&ten_minutes(&json!({"hpa": {"sync_s": 20}}))).1.scaled;
    let at = |seconds: u64| records.iter().filter(move |r| r.at.0 == seconds * 1_000_000).collect::<Vec<_>>();
    // The policy decides every 15 s and changes nothing; the horizontal autoscaler decides every 20 s.
    assert_eq!([15, 20, 30, 40, 60].map(|t| at(t).len()), [1, 1, 1, 1, 2]);
    assert_eq!(at(15)[0].decision.desired, at(15)[0].decision.current);
    let [wish, done] = at(60)[..] else { panic!("two records") };
    assert_eq!(done.decision.recommended, wish.decision.stabilised);
    // A wish within the window is stabilised, and no replica goes before its end.
    assert!(records.iter().any(|r| r.decision.rule == Rule::Stabilised));
}

#[test]
fn a_run_is_the_same_however_cut_and_saved_with_a_carrier() {
    let scaling = json!({"policy": {"queue-depth": {"up": 2, "down": 0.2, "cooldown_s": 4}}, "min": 1, "max": 6, "tick_s": 2,
        "scrape_s": 1, "window_s": 3, "carried_out_by": {"hpa": {"sync_s": 3, "behavior": {"rules": {"down": {"stabilization_s": 20}}}}}});
    let document = json!({
        "run": {"horizon_s": 120, "warmup_s": 0},
        "cluster": {"pools": [{"replicas": 2, "engine": {"max_num_seqs": 16}, "kv": {"blocks": 600},
            "latency": {"fitted": {"step_us": 20000.0, "step_us_per_prefill_token": 30.0}}, "scaling": scaling}]},
        "workload": chats(40, 70),
    });
    let scenario = scenario(document);
    is_the_same_however_cut_and_saved(&scenario, "carried out by a horizontal autoscaler");
}

#[test]
fn a_policy_that_carries_out_its_own_decisions_is_refused() {
    let told = |pool: &Value| {
        let document = json!({"cluster": {"pools": [pool]}});
        Session::check(&document.to_string()).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let keda = told(&json!({"scaling": {"policy": {"keda": {}}, "carried_out_by": {"hpa": {}}}}));
    let place = "error: cluster.pools[0].scaling.carried_out_by: \"hpa\" with the policy \"keda\"";
    assert!(keda.len() == 1 && keda[0].starts_with(place), "{keda:?}");
    let none = json!({"replicas": 0, "scaling": {"policy": {"wva-saturation-v1": {}}, "carried_out_by": {"hpa": {}}}});
    let none = told(&none);
    assert!(
        none.len() == 1 && none[0].starts_with("error: cluster.pools[0].replicas: 0, and an HPA"),
        "{none:?}"
    );
}
