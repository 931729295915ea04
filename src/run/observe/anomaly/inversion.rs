//! Priority inversion by schedule order: a request joins a batch and a more urgent one is left waiting on the same replica.
//!
//! The replica's priority policy decides which request is more urgent, whether its scheduler uses it or not. Where
//! all priorities are constant, SLO classes decide. There is one anomaly for each request overtaken, until it joins
//! or is dropped.
//!
//! Requests that join in the same step do not overtake each other: a step is evaluated when it starts, by the
//! requests that are left waiting. Each of these is visited once, when it is first overtaken; later only the few
//! whose anomalies are kept. Waiting requests are in a heap, the most urgent first; a request that has left is
//! removed when it reaches the top. A step that leaves no request waiting, or that no request joins, sorts nothing.

use super::kind::UrgentBy;
use super::{Anomaly, AnomalyKind, AnomalyLog, PROOFS, Proof};
use base::{Micros, ReplicaId, RequestId};
use document::{PriorityPolicy, Scenario, SloClass, Workload};
use engine::workload::class_number;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

impl UrgentBy {
    fn of(policy: &PriorityPolicy, workload: &Workload) -> Self {
        match policy {
            PriorityPolicy::Constant if is_mixed(workload) => Self::Class,
            PriorityPolicy::Constant => Self::None,
            PriorityPolicy::SloBased => Self::Age,
            PriorityPolicy::InvertedSlo => Self::Youth,
            PriorityPolicy::SloClass(_) => Self::ClassScore,
            PriorityPolicy::TenantPriority(_) => Self::TenantScore,
            PriorityPolicy::DeadlineAware(_) => Self::Deadline,
            PriorityPolicy::Request => Self::Own,
        }
    }

    /// What makes a request less urgent, in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::None | Self::Class => "SLO class (priorities are constant)",
            Self::Age => "age (slo-based priority)",
            Self::Youth => "youth (inverted-slo priority)",
            Self::ClassScore => "SLO class (slo-class priority)",
            Self::TenantScore => "tenant (tenant-priority)",
            Self::Deadline => "deadline (deadline-aware priority)",
            Self::Own => "the request's own priority",
        }
    }
}

/// A request as the facts describe it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestInfo {
    pub(super) request: RequestId,
    pub(super) replica: ReplicaId,
    pub(super) class: u32,
    pub(super) urgency: i64,
}

/// Its place among the waiting requests: the smallest is the most urgent, and among equals the first to arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Rank {
    rank: i64,
    request: u32,
}

/// A waiting request, and since when. Among several entries of one request the latest sorts first; the others are out
/// of date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct WaitingEntry {
    who: Rank,
    since: Reverse<Micros>,
}

/// A waiting request that has been overtaken and whose anomaly is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Victim {
    who: Rank,
    /// Its index in the list of anomalies.
    kept: u32,
}

/// One replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Waiting {
    pool: u32,
    measure: UrgentBy,
    /// Requests that began to wait since a step last left any waiting.
    fresh: Vec<WaitingEntry>,
    /// Requests that joined the batch, or had blocks set aside, since the latest step.
    joined: Vec<Rank>,
    /// When the first of them had blocks set aside, if one had: that may be before the step. Later ones are not overtaken.
    reserved: Micros,
    /// Requests that a step left waiting. Some may have stopped waiting since, or have been overtaken.
    left: BinaryHeap<Reverse<WaitingEntry>>,
    /// Overtaken requests whose anomalies are kept and still open.
    victims: Vec<Victim>,
}

/// All replicas.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Inversion {
    /// By pool.
    measures: Vec<UrgentBy>,
    replicas: Vec<Waiting>,
    not_overtaken: NotOvertaken,
}

/// The requests that wait and have not been overtaken: a bit for each request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct NotOvertaken(Vec<u64>);

impl NotOvertaken {
    fn enter(&mut self, request: u32) {
        *super::entry(&mut self.0, request as usize / 64) |= 1 << (request % 64);
    }

    fn has(&self, request: u32) -> bool {
        let word = self.0.get(request as usize / 64).copied().unwrap_or(0);
        word & 1 << (request % 64) != 0
    }

    /// Removes a request; returns whether it was in the set.
    fn leave(&mut self, request: u32) -> bool {
        let was = self.has(request);
        if was {
            self.0[request as usize / 64] &= !(1 << (request % 64));
        }
        was
    }
}

/// Urgency of a class. Requests without a class, or of a class with another name, are as urgent as standard ones.
fn rank_of(class: u32) -> u32 {
    let known = SloClass::ALL.into_iter().find(|c| class_number(*c) == class);
    known.unwrap_or_default().rank()
}

/// Whether the SLO classes of a workload's requests differ in urgency.
fn is_mixed(workload: &Workload) -> bool {
    let clients = workload.clients.iter().map(|c| c.slo_class.rank());
    let listed = workload.requests.iter().map(|q| SloClass::named(&q.slo_class).unwrap_or_default().rank());
    let mut ranks = clients.chain(listed);
    ranks.next().is_some_and(|first| ranks.any(|rank| rank != first))
}

impl Waiting {
    fn new(pool: u32, measure: UrgentBy) -> Self {
        Self {
            pool,
            measure,
            fresh: Vec::new(),
            joined: Vec::new(),
            reserved: Micros::MAX,
            left: BinaryHeap::new(),
            victims: Vec::new(),
        }
    }

    fn rank(&self, who: &RequestInfo) -> Rank {
        let rank = if self.measure == UrgentBy::Class { i64::from(rank_of(who.class)) } else { -who.urgency };
        Rank { rank, request: who.request.0 }
    }

    /// Ends the anomaly of an overtaken request that no longer waits.
    fn close(&mut self, who: Rank, now: Micros, log: &mut AnomalyLog) {
        if let Some(i) = self.victims.iter().position(|v| v.who == who) {
            let victim = self.victims.swap_remove(i);
            log.close(Some(victim.kept), now);
        }
    }

    /// A step starts and leaves requests waiting: those that joined have overtaken the more urgent of them.
    fn overtake(
        &mut self,
        replica: ReplicaId,
        now: Micros,
        not_overtaken: &mut NotOvertaken,
        log: &mut AnomalyLog,
    ) {
        let until = std::mem::replace(&mut self.reserved, Micros::MAX);
        let later: Vec<WaitingEntry> = self.fresh.iter().filter(|e| e.since.0 > until).copied().collect();
        let waited = |e: &WaitingEntry| e.since.0 <= until && not_overtaken.has(e.who.request);
        self.left.extend(self.fresh.drain(..).filter(waited).map(Reverse));
        self.fresh = later;
        let least_urgent = self.joined.iter().map(|j| j.rank).max().unwrap_or(i64::MIN);
        while let Some(&Reverse(first)) = self.left.peek() {
            if first.who.rank >= least_urgent {
                break;
            }
            self.left.pop();
            if not_overtaken.leave(first.who.request) {
                let place = log.open_with(AnomalyKind::PriorityInversion, || Anomaly {
                    kind: AnomalyKind::PriorityInversion,
                    start: now,
                    end: None,
                    replica: replica.0,
                    proofs: vec![Proof { request: RequestId(first.who.request), at: first.since.0 }],
                    figure: 0,
                    measure: Some(self.measure),
                    of: None,
                });
                self.victims.extend(place.map(|kept| Victim { who: first.who, kept }));
            }
        }
        for victim in &self.victims {
            let Some(anomaly) = log.at(Some(victim.kept)) else { continue };
            for overtaker in self.joined.iter().filter(|j| j.rank > victim.who.rank) {
                anomaly.figure += 1;
                if anomaly.proofs.len() < PROOFS {
                    anomaly.proofs.push(Proof { request: RequestId(overtaker.request), at: now });
                }
            }
        }
        self.joined.clear();
    }

    /// A step starts and leaves no request waiting.
    fn clear(&mut self) {
        self.fresh.clear();
        self.joined.clear();
        self.reserved = Micros::MAX;
        self.left.clear();
    }

    /// Removes entries that are out of date once they are most of the heap; `waiting` entries are current.
    fn tidy(&mut self, waiting: u32, not_overtaken: &NotOvertaken) {
        if self.left.len() > 2 * waiting as usize + 64 {
            let mut last = None;
            let sorted = std::mem::take(&mut self.left).into_sorted_vec().into_iter().rev();
            let current = sorted.filter(|Reverse(e)| {
                let first = last.replace(e.who) != Some(e.who);
                first && not_overtaken.has(e.who.request)
            });
            self.left = current.collect();
        }
    }
}

impl Inversion {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let pools = &scenario.cluster.pools;
        let measures: Vec<UrgentBy> =
            pools.iter().map(|p| UrgentBy::of(&p.engine.priority, &scenario.workload)).collect();
        let replicas = pools.iter().zip(0..).zip(&measures);
        let replicas = replicas
            .flat_map(|((p, pool), m)| (0..p.replicas).map(move |_| Waiting::new(pool, *m)))
            .collect();
        Self { measures, replicas, not_overtaken: NotOvertaken::default() }
    }

    /// Takes over the scenario after an edit. If the edit changes what makes a request urgent, waiting requests keep
    /// the priority they arrived with. That cannot be compared with new priorities, so only requests that arrive from
    /// now on can be overtaken.
    pub(super) fn adopt(&mut self, scenario: &Scenario, now: Micros, log: &mut AnomalyLog) {
        let pools = scenario.cluster.pools.iter();
        self.measures = pools.map(|p| UrgentBy::of(&p.engine.priority, &scenario.workload)).collect();
        for waiting in &mut self.replicas {
            let measure = self.measures[waiting.pool as usize];
            if waiting.measure != measure {
                for victim in &waiting.victims {
                    log.close(Some(victim.kept), now);
                }
                *waiting = Waiting::new(waiting.pool, measure);
            }
        }
    }

    /// A replica joined the fleet, or came back.
    pub(super) fn serving(&mut self, replica: ReplicaId, pool: u32) {
        if self.replicas.len() == replica.index() {
            self.replicas.push(Waiting::new(pool, self.measures[pool as usize]));
        }
    }

    /// The request of a fact, unless all requests on its replica are equally urgent.
    #[inline]
    fn on(&mut self, replica: ReplicaId) -> Option<(&mut Waiting, &mut NotOvertaken)> {
        let waiting = self.replicas.get_mut(replica.index()).filter(|w| w.measure != UrgentBy::None)?;
        Some((waiting, &mut self.not_overtaken))
    }

    pub(super) fn waits(&mut self, who: &RequestInfo, now: Micros) {
        if let Some((waiting, not_overtaken)) = self.on(who.replica) {
            let entry = WaitingEntry { who: waiting.rank(who), since: Reverse(now) };
            not_overtaken.enter(who.request.0);
            waiting.fresh.push(entry);
        }
    }

    pub(super) fn joins(&mut self, who: &RequestInfo, now: Micros, log: &mut AnomalyLog) {
        if let Some((waiting, not_overtaken)) = self.on(who.replica) {
            let rank = waiting.rank(who);
            waiting.joined.push(rank);
            if !not_overtaken.leave(rank.request) {
                waiting.close(rank, now, log);
            }
        }
    }

    /// A request leaves the queue because blocks are set aside for it.
    pub(super) fn reserved(&mut self, who: &RequestInfo, now: Micros, log: &mut AnomalyLog) {
        if let Some((waiting, _)) = self.on(who.replica) {
            waiting.reserved = waiting.reserved.min(now);
        }
        self.joins(who, now, log);
    }

    pub(super) fn dropped(&mut self, who: &RequestInfo, now: Micros, log: &mut AnomalyLog) {
        if let Some((waiting, not_overtaken)) = self.on(who.replica)
            && !not_overtaken.leave(who.request.0)
        {
            waiting.close(waiting.rank(who), now, log);
        }
    }

    /// A step starts and leaves this number of requests waiting.
    #[inline]
    pub(super) fn step(&mut self, replica: ReplicaId, left: u32, now: Micros, log: &mut AnomalyLog) {
        let Some((waiting, not_overtaken)) = self.on(replica) else { return };
        if waiting.joined.is_empty() {
            return;
        }
        if left == 0 {
            waiting.clear();
        } else {
            waiting.overtake(replica, now, not_overtaken, log);
            waiting.tidy(left, not_overtaken);
        }
    }
}
