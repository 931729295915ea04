//! Who makes room for a running request that finds no block, and what happens where nobody is to.

use crate::support::documents::{asked, one_replica, ran, steps};
use serde_json::{Value, json};
use tokenyard::engine::Record;
use tokenyard::scenario::{check, from_value};
use tokenyard::session::Session;

/// A cache of `blocks` blocks of 10 tokens, steps of 1 ms, and requests that arrive together: prompt, output, priority.
fn document(blocks: u32, requests: &[(u32, u32, i32)], engine: &Value) -> Value {
    let mut listed =
        asked(requests.iter().map(|(prompt, output, _)| [0, (*prompt).into(), (*output).into()]));
    for (request, (_, _, priority)) in listed.as_array_mut().expect("a list").iter_mut().zip(requests) {
        request["priority"] = json!(priority);
    }
    let kv = json!({"blocks": blocks, "block_tokens": 10, "prefix_caching": false});
    one_replica(&json!({"engine": engine, "kv": kv, "latency": steps(1000.0, 0.0, 0.0)}), &listed)
}

/// How often each request was preempted, and when it was done, in ms.
fn outcome(session: &Session) -> (Vec<u32>, Vec<u64>) {
    let records = session.engine().records();
    let done = |r: Record| r.e2e.get().expect("all are done").0 / 1000;
    (records.iter().map(|r: Record| r.preemptions).collect(), records.iter().map(done).collect())
}

/// Three prompts of one block and 11 tokens of output on 4 blocks. In step 2 each opens its second block: r0 takes the
/// free one. For r1 the latest, r2, makes room; r0 and r1 are done at 11 ms and r2, which has one token, at 21.
/// By priority r1 itself makes room, being less urgent than r2.
#[test]
fn the_least_urgent_makes_room_if_asked_for() {
    let requests = [(10, 11, 5), (10, 11, 5), (10, 11, 9)];
    let latest = ran(document(4, &requests, &json!({"priority": "request"})));
    assert_eq!(outcome(&latest), (vec![0, 0, 1], vec![11, 11, 21]));
    let engine = json!({"priority": "request", "victim": "lowest-priority"});
    let by_priority = ran(document(4, &requests, &engine));
    assert_eq!(outcome(&by_priority), (vec![0, 1, 0], vec![11, 21, 11]));
    // Of equals the latest.
    let equal = requests.map(|(prompt, output, _)| (prompt, output, 0));
    assert_eq!(outcome(&ran(document(4, &equal, &engine))), outcome(&latest));
}

/// r2 has two blocks, and 5 are there. In step 2 all open one: r0 takes the free one. The latest to make room is r2, with 20
/// tokens to compute again; the cheapest is r1 itself, with 10.
#[test]
fn the_cheapest_to_compute_again_makes_room_if_asked_for() {
    let requests = [(10, 11, 0), (10, 11, 0), (20, 11, 0)];
    assert_eq!(outcome(&ran(document(5, &requests, &json!({})))).0, [0, 0, 1]);
    let cheapest = ran(document(5, &requests, &json!({"victim": "cheapest-to-recompute"})));
    assert_eq!(outcome(&cheapest), (vec![0, 1, 0], vec![11, 21, 11]));
}

/// As in the first case, without preemption: r1 and r2 wait from step 2 on with one token each, until r0 is done at 11 ms
/// and leaves two blocks; their other 10 tokens take until 21.
#[test]
fn without_preemption_who_finds_no_block_waits() {
    let requests = [(10, 11, 0); 3];
    let session = ran(document(4, &requests, &json!({"preemption": false})));
    assert_eq!(outcome(&session), (vec![0, 0, 0], vec![11, 21, 21]));
}

/// Two on two blocks: neither can go on, so the latest makes room after all. A fourth request, which would fit, does not join
/// while others wait for blocks.
#[test]
fn where_nobody_can_go_on_the_latest_makes_room_all_the_same() {
    let session = ran(document(2, &[(10, 11, 0); 2], &json!({"preemption": false})));
    assert_eq!(outcome(&session), (vec![0, 1], vec![11, 21]));
    // Many on few blocks: all are done, one after the other.
    let session = ran(document(7, &[(10, 40, 0); 12], &json!({"preemption": false})));
    assert!(session.report_data().requests.completed == 12);
}

#[test]
fn blis_has_its_own_rule() {
    for (engine, path) in
        [(json!({"preemption": false}), "preemption"), (json!({"victim": "lowest-priority"}), "victim")]
    {
        let mut refused = document(4, &[(10, 11, 0)], &engine);
        refused["cluster"]["compat"] = json!("blis");
        let problems = check(from_value(refused).unwrap()).unwrap_err();
        assert_eq!(problems[0].path, format!("cluster.pools[0].engine.{path}"));
    }
}
