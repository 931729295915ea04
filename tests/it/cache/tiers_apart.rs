//! CPU tiers of prefill and decode pools: who reads them, and who writes.

use crate::support::cluster as engine;
use crate::support::documents::{explicit, fitted, piece, without_clients};
use tokenyard::base::Micros;
use tokenyard::engine::{Cluster, Halt, Ignore};
use tokenyard::kv::TierCounts;
use tokenyard::scenario::{
    Decider, Disaggregation, ExplicitRequest, KvBlocks, Pool, Role, Scenario, ThresholdDecider,
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
