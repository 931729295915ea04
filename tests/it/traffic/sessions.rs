//! Sessions: their source in traces and explicit requests, and their use by session affinity.

use super::read;
use crate::support;
use crate::support::documents::{explicit, piece};
use crate::support::{adopt, edit};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;
use tokenyard::base::Micros;
use tokenyard::engine::{Cluster, Fact, FleetFact, Halt, RequestFact, Sink};
use tokenyard::scenario::{
    Client, ExplicitRequest, FittedCoefficients, KvBlocks, LatencyModel, RoutingPolicy, Scenario,
    SessionAffinity, SessionMode, TraceSettings,
};
use tokenyard::session::Session;
use tokenyard::workload::{Source, Trace, TraceReader};

fn sessions(text: &str) -> Vec<u32> {
    let trace = read(text);
    (0..trace.len()).map(|row| trace.session(row)).collect()
}

/// A line of a Qwen-Bailian trace.
fn turn(at_s: f64, chat: i64, parent: i64, output: u32) -> String {
    format!(
        "{{\"chat_id\":{chat},\"parent_chat_id\":{parent},\"timestamp\":{at_s},\"input_length\":40,\
         \"output_length\":{output},\"turn\":1,\"hash_ids\":[{chat}]}}\n"
    )
}

#[test]
fn turns_belong_to_the_session_of_the_turn_before() {
    let text = [turn(0.0, 5, -1, 9), turn(1.0, 8, -1, 9), turn(2.0, 12, 5, 9), turn(3.0, 20, 12, 9)].concat();
    assert_eq!(sessions(&text), [1, 2, 1, 1]);
    // Two answers to a turn that the trace does not have are one session, and so is what comes before its parent.
    let text = [turn(0.0, 7, 3, 9), turn(1.0, 9, 3, 9), turn(2.0, 30, 20, 9), turn(3.0, 20, 9, 9)].concat();
    assert_eq!(sessions(&text), [1, 1, 1, 1]);
    // A failed turn is left out and still links its neighbours; numbers follow the order of arrival.
    let text = [turn(9.0, 1, -1, 9), turn(2.0, 2, 1, 0), turn(3.0, 3, 2, 9), turn(0.0, 4, -1, 9)].concat();
    assert_eq!(sessions(&text), [1, 2, 2]);
}

#[test]
fn every_format_with_sessions_keeps_them() {
    let burst = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n\
        1,1722ac82,43,GPT-4,906,446,1352,Conversation log\n2,,43,GPT-4,906,446,1352,API log\n\
        3,1722ac82,43,GPT-4,906,446,1352,Conversation log\n4,9,43,GPT-4,906,446,1352,Conversation log\n";
    assert_eq!(sessions(burst), [1, 0, 1, 2]);
    let routesim = r#"{"ts":1,"prompt_tokens":5,"gen_tokens":5}
{"ts":2,"prompt_tokens":5,"gen_tokens":5,"conversation_id":"a"}
{"ts":3,"prompt_tokens":5,"gen_tokens":5,"conversation_id":null}
{"ts":4,"prompt_tokens":5,"gen_tokens":5,"conversation_id":"a"}
{"ts":5,"prompt_tokens":5,"gen_tokens":5,"conversation_id":""}"#;
    assert_eq!(sessions(routesim), [0, 1, 0, 1, 0]);
    let mooncake = r#"{"timestamp":0,"input_length":5,"output_length":5,"session_id":77}
{"timestamp":1,"input_length":5,"output_length":5,"session_id":"77"}
{"timestamp":2,"input_length":5,"output_length":5,"session_id":78}"#;
    assert_eq!(sessions(mooncake), [1, 1, 2]);
    let vidur = "arrived_at,num_prefill_tokens,num_decode_tokens,session_id\n0,5,5,x\n1,5,5,x\n";
    assert_eq!(sessions(vidur), [1, 1]);
    let without = "arrived_at,num_prefill_tokens,num_decode_tokens\n0,5,5\n1,5,5\n";
    assert_eq!(sessions(without), [0, 0]);
}

#[test]
fn a_session_without_a_valid_name_is_a_bad_line() {
    let mut reader = TraceReader::new("my.trace", 1 << 20);
    reader.push(b"{\"ts\":1,\"prompt_tokens\":5,\"gen_tokens\":5,\"conversation_id\":[1]}\n");
    let (trace, all, _) = reader.finish();
    assert_eq!((trace, all.len()), (None, 1));
    assert_eq!((all[0].path.as_str(), all[0].found.as_str()), ("line 1", "[1] as a session"));
}

#[test]
fn sessions_are_part_of_what_a_trace_is() {
    let text = |second: &str| {
        format!(
            "{{\"ts\":1,\"prompt_tokens\":5,\"gen_tokens\":5,\"conversation_id\":\"a\"}}\n\
             {{\"ts\":2,\"prompt_tokens\":5,\"gen_tokens\":5,\"conversation_id\":\"{second}\"}}\n"
        )
    };
    assert_ne!(read(&text("a")).digest(), read(&text("b")).digest());
    assert_eq!(read(&text("b")).digest(), read(&text("c")).digest(), "names do not matter");
}

fn listed(arrival_us: u64, session: &str) -> ExplicitRequest {
    ExplicitRequest {
        session: session.to_owned(),
        ..explicit(arrival_us, vec![piece(arrival_us as u32, 20)], &piece(1, 3))
    }
}

#[test]
fn explicit_requests_name_their_session() {
    let mut s = Scenario::default();
    s.workload.clients = vec![Client { sessions: 10, ..Client::default() }];
    s.workload.requests = [(1, "a"), (2, ""), (3, "b"), (4, "a")].map(|(t, name)| listed(t, name)).to_vec();
    let mut source = Source::new(&s, None);
    let all = std::iter::from_fn(|| source.take()).take(200);
    let numbers: Vec<u32> = all.filter(|spec| spec.listed != u32::MAX).map(|spec| spec.session).collect();
    assert_eq!(numbers, [11, 0, 12, 11], "sessions of clients come first");
    let text = r#"{"workload":{"clients":[],"requests":[{"arrival_us":0,"prompt":[{"text":1,"tokens":9}],
        "output":{"tokens":1},"session":"NAME"}]}}"#;
    assert_eq!(Session::check(text), []);
    let [long] = &Session::check(&text.replace("NAME", &"x".repeat(5000)))[..] else { panic!("one problem") };
    assert_eq!(long.path, "workload.requests[0].session");
}

/// Facts as they come.
#[derive(Default)]
struct Story(Vec<Fact>);

impl Sink for Story {
    fn fact(&mut self, _: Micros, fact: Fact) {
        self.0.push(fact);
    }
}

/// Five replicas, of which two are drained halfway; under `sticky` one of them comes back later.
fn run(s: &mut Scenario, trace: Option<&Arc<Trace>>, mode: SessionMode, half: Micros) -> Story {
    s.run.horizon_s = 0.0;
    s.cluster.routing =
        RoutingPolicy::SessionAffinity(SessionAffinity { mode, ..SessionAffinity::default() });
    let pool = &mut s.cluster.pools[0];
    pool.replicas = 5;
    pool.kv.blocks = KvBlocks::Count(1000);
    pool.latency = LatencyModel::Fitted(FittedCoefficients::default());
    let mut plan = support::plan(s);
    let mut engine = Cluster::new(&plan, Source::new(s, trace));
    let mut story = Story::default();
    let later = if mode == SessionMode::Sticky { 4 } else { 3 };
    for (at, replicas) in [(half, 3), (Micros(half.0 * 3 / 2), later)] {
        engine.advance(Micros(at.0 - 1), u64::MAX, &mut story);
        adopt(&mut engine, &mut plan, &edit::replicas(0, replicas), at, &mut story);
    }
    assert_eq!(engine.advance(Micros::MAX, u64::MAX, &mut story), Halt::Finished);
    story
}

/// Asserts that requests follow the one before them in their session while its replica takes requests.
fn check_homes(story: &Story, session_of: impl Fn(u32) -> Option<u32>) {
    let mut drained: BTreeSet<u32> = BTreeSet::new();
    let mut homes: BTreeMap<u32, u32> = BTreeMap::new();
    for fact in &story.0 {
        match *fact {
            Fact::Fleet(FleetFact::Draining { replica }) => drop(drained.insert(replica.0)),
            Fact::Fleet(FleetFact::Serving { replica, .. }) => drop(drained.remove(&replica.0)),
            Fact::Request(RequestFact::Routed { request, replica }) => {
                assert!(!drained.contains(&replica.0), "{request:?} went to {replica:?}, which is drained");
                let Some(session) = session_of(request.0) else { continue };
                let home = homes.insert(session, replica.0).unwrap_or(replica.0);
                assert!(
                    home == replica.0 || drained.contains(&home),
                    "{request:?} left {home} for {replica:?}"
                );
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Row k goes on with row `parent`, if that is one before it, or begins a session.
    #[test]
    fn a_session_stays_on_one_live_replica(
        parents in proptest::collection::vec(0_usize..60, 40..120),
        sticky in any::<bool>(),
    ) {
        let mode = if sticky { SessionMode::Sticky } else { SessionMode::ConsistentHash };
        let mut truth: Vec<u32> = Vec::new();
        let mut text = String::new();
        for (k, &parent) in parents.iter().enumerate() {
            let (id, before) = if parent < k { (truth[parent], parent as i64) } else { (k as u32, -1) };
            truth.push(id);
            text.push_str(&turn(k as f64 * 0.05, k as i64, before, 30));
        }
        let trace = read(&text);
        let half = Micros(parents.len() as u64 * 25_000);
        let mut s = Scenario::default();
        s.workload.trace = Some(TraceSettings::default());
        let story = run(&mut s, Some(&trace), mode, half);
        check_homes(&story, |request| Some(truth[request as usize]));

        // The same as explicit requests with named sessions, some without.
        let mut s = Scenario::default();
        s.workload.clients.clear();
        let mut name = String::new();
        for (k, id) in truth.iter().enumerate() {
            name.clear();
            if id % 4 > 0 {
                write!(name, "session {id}").expect("text takes text");
            }
            s.workload.requests.push(listed(k as u64 * 50_000, &name));
        }
        let story = run(&mut s, None, mode, half);
        check_homes(&story, |request| Some(truth[request as usize]).filter(|id| id % 4 > 0));
    }
}
