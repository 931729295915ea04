//! The replicas of all pools, what new ones are made of, and who decides how many there are.

use super::blueprint::{Blueprint, lower_tiers};
use super::finishes::{Finish, Objectives};
use super::lockstep::Server;
use super::scaling::PoolScaler;
use crate::clock::Clock;
use crate::facts::{FlowKind, Sink};
use crate::network::{Flow, LowerTiers};
use crate::perf::Plan;
use crate::policy::ReplicaPhase;
use crate::replica::{
    Delivery, Departure, DepartureReason, HOPELESS_PREEMPTIONS, LIVELOCK_PREEMPTIONS, Lender, Lenders,
    Replica, Unsettled, World,
};
use crate::request::{Book, Life, Slab, Wishes};
use crate::workload::Source;
use base::{Micros, ReplicaId, RequestId, Span};
use document::Compat;
use serde::{Deserialize, Serialize};

/// What the gateway has to see of a fleet that has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A replica was added or is in another phase.
    Phase(ReplicaId),
    /// A replica of this pool serves.
    Serves(u32),
}

/// The replicas of all pools.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fleet {
    compat: Compat,
    pub(super) seed: u64,
    pub(super) pools: Vec<Blueprint>,
    pub(super) replicas: Vec<Replica>,
    /// How many replicas take no new requests.
    pub(super) not_serving: u32,
    /// By pool: its autoscaler; none where no pool says anything of that.
    pub(super) scalers: Vec<PoolScaler>,
    /// Servers whose ranks step together.
    pub(super) servers: Vec<Server>,
    /// Set by a livelock: whose, and where.
    livelock: Option<(RequestId, u32)>,
    /// What the gateway has not seen yet: empty between two events.
    #[serde(skip)]
    pub(super) changes: Vec<Change>,
    /// What requests are held to, for autoscalers.
    pub(super) objectives: Objectives,
    /// What clients want of the KV of their requests.
    pub(super) wishes: Wishes,
    /// The tiers below CPU memory, if any pool has some.
    pub(crate) lower: Option<Box<LowerTiers>>,
    /// What becomes of sessions' KV, if the scenario says so.
    pub(super) life: Option<Box<Life>>,
    /// The outbox of the replica whose event runs: empty between two events.
    #[serde(skip)]
    departures: Vec<Departure>,
    /// The requests that have a first token since the event that runs.
    #[serde(skip)]
    prefilled: Vec<RequestId>,
    /// What else follows from the event that runs.
    #[serde(skip)]
    unsettled: Vec<Unsettled>,
}

impl Fleet {
    /// The fleet of a plan, whose replicas serve from the beginning.
    pub(crate) fn new(plan: &Plan, source: &Source, clock: &mut Clock) -> Self {
        let (scenario, c) = (plan.scenario(), &plan.scenario().cluster);
        let blueprint = |(pool, resolved)| Blueprint::new(pool, resolved, scenario, source);
        let mut fleet = Self {
            compat: c.compat,
            seed: scenario.seed,
            pools: c.pools.iter().zip(plan.resolved()).map(blueprint).collect(),
            replicas: Vec::new(),
            not_serving: 0,
            scalers: Vec::new(),
            servers: Vec::new(),
            livelock: None,
            changes: Vec::new(),
            objectives: Objectives::new(&scenario.slo),
            wishes: Wishes::new(&scenario.workload),
            lower: lower_tiers(plan),
            life: Life::new(scenario).map(Box::new),
            departures: Vec::new(),
            prefilled: Vec::new(),
            unsettled: Vec::new(),
        };
        for (pool, p) in c.pools.iter().enumerate() {
            for _ in 0..p.replicas {
                let id = fleet.add_replica(pool as u32);
                fleet.set_phase(id, ReplicaPhase::Serving);
            }
        }
        fleet.adopt_scaling(&c.pools, Micros::ZERO, clock);
        fleet.rebuild_tournament(clock);
        fleet
    }

    /// What becomes of sessions' KV, if the scenario says so.
    #[inline]
    pub(crate) fn life(&self) -> Option<&Life> {
        self.life.as_deref()
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn life_mut(&mut self) -> Option<&mut Life> {
        self.life.as_deref_mut()
    }

    /// Blocks on their way to a replica's CPU memory before a turn.
    pub(crate) fn fetched_before(&self, replica: ReplicaId) -> Vec<u64> {
        let flows = self.lower.as_ref().map_or(&[][..], |lower| lower.flows());
        let before = |flow: &&Flow| flow.replica == replica && matches!(flow.kind, FlowKind::Prefetch(_));
        flows.iter().filter(before).flat_map(|flow| flow.hashes.iter().copied()).collect()
    }

    /// What has become known of uses is known to the caches of all replicas.
    pub(crate) fn spread_news(&mut self) {
        let news = self.life_mut().map(Life::take_news).unwrap_or_default();
        for r in self.replicas.iter_mut().filter(|r| r.kv.follows_uses()) {
            for known in &news {
                r.kv.own().follow_uses(known);
            }
        }
    }

    /// The network ports of replicas follow their pools from `now` on.
    pub(crate) fn change_ports(&mut self, now: Micros) {
        let rates = self.replicas.iter().map(|r| self.pools[r.pool as usize].lower.port_bytes_per_s);
        if let Some(lower) = &mut self.lower {
            lower.change(rates, now);
        }
    }

    pub(crate) fn compat(&self) -> Compat {
        self.compat
    }

    /// How many pools there are.
    pub(crate) fn pools(&self) -> u32 {
        self.pools.len() as u32
    }

    /// What new replicas of a pool are made of.
    pub(crate) fn blueprint(&self, pool: u32) -> &Blueprint {
        &self.pools[pool as usize]
    }

    /// All replicas that ever were.
    #[inline]
    pub(crate) fn replicas(&self) -> &[Replica] {
        &self.replicas
    }

    pub(crate) fn replicas_mut(&mut self) -> &mut [Replica] {
        &mut self.replicas
    }

    /// A replica, and the tiers below CPU memory of all.
    pub(crate) fn replica_and_lower(&mut self, id: ReplicaId) -> (&mut Replica, Option<&mut LowerTiers>) {
        (&mut self.replicas[id.index()], self.lower.as_deref_mut())
    }

    /// Whether any replica has tiers below CPU memory.
    #[inline]
    pub(crate) fn has_lower(&self) -> bool {
        self.lower.is_some()
    }

    /// Whether all replicas take new requests.
    #[inline]
    pub(crate) fn all_serve(&self) -> bool {
        self.not_serving == 0
    }

    pub(crate) fn not_serving(&self) -> u32 {
        self.not_serving
    }

    /// Whether there is anything that the gateway has not seen.
    #[inline]
    pub(crate) fn has_changed(&self) -> bool {
        !self.changes.is_empty()
    }

    /// What the gateway has not seen, in order.
    pub(crate) fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// A request is sent to a replica. When the next event of that replica runs, and when its front end has dealt with the request.
    #[inline]
    pub(crate) fn deliver(
        &mut self,
        to: ReplicaId,
        delivery: Delivery,
        slab: &Slab,
    ) -> (Micros, Option<Micros>) {
        let replica = &mut self.replicas[to.index()];
        let tokenised = replica.deliver(delivery, slab);
        (replica.next_at(), tokenised)
    }

    /// A request in a replica is stopped at `now`, unless it has left by then. When the next event of that replica runs.
    pub(crate) fn evict(&mut self, from: ReplicaId, request: RequestId, now: Micros) -> Micros {
        self.replicas[from.index()].evict(request, now)
    }

    /// Runs the next event of replica `index`. How many requests have left it.
    #[inline]
    pub(crate) fn run_event<S: Sink>(
        &mut self,
        index: usize,
        book: &mut Book,
        clock: &mut Clock,
        sink: &mut S,
    ) -> u32 {
        let preempted = self.replicas[index].preempted_since_progress;
        if self.replicas[index].limits.align_prefills > Span::ZERO {
            self.hold_prompts(index, book);
        }
        let (replica, mut world) = self.replica_in_world(index, book, sink);
        replica.run_event(&mut world);
        clock.set_replica(index, replica.next_at());
        replica.verify_counts();
        if replica.lockstep.is_rank() {
            self.step_together(index, book, clock, sink);
        }
        self.watch_livelock(index, preempted, book);
        self.departures.len() as u32
    }

    /// A replica, and what it needs of the rest of the engine.
    #[inline]
    pub(crate) fn replica_in_world<'a, S: Sink>(
        &'a mut self,
        index: usize,
        book: &'a mut Book,
        sink: &'a mut S,
    ) -> (&'a mut Replica, World<'a, S>) {
        let pages = book.pages();
        let pulls = self.lower.as_ref().is_some_and(|lower| lower.any_peers());
        let (replica, peers) = if pulls {
            apart(&mut self.replicas, index)
        } else {
            (&mut self.replicas[index], Lenders::default())
        };
        let world = World {
            records: pages.records,
            locations: pages.locations,
            active: pages.active,
            stays: pages.stays,
            loads: pages.loads,
            adapters: pages.adapters,
            handovers: pages.handovers,
            unsettled: &mut self.unsettled,
            departures: &mut self.departures,
            prefilled: &mut self.prefilled,
            sink,
            detail: pages.detail,
            wishes: &self.wishes,
            lower: self.lower.as_deref_mut(),
            peers,
            life: self.life.as_deref_mut(),
        };
        (replica, world)
    }

    /// The replica whose event has run, and the requests that have a first token since.
    #[inline]
    pub(crate) fn after_event(&mut self, index: usize) -> (&Replica, impl Iterator<Item = RequestId> + '_) {
        (&self.replicas[index], self.prefilled.drain(..))
    }

    /// Whether anything but departures follows from the event that runs.
    #[inline]
    pub(crate) fn is_unsettled(&self) -> bool {
        !self.unsettled.is_empty()
    }

    /// What that is.
    pub(crate) fn take_unsettled(&mut self) -> Vec<Unsettled> {
        std::mem::take(&mut self.unsettled)
    }

    /// The requests that have left in the event that runs.
    pub(crate) fn take_departures(&mut self) -> Vec<Departure> {
        std::mem::take(&mut self.departures)
    }

    /// Requests have left a replica: autoscalers that follow latencies remember those that finished.
    pub(crate) fn note_finished(&mut self, index: usize, left: &[Departure], now: Micros, book: &Book) {
        let Some(p) = self.scalers.get_mut(self.replicas[index].pool as usize) else { return };
        if !p.policy.wants_finished() {
            return;
        }
        for gone in left.iter().filter(|gone| gone.why == DepartureReason::Completed) {
            let r = book.here(gone.request);
            let (Some(ttft), Some(e2e)) = (r.ttft.get(), r.e2e.get()) else { continue };
            let tpot = Span((e2e.0 - ttft.0) / u64::from(r.generated.saturating_sub(1).max(1)));
            p.finishes.add(Finish { at: now, class: r.class, ttft, tpot, e2e }, p.window + p.lag + p.scrape);
        }
    }

    /// How many requests have left in the event that runs.
    pub(super) fn departed(&self) -> u32 {
        self.departures.len() as u32
    }

    /// Room for those that leave next.
    pub(crate) fn keep_room(&mut self, departures: Vec<Departure>) {
        self.departures = departures;
    }

    pub(crate) fn rebuild_tournament(&self, clock: &mut Clock) {
        clock.set_replicas(self.replicas.iter().map(Replica::next_at));
    }

    /// A livelock of `compat: blis` without a horizon would never end, and any other before a distant horizon would be
    /// simulated for minutes: the engine stops and says why. In the default mode preemption loses no tokens, so that many
    /// preemptions between two completions are no proof.
    #[inline]
    pub(crate) fn gave_up(&self, endless: bool) -> bool {
        self.livelock.is_some_and(|(_, replica)| {
            let preempted = self.replicas[replica as usize].preempted_since_progress;
            endless && self.compat == Compat::Blis || preempted >= HOPELESS_PREEMPTIONS
        })
    }

    /// The request and the replica of a livelock.
    pub(crate) fn livelock(&self) -> Option<(RequestId, u32)> {
        self.livelock
    }

    /// Requests that preempted each other may make progress now.
    pub(crate) fn forget_livelock(&mut self) {
        self.livelock = None;
        for replica in &mut self.replicas {
            replica.preempted_since_progress = 0;
        }
    }

    /// Notes livelocks that begin or end with an event of replica `index`, which had preempted `before` requests since its
    /// last progress. The one reported is the first that lasts.
    #[inline(always)]
    fn watch_livelock(&mut self, index: usize, before: u64, book: &Book) {
        let stuck = self.replicas[index].preempted_since_progress >= LIVELOCK_PREEMPTIONS;
        if stuck != (before >= LIVELOCK_PREEMPTIONS) {
            self.note_livelock(index, book);
        }
    }

    #[cold]
    fn note_livelock(&mut self, index: usize, book: &Book) {
        let lasts = self.livelock.is_some_and(|(_, replica)| replica as usize != index);
        if !lasts {
            let stuck = |r: &&Replica| r.preempted_since_progress >= LIVELOCK_PREEMPTIONS;
            self.livelock = self.replicas.iter().filter(stuck).find_map(|r| {
                let first = r.waiting.front()?;
                Some((book.active()[*first].id, r.id.0))
            });
        }
    }

    /// About how many bytes the autoscalers take.
    pub(crate) fn bytes_of_scalers(&self) -> u64 {
        self.scalers.iter().map(PoolScaler::bytes).sum()
    }
}

/// One of the replicas, and the others, from which it may pull.
#[inline(never)]
fn apart(all: &mut [Replica], index: usize) -> (&mut Replica, Lenders<'_>) {
    let (before, rest) = all.split_at_mut(index);
    let (own, after) = rest.split_first_mut().expect("INV-2: an event of a replica that is not there");
    let others = before.iter_mut().chain(after).map(|r| r as &mut dyn Lender);
    (own, Lenders::new(others.collect(), index))
}
