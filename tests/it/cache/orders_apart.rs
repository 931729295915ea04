//! Orders of eviction and directives in prefill and decode pools, worked out by hand.
//!
//! Text 1 has three blocks, others have five. Its second request finds at most two of them: a look-up leaves out the block with
//! the last token of a prompt.

use crate::support::cluster as engine;
use crate::support::documents::{explicit, fitted, piece, without_clients};
use tokenyard::base::{Micros, ReplicaId, RequestId};
use tokenyard::engine::{Cluster, Halt, Ignore, PrefetchOutcome};
use tokenyard::scenario::{
    Decider, Disaggregation, EvictionOrder, KvBlocks, Pool, PrefetchWhen, Retention, Role, RoutingPolicy,
    Scenario, SessionKv, SessionPrefetch,
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

/// The first request and another one are turns of a session, with these rules for its pauses.
fn session(mut s: Scenario, next: usize, rules: SessionKv) -> Scenario {
    for i in [0, next] {
        "a".clone_into(&mut s.workload.requests[i].session);
    }
    s.workload.session_kv = Some(rules);
    s
}

#[test]
fn a_turn_supersedes_blocks_on_both_of_its_replicas() {
    use EvictionOrder::{Lru, Vllm};
    let with = |orders, supersede| {
        let s = ask(split(orders), APART, &keep(None));
        found(&session(s, 1, SessionKv { supersede, ..SessionKv::default() }))
    };
    // The second text is the next turn of the session, and does not have the first one's blocks in its context.
    assert_eq!(with([Vllm, Vllm], false), (2 * BLOCK, 2));
    assert_eq!(with([Vllm, Vllm], true), (0, 0));
    assert_eq!(with([Vllm, Lru], false), (2 * BLOCK, 0));
    assert_eq!(with([Lru, Vllm], false), (0, 2));
    assert_eq!(with([Vllm, Lru], true), (0, 0));
    assert_eq!(with([Lru, Vllm], true), (0, 0));
}

#[test]
fn both_replicas_of_a_turn_demote_its_blocks() {
    use EvictionOrder::{Lru, Vllm};
    let with = |orders, demote_after_s, may_leave| {
        let mut s = split(orders);
        for pool in &mut s.cluster.pools {
            (pool.kv.cpu_blocks, pool.kv.transfer_tokens_per_us) = (20, 1.0);
        }
        let mut s = ask(s, APART, &[]);
        // Text 1 is found on the GPU or not at all.
        s.workload.requests[0].max_offload_tokens = Some(0);
        s.workload.requests[1].max_offload_tokens = may_leave;
        s.workload.requests[1].session = "a".to_owned();
        s.workload.session_kv = Some(SessionKv { demote_after_s, ..SessionKv::default() });
        found(&s)
    };
    // Text 3 takes the blocks of text 1, released longest ago, unless those of text 2 were demoted.
    assert_eq!(with([Vllm, Vllm], None, None), (0, 0));
    assert_eq!(with([Vllm, Vllm], Some(0.05), None), (2 * BLOCK, 2));
    assert_eq!(with([Vllm, Lru], Some(0.05), None), (2 * BLOCK, 2), "demotion gives any pool an order");
    assert_eq!(with([Vllm, Vllm], Some(0.05), Some(0)), (0, 0), "they do not lie below");
    assert_eq!(with([Vllm, Vllm], Some(0.2), None), (0, 0), "after text 3");
}

#[test]
fn a_prefetch_goes_to_the_replica_that_computed_the_prompt() {
    let mut s = split([EvictionOrder::Vllm; 2]);
    for pool in &mut s.cluster.pools {
        (pool.kv.cpu_blocks, pool.kv.transfer_tokens_per_us) = (20, 1.0);
    }
    let prefetch = SessionPrefetch { when: PrefetchWhen::Known, lead_s: 0.05, ..SessionPrefetch::default() };
    let rules = SessionKv { prefetch: Some(prefetch), ..SessionKv::default() };
    let e = run(&session(ask(s, APART, &[]), 3, rules));
    let rows = e.prefetches();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].replica, rows[0].asked), (ReplicaId(0), Micros(250_000)));
    assert_eq!((rows[0].outcome, rows[0].blocks), (PrefetchOutcome::Landed, 3));
    assert_eq!(e.records().at(3).cached_tokens, 2 * BLOCK);
}
