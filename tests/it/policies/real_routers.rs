//! The rules of Dynamo's and SGLang's routers by hand, and what must hold of them in every run.

use super::common::{client, cluster, edit, run};
use super::routing::{conversations, targets};
use crate::support::documents::{explicit, piece};
use tokenyard::engine::Decision;
use tokenyard::scenario::{
    CacheAware, CacheBalance, CacheKnowledge, CacheMiss, Client, ExplicitRequest, KvBlocks, KvCost,
    PrefixGroups, RateProfile, RoutingPolicy, Scenario, TimedEdit, Window,
};

/// A request of `blocks` blocks of text number `text` and 4 tokens of its own, with an answer of so many tokens.
pub(crate) fn request(at_ms: u32, text: u32, blocks: u32, answer: u32) -> ExplicitRequest {
    ExplicitRequest {
        id: format!("{at_ms} {text} {blocks}"),
        ..explicit(
            u64::from(at_ms) * 1000,
            vec![piece(text, 16 * blocks), piece(1000 + at_ms, 4)],
            &piece(5000 + at_ms, answer),
        )
    }
}

/// Two replicas with blocks of 16 tokens that get a list of requests. A step of a prompt of 10 blocks takes 2.64 ms, one of an
/// answer 1.02 ms.
pub(crate) fn two(routing: RoutingPolicy, requests: Vec<ExplicitRequest>) -> Scenario {
    let mut s = cluster(2, 8);
    s.cluster.routing = routing;
    s.workload.requests = requests;
    s
}

pub(crate) fn decisions(s: &Scenario) -> Vec<Decision> {
    run(s).1.decisions
}

/// What a decision gives each replica for its parts, as costs.
pub(crate) fn costs(d: &Decision) -> Vec<[f64; 2]> {
    (0..2).map(|i| [-d.scores.parts[0].values[i], -d.scores.parts[1].values[i]]).collect()
}

#[test]
fn kv_cost_weighs_blocks_to_prefill_and_blocks_in_use() {
    let policy = RoutingPolicy::KvCost(KvCost::default());
    let list = vec![
        request(0, 1, 10, 100),  // no replica has anything: to the lowest number
        request(1, 2, 6, 100),   // replica 0 prefills 164 tokens and holds 11 blocks
        request(20, 1, 10, 100), // both have their first token; replica 0 has the ten blocks of the text
        request(21, 1, 10, 1),   // there are four tokens to prefill at replica 0, beside 12 blocks
        request(900, 3, 2, 1),   // all have left
    ];
    let all = decisions(&two(policy, list));
    let near = |d: &Decision, expected: [[f64; 2]; 2]| {
        let found = costs(d);
        let pairs = found.iter().flatten().zip(expected.iter().flatten());
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}, not {expected:?}");
    };
    near(&all[0], [[10.25, 11.0], [10.25, 11.0]]);
    near(&all[1], [[10.25 + 6.25, 11.0 + 7.0], [6.25, 7.0]]);
    // The ten blocks are cached at replica 0 and held there by the first request: one more block is its own.
    near(&all[2], [[0.25, 11.0 + 1.0], [10.25, 7.0 + 11.0]]);
    near(&all[3], [[0.25 + 0.25, 12.0 + 1.0], [10.25, 7.0 + 11.0]]);
    near(&all[4], [[2.25, 3.0], [2.25, 3.0]]);
    let chosen: Vec<_> = all.iter().map(|d| d.chosen.expect("chosen")).collect();
    assert_eq!(chosen, [0, 1, 0, 0, 0]);
}

#[test]
fn the_parameters_of_kv_cost_weigh_its_parts() {
    let with = |settings: KvCost| {
        let list = vec![request(0, 1, 10, 100), request(20, 1, 10, 100)];
        decisions(&two(RoutingPolicy::KvCost(settings), list)).remove(1)
    };
    // Nothing for the cache: 10.25 blocks there as here, and 12 in use against 11.
    let d = with(KvCost { overlap_credit: 0.0, ..KvCost::default() });
    assert_eq!((costs(&d), d.chosen), (vec![[10.25, 12.0], [10.25, 11.0]], Some(1)));
    // Half of it: 10.25 - 5 + 12 is still less than 10.25 + 11.
    let d = with(KvCost { overlap_credit: 0.5, ..KvCost::default() });
    assert_eq!((costs(&d), d.chosen), (vec![[5.25, 12.0], [10.25, 11.0]], Some(0)));
    // More credit than there is to prefill is no gain beyond it.
    let d = with(KvCost { overlap_credit: 2.0, ..KvCost::default() });
    assert_eq!(costs(&d)[..1].to_vec(), vec![[0.0, 12.0]]);
    // Without prefill only blocks in use count.
    let d = with(KvCost { prefill_scale: 0.0, ..KvCost::default() });
    assert_eq!(d.chosen, Some(1));
    assert!((d.scores.totals[0] + 12.0).abs() < 1e-9);
}

#[test]
fn kv_cost_credits_what_only_the_cpu_tier_has() {
    let mut list = vec![request(0, 1, 10, 1)];
    // Other texts push the first out of a cache of 24 blocks on both replicas.
    list.extend((1..5).flat_map(|k| [request(100 * k, 10 + k, 20, 1), request(100 * k, 20 + k, 20, 1)]));
    list.push(request(1000, 1, 10, 1));
    let mut s = two(RoutingPolicy::KvCost(KvCost::default()), list);
    let kv = &mut s.cluster.pools[0].kv;
    kv.blocks = KvBlocks::Count(24);
    kv.cpu_blocks = 1000;
    let last = decisions(&s).pop().expect("a decision");
    let found = costs(&last);
    let credited = found.iter().filter(|c| (c[0] - (10.25 - 7.5)).abs() < 1e-9).count();
    assert_eq!(credited, 1, "one of them keeps it below: {found:?}");
}

#[test]
fn kv_cost_leaves_the_lowest_cost_as_often_as_its_temperature_says() {
    let mut s = conversations(100.0);
    s.cluster.pools[0].replicas = 2;
    s.run.max_requests = 4000;
    s.cluster.routing = RoutingPolicy::KvCost(KvCost { temperature: 1.0, ..KvCost::default() });
    let all = decisions(&s);
    let apart = |d: &&Decision| (d.scores.totals[0] - d.scores.totals[1]).abs() > 0.0;
    let differ: Vec<&Decision> = all.iter().filter(apart).collect();
    let strayed = differ.iter().filter(|d| d.regret() > 0.0).count() as f64;
    // Of two the range is their difference: the dearer has probability 1 / (1 + e).
    let (n, p) = (differ.len() as f64, 1.0 / (1.0 + std::f64::consts::E));
    assert!(n > 2000.0 && (strayed / n - p).abs() < 4.0 * (p * (1.0 - p) / n).sqrt(), "{strayed} of {n}");
}

#[test]
fn kv_cost_forgets_everything_with_the_requests() {
    // Ten seconds of more than can be served, with clients that give up; and one request when all of it is over.
    let mut s = conversations(400.0);
    s.cluster.routing = RoutingPolicy::KvCost(KvCost::default());
    s.run.max_requests = 0;
    s.run.horizon_s = 601.0;
    s.workload.timeout_s = 0.5;
    let windows = vec![Window { start_s: 0.0, end_s: 10.0 }];
    s.workload.clients[0].rate_profile = RateProfile::Windows { windows };
    s.workload.requests = vec![request(600_000, 77, 3, 1)];
    let (engine, story) = run(&s);
    let late = story.decisions.last().expect("a decision");
    assert_eq!(late.request.map(|id| id.index() + 1), Some(engine.records().len()));
    for total in &late.scores.totals {
        assert!((total + 3.25 + 4.0).abs() < 1e-9, "{late:?}");
    }
    assert!(story.decisions.len() > 3000);
}

#[test]
fn cache_aware_goes_by_match_then_by_memory_and_by_load_when_out_of_balance() {
    let miss = CacheMiss::SmallestMemory;
    let policy = CacheAware { balance_abs_threshold: 2, miss, ..CacheAware::default() };
    let list = vec![
        request(0, 1, 10, 400),  // nothing is known: both memories are empty, the lowest number
        request(10, 2, 4, 400),  // not known: the memory of replica 1 is the smaller one
        request(20, 1, 10, 400), // 160 of 164 tokens went to replica 0
        request(30, 3, 10, 400), // not known: 160 tokens were sent to replica 0, 64 to replica 1
        request(40, 2, 4, 400),  // 64 of 68 tokens went to replica 1: 2 there against 2
        request(50, 2, 4, 400),  // 3 against 2
        request(60, 2, 4, 400),  // 4 against 2: not more than 2 apart
        request(70, 2, 4, 400),  // 5 against 2: out of balance
        request(80, 2, 4, 400),  // 5 against 3 is in balance again, and both know the text: the lowest number
    ];
    let s = two(RoutingPolicy::CacheAware(policy), list);
    assert_eq!(targets(&run(&s).0), [0, 1, 0, 1, 1, 1, 1, 0, 0]);
}

/// A long prompt makes one memory large. By memory all prompts without a match go to the other replica from then on; by load they go to
/// both.
#[test]
fn cache_aware_sends_prompts_without_a_match_to_the_fewest_requests_by_default() {
    let targets_with = |miss| {
        let list = (0..6).map(|k| request(10 * k, k, if k == 0 { 100 } else { 4 }, 400)).collect();
        let policy = CacheAware { miss, ..CacheAware::default() };
        targets(&run(&two(RoutingPolicy::CacheAware(policy), list)).0)
    };
    assert_eq!(CacheAware::default().miss, CacheMiss::FewestInFlight);
    assert_eq!(targets_with(CacheMiss::FewestInFlight), [0, 1, 0, 1, 0, 1]);
    assert_eq!(targets_with(CacheMiss::SmallestMemory), [0, 1, 1, 1, 1, 1]);
}

#[test]
fn cache_aware_matches_above_its_threshold_only() {
    // Of 164 tokens 48 are known at replica 0: 29.3 %.
    let known = |threshold| {
        let policy = CacheAware { cache_threshold: threshold, ..CacheAware::default() };
        let mut second = request(10, 1, 3, 1);
        second.prompt[1].tokens = 116;
        let s = two(RoutingPolicy::CacheAware(policy), vec![request(0, 1, 10, 400), second]);
        targets(&run(&s).0)[1]
    };
    assert_eq!((known(0.3), known(0.29)), (1, 0));
}

#[test]
fn out_of_balance_takes_both_thresholds() {
    let fourth = |abs, rel| {
        let policy =
            CacheAware { balance_abs_threshold: abs, balance_rel_threshold: rel, ..CacheAware::default() };
        let list: Vec<_> = (0..8).map(|k| request(10 * k, 1, 10, 800)).collect();
        let s = two(RoutingPolicy::CacheAware(policy), list);
        let all = targets(&run(&s).0);
        all.iter().position(|&r| r == 1)
    };
    // All go to replica 0, which knows the text, until it has more than `abs` and more than `rel` times 0.
    assert_eq!(fourth(3, 1.5), Some(4));
    assert_eq!(fourth(0, 1.5), Some(1));
    assert_eq!(fourth(5, 0.0), Some(6));
    assert_eq!(fourth(7, 1.5), None);
}

/// The later rule: a replica far above the mean is passed over, and among equal matches the fewest requests decide.
#[test]
fn above_the_mean_matches_spill_to_replicas_that_are_not_hot() {
    let policy = |abs, rel, knows| {
        let balance = CacheBalance::AboveMean;
        let (balance_abs_threshold, balance_rel_threshold) = (abs, rel);
        CacheAware { balance, balance_abs_threshold, balance_rel_threshold, knows, ..CacheAware::default() }
    };
    let of = |policy| {
        let list = (0..8).map(|k| request(10 * k, 1, 10, 800)).collect();
        targets(&run(&two(RoutingPolicy::CacheAware(policy), list)).0)
    };
    // Replica 0 has n of n: hot above 1.5 · n / 2 if also above n / 2 + 2, so from 5 on. Replica 1 then knows the text
    // too, and takes it while it has fewer: 1, 2, 3 against 5.
    for knows in [CacheKnowledge::Sent, CacheKnowledge::Events] {
        assert_eq!(of(policy(2, 1.5, knows)), [0, 0, 0, 0, 0, 1, 1, 1]);
        // Twice the mean is never exceeded: the fewest of equal matches never come to be.
        assert_eq!(of(policy(0, 2.0, knows)), [0; 8]);
        assert_eq!(of(policy(0, 1.0, knows)), [0, 1, 0, 1, 0, 1, 0, 1]);
    }
}

/// By reports any match counts, by what was sent only one above the threshold.
#[test]
fn any_reported_match_counts() {
    let second = |knows| {
        let policy = CacheAware { knows, ..CacheAware::default() };
        let mut second = request(10, 1, 3, 1);
        second.prompt[1].tokens = 200;
        let s = two(RoutingPolicy::CacheAware(policy), vec![request(0, 1, 10, 400), second]);
        targets(&run(&s).0)[1]
    };
    // 48 of 248 tokens are 19 %.
    assert_eq!((second(CacheKnowledge::Sent), second(CacheKnowledge::Events)), (1, 0));
}

#[test]
fn changed_parameters_keep_what_the_routers_remember() {
    for (policy, other) in [
        (
            RoutingPolicy::KvCost(KvCost::default()),
            RoutingPolicy::KvCost(KvCost { host_credit: 0.5, ..KvCost::default() }),
        ),
        (
            RoutingPolicy::CacheAware(CacheAware::default()),
            RoutingPolicy::CacheAware(CacheAware { balance_rel_threshold: 1.6, ..CacheAware::default() }),
        ),
    ] {
        let mut s = conversations(90.0);
        s.cluster.routing = policy;
        let straight = targets(&run(&s).0);
        s.edits = vec![TimedEdit::new(4_000_000, edit::routing(&other))];
        assert_eq!(targets(&run(&s).0), straight, "{other:?}");
    }
}

#[test]
fn a_shared_prefix_draws_requests_together_under_both() {
    for policy in [RoutingPolicy::KvCost(KvCost::default()), RoutingPolicy::CacheAware(CacheAware::default())]
    {
        let mut s = cluster(4, 64);
        let prefix = PrefixGroups::new(4, 1024);
        s.workload.clients = vec![Client { prefix, ..client("shared", 20.0) }];
        s.run.max_requests = 600;
        let hits = |s: &Scenario| {
            let (engine, _) = run(s);
            engine.records().iter().map(|r| u64::from(r.cached_tokens)).sum::<u64>()
        };
        s.cluster.routing = policy.clone();
        let ours = hits(&s);
        s.cluster.routing = RoutingPolicy::RoundRobin;
        assert!(ours > hits(&s), "{policy:?}");
    }
}
