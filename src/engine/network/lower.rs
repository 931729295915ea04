//! The tiers below CPU memory of all replicas: where their blocks lie, and the flows that read and write them.
//!
//! A tier is a disk of the replica's own or a store that replicas share. Both are a place with ports; what tells them apart is
//! whose ports a flow uses: those of the disk, or those of the store and of the replica.

use super::NetworkEvent;
use super::flows::{Flow, Flows, NewFlow};
use crate::facts::FlowKind;
use crate::kv::{Place, PlaceSettings};
use base::{Micros, ReplicaId, RequestId, Span};
use serde::{Deserialize, Serialize};

/// What a store is made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoreFigures {
    /// Its room, and what goes when it is full.
    pub place: PlaceSettings,
    /// Bytes per second to its readers, all together.
    pub read_bytes_per_s: u64,
    /// Bytes per second from its writers, all together.
    pub write_bytes_per_s: u64,
    /// Time before the first byte.
    pub base: Span,
}

/// What one tier below CPU memory of a replica is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LowerFigures {
    /// A disk of its own.
    Disk(StoreFigures),
    /// The store of this name.
    Store(String),
}

/// The tiers below CPU memory of a pool's replicas.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LowerPlan {
    pub(crate) tiers: Vec<LowerFigures>,
    /// Bytes per second of a replica's ports in each direction.
    pub(crate) port_bytes_per_s: u64,
    pub(crate) block_bytes: u64,
}

/// A tier as one replica sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct LowerTier {
    place: u32,
    base: Span,
    read: Vec<u32>,
    write: Vec<u32>,
    /// Blocks read and written by flows that landed, and flows that failed.
    counts: LowerCounts,
}

/// Counters of a tier of one replica.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LowerCounts {
    /// Blocks that were read.
    pub read: u64,
    /// Blocks that were written.
    pub written: u64,
    /// Flows that failed.
    pub failed: u64,
}

/// The tiers of one replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct OfReplica {
    tiers: Vec<LowerTier>,
    block_bytes: u64,
    /// Its network ports: in and out.
    ports: [u32; 2],
}

/// A store.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct OfStore {
    name: String,
    place: u32,
    base: Span,
    /// Its ports to readers and from writers.
    ports: [u32; 2],
}

/// The tiers below CPU memory of all replicas.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LowerTiers {
    flows: Flows,
    /// Of stores and of disks.
    places: Vec<Place>,
    stores: Vec<OfStore>,
    replicas: Vec<OfReplica>,
}

impl LowerTiers {
    /// The stores, without any replica.
    pub(crate) fn new(stores: &[(String, StoreFigures)], shared: bool) -> Self {
        let mut all =
            Self { flows: Flows::new(shared), places: Vec::new(), stores: Vec::new(), replicas: Vec::new() };
        for (name, figures) in stores {
            all.add_store(name, figures);
        }
        all
    }

    fn add_store(&mut self, name: &str, figures: &StoreFigures) {
        let speeds = [figures.read_bytes_per_s, figures.write_bytes_per_s];
        let ports = speeds.map(|rate| self.flows.add_port(rate));
        self.places.push(Place::new(figures.place));
        let place = self.places.len() as u32 - 1;
        self.stores.push(OfStore { name: name.to_owned(), place, base: figures.base, ports });
    }

    /// Follows other sizes, speeds and leases of the stores from `now` on; a new one is empty. One that is gone is used by nobody.
    pub(crate) fn adopt(&mut self, stores: &[(String, StoreFigures)], shared: bool, now: Micros) {
        let mut speeds = Vec::new();
        for (name, new) in stores {
            let Some(store) = self.stores.iter_mut().find(|store| store.name == *name) else {
                self.add_store(name, new);
                continue;
            };
            store.base = new.base;
            let (place, ports) = (store.place, store.ports);
            if *self.places[place as usize].settings() != new.place {
                self.places[place as usize].adopt(new.place, now);
            }
            speeds.extend([(ports[0], new.read_bytes_per_s), (ports[1], new.write_bytes_per_s)]);
            for tier in self.replicas.iter_mut().flat_map(|r| &mut r.tiers) {
                if tier.place == place {
                    tier.base = new.base;
                }
            }
        }
        self.flows.change(shared, speeds.into_iter(), now);
    }

    /// A replica comes.
    pub(crate) fn add(&mut self, plan: &LowerPlan) {
        let [into, out] = [(); 2].map(|()| self.flows.add_port(plan.port_bytes_per_s));
        let mut tiers = Vec::new();
        for tier in &plan.tiers {
            let (place, base, read, write) = match tier {
                LowerFigures::Store(name) => {
                    let store = self.stores.iter().find(|store| store.name == *name);
                    let store = store.expect("INV-13: a tier is a store that is not there");
                    let [read, write] = store.ports;
                    (store.place, store.base, vec![read, into], vec![out, write])
                }
                LowerFigures::Disk(figures) => {
                    self.places.push(Place::new(figures.place));
                    let [read, write] = [figures.read_bytes_per_s, figures.write_bytes_per_s]
                        .map(|rate| vec![self.flows.add_port(rate)]);
                    (self.places.len() as u32 - 1, figures.base, read, write)
                }
            };
            tiers.push(LowerTier { place, base, read, write, counts: LowerCounts::default() });
        }
        self.replicas.push(OfReplica { tiers, block_bytes: plan.block_bytes, ports: [into, out] });
    }

    /// The network ports of replicas are as fast as this from `now` on.
    pub(crate) fn change(&mut self, ports: impl Iterator<Item = u64>, now: Micros) {
        let both = self.replicas.iter().zip(ports).flat_map(|(r, rate)| r.ports.map(|port| (port, rate)));
        self.flows.change(self.flows.is_shared(), both.collect::<Vec<_>>().into_iter(), now);
    }

    fn tier(&self, replica: ReplicaId, tier: u32) -> &LowerTier {
        &self.replicas[replica.index()].tiers[tier as usize]
    }

    /// How many tiers a replica has below CPU memory.
    pub(crate) fn tiers(&self, replica: ReplicaId) -> u32 {
        self.replicas.get(replica.index()).map_or(0, |r| r.tiers.len() as u32)
    }

    /// The place of a tier of a replica.
    pub fn place(&self, replica: ReplicaId, tier: u32) -> &Place {
        &self.places[self.tier(replica, tier).place as usize]
    }

    /// The place of a store.
    pub fn store(&self, name: &str) -> Option<&Place> {
        let store = self.stores.iter().find(|store| store.name == name)?;
        Some(&self.places[store.place as usize])
    }

    pub(crate) fn place_mut(&mut self, replica: ReplicaId, tier: u32) -> &mut Place {
        let place = self.tier(replica, tier).place;
        &mut self.places[place as usize]
    }

    /// Counters of a tier of a replica.
    pub fn counts(&self, replica: ReplicaId, tier: u32) -> LowerCounts {
        self.tier(replica, tier).counts
    }

    /// Bytes that flows which are over have moved for a tier of a replica, read and written; nothing where none has begun. Of a
    /// store these are all replicas'.
    pub fn moved(&self, replica: ReplicaId, tier: u32) -> [Option<u64>; 2] {
        let tier = self.tier(replica, tier);
        [tier.read[0], tier.write[tier.write.len() - 1]].map(|port| self.flows.moved_over(port))
    }

    /// Bytes that flows which are over have moved over the network ports of a replica, in and out; nothing where none has begun.
    pub fn moved_by_network(&self, replica: ReplicaId) -> [Option<u64>; 2] {
        self.replicas[replica.index()].ports.map(|port| self.flows.moved_over(port))
    }

    /// Most flows at one instant.
    pub fn peak_flows(&self) -> u32 {
        self.flows.peak()
    }

    /// The flows under way, in order of number.
    pub fn flows(&self) -> &[Flow] {
        self.flows.under_way()
    }

    /// The first tier of a replica from which a request may read a block, but those it is `barred` from.
    pub(crate) fn find(&mut self, replica: ReplicaId, hash: u64, barred: &[u32], now: Micros) -> Option<u32> {
        (0..self.tiers(replica))
            .filter(|tier| !barred.contains(tier))
            .find(|&tier| self.place_mut(replica, tier).holds(hash, now))
    }

    /// The first tier of a replica that has a block for a prefetch, which counts as no lookup.
    pub(crate) fn find_uncounted(&mut self, replica: ReplicaId, hash: u64, now: Micros) -> Option<u32> {
        (0..self.tiers(replica)).find(|&tier| self.place_mut(replica, tier).finds(hash, now))
    }

    /// How long a read of `blocks` blocks would take that began now, if nothing changed.
    pub(crate) fn estimate(&self, replica: ReplicaId, tier: u32, blocks: u64) -> Span {
        let bytes = blocks * self.replicas[replica.index()].block_bytes;
        let tier = self.tier(replica, tier);
        tier.base + self.flows.estimate(&tier.read, bytes)
    }

    /// Blocks set out, from a tier or to it. The flow.
    pub(crate) fn start(
        &mut self,
        (kind, request): (FlowKind, Option<RequestId>),
        (replica, tier): (ReplicaId, u32),
        hashes: Vec<u64>,
        now: Micros,
    ) -> &Flow {
        if kind != FlowKind::Write {
            self.place_mut(replica, tier).begin_read(&hashes);
        }
        let bytes = hashes.len() as u64 * self.replicas[replica.index()].block_bytes;
        let of = self.tier(replica, tier);
        let ports = match kind {
            FlowKind::Read | FlowKind::Prefetch(_) => of.read.clone(),
            FlowKind::Write => of.write.clone(),
        };
        let base = of.base;
        self.flows.start(NewFlow { kind, replica, tier, request, hashes, bytes, ports }, base, now)
    }

    /// When its next event runs, and what that is; [`Micros::MAX`] if there is none.
    #[inline]
    pub(crate) fn next_event(&self) -> (Micros, NetworkEvent) {
        self.flows.next_event()
    }

    pub(crate) fn pop(&mut self) -> u32 {
        self.flows.pop()
    }

    /// The first byte of a flow moves.
    pub(crate) fn begin(&mut self, number: u32, now: Micros) {
        self.flows.begin(number, now);
    }

    /// Whether a read has taken longer than the lease of what it reads.
    pub(crate) fn is_late(&self, number: u32, now: Micros) -> bool {
        let flow = self.flows.flow(number);
        let lease = self.place(flow.replica, flow.tier).settings().lease;
        flow.kind != FlowKind::Write && lease > Span::ZERO && now > flow.asked.saturating_add(lease)
    }

    /// A flow ends: its blocks are there, or will not come by it.
    pub(crate) fn end(&mut self, number: u32, has_landed: bool, now: Micros) -> Flow {
        let flow = self.flows.end(number, now);
        let place = self.place_mut(flow.replica, flow.tier);
        match flow.kind {
            FlowKind::Read | FlowKind::Prefetch(_) => place.end_read(&flow.hashes, now),
            FlowKind::Write if has_landed => place.arrive(&flow.hashes, now),
            FlowKind::Write => place.forget(&flow.hashes),
        }
        let counts = &mut self.replicas[flow.replica.index()].tiers[flow.tier as usize].counts;
        let blocks = flow.hashes.len() as u64;
        match flow.kind {
            FlowKind::Read | FlowKind::Prefetch(_) => counts.read += if has_landed { blocks } else { 0 },
            FlowKind::Write => counts.written += if has_landed { blocks } else { 0 },
        }
        flow
    }

    /// A flow that ended has failed.
    pub(crate) fn count_failed(&mut self, flow: &Flow) {
        self.replicas[flow.replica.index()].tiers[flow.tier as usize].counts.failed += 1;
    }

    /// Whole blocks of a flow that have come.
    pub(crate) fn whole_blocks(&self, flow: &Flow) -> u64 {
        flow.moved() / self.replicas[flow.replica.index()].block_bytes
    }

    /// INV-13.
    pub(crate) fn verify(&self) {
        self.flows.verify();
        for place in &self.places {
            place.verify();
        }
    }
}
