//! Edits of tiers, stores and the life of sessions' KV while a run goes on: no replica is replaced, nothing is lost, and the run is the
//! same in slices and where it was sought.

use crate::support::start;
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::base::diag::has_errors;
use tokenyard::scenario::{Change, Scenario, TimedEdit, from_value};
use tokenyard::session::{Budget, History, Stop};

/// When the edit comes.
const AT: u64 = 1_200_000;

/// Two replicas whose caches are too small, with CPU memory, a disk, a store and each other below, under conversations.
fn base() -> Scenario {
    from_value(json!({
        "run": {"horizon_s": 4, "warmup_s": 0},
        "cluster": {
            "pools": [{
                "name": "main", "replicas": 2,
                "engine": {"max_num_seqs": 8, "max_num_batched_tokens": 512},
                "kv": {
                    "blocks": 90, "cpu_blocks": 40, "eviction_order": "vllm",
                    "transfer_base_us": 100, "transfer_tokens_per_us": 10,
                    "secondary_tiers": [{"fs": {"gb": 0.002}}, {"store": {"name": "all"}}, {"p2p": {}}]
                },
                "latency": {"fitted": {"step_us": 3000, "step_us_per_prefill_token": 20}}
            }],
            "kv_stores": [{"name": "all", "gb": 0.01, "eviction": "lru", "port_gb_per_s": 1}],
            "kv_source": {},
            "disaggregation": {"transfer": {"kv_bytes_per_token": 3000, "port_gb_per_s": 1}},
            "routing": {"weighted": {
                "profile": "custom",
                "scorers": [{"scorer": "tier-prefix", "weight": 1}, {"scorer": "queue-depth", "weight": 1}]
            }}
        },
        "workload": {"clients": [{
            "name": "chat", "arrivals": {"poisson": {"rate_per_s": 20}},
            "prompt_tokens": {"constant": {"tokens": 90}}, "output_tokens": {"constant": {"tokens": 20}},
            "prefix": {"groups": 3, "tokens": 64},
            "retention": [{"priority": 70, "duration_s": 0.5, "end": 64}],
            "conversation": {"rounds": {"constant": {"rounds": 4}}, "think_time": {"exponential": {"mean_s": 0.3}}}
        }]}
    }))
    .expect("a good document")
}

/// What an edit sets: its path below the pool's cache, or from `cluster` or `workload` on, and the value.
fn edits() -> Vec<(&'static str, Value)> {
    vec![
        ("kv.eviction_order", json!("lru")),
        ("kv.eviction_order", json!("sglang")),
        ("kv.eviction_order", json!("trtllm")),
        ("kv.eviction_order", json!("belady")),
        ("kv.max_protected_share", json!(0.01)),
        ("kv.cpu_eviction", json!("belady")),
        ("kv.cpu_write", json!("write-back")),
        ("kv.cpu_write", json!("release")),
        ("kv.cpu_write", json!({"selective": {"hits": 2}})),
        ("kv.cpu_ttl_s", json!(0.02)),
        ("kv.offload_prompt_only", json!(true)),
        ("kv.load", json!({"min_tokens": 4096})),
        ("kv.load_wait", json!({"timeout": {"base_us": 1}})),
        ("kv.load_asked", json!("arrival")),
        ("kv.secondary_tiers[0].fs.write", json!("write-back")),
        ("kv.secondary_tiers[0].fs.gb", json!(0.0005)),
        ("kv.secondary_tiers[0].fs.eviction", json!("lru")),
        ("kv.secondary_tiers[0].fs.read_gb_per_s", json!(0.02)),
        ("kv.secondary_tiers[0].fs.write_gb_per_s", json!(0.001)),
        ("kv.secondary_tiers[0].fs.latency_us", json!(20_000)),
        ("kv.secondary_tiers[1].store.write", json!("release")),
        ("kv.secondary_tiers[1].store.write", json!("write-back")),
        ("kv.secondary_tiers[2].p2p.base_us", json!(40_000)),
        ("cluster.kv_stores[0].gb", json!(0.0005)),
        ("cluster.kv_stores[0].port_gb_per_s", json!(0.005)),
        ("cluster.kv_stores[0].lease_ms", json!(1)),
        ("cluster.kv_stores[0].ttl_s", json!(0.02)),
        ("cluster.kv_stores[0].eviction", json!({"watermark": {"high": 0.5, "share": 0.3}})),
        ("cluster.disaggregation.transfer.port_gb_per_s", json!(0.005)),
        ("cluster.disaggregation.transfer.shared_ports", json!(false)),
        ("cluster.routing.weighted.tier_weights", json!({"gpu": 0, "cpu": 0, "disk": 1, "store": 0})),
        ("cluster.kv_event_delay_us", json!(400_000)),
        ("cluster.kv_source.min_cached_token_delta", json!(4096)),
        ("workload.clients[0].retention", json!([])),
        ("workload.clients[0].max_offload_tokens", json!(32)),
        (
            "workload.clients[0].session_kv",
            json!({"supersede": true, "demote_after_s": 0.01, "prefetch": {"when": "known", "to": "cpu"}}),
        ),
        ("cluster.kv_hint", json!({"least_gaps": 1, "head_tokens": 64})),
    ]
}

/// Those of them that change nothing in this run: the disk is full and keeps what it has, and the store has all that a peer could lend.
const QUIET: [&str; 4] = [
    "kv.secondary_tiers[0].fs.gb",
    "kv.secondary_tiers[0].fs.write_gb_per_s",
    "kv.secondary_tiers[2].p2p.base_us",
    "cluster.kv_source.min_cached_token_delta",
];

fn change(path: &str, value: Value) -> Change {
    let within = if path.starts_with("kv.") { format!("cluster.pools[0].{path}") } else { path.to_owned() };
    let change = Change::set(&within, value);
    // A hint is for those that say nothing.
    if path == "cluster.kv_hint" {
        change.and_set("workload.clients[0].retention", json!([]))
    } else {
        change
    }
}

/// The report without what it says of the document.
fn results(report: &str) -> Value {
    let mut report: Value = serde_json::from_str(report).expect("JSON");
    report["run"]["edits_applied"] = json!(0);
    report["scenario_digest"] = json!("");
    report
}

/// The run with an edit as it is made while the run goes on.
fn live(change: &Change) -> String {
    let mut session = start(&base());
    session.advance(Micros(AT), u64::MAX);
    let problems = session.apply(change.clone());
    assert!(!has_errors(&problems), "{change:?}: {problems:?}");
    let before = session.engine().replicas().len();
    while session.advance(Micros::MAX, 499) == Stop::Events {
        session.engine().verify(true);
    }
    session.engine().verify(true);
    let r = session.requests();
    let placed = r.in_pipeline + r.queued + r.running + r.completed + r.rejected + r.dropped + r.lost;
    assert_eq!(r.arrived, placed, "{change:?}: {r:?}");
    assert_eq!(session.engine().replicas().len(), before, "{change:?} replaces replicas");
    session.report()
}

#[test]
fn every_key_of_the_tiers_is_edited_without_new_replicas() {
    let unedited = {
        let mut session = start(&base());
        session.advance(Micros::MAX, u64::MAX);
        results(&session.report())
    };
    let mut without_effect = Vec::new();
    for (path, value) in edits() {
        let change = change(path, value);
        let report = live(&change);
        if results(&report) == unedited {
            without_effect.push(path);
        }
        // The same edit in the list, sought back and forth.
        let mut s = base();
        s.edits = vec![TimedEdit::new(AT, change.clone())];
        let mut history = History::new(start(&s), Budget { bytes: 12 << 20, events: 400 });
        for until in [2_500_000, 1_199_999, 1_900_000, 600_000] {
            history.seek(Micros(until));
            while history.advance(Micros(until), 333) == Stop::Events {}
        }
        history.advance(Micros::MAX, u64::MAX);
        assert_eq!(results(&history.present().report()), results(&report), "{change:?}");
    }
    assert_eq!(without_effect, QUIET);
}

#[test]
fn what_replicas_are_made_of_replaces_them_still() {
    for (path, value) in [
        ("cluster.pools[0].kv.cpu_blocks", json!(50)),
        ("cluster.pools[0].kv.secondary_tiers", json!([{"fs": {}}])),
        ("cluster.pools[0].kv.secondary_tiers", json!([])),
    ] {
        let mut s = base();
        s.cluster.kv_source = None;
        let mut session = start(&s);
        session.advance(Micros(AT), u64::MAX);
        let problems = session.apply(Change::set(path, value));
        assert!(!has_errors(&problems), "{path}: {problems:?}");
        session.advance(Micros::MAX, u64::MAX);
        session.engine().verify(true);
        assert_eq!(session.engine().replicas().len(), 4, "{path}");
    }
}
