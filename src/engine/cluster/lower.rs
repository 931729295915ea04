//! Flows of blocks between tiers: their events, which are the cluster's, and what follows from their ends at the replica that
//! reads or writes.

use crate::Cluster;
use crate::clock::{ClusterEvent, Event};
use crate::facts::{FlowOutcome, Sink, TierNews};
use crate::network::{Direction, LowerTiers, NetworkEvent};
use base::{Micros, ReplicaId};

impl Cluster {
    /// The next event of flows of blocks, if it comes before `other`.
    #[inline]
    pub(crate) fn flow_event_or(&self, other: (Micros, ClusterEvent)) -> (Micros, ClusterEvent) {
        let Some(lower) = &self.fleet.lower else { return other };
        let (at, event) = lower.next_event();
        let event = match event {
            NetworkEvent::Lands => ClusterEvent::BlocksLand,
            NetworkEvent::Flows | NetworkEvent::TimesOut => ClusterEvent::BlocksFlow,
        };
        if (at, event.order()) < (other.0, other.1.order()) { (at, event) } else { other }
    }

    fn lower_mut(&mut self) -> &mut LowerTiers {
        self.fleet.lower.as_mut().expect("INV-13: a flow without tiers")
    }

    /// The first byte of the next flow of blocks moves.
    pub(crate) fn begin_blocks<S: Sink>(&mut self, sink: &mut S) {
        let now = self.clock.now();
        let lower = self.lower_mut();
        let flow = lower.pop();
        lower.begin(flow, now);
        sink.tiers(now, TierNews::FlowBegan { flow });
    }

    /// The blocks of the next flow are there, unless their lease was over.
    pub(crate) fn land_blocks<S: Sink>(&mut self, sink: &mut S) {
        let now = self.clock.now();
        let lower = self.lower_mut();
        let number = lower.pop();
        let has_landed = !lower.is_late(number, now);
        self.end_blocks(number, has_landed, sink);
    }

    /// A flow of blocks is over: they are there, or it has failed.
    fn end_blocks<S: Sink>(&mut self, number: u32, has_landed: bool, sink: &mut S) {
        let now = self.clock.now();
        let replica = self.lower_mut().flow(number).replica;
        let (r, mut world) = self.fleet.replica_in_world(replica.index(), &mut self.book, sink);
        let Some(flow) = world.end_flow(number, has_landed, now) else { return };
        let outcome = if has_landed { FlowOutcome::Landed } else { FlowOutcome::Failed };
        if let Some(lower) = world.lower.as_mut().filter(|_| !has_landed) {
            lower.count_failed(&flow);
        }
        world.sink.tiers(now, TierNews::FlowEnded { flow: number, outcome });
        r.tell_time(now);
        r.flow_ended(&flow, has_landed, now, &mut world);
        self.see(replica, 0, sink);
        if self.fleet.is_unsettled() {
            self.settle_moves(replica.index(), sink);
        }
    }

    /// A replica is lost: what others read from its CPU memory does not come.
    pub(crate) fn fail_pulls<S: Sink>(&mut self, source: ReplicaId, sink: &mut S) {
        let Some(lower) = &self.fleet.lower else { return };
        let flows = lower.flows().iter().filter(|flow| flow.source == Some(source));
        for number in flows.map(|flow| flow.number).collect::<Vec<_>>() {
            self.end_blocks(number, false, sink);
        }
    }

    /// A store goes down at `now`, by this fault: reads of it fail, writes to it are lost.
    pub(crate) fn store_goes_down<S: Sink>(&mut self, name: &str, fault: u32, now: Micros, sink: &mut S) {
        let Some(lower) = &mut self.fleet.lower else { return };
        let flows = lower.store_goes_down(name, fault, now);
        let latest = self.clock.stand_at(now);
        for number in flows {
            self.end_blocks(number, false, sink);
        }
        if let Some(lower) = &mut self.fleet.lower {
            lower.forget_contents(name, now);
        }
        self.clock.stand_at(latest);
    }

    /// The store that this fault took down works again, unless another one lasts. What waits to be written sets out.
    pub(crate) fn store_is_back<S: Sink>(&mut self, fault: u32, sink: &mut S) {
        let now = self.clock.now();
        let Some(lower) = &mut self.fleet.lower else { return };
        lower.store_is_back(fault, now);
        for index in 0..self.fleet.replicas().len() {
            let (r, mut world) = self.fleet.replica_in_world(index, &mut self.book, sink);
            r.flush(now, &mut world);
        }
    }

    /// Transfers between replicas and flows of blocks over the same ports have equal shares from `now` on.
    #[inline]
    pub(crate) fn share_ports(&mut self, now: Micros) {
        if self.network.is_some() && self.fleet.lower.is_some() {
            self.tell_sharers(now);
        }
    }

    #[inline(never)]
    fn tell_sharers(&mut self, now: Micros) {
        let (Some(network), Some(lower)) = (&mut self.network, &mut self.fleet.lower) else { return };
        let (transfers, flows) = (network.take_change(), lower.take_change());
        if !transfers && !flows {
            return;
        }
        for index in 0..network.replicas() {
            let replica = ReplicaId(index as u32);
            let both = [Direction::In, Direction::Out];
            if transfers {
                lower.share_with(replica, both.map(|of| network.port(replica, of).flows()), now);
            }
            if flows {
                for (of, users) in both.into_iter().zip(lower.users(replica)) {
                    network.share_with((replica, of), users, now);
                }
            }
        }
    }

    /// INV-9: where nothing has changed since, transfers and flows of blocks know of each other.
    pub(crate) fn verify_ports(&self) {
        let (Some(network), Some(lower)) = (&self.network, &self.fleet.lower) else { return };
        if network.has_changed() || lower.has_changed() {
            return;
        }
        for replica in (0..network.replicas()).map(|index| ReplicaId(index as u32)) {
            let known = lower.sharers(replica);
            let here = [Direction::In, Direction::Out].map(|of| network.port(replica, of));
            let here = here.map(|port| [port.others(), port.flows()]);
            assert!(known == here, "INV-9: who uses the ports of {replica:?}: {known:?}, {here:?}");
        }
    }

    /// What tiers lie below CPU memory, and what is on its way between them.
    pub fn lower_tiers(&self) -> Option<&LowerTiers> {
        self.fleet.lower.as_deref()
    }
}
