//! A packed block pool: what a checkpoint keeps of it, and the pool made of that again, to the last byte.
//!
//! What the tables say in several places is kept once. The table of prefixes points at the blocks whose record says that they are
//! hashed; a free hashed block has the place where the free list has it; what is not on the list is written in order of its number.
//! Blocks that came to a request together lie together on the free list later on, so that of neighbours there the numbers and the
//! hashes are neighbours too. Equal hashes of many replicas are kept once for all of them.

use super::watch::Watch;
use super::{Block, BlockPool};
use crate::base::bits::{BitReader, BitWriter, Course, width_of};
use crate::base::lookup::LookupMap;
use crate::kv::free_list::{FreeList, HOLE};
use std::rc::Rc;

/// Numbers for the hashes of all pools that are kept together.
#[derive(Debug, Default)]
pub struct HashNumbers {
    hashes: Vec<u64>,
    known: LookupMap<u64, u32>,
}

impl HashNumbers {
    /// The hashes in order of their numbers.
    pub fn finish(self) -> Vec<u64> {
        self.hashes
    }

    /// The number of a hash; those beside `near` are looked at first.
    fn number(&mut self, hash: u64, near: u32) -> u32 {
        for beside in [near.wrapping_sub(1), near.wrapping_add(1)] {
            if self.hashes.get(beside as usize) == Some(&hash) {
                return beside;
            }
        }
        if let Some(known) = self.known.get(hash) {
            return known;
        }
        let number = self.hashes.len() as u32;
        self.hashes.push(hash);
        self.known.insert(hash, number);
        number
    }
}

/// What stands in the tables of a pool.
#[derive(Debug)]
pub(super) struct Packed {
    bits: Box<[u64]>,
    /// Places of the free list, and the first of them.
    slots: u32,
    first: u32,
    /// Blocks that have room for a hash, and how many are in the table of prefixes.
    hashes: u32,
    found: u32,
    /// Bits of the largest number of a hash.
    width: u32,
    /// Whether every hashed block is in the table of prefixes.
    all_found: bool,
}

/// The hashed blocks in the order in which they are written, which is that of the free list and then by number; those on the free
/// list with their place there.
#[derive(Default)]
struct Written(Vec<(u32, Option<u32>)>);

impl Written {
    fn note(&mut self, b: u32, content: u32, place: Option<u32>) {
        if content == Block::HASHED >> CONTENT {
            self.0.push((b, place));
        }
    }
}

/// The bits of content begin here.
const CONTENT: u32 = 30;

/// What stands for a hole among the kinds of content; no block is both unique and hashed.
const NOTHING: u32 = HOLE >> CONTENT;

impl BlockPool {
    /// A copy for keeping: its tables are packed, and it can do nothing until [`BlockPool::unpack`]. `numbers` are those of all
    /// pools that are kept together.
    #[must_use]
    pub fn packed(&self, numbers: &mut HashNumbers) -> Self {
        assert!(self.packed.is_none(), "INV-6: a pool that is packed already");
        Self {
            blocks: Vec::new(),
            hashes: Vec::new(),
            places: Vec::new(),
            listed: FreeList::default(),
            by_hash: LookupMap::default(),
            watch: Watch::default(),
            retired: self.retired.clone(),
            tier: self.tier.clone(),
            store: self.store.clone(),
            packed: Some(Rc::new(self.pack(numbers))),
            ..*self
        }
    }

    /// Goes on from a copy that was kept; `hashes` are those of all pools that were kept together.
    pub fn unpack(&mut self, hashes: &[u64]) {
        if let Some(packed) = self.packed.take() {
            self.fill_from(&packed, hashes);
        }
    }

    /// Bytes of the packed tables; none if they are not.
    pub(super) fn bytes_packed(&self) -> u64 {
        self.packed.as_ref().map_or(0, |packed| (8 * packed.bits.len() + size_of::<Packed>()) as u64)
    }

    fn pack(&self, numbers: &mut HashNumbers) -> Packed {
        let mut out = BitWriter::default();
        let mut written = Written::default();
        let mut listed = vec![false; self.touched as usize];
        self.pack_listed(&mut out, &mut written, &mut listed);
        for b in (0..self.touched).filter(|&b| !listed[b as usize]) {
            let block = self.blocks[b as usize];
            let content = block.content() >> CONTENT;
            let once = u32::from(block.holders() == 1);
            out.push(u64::from(content | once << 2), 3);
            if once == 0 {
                out.push_number(block.holders());
            }
            written.note(b, content, None);
        }
        let mut near = 0;
        let mut number = |&(b, _): &(u32, Option<u32>)| {
            near = numbers.number(self.hashes[b as usize], near);
            near
        };
        let of_hashes: Vec<u32> = written.0.iter().map(&mut number).collect();
        let width = width_of(of_hashes.iter().fold(0, |bits, x| bits | x));
        let mut course = Course::new(width);
        for &x in &of_hashes {
            course.write(x, &mut out);
        }
        // Each entry points at a hashed block, no two at the same.
        let all_found = written.0.len() == self.by_hash.len();
        if !all_found {
            for &(b, _) in &written.0 {
                let found = self.by_hash.get(self.hashes[b as usize]) == Some(b);
                out.push(u64::from(found), 1);
            }
        }
        Packed {
            bits: out.finish(),
            slots: self.listed.slots() as u32,
            first: self.listed.first(),
            hashes: self.hashes.len() as u32,
            found: self.by_hash.len() as u32,
            width,
            all_found,
        }
    }

    /// Writes the free list: pieces of entries with the same content.
    fn pack_listed(&self, out: &mut BitWriter, written: &mut Written, listed: &mut [bool]) {
        let width = width_of(self.touched);
        let mut course = Course::new(width);
        let kind_of = |entry: u32| entry >> CONTENT;
        let entries = self.listed.slots_in_order();
        out.reserve(entries.len() as u64 * u64::from(width + 2));
        let mut place = self.listed.first();
        for piece in entries.chunk_by(|a, b| kind_of(*a) == kind_of(*b)) {
            let kind = kind_of(piece[0]);
            out.push(u64::from(kind), 2);
            out.push_number(piece.len() as u32);
            if kind == NOTHING {
                let holes = piece.iter().all(|entry| *entry == HOLE);
                assert!(holes, "INV-4: a block that is both unique and hashed");
                place = place.wrapping_add(piece.len() as u32);
                continue;
            }
            for &entry in piece {
                let b = entry & Block::HOLDERS;
                course.write(b, out);
                listed[b as usize] = true;
                written.note(b, kind, Some(place));
                place = place.wrapping_add(1);
            }
        }
    }

    fn fill_from(&mut self, packed: &Packed, hashes: &[u64]) {
        let mut from = BitReader::new(&packed.bits);
        let mut written = Written::default();
        let mut listed = vec![false; self.touched as usize];
        self.blocks = vec![Block(0); self.touched as usize];
        self.list_from(packed, &mut from, &mut written, &mut listed);
        for b in (0..self.touched).filter(|&b| !listed[b as usize]) {
            let head = from.take(3) as u32;
            let holders = if head >> 2 == 1 { 1 } else { from.take_number() };
            self.blocks[b as usize] = Block((head & 3) << CONTENT | holders);
            written.note(b, head & 3, None);
        }
        self.hashes = vec![0; packed.hashes as usize];
        self.places = vec![0; packed.hashes as usize];
        let mut course = Course::new(packed.width);
        for &(b, place) in &written.0 {
            self.hashes[b as usize] = hashes[course.read(&mut from) as usize];
            self.places[b as usize] = place.unwrap_or(0);
        }
        self.by_hash = LookupMap::with_capacity(packed.found as usize);
        for &(b, _) in &written.0 {
            if packed.all_found || from.take(1) == 1 {
                self.by_hash.insert(self.hashes[b as usize], b);
            }
        }
    }

    fn list_from(
        &mut self,
        packed: &Packed,
        from: &mut BitReader,
        written: &mut Written,
        listed: &mut [bool],
    ) {
        let mut course = Course::new(width_of(self.touched));
        let mut ring = Vec::with_capacity(packed.slots as usize);
        while ring.len() < packed.slots as usize {
            let content = from.take(2) as u32;
            for _ in 0..from.take_number() {
                if content == NOTHING {
                    ring.push(HOLE);
                    continue;
                }
                let b = course.read(from);
                let place = packed.first.wrapping_add(ring.len() as u32);
                ring.push(b | content << CONTENT);
                self.blocks[b as usize] = Block(content << CONTENT);
                listed[b as usize] = true;
                written.note(b, content, Some(place));
            }
        }
        self.listed = FreeList::of(ring, packed.first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Micros;
    use crate::base::rng::{Purpose, Stream};
    use crate::kv::BlockTable;

    /// Packs two pools together and makes them of that again.
    fn again(pools: [&BlockPool; 2]) -> [BlockPool; 2] {
        let mut numbers = HashNumbers::default();
        let packed = pools.map(|pool| pool.packed(&mut numbers));
        let hashes = numbers.finish();
        packed.map(|mut pool| {
            pool.unpack(&hashes);
            pool
        })
    }

    fn state(pool: &BlockPool) -> Vec<u8> {
        postcard::to_stdvec(pool).expect("plain data")
    }

    /// A pool and what it is asked to do, at random: prompts with common beginnings, answers, ends, other sizes.
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
                        // Some do not look, so that equal contents come twice.
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
            let [first, second] = again([&a.pool, &b.pool]);
            first.verify(a.held.iter().map(|(table, _)| table));
            assert!(state(&first) == state(&a.pool) && state(&second) == state(&b.pool), "round {round}");
            doubles +=
                u32::from(a.pool.blocks.iter().filter(|x| x.is_hashed()).count() > a.pool.by_hash.len());
            holes += u32::from(a.pool.listed.slots() > a.pool.listed.len() as usize);
            retired += u32::from(!a.pool.retired.is_empty());
            // One goes on as what was made of it, the other as it was.
            if round % 2 == 0 {
                a.pool = first;
            }
        }
        assert!(doubles > 20 && holes > 20 && retired > 20, "{doubles}, {holes}, {retired}");
    }

    #[test]
    fn a_fresh_pool_and_one_that_does_not_cache_pack_too() {
        let fresh = BlockPool::new(50, 16, true);
        let mut plain = BlockPool::new(50, 16, false);
        let mut table = BlockTable::default();
        plain.append_prefill(&mut table, 300, &[]);
        plain.release(&mut table, 300, Micros::ZERO);
        let [f, p] = again([&fresh, &plain]);
        assert!(state(&f) == state(&fresh) && state(&p) == state(&plain));
        assert_eq!((f.free(), p.free()), (50, 50));
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
        let packed = pool.packed(&mut numbers);
        let kept = packed.packed.as_ref().expect("it is packed");
        assert_eq!(packed.bytes(), 8 * kept.bits.len() as u64 + size_of::<Packed>() as u64);
        assert_eq!(numbers.hashes.len(), 1000);
        assert!(20 * packed.bytes() < pool.bytes(), "{} of {}", packed.bytes(), pool.bytes());
    }
}
