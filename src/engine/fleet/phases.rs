//! The life of replicas: those that a pool starts with, and those that come and go while the cluster runs.

use super::blueprint::Blueprint;
use super::scaling::PoolScaler;
use super::state::{Change, Fleet};
use crate::clock::{Clock, ReplicaEvent, ScalingEvent};
use crate::facts::{FaultFact, FleetFact, Sink};
use crate::kv::BlockPool;
use crate::policy::ReplicaPhase;
use crate::replica::{Adapters, Replica, ReplicaParts, draw_ends};
use base::small::sort::sort_by_key;
use base::{Micros, ReplicaId, Span};
use document::{Drain, Victim, limits};

impl Fleet {
    /// Brings a pool to `wanted` replicas that serve or start. Those that wait for room go first, then those of an older
    /// revision, those that start, and those that the pool's settings name. Those that went come back before new ones are
    /// added, the lowest numbers first: one that still drains goes on if starting takes no time, one that has stopped starts
    /// again. Those of an older revision never come back.
    pub(crate) fn scale<S: Sink>(
        &mut self,
        pool: u32,
        wanted: u32,
        now: Micros,
        clock: &mut Clock,
        sink: &mut S,
    ) {
        let of_pool: Vec<ReplicaId> = self.replicas.iter().filter(|r| r.pool == pool).map(|r| r.id).collect();
        let there = |fleet: &Self, id: ReplicaId| {
            let phase = fleet.replicas[id.index()].phase;
            matches!(phase, ReplicaPhase::Serving | ReplicaPhase::Starting) || fleet.comes_back(id)
        };
        let mut present: Vec<ReplicaId> = of_pool.iter().copied().filter(|id| there(self, *id)).collect();
        self.set_unplaced(pool, wanted.saturating_sub(present.len() as u32));
        self.order_victims(&mut present);
        while present.len() as u32 > wanted
            && let Some(replica) = present.pop()
        {
            self.take_away(replica, now, clock, sink);
        }
        let mut missing = wanted.saturating_sub(present.len() as u32);
        if self.starts_at_once(pool) {
            for &replica in &of_pool {
                if missing > 0 && self.may_come_back(replica) {
                    self.serve(replica, now, sink);
                    missing -= 1;
                }
            }
            self.set_unplaced(pool, missing);
        }
        self.place_missing(pool, missing, now, clock, sink);
        self.rebuild_tournament(clock);
    }

    /// Whether a replica that drains, and whose requests stay, can go on as if nothing had been.
    fn may_come_back(&self, replica: ReplicaId) -> bool {
        let r = &self.replicas[replica.index()];
        let drains = r.phase == ReplicaPhase::Draining && r.life.drain == Drain::Wait;
        let drains = drains && r.life.restarts.is_none();
        (drains || r.phase == ReplicaPhase::Stopped) && !self.is_older(replica)
    }

    fn settings(&self, pool: u32) -> Option<&PoolScaler> {
        self.scalers.get(pool as usize)
    }

    fn starts_at_once(&self, pool: u32) -> bool {
        self.settings(pool).is_none_or(|s| s.phases.is_none() && s.gpus().is_none())
    }

    fn set_unplaced(&mut self, pool: u32, unplaced: u32) {
        if let Some(scaler) = self.scalers.get_mut(pool as usize) {
            scaler.unplaced = unplaced;
        }
    }

    /// Those that go first come last.
    fn order_victims(&self, present: &mut [ReplicaId]) {
        let Some(first) = present.first() else { return };
        let of_pool = self.settings(self.replicas[first.index()].pool);
        let victim = of_pool.map_or(Victim::Newest, PoolScaler::victim);
        let rank = |id: &ReplicaId| {
            let r = &self.replicas[id.index()];
            let age = if of_pool.is_some() { r.life.served_since.0 } else { 0 };
            let (key, tie) = match victim {
                Victim::Newest => (age, u64::from(id.0)),
                Victim::Oldest => (u64::MAX - age, u64::from(u32::MAX - id.0)),
                Victim::LeastLoaded => (u64::MAX - self.of_server(*id, Replica::in_flight), u64::from(id.0)),
                Victim::LeastCache => {
                    let blocks = self.of_server(*id, |r| r.kv.cached() + r.kv.used());
                    (u64::MAX - blocks, u64::from(id.0))
                }
            };
            let kind = 2 * u64::from(self.is_older(*id)) + u64::from(r.phase != ReplicaPhase::Serving);
            [kind, key, tie]
        };
        let mut order = present.to_vec();
        // What weighs most is sorted by last.
        for part in [2, 1, 0] {
            sort_by_key(&mut order, |id| rank(id)[part]);
        }
        if self.replicas[order[0].index()].lockstep.is_rank() {
            order = self.by_server(&order);
        }
        present.copy_from_slice(&order);
    }

    /// The sum over the ranks of a replica's server; of a replica that steps by itself, its own.
    fn of_server(&self, replica: ReplicaId, of: impl Fn(&Replica) -> u32) -> u64 {
        let ranks = self.ranks_beside(replica).map_or(std::slice::from_ref(&replica), |(_, ranks)| ranks);
        ranks.iter().map(|rank| u64::from(of(&self.replicas[rank.index()]))).sum()
    }

    /// The same replicas in that order, those of each server together where its last one is.
    fn by_server(&self, order: &[ReplicaId]) -> Vec<ReplicaId> {
        let mut last_first: Vec<ReplicaId> = Vec::with_capacity(order.len());
        for &id in order.iter().rev() {
            if last_first.contains(&id) {
                continue;
            }
            let server = self.server_of(id);
            last_first.extend(order.iter().rev().filter(|other| server.contains(other)));
        }
        last_first.reverse();
        last_first
    }

    /// Starts replicas of a pool that wait for room, as many as there is room for now.
    pub(crate) fn place<S: Sink>(&mut self, pool: u32, now: Micros, clock: &mut Clock, sink: &mut S) {
        let unplaced = self.settings(pool).map_or(0, |s| s.unplaced);
        if unplaced > 0 {
            self.place_missing(pool, unplaced, now, clock, sink);
            self.rebuild_tournament(clock);
        }
    }

    fn place_missing<S: Sink>(
        &mut self,
        pool: u32,
        mut missing: u32,
        now: Micros,
        clock: &mut Clock,
        sink: &mut S,
    ) {
        while missing > 0 && self.has_room(pool) {
            self.start(pool, now, clock, sink);
            missing -= 1;
        }
        self.set_unplaced(pool, missing);
    }

    /// Whether there are GPUs for one more replica of a pool, and a number.
    fn has_room(&self, pool: u32) -> bool {
        let Some(settings) = self.settings(pool) else { return true };
        let shared = settings.place.sharers;
        let holds = |r: &&Replica| {
            let gone = matches!(r.phase, ReplicaPhase::Stopped | ReplicaPhase::Failed);
            shared >> r.pool & 1 == 1 && (!gone || self.comes_back(r.id))
        };
        let held: u32 = self.replicas.iter().filter(holds).map(|r| r.gpus).sum();
        let fits = settings.gpus().is_none_or(|most| held + self.pools[pool as usize].gpus <= most);
        fits && (self.replicas.len() as u32) < limits::REPLICAS_STARTED
    }

    /// Whether a replica is of an older revision than its pool.
    fn is_older(&self, replica: ReplicaId) -> bool {
        let r = &self.replicas[replica.index()];
        r.revision != self.pools[r.pool as usize].revision
    }

    /// Replaces the replicas of a pool that are of an older revision, one after the other: one drains, and a new one starts
    /// beside it; once it is empty, the next one follows.
    pub(crate) fn renew<S: Sink>(&mut self, pool: u32, now: Micros, clock: &mut Clock, sink: &mut S) {
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
            let there = matches!(phase(&replica), ReplicaPhase::Serving | ReplicaPhase::Starting);
            if there || self.comes_back(replica) {
                self.take_away(replica, now, clock, sink);
                self.start(pool, now, clock, sink);
            }
        }
        self.rebuild_tournament(clock);
    }

    /// The last request of a replica has left: if it drained to be replaced, the next one follows; if it made room, one that
    /// waits for it starts.
    pub(crate) fn follow_up<S: Sink>(
        &mut self,
        replica: ReplicaId,
        now: Micros,
        clock: &mut Clock,
        sink: &mut S,
    ) {
        let pool = self.replicas[replica.index()].pool;
        self.restart_if_empty(replica, now, clock);
        if self.is_older(replica) {
            self.renew(pool, now, clock, sink);
        }
        if matches!(self.replicas[replica.index()].phase, ReplicaPhase::Stopped | ReplicaPhase::Failed) {
            self.place(pool, now, clock, sink);
        }
    }

    /// A replica of a pool begins to start: one that has stopped, if starting takes time, otherwise a new one.
    fn start<S: Sink>(&mut self, pool: u32, now: Micros, clock: &mut Clock, sink: &mut S) {
        let reuses = self.settings(pool).is_some();
        let stopped =
            |r: &&Replica| r.pool == pool && r.phase == ReplicaPhase::Stopped && !self.is_older(r.id);
        let again = self.replicas.iter().find(|r| reuses && stopped(r)).map(|r| r.id);
        let replica = again.unwrap_or_else(|| self.add_replica(pool));
        self.replicas[replica.index()].recent.idle_since = now;
        let Some(phases) = self.settings(pool).and_then(|s| s.phases.clone()) else {
            return self.serve(replica, now, sink);
        };
        let seed = self.seed;
        // Ranks of one server start together.
        let drawn_as = self.ranks_beside(replica).map_or(replica, |(_, ranks)| ranks[0]);
        let r = &mut self.replicas[replica.index()];
        if again.is_some() {
            r.tell_time_of_change(now);
            r.restart_memory();
        }
        r.life.starts += 1;
        let start = r.life.starts;
        r.life.ends = draw_ends(&phases, seed, drawn_as, start, now);
        let until = r.life.ends[5];
        if again.is_some() {
            self.set_phase(replica, ReplicaPhase::Starting);
        }
        self.replicas[replica.index()].life.since = now;
        sink.fact(now, FleetFact::Starting { replica, pool, until }.into());
        clock.schedule_scaling(until, ScalingEvent::Ready { replica, start });
    }

    /// A replica has started, unless this start was given up.
    pub(crate) fn ready<S: Sink>(&mut self, replica: ReplicaId, start: u32, now: Micros, sink: &mut S) {
        let r = &self.replicas[replica.index()];
        if r.life.starts != start {
            return;
        }
        if r.phase == ReplicaPhase::Failed {
            let pool = r.pool;
            sink.fact(now, FaultFact::Restarted { replica, pool }.into());
            self.set_phase(replica, ReplicaPhase::Starting);
        }
        if self.replicas[replica.index()].phase == ReplicaPhase::Starting {
            self.serve(replica, now, sink);
        }
    }

    /// A replica goes: one that starts at once, one that serves as its pool's settings say.
    fn take_away<S: Sink>(&mut self, replica: ReplicaId, now: Micros, clock: &mut Clock, sink: &mut S) {
        if self.replicas[replica.index()].phase == ReplicaPhase::Starting {
            self.set_phase(replica, ReplicaPhase::Stopped);
            self.replicas[replica.index()].life.since = now;
            sink.fact(now, FleetFact::StartGivenUp { replica }.into());
        } else if self.comes_back(replica) {
            self.give_up_restart(replica);
            sink.fact(now, FleetFact::StartGivenUp { replica }.into());
        } else {
            self.drain(replica, now, clock, sink);
        }
    }

    /// A replica gets no new requests from now on; it stops when it has none.
    fn drain<S: Sink>(&mut self, replica: ReplicaId, now: Micros, clock: &mut Clock, sink: &mut S) {
        let how = self.settings(self.replicas[replica.index()].pool).map_or(Drain::Wait, PoolScaler::drain);
        self.set_phase(replica, ReplicaPhase::Draining);
        let r = &mut self.replicas[replica.index()];
        r.life.drain = how;
        r.life.since = now;
        if how != Drain::Wait {
            r.events.schedule(now.max(r.clock), ReplicaEvent::SendAway);
            clock.set_replica(replica.index(), r.next_at());
        }
        sink.fact(now, FleetFact::Draining { replica }.into());
        self.stop_if_drained(replica);
    }

    /// A replica takes new requests from now on. One that had stopped starts with an empty cache.
    fn serve<S: Sink>(&mut self, replica: ReplicaId, now: Micros, sink: &mut S) {
        let r = &mut self.replicas[replica.index()];
        let pool = r.pool;
        if r.phase == ReplicaPhase::Stopped {
            r.tell_time_of_change(now);
            r.restart_memory();
            self.set_phase(replica, ReplicaPhase::Starting);
        }
        let begins = self.replicas[replica.index()].phase == ReplicaPhase::Starting;
        let warm_up = self.settings(pool).map(PoolScaler::warm_up);
        self.set_phase(replica, ReplicaPhase::Serving);
        let life = &mut self.replicas[replica.index()].life;
        life.since = now;
        if begins {
            life.served_since = now;
            if let Some(warm_up) = warm_up {
                (life.cold, life.cold_factor) = warm_up;
            }
        }
        let cold = begins && life.cold > 0;
        sink.fact(now, FleetFact::Serving { replica, pool }.into());
        if cold {
            sink.fact(now, FleetFact::Cold { replica }.into());
        }
        if let Some(scaler) = self.scalers.get_mut(pool as usize) {
            scaler.expects = false;
        }
        self.changes.push(Change::Serves(pool));
    }

    /// A replica that drains stops when its last request has left.
    pub(crate) fn stop_if_drained(&mut self, replica: ReplicaId) {
        let drains = self.replicas[replica.index()].phase == ReplicaPhase::Draining;
        let r = &self.replicas[replica.index()];
        let drains = drains && r.life.restarts.is_none();
        let is_read = drains && self.lower.as_ref().is_some_and(|lower| lower.reads_from(replica));
        if drains && r.in_flight() == 0 && r.outgoing() + r.stranded() == 0 && !is_read {
            self.stop_prefetches(replica);
            self.set_phase(replica, ReplicaPhase::Stopped);
            if self.is_older(replica) {
                // It never comes back: its cache is given up.
                self.replicas[replica.index()].restart_memory();
            }
        }
    }

    /// Prefetches under way on a replica that stops end.
    fn stop_prefetches(&mut self, replica: ReplicaId) {
        if let Some(life) = self.life.as_deref_mut() {
            self.replicas[replica.index()].stop_prefetches(life);
        }
    }

    /// The one place where the phase of a replica changes.
    pub(crate) fn set_phase(&mut self, replica: ReplicaId, next: ReplicaPhase) {
        let r = &mut self.replicas[replica.index()];
        assert!(r.phase.leads_to(next), "INV-2: {replica:?} went from {:?} to {next:?}", r.phase);
        self.not_serving += u32::from(r.phase == ReplicaPhase::Serving);
        self.not_serving -= u32::from(next == ReplicaPhase::Serving);
        r.phase = next;
        self.changes.push(Change::Phase(replica));
    }

    /// Adds a replica that starts.
    pub(crate) fn add_replica(&mut self, pool: u32) -> ReplicaId {
        let id = ReplicaId(self.replicas.len() as u32);
        let b = &self.pools[pool as usize];
        let mut kv = BlockPool::new(b.resolved.blocks.0, b.block_tokens, b.caching);
        kv = b.tier.below(kv);
        if kv.follows_uses()
            && let Some(other) = self.replicas.iter().find(|r| r.pool == pool)
        {
            kv.learn_uses(&other.kv);
        }
        let (priority, scheduler, model) =
            (b.priority.clone(), b.scheduler.clone(), b.resolved.model.clone());
        let (speculation, pipe) = (b.speculation.clone(), b.pipe.clone());
        let (limits, gpus, usd_per_hour) = (b.limits, b.gpus, b.resolved.usd_per_hour);
        let states = b.resolved.states;
        let adapters = b.resolved.lora.map(|figures| Box::new(Adapters::new(figures)));
        let parts = ReplicaParts {
            limits,
            priority,
            scheduler,
            model,
            speculation,
            pipe,
            gpus,
            usd_per_hour,
            kv,
            states,
            adapters,
        };
        if let Some(lower) = &mut self.lower {
            lower.add(&b.lower);
            if b.tier.seen_after() > Span::ZERO {
                lower.see_late(b.tier.seen_after(), Micros::ZERO);
            }
        }
        self.replicas.push(Replica::new(id, pool, b.revision, self.compat(), parts));
        self.join_server(id);
        self.changes.push(Change::Phase(id));
        self.not_serving += 1;
        id
    }
}
