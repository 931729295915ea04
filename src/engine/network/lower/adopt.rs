//! Places below CPU memory and their ports that follow an edit.

use super::{LowerFigures, LowerPlan, LowerTiers, StoreFigures};
use base::{Micros, ReplicaId};

impl LowerTiers {
    /// Follows other sizes, speeds and leases of the stores from `now` on; a new one is empty. One that is gone is used by nobody.
    pub(crate) fn adopt(&mut self, stores: &[(String, StoreFigures)], shared: bool, now: Micros) {
        let mut speeds = Vec::new();
        for (name, new) in stores {
            let Some(store) = self.stores.iter_mut().find(|store| store.name == *name) else {
                self.add_store(name, new);
                continue;
            };
            store.base = new.base;
            (store.keeps_contents, store.soft_pins) = (new.keeps_contents, new.soft_pins);
            let (place, ports) = (store.place, store.ports);
            if *self.places[place as usize].settings() != new.place {
                self.places[place as usize].adopt(new.place, now);
            }
            speeds.extend([(ports[0], new.read_bytes_per_s), (ports[1], new.write_bytes_per_s)]);
            for tier in self.replicas.iter_mut().flat_map(|r| &mut r.tiers) {
                if tier.place == Some(place) {
                    tier.base = new.base;
                }
            }
        }
        self.flows.change(shared, speeds.into_iter(), now);
    }

    /// The disks of a replica that stays, and the latency of its peers, follow a plan with the same tiers from `now` on.
    pub(crate) fn renew(&mut self, replica: ReplicaId, plan: &LowerPlan, now: Micros) {
        let mut speeds = Vec::new();
        let Some(of) = self.replicas.get_mut(replica.index()) else { return };
        for (tier, figures) in of.tiers.iter_mut().zip(&plan.tiers) {
            match (figures, tier.place) {
                (LowerFigures::Disk(new), Some(place)) => {
                    tier.base = new.base;
                    let place = &mut self.places[place as usize];
                    if *place.settings() != new.place {
                        place.adopt(new.place, now);
                    }
                    let ports = tier.read.iter().zip(&tier.write);
                    speeds.extend(ports.flat_map(|(read, write)| {
                        [(*read, new.read_bytes_per_s), (*write, new.write_bytes_per_s)]
                    }));
                }
                (LowerFigures::Peers(base), _) => tier.base = *base,
                (LowerFigures::Disk(_), None) | (LowerFigures::Store(_), _) => {}
            }
        }
        self.flows.change(self.flows.is_shared(), speeds.into_iter(), now);
    }
}
