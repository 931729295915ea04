//! Charts of what faults do: goodput around them, and attempts for each request.

use super::{breaks, crash};
use crate::support::scenarios::started;
use tokenyard::base::Micros;
use tokenyard::engine::RequestState;
use tokenyard::scenario::Scenario;
use tokenyard::session::view::{Columns, ColumnsQuery, FrameQuery, View};
use tokenyard::session::{Audience, Session};

/// Four replicas of a preset of which one crashes for twenty seconds.
fn crashed(retries: u32) -> Session {
    let mut s = crate::support::preset("chat-4xh100", 150.0);
    s.edits.clear();
    s.cluster.resilience.retries = retries;
    s.cluster.resilience.retry_budget_least = 100;
    watched(&breaks(s, 70.0, crash(1, 20.0)))
}

pub(super) fn watched(s: &Scenario) -> Session {
    let mut session = started(s, Audience::Live);
    session.advance(Micros::MAX, u64::MAX);
    session
}

pub(super) fn columns(session: &Session, view: View) -> Columns {
    session.columns(&ColumnsQuery { view, from_us: 0, to_us: 0, window_s: 0.0 })
}

/// The column of that name.
pub(super) fn column<'a>(all: &'a Columns, name: &str) -> &'a [f64] {
    let at = all.names.iter().position(|one| one == name).unwrap_or_else(|| panic!("{:?}", all.names));
    &all.columns[at]
}

/// The row whose time is that second.
fn at(all: &Columns, second: f64) -> usize {
    column(all, "t_s").iter().position(|t| (t - second).abs() < 1e-9).expect("a bucket ends there")
}

#[test]
fn goodput_over_time_is_of_the_ten_seconds_up_to_each_instant() {
    let session = crashed(0);
    let all = columns(&session, View::GoodputOverTime);
    let targets = session.scenario().slo;
    let keeps = |us: u64, limit_ms: f64| limit_ms <= 0.0 || us as f64 <= limit_ms * 1000.0;
    for second in [20.0, 75.0, 110.0] {
        let within =
            |us: Option<Micros>| us.is_some_and(|at| at.as_secs() > second - 10.0 && at.as_secs() <= second);
        let records = || session.engine().records().iter();
        let arrived = records().filter(|r| within(Some(r.arrival))).count() as f64 / 10.0;
        let i = at(&all, second);
        assert!((column(&all, "arrived_per_s")[i] - arrived).abs() < 0.11, "{second} s: {arrived}");
        // Those within the objectives of TTFT and E2E; that of time per token can only take some away.
        let most = records()
            .filter(|r| within(r.left.get()) && r.state() == RequestState::Completed)
            .filter(|r| r.ttft.get().is_some_and(|ttft| keeps(ttft.0, targets.ttft_ms)))
            .filter(|r| r.left.get().is_some_and(|at| keeps(at.since(r.arrival).0, targets.e2e_ms)))
            .count() as f64
            / 10.0;
        let good = column(&all, "good_per_s")[i];
        assert!(good > 0.0 && good <= most + 0.11, "{second} s: {good} of {most}");
    }
}

#[test]
fn the_wanted_goodput_is_drawn_from_the_fault_until_it_is_back() {
    let session = crashed(0);
    let report = session.report_data().faults.expect("something broke");
    let [one] = report.each.as_slice() else { panic!("one fault: {:?}", report.each) };
    let all = columns(&session, View::GoodputOverTime);
    let (times, wanted) = (column(&all, "t_s"), column(&all, "wanted_per_s"));
    let recovery = one.recovery_s.expect("it is back");
    assert!(recovery > 0.0, "goodput fell");
    for (t, value) in times.iter().zip(wanted) {
        let is_in = (70.0..=70.0 + recovery + 10.0).contains(t);
        assert_eq!(value.is_finite(), is_in, "at {t} s with a recovery of {recovery} s");
        assert!(!is_in || (value - 0.95 * one.goodput_before_per_s).abs() < 1e-9);
    }
}

#[test]
fn attempts_over_time_are_more_than_one_where_requests_are_tried_again() {
    let session = crashed(2);
    let all = columns(&session, View::AttemptsOverTime);
    let gateway = column(&all, "of_gateway");
    assert!((gateway[at(&all, 69.0)] - 1.0).abs() < 0.05, "those under way at either end");
    assert!(gateway[at(&all, 75.0)] > 1.0, "{}", gateway[at(&all, 75.0)]);
    // Of ten seconds each, up to 140 s: together the attempts that the run had begun then.
    let arrived = columns(&session, View::GoodputOverTime);
    let begun = |second: f64| {
        let i = at(&all, second);
        10.0 * column(&arrived, "arrived_per_s")[i] * gateway[i]
    };
    let counted: f64 = (1..=14).map(|k| begun(f64::from(10 * k))).sum();
    let mut at_140_s = started(&session.scenario(), Audience::Live);
    at_140_s.advance(Micros(139_999_999), u64::MAX);
    let attempts = at_140_s.engine().attempt_counts().attempts as f64;
    assert!((counted - attempts).abs() < 1e-6, "{counted} counted, {attempts} begun");
    assert!(column(&all, "of_clients").iter().all(|x| x.is_nan() || (x - 1.0).abs() < 1e-9));
}

#[test]
fn clients_that_come_again_are_attempts_of_clients() {
    let mut s = crate::support::preset("retry-storm", 0.0);
    s.run.horizon_s = 150.0;
    let session = watched(&s);
    let all = columns(&session, View::AttemptsOverTime);
    let clients = column(&all, "of_clients");
    let most = clients.iter().copied().filter(|x| x.is_finite()).fold(0.0, f64::max);
    assert!(most > 1.2, "{most}");
    assert!(clients.iter().all(|x| x.is_nan() || *x >= 1.0));
}

#[test]
fn replicas_that_are_down_or_degraded_are_counted_over_time() {
    let mut s = crate::support::preset("chat-4xh100", 150.0);
    s.edits.clear();
    let slow = tokenyard::scenario::Slow { replica: Some(0), factor: 2.0, for_s: 60.0, ..Default::default() };
    let s = breaks(breaks(s, 60.0, tokenyard::scenario::Fault::Slow(slow)), 70.0, crash(1, 20.0));
    let all = columns(&watched(&s), View::Replicas);
    let row = |second: f64| {
        let i = at(&all, second);
        ["serving", "degraded", "down"].map(|name| column(&all, name)[i].to_string()).join(" ")
    };
    assert_eq!(row(59.0), "4 0 0");
    assert_eq!(row(69.0), "4 1 0");
    assert_eq!(row(75.0), "3 1 1");
    assert_eq!(row(95.0), "4 1 0");
    assert_eq!(row(125.0), "4 0 0");
    // The key figures of an instant say the same.
    let mut at_75_s = started(&s, Audience::Live);
    at_75_s.advance(Micros(75_000_000), u64::MAX);
    let now = at_75_s.frame(&FrameQuery::default()).key.faults.expect("something broke");
    assert_eq!((now.degraded, now.down), (1, 1));
    let sound = columns(&watched(&crate::support::preset("chat-4xh100", 30.0)), View::Replicas);
    assert!(!sound.names.iter().any(|name| name == "down"));
}
