//! Edits: what changes while the cluster runs, between two events.

use super::Cluster;
use super::fact::Sink;
use super::replica::Limits;
use crate::base::{Micros, Span};
use crate::scenario::Edit;

impl Cluster {
    /// Applies a checked edit at `now`, which no event has passed yet.
    pub fn apply<S: Sink>(&mut self, edit: &Edit, now: Micros, sink: &mut S) {
        assert!(now >= self.clock, "INV-3: an edit in the past");
        // Requests that preempted each other may make progress now.
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
}
