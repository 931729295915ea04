//! Clients that give up and come again: as new requests with the same text, a limited number of times.

use super::{in_turn, left_s, run};
use crate::support::start;
use tokenyard::base::Micros;
use tokenyard::engine::{DropReason, RequestState};
use tokenyard::scenario::{Change, Scenario, TimedEdit};

/// One replica that serves a request in five seconds, for clients that wait for two.
fn impatient(retries: u32, wait_s: f64) -> Scenario {
    let mut s = in_turn(1, &[(0, 5)]);
    s.workload.timeout_s = 2.5;
    s.workload.client_retries = retries;
    s.workload.client_wait_s = wait_s;
    s
}

#[test]
fn a_client_comes_again_as_often_as_it_may_each_time_as_a_new_request() {
    let session = run(&impatient(2, 4.0));
    let records = session.engine().records();
    // What runs leaves when its step ends, at 3 s; the next one comes 4 s after that.
    let arrived: Vec<f64> = records.iter().map(|r| r.arrival.as_secs()).collect();
    assert_eq!(arrived, [0.0, 7.0, 14.0]);
    assert_eq!(left_s(&session), [3.0, 10.0, 17.0]);
    assert!(records.iter().all(|r| r.drop == Some(DropReason::TimedOut)));
    let report = session.report_data();
    let f = report.faults.expect("clients came again");
    assert_eq!((report.requests.arrived, f.client_retries, f.timed_out), (3, 2, 3));
    assert_eq!((f.success, f.availability), (0.0, 1.0));
    // The text is the same: its prompt is in the cache.
    assert_eq!(records.at(1).prompt_tokens, records.at(0).prompt_tokens);
}

#[test]
fn a_client_whose_request_completes_does_not_come_again() {
    let mut s = impatient(3, 1.0);
    s.workload.timeout_s = 100.0;
    let session = run(&s);
    assert_eq!(session.engine().records().len(), 1);
    assert_eq!(session.engine().records().at(0).state(), RequestState::Completed);
    assert!(session.report_data().faults.is_none());
}

#[test]
fn clients_become_patient_when_an_edit_says_so() {
    let mut s = impatient(5, 1.0);
    s.edits.push(TimedEdit::new(5_000_000, Change::set("workload.client_retries", 0)));
    // The one that came at 4 s gives up at 7 s, and does not come again.
    let session = run(&s);
    assert_eq!(session.engine().records().len(), 2);
}

/// A replica of 10 requests per second at 9 per second, and at 12 from 10 to 40 s, for clients that wait for a second: requests
/// answered from 60 s to 120 s, per second. Half of a request's time is its prompt, so that an attempt given up late is work lost.
fn late_goodput(retries: u32, share: f64) -> f64 {
    let mut at_us = 0;
    let mut arrivals = Vec::new();
    while at_us < 120_000_000 {
        arrivals.push((at_us, 2));
        at_us += if (10_000_000..40_000_000).contains(&at_us) { 1_000_000 / 12 } else { 1_000_000 / 9 };
    }
    let mut s = in_turn(1, &arrivals);
    if let tokenyard::scenario::LatencyModel::Fitted(f) = &mut s.cluster.pools[0].latency {
        f.step_us = 50_000.0;
    }
    s.workload.timeout_s = 1.0;
    s.workload.client_retries = retries;
    s.workload.client_wait_s = 0.1;
    s.workload.client_retry_share = share;
    let mut session = start(&s);
    session.advance(Micros(120_000_000), u64::MAX);
    let done = session.engine().records().iter().filter(|r| r.e2e.get().is_some());
    let late = done.filter(|r| r.left.get().is_some_and(|at| at.0 > 60_000_000)).count();
    late as f64 / 60.0
}

#[test]
fn a_retry_storm_outlives_its_cause_and_a_budget_ends_it() {
    let [patient, storm, budget] = [(0, 0.0), (20, 0.0), (20, 0.1)].map(|(n, share)| late_goodput(n, share));
    // Nine a second arrive for the first time, and ten could be served.
    assert!((8.5..=9.1).contains(&patient), "{patient}");
    assert!(storm < 0.8 * patient, "{storm} after {patient}");
    assert!((8.5..=9.1).contains(&budget), "{budget}");
}

#[test]
fn a_budget_of_clients_saves_up_ten_returns_and_counts_who_is_denied() {
    // Thirty clients at once, of which one is served in time: ten come again, and none of these a second time.
    let mut s = in_turn(1, &(0..30).map(|_| (0, 2)).collect::<Vec<_>>());
    s.workload.timeout_s = 2.5;
    s.workload.client_retries = 5;
    s.workload.client_retry_share = 0.01;
    let session = run(&s);
    let f = session.report_data().faults.expect("clients came again");
    assert_eq!(f.client_retries, 10);
    assert!(f.client_denied > 20, "{}", f.client_denied);
    assert_eq!(session.engine().records().len(), 40);
}

#[test]
fn a_client_that_comes_again_is_the_same_request_to_its_conversation() {
    let mut s = impatient(1, 1.0);
    s.workload.requests.clear();
    let mut client = tokenyard::scenario::Client { concurrency: 1, ..Default::default() };
    client.prompt_tokens = tokenyard::scenario::Lengths::Constant { tokens: 5 };
    client.output_tokens = tokenyard::scenario::Lengths::Constant { tokens: 5 };
    s.workload.clients = vec![client];
    s.run.horizon_s = 60.0;
    let session = run(&s);
    // One at a time: its client has one request in the system whenever, and none comes while it waits to come again.
    let mut spans: Vec<(u64, u64)> = session
        .engine()
        .records()
        .iter()
        .map(|r| (r.arrival.0, r.left.get().unwrap_or(Micros(60_000_000)).0))
        .collect();
    spans.sort_unstable();
    assert!(spans.len() > 4, "{spans:?}");
    assert!(spans.windows(2).all(|w| w[0].1 <= w[1].0), "{spans:?}");
    assert!(session.report_data().faults.expect("they came again").client_retries > 0);
}
