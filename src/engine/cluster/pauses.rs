//! Pauses of sessions: what is due in them, which is the cluster's to run, and what follows from turns that are complete.

use crate::Cluster;
use crate::clock::{ClusterEvent, Event};
use crate::facts::Sink;
use crate::policy::ReplicaPhase;
use crate::replica::Replica;
use crate::request::{PrefetchOutcome, PrefetchRow, Turn, What};
use base::{Micros, ReplicaId};

impl Cluster {
    /// What is due next in a pause, if it comes before `other`.
    #[inline]
    pub(crate) fn pause_or(&self, other: (Micros, ClusterEvent)) -> (Micros, ClusterEvent) {
        let Some(life) = self.fleet.life() else { return other };
        let (at, event) = (life.next_at(), ClusterEvent::Pause);
        if (at, event.order()) < (other.0, other.1.order()) { (at, event) } else { other }
    }

    /// Runs what is due in a pause: a prefetch where the prompt was computed, a demotion there and where it was answered. On a replica
    /// that is down nothing is done.
    pub(crate) fn run_pause<S: Sink>(&mut self, sink: &mut S) {
        let Some(life) = self.fleet.life_mut() else { return };
        let Some((what, turn)) = life.pop() else { return };
        let has_come = life.has_come(&turn);
        match what {
            What::Demote if has_come => {}
            What::Demote => self.at_replicas_of(&turn, sink, |r| r.demote(&turn)),
            What::Prefetch => self.run_prefetch(&turn, has_come, sink),
        }
    }

    fn run_prefetch<S: Sink>(&mut self, turn: &Turn, has_come: bool, sink: &mut S) {
        let (now, replica) = (self.clock.now(), turn.prefilled_by);
        if !self.keeps_kv(replica) {
            return;
        }
        let (r, mut world) = self.fleet.replica_in_world(replica.index(), &mut self.book, sink);
        r.tell_time(now);
        let Some(life) = world.life.as_deref_mut() else { return };
        let prefetch = life.add_row(turn, now);
        if has_come {
            life.row(prefetch).outcome = PrefetchOutcome::Late;
        } else {
            r.prefetch(prefetch, turn, now, &mut world);
        }
        self.see(replica, 0, sink);
    }

    /// Whether a replica is there with what it has in its caches.
    fn keeps_kv(&self, replica: ReplicaId) -> bool {
        let phase = self.fleet.replicas()[replica.index()].phase;
        matches!(phase, ReplicaPhase::Serving | ReplicaPhase::Ejected)
    }

    /// Changes the caches of the replica that answered a turn, and of the one that computed its prompt.
    fn at_replicas_of<S: Sink>(&mut self, turn: &Turn, sink: &mut S, change: impl Fn(&mut Replica)) {
        let other = turn.is_apart().then_some(turn.prefilled_by);
        for replica in std::iter::once(turn.replica).chain(other) {
            if self.keeps_kv(replica) {
                let now = self.clock.now();
                let r = &mut self.fleet.replicas_mut()[replica.index()];
                r.tell_time(now);
                change(r);
                self.see(replica, 0, sink);
            }
        }
    }

    /// What follows from turns that are complete, and what has become known of uses to come.
    #[inline]
    pub(crate) fn follow_sessions(&mut self) {
        if self.fleet.life().is_some() {
            self.follow_life();
        }
    }

    #[inline(never)]
    fn follow_life(&mut self) {
        let now = self.clock.now();
        let Some(life) = self.fleet.life_mut() else { return };
        for turn in life.superseding_elsewhere() {
            let r = &mut self.fleet.replicas_mut()[turn.prefilled_by.index()];
            r.tell_time(now);
            r.supersede(&turn);
        }
        let Some(life) = self.fleet.life_mut() else { return };
        if life.has_completed() {
            let source = self.gateway.source();
            life.plan(|session, listed| source.next_turn(session, listed));
        }
        if life.has_news() {
            self.fleet.spread_news();
        }
    }

    /// Oracles know the requests of the scenario's list from the beginning.
    pub(crate) fn know_listed(&mut self) {
        if let Some(life) = self.fleet.life_mut() {
            for (listed, at, prompt) in self.gateway.source().listed_to_come() {
                life.know_listed(listed, at, prompt);
            }
        }
        self.follow_sessions();
    }

    /// Whether the scenario says what becomes of KV in pauses.
    pub fn keeps_in_pauses(&self) -> bool {
        self.fleet.life().is_some()
    }

    /// All prefetches so far, in order of number.
    pub fn prefetches(&self) -> &[PrefetchRow] {
        self.fleet.life().map_or(&[], |life| life.rows())
    }

    /// Tokens under directives of the gateway that live.
    pub fn hinted_tokens(&self) -> u64 {
        self.fleet.life().map_or(0, |life| life.hinted_tokens(self.clock.now()))
    }
}
