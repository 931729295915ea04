//! Edits: what changes while the cluster runs, between two events.

use super::fact::{Fact, Sink};
use super::gateway::look_at;
use super::replica::{Limits, Parts, Replica};
use super::{Engine, Tier};
use crate::base::{Micros, ReplicaId, Span};
use crate::kv::Pool;
use crate::policy::{Phase, ReplicaView, Signals};
use crate::scenario::Edit;

impl Engine {
    /// Applies a checked edit at `now`, which no event has passed yet.
    pub fn apply<S: Sink>(&mut self, edit: &Edit, now: Micros, sink: &mut S) {
        assert!(now >= self.clock, "INV-3: an edit in the past");
        // Whoever got nowhere may get somewhere now.
        self.livelock = None;
        for replica in &mut self.replicas {
            replica.preempted_since_progress = 0;
        }
        match edit {
            Edit::ArrivalRate { client, rate_per_s } => self.source.set_rate(*client, *rate_per_s, now),
            Edit::Routing(policy) => self.router.change(policy, self.seed),
            Edit::Admission(policy) => self.change_admission(policy, now, sink),
            Edit::Replicas { pool, replicas } => self.scale(*pool, *replicas, now, sink),
            Edit::MaxNumSeqs { pool, max_num_seqs } => {
                self.set_limits(*pool, |limits| limits.max_num_seqs = *max_num_seqs);
            }
            Edit::MaxNumBatchedTokens { pool, max_num_batched_tokens } => {
                self.set_limits(*pool, |limits| limits.max_num_batched_tokens = *max_num_batched_tokens);
            }
            Edit::KvBlocks { pool, blocks } => {
                self.pools[*pool as usize].resolved.blocks.0 = *blocks;
                for r in self.replicas.iter_mut().filter(|r| r.pool == *pool) {
                    r.kv.resize(*blocks);
                    r.refused = None;
                }
            }
            Edit::SnapshotRefresh { snapshot_refresh_us } => {
                if self.sees_all() {
                    // What the gateway saw so far was always the present: its picture is the present one.
                    self.refresh_views(now, Span::ZERO);
                }
                self.snapshot_refresh = Span(*snapshot_refresh_us);
            }
        }
        if self.sees_all() {
            self.refresh_views(now, Span::ZERO);
        }
    }

    fn set_limits(&mut self, pool: u32, change: impl Fn(&mut Limits)) {
        change(&mut self.pools[pool as usize].limits);
        for r in self.replicas.iter_mut().filter(|r| r.pool == pool) {
            change(&mut r.limits);
            r.refused = None;
        }
    }

    /// Brings a pool to `wanted` serving replicas: the highest numbers go first. Those that went come back before new ones
    /// are added, the lowest numbers first; one that was empty in the meantime had been given up and starts again with an
    /// empty cache.
    fn scale<S: Sink>(&mut self, pool: u32, wanted: u32, now: Micros, sink: &mut S) {
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
        let mut kv = Pool::new(b.resolved.blocks.0, b.block_tokens, b.caching);
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
