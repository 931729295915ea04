//! The simulation itself: clock, event queues, and the state machines of gateway and replicas.
//!
//! An engine is a pure function of scenario, seed and edits. It knows no JSON, no wall clock and no files. One total
//! order of events (`clock/event.rs`): time, then cluster before replica events, then kind, then sequence; among replicas the lowest
//! number first. `advance` can be cut into any pieces without changing a result.

mod clock;
mod edits;
mod facts;
mod fleet;
mod gateway;
mod replica;
mod request;
mod watch;

pub use edits::replicas_started;
pub use facts::{
    Decision, Detail, DropReason, Fact, Ignore, Present, ScalingRecord, Sink, StepParts, StepTrace, ranking,
};
pub use fleet::PoolCounts;
pub use gateway::{NotRedirected, WhyNot};
pub use replica::{Replica, StartPhase, Totals, mean_start_s};
pub use request::{Location, Progress, Record, RecordColumn, Records, RequestState, Stay};

use crate::base::{Chunks, Micros, RequestId, Span};
use crate::perf::Plan;
use crate::policy::routing::RouterState;
use crate::policy::{PoolView, ReplicaPhase, ReplicaView, Signals};
use crate::scenario::Compat;
use crate::workload::Source;
use clock::{ClusterEvent, EventQueue, Tournament};
use fleet::{Blueprint, Scaling};
use gateway::{AdmissionQueue, Redirects};
use replica::{
    Departure, HOPELESS_PREEMPTIONS, LIVELOCK_PREEMPTIONS, World, look_at, signals_of, timeout_of,
};
use request::{LoadTimes, LocationCounts, Slab};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use watch::Packed;

/// Why `advance` came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The next event lies after the instant asked for.
    Until,
    /// As many events ran as were allowed.
    Events,
    /// There are no more events up to the horizon.
    Finished,
}

/// Counts that the engine keeps while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Census {
    /// Requests that arrived.
    pub arrived: u32,
    /// Let in by admission.
    pub admitted: u32,
    /// Refused.
    pub rejected: u32,
    /// Of those, let in by admission and then refused by the router or a full wait queue.
    pub turned_away: u32,
}

/// The whole cluster at one instant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cluster {
    compat: Compat,
    seed: u64,
    horizon: Micros,
    /// Nothing runs there or later: the end of the clock, or of what autoscalers have time for in a run without a horizon.
    clock_end: Micros,
    clock: Micros,
    events_done: u64,
    source: Source,
    pools: Vec<Blueprint>,
    /// By pool: what the gateway knows of all its replicas.
    pool_views: Vec<PoolView>,
    /// By number of a model that requests ask for: the pools that serve it, as bits by number.
    serves: Vec<u64>,
    admission_latency: Span,
    routing_latency: Span,
    snapshot_refresh: Span,
    /// How long clients wait for an answer; 0 for ever.
    timeout: Span,
    admission: AdmissionQueue,
    router: RouterState,
    redirects: Redirects,
    /// Events of the cluster; arrivals come straight from the source.
    events: EventQueue<ClusterEvent>,
    census: Census,
    replicas: Vec<Replica>,
    next_at: Tournament,
    /// By replica: what the gateway sees, and when it last looked.
    views: Vec<ReplicaView>,
    viewed_at: Vec<Micros>,
    /// By replica: further signals, as old as the views. Where these follow the replicas' events, signals do only if the
    /// router wants them.
    signals: Vec<Signals>,
    /// The earliest of `viewed_at`.
    oldest_view: Micros,
    /// How many replicas take no new requests.
    not_serving: u32,
    /// Whether any wait queue has a bound.
    bounded: bool,
    in_flight: Vec<u32>,
    /// Autoscalers, replicas that start, requests held for them; none where no pool says anything of that.
    scaling: Option<Box<Scaling>>,
    records: Records,
    /// By kind of place: how many of them are there.
    locations: LocationCounts,
    active: Slab,
    /// The past of requests that were preempted, in the order in which it came to pass.
    stays: Chunks<Stay>,
    loads: LoadTimes,
    /// Set by a livelock: whose, and where.
    livelock: Option<(RequestId, u32)>,
    detail: Option<Box<Detail>>,
    /// Room for the next routing decision.
    #[serde(skip)]
    decision: Decision,
    /// The outbox of the replica whose event runs: empty between two events.
    #[serde(skip)]
    departures: Vec<Departure>,
    /// Who has a first token since the event that runs.
    #[serde(skip)]
    prefilled: Vec<RequestId>,
    /// What is packed, while it is kept in a checkpoint.
    #[serde(skip)]
    packed: Option<Rc<Packed>>,
}

impl Cluster {
    /// The cluster of a plan at time zero.
    #[must_use]
    pub fn new(plan: &Plan, source: Source) -> Self {
        let (scenario, resolved, c) = (plan.scenario(), plan.resolved(), &plan.scenario().cluster);
        let pools: Vec<Blueprint> =
            c.pools.iter().zip(resolved).map(|(p, r)| Blueprint::new(p, r, c.compat, &source)).collect();
        let pool_views = gateway::pool_views(&c.pools, resolved);
        let serves = gateway::serves(&c.pools, &source);
        let horizon = match scenario.run.horizon_s {
            s if s > 0.0 => Micros(crate::base::math::round_to_span(s * 1e6).0),
            _ => Micros::MAX,
        };
        let mut engine = Self {
            compat: c.compat,
            seed: scenario.seed,
            horizon,
            clock_end: Micros::END,
            clock: Micros::ZERO,
            events_done: 0,
            source,
            pools,
            pool_views,
            serves,
            admission_latency: Span(c.admission_latency_us),
            routing_latency: Span(c.routing_latency_us),
            snapshot_refresh: Span(c.snapshot_refresh_us),
            timeout: timeout_of(scenario),
            admission: AdmissionQueue::new(&c.admission),
            router: RouterState::new(&c.routing, scenario.seed),
            redirects: Redirects::default(),
            events: EventQueue::default(),
            census: Census::default(),
            replicas: Vec::new(),
            next_at: Tournament::default(),
            views: Vec::new(),
            viewed_at: Vec::new(),
            signals: Vec::new(),
            oldest_view: Micros::ZERO,
            not_serving: 0,
            bounded: c.pools.iter().any(|p| p.engine.max_waiting > 0),
            in_flight: Vec::new(),
            scaling: None,
            records: Records::default(),
            locations: LocationCounts::default(),
            active: Slab::default(),
            stays: Chunks::default(),
            loads: LoadTimes::default(),
            livelock: None,
            detail: None,
            decision: Decision::default(),
            departures: Vec::new(),
            prefilled: Vec::new(),
            packed: None,
        };
        for (pool, p) in c.pools.iter().enumerate() {
            for _ in 0..p.replicas {
                let id = engine.add_replica(pool as u32);
                engine.set_phase(id, ReplicaPhase::Serving);
            }
        }
        engine.adopt_scaling(&c.pools, Micros::ZERO);
        engine.rebuild_tournament();
        if engine.sees_all() {
            engine.refresh_views(Micros::ZERO, Span::ZERO);
        }
        engine
    }

    /// Runs events up to and including `until`, but no more than `max_events` of them.
    pub fn advance<S: Sink>(&mut self, until: Micros, max_events: u64, sink: &mut S) -> Halt {
        assert!(self.packed.is_none(), "INV-6: a checkpoint that goes on by itself");
        for _ in 0..max_events {
            let gateway_at = self.gateway_at();
            let (replica_at, index) = self.next_at.winner();
            let at = gateway_at.min(replica_at);
            if at >= self.clock_end || at > self.horizon {
                return Halt::Finished;
            }
            if at > until {
                return Halt::Until;
            }
            if self.gave_up() {
                return Halt::Finished;
            }
            assert!(at >= self.clock, "INV-3: the cluster clock went back from {:?} to {at:?}", self.clock);
            self.clock = at;
            if gateway_at <= replica_at {
                self.run_gateway_event(sink);
            } else {
                self.run_replica_event(index, sink);
            }
            self.events_done += 1;
            #[cfg(feature = "verify")]
            self.verify(self.events_done.is_multiple_of(61));
        }
        Halt::Events
    }

    /// When the next event runs; `None` if there is none up to the horizon.
    pub fn next_event_at(&self) -> Option<Micros> {
        let at = self.gateway_at().min(self.next_at.winner().0);
        (at <= self.horizon && at < self.clock_end && !self.gave_up()).then_some(at)
    }

    /// Where the clock ended, if something would happen yet after that.
    pub fn clock_ended(&self) -> Option<Micros> {
        let at = self.gateway_at().min(self.next_at.winner().0);
        let ended = self.horizon == Micros::MAX && (self.clock_end..Micros::MAX).contains(&at);
        ended.then_some(self.clock_end)
    }

    /// A livelock of `compat: blis` without a horizon would never end, and any other before a distant horizon would be
    /// simulated for minutes: the engine stops and says why. In the default mode preemption loses no tokens, so that many
    /// preemptions between two completions are no proof.
    pub fn gave_up(&self) -> bool {
        self.livelock.is_some_and(|(_, replica)| {
            let preempted = self.replicas[replica as usize].preempted_since_progress;
            let endless = self.horizon == Micros::MAX && self.compat == Compat::Blis;
            endless || preempted >= HOPELESS_PREEMPTIONS
        })
    }

    /// Notes livelocks that begin or end with an event of replica `index`, which had preempted `before` requests since its
    /// last progress. The one reported is the first that lasts.
    #[inline(always)]
    fn watch_livelock(&mut self, index: usize, before: u64) {
        let limit = LIVELOCK_PREEMPTIONS;
        let stuck = self.replicas[index].preempted_since_progress >= limit;
        if stuck != (before >= limit) {
            self.note_livelock(index);
        }
    }

    #[cold]
    fn note_livelock(&mut self, index: usize) {
        let limit = LIVELOCK_PREEMPTIONS;
        let lasts = self.livelock.is_some_and(|(_, replica)| replica as usize != index);
        if !lasts {
            self.livelock =
                self.replicas.iter().filter(|r| r.preempted_since_progress >= limit).find_map(|r| {
                    let first = r.waiting.front()?;
                    Some((self.active[*first].id, r.id.0))
                });
        }
    }

    fn run_replica_event<S: Sink>(&mut self, index: usize, sink: &mut S) {
        let replica = &mut self.replicas[index];
        let preempted = replica.preempted_since_progress;
        let mut world = World {
            records: &mut self.records,
            locations: &mut self.locations,
            active: &mut self.active,
            stays: &mut self.stays,
            loads: &mut self.loads,
            departures: &mut self.departures,
            prefilled: &mut self.prefilled,
            sink,
            detail: &mut self.detail,
        };
        replica.run_event(&mut world);
        for request in self.prefilled.drain(..) {
            self.router.prefilled(request);
        }
        let gone = self.departures.len() as u32;
        assert!(self.in_flight[index] >= gone, "INV-1: more requests left {:?} than came", replica.id);
        self.in_flight[index] -= gone;
        assert!(
            self.in_flight[index] == replica.arriving() + replica.waiting() + replica.running(),
            "INV-1: {:?} has {} requests, and not those on their way, waiting or running",
            replica.id,
            self.in_flight[index]
        );
        self.views[index].in_flight = self.in_flight[index];
        if self.snapshot_refresh == Span::ZERO {
            self.views[index] = look_at(replica, &self.views[index]);
            if self.router.wants_signals() {
                self.signals[index] = signals_of(replica, &self.signals[index]);
            }
        }
        self.next_at.set(index, replica.next_at());
        replica.verify_counts();
        self.watch_livelock(index, preempted);
        if gone > 0 {
            self.settle_departures(index, sink);
            if self.not_serving > 0 && self.in_flight[index] == 0 {
                self.follow_up(self.views[index].id, self.clock, sink);
            }
        }
    }

    fn rebuild_tournament(&mut self) {
        self.next_at = Tournament::new(self.replicas.len());
        for (i, r) in self.replicas.iter().enumerate() {
            self.next_at.set(i, r.next_at());
        }
    }

    /// Gives a restored engine its trace back.
    pub fn attach(&mut self, trace: Option<&std::sync::Arc<crate::workload::Trace>>) {
        self.source.attach(trace);
    }

    /// Records everything from now on.
    pub fn record_detail(&mut self, detail: Detail) {
        self.detail = Some(Box::new(detail));
    }

    /// What has been recorded.
    pub fn detail(&self) -> Option<&Detail> {
        self.detail.as_deref()
    }

    /// Time of the latest event.
    pub fn last_event_at(&self) -> Micros {
        self.clock
    }

    /// The cluster clock: time of the latest event. Under `compat: blis` it ends at the first event beyond the horizon,
    /// because the original looks at its clock only after it has set it.
    pub fn clock(&self) -> Micros {
        let beyond = self.gateway_at().min(self.next_at.winner().0);
        let beyond = beyond.min(self.source.peek_beyond().unwrap_or(Micros::MAX));
        let overrun = self.compat == Compat::Blis && beyond > self.horizon && beyond != Micros::MAX;
        if overrun { beyond } else { self.clock }
    }

    /// When a finished run ended: at its horizon, or at the latest event if it has none or was given up before.
    pub fn end(&self) -> Micros {
        if self.horizon == Micros::MAX || self.gave_up() { self.clock } else { self.horizon }
    }

    /// End of the run; [`Micros::MAX`] if there is none.
    pub fn horizon(&self) -> Micros {
        self.horizon
    }

    /// Events run so far.
    pub fn events_done(&self) -> u64 {
        self.events_done
    }

    /// All replicas that ever were.
    pub fn replicas(&self) -> &[Replica] {
        &self.replicas
    }

    /// All requests that arrived, in order.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// Requests at the gateway: neither refused nor routed yet.
    pub fn at_gateway(&self) -> u32 {
        self.locations.at_gateway()
    }

    /// Of those, requests that wait there: delayed by admission, or held for a replica.
    pub fn held_back(&self) -> u32 {
        self.admission.delayed() + self.held()
    }

    /// Counts at the gateway.
    pub fn census(&self) -> &Census {
        &self.census
    }

    /// The traffic.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Which semantics it follows.
    pub fn compat(&self) -> Compat {
        self.compat
    }

    /// By replica: requests sent there that have neither finished nor been dropped.
    pub fn in_flight(&self) -> &[u32] {
        &self.in_flight
    }

    /// KV blocks of one replica of a pool.
    pub fn blocks_of(&self, pool: u32) -> u32 {
        self.pools[pool as usize].resolved.blocks.0
    }

    /// Price of one replica of a pool in US dollars per hour.
    pub fn usd_per_hour(&self, pool: u32) -> f64 {
        self.pools[pool as usize].resolved.usd_per_hour
    }

    /// Output processing of each token on a pool's replicas now.
    pub fn output_overhead(&self, pool: u32) -> Span {
        self.pools[pool as usize].resolved.model.output_overhead()
    }

    /// Most requests in a batch and most tokens in a step of a pool's replicas now.
    pub fn batch_limits(&self, pool: u32) -> [u32; 2] {
        let limits = &self.pools[pool as usize].limits;
        [limits.max_num_seqs, limits.max_num_batched_tokens]
    }

    /// Blocks in the KV cache of each of a pool's replicas now.
    pub fn kv_blocks(&self, pool: u32) -> u32 {
        self.pools[pool as usize].resolved.blocks.0
    }

    /// The request and the replica of a livelock.
    pub fn livelock(&self) -> Option<(RequestId, u32)> {
        self.livelock
    }
}
