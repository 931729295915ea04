//! Laws of conversations on a cluster: their blocks in the caches, and the waiting of rounds for answers.

use super::common::{cluster, engine, run};
use crate::support::start;
use std::collections::BTreeMap;
use tokenyard::base::Micros;
use tokenyard::engine::{Cluster, Ignore, Record, RequestState};
use tokenyard::scenario::preset::Preset;
use tokenyard::scenario::{
    AdmissionPolicy, Arrivals, Client, Compat, Conversation, ConversationClock, KvBlocks, Lengths,
    PrefixOverlap, Rounds, RoutingPolicy, Scenario, ThinkTime,
};
use tokenyard::session::{Audience, Session};

/// Conversations of six rounds on `replicas` replicas; the run ends with the last of them.
pub(crate) fn talks(replicas: u32, clock: ConversationClock) -> Scenario {
    let mut s = cluster(replicas, 64);
    s.run.max_requests = 900;
    s.workload.clients = vec![Client {
        arrivals: Arrivals::Poisson { rate_per_s: 6.0 },
        prompt_tokens: Lengths::Exponential { mean_tokens: 120.0, min_tokens: 1, max_tokens: 2000 },
        output_tokens: Lengths::Exponential { mean_tokens: 60.0, min_tokens: 1, max_tokens: 400 },
        conversation: Some(Conversation {
            rounds: Rounds::Constant { rounds: 6 },
            think_time: ThinkTime::Exponential { mean_s: 2.0 },
            clock,
            ..Conversation::default()
        }),
        ..Client::default()
    }];
    s
}

/// By session, its requests in order of arrival.
pub(crate) fn by_session(engine: &Cluster) -> BTreeMap<u32, Vec<Record>> {
    let mut found: BTreeMap<u32, Vec<Record>> = BTreeMap::new();
    for record in engine.records() {
        found.entry(record.session).or_default().push(record);
    }
    found
}

#[test]
fn a_cache_that_saw_the_conversation_computes_what_is_new_and_no_more() {
    let (engine, _) = run(&talks(1, ConversationClock::Closed));
    let mut compared = 0;
    for rounds in by_session(&engine).values() {
        for pair in rounds.windows(2) {
            // The last token of an answer has no keys and values yet; one token of a prompt is always computed.
            let stored = pair[0].prompt_tokens + pair[0].output_tokens - 1;
            assert!(pair[1].prompt_tokens > stored + 1);
            assert_eq!(pair[1].cached_tokens, stored / 16 * 16);
            compared += 1;
        }
    }
    assert!(compared > 700, "{compared}");
}

#[test]
fn arrivals_of_an_open_clock_are_the_same_under_every_policy_and_those_of_a_closed_one_follow_the_answers() {
    for clock in [ConversationClock::Open, ConversationClock::Closed] {
        let slow = talks(1, clock);
        let mut fast = talks(4, clock);
        fast.cluster.routing = RoutingPolicy::LeastLoaded;
        let (slow, fast) = (run(&slow).0, run(&fast).0);
        let arrivals = |e: &Cluster| e.records().iter().map(|r| r.arrival).collect::<Vec<_>>();
        assert_eq!(arrivals(&slow) == arrivals(&fast), clock == ConversationClock::Open);
        // What is said is the same in any case.
        let (slow, fast) = (by_session(&slow), by_session(&fast));
        for (session, rounds) in &slow {
            let Some(others) = fast.get(session) else { continue };
            let said = |r: &Record| (r.prompt_tokens, r.output_tokens);
            assert!(rounds.iter().map(said).zip(others.iter().map(said)).all(|(x, y)| x == y));
            assert_eq!(rounds[0].arrival, others[0].arrival, "beginnings do not wait");
        }
    }
}

#[test]
fn no_round_with_a_closed_clock_arrives_before_the_answer() {
    for compat in [Compat::None, Compat::Blis] {
        let mut s = talks(2, ConversationClock::Closed);
        s.cluster.compat = compat;
        let think_time = ThinkTime::Constant { think_s: 1.5 };
        s.workload.clients[0].conversation.as_mut().expect("there is one").think_time = think_time;
        let (engine, _) = run(&s);
        for rounds in by_session(&engine).values() {
            for pair in rounds.windows(2) {
                assert_eq!(pair[0].state(), RequestState::Completed);
                let shown = (pair[0].arrival.0 + pair[0].e2e.get().expect("it is known").0)
                    .max(pair[0].finish().get().expect("it is known").0);
                assert_eq!(pair[1].arrival, Micros(shown + 1_500_000));
            }
        }
    }
}

#[test]
fn a_round_that_fails_ends_a_closed_conversation_and_not_an_open_one() {
    for clock in [ConversationClock::Open, ConversationClock::Closed] {
        let mut refusing = talks(1, clock);
        refusing.cluster.admission = AdmissionPolicy::RejectAll;
        let mut small = talks(1, clock);
        // A third of the first prompts and nearly all later ones are longer than 160 tokens.
        small.cluster.pools[0].kv.blocks = KvBlocks::Count(10);
        for s in [refusing, small] {
            let (engine, _) = run(&s);
            let failed = |r: &Record| matches!(r.state(), RequestState::Rejected | RequestState::Dropped);
            let sessions = by_session(&engine);
            let on_after = |rounds: &&Vec<Record>| rounds.windows(2).any(|w| failed(&w[0]));
            let went_on = sessions.values().filter(on_after).count();
            assert!(engine.records().iter().filter(|r| failed(r)).count() > 100);
            assert_eq!(went_on > 0, clock == ConversationClock::Open, "{went_on} went on");
        }
    }
}

#[test]
fn a_closed_run_restored_midway_ends_like_the_straight_one() {
    let s = talks(2, ConversationClock::Closed);
    let start = || Session::start(s.clone(), None, Audience::Live).expect("a good scenario").0;
    let (mut straight, mut other) = (start(), start());
    straight.advance(Micros(60_000_000), u64::MAX);
    assert_eq!(other.restore(&straight.snapshot()), Ok(()));
    straight.advance(Micros::MAX, u64::MAX);
    other.advance(Micros::MAX, u64::MAX);
    assert_eq!(straight.report(), other.report());
    // Cut into slices of any size it is the same run too.
    let mut sliced = engine(&s);
    while sliced.advance(Micros::MAX, 7, &mut Ignore) == tokenyard::engine::Halt::Events {}
    assert_eq!(sliced.records(), straight.engine().records());
}

/// The claim of the preset's note.
#[test]
fn long_chats_are_served_from_the_cache_where_their_blocks_are_and_nowhere_else() {
    let preset = Preset::named("long-chats").expect("it exists").scenario();
    let measure = |routing: RoutingPolicy| {
        let mut s = preset.clone();
        s.cluster.routing = routing;
        let mut session = start(&s);
        session.advance(Micros::MAX, u64::MAX);
        let report = session.report_data();
        (report.kv.hit_rate, report.latency_ms.ttft.p99)
    };
    let (blind, blind_p99) = measure(preset.cluster.routing.clone());
    assert_eq!(preset.cluster.routing, RoutingPolicy::RoundRobin);
    assert!(
        (0.4..0.5).contains(&blind) && (4000.0..16_000.0).contains(&blind_p99),
        "{blind}, {blind_p99} ms"
    );
    let (aware, aware_p99) = measure(RoutingPolicy::PrefixOverlap(PrefixOverlap::default()));
    assert!((0.87..0.93).contains(&aware) && (150.0..350.0).contains(&aware_p99), "{aware}, {aware_p99} ms");
    let affinity = RoutingPolicy::SessionAffinity(tokenyard::scenario::SessionAffinity::default());
    let (sticky, sticky_p99) = measure(affinity);
    assert!(
        (0.87..0.93).contains(&sticky) && (150.0..350.0).contains(&sticky_p99),
        "{sticky}, {sticky_p99} ms"
    );
}
