//! Laws of random clusters of two to four pools that differ in everything.

use super::common::{client, edit, pool};
use crate::support::start;
use proptest::prelude::*;
use proptest::sample::select;
use tokenyard::base::Micros;
use tokenyard::scenario::{
    Arrivals, Client, Compat, CostEscalation, FittedCoefficients, KvBlocks, LatencyModel, Lengths, Pool,
    PrefixGroups, PrefixOverlap, Profile, RoutingPolicy, Scenario, Scorer, TimedEdit, Weighted,
    WeightedScorer,
};

const MODELS: [&str; 2] = ["small", "large"];

prop_compose! {
    fn a_pool()(
        replicas in 1_u32..4,
        model in select(MODELS.to_vec()),
        tp in select(vec![1_u32, 2, 4]),
        usd in select(vec![0.0_f64, 1.0, 3.5]),
        max_num_seqs in select(vec![1_u32, 4, 32]),
        max_num_batched_tokens in select(vec![8_u32, 100, 2048]),
        (block_tokens, blocks) in select(vec![(1_u32, 200_u32), (4, 60), (16, 12), (16, 400), (64, 6)]),
        prefix_caching in any::<bool>(),
        step_us in select(vec![5.0_f64, 900.0, 4000.0]),
    ) -> Pool {
        let mut pool = pool(model, replicas, block_tokens, step_us, usd);
        pool.tp = tp;
        pool.engine.max_num_seqs = max_num_seqs.into();
        pool.engine.max_num_batched_tokens = max_num_batched_tokens.into();
        pool.kv.blocks = KvBlocks::Count(blocks);
        pool.kv.prefix_caching = prefix_caching;
        if let LatencyModel::Fitted(FittedCoefficients { output_us_per_token, .. }) = &mut pool.latency {
            *output_us_per_token = step_us / 10.0;
        }
        pool
    }
}

fn a_router() -> impl Strategy<Value = RoutingPolicy> {
    let scorers = [Scorer::PrefixAffinity, Scorer::QueueDepth, Scorer::NoHitLru, Scorer::Cost];
    let scorers = scorers.map(|scorer| WeightedScorer { scorer, weight: 1.0 }).to_vec();
    select(vec![
        RoutingPolicy::RoundRobin,
        RoutingPolicy::Random,
        RoutingPolicy::LeastLoaded,
        RoutingPolicy::PrefixOverlap(PrefixOverlap::default()),
        RoutingPolicy::CostEscalation(CostEscalation { price: 1.0, ..CostEscalation::default() }),
        RoutingPolicy::Weighted(Weighted { profile: Profile::Custom, scorers, ..Weighted::default() }),
    ])
}

prop_compose! {
    fn a_client(name: &'static str)(
        wish in select(vec!["", "small", "large"]),
        rate_per_s in 2.0..50.0_f64,
        prompt in 1_u32..120,
        output in 1_u32..30,
        groups in select(vec![0_u32, 3]),
    ) -> Client {
        Client {
            arrivals: Arrivals::Poisson { rate_per_s },
            prompt_tokens: Lengths::Constant { tokens: prompt },
            output_tokens: Lengths::Constant { tokens: output },
            prefix: PrefixGroups::new(groups, 25 * groups),
            ..client(name, wish, rate_per_s)
        }
    }
}

prop_compose! {
    fn a_scenario()(
        seed in any::<u64>(),
        mut pools in proptest::collection::vec(a_pool(), 2..5),
        routing in a_router(),
        compat in select(vec![Compat::None, Compat::None, Compat::Blis]),
        snapshot_refresh_us in select(vec![0_u64, 0, 20_000]),
        clients in (a_client("first"), a_client("second")),
        changes in proptest::collection::vec((1_u64..1_500_000, 0_u32..4, 0_u32..4), 0..3),
    ) -> Scenario {
        for (i, pool) in pools.iter_mut().enumerate() {
            pool.name = format!("{i}");
        }
        let known = |client: &Client| pools.iter().any(|p| p.model == client.model);
        let mut clients = [clients.0, clients.1];
        for client in &mut clients {
            if !known(client) {
                client.model.clear();
            }
        }
        let mut changes = changes;
        changes.sort_unstable();
        let edit = |(at_us, pool, replicas): (u64, u32, u32)| TimedEdit::new(at_us, edit::replicas(pool % pools.len() as u32, replicas));
        let edits = changes.into_iter().map(edit).collect();
        let mut s = super::common::scenario(pools, clients.to_vec(), 0);
        s.run.horizon_s = 1.5;
        s.seed = seed;
        s.edits = edits;
        s.cluster.routing = routing;
        s.cluster.compat = compat;
        s.cluster.snapshot_refresh_us = snapshot_refresh_us;
        s
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(80))]

    #[test]
    fn requests_are_conserved_and_cut_replayed_and_restored_runs_are_the_same(
        s in a_scenario(),
        cuts in proptest::collection::vec(0_u64..900, 1..5),
    ) {
        let mut whole = start(&s);
        whole.advance(Micros::MAX, u64::MAX);
        whole.engine().verify(true);
        let r = whole.report_data().requests;
        prop_assert!(r.conserved, "{:?}", r);
        let mut pieces = start(&s);
        let mut restored = start(&s);
        for events in cuts {
            pieces.advance(Micros::MAX, events);
            pieces.engine().verify(true);
            prop_assert_eq!(restored.restore(&pieces.snapshot()), Ok(()));
        }
        pieces.advance(Micros::MAX, u64::MAX);
        restored.advance(Micros::MAX, u64::MAX);
        prop_assert_eq!(pieces.report(), whole.report());
        prop_assert_eq!(restored.report(), whole.report());
    }

    #[test]
    fn nobody_runs_on_a_model_that_was_not_asked_for(s in a_scenario()) {
        let mut session = start(&s);
        session.advance(Micros::MAX, u64::MAX);
        let engine = session.engine();
        for (record, replica) in engine.records().iter().filter_map(|r| r.replica().map(|id| (r, id))) {
            let pool = &s.cluster.pools[engine.replicas()[replica.index()].pool() as usize];
            let wish = &s.workload.clients[record.client as usize].model;
            prop_assert!(wish.is_empty() || *wish == pool.model, "{} on {}", wish, pool.model);
        }
    }

    #[test]
    fn two_equal_pools_are_one_pool_of_their_sum(s in a_scenario(), first in 1_u32..4, second in 1_u32..4) {
        let mut one = s;
        one.edits.clear();
        one.cluster.pools.truncate(1);
        one.cluster.pools[0].replicas = first + second;
        for client in &mut one.workload.clients {
            client.model.clear();
        }
        let mut two = one.clone();
        two.cluster.pools.push(one.cluster.pools[0].clone());
        two.cluster.pools[0].replicas = first;
        two.cluster.pools[1].replicas = second;
        two.cluster.pools[1].name = "again".to_owned();
        let (mut one, mut two) = (start(&one), start(&two));
        one.advance(Micros::MAX, u64::MAX);
        two.advance(Micros::MAX, u64::MAX);
        prop_assert_eq!(one.engine().records(), two.engine().records());
        let (one, two) = (one.report_data(), two.report_data());
        prop_assert_eq!((one.latency_ms, one.throughput, one.cost), (two.latency_ms, two.throughput, two.cost));
    }
}
