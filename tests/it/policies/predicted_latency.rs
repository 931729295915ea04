//! Routing by predicted latency, by hand and in every run.

use super::common::run;
use super::real_routers::{decisions, request, two};
use super::routing::{conversations, targets};
use tokenyard::engine::Decision;
use tokenyard::policy::Reason;
use tokenyard::policy::routing::Excluded;
use tokenyard::scenario::{
    ClassTargets, Filter, HeadroomChoice, KvBlocks, LatencyModel, LatencyPrediction, Profile, RoutingPolicy,
    Scenario, Scorer, Slo, SloClass, SloHeadroomFilter, Weighted, WeightedScorer,
};

/// The filter and the scorer with these predictions.
pub(crate) fn predicting(prediction: LatencyPrediction) -> RoutingPolicy {
    with_filter(prediction, SloHeadroomFilter::default())
}

fn with_filter(prediction: LatencyPrediction, filter: SloHeadroomFilter) -> RoutingPolicy {
    RoutingPolicy::Weighted(Weighted {
        profile: Profile::Custom,
        scorers: vec![WeightedScorer { scorer: Scorer::PredictedLatency, weight: 1.0 }],
        filters: vec![Filter::SloHeadroom(filter)],
        prediction,
        ..Weighted::default()
    })
}

fn plain() -> RoutingPolicy {
    with_filter(LatencyPrediction::default(), SloHeadroomFilter { epsilon: 0.0, shed: false })
}

fn aiming(mut s: Scenario, ttft_ms: f64, tpot_ms: f64) -> Scenario {
    s.slo = Slo { ttft_ms, tpot_ms, ..Slo::default() };
    s
}

/// 164 tokens at 0 ms, which replica 0 computes until 2.64 ms, and 100 others at 1 ms.
fn second(routing: RoutingPolicy, ttft_ms: f64, tpot_ms: f64) -> Decision {
    let list = vec![request(0, 1, 10, 100), request(1, 2, 6, 100)];
    decisions(&aiming(two(routing, list), ttft_ms, tpot_ms)).remove(1)
}

#[test]
fn the_filter_leaves_out_what_is_predicted_to_miss() {
    // At 1 ms replica 0 has 164 tokens ahead and 1 in the batch: 264 tokens take 1 + 2.64 + 0.02 ms, a token for two
    // 1.04 ms. Replica 1 takes 1 + 1 ms and 1.02 ms.
    let headroom = |d: &Decision| match d.excluded.as_slice() {
        [Some(Excluded::Headroom { ttft_ms, tpot_ms }), None] => Some([*ttft_ms, *tpot_ms]),
        _ => None,
    };
    let missed = second(plain(), 3.0, 50.0);
    let found = headroom(&missed).expect("replica 0 is left out");
    assert!((found[0] + 0.66).abs() < 1e-9 && (found[1] - 48.96).abs() < 1e-9, "{found:?}");
    assert_eq!(missed.chosen, Some(1));
    // Both meet it: the one with the least headroom is chosen.
    let both = second(plain(), 3.7, 50.0);
    assert_eq!((headroom(&both), both.chosen), (None, Some(0)));
    // The TPOT decides too, and exploring keeps the other kind.
    assert!(headroom(&second(plain(), 9.0, 1.03)).is_some());
    let explores = with_filter(LatencyPrediction::default(), SloHeadroomFilter { epsilon: 1.0, shed: false });
    let other = second(explores, 3.0, 50.0);
    assert!(matches!(other.excluded.as_slice(), [None, Some(Excluded::Headroom { .. })]));
    assert_eq!(other.chosen, Some(0));
    // None meets it: all are kept.
    assert!(second(plain(), 1.9, 50.0).excluded.iter().all(Option::is_none));
}

#[test]
fn each_class_has_its_objectives() {
    let chosen = |class: &str| {
        let mut list = vec![request(0, 1, 10, 100), request(1, 2, 6, 100)];
        list[1].slo_class = class.to_owned();
        let mut s = aiming(two(plain(), list), 3.7, 50.0);
        let own = ClassTargets { class: SloClass::Critical, ttft_ms: 3.0, ..ClassTargets::default() };
        s.slo.classes = vec![own];
        decisions(&s).remove(1).chosen
    };
    assert_eq!((chosen("critical"), chosen("standard"), chosen("")), (Some(1), Some(0), Some(0)));
}

#[test]
fn stale_signals_are_looked_at_again_when_they_have_their_age() {
    let chosen = |staleness_ms| {
        let prediction = LatencyPrediction { staleness_ms, ..LatencyPrediction::default() };
        second(with_filter(prediction, SloHeadroomFilter { epsilon: 0.0, shed: false }), 3.0, 50.0).chosen
    };
    // Seen at 0 ms, before the first request went there, both look alike.
    assert_eq!((chosen(1.0), chosen(1.001)), (Some(1), Some(0)));
    // Signals that are never looked at again make all replicas alike for prompts that none knows.
    let prediction = LatencyPrediction { staleness_ms: 1e6, ..LatencyPrediction::default() };
    let list = (0..20).map(|k| request(k, k, 5, 50)).collect();
    let s = aiming(two(predicting(prediction), list), 1000.0, 50.0);
    assert_eq!(targets(&run(&s).0), [0; 20]);
}

#[test]
fn what_was_sent_before_is_not_computed_again() {
    // At 20 ms replica 0 has one request in its batch and was sent 160 of 164 tokens: 1 + 0.04 + 0.02 ms.
    let list = vec![request(0, 1, 10, 100), request(20, 1, 10, 100)];
    let last = decisions(&aiming(two(plain(), list), 2.0, 50.0)).remove(1);
    assert_eq!(last.chosen, Some(0));
    assert!(
        matches!(last.excluded.as_slice(), [None, Some(Excluded::Headroom { ttft_ms, .. })] if (ttft_ms + 0.64).abs() < 1e-9)
    );
}

#[test]
fn requests_that_can_wait_are_refused_if_nothing_is_predicted_to_meet_the_objectives() {
    let outcome = |class: &str, ttft_ms: f64, blocks: u32, shed: bool| {
        let filter = SloHeadroomFilter { epsilon: 0.0, shed };
        // Both replicas compute 164 tokens when the third request comes.
        let mut list = vec![request(0, 1, 10, 100), request(1, 2, 10, 100), request(2, 3, 6, 1)];
        list[2].slo_class = class.to_owned();
        let mut s = aiming(two(with_filter(LatencyPrediction::default(), filter), list), ttft_ms, 50.0);
        s.cluster.pools[0].kv.blocks = KvBlocks::Count(blocks);
        run(&s).0.records().iter().nth(2).and_then(|r| r.refused)
    };
    assert_eq!(outcome("sheddable", 2.0, 100, true), Some(Reason::NoCandidate));
    assert_eq!(outcome("background", 2.0, 100, true), Some(Reason::NoCandidate));
    for (class, ttft_ms, blocks, shed) in [
        ("standard", 2.0, 100, true),     // it cannot wait
        ("sheddable", 9.0, 100, true),    // it is predicted to be in time
        ("sheddable", 2.0, 10_000, true), // 11 of 10,000 blocks are less than 2 %
        ("sheddable", 2.0, 100, false),
    ] {
        assert_eq!(outcome(class, ttft_ms, blocks, shed), None, "{class} {ttft_ms} {blocks} {shed}");
    }
}

#[test]
fn noise_and_exploration_are_draws_of_their_own() {
    let run_of = |prediction, epsilon| {
        let mut s = aiming(conversations(700.0), 12.0, 50.0);
        s.cluster.routing = with_filter(prediction, SloHeadroomFilter { epsilon, shed: false });
        run(&s)
    };
    let noisy = |noise| LatencyPrediction { noise, ..LatencyPrediction::default() };
    let exact = targets(&run_of(noisy(0.0), 0.0).0);
    assert_ne!(exact, targets(&run_of(noisy(0.5), 0.0).0));
    assert_eq!(exact, targets(&run_of(LatencyPrediction::default(), 0.0).0));
    // Of decisions between both kinds a fifth keeps those that miss.
    let (_, story) = run_of(noisy(0.0), 0.2);
    let (mut both, mut misses) = (0.0, 0.0);
    for d in &story.decisions {
        let left_out = d.excluded.iter().flatten().next();
        if let Some(Excluded::Headroom { ttft_ms, tpot_ms }) = left_out {
            both += 1.0;
            misses += if *ttft_ms >= 0.0 && *tpot_ms >= 0.0 { 1.0 } else { 0.0 };
        }
    }
    let off: f64 = misses / both - 0.2;
    assert!(both > 200.0 && off.abs() < 4.0 * (0.16_f64 / both).sqrt(), "{misses} of {both}");
}

/// Of two pools one has steps three times as long, which its latency model says.
#[test]
fn more_requests_are_in_time_than_in_turn() {
    let in_time = |routing| {
        let mut s = aiming(conversations(600.0), 20.0, 50.0);
        let mut slow = s.cluster.pools[0].clone();
        slow.name = "slow".to_owned();
        let LatencyModel::Fitted(line) = &mut slow.latency else { panic!("a fitted pool") };
        line.step_us = 3000.0;
        line.step_us_per_prefill_token = 30.0;
        s.cluster.pools.push(slow);
        s.cluster.routing = routing;
        let (engine, _) = run(&s);
        engine.records().iter().filter(|r| r.ttft.get().is_some_and(|t| t.0 <= 20_000)).count()
    };
    let prediction = LatencyPrediction { headroom: HeadroomChoice::Most, ..LatencyPrediction::default() };
    let spread = with_filter(prediction, SloHeadroomFilter { epsilon: 0.0, shed: false });
    let (predicted, in_turn) = (in_time(spread), in_time(RoutingPolicy::RoundRobin));
    assert!(predicted > in_turn + 20, "{predicted} against {in_turn}");
}
