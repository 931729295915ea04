//! Faults that last for a while: slow and stuck replicas.

use super::{breaks, in_turn, left_s, run, stuck};
use crate::support::start;
use tokenyard::base::Micros;
use tokenyard::scenario::{Fault, RoutingPolicy, Scenario, Slow};

fn slow(replica: u32, factor: f64, for_s: f64) -> Fault {
    Fault::Slow(Slow { replica: Some(replica), factor, for_s, ..Slow::default() })
}

#[test]
fn steps_that_begin_while_a_replica_is_slow_take_factor_times_as_long() {
    // Steps from 0, 1 and 2 s; the third takes 3 s, and the one from 5 s is as fast as before.
    let s = in_turn(1, &[(0, 6)]);
    assert_eq!(left_s(&run(&breaks(s.clone(), 1.5, slow(0, 3.0, 3.0)))), [8.0]);
    // A window that ends at 5 s does not cover the step that begins then; one that begins at 2 s covers that of 2 s.
    assert_eq!(left_s(&run(&breaks(s.clone(), 2.0, slow(0, 3.0, 3.0)))), [8.0]);
    // Twice and three times as slow: the step of 2 s takes 6 s.
    let both = breaks(breaks(s.clone(), 1.5, slow(0, 3.0, 2.0)), 1.6, slow(0, 2.0, 1.0));
    assert_eq!(left_s(&run(&both)), [11.0]);
    // For good.
    assert_eq!(left_s(&run(&breaks(s, 1.5, slow(0, 3.0, 0.0)))), [14.0]);
}

#[test]
fn a_step_of_a_stuck_replica_ends_as_much_later_and_what_comes_waits() {
    // The step from 1 s ends 5 s later, at 7 s.
    let s = in_turn(1, &[(0, 4), (3_000_000, 1)]);
    let session = run(&breaks(s.clone(), 1.5, stuck(0, 5.0)));
    assert_eq!(left_s(&session), [9.0, 10.0]);
    // Longer by what the second window adds: up to 8.5 s.
    let twice = breaks(breaks(s.clone(), 1.5, stuck(0, 5.0)), 3.5, stuck(0, 5.0));
    assert_eq!(left_s(&run(&twice)), [11.0, 12.0]);
    // Idle: the step begins when it works again.
    let idle = in_turn(1, &[(3_000_000, 1)]);
    assert_eq!(left_s(&run(&breaks(idle, 1.5, stuck(0, 5.0)))), [7.5]);
    // For good: the requests stay, and the run ends.
    let ever = run(&breaks(s, 1.5, stuck(0, 0.0)));
    assert_eq!(left_s(&ever), [0.0, 0.0]);
    assert_eq!(ever.engine().replicas()[0].stuck_until(Micros(2_000_000)), Some(Micros::MAX));
}

/// Requests inside at an instant, with two replicas of 10 requests per second, the first of which is slow by 4.
fn inside(routing: RoutingPolicy, per_s: u64, at_s: u64) -> f64 {
    let mut s: Scenario =
        in_turn(2, &(0..per_s * 100).map(|i| (i * 1_000_000 / per_s, 1)).collect::<Vec<_>>());
    if let tokenyard::scenario::LatencyModel::Fitted(f) = &mut s.cluster.pools[0].latency {
        f.step_us = 100_000.0;
    }
    s.cluster.routing = routing;
    let mut session = start(&breaks(s, 0.0, slow(0, 4.0, 0.0)));
    session.advance(Micros(at_s * 1_000_000), u64::MAX);
    let r = session.requests();
    f64::from(r.in_pipeline + r.queued + r.running)
}

#[test]
fn with_one_of_two_slow_round_robin_is_unstable_long_before_least_loaded() {
    // Round robin from 2 × 10 / 4 = 5 per second on, by λ/2 − 2.5; least loaded from 10 × (1 + 1/4) = 12.5 on.
    assert!(inside(RoutingPolicy::RoundRobin, 4, 90) < 6.0);
    let slope = (inside(RoutingPolicy::RoundRobin, 8, 90) - inside(RoutingPolicy::RoundRobin, 8, 10)) / 80.0;
    assert!((slope - 1.5).abs() < 0.1, "{slope}");
    assert!(inside(RoutingPolicy::LeastLoaded, 8, 90) < 6.0);
    assert!(inside(RoutingPolicy::LeastLoaded, 12, 90) < 12.0);
    let slope =
        (inside(RoutingPolicy::LeastLoaded, 14, 90) - inside(RoutingPolicy::LeastLoaded, 14, 10)) / 80.0;
    assert!((slope - 1.5).abs() < 0.1, "{slope}");
}

#[test]
fn the_card_and_the_timeline_know_what_is_wrong_and_for_how_long() {
    let s = breaks(in_turn(2, &[(0, 9), (0, 9)]), 1.5, slow(1, 3.0, 4.0));
    let mut session = start(&s);
    session.advance(Micros(2_000_000), u64::MAX);
    let frame = session.frame(&tokenyard::session::view::FrameQuery::default());
    let faults = &frame.replicas[1].faults;
    assert_eq!((faults[0].kind, faults[0].factor, faults[0].until_us), ("slow", 3.0, Some(5_500_000)));
    assert!(frame.replicas[0].faults.is_empty());
    let flag = frame.flags[0].fault.as_ref().expect("a fault");
    assert_eq!((flag.kind, flag.replica, flag.until_us), ("slow", Some(1), Some(5_500_000)));
    assert_eq!(frame.flags[0].label, "slow r1 ×3 for 4 s");
    assert!(frame.key.faults.is_some_and(|f| (f.availability - 1.0).abs() < 1e-9 && f.lost == 0));
}
