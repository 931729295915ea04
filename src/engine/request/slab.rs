//! The requests in the system, in slots that are used again, and how the rest of the engine refers to them.

use super::active::ActiveRequest;
use super::packed_slab::PackedSlab;
use super::slot::Slot;
use base::Content;
use base::small::sort::sort_by_key;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// All requests in the system.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Slab {
    slots: Vec<ActiveRequest>,
    /// By slot: how many requests had it before. Kept apart, so that telling an old reference touches no request.
    generations: Vec<u32>,
    vacant: Vec<u32>,
    /// The requests while they are kept in a checkpoint.
    #[serde(skip)]
    packed: Option<Rc<PackedSlab>>,
}

impl Slab {
    /// About how many bytes a copy takes.
    pub(crate) fn bytes(&self) -> u64 {
        let of = |a: &ActiveRequest| {
            let text = size_of_val(a.text.pieces());
            size_of::<ActiveRequest>() + 4 * a.block_table.len() as usize + 8 * a.chain.len() + text
        };
        let packed = self.packed.as_ref().map_or(0, |packed| packed.bytes());
        (self.slots.iter().map(of).sum::<usize>() + packed + 4 * (self.generations.len() + self.vacant.len()))
            as u64
    }

    /// A copy for keeping, which refers to nothing until [`Slab::unpack`].
    pub(crate) fn packed(&self) -> Self {
        Self {
            slots: Vec::new(),
            generations: self.generations.clone(),
            vacant: self.vacant.clone(),
            packed: Some(Rc::new(PackedSlab::new(&self.slots))),
        }
    }

    /// Has its requests again, without their blocks.
    pub(crate) fn unpack(&mut self) {
        if let Some(packed) = self.packed.take() {
            self.slots = packed.requests();
        }
    }

    /// Sorts members of one batch into the order in which they joined it.
    #[inline]
    pub(crate) fn sort_by_order(&self, slots: &mut Vec<Slot>) {
        if slots.len() > 1 {
            sort_by_key(slots, |&slot| self[slot].order);
        }
    }

    pub(crate) fn add(&mut self, active: ActiveRequest) -> Slot {
        if let Some(index) = self.vacant.pop() {
            let place = &mut self.slots[index as usize];
            let block_table = std::mem::take(&mut place.block_table);
            *place = ActiveRequest { block_table, ..active };
            return Slot { index, generation: self.generations[index as usize] };
        }
        let index = self.slots.len() as u32;
        self.slots.push(active);
        self.generations.push(0);
        Slot { index, generation: 0 }
    }

    /// The request has left: no reference to it finds anything from now on.
    pub(crate) fn remove(&mut self, slot: Slot) {
        let active = &mut self[slot];
        assert!(active.block_table.is_empty(), "INV-4: request {:?} left with blocks", active.id);
        active.text = Content::EMPTY;
        active.chain = Vec::new();
        active.order = u64::MAX;
        let generation = &mut self.generations[slot.index as usize];
        *generation = generation.wrapping_add(1);
        self.vacant.push(slot.index);
    }

    /// The requests in the system.
    pub(crate) fn in_use(&self) -> Vec<Slot> {
        let mut used = vec![true; self.slots.len()];
        for &vacant in &self.vacant {
            used[vacant as usize] = false;
        }
        let slot = |index: u32| Slot { index, generation: self.generations[index as usize] };
        (0..self.slots.len() as u32).filter(|&index| used[index as usize]).map(slot).collect()
    }

    /// The request that `slot` refers to, if it is still in the system.
    pub(crate) fn get(&self, slot: Slot) -> Option<&ActiveRequest> {
        let known = self.generations.get(slot.index as usize);
        known.filter(|known| **known == slot.generation).map(|_| &self.slots[slot.index as usize])
    }

    fn verify(&self, slot: Slot) {
        let generation = self.generations[slot.index as usize];
        assert!(generation == slot.generation, "INV-2: a reference outlived its request in {slot:?}");
    }
}

impl std::ops::Index<Slot> for Slab {
    type Output = ActiveRequest;
    fn index(&self, slot: Slot) -> &ActiveRequest {
        self.verify(slot);
        &self.slots[slot.index as usize]
    }
}

impl std::ops::IndexMut<Slot> for Slab {
    fn index_mut(&mut self, slot: Slot) -> &mut ActiveRequest {
        self.verify(slot);
        &mut self.slots[slot.index as usize]
    }
}
