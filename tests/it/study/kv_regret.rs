//! The regret of KV caches against an oracle that knows when each block is used next.

use crate::support::documents::{explicit, fitted, piece, without_clients};
use tokenyard::scenario::{
    Change, EvictionOrder, KvBlocks, Pool, PrefetchWhen, Scenario, SessionKv, SessionPrefetch, TimedEdit,
    preset::Preset,
};
use tokenyard::study::kv_regret::{KvRegret, KvRegrets, kv_oracle_of, kv_regret, with_seed};

/// One replica whose cache has `blocks` blocks of 16 tokens, and one prompt of 100 blocks each second with these texts.
fn scenario(blocks: u32, texts: &[u32]) -> Scenario {
    let mut s = without_clients();
    let mut pool = Pool { replicas: 1, latency: fitted(2000.0, 10.0, 0.0), ..Pool::default() };
    pool.engine.max_num_batched_tokens = (1_u32 << 20).into();
    pool.kv.blocks = KvBlocks::Count(blocks);
    s.cluster.pools = vec![pool];
    for (number, text) in (0..).zip(texts) {
        let arrival_us = u64::from(number) * 1_000_000;
        s.workload.requests.push(explicit(arrival_us, vec![piece(*text, 1600)], &piece(1000 + number, 1)));
    }
    s
}

fn regret(s: &Scenario) -> KvRegret {
    kv_regret(s, None).unwrap_or_else(|problems| panic!("{problems:?}"))
}

#[test]
fn three_prompts_in_turn_in_a_cache_for_two_are_all_computed_again_and_the_oracle_keeps_one() {
    let found = regret(&scenario(200, &[1, 2, 3, 1, 2, 3]));
    assert_eq!((found.own.prompt_blocks, found.own.computed_blocks), (600, 600));
    // The oracle gives up the second text for the third, as the first one comes before it: 300 blocks are computed once, about 100 of the
    // second text again, and the last blocks of the first and the third.
    let computed = found.oracle.computed_blocks;
    assert!((400..=402).contains(&computed), "{computed}");
    assert_eq!(found.oracle.prompt_blocks, 600);
    assert_eq!(found.block_regret, Some((600 - computed) as f64 / 600.0));
    // Two of six prompts compute 99 blocks of 16 tokens less, at 10 us a token; a block more or less is 0.03 ms of the mean.
    let sooner = found.mean_ttft_regret_ms.expect("all were answered");
    assert!((sooner - 2.0 * 15.84 / 6.0).abs() < 0.06, "{sooner}");
    assert_eq!(found.oracle_has, ["cluster.pools[0].kv.eviction_order=belady"]);
}

#[test]
fn the_oracle_has_no_regret() {
    let mut s = scenario(200, &[1, 2, 3, 1, 2, 3]);
    s.cluster.pools[0].kv.eviction_order = EvictionOrder::Belady;
    let found = regret(&s);
    assert_eq!((found.block_regret, found.mean_ttft_regret_ms), (Some(0.0), Some(0.0)));
    assert!(found.oracle_has.is_empty());
}

#[test]
fn no_order_beats_the_oracle_on_a_fixed_sequence_of_one_replica() {
    let mut state = 7_u32;
    let mut above = 0;
    for blocks in [150, 301, 420] {
        let texts: Vec<u32> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            1 + (state >> 24) % 6
        })
        .take(30)
        .collect();
        let found = regret(&scenario(blocks, &texts)).block_regret.expect("prompts joined");
        assert!(found >= 0.0, "{found} with {blocks} blocks and {texts:?}");
        above += u32::from(found > 0.0);
    }
    assert!(above > 0, "the oracle is never better");
}

#[test]
fn prefetches_of_the_oracle_know_the_next_turn() {
    let s = Preset::named("the-pause").expect("a preset").scenario();
    let mut guessed = s.clone();
    let fixed =
        SessionPrefetch { when: PrefetchWhen::Fixed, gap_s: 10.0, lead_s: 2.0, ..SessionPrefetch::default() };
    guessed.workload.clients[0].session_kv =
        Some(SessionKv { prefetch: Some(fixed), ..SessionKv::default() });
    let [plain, guessed] = [s, guessed].map(|s| kv_oracle_of(&s).expect("it can have one"));
    assert_eq!(plain.1.len(), 2, "{:?}", plain.1);
    assert!(plain.0.workload.clients[0].session_kv.is_none());
    assert_eq!(guessed.1.len(), 3, "{:?}", guessed.1);
    let prefetch = guessed.0.workload.clients[0].session_kv.clone().and_then(|kv| kv.prefetch);
    assert_eq!(prefetch.map(|p| p.when), Some(PrefetchWhen::Known));
}

#[test]
fn a_cache_that_cannot_have_an_oracle_is_refused_with_the_reason() {
    let mut s = scenario(201, &[1]);
    s.cluster.pools[0].kv.prefix_caching = false;
    let problems = kv_regret(&s, None).expect_err("nothing is kept");
    assert!(problems.iter().any(|p| p.to_string().contains("prefix caching")), "{problems:?}");
    let mut s = scenario(201, &[1]);
    s.edits = vec![TimedEdit::new(1, Change::set("cluster.pools[0].kv.eviction_order", "lru"))];
    let problems = kv_regret(&s, None).expect_err("the order changes");
    assert!(problems[0].to_string().contains("edits[0]"), "{problems:?}");
}

#[test]
fn regrets_of_several_seeds_are_those_of_each_with_their_mean_and_its_interval() {
    let mut s = Preset::named("long-chats").expect("it exists").scenario();
    (s.run.horizon_s, s.run.warmup_s) = (20.0, 2.0);
    s.cluster.pools[0].kv.blocks = KvBlocks::Count(500);
    let runs: Vec<_> = (0..3)
        .map(|k| {
            let (seed, scenario) = with_seed(&s, k);
            assert_eq!((seed, scenario.seed), (s.seed + u64::from(k), s.seed + u64::from(k)));
            (seed, regret(&scenario))
        })
        .collect();
    let each: Vec<f64> = runs.iter().map(|(_, one)| one.block_regret.expect("it has prompts")).collect();
    let bits = [0, 1, 2].map(|k: usize| each[k].to_bits());
    assert!(bits[0] != bits[1] && bits[1] != bits[2], "{each:?}");
    let all = KvRegrets::of(runs.clone());
    let mean = all.block_regret.expect("each seed has one");
    assert!((mean.mean - each.iter().sum::<f64>() / 3.0).abs() < 1e-12);
    assert!(mean.lo.is_some_and(|lo| lo < mean.mean) && mean.hi.is_some_and(|hi| hi > mean.mean));
    assert_eq!(all.seeds[2].regret, runs[2].1);
    let one = KvRegrets::of(runs[..1].to_vec()).block_regret.expect("it has one");
    assert_eq!((one.mean, one.lo, one.hi), (each[0], None, None));
}
