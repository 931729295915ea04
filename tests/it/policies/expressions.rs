//! Scorers written as expressions: they decide as what they say, and as the named scorers that they are.

use super::common::{client, cluster, edit, run};
use super::routing::{conversations, targets, weighted};
use crate::support::scenarios::started;
use tokenyard::base::Micros;
use tokenyard::engine::Decision;
use tokenyard::scenario::expression::expression_of;
use tokenyard::scenario::preset::PRESETS;
use tokenyard::scenario::{
    Change, Expression, Filter, PrefixGroups, Profile, RoutingPolicy, Scenario, Scorer, SloClass, TimedEdit,
    UtilizationFilter, Weighted, WeightedScorer,
};
use tokenyard::session::{Audience, NoticeKind};

pub(crate) fn expression(text: &str) -> Scorer {
    Scorer::Expression(Expression(text.to_owned()))
}

/// The values of `text` for each candidate of each decision of a run; none is cut to 0 to 1.
pub(crate) fn values(s: &Scenario, text: &str) -> Vec<(Decision, Vec<f64>)> {
    let mut s = s.clone();
    s.cluster.routing = weighted(&[(expression(&format!("0 + ({text})")), 1.0)]);
    let decisions = run(&s).1.decisions;
    decisions.into_iter().map(|d| (d.clone(), d.scores.summands[1].values.clone())).collect()
}

fn written_as_expressions(w: &Weighted) -> Option<Weighted> {
    let mut scorers = w.scorers();
    for row in &mut scorers {
        row.scorer = Scorer::Expression(expression_of(&row.scorer, w)?);
    }
    Some(Weighted { profile: Profile::Custom, ties: w.ties(), scorers, ..w.clone() })
}

#[test]
fn named_scorers_written_as_expressions_decide_identically() {
    let mut written = 0;
    for scorer in Scorer::NAMED {
        let settings = Weighted { token_threshold: 5000, waiting_threshold: 6, ..Weighted::default() };
        let Some(text) = expression_of(&scorer, &settings) else { continue };
        for filters in [Vec::new(), vec![Filter::Utilization(UtilizationFilter::default())]] {
            let under = |scorer: Scorer| {
                let mut s = conversations(300.0);
                let scorers = vec![WeightedScorer { scorer, weight: 1.0 }];
                let (profile, filters) = (Profile::Custom, filters.clone());
                s.cluster.routing =
                    RoutingPolicy::Weighted(Weighted { profile, filters, scorers, ..settings.clone() });
                run(&s)
            };
            let ((named, story), (by_text, other)) =
                (under(scorer.clone()), under(Scorer::Expression(text.clone())));
            assert_eq!(targets(&named), targets(&by_text), "{text:?}");
            for (a, b) in story.decisions.iter().zip(&other.decisions) {
                let pairs = a.scores.totals.iter().zip(&b.scores.totals);
                // Seconds instead of microseconds round in the last digit.
                let most = if scorer == Scorer::IdleTime { 1e-12 } else { 0.0 };
                assert!(pairs.clone().all(|(x, y)| (x - y).abs() <= most), "{text:?}: {a:?} {b:?}");
            }
        }
        written += 1;
    }
    assert_eq!(written, 15);
}

#[test]
fn presets_decide_identically_with_expressions_in_place_of_named_scorers() {
    let mut rewritten = 0;
    for preset in PRESETS {
        let mut s = preset.scenario();
        let RoutingPolicy::Weighted(w) = &s.cluster.routing else { continue };
        let Some(other) = written_as_expressions(w) else { continue };
        s.run.horizon_s = 20.0;
        s.run.warmup_s = 0.0;
        s.edits.clear();
        let (named, _) = run(&s);
        s.cluster.routing = RoutingPolicy::Weighted(other);
        let (by_text, _) = run(&s);
        assert_eq!(named.records(), by_text.records(), "{}", preset.name);
        rewritten += 1;
    }
    assert!(rewritten >= 2, "{rewritten} presets route by scorers");
}

/// What a name stands for, from what was seen.
type Signal = fn(&Decision, usize) -> f64;

#[test]
fn names_are_the_signals_they_say() {
    let mut s = conversations(300.0);
    s.workload.clients[0].slo_class = SloClass::Batch;
    let named: [(&str, Signal); 9] = [
        ("waiting", |d, i| f64::from(d.seen[i].waiting)),
        ("running", |d, i| f64::from(d.seen[i].running)),
        ("in_flight", |d, i| f64::from(d.seen[i].in_flight)),
        ("load", |d, i| f64::from(d.seen[i].load())),
        ("kv_use", |d, i| d.seen[i].kv_use()),
        ("kv_free", |d, i| 1.0 - d.seen[i].kv_use()),
        ("replicas", |_, _| 4.0),
        ("class", |_, _| 4.0),
        ("mean.waiting", |d, _| d.seen.iter().map(|v| f64::from(v.waiting)).sum::<f64>() / 4.0),
    ];
    for (text, signal) in named {
        let mut differ = false;
        for (d, values) in values(&s, text) {
            let expected: Vec<f64> = (0..4).map(|i| signal(&d, i)).collect();
            assert_eq!(values, expected, "{text}");
            differ |= values.iter().any(|x| x.total_cmp(&values[0]).is_ne());
        }
        assert_eq!(differ, !["replicas", "class", "mean.waiting"].contains(&text), "{text}");
    }
}

#[test]
fn what_a_replica_has_of_the_prompt_and_the_session_is_what_came_before() {
    let mut s = cluster(2, 8);
    // One at a time, each with the same beginning of 256 tokens.
    let prefix = PrefixGroups::new(1, 256);
    s.workload.clients = vec![tokenyard::scenario::Client { sessions: 3, prefix, ..client("chat", 0.5) }];
    s.run.max_requests = 40;
    let (prefixes, cached) = (values(&s, "prefix"), values(&s, "cached"));
    let (uncached, here) = (values(&s, "uncached_tokens"), values(&s, "session_here ? 1 : 0"));
    let prompts = values(&s, "prompt_tokens");
    let mut home: std::collections::BTreeMap<u32, usize> = std::collections::BTreeMap::new();
    let (engine, _) = run(&s);
    let (mut known, mut back) = (0, 0);
    for k in 0..40 {
        let prompt = prompts[k].1[0];
        for i in 0..2 {
            let blocks = (prompt / 16.0).floor();
            assert!((uncached[k].1[i] - (prompt - 16.0 * (cached[k].1[i] * blocks).round())).abs() < 1e-9);
            known += u32::from(prefixes[k].1[i] > 0.0);
        }
        let session = engine.records().at(k).session;
        let came = home.get(&session).copied();
        for i in 0..2 {
            assert_eq!(here[k].1[i] > 0.5, came == Some(i), "request {k} of session {session}");
        }
        back += u32::from(came.is_some());
        home.insert(session, here[k].0.chosen.expect("chosen"));
    }
    assert!(known >= 30 && back >= 30, "{known} known prompts, {back} sessions that came back");
    assert!(
        prefixes[0].1.iter().all(|x| *x <= 0.0) && cached[0].1.iter().all(|x| *x <= 0.0),
        "nothing came before"
    );
}

#[test]
fn operations_and_functions_compute_what_they_say() {
    let mut s = cluster(1, 8);
    s.workload.clients = vec![client("one", 10.0)];
    s.run.max_requests = 1;
    for (text, expected) in [
        ("1 + 2 * 3 - 4 / 8", 6.5),
        ("10 - 4 - 3", 3.0),
        ("24 / 4 / 3", 2.0),
        ("-7 % 3", -1.0),
        ("7.5 % 2", 1.5),
        ("1 < 2 ? 3 : 4", 3.0),
        ("2 <= 1 ? 3 : 4", 4.0),
        ("2 > 1 && !(1 >= 2) ? 5 : 6", 5.0),
        ("2 == 3 || 2 != 2 ? 5 : 6", 6.0),
        ("1 > 2 ? 1 : 2 > 1 ? 7 : 8", 7.0),
        ("(1 > 2) == (3 > 4) ? 1 : 0", 1.0),
        ("min(3, 1, 2) + max(3, 9, 2, 1)", 10.0),
        ("clamp(5, 0, 2) + clamp(-5, -1, 2) + clamp(1, 0, 2)", 2.0),
        ("abs(-3) + sqrt(16) + floor(2.9) + floor(-0.5)", 8.0),
        ("exp(0) + ln(1) + pow(2, 10)", 1025.0),
        ("min(1, 1 / 0)", 1.0),
        ("max(0, -1 / 0)", 0.0),
        ("0 / 0 == 0 / 0 ? 1 : 2", 2.0),
        ("0 == -0 ? 1 : 2", 1.0),
    ] {
        let found = values(&s, text)[0].1[0];
        assert!((found - expected).abs() < 1e-12, "{text}: {found}");
    }
}

#[test]
fn a_score_that_is_not_finite_becomes_0_and_is_counted() {
    let mut s = conversations(40.0);
    s.cluster.routing = weighted(&[(expression("waiting > 0 ? 0.5 : 1 / waiting"), 1.0)]);
    let (engine, story) = run(&s);
    let mut expected = 0;
    for d in &story.decisions {
        for (view, total) in d.seen.iter().zip(&d.scores.totals) {
            expected += u64::from(view.waiting == 0);
            assert!((total - if view.waiting > 0 { 0.5 } else { 0.0 }).abs() < 1e-12, "{d:?}");
        }
    }
    assert!(expected > 1000);
    assert_eq!(engine.not_finite_scores(), expected);
    let mut session = started(&s, Audience::Batch);
    session.advance(Micros::MAX, u64::MAX);
    let notices = session.notices();
    let notice = notices.iter().find(|n| n.kind == NoticeKind::NotFinite).expect("a notice");
    let digits: String = notice.text.chars().filter(char::is_ascii_digit).collect();
    assert_eq!(digits, format!("{expected}0"), "{}", notice.text);
}

#[test]
fn scores_are_cut_to_0_to_1_and_summands_are_not() {
    let mut s = conversations(200.0);
    s.cluster.routing =
        weighted(&[(expression("in_flight - 0.5 * prefix + 1"), 1.0), (Scorer::QueueDepth, 1.0)]);
    let mut above = 0;
    for d in run(&s).1.decisions {
        let texts: Vec<&str> = d.scores.summands.iter().map(|summand| &*summand.text).collect();
        assert_eq!(texts, ["in_flight", "-(0.5 * prefix)", "1"]);
        for i in 0..4 {
            let sum: f64 = d.scores.summands.iter().map(|summand| summand.values[i]).sum();
            assert!((d.scores.parts[0].values[i] - sum.clamp(0.0, 1.0)).abs() < 1e-12);
            above += u32::from(sum > 1.0);
        }
    }
    assert!(above > 1000);
}

#[test]
fn a_scorer_that_becomes_an_expression_in_mid_run_goes_on_with_what_the_router_remembers() {
    let mut s = conversations(90.0);
    s.cluster.routing = weighted(&[(Scorer::PrefixAffinity, 1.0), (Scorer::QueueDepth, 1.0)]);
    let straight = targets(&run(&s).0);
    let swap = Change::set(
        "cluster.routing.weighted.scorers[0].scorer",
        serde_json::json!({"expression": "prefix"}),
    );
    s.edits = vec![TimedEdit::new(5_000_000, swap)];
    assert_eq!(targets(&run(&s).0), straight);
    // With another expression it goes elsewhere from then on, and not before.
    let swap = Change::set(
        "cluster.routing.weighted.scorers[0].scorer",
        serde_json::json!({"expression": "1 - prefix"}),
    );
    s.edits = vec![TimedEdit::new(5_000_000, swap)];
    let (engine, _) = run(&s);
    let first = engine.records().iter().position(|r| r.routed.get().is_some_and(|at| at.0 >= 5_000_000));
    let first = first.expect("a request after the edit");
    assert_eq!(targets(&engine)[..first], straight[..first]);
    assert_ne!(targets(&engine), straight);
}

#[test]
fn an_edit_of_a_threshold_is_in_force_at_once() {
    let mut s = conversations(300.0);
    let settings = |waiting_threshold| {
        let scorers = vec![WeightedScorer { scorer: Scorer::LoadAware, weight: 1.0 }];
        RoutingPolicy::Weighted(Weighted {
            profile: Profile::Custom,
            scorers,
            waiting_threshold,
            ..Weighted::default()
        })
    };
    s.cluster.routing = settings(128);
    s.edits = vec![
        TimedEdit::new(1, edit::routing(&settings(4))),
        TimedEdit::new(1_000_000, edit::routing(&settings(2))),
    ];
    let (engine, story) = run(&s);
    let late = |d: &&Decision| {
        engine
            .records()
            .at(d.request.expect("a request").index())
            .routed
            .get()
            .is_some_and(|at| at.0 > 1_000_000)
    };
    let mut at_half = 0;
    for d in story.decisions.iter().filter(late) {
        for (view, total) in d.seen.iter().zip(&d.scores.totals) {
            assert!((total - 0.5 * (1.0 - f64::from(view.waiting.min(2)) / 2.0)).abs() < 1e-12);
            at_half += u32::from(view.waiting == 1);
        }
    }
    assert!(at_half > 10, "{at_half}");
}

#[test]
fn a_router_without_expressions_has_no_summands_of_the_router_before_it() {
    let mut s = conversations(40.0);
    s.cluster.routing = weighted(&[(expression("in_flight - waiting"), 1.0)]);
    s.edits = vec![TimedEdit::new(2_000_000, Change::set("cluster.routing", "kv-cost"))];
    let summands: Vec<usize> = run(&s).1.decisions.iter().map(|d| d.scores.summands.len()).collect();
    assert_eq!((summands.first(), summands.last()), (Some(&2), Some(&0)));
}
