//! A pool that begins without replicas: requests wait at the gateway for the first one, and all views of the run work.

use crate::support::{documents, start};
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::scenario::{Scenario, check, from_value};
use tokenyard::session::view::{ColumnsQuery, EventsQuery, FrameQuery, View};
use tokenyard::session::{Budget, History, Session, Stop};
use tokenyard::study::compare::Outcomes;

fn document(scaling: &Value, edits: &Value) -> Value {
    json!({
        "run": {"horizon_s": 120, "warmup_s": 0},
        "cluster": {"pools": [{"name": "p", "replicas": 0, "kv": {"blocks": 4000}, "scaling": scaling}]},
        "workload": {"clients": [{"name": "c", "arrivals": {"poisson": {"rate_per_s": 2}},
            "output_tokens": {"constant": {"tokens": 20}}}]},
        "edits": edits,
    })
}

fn scenario(scaling: &Value, edits: &Value) -> Scenario {
    documents::scenario(document(scaling, edits))
}

const VIEWS: [View; 13] = [
    View::TtftOverTime,
    View::E2eOverTime,
    View::Throughput,
    View::QueueDepth,
    View::KvUse,
    View::TtftEcdf,
    View::E2eEcdf,
    View::Replicas,
    View::Estimator,
    View::Health,
    View::FleetLoad,
    View::Little,
    View::Throughput,
];

/// Everything there is to see of the run at an instant.
fn look(session: &mut Session) {
    let _ = session.frame(&FrameQuery { batch: 4, ..FrameQuery::default() });
    for view in VIEWS {
        let _ = session.columns(&ColumnsQuery { view, from_us: 0, to_us: 0, window_s: 0.0 });
    }
    let _ = session.event_rows(&EventsQuery { limit: 20, ..EventsQuery::default() });
    let _ = session.inspect(0);
    assert!(session.report_data().requests.conserved);
    session.engine().verify(true);
}

fn run(s: &Scenario) -> Session {
    let mut session = start(s);
    look(&mut session);
    for second in [1, 5, 16, 40, 90] {
        session.advance(Micros(second * 1_000_000), u64::MAX);
        look(&mut session);
    }
    assert_eq!(session.advance(Micros::MAX, u64::MAX), Stop::Finished);
    look(&mut session);
    session
}

#[test]
fn requests_wait_for_the_first_replica_that_an_autoscaler_starts() {
    let policies = [
        json!({"kpa": {}}),
        json!({"keda": {}}),
        json!({"threshold": {}}),
        json!({"target-utilization": {}}),
        json!({"queue-depth": {}}),
        json!({"wva-saturation-v1": {}}),
        json!({"wva-saturation-v2": {}}),
        json!({"wva-queueing-model": {}}),
        json!({"dynamo-load": {}}),
    ];
    for policy in policies {
        for start in ["instant", "hot"] {
            let session = run(&scenario(&json!({"policy": policy, "start": start}), &json!([])));
            let r = session.report_data().requests;
            assert!(r.completed > 100 && r.rejected == 0, "{policy}, {start}: {r:?}");
        }
    }
}

#[test]
fn requests_wait_for_the_first_replica_that_an_edit_adds() {
    let s = scenario(&json!({}), &json!([{"at_us": 10_000_000, "set": {"cluster.pools[0].replicas": 2}}]));
    let session = run(&s);
    let report = session.report_data();
    assert!(report.requests.completed > 200 && report.requests.rejected == 0, "{:?}", report.requests);
    let waited = report.slowest.iter().map(|r| r.e2e_us).max();
    assert!(waited.is_some_and(|us| us > 8_000_000), "{waited:?}");
    // Once it had replicas it is as any other pool: with none left, requests are refused at once.
    let edits = json!([
        {"at_us": 10_000_000, "set": {"cluster.pools[0].replicas": 2}},
        {"at_us": 60_000_000, "set": {"cluster.pools[0].replicas": 0}},
    ]);
    let report = run(&scenario(&json!({}), &edits)).report_data();
    assert!(
        report.requests.rejected > 80 && report.rejections[0].reason == "no replica takes requests",
        "{:?}",
        report.rejections
    );
}

#[test]
fn a_request_that_waits_for_a_replica_too_long_is_refused() {
    let s = scenario(
        &json!({"hold_s": 5}),
        &json!([{"at_us": 30_000_000, "set": {"cluster.pools[0].replicas": 1}}]),
    );
    let report = run(&s).report_data();
    assert!(report.requests.rejected > 20 && report.requests.completed > 150, "{:?}", report.requests);
}

#[test]
fn a_run_that_begins_without_replicas_is_compared_explained_and_gone_back_in() {
    let s = scenario(&json!({"policy": {"keda": {}}}), &json!([]));
    assert!(Outcomes::of_run(s.clone(), None).is_ok());
    let mut history = History::new(start(&s), Budget { events: 50, ..Budget::PAGE });
    for at in [30_000_000, 2_000_000, 0, 90_000_000, 5_000_000] {
        history.seek(Micros(at));
        while history.advance(Micros(at), 64) == Stop::Events {}
        let mut straight = start(&s);
        straight.advance(Micros(at), u64::MAX);
        assert!(history.present().snapshot() == straight.snapshot(), "at {at}");
    }
}

#[test]
fn a_pool_that_nothing_fills_is_refused() {
    let refused = |scaling: Value, edits: Value| {
        let found = check(scenario(&scaling, &edits)).expect_err("nothing adds replicas");
        (found[0].path.clone(), found[0].found.clone())
    };
    let path = "cluster.pools[0].replicas".to_owned();
    assert_eq!(refused(json!({}), json!([])), (path.clone(), "0".to_owned()));
    let off = json!([{"at_us": 5, "off": true, "set": {"cluster.pools[0].replicas": 2}}]);
    assert_eq!(refused(json!({}), off).0, path);
    let hpa = refused(json!({"policy": {"hpa": {}}}), json!([]));
    assert!(hpa.1.contains("hpa adds none"), "{hpa:?}");
}

/// Decisions are bounded as if a run without a horizon ended after 30 days, so with an autoscaler it does.
#[test]
fn a_run_with_little_left_but_ticks_ends_and_says_so() {
    let s = from_value(json!({
        "run": {"horizon_s": 0, "warmup_s": 0, "max_requests": 1000},
        "cluster": {"pools": [{"name": "p", "replicas": 1, "kv": {"blocks": 4000},
            "scaling": {"policy": {"hpa": {}}, "tick_s": 600, "scrape_s": 600, "window_s": 0}}]},
        "workload": {"clients": [{"name": "c", "arrivals": {"poisson": {"rate_per_s": 0.000_01}}}]},
    }));
    let s = s.unwrap_or_else(|problems| panic!("{problems:?}"));
    let mut session = start(&s);
    assert_eq!(session.advance(Micros::MAX, 100_000), Stop::Finished);
    let trouble = session.report_data().run.trouble;
    assert!(trouble.starts_with("The run ends after 30 days"), "{trouble}");
    assert!(session.now() <= Micros(2_592_000_000_000) && session.now() > Micros(2_000_000_000_000));
    // Without an autoscaler it goes on to its last request.
    let mut s = s;
    s.cluster.pools[0].scaling = tokenyard::scenario::Scaling::default();
    let mut session = start(&s);
    assert_eq!(session.advance(Micros::MAX, u64::MAX), Stop::Finished);
    let report = session.report_data();
    assert_eq!((report.requests.completed, report.run.trouble.as_str()), (1000, ""));
}
