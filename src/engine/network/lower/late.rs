//! What readers see of the places below CPU memory, perhaps late.

use super::{LowerTiers, TierKind};
use base::{Micros, ReplicaId, Span};

impl LowerTiers {
    /// Readers see the contents of all places as they were that long ago, from `now` on; 0: as they are.
    pub(crate) fn see_late(&mut self, delay: Span, now: Micros) {
        for place in &mut self.places {
            place.see_late(delay, now);
        }
    }

    /// Whether a replica has a disk.
    pub(crate) fn has_disk(&self, replica: ReplicaId) -> bool {
        let is_store = |place: u32| self.stores.iter().any(|store| store.place == place);
        let tiers = self.replicas.get(replica.index()).map_or(&[][..], |of| &of.tiers);
        tiers.iter().filter_map(|tier| tier.place).any(|place| !is_store(place))
    }

    /// The first place below CPU memory in which readers see a block of a replica at `now`. Not counted as a lookup.
    pub(crate) fn shows(&mut self, replica: ReplicaId, hash: u64, now: Micros) -> Option<TierKind> {
        let tiers = &self.replicas.get(replica.index())?.tiers;
        let places = &mut self.places;
        let place = tiers
            .iter()
            .filter_map(|tier| tier.place)
            .find(|place| places[*place as usize].shows(hash, now))?;
        let is_store = self.stores.iter().any(|store| store.place == place);
        Some(if is_store { TierKind::Store } else { TierKind::Disk })
    }
}
