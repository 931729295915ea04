//! Generated sessions of agents. Steps take 1 ms each, so that an answer of n tokens to a request that does not wait for a
//! running step takes n ms.

use super::{sent, sessions};
use crate::support::documents::{self, put_all, ran, steps};
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::scenario::from_value;
use tokenyard::session::{Audience, Session, Stop};
use tokenyard::workload::digest_of;

/// One replica with steps of 1 ms, and a client with `agent` and `settings`; prompts of 100 tokens, answers of 20.
fn document(agent: &Value, settings: &Value) -> Value {
    let mut document = json!({
        "run": {"horizon_s": 0, "warmup_s": 0, "max_requests": 12},
        "cluster": {"pools": [{
            "replicas": 1,
            "latency": steps(1000.0, 0.0, 0.0),
        }]},
        "workload": {"clients": [{
            "concurrency": 1,
            "prompt_tokens": {"constant": {"tokens": 100}},
            "output_tokens": {"constant": {"tokens": 20}},
            "agent": agent,
        }]},
    });
    put_all(&mut document["workload"]["clients"][0], settings);
    document
}

fn start(document: &Value) -> Session {
    Session::start(documents::scenario(document), None, Audience::Batch).expect("a valid scenario").0
}

fn chain() -> Value {
    json!({"turns": {"constant": {"rounds": 3}}, "tools": {"constant": {"think_s": 0.5}}})
}

/// Three turns, each 500 ms after an answer of 20 ms, with all that was said in the prompt; then the next session begins. Of 120
/// and 240 known tokens all full blocks of 16 are cached: the last token of an answer is never computed.
#[test]
fn a_turn_follows_the_answer_and_the_tools() {
    let mut chained = document(&chain(), &json!({}));
    chained["run"]["max_requests"] = json!(6);
    let session = ran(&chained);
    assert_eq!(sent(&session), [(0, 100), (520, 220), (1040, 340), (1060, 100), (1580, 220), (2100, 340)]);
    let s = sessions(&session);
    assert_eq!((s.begun, s.finished, s.time_ms.max, s.turns.max), (2, 2, 1060.0, 3.0));
    let cached: Vec<_> = s.by_turn.iter().map(|t| (t.requests, t.cached_tokens)).collect();
    assert_eq!(cached, [(2, 0), (2, 2 * 112), (2, 2 * 224)]);
    assert_eq!((s.known_tokens, s.recomputed_tokens), (2 * 360, 2 * (8 + 16)));
}

/// Two sub-agents with two turns each follow the first answer; the second turn follows the later of their answers, with both in its
/// prompt: 120 tokens of context, 2 answers of 20 and 100 more.
#[test]
fn sub_agents_fork_from_the_context_and_join() {
    let agent = json!({"turns": {"constant": {"rounds": 2}}, "tools": {"constant": {"think_s": 0.5}},
        "fork": 1.0, "sub_agents": 2, "sub_turns": 2});
    let mut forked = document(&agent, &json!({}));
    forked["run"]["max_requests"] = json!(6);
    let session = ran(&forked);
    assert_eq!(sent(&session), [(0, 100), (520, 220), (520, 220), (1040, 340), (1040, 340), (1560, 260)]);
    let s = sessions(&session);
    assert_eq!((s.begun, s.finished, s.turns.max, s.time_ms.max), (1, 1, 6.0, 1580.0));
    // Each sub-agent knows the 120 tokens of the agent, then 240; and the agent its own 120.
    assert_eq!(s.known_tokens, 120 + 120 + 240 + 240 + 120);
}

#[test]
fn a_turn_without_an_answer_ends_its_session() {
    let mut given_up = document(&chain(), &json!({"output_tokens": {"constant": {"tokens": 700}}}));
    given_up["workload"]["timeout_s"] = json!(0.6);
    given_up["run"]["max_requests"] = json!(3);
    let session = ran(&given_up);
    // Each is given up after 600 ms, and the next session begins a millisecond later.
    assert_eq!(sent(&session), [(0, 100), (601, 100), (1202, 100)]);
    let s = sessions(&session);
    assert_eq!((s.begun, s.finished, s.cut_short, s.turns_not_sent), (3, 0, 3, 6));
}

#[test]
fn sessions_begin_at_the_rate_of_arrivals_within_their_bound() {
    let rate = json!({"concurrency": 0, "arrivals": {"constant": {"rate_per_s": 4}}});
    let starts = |settings: &Value| -> Vec<u64> {
        sent(&ran(document(&chain(), settings))).into_iter().filter(|s| s.1 == 100).map(|s| s.0).collect()
    };
    assert_eq!(starts(&rate)[..4], [250, 500, 750, 1000]);
    // The first session is over at 250 + 1,060 ms, the second at 500 + 1,060.
    let bounded = json!({"concurrency": 2, "arrivals": {"constant": {"rate_per_s": 4}}});
    assert_eq!(starts(&bounded)[..4], [250, 500, 1310, 1560]);
}

#[test]
fn texts_do_not_depend_on_the_cluster_and_slices_and_snapshots_change_nothing() {
    let agent = json!({"turns": {"geometric": {"mean_rounds": 5, "max_rounds": 9}},
        "tools": {"lognormal": {"median_s": 0.2, "sigma": 1.0}}, "fork": 0.4, "sub_agents": 3, "sub_turns": 2,
        "max_context_tokens": 1500});
    let mut any = document(
        &agent,
        &json!({"concurrency": 5, "prefix": {"groups": 2, "tokens": 64},
        "prompt_tokens": {"lognormal": {"median_tokens": 60, "sigma": 0.8, "min_tokens": 10, "max_tokens": 200}}}),
    );
    any["run"]["max_requests"] = json!(150);
    let straight = ran(&any);
    let mut slow = any.clone();
    slow["cluster"]["pools"][0]["engine"] = json!({"max_num_seqs": 1, "max_num_batched_tokens": 64});
    let digest = |d: &Value| digest_of(&from_value(d.clone()).unwrap(), None, 150);
    assert_eq!(digest(&any), digest(&slow));
    let mut sliced = start(&any);
    for events in 1.. {
        let stop = sliced.advance(Micros::MAX, events % 97 + 1);
        let bytes = sliced.snapshot();
        let mut restored = start(&any);
        restored.restore(&bytes).expect("a snapshot of this scenario");
        assert_eq!(restored.snapshot(), bytes);
        sliced = restored;
        if stop == Stop::Finished {
            break;
        }
    }
    assert_eq!(sliced.report(), straight.report());
    assert!(sessions(&straight).by_turn.len() > 3);
}

#[test]
fn an_agent_is_no_conversation_and_has_sessions_of_its_own() {
    for (settings, path) in [
        (json!({"conversation": {}, "concurrency": 0}), "workload.clients[0].agent"),
        (json!({"sessions": 3}), "workload.clients[0].sessions"),
    ] {
        let checked = tokenyard::scenario::check(from_value(document(&chain(), &settings)).unwrap());
        let problems = checked.expect_err("a contradiction");
        assert!(problems.iter().any(|d| d.path == path), "{problems:?}");
    }
}
