//! Anomalies: patterns in the stream of facts that a reader should know, each with the requests and instants that
//! prove it.
//!
//! A detector is a small state machine on facts, one file each, at most logarithmic in the requests waiting for a
//! fact. Facts do not depend on how a run is cut or whether it is watched, and neither do anomalies.
//! docs/reference/report.md lists the thresholds.

mod autoscaling;
mod blocking;
mod faults;
mod handovers;
mod imbalance;
mod inversion;
mod kind;
mod livelock;
mod log;
mod sentences;
mod starvation;
mod thrashing;

use super::fault_log::FaultLog;
use super::trips::{Trip, Trips};
use base::{Micros, ReplicaId, RequestId};
use document::Scenario;
use engine::{
    CacheFact, DropReason, Fact, FaultFact, FleetFact, HandoverFact, ReplicaFact, RequestFact, ScalingRecord,
};
use imbalance::Sides;
use inversion::RequestInfo;
pub use kind::AnomalyKind;
pub(crate) use log::AnomalyLog;
pub use log::{Anomaly, Proof};
use log::{AnomalyIndex, KEPT, PROOFS, entry, keep_latest};
use serde::{Deserialize, Serialize};

/// All detectors.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Detectors {
    log: AnomalyLog,
    inversion: inversion::Inversion,
    blocking: blocking::Blocking,
    thrashing: thrashing::Thrashing,
    livelock: livelock::Livelock,
    imbalance: Sides,
    autoscaling: autoscaling::Autoscaling,
    starvation: starvation::Starvation,
    handovers: handovers::Handovers,
    faults: faults::Faults,
    /// Requests that are not all at their home.
    trips: Trips,
}

impl Detectors {
    /// Detectors for a fleet that starts with `replicas` replicas.
    pub(crate) fn new(scenario: &Scenario, replicas: usize) -> Self {
        Self {
            log: AnomalyLog::default(),
            inversion: inversion::Inversion::new(scenario),
            blocking: blocking::Blocking::default(),
            thrashing: thrashing::Thrashing::default(),
            livelock: livelock::Livelock::default(),
            imbalance: Sides::new(&scenario.cluster, replicas),
            autoscaling: autoscaling::Autoscaling::new(&scenario.cluster),
            starvation: starvation::Starvation::default(),
            handovers: handovers::Handovers::default(),
            faults: faults::Faults::new(&scenario.cluster),
            trips: Trips::default(),
        }
    }

    /// Takes over the scenario after an edit.
    pub(super) fn adopt(&mut self, scenario: &Scenario, now: Micros) {
        self.inversion.adopt(scenario, now, &mut self.log);
        self.autoscaling.adopt(&scenario.cluster);
        self.imbalance.adopt(&scenario.cluster, now, &mut self.log);
        self.faults.adopt(&scenario.cluster);
        self.starvation.adopt(scenario.cluster.flow_control.is_some(), now, &mut self.log);
    }

    /// Whether any detector reads facts of this kind; none reads the most frequent kinds.
    #[inline]
    pub(crate) fn need(fact: &Fact) -> bool {
        !matches!(
            fact,
            Fact::Replica(ReplicaFact::StepEnded { .. } | ReplicaFact::Tokens { .. })
                | Fact::Request(RequestFact::Prefilled { .. } | RequestFact::FirstToken { .. })
        )
    }

    #[inline]
    pub(crate) fn fact(&mut self, now: Micros, fact: &Fact) {
        self.thrashing.look(now, &mut self.log);
        match *fact {
            Fact::Request(fact) => self.request(now, fact),
            Fact::Replica(fact) => self.replica(now, fact),
            Fact::Cache(fact) => self.cache(now, fact),
            Fact::Fleet(fact) => self.fleet(now, fact),
            Fact::Handover(fact) => self.handover(now, fact),
            Fact::Fault(fact) => self.fault(now, fact),
        }
    }

    fn request(&mut self, now: Micros, fact: RequestFact) {
        match fact {
            RequestFact::Queued { request, replica, class, urgency } => {
                self.inversion.waits(&RequestInfo { request, replica, class, urgency }, now);
            }
            RequestFact::Preempted { request, replica, class, urgency, times } => {
                self.preempted(&RequestInfo { request, replica, class, urgency }, times, now);
            }
            RequestFact::Scheduled { request, replica, class, urgency, .. } => {
                self.inversion.joins(&RequestInfo { request, replica, class, urgency }, now, &mut self.log);
                self.blocking.gone(request, replica.index(), now, &mut self.log);
            }
            RequestFact::Routed { request, replica } => {
                self.imbalance.came(request, replica.index(), now, &mut self.log);
            }
            RequestFact::Completed { request, replica, .. } => {
                self.livelock.over(replica.index(), now, &mut self.log);
                self.left(request, replica, now);
            }
            RequestFact::Rejected { request, replica: Some(replica), .. } => {
                self.left(request, replica, now);
            }
            RequestFact::Dropped { request, replica, class, urgency, reason, .. } => {
                self.dropped(&RequestInfo { request, replica, class, urgency }, reason, now);
            }
            RequestFact::Enqueued { request, band } => self.starvation.joins(request, band, now),
            RequestFact::Dispatched { request, band, .. } => {
                self.starvation.goes_on(request, band, now, &mut self.log);
            }
            RequestFact::Expired { request, band, .. } => {
                self.starvation.leaves(request, band, now, &mut self.log);
            }
            RequestFact::Arrived { .. } => self.faults.arrived(now, &mut self.log),
            RequestFact::Rejected { replica: None, .. }
            | RequestFact::Admitted { .. }
            | RequestFact::Delayed { .. }
            | RequestFact::Prefilled { .. }
            | RequestFact::FirstToken { .. } => {}
        }
    }

    fn replica(&mut self, now: Micros, fact: ReplicaFact) {
        match fact {
            ReplicaFact::StepStarted { replica, waiting, .. } => {
                self.inversion.step(replica, waiting, now, &mut self.log);
                self.blocking.look(replica.index(), now, &mut self.log);
                self.imbalance.report(now, &mut self.log);
                self.handovers.step(replica.index(), now, &mut self.log);
            }
            ReplicaFact::StepEnded { .. } | ReplicaFact::Tokens { .. } => {}
        }
    }

    fn cache(&mut self, now: Micros, fact: CacheFact) {
        match fact {
            CacheFact::Loaded { request, replica, class, urgency, .. } => {
                self.inversion.waits(&RequestInfo { request, replica, class, urgency }, now);
            }
            CacheFact::LoadStarted { request, replica, class, urgency, .. } => {
                // It now waits for the CPU tier, not for the running requests.
                self.inversion.dropped(&RequestInfo { request, replica, class, urgency }, now, &mut self.log);
                self.blocking.gone(request, replica.index(), now, &mut self.log);
            }
            CacheFact::HeadBlocked { request, behind, replica } => {
                self.blocking.blocked(request, behind, replica.index(), now);
            }
            CacheFact::HeadUnblocked { replica, .. } => {
                self.blocking.full(replica.index(), now, &mut self.log);
            }
            CacheFact::ReloadedEarly { request, replica, .. } => {
                self.thrashing.again(request, replica.index(), now, &mut self.log);
            }
            CacheFact::Livelock { replica, .. } => self.livelock.found(replica.index(), now, &mut self.log),
            CacheFact::LoadGivenUp { .. } | CacheFact::Offloaded { .. } | CacheFact::AdapterLoaded { .. } => {
            }
        }
    }

    fn fleet(&mut self, now: Micros, fact: FleetFact) {
        match fact {
            FleetFact::Redirected { request, replica, class, urgency, .. } => {
                self.gone(&RequestInfo { request, replica, class, urgency }, now);
            }
            FleetFact::Starting { replica, pool, .. } => self.starting(replica, pool),
            FleetFact::Serving { replica, pool } => {
                self.inversion.serving(replica, pool);
                self.faults.serves(replica, pool, now, &mut self.log);
                self.imbalance.serving(replica.index(), pool, now, &mut self.log);
            }
            FleetFact::Draining { replica } => {
                self.faults.drains(replica);
                self.imbalance.draining(replica.index(), now, &mut self.log);
            }
            FleetFact::Scaled { .. }
            | FleetFact::StartGivenUp { .. }
            | FleetFact::Cold { .. }
            | FleetFact::Warm { .. } => {}
        }
    }

    #[cold]
    fn fault(&mut self, now: Micros, fact: FaultFact) {
        match fact {
            FaultFact::Broken { request, replica: Some(replica), class, urgency, .. } => {
                self.gone(&RequestInfo { request, replica, class, urgency }, now);
            }
            FaultFact::Down { replica, pool, planned, .. } => {
                self.faults.down(replica, (pool, planned), now, &mut self.log);
                self.livelock.over(replica.index(), now, &mut self.log);
                self.imbalance.draining(replica.index(), now, &mut self.log);
            }
            FaultFact::Restarted { replica, pool } => {
                self.faults.serves(replica, pool, now, &mut self.log);
            }
            FaultFact::Retried { request, .. } => self.faults.again(request, false, now, &mut self.log),
            FaultFact::CameAgain { request, .. } => self.faults.again(request, true, now, &mut self.log),
            FaultFact::Broken { replica: None, .. }
            | FaultFact::Noticed { .. }
            | FaultFact::Ejected { .. }
            | FaultFact::Readmitted { .. }
            | FaultFact::Began { .. }
            | FaultFact::Ended { .. }
            | FaultFact::Lost { .. } => {}
        }
    }

    /// A request completed; goodput may be back after a fault.
    pub(super) fn recovers(&mut self, now: Micros, faults: &FaultLog) {
        self.faults.recovers(now, faults, &mut self.log);
    }

    /// An autoscaler has decided.
    pub(crate) fn decided(&mut self, record: &ScalingRecord) {
        self.autoscaling.decided(record, &mut self.log);
    }

    fn starting(&mut self, replica: ReplicaId, pool: u32) {
        self.inversion.serving(replica, pool);
        self.autoscaling.starting(replica, pool);
    }

    fn preempted(&mut self, info: &RequestInfo, times: u32, now: Micros) {
        let (request, replica) = (info.request, info.replica.index());
        self.inversion.waits(info, now);
        self.livelock.preempted(request, replica, now, &mut self.log);
        if times > 1 {
            self.thrashing.again(request, replica, now, &mut self.log);
        }
    }

    /// A request has left its replica unfinished.
    fn gone(&mut self, info: &RequestInfo, now: Micros) {
        let replica = info.replica.index();
        self.inversion.dropped(info, now, &mut self.log);
        self.blocking.gone(info.request, replica, now, &mut self.log);
        self.left(info.request, info.replica, now);
    }

    fn dropped(&mut self, info: &RequestInfo, reason: DropReason, now: Micros) {
        let replica = info.replica.index();
        self.inversion.dropped(info, now, &mut self.log);
        self.blocking.gone(info.request, replica, now, &mut self.log);
        if reason == DropReason::OutgrewKvCache {
            self.livelock.over(replica, now, &mut self.log);
        }
        self.left(info.request, info.replica, now);
    }

    /// A request has left its replica, or both replicas that had a part of it.
    fn left(&mut self, request: RequestId, replica: ReplicaId, now: Micros) {
        let trip = self.trips.end(request);
        self.imbalance.left(trip.map_or(replica, |trip| trip.home).index(), now, &mut self.log);
        let Some(trip) = trip else { return };
        if trip.prefilling {
            self.imbalance.left(trip.prefill.index(), now, &mut self.log);
        }
        self.handovers.has_room(request, trip.home, now, &mut self.log);
        self.handovers.ends(request, [trip.prefill, trip.home], now, &mut self.log);
    }

    fn handover(&mut self, now: Micros, fact: HandoverFact) {
        match fact {
            HandoverFact::Decided { request, home, prefill: Some(prefill), .. } => {
                self.trips.begin(request, Trip::new(home, prefill));
                self.imbalance.came(request, prefill.index(), now, &mut self.log);
            }
            HandoverFact::Prefilled { request, replica, home, .. } => {
                let before = self.trips.change(request, |trip| trip.prefilling = false);
                if before.is_some_and(|trip| trip.reserved == 0) {
                    self.handovers.waits_for_room(request, home, now);
                }
                self.livelock.over(replica.index(), now, &mut self.log);
                self.imbalance.left(replica.index(), now, &mut self.log);
            }
            HandoverFact::Reserved { request, replica, class, urgency, blocks, cached } => {
                self.trips.change(request, |trip| trip.reserved = blocks + cached);
                self.handovers.has_room(request, replica, now, &mut self.log);
                self.inversion.reserved(
                    &RequestInfo { request, replica, class, urgency },
                    now,
                    &mut self.log,
                );
                self.blocking.gone(request, replica.index(), now, &mut self.log);
            }
            HandoverFact::Joined { request, .. } => {
                self.trips.end(request);
            }
            HandoverFact::Flows { request, from, to } => {
                self.handovers.flows(request, [from, to], now, &mut self.log);
            }
            HandoverFact::Landed { request, from, to, .. } => {
                self.handovers.ends(request, [from, to], now, &mut self.log);
            }
            HandoverFact::GivenUp { request, .. } => {
                if let Some(trip) = self.trips.get(request) {
                    self.handovers.has_room(request, trip.home, now, &mut self.log);
                    self.handovers.ends(request, [trip.prefill, trip.home], now, &mut self.log);
                }
            }
            HandoverFact::KvLost { request, replica, class, urgency, .. } => {
                if let Some(trip) = self.trips.end(request) {
                    self.handovers.has_room(request, trip.home, now, &mut self.log);
                    self.handovers.ends(request, [trip.prefill, trip.home], now, &mut self.log);
                }
                self.blocking.gone(request, replica.index(), now, &mut self.log);
                self.inversion.waits(&RequestInfo { request, replica, class, urgency }, now);
            }
            HandoverFact::Decided { prefill: None, .. }
            | HandoverFact::TransferStarted { .. }
            | HandoverFact::Stranded { .. }
            | HandoverFact::LeaseOver { .. } => {}
        }
    }

    /// The bytes of the list of requests on their way that are not shared with `later`.
    pub(super) fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        self.trips.bytes_beside(later.map(|l| &l.trips))
    }

    /// Anomalies that were kept and not reported yet.
    pub(crate) fn unreported(&mut self) -> &[Anomaly] {
        let from = std::mem::replace(&mut self.log.reported, self.log.kept.len() as u32);
        &self.log.kept[from as usize..]
    }

    /// The anomalies kept, in the order in which they were noticed.
    pub fn kept(&self) -> &[Anomaly] {
        &self.log.kept
    }

    /// How many there were, by kind; those of autoscalers, of the gateway's queue and of hand-overs only if there ever were any.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (AnomalyKind, u32)> {
        let (watched, queued) = (self.autoscaling.watched, self.starvation.watched());
        let (handed_over, broken) = (self.handovers.watched(), self.faults.watched());
        let all = AnomalyKind::ALL.into_iter().zip(self.log.counts);
        all.filter(move |(kind, _)| {
            (watched || !kind.is_of_autoscalers())
                && (queued || *kind != AnomalyKind::StarvedBand)
                && (handed_over || !kind.is_of_handovers())
                && (broken || !kind.is_of_faults())
        })
    }
}

#[cfg(test)]
mod tests;
