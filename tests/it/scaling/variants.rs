//! Pools that decide together: laws of the optimisers. A group of pools is decided about at one instant, keeps its
//! bounds and its GPUs, and does not depend on how the run is cut, saved and edited.

use crate::support;
use crate::support::documents::{put_all, scenario};
use crate::support::scaled::{finished, heard, is_the_same_however_cut_and_saved};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokenyard::base::Micros;
use tokenyard::engine::ScalingRecord;
use tokenyard::policy::scaling::optimizer::{Choice, Model, Variant, cost_aware, greedy};
use tokenyard::policy::scaling::{Bounds, Rule};
use tokenyard::scenario::{Change, Scenario, TimedEdit};
use tokenyard::session::{Audience, Session};

fn a_variant() -> impl Strategy<Value = Variant> {
    let number = prop_oneof![Just(0.0), 0.5..100.0_f64];
    (0.5..50.0_f64, number, 0..6_u32, 0..4_u32, 0..8_u32, 1..4_u32, 0..2_u32).prop_map(
        |(cost, capacity, above, min, room, gpus, budget)| {
            let max = (min + room).max(1);
            let current = (min + above).min(max);
            let bounds = Bounds { min, max };
            Variant { cost, capacity, current, bounds, least: min, gpus, budget }
        },
    )
}

fn a_model() -> impl Strategy<Value = Model> {
    let lack = prop_oneof![
        Just((0.0, 0.0)),
        (0.1..500.0_f64).prop_map(|x| (x, 0.0)),
        (0.1..500.0_f64).prop_map(|x| (0.0, x))
    ];
    (lack, 0.0..5.0_f64, prop::collection::vec(a_variant(), 1..5))
        .prop_map(|((required, spare), priority, variants)| Model { priority, required, spare, variants })
}

fn carried(model: &Model, choices: &[Choice]) -> f64 {
    let change = |(v, c): (&Variant, &Choice)| (f64::from(c.target) - f64::from(v.current)) * v.capacity;
    model.variants.iter().zip(choices).map(change).sum()
}

/// Laws of the choices for a model, for every policy.
fn check_bounds(model: &Model, choices: &[Choice]) {
    for (v, c) in model.variants.iter().zip(choices) {
        assert!((v.bounds.min..=v.bounds.max).contains(&c.target), "{v:?} {c:?}");
        assert!(
            c.target >= v.current || model.required <= 0.0,
            "one that lacks gives nothing up: {v:?} {c:?}"
        );
        assert!(
            c.target <= v.current || model.spare <= 0.0,
            "one that has too much takes nothing: {v:?} {c:?}"
        );
        assert!(c.target == v.current || v.capacity > 0.0, "nothing is known of it: {v:?} {c:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn by_cost_a_model_gets_what_it_lacks_or_all_there_is_and_gives_up_no_more_than_it_can_spare(model in a_model()) {
        let choices = cost_aware(&model);
        check_bounds(&model, &choices);
        let carried = carried(&model, &choices);
        let full = |(v, c): (&Variant, &Choice)| v.capacity <= 0.0 || c.target == v.bounds.max;
        let all_full = model.variants.iter().zip(&choices).all(full);
        assert!(model.required <= 0.0 || carried >= model.required - 1e-9 || all_full, "{model:?} {choices:?}");
        assert!(carried >= -model.spare - 1e-9, "{model:?} {choices:?}");
        let left: u32 = choices.iter().map(|c| c.target).sum();
        let were: u32 = model.variants.iter().map(|v| v.current).sum();
        assert!(left > 0 || were == 0, "the last replica stays");
    }

    #[test]
    fn where_nothing_is_capped_it_costs_at_most_a_replica_more_than_any_single_variant(model in a_model(), lack in 0.1..500.0_f64) {
        let mut model = Model { required: lack, spare: 0.0, ..model };
        for v in &mut model.variants {
            v.bounds.max = u32::MAX / 2;
        }
        let choices = cost_aware(&model);
        let paid: f64 = model.variants.iter().zip(&choices).map(|(v, c)| v.cost * f64::from(c.target - v.current)).sum();
        let grown = model.variants.iter().zip(&choices).find(|(v, c)| c.target > v.current);
        for v in model.variants.iter().filter(|v| v.capacity > 0.0) {
            // Replicas are whole: the last one of the variant that grew may be more than was needed.
            let alone = v.cost * (lack / v.capacity).ceil();
            let one = grown.map_or(0.0, |(v, _)| v.cost);
            assert!(paid <= alone + one + 1e-9, "{paid} and {alone}: {model:?}");
        }
    }

    #[test]
    fn budgets_of_gpus_are_never_exceeded_and_no_model_is_left_out_that_something_is_there_for(
        models in prop::collection::vec(a_model(), 1..4), gpus in prop::array::uniform2(0..12_u32)
    ) {
        let mut free = gpus;
        let choices = greedy(&models, &mut free);
        let mut taken = [0_u32; 2];
        for (model, choices) in models.iter().zip(&choices) {
            check_bounds(model, choices);
            for (v, c) in model.variants.iter().zip(choices) {
                taken[v.budget as usize] += c.target.saturating_sub(v.current) * v.gpus;
            }
            let fits = |(v, c): (&Variant, &Choice)| {
                v.capacity > 0.0 && c.target < v.bounds.max && free[v.budget as usize] >= v.gpus
            };
            let more = model.variants.iter().zip(choices).any(fits);
            let lacks = model.required > 0.0 && carried(model, choices) < model.required - 1e-6;
            assert!(!lacks || !more, "{models:?} {choices:?} {free:?}");
        }
        for (k, taken) in taken.into_iter().enumerate() {
            assert_eq!(taken + free[k], gpus[k], "{models:?}");
        }
    }

    #[test]
    fn the_order_of_variants_and_models_decides_nothing_but_ties(models in prop::collection::vec(a_model(), 1..4), gpus in 0..20_u32) {
        let targets = |choices: &[Choice]| -> Vec<u32> { choices.iter().map(|c| c.target).collect() };
        let turned: Vec<Model> = models.iter().rev().map(|m| {
            let variants = m.variants.iter().rev().copied().collect();
            Model { variants, ..m.clone() }
        }).collect();
        for (model, other) in models.iter().zip(turned.iter().rev()) {
            let mut back = targets(&cost_aware(other));
            back.reverse();
            assert_eq!(targets(&cost_aware(model)), back);
        }
        let found: Vec<Vec<u32>> = greedy(&models, &mut [gpus, gpus]).iter().map(|c| targets(c)).collect();
        let mut back: Vec<Vec<u32>> = greedy(&turned, &mut [gpus, gpus]).iter().map(|c| targets(c)).collect();
        back.reverse();
        for targets in &mut back {
            targets.reverse();
        }
        assert_eq!(found, back);
    }
}

const POLICIES: [&str; 4] = [
    r#"{"wva-saturation-v1": {"kv": 0.5, "kv_spare": 0.1}}"#,
    r#"{"wva-saturation-v2": {"kv": 0.5}}"#,
    r#"{"wva-queueing-model": {"ttft_ms": 400, "itl_ms": 60}}"#,
    r#"{"wva-queueing-model": {"slo_multiplier": 1.5}}"#,
];

/// A pool of a cheap and slow variant or of a dear and fast one.
fn pool(name: &str, [step_us, usd_per_hour, max]: [u32; 3], scaling: &Value) -> Value {
    let mut settings = json!({
        "min": 0, "max": max, "usd_per_hour": usd_per_hour, "tick_s": 2, "scrape_s": 1, "window_s": 3,
        "start": {"phases": {"scheduling_s": 0.5, "load_s": 2, "initialise_s": 1, "probe_s": 0.5}},
    });
    put_all(&mut settings, scaling);
    json!({
        "name": name, "replicas": 1, "engine": {"max_num_seqs": 16}, "kv": {"blocks": 400},
        "latency": {"fitted": {"step_us": step_us, "step_us_per_prefill_token": 30.0}}, "scaling": settings,
    })
}

/// A quiet half minute, thirty busy seconds, and a minute of little.
fn fleet(scaling: &Value) -> Scenario {
    let document = json!({
        "run": {"horizon_s": 120, "warmup_s": 0},
        "cluster": {"pools": [pool("slow", [24_000, 2, 3], scaling), pool("fast", [12_000, 5, 4], scaling)]},
        "workload": super::chats(30, 60),
        "slo": {"ttft_ms": 500},
    });
    scenario(document)
}

fn together(optimizer: &str, policy: &str) -> Value {
    let policy: Value = serde_json::from_str(policy).expect("a policy");
    json!({"policy": policy, "optimizer": optimizer})
}

#[test]
fn all_pools_of_a_group_are_decided_about_at_each_instant_and_keep_their_bounds() {
    for optimizer in ["cost-aware", "greedy"] {
        for policy in POLICIES {
            let (_, heard) = heard(&fleet(&together(optimizer, policy)));
            let what = format!("{optimizer} {policy}");
            let mut by_instant: BTreeMap<Micros, Vec<u32>> = BTreeMap::new();
            for r in &heard.scaled {
                by_instant.entry(r.at).or_default().push(r.pool);
                let most = if r.pool == 0 { 3 } else { 4 };
                assert!(r.decision.desired <= most, "{what}: {r:?}");
            }
            assert_eq!(by_instant.len(), 60, "{what}");
            assert!(by_instant.values().all(|pools| pools.len() == 2 && pools[0] != pools[1]), "{what}");
            let most =
                |pool: u32| heard.scaled.iter().filter(|r| r.pool == pool).map(|r| r.decision.desired).max();
            // Objectives inferred from the slow variant are so loose for the fast one that it carries most for its cost.
            let first = if policy.contains("slo_multiplier") { Some(0) } else { Some(3) };
            assert_eq!(most(0), first, "{what}: what costs least for what it carries comes first");
            assert!(most(1) > Some(1), "{what}: the others come where it does not suffice");
            let estimates = heard.scaled.iter().filter(|r| r.estimate.is_some()).map(|r| r.pool).max();
            assert_eq!(estimates, policy.contains("queueing").then_some(1), "{what}");
        }
    }
}

#[test]
fn a_run_is_the_same_however_it_is_cut_and_saved() {
    for optimizer in ["cost-aware", "greedy"] {
        for policy in POLICIES {
            let mut settings = together(optimizer, policy);
            settings["gpus"] = json!(3);
            let scenario = fleet(&settings);
            is_the_same_however_cut_and_saved(&scenario, &format!("{optimizer} {policy}"));
        }
    }
}

#[test]
fn an_edit_of_one_pool_makes_its_whole_group_begin_anew_and_replays() {
    let third = pool("third", [18_000, 3, 2], &together("cost-aware", POLICIES[1]));
    let edits = vec![
        TimedEdit::new(31_300_000, Change::set("cluster.pools[1].scaling.max", 3)),
        TimedEdit::new(45_700_000, Change::add("cluster.pools", third)),
        TimedEdit::new(70_100_000, Change::set("cluster.pools[0].replicas", 0)),
        TimedEdit::new(90_500_000, Change::set("cluster.pools[2].scaling.optimizer", "alone")),
    ];
    let scenario = Scenario { edits, ..fleet(&together("cost-aware", POLICIES[1])) };
    let straight = finished(&scenario);
    let mut by_hand = support::start(&Scenario { edits: Vec::new(), ..scenario.clone() });
    for edit in &scenario.edits {
        by_hand.advance(Micros(edit.at_us - 1), u64::MAX);
        by_hand.advance(Micros(edit.at_us), 0);
        assert!(by_hand.apply(edit.change()).is_empty());
    }
    by_hand.advance(Micros::MAX, u64::MAX);
    assert_eq!(by_hand.digest(), finished(&by_hand.scenario()).digest());
    let report = straight.report_data();
    // 15 decisions until 30 s, 7 until 45.7 s, 22 until 90.5 s, 14 until the end: two seconds from each edit on, but for the empty pool.
    let decisions: Vec<u32> = report.scaling.iter().map(|part| part.decisions).collect();
    assert_eq!(decisions, [58, 58, 36]);
    assert!(report.scaling[2].most_serving > 1, "the third variant took part: {:?}", report.scaling[2]);
}

#[test]
fn pools_with_the_same_gpu_share_their_budgets_and_one_may_use_them_all() {
    for policy in POLICIES {
        let mut settings = together("greedy", policy);
        (settings["gpus"], settings["max"]) = (json!(2), json!(9));
        let (_, heard) = heard(&fleet(&settings));
        let held = |r: &ScalingRecord| r.ready + r.pending + r.draining - r.unplaced.min(r.pending);
        let mut short = 0;
        for both in heard.scaled.chunks(2) {
            assert_eq!(both[0].at, both[1].at);
            assert!(held(&both[0]) + held(&both[1]) <= 4, "{policy}: {both:?}");
            short += both.iter().filter(|r| r.decision.rule == Rule::GpuBudget).count();
        }
        assert!(short > 0, "{policy}: more were asked for than there are GPUs");
        let most = heard.scaled.iter().map(|r| r.ready).max();
        assert!(most > Some(2), "{policy}: {most:?} replicas of one pool, on GPUs of both budgets");
    }
}

#[test]
fn a_pool_that_is_alone_in_its_group_decides_as_it_does_alone() {
    for policy in POLICIES {
        let run = |optimizer: &str| {
            let mut scenario = fleet(&together(optimizer, policy));
            scenario.cluster.pools.truncate(1);
            scenario.cluster.pools[0].scaling.min = 1;
            scenario.cluster.pools[0].scaling.max = 6;
            let desired = |r: &ScalingRecord| (r.at, r.decision.current, r.decision.desired);
            heard(&scenario).1.scaled.iter().map(desired).collect::<Vec<_>>()
        };
        assert_eq!(run("alone"), run("cost-aware"), "{policy}");
        assert_eq!(run("alone"), run("greedy"), "{policy}");
    }
}

#[test]
fn pools_that_cannot_decide_together_are_reported_with_both_names() {
    let told = |change: &dyn Fn(&mut Scenario)| -> Vec<String> {
        let mut scenario = fleet(&together("cost-aware", POLICIES[1]));
        change(&mut scenario);
        let problems = Session::start(scenario, None, Audience::Live).err().unwrap_or_default();
        problems.iter().map(ToString::to_string).collect()
    };
    assert_eq!(told(&|_| {}), [""; 0]);
    let other = |s: &mut Scenario, policy: &str| {
        s.cluster.pools[1].scaling.policy = serde_json::from_str(policy).expect("a policy");
    };
    let found = told(&|s| other(s, r#"{"hpa": {}}"#));
    let hpa = "cluster.pools[1].scaling.optimizer: \"cost-aware\" with the policy \"hpa\"; allowed: alone, or one of the policies wva-";
    assert!(found.len() == 1 && found[0].contains(hpa), "{found:?}");
    let found = told(&|s| other(s, POLICIES[0]));
    let kinds =
        "scaling.policy: wva-saturation-v1 in the pool \"fast\", wva-saturation-v2 in the pool \"slow\"";
    assert!(found.len() == 1 && found[0].contains(kinds), "{found:?}");
    let found = told(&|s| s.cluster.pools[1].scaling.tick_s = 5.0);
    let ticks = "scaling.tick_s: 5 s in the pool \"fast\", 2 s in the pool \"slow\"; allowed: 2 s";
    assert!(found.len() == 1 && found[0].contains(ticks), "{found:?}");
    // Pools of another model are another group, but not where GPUs are shared out.
    let moved = |optimizer: &'static str| {
        move |s: &mut Scenario| {
            s.cluster.pools[1].model = "qwen3-14b".to_owned();
            s.cluster.pools[1].scaling.tick_s = 5.0;
            for p in &mut s.cluster.pools {
                p.scaling.optimizer = serde_json::from_value(json!(optimizer)).expect("an optimiser");
            }
        }
    };
    assert_eq!(told(&moved("cost-aware")), [""; 0]);
    assert_eq!(told(&moved("greedy")).len(), 1);
}
