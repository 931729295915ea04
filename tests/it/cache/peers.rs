//! Blocks pulled from the CPU memory of other replicas, worked out by hand.

use crate::support::documents::{explicit, fitted, piece, without_clients};
use crate::support::{cluster as engine, start};
use serde_json::{Value, json};
use tokenyard::base::{Micros, ReplicaId, RequestId};
use tokenyard::engine::{Cluster, Fact, FlowOutcome, Halt, Sink, TierNews};
use tokenyard::scenario::{
    Change, Crash, Disaggregation, Fault, KvBlocks, KvBytes, KvSource, KvStore, KvStoreDown, P2pTier, Pool,
    RoutingPolicy, Scenario, SecondaryTier, StoreTier, TimedEdit, Transfer, limits, parse,
};

/// Time to the first byte, and of the link of CPU memory, in microseconds.
const BASE: u64 = 10_000;
const LINK: u64 = 100;

/// Two replicas in turn, with steps of 2 ms and 10 us a token, ports that carry a token in 3 us, and a link that takes no time but
/// its base.
fn pair() -> Scenario {
    let mut s = without_clients();
    let mut pool = Pool { replicas: 2, latency: fitted(2000.0, 10.0, 0.0), ..Pool::default() };
    pool.engine.max_num_batched_tokens = (1_u32 << 20).into();
    pool.kv.blocks = KvBlocks::Count(4096);
    pool.kv.cpu_blocks = 4096;
    pool.kv.transfer_base_us = LINK;
    pool.kv.transfer_tokens_per_us = limits::TRANSFER_TOKENS_PER_US;
    pool.kv.secondary_tiers = vec![SecondaryTier::P2p(P2pTier { base_us: BASE })];
    let transfer =
        Transfer { kv_bytes_per_token: KvBytes::Count(3000), port_gb_per_s: 1.0, ..Transfer::default() };
    s.cluster.disaggregation = Some(Disaggregation { transfer, ..Disaggregation::default() });
    s.cluster.pools = vec![pool];
    s.cluster.routing = RoutingPolicy::RoundRobin;
    s.cluster.kv_source = Some(KvSource::default());
    s
}

fn ask(s: &mut Scenario, arrival_us: u64, text: u32, tokens: u32) {
    let number = s.workload.requests.len() as u32;
    s.workload.requests.push(explicit(arrival_us, vec![piece(text, tokens)], &piece(1000 + number, 1)));
}

/// The flows of blocks: from where, and how each ended.
#[derive(Default)]
struct Flows {
    sources: Vec<Option<ReplicaId>>,
    ends: Vec<(Micros, FlowOutcome)>,
}

impl Sink for Flows {
    fn fact(&mut self, _: Micros, _: Fact) {}

    fn tiers(&mut self, at: Micros, news: TierNews) {
        match news {
            TierNews::FlowAsked { source, .. } => self.sources.push(source),
            TierNews::FlowEnded { outcome, .. } => self.ends.push((at, outcome)),
            _ => {}
        }
    }
}

fn run(s: &Scenario) -> (Cluster, Flows) {
    let (mut engine, mut flows) = (engine(s), Flows::default());
    assert_eq!(engine.advance(Micros::MAX, 1_000_000, &mut flows), Halt::Finished);
    engine.verify(true);
    (engine, flows)
}

fn ttft(engine: &Cluster, request: usize) -> u64 {
    engine.records().at(request).ttft.get().expect("a first token").0
}

/// The time to first token of a text that the other replica has, with or without a source.
fn second(tokens: u32, lead: Option<u32>) -> u64 {
    let mut s = pair();
    s.cluster.kv_source = lead.map(|min_cached_token_delta| KvSource { min_cached_token_delta });
    ask(&mut s, 0, 1, tokens);
    ask(&mut s, 10_000_000, 1, tokens);
    ttft(&run(&s).0, 1)
}

#[test]
fn a_pull_costs_what_its_sum_says_and_pays_from_a_length_on() {
    for tokens in [160_u32, 800, 1600, 8000, 32_000] {
        // All blocks but the last one, which is computed.
        let pulled = u64::from(tokens - 16);
        let sum = BASE + 3 * pulled + LINK + 2000 + 160;
        assert_eq!(second(tokens, None), 2000 + 10 * u64::from(tokens), "{tokens} computed");
        assert_eq!(second(tokens, Some(1)), sum, "{tokens} pulled");
    }
    // 10,100 us of a pull are paid at 7 us a token.
    let crossing = (BASE + LINK) / 7;
    let [below, above] = [crossing - 40, crossing + 40].map(|n| n as u32 / 16 * 16 + 16);
    assert!(second(below, Some(1)) > second(below, None), "{below} tokens are computed faster");
    assert!(second(above, Some(1)) < second(above, None), "{above} tokens are pulled faster");
    // Where the lead is that length, the faster way is taken.
    for tokens in [160, below, above, 8000] {
        let best = second(tokens, None).min(second(tokens, Some(1)));
        assert_eq!(second(tokens, Some(crossing as u32)), best, "{tokens}");
    }
}

#[test]
fn nothing_is_pulled_that_no_source_names_or_that_is_here() {
    let mut s = pair();
    for (at, text) in [(0, 1), (1_000_000, 2), (2_000_000, 1), (3_000_000, 2)] {
        ask(&mut s, at, text, 800);
    }
    // In turn each text comes back to the replica that has it.
    assert_eq!(run(&s).1.sources, []);
    ask(&mut s, 4_000_000, 2, 800);
    assert_eq!(run(&s).1.sources, [Some(ReplicaId(1))]);
    s.cluster.kv_source = None;
    assert_eq!(run(&s).1.sources, []);
}

#[test]
fn a_source_is_named_as_late_as_its_memory_is_seen() {
    let sources = |at: u64| {
        let mut s = pair();
        s.cluster.kv_event_delay_us = 50_000;
        ask(&mut s, 0, 1, 800);
        ask(&mut s, at, 1, 800);
        run(&s).1.sources
    };
    // Written to CPU memory as its step begins, at 0.
    assert_eq!(sources(49_999), []);
    assert_eq!(sources(50_000), [Some(ReplicaId(0))]);
}

#[test]
fn a_replica_that_drains_stops_when_nothing_is_read_from_it() {
    let mut s = pair();
    ask(&mut s, 0, 1, 16);
    ask(&mut s, 1_000_000, 2, 8000);
    ask(&mut s, 2_000_000, 2, 8000);
    // The second replica has the text and drains while the first one reads: 10 ms, then 24 ms.
    s.edits = vec![TimedEdit::new(2_005_000, Change::set("cluster.pools[0].replicas", 1))];
    let mut session = start(&s);
    let phase = |session: &tokenyard::session::Session| session.engine().replicas()[1].phase();
    session.advance(Micros(2_020_000), u64::MAX);
    assert_eq!(phase(&session), tokenyard::policy::ReplicaPhase::Draining);
    session.advance(Micros(2_040_000), u64::MAX);
    assert_eq!(phase(&session), tokenyard::policy::ReplicaPhase::Stopped);
    let record = session.engine().records().at(2);
    assert_eq!(record.ttft.get().map(|t| t.0), Some(BASE + 3 * 7984 + LINK + 2000 + 160));
}

#[test]
fn a_crash_of_the_other_replica_fails_the_pull_and_the_prompt_is_computed() {
    let mut s = pair();
    ask(&mut s, 0, 1, 8000);
    ask(&mut s, 1_000_000, 1, 8000);
    let crash = Fault::Crash(Crash { replica: Some(0), ..Crash::default() });
    s.edits = vec![TimedEdit::new(1_015_000, Change::fault(crash))];
    let mut session = start(&s);
    session.advance(Micros::MAX, u64::MAX);
    let record = session.engine().records().at(1);
    assert_eq!(record.ttft.get().map(|t| t.0), Some(15_000 + 2000 + 80_000));
    assert_eq!(session.engine().load(RequestId(1)), [None, None]);
}

#[test]
fn the_report_has_what_was_pulled_by_pool_and_tier() {
    let mut s = pair();
    ask(&mut s, 0, 1, 8000);
    ask(&mut s, 1_000_000, 1, 8000);
    let mut session = start(&s);
    session.advance(Micros::MAX, u64::MAX);
    let report: Value = serde_json::from_str(&session.report()).expect("JSON");
    let tier = &report["kv_tiers"][0];
    assert_eq!(
        (&tier["tier"], &tier["read_blocks"], &tier["failed_flows"]),
        (&json!("p2p"), &json!(499), &json!(0))
    );
    assert!((tier["read_gb"].as_f64().expect("a number") - 499.0 * 48e-6).abs() < 1e-12);
    assert_eq!(tier.get("place"), None);
    // Without tiers below CPU memory there is no such part.
    s.cluster.pools[0].kv.secondary_tiers.clear();
    s.cluster.kv_source = None;
    let report: Value = serde_json::from_str(&start(&s).report()).expect("JSON");
    assert_eq!(report.get("kv_tiers"), None);
}

/// How many blocks of a text a replica reads from a store that was down in between.
fn read_after_the_store_was_down(keeps_contents: bool) -> u64 {
    let mut s = pair();
    s.cluster.kv_source = None;
    s.cluster.kv_stores = vec![KvStore { keeps_contents, ..KvStore::default() }];
    let tier = StoreTier { name: "store".to_owned(), ..StoreTier::default() };
    s.cluster.pools[0].kv.secondary_tiers = vec![SecondaryTier::Store(tier)];
    ask(&mut s, 0, 1, 800);
    ask(&mut s, 2_000_000, 1, 800);
    let down = Fault::KvStore(KvStoreDown { name: "store".to_owned(), for_s: 0.5 });
    s.edits = vec![TimedEdit::new(1_000_000, Change::fault(down))];
    let mut session = start(&s);
    session.advance(Micros::MAX, u64::MAX);
    let lower = session.engine().lower_tiers().expect("a store");
    lower.counts(ReplicaId(1), 0).read
}

#[test]
fn a_store_that_was_down_has_what_it_had_unless_it_lost_what_it_knew() {
    assert_eq!(read_after_the_store_was_down(true), 49);
    assert_eq!(read_after_the_store_was_down(false), 0);
}

/// The how-to, its scenario and its rows: tokens, computed and pulled, in microseconds.
fn how_to() -> (Scenario, Vec<[u64; 3]>) {
    let text = include_str!("../../../docs/how-to/pull-or-compute.md");
    let json: String = text.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    let scenario = parse(&json).expect("the scenario of the how-to");
    let number = |cell: &str| cell.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok();
    let row = |line: &str| {
        let cells: Vec<u64> = line.strip_prefix("| ")?.split('|').filter_map(number).collect();
        cells.try_into().ok()
    };
    (scenario, text.lines().filter(|line| line.contains(" ms |")).filter_map(row).collect())
}

#[test]
fn the_how_to_has_the_times_of_its_scenario() {
    let (scenario, rows) = how_to();
    assert_eq!(rows.len(), 4);
    for [tokens, computed, pulled] in rows {
        let mut s = scenario.clone();
        for request in &mut s.workload.requests {
            request.prompt[0].tokens = tokens as u32;
        }
        assert_eq!(ttft(&run(&s).0, 1), pulled, "{tokens} pulled");
        s.cluster.kv_source = None;
        assert_eq!(ttft(&run(&s).0, 1), computed, "{tokens} computed");
    }
}
