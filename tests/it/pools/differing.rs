//! Pools that differ in block size and price, by hand.

use super::common::{client, edit, listed, pool, run, scenario, session};
use crate::support::start;
use tokenyard::base::ReplicaId;
use tokenyard::scenario::preset::Preset;
use tokenyard::scenario::{
    BatchLimit, CostEscalation, Profile, RoutingPolicy, Scenario, Scorer, Weighted, WeightedScorer,
};
use tokenyard::session::Session;
use tokenyard::session::report::PoolPart;
use tokenyard::session::view::FrameQuery;

fn weighted(scorer: Scorer) -> RoutingPolicy {
    let scorers = vec![WeightedScorer { scorer, weight: 1.0 }];
    RoutingPolicy::Weighted(Weighted { profile: Profile::Custom, scorers, ..Weighted::default() })
}

/// Replica 0 has blocks of 16 tokens, replica 1 of 64. Each gets 100 tokens of a text; then comes a request of these 100 and 20
/// others that either of them can have.
fn same_text_in_two_block_sizes(routing: RoutingPolicy) -> Scenario {
    let mut s = scenario(vec![pool("a", 1, 16, 900.0, 0.0), pool("b", 1, 64, 900.0, 0.0)], Vec::new(), 0);
    s.workload.requests =
        vec![listed(0, "a", 100, 0), listed(0, "b", 100, 0), listed(1_000_000, "", 100, 20)];
    s.cluster.routing = routing;
    s
}

#[test]
fn prefixes_are_looked_for_in_the_blocks_of_each_pool() {
    for scorer in [Scorer::PrefixAffinity, Scorer::PrecisePrefix] {
        let (engine, story) = run(&same_text_in_two_block_sizes(weighted(scorer.clone())));
        // Of 120 tokens replica 0 knows 6 of the 7 full blocks, replica 1 the only one.
        let decision = &story.decisions[2];
        let want = [6.0 / 7.0, 1.0];
        for (got, want) in decision.scores.parts[0].values.iter().zip(want) {
            assert!((got - want).abs() < 1e-12, "{scorer:?}: {:?}", decision.scores);
        }
        let last = engine.records().at(2);
        assert_eq!((last.replica(), last.cached_tokens), (Some(ReplicaId(1)), 64), "{scorer:?}");
    }
}

#[test]
fn cached_tokens_are_whole_blocks_of_the_pool_that_was_chosen() {
    let (engine, _) = run(&same_text_in_two_block_sizes(RoutingPolicy::LeastLoaded));
    let last = engine.records().at(2);
    // The first of two idle replicas: six blocks of 16.
    assert_eq!((last.replica(), last.cached_tokens), (Some(ReplicaId(0)), 96));
}

#[test]
fn a_prompt_shorter_than_the_block_of_one_pool_can_still_share_in_the_other() {
    let mut s = same_text_in_two_block_sizes(RoutingPolicy::PrefixOverlap(
        tokenyard::scenario::PrefixOverlap::default(),
    ));
    // 40 tokens are two blocks of 16 and none of 64. Replica 0 is the busier one as the last request comes.
    s.workload.requests =
        vec![listed(0, "a", 40, 0), listed(999_500, "a", 5, 0), listed(1_000_000, "", 40, 0)];
    let (engine, _) = run(&s);
    assert_eq!(
        (engine.records().at(2).replica(), engine.records().at(2).cached_tokens),
        (Some(ReplicaId(0)), 32)
    );
}

#[test]
fn the_scorer_of_costs_is_one_for_the_cheapest_and_zero_for_the_dearest() {
    let pools =
        vec![pool("a", 1, 16, 900.0, 4.0), pool("b", 2, 16, 900.0, 1.0), pool("c", 1, 16, 900.0, 2.5)];
    let mut s = scenario(pools, vec![client("x", "", 20.0)], 50);
    s.cluster.routing = weighted(Scorer::Cost);
    let (engine, story) = run(&s);
    for decision in &story.decisions {
        assert_eq!(decision.scores.parts[0].values, [0.0, 1.0, 1.0, 0.5]);
    }
    assert!(engine.records().iter().all(|r| r.replica() == Some(ReplicaId(1))));
    for pool in &mut s.cluster.pools {
        pool.hardware.as_mut().expect("its own").usd_per_hour = 3.0;
    }
    assert_eq!(run(&s).1.decisions[0].scores.parts[0].values, [1.0; 4]);
}

#[test]
fn escalating_costs_share_requests_out_in_inverse_proportion_to_prices() {
    let mut s = scenario(
        vec![pool("a", 1, 16, 900.0, 3.0), pool("b", 1, 16, 900.0, 1.0)],
        vec![client("x", "", 50.0)],
        800,
    );
    let costs = CostEscalation { base: 0.0, queue: 0.0, kv: 0.0, price: 1.0, decay_per_s: 0.0 };
    s.cluster.routing = RoutingPolicy::CostEscalation(costs);
    let (engine, _) = run(&s);
    assert_eq!(engine.records().iter().filter(|r| r.replica() == Some(ReplicaId(0))).count(), 200);
}

fn known(usd: Option<f64>) -> f64 {
    usd.expect("every pool has a price")
}

#[test]
fn the_cost_of_a_cluster_is_the_sum_of_its_replicas_prices_while_they_exist() {
    let pools = vec![pool("a", 2, 16, 900.0, 3.0), pool("b", 3, 64, 900.0, 0.5)];
    let mut s = scenario(pools, vec![client("x", "", 20.0)], 400);
    s.cluster.pools[1].tp = 4;
    s.run.horizon_s = 10.0;
    s.run.max_requests = 0;
    let report = session(&s).report_data();
    let hours = report.run.clock_us as f64 / 3.6e9;
    // Two replicas at 3 dollars an hour, three of four GPUs each at half a dollar.
    let (usd_per_hour, usd) = (known(report.cost.usd_per_hour), known(report.cost.usd));
    assert!((usd_per_hour - 12.0).abs() < 1e-9);
    assert!((usd - 12.0 * hours).abs() < 1e-6 * usd, "{:?}", report.cost);
}

#[test]
fn the_report_says_what_each_pool_costs_and_what_it_finished() {
    let pools = vec![pool("a", 2, 16, 900.0, 3.0), pool("b", 3, 64, 900.0, 0.5)];
    let mut s = scenario(pools, vec![client("x", "a", 20.0), client("y", "b", 30.0)], 400);
    s.cluster.pools[1].tp = 4;
    let report = session(&s).report_data();
    let hours = report.run.clock_us as f64 / 3.6e9;
    for (part, (usd_per_hour, replicas, client)) in report.pools.iter().zip([(3.0, 2, 0), (2.0, 3, 1)]) {
        assert_eq!(part.replicas, replicas);
        assert!((known(part.usd_per_hour) - usd_per_hour).abs() < 1e-12);
        assert!((known(part.usd) - usd_per_hour * f64::from(replicas) * hours).abs() < 1e-9);
        assert_eq!(part.completed, report.clients[client].finished);
    }
    let sum: f64 = report.pools.iter().map(|p| known(p.usd)).sum();
    assert!((sum - known(report.cost.usd)).abs() < 1e-9);
}

#[test]
fn what_auto_came_to_and_what_an_edit_made_of_it_is_shown() {
    let mut s = scenario(vec![pool("a", 1, 16, 900.0, 3.0)], vec![client("x", "", 20.0)], 40);
    let engine = &mut s.cluster.pools[0].engine;
    (engine.max_num_seqs, engine.max_num_batched_tokens) = (BatchLimit::Auto, BatchLimit::Auto);
    let shown = |session: &mut Session| {
        let report = session.report_data().pools.remove(0);
        let frame = session.frame(&FrameQuery::default()).pools.remove(0);
        assert_eq!(
            (report.max_num_seqs, report.max_num_batched_tokens, report.kv_blocks),
            (frame.max_num_seqs, frame.max_num_batched_tokens, frame.kv_blocks)
        );
        (frame.max_num_seqs, frame.max_num_batched_tokens, frame.kv_blocks)
    };
    let mut session = start(&s);
    assert_eq!(shown(&mut session), (1024, 8192, 2500));
    for edit in [edit::max_num_seqs(0, 12), edit::max_num_batched_tokens(0, 300), edit::kv_blocks(0, 77)] {
        assert_eq!(session.apply(edit), []);
    }
    assert_eq!(shown(&mut session), (12, 300, 77));
}

#[test]
fn the_preset_of_a_mixed_fleet_shows_what_its_note_says() {
    let mut s = Preset::named("mixed-fleet").expect("a built-in scenario").scenario();
    s.run.horizon_s = 90.0;
    let weighted = session(&s).report_data();
    let [h100, a100, _] = &weighted.pools[..] else { panic!("three pools") };
    let share = f64::from(h100.completed) / f64::from(h100.completed + a100.completed);
    assert!((0.58..0.63).contains(&share), "{share}");
    assert!(known(h100.usd_per_hour) > known(a100.usd_per_hour));
    let each = |pool: &PoolPart| known(pool.usd) / f64::from(pool.completed);
    let dearer = each(a100) / each(h100);
    assert!((1.35..1.45).contains(&dearer), "{dearer}");
    assert!(weighted.clients[0].attainment > Some(0.99));
    s.cluster.routing = RoutingPolicy::RoundRobin;
    assert!(session(&s).report_data().clients[0].attainment < Some(0.55));
}
