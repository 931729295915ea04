//! The simulation itself: clock, event queues, and the state machines of gateway and replicas.
//!
//! An engine is a pure function of scenario, seed and edits. It knows no JSON, no wall clock and no files. One total
//! order of events (`clock/event.rs`): time, then cluster before replica events, then kind, then sequence; among replicas the lowest
//! number first. `advance` can be cut into any pieces without changing a result.

#[macro_use]
extern crate macro_rules_attribute;
#[macro_use]
extern crate base;

mod clock;
mod cluster;
mod facts;
mod fleet;
mod gateway;
pub mod kv;
mod network;
pub mod perf;
pub mod policy;
mod replica;
mod request;
mod watch;
pub mod workload;

pub use cluster::standstill::Standstill;
pub use facts::{
    AdapterSource, BreakReason, CacheFact, DeciderReason, Decision, Detail, DropReason, EjectedBy, Fact,
    FaultFact, FaultKind, FaultWords, FleetFact, FlowKind, FlowOutcome, HandoverFact, Ignore, Present,
    PromptChunk, ReplicaFact, RequestFact, ScalingRecord, Sink, Stage, StepParts, StepTerms, StepTrace,
    TierNews, ranking,
};
pub use fleet::{PoolCounts, replicas_started};
pub use gateway::{AttemptCounts, BandSight, NotRedirected, WhyNot};
pub use network::{
    Direction, Flow, LowerCounts, LowerFigures, LowerTiers, Network, Port, PortUse, StoreFigures, StoreSight,
    Transfer,
};
pub use replica::{AdapterCounts, DraftTotals, Replica, StartPhase, Totals, mean_start_s};
pub use request::{
    AdapterUse, Attempt, Census, Handover, Location, PrefetchOutcome, PrefetchRow, Progress, RECORD_PIECE,
    Record, RecordColumn, Records, RequestState, Retired, Stay,
};
#[cfg(any(feature = "cli", feature = "closeup"))]
pub use watch::{HeldBlocks, HeldFor, RequestText};

use crate::perf::Plan;
use crate::workload::{Source, Trace};
use base::{Micros, ReplicaId, RequestId};
use clock::{Clock, ClusterEvent, ScalingEvent};
use cluster::faults::Faults;
use cluster::probes::Probes;
use fleet::{Fleet, GatewayQueue};
use gateway::{Around, Gateway};
use request::Book;
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use std::sync::Arc;
use watch::{Packed, Sight};

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

/// The whole cluster at one instant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cluster {
    clock: Clock,
    gateway: Gateway,
    fleet: Fleet,
    book: Book,
    /// What broke, and what is broken for a while.
    faults: Faults,
    /// Who is probed.
    probes: Probes,
    /// Transfers of KV between replicas; none before any pool has the role prefill or decode.
    network: Option<Box<Network>>,
    /// What is packed, while it is kept in a checkpoint.
    #[serde(skip)]
    packed: Option<Rc<Packed>>,
}

impl Cluster {
    /// The cluster of a plan at time zero.
    #[must_use]
    pub fn new(plan: &Plan, source: Source) -> Self {
        let horizon = match plan.scenario().run.horizon_s {
            s if s > 0.0 => Micros(base::math::round_to_span(s * 1e6).0),
            _ => Micros::MAX,
        };
        let mut clock = Clock::new(horizon);
        let fleet = Fleet::new(plan, &source, &mut clock);
        let gateway = Gateway::new(plan, source);
        let mut cluster = Self {
            clock,
            gateway,
            fleet,
            book: Book::default(),
            faults: Faults::default(),
            probes: Probes::default(),
            network: None,
            packed: None,
        };
        cluster.adopt_network(plan, Micros::ZERO);
        let (gateway, mut around) = cluster.at(Micros::ZERO);
        gateway.tell_stages(&mut around);
        gateway.follow(&mut around);
        gateway.see_all_now(Micros::ZERO, around.fleet);
        cluster.know_listed();
        cluster.adopt_faults(plan, Micros::ZERO);
        cluster.adopt_probes(plan, Micros::ZERO, &mut Ignore);
        cluster
    }

    /// The gateway, and what it works with at `now`.
    #[inline]
    fn at(&mut self, now: Micros) -> (&mut Gateway, Around<'_>) {
        let (clock, fleet, book) = (&mut self.clock, &mut self.fleet, &mut self.book);
        (&mut self.gateway, Around { now, clock, fleet, book })
    }

    /// Its parts, to be looked at.
    fn sight(&self) -> Sight<'_> {
        Sight { gateway: &self.gateway, fleet: &self.fleet, book: &self.book }
    }

    /// When the next event that is not a replica's runs.
    #[inline]
    fn gateway_at(&self) -> Micros {
        let holds = || {
            self.gateway.holds(|| self.fleet.any_may_serve()) || self.probes_hold() || self.waits_for_repair()
        };
        self.clock.cluster_at(self.own_event().0, holds)
    }

    /// Runs events up to and including `until`, but no more than `max_events` of them.
    pub fn advance<S: Sink>(&mut self, until: Micros, max_events: u64, sink: &mut S) -> Halt {
        assert!(self.packed.is_none(), "INV-6: a checkpoint that goes on by itself");
        for _ in 0..max_events {
            let gateway_at = self.gateway_at();
            let (replica_at, index) = self.clock.replica_at();
            let at = gateway_at.min(replica_at);
            if self.clock.is_over_at(at) {
                self.verify_over();
                return Halt::Finished;
            }
            if at > until {
                return Halt::Until;
            }
            if self.gave_up() {
                return Halt::Finished;
            }
            self.clock.go_to(at);
            if gateway_at <= replica_at {
                self.run_gateway_event(sink);
            } else {
                self.run_replica_event(index, sink);
            }
            self.share_ports(at);
            self.clock.count_event();
            #[cfg(feature = "verify")]
            self.verify(self.clock.events_done().is_multiple_of(61));
        }
        Halt::Events
    }

    fn run_gateway_event<S: Sink>(&mut self, sink: &mut S) {
        let (at, own) = self.own_event();
        if let Some(event) = self.clock.pop_scaling(at) {
            self.run_scaling_event(event, sink);
            return;
        }
        match self.clock.pop(at, own) {
            ClusterEvent::Landing => self.land(sink),
            ClusterEvent::FlowBegins => self.begin_flow(sink),
            ClusterEvent::BlocksLand => self.land_blocks(sink),
            ClusterEvent::BlocksFlow => self.begin_blocks(sink),
            ClusterEvent::Pause => self.run_pause(sink),
            ClusterEvent::TransferTimedOut => self.time_out_transfer(sink),
            event @ (ClusterEvent::Arrival
            | ClusterEvent::Admission(_)
            | ClusterEvent::Routing(_)
            | ClusterEvent::Retry { .. }
            | ClusterEvent::Dispatch
            | ClusterEvent::Sweep
            | ClusterEvent::Noticed { .. }
            | ClusterEvent::Unreached { .. }) => {
                let (gateway, mut around) = self.at(self.clock.now());
                gateway.run_event(event, &mut around, sink);
                self.add_ports();
                self.follow_sessions();
            }
        }
    }

    fn run_scaling_event<S: Sink>(&mut self, event: ScalingEvent, sink: &mut S) {
        let now = self.clock.now();
        match event {
            ScalingEvent::Ready { replica, start } => {
                self.fleet.ready(replica, start, now, sink);
            }
            ScalingEvent::HoldOver(request) => {
                let (gateway, mut around) = self.at(now);
                gateway.end_hold(request, &mut around, sink);
            }
            ScalingEvent::FaultEnds(number) => self.end_fault(number, sink),
            ScalingEvent::LeaseOver { replica, number } => self.end_lease(replica, number, sink),
            ScalingEvent::RandomCrash { replica, draw, revision } => {
                self.random_crash(replica, draw, revision, sink);
            }
            ScalingEvent::Restart { replica, start } => self.restart(replica, start, sink),
            ScalingEvent::ProbeFails { replica, crash, revision } => {
                self.fail_probe(replica, crash, revision, sink);
            }
            ScalingEvent::Readmit { replica, time } => {
                let (gateway, mut around) = self.at(now);
                gateway.end_ejection(replica, time, &mut around, sink);
            }
            ScalingEvent::Probe(number) => self.probe(number, sink),
            ScalingEvent::Scrape { pool, revision } => {
                if let Some([scrape, _]) = self.fleet.periods(pool, revision) {
                    let (held, all) = (self.gateway.held_for(pool), self.gateway.queue_for(pool));
                    self.fleet.scrape(pool, now, GatewayQueue { held, all }, &self.book);
                    self.clock.schedule_scaling(now.saturating_add(scrape), event);
                }
            }
            ScalingEvent::Tick { pool, revision } => {
                if let Some([_, tick]) = self.fleet.periods(pool, revision) {
                    self.decide(pool, now, sink);
                    self.clock.schedule_scaling(now.saturating_add(tick), event);
                }
            }
            ScalingEvent::Sync { pool, revision } => {
                let source = self.gateway.source();
                if let Some((decided, period)) = self.fleet.sync(pool, revision, now, source) {
                    let held = self.gateway.held_for(pool);
                    self.fleet.carry_out(decided, held, &mut self.clock, sink);
                    self.clock.schedule_scaling(now.saturating_add(period), event);
                }
            }
        }
        self.follow(now);
    }

    /// The autoscaler of a pool decides, perhaps about others too. What is held is released before the next decision is carried out.
    fn decide<S: Sink>(&mut self, pool: u32, now: Micros, sink: &mut S) {
        for decided in self.fleet.decide(pool, now, self.gateway.source()) {
            let held = self.gateway.held_for(decided.pool());
            self.fleet.carry_out(decided, held, &mut self.clock, sink);
            self.follow(now);
        }
    }

    /// The gateway sees what has become of the fleet.
    #[inline]
    fn follow(&mut self, now: Micros) {
        let (gateway, mut around) = self.at(now);
        gateway.follow(&mut around);
        self.add_ports();
        self.expect_crashes(now);
        self.tell_new_ones(now);
        self.watch_failing(now);
    }

    fn run_replica_event<S: Sink>(&mut self, index: usize, sink: &mut S) {
        let gone = self.fleet.run_event(index, &mut self.book, &mut self.clock, sink);
        let (replica, prefilled) = self.fleet.after_event(index);
        self.gateway.see_replica(replica, gone, self.clock.now(), prefilled);
        if gone > 0 {
            self.settle_departures(index, sink);
        }
        if self.fleet.is_unsettled() {
            self.settle_moves(index, sink);
        }
        self.follow_sessions();
    }

    /// Everything that follows from requests having left replica `index`.
    fn settle_departures<S: Sink>(&mut self, index: usize, sink: &mut S) {
        let (now, replica) = (self.clock.now(), ReplicaId(index as u32));
        let mut left = self.fleet.take_departures();
        self.settle_handovers(index, &mut left, sink);
        self.fleet.note_finished(index, &left, now, &self.book);
        self.fleet.stop_if_drained(replica);
        let (gateway, mut around) = self.at(now);
        gateway.follow(&mut around);
        gateway.settle_departures(replica, &mut left, &mut around, sink);
        self.fleet.keep_room(left);
        if !self.fleet.all_serve() && self.gateway.has_none(replica) {
            self.fleet.follow_up(replica, now, &mut self.clock, sink);
            self.follow(now);
        }
    }

    /// When the next event of all runs.
    fn next_at(&self) -> Micros {
        self.gateway_at().min(self.clock.replica_at().0)
    }

    /// When the next event runs; `None` if there is none up to the horizon.
    pub fn next_event_at(&self) -> Option<Micros> {
        let at = self.next_at();
        (!self.clock.is_over_at(at) && !self.gave_up()).then_some(at)
    }

    /// Where the clock ended, if something would happen yet after that.
    pub fn clock_ended(&self) -> Option<Micros> {
        let end = self.clock.end();
        let ended = self.clock.is_endless() && (end..Micros::MAX).contains(&self.next_at());
        ended.then_some(end)
    }

    /// Whether a livelock ended the run.
    pub fn gave_up(&self) -> bool {
        self.fleet.gave_up(self.clock.is_endless())
    }

    /// The request and the replica of a livelock.
    pub fn livelock(&self) -> Option<(RequestId, u32)> {
        self.fleet.livelock()
    }

    /// Checks what can be checked cheaply, and with `deep` everything.
    pub fn verify(&self, deep: bool) {
        self.sight().verify(&self.clock, deep);
        if let Some(lower) = self.fleet.lower.as_ref().filter(|_| deep) {
            lower.verify();
        }
        if let Some(network) = self.network.as_ref().filter(|_| deep) {
            self.sight().verify_network(network);
            self.verify_ports();
        }
    }

    /// Gives a restored engine its trace back.
    pub fn attach(&mut self, trace: Option<&Arc<Trace>>) {
        self.gateway.attach(trace);
    }

    /// Records everything from now on.
    pub fn record_detail(&mut self, detail: Detail) {
        self.book.record_detail(detail);
    }

    /// From now on forgets what is known of requests that have left, some hundreds at a time.
    pub fn forget_requests(&mut self) {
        self.book.forget_records();
    }

    /// The records that were forgotten since the last call.
    pub fn take_retired(&mut self) -> Vec<Retired> {
        self.book.take_retired()
    }

    /// When `request` is routed, `to` gets it instead of the router's choice, if it takes requests then.
    pub fn redirect(&mut self, request: RequestId, to: ReplicaId) {
        self.gateway.redirect(request, to, self.book.records());
    }

    /// Takes over from the cluster that this one replaces what edits said of requests, and what is to be recorded of them. This one has
    /// not begun yet.
    pub fn keep_requests_of(&mut self, before: &Self) {
        assert!(self.clock.events_done() == 0, "INV-6: redirects of another run");
        self.gateway.keep_redirects(&before.gateway);
        if let Some(detail) = before.detail() {
            self.book.record_detail(detail.clone());
        }
    }
}
