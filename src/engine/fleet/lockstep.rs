//! Servers whose ranks step together: which replicas are the ranks of one, and when its next step begins.

use super::state::Fleet;
use crate::clock::Clock;
use crate::facts::Sink;
use crate::policy::ReplicaPhase;
use crate::replica::{
    BatchTokens, DECODES, LARGEST_MIXED, PROMPTS, RankShare, RankTime, Replica, ServerStep,
};
use crate::request::{Book, Slot};
use base::{Micros, ReplicaId, Span};
use serde::{Deserialize, Serialize};

/// The ranks of one server, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Server {
    pool: u32,
    revision: u32,
    ranks: Vec<ReplicaId>,
    /// The step in which prompts begin that have waited for those of other ranks; 0 for none.
    let_in: u64,
}

/// Whether a replica was removed, or crashed and does not come back.
fn is_gone(r: &Replica) -> bool {
    match r.phase() {
        ReplicaPhase::Stopped => true,
        ReplicaPhase::Failed => r.life.ends[0] == Micros::MAX,
        ReplicaPhase::Serving
        | ReplicaPhase::Starting
        | ReplicaPhase::WarmingUp
        | ReplicaPhase::Ejected
        | ReplicaPhase::Draining => false,
    }
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
            self.servers.push(Server { pool, revision, ranks: Vec::new(), let_in: 0 });
            self.servers.len() - 1
        });
        let server = &mut self.servers[at];
        let until = server.ranks.iter().map(|rank| self.replicas[rank.index()].lockstep.until).max();
        server.ranks.push(id);
        let own = &mut self.replicas[id.index()].lockstep;
        (own.server, own.until) = (at as u32, until.unwrap_or(Micros::ZERO));
    }

    /// The servers, in order: the ranks of each, and when its step ends, or the latest one ended.
    pub(crate) fn servers(&self) -> impl Iterator<Item = (&[ReplicaId], Micros)> {
        self.servers.iter().map(|server| {
            let until = server.ranks.iter().map(|rank| self.replicas[rank.index()].lockstep.until).max();
            (server.ranks.as_slice(), until.unwrap_or(Micros::ZERO))
        })
    }

    /// The ranks of a replica's server, or the replica alone.
    pub(crate) fn server_of(&self, replica: ReplicaId) -> Vec<ReplicaId> {
        let at = self.replicas[replica.index()].lockstep.server as usize;
        match self.servers.get(at) {
            Some(server) if server.ranks.contains(&replica) => server.ranks.clone(),
            Some(_) | None => vec![replica],
        }
    }

    /// The number of a replica's server, and its ranks, those that are gone among them until another one takes their place.
    pub(crate) fn ranks_beside(&self, replica: ReplicaId) -> Option<(u32, &[ReplicaId])> {
        let number = self.replicas.get(replica.index())?.lockstep.server;
        let server = self.servers.get(number as usize)?;
        server.ranks.contains(&replica).then_some((number, &server.ranks))
    }

    /// An event of a rank is about to run: whether prompts that wait there begin in the next step of its server. They do once every
    /// rank has one, or the oldest has waited long enough.
    #[inline(never)]
    pub(super) fn hold_prompts(&mut self, index: usize, book: &Book) {
        let r = &self.replicas[index];
        let (now, wait, step) = (r.next_at(), r.limits.align_prefills, r.lockstep.steps + 1);
        let Some(server) = self.servers.get(r.lockstep.server as usize) else { return };
        let mut until = None;
        if server.let_in != step {
            let at = |slot: Slot| book.here(book.active()[slot].id).queued.get().unwrap_or(now);
            let takes_part =
                |r: &&Replica| matches!(r.phase(), ReplicaPhase::Serving | ReplicaPhase::Draining);
            let ranks = server.ranks.iter().map(|rank| &self.replicas[rank.index()]).filter(takes_part);
            let oldest: Vec<Option<Micros>> = ranks.map(|r| r.oldest_waiting(at)).collect();
            let first = oldest.iter().flatten().min().map(|first| first.saturating_add(wait));
            let lacks_one = oldest.contains(&None);
            until = first.filter(|first| lacks_one && *first > now);
            if first.is_some() && until.is_none() {
                self.servers[self.replicas[index].lockstep.server as usize].let_in = step;
            }
        }
        self.replicas[index].lockstep.held_until = until;
    }

    /// Ranks whose prompts need not wait any longer for those of others form their batches now.
    fn let_in(&mut self, ranks: &[ReplicaId], clock: &mut Clock) {
        for rank in ranks {
            let r = &mut self.replicas[rank.index()];
            if r.let_in(clock.now()) {
                clock.set_replica(rank.index(), r.next_at());
            }
        }
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
        if self.servers[server].let_in == self.replicas[index].lockstep.steps + 1 {
            self.let_in(&ranks, clock);
        }
        let mut found = ranks.iter().map(|rank| &self.replicas[rank.index()]);
        let ready = found.clone().any(|r| r.lockstep.waits);
        if ready && found.all(|r| r.lockstep.waits || r.next_at() > now) {
            self.begin_step(&ranks, book, clock, sink);
        }
        self.servers[server].ranks = ranks;
    }

    /// Every rank computes as many rows, if they are padded and none has a prompt: how many, and what the others have beside each.
    fn pad(
        &mut self,
        ready: &[ReplicaId],
        tokens: &[BatchTokens],
        without_prompts: bool,
    ) -> Option<(u64, BatchTokens)> {
        let first = &self.replicas[ready.first()?.index()];
        let (padding, ranks) = (first.limits.padding, u64::from(first.model.lockstep_ranks()));
        let most = tokens.iter().map(|own| own.all).max()?;
        let rows = if without_prompts { padding.of(most) } else { None };
        for (rank, own) in ready.iter().zip(tokens) {
            self.replicas[rank.index()].pad(rows.map_or(0, |rows| rows - own.all));
        }
        let others = rows? * (ranks - 1);
        Some((rows?, BatchTokens { all: others, decoding: others }))
    }

    /// A step of a server is counted on all of its ranks, and experts move on those that have work in it.
    fn count_step(&mut self, ranks: &[ReplicaId], ready: &[ReplicaId]) {
        let so_far = ranks.iter().map(|rank| self.replicas[rank.index()].lockstep.steps).max();
        let steps = so_far.unwrap_or(0) + 1;
        for rank in ranks {
            self.replicas[rank.index()].lockstep.steps = steps;
        }
        for rank in ready {
            self.replicas[rank.index()].rebalance(steps);
        }
    }

    /// A batch without a recorded graph makes the step of every rank longer.
    fn note_graphs(&mut self, ready: &[ReplicaId], tokens: &[BatchTokens]) {
        let lacks_one = |rank: &ReplicaId| {
            let r = &self.replicas[rank.index()];
            r.limits.mixed_step > Span::ZERO && !r.has_graph()
        };
        if ready.iter().any(lacks_one) && tokens.iter().all(|own| own.all <= LARGEST_MIXED) {
            for rank in ready {
                self.replicas[rank.index()].go_without_graph();
            }
        }
    }

    /// The step of these ranks begins.
    fn begin_step<S: Sink>(&mut self, ranks: &[ReplicaId], book: &mut Book, clock: &mut Clock, sink: &mut S) {
        let now = clock.now();
        let waiting = |fleet: &Self, rank: &ReplicaId| fleet.replicas[rank.index()].lockstep.waits;
        let ready: Vec<ReplicaId> = ranks.iter().copied().filter(|rank| waiting(self, rank)).collect();
        let tokens: Vec<BatchTokens> =
            ready.iter().map(|rank| self.replicas[rank.index()].batch_tokens(book.active())).collect();
        let sum = |of: fn(&BatchTokens) -> u64| tokens.iter().map(of).sum::<u64>();
        let (every, of_decoding) = (sum(|t| t.all), sum(|t| t.decoding));
        let padded = self.pad(&ready, &tokens, every == of_decoding);
        self.note_graphs(&ready, &tokens);
        self.count_step(ranks, &ready);
        let mut time = RankTime::default();
        let mut each = Vec::with_capacity(ready.len());
        for (rank, own) in ready.iter().zip(&tokens) {
            let beside = BatchTokens { all: every - own.all, decoding: of_decoding - own.decoding };
            let others = padded.map_or(beside, |(_, others)| others);
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
        let cause = if every > of_decoding { PROMPTS } else { DECODES };
        for (rank, share) in ready.iter().zip(&each) {
            let wait = Span(time.span().0 - share.own.span().0);
            self.replicas[rank.index()].wait_for_ranks(cause, wait);
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
            if !ready.contains(rank) && r.serving() {
                r.run_along(padded.map_or(0, |(rows, _)| rows), time.span());
            }
            r.lockstep.until = until;
            clock.set_replica(rank.index(), r.next_at());
        }
    }
}
