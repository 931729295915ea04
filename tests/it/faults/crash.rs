//! Replicas that crash and come back.

use super::{attempts, breaks, crash, in_turn, left_s, run};
use crate::support::documents::scenario;
use serde_json::json;
use tokenyard::base::Micros;
use tokenyard::engine::{BreakReason, DropReason, RequestState};
use tokenyard::policy::ReplicaPhase;
use tokenyard::scenario::Scenario;
use tokenyard::session::view::LifePhase;
use tokenyard::session::{Audience, Session};

fn states(session: &Session) -> Vec<RequestState> {
    session.engine().records().iter().map(|r| r.state()).collect()
}

#[test]
fn without_retries_exactly_the_requests_inside_are_lost() {
    // One server, a request each second of two tokens: at 5.5 s number 2 runs, 3 to 5 wait; the others come after the crash.
    let s = in_turn(1, &(0..9).map(|i| (i * 1_000_000, 2)).collect::<Vec<_>>());
    let session = run(&breaks(s, 5.5, crash(0, 3.0)));
    let lost: Vec<usize> = (0..9).filter(|&i| states(&session)[i] == RequestState::Lost).collect();
    // 6 to 8 come while it is down, as routers do not know yet: 6 at 6 s, before 6.5 s; 7 and 8 find nobody.
    assert_eq!(lost, [2, 3, 4, 5, 6, 7, 8], "{:?}", left_s(&session));
    let why = |i: usize| session.engine().records().at(i).drop;
    assert_eq!([2, 3, 4, 5].map(why), [Some(DropReason::Crash); 4]);
    assert_eq!([6, 7].map(why), [Some(DropReason::Refused), Some(DropReason::NoReplica)]);
    let report = session.report_data();
    let f = report.faults.as_ref().expect("something broke");
    assert_eq!((f.lost, report.requests.lost, f.retried, report.requests.completed), (7, 7, 0, 2));
    assert!(report.requests.conserved);
    let broken: Vec<_> = f.broken.iter().map(|b| (b.reason, b.attempts, b.lost)).collect();
    assert_eq!(broken, [("crash", 4, 4), ("refused", 1, 1), ("no-replica", 2, 2)]);
    // 3 of 8.5 s.
    let c = &f.each[0];
    assert_eq!((c.at_us, c.replica, c.back_us, c.broken), (5_500_000, Some(0), Some(8_500_000), 5));
    assert!((c.detection_s - 0.5).abs() < 1e-9, "{c:?}");
}

#[test]
fn a_replica_that_is_down_has_nothing_and_comes_back_empty() {
    let mut s = in_turn(2, &(0..40).map(|i| (i * 400_000, 3)).collect::<Vec<_>>());
    s.cluster.pools[0].kv.prefix_caching = true;
    s.cluster.resilience.retries = 3;
    s.cluster.resilience.retry_budget_least = 10;
    s.cluster.resilience.discovery_ms = 100.0;
    let mut session = crate::support::scenarios::started(&breaks(s, 4.1, crash(1, 5.0)), Audience::Live);
    session.advance(Micros(4_050_000), u64::MAX);
    assert!(session.engine().replicas()[1].kv().used() > 0);
    session.advance(Micros(4_200_000), u64::MAX);
    let r = &session.engine().replicas()[1];
    assert_eq!((r.phase(), r.in_flight(), r.kv().used(), r.kv().cached()), (ReplicaPhase::Failed, 0, 0, 0));
    assert_eq!(r.down_until(), Some(Micros(9_100_000)));
    session.advance(Micros(9_150_000), u64::MAX);
    assert_eq!(session.engine().replicas()[1].phase(), ReplicaPhase::Serving);
    session.advance(Micros::MAX, u64::MAX);
    crate::support::scenarios::sound(&session);
    let on = |t: u64, i: u32| {
        let routed = session.engine().records().iter().filter(|r| r.routed.get().is_some_and(|at| at.0 > t));
        routed.filter(|r| r.replica().is_some_and(|id| id.0 == i)).count()
    };
    assert!(on(9_200_000, 1) > 0, "it takes requests again once routers know");
    assert!(session.report_data().requests.completed == 40, "{:?}", session.report_data().faults);
}

#[test]
fn what_was_under_way_is_tried_elsewhere_from_nothing() {
    // Number 1 runs on r1, its first token due at 1 s; it crashes at 0.5 s, and r0 serves it after number 0.
    let mut s = in_turn(2, &[(0, 1), (0, 1)]);
    s.cluster.resilience.retries = 1;
    let session = run(&breaks(s, 0.5, crash(1, 0.0)));
    assert_eq!(left_s(&session), [1.0, 2.0]);
    let broken = attempts(&session, 1);
    assert_eq!(broken.len(), 1);
    let a = broken[0];
    assert_eq!((a.replica.map(|r| r.0), a.routed, a.broke), (Some(1), Micros(0), Micros(500_000)));
    assert_eq!((a.reason, a.prefilled, a.generated), (BreakReason::Crash, 5, 0));
    let record = session.engine().records().at(1);
    assert!(record.routed.get().is_some_and(|at| at.0 >= 500_000) && record.arrival == Micros(0));
    assert!(record.ttft.get().is_some_and(|ttft| ttft.0 == 2_000_000), "TTFT counts from the arrival");
}

#[test]
fn an_answer_that_has_begun_is_lost_unless_it_is_resumed() {
    let with = |resume| {
        let mut s = in_turn(2, &[(0, 1), (0, 5)]);
        s.cluster.resilience.retries = 1;
        s.cluster.resilience.resume = resume;
        run(&breaks(s, 2.5, crash(1, 0.0)))
    };
    let lost = with(false);
    assert_eq!(lost.engine().records().at(1).drop, Some(DropReason::Crash));
    assert_eq!(lost.report_data().faults.map(|f| (f.wasted_decode_tokens, f.budget_denied)), Some((2, 0)));
    // Two tokens at 1 and 2 s. The third follows where its prompt and they are computed again, then one each second.
    let resumed = with(true);
    let record = resumed.engine().records().at(1);
    assert_eq!((record.state(), record.generated), (RequestState::Completed, 5));
    assert!(record.ttft.get().is_some_and(|ttft| ttft.0 == 1_000_000), "TTFT stays");
    let done = record.left.get().expect("it is done").0;
    assert!((5_500_000..5_530_000).contains(&done), "{done}");
    assert_eq!(record.replica().map(|r| r.0), Some(0));
    let gaps = record.itl_sum.0;
    assert_eq!(gaps, done - 1_000_000, "one long gap among four");
}

#[test]
fn time_in_which_a_replica_is_down_is_paid_for_and_not_available() {
    let mut s = in_turn(2, &[(0, 1), (0, 1), (20_000_000, 1)]);
    s.run.horizon_s = 40.0;
    let session = run(&breaks(s, 10.0, crash(1, 10.0)));
    let f = session.report_data().faults.expect("something broke");
    let last = session.engine().last_event_at().as_secs();
    assert!((f.availability - (1.0 - 10.0 / (2.0 * last))).abs() < 1e-9, "{} up to {last}", f.availability);
    assert!(session.report_data().replicas[1].up_s > last - 1e-6);
    let ten_seconds = session.engine().replicas()[1].usd_per_hour().map(|usd| usd * 10.0 / 3600.0);
    assert!(ten_seconds.is_some_and(|usd| usd > 0.0));
    assert_eq!(f.each[0].usd_while_down, ten_seconds);
}

#[test]
fn the_card_of_a_replica_that_is_down_says_what_its_crash_broke() {
    let s = breaks(in_turn(2, &[(0, 9), (0, 9)]), 2.5, crash(1, 4.0));
    let mut session = crate::support::scenarios::started(&s, Audience::Live);
    session.advance(Micros(2_400_000), u64::MAX);
    let kv = session.engine().replicas()[1].kv();
    let blocks_at_2_s = kv.used() + kv.cached();
    assert!(blocks_at_2_s > 0);
    session.advance(Micros(3_000_000), u64::MAX);
    let frame = session.frame(&tokenyard::session::view::FrameQuery::default());
    let card = &frame.replicas[1];
    assert_eq!(
        card.life.map(|l| (l.phase, l.since_us, l.ready_us)),
        Some((LifePhase::Down, 2_500_000, 6_500_000))
    );
    assert_eq!(card.crash.map(|c| (c.broken, c.lost, c.planned)), Some((1, 1, false)));
    assert_eq!((frame.counts.lost, frame.counts.conserved), (1, true));
    assert!(frame.replicas[0].crash.is_none());
    let [one] = frame.faults.as_slice() else { panic!("one fault: {:?}", frame.faults) };
    assert_eq!(
        (one.kind, one.at_us, one.replica, one.back_us),
        ("crash", 2_500_000, Some(1), Some(6_500_000))
    );
    assert_eq!((one.broken, one.lost, one.wasted_prefill_tokens, one.wasted_decode_tokens), (1, 1, 5, 2));
    assert_eq!(one.known_s, None, "routers learn of it a second after the crash");
    // A prompt of five tokens and two of its answer, by blocks of the scenario's size.
    assert_eq!(one.kv_blocks_lost, Some(blocks_at_2_s), "what was in its cache");
    session.advance(Micros(7_000_000), u64::MAX);
    let after = session.frame(&tokenyard::session::view::FrameQuery::default());
    assert!(after.replicas[1].crash.is_none(), "it is back");
    assert_eq!(after.faults.first().and_then(|one| one.known_s), Some(1.0));
}

fn of_presets() -> Scenario {
    let mut s = crate::support::preset("chat-4xh100", 12.0);
    s.edits.clear();
    s.cluster.resilience.retries = 2;
    breaks(breaks(s, 4.0, crash(1, 3.0)), 5.0, crash(2, 0.0))
}

#[test]
fn a_run_with_crashes_is_the_same_whether_cut_saved_or_run_at_once() {
    let s = of_presets();
    let mut whole = crate::support::start(&s);
    whole.advance(Micros::MAX, u64::MAX);
    let mut cut = crate::support::start(&s);
    while cut.advance(Micros::MAX, 997) == tokenyard::session::Stop::Events {
        let saved = cut.snapshot();
        assert!(cut.restore(&saved).is_ok(), "a snapshot that was just saved");
    }
    assert_eq!(cut.digest(), whole.digest());
    assert!(whole.report_data().faults.is_some_and(|f| f.retried > 0 && f.each.len() == 2));
}

#[test]
fn the_keys_alone_change_nothing_but_the_digest_of_the_scenario() {
    let mut plain = crate::support::preset("chat-4xh100", 6.0);
    plain.edits.clear();
    let mut with = plain.clone();
    with.cluster.resilience.retries = 5;
    with.cluster.resilience.resume = true;
    let results = |s: &Scenario| {
        let mut session = crate::support::start(s);
        session.advance(Micros::MAX, u64::MAX);
        let mut report = serde_json::to_value(session.report_data()).expect("a report is JSON");
        report["scenario_digest"] = serde_json::Value::Null;
        report
    };
    assert_eq!(results(&with), results(&plain));
}

#[test]
fn a_replica_that_crashes_before_it_has_served_is_no_trouble_for_what_looks_for_imbalance() {
    let document = json!({
        "tokenyard": 1,
        "run": {"horizon_s": 5, "warmup_s": 0},
        "cluster": {"pools": [{
            "name": "p",
            "replicas": 0,
            "scaling": {
                "policy": {"threshold": {}}, "min": 1, "max": 2, "tick_s": 0.2, "hold_s": 5,
                "start": {"phases": {"load_s": 2}},
            },
        }]},
        "edits": [{"at_us": 1_000_000, "fault": {"crash": {"replica": 0, "restart_s": 0.5}}}],
    });
    let s = scenario(document);
    let session = run(&s);
    assert_eq!(session.report_data().faults.expect("a crash").each.len(), 1);
}
