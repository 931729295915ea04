//! INV-9: blocks of requests between two replicas are held exactly by those that are on their way, and the KV of each is valid in
//! one place.

use super::Sight;
use crate::kv::BlockTable;
use crate::network::Network;
use crate::replica::Replica;
use crate::request::Location;
use base::ReplicaId;

impl Sight<'_> {
    /// Requests whose KV is on its way to a replica, or will be as soon as its transfer has started.
    pub(super) fn travelling_to(&self, home: ReplicaId) -> u32 {
        let replica = &self.fleet.replicas()[home.index()];
        let is_travelling = |id| self.book.here(id).location() == Location::Transferring(home);
        let slots = replica.moving.incoming.iter();
        slots.filter(|&&slot| is_travelling(self.book.active()[slot].id)).count() as u32
    }

    /// INV-9.1 to 9.3 of one replica: adds the block tables of requests outside its batch and queue to `held`. Their states.
    pub(super) fn verify_moving<'a>(&'a self, r: &'a Replica, held: &mut Vec<&'a BlockTable>) -> u32 {
        let (slab, block) = (self.book.active(), r.kv.block_tokens());
        let (mut states, mut reserved, mut outgoing) = (0, 0, 0);
        for &slot in &r.moving.incoming {
            let active = &slab[slot];
            let remote = active.remote.as_ref().expect("INV-9: blocks set aside for a request that is here");
            let need = (active.prompt_tokens + remote.ahead).div_ceil(block);
            assert!(
                remote.home == r.id && remote.is_reserved && remote.reserved.len() == need,
                "INV-9: {:?} has {} of {need} blocks set aside",
                active.id,
                remote.reserved.len()
            );
            reserved += need;
            states += r.states_of(active);
            held.push(&remote.reserved);
        }
        for &slot in &r.moving.outgoing {
            let active = &slab[slot];
            let remote = active.remote.as_ref().expect("INV-9: blocks held for a request that has landed");
            let need = active.prompt_tokens.div_ceil(block);
            assert!(
                remote.prefill == r.id && remote.prefilled && remote.held.len() == need,
                "INV-9: {:?} has {} of {need} blocks held",
                active.id,
                remote.held.len()
            );
            outgoing += need;
            states += r.states_of(active);
            held.push(&remote.held);
        }
        for &slot in &r.moving.landed {
            let active = &slab[slot];
            let need = (active.progress + 1).div_ceil(block);
            assert!(
                active.remote.is_none() && active.block_table.len() == need,
                "INV-9: {:?} has landed with {} of {need} blocks",
                active.id,
                active.block_table.len()
            );
            states += r.states_of(active);
            held.push(&active.block_table);
        }
        for stranded in &r.moving.stranded {
            states += stranded.states;
            held.push(&stranded.held);
        }
        assert!(
            (reserved, outgoing) == (r.moving.reserved_blocks, r.moving.held_blocks),
            "INV-9: blocks set aside or held on {:?} are miscounted",
            r.id
        );
        states
    }

    /// INV-9 of the network: each transfer is owned at both ends, and requests that count at a replica they have not reached do.
    pub(crate) fn verify_network(&self, network: &Network) {
        network.verify();
        let slab = self.book.active();
        for t in network.under_way() {
            let slot = self.book.here(t.request).slot;
            let [from, to] = [t.from, t.to].map(|id| &self.fleet.replicas()[id.index()]);
            assert!(
                from.moving.outgoing.contains(&slot) && to.moving.incoming.contains(&slot),
                "INV-9: {:?} travels and is not owned at both ends",
                t.request
            );
        }
        let mut bound = vec![0_u32; self.fleet.replicas().len()];
        let mut duties = bound.clone();
        for record in self.book.records() {
            let remote = slab.get(record.slot).and_then(|active| active.remote.as_deref());
            let Some(remote) = remote else { continue };
            let home = (!remote.home_lost).then_some(remote.home);
            for replica in home.into_iter().chain([remote.prefill]) {
                bound[replica.index()] += u32::from(remote.is_bound_for(replica));
                duties[replica.index()] += 1;
            }
        }
        for (r, duties) in self.fleet.replicas().iter().zip(duties) {
            let counted = r.moving.on_duty();
            assert!(counted == duties, "INV-9: {:?} has a part in {duties} hand-overs, not {counted}", r.id);
        }
        for (r, bound) in self.fleet.replicas().iter().zip(bound) {
            assert!(
                r.bound() == bound,
                "INV-9: {bound} requests are bound for {:?}, not {}",
                r.id,
                r.bound()
            );
        }
    }
}
