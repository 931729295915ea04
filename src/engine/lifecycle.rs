//! The life of replicas: those that a pool starts with, and those that come and go while the cluster runs.

use super::fact::{Fact, Sink};
use super::gateway::look_at;
use super::replica::{Parts, Replica};
use super::{Blueprint, Cluster, Tier};
use crate::base::{Micros, ReplicaId};
use crate::kv::BlockPool;
use crate::policy::{ReplicaPhase, ReplicaView, Signals};

impl Cluster {
    /// Brings a pool to `wanted` serving replicas: those of an older edition go first, then the highest numbers. Those that
    /// went come back before new ones are added, the lowest numbers first: one that still drains goes on, one that has
    /// stopped starts again. Those of an older edition never come back.
    pub(super) fn scale<S: Sink>(&mut self, pool: u32, wanted: u32, now: Micros, sink: &mut S) {
        let of_pool: Vec<ReplicaId> = self.replicas.iter().filter(|r| r.pool == pool).map(|r| r.id).collect();
        let serves = |cluster: &Self, id: ReplicaId| cluster.replicas[id.index()].serving();
        let mut serving = of_pool.iter().filter(|id| serves(self, **id)).count() as u32;
        for older in [true, false] {
            for &replica in of_pool.iter().rev() {
                if serving > wanted && serves(self, replica) && self.is_older(replica) == older {
                    self.drain(replica, now, sink);
                    serving -= 1;
                }
            }
        }
        for &replica in &of_pool {
            if serving < wanted && !serves(self, replica) && !self.is_older(replica) {
                self.serve(replica, now, sink);
                serving += 1;
            }
        }
        while serving < wanted {
            self.start(pool, now, sink);
            serving += 1;
        }
        self.rebuild_tournament();
    }

    /// Whether a replica is of an older edition than its pool.
    fn is_older(&self, replica: ReplicaId) -> bool {
        let r = &self.replicas[replica.index()];
        r.edition != self.pools[r.pool as usize].edition
    }

    /// Replaces the replicas of a pool that are of an older edition, one after the other: one drains, and a new one starts
    /// beside it; once it is empty, the next one follows.
    pub(super) fn renew<S: Sink>(&mut self, pool: u32, now: Micros, sink: &mut S) {
        let Blueprint { at_once, .. } = self.pools[pool as usize];
        let older: Vec<ReplicaId> = self
            .replicas
            .iter()
            .filter(|r| r.pool == pool)
            .map(|r| r.id)
            .filter(|id| self.is_older(*id))
            .collect();
        for &replica in &older {
            let phase = |id: &ReplicaId| self.replicas[id.index()].phase;
            if !at_once && older.iter().any(|id| phase(id) == ReplicaPhase::Draining) {
                break;
            }
            if phase(&replica) == ReplicaPhase::Serving {
                self.drain(replica, now, sink);
                self.start(pool, now, sink);
            }
        }
        self.rebuild_tournament();
    }

    /// The last request of a replica has left: if it drained to be replaced, the next one follows.
    pub(super) fn follow_up<S: Sink>(&mut self, replica: ReplicaId, now: Micros, sink: &mut S) {
        if self.is_older(replica) {
            self.renew(self.replicas[replica.index()].pool, now, sink);
        }
    }

    fn start<S: Sink>(&mut self, pool: u32, now: Micros, sink: &mut S) {
        let replica = self.add_replica(pool);
        self.replicas[replica.index()].recent.idle_since = now;
        self.serve(replica, now, sink);
    }

    /// A replica gets no new requests from now on; it stops when it has none.
    fn drain<S: Sink>(&mut self, replica: ReplicaId, now: Micros, sink: &mut S) {
        self.set_phase(replica, ReplicaPhase::Draining);
        sink.fact(now, Fact::Draining { replica });
        self.stop_if_drained(replica);
    }

    /// A replica takes new requests from now on. One that had stopped starts with an empty cache; starting takes no time.
    fn serve<S: Sink>(&mut self, replica: ReplicaId, now: Micros, sink: &mut S) {
        let r = &mut self.replicas[replica.index()];
        let pool = r.pool;
        if r.phase == ReplicaPhase::Stopped {
            r.kv.restart();
            self.set_phase(replica, ReplicaPhase::Starting);
        }
        self.set_phase(replica, ReplicaPhase::Serving);
        sink.fact(now, Fact::Serving { replica, pool });
    }

    /// A replica that drains stops when its last request has left.
    pub(super) fn stop_if_drained(&mut self, replica: ReplicaId) {
        let drains = self.replicas[replica.index()].phase == ReplicaPhase::Draining;
        if drains && self.in_flight[replica.index()] == 0 {
            self.set_phase(replica, ReplicaPhase::Stopped);
            if self.is_older(replica) {
                // It never comes back: its cache is given up.
                self.replicas[replica.index()].kv.restart();
            }
        }
    }

    /// The one place where the phase of a replica changes.
    pub(super) fn set_phase(&mut self, replica: ReplicaId, next: ReplicaPhase) {
        let r = &mut self.replicas[replica.index()];
        assert!(r.phase.leads_to(next), "INV-2: {replica:?} went from {:?} to {next:?}", r.phase);
        self.not_serving += u32::from(r.phase == ReplicaPhase::Serving);
        self.not_serving -= u32::from(next == ReplicaPhase::Serving);
        r.phase = next;
        self.views[replica.index()].phase = next;
    }

    /// Adds a replica that starts.
    pub(super) fn add_replica(&mut self, pool: u32) -> ReplicaId {
        let id = ReplicaId(self.replicas.len() as u32);
        let b = &self.pools[pool as usize];
        let mut kv = BlockPool::new(b.resolved.blocks.0, b.block_tokens, b.caching);
        match b.tier {
            Tier::None => {}
            Tier::Store(settings) => kv = kv.with_store(settings),
            Tier::Reload(settings) => kv = kv.with_reload(settings),
        }
        let (priority, scheduler, model) =
            (b.priority.clone(), b.scheduler.clone(), b.resolved.model.clone());
        let (limits, gpus, usd_per_hour) = (b.limits, b.gpus, b.resolved.usd_per_hour);
        let parts = Parts { limits, priority, scheduler, model, gpus, usd_per_hour, kv };
        self.replicas.push(Replica::new(id, (pool, b.edition), self.compat, parts));
        let added = &self.replicas[id.index()];
        self.views.push(look_at(added, &ReplicaView::unseen(id, pool)));
        self.viewed_at.push(Micros::ZERO);
        self.signals.push(Signals::default());
        self.oldest_view = Micros::ZERO;
        self.in_flight.push(0);
        self.not_serving += 1;
        id
    }
}
