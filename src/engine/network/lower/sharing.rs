//! The network ports of replicas, which flows of blocks share with transfers between prefill and decode replicas.

use super::LowerTiers;
use crate::network::PortUse;
use base::{Micros, ReplicaId};

impl LowerTiers {
    /// Whether flows began or ended since this was asked.
    pub(crate) fn take_change(&mut self) -> bool {
        self.flows.take_change()
    }

    /// Whether flows began or ended since their number was passed on to transfers.
    pub(crate) fn has_changed(&self) -> bool {
        self.flows.has_changed()
    }

    /// How many flows, and how many transfers, use the network ports of a replica, in and out.
    pub(crate) fn sharers(&self, replica: ReplicaId) -> [[u32; 2]; 2] {
        self.replicas[replica.index()].ports.map(|port| [self.flows.users(port), self.flows.others(port)])
    }

    /// How many flows use the network ports of a replica now, in and out.
    pub(crate) fn users(&self, replica: ReplicaId) -> [u32; 2] {
        self.replicas[replica.index()].ports.map(|port| self.flows.users(port))
    }

    /// Sets the number of transfers between replicas that use the network ports of a replica from `now` on, in and out.
    pub(crate) fn share_with(&mut self, replica: ReplicaId, others: [u32; 2], now: Micros) {
        for (port, others) in self.replicas[replica.index()].ports.into_iter().zip(others) {
            self.flows.share_with(port, others, now);
        }
    }

    /// The network ports of a replica carry this share of their bytes from `now` on.
    pub(crate) fn set_working(&mut self, replica: ReplicaId, share: f64, now: Micros) {
        let ports = self.replicas.get(replica.index()).map(|r| r.ports);
        for port in ports.into_iter().flatten() {
            self.flows.set_working(port, share, now);
        }
    }

    /// The use of the network ports of a replica, in and out, by flows between tiers.
    pub fn ports(&self, replica: ReplicaId) -> [PortUse; 2] {
        self.replicas[replica.index()].ports.map(|port| self.flows.port(port))
    }

    /// Bytes that flows which are over have moved over the network ports of a replica, in and out; nothing where none has begun.
    pub fn moved_by_network(&self, replica: ReplicaId) -> [Option<u64>; 2] {
        self.replicas[replica.index()].ports.map(|port| self.flows.moved_over(port))
    }

    /// The network ports of replicas are as fast as this from `now` on.
    pub(crate) fn change(&mut self, ports: impl Iterator<Item = u64>, now: Micros) {
        let both = self.replicas.iter().zip(ports).flat_map(|(r, rate)| r.ports.map(|port| (port, rate)));
        self.flows.change(self.flows.is_shared(), both.collect::<Vec<_>>().into_iter(), now);
    }
}
