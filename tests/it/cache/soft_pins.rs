//! What directives keep in a store, worked out by hand.

use crate::support::cluster as engine;
use crate::support::documents::{explicit, fitted, piece, without_clients};
use tokenyard::base::{Micros, ReplicaId};
use tokenyard::engine::{Halt, Ignore};
use tokenyard::scenario::{
    Disaggregation, KvBlocks, KvBytes, KvStore, Pool, Retention, Scenario, SecondaryTier, StoreEviction,
    StoreTier, TierWrite, Transfer, Watermark,
};

/// A replica with room for one prompt of ten blocks, above a store with room for two.
fn scenario(eviction: StoreEviction, write: TierWrite) -> Scenario {
    let mut s = without_clients();
    let mut pool = Pool { replicas: 1, latency: fitted(1000.0, 0.0, 0.0), ..Pool::default() };
    pool.kv.blocks = KvBlocks::Count(11);
    pool.kv.secondary_tiers = vec![SecondaryTier::Store(StoreTier { name: "all".to_owned(), write })];
    let transfer = Transfer { kv_bytes_per_token: KvBytes::Count(3000), ..Transfer::default() };
    s.cluster.disaggregation = Some(Disaggregation { transfer, ..Disaggregation::default() });
    let gb = 20.0 * 48_000.0 / 1e9;
    s.cluster.kv_stores =
        vec![KvStore { name: "all".to_owned(), gb, eviction, soft_pins: true, ..KvStore::default() }];
    s.cluster.pools = vec![pool];
    s
}

/// Blocks of the first text that are read again after these others, a second apart.
fn read_after(others: &[u32], mut s: Scenario, retention: &[Retention]) -> u64 {
    for (i, text) in [&[1], others, &[1]].concat().into_iter().enumerate() {
        let mut request = explicit(i as u64 * 1_000_000, vec![piece(text, 160)], &piece(1000 + text, 1));
        if i == 0 {
            request.retention = retention.to_vec();
        }
        s.workload.requests.push(request);
    }
    let mut engine = engine(&s);
    assert_eq!(engine.advance(Micros::MAX, 1_000_000, &mut Ignore), Halt::Finished);
    engine.verify(true);
    engine.lower_tiers().expect("a store").counts(ReplicaId(0), 0).read
}

fn read_again(s: Scenario, retention: &[Retention]) -> u64 {
    read_after(&[2, 3], s, retention)
}

fn wish(priority: u32, duration_s: Option<f64>, end: Option<u32>) -> Vec<Retention> {
    vec![Retention { start: 0, end, priority, duration_s }]
}

#[test]
fn a_directive_keeps_what_it_puts_before_others_while_it_lasts() {
    let again = |retention: &[Retention]| {
        read_again(scenario(StoreEviction::Lru, TierWrite::WriteThrough), retention)
    };
    assert_eq!(again(&[]), 0, "the text used longest ago went");
    let mut without = scenario(StoreEviction::Lru, TierWrite::WriteThrough);
    without.cluster.kv_stores[0].soft_pins = false;
    assert_eq!(read_again(without, &wish(5, None, None)), 0, "the store does not pin");
    // All but the block with the last token of the prompt.
    assert_eq!(again(&wish(5, None, None)), 9);
    assert_eq!(again(&wish(5, Some(3.0), None)), 9);
    assert_eq!(again(&wish(5, Some(1.5), None)), 0, "it was over as the third text came");
    assert_eq!(again(&wish(0, None, None)), 0, "a priority of 0 asks for nothing");
    assert_eq!(again(&wish(5, None, Some(64))), 4, "of the first four blocks alone");
}

#[test]
fn a_watermark_passes_over_it_and_blocks_written_as_they_are_evicted_have_no_directive() {
    let mark = || StoreEviction::Watermark(Watermark { high: 1.0, share: 0.05 });
    let again = |write, retention: &[Retention]| read_again(scenario(mark(), write), retention);
    assert_eq!(again(TierWrite::WriteThrough, &[]), 0);
    assert_eq!(again(TierWrite::WriteThrough, &wish(5, None, None)), 9);
    assert_eq!(again(TierWrite::Release, &wish(5, None, None)), 9);
    // A text is written as the next one comes, but for its first block, which goes a text later: that one is still there.
    let back = |retention: &[Retention]| {
        read_after(&[2, 3, 4], scenario(StoreEviction::Lru, TierWrite::WriteBack), retention)
    };
    assert_eq!([back(&[]), back(&wish(5, None, None))], [1, 1]);
}
