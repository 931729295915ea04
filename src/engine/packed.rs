//! A packed cluster: the form in which a checkpoint keeps it, and how it goes on from there.

use super::Cluster;
use crate::base::Shared;
use crate::base::bits::{BitReader, BitWriter};
use crate::kv::HashNumbers;
use std::rc::Rc;

/// What a packed cluster has beside its packed caches.
#[derive(Debug)]
pub(super) struct Packed {
    /// The hashes in all caches.
    hashes: Vec<u64>,
    /// The blocks that requests hold.
    tables: Box<[u64]>,
}

impl Packed {
    pub(super) fn bytes(&self) -> u64 {
        8 * (self.hashes.len() + self.tables.len()) as u64
    }
}

impl Cluster {
    /// A copy for keeping, whose caches are packed. It can do nothing until [`Cluster::unpack`].
    #[must_use]
    pub fn packed(&mut self) -> Self {
        let mut numbers = HashNumbers::default();
        let mut pools = Vec::with_capacity(self.replicas.len());
        for r in &mut self.replicas {
            let packed = r.kv.packed(&mut numbers);
            pools.push(std::mem::replace(&mut r.kv, Shared::new(packed)));
        }
        let mut copy = self.clone();
        let mut tables = BitWriter::default();
        copy.active.pack(&mut tables);
        copy.packed = Some(Rc::new(Packed { hashes: numbers.finish(), tables: tables.finish() }));
        for (r, pool) in self.replicas.iter_mut().zip(pools) {
            r.kv = pool;
        }
        copy
    }

    /// Goes on from a copy that was kept.
    pub fn unpack(&mut self) {
        if let Some(packed) = self.packed.take() {
            self.active.unpack(&mut BitReader::new(&packed.tables));
            for r in &mut self.replicas {
                r.kv.own().unpack(&packed.hashes);
            }
        }
    }
}
