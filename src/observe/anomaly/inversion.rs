//! Priority inversion by schedule order: a request joins a batch and a more urgent one is left waiting on the same replica.
//!
//! The replica's priority policy says who is more urgent, whether its scheduler asks it or not. Where all priorities are
//! constant, SLO classes say it. One anomaly for each request overtaken, until it joins or is dropped.
//!
//! Who joins in the same step as another has overtaken nobody, so that a step is judged as it starts, by those left waiting.
//! Each of them is looked at once when it is overtaken first; after that only the few that are kept as examples are. Those
//! left waiting are in a heap, the most urgent first, which is told of leavers only when they are at its top. Where a step
//! leaves nobody waiting, or nobody joins, nothing is sorted.

use super::{Anomaly, AnomalyKind, Book, PROOFS, Proof};
use crate::base::{Micros, ReplicaId, RequestId};
use crate::scenario::{PriorityPolicy, Scenario, SloClass, Workload};
use crate::workload::class_number;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What makes one request more urgent than another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Measure {
    /// Nothing: priorities are constant and all requests are of one SLO class.
    None,
    /// Priorities are constant, SLO classes differ.
    Class,
    /// See [`PriorityPolicy::SloBased`].
    Age,
    /// See [`PriorityPolicy::InvertedSlo`].
    Youth,
    /// See [`PriorityPolicy::SloClass`].
    ClassScore,
    /// See [`PriorityPolicy::TenantPriority`].
    TenantScore,
    /// See [`PriorityPolicy::DeadlineAware`].
    Deadline,
}

impl Measure {
    fn of(policy: &PriorityPolicy, workload: &Workload) -> Self {
        match policy {
            PriorityPolicy::Constant if is_mixed(workload) => Self::Class,
            PriorityPolicy::Constant => Self::None,
            PriorityPolicy::SloBased => Self::Age,
            PriorityPolicy::InvertedSlo => Self::Youth,
            PriorityPolicy::SloClass(_) => Self::ClassScore,
            PriorityPolicy::TenantPriority(_) => Self::TenantScore,
            PriorityPolicy::DeadlineAware(_) => Self::Deadline,
        }
    }

    /// Less urgent by what?
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::None | Self::Class => "SLO class (priorities are constant)",
            Self::Age => "age (slo-based priority)",
            Self::Youth => "youth (inverted-slo priority)",
            Self::ClassScore => "SLO class (slo-class priority)",
            Self::TenantScore => "tenant (tenant-priority)",
            Self::Deadline => "deadline (deadline-aware priority)",
        }
    }
}

/// A request as the facts describe it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Who {
    pub(super) request: RequestId,
    pub(super) replica: ReplicaId,
    pub(super) class: u32,
    pub(super) urgency: i64,
}

/// Its place among those who wait: the most urgent is the smallest, and of those the first to arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Rank {
    rank: i64,
    request: u32,
}

/// One that waits, and since when. The latest of several by the same request goes first, for the others are out of date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Entry {
    who: Rank,
    since: Reverse<Micros>,
}

/// One that waits and has been overtaken, and is an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Victim {
    who: Rank,
    /// Its place in the list of anomalies.
    kept: u32,
}

/// One replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Waiting {
    measure: Measure,
    /// Those who began to wait after somebody was left waiting last, and since when.
    fresh: Vec<Entry>,
    /// Those who joined since the latest step.
    joined: Vec<Rank>,
    /// Those who were left waiting. Some may wait no more, or have been overtaken since.
    left: BinaryHeap<Reverse<Entry>>,
    /// No more than there are examples.
    victims: Vec<Victim>,
}

/// All replicas.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Inversion {
    /// By pool.
    measures: Vec<Measure>,
    replicas: Vec<Waiting>,
    ahead: Ahead,
}

/// Who waits and has not been overtaken: a bit for each request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Ahead(Vec<u64>);

impl Ahead {
    fn enter(&mut self, request: u32) {
        *super::entry(&mut self.0, request as usize / 64) |= 1 << (request % 64);
    }

    fn has(&self, request: u32) -> bool {
        let word = self.0.get(request as usize / 64).copied().unwrap_or(0);
        word & 1 << (request % 64) != 0
    }

    /// Whether it was one of them; it is no more.
    fn leave(&mut self, request: u32) -> bool {
        let was = self.has(request);
        if was {
            self.0[request as usize / 64] &= !(1 << (request % 64));
        }
        was
    }
}

/// Requests of no class, or of one with a name of its own, are as urgent as standard ones.
fn rank_of(class: u32) -> u32 {
    let known = SloClass::ALL.into_iter().find(|c| class_number(*c) == class);
    known.unwrap_or_default().rank()
}

/// Whether a workload's requests are of SLO classes that differ in urgency.
fn is_mixed(workload: &Workload) -> bool {
    let clients = workload.clients.iter().map(|c| c.slo_class.rank());
    let listed = workload.requests.iter().map(|q| SloClass::named(&q.slo_class).unwrap_or_default().rank());
    let mut ranks = clients.chain(listed);
    ranks.next().is_some_and(|first| ranks.any(|rank| rank != first))
}

impl Waiting {
    fn new(measure: Measure) -> Self {
        Self { measure, fresh: Vec::new(), joined: Vec::new(), left: BinaryHeap::new(), victims: Vec::new() }
    }

    fn rank(&self, who: &Who) -> Rank {
        let rank = if self.measure == Measure::Class { i64::from(rank_of(who.class)) } else { -who.urgency };
        Rank { rank, request: who.request.0 }
    }

    /// It has been overtaken, and waits no more.
    fn close(&mut self, who: Rank, now: Micros, book: &mut Book) {
        if let Some(i) = self.victims.iter().position(|v| v.who == who) {
            let victim = self.victims.swap_remove(i);
            book.close(Some(victim.kept), now);
        }
    }

    /// A step starts and leaves some waiting: those who joined have overtaken the more urgent of them.
    fn judge(&mut self, replica: ReplicaId, now: Micros, ahead: &mut Ahead, book: &mut Book) {
        self.left.extend(self.fresh.drain(..).filter(|e| ahead.has(e.who.request)).map(Reverse));
        let least_urgent = self.joined.iter().map(|j| j.rank).max().unwrap_or(i64::MIN);
        while let Some(&Reverse(first)) = self.left.peek() {
            if first.who.rank >= least_urgent {
                break;
            }
            self.left.pop();
            if ahead.leave(first.who.request) {
                let place = book.open_with(AnomalyKind::PriorityInversion, || Anomaly {
                    kind: AnomalyKind::PriorityInversion,
                    start: now,
                    end: None,
                    replica: replica.0,
                    proofs: vec![Proof { request: RequestId(first.who.request), at: first.since.0 }],
                    figure: 0,
                    measure: Some(self.measure),
                });
                self.victims.extend(place.map(|kept| Victim { who: first.who, kept }));
            }
        }
        for victim in &self.victims {
            let Some(anomaly) = book.at(Some(victim.kept)) else { continue };
            for overtaker in self.joined.iter().filter(|j| j.rank > victim.who.rank) {
                anomaly.figure += 1;
                if anomaly.proofs.len() < PROOFS {
                    anomaly.proofs.push(Proof { request: RequestId(overtaker.request), at: now });
                }
            }
        }
        self.joined.clear();
    }

    /// A step starts and leaves nobody waiting.
    fn clear(&mut self) {
        self.fresh.clear();
        self.joined.clear();
        self.left.clear();
    }

    /// Throws away what is out of date once it is most of the heap, `waiting` requests being in it that are not.
    fn tidy(&mut self, waiting: u32, ahead: &Ahead) {
        if self.left.len() > 2 * waiting as usize + 64 {
            let mut last = None;
            let sorted = std::mem::take(&mut self.left).into_sorted_vec().into_iter().rev();
            let current = sorted.filter(|Reverse(e)| {
                let first = last.replace(e.who) != Some(e.who);
                first && ahead.has(e.who.request)
            });
            self.left = current.collect();
        }
    }
}

impl Inversion {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let pools = &scenario.cluster.pools;
        let measures: Vec<Measure> =
            pools.iter().map(|p| Measure::of(&p.engine.priority, &scenario.workload)).collect();
        let replicas = pools.iter().zip(&measures);
        let replicas = replicas.flat_map(|(p, m)| (0..p.replicas).map(|_| Waiting::new(*m))).collect();
        Self { measures, replicas, ahead: Ahead::default() }
    }

    /// A replica joined the fleet, or came back.
    pub(super) fn serving(&mut self, replica: ReplicaId, pool: u32) {
        if self.replicas.len() == replica.index() {
            self.replicas.push(Waiting::new(self.measures[pool as usize]));
        }
    }

    /// The one that it is about, unless nobody there is more urgent than others.
    #[inline]
    fn on(&mut self, replica: ReplicaId) -> Option<(&mut Waiting, &mut Ahead)> {
        let waiting = self.replicas.get_mut(replica.index()).filter(|w| w.measure != Measure::None)?;
        Some((waiting, &mut self.ahead))
    }

    pub(super) fn waits(&mut self, who: &Who, now: Micros) {
        if let Some((waiting, ahead)) = self.on(who.replica) {
            let entry = Entry { who: waiting.rank(who), since: Reverse(now) };
            ahead.enter(who.request.0);
            waiting.fresh.push(entry);
        }
    }

    pub(super) fn joins(&mut self, who: &Who, now: Micros, book: &mut Book) {
        if let Some((waiting, ahead)) = self.on(who.replica) {
            let rank = waiting.rank(who);
            waiting.joined.push(rank);
            if !ahead.leave(rank.request) {
                waiting.close(rank, now, book);
            }
        }
    }

    pub(super) fn dropped(&mut self, who: &Who, now: Micros, book: &mut Book) {
        if let Some((waiting, ahead)) = self.on(who.replica)
            && !ahead.leave(who.request.0)
        {
            waiting.close(waiting.rank(who), now, book);
        }
    }

    /// A step starts and leaves so many waiting.
    #[inline]
    pub(super) fn step(&mut self, replica: ReplicaId, left: u32, now: Micros, book: &mut Book) {
        let Some((waiting, ahead)) = self.on(replica) else { return };
        if waiting.joined.is_empty() {
            return;
        }
        if left == 0 {
            waiting.clear();
        } else {
            waiting.judge(replica, now, ahead, book);
            waiting.tidy(left, ahead);
        }
    }
}
