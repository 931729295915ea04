//! Edits that send one request elsewhere: their effects, the parts they do not change, and the messages for invalid
//! ones.

use crate::support::scenarios::{a_scenario, routers, sound, started};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;
use tokenyard::base::Micros;
use tokenyard::scenario::link::{Link, make};
use tokenyard::scenario::{Change, Route, RoutingPolicy, Scenario, TimedEdit};
use tokenyard::session::{Audience, Budget, History, NoticeKind, Session, Stop};

fn ended(scenario: &Scenario, audience: Audience) -> Session {
    let mut session = started(scenario, audience);
    session.advance(Micros::MAX, u64::MAX);
    session
}

/// The scenario with one more edit, at its place in time.
fn routed(scenario: &Scenario, at_us: u64, request: u32, to: u32) -> Scenario {
    let mut edits = scenario.edits.clone();
    let place = edits.partition_point(|e| e.at_us <= at_us);
    edits.insert(place, TimedEdit::new(at_us, Change::route(request, to)));
    Scenario { edits, ..scenario.clone() }
}

/// The results of a run, except the names of its scenario.
fn results(session: &Session) -> Value {
    let mut report: Value = serde_json::from_str(&session.report()).expect("a report is JSON");
    for gone in ["scenario_digest", "notices"] {
        report.as_object_mut().expect("an object").shift_remove(gone);
    }
    report["run"].as_object_mut().expect("an object").shift_remove("edits_applied");
    report
}

/// A built-in scenario without its edits.
fn preset(name: &str, horizon_s: f64) -> Scenario {
    Scenario { edits: Vec::new(), ..crate::support::preset(name, horizon_s) }
}

fn sent_to(session: &Session, request: u32) -> Option<u32> {
    session.engine().records().at(request as usize).replica().map(|id| id.0)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        rng_seed: RngSeed::Fixed(11),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_request_sent_where_it_goes_anyway_changes_nothing(
        scenario in a_scenario(),
        which in 0.0..1.0_f64,
        early in 0.0..1.0_f64,
    ) {
        let plain = ended(&scenario, Audience::Batch);
        let records = plain.engine().records();
        let sent: Vec<u32> = (0..).zip(records).filter(|(_, r)| r.routed.is_known()).map(|(i, _)| i).collect();
        prop_assume!(!sent.is_empty());
        let request = sent[(which * sent.len() as f64) as usize];
        let record = records.at(request as usize);
        let to = record.replica().expect("it was routed").0;
        let routed_us = record.routed.get().expect("it was routed").0;
        // Replicas that an edit starts are there from that edit on.
        let first = scenario.cluster.pools.iter().map(|p| p.replicas).sum::<u32>();
        let at_us = if to < first { (early * routed_us as f64) as u64 } else { routed_us };
        let same = ended(&routed(&scenario, at_us, request, to), Audience::Batch);
        prop_assert_eq!(same.engine().not_redirected().count(), 0);
        prop_assert_eq!(results(&plain), results(&same));
        prop_assert_eq!(plain.events(), same.events());
        prop_assert!(plain.engine().records() == same.engine().records());
    }

    #[test]
    fn every_cut_of_a_run_with_a_redirected_request_gives_the_same(
        scenario in a_scenario(),
        request in 0_u32..40,
        to in 0_u32..4,
        slice in 1_u64..300,
    ) {
        let first = scenario.cluster.pools.iter().map(|p| p.replicas).sum::<u32>();
        let edited = routed(&scenario, 0, request, to % first.max(1));
        prop_assume!(first > 0);
        let whole = ended(&edited, Audience::Live);
        let mut pieces = started(&edited, Audience::Live);
        while pieces.advance(Micros::MAX, slice) == Stop::Events {
            sound(&pieces);
            let bytes = pieces.snapshot();
            let mut other = started(&scenario, Audience::Live);
            other.restore(&bytes).expect("a snapshot of the same trace");
            prop_assert!(other.snapshot() == bytes);
            pieces = other;
        }
        prop_assert_eq!(whole.report(), pieces.report());
    }
}

#[test]
fn the_request_goes_there_and_the_routers_draws_stay_what_they_were() {
    let mut s = preset("chat-4xh100", 20.0);
    s.cluster.routing = RoutingPolicy::Random;
    let plain = ended(&s, Audience::Batch);
    let request = 60;
    let was = sent_to(&plain, request).expect("it was sent somewhere");
    for to in (0..4).filter(|to| *to != was) {
        let edited = ended(&routed(&s, 0, request, to), Audience::Batch);
        assert_eq!(sent_to(&edited, request), Some(to));
        assert!(edited.notices().iter().all(|n| n.kind != NoticeKind::NotSent));
        let others = (0..plain.engine().records().len() as u32).filter(|i| *i != request);
        for other in others {
            assert_eq!(sent_to(&plain, other), sent_to(&edited, other), "request {other}");
        }
        assert_ne!(results(&plain), results(&edited));
    }
}

#[test]
fn every_router_goes_on_after_its_choice_was_not_followed() {
    for routing in routers() {
        let mut s = preset("chat-4xh100", 15.0);
        s.cluster.routing = routing.clone();
        for request in 0..40 {
            s = routed(&s, 0, request, request % 4);
        }
        let session = ended(&s, Audience::Live);
        sound(&session);
        for request in 0..40 {
            assert_eq!(sent_to(&session, request), Some(request % 4), "{routing:?}");
        }
    }
}

#[test]
fn the_decision_names_the_replica_that_the_edit_chose() {
    let s = routed(&preset("chat-4xh100", 10.0), 0, 12, 3);
    let session = ended(&s, Audience::Live);
    let detail = session.inspect(12).expect("it has arrived");
    let chosen: Vec<u32> = detail.candidates.iter().filter(|c| c.chosen).map(|c| c.replica).collect();
    assert_eq!(chosen, [3]);
    assert_eq!(detail.candidates.len(), 4);
}

#[test]
fn an_edit_of_another_kind_at_the_start_keeps_the_redirects_before_it() {
    let mut s = routed(&preset("chat-4xh100", 10.0), 0, 5, 2);
    s.edits.push(TimedEdit::new(0, Change::set("cluster.routing", "random")));
    assert_eq!(sent_to(&ended(&s, Audience::Batch), 5), Some(2));
}

#[test]
fn a_request_that_did_not_go_there_is_reported() {
    let said = |s: &Scenario| -> Vec<String> {
        let notices = ended(s, Audience::Batch).notices();
        notices.into_iter().filter(|n| n.kind == NoticeKind::NotSent).map(|n| n.text).collect()
    };
    let s = preset("chat-4xh100", 10.0);
    assert_eq!(
        said(&routed(&s, 9_000_000, 3, 1)),
        ["Request 3 did not go to r1 as an edit has it: it had been routed or refused before."]
    );
    let late = routed(&routed(&s, 0, 900_000, 1), 0, 900_001, 1);
    assert_eq!(
        said(&late),
        ["Request 900000 did not go to r1 as an edit has it: it was never routed. 1 more did not either."]
    );
    let mut drained = s.clone();
    drained.edits.push(TimedEdit::new(0, Change::set("cluster.pools[0].replicas", 2)));
    drained.edits.push(TimedEdit::new(1, Change::set("cluster.pools[0].replicas", 4)));
    drained.edits.push(TimedEdit::new(2, Change::set("cluster.pools[0].replicas", 3)));
    drained.edits.push(TimedEdit::new(3, Change::route(3, 3)));
    assert_eq!(
        said(&drained),
        ["Request 3 did not go to r3 as an edit has it: that replica took no requests of its kind then."]
    );
    let mut off = routed(&s, 0, 900_000, 1);
    off.edits[0].off = true;
    assert_eq!(said(&off), [""; 0]);
}

#[track_caller]
fn says(edits: &str, expected: &str) {
    let text = format!(
        r#"{{"run": {{"max_requests": 100}}, "cluster": {{"pools": [{{"replicas": 4}}]}}, "edits": {edits}}}"#
    );
    let all: Vec<String> = Session::check(&text).iter().map(ToString::to_string).collect();
    assert_eq!(all.join("\n"), expected);
}

#[test]
fn an_edit_names_a_request_and_a_replica_that_can_be() {
    says(r#"[{"at_us": 0, "route": {"request": 99, "to": 3}}]"#, "");
    says(
        r#"[{"at_us": 0, "route": {"request": 100, "to": 4}}]"#,
        "error: edits[0].route.request: request 100; allowed: 0 to 99; requests are numbered from 0 in order of arrival\n\
         error: edits[0].route.to: replica 4; allowed: 0 to 3, the replicas started up to then; replicas are numbered from 0, those of the first pool first",
    );
    says(r#"[{"at_us": 0, "set": {"cluster.pools[0].replicas": 5}, "route": {"request": 1, "to": 4}}]"#, "");
    says(
        r#"[{"at_us": 0, "route": {"request": 7, "to": 0}}, {"at_us": 1, "route": {"request": 7, "to": 1}}]"#,
        "error: edits[1].route.request: request 7, which another edit routes too; allowed: one edit for each request; keep one of the two",
    );
    says(
        r#"[{"at_us": 0, "route": {"request": 7, "to": 0}}, {"at_us": 1, "route": {"request": 7, "to": 1}, "off": true}]"#,
        "",
    );
    let misspelt = Session::check(r#"{"edits": [{"at_us": 0, "route": {"request": 1, "too": 1}}]}"#);
    assert!(misspelt.iter().any(|d| d.path.starts_with("edits[0].route")), "{misspelt:?}");
    let negative = Session::check(r#"{"edits": [{"at_us": 0, "route": {"request": -1, "to": 1}}]}"#);
    assert!(!negative.is_empty());
}

#[test]
fn a_request_that_was_routed_before_the_playhead_cannot_be_sent_elsewhere() {
    let s = preset("chat-4xh100", 10.0);
    let mut session = started(&s, Audience::Live);
    session.advance(Micros(5_000_000), u64::MAX);
    let problems = session.apply_text(r#"{"route": {"request": 3, "to": 1}}"#);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].found.starts_with("request 3, which was sent to r"), "{problems:?}");
    assert!(session.edits().is_empty());
    let next = session.engine().records().len() as u32;
    assert_eq!(session.apply_text(&format!(r#"{{"route": {{"request": {next}, "to": 1}}}}"#)), []);
    assert_eq!(session.edits()[0].route, Some(Route { request: next, to: 1 }));
    let again = session.apply_text(&format!(r#"{{"route": {{"request": {next}, "to": 2}}}}"#));
    assert!(again[0].found.contains("another edit"), "{again:?}");
    session.advance(Micros::MAX, u64::MAX);
    assert_eq!(sent_to(&session, next), Some(1));
}

#[test]
fn going_back_before_the_decision_and_on_again_gives_the_same() {
    let s = routed(&preset("router-showdown", 20.0), 1_000_000, 120, 1);
    let straight = ended(&s, Audience::Live);
    let mut history = History::new(started(&s, Audience::Live), Budget { bytes: 64 << 20, events: 700 });
    while history.advance(Micros::MAX, 500) == Stop::Events {}
    for seconds in [3, 5, 12] {
        history.seek(Micros(seconds * 1_000_000));
        while history.advance(Micros::MAX, 500) == Stop::Events {}
        assert!(history.present().snapshot() == straight.snapshot(), "from {seconds} s");
    }
    assert_eq!(sent_to(&straight, 120), Some(1));
}

#[test]
fn a_link_carries_it() {
    let s = routed(&preset("chat-4xh100", 30.0), 2_000_000, 17, 2);
    let made = make(&Link { scenario: s.clone(), ..Link::default() }).expect("short enough").link;
    let opened = Session::open_link(&made, Audience::Live);
    assert_eq!(opened.problems, []);
    assert_eq!(opened.link.scenario, s);
    assert!(made.len() < 300, "{made}");
}

#[test]
fn a_request_is_sent_to_a_replica_that_an_autoscaler_has_started() {
    let scenario = preset("spike-cold-starts", 250.0);
    let plain = ended(&scenario, Audience::Batch);
    let count = plain.engine().records().len() as u32;
    let elsewhere: Vec<u32> = (0..count).filter(|&r| sent_to(&plain, r).is_some_and(|to| to >= 2)).collect();
    let request = elsewhere[elsewhere.len() / 2];
    let to = if sent_to(&plain, request) == Some(2) { 3 } else { 2 };
    let session = ended(&routed(&scenario, 0, request, to), Audience::Batch);
    assert_eq!(sent_to(&session, request), Some(to));
    // A replica that was never started is reported when the request is routed.
    let session = ended(&routed(&scenario, 0, request, 900), Audience::Batch);
    assert_eq!(sent_to(&session, request), sent_to(&plain, request));
    assert!(session.notices().iter().any(|n| n.kind == NoticeKind::NotSent));
}
