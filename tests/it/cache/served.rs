//! How tiers served requests: where blocks came from, how long requests waited for them, how old they were, and what was computed
//! although it was stored. All figures are worked out by hand.

use crate::support::documents::{explicit, fitted, piece, without_clients};
use crate::support::{at, preset};
use tokenyard::base::stats::Summary;
use tokenyard::scenario::{
    Disaggregation, KvBlocks, KvBytes, KvStore, LoadRule, LoadTimeout, LoadWait, Pool, RoutingPolicy,
    Scenario, SecondaryTier, StoreTier, Transfer, limits,
};
use tokenyard::session::Report;
use tokenyard::session::report::KvLoadsPart;

/// Replicas in turn with CPU memory; steps of 2 ms and 10 us for each token of a prompt, blocks of 16 tokens and 48,000 bytes.
fn scenario(replicas: u32, blocks: u32, cpu_blocks: u32) -> Scenario {
    let mut s = without_clients();
    let mut pool = Pool { replicas, latency: fitted(2000.0, 10.0, 0.0), ..Pool::default() };
    pool.engine.max_num_batched_tokens = (1_u32 << 20).into();
    pool.kv.blocks = KvBlocks::Count(blocks);
    pool.kv.cpu_blocks = cpu_blocks;
    pool.kv.transfer_base_us = 100;
    pool.kv.transfer_tokens_per_us = limits::TRANSFER_TOKENS_PER_US;
    s.cluster.pools = vec![pool];
    s.cluster.routing = RoutingPolicy::RoundRobin;
    s
}

/// Two replicas over a store with ports of 1 GB/s; the second prompt is what the first stored from the other replica.
fn over_a_store() -> Scenario {
    let mut s = scenario(2, 4096, 4096);
    s.cluster.pools[0].kv.secondary_tiers =
        vec![SecondaryTier::Store(StoreTier { name: "all".to_owned(), ..StoreTier::default() })];
    let transfer =
        Transfer { kv_bytes_per_token: KvBytes::Count(3000), port_gb_per_s: 1.0, ..Transfer::default() };
    s.cluster.disaggregation = Some(Disaggregation { transfer, ..Disaggregation::default() });
    s.cluster.kv_stores =
        vec![KvStore { name: "all".to_owned(), gb: 1.0, port_gb_per_s: 1.0, ..KvStore::default() }];
    ask(&mut s, 0, 1, 1600);
    ask(&mut s, 1_000_000, 1, 1600);
    s
}

fn ask(s: &mut Scenario, arrival_us: u64, text: u32, tokens: u32) {
    let number = s.workload.requests.len() as u32;
    s.workload.requests.push(explicit(arrival_us, vec![piece(text, tokens)], &piece(1000 + number, 1)));
}

fn report(s: &Scenario) -> Report {
    at(s, 60_000_000).report_data()
}

/// How many, the mean, the smallest and the largest: these are exact.
fn exact(s: &Summary) -> (u64, f64, f64, f64) {
    (s.count, s.mean, s.min, s.max)
}

fn same(s: &Summary, count: u64, value: f64) {
    let (n, mean, min, max) = exact(s);
    assert_eq!((n, min, max), (count, value, value));
    assert!((mean - value).abs() < 1e-9, "{mean} for {value}");
    assert!((s.p50 - value).abs() <= 0.004 * value && (s.p99 - value).abs() <= 0.004 * value, "{s:?}");
}

#[test]
fn what_a_store_gave_is_counted_with_waits_and_ages() {
    let r = report(&over_a_store());
    let served = r.kv_tiers[0].served;
    // Two prompts of 100 blocks, of which the second found 99.
    assert_eq!((served.blocks, served.share), (99, 99.0 / 200.0));
    // 200 us to the first byte, then 99 blocks of 48,000 bytes at 1 GB/s.
    same(&served.wait_ms, 1, 4.952);
    // 100 blocks were written and 99 read.
    assert!((served.busy_s - 199.0 * 48e-6).abs() < 1e-9, "{}", served.busy_s);
    // The step of 2 + 16 ms ended, and 100 blocks took 200 us and 4.8 ms.
    same(&served.age_at_hit_s, 99, 1.0 - 0.023);
    assert_eq!(served.age_at_eviction_s, Summary::default());
    let cpu = r.kv.cpu.expect("a CPU tier");
    let own = cpu.served.expect("it is no tier of BLIS");
    // The blocks count for the store, and went through CPU memory; the link took the fixed time and a little.
    assert_eq!((own.blocks, own.wait_ms.count, own.age_at_hit_s.count), (0, 1, 0));
    assert_eq!((cpu.refused, cpu.expired), (Some(0), Some(0)));
    let loads = r.kv.loads.expect("tiers");
    assert_eq!((loads.loaded_blocks, loads.useful_blocks, loads.wasted_blocks), (99, 99, 0));
    assert_eq!((loads.gpu_share, loads.computed_though_stored_share), (0.0, 0.0));
    let shares = loads.gpu_share + own.share + served.share;
    assert!((shares - r.kv.hit_rate).abs() < 1e-12, "{shares} of {}", r.kv.hit_rate);
}

#[test]
fn what_is_stored_and_computed_is_counted_by_why() {
    let stored = 99.0 / 200.0;
    let mut refused = over_a_store();
    refused.cluster.pools[0].kv.load = LoadRule::MinTokens(2000);
    let loads = report(&refused).kv.loads.expect("tiers");
    assert_eq!((loads.refused_tokens, loads.computed_though_stored_share), (1584, stored));
    let mut cut = over_a_store();
    // 2 ms are over before all has come: of 1.8 ms at 1 GB/s there are 37 whole blocks.
    cut.cluster.pools[0].kv.load_wait = LoadWait::Timeout(LoadTimeout { base_us: 2000, per_ki_token_us: 0 });
    let loads = report(&cut).kv.loads.expect("tiers");
    assert_eq!((loads.cut_tokens, loads.refused_tokens, loads.loaded_blocks), ((99 - 37) * 16, 0, 37));
}

#[test]
fn blocks_of_cpu_memory_have_their_ages_as_they_are_hit_and_as_they_go() {
    // The GPU holds one prompt, CPU memory two.
    let mut s = scenario(1, 100, 200);
    for (arrival_us, text) in [(0, 1), (1_000_000, 2), (3_000_000, 1), (7_000_000, 3)] {
        ask(&mut s, arrival_us, text, 1600);
    }
    let r = report(&s);
    let served = r.kv.cpu.and_then(|cpu| cpu.served).expect("a CPU tier");
    assert_eq!((served.blocks, served.share), (99, 99.0 / 400.0));
    // Used as the first prompt was complete, after 2 + 16 ms, and again as it came back.
    same(&served.age_at_hit_s, 99, 3.0 - 0.018);
    // The third text drives the second one out as its step begins, six seconds after that came.
    same(&served.age_at_eviction_s, 100, 6.0 - 0.018);
    assert_eq!(served.wait_ms.count, 1);
    assert!(r.kv_tiers.is_empty(), "nothing lies below CPU memory");
    // One load of 99 blocks, which held them for the time of the link: the fixed 100 us and 1,584 tokens.
    let loads = r.kv.loads.expect("tiers");
    let link_us = served.wait_ms.mean * 1000.0;
    let held = loads.mean_held_blocks * r.run.clock_us as f64;
    assert!((held - 99.0 * link_us).abs() < 1.0, "{held} for {link_us}");
    assert!((served.busy_s * 1e6 - link_us).abs() < 1.0);
}

#[test]
fn without_tiers_nothing_of_this_stands_in_a_report() {
    for name in ["long-chats", "kv-pressure"] {
        let mut run = crate::support::start(&preset(name, 5.0));
        run.advance(tokenyard::base::Micros::MAX, u64::MAX);
        let r = run.report_data();
        assert_eq!((r.kv.loads, r.kv.cpu.is_none(), r.kv_tiers.len()), (None::<KvLoadsPart>, true, 0));
        let text = run.report();
        assert!(!text.contains("\"served\"") && !text.contains("\"loads\""), "{name}");
    }
}
