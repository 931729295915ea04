//! What explanations and anomalies say of what broke.

use super::{breaks, crash, in_turn, run};
use tokenyard::base::Micros;
use tokenyard::scenario::Scenario;
use tokenyard::study::whatif::{Cause, ExplainQuery, Explaining};

/// Two replicas, of which the second crashes while it has a request whose answer has not begun and one whose answer has.
fn broken() -> Scenario {
    let mut s = in_turn(2, &(0..40).map(|i| (i * 500_000, 1)).collect::<Vec<_>>());
    s.cluster.resilience.retries = 3;
    s.cluster.resilience.retry_budget_share = 1.0;
    s.cluster.resilience.discovery_ms = 100.0;
    s.workload.requests[9].output.tokens = 4;
    breaks(s, 6.6, crash(1, 3.0))
}

#[test]
fn an_explanation_counts_requests_that_needed_another_attempt_and_those_that_were_lost() {
    let (mut explaining, _) = Explaining::new(broken(), None).expect("a sound scenario");
    let asked = ExplainQuery { from_us: Some(4_000_000), to_us: Some(8_000_000), ..ExplainQuery::default() };
    let e = explaining.explain(&asked).expect("requests of both groups");
    let report = explaining.run_to(Micros::MAX).expect("few steps").report_data();
    let f = report.faults.expect("something broke");
    assert_eq!(e.lost, u64::from(f.lost), "all of them arrived in this span");
    assert!(e.lost > 0 && f.retried > 0, "{f:?}");
    assert!(e.slow.retried_share > 0.0 && e.fast.retried_share < 1e-9, "{:?}", (e.slow, e.fast));
    assert!(e.causes.iter().any(|c| c.cause == Cause::Retry && c.slow_ms > 0.0));
    let last = e.sentences.last().expect("a sentence");
    assert!(last.text.contains("lost"), "{}", last.text);
    assert_eq!((last.numbers[0].text.as_str(), last.numbers[0].path.as_str()), ("1", "/lost"));
}

#[test]
fn explanations_of_runs_without_faults_do_not_list_attempts() {
    let mut s = broken();
    s.edits.clear();
    let (mut explaining, _) = Explaining::new(s, None).expect("a sound scenario");
    let e = explaining.explain(&ExplainQuery::default()).expect("requests");
    assert!(e.causes.iter().all(|c| c.cause != Cause::Retry));
    assert_eq!((e.lost, e.sentences.iter().any(|s| s.text.contains("lost"))), (0, false));
}

#[test]
fn a_report_names_the_pool_that_nobody_served_and_the_storm_that_followed() {
    // One replica, down from 20 to 50 s; clients wait for two seconds and come again ten times.
    let mut s = in_turn(1, &(0..240).map(|i| (i * 250_000, 1)).collect::<Vec<_>>());
    if let tokenyard::scenario::LatencyModel::Fitted(f) = &mut s.cluster.pools[0].latency {
        f.step_us = 200_000.0;
    }
    s.workload.timeout_s = 2.0;
    s.workload.client_retries = 10;
    s.cluster.resilience.discovery_ms = 100.0;
    let mut stuck = s.clone();
    s = breaks(s, 20.0, crash(0, 30.0));
    let report = run(&s).report_data();
    let anomalies = report.anomalies.expect("they are watched");
    assert_eq!(anomalies.count("unavailable-pool"), 1);
    let found = anomalies.first.iter().find(|a| a.text.contains("No replica")).expect("its example");
    assert_eq!((found.start_us, found.end_us, found.replica), (20_000_000, Some(50_000_000), 0));
    // Requests that find nobody are lost at once; clients of a stuck replica give up and come again.
    stuck = breaks(
        stuck,
        20.0,
        tokenyard::scenario::Fault::Stuck(tokenyard::scenario::Stuck {
            replica: Some(0),
            for_s: 30.0,
            ..tokenyard::scenario::Stuck::default()
        }),
    );
    let report = run(&stuck).report_data();
    let anomalies = report.anomalies.expect("they are watched");
    assert!(anomalies.count("retry-storm") >= 1, "{:?}", anomalies.counts);
    assert_eq!(anomalies.count("unavailable-pool"), 0);
}
