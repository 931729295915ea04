//! Packing of a block pool with the block tables of the requests that hold its blocks: the form that a checkpoint
//! keeps, and both restored from it.
//!
//! Redundant data is kept once. A block is on the free list, or in a block table, or retired; the table of prefixes
//! points at the blocks whose record says that they are hashed; a free hashed block's place follows from the free
//! list. Blocks that a request got together are later neighbours on the free list, so their numbers and hashes are
//! neighbours too. Equal hashes of many replicas are kept once for all of them.

use super::watch::LossWatch;
use super::{Block, BlockPool, FoundPrefix};
use crate::kv::BlockTable;
use crate::kv::free_list::{FreeList, HOLE};
use crate::kv::stamps::Stamps;
use base::bits::{BitReader, BitWriter, StepCode, width_of};
use base::lookup::LookupMap;
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

    /// The number of a hash; numbers next to `near` are tried first.
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

/// Whether blocks keep their numbers in a restored pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// They do: the restored pool shows the same cells.
    Kept,
    /// They get new numbers, hashed blocks first, in the order of writing. Only pictures of single blocks, which also say
    /// when blocks were released, and the CPU tier of BLIS depend on the numbers, and without them a pool takes a tenth of the
    /// memory.
    Anew,
}

/// The packed tables of a pool.
#[derive(Debug)]
pub(super) struct Packed {
    bits: Box<[u64]>,
    numbering: Numbering,
    /// Places of the free list, and the first of them.
    slots: u32,
    first: u32,
    /// Blocks that have a hash, and how many are in the table of prefixes.
    hashed: u32,
    found: u32,
    /// Blocks with an entry for a hash.
    hashes: u32,
    /// Bits of the largest number of a hash.
    width: u32,
    /// Whether every hashed block is in the table of prefixes.
    all_found: bool,
}

/// Position of the bits of content.
const CONTENT: u32 = 30;

/// The kind of content of hashed blocks.
const HASHED: u32 = Block::HASHED >> CONTENT;

/// Marks a hole among the kinds of content; no block is both unique and hashed.
const NOTHING: u32 = HOLE >> CONTENT;

/// Marks, in a block table, shared blocks that were already written with another table.
const KNOWN: u32 = NOTHING;

/// Hands out the numbers of blocks in the order in which they are written or read.
struct BlockNumbers {
    numbering: Numbering,
    code: StepCode,
    hashed: u32,
    other: u32,
}

impl BlockNumbers {
    /// `hashed` is the first number for blocks without a hash; it has no effect if only hashed blocks are numbered.
    fn new(numbering: Numbering, hashed: u32, touched: u32) -> Self {
        Self { numbering, code: StepCode::new(width_of(touched)), hashed: 0, other: hashed }
    }

    /// The next number of a block of this kind.
    fn next(&mut self, kind: u32) -> u32 {
        let counter = if kind == HASHED { &mut self.hashed } else { &mut self.other };
        *counter += 1;
        *counter - 1
    }

    /// Writes block `b`, and returns its number in the restored pool.
    fn write(&mut self, b: u32, kind: u32, out: &mut BitWriter) -> u32 {
        if self.numbering == Numbering::Anew {
            return self.next(kind);
        }
        self.code.write(b, out);
        b
    }

    /// Writes blocks that are not hashed.
    fn write_all(&mut self, blocks: &[u32], out: &mut BitWriter) {
        if self.numbering == Numbering::Kept {
            for &b in blocks {
                self.code.write(b, out);
            }
        }
    }

    fn read(&mut self, kind: u32, from: &mut BitReader) -> u32 {
        if self.numbering == Numbering::Anew { self.next(kind) } else { self.code.read(from) }
    }
}

/// How many leading entries are of one kind; looks at several at a time.
fn alike(entries: &[u32], is: impl Fn(u32) -> bool) -> usize {
    const TOGETHER: usize = 16;
    let whole =
        entries.chunks_exact(TOGETHER).take_while(|some| some.iter().fold(true, |all, &e| all & is(e)));
    let passed = TOGETHER * whole.count();
    passed + entries[passed..].iter().take_while(|e| is(**e)).count()
}

impl BlockPool {
    /// A packed copy, unusable until [`BlockPool::unpack`]. `tables` are the block tables of all requests that hold
    /// its blocks; `numbers` is common to all pools kept together.
    #[must_use]
    pub fn packed(&self, tables: &[&BlockTable], numbering: Numbering, numbers: &mut HashNumbers) -> Self {
        assert!(self.packed.is_none(), "INV-6: a pool that is packed already");
        assert!(
            numbering == Numbering::Kept || self.tier.is_none() && !self.has_order(),
            "INV-6: a tier or an order knows blocks by number"
        );
        let states = self.states.len();
        let mut all = tables.to_vec();
        if states > 0 {
            all.push(&self.states);
        }
        Self {
            blocks: Vec::new(),
            hashes: Vec::new(),
            places: Vec::new(),
            listed: FreeList::default(),
            by_hash: LookupMap::default(),
            watch: LossWatch::default(),
            found: FoundPrefix::default(),
            retired: self.retired.clone(),
            // Their number, until the blocks are known again.
            states: BlockTable::without_blocks(states, 0),
            tier: self.tier.clone(),
            tiers: self.tiers.clone(),
            order: self.order.clone(),
            received: self.received,
            version: self.version.clone(),
            packed: Some(Rc::new(self.pack(&all, numbering, numbers))),
            ..*self
        }
    }

    /// Restores a packed copy; `hashes` are those of all pools kept together. Returns the blocks of the `tables`
    /// tables it was packed with.
    pub fn unpack(&mut self, tables: usize, hashes: &[u64]) -> Vec<Vec<u32>> {
        let Some(packed) = self.packed.take() else { return Vec::new() };
        let with_states = usize::from(self.states.tokens() > 0);
        let mut blocks = self.fill_from(&packed, tables + with_states, hashes);
        self.states = BlockTable::default();
        if with_states > 0 {
            self.states.have(blocks.pop().expect("INV-6: a pool packed without its states"));
        }
        blocks
    }

    /// Bytes of the packed tables; 0 if they are not packed.
    pub(super) fn bytes_packed(&self) -> u64 {
        self.packed.as_ref().map_or(0, |packed| (8 * packed.bits.len() + size_of::<Packed>()) as u64)
    }

    /// Approximate number of bytes that packing reads: without numbers, the free list and the blocks that are hashed
    /// or held.
    pub fn bytes_packed_from(&self, numbering: Numbering) -> u64 {
        const HASHED_BYTES: usize = 24;
        match numbering {
            Numbering::Kept => self.bytes(),
            Numbering::Anew => {
                (4 * self.listed.slots() + HASHED_BYTES * self.by_hash.len()) as u64
                    + 8 * u64::from(self.used)
            }
        }
    }

    fn pack(&self, tables: &[&BlockTable], numbering: Numbering, numbers: &mut HashNumbers) -> Packed {
        let mut out = BitWriter::default();
        // The hashed blocks in the order in which they are written.
        let mut written = Vec::with_capacity(self.by_hash.len());
        let mut given = BlockNumbers::new(numbering, 0, self.touched);
        let slots = self.pack_listed(&mut given, &mut out, &mut written);
        self.pack_tables(tables, &mut given, &mut out, &mut written);
        // Read first and looked up afterwards: the reads then do not wait for the look-ups.
        let hashes: Vec<u64> = written.iter().map(|&b| self.hashes[b as usize]).collect();
        let mut near = 0;
        let mut number = |&hash: &u64| {
            near = numbers.number(hash, near);
            near
        };
        let of_hashes: Vec<u32> = hashes.iter().map(&mut number).collect();
        let width = width_of(of_hashes.iter().fold(0, |bits, x| bits | x));
        let mut code = StepCode::new(width);
        for &x in &of_hashes {
            code.write(x, &mut out);
        }
        // Each entry points at a different hashed block.
        let all_found = written.len() == self.by_hash.len();
        if !all_found {
            for (&b, &hash) in written.iter().zip(&hashes) {
                out.push(u64::from(self.by_hash.get(hash) == Some(b)), 1);
            }
        }
        let kept = numbering == Numbering::Kept;
        Packed {
            bits: out.finish(),
            numbering,
            slots,
            first: if kept { self.listed.first() } else { 0 },
            hashed: written.len() as u32,
            found: self.by_hash.len() as u32,
            hashes: if kept { self.hashes.len() as u32 } else { written.len() as u32 },
            width,
            all_found,
        }
    }

    /// Writes the free list as pieces of entries with the same kind of content. Returns its number of places.
    fn pack_listed(&self, given: &mut BlockNumbers, out: &mut BitWriter, written: &mut Vec<u32>) -> u32 {
        let kind_of = |entry: u32| entry >> CONTENT;
        let kept = given.numbering == Numbering::Kept;
        let entries = self.listed.slots_in_order();
        let mut rest = &entries[..];
        while let Some(&first) = rest.first() {
            let kind = kind_of(first);
            let piece;
            (piece, rest) = rest.split_at(alike(rest, |entry| kind_of(entry) == kind));
            if kind == NOTHING {
                let holes = piece.iter().all(|entry| *entry == HOLE);
                assert!(holes, "INV-4: a block that is both unique and hashed");
                if !kept {
                    continue;
                }
            }
            out.push(u64::from(kind), 2);
            out.push_number(piece.len() as u32);
            if kind == HASHED {
                written.extend(piece.iter().map(|entry| entry & Block::HOLDERS));
            }
            if kept && kind != NOTHING {
                for &entry in piece {
                    given.write(entry & Block::HOLDERS, kind, out);
                }
            } else if kind == HASHED {
                given.hashed += piece.len() as u32;
            }
        }
        if kept {
            self.listed.stamps().write(out);
            self.listed.slots() as u32
        } else {
            self.listed.len()
        }
    }

    /// Writes the block tables as pieces of blocks with the same kind of content, or of blocks written before.
    fn pack_tables(
        &self,
        tables: &[&BlockTable],
        given: &mut BlockNumbers,
        out: &mut BitWriter,
        written: &mut Vec<u32>,
    ) {
        // By block that several tables can have: its number plus one, once it has been written.
        let mut known = vec![0; if self.shared > 0 { self.touched as usize } else { 0 }];
        let mut code = StepCode::new(width_of(self.touched));
        let mut kinds: Vec<u32> = Vec::new();
        for table in tables {
            // No table has a block twice, so the known blocks do not change while a table is read.
            let kind_of = |&b: &u32| {
                let block = self.blocks[b as usize];
                let seen = block.holders() > 1 && known[b as usize] > 0;
                if seen { KNOWN } else { block.content() >> CONTENT }
            };
            kinds.clear();
            kinds.extend(table.blocks.iter().map(kind_of));
            out.push_number(table.len());
            let mut rest = &table.blocks[..];
            for piece in kinds.chunk_by(u32::eq) {
                let kind = piece[0];
                out.push(u64::from(kind), 2);
                out.push_number(piece.len() as u32);
                let blocks;
                (blocks, rest) = rest.split_at(piece.len());
                if kind == KNOWN {
                    for &b in blocks {
                        code.write(known[b as usize] - 1, out);
                    }
                } else if kind == HASHED {
                    for &b in blocks {
                        let number = given.write(b, kind, out);
                        written.push(b);
                        // Only blocks found in the table of prefixes can be in several tables.
                        if let Some(known) = known.get_mut(b as usize) {
                            *known = number + 1;
                        }
                    }
                } else {
                    given.write_all(blocks, out);
                }
            }
        }
    }

    fn fill_from(&mut self, packed: &Packed, tables: usize, hashes: &[u64]) -> Vec<Vec<u32>> {
        let mut from = BitReader::new(&packed.bits);
        let mut written = Vec::with_capacity(packed.hashed as usize);
        self.blocks = vec![Block(0); self.touched as usize];
        self.places = vec![0; packed.hashes as usize];
        let mut given = BlockNumbers::new(packed.numbering, packed.hashed, self.touched);
        self.list_from(packed, &mut given, &mut from, &mut written);
        if self.has_order() {
            self.order_places();
        }
        let tables = self.tables_from(tables, &mut given, &mut from, &mut written);
        if packed.numbering == Numbering::Anew {
            for b in &mut self.retired {
                *b = given.next(0);
            }
        }
        self.hashes = vec![0; packed.hashes as usize];
        let mut code = StepCode::new(packed.width);
        for &b in &written {
            self.hashes[b as usize] = hashes[code.read(&mut from) as usize];
        }
        self.by_hash = LookupMap::with_capacity(packed.found as usize);
        for &b in &written {
            if packed.all_found || from.take(1) == 1 {
                self.by_hash.insert(self.hashes[b as usize], b);
            }
        }
        tables
    }

    fn list_from(
        &mut self,
        packed: &Packed,
        given: &mut BlockNumbers,
        from: &mut BitReader,
        written: &mut Vec<u32>,
    ) {
        let mut ring = Vec::with_capacity(packed.slots as usize);
        while ring.len() < packed.slots as usize {
            let kind = from.take(2) as u32;
            let content = kind << CONTENT;
            let piece = from.take_number();
            if packed.numbering == Numbering::Anew && kind != HASHED {
                let blocks = given.other..given.other + piece;
                given.other = blocks.end;
                self.blocks[blocks.start as usize..blocks.end as usize].fill(Block(content));
                ring.extend(blocks.map(|b| b | content));
                continue;
            }
            for _ in 0..piece {
                if kind == NOTHING {
                    ring.push(HOLE);
                    continue;
                }
                let b = given.read(kind, from);
                if kind == HASHED {
                    self.places[b as usize] = packed.first.wrapping_add(ring.len() as u32);
                    written.push(b);
                }
                ring.push(b | content);
                self.blocks[b as usize] = Block(content);
            }
        }
        let kept = packed.numbering == Numbering::Kept;
        let stamps = if kept { Stamps::read(from) } else { Stamps::default() };
        self.listed = FreeList::of(ring, packed.first, stamps);
    }

    fn tables_from(
        &mut self,
        tables: usize,
        given: &mut BlockNumbers,
        from: &mut BitReader,
        written: &mut Vec<u32>,
    ) -> Vec<Vec<u32>> {
        let mut code = StepCode::new(width_of(self.touched));
        let mut table = |_| {
            let len = from.take_number() as usize;
            let mut blocks = Vec::with_capacity(len);
            while blocks.len() < len {
                let kind = from.take(2) as u32;
                for _ in 0..from.take_number() {
                    if kind == KNOWN {
                        let b = code.read(from);
                        self.blocks[b as usize].0 += 1;
                        blocks.push(b);
                        continue;
                    }
                    let b = given.read(kind, from);
                    self.blocks[b as usize] = Block(kind << CONTENT | 1);
                    if kind == HASHED {
                        written.push(b);
                    }
                    blocks.push(b);
                }
            }
            blocks
        };
        (0..tables).map(&mut table).collect()
    }
}

#[cfg(test)]
mod tests;
