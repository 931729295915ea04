//! The life of replicas: those that a pool starts with, and those that come and go while the cluster runs.

use super::fact::{Fact, Sink};
use super::gateway::look_at;
use super::replica::{Parts, Replica};
use super::{Cluster, Tier};
use crate::base::{Micros, ReplicaId};
use crate::kv::BlockPool;
use crate::policy::{Phase, ReplicaView, Signals};

impl Cluster {
    /// Brings a pool to `wanted` serving replicas: the highest numbers go first. Those that went come back before new ones
    /// are added, the lowest numbers first; one that was empty in the meantime had been given up and starts again with an
    /// empty cache.
    pub(super) fn scale<S: Sink>(&mut self, pool: u32, wanted: u32, now: Micros, sink: &mut S) {
        let mut serving = self.replicas.iter().filter(|r| r.pool == pool && r.serving).count() as u32;
        for r in self.replicas.iter_mut().rev() {
            if serving > wanted && r.pool == pool && r.serving {
                r.serving = false;
                self.views[r.id.index()].phase = Phase::Draining;
                serving -= 1;
                self.draining += 1;
                sink.fact(now, Fact::Draining { replica: r.id });
            }
        }
        for (r, in_flight) in self.replicas.iter_mut().zip(&self.in_flight) {
            if serving < wanted && r.pool == pool && !r.serving {
                if *in_flight == 0 {
                    r.kv.restart();
                }
                r.serving = true;
                self.views[r.id.index()].phase = Phase::Serving;
                serving += 1;
                self.draining -= 1;
                sink.fact(now, Fact::Serving { replica: r.id, pool });
            }
        }
        while serving < wanted {
            let id = self.add_replica(pool);
            self.replicas[id.index()].recent.idle_since = now;
            serving += 1;
            sink.fact(now, Fact::Serving { replica: id, pool });
        }
        self.rebuild_tournament();
    }

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
        let parts = Parts { limits: b.limits, priority, scheduler, model, kv };
        self.replicas.push(Replica::new(id, pool, self.compat, parts));
        let added = &self.replicas[id.index()];
        self.views.push(look_at(added, &ReplicaView::unseen(id, pool)));
        self.viewed_at.push(Micros::ZERO);
        self.signals.push(Signals::default());
        self.oldest_view = Micros::ZERO;
        self.in_flight.push(0);
        id
    }
}
