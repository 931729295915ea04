//! Checks what the notes of the built-in scenarios about KV caches say, in measured figures.

use crate::support::start;
use tokenyard::base::Micros;
use tokenyard::scenario::preset::Preset;
use tokenyard::scenario::{from_value, set_path};
use tokenyard::session::Session;

/// A preset that ran to its end with some fields set.
fn ran(name: &str, sets: &[(&str, &str)]) -> Session {
    let preset = Preset::named(name).expect("a preset").scenario();
    let mut document = serde_json::to_value(preset).expect("a scenario is JSON");
    for (path, value) in sets {
        set_path(&mut document, path, value).expect("a field");
    }
    let mut session = start(&from_value(document).expect("a good scenario"));
    session.advance(Micros::MAX, u64::MAX);
    session
}

fn number(session: &Session, pointer: &str) -> f64 {
    let report = serde_json::to_value(session.report_data()).expect("a report is JSON");
    report.pointer(pointer).and_then(serde_json::Value::as_f64).unwrap_or_else(|| panic!("no {pointer}"))
}

#[track_caller]
fn about(found: f64, from: f64, to: f64) {
    assert!((from..=to).contains(&found), "{found}, not {from} to {to}");
}

#[test]
fn kv_pressure_preempts_every_other_request_and_with_half_as_many_blocks_more_none() {
    let (small, larger) =
        (ran("kv-pressure", &[]), ran("kv-pressure", &[("cluster.pools[0].kv.blocks", "1800")]));
    about(number(&small, "/requests/preemption_rate"), 0.4, 0.6);
    about(number(&larger, "/requests/preemptions"), 0.0, 0.0);
    // A preempted answer stands still until its blocks have been computed again.
    about(number(&small, "/latency_ms/itl/max"), 1000.0, 60_000.0);
    about(number(&larger, "/latency_ms/itl/max"), 1.0, 100.0);
    // What waits for blocks waits for its first token too.
    about(number(&small, "/latency_ms/ttft/p99"), 3000.0, 8000.0);
    about(number(&larger, "/latency_ms/ttft/p99"), 30.0, 100.0);
}

#[test]
fn long_chats_find_half_of_their_blocks_under_round_robin_and_nine_tenths_where_they_were() {
    let with = |routing| ran("long-chats", &[("cluster.routing", routing)]);
    let [scattered, overlap, affinity] = ["round-robin", "prefix-overlap", "session-affinity"].map(with);
    about(number(&scattered, "/kv/hit_rate"), 0.4, 0.5);
    about(number(&scattered, "/latency_ms/ttft/p99"), 5000.0, 20_000.0);
    // Session affinity looks into no cache and does as well.
    for together in [&overlap, &affinity] {
        about(number(together, "/kv/hit_rate"), 0.88, 0.93);
        about(number(together, "/latency_ms/ttft/p99"), 200.0, 350.0);
    }
}
