//! The further keys and the profiles of Dynamo's router by hand, and beside a plain second implementation.

use super::common::run;
use super::real_routers::{costs, decisions, request, two};
use super::routing::{conversations, targets};
use crate::support::documents::{explicit, fitted, piece};
use tokenyard::base::ReplicaId;
use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::scenario::{
    ApproximateIndex, CacheIndex, Disaggregation, FsTier, KvBlocks, KvBytes, KvCost, KvCostProfile, KvStore,
    RoutingPolicy, Scenario, SecondaryTier, StoreTier, TimedEdit, Transfer, check,
};

/// The profile `dynamo-agentic`.
pub(crate) fn agentic() -> KvCost {
    KvCost { profile: KvCostProfile::DynamoAgentic, ..KvCost::default() }
}

/// An index that remembers what was sent.
pub(crate) fn approximate(ttl_s: f64, max_blocks: u32) -> CacheIndex {
    CacheIndex::Approximate(ApproximateIndex { ttl_s, max_blocks })
}

fn kv_cost(settings: KvCost) -> RoutingPolicy {
    RoutingPolicy::KvCost(settings)
}

/// The costs of both replicas at the last of two decisions: 10 blocks of a text and 4 tokens at 0 ms, the same text at
/// `at_ms`.
fn second(settings: KvCost, at_ms: u32) -> (Vec<[f64; 2]>, Option<usize>, Vec<f64>) {
    let list = vec![request(0, 1, 10, 100), request(at_ms, 1, 10, 1)];
    let last = decisions(&two(kv_cost(settings), list)).remove(1);
    (costs(&last), last.chosen, last.scores.totals)
}

fn near(found: &[f64], expected: &[f64]) {
    let close =
        found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(close, "{found:?}, not {expected:?}");
}

#[test]
fn each_active_request_costs_its_weight() {
    // At 20 ms replica 0 has the text and one request: 0.25 to prefill and 12 in use; replica 1 has nothing.
    let (_, chosen, totals) = second(KvCost { active_weight: 9.5, ..KvCost::default() }, 20);
    near(&totals, &[-(0.25 + 12.0 + 9.5), -(10.25 + 11.0)]);
    assert_eq!(chosen, Some(1));
    let (_, chosen, totals) = second(KvCost { active_weight: 8.5, ..KvCost::default() }, 20);
    near(&totals, &[-(0.25 + 12.0 + 8.5), -(10.25 + 11.0)]);
    assert_eq!(chosen, Some(0));
}

#[test]
fn credit_decays_with_tokens_to_prefill_above_the_least() {
    // At 1 ms replica 0 computes the 164 tokens of the text, whose blocks are in its cache: 10.25 blocks more than
    // replica 1, for a prompt of 11 blocks.
    let settings = |decay| KvCost { credit_decay: decay, ..KvCost::default() };
    near(&second(settings(0.0), 1).0.concat(), &[20.5 - 10.0, 12.0, 10.25, 11.0]);
    near(&second(settings(2.0), 1).0[0], &[20.5 - 10.0 / (1.0 + 2.0 * 10.25 / 11.0), 12.0]);
    // At 20 ms there is nothing to prefill anywhere, and the credit is whole.
    near(&second(settings(2.0), 20).0[0], &[0.25, 12.0]);
}

#[test]
fn blocks_of_a_prompt_that_waits_are_cached_by_prediction_only() {
    let fourth = |predicted_ttl_s| {
        let settings = KvCost { predicted_ttl_s, ..KvCost::default() };
        // The first step of replica 0 lasts until 2.64 ms, that of replica 1 with 324 tokens from 1 ms to 5.24 ms. The
        // third prompt costs 20.5 + 22 at replica 0 and 30.5 + 32 at replica 1; it waits at replica 0.
        let mut list =
            vec![request(0, 1, 10, 100), request(1, 3, 20, 100), request(2, 2, 10, 1), request(2, 2, 10, 1)];
        list[3].id = "again".to_owned();
        let all = decisions(&two(kv_cost(settings), list));
        let chosen: Vec<_> = all.iter().take(3).map(|d| d.chosen).collect();
        assert_eq!(chosen, [Some(0), Some(1), Some(0)]);
        costs(&all[3]).concat()
    };
    near(&fourth(0.0), &[30.75, 23.0, 30.5, 32.0]);
    near(&fourth(1e-6), &[20.75, 23.0, 30.5, 32.0]);
}

#[test]
fn an_approximate_index_forgets_with_time_and_above_its_size() {
    let with = |ttl_s, blocks, at_ms| {
        second(KvCost { index: approximate(ttl_s, blocks), ..KvCost::default() }, at_ms).0[0][0]
    };
    near(&[with(1.0, 100, 20), with(0.02, 100, 20), with(0.0201, 100, 20)], &[0.25, 10.25, 0.25]);
    // Of the ten blocks the first six are forgotten first, and then no leading block is known.
    near(&[with(1.0, 4, 20), with(1.0, 10, 20)], &[10.25, 0.25]);
    let nothing = second(KvCost { index: CacheIndex::None, ..KvCost::default() }, 20);
    near(&nothing.0.concat(), &[10.25, 12.0, 10.25, 11.0]);
}

#[test]
fn without_reuse_every_block_counts() {
    let (found, chosen, _) = second(KvCost { assume_reuse: false, ..KvCost::default() }, 20);
    near(&found.concat(), &[0.25, 22.0, 10.25, 11.0]);
    assert_eq!(chosen, Some(1));
}

#[test]
fn a_session_is_bound_to_its_replica_until_it_has_been_idle_for_long_enough() {
    let chosen = |ttl_s, at_ms| {
        let mut list = vec![request(0, 1, 10, 1), request(at_ms, 2, 10, 1), request(at_ms, 3, 10, 1)];
        list[2].id = "last".to_owned();
        for of_session in [0, 2] {
            list[of_session].session = "s".to_owned();
        }
        let s = two(kv_cost(KvCost { session_ttl_s: ttl_s, ..KvCost::default() }), list);
        targets(&run(&s).0)
    };
    // The second request takes replica 0, and the third, of the first one's session, would take replica 1.
    assert_eq!(chosen(0.0, 100), [0, 0, 1]);
    assert_eq!(chosen(0.101, 100), [0, 0, 0]);
    assert_eq!(chosen(0.1, 100), [0, 0, 1]);
}

#[test]
fn profiles_are_sets_of_values_and_a_key_that_differs_from_its_default_wins() {
    let runs = |settings: KvCost| {
        let mut s = conversations(250.0);
        s.cluster.routing = kv_cost(settings);
        targets(&run(&s).0)
    };
    let values = KvCost { overlap_credit: 2.0, prefill_scale: 4.0, active_weight: 64.0, ..KvCost::default() };
    assert_eq!(runs(agentic()), runs(values.clone()));
    assert_ne!(runs(agentic()), runs(KvCost::default()));
    let lighter = |profile| KvCost { profile, active_weight: 3.0, ..KvCost::default() };
    let own = KvCost { active_weight: 3.0, ..values };
    assert_eq!(runs(lighter(KvCostProfile::DynamoAgentic)), runs(own));
    let load_aware = KvCost { profile: KvCostProfile::DynamoLoadAware, ..KvCost::default() };
    let values =
        KvCost { overlap_credit: 0.0, index: CacheIndex::None, assume_reuse: false, ..KvCost::default() };
    assert_eq!(runs(load_aware.clone()), runs(values));
    // It is blind to caches: a text that replica 0 has goes to the other one.
    assert_eq!(second(load_aware, 20).1, Some(1));
}

/// Two replicas with eleven blocks above this tier, steps of 10 ms. Text 1 goes to the second one, where two others evict it; when it
/// comes again, that one has a request of two blocks, and the first one is idle. Where it goes.
fn again_beside_a_small_request(disk_credit: f64, tier: SecondaryTier) -> Option<ReplicaId> {
    // Each as (milliseconds, text, blocks, tokens of the answer).
    let list =
        [(0, 9, 1, 50), (100, 1, 10, 1), (200, 2, 10, 1), (300, 3, 10, 1), (400, 4, 2, 40), (600, 1, 10, 1)];
    let list = list.map(|(at_ms, text, blocks, answer)| {
        explicit(at_ms * 1000, vec![piece(text, 16 * blocks)], &piece(1000 + text, answer))
    });
    let mut s = two(kv_cost(KvCost { disk_credit, ..KvCost::default() }), list.to_vec());
    let pool = &mut s.cluster.pools[0];
    pool.latency = fitted(10_000.0, 0.0, 0.0);
    (pool.kv.block_tokens, pool.kv.blocks) = (16, KvBlocks::Count(11));
    pool.kv.secondary_tiers = vec![tier];
    s.cluster.kv_stores = vec![KvStore { name: "all".to_owned(), ..KvStore::default() }];
    s.cluster.disaggregation = Some(Disaggregation {
        transfer: Transfer { kv_bytes_per_token: KvBytes::Count(1000), ..Transfer::default() },
        ..Disaggregation::default()
    });
    let engine = run(&s).0;
    let to = |i: usize| engine.records().at(i).replica();
    assert_eq!([0, 1, 2, 3, 4].map(to), [0, 1, 1, 1, 1].map(|r| Some(ReplicaId(r))));
    to(5)
}

#[test]
fn blocks_on_a_disk_have_a_credit_and_those_in_a_store_have_none() {
    let disk = || SecondaryTier::Fs(FsTier::default());
    let store = SecondaryTier::Store(StoreTier { name: "all".to_owned(), ..StoreTier::default() });
    // 10 + 10 blocks on the idle replica, 10 - 10 credits + 10 + 2 on the other one.
    assert_eq!(again_beside_a_small_request(KvCost::default().disk_credit, disk()), Some(ReplicaId(1)));
    assert_eq!(again_beside_a_small_request(0.21, disk()), Some(ReplicaId(1)));
    assert_eq!(again_beside_a_small_request(0.19, disk()), Some(ReplicaId(0)));
    assert_eq!(again_beside_a_small_request(1.0, store), Some(ReplicaId(0)));
}

#[test]
fn a_prediction_beside_a_guess_is_refused() {
    let problems = |settings: KvCost| {
        let s = two(kv_cost(settings), vec![request(0, 1, 1, 1)]);
        check(s).err().map(|all| all[0].path.clone())
    };
    let path = "cluster.routing.kv-cost.predicted_ttl_s";
    let with = |index| KvCost { index, predicted_ttl_s: 1.0, ..KvCost::default() };
    assert_eq!(problems(with(CacheIndex::Events)), None);
    assert_eq!(problems(with(CacheIndex::None)).as_deref(), Some(path));
    assert_eq!(problems(with(approximate(9.0, 9))).as_deref(), Some(path));
}

#[test]
fn an_edit_of_a_key_keeps_what_the_router_remembers() {
    let settings = |decay| KvCost {
        credit_decay: decay,
        index: approximate(1.0, 1000),
        session_ttl_s: 0.5,
        ..KvCost::default()
    };
    let mut s = conversations(90.0);
    s.cluster.routing = kv_cost(settings(0.0));
    let straight = targets(&run(&s).0);
    let edit = crate::support::edit::routing(&kv_cost(settings(1e-12)));
    s.edits = vec![TimedEdit::new(4_000_000, edit)];
    assert_eq!(targets(&run(&s).0), straight);
}

/// A request of the plain implementation: where it went, its blocks, and the instants at which it changed. At one
/// instant routing comes before replicas.
struct Gone {
    replica: usize,
    blocks: Vec<(u32, u32)>,
    to_prefill: f64,
    routed: u64,
    first_token: u64,
    left: u64,
}

/// The cost of each of two replicas for a prompt of these blocks and 4 tokens at `now`, from the list of all before it.
fn plain_costs(gone: &[Gone], blocks: &[(u32, u32)], now: u64, s: &KvCost, ttl: u64) -> [f64; 2] {
    let tokens = |r: usize| -> f64 {
        let open = gone.iter().filter(|g| g.replica == r && g.first_token >= now);
        open.map(|g| g.to_prefill).sum()
    };
    let least = tokens(0).min(tokens(1));
    [0, 1].map(|r| {
        let recent =
            |block| gone.iter().any(|g| g.replica == r && now - g.routed < ttl && g.blocks.contains(block));
        let cached = blocks.iter().take_while(|block| recent(block)).count() as f64;
        let excess = (tokens(r) - least) / 16.0 / (blocks.len() as f64 + 1.0);
        let credit = s.overlap_credit / (1.0 + s.credit_decay * excess) * cached;
        let prompt = blocks.len() as f64 * 16.0 + 4.0;
        let prefill = ((tokens(r) + prompt) / 16.0 - credit).max(0.0);
        let there = || gone.iter().filter(|g| g.replica == r && g.left >= now);
        let mut held: Vec<(u32, u32)> =
            there().flat_map(|g| g.blocks.clone()).chain(blocks.to_vec()).collect();
        held.sort_unstable();
        held.dedup();
        let active = there().count() as f64;
        // Each prompt has a block of its own at its end.
        let decode = held.len() as f64 + active + 1.0;
        s.prefill_scale * prefill + decode + s.active_weight * active
    })
}

#[test]
fn all_keys_together_are_what_a_plain_implementation_finds() {
    let mut draws = Stream::new(11, Purpose::Routing, 0);
    let list: Vec<_> = (0..400)
        .map(|k| request(7 * k + draws.below(5), draws.below(9), 1 + draws.below(30), 1 + draws.below(80)))
        .collect();
    let prompts: Vec<Vec<(u32, u32)>> =
        list.iter().map(|r| (0..r.prompt[0].tokens / 16).map(|k| (r.prompt[0].text, k)).collect()).collect();
    let settings = KvCost {
        overlap_credit: 1.7,
        credit_decay: 0.8,
        prefill_scale: 2.5,
        active_weight: 3.0,
        index: approximate(0.3, 100_000),
        ..KvCost::default()
    };
    let s: Scenario = two(kv_cost(settings.clone()), list);
    let (engine, story) = run(&s);
    let mut gone: Vec<Gone> = Vec::new();
    let mut both = [0, 0];
    for (i, (decision, record)) in story.decisions.iter().zip(engine.records().iter()).enumerate() {
        let routed = record.routed.get().expect("routed").0;
        let want = plain_costs(&gone, &prompts[i], routed, &settings, 300_000);
        near(&decision.scores.totals, &[-want[0], -want[1]]);
        let replica = usize::from(want[1] < want[0]);
        assert_eq!(decision.chosen, Some(replica));
        both[replica] += 1;
        let recent = |block| {
            let near = |g: &&Gone| g.replica == replica && routed - g.routed < 300_000;
            gone.iter().filter(near).any(|g| g.blocks.contains(block))
        };
        let cached = prompts[i].iter().take_while(|block| recent(block)).count();
        gone.push(Gone {
            replica,
            to_prefill: (prompts[i].len() - cached) as f64 * 16.0 + 4.0,
            blocks: prompts[i].clone(),
            routed,
            first_token: record.arrival.0 + record.ttft.get().expect("answered").0,
            left: record.left.get().expect("left").0,
        });
    }
    assert!(gone.len() == 400 && both.iter().all(|n| *n > 50), "{both:?}");
}
