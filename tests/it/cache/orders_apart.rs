//! Orders of eviction and directives in prefill and decode pools, worked out by hand.
//!
//! Text 1 has three blocks, others have five. Its second request finds at most two of them: a look-up leaves out the block with
//! the last token of a prompt.

use crate::support::cluster as engine;
use crate::support::documents::{explicit, fitted, piece, without_clients};
use tokenyard::base::{Micros, RequestId};
use tokenyard::engine::{Cluster, Halt, Ignore};
use tokenyard::scenario::{
    Decider, Disaggregation, EvictionOrder, KvBlocks, Pool, Retention, Role, RoutingPolicy, Scenario,
};

const BLOCK: u32 = 16;

/// A prefill and a decode replica with 8 and 9 blocks and these orders, steps of a millisecond.
fn split(orders: [EvictionOrder; 2]) -> Scenario {
    let mut s = without_clients();
    let pool = |name: &str, role, blocks, order| {
        let mut pool = Pool { name: name.to_owned(), role, replicas: 1, ..Pool::default() };
        pool.engine.max_num_batched_tokens = (1_u32 << 20).into();
        (pool.kv.blocks, pool.kv.eviction_order) = (KvBlocks::Count(blocks), order);
        pool.latency = fitted(1000.0, 0.0, 0.0);
        pool
    };
    let [prefill, decode] = orders;
    s.cluster.pools = vec![pool("p", Role::Prefill, 8, prefill), pool("d", Role::Decode, 9, decode)];
    s.cluster.disaggregation = Some(Disaggregation { decider: Decider::Always, ..Disaggregation::default() });
    s
}

/// Requests at these instants for texts 1, 2, 3 and 1 again, the first with these directives.
fn ask(mut s: Scenario, at_us: [u64; 4], directives: &[Retention]) -> Scenario {
    for (i, (at, text)) in at_us.into_iter().zip([1, 2, 3, 1]).enumerate() {
        let tokens = if text == 1 { 3 * BLOCK } else { 5 * BLOCK };
        let mut request = explicit(at, vec![piece(text, tokens)], &piece(1000 + i as u32, 2));
        if i == 0 {
            request.retention = directives.to_vec();
        }
        s.workload.requests.push(request);
    }
    s
}

fn keep(duration_s: Option<f64>) -> [Retention; 1] {
    [Retention { start: 0, end: Some(3 * BLOCK), priority: 50, duration_s }]
}

fn run(s: &Scenario) -> Cluster {
    let mut engine = engine(s);
    assert_eq!(engine.advance(Micros::MAX, 1_000_000, &mut Ignore), Halt::Finished);
    engine.verify(true);
    engine
}

/// Tokens that the last request found on its prefill replica, and blocks that it found at home.
fn found(s: &Scenario) -> (u32, u32) {
    let e = run(s);
    (e.records().at(3).cached_tokens, e.handover(RequestId(3)).expect("it is routed").home_cached)
}

const APART: [u64; 4] = [0, 100_000, 200_000, 300_000];

#[test]
fn the_directives_of_a_request_hold_for_its_blocks_on_both_of_its_replicas() {
    use EvictionOrder::{Lru, Sglang, Trtllm, Vllm};
    let with = |orders| found(&ask(split(orders), APART, &keep(None)));
    // The third text takes the blocks of the first, released longest ago, or those of the second, without a directive.
    assert_eq!(with([Lru, Lru]), (0, 0));
    assert_eq!(with([Vllm, Lru]), (2 * BLOCK, 0));
    assert_eq!(with([Lru, Vllm]), (0, 2));
    for order in [Vllm, Sglang, Trtllm] {
        assert_eq!(with([order, order]), (2 * BLOCK, 2), "{order:?}");
        assert_eq!(found(&ask(split([order, order]), APART, &[])), (0, 0), "{order:?} without a directive");
    }
}

#[test]
fn on_a_prefill_replica_the_time_of_a_directive_counts_from_the_landing() {
    // Text 1 is computed at 1 ms and lands at 1001 ms; text 3 takes blocks at 1300 ms, when those of text 2 are free too.
    let found_after = |duration_s: f64| {
        let mut s = split([EvictionOrder::Sglang, EvictionOrder::Lru]);
        s.cluster.disaggregation.as_mut().expect("pools have roles").transfer.base_us = 1_000_000;
        found(&ask(s, [0, 100_000, 1_300_000, 4_000_000], &keep(Some(duration_s)))).0
    };
    assert_eq!(found_after(0.5), 2 * BLOCK, "until 1501 ms");
    assert_eq!(found_after(0.25), 0, "until 1251 ms");
}

#[test]
fn a_cap_on_what_directives_protect_counts_for_each_replica() {
    let with = |share: [f64; 2]| {
        let mut s = split([EvictionOrder::Vllm; 2]);
        for (pool, share) in s.cluster.pools.iter_mut().zip(share) {
            pool.kv.max_protected_share = share;
        }
        found(&ask(s, APART, &keep(None)))
    };
    // Three of 8 blocks are 0.375 of them, three of 9 are a third.
    assert_eq!(with([0.38, 0.34]), (2 * BLOCK, 2));
    assert_eq!(with([0.37, 0.34]), (0, 2));
    assert_eq!(with([0.38, 0.33]), (2 * BLOCK, 0));
}

#[test]
fn an_oracle_at_home_knows_of_a_prompt_until_its_blocks_are_set_aside() {
    let with = |order| {
        let mut s = split([EvictionOrder::Lru, order]);
        s.cluster.pools[0].replicas = 2;
        s.cluster.disaggregation.as_mut().expect("pools have roles").prefill_routing =
            Some(RoutingPolicy::RoundRobin);
        // Text 3 finds room at home at 201.0 ms, while text 1 is prefilled again, from 200.5 to 201.5 ms.
        found(&ask(s, [0, 100_000, 200_000, 200_500], &[])).1
    };
    assert_eq!(with(EvictionOrder::Belady), 2);
    assert_eq!(with(EvictionOrder::Lru), 0);
}
