//! Tiers of prefill and decode pools: who reads them, who writes, and whose ports they use.

use crate::support::documents::{explicit, fitted, piece, without_clients};
use crate::support::{cluster as engine, start};
use tokenyard::base::{Micros, ReplicaId, RequestId};
use tokenyard::engine::{Cluster, Halt, Ignore};
use tokenyard::kv::TierCounts;
use tokenyard::scenario::{
    Change, Decider, Disaggregation, ExplicitRequest, Fault, KvBlocks, KvBytes, KvSource, KvStore,
    KvStoreDown, P2pTier, Pool, Role, RoutingPolicy, Scenario, SecondaryTier, StoreTier, ThresholdDecider,
    TimedEdit, Transfer,
};

const BLOCK: u32 = 16;

/// A prefill and a decode replica with 8 and 9 blocks on the GPU and some in CPU memory, steps of a millisecond.
fn split(cpu_blocks: [u32; 2], decider: Decider) -> Scenario {
    let mut s = without_clients();
    let pool = |name: &str, role, blocks, cpu_blocks| {
        let mut pool = Pool { name: name.to_owned(), role, replicas: 1, ..Pool::default() };
        pool.engine.max_num_batched_tokens = (1_u32 << 20).into();
        pool.kv.blocks = KvBlocks::Count(blocks);
        pool.kv.cpu_blocks = cpu_blocks;
        pool.latency = fitted(1000.0, 0.0, 0.0);
        pool
    };
    s.cluster.pools =
        vec![pool("p", Role::Prefill, 8, cpu_blocks[0]), pool("d", Role::Decode, 9, cpu_blocks[1])];
    s.cluster.disaggregation = Some(Disaggregation { decider, ..Disaggregation::default() });
    s
}

/// A request for an answer of two tokens to the first blocks of a text.
fn ask(s: &mut Scenario, arrival_us: u64, text: u32, blocks: u32) {
    let number = s.workload.requests.len() as u32;
    s.workload.requests.push(ExplicitRequest {
        id: format!("r{number}"),
        ..explicit(arrival_us, vec![piece(text, BLOCK * blocks)], &piece(1000 + number, 2))
    });
}

/// Three texts that need all blocks of either GPU, and the first one again.
fn again(mut s: Scenario) -> Scenario {
    for (i, text) in [1, 2, 3, 1].into_iter().enumerate() {
        ask(&mut s, 100_000 * i as u64, text, 6);
    }
    s
}

fn run(s: &Scenario) -> Cluster {
    let mut engine = engine(s);
    assert_eq!(engine.advance(Micros::MAX, 20_000_000, &mut Ignore), Halt::Finished);
    engine.verify(true);
    engine
}

fn counts(engine: &Cluster, replica: usize) -> TierCounts {
    engine.replicas()[replica].kv().tier_counts()
}

#[test]
fn a_prefill_replica_loads_what_its_gpu_forgot() {
    let e = run(&again(split([100, 0], Decider::Always)));
    let found = counts(&e, 0);
    // A look-up leaves out the block with the last token of a prompt.
    assert_eq!((found.loads, found.hits), (1, 5));
    assert_eq!(found.offloads, 3 * 6, "full blocks of three texts");
    let without = run(&again(split([0, 0], Decider::Always)));
    assert_eq!(counts(&without, 0).loads, 0);
}

#[test]
fn a_home_keeps_what_landed_and_reads_nothing_of_it_for_prompts_from_elsewhere() {
    let e = run(&again(split([0, 100], Decider::Always)));
    let found = counts(&e, 1);
    assert!(found.offloads >= 3 * 6, "{found:?}: a landing counts as computing");
    assert_eq!((found.loads, found.hits), (0, 0));
}

#[test]
fn a_home_that_computes_by_itself_loads_as_any_replica() {
    let e = run(&again(split([0, 100], Decider::Never)));
    let found = counts(&e, 1);
    assert_eq!((found.loads, found.hits), (1, 5));
}

#[test]
fn the_decider_counts_what_lies_in_cpu_memory() {
    let few =
        Decider::Threshold(ThresholdDecider { uncached_tokens: 2 * BLOCK, ..ThresholdDecider::default() });
    let far = |cpu_blocks: u32| {
        let e = run(&again(split([0, cpu_blocks], few.clone())));
        let last = e.records().at(3);
        (last.e2e.get().expect("an answer"), counts(&e, 1).loads)
    };
    // With its own blocks in CPU memory the home has 16 tokens to compute, and computes them itself.
    assert_eq!(far(100).1, 1);
    assert_eq!(far(0).1, 0);
    assert!(far(100).0 < far(0).0);
}

#[test]
fn tiers_that_hold_nothing_needed_change_no_time() {
    let times = |cpu_blocks: [u32; 2]| {
        let mut s = split(cpu_blocks, Decider::Always);
        for i in 0..12 {
            ask(&mut s, 700 * u64::from(i), 100 + i, 1 + i % 5);
        }
        let e = run(&s);
        (0..12).map(|i| e.records().at(i).e2e.get()).collect::<Vec<_>>()
    };
    assert_eq!(times([0, 0]), times([50, 50]));
}

/// A thousand bytes a token, ports that carry a token in a microsecond, and 200 us before the first byte of anything.
fn with_store(mut s: Scenario, pools: &[usize]) -> Scenario {
    s.cluster.kv_stores = vec![KvStore { base_us: 200, port_gb_per_s: 100.0, ..KvStore::default() }];
    let store = || SecondaryTier::Store(StoreTier { name: "store".to_owned(), ..StoreTier::default() });
    for &i in pools {
        s.cluster.pools[i].kv.secondary_tiers = vec![store()];
    }
    let disaggregation = s.cluster.disaggregation.as_mut().expect("pools have roles");
    disaggregation.transfer = Transfer {
        port_gb_per_s: 1.0,
        base_us: 200,
        kv_bytes_per_token: KvBytes::Count(1000),
        ..Transfer::default()
    };
    s
}

/// Blocks that a replica has read from its first tier below CPU memory, and written to it.
fn below(engine: &Cluster, replica: u32) -> [u64; 2] {
    let lower = engine.lower_tiers().expect("tiers below CPU memory");
    let counts = lower.counts(ReplicaId(replica), 0);
    [counts.read, counts.written]
}

/// Two prefill replicas in turn, and a home.
fn two_prefills(cpu_blocks: u32) -> Scenario {
    let mut s = split([cpu_blocks, 0], Decider::Always);
    s.cluster.pools[0].replicas = 2;
    s.cluster.disaggregation.as_mut().expect("pools have roles").prefill_routing =
        Some(RoutingPolicy::RoundRobin);
    s
}

#[test]
fn a_prefill_replica_reads_what_another_one_wrote_to_a_store() {
    for cpu_blocks in [0, 100] {
        let mut s = with_store(two_prefills(cpu_blocks), &[0]);
        ask(&mut s, 0, 1, 6);
        ask(&mut s, 1_000_000, 1, 6);
        let e = run(&s);
        assert_eq!((below(&e, 0), below(&e, 1)), ([0, 6], [5, 0]), "{cpu_blocks} blocks of CPU memory");
        let [first, second] = [0, 1].map(|i| e.handover(RequestId(i)).expect("it is routed").prefill);
        assert_eq!((first, second), (Some(ReplicaId(0)), Some(ReplicaId(1))));
    }
}

#[test]
fn blocks_are_pulled_by_the_replica_that_computes() {
    let mut s = with_store(two_prefills(100), &[]);
    s.cluster.pools[0].kv.secondary_tiers = vec![SecondaryTier::P2p(P2pTier { base_us: 200 })];
    s.cluster.kv_source = Some(KvSource::default());
    ask(&mut s, 0, 1, 6);
    ask(&mut s, 1_000_000, 1, 6);
    let e = run(&s);
    assert_eq!((below(&e, 0), below(&e, 1)), ([0, 0], [5, 0]));
}

#[test]
fn a_home_writes_below_only_where_it_is_told_to_and_reads_only_for_itself() {
    let of = |decider: Decider, write_decode: bool| {
        let mut s = with_store(again(split([0, 0], decider)), &[1]);
        s.cluster.pools[1].kv.write_decode = write_decode;
        below(&run(&s), 1)
    };
    assert_eq!(of(Decider::Always, false), [0, 0]);
    assert_eq!(of(Decider::Always, true), [0, 3 * 6], "what landed is written, and not read again");
    assert_eq!(of(Decider::Never, true), [5, 3 * 6], "its own prompts are read");
}

#[test]
fn the_decider_counts_what_lies_in_a_store() {
    let few =
        Decider::Threshold(ThresholdDecider { uncached_tokens: 2 * BLOCK, ..ThresholdDecider::default() });
    let e = run(&with_store(again(split([0, 0], few.clone())), &[0, 1]));
    let prefilled = |e: &Cluster| e.handover(RequestId(3)).expect("it is routed").prefill;
    // The prefill replica has written the text, and its home finds all but the last block.
    assert_eq!((prefilled(&e), below(&e, 1)), (None, [5, 0]));
    assert_eq!(prefilled(&run(&with_store(again(split([0, 0], few)), &[0]))), Some(ReplicaId(0)));
}

#[test]
fn a_transfer_and_a_write_share_the_port_of_a_replica() {
    let took = |shared: bool, stores: &[usize]| {
        let mut s = with_store(split([0, 0], Decider::Always), stores);
        s.cluster.disaggregation.as_mut().expect("pools have roles").transfer.shared_ports = shared;
        ask(&mut s, 0, 1, 6);
        let e = run(&s);
        let h = e.handover(RequestId(0)).expect("it is routed");
        let [flows, landed] = [h.flows, h.landed].map(|at| at.get().expect("it has landed").0);
        landed - flows
    };
    // 96 tokens leave the prefill replica twice at once, from the end of its step on: for the home, and for the store.
    assert_eq!(took(true, &[]), 96);
    assert_eq!(took(true, &[0]), 192);
    assert_eq!(took(false, &[0]), 96);
}

#[test]
fn a_transfer_has_the_port_alone_from_the_instant_at_which_the_store_goes_down() {
    let mut s = with_store(split([0, 0], Decider::Always), &[0]);
    s.cluster.disaggregation.as_mut().expect("pools have roles").transfer.shared_ports = true;
    ask(&mut s, 0, 1, 6);
    let flows = run(&s).handover(RequestId(0)).and_then(|h| h.flows.get()).expect("it flows").0;
    // No event lies between the begin of both flows and the fault: 20 of 96 tokens have left by then.
    let down = Fault::KvStore(KvStoreDown { name: "store".to_owned(), for_s: 0.0 });
    s.edits = vec![TimedEdit::new(flows + 40, Change::fault(down))];
    let mut session = start(&s);
    session.advance(Micros::MAX, u64::MAX);
    session.engine().verify(true);
    let landed = session.engine().handover(RequestId(0)).and_then(|h| h.landed.get());
    assert_eq!(landed, Some(Micros(flows + 40 + 76)));
}
