//! Flows of blocks between tiers: their events, which are the cluster's, and what follows from their ends at the replica that
//! reads or writes.

use crate::Cluster;
use crate::clock::{ClusterEvent, Event};
use crate::facts::{FlowOutcome, Sink, TierNews};
use crate::network::{LowerTiers, NetworkEvent};
use base::Micros;

impl Cluster {
    /// The next event of flows of blocks, if it comes before `other`.
    #[inline]
    pub(crate) fn flow_event_or(&self, other: (Micros, ClusterEvent)) -> (Micros, ClusterEvent) {
        let Some(lower) = &*self.fleet.lower else { return other };
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
        let flow = lower.end(number, has_landed, now);
        let outcome = if has_landed { FlowOutcome::Landed } else { FlowOutcome::Failed };
        if !has_landed {
            lower.count_failed(&flow);
        }
        sink.tiers(now, TierNews::FlowEnded { flow: number, outcome });
        let replica = flow.replica;
        let (r, mut world) = self.fleet.replica_in_world(replica.index(), &mut self.book, sink);
        r.tell_time(now);
        r.flow_ended(&flow, has_landed, now, &mut world);
        self.see(replica, 0, sink);
    }

    /// What tiers lie below CPU memory, and what is on its way between them.
    pub fn lower_tiers(&self) -> Option<&LowerTiers> {
        self.fleet.lower.value.as_deref()
    }
}
