//! Servers whose ranks step together: which replicas are the ranks of one, and when its next step begins.

use super::state::Fleet;
use crate::clock::Clock;
use crate::facts::Sink;
use crate::policy::ReplicaPhase;
use crate::replica::{BatchTokens, RankShare, RankTime, Replica, ServerStep};
use crate::request::Book;
use base::{Micros, ReplicaId, Span};
use serde::{Deserialize, Serialize};

/// The ranks of one server, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Server {
    pool: u32,
    revision: u32,
    ranks: Vec<ReplicaId>,
}

/// Whether a replica was removed.
fn is_gone(r: &Replica) -> bool {
    matches!(r.phase(), ReplicaPhase::Stopped | ReplicaPhase::Failed)
}

impl Fleet {
    /// A new replica becomes a rank of the first server of its pool that lacks one, or of a new server, if ranks step together.
    pub(super) fn join_server(&mut self, id: ReplicaId) {
        let r = &self.replicas[id.index()];
        let (pool, revision, size) = (r.pool, r.revision, r.model.lockstep_ranks() as usize);
        if size < 2 {
            return;
        }
        for server in &mut self.servers {
            server.ranks.retain(|rank| !is_gone(&self.replicas[rank.index()]));
        }
        let has_room = |s: &Server| (s.pool, s.revision) == (pool, revision) && s.ranks.len() < size;
        let at = self.servers.iter().position(has_room).unwrap_or_else(|| {
            self.servers.push(Server { pool, revision, ranks: Vec::new() });
            self.servers.len() - 1
        });
        let server = &mut self.servers[at];
        let until = server.ranks.iter().map(|rank| self.replicas[rank.index()].lockstep.until).max();
        server.ranks.push(id);
        let own = &mut self.replicas[id.index()].lockstep;
        (own.server, own.until) = (at as u32, until.unwrap_or(Micros::ZERO));
    }

    /// An event of a rank has run: the step of its server begins if all ranks with work have formed their batches.
    #[inline(never)]
    pub(super) fn step_together<S: Sink>(
        &mut self,
        index: usize,
        book: &mut Book,
        clock: &mut Clock,
        sink: &mut S,
    ) {
        let (now, server) = (clock.now(), self.replicas[index].lockstep.server as usize);
        let ranks = std::mem::take(&mut self.servers[server].ranks);
        let mut found = ranks.iter().map(|rank| &self.replicas[rank.index()]);
        let ready = found.clone().any(|r| r.lockstep.waits);
        if ready && found.all(|r| r.lockstep.waits || r.next_at() > now) {
            self.begin_step(&ranks, book, clock, sink);
        }
        self.servers[server].ranks = ranks;
    }

    /// The step of these ranks begins.
    fn begin_step<S: Sink>(&mut self, ranks: &[ReplicaId], book: &mut Book, clock: &mut Clock, sink: &mut S) {
        let now = clock.now();
        let waiting = |fleet: &Self, rank: &ReplicaId| fleet.replicas[rank.index()].lockstep.waits;
        let ready: Vec<ReplicaId> = ranks.iter().copied().filter(|rank| waiting(self, rank)).collect();
        let tokens: Vec<BatchTokens> =
            ready.iter().map(|rank| self.replicas[rank.index()].batch_tokens(book.active())).collect();
        let sum = |of: fn(&BatchTokens) -> u64| tokens.iter().map(of).sum::<u64>();
        let (every, decoding) = (sum(|t| t.all), sum(|t| t.decoding));
        let mut time = RankTime::default();
        let mut each = Vec::with_capacity(ready.len());
        for (rank, own) in ready.iter().zip(&tokens) {
            let others = BatchTokens { all: every - own.all, decoding: decoding - own.decoding };
            let own = self.replicas[rank.index()].time_beside(others, book.active());
            time = time.or_longer(own);
            each.push(RankShare { own, others });
        }
        let mut decoding = Span::ZERO;
        if sink.wants_step_parts() {
            for (rank, RankShare { own, others }) in ready.iter().zip(&each) {
                let rank = &self.replicas[rank.index()];
                decoding = decoding.max(rank.decoding_beside(*others, own.model(), book.active()));
            }
        }
        for (rank, share) in ready.iter().zip(each) {
            let (replica, mut world) = self.replica_in_world(rank.index(), book, sink);
            replica.tell_time_of_change(now);
            replica.step_with_ranks(now, ServerStep { time, decoding }, share, &mut world);
            replica.verify_counts();
        }
        let until = now.saturating_add(time.span());
        for rank in ranks {
            let r = &mut self.replicas[rank.index()];
            r.lockstep.until = until;
            clock.set_replica(rank.index(), r.next_at());
        }
    }
}
