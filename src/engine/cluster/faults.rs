//! Faults: what an edit breaks, between two events.

use crate::clock::ScalingEvent;
use crate::cluster::handover_lost::KvLosses;
use crate::facts::{FaultFact, FaultKind, Sink};
use crate::fleet::{Crash, PlannedRestart};
use crate::gateway::FROZEN;
use crate::perf::Plan;
use crate::{Cluster, Replica};
use base::rng::{Purpose, Stream};
use base::{Micros, ReplicaId, Span, dist, math};
use document::{Aim, Fault, Pick, RandomFaults, limits};
use serde::{Deserialize, Serialize};

/// A fault that lasts for a while.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct OngoingFault {
    number: u32,
    /// The replica that it is about; none if it is about all.
    replica: Option<ReplicaId>,
    kind: FaultKind,
    /// How many times as long steps take, or the share that ports carry; 1 for faults that change neither.
    factor: f64,
    /// How much older the gateway's picture is.
    delay: Span,
    until: Micros,
}

impl OngoingFault {
    fn new(number: u32, replica: Option<ReplicaId>, kind: FaultKind) -> Self {
        let delay = if kind == FaultKind::Unreachable { FROZEN } else { Span::ZERO };
        Self { number, replica, kind, factor: 1.0, delay, until: Micros::MAX }
    }

    fn is_about(&self, replica: ReplicaId) -> bool {
        self.replica.is_none_or(|own| own == replica)
    }
}

/// Replicas that crash at random. Each has instants of its own, exponential gaps apart; it crashes at those at which it serves, so
/// that the time that it serves before a crash is exponential too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct RandomCrashes {
    settings: RandomFaults,
    seed: u64,
    /// How often the settings changed.
    revision: u32,
    /// How many replicas have an instant scheduled.
    expected: u32,
    /// How many crashed.
    count: u32,
}

/// What broke so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Faults {
    /// How many faults there were.
    pub(crate) count: u32,
    /// Those that last, in order of beginning.
    open: Vec<OngoingFault>,
    random: RandomCrashes,
    /// What becomes of KV that is lost on its way.
    pub(crate) kv: KvLosses,
    /// Number of replicas whose lateness the gateway knows.
    known: u32,
}

impl Faults {
    /// Whether any fault lasts.
    pub(crate) fn any_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Replicas that faults make fail their probes, or did before they crashed.
    pub(crate) fn may_fail(&self) -> Vec<ReplicaId> {
        let fails = |open: &&OngoingFault| matches!(open.kind, FaultKind::Stuck | FaultKind::Unreachable);
        self.open.iter().filter(fails).filter_map(|open| open.replica).collect()
    }
}

/// What a fault hits, and when.
struct Aimed {
    /// The number of the fault.
    number: u32,
    replica: Option<ReplicaId>,
    now: Micros,
}

impl Cluster {
    /// Something breaks at `now`, which no event has passed yet. A fault of a replica that is not there does nothing.
    pub fn fault<S: Sink>(&mut self, fault: &Fault, plan: &Plan, now: Micros, sink: &mut S) {
        assert!(now >= self.clock.now(), "INV-3: a fault in the past");
        self.clock.no_scaling_before(now);
        let number = self.faults.count;
        let aimed = Aimed { number, replica: self.aimed_at(fault, plan, number), now };
        self.count_fault(now);
        self.break_down(fault, &aimed, sink);
        self.share_ports(now);
    }

    fn break_down<S: Sink>(&mut self, fault: &Fault, aimed: &Aimed, sink: &mut S) {
        let Aimed { number, replica, now } = *aimed;
        if let Fault::Signals(s) = fault {
            if replica.is_some() || fault.aim() == Some(Aim::All) {
                let delay = if s.delay_us == 0 { FROZEN } else { Span(s.delay_us) };
                let open = OngoingFault { delay, ..OngoingFault::new(number, replica, FaultKind::Signals) };
                self.begin_fault(open, now, s.for_s, sink);
            }
            return;
        }
        if let Fault::KvStore(s) = fault {
            self.begin_fault(OngoingFault::new(number, None, FaultKind::KvStore), now, s.for_s, sink);
            self.store_goes_down(&s.name, number, now, sink);
            return;
        }
        let Some(replica) = replica else { return };
        if let Fault::Crash(s) = fault {
            let restart = math::round_to_span(s.restart_s * 1e6);
            self.crash(Crash { replica, now, restart, planned: false }, sink);
        } else {
            // The ranks of a server are one thing.
            for rank in self.fleet.server_of(replica) {
                self.break_rank(fault, &Aimed { replica: Some(rank), ..*aimed }, sink);
            }
        }
        self.watch_failing(now);
    }

    /// What a fault does to one replica, other than a crash.
    fn break_rank<S: Sink>(&mut self, fault: &Fault, aimed: &Aimed, sink: &mut S) {
        let Aimed { number, replica: Some(replica), now } = *aimed else { return };
        let open = |kind| OngoingFault::new(number, Some(replica), kind);
        match fault {
            Fault::Signals(_) | Fault::KvStore(_) | Fault::Crash(_) => {}
            Fault::Restart(s) => {
                let [drain, restart] = [s.drain_s, s.restart_s].map(|s| math::round_to_span(s * 1e6));
                let planned = PlannedRestart { replica, drain, restart };
                self.fleet.drain_to_restart(planned, now, &mut self.clock, sink);
                self.follow(now);
            }
            Fault::Slow(s) => {
                let open = OngoingFault { factor: s.factor, ..open(FaultKind::Slow) };
                self.begin_fault(open, now, s.for_s, sink);
            }
            Fault::Stuck(s) => {
                let until = self.begin_fault(open(FaultKind::Stuck), now, s.for_s, sink);
                let r = &mut self.fleet.replicas_mut()[replica.index()];
                r.get_stuck(now, until);
                self.clock.set_replica(replica.index(), r.next_at());
            }
            Fault::Unreachable(s) => {
                self.begin_fault(open(FaultKind::Unreachable), now, s.for_s, sink);
            }
            Fault::TransferLink(s) => {
                let open = OngoingFault { factor: s.share, ..open(FaultKind::TransferLink) };
                self.begin_fault(open, now, s.for_s, sink);
            }
        }
    }

    /// Something breaks. Transfers take too long from the first time on.
    fn count_fault(&mut self, now: Micros) {
        self.faults.count += 1;
        if let Some(network) = self.network.as_mut().filter(|_| self.faults.count == 1) {
            network.set_timeout(self.faults.kv.transfer_timeout, now);
        }
    }

    /// Begins a fault that lasts for `for_s` seconds, or without end if that is 0; returns when it ends.
    fn begin_fault<S: Sink>(&mut self, open: OngoingFault, now: Micros, for_s: f64, sink: &mut S) -> Micros {
        let OngoingFault { number, replica, kind, .. } = open;
        let until = match math::round_to_span(for_s * 1e6) {
            Span::ZERO => Micros::MAX,
            lasts => now.saturating_add(lasts),
        };
        self.faults.open.push(OngoingFault { until, ..open });
        self.follow_faults(replica, now);
        sink.fact(now, FaultFact::Began { replica, kind, until }.into());
        if until != Micros::MAX {
            self.clock.schedule_scaling(until, ScalingEvent::FaultEnds(number));
        }
        until
    }

    /// A fault that lasted for a while is over.
    pub(crate) fn end_fault<S: Sink>(&mut self, number: u32, sink: &mut S) {
        // One of a server is about all of its ranks.
        while let Some(at) = self.faults.open.iter().position(|open| open.number == number) {
            let OngoingFault { replica, kind, .. } = self.faults.open.remove(at);
            self.follow_faults(replica, self.clock.now());
            sink.fact(self.clock.now(), FaultFact::Ended { replica, kind }.into());
            if kind == FaultKind::KvStore {
                self.store_is_back(number, sink);
            }
        }
    }

    /// What is wrong with a replica for a while, when it is over and how many times as long its steps take, in order of beginning.
    pub fn faults_of(&self, replica: ReplicaId) -> impl Iterator<Item = (FaultKind, Micros, f64)> + '_ {
        let of = self.faults.open.iter().filter(move |open| open.is_about(replica));
        let of = of.filter(|open| open.kind.is_of_replicas());
        of.map(|open| (open.kind, open.until, open.factor))
    }

    /// The product of the factors of a replica's faults of a kind, in the order in which these began.
    fn factor_of(&self, replica: ReplicaId, kind: FaultKind) -> f64 {
        let of = self.faults.open.iter().filter(|open| open.replica == Some(replica) && open.kind == kind);
        of.fold(1.0, |all, open| all * open.factor)
    }

    /// The steps of a replica and its ports are as slow as its faults make them; the gateway reaches it and sees it as they let it.
    fn follow_faults(&mut self, replica: Option<ReplicaId>, now: Micros) {
        if let Some(replica) = replica {
            let factor = self.factor_of(replica, FaultKind::Slow);
            let share = self.factor_of(replica, FaultKind::TransferLink);
            let mut of = self.faults.open.iter().filter(|open| open.replica == Some(replica));
            let unreachable = of.any(|open| open.kind == FaultKind::Unreachable);
            let life = &mut self.fleet.replicas_mut()[replica.index()].life;
            (life.slow_factor, life.unreachable) = (factor, unreachable);
            self.add_ports();
            if let Some(network) = &mut self.network {
                network.set_share(replica, share, now);
                if let Some(lower) = &mut self.fleet.lower {
                    lower.set_working(replica, share, now);
                }
            }
        }
        self.tell_lateness(now);
    }

    /// The gateway sees each replica as late as its faults make it; of several the latest counts.
    pub(crate) fn tell_lateness(&mut self, now: Micros) {
        let is_late = self.faults.open.iter().any(|open| open.delay > Span::ZERO);
        if !is_late && !self.gateway.picture().any_late() {
            return;
        }
        let mut delays = vec![Span::ZERO; self.fleet.replicas().len()];
        for open in &self.faults.open {
            match open.replica {
                Some(replica) => delays[replica.index()] = delays[replica.index()].max(open.delay),
                None => delays.iter_mut().for_each(|delay| *delay = open.delay.max(*delay)),
            }
        }
        self.faults.known = delays.len() as u32;
        for (replica, delay) in self.fleet.replicas().iter().zip(delays) {
            self.gateway.set_late(replica, delay, now);
        }
    }

    /// The signals of replicas that were added are late too, if those of all are.
    #[inline]
    pub(crate) fn tell_new_ones(&mut self, now: Micros) {
        if !self.faults.open.is_empty() && self.faults.known < self.fleet.replicas().len() as u32 {
            self.tell_lateness(now);
        }
    }

    /// A network that came to be, or was changed, follows the faults of its ports.
    pub(crate) fn adopt_links(&mut self, now: Micros) {
        for at in 0..self.faults.open.len() {
            if self.faults.open[at].kind == FaultKind::TransferLink {
                self.follow_faults(self.faults.open[at].replica, now);
            }
        }
    }

    /// Whether something works again, or is given back, by itself that requests may wait for: a run goes on for that.
    #[inline]
    pub(crate) fn waits_for_repair(&self) -> bool {
        let ends = |open: &OngoingFault| open.kind == FaultKind::TransferLink && open.until < Micros::MAX;
        let goes_down = || self.is_faulty() && self.fleet.any_goes_down();
        (self.faults.kv.any_lease() || self.faults.open.iter().any(ends) || goes_down())
            && self.book.locations().inside() > 0
    }

    /// The replica that fault number `number` is about, if it is there.
    fn aimed_at(&self, fault: &Fault, plan: &Plan, number: u32) -> Option<ReplicaId> {
        match fault.aim()? {
            Aim::All | Aim::Store(_) => None,
            Aim::Replica(number) => self.replicas().get(number as usize).map(Replica::id),
            Aim::Pool(name, pick) => {
                let pools = &plan.scenario().cluster.pools;
                let pool = pools.iter().position(|pool| pool.name == name)? as u32;
                let serving = || self.replicas().iter().filter(|r| r.pool() == pool && r.serving());
                let place = match pick {
                    Pick::Lowest => 0,
                    Pick::Random => {
                        let among = serving().count() as u32;
                        let seed = plan.scenario().seed;
                        if among == 0 { 0 } else { Stream::new(seed, Purpose::Faults, number).below(among) }
                    }
                };
                serving().nth(place as usize).map(Replica::id)
            }
        }
    }

    /// A replica that drained is restarted, unless that was given up.
    pub(crate) fn restart<S: Sink>(&mut self, replica: ReplicaId, start: u32, sink: &mut S) {
        if self.replicas()[replica.index()].life.starts == start
            && let Some(restart) = self.fleet.restarts(replica)
        {
            self.crash(Crash { replica, now: self.clock.now(), restart, planned: true }, sink);
        }
    }

    /// A replica crashes, or is restarted as planned: its requests break now.
    pub(crate) fn crash<S: Sink>(&mut self, crash: Crash, sink: &mut S) {
        let latest = self.clock.stand_at(crash.now);
        // A planned restart comes to each rank as it has drained, what breaks one breaks its server.
        let ranks = if crash.planned { vec![crash.replica] } else { self.fleet.server_of(crash.replica) };
        for replica in ranks {
            self.crash_now(Crash { replica, ..crash }, sink);
        }
        self.clock.stand_at(latest);
    }

    fn crash_now<S: Sink>(&mut self, crash: Crash, sink: &mut S) {
        self.fail_pulls(crash.replica, sink);
        let Some(gone) = self.fleet.crash(crash, &mut self.book, &mut self.clock, sink) else { return };
        let Crash { replica, now, .. } = crash;
        let index = replica.index();
        let (counted, others) = self.part_with(replica, now);
        let gone = gone + counted;
        self.gateway.see_replica(&self.fleet.replicas()[index], gone, now, std::iter::empty());
        let mut left = self.fleet.take_departures();
        let (gateway, mut around) = self.at(now);
        gateway.follow(&mut around);
        gateway.settle_departures(replica, &mut left, &mut around, sink);
        self.fleet.keep_room(left);
        self.settle_moves(index, sink);
        for (slot, reason) in others {
            self.lose_kv(slot, reason, now, sink);
        }
        self.fleet.follow_up(replica, now, &mut self.clock, sink);
        self.follow(now);
        self.replicas()[index].verify_down();
    }

    /// Follows the settings of a plan from `now` on.
    pub(crate) fn adopt_faults(&mut self, plan: &Plan, now: Micros) {
        self.faults.kv.adopt(&plan.scenario().cluster.resilience);
        if let Some(network) = self.network.as_mut().filter(|_| self.faults.count > 0) {
            network.set_later_timeout(self.faults.kv.transfer_timeout);
        }
        let settings = plan.scenario().cluster.faults;
        let random = &mut self.faults.random;
        if random.settings != settings {
            *random = RandomCrashes {
                settings,
                seed: plan.scenario().seed,
                revision: random.revision + 1,
                expected: 0,
                count: random.count,
            };
        }
        if settings.crash_mtbf_s > 0.0 {
            self.clock.end_at_horizon();
        }
        self.expect_crashes(now);
    }

    /// Replicas that have no instant scheduled at which they may crash get one.
    pub(crate) fn expect_crashes(&mut self, now: Micros) {
        let random = &self.faults.random;
        if random.settings.crash_mtbf_s <= 0.0 {
            return;
        }
        let revision = random.revision;
        for number in random.expected..self.replicas().len() as u32 {
            self.expect_crash(ReplicaId(number), 0, revision, now);
        }
        self.faults.random.expected = self.replicas().len() as u32;
    }

    fn expect_crash(&mut self, replica: ReplicaId, draw: u32, revision: u32, now: Micros) {
        let random = &self.faults.random;
        if random.count >= limits::RANDOM_CRASHES {
            return;
        }
        let mut stream = Stream::from_draw(random.seed, Purpose::Crashes, replica.0, draw);
        let gap = dist::exponential(&mut stream, random.settings.crash_mtbf_s * 1e6);
        let at = now.saturating_add(math::round_to_span(gap.max(1.0)));
        self.clock.schedule_scaling(at, ScalingEvent::RandomCrash { replica, draw: draw + 1, revision });
    }

    /// A replica crashes if it serves.
    pub(crate) fn random_crash<S: Sink>(
        &mut self,
        replica: ReplicaId,
        draw: u32,
        revision: u32,
        sink: &mut S,
    ) {
        let (now, random) = (self.clock.now(), &self.faults.random);
        if random.revision != revision || random.count >= limits::RANDOM_CRASHES {
            return;
        }
        let restart = math::round_to_span(random.settings.restart_s * 1e6);
        if self.replicas()[replica.index()].serving() {
            self.count_fault(now);
            self.faults.random.count += 1;
            self.crash(Crash { replica, now, restart, planned: false }, sink);
        }
        self.expect_crash(replica, draw, revision, now);
    }
}
