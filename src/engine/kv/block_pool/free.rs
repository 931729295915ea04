//! Taking and releasing free blocks, the most frequent operations of a run.

use super::{Block, BlockPool};
use crate::kv::BlockTable;
use base::Micros;

impl BlockPool {
    /// Releases all blocks, the last one first. They hold `stored` tokens: full blocks stay cached.
    pub fn release(&mut self, block_table: &mut BlockTable, stored: u32, now: Micros) {
        if let Some(cpu) = self.tiers.as_mut().and_then(|tiers| tiers.cpu.as_mut()) {
            let hashed = block_table.blocks.iter().filter(|&&b| self.blocks[b as usize].is_hashed());
            cpu.use_all(hashed.map(|&b| self.hashes[b as usize]));
        }
        self.let_go(block_table, stored, now);
        self.offload(now);
    }

    /// The same without a use of what the CPU tier has of them.
    pub(super) fn let_go(&mut self, block_table: &mut BlockTable, stored: u32, now: Micros) {
        // An output token that fills a block as soon as it opens it does not make it hittable.
        let full = if self.caching && self.block_tokens > 1 { stored / self.block_tokens } else { 0 };
        let (places, all) = (&mut self.places, self.order.is_some());
        self.listed.close_holes(|entry, place| {
            if all || Block(entry).is_hashed() {
                places[(entry & Block::HOLDERS) as usize] = place;
            }
        });
        self.listed.mark(now, self.evictions);
        self.tell_past(now);
        if self.debt == 0 && !self.watch.is_on() && !all {
            self.release_private(block_table, full);
        }
        for (index, b) in block_table.blocks.drain(..).enumerate().rev() {
            let block = &mut self.blocks[b as usize];
            assert!(block.holders() > 0, "INV-4: block {b} released twice");
            if !block.has_content() && (index as u32) < full {
                block.0 |= Block::UNIQUE;
            }
            block.0 -= 1;
            let block = *block;
            match block.holders() {
                0 => {
                    self.used -= 1;
                    if self.watch.is_on() {
                        self.watch.freed(b);
                    }
                    if self.debt > 0 {
                        self.debt -= 1;
                        self.blocks[b as usize] = Block(0);
                        if let Some(order) = &mut self.order {
                            order.evicted(b);
                        }
                        self.lose(b, block);
                        self.retired.push(b);
                    } else {
                        self.cached += u32::from(block.has_content());
                        self.list(b);
                    }
                }
                1 => self.shared -= 1,
                _ => {}
            }
        }
        block_table.tokens = 0;
        block_table.last_hash = 0;
        self.version.number += 1;
    }

    /// Releases the blocks at the end of a table that are held once and never looked up, as almost all blocks are.
    /// The first `full` blocks of the table stay cached.
    fn release_private(&mut self, block_table: &mut BlockTable, full: u32) {
        let table = &block_table.blocks;
        let private = table.iter().rev().take_while(|&&b| self.blocks[b as usize].is_private()).count();
        let first = table.len() - private;
        let middle = (full as usize).clamp(first, table.len());
        let blocks = &mut self.blocks;
        let mut cached = 0;
        for (part, stored) in [(&table[middle..], 0), (&table[first..middle], Block::UNIQUE)] {
            self.listed.extend(part.iter().rev().map(|&b| {
                let block = &mut blocks[b as usize];
                let content = block.content() | stored;
                block.0 = content;
                cached += u32::from(content != 0);
                b | content
            }));
        }
        self.cached += cached;
        self.used -= private as u32;
        block_table.blocks.truncate(first);
    }

    /// Takes `n` free blocks, the least recently used, for one holder; `block` is the record of each.
    pub(super) fn open(&mut self, block_table: &mut BlockTable, n: u32, block: Block) {
        if self.has_order() {
            self.open_in_order(block_table, n, block);
            return;
        }
        let untouched = n.min(self.limit - self.touched);
        block_table.blocks.reserve(n as usize);
        block_table.blocks.extend(self.touched..self.touched + untouched);
        self.touched += untouched;
        self.blocks.resize(self.touched as usize, block);
        for _ in untouched..n {
            let b = self.take_listed(block).expect("INV-4: no free block although there was room");
            block_table.blocks.push(b);
        }
        self.count_opened(n);
    }

    /// Takes one block without content.
    pub(super) fn open_one(&mut self, block_table: &mut BlockTable) {
        let b = self.take_free();
        block_table.blocks.push(b);
        self.count_opened(1);
    }

    /// Takes one free block without content, the least recently used, for one holder; it is not counted yet.
    #[inline(always)]
    pub(super) fn take_free(&mut self) -> u32 {
        if self.has_order() {
            return self.take_in_order(Block(1)).expect("INV-4: no free block although there was room");
        }
        if self.touched < self.limit {
            let b = self.touched;
            self.touched += 1;
            self.blocks.push(Block(1));
            b
        } else {
            self.take_listed(Block(1)).expect("INV-4: no free block although there was room")
        }
    }

    /// Counts `n` blocks taken for one holder each.
    pub(super) fn count_opened(&mut self, n: u32) {
        self.used += n;
        self.misses += u64::from(n);
        self.version.number += u64::from(n);
    }

    /// Takes the least recently used block off the free list: its content is lost, its record is `block` now.
    #[inline(always)]
    pub(super) fn take_listed(&mut self, block: Block) -> Option<u32> {
        let entry = Block(if self.has_order() { self.pop_in_order()? } else { self.listed.pop()? });
        let b = entry.holders();
        self.blocks[b as usize] = block;
        self.cached -= u32::from(entry.has_content());
        self.lose(b, entry);
        Some(b)
    }

    /// Counts the loss of the content of `b`, whose record was `was`; removes its table entry only if that points
    /// here.
    #[inline(always)]
    pub(super) fn lose(&mut self, b: u32, was: Block) {
        if was.is_hashed() {
            self.lose_hashed(b);
        } else if was.has_content() {
            self.evictions += 1;
        }
    }

    #[inline(never)]
    fn lose_hashed(&mut self, b: u32) {
        let hash = self.forget_hash(b);
        if self.by_hash.get(hash) == Some(b) {
            self.by_hash.remove(hash);
            if let Some(past) = &mut self.version.past {
                past.went(hash, past.now);
            }
            if self.watch.is_on() {
                self.watch.lost(b, hash);
            }
            self.evictions += 1;
            self.order_lost(hash);
            if let Some(tiers) = &mut self.tiers {
                tiers.left_gpu(hash);
            }
        }
    }

    /// Clears the hash of `b`, which no longer holds that content: checkpoints keep only present contents.
    #[inline]
    pub(super) fn forget_hash(&mut self, b: u32) -> u64 {
        self.places[b as usize] = 0;
        std::mem::take(&mut self.hashes[b as usize])
    }

    /// The entry of the free block `b` on the free list.
    pub(super) fn entry(&self, b: u32) -> u32 {
        b | self.blocks[b as usize].content()
    }

    /// Puts `b` at the end of the free list.
    #[inline]
    pub(super) fn list(&mut self, b: u32) {
        let place = self.listed.push(self.entry(b));
        if self.has_order() {
            self.order_freed(b, place);
        } else if self.blocks[b as usize].is_hashed() {
            self.places[b as usize] = place;
        }
    }
}
