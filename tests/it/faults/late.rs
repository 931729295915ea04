//! What the gateway sees late, and what it cannot reach.

use super::{attempts, breaks, crash, in_turn, left_s, run, unreachable};
use crate::support::{Story, cluster, plan, start};
use serde_json::json;
use tokenyard::base::Micros;
use tokenyard::engine::{BreakReason, Decision, DropReason, RequestState};
use tokenyard::scenario::{
    Change, Detector, Fault, FlowControl, LateSignals, RoutingPolicy, Scenario, TimedEdit,
    UtilizationDetector,
};

fn late(replica: Option<u32>, delay_us: u64, for_s: f64) -> Fault {
    Fault::Signals(LateSignals { replica, delay_us, for_s, ..LateSignals::default() })
}

/// The decisions of a run in which that breaks at that instant.
fn decisions(s: &Scenario, at_us: u64, fault: &Fault) -> Vec<Decision> {
    let (plan, mut engine, mut story) = (plan(s), cluster(s), Story::default());
    engine.advance(Micros(at_us - 1), u64::MAX, &mut story);
    engine.fault(fault, &plan, Micros(at_us), &mut story);
    while engine.advance(Micros::MAX, 1, &mut story) == tokenyard::engine::Halt::Events {
        engine.verify(true);
    }
    story.decisions
}

/// What each decision saw running on a replica.
fn running(all: &[Decision], replica: usize) -> Vec<u32> {
    all.iter().map(|d| d.seen[replica].running).collect()
}

#[test]
fn an_attempt_at_an_unreachable_replica_breaks_when_the_time_for_a_connection_is_over() {
    let mut s = in_turn(2, &[(0, 1), (0, 3), (1_000_000, 1), (1_000_000, 1)]);
    s.cluster.resilience.connect_ms = 700.0;
    s.cluster.resilience.retries = 1;
    s.cluster.resilience.backoff_ms = 0.0;
    let session = run(&breaks(s.clone(), 0.5, unreachable(1, 0.0)));
    let broken = attempts(&session, 3);
    assert_eq!(broken.len(), 1);
    let a = broken[0];
    assert_eq!((a.replica.map(|r| r.0), a.routed, a.broke), (Some(1), Micros(1_000_000), Micros(1_700_000)));
    assert_eq!((a.reason, a.prefilled, a.generated), (BreakReason::Unreachable, 0, 0));
    // What ran on it goes on and is delivered; the request goes to the other one, behind its second.
    assert_eq!(left_s(&session), [1.0, 3.0, 2.0, 3.0]);
    // Meanwhile it counts there, and is at the gateway.
    let mut session = start(&breaks(s.clone(), 0.5, unreachable(1, 0.0)));
    session.advance(Micros(1_500_000), u64::MAX);
    assert_eq!((session.engine().in_flight(), session.engine().at_gateway()), (&[1, 2][..], 1));
    assert_eq!(session.engine().replicas()[1].in_flight(), 1);
    session.advance(Micros(1_700_000), u64::MAX);
    assert_eq!(session.engine().in_flight(), [2, 1]);
    // Without another attempt it is lost, and the report knows when the last one was sent there.
    s.cluster.resilience.retries = 0;
    let lost = run(&breaks(s.clone(), 0.5, unreachable(1, 2.0)));
    let record = lost.engine().records().at(3);
    assert_eq!((record.state(), record.drop), (RequestState::Lost, Some(DropReason::Unreachable)));
    let f = lost.report_data().faults.expect("something broke");
    let each = &f.each[0];
    assert_eq!((each.kind, each.broken, each.lost, each.detection_s), ("unreachable", 1, 1, 0.5));
    assert_eq!((f.broken[0].reason, f.broken[0].attempts, each.back_us), ("unreachable", 1, Some(2_500_000)));
    // A window that is over by then lets it through.
    let short = run(&breaks(s, 0.5, unreachable(1, 0.4)));
    assert_eq!(left_s(&short), [1.0, 3.0, 2.0, 4.0]);
}

#[test]
fn a_client_and_a_crash_find_a_request_that_waits_for_a_connection() {
    let mut s = in_turn(2, &[(0, 1), (0, 3), (1_000_000, 1), (1_000_000, 1)]);
    s.cluster.resilience.retries = 1;
    s.cluster.resilience.retry_budget_share = 1.0;
    s.workload.timeout_s = 30.0;
    let s = breaks(breaks(s, 0.5, unreachable(1, 9.0)), 1.2, crash(1, 1.0));
    let session = run(&s);
    assert_eq!(attempts(&session, 1).first().map(|a| a.reason), Some(BreakReason::Crash));
    assert_eq!(attempts(&session, 3).first().map(|a| a.reason), Some(BreakReason::Unreachable));
    assert_eq!(attempts(&session, 3).first().map(|a| a.broke), Some(Micros(2_000_000)));
}

#[test]
fn late_signals_are_as_old_as_the_fault_says_and_frozen_ones_stay() {
    // r0 runs one request from 0 to 6 s; decisions look each half second from 0.5 s on.
    let mut s = in_turn(2, &[(0, 6)]);
    s.workload.requests.extend((1..20).map(|i| super::listed(i, u64::from(i) * 500_000, 5, 40)));
    s.cluster.routing = RoutingPolicy::LeastKv;
    // Not late: r1 runs from 0.5 s on.
    let now = decisions(&s, 200_000, &late(Some(1), 1, 0.0));
    assert_eq!(running(&now, 1)[..4], [0, 0, 1, 1]);
    // Two seconds late: what began at 0.5 s is seen at 2.5 s.
    let two = decisions(&s, 200_000, &late(Some(1), 2_000_000, 0.0));
    assert_eq!(running(&two, 1)[..8], [0, 0, 0, 0, 0, 1, 1, 1]);
    // The count of requests in flight is current, and so is the truth beside the decision.
    assert_eq!(two[2].seen[1].in_flight, 1);
    assert_eq!((two[2].seen[1].load(), two[2].true_load[1]), (1, 2));
    // All of them: r0 is seen at 2 s, where nothing was late at 0.2 s.
    let all = decisions(&s, 200_000, &late(None, 2_000_000, 0.0));
    assert_eq!(running(&all, 0)[..3], [0, 1, 1]);
    // Frozen: it looks idle for good, or as long as the fault lasts.
    let frozen = decisions(&s, 200_000, &late(Some(1), 0, 0.0));
    assert!(running(&frozen, 1).iter().all(|&n| n == 0));
    let over = decisions(&s, 200_000, &late(Some(1), 0, 3.0));
    assert_eq!(running(&over, 1)[..8], [0, 0, 0, 0, 0, 0, 0, 1]);
    // Pulled signals are late too.
    s.cluster.snapshot_refresh_us = 400_000;
    let pulled = decisions(&s, 200_000, &late(Some(1), 2_000_000, 0.0));
    let seen = running(&pulled, 1);
    let first = seen.iter().position(|&n| n == 1).expect("it is seen at last");
    assert!((5..=7).contains(&first), "{seen:?}");
}

#[test]
fn frozen_signals_make_a_router_that_goes_by_them_herd() {
    let mut s = in_turn(3, &[(0, 30)]);
    s.workload.requests.extend((1..31).map(|i| super::listed(i, u64::from(i) * 1_000_000, 5, 3)));
    s.cluster.routing = RoutingPolicy::LeastKv;
    let on = |session: &tokenyard::session::Session, replica: u32| {
        session.engine().records().iter().filter(|r| r.replica().is_some_and(|id| id.0 == replica)).count()
    };
    let fresh = run(&s);
    assert!(on(&fresh, 1) > 3 && on(&fresh, 2) > 3, "{} {}", on(&fresh, 1), on(&fresh, 2));
    let herds = run(&breaks(s.clone(), 0.5, late(None, 0, 0.0)));
    assert_eq!([on(&herds, 0), on(&herds, 1), on(&herds, 2)], [1, 30, 0]);
    // In-flight counts stay current, and so does a router that goes by them.
    s.cluster.routing = RoutingPolicy::LeastLoaded;
    let counts = run(&breaks(s, 0.5, late(None, 0, 0.0)));
    assert!(on(&counts, 1) > 5 && on(&counts, 2) > 5);
}

#[test]
fn a_gateway_that_sees_a_full_replica_for_ever_stops_looking_and_goes_on_when_signals_come() {
    let mut s = in_turn(1, &[(0, 2), (0, 2), (0, 2), (2_500_000, 1)]);
    let queue = UtilizationDetector { queue_threshold: 1.0, ..UtilizationDetector::default() };
    s.cluster.flow_control = Some(FlowControl {
        detector: Detector::Utilization(queue),
        ttl_s: 0.0,
        no_replica_ttl_s: 0.0,
        ..FlowControl::default()
    });
    let frozen = |for_s| {
        let mut session = crate::support::scenarios::started(
            &breaks(s.clone(), 1.0, late(Some(0), 0, for_s)),
            tokenyard::session::Audience::Batch,
        );
        let stop = session.advance(Micros::MAX, 100_000);
        assert_eq!(stop, tokenyard::session::Stop::Finished, "looks that show nothing else have an end");
        session
    };
    let held = frozen(0.0);
    assert_eq!((held.engine().held_back(), left_s(&held)), (1, vec![2.0, 4.0, 6.0, 0.0]));
    // The signals come again at 31 s, and the gateway looks at its next tick.
    let late = frozen(30.0);
    assert_eq!((late.engine().held_back(), left_s(&late)), (0, vec![2.0, 4.0, 6.0, 32.001]));
}

#[test]
fn signals_that_become_late_after_the_latest_event_have_no_age_yet() {
    let mut s = in_turn(2, &[(0, 1), (9_000_000, 1)]);
    s.cluster.flow_control = Some(FlowControl::default());
    // The chart of the gateway's queue has a value for each of the seconds between the fault and the second request.
    let mut session = start(&breaks(s, 5.0, late(None, 60_000, 0.0)));
    session.advance(Micros::MAX, u64::MAX);
    assert_eq!(left_s(&session).len(), 2);
    assert!(session.engine().records().iter().all(|r| r.state() == RequestState::Completed));
}

#[test]
fn a_crash_that_routers_hear_of_after_the_return_is_passed_over() {
    let mut s = in_turn(1, &[(0, 1), (2_000_000, 1)]);
    s.cluster.resilience.discovery_ms = 200.0;
    let mut s = breaks(s, 1.5, crash(0, 0.1));
    // They would know of the crash at 1.7 s; from this edit on they know of the return at once, at 1.6 s.
    s.edits.push(TimedEdit::new(1_550_000, Change::set("cluster.resilience.discovery_ms", 0)));
    assert_eq!(left_s(&run(&s)), [1.0, 3.0]);
}

#[test]
fn a_router_that_wants_signals_sees_a_replica_that_starts_again_as_it_is() {
    let mut s = in_turn(2, &[(0, 1), (0, 1), (8_000_000, 1), (8_000_000, 1)]);
    let routing = json!({"weighted": {
        "profile": "custom",
        "scorers": [{"scorer": "predicted-latency", "weight": 1}],
        "filters": [{"slo-headroom": {"shed": false}}],
    }});
    s.cluster.routing = serde_json::from_value(routing).expect("a router");
    let scaling = json!({"start": {"phases": {"load_s": 1}}});
    s.cluster.pools[0].scaling = serde_json::from_value(scaling).expect("settings of scaling");
    for (at_us, replicas) in [(3_000_000, 1), (5_000_000, 2)] {
        s.edits.push(TimedEdit::new(at_us, Change::set("cluster.pools[0].replicas", replicas)));
    }
    // Every event asserts that what the router sees is what is there (INV-7).
    let session = run(&s);
    assert_eq!(session.report_data().requests.completed, 4);
    assert_eq!(session.engine().replicas().len(), 2, "the one that stopped starts again");
}
