//! Routers that see the contents of caches late, by instants worked out by hand.

use crate::support::documents::{explicit, fitted, piece, without_clients};
use crate::support::{run, start};
use tokenyard::base::{Micros, RequestId};
use tokenyard::engine::{Fact, RequestFact};
use tokenyard::scenario::{
    Change, Crash, Disaggregation, Fault, KvBlocks, KvBytes, KvStore, Pool, Profile, RoutingPolicy, Scenario,
    Scorer, SecondaryTier, StoreTier, TierWeights, TimedEdit, Transfer, Weighted, WeightedScorer, parse,
    to_json,
};
use tokenyard::session::Session;

const DELAY: u64 = 5000;

/// Two replicas with steps of a millisecond. A prompt that a replica has counts ten times as much as that it has nothing to do.
fn pair(scorer: Scorer, delay_us: u64) -> Scenario {
    let mut s = without_clients();
    let mut pool = Pool { replicas: 2, latency: fitted(1000.0, 0.0, 0.0), ..Pool::default() };
    pool.engine.max_num_batched_tokens = (1_u32 << 20).into();
    pool.kv.blocks = KvBlocks::Count(4096);
    s.cluster.pools = vec![pool];
    let row = |scorer, weight| WeightedScorer { scorer, weight };
    let scorers = vec![row(scorer, 1.0), row(Scorer::ActiveRequests, 0.1)];
    s.cluster.routing =
        RoutingPolicy::Weighted(Weighted { profile: Profile::Custom, scorers, ..Weighted::default() });
    s.cluster.kv_event_delay_us = delay_us;
    s
}

/// A prompt of ten blocks, and an answer of a number of tokens.
fn ask(s: &mut Scenario, arrival_us: u64, text: u32, answer: u32) {
    let number = s.workload.requests.len() as u32;
    s.workload.requests.push(explicit(arrival_us, vec![piece(text, 160)], &piece(1000 + number, answer)));
}

/// Where a request goes first.
fn place(s: &Scenario, request: u32) -> u32 {
    let routed = run(s).1.facts.into_iter().find_map(|(_, fact)| match fact {
        Fact::Request(RequestFact::Routed { request: RequestId(of), replica }) if of == request => {
            Some(replica.0)
        }
        _ => None,
    });
    routed.expect("a decision")
}

/// Where a prompt goes at an instant that a busy replica has had since 0.
fn second(scorer: &Scorer, delay_us: u64, at: u64) -> u32 {
    let mut s = pair(scorer.clone(), delay_us);
    ask(&mut s, 0, 1, 100);
    ask(&mut s, at, 1, 1);
    place(&s, 1)
}

#[test]
fn a_prompt_goes_where_it_is_from_the_instant_on_at_which_routers_see_it_there() {
    for scorer in [Scorer::PrecisePrefix, Scorer::TierPrefix] {
        // The blocks are the first replica's as its step begins, at 0.
        assert_eq!([1, DELAY].map(|at| second(&scorer, 0, at)), [0, 0], "{scorer:?} sees the present");
        assert_eq!([DELAY - 1, DELAY].map(|at| second(&scorer, DELAY, at)), [1, 0], "{scorer:?}");
    }
    // Who remembers what was sent looks at no cache.
    assert_eq!(second(&Scorer::PrefixAffinity, DELAY, 1), 0);
}

#[test]
fn an_edit_counts_from_the_next_decision_and_hides_nothing_that_was_seen() {
    let mut s = pair(Scorer::PrecisePrefix, 0);
    s.edits = vec![TimedEdit::new(3000, Change::set("cluster.kv_event_delay_us", DELAY))];
    let at = |asked: u64, again: u64, edit_back: Option<u64>| {
        let mut s = s.clone();
        s.edits.extend(edit_back.map(|at| TimedEdit::new(at, Change::set("cluster.kv_event_delay_us", 0))));
        ask(&mut s, asked, 1, 100);
        ask(&mut s, again, 1, 1);
        place(&s, 1)
    };
    assert_eq!(at(0, 3001, None), 0, "it was there before the edit");
    assert_eq!([8999, 9000].map(|again| at(4000, again, None)), [1, 0], "it came after it");
    assert_eq!(at(4000, 6001, Some(6000)), 0, "the present is seen again");
}

#[test]
fn a_crash_is_seen_when_routers_discover_it() {
    let again = |delay_us: u64, at: u64| {
        let mut s = pair(Scorer::PrecisePrefix, delay_us);
        s.cluster.resilience.discovery_ms = 50.0;
        // The first one keeps a replica busy while the other gets the second one, which it has answered after a step.
        ask(&mut s, 0, 1, 2);
        ask(&mut s, 10, 2, 1);
        let crash = Fault::Crash(Crash { replica: Some(1), restart_s: 0.02, ..Crash::default() });
        s.edits = vec![TimedEdit::new(20_000, Change::fault(crash))];
        ask(&mut s, at, 2, 1);
        let mut session = start(&s);
        session.advance(Micros::MAX, u64::MAX);
        let engine = session.engine();
        let first = engine.attempts(RequestId(2)).next().and_then(|attempt| attempt.replica);
        first.or(engine.records().at(2).replica()).expect("it went somewhere").0
    };
    assert_eq!(again(DELAY, 19_000), 1);
    assert_eq!([20_001, 39_000].map(|at| again(DELAY, at)), [1, 1], "it is down, and nobody knows");
    assert_eq!(
        [69_000, 71_000].map(|at| again(DELAY, at)),
        [1, 0],
        "it is back and empty, and known to be down"
    );
    // At 91 ms it is known to be back. What it had at 11 ms is not what it has, however late its contents are seen.
    assert_eq!(again(80_000, 91_000), 0);
    assert_eq!(again(0, 20_001), 0, "an empty cache is seen at once without a delay");
}

/// A store that both replicas read, worth more than nothing to do, and the GPU's contents worth nothing.
fn beside_a_store(delay_us: u64, at: u64) -> Vec<f64> {
    let mut s = pair(Scorer::TierPrefix, delay_us);
    s.cluster.kv_stores = vec![KvStore { base_us: 300, ..KvStore::default() }];
    let transfer =
        Transfer { kv_bytes_per_token: KvBytes::Count(3000), port_gb_per_s: 1.0, ..Transfer::default() };
    s.cluster.disaggregation = Some(Disaggregation { transfer, ..Disaggregation::default() });
    let tier = StoreTier { name: "store".to_owned(), ..StoreTier::default() };
    s.cluster.pools[0].kv.secondary_tiers = vec![SecondaryTier::Store(tier)];
    let RoutingPolicy::Weighted(w) = &mut s.cluster.routing else { panic!("a weighted router") };
    w.tier_weights = TierWeights { gpu: 0.0, cpu: 0.0, disk: 0.0, store: 1.0 };
    w.scorers.truncate(1);
    ask(&mut s, 0, 1, 1);
    ask(&mut s, at, 1, 1);
    let decisions = run(&s).1.decisions;
    decisions.last().expect("a decision").scores.totals.clone()
}

#[test]
fn a_store_is_seen_as_late_as_the_caches() {
    // Written from the end of the first step on: 160 tokens of 3,000 bytes over a port of 1 GB/s.
    let landed = 1000 + 300 + 480;
    // A decision of the same instant comes before the landing.
    assert_eq!([landed, landed + 1].map(|at| beside_a_store(0, at)[1] > 0.5), [false, true]);
    assert_eq!([landed - 1, landed].map(|at| beside_a_store(DELAY, DELAY + at)[1] > 0.5), [false, true]);
}

/// Two pairs of texts with answers that overlap, a crash and an edit on the way.
fn mixed(delay_us: u64) -> Scenario {
    let mut s = pair(Scorer::PrecisePrefix, delay_us);
    s.cluster.pools[0].kv.blocks = KvBlocks::Count(45);
    s.cluster.pools[0].kv.cpu_blocks = 20;
    s.cluster.resilience.discovery_ms = 3.0;
    for i in 0..60_u32 {
        ask(&mut s, u64::from(i * 700), 1 + i * i % 7, 1 + i % 5);
    }
    let crash = Fault::Crash(Crash { replica: Some(0), restart_s: 0.002, ..Crash::default() });
    s.edits = vec![
        TimedEdit::new(20_000, Change::fault(crash)),
        TimedEdit::new(31_000, Change::set("cluster.kv_event_delay_us", 900)),
    ];
    s
}

fn ended(mut session: Session) -> String {
    session.advance(Micros::MAX, u64::MAX);
    session.engine().verify(true);
    session.report()
}

#[test]
fn a_run_in_slices_and_from_snapshots_is_the_run() {
    let s = mixed(2500);
    let whole = ended(start(&s));
    assert_ne!(whole, ended(start(&mixed(0))), "a delay makes a difference");
    let mut sliced = start(&s);
    for at in [3000, 20_500, 21_500, 31_500] {
        sliced.advance(Micros(at), u64::MAX);
        let bytes = sliced.snapshot();
        let mut restored = start(&mixed(0));
        restored.restore(&bytes).expect("a snapshot of this version");
        assert_eq!(ended(restored), whole, "from {at}");
    }
    assert_eq!(ended(sliced), whole);
}

#[test]
fn no_delay_is_no_key() {
    let mut s = pair(Scorer::PrecisePrefix, DELAY);
    assert!(to_json(&s).contains("\"kv_event_delay_us\": 5000"));
    s.cluster.kv_event_delay_us = 0;
    assert!(!to_json(&s).contains("kv_event_delay_us"));
    let said = parse(r#"{"cluster": {"kv_event_delay_us": 0}}"#).expect("a scenario");
    assert_eq!(said, Scenario::default());
}
