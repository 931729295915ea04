//! Running to the next occurrence of something stops right after the event that caused it, and not before.

use crate::support::{edit, preset, start};
use tokenyard::base::Micros;
use tokenyard::scenario::{AdmissionPolicy, RateLimit, Scenario, TimedEdit};
use tokenyard::session::view::{AnomalyKind, EventKind, EventRow, EventsQuery, Frame, FrameQuery};
use tokenyard::session::{Occasion, Session, Stop};

fn run_to(session: &mut Session, occasion: Occasion) -> Stop {
    let mut awaited = session.begin_to(occasion);
    loop {
        let stop = session.advance_to(&mut awaited, 100);
        if stop != Stop::Events {
            return stop;
        }
    }
}

/// The log lines of a kind up to now.
fn lines(session: &Session, kind: EventKind) -> Vec<EventRow> {
    session.event_rows(&EventsQuery { kinds: vec![kind], limit: 5000, ..EventsQuery::default() }).rows
}

fn frame(session: &Session) -> Frame {
    session.clone().frame(&FrameQuery::default())
}

/// The same run one event earlier.
fn before(scenario: &Scenario, session: &Session) -> Session {
    let mut earlier = start(scenario);
    while earlier.events() + 1 < session.events() {
        earlier.advance(Micros::MAX, session.events() - 1 - earlier.events());
    }
    earlier
}

#[test]
fn what_the_engine_does_is_met_at_its_event() {
    let scenario = preset("kv-pressure", 60.0);
    for (occasion, kind) in [
        (Occasion::Preemption, EventKind::Preempted),
        (Occasion::Event(EventKind::Blocked), EventKind::Blocked),
        (Occasion::Event(EventKind::FirstToken), EventKind::FirstToken),
    ] {
        let mut session = start(&scenario);
        for _ in 0..3 {
            let known = lines(&session, kind).len();
            assert_eq!(run_to(&mut session, occasion), Stop::Until, "{occasion:?}");
            let now = lines(&session, kind);
            assert!(now.len() > known, "{occasion:?}");
            assert!(now[known..].iter().all(|row| row.at_us == session.now().0), "{occasion:?}: {now:?}");
        }
    }
}

#[test]
fn each_refusal_is_met_at_the_instant_of_its_line_in_the_log() {
    let refused = |session: &Session| lines(session, EventKind::Rejected);
    let mut scenario = preset("chat-4xh100", 20.0);
    scenario.edits.clear();
    let limit = RateLimit { requests_per_s: 3.0, burst: 2, ..RateLimit::default() };
    scenario.cluster.admission = AdmissionPolicy::RateLimit(limit);
    let mut session = start(&scenario);
    for n in 1..=3 {
        assert_eq!(run_to(&mut session, Occasion::Refusal), Stop::Until);
        let now = refused(&session);
        assert_eq!(now.len(), n, "one refusal for each stop: {now:?}");
        assert_eq!(now[n - 1].at_us, session.now().0);
        assert_eq!(refused(&before(&scenario, &session)).len(), n - 1, "not an event later");
    }
}

#[test]
fn what_does_not_happen_ends_at_the_end() {
    let scenario = preset("chat-4xh100", 5.0);
    let mut session = start(&scenario);
    assert_eq!(run_to(&mut session, Occasion::Event(EventKind::Dropped)), Stop::Finished);
    assert_eq!(session.now(), Micros(5_000_000));
}

#[test]
fn a_number_is_met_as_it_is_passed_and_only_from_below() {
    let scenario = preset("kv-pressure", 60.0);
    let longest = |s: &Session| frame(s).replicas.iter().map(|r| r.waiting).max().unwrap_or(0);
    let mut session = start(&scenario);
    for _ in 0..2 {
        assert_eq!(run_to(&mut session, Occasion::QueueAbove(3)), Stop::Until);
        assert!(longest(&session) > 3);
        assert!(longest(&before(&scenario, &session)) <= 3);
    }
    let fullest = |s: &Session| {
        let used = |r: &tokenyard::session::view::ReplicaFrame| f64::from(r.kv.used) / f64::from(r.kv.total);
        frame(s).replicas.iter().map(used).fold(0.0, f64::max)
    };
    let mut session = start(&scenario);
    assert_eq!(run_to(&mut session, Occasion::KvAbove(50.0)), Stop::Until);
    assert!(fullest(&session) > 0.5);
    assert!(fullest(&before(&scenario, &session)) <= 0.5);
}

#[test]
fn a_request_is_followed_from_event_to_event() {
    let scenario = preset("chat-4xh100", 30.0);
    let mut session = start(&scenario);
    let mut seen = 0;
    while run_to(&mut session, Occasion::Request(9)) == Stop::Until {
        let query = EventsQuery { request: Some(9), limit: 5000, ..EventsQuery::default() };
        let rows = session.event_rows(&query).rows;
        assert!(rows.len() > seen && rows[seen..].iter().all(|row| row.at_us == session.now().0), "{rows:?}");
        seen = rows.len();
    }
    assert!(seen >= 6, "arrival to completion: {seen}");
}

#[test]
fn a_missed_objective_is_that_of_the_request_that_just_completed() {
    let mut scenario = preset("chat-4xh100", 30.0);
    scenario.slo.ttft_ms = 40.0;
    let mut session = start(&scenario);
    assert_eq!(run_to(&mut session, Occasion::Missed), Stop::Until);
    let last = lines(&session, EventKind::Completed);
    let request = last.last().and_then(|row| row.request).expect("it completed");
    let met = session.inspect(request).expect("it arrived");
    assert!(met.ttft_us.is_some_and(|us| us > 40_000), "{met:?}");
}

#[test]
fn an_anomaly_and_an_edit_are_met_as_they_come() {
    let mut scenario = preset("kv-pressure", 60.0);
    scenario.edits = vec![
        TimedEdit { off: true, ..TimedEdit::new(1_000_000, edit::rate(0, 1.0)) },
        TimedEdit::new(2_500_000, edit::rate(0, 12.0)),
    ];
    let mut session = start(&scenario);
    assert_eq!(run_to(&mut session, Occasion::Edit), Stop::Until);
    assert_eq!(session.now(), Micros(2_500_000));
    scenario.edits.clear();
    let mut session = start(&scenario);
    assert_eq!(run_to(&mut session, Occasion::AnyAnomaly), Stop::Until);
    let [first] = &frame(&session).anomalies[..] else { panic!("one anomaly") };
    let kind = first.kind;
    let mut other = start(&scenario);
    assert_eq!(run_to(&mut other, Occasion::Anomaly(kind)), Stop::Until);
    assert_eq!(other.events(), session.events());
    assert!(AnomalyKind::ALL.contains(&kind));
}

#[test]
fn an_edit_that_is_switched_off_keeps_its_place_and_changes_nothing() {
    let plain = preset("chat-4xh100", 20.0);
    let off = TimedEdit { off: true, ..TimedEdit::new(5_000_000, edit::replicas(0, 1)) };
    let mut with = plain.clone();
    with.edits.insert(0, off);
    let (mut with, mut without) = (start(&with), start(&plain));
    for session in [&mut with, &mut without] {
        session.advance(Micros(20_000_000), u64::MAX);
    }
    assert_eq!(with.events(), without.events());
    assert_eq!(with.report_data().latency_ms, without.report_data().latency_ms);
    let [flag, ..] = &frame(&with).flags[..] else { panic!("a flag") };
    assert!(flag.off && flag.applied && flag.at_us == 5_000_000);
    assert_eq!(with.scenario().edits.len(), without.scenario().edits.len() + 1);
}
