//! What a replica asks of the others: blocks of their CPU memory.

use base::{Micros, ReplicaId};

/// A replica whose CPU memory others read.
pub(crate) trait Lender {
    /// Whether a block in its CPU memory can be read.
    fn has_to_lend(&mut self, hash: u64, now: Micros) -> bool;

    /// From when on it answers: between two of its steps.
    fn free_at(&self, now: Micros) -> Micros;

    /// These of its blocks are read from now on.
    fn lend(&mut self, hashes: &[u64]);

    /// They are not read any more. Whether it may have waited for this to stop.
    fn take_back(&mut self, hashes: &[u64]) -> bool;
}

/// All replicas but one, in order of number; none where nothing is pulled.
#[derive(Default)]
pub(crate) struct Lenders<'a> {
    all: Vec<&'a mut dyn Lender>,
    own: usize,
}

impl<'a> Lenders<'a> {
    /// All but the one at the place `own`.
    pub(crate) fn new(all: Vec<&'a mut dyn Lender>, own: usize) -> Self {
        Self { all, own }
    }

    /// One of them.
    pub(crate) fn get(&mut self, id: ReplicaId) -> Option<&mut (dyn Lender + 'a)> {
        let index = id.index();
        if index == self.own {
            return None;
        }
        let at = if index < self.own { index } else { index - 1 };
        self.all.get_mut(at).map(|lender| &mut **lender)
    }
}
