//! Attempts: their number, the back-off, the budget, and the load that crashes leave behind.

use super::{attempts, breaks, crash, fault_of, in_turn, run};
use crate::support::{Story, start};
use tokenyard::base::Micros;
use tokenyard::engine::{DropReason, FaultFact, RequestState};
use tokenyard::scenario::{RoutingPolicy, Scenario};

#[test]
fn a_request_has_one_attempt_more_than_retries_at_most() {
    let mut s = in_turn(1, &[(0, 1)]);
    s.cluster.resilience.retries = 3;
    s.cluster.resilience.discovery_ms = 60_000.0;
    let session = run(&breaks(s, 0.5, crash(0, 0.0)));
    let record = session.engine().records().at(0);
    assert_eq!((record.state(), record.drop), (RequestState::Lost, Some(DropReason::Refused)));
    assert_eq!(attempts(&session, 0).len(), 4);
    let c = session.engine().attempt_counts();
    assert_eq!((c.attempts, c.retried), (4, 3));
}

#[test]
fn back_offs_grow_up_to_the_longest_and_are_those_of_the_request() {
    let waits = |seed: u64, max_ms: f64| {
        let mut s = in_turn(1, &(0..60).map(|_| (0, 1)).collect::<Vec<_>>());
        s.seed = seed;
        s.cluster.resilience.retries = 4;
        s.cluster.resilience.retry_budget_share = 1.0;
        s.cluster.resilience.backoff_ms = 100.0;
        s.cluster.resilience.backoff_max_ms = max_ms;
        s.cluster.resilience.discovery_ms = 600_000.0;
        let session = run(&breaks(s, 0.5, crash(0, 0.0)));
        let broke = |i| attempts(&session, i).iter().map(|a| a.broke.0).collect::<Vec<_>>();
        let gaps = |at: Vec<u64>| at.windows(2).map(|w| w[1] - w[0]).collect::<Vec<u64>>();
        (0..60).map(|i| gaps(broke(i))).collect::<Vec<_>>()
    };
    let all = waits(1, 900.0);
    // Attempt k + 1 after up to (2^k - 1) times the base: 100, 300, 700 and 900 ms.
    for (k, most_us) in [100_000, 300_000, 700_000, 900_000].into_iter().enumerate() {
        let of = all.iter().map(|gaps| gaps[k]);
        let mean = of.clone().sum::<u64>() / 60;
        assert!(of.clone().all(|gap| gap <= most_us), "{k}: {:?}", of.max());
        assert!((most_us * 35 / 100..most_us * 65 / 100).contains(&mean), "{k}: {mean}");
    }
    assert_eq!(all, waits(1, 900.0));
    assert_ne!(all, waits(2, 900.0));
}

#[test]
fn retries_stay_within_the_budget() {
    let with = |share, least| {
        let mut s = in_turn(2, &(0..40).map(|_| (0, 1)).collect::<Vec<_>>());
        s.cluster.resilience.retries = 1;
        s.cluster.resilience.retry_budget_share = share;
        s.cluster.resilience.retry_budget_least = least;
        s.cluster.resilience.discovery_ms = 0.0;
        let session = run(&breaks(s, 0.5, crash(1, 0.0)));
        let f = session.report_data().faults.expect("something broke");
        (f.retried, f.budget_denied, f.lost)
    };
    // 20 break while 40 are inside, and each one that is lost leaves one less: a tenth allows 4, then 3.
    assert_eq!(with(0.0, 3), (3, 17, 17));
    assert_eq!(with(1.0, 0), (20, 0, 0));
    assert_eq!(with(0.1, 0), (4, 16, 16));
}

/// Requests at a constant rate to replicas that serve one each 100 ms.
fn steady(replicas: u32, per_s: u64, seconds: u64) -> Scenario {
    let n = per_s * seconds;
    let mut s = in_turn(replicas, &(0..n).map(|i| (i * 1_000_000 / per_s, 1)).collect::<Vec<_>>());
    if let tokenyard::scenario::LatencyModel::Fitted(f) = &mut s.cluster.pools[0].latency {
        f.step_us = 100_000.0;
    }
    s.cluster.routing = RoutingPolicy::LeastLoaded;
    s.cluster.resilience.retries = 5;
    s.cluster.resilience.retry_budget_share = 1.0;
    s.cluster.resilience.discovery_ms = 0.0;
    s
}

/// Requests inside at an instant.
fn inside(s: &Scenario, at_s: f64) -> f64 {
    let mut session = start(s);
    session.advance(Micros((at_s * 1e6) as u64), u64::MAX);
    let r = session.requests();
    f64::from(r.in_pipeline + r.queued + r.running)
}

#[test]
fn the_backlog_of_a_crash_grows_and_shrinks_by_the_spare_rates() {
    // Three replicas at 10 per second each, 25 per second: after a crash 5 per second too many for 20 s, then 5 to spare.
    let s = breaks(steady(3, 25, 60), 10.0, crash(2, 20.0));
    let slope = (inside(&s, 28.0) - inside(&s, 14.0)) / 14.0;
    assert!((slope - 5.0).abs() < 0.5, "{slope}");
    let back = (inside(&s, 44.0) - inside(&s, 34.0)) / 10.0;
    assert!((back + 5.0).abs() < 0.5, "{back}");
    // The backlog of 100 is gone after 20 s.
    assert!(inside(&s, 47.0) > 8.0 && inside(&s, 53.0) <= 4.0);
    // At 18 per second two replicas are enough.
    let stable = breaks(steady(3, 18, 60), 10.0, crash(2, 20.0));
    assert!(inside(&stable, 29.0) < 8.0);
}

#[test]
fn facts_say_what_became_of_every_attempt() {
    let mut s = in_turn(2, &(0..10).map(|i| (i * 300_000, 2)).collect::<Vec<_>>());
    s.cluster.resilience.retries = 2;
    let s = breaks(s, 1.0, crash(0, 2.0));
    let mut session = start(&s);
    session.advance(Micros::MAX, u64::MAX);
    let mut story = Story::default();
    let (plan, mut engine) = (crate::support::plan(&s), crate::support::cluster(&s));
    engine.advance(Micros(999_999), u64::MAX, &mut story);
    let edit = s.edits[0].fault.as_ref().expect("a fault");
    engine.fault(edit, &plan, Micros(1_000_000), &mut story);
    engine.advance(Micros::MAX, u64::MAX, &mut story);
    let faults: Vec<FaultFact> = story.facts.iter().filter_map(|(_, fact)| fault_of(fact)).collect();
    let count = |like: fn(&FaultFact) -> bool| faults.iter().filter(|f| like(f)).count() as u64;
    let c = engine.attempt_counts();
    assert_eq!(count(|f| matches!(f, FaultFact::Broken { .. })), c.broken.iter().sum::<u64>());
    assert_eq!(count(|f| matches!(f, FaultFact::Retried { .. })), c.retried);
    assert_eq!(count(|f| matches!(f, FaultFact::Lost { .. })), c.lost.iter().sum::<u64>());
    assert_eq!(count(|f| matches!(f, FaultFact::Down { .. } | FaultFact::Restarted { .. })), 2);
    assert_eq!(count(|f| matches!(f, FaultFact::Noticed { .. })), 2);
    assert!(c.retried > 0 && engine.attempt_counts() == session.engine().attempt_counts());
}
