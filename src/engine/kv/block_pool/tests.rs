//! Tests of the block pool: sharing, order of eviction, resizing.

use super::*;
use base::Micros;

fn grow(pool: &mut BlockPool, h: &mut BlockTable, n: u32, chain: &[u64]) {
    assert!(pool.can_grow(h, n));
    pool.append_prefill(h, n, chain);
    pool.verify_counts();
}

#[test]
fn equal_prefixes_share_blocks_and_survive_release() {
    let mut pool = BlockPool::new(8, 4, true);
    let (mut a, mut b) = (BlockTable::default(), BlockTable::default());
    grow(&mut pool, &mut a, 10, &[11, 12]);
    let hit = pool.lookup(&[11, 12, 13]);
    assert_eq!(hit, Hit { blocks: 2, free: 0 });
    pool.pin(&mut b, &[11, 12]);
    assert_eq!((pool.used(), pool.shared()), (3, 2));
    pool.release(&mut a, 0, Micros::ZERO);
    assert_eq!((pool.used(), pool.shared(), pool.cached()), (2, 0, 0));
    pool.release(&mut b, 0, Micros::ZERO);
    assert_eq!((pool.used(), pool.cached(), pool.free()), (0, 2, 8));
    pool.verify([&a, &b].into_iter());
    assert_eq!(pool.lookup(&[11, 12]), Hit { blocks: 2, free: 2 });
}

#[test]
fn never_used_blocks_go_first_then_the_least_recently_used() {
    let mut pool = BlockPool::new(3, 1, true);
    let (mut a, mut b) = (BlockTable::default(), BlockTable::default());
    grow(&mut pool, &mut a, 2, &[1, 3]);
    pool.release(&mut a, 0, Micros::ZERO); // block 1, then block 0, go to the tail
    grow(&mut pool, &mut b, 2, &[7, 8]); // takes the unused block 2, then block 1
    assert_eq!(b.blocks(), [2, 1]);
    assert_eq!(pool.lookup(&[1]).blocks, 1);
    assert_eq!(pool.lookup(&[3]).blocks, 0);
    assert_eq!(pool.evictions(), 1);
}

#[test]
fn the_latest_registration_wins_and_only_its_block_removes_it() {
    let mut pool = BlockPool::new(2, 2, true);
    let (mut a, mut b, mut c) = (BlockTable::default(), BlockTable::default(), BlockTable::default());
    grow(&mut pool, &mut a, 2, &[5]);
    grow(&mut pool, &mut b, 2, &[5]);
    pool.release(&mut a, 0, Micros::ZERO);
    grow(&mut pool, &mut c, 1, &[]);
    assert_eq!(pool.lookup(&[5]).blocks, 1);
    pool.verify([&a, &b, &c].into_iter());
}

#[test]
fn output_fills_blocks_and_registers_them_when_full() {
    let mut pool = BlockPool::new(4, 4, true);
    let mut a = BlockTable::default();
    grow(&mut pool, &mut a, 6, &[21]);
    pool.append_inside(&mut a, 2, Some(22));
    assert_eq!((a.last_hash(), pool.lookup(&[21, 22]).blocks), (22, 2));
    pool.append_opening(&mut a);
    assert_eq!((a.len(), a.tokens()), (3, 9));
}

#[test]
fn a_smaller_cache_waits_for_blocks_in_use() {
    let mut pool = BlockPool::new(8, 1, false);
    let mut a = BlockTable::default();
    grow(&mut pool, &mut a, 6, &[]);
    pool.resize(4);
    assert_eq!((pool.total(), pool.free()), (6, 0));
    pool.release(&mut a, 0, Micros::ZERO);
    assert_eq!((pool.total(), pool.free(), pool.used()), (4, 4, 0));
    pool.resize(7);
    assert_eq!((pool.total(), pool.free()), (7, 7));
    pool.verify(std::iter::once(&a));
}

#[test]
fn a_prefix_looked_for_again_is_what_a_fresh_look_finds() {
    use base::rng::{Purpose, Stream};
    let mut draws = Stream::new(5, Purpose::Routing, 0);
    let mut pool = BlockPool::new(40, 4, true);
    let texts: Vec<Vec<u64>> =
        (0..6).map(|t| (0..9).map(|k| 2 * (t / 2 * 100 + k + k / 5 * t) + 1).collect()).collect();
    let mut held: Vec<(BlockTable, u32)> = Vec::new();
    let (mut kept, mut lengths) = (0, [0; 10]);
    for _ in 0..6000 {
        let text = &texts[draws.below(6) as usize];
        let full = 1 + draws.below(9);
        let chain = &text[..full as usize];
        if draws.below(3) > 0 {
            let hit = pool.lookup(chain);
            let tokens = 4 * full + draws.below(4);
            if pool.can_admit(hit, tokens) {
                let mut h = BlockTable::default();
                pool.pin(&mut h, &chain[..hit.blocks as usize]);
                grow(&mut pool, &mut h, tokens - 4 * hit.blocks, chain);
                held.push((h, tokens));
            }
        } else if !held.is_empty() {
            let (mut h, tokens) = held.swap_remove(draws.below(held.len() as u32) as usize);
            pool.release(&mut h, tokens, Micros::ZERO);
        }
        // The same text for a while, then another.
        let asked = &texts[kept / 40 % 6];
        kept += 1;
        let found = pool.lookup_again(asked);
        assert_eq!(found, pool.lookup(asked));
        lengths[found.blocks as usize] += 1;
    }
    assert!(lengths.iter().filter(|n| **n > 100).count() > 3, "{lengths:?}");
}
