//! Replicas that are restarted as planned: they drain, are down, and come back with an empty cache.

use super::{attempts, breaks, crash, in_turn, left_s, run};
use crate::support::scenarios::started;
use tokenyard::base::Micros;
use tokenyard::engine::RequestState;
use tokenyard::policy::ReplicaPhase;
use tokenyard::scenario::{Change, Fault, Restart, Scenario, Stuck, TimedEdit};
use tokenyard::session::view::FrameQuery;
use tokenyard::session::{Audience, Session};

fn restart(replica: u32, drain_s: f64, restart_s: f64) -> Fault {
    Fault::Restart(Restart { replica: Some(replica), drain_s, restart_s, ..Restart::default() })
}

/// Two replicas in turn, a request each half second of 1 s.
fn two() -> Scenario {
    in_turn(2, &(0..40).map(|i| (i * 500_000, 1)).collect::<Vec<_>>())
}

fn phase_at(s: &Scenario, at_s: f64, replica: usize) -> ReplicaPhase {
    let mut session = started(s, Audience::Live);
    session.advance(Micros((at_s * 1e6) as u64), u64::MAX);
    session.engine().replicas()[replica].phase()
}

fn all_completed(session: &Session) -> bool {
    session.engine().records().iter().all(|r| r.state() == RequestState::Completed)
}

#[test]
fn a_replica_that_is_restarted_finishes_what_it_has_and_nothing_is_lost() {
    let s = breaks(two(), 4.6, restart(1, 0.0, 3.0));
    // Request 9 came to it at 4.5 s and is done at 5.5 s; it is back at 8.5 s.
    for (at_s, phase) in [
        (4.55, ReplicaPhase::Serving),
        (4.65, ReplicaPhase::Draining),
        (5.4, ReplicaPhase::Draining),
        (5.55, ReplicaPhase::Failed),
        (8.4, ReplicaPhase::Failed),
        (8.55, ReplicaPhase::Serving),
    ] {
        assert_eq!(phase_at(&s, at_s, 1), phase, "at {at_s} s");
    }
    let mut session = started(&s, Audience::Live);
    session.advance(Micros(6_000_000), u64::MAX);
    let card = session.frame(&FrameQuery::default()).replicas[1].crash.expect("it is down");
    assert_eq!((card.broken, card.planned), (0, true));
    let session = run(&s);
    assert!(all_completed(&session));
    let f = session.report_data().faults.expect("a restart");
    assert_eq!((f.lost, f.broken.len(), f.success), (0, 0, 1.0));
    assert_eq!((f.each.len(), f.each[0].kind, f.each[0].broken), (1, "restart", 0));
    assert_eq!((f.each[0].at_us, f.each[0].back_us), (5_500_000, Some(8_500_000)));
    // Nothing was sent there meanwhile, and it gets requests again once routers know.
    let routed = |r: &tokenyard::engine::Record| r.routed.get().map_or(0.0, Micros::as_secs);
    let records = session.engine().records();
    let there = || records.iter().filter(|r| r.replica().is_some_and(|id| id.0 == 1)).map(|r| routed(&r));
    assert!(there().all(|at| !(4.6..8.5).contains(&at)), "{:?}", there().collect::<Vec<_>>());
    assert!(there().any(|at| at > 9.5));
}

#[test]
fn what_is_left_when_the_time_to_drain_is_over_breaks() {
    let mut s = in_turn(2, &[(0, 20), (100_000, 20)]);
    s.cluster.resilience.discovery_ms = 0.0;
    let session = run(&breaks(s, 2.5, restart(1, 4.0, 3.0)));
    assert_eq!(left_s(&session), [20.0, 6.5]);
    let f = session.report_data().faults.expect("a restart");
    assert_eq!((f.lost, f.each[0].broken, f.each[0].at_us), (1, 1, 6_500_000));
}

#[test]
fn an_idle_replica_is_down_at_once_and_never_back_with_0() {
    let s = breaks(in_turn(2, &[(0, 1), (6_000_000, 1), (7_000_000, 1)]), 3.0, restart(1, 30.0, 0.0));
    assert_eq!(phase_at(&s, 3.01, 1), ReplicaPhase::Failed);
    assert_eq!(phase_at(&s, 7.01, 1), ReplicaPhase::Failed);
    assert!(all_completed(&run(&s)));
}

#[test]
fn a_replica_that_is_restarted_counts_as_one_that_its_pool_has() {
    // Three are wanted while one of two drains: one more starts, not two.
    let mut s = breaks(two(), 4.6, restart(1, 0.0, 3.0));
    s.edits.push(TimedEdit::new(4_800_000, Change::set("cluster.pools[0].replicas", 3)));
    let session = run(&s);
    assert_eq!(session.engine().replicas().len(), 3);
    assert!(session.engine().replicas().iter().all(|r| r.phase() == ReplicaPhase::Serving));
    // One is wanted: the one that was to come back does not.
    let mut s = breaks(two(), 4.6, restart(1, 0.0, 3.0));
    s.edits.push(TimedEdit::new(4_800_000, Change::set("cluster.pools[0].replicas", 1)));
    let session = run(&s);
    let phases: Vec<ReplicaPhase> =
        session.engine().replicas().iter().map(tokenyard::engine::Replica::phase).collect();
    assert_eq!(phases, [ReplicaPhase::Serving, ReplicaPhase::Stopped]);
    assert!(all_completed(&session));
}

#[test]
fn a_crash_while_it_drains_breaks_its_requests_and_it_comes_back() {
    let s = in_turn(2, &[(0, 20), (100_000, 20)]);
    let both = breaks(breaks(s, 2.5, restart(1, 0.0, 3.0)), 4.0, super::crash(1, 5.0));
    assert_eq!(phase_at(&both, 8.9, 1), ReplicaPhase::Failed);
    assert_eq!(phase_at(&both, 9.1, 1), ReplicaPhase::Serving);
    let f = run(&both).report_data().faults.expect("a crash");
    assert_eq!(f.each.iter().map(|e| e.kind).collect::<Vec<_>>(), ["crash"]);
}

#[test]
fn a_run_goes_on_for_the_restart_of_a_stuck_replica_before_a_later_edit() {
    // r0 stands still for ever, with a request; its restart is due at 3 s. Nothing else happens until r1 crashes at 5 s.
    let mut s = in_turn(2, &[(0, 1), (0, 1)]);
    s.cluster.resilience.retries = 2;
    s.cluster.resilience.retry_budget_least = 10;
    let stuck = Fault::Stuck(Stuck { replica: Some(0), for_s: 0.0, ..Stuck::default() });
    let s = breaks(s, 0.5, stuck);
    let s = breaks(s, 2.0, restart(0, 1.0, 0.0));
    let session = run(&breaks(s, 5.0, crash(1, 0.0)));
    let tried: Vec<_> = attempts(&session, 0).iter().map(|a| a.broke.0).collect();
    assert_eq!(tried, [3_000_000], "it breaks when the drain is over, and r1 serves it before it crashes");
    assert!(left_s(&session).iter().all(|left| *left > 0.0 && *left < 5.0), "{:?}", left_s(&session));
}

#[test]
fn a_replica_that_is_restarted_is_paid_for_and_counted_as_down_meanwhile() {
    let s = breaks(two(), 4.6, restart(1, 0.0, 3.0));
    let session = run(&s);
    let report = session.report_data();
    let f = report.faults.expect("a restart");
    // It is down from 5.5 s to 8.5 s, and the last answer ends at 20.5 s.
    let last = session.engine().last_event_at().as_secs();
    assert!((f.availability - (1.0 - 3.0 / (2.0 * last))).abs() < 1e-9, "{} up to {last}", f.availability);
    let usd = session.engine().replicas()[1].usd_per_hour().expect("a price");
    assert_eq!(f.each[0].usd_while_down, Some(usd * 3.0 / 3600.0));
    let paid = report.cost.usd.expect("a price");
    assert!((paid - 2.0 * last * usd / 3600.0).abs() < 1e-9, "{paid} up to {last}");
    let mut now = started(&s, Audience::Live);
    now.advance(Micros(7_000_000), u64::MAX);
    assert_eq!(now.frame(&FrameQuery::default()).key.faults.map(|f| (f.down, f.degraded)), Some((1, 0)));
}
