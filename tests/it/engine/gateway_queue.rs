//! The gateway's queue by hand: who goes on when, in runs small enough to write down.
//!
//! The one replica takes one request at a time unless a test says otherwise: a prompt takes a step of 1,000 us, each further
//! token another. Ticks are at whole milliseconds.

use crate::support::documents;
use crate::support::gateway::gateway;
use crate::support::scenarios::{sound, started};
use serde_json::{Value, json};
use tokenyard::base::{Micros, ReplicaId};
use tokenyard::engine::{DropReason, Record};
use tokenyard::policy::Reason;
use tokenyard::scenario::Compat;
use tokenyard::session::{Audience, Session, Stop};

/// Requests that arrive at these microseconds, of these tenants and classes, with these output tokens.
fn requests(rows: &[(u64, &str, &str, u32)]) -> Value {
    let row = |(at, tenant, class, output): &(u64, &str, &str, u32)| {
        json!({ "arrival_us": at, "tenant": tenant, "slo_class": class,
            "prompt": [{ "text": 1, "tokens": 10 }], "output": { "tokens": output, "text": 2 } })
    };
    rows.iter().map(row).collect()
}

fn scenario(flow: &Value, rows: &[(u64, &str, &str, u32)]) -> Value {
    let latency = json!({ "step_us": 1000, "step_us_per_prefill_token": 0, "step_us_per_decode_token": 0,
        "step_us_per_context_token": 0, "queueing_us": 0, "output_us_per_token": 0 });
    json!({
        "run": { "warmup_s": 0, "horizon_s": 20 },
        "cluster": {
            "pools": [{ "replicas": 1, "kv": { "blocks": 1000 }, "latency": { "fitted": latency } }],
            "flow_control": flow,
        },
        "workload": { "clients": [], "requests": requests(rows) },
    })
}

fn ran(document: Value) -> Session {
    let mut session = started(&documents::scenario(document), Audience::Live);
    while session.advance(Micros::MAX, 61) != Stop::Finished {
        sound(&session);
    }
    sound(&session);
    session
}

fn records(session: &Session) -> Vec<Record> {
    session.engine().records().iter().collect()
}

/// When each went on to the router, in microseconds.
fn sent(session: &Session) -> Vec<Option<u64>> {
    records(session).iter().map(|r| r.admitted.get().map(|at| at.0)).collect()
}

/// The requests in the order in which they went on.
fn order(session: &Session) -> Vec<usize> {
    let mut all: Vec<(u64, usize)> =
        sent(session).into_iter().enumerate().filter_map(|(i, at)| Some((at?, i))).collect();
    all.sort_unstable();
    all.into_iter().map(|(_, i)| i).collect()
}

/// One request in flight at a time.
fn one_at_a_time() -> Value {
    json!({ "concurrency": { "max_requests": 1 } })
}

#[test]
fn a_request_goes_on_at_the_first_tick_after_the_one_before_it_has_left() {
    let session = ran(scenario(
        &json!({ "detector": one_at_a_time() }),
        &[(0, "a", "", 1), (300, "a", "", 2), (400, "a", "", 1)],
    ));
    // The first goes on at its arrival and is done at 1,000, which is a tick: the next is 2,000. The second is done after two
    // steps, at 4,000.
    assert_eq!(sent(&session), [Some(0), Some(2000), Some(5000)]);
    let ends: Vec<u64> = records(&session).iter().map(|r| r.left.get().expect("done").0).collect();
    assert_eq!(ends, [1000, 4000, 6000]);
    let joined: Vec<u64> = records(&session).iter().map(|r| r.entered.get().expect("it joined").0).collect();
    assert_eq!(joined, [0, 300, 400]);
}

#[test]
fn without_saturation_each_arrival_sends_itself_on() {
    let flow = json!({ "detector": "never" });
    let rows = [(5, "a", "", 1), (5, "b", "batch", 1), (6, "a", "critical", 1)];
    assert_eq!(sent(&ran(scenario(&flow, &rows))), [Some(5), Some(5), Some(6)]);
}

#[test]
fn higher_bands_go_first_whenever_they_came() {
    let flow = json!({ "detector": one_at_a_time() });
    let rows = [
        (0, "a", "standard", 3),
        (100, "a", "background", 1),
        (200, "a", "standard", 1),
        (300, "a", "critical", 1),
        (400, "a", "batch", 1),
    ];
    assert_eq!(order(&ran(scenario(&flow, &rows))), [0, 3, 2, 4, 1]);
}

#[test]
fn flows_of_a_band_take_turns_under_round_robin_and_come_as_they_come_under_global_strict() {
    let rows = [
        (0, "a", "", 2),
        (10, "a", "", 1),
        (20, "a", "", 1),
        (30, "a", "", 1),
        (40, "b", "", 1),
        (50, "b", "", 1),
    ];
    let flow = |fairness: &str| json!({ "detector": one_at_a_time(), "fairness": fairness });
    assert_eq!(order(&ran(scenario(&flow("global-strict"), &rows))), [0, 1, 2, 3, 4, 5]);
    // Tenant a went last, so b is next.
    assert_eq!(order(&ran(scenario(&flow("round-robin"), &rows))), [0, 4, 1, 5, 2, 3]);
}

#[test]
fn the_flow_with_less_service_goes_first() {
    let rows = [(0, "a", "", 50), (10, "a", "", 1), (20, "b", "", 1), (30, "b", "", 1)];
    let flow =
        json!({ "detector": one_at_a_time(), "fairness": { "program-aware": { "wait_weight": 0.0 } } });
    // The first of a attains 10 + 2 · 50 tokens; each of b 12, so that both of b go before the second of a.
    assert_eq!(order(&ran(scenario(&flow, &rows))), [0, 2, 3, 1]);
}

#[test]
fn a_flow_is_ordered_by_the_end_of_its_wait_or_by_its_objective() {
    let rows =
        [(0, "a", "standard", 3), (10, "a", "standard", 1), (20, "a", "critical", 1), (30, "a", "batch", 1)];
    // One band for all classes, so that the ordering alone decides.
    let equal = json!({ "critical": 0, "standard": 0, "sheddable": 0, "batch": 0, "background": 0 });
    let run = |ordering: &str| {
        let flow = json!({ "detector": one_at_a_time(), "ordering": ordering, "priorities": equal });
        let mut document = scenario(&flow, &rows);
        document["slo"] = json!({ "ttft_ms": 800, "classes": [
            { "class": "critical", "ttft_ms": 200 }, { "class": "batch", "ttft_ms": 0 },
        ] });
        order(&ran(document))
    };
    assert_eq!(run("fcfs"), [0, 1, 2, 3]);
    // All may wait 60 s from when they joined.
    assert_eq!(run("edf"), [0, 1, 2, 3]);
    // 200.02 ms against 800.01 ms; the batch class has no objective.
    assert_eq!(run("slo-deadline"), [0, 2, 1, 3]);
}

#[test]
fn a_band_whose_ceiling_is_reached_stops_those_below_it() {
    // Two may be in flight. The lowest band waits from a saturation of 0.5 on.
    let flow = json!({
        "detector": { "concurrency": { "max_requests": 2 } },
        "ceilings": { "priority-holdback": { "max": 1.0, "min": 0.5 } },
        "bands": [{ "priority": 0 }, { "priority": -100 }],
    });
    let rows = [
        (0, "a", "standard", 4),
        (100, "a", "background", 1),
        (200, "a", "standard", 1),
        (300, "a", "standard", 1),
    ];
    let session = ran(scenario(&flow, &rows));
    // The third goes on beside the first at once; the fourth waits for room and the second for an idle replica.
    let sent = sent(&session);
    assert_eq!((sent[0], sent[2]), (Some(0), Some(200)));
    assert!(sent[1] > sent[3], "{sent:?}");
    let first_left = records(&session)[0].left.get().expect("done").0;
    assert!(sent[1] > Some(first_left), "{sent:?}");
}

#[test]
fn who_waits_for_too_long_is_refused_at_the_next_whole_second() {
    let flow = json!({ "detector": one_at_a_time(), "ttl_s": 1.0 });
    let session = ran(scenario(&flow, &[(0, "a", "", 4000), (200_000, "a", "", 1), (1_100_000, "a", "", 1)]));
    let all = records(&session);
    let gone = |i: usize| (all[i].left.get().map(|at| at.0), all[i].refused);
    // Its second is over at 1.2 s.
    assert_eq!(gone(1), (Some(2_000_000), Some(Reason::WaitedTooLong)));
    // 2.1 s.
    assert_eq!(gone(2), (Some(3_000_000), Some(Reason::WaitedTooLong)));
    assert_eq!(sent(&session), [Some(0), None, None]);
}

#[test]
fn a_full_band_refuses_and_others_do_not() {
    let flow = json!({ "detector": one_at_a_time(), "bands": [{ "priority": 0, "max_requests": 1 }] });
    let rows = [(0, "a", "", 9), (10, "a", "", 1), (20, "a", "", 1), (30, "a", "critical", 1)];
    let refused: Vec<Option<Reason>> =
        records(&ran(scenario(&flow, &rows))).iter().map(|r| r.refused).collect();
    assert_eq!(refused, [None, None, Some(Reason::GatewayFull), None]);
}

#[test]
fn an_urgent_request_stops_the_newest_of_the_lowest_priority() {
    let flow = json!({ "detector": { "concurrency": { "max_requests": 3 } }, "eviction": true });
    let rows = [
        (0, "a", "background", 100),
        (10, "a", "batch", 100),
        (20, "a", "background", 100),
        (30, "a", "sheddable", 100),
        (5000, "a", "critical", 1),
    ];
    let session = ran(scenario(&flow, &rows));
    let dropped: Vec<Option<DropReason>> = records(&session).iter().map(|r| r.drop).collect();
    // The sheddable one waits first, and has the newest background request stopped; the critical one has the other.
    let evicted = Some(DropReason::Evicted);
    assert_eq!(dropped, [evicted, None, evicted, None, None]);
    assert_eq!(records(&session)[2].replica(), Some(ReplicaId(0)));
}

#[test]
fn between_two_looks_the_queue_sends_a_request_at_each_tick() {
    // The replica takes one request of many steps at a time. Two waiting ones are saturation; the detector looks every 50 ms.
    let flow = json!({ "detector": { "utilization": { "queue_threshold": 2, "refresh_us": 50_000 } } });
    let rows: Vec<(u64, &str, &str, u32)> = (0..20).map(|_| (0, "a", "", 30)).collect();
    let mut document = scenario(&flow, &rows);
    document["cluster"]["pools"][0]["engine"] = json!({ "max_num_seqs": 1 });
    let session = ran(document);
    // At 0 each arrival is an attempt and nothing has been seen: all go on at once.
    assert_eq!(sent(&session).iter().filter(|at| **at == Some(0)).count(), 20);
    // Requests that come a little later find what was seen at 0, until 50 ms: a crowd like the first is too late.
    let mut rows: Vec<(u64, &str, &str, u32)> = vec![(0, "a", "", 300); 4];
    rows.extend((0..60).map(|i| (60_000 + i, "a", "", 1)));
    let mut document = scenario(&flow, &rows);
    document["cluster"]["pools"][0]["engine"] = json!({ "max_num_seqs": 1 });
    let session = ran(document);
    let sent = sent(&session);
    // At 60 ms three wait: saturated. The first look that finds one waiting is after 900 ms, when the third of the four runs.
    assert!(sent[4..].iter().all(|at| at.is_some_and(|at| at >= 600_000)), "{sent:?}");
    // From there on one goes on at each tick, until the next look finds more than one of them waiting.
    let first = sent[4].expect("it went on");
    let crowd = sent[4..].iter().filter(|at| at.is_some_and(|at| at < first + 50_000)).count();
    assert_eq!(crowd, 50, "one at each millisecond between two looks: {sent:?}");
}

#[test]
fn an_edit_sends_all_that_wait_on_or_queues_them_again() {
    let flow = json!({ "detector": one_at_a_time() });
    let rows = [(0, "a", "", 500), (10, "a", "batch", 1), (20, "a", "critical", 1)];
    let mut document = scenario(&flow, &rows);
    document["edits"] = json!([{ "at_us": 5500, "set": { "cluster.flow_control": null } }]);
    assert_eq!(sent(&ran(document.clone())), [Some(0), Some(5500), Some(5500)]);
    // Classes that trade places go on in the other order; a wait goes on from when it began.
    let priorities = json!({ "critical": -1, "batch": 7 });
    document["edits"] = json!([{ "at_us": 5500, "set": { "cluster.flow_control.priorities": priorities } }]);
    let session = ran(document);
    assert_eq!(order(&session), [0, 1, 2]);
    assert_eq!(records(&session)[1].entered.get(), Some(Micros(10)));
}

#[test]
fn the_time_in_the_queue_is_a_part_of_the_waterfall_and_the_report() {
    let flow = json!({ "detector": one_at_a_time() });
    let session = ran(scenario(&flow, &[(0, "a", "", 1), (300, "a", "", 1)]));
    let report: Value = serde_json::from_str(&session.report()).expect("a report is JSON");
    let all = &report["gateway"]["all"];
    assert_eq!(
        (&all["entered"], &all["dispatched"], &all["waiting"], &all["max_waiting"]),
        (&json!(2), &json!(2), &json!(0), &json!(1))
    );
    // 0 and 1.7 ms.
    assert_eq!(all["wait_ms"]["max"], json!(1.7));
    // One waits for 1.7 of the 3 ms until the last event.
    assert!((all["mean_waiting"].as_f64().expect("a number") - 1.7 / 3.0).abs() < 1e-12);
}

#[test]
fn a_run_with_all_of_flow_control_is_the_same_however_it_is_cut() {
    let scenario = gateway(Compat::None);
    let mut whole = started(&scenario, Audience::Live);
    assert_eq!(whole.advance(Micros::MAX, u64::MAX), Stop::Finished);
    let mut cut = started(&scenario, Audience::Batch);
    let mut pieces = 0;
    while cut.advance(Micros::MAX, 1009) != Stop::Finished {
        sound(&cut);
        pieces += 1;
    }
    assert!(pieces > 10, "{pieces}");
    assert_eq!(cut.digest(), whole.digest());
    let report: Value = serde_json::from_str(&whole.report()).expect("a report is JSON");
    let reasons: Vec<&str> =
        report["rejections"].as_array().into_iter().flatten().filter_map(|r| r["reason"].as_str()).collect();
    assert!(reasons.contains(&"waited too long at the gateway") && reasons.contains(&"shed"), "{reasons:?}");
    let dropped = records(&whole).iter().filter(|r| r.drop == Some(DropReason::Evicted)).count();
    assert!(dropped > 0, "nothing was evicted");
}

#[test]
fn a_request_let_in_for_one_that_expires_may_send_on_another_whose_time_is_over_too() {
    // Of tenant b three may be let in. The replica is free from 900 ms on, and the next tick is at 1.4 s.
    let flow = json!({ "detector": one_at_a_time(), "ttl_s": 0.5, "tick_us": 700_000 });
    let rows = [
        (0, "a", "", 900),
        (100, "b", "", 1),
        (200, "b", "", 1),
        (800_000, "b", "", 1),
        (810_000, "b", "", 1),
    ];
    let mut document = scenario(&flow, &rows);
    document["cluster"]["admission"] = json!({ "tenant-quota": { "max_in_flight": 3, "then": "delay" } });
    let session = ran(document);
    let end = |r: &Record| (r.left.get().expect("it left").0 / 1000, r.refused.is_some());
    // At 1 s the second request expires, so the last is let in; its joining is an attempt, which sends the third on. The fourth goes
    // on at the tick, and the last waits until the second after its time is over.
    let ends: Vec<(u64, bool)> = records(&session).iter().map(end).collect();
    assert_eq!(ends, [(900, false), (1000, true), (1001, false), (1401, false), (2000, true)]);
}
