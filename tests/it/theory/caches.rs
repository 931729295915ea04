//! A prefix cache that forgets what was used longest ago.

use super::common::{accept, cluster, run};
use crate::support::documents::{explicit, piece};
use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::queueing::theory::lru_hits;
use tokenyard::scenario::{ExplicitRequest, KvBlocks, Scenario};

/// One request: a shared block of text number `item`, and one token of its own.
fn request(number: u32, item: u32) -> ExplicitRequest {
    ExplicitRequest {
        id: format!("r{number}"),
        ..explicit(
            1000 * u64::from(number),
            vec![piece(item, 16), piece(1_000_000 + 2 * number, 1)],
            &piece(1_000_001 + 2 * number, 1),
        )
    }
}

/// `requests` requests, one after the other, for items drawn by weight.
fn scenario(weights: &[f64], blocks: u32, requests: u32) -> Scenario {
    let mut s = cluster(1, 1, [100.0, 0.0, 0.0]);
    s.cluster.pools[0].kv.blocks = KvBlocks::Count(blocks);
    s.cluster.pools[0].kv.block_tokens = 16;
    s.cluster.pools[0].kv.prefix_caching = true;
    let mut draw = Stream::new(7, Purpose::PrefixGroups, 0);
    let total: f64 = weights.iter().sum();
    let mut item = || {
        let mut left = draw.unit() * total;
        weights.iter().position(|w| {
            left -= w;
            left < 0.0
        })
    };
    let last = weights.len() - 1;
    s.workload.requests = (0..requests).map(|k| request(k, item().unwrap_or(last) as u32)).collect();
    s
}

#[test]
fn a_prefix_cache_hits_as_often_as_che_says() {
    // Every request takes the block of its item and one of its own that no other request uses: both pass through the
    // cache.
    let uniform = vec![1.0; 200];
    let unequal: Vec<f64> = (1..=500).map(|k| 1.0 / f64::from(k)).collect();
    for (weights, blocks) in [(uniform, 150), (unequal.clone(), 150), (unequal, 400)] {
        let engine = run(&scenario(&weights, blocks, 90_000));
        let hits: Vec<f64> =
            engine.records().iter().map(|r| f64::from(u8::from(r.cached_tokens >= 16))).collect();
        let exact = lru_hits(&weights, 1.0, blocks as usize).expect("weights").overall;
        assert!(exact > 0.2 && exact < 0.95, "{exact} is a test of nothing");
        accept(&format!("{} items in {blocks} blocks", weights.len()), &hits, exact);
    }
}
