//! Tests that packed pools are restored, with the same numbers or new ones.

use super::*;
use crate::kv::BlockTable;
use base::Micros;
use base::rng::{Purpose, Stream};

/// Packs pools together with the tables of their requests, and restores both.
fn again<const N: usize>(
    pools: [(&BlockPool, Vec<&BlockTable>); N],
    numbering: Numbering,
) -> [(BlockPool, Vec<BlockTable>); N] {
    let mut numbers = HashNumbers::default();
    let packed = pools.map(|(pool, tables)| (pool.packed(&tables, numbering, &mut numbers), tables));
    let hashes = numbers.finish();
    packed.map(|(mut pool, tables)| {
        let blocks = pool.unpack(tables.len(), &hashes);
        let filled = tables.iter().zip(blocks).map(|(table, blocks)| BlockTable { blocks, ..**table });
        (pool, filled.collect())
    })
}

fn state(pool: &BlockPool) -> Vec<u8> {
    postcard::to_stdvec(pool).expect("plain data")
}

/// A pool under random operations: prompts with common beginnings, answers, releases, other sizes.
struct Traffic {
    pool: BlockPool,
    held: Vec<(BlockTable, u32)>,
    texts: Vec<Vec<u64>>,
    draws: Stream,
}

impl Traffic {
    fn new(entity: u32) -> Self {
        let text = |t: u64| (0..9).map(|k| 2 * (t / 2 * 100 + k + k / 5 * t) + 1).collect();
        Self {
            pool: BlockPool::new(120, 4, true),
            held: Vec::new(),
            texts: (0..6).map(text).collect(),
            draws: Stream::new(11, Purpose::Routing, entity),
        }
    }

    fn go_on(&mut self) {
        let text = &self.texts[self.draws.below(6) as usize];
        let chain = &text[..self.draws.below(10) as usize];
        match self.draws.below(40) {
            0 => self.pool.resize(60 + self.draws.below(80)),
            1..20 => {
                let hit = self.pool.lookup(chain);
                let tokens = 4 * chain.len() as u32 + 1 + self.draws.below(60);
                if self.pool.can_admit(hit, tokens) {
                    let mut table = BlockTable::default();
                    // Some requests skip the look-up, so that equal contents occur twice.
                    let found = if self.draws.below(4) > 0 { hit.blocks } else { 0 };
                    self.pool.pin(&mut table, &chain[..found as usize]);
                    if self.pool.can_grow(&table, tokens - 4 * found) {
                        self.pool.append_prefill(&mut table, tokens - 4 * found, chain);
                    }
                    self.held.push((table, tokens));
                }
            }
            _ if self.held.is_empty() => {}
            _ => {
                let gone = self.draws.below(self.held.len() as u32) as usize;
                let (mut table, tokens) = self.held.swap_remove(gone);
                let stored = tokens.min(table.tokens());
                self.pool.release(&mut table, stored, Micros::ZERO);
            }
        }
    }
}

impl Traffic {
    fn tables(&self) -> Vec<&BlockTable> {
        self.held.iter().map(|(table, _)| table).collect()
    }

    /// Continues with the restored copy.
    fn go_on_as(&mut self, (pool, tables): (BlockPool, Vec<BlockTable>)) {
        self.pool = pool;
        for (held, table) in self.held.iter_mut().zip(tables) {
            held.0 = table;
        }
    }
}

#[test]
fn a_pool_made_of_a_packed_one_is_the_same_to_the_last_byte_and_stays_so() {
    let (mut a, mut b) = (Traffic::new(0), Traffic::new(1));
    let (mut doubles, mut holes, mut retired) = (0, 0, 0);
    for round in 0..300 {
        for step in 0..20 {
            a.go_on();
            if step % 3 == 0 {
                b.go_on();
            }
        }
        let [first, second] = again([(&a.pool, a.tables()), (&b.pool, b.tables())], Numbering::Kept);
        first.0.verify(first.1.iter());
        assert!(state(&first.0) == state(&a.pool) && state(&second.0) == state(&b.pool), "round {round}");
        assert!(first.1.iter().eq(a.tables()) && second.1.iter().eq(b.tables()), "round {round}");
        doubles += u32::from(a.pool.blocks.iter().filter(|x| x.is_hashed()).count() > a.pool.by_hash.len());
        holes += u32::from(a.pool.listed.slots() > a.pool.listed.len() as usize);
        retired += u32::from(!a.pool.retired.is_empty());
        // One continues as the restored copy, the other unchanged.
        if round % 2 == 0 {
            a.go_on_as(first);
        }
    }
    assert!(doubles > 20 && holes > 20 && retired > 20, "{doubles}, {holes}, {retired}");
}

#[test]
fn with_other_numbers_everything_goes_on_alike_and_is_packed_to_the_same() {
    let (mut kept, mut anew) = (Traffic::new(0), Traffic::new(0));
    let (mut shared, mut doubles, mut retired, mut moved) = (0, 0, 0, 0);
    for round in 0..300 {
        for _ in 0..20 {
            kept.go_on();
            anew.go_on();
        }
        let [numbered] = again([(&anew.pool, anew.tables())], Numbering::Anew);
        numbered.0.verify(numbered.1.iter());
        moved += u32::from(!numbered.1.iter().eq(anew.tables()));
        if round % 3 != 2 {
            anew.go_on_as(numbered);
        }
        let [a, b] = [&kept, &anew].map(|t| {
            let [(pool, tables)] = again([(&t.pool, t.tables())], Numbering::Anew);
            (state(&pool), tables)
        });
        assert!(a == b, "round {round}");
        shared += u32::from(anew.pool.shared > 0);
        doubles +=
            u32::from(anew.pool.blocks.iter().filter(|x| x.is_hashed()).count() > anew.pool.by_hash.len());
        retired += u32::from(!anew.pool.retired.is_empty());
    }
    let seen = [shared, doubles, retired, moved];
    assert!(seen.iter().all(|times| *times > 20), "{seen:?}");
}

#[test]
fn a_fresh_pool_and_one_that_does_not_cache_pack_too() {
    let fresh = BlockPool::new(50, 16, true);
    let mut plain = BlockPool::new(50, 16, false);
    let mut table = BlockTable::default();
    plain.append_prefill(&mut table, 300, &[]);
    plain.release(&mut table, 300, Micros::ZERO);
    for numbering in [Numbering::Kept, Numbering::Anew] {
        let [(f, _), (p, _)] = again([(&fresh, vec![]), (&plain, vec![])], numbering);
        assert!(state(&f) == state(&fresh), "{numbering:?}");
        assert!(numbering == Numbering::Anew || state(&p) == state(&plain));
        assert_eq!((f.free(), p.free()), (50, 50));
    }
}

#[test]
fn a_packed_pool_says_how_much_it_takes_which_is_little() {
    let mut pool = BlockPool::new(20_000, 16, true);
    let chain: Vec<u64> = (0..1000).map(|k| 2 * k * k + 1).collect();
    let mut tables: Vec<BlockTable> = Vec::new();
    for _ in 0..4 {
        let mut table = BlockTable::default();
        pool.pin(&mut table, &chain[..pool.lookup(&chain).blocks as usize]);
        let more = 16 * 4000 - table.tokens();
        pool.append_prefill(&mut table, more, &chain);
        tables.push(table);
    }
    for table in &mut tables[1..] {
        pool.release(table, 16 * 4000, Micros::ZERO);
    }
    let mut numbers = HashNumbers::default();
    let held = [&tables[0]];
    let packed = pool.packed(&held, Numbering::Kept, &mut numbers);
    let anew = pool.packed(&held, Numbering::Anew, &mut numbers);
    let kept = packed.packed.as_ref().expect("it is packed");
    assert_eq!(packed.bytes(), 8 * kept.bits.len() as u64 + size_of::<Packed>() as u64);
    assert_eq!(numbers.hashes.len(), 1000);
    assert!(20 * packed.bytes() < pool.bytes(), "{} of {}", packed.bytes(), pool.bytes());
    assert!(2 * anew.bytes() < packed.bytes(), "{} and {}", anew.bytes(), packed.bytes());
}
