//! What reports and rows say of requests that are prefilled on one replica and decoded on another, held against the hand-overs
//! that the engine keeps.

use crate::support::rows::{cell, lines, start, text, texts, whole};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use tokenyard::base::{Micros, RequestId};
use tokenyard::engine::Handover;
use tokenyard::export::{Format, Table};
use tokenyard::session::Session;
use tokenyard::session::report::Report;
use tokenyard::session::view::{ColumnsQuery, EventsQuery, View};

fn pool(name: &str, role: &str, replicas: u32, blocks: u32) -> Value {
    json!({
        "name": name, "role": role, "replicas": replicas, "model": "llama-3.1-8b", "gpu": "H100",
        "kv": { "blocks": blocks, "block_tokens": 16 },
        "engine": { "max_num_seqs": 8, "max_num_batched_tokens": 512 },
        "latency": { "fitted": { "step_us": 4000, "step_us_per_prefill_token": 10, "step_us_per_decode_token": 100 } }
    })
}

/// Two prefill and two decode replicas with a thin network, and a decider that leaves short prompts at home.
fn split(handoff: &str, first_token: &str) -> Value {
    let lengths = |most: u32| json!({ "gaussian": { "mean_tokens": most / 2, "sd_tokens": most / 3, "min_tokens": 1, "max_tokens": most } });
    json!({
        "seed": 5,
        "run": { "horizon_s": 8, "warmup_s": 1 },
        "cluster": {
            "pools": [pool("p", "prefill", 2, 200), pool("d", "decode", 2, 200)],
            "disaggregation": {
                "decider": { "threshold": { "uncached_tokens": 100 } },
                "handoff": handoff, "first_token": first_token,
                "transfer": { "port_gb_per_s": 2.0 }
            }
        },
        "workload": { "clients": [{
            "name": "chat", "arrivals": { "poisson": { "rate_per_s": 12 } },
            "prompt_tokens": lengths(700), "output_tokens": lengths(60)
        }] },
        "observe": { "counterfactual_k": 4 }
    })
}

const WAYS: [[&str; 2]; 4] =
    [["pull", "decode"], ["pull", "prefill"], ["push", "decode"], ["push", "prefill"]];

fn handovers(session: &Session) -> Vec<(u32, Handover)> {
    let records = session.engine().records().len() as u32;
    (0..records).filter_map(|i| Some((i, session.engine().handover(RequestId(i))?.clone()))).collect()
}

fn run(scenario: &Value) -> Session {
    let mut session = start(scenario);
    session.advance(Micros::MAX, u64::MAX);
    session
}

/// The mean of the times of remote requests that arrived after the warm-up.
fn mean_ms(session: &Session, time: impl Fn(&Handover) -> Option<u64>) -> (u64, f64) {
    let measured = |i: &u32| session.engine().records().at(*i as usize).arrival >= Micros(1_000_000);
    let all = handovers(session);
    let remote = all.iter().filter(|(i, h)| measured(i) && h.prefill.is_some());
    let times: Vec<u64> = remote.filter_map(|(_, h)| time(h)).collect();
    (times.len() as u64, times.iter().sum::<u64>() as f64 / 1000.0 / times.len() as f64)
}

fn check_times(session: &Session, report: &Report) {
    let d = report.disaggregation.as_ref().expect("roles differ");
    let between = |from: Option<Micros>, to: Option<Micros>| Some(to?.0 - from?.0);
    let pairs = [
        (&d.handover_ms, mean_ms(session, |h| between(h.prefill_end.get(), h.joined.get()))),
        (&d.transfer_ms, mean_ms(session, |h| between(h.start.get(), h.landed.get()))),
        (&d.join_wait_ms, mean_ms(session, |h| between(h.landed.get(), h.joined.get()))),
        (&d.ttft_prefill_ms, mean_ms(session, |h| h.ttft_prefill.get().map(|t| t.0))),
        (&d.ttft_decode_ms, mean_ms(session, |h| h.ttft_decode.get().map(|t| t.0))),
    ];
    for (i, (got, (count, mean))) in pairs.into_iter().enumerate() {
        assert!(count > 20 && got.count == count, "distribution {i}: {} of {count}", got.count);
        assert!(
            (got.mean - mean).abs() < 1e-6 * mean.max(1.0),
            "distribution {i}: {} is not {mean}",
            got.mean
        );
    }
}

#[test]
fn a_report_sums_what_the_hand_overs_say() {
    for [handoff, first_token] in WAYS {
        let session = run(&split(handoff, first_token));
        let report = session.report_data();
        assert!(report.requests.conserved, "{:?}", report.requests);
        check_times(&session, &report);
        let d = report.disaggregation.as_ref().expect("roles differ");
        let kinds: BTreeMap<&str, u32> = d.decisions.0.iter().copied().collect();
        assert!(kinds["long"] > kinds["short"] && kinds.len() == 2, "{kinds:?}");
        let share = f64::from(kinds["long"]) / f64::from(kinds["long"] + kinds["short"]);
        assert!((d.remote_share.expect("some were decided on") - share).abs() < 1e-12);
        let landed = |h: &Handover| h.landed.get().is_some_and(|at| at >= Micros(1_000_000));
        let bytes: u64 = handovers(&session).iter().filter(|(_, h)| landed(h)).map(|(_, h)| h.bytes).sum();
        assert_eq!(d.bytes, bytes);
        let of = |direction: &str| {
            let links = report.links.iter().filter(|link| link.direction == direction);
            links.map(|link| link.bytes).sum::<u64>()
        };
        assert_eq!([of("out"), of("in")], [bytes; 2]);
        for link in &report.links {
            assert!(link.utilisation > 0.0 && link.utilisation <= link.busy * 1.000_001, "{link:?}");
            assert!(link.mean_flows >= link.busy, "{link:?}");
        }
        let [p, d_pool] = [0, 1].map(|i| report.pools[i].split.expect("roles differ"));
        assert_eq!((p.role, d_pool.role), ("prefill", "decode"));
        assert!(p.kv.outgoing > 0.0 && p.kv.incoming + p.kv.landed < 1e-12, "{p:?}");
        assert!(d_pool.kv.incoming > 0.0 && d_pool.kv.outgoing < 1e-12, "{d_pool:?}");
        assert_eq!(p.requests, kinds["long"], "each is sent to both");
        assert_eq!(d_pool.requests, kinds["long"] + kinds["short"]);
        let shown = first_token == "prefill";
        assert_eq!(p.tokens_out > 0, shown, "{p:?}");
        assert!(d.hint.is_some_and(|hint| hint.suggested_prefill + hint.suggested_decode == 4));
    }
}

/// Blocks held over time, from the records alone.
#[test]
fn held_blocks_are_held_from_the_end_of_the_prefill_to_the_landing() {
    let mut scenario = split("pull", "decode");
    scenario["run"] = json!({ "horizon_s": 8, "warmup_s": 0 });
    let session = run(&scenario);
    let now = session.engine().last_event_at();
    let held = handovers(&session).into_iter().filter_map(|(i, h)| {
        let us = h.landed.get().unwrap_or(now).0 - h.prefill_end.get()?.0;
        let blocks = session.engine().records().at(i as usize).prompt_tokens.div_ceil(16);
        (h.prefill.is_some()).then_some(us * u64::from(blocks))
    });
    let expected = held.sum::<u64>() as f64 / 1e6;
    let got = session.report_data().disaggregation.expect("roles differ").held_block_seconds;
    assert!(expected > 1.0 && (got - expected).abs() < 1e-6, "{got} is not {expected}");
}

type Row = Map<String, Value>;

fn tables(session: &mut Session) -> [Vec<Row>; 4] {
    let asked = [Table::Requests, Table::Events, Table::Decisions, Table::Series];
    let asked = asked.map(|table| (table, Format::Jsonl));
    let all: Vec<Vec<Row>> = texts(session, &asked, 64).iter().map(|text| lines(text)).collect();
    all.try_into().expect("as many as were asked for")
}

#[test]
fn rows_of_requests_and_events_tell_the_same_hand_overs() {
    for [handoff, first_token] in WAYS {
        let mut session = start(&split(handoff, first_token));
        let [requests, events, decisions, series] = tables(&mut session);
        let at = |name: &str, request: &Row| {
            let of_it = events
                .iter()
                .filter(|e| text(e, "event") == name && cell(e, "request") == cell(request, "request"));
            of_it.map(|e| whole(e, "time_us")).next_back().flatten()
        };
        let mut joined = 0;
        for request in &requests {
            let pairs = [
                ("prefill-done", "prefill_end_us"),
                ("kv-reserved", "reserved_us"),
                ("transfer-started", "transfer_start_us"),
                ("transfer-flows", "flow_us"),
                ("transfer-landed", "landed_us"),
                ("joined", "joined_us"),
            ];
            // An answer of one token ends where its prompt is computed: nothing is handed over.
            let ends_there = whole(request, "replica") == whole(request, "prefill");
            for (event, column) in
                pairs.into_iter().filter(|(event, _)| *event != "prefill-done" || !ends_there)
            {
                assert_eq!(at(event, request), whole(request, column), "{event}: {request:?}");
            }
            let stages = decisions
                .iter()
                .filter(|d| cell(d, "request") == cell(request, "request") && cell(d, "chosen") == true);
            let chosen: Vec<(&str, Option<u64>)> =
                stages.map(|d| (text(d, "stage"), whole(d, "replica"))).collect();
            let home = ("home", whole(request, "home"));
            match whole(request, "prefill") {
                None if home.1.is_none() => assert!(chosen.is_empty(), "{request:?}"),
                None => assert_eq!(chosen, [home], "{request:?}"),
                remote => assert_eq!(chosen, [home, ("prefill", remote)], "{request:?}"),
            }
            joined += u32::from(whole(request, "joined_us").is_some());
        }
        assert!(joined > 30, "{joined}");
        let flowed = series.iter().filter_map(|row| cell(row, "port_out").as_f64()).sum::<f64>();
        let received = series.iter().filter_map(|row| cell(row, "port_in").as_f64()).sum::<f64>();
        assert!(flowed > 0.0 && (flowed - received).abs() < 0.01 * flowed, "{flowed} and {received}");
        let prefills: u64 = series.iter().filter_map(|row| whole(row, "ttft_prefill_count")).sum();
        let done = events.iter().filter(|e| text(e, "event") == "prefill-done").count() as u64;
        assert_eq!(prefills, done);
        let part = session.report_data().decisions.expect("they are summarised");
        let prefill = part.prefill.expect("some were prefilled elsewhere");
        let remote = requests.iter().filter(|r| whole(r, "prefill").is_some()).count() as u64;
        assert_eq!((prefill.routed, prefill.unique_targets, prefill.targets.len()), (remote, 2, 2));
    }
}

#[test]
fn rows_and_reports_of_mixed_pools_know_no_hand_overs() {
    let mut scenario = split("pull", "decode");
    scenario["cluster"]["pools"] = json!([pool("m", "mixed", 2, 400)]);
    let mut session = start(&scenario);
    let [requests, events, decisions, series] = tables(&mut session);
    for (rows, column) in
        [(&requests, "home"), (&events, "home_replica"), (&decisions, "stage"), (&series, "port_out")]
    {
        assert!(!rows.is_empty() && rows.iter().all(|row| !row.contains_key(column)), "{column}");
    }
    let report = serde_json::to_value(session.report_data()).expect("a report is JSON");
    for key in ["disaggregation", "links"] {
        assert!(report.get(key).is_none(), "{key}");
    }
    assert!(report["pools"][0].get("split").is_none() && report["decisions"].get("prefill").is_none());
}

fn watched(scenario: &Value) -> Session {
    let scenario = tokenyard::scenario::parse(&scenario.to_string()).unwrap_or_else(|p| panic!("{p:?}"));
    let mut session = crate::support::start(&scenario);
    session.advance(Micros::MAX, u64::MAX);
    session
}

#[test]
fn charts_and_the_log_have_hand_overs() {
    let session = watched(&split("pull", "decode"));
    let columns = |view| session.columns(&ColumnsQuery { view, from_us: 0, to_us: 0, window_s: 0.0 });
    let ttft = columns(View::TtftOverTime);
    assert_eq!(ttft.names[5..], ["prefill_p50_ms", "prefill_p99_ms", "prefill_count"]);
    let latest =
        session.columns(&ColumnsQuery { view: View::TtftOverTime, from_us: 0, to_us: 0, window_s: 30.0 });
    assert_eq!(latest.names, ttft.names);
    assert!(latest.columns.iter().all(|column| column.len() == latest.columns[0].len()));
    let most = |column: &[f64]| column.iter().copied().fold(0.0, f64::max);
    assert!(most(&latest.columns[7]) > most(&ttft.columns[7]), "more prefills in 30 s than in any bucket");
    assert_eq!(columns(View::PortsOut).names, ["t_s", "r0", "r1"]);
    assert_eq!(columns(View::PortsIn).names, ["t_s", "r2", "r3"]);
    assert_eq!(columns(View::Transfers).names, ["t_s", "under_way"]);
    let stages = columns(View::Stages);
    let stage = |name: &str| {
        let i = stages.names.iter().position(|n| n == name).expect("a stage of that name");
        stages.columns[i].iter().sum::<f64>()
    };
    assert!(stage("prefilling") > 0.0 && stage("decoding") > stage("transferring"));
    assert!(stage("held") >= stage("transferring"), "those in transfer are held, too");
    let rows = session.event_rows(&EventsQuery { limit: 5000, ..EventsQuery::default() }).rows;
    let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    for part in
        ["prefill on r", "prefill at home: short", "blocks set aside", "the first byte moves", "decodes from"]
    {
        assert!(texts.iter().any(|text| text.contains(part)), "{part}");
    }
}
