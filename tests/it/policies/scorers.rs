//! Scorers by hand: what each makes of the signals it was given.

use super::common::run;
use super::routing::{conversations, targets, weighted};
use tokenyard::engine::Decision;
use tokenyard::scenario::{Profile, RoutingPolicy, Scorer, Ties, Weighted, WeightedScorer};

/// The decisions of a crowded run under one scorer.
fn decisions(scorer: Scorer) -> Vec<Decision> {
    let mut s = conversations(400.0);
    s.cluster.routing = weighted(&[(scorer, 1.0)]);
    run(&s).1.decisions
}

/// What `decision` gives each candidate for the first scorer.
fn values(decision: &Decision) -> &[f64] {
    &decision.scores.parts[0].values
}

/// From 1 for the smallest of `signal` to 0 for the largest; 1 for all if they are equal.
pub(crate) fn smallest_first(signal: &[f64]) -> Vec<f64> {
    let (low, high) = signal.iter().fold((f64::MAX, f64::MIN), |(l, h), &x| (l.min(x), h.max(x)));
    signal.iter().map(|x| if high > low { (high - x) / (high - low) } else { 1.0 }).collect()
}

#[test]
fn waiting_requests_scores_the_queues_and_leaves_out_what_runs() {
    let (mut uneven, mut busy) = (0, 0);
    for d in decisions(Scorer::WaitingRequests) {
        let waiting: Vec<f64> = d.seen.iter().map(|v| f64::from(v.waiting)).collect();
        assert_eq!(values(&d), smallest_first(&waiting), "{waiting:?}");
        let equal = waiting.iter().all(|w| w.total_cmp(&waiting[0]).is_eq());
        uneven += u32::from(!equal);
        busy += u32::from(equal && d.seen.iter().any(|v| v.running != d.seen[0].running));
    }
    assert!(uneven > 100 && busy > 5, "{uneven} with unequal queues, {busy} with unequal batches alone");
}

#[test]
fn the_llm_d_profile_is_prefix_3_waiting_2_kv_2_with_random_ties() {
    let mut s = conversations(300.0);
    let mut under = |weighted| {
        s.cluster.routing = RoutingPolicy::Weighted(weighted);
        targets(&run(&s).0)
    };
    let rows = [(Scorer::PrefixAffinity, 3.0), (Scorer::WaitingRequests, 2.0), (Scorer::KvUtilization, 2.0)];
    let scorers = rows.map(|(scorer, weight)| WeightedScorer { scorer, weight }).to_vec();
    let profile = under(Weighted { profile: Profile::LlmDDefault, ..Weighted::default() });
    let by_hand =
        under(Weighted { profile: Profile::Custom, scorers, ties: Ties::Random, ..Weighted::default() });
    assert_eq!(profile, by_hand);
    assert_ne!(profile, under(Weighted { ties: Ties::Random, ..Weighted::default() }), "BLIS counts batches");
}

#[test]
fn least_kv_takes_the_replica_with_the_smallest_share_of_blocks_in_use() {
    let mut s = conversations(400.0);
    s.cluster.routing = RoutingPolicy::LeastKv;
    let (_, story) = run(&s);
    let mut ties = 0;
    for d in &story.decisions {
        let used = |i: usize| d.seen[i].kv_use();
        let chosen = d.chosen.expect("nobody is refused");
        assert!((0..4).all(|i| used(i) > used(chosen) || (used(i) >= used(chosen) && i >= chosen)));
        ties += usize::from((0..4).filter(|&i| used(i) <= used(chosen)).count() > 1);
    }
    assert!(ties < 900, "{ties} of 1200 decisions were ties: the caches should differ");
}
