//! Requests held at the gateway because their pool has no replica that serves, but an autoscaler that can start one, or because the
//! run began without replicas of it.

use super::around::Around;
use super::state::Gateway;
use crate::clock::{ClusterEvent, ScalingEvent};
use crate::facts::{RequestFact, Sink};
use crate::policy::Reason;
use crate::request::{Location, Slot};
use base::RequestId;
use serde::{Deserialize, Serialize};

/// A request that waits for a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HeldRequest {
    pub(super) slot: Slot,
    pub(super) request: RequestId,
    /// The pools that can serve it, as bits by number.
    pools: u64,
}

/// Why a request is sent to none of the pools that can serve it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoReplicaIn {
    /// These pools, as bits by number.
    pub(super) pools: u64,
    pub(super) reason: Reason,
}

impl Gateway {
    /// Holds a request for which there is no replica, if there is one to wait for; whether it does.
    pub(super) fn hold_for_replica<S: Sink>(
        &mut self,
        slot: Slot,
        lack: NoReplicaIn,
        around: &mut Around<'_>,
        sink: &mut S,
    ) -> bool {
        let NoReplicaIn { pools, reason } = lack;
        if !matches!(reason, Reason::NoReplica | Reason::NoReplicaOfModel) {
            return false;
        }
        let Some(longest) = around.fleet.longest_hold(pools) else { return false };
        let (now, request) = (around.now, around.book.active()[slot].id);
        self.held.push_back(HeldRequest { slot, request, pools });
        around.clock.schedule_scaling(now.saturating_add(longest), ScalingEvent::HoldOver(request));
        around.book.here_mut(request).refused = Some(reason);
        sink.fact(now, RequestFact::Delayed { request, reason }.into());
        self.wake_pools(pools, around, sink);
        true
    }

    /// A request is held: autoscalers that need no measurement for that start a replica at once.
    pub(super) fn wake_pools<S: Sink>(&mut self, pools: u64, around: &mut Around<'_>, sink: &mut S) {
        let now = around.now;
        for pool in (0..around.fleet.pools()).filter(|pool| pools >> pool & 1 == 1) {
            if let Some(decided) = around.fleet.wake(pool, now, &self.source) {
                let held = self.held_for(pool);
                around.fleet.carry_out(decided, held, around.clock, sink);
                self.follow(around);
            }
        }
    }

    /// A pool has a replica that serves: those that wait for one are routed.
    pub(super) fn release_held(&mut self, pool: u32, around: &mut Around<'_>) {
        if self.held.is_empty() {
            return;
        }
        let can = |held: &HeldRequest| held.pools >> pool & 1 == 1;
        let going: Vec<HeldRequest> = self.held.iter().copied().filter(can).collect();
        self.held.retain(|held| !can(held));
        for held in going {
            around.book.here_mut(held.request).refused = None;
            self.back_to_router(held.request, around);
            around.clock.schedule(around.now, ClusterEvent::Routing(held.slot));
        }
    }

    /// A request has been held for as long as it may be; if it is gone by now, nothing happens.
    pub(crate) fn end_hold<S: Sink>(&mut self, request: RequestId, around: &mut Around<'_>, sink: &mut S) {
        if around.book.records().at(request.index()).location() != Location::Gateway {
            return;
        }
        // Nearly always the first: all are held for as long.
        let Some(at) = self.held.iter().position(|held| held.request == request) else { return };
        let Some(held) = self.held.remove(at) else { return };
        let reason = around.book.here(request).refused;
        self.back_to_router(request, around);
        self.turn_away(held.slot, reason.unwrap_or(Reason::NoReplica), around, sink);
    }

    /// Requests held for replicas of a pool, or that wait because its replicas are saturated.
    pub(crate) fn held_for(&self, pool: u32) -> u32 {
        let waiting = self.flow.as_ref().map_or(0, |flow| flow.waiting_for(pool));
        self.held.iter().filter(|held| held.pools >> pool & 1 == 1).count() as u32 + waiting
    }

    /// Requests that wait at the gateway for a pool: those held for its replicas, all that admission delays, and all that flow
    /// control queues.
    pub(crate) fn queue_for(&self, pool: u32) -> u32 {
        self.held_for(pool) + self.admission.delayed() + self.flow.as_ref().map_or(0, |flow| flow.waiting())
    }

    /// Requests held for replicas.
    pub(crate) fn held(&self) -> u32 {
        self.held.len() as u32
    }
}
