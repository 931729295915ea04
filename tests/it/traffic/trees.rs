//! Recorded sessions in which a turn comes a delay after the answers before it. Steps take 1 ms each, so that an answer
//! of n tokens to a request that does not wait for a running step takes n ms.

use super::{read, sent, sessions};
use crate::support::documents::{scenario, steps};
use serde_json::{Value, json};
use std::sync::Arc;
use tokenyard::base::Micros;
use tokenyard::engine::{Record, RequestState};
use tokenyard::scenario::{Change, TimedEdit, from_value};
use tokenyard::session::{Audience, Session, Stop};
use tokenyard::workload::{Trace, TraceReader};

/// What is wrong with a file, which is one thing.
fn refused(text: &str) -> String {
    let mut reader = TraceReader::new("my.trace", 1 << 20);
    reader.push(text.as_bytes());
    let (trace, diagnostics, _) = reader.finish();
    assert_eq!((trace, diagnostics.len()), (None, 1), "{diagnostics:?}");
    diagnostics[0].to_string()
}

/// One replica with steps of 1 ms, which replays a trace by `settings`.
fn document(settings: &Value) -> Value {
    json!({
        "run": {"horizon_s": 0, "warmup_s": 0},
        "cluster": {"pools": [{
            "replicas": 1,
            "latency": steps(1000.0, 0.0, 0.0),
        }]},
        "workload": {"trace": settings},
    })
}

fn start(document: &Value, trace: &Arc<Trace>) -> Session {
    Session::start(scenario(document), Some(Arc::clone(trace)), Audience::Batch).expect("a valid scenario").0
}

fn run(document: &Value, trace: &Arc<Trace>) -> Session {
    let mut session = start(document, trace);
    assert_eq!(session.advance(Micros::MAX, 1_000_000), Stop::Finished);
    session.engine().verify(true);
    session
}

const TURNS: &str = r#"{"session_id": "s1", "timestamp": 0, "input_length": 1000, "output_length": 50, "hash_ids": [1, 2]}
{"session_id": "s1", "delay": 2000, "input_length": 1600, "output_length": 40, "hash_ids": [1, 2, 3, 4]}
{"session_id": "s2", "timestamp": 500, "input_length": 600, "output_length": 10, "hash_ids": [9, 10]}
"#;

/// The second turn of s1 is sent 2 s after its first answer, which is there at 50 ms; s1 is over at 2,050 + 40 ms. Of the
/// 1,000 tokens that the second prompt has in common with the first, 62 blocks of 16 are cached, and 8 tokens are not.
#[test]
fn a_turn_comes_its_delay_after_the_answer_before() {
    let session = run(&document(&json!({})), &read(TURNS));
    assert_eq!(sent(&session), [(0, 1000), (500, 600), (2050, 1600)]);
    let s = sessions(&session);
    assert_eq!((s.begun, s.finished, s.cut_short, s.turns_not_sent), (2, 2, 0, 0));
    assert_eq!((s.time_ms.count, s.time_ms.max, s.time_ms.min, s.turns.mean), (2, 2090.0, 10.0, 1.5));
    let by_turn: Vec<_> =
        s.by_turn.iter().map(|t| (t.from, t.to, t.requests, t.prompt_tokens, t.cached_tokens)).collect();
    assert_eq!(by_turn, [(1, 1, 2, 1600, 0), (2, 2, 1, 1600, 992)]);
    assert_eq!(s.by_turn[1].hit_rate, Some(0.62));
    assert_eq!((s.known_tokens, s.recomputed_tokens), (1000, 8));
}

#[test]
fn speed_and_a_longest_gap_shorten_the_delays() {
    let trace = read(TURNS);
    let at = |settings: Value| sent(&run(&document(&settings), &trace));
    assert_eq!(at(json!({"speed": 4.0})), [(0, 1000), (125, 600), (550, 1600)]);
    assert_eq!(at(json!({"max_gap_s": 0.3})), [(0, 1000), (350, 1600), (500, 600)]);
    assert_eq!(at(json!({"max_gap_s": 0.3, "speed": 2.0})), [(0, 1000), (200, 1600), (250, 600)]);
}

#[test]
fn a_trace_without_delays_has_no_sessions_to_follow() {
    let plain = TURNS.replace("\"delay\": 2000", "\"timestamp\": 2000");
    let session = run(&document(&json!({})), &read(&plain));
    assert_eq!(sent(&session), [(0, 1000), (500, 600), (2000, 1600)]);
    assert_eq!(session.report_data().sessions, None);
}

#[test]
fn a_delay_needs_a_session_and_sessions_begin_alike() {
    let alone = r#"{"delay": 20, "input_length": 5, "output_length": 5}"#;
    assert!(refused(alone).contains("line 1: a delay without a timestamp and without a session"));
    let negative = TURNS.replace("2000", "-1");
    assert!(refused(&negative).contains("line 2: a delay of -1"), "{}", refused(&negative));
    let mixed = format!("{TURNS}{}", r#"{"session_id": "s3", "input_length": 5, "output_length": 5}"#);
    assert!(refused(&mixed).contains("line 4: a session that begins without a timestamp"));
}

/// A session of WEKA. The agent's first answer takes 1 s; 0.5 and 0.7 s later two sub-agents start, whose requests end at 3.5
/// and 3.7 s; the agent goes on at 4.2 s. A third sub-agent is launched at 0.4 s without waiting.
const WEKA: &str = r#"{"id": "a", "models": ["m"], "block_size": 64, "hash_id_scope": "local", "requests": [
 {"t": 0.0, "type": "n", "model": "m", "in": 128, "out": 900, "hash_ids": [1, 2], "api_time": 1.0},
 {"t": 0.4, "type": "subagent", "agent_id": "z", "status": "async_launched", "requests": [
  {"t": 0.4, "type": "n", "model": "m", "in": 64, "out": 5, "hash_ids": [7], "api_time": 9.0}]},
 {"t": 1.5, "type": "subagent", "agent_id": "x", "status": "completed", "requests": [
  {"t": 1.5, "type": "n", "model": "m", "in": 192, "out": 100, "hash_ids": [1, 2, 3], "api_time": 2.0}]},
 {"t": 1.7, "type": "subagent", "agent_id": "y", "status": "completed", "requests": [
  {"t": 0.0, "type": "s", "model": "m", "in": 200, "out": 20, "hash_ids": [1, 2, 3, 4], "api_time": 2.0}]},
 {"t": 4.2, "type": "n", "model": "m", "in": 256, "out": 10, "hash_ids": [1, 2, 5, 6], "api_time": 1.0}
]}
"#;

fn one_line(text: &str) -> String {
    format!("{}\n", text.replace('\n', ""))
}

/// The first answer is there at 900 ms. Sub-agents at 400 (it overlaps), at 900 + 500 and 900 + 700 ms; these two end at
/// 1,500 and 1,620 ms, and 0.5 s after the later one the agent goes on.
#[test]
fn an_answer_forks_and_a_turn_waits_for_all_that_it_joins() {
    for text in [WEKA.to_owned(), one_line(WEKA), format!("[{WEKA}]")] {
        let trace = read(&text);
        let session = run(&document(&json!({"sessions_in_flight": 1})), &trace);
        assert_eq!(sent(&session), [(0, 128), (400, 64), (1400, 192), (1600, 200), (2120, 256)]);
        let s = sessions(&session);
        assert_eq!((s.begun, s.finished, s.time_ms.max), (1, 1, 2130.0));
        // Blocks 1 and 2 were there before; what follows in each prompt was not.
        assert_eq!((s.known_tokens, s.recomputed_tokens), (3 * 128, 0));
    }
}

/// Clients wait for 0.5 s. The first request gets no answer: what waits for its answer is not sent; the sub-agent that overlaps
/// it was sent before.
#[test]
fn what_waits_for_a_request_without_an_answer_is_not_sent() {
    let mut given_up = document(&json!({"sessions_in_flight": 1}));
    given_up["workload"]["timeout_s"] = json!(0.5);
    let session =
        run(&given_up, &read(&format!("{}{}", one_line(WEKA), one_line(&WEKA.replace("900", "9")))));
    let states: Vec<_> = session.engine().records().iter().map(|r: Record| r.state()).collect();
    assert_eq!(states[..2], [RequestState::Dropped, RequestState::Completed]);
    // The next session starts 1 ms after the one before was given up: as its client gave up 500 ms after its start.
    assert_eq!(sent(&session)[2], (501, 128));
    let s = sessions(&session);
    assert_eq!((s.begun, s.finished, s.cut_short, s.turns_not_sent), (2, 1, 1, 3));
    assert_eq!((sent(&session).len(), s.time_ms.count), (2 + 5, 1));
}

/// Sessions of one request of `out` tokens each.
fn short(outs: [u32; 4]) -> String {
    outs.map(|out| {
        format!("{{\"session_id\": \"s{out}\", \"input_length\": 10, \"output_length\": {out}}}\n")
    })
    .concat()
}

#[test]
fn sessions_start_as_others_end_or_at_a_rate() {
    let trace = read(&short([30, 50, 40, 20]));
    assert!(trace.is_unplaced());
    let at = |settings: Value| -> Vec<u64> {
        sent(&run(&document(&settings), &trace)).into_iter().map(|(at, _)| at).collect()
    };
    // Two at 0; they end at 30 and 50 ms.
    assert_eq!(at(json!({"sessions_in_flight": 2})), [0, 0, 30, 50]);
    assert_eq!(at(json!({"sessions_in_flight": 1})), [0, 30, 80, 120]);
    let rate = at(json!({"session_rate": 10.0}));
    assert!(rate.is_sorted() && rate[0] > 0 && rate[3] < 2000, "{rate:?}");
    assert_eq!(rate, at(json!({"session_rate": 10.0})));
}

#[test]
fn sessions_without_arrival_times_need_a_start() {
    let trace = read(&short([30, 50, 40, 20]));
    let problem = |settings: Value, trace: &Arc<Trace>| {
        let scenario = from_value(document(&settings)).unwrap();
        let Err(all) = Session::start(scenario, Some(Arc::clone(trace)), Audience::Batch) else {
            panic!("it runs")
        };
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].to_string()
    };
    let text = problem(json!({}), &trace);
    assert!(text.contains("sessions without arrival times") && text.contains("sessions_in_flight"), "{text}");
    let text = problem(json!({"sessions_in_flight": 2, "session_rate": 2.0}), &trace);
    assert!(text.contains("workload.trace.session_rate") && text.contains("one of the two"), "{text}");
}

/// Session affinity keeps the turns and the sub-agents of a recorded session on one replica; sessions spread.
#[test]
fn routers_see_the_sessions_of_a_tree() {
    let mut three = document(&json!({"sessions_in_flight": 3}));
    three["cluster"]["pools"][0]["replicas"] = json!(3);
    three["cluster"]["routing"] = json!({"session-affinity": {"mode": "sticky"}});
    let session = run(&three, &read(&one_line(WEKA).repeat(3)));
    let mut homes: Vec<(u32, u32)> = session
        .engine()
        .records()
        .iter()
        .map(|r: Record| (r.session, r.replica().expect("all are routed").0))
        .collect();
    assert_eq!(homes.len(), 15);
    homes.sort_unstable();
    homes.dedup();
    let replicas: Vec<u32> = homes.iter().map(|home| home.1).collect();
    assert_eq!((homes.len(), replicas.iter().sum::<u32>()), (3, 3), "{homes:?}");
}

/// A snapshot at any instant, and slices of any length, change nothing.
#[test]
fn slices_and_snapshots_change_nothing() {
    let trace = read(&format!("{}{}{}", one_line(WEKA), one_line(&WEKA.replace("900", "9")), one_line(WEKA)));
    for settings in [json!({"sessions_in_flight": 2}), json!({"session_rate": 1.5, "max_gap_s": 0.4})] {
        let straight = run(&document(&settings), &trace);
        let mut sliced = start(&document(&settings), &trace);
        for events in 1.. {
            let stop = sliced.advance(Micros::MAX, events % 97 + 1);
            let bytes = sliced.snapshot();
            let mut restored = start(&document(&settings), &trace);
            restored.restore(&bytes).expect("a snapshot of this scenario");
            assert_eq!(restored.snapshot(), bytes);
            sliced = restored;
            if stop == Stop::Finished {
                break;
            }
        }
        assert_eq!(sent(&sliced), sent(&straight));
        assert_eq!(sliced.report(), straight.report());
    }
}

#[test]
fn a_tree_is_part_of_the_digest_and_survives_packing() {
    let trace = read(TURNS);
    assert_ne!(trace.digest(), read(&TURNS.replace("2000", "2001")).digest());
    assert_eq!(Trace::unpacked(&trace.packed()).as_ref(), Some(&*trace));
    let mut changed = from_value(document(&json!({}))).expect("a scenario of the right shape");
    changed.edits = vec![TimedEdit::new(1_000_000, Change::set("workload.trace.max_gap_s", 1.0))];
    let problems = Session::start(changed, Some(Arc::clone(&trace)), Audience::Batch).err();
    assert!(format!("{problems:?}").contains("another trace in the middle of a run"), "{problems:?}");
}

#[test]
fn sessions_of_a_coding_agent_go_on_after_each_call() {
    let line = r#"{"session_id": "c", "date": "2026-05-10", "turns": [
 {"llm_calls": [
  {"timestamp": "2026-05-10T10:00:00Z", "duration_ms": 3000, "model": "Model A", "tokens": {"prompt": 640, "completion": 20, "cached": 0}}],
  "tool_batches": [{"timestamp": "2026-05-10T10:00:03Z", "duration_ms": 1000, "function_calls": []}]},
 {"llm_calls": [
  {"timestamp": "2026-05-10T10:00:04.5Z", "duration_ms": 2000, "model": "Model A", "tokens": {"prompt": 960, "completion": 30, "cached": 640}},
  {"timestamp": "2026-05-10T10:00:07Z", "duration_ms": 2000, "model": "Model B", "tokens": {"prompt": 320, "completion": 10, "cached": 0}}]}
]}"#;
    let session = Session::start(
        from_value(document(&json!({}))).unwrap(),
        Some(read(&one_line(line))),
        Audience::Batch,
    );
    let mut session = session.expect("a scenario that replays it").0;
    assert_eq!(session.advance(Micros::MAX, 1_000_000), Stop::Finished);
    // 20 ms, then 1.5 s; 30 ms, then 0.5 s.
    assert_eq!(sent(&session), [(0, 640), (1520, 960), (2050, 320)]);
    let s = sessions(&session);
    assert_eq!((s.known_tokens, s.recomputed_tokens), (640, 0));
    assert_eq!(s.by_turn.iter().map(|t| t.cached_tokens).collect::<Vec<_>>(), [0, 640, 0]);
}
