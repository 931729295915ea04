//! Clients with a bound on their requests in flight: a closed loop, and a rate whose client holds requests back.

use crate::support::documents::{put_all, ran, steps};
use crate::support::start;
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::engine::Record;
use tokenyard::scenario::{Arrivals, check, from_value};
use tokenyard::session::Session;
use tokenyard::workload::digest_of;

/// One replica with steps of 1 ms, and a client with prompts of 10 tokens and answers of `output`.
fn document(client: &Value, output: u32) -> Value {
    let mut document = json!({
        "run": {"horizon_s": 0, "warmup_s": 0, "max_requests": 7},
        "cluster": {"pools": [{
            "replicas": 1,
            "latency": steps(1000.0, 0.0, 0.0),
        }]},
        "workload": {"clients": [{
            "prompt_tokens": {"constant": {"tokens": 10}},
            "output_tokens": {"constant": {"tokens": output}},
        }]},
    });
    put_all(&mut document["workload"]["clients"][0], client);
    document
}

/// When each request was sent, in ms.
fn sent(session: &Session) -> Vec<u64> {
    session.engine().records().iter().map(|r: Record| r.arrival.0 / 1000).collect()
}

/// Most requests in flight at once.
fn most_in_flight(session: &Session) -> u32 {
    let mut events: Vec<(u64, i32)> = Vec::new();
    for r in session.engine().records() {
        let r: Record = r;
        events.push((r.arrival.0, 1));
        if let Some(e2e) = r.e2e.get() {
            events.push((r.arrival.0 + e2e.0, -1));
        }
    }
    // Who has the answer goes before who is sent at the same instant.
    events.sort_unstable();
    let (mut now, mut most) = (0, 0);
    for (_, change) in events {
        now += change;
        most = most.max(now);
    }
    most.cast_unsigned()
}

#[test]
fn the_three_ways_to_say_a_closed_loop_are_one() {
    let said = [
        json!({"concurrency": 36}),
        json!({"arrivals": {"concurrency": 36}}),
        json!({"arrivals": {"concurrency": {"requests": 36}}}),
    ];
    let read = said.map(|client| from_value(document(&client, 5)).unwrap());
    assert_eq!(read[0].workload.clients[0].arrivals, Arrivals::Concurrency { requests: 36 });
    assert!(read.iter().all(|s| *s == read[0]));
    // A round of the document says the same.
    let text = tokenyard::scenario::to_json(&read[0]);
    assert_eq!(tokenyard::scenario::parse(&text).unwrap(), read[0]);
    // Beside a rate it is a bound.
    let beside =
        from_value(document(&json!({"concurrency": 4, "arrivals": {"poisson": {"rate_per_s": 9}}}), 5));
    let beside = beside.unwrap();
    assert_eq!(beside.workload.clients[0].concurrency, 4);
    assert!(matches!(beside.workload.clients[0].arrivals, Arrivals::Poisson { .. }));
}

/// Two in flight, 7 requests of 5 steps of 1 ms: two at 0, two at 5 ms as both end, two at 10, one at 15.
#[test]
fn a_closed_loop_sends_the_next_request_when_one_ends() {
    let session = ran(document(&json!({"concurrency": 2}), 5));
    assert_eq!(sent(&session), [0, 0, 5, 5, 10, 10, 15]);
    assert_eq!(most_in_flight(&session), 2);
}

/// One request each ms, at most 2 in flight, 5 steps of 1 ms each. r0 is due and sent at 1 ms, r1 at 2; they end at 6 and
/// 7. r2, due at 3, is sent at 6, just after a step has begun, joins at 7 and ends at 12; r3, due at 4, is sent at 7 and
/// ends at 13; r4 is sent at 12, r5 at 13, and r6 as r4 ends at 18.
#[test]
fn a_client_holds_requests_of_its_rate_back() {
    let client = json!({"concurrency": 2, "arrivals": {"constant": {"rate_per_s": 1000}}});
    let session = ran(document(&client, 5));
    assert_eq!(sent(&session), [1, 2, 6, 7, 12, 13, 18]);
    // The clock of a request starts as it is sent: it waits for the running step and for its own, not for its place.
    let ttft = |r: Record| r.ttft.get().expect("all have a token").0 / 1000;
    let ttfts: Vec<u64> = session.engine().records().iter().map(ttft).collect();
    assert_eq!(ttfts, [1, 1, 2, 2, 2, 2, 2]);
    // Without the bound they are sent as they are due.
    let client = json!({"arrivals": {"constant": {"rate_per_s": 1000}}});
    assert_eq!(sent(&ran(document(&client, 5))), [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_bound_that_is_never_reached_changes_nothing() {
    let plain = json!({"arrivals": {"gamma": {"rate_per_s": 100, "cv": 2.0}}});
    let mut bounded = plain.clone();
    bounded["concurrency"] = json!(1000);
    assert_eq!(sent(&ran(document(&plain, 3))), sent(&ran(document(&bounded, 3))));
}

#[test]
fn what_requests_are_does_not_depend_on_who_serves_them() {
    let client = json!({"concurrency": 3, "arrivals": {"poisson": {"rate_per_s": 500}},
        "prompt_tokens": {"lognormal": {"median_tokens": 50, "sigma": 1.0, "min_tokens": 1, "max_tokens": 500}},
        "prefix": {"groups": 3, "tokens": 32}});
    let mut quick = document(&client, 9);
    quick["run"]["max_requests"] = json!(200);
    let mut slow = quick.clone();
    slow["cluster"]["pools"][0]["engine"] = json!({"max_num_seqs": 1, "max_num_batched_tokens": 16});
    slow["cluster"]["routing"] = json!("random");
    let digest = |d: &Value| digest_of(&from_value(d.clone()).unwrap(), None, 200);
    assert_eq!(digest(&quick), digest(&slow));
    let lengths = |session: &Session| -> Vec<(u32, u32)> {
        session.engine().records().iter().map(|r: Record| (r.prompt_tokens, r.output_tokens)).collect()
    };
    let (quick, slow) = (ran(&quick), ran(&slow));
    assert_eq!(lengths(&quick), lengths(&slow));
    assert_eq!((most_in_flight(&quick), most_in_flight(&slow)), (3, 3));
}

/// Who is refused leaves its place 1 ms later, so that the loop goes on and time does, too.
#[test]
fn a_refused_request_frees_its_place_a_millisecond_later() {
    let mut refused = document(&json!({"concurrency": 2}), 5);
    refused["cluster"]["admission"] = json!("reject-all");
    let session = ran(&refused);
    assert_eq!(sent(&session), [0, 0, 1, 1, 2, 2, 3]);
    // The same where a replica gives a request up: no prompt of 10 tokens fits in one block of 4.
    let mut dropped = document(&json!({"concurrency": 1}), 5);
    dropped["cluster"]["pools"][0]["kv"] = json!({"blocks": 1, "block_tokens": 4});
    assert_eq!(sent(&ran(&dropped)), [0, 1, 2, 3, 4, 5, 6]);
}

/// Two in flight until 7 ms, then three: the third is sent at once. From 12 ms on one.
#[test]
fn an_edit_of_the_bound_holds_at_once() {
    let mut edited = document(&json!({"concurrency": 2}), 5);
    let arrivals = "workload.clients[0].arrivals";
    edited["edits"] = json!([
        {"at_us": 7000, "set": {arrivals: {"concurrency": {"requests": 3}}}},
        {"at_us": 12_000, "set": {arrivals: {"concurrency": {"requests": 1}}}},
    ]);
    // r0, r1 at 0; r2, r3 at 5; r4 at 7, whose 5 steps end at 12; r5, r6 at 10, as r2 and r3 end.
    assert_eq!(sent(&ran(&edited)), [0, 0, 5, 5, 7, 10, 10]);
    edited["run"]["max_requests"] = json!(9);
    // r4 ends at 12; r5 and r6 join the step after that which begins at 10, and end at 16. With one place r7 is sent at
    // 16, to an idle replica, and r8 at 21.
    assert_eq!(sent(&ran(&edited))[7..], [16, 21]);
}

#[test]
fn a_snapshot_and_a_seek_keep_the_places() {
    let scenario = from_value(document(&json!({"concurrency": 2}), 5)).unwrap();
    let straight = sent(&ran(document(&json!({"concurrency": 2}), 5)));
    let mut session = start(&scenario);
    session.advance(Micros(7_300), 1_000_000);
    let bytes = session.snapshot();
    session.advance(Micros::MAX, 1_000_000);
    assert_eq!(sent(&session), straight);
    let mut again = session;
    again.restore(&bytes).expect("a snapshot opens");
    again.advance(Micros::MAX, 1_000_000);
    assert_eq!(sent(&again), straight);
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let path_of = |client: Value| -> Vec<String> {
        let scenario = from_value(document(&client, 5)).unwrap();
        check(scenario).unwrap_err().into_iter().map(|p| p.path).collect()
    };
    let talk = json!({"clock": "closed"});
    assert_eq!(path_of(json!({"concurrency": 4, "conversation": talk})), ["workload.clients[0].arrivals"]);
    assert_eq!(
        path_of(json!({"concurrency": 4, "conversation": talk, "arrivals": {"poisson": {"rate_per_s": 1}}})),
        ["workload.clients[0].concurrency"]
    );
    assert_eq!(
        path_of(
            json!({"concurrency": 4, "rate_profile": {"windows": {"windows": [{"start_s": 0, "end_s": 1}]}}})
        ),
        ["workload.clients[0].rate_profile"]
    );
    assert_eq!(
        path_of(json!({"arrivals": {"concurrency": 100_000}})),
        ["workload.clients[0].arrivals.concurrency.requests"]
    );
    // Without an end it never ends.
    let mut endless = document(&json!({"concurrency": 4}), 5);
    endless["run"] = json!({"horizon_s": 0});
    let problems = check(from_value(endless).unwrap()).unwrap_err();
    assert_eq!(problems[0].path, "run");
}

/// One request at a time (5 ms each): r0 runs, and of those that wait the most urgent by its own account goes first.
#[test]
fn a_request_brings_its_own_priority() {
    let mut document = document(&json!({}), 5);
    document["cluster"]["pools"][0]["engine"] =
        json!({"max_num_seqs": 1, "scheduler": "priority-fcfs", "priority": "request"});
    let listed = |(i, priority): (u32, i32)| {
        json!({"id": format!("r{i}"), "arrival_us": i, "priority": priority,
            "prompt": [{"text": i, "tokens": 10}], "output": {"text": 100 + i, "tokens": 5}})
    };
    let all: Vec<Value> = (0..).zip([0, -3, 7, 2, 7]).map(listed).collect();
    document["workload"] = json!({"clients": [], "requests": all});
    let session = ran(&document);
    let joined: Vec<u64> = session
        .engine()
        .records()
        .iter()
        .map(|r: Record| r.first_scheduled.get().expect("all joined").0 / 1000)
        .collect();
    assert_eq!(joined, [0, 20, 5, 15, 10]);
    // A client says it for all its requests.
    let client = json!({"priority": 5, "arrivals": {"constant": {"rate_per_s": 1000}}});
    let scenario = from_value(self::document(&client, 5)).unwrap();
    let mut source = tokenyard::workload::Source::new(&scenario, None);
    assert_eq!(source.take().expect("a request").priority, 5);
}

#[test]
fn what_a_client_held_back_is_sent_when_its_bound_is_lifted_and_not_earlier() {
    // A request is due every 10 ms and takes 25 ms; at 100 ms those that were due at 50, 60 and 70 ms are still held back.
    let mut lifted = document(&json!({"arrivals": {"constant": {"rate_per_s": 100}}, "concurrency": 1}), 25);
    lifted["edits"] = json!([{"at_us": 100_000, "set": {"workload.clients[0].concurrency": 0}}]);
    assert_eq!(sent(&ran(&lifted)), [10, 35, 60, 85, 100, 100, 100]);
    // The same of a closed loop that becomes an open stream, and of a bound that comes back.
    let mut opened = document(&json!({"arrivals": {"concurrency": {"requests": 1}}}), 25);
    let stream = json!({"constant": {"rate_per_s": 100}});
    opened["edits"] = json!([{"at_us": 60_000, "set": {"workload.clients[0].arrivals": stream}},
        {"at_us": 80_000, "set": {"workload.clients[0].concurrency": 1}}]);
    let times = sent(&ran(&opened));
    assert!(times.is_sorted() && times[..3] == [0, 25, 50] && times[3] >= 60, "{times:?}");
}
