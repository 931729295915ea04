//! Runs without a horizon end when nothing more can happen, and say what their last requests wait for.

use super::breaks;
use crate::support::documents::scenario;
use crate::support::scenarios::sound;
use crate::support::start;
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::scenario::{Change, Fault, Scenario, Stuck, TimedEdit, TransferLink};
use tokenyard::session::{NoticeKind, Session, Stop};

/// More events than any of these runs has.
const MOST_EVENTS: u64 = 200_000;

/// Eight requests for a prefill replica with room for one prompt at a time, and a home, under flow control.
fn apart(flow_control: &Value) -> Scenario {
    let document = json!({
        "tokenyard": 1,
        "run": {"horizon_s": 0, "warmup_s": 0, "max_requests": 8},
        "cluster": {
            "pools": [
                {"name": "p", "role": "prefill", "replicas": 1, "kv": {"blocks": 80}},
                {"name": "d", "role": "decode", "replicas": 1},
            ],
            "disaggregation": {},
            "flow_control": flow_control,
            "resilience": {"transfer_timeout_s": 0, "lease_s": 0},
        },
        "workload": {"clients": [{
            "arrivals": {"poisson": {"rate_per_s": 50}},
            "prompt_tokens": {"constant": {"tokens": 1000}},
            "output_tokens": {"constant": {"tokens": 10}},
        }]},
    });
    scenario(document)
}

fn link(share: f64, for_s: f64) -> Fault {
    Fault::TransferLink(TransferLink { replica: Some(0), share, for_s, ..TransferLink::default() })
}

/// Runs to the end, which comes within some thousand events.
fn ended(scenario: &Scenario) -> Session {
    let mut session = start(scenario);
    assert_eq!(session.advance(Micros::MAX, MOST_EVENTS), Stop::Finished);
    sound(&session);
    session
}

/// The text of the notice of what is stuck.
fn told(session: &Session) -> Option<String> {
    let stuck = session.notices().into_iter().find(|notice| notice.kind == NoticeKind::Stuck);
    stuck.map(|notice| notice.text)
}

/// Every detector, with ceilings that stay and ceilings that open from time to time.
fn flow_controls() -> Vec<Value> {
    let detectors = [
        json!({"utilization": {}}),
        json!({"utilization": {"kv_threshold": 1.0, "queue_threshold": 100.0}}),
        json!({"concurrency": {"max_requests": 2}}),
    ];
    let ceilings = [json!("soft-reflective"), json!({"static": {}})];
    let with = |detector: &Value| {
        ceilings.clone().map(|ceilings| json!({"ttl_s": 0, "detector": detector, "ceilings": ceilings}))
    };
    detectors.iter().flat_map(with).collect()
}

#[test]
fn a_link_that_carries_nothing_without_an_end_ends_the_run_and_is_told() {
    let session = ended(&breaks(apart(&json!({"ttl_s": 0})), 0.0, link(0.0, 0.0)));
    let report = session.report_data();
    let (stuck, behind) =
        (report.requests.transferring, report.requests.in_pipeline + report.requests.queued);
    assert_eq!((stuck + behind, report.requests.completed), (8, 0));
    let text = told(&session).expect("a notice");
    assert!(text.contains("for a link that carries nothing (r0 to r1)"), "{text}");
    assert!(text.contains(&format!("{stuck} request")) && text.contains("behind"), "{text}");
    assert_eq!(report.notices.len(), session.notices().len());
    assert!(session.now().as_secs() < 10.0, "the gateway goes on to look until {:?}", session.now());
}

#[test]
fn a_link_too_slow_for_the_longest_run_carries_nothing() {
    // 1e-9 of 50 GB/s would take a prompt of 131 MB there in a month and more.
    let slow = ended(&breaks(apart(&json!({"ttl_s": 0})), 0.0, link(1e-9, 0.0)));
    assert_eq!(slow.report_data().requests.completed, 0);
    assert!(told(&slow).is_some_and(|text| text.contains("a link that carries nothing")));
    let slower = ended(&breaks(apart(&json!({"ttl_s": 0})), 0.0, link(1e-3, 0.0)));
    assert_eq!((slower.report_data().requests.completed, told(&slower)), (8, None));
}

#[test]
fn no_detector_looks_for_ever_and_a_link_that_works_again_serves_all() {
    for flow_control in flow_controls() {
        let endless = ended(&breaks(apart(&flow_control), 0.0, link(0.0, 0.0)));
        assert_eq!(endless.report_data().requests.completed, 0, "{flow_control}");
        assert!(told(&endless).is_some(), "{flow_control}");
        // The gateway rests for most of an hour, and then goes on.
        let hour = ended(&breaks(apart(&flow_control), 0.0, link(0.0, 3600.0)));
        assert_eq!(hour.report_data().requests.completed, 8, "{flow_control}");
        assert_eq!(told(&hour), None, "{flow_control}");
    }
}

#[test]
fn an_edit_that_gives_the_link_back_goes_on_where_the_run_stood_still() {
    let mut s = breaks(apart(&json!({"ttl_s": 0})), 0.0, link(0.0, 0.0));
    let timeout = Change::set("cluster.resilience.transfer_timeout_s", 5);
    s.edits.push(TimedEdit::new(100_000_000, timeout));
    s.edits.push(TimedEdit::new(200_000_000, Change::set("cluster.pools[0].kv.blocks", 800)));
    let session = ended(&s);
    assert_eq!(session.edits().len(), 3);
    let r = session.report_data().requests;
    assert!(r.conserved && r.in_pipeline == 0, "{r:?}");
}

#[test]
fn a_replica_that_is_stuck_without_an_end_is_told() {
    let mut s = apart(&json!({"ttl_s": 0}));
    let stuck = Fault::Stuck(Stuck { replica: Some(0), for_s: 0.0, ..Stuck::default() });
    s = breaks(s, 0.0, stuck);
    let session = ended(&s);
    let text = told(&session).expect("a notice");
    assert!(text.contains("for a replica that is stuck without an end (r0)"), "{text}");
}

/// A fleet under flow control. Its replicas crash and stay down; later requests wait at the gateway.
fn dying(flow_control: &Value, pools: &Value) -> Scenario {
    let mut flow_control = flow_control.clone();
    flow_control["no_replica_ttl_s"] = json!(0);
    let document = json!({
        "tokenyard": 1,
        "run": {"horizon_s": 0, "warmup_s": 0, "max_requests": 200},
        "cluster": {
            "pools": pools,
            "flow_control": flow_control,
            "faults": {"crash_mtbf_s": 1, "restart_s": 0},
        },
        "workload": {"clients": [{
            "arrivals": {"poisson": {"rate_per_s": 20}},
            "prompt_tokens": {"constant": {"tokens": 100}},
            "output_tokens": {"constant": {"tokens": 10}},
        }]},
        // Long after the last arrival.
        "edits": [{"at_us": 3_600_000_000_u64, "set": {"cluster.pools[0].replicas": 3}}],
    });
    scenario(document)
}

#[test]
fn a_run_in_which_no_replica_serves_or_comes_back_ends_and_says_so() {
    for flow_control in flow_controls() {
        let mut s = dying(&flow_control, &json!([{"name": "p", "replicas": 2}]));
        s.edits.clear();
        let session = ended(&s);
        let report = session.report_data();
        assert!(report.requests.completed > 0 && report.requests.in_pipeline > 0, "{flow_control}");
        let text = told(&session).expect("a notice");
        assert!(text.contains("requests wait for a replica, and none serves or comes back"), "{text}");
    }
}

#[test]
fn a_pool_without_replicas_does_not_keep_a_run_going_when_the_others_are_down_for_good() {
    let pools = json!([{"name": "p", "replicas": 0}, {"name": "q", "replicas": 2}]);
    let s = dying(&json!({"ttl_s": 0}), &pools);
    let mut session = start(&s);
    assert_eq!(session.advance(Micros(3_599_000_000), MOST_EVENTS), Stop::Finished);
    let before = session.report_data().requests;
    assert!(before.completed > 0 && before.in_pipeline > 0, "{before:?}");
    // The edit brings replicas: requests go on there.
    assert_eq!(session.advance(Micros::MAX, MOST_EVENTS), Stop::Finished);
    assert!(session.report_data().requests.completed > before.completed);
}

#[test]
fn an_edit_that_adds_replicas_to_a_run_that_is_over_brings_nothing_of_the_time_before_it() {
    let mut s = apart(&json!({"ttl_s": 0, "no_replica_ttl_s": 0}));
    s.cluster.faults.crash_mtbf_s = 1.0;
    for (at_us, replicas) in [(1, 0), (30_000_000, 2)] {
        let change = |pool: usize| Change::set(&format!("cluster.pools[{pool}].replicas"), replicas);
        s.edits.extend([0, 1].map(|pool| TimedEdit::new(at_us, change(pool))));
    }
    let session = ended(&s);
    assert_eq!(session.edits().len(), 4);
    let crashes = session.report_data().faults.expect("replicas crash").each;
    assert!(!crashes.is_empty() && crashes.iter().all(|crash| crash.at_us >= 30_000_000), "{crashes:?}");
}
