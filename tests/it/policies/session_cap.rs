//! Policies that go by sessions: the cap on them, and the filter that forgets them. Steps take 1 ms each, so that an answer of n tokens takes n ms.

use crate::support::documents::{ran, steps};
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::engine::{Record, RequestState};
use tokenyard::scenario::from_value;
use tokenyard::session::report::Report;
use tokenyard::session::{Audience, Session};

/// One replica behind `admission`, and requests with their session, arrival in ms and tokens of the answer.
fn document(admission: &Value, requests: &[(&str, u64, u32)]) -> Value {
    let request = |&(session, at, output): &(&str, u64, u32)| {
        json!({"arrival_us": at * 1000, "session": session, "prompt": [{"text": 1, "tokens": 8}],
            "output": {"tokens": output}})
    };
    json!({
        "run": {"horizon_s": 0, "warmup_s": 0},
        "cluster": {"admission": admission, "pools": [{
            "replicas": 1,
            "latency": steps(1000.0, 0.0, 0.0),
        }]},
        "workload": {"clients": [], "requests": requests.iter().map(request).collect::<Vec<_>>()},
    })
}

/// When each request was let in, in ms.
fn let_in(session: &Session) -> Vec<Option<u64>> {
    session.engine().records().iter().map(|r: Record| r.admitted.get().map(|at| at.0 / 1000)).collect()
}

const REQUESTS: [(&str, u64, u32); 5] = [("a", 0, 10), ("b", 1, 4), ("a", 2, 5), ("", 3, 1), ("c", 4, 2)];

/// Session a has the only place. Its second request passes b, which waits, and so does one without a session. Both requests of a
/// have ended at 10 ms, and 5 ms later its place is free: b is let in, runs from 15 to 19 ms and keeps the place until 24 ms, when
/// c is let in.
#[test]
fn a_request_of_another_session_waits_until_one_was_idle() {
    let cap = json!({"session-cap": {"max_sessions": 1, "idle_s": 0.005}});
    let session = ran(document(&cap, &REQUESTS));
    assert_eq!(let_in(&session), [Some(0), Some(15), Some(2), Some(3), Some(24)]);
}

#[test]
fn without_idle_time_a_place_is_free_as_the_last_request_ends() {
    let cap = json!({"session-cap": {"max_sessions": 1, "idle_s": 0.0}});
    assert_eq!(let_in(&ran(document(&cap, &REQUESTS))), [Some(0), Some(10), Some(2), Some(3), Some(14)]);
    // With two places b does not wait; c is let in when b has ended, after its four steps from 1 ms on.
    let cap = json!({"session-cap": {"max_sessions": 2, "idle_s": 0.0}});
    assert_eq!(let_in(&ran(document(&cap, &REQUESTS))), [Some(0), Some(1), Some(2), Some(3), Some(5)]);
}

#[test]
fn a_session_over_the_cap_can_be_refused() {
    let cap = json!({"session-cap": {"max_sessions": 1, "idle_s": 0.005, "then": "reject"}});
    let session = ran(document(&cap, &REQUESTS));
    let refused = |r: Record| r.state() == RequestState::Rejected;
    let states: Vec<bool> = session.engine().records().iter().map(refused).collect();
    assert_eq!(states, [false, true, false, false, true]);
    let report: Report = session.report_data();
    assert_eq!((report.rejections[0].reason, report.rejections[0].requests), ("session cap", 2));
}

/// 60 sessions of agents on one replica whose cache has room for about ten of them.
fn agents(admission: &Value) -> Value {
    json!({
        "run": {"horizon_s": 600, "warmup_s": 60},
        "cluster": {"admission": admission, "pools": [{
            "replicas": 1,
            "kv": {"blocks": 2500, "block_tokens": 16},
            "latency": steps(5000.0, 100.0, 20.0),
        }]},
        "workload": {"clients": [{
            "concurrency": 60,
            "prompt_tokens": {"constant": {"tokens": 400}},
            "output_tokens": {"constant": {"tokens": 50}},
            "agent": {"turns": {"constant": {"rounds": 12}}, "tools": {"constant": {"think_s": 0.5}}},
        }]},
    })
}

/// llm-d's router, #2964: with more sessions than the cache has room for, each one's blocks are gone before its next turn, and a
/// cap on sessions takes the share of cached prompt tokens from 0.008 to 0.685.
#[test]
fn a_cap_keeps_the_contexts_of_agents_in_the_cache() {
    let shares = [json!("always-admit"), json!({"session-cap": {"max_sessions": 8, "idle_s": 2.0}})].map(
        |admission| {
            let mut session =
                Session::start(from_value(agents(&admission)).unwrap(), None, Audience::Batch).unwrap().0;
            session.advance(Micros::MAX, u64::MAX);
            let report: Report = session.report_data();
            let sessions = report.sessions.expect("sessions are followed");
            let sum = |of: fn(&tokenyard::session::report::TurnPart) -> u64| {
                sessions.by_turn.iter().map(of).sum::<u64>()
            };
            let share = sum(|t| t.cached_tokens) as f64 / sum(|t| t.prompt_tokens) as f64;
            (share, report.throughput.completed_per_s, sessions.recomputed_tokens)
        },
    );
    let [(without, slow, computed_again), (with, fast, _)] = shares;
    assert!(without < 0.05 && with > 0.6, "{shares:?}");
    assert!(fast > 2.0 * slow && computed_again > 100_000, "{shares:?}");
}

/// A session is sent to its replica again within 50 ms of its latest request, although the other one is idle, and to the idle one
/// after that. Without a limit it stays.
#[test]
fn a_session_filter_forgets_a_session_after_a_while() {
    let homes = |filter: Value| -> Vec<u32> {
        let mut two = document(&json!("always-admit"), &[("a", 0, 200), ("a", 40, 200), ("a", 100, 200)]);
        two["cluster"]["pools"][0]["replicas"] = json!(2);
        two["cluster"]["routing"] = json!({"weighted": {"profile": "custom",
            "scorers": [{"scorer": "active-requests", "weight": 1}], "filters": [{"session": filter}]}});
        let session = ran(&two);
        session.engine().records().iter().map(|r: Record| r.replica().expect("all are routed").0).collect()
    };
    let [first, second, third] = homes(json!({"ttl_s": 0.05}))[..] else { panic!("three requests") };
    assert!(first == second && second != third, "{first} {second} {third}");
    let all = homes(json!({}));
    assert!(all.iter().all(|home| *home == all[0]), "{all:?}");
}
