//! The tiers below CPU memory of all replicas: where their blocks lie, and the flows that read and write them.
//!
//! A tier is a disk of the replica's own, a store that replicas share, or CPU memory of other replicas. The first two are a place
//! with ports; what tells them apart is whose ports a flow uses: those of the disk, or those of the store and of the replica. The
//! third has no place of its own: what is there, the other replica says, and a flow uses its port and the reader's.

mod sharing;

use super::NetworkEvent;
use super::flows::{Flow, Flows, NewFlow, PortUse};
use super::lower_tier::{LowerCounts, LowerTier};
use super::sources::Sources;
use crate::facts::FlowKind;
use crate::kv::{Busy, Place, PlaceSettings};
use base::stats::Sketch;
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
    /// Whether its contents are there again after it was down.
    pub keeps_contents: bool,
    /// Whether directives pin softly what is put there.
    pub soft_pins: bool,
}

/// What one tier below CPU memory of a replica is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LowerFigures {
    /// A disk of its own.
    Disk(StoreFigures),
    /// The store of this name.
    Store(String),
    /// CPU memory of other replicas, with this time before the first byte.
    Peers(Span),
}

/// The tiers below CPU memory of a pool's replicas.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LowerPlan {
    pub(crate) tiers: Vec<LowerFigures>,
    /// Bytes per second of a replica's ports in each direction.
    pub(crate) port_bytes_per_s: u64,
    pub(crate) block_bytes: u64,
    /// Pools of one number have blocks of the same model and size.
    pub(crate) kind: u32,
}

/// What a place below CPU memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TierKind {
    Disk,
    Store,
}

/// The tiers of one replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct OfReplica {
    tiers: Vec<LowerTier>,
    block_bytes: u64,
    /// Its network ports: in and out.
    ports: [u32; 2],
    kind: u32,
}

/// A store.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct OfStore {
    name: String,
    place: u32,
    base: Span,
    /// Its ports to readers and from writers.
    ports: [u32; 2],
    keeps_contents: bool,
    soft_pins: bool,
    /// The faults by which it is down.
    down: Vec<u32>,
}

/// A store as it is now.
#[derive(Clone, Copy, Debug)]
pub struct StoreSight<'a> {
    /// Its name.
    pub name: &'a str,
    /// What is in it.
    pub place: &'a Place,
    /// Its ports to readers and from writers.
    pub ports: [PortUse; 2],
}

/// The tiers below CPU memory of all replicas.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LowerTiers {
    flows: Flows,
    /// Of stores and of disks.
    places: Vec<Place>,
    stores: Vec<OfStore>,
    replicas: Vec<OfReplica>,
    /// Which replicas blocks are pulled from.
    pub(crate) sources: Sources,
    /// Whether any replica pulls blocks from others, or did.
    any_peers: bool,
}

impl LowerTiers {
    /// The stores, without any replica.
    pub(crate) fn new(stores: &[(String, StoreFigures)], shared: bool) -> Self {
        let mut all = Self {
            flows: Flows::new(shared),
            places: Vec::new(),
            stores: Vec::new(),
            replicas: Vec::new(),
            sources: Sources::default(),
            any_peers: false,
        };
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
        self.stores.push(OfStore {
            name: name.to_owned(),
            place,
            base: figures.base,
            ports,
            keeps_contents: figures.keeps_contents,
            soft_pins: figures.soft_pins,
            down: Vec::new(),
        });
    }

    /// A store is down, by this fault. The flows from it and to it.
    pub(crate) fn store_goes_down(&mut self, name: &str, fault: u32, now: Micros) -> Vec<u32> {
        let Some(store) = self.stores.iter_mut().find(|store| store.name == name) else { return Vec::new() };
        store.down.push(fault);
        let place = store.place;
        self.places[place as usize].set_down(true, now);
        let its = |flow: &&Flow| self.tier(flow.replica, flow.tier).place == Some(place);
        self.flows().iter().filter(its).map(|flow| flow.number).collect()
    }

    /// A store that is down has nothing any more, if it is one that does not keep its contents.
    pub(crate) fn forget_contents(&mut self, name: &str, now: Micros) {
        if let Some(store) = self.stores.iter().find(|store| store.name == name && !store.keeps_contents) {
            self.places[store.place as usize].empty(now);
        }
    }

    /// A store that this fault took down works again, if no other one lasts.
    pub(crate) fn store_is_back(&mut self, fault: u32, now: Micros) {
        let Some(store) = self.stores.iter_mut().find(|store| store.down.contains(&fault)) else { return };
        store.down.retain(|other| *other != fault);
        let is_down = !store.down.is_empty();
        self.places[store.place as usize].set_down(is_down, now);
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
                    (Some(store.place), store.base, vec![read, into], vec![out, write])
                }
                LowerFigures::Disk(figures) => {
                    self.places.push(Place::new(figures.place));
                    let [read, write] = [figures.read_bytes_per_s, figures.write_bytes_per_s]
                        .map(|rate| vec![self.flows.add_port(rate)]);
                    (Some(self.places.len() as u32 - 1), figures.base, read, write)
                }
                LowerFigures::Peers(base) => (None, *base, Vec::new(), Vec::new()),
            };
            let (counts, waits, busy) = (LowerCounts::default(), Sketch::default(), Busy::default());
            tiers.push(LowerTier { place, base, read, write, counts, waits, busy });
        }
        self.any_peers |= tiers.iter().any(|tier| tier.place.is_none());
        let (block_bytes, ports, kind) = (plan.block_bytes, [into, out], plan.kind);
        self.replicas.push(OfReplica { tiers, block_bytes, ports, kind });
    }

    pub(super) fn tier(&self, replica: ReplicaId, tier: u32) -> &LowerTier {
        &self.replicas[replica.index()].tiers[tier as usize]
    }

    pub(super) fn tier_mut(&mut self, replica: ReplicaId, tier: u32) -> &mut LowerTier {
        &mut self.replicas[replica.index()].tiers[tier as usize]
    }

    /// How many tiers a replica has below CPU memory.
    pub fn tiers(&self, replica: ReplicaId) -> u32 {
        self.replicas.get(replica.index()).map_or(0, |r| r.tiers.len() as u32)
    }

    /// The place of a tier of a replica; none where its blocks lie at other replicas.
    pub fn place(&self, replica: ReplicaId, tier: u32) -> Option<&Place> {
        self.tier(replica, tier).place.map(|place| &self.places[place as usize])
    }

    /// Whether a replica pulls blocks from others, and they from it.
    pub fn has_peers(&self, replica: ReplicaId) -> bool {
        self.replicas.get(replica.index()).is_some_and(|r| r.tiers.iter().any(|tier| tier.place.is_none()))
    }

    /// Whether any replica does.
    pub(crate) fn any_peers(&self) -> bool {
        self.any_peers
    }

    /// Whether two replicas have blocks of the same model and size.
    pub(crate) fn are_alike(&self, one: ReplicaId, other: ReplicaId) -> bool {
        let kind = |replica: ReplicaId| self.replicas.get(replica.index()).map(|r| r.kind);
        kind(one) == kind(other)
    }

    /// Whether any flow reads from the CPU memory of a replica.
    pub(crate) fn reads_from(&self, source: ReplicaId) -> bool {
        self.flows().iter().any(|flow| flow.source == Some(source))
    }

    /// The name of the store that a tier of a replica is; none if it is another kind of tier.
    pub fn store_of(&self, replica: ReplicaId, tier: u32) -> Option<&str> {
        let place = self.tier(replica, tier).place?;
        self.stores.iter().find(|store| store.place == place).map(|store| store.name.as_str())
    }

    /// Whether directives pin softly what a replica puts into a tier.
    pub(crate) fn pins_softly(&self, replica: ReplicaId, tier: u32) -> bool {
        let place = self.tier(replica, tier).place;
        self.stores.iter().any(|store| store.soft_pins && Some(store.place) == place)
    }

    /// What a tier of a replica is called: `fs`, `p2p`, or the name of the store.
    pub fn name_of(&self, replica: ReplicaId, tier: u32) -> &str {
        let other = if self.tier(replica, tier).place.is_some() { "fs" } else { "p2p" };
        self.store_of(replica, tier).unwrap_or(other)
    }

    /// The disks of a replica, in order.
    pub fn disks(&self, replica: ReplicaId) -> impl Iterator<Item = &Place> {
        let own = move |tier: &u32| self.store_of(replica, *tier).is_none();
        (0..self.tiers(replica)).filter(own).filter_map(move |tier| self.place(replica, tier))
    }

    /// Whether a replica finds a block in any place below CPU memory, however long it was not used.
    pub fn has_below(&self, replica: ReplicaId, hash: u64) -> bool {
        (0..self.tiers(replica)).filter_map(|tier| self.place(replica, tier)).any(|place| place.sees(hash))
    }

    /// Bytes of a block of a replica.
    pub fn block_bytes(&self, replica: ReplicaId) -> u64 {
        self.replicas[replica.index()].block_bytes
    }

    /// The place of a store.
    pub fn store(&self, name: &str) -> Option<&Place> {
        let store = self.stores.iter().find(|store| store.name == name)?;
        Some(&self.places[store.place as usize])
    }

    /// The stores, in the order of the scenario.
    pub fn stores(&self) -> impl Iterator<Item = StoreSight<'_>> {
        self.stores.iter().map(|store| StoreSight {
            name: &store.name,
            place: &self.places[store.place as usize],
            ports: store.ports.map(|port| self.flows.port(port)),
        })
    }

    pub(crate) fn place_mut(&mut self, replica: ReplicaId, tier: u32) -> Option<&mut Place> {
        let place = self.tier(replica, tier).place?;
        Some(&mut self.places[place as usize])
    }

    /// Bytes that flows which are over have moved for a tier of a replica, read and written; nothing where none has begun. Of a
    /// store these are all replicas'.
    pub fn moved(&self, replica: ReplicaId, tier: u32) -> [Option<u64>; 2] {
        let tier = self.tier(replica, tier);
        [tier.read.first(), tier.write.last()].map(|port| port.and_then(|port| self.flows.moved_over(*port)))
    }

    /// Most flows at one instant.
    pub fn peak_flows(&self) -> u32 {
        self.flows.peak()
    }

    /// The flows under way, in order of number.
    pub fn flows(&self) -> &[Flow] {
        self.flows.under_way()
    }

    /// The ports of a read: from the CPU memory of `source` where the tier is that of peers.
    fn read_ports(&self, replica: ReplicaId, tier: u32, source: Option<ReplicaId>) -> Vec<u32> {
        let (of, into) = (self.tier(replica, tier), self.replicas[replica.index()].ports[0]);
        match (of.place, source) {
            (None, Some(source)) => vec![self.replicas[source.index()].ports[1], into],
            (Some(_), _) | (None, None) => of.read.clone(),
        }
    }

    /// The first tier of a replica that has a block for a prefetch, which counts as no lookup.
    pub(crate) fn find_uncounted(&mut self, replica: ReplicaId, hash: u64, now: Micros) -> Option<u32> {
        (0..self.tiers(replica))
            .find(|&tier| self.place_mut(replica, tier).is_some_and(|place| place.finds(hash, now)))
    }

    /// How long a read of `blocks` blocks for a request would take that began now, if nothing changed.
    pub(crate) fn estimate(
        &self,
        (replica, request): (ReplicaId, RequestId),
        tier: u32,
        blocks: u64,
    ) -> Span {
        let bytes = blocks * self.replicas[replica.index()].block_bytes;
        let ports = self.read_ports(replica, tier, self.sources.of(request));
        self.tier(replica, tier).base + self.flows.estimate(&ports, bytes)
    }

    /// Blocks set out, from a tier or to it. The flow.
    pub(crate) fn start(
        &mut self,
        (kind, request): (FlowKind, Option<RequestId>),
        (replica, tier): (ReplicaId, u32),
        hashes: Vec<u64>,
        now: Micros,
    ) -> &Flow {
        if kind != FlowKind::Write
            && let Some(place) = self.place_mut(replica, tier)
        {
            place.begin_read(&hashes);
        }
        let bytes = hashes.len() as u64 * self.replicas[replica.index()].block_bytes;
        let of = self.tier(replica, tier);
        let ports = match kind {
            FlowKind::Read | FlowKind::Prefetch(_) => of.read.clone(),
            FlowKind::Write => of.write.clone(),
        };
        let (base, source) = (of.base, None);
        self.flows.start(NewFlow { kind, replica, tier, request, source, hashes, bytes, ports }, base, now)
    }

    /// Blocks set out from the CPU memory of `source`, which answers from the instant `free` on. The flow.
    pub(crate) fn pull(
        &mut self,
        (request, source): (RequestId, ReplicaId),
        (replica, tier): (ReplicaId, u32),
        hashes: Vec<u64>,
        (now, free): (Micros, Micros),
    ) -> &Flow {
        let bytes = hashes.len() as u64 * self.replicas[replica.index()].block_bytes;
        let ports = self.read_ports(replica, tier, Some(source));
        let base = free.max(now).since(now) + self.tier(replica, tier).base;
        let (kind, request, source) = (FlowKind::Read, Some(request), Some(source));
        self.flows.start(NewFlow { kind, replica, tier, request, source, hashes, bytes, ports }, base, now)
    }

    /// When its next event runs, and what that is; [`Micros::MAX`] if there is none.
    #[inline]
    pub(crate) fn next_event(&self) -> (Micros, NetworkEvent) {
        self.flows.next_event()
    }

    pub(crate) fn pop(&mut self) -> u32 {
        self.flows.pop()
    }

    /// A flow under way.
    pub(crate) fn flow(&self, number: u32) -> &Flow {
        self.flows.flow(number)
    }

    /// The first byte of a flow moves.
    pub(crate) fn begin(&mut self, number: u32, now: Micros) {
        self.flows.begin(number, now);
        let flow = self.flows.flow(number);
        let (replica, tier) = (flow.replica, flow.tier);
        self.tier_mut(replica, tier).busy.begins(now);
    }

    /// Whether a read has taken longer than the lease of what it reads.
    pub(crate) fn is_late(&self, number: u32, now: Micros) -> bool {
        let flow = self.flows.flow(number);
        let place = self.place(flow.replica, flow.tier);
        let lease = place.map_or(Span::ZERO, |place| place.settings().lease);
        flow.kind != FlowKind::Write && lease > Span::ZERO && now > flow.asked.saturating_add(lease)
    }

    /// A flow ends: its blocks are there, or will not come by it.
    pub(crate) fn end(&mut self, number: u32, has_landed: bool, now: Micros) -> Flow {
        let flow = self.flows.end(number, now);
        if let Some(place) = self.place_mut(flow.replica, flow.tier) {
            match flow.kind {
                FlowKind::Read | FlowKind::Prefetch(_) => place.end_read(&flow.hashes, now),
                FlowKind::Write if has_landed => place.arrive(&flow.hashes, now),
                FlowKind::Write => place.forget(&flow.hashes),
            }
        }
        self.tier_mut(flow.replica, flow.tier).ended(&flow, has_landed, now);
        flow
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

mod adopt;
mod late;
