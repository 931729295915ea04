//! Checks that the records of all blocks agree with the block tables, the free list and the table of prefixes.

use super::{Block, BlockPool};
use crate::kv::BlockTable;

impl BlockPool {
    /// INV-4 in full: O(blocks touched). `held` are the block tables of all requests.
    pub fn verify<'a>(&self, held: impl Iterator<Item = &'a BlockTable>) {
        let mut holders = vec![0_u32; self.touched as usize];
        for &b in self.states.blocks() {
            holders[b as usize] += 1;
        }
        for h in held {
            assert!(h.tokens <= h.len() * self.block_tokens, "INV-4: more tokens than room");
            for &b in &h.blocks {
                holders[b as usize] += 1;
            }
        }
        let (mut used, mut shared) = (0, 0);
        for (b, x) in self.blocks.iter().enumerate() {
            assert!(
                x.holders() == holders[b],
                "INV-4: block {b} has {} holders, not {}",
                holders[b],
                x.holders()
            );
            used += u32::from(x.holders() > 0);
            shared += u32::from(x.holders() > 1);
        }
        assert!(used == self.used && shared == self.shared, "INV-4: used or shared blocks miscounted");
        for (b, (&hash, &place)) in self.hashes.iter().zip(&self.places).enumerate() {
            let x = self.blocks[b];
            assert!(
                (hash != 0) == x.is_hashed(),
                "INV-4: block {b} has a hash and no content, or none and content"
            );
            assert!(
                place == 0 || (x.is_hashed() || self.has_order()) && x.holders() == 0,
                "INV-4: block {b} has a place on no list"
            );
        }
        let (mut listed, mut cached) = (0, 0);
        for (place, entry) in self.listed.iter() {
            let b = entry & Block::HOLDERS;
            let x = self.blocks[b as usize];
            let placed = !x.is_hashed() || self.places[b as usize] == place;
            let as_said = x.holders() == 0 && entry == self.entry(b);
            assert!(placed && as_said, "INV-4: block {b} is on the free list wrongly");
            listed += 1;
            cached += u32::from(x.has_content());
        }
        let idle = self.touched - used - self.retired.len() as u32;
        assert!(listed == self.listed.len() && listed == idle, "INV-4: the free list is broken");
        assert!(cached == self.cached, "INV-4: cached blocks miscounted");
        for (hash, b) in self.by_hash.sorted() {
            assert!(
                self.blocks[b as usize].is_hashed() && self.hashes[b as usize] == hash,
                "INV-4: the table points at a block with other content"
            );
        }
        self.verify_order();
        self.verify_counts();
    }
}
