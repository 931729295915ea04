//! A packed cluster: the form in which a checkpoint keeps it, and how it goes on from there.

use crate::fleet::Fleet;
use crate::kv::{BlockTable, HashNumbers, Numbering};
use crate::replica::{Replica, Stranded};
use crate::request::{ActiveRequest, Book, Load, Slab, Slot};
use base::Shared;

/// What a packed cluster has beside its packed caches.
#[derive(Debug)]
pub(crate) struct Packed {
    /// The hashes in all caches.
    hashes: Vec<u64>,
}

impl Packed {
    pub(crate) fn bytes(&self) -> u64 {
        8 * self.hashes.len() as u64
    }
}

/// Most replicas whose blocks can be seen one by one.
const BLOCKS_SHOWN: usize = 8;

/// Whether single blocks can be seen: of a small cluster. Replicas that have stopped count too, so that a cluster that was large
/// stays so.
pub(crate) fn shows_blocks(replicas: &[Replica]) -> bool {
    replicas.len() <= BLOCKS_SHOWN
}

/// Whether anything depends on the numbers of blocks.
pub(super) fn numbering(replicas: &[Replica]) -> Numbering {
    let by_number = shows_blocks(replicas) || replicas.iter().any(|r| r.kv().reloads() || r.kv().has_order());
    if by_number { Numbering::Kept } else { Numbering::Anew }
}

/// Which blocks of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// Those of the replica that has it.
    Own,
    /// Those set aside at its home.
    Reserved,
    /// Those held on its prefill replica.
    Held,
}

/// The requests that hold blocks of a replica: those of its batch, those that wait for what they have asked for, and those on
/// their way from here or to here.
pub(super) fn holders(r: &Replica, slab: &Slab) -> Vec<(Slot, Of)> {
    let some = |slot: Slot| (slot != Slot::NONE).then_some(slot);
    let batch = std::iter::successors(some(r.head), |&slot| some(slab[slot].after));
    let loading = r
        .waiting
        .iter()
        .copied()
        .filter(|&slot| matches!(slab[slot].load, Load::UnderWay { .. } | Load::Done { .. }));
    let own = batch.chain(loading).chain(r.moving.landed.iter().copied()).map(|slot| (slot, Of::Own));
    let reserved = r.moving.incoming.iter().map(|&slot| (slot, Of::Reserved));
    own.chain(reserved).chain(r.moving.outgoing.iter().map(|&slot| (slot, Of::Held))).collect()
}

/// These blocks of a request.
pub(super) fn table(request: &ActiveRequest, of: Of) -> &BlockTable {
    match (of, &request.remote) {
        (Of::Reserved, Some(remote)) => &remote.reserved,
        (Of::Held, Some(remote)) => &remote.held,
        (Of::Own | Of::Reserved | Of::Held, _) => &request.block_table,
    }
}

/// The same, to be changed.
fn table_mut(request: &mut ActiveRequest, of: Of) -> &mut BlockTable {
    match (of, &mut request.remote) {
        (Of::Reserved, Some(remote)) => &mut remote.reserved,
        (Of::Held, Some(remote)) => &mut remote.held,
        (Of::Own | Of::Reserved | Of::Held, _) => &mut request.block_table,
    }
}

/// Copies for keeping, whose caches are packed. They can do nothing until [`unpack`]. Nothing of what is packed is copied.
pub(crate) fn pack(fleet: &mut Fleet, book: &mut Book) -> (Fleet, Book, Packed) {
    let numbering = numbering(fleet.replicas());
    let mut numbers = HashNumbers::default();
    let pack = |r: &Replica| {
        let holders = holders(r, book.active());
        let tables = holders.iter().map(|&(slot, of)| table(&book.active()[slot], of));
        let stranded = r.moving.stranded.iter().map(|stranded| &stranded.held);
        let life = fleet.life().into_iter().flat_map(|life| &life.under_way);
        let prefetched = life.filter(|one| one.replica == r.id).map(|one| &one.table);
        let tables: Vec<&BlockTable> = tables.chain(stranded).chain(prefetched).collect();
        r.kv().packed(&tables, numbering, &mut numbers)
    };
    let mut pools: Vec<_> = fleet.replicas().iter().map(pack).map(Shared::new).collect();
    let swap = |replicas: &mut [Replica], pools: &mut [_]| {
        for (r, pool) in replicas.iter_mut().zip(pools) {
            std::mem::swap(&mut r.kv, pool);
        }
    };
    swap(fleet.replicas_mut(), &mut pools);
    let mut copy = fleet.clone();
    for r in copy.replicas_mut() {
        r.moving.stranded.iter_mut().for_each(Stranded::forget_blocks);
    }
    swap(fleet.replicas_mut(), &mut pools);
    (copy, book.packed(), Packed { hashes: numbers.finish() })
}

/// Goes on from a copy that was kept.
pub(crate) fn unpack(fleet: &mut Fleet, book: &mut Book, packed: &Packed) {
    book.unpack();
    for r in fleet.replicas_mut() {
        let holders = holders(r, book.active());
        let prefetching = r.kv().prefetching() as usize;
        let all = holders.len() + r.moving.stranded.len() + prefetching;
        let mut tables = r.kv.own().unpack(all, &packed.hashes).into_iter();
        for ((slot, of), blocks) in holders.into_iter().zip(&mut tables) {
            table_mut(&mut book.active_mut()[slot], of).have(blocks);
        }
        // Those of prefetches are the same as before: where there are any, blocks keep their numbers.
        for (stranded, blocks) in r.moving.stranded.iter_mut().zip(tables) {
            stranded.held.have(blocks);
        }
    }
}
