//! Requests held at the gateway because their pool has no replica that serves, but an autoscaler that can start one, or because the
//! run began without replicas of it.

use crate::base::{Micros, RequestId};
use crate::engine::Cluster;
use crate::engine::clock::ClusterEvent;
use crate::engine::facts::{Fact, Sink};
use crate::engine::fleet::ScalingEvent;
use crate::engine::request::{Location, Slot};
use crate::policy::Reason;
use serde::{Deserialize, Serialize};

/// A request that waits for a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::engine) struct Held {
    pub(in crate::engine) slot: Slot,
    request: RequestId,
    /// The pools that can serve it, as bits by number.
    pub(in crate::engine) pools: u64,
}

impl Cluster {
    /// Holds a request for which there is no replica, if there is one to wait for; whether it does.
    pub(in crate::engine) fn hold_for_replica<S: Sink>(
        &mut self,
        slot: Slot,
        pools: u64,
        reason: Reason,
        sink: &mut S,
    ) -> bool {
        let (now, request) = (self.clock, self.active[slot].id);
        let Some(scaling) = &mut self.scaling else { return false };
        if !matches!(reason, Reason::NoReplica | Reason::NoReplicaOfModel) {
            return false;
        }
        let can = |i: usize| pools >> i & 1 == 1;
        let hold = scaling.pools.iter().enumerate().filter(|(i, p)| can(*i) && (p.is_active() || p.expects));
        let Some(longest) = hold.map(|(_, p)| p.hold).max().filter(|hold| hold.0 > 0) else { return false };
        scaling.held.push_back(Held { slot, request, pools });
        scaling.events.schedule(now.saturating_add(longest), ScalingEvent::HoldOver(request));
        self.records.here_mut(request).refused = Some(reason);
        sink.fact(now, Fact::Delayed { request, reason });
        self.wake_pools(pools, sink);
        true
    }

    /// A pool has a replica that serves: those that wait for one are routed.
    pub(in crate::engine) fn release_held(&mut self, pool: u32, now: Micros) {
        let Some(scaling) = &mut self.scaling else { return };
        scaling.pools[pool as usize].expects = false;
        if scaling.held.is_empty() {
            return;
        }
        let can = |held: &Held| held.pools >> pool & 1 == 1;
        let going: Vec<Held> = scaling.held.iter().copied().filter(can).collect();
        scaling.held.retain(|held| !can(held));
        for held in going {
            self.records.here_mut(held.request).refused = None;
            self.back_to_router(held.request, now);
            self.events.schedule(now, ClusterEvent::Routing(held.slot));
        }
    }

    /// A request has been held for as long as it may be; if it is gone by now, nothing happens.
    pub(in crate::engine) fn end_hold<S: Sink>(&mut self, request: RequestId, now: Micros, sink: &mut S) {
        if self.records.at(request.index()).location() != Location::Gateway {
            return;
        }
        let Some(scaling) = &mut self.scaling else { return };
        // Nearly always the first: all are held for as long.
        let Some(at) = scaling.held.iter().position(|held| held.request == request) else { return };
        let Some(held) = scaling.held.remove(at) else { return };
        let reason = self.records.here(request).refused.unwrap_or(Reason::NoReplica);
        self.back_to_router(request, now);
        self.turn_away(held.slot, reason, now, sink);
    }

    /// Requests held for replicas of a pool.
    pub fn held_for(&self, pool: u32) -> u32 {
        let can = |held: &&Held| held.pools >> pool & 1 == 1;
        self.scaling.as_ref().map_or(0, |s| s.held.iter().filter(can).count() as u32)
    }

    /// Requests held for replicas.
    pub fn held(&self) -> u32 {
        self.scaling.as_ref().map_or(0, |s| s.held.len() as u32)
    }
}
