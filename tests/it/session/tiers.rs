//! What the view of tiers says of each tier, of the blocks of one prompt, and of caches of other sizes.

use crate::support::documents::{explicit, fitted, piece, without_clients};
use crate::support::{at, start};
use tokenyard::base::Micros;
use tokenyard::scenario::{
    Disaggregation, FsTier, KvBlocks, KvBytes, KvSource, KvStore, P2pTier, Pool, RoutingPolicy, Scenario,
    SecondaryTier, StoreTier, Transfer, limits,
};
use tokenyard::session::closeup::{ReuseQuery, Tiers, TiersQuery};
use tokenyard::session::{Session, Stop};

/// Replicas in turn with CPU memory and these tiers below; blocks of 16 tokens, 3,000 bytes a token over ports of 1 GB/s.
fn scenario(replicas: u32, tiers: Vec<SecondaryTier>) -> Scenario {
    let mut s = without_clients();
    let mut pool = Pool { replicas, latency: fitted(2000.0, 10.0, 0.0), ..Pool::default() };
    pool.engine.max_num_batched_tokens = (1_u32 << 20).into();
    pool.kv.blocks = KvBlocks::Count(4096);
    pool.kv.cpu_blocks = 4096;
    pool.kv.transfer_base_us = 100;
    pool.kv.transfer_tokens_per_us = limits::TRANSFER_TOKENS_PER_US;
    pool.kv.secondary_tiers = tiers;
    let transfer =
        Transfer { kv_bytes_per_token: KvBytes::Count(3000), port_gb_per_s: 1.0, ..Transfer::default() };
    s.cluster.disaggregation = Some(Disaggregation { transfer, ..Disaggregation::default() });
    s.cluster.kv_stores =
        vec![KvStore { name: "all".to_owned(), gb: 1.0, port_gb_per_s: 1.0, ..KvStore::default() }];
    s.cluster.pools = vec![pool];
    s.cluster.routing = RoutingPolicy::RoundRobin;
    s
}

fn store() -> SecondaryTier {
    SecondaryTier::Store(StoreTier { name: "all".to_owned(), ..StoreTier::default() })
}

fn ask(s: &mut Scenario, arrival_us: u64, text: u32, tokens: u32) {
    let number = s.workload.requests.len() as u32;
    s.workload.requests.push(explicit(arrival_us, vec![piece(text, tokens)], &piece(1000 + number, 1)));
}

fn tiers(session: &Session, request: u32) -> Tiers {
    session.tiers(&TiersQuery { request: Some(request) })
}

#[test]
fn a_prompt_that_another_replica_stored_comes_from_the_store() {
    let mut s = scenario(2, vec![store()]);
    ask(&mut s, 0, 1, 1600);
    ask(&mut s, 1_000_000, 1, 1600);
    let run = at(&s, 1_002_000);
    let moving = tiers(&run, 1);
    let [flow] = &moving.flows[..] else { panic!("one read: {:?}", moving.flows) };
    assert_eq!(
        (flow.kind.as_str(), flow.tier.as_str(), flow.replica, flow.request),
        ("read", "all", 1, Some(1))
    );
    assert_eq!((flow.blocks, flow.gb_per_s), (99, 1.0));
    let [out, into] = moving.stores[0].ports;
    assert_eq!((out.used_gb_per_s, out.is_hot, into.used_gb_per_s, into.is_hot), (1.0, true, 0.0, false));
    assert_eq!((moving.stores[0].blocks, moving.stores[0].chosen), (100, 100));
    assert_eq!(moving.stores[0].gb, Some([0.999_984, 100.0 * 48_000.0 / 1e9]));

    let run = at(&s, 2_000_000);
    let origin = tiers(&run, 1).origin.expect("it read");
    let parts: Vec<_> = origin.parts.iter().map(|p| (p.tier.as_str(), p.blocks)).collect();
    assert_eq!(parts, [("all", 99), ("computed", 1)]);
    assert_eq!((origin.replica, origin.prompt_tokens, origin.computed_tokens), (1, 1600, 16));
    // 99 blocks of 48,000 bytes at 1 GB/s.
    let read = &origin.parts[0];
    assert_eq!((read.gb_per_s, origin.read_us), (Some(1.0), read.took_us));
    assert_eq!(read.took_us, Some(200 + 4752));
    assert_eq!(origin.spared_us, 99 * 16 * 10);
    let first = tiers(&run, 0).origin.expect("it joined");
    assert_eq!((first.computed_tokens, first.read_us), (1600, None));
}

#[test]
fn a_pull_names_its_source_and_a_disk_is_a_layer() {
    let disk = SecondaryTier::Fs(FsTier { gb: 0.01, ..FsTier::default() });
    let mut s = scenario(2, vec![disk, SecondaryTier::P2p(P2pTier { base_us: 200 })]);
    s.cluster.kv_source = Some(KvSource::default());
    ask(&mut s, 0, 1, 1600);
    ask(&mut s, 1_000_000, 1, 1600);
    let run = at(&s, 2_000_000);
    let all = tiers(&run, 1);
    let layers: Vec<_> = all.replicas[0].layers.iter().map(|l| (l.tier.as_str(), l.total, l.kept)).collect();
    assert_eq!(layers, [("gpu", Some(4096), 100), ("cpu", Some(4096), 100), ("fs", Some(208), 100)]);
    let origin = all.origin.expect("it pulled");
    let parts: Vec<_> = origin.parts.iter().map(|p| (p.tier.as_str(), p.source, p.blocks)).collect();
    assert_eq!(parts, [("p2p", Some(0), 99), ("computed", None, 1)]);
}

#[test]
fn no_tier_holds_more_than_it_has_and_no_port_carries_more_than_it_can() {
    let mut s = scenario(3, vec![store()]);
    s.cluster.pools[0].kv.blocks = KvBlocks::Count(300);
    s.cluster.pools[0].kv.cpu_blocks = 200;
    for number in 0..60 {
        ask(&mut s, u64::from(number) * 9_000, number % 7, 400 + 16 * (number % 5));
    }
    let mut run = start(&s);
    let (mut read, mut written, mut until) = (0, 0, 0);
    loop {
        until += 3_000;
        let stop = run.advance(Micros(until), u64::MAX);
        let now = tiers(&run, 59);
        for layer in now.replicas.iter().flat_map(|r| &r.layers) {
            assert!(layer.total.is_none_or(|total| layer.held + layer.kept <= total), "{layer:?}");
        }
        for store in &now.stores {
            assert!(store.total.is_none_or(|total| store.blocks <= total), "{store:?}");
            assert!(store.ports.iter().all(|p| p.used_gb_per_s <= p.gb_per_s * (1.0 + 1e-6)), "{store:?}");
        }
        read += now.flows.iter().filter(|flow| flow.kind == "read").count();
        written += now.flows.iter().filter(|flow| flow.kind == "write").count();
        if stop == Stop::Finished {
            break;
        }
    }
    assert!(read > 0 && written > 0, "{read} reads and {written} writes were seen");
    for request in 0..60 {
        let origin = tiers(&run, request).origin.expect("every request joined");
        let sum: u32 = origin.parts.iter().map(|part| part.blocks).sum();
        assert_eq!(sum, origin.blocks, "{origin:?}");
    }
}

#[test]
fn reuse_by_size_is_that_of_a_cache_played_by_hand() {
    let mut s = scenario(1, Vec::new());
    s.cluster.kv_stores.clear();
    s.cluster.pools[0].kv.cpu_blocks = 0;
    // Two texts of 4,096 tokens in turn: a cache of 4,096 finds none of them, one of 8,192 all but the first of each.
    for number in 0..10 {
        ask(&mut s, u64::from(number) * 1_000_000, number % 2, 4096);
    }
    let run = at(&s, 20_000_000);
    let reuse = run.reuse(&ReuseQuery {}).expect("prompts came");
    let share = |tokens: u64| reuse.curves[0].points.iter().find(|p| p.tokens == tokens).map(|p| p.share);
    assert_eq!((reuse.requests, reuse.prompt_tokens, reuse.ceiling), (10, 40_960, 0.8));
    assert_eq!((share(4096), share(8192), share(12_288)), (Some(0.0), Some(0.8), Some(0.8)));
    // The farthest two of 256 blocks are what 99 % can do without.
    let knee = (reuse.curves[0].knee_tokens, reuse.curves[0].knee_share);
    assert_eq!((reuse.curves.len(), knee), (1, (8160, 0.793_75)));
    // A prompt of 256 blocks finds all but the last one, which has to be computed.
    assert!((reuse.found - 0.8 * 255.0 / 256.0).abs() < 1e-12, "{}", reuse.found);
    let [gpu] = &reuse.marks[..] else { panic!("one size: {:?}", reuse.marks) };
    assert_eq!((gpu.tier.as_str(), gpu.tokens, gpu.share), ("gpu", Some(65_536), 0.8));
}

#[test]
fn caches_of_their_own_find_less_than_one_for_all() {
    let mut s = scenario(2, vec![store()]);
    for number in 0..12 {
        ask(&mut s, u64::from(number) * 500_000, number % 3, 4096);
    }
    let run = at(&s, 20_000_000);
    let reuse = run.reuse(&ReuseQuery {}).expect("prompts came");
    let [one, own] = &reuse.curves[..] else { panic!("two curves") };
    assert_eq!((one.caches, own.caches), (1, 2));
    assert_eq!((one.points.last().unwrap().share, own.points.last().unwrap().share), (0.75, 0.5));
    let marks: Vec<_> = reuse.marks.iter().map(|m| (m.tier.as_str(), m.curve)).collect();
    assert_eq!(marks, [("gpu", 1), ("cpu", 1), ("all", 0)]);
}
