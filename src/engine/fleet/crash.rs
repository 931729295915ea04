//! Replicas that crash, and that come back.

use super::scaling::PoolScaler;
use super::state::Fleet;
use crate::clock::{Clock, ScalingEvent};
use crate::facts::{BreakReason, FaultFact, FleetFact, Sink};
use crate::policy::ReplicaPhase;
use crate::replica::Replica;
use crate::request::{Book, Remote, Slot};
use base::{Micros, ReplicaId, Span};
use document::Drain;

/// A replica that goes down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crash {
    pub(crate) replica: ReplicaId,
    pub(crate) now: Micros,
    /// It serves again after that; never if it is 0.
    pub(crate) restart: Span,
    /// Whether it is restarted as planned.
    pub(crate) planned: bool,
}

/// A replica that is to be restarted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedRestart {
    pub(crate) replica: ReplicaId,
    /// How long its requests may take; without end if it is 0.
    pub(crate) drain: Span,
    /// How long the restart takes.
    pub(crate) restart: Span,
}

/// A request whose KV does not come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BrokenTransfer {
    pub(crate) slot: Slot,
    pub(crate) reason: BreakReason,
    pub(crate) now: Micros,
}

impl Fleet {
    /// A replica crashes. How many requests have left it; `None` if it was not there. One that was to go does not come back.
    pub(crate) fn crash<S: Sink>(
        &mut self,
        crash: Crash,
        book: &mut Book,
        clock: &mut Clock,
        sink: &mut S,
    ) -> Option<u32> {
        let Crash { replica, now, restart, planned } = crash;
        let index = replica.index();
        let phase = self.replicas.get(index)?.phase;
        let comes_back = match phase {
            ReplicaPhase::Serving
            | ReplicaPhase::Starting
            | ReplicaPhase::WarmingUp
            | ReplicaPhase::Ejected => restart > Span::ZERO,
            ReplicaPhase::Draining => self.replicas[index].life.restarts.is_some() && restart > Span::ZERO,
            ReplicaPhase::Stopped | ReplicaPhase::Failed => return None,
        };
        self.forget_livelock();
        let (r, mut world) = self.replica_in_world(index, book, sink);
        let blocks = r.kv().used() + r.kv().cached();
        r.crash(now, &mut world);
        clock.set_replica(index, r.next_at());
        let until = if comes_back { now.saturating_add(restart) } else { Micros::MAX };
        let (pool, life) = (r.pool, &mut r.life);
        life.since = now;
        life.starts += 1;
        life.crashes += 1;
        life.hidden = true;
        life.ends = [until; 6];
        life.restarts = None;
        let start = life.starts;
        self.set_phase(replica, ReplicaPhase::Failed);
        sink.fact(now, FaultFact::Down { replica, pool, until, planned, blocks }.into());
        if comes_back {
            clock.schedule_scaling(until, ScalingEvent::Ready { replica, start });
        }
        Some(self.departed())
    }

    /// A request breaks at its home before its KV is there. What it had of a hand-over.
    pub(crate) fn break_away<S: Sink>(
        &mut self,
        home: ReplicaId,
        broken: BrokenTransfer,
        book: &mut Book,
        sink: &mut S,
    ) -> Remote {
        let BrokenTransfer { slot, reason, now } = broken;
        let (r, mut world) = self.replica_in_world(home.index(), book, sink);
        r.break_away(slot, reason, now, &mut world)
    }

    /// A request computes its prompt at its home, to which its KV will not come. What it had of a hand-over.
    pub(crate) fn recompute<S: Sink>(
        &mut self,
        home: ReplicaId,
        slot: Slot,
        now: Micros,
        book: &mut Book,
        sink: &mut S,
    ) -> Remote {
        let (r, mut world) = self.replica_in_world(home.index(), book, sink);
        r.recompute(slot, now, &mut world)
    }

    /// Whether a replica that drains goes down at some instant, with the requests that it has.
    pub(crate) fn any_goes_down(&self) -> bool {
        let goes_down = |r: &Replica| {
            let latest = r.life.restarts.map_or(Micros::MAX, |(_, latest)| latest);
            r.phase == ReplicaPhase::Draining && latest < Micros::MAX && r.in_flight() > 0
        };
        self.replicas.iter().any(goes_down)
    }

    /// Whether a replica is down.
    pub(crate) fn is_down(&self, replica: ReplicaId) -> bool {
        self.replicas[replica.index()].phase == ReplicaPhase::Failed
    }

    /// A replica that serves gets no new requests from now on, and is restarted when it has none or has drained for too long. Others
    /// are left as they are.
    pub(crate) fn drain_to_restart<S: Sink>(
        &mut self,
        planned: PlannedRestart,
        now: Micros,
        clock: &mut Clock,
        sink: &mut S,
    ) {
        let PlannedRestart { replica, drain, restart } = planned;
        if self.replicas[replica.index()].phase != ReplicaPhase::Serving {
            return;
        }
        self.set_phase(replica, ReplicaPhase::Draining);
        let r = &mut self.replicas[replica.index()];
        let latest = if drain > Span::ZERO { now.saturating_add(drain) } else { Micros::MAX };
        (r.life.drain, r.life.restarts, r.life.since) = (Drain::Wait, Some((restart, latest)), now);
        let start = r.life.starts;
        if latest < Micros::MAX {
            clock.schedule_scaling(latest, ScalingEvent::Restart { replica, start });
        }
        sink.fact(now, FleetFact::Draining { replica }.into());
        self.restart_if_empty(replica, now, clock);
    }

    /// A replica that drains to be restarted is restarted as soon as its last request has left.
    pub(super) fn restart_if_empty(&self, replica: ReplicaId, now: Micros, clock: &mut Clock) {
        let r = &self.replicas[replica.index()];
        if self.restarts(replica).is_some() && r.in_flight() == 0 && r.outgoing() + r.stranded() == 0 {
            clock.schedule_scaling(now, ScalingEvent::Restart { replica, start: r.life.starts });
        }
    }

    /// How long the restart takes for which a replica drains.
    pub(crate) fn restarts(&self, replica: ReplicaId) -> Option<Span> {
        let r = &self.replicas[replica.index()];
        r.life.restarts.filter(|_| r.phase == ReplicaPhase::Draining).map(|(restart, _)| restart)
    }

    /// Whether a replica does not serve, and will again.
    pub(super) fn comes_back(&self, replica: ReplicaId) -> bool {
        let r = &self.replicas[replica.index()];
        let down = r.phase == ReplicaPhase::Failed && r.life.ends[5] != Micros::MAX;
        down || self.restarts(replica).is_some_and(|restart| restart > Span::ZERO)
    }

    /// Whether requests may find a replica, now or later: one is there or comes back, or an autoscaler may start one.
    pub(crate) fn any_may_serve(&self) -> bool {
        let may_serve = |r: &Replica| match r.phase {
            ReplicaPhase::Stopped => false,
            ReplicaPhase::Failed => self.comes_back(r.id),
            ReplicaPhase::Starting
            | ReplicaPhase::WarmingUp
            | ReplicaPhase::Serving
            | ReplicaPhase::Draining
            | ReplicaPhase::Ejected => true,
        };
        self.replicas.iter().any(may_serve) || self.scalers.iter().any(PoolScaler::is_active)
    }

    /// Whether any replica of `pools` is down.
    pub(crate) fn any_is_down(&self, pools: u64) -> bool {
        self.replicas.iter().any(|r| r.phase == ReplicaPhase::Failed && pools >> r.pool & 1 == 1)
    }

    /// A replica that is down, or drains to be restarted, is not wanted any more.
    pub(super) fn give_up_restart(&mut self, replica: ReplicaId) {
        let life = &mut self.replicas[replica.index()].life;
        life.starts += 1;
        life.ends = [Micros::MAX; 6];
        life.restarts = None;
        self.stop_if_drained(replica);
    }

    /// Routers know of what became of a replica.
    pub(crate) fn reveal(&mut self, replica: ReplicaId) {
        self.replicas[replica.index()].life.hidden = false;
    }
}
