//! A packed cluster: the form in which a checkpoint keeps it, and how it goes on from there.

use crate::base::Shared;
use crate::engine::Cluster;
use crate::engine::replica::Replica;
use crate::engine::request::{Load, Slot};
use crate::kv::{BlockTable, HashNumbers, Numbering};
use std::rc::Rc;

/// What a packed cluster has beside its packed caches.
#[derive(Debug)]
pub(in crate::engine) struct Packed {
    /// The hashes in all caches.
    hashes: Vec<u64>,
}

impl Packed {
    pub(in crate::engine) fn bytes(&self) -> u64 {
        8 * self.hashes.len() as u64
    }
}

impl Cluster {
    /// Most replicas whose blocks can be seen one by one.
    const BLOCKS_SHOWN: usize = 8;

    /// Whether single blocks can be seen: of a small cluster. Replicas that have stopped count too, so that a cluster that was large
    /// stays so.
    pub fn shows_blocks(&self) -> bool {
        self.replicas.len() <= Self::BLOCKS_SHOWN
    }

    /// Whether anything depends on the numbers of blocks.
    pub(in crate::engine) fn numbering(&self) -> Numbering {
        let by_number = self.shows_blocks() || self.replicas.iter().any(|r| r.kv.reloads());
        if by_number { Numbering::Kept } else { Numbering::Anew }
    }

    /// The requests that hold blocks of a replica: those of its batch, and those that wait for what they have asked for.
    fn holders(&self, r: &Replica) -> Vec<Slot> {
        let some = |slot: Slot| (slot != Slot::NONE).then_some(slot);
        let mut all: Vec<Slot> =
            std::iter::successors(some(r.head), |&slot| some(self.active[slot].after)).collect();
        all.extend(r.waiting.iter().filter(|&&slot| self.active[slot].load != Load::None));
        all
    }

    /// A copy for keeping, whose caches are packed. It can do nothing until [`Cluster::unpack`].
    #[must_use]
    pub fn packed(&mut self) -> Self {
        let numbering = self.numbering();
        let mut numbers = HashNumbers::default();
        let pack = |r: &Replica| {
            let holders = self.holders(r);
            let tables: Vec<&BlockTable> =
                holders.iter().map(|&slot| &self.active[slot].block_table).collect();
            r.kv.packed(&tables, numbering, &mut numbers)
        };
        let mut pools: Vec<_> = self.replicas.iter().map(pack).map(Shared::new).collect();
        let swap = |replicas: &mut [Replica], pools: &mut [_]| {
            for (r, pool) in replicas.iter_mut().zip(pools) {
                std::mem::swap(&mut r.kv, pool);
            }
        };
        // Nothing of what is packed is copied.
        let active = self.active.packed();
        swap(&mut self.replicas, &mut pools);
        let unpacked = std::mem::replace(&mut self.active, active);
        let mut copy = self.clone();
        self.active = unpacked;
        swap(&mut self.replicas, &mut pools);
        copy.records.pack();
        copy.packed = Some(Rc::new(Packed { hashes: numbers.finish() }));
        copy
    }

    /// Goes on from a copy that was kept.
    pub fn unpack(&mut self) {
        let Some(packed) = self.packed.take() else { return };
        self.records.unpack();
        self.active.unpack();
        for i in 0..self.replicas.len() {
            let holders = self.holders(&self.replicas[i]);
            let tables = self.replicas[i].kv.own().unpack(holders.len(), &packed.hashes);
            for (slot, blocks) in holders.into_iter().zip(tables) {
                self.active[slot].block_table.have(blocks);
            }
        }
    }

    /// A copy in which nothing tells whether the run went on from a packed one.
    #[must_use]
    pub fn as_if_packed(&mut self) -> Self {
        let mut copy = self.packed();
        copy.unpack();
        copy
    }
}
