//! What breaks in a file: instants and faults, and what became of the requests that were lost.

use super::super::file::{Config, GoldenFile};
use super::convert::STORE;
use base::{Micros, ReplicaId, RequestId};
use document::{Crash, Fault, KvStoreDown, Resilience, limits};
use engine::{BreakReason, Cluster, FaultFact, Replica};
use std::collections::BTreeMap;

/// The faults of a file in order: when, and what.
pub(in crate::golden) fn faults(c: &Config) -> Vec<(Micros, Fault)> {
    let Some(kv) = &c.kv else { return Vec::new() };
    let fault = |f: &super::file::FaultConfig| {
        let lasts = f.until_us.saturating_sub(f.from_us) as f64 / 1e6;
        let fault = match f.kind.as_str() {
            "store_down" => Fault::KvStore(KvStoreDown { name: STORE.to_owned(), for_s: lasts }),
            _ => Fault::Crash(Crash { replica: Some(f.instance), restart_s: lasts, ..Crash::default() }),
        };
        (Micros(f.from_us), fault)
    };
    let mut all: Vec<_> = kv.faults.iter().map(fault).collect();
    all.sort_by_key(|(at, _)| *at);
    all
}

/// In the format a request has one attempt, and the router never learns that a replica is down.
pub(in crate::golden) fn resilience(c: &Config) -> Resilience {
    let plain = Resilience::default();
    if faults(c).is_empty() {
        return plain;
    }
    Resilience { retries: 0, discovery_ms: limits::LATENCY_MS, ..plain }
}

/// The last instant before the router would learn of the first crash.
pub(in crate::golden) fn last_instant(c: &Config) -> Micros {
    let first = faults(c).first().map(|(at, _)| *at);
    first.map_or(Micros::MAX, |at| Micros(at.0 + limits::LATENCY_US - 1))
}

/// When the run ends there: the ends of faults are events too.
pub(in crate::golden) fn ended(file: &GoldenFile, clock: Micros) -> Micros {
    let kv = file.config.kv.as_ref();
    let ends = kv.iter().flat_map(|kv| &kv.faults).flat_map(|f| [f.from_us, f.until_us]);
    let horizon = if file.config.horizon_us == 0 { u64::MAX } else { file.config.horizon_us };
    Micros(ends.filter(|at| *at <= horizon).fold(clock.0, u64::max))
}

/// Requests that were lost.
#[derive(Default)]
pub(in crate::golden) struct Losses {
    /// Where their attempts broke.
    broke: BTreeMap<RequestId, ReplicaId>,
    /// In order.
    lost: Vec<(Micros, RequestId)>,
    /// Crashes, and when the replica had its last event before each.
    crashes: Vec<(ReplicaId, Micros, Micros)>,
}

impl Losses {
    /// Takes down a fact.
    pub(in crate::golden) fn fault(&mut self, at: Micros, fact: FaultFact) {
        match fact {
            FaultFact::Broken { request, replica: Some(replica), .. } => {
                self.broke.insert(request, replica);
            }
            FaultFact::Lost { request, reason: BreakReason::Crash | BreakReason::Refused, .. } => {
                self.lost.push((at, request));
            }
            FaultFact::Down { .. }
            | FaultFact::Restarted { .. }
            | FaultFact::Noticed { .. }
            | FaultFact::Ejected { .. }
            | FaultFact::Readmitted { .. }
            | FaultFact::Began { .. }
            | FaultFact::Ended { .. }
            | FaultFact::Broken { .. }
            | FaultFact::Retried { .. }
            | FaultFact::CameAgain { .. }
            | FaultFact::Lost { .. } => {}
        }
    }

    /// A fault is about to happen.
    pub(in crate::golden) fn breaks(&mut self, engine: &Cluster, fault: &Fault, at: Micros) {
        let Fault::Crash(Crash { replica: Some(number), .. }) = fault else { return };
        if let Some(replica) = engine.replicas().get(*number as usize) {
            let before = self.clock(replica);
            self.crashes.push((replica.id(), at, before));
        }
    }

    /// When a replica had its last event, of which a crash is none.
    pub(in crate::golden) fn clock(&self, replica: &Replica) -> Micros {
        let crash =
            |(id, at, _): &&(ReplicaId, Micros, Micros)| *id == replica.id() && *at == replica.clock();
        self.crashes.iter().rfind(crash).map_or(replica.clock(), |(.., before)| *before)
    }

    /// How many there are.
    pub(in crate::golden) fn len(&self) -> usize {
        self.lost.len()
    }

    /// Of those since `from`, which one crash lost, the first `running` were in the batch: the format has those that waited before them.
    pub(in crate::golden) fn waiting_first(&mut self, from: usize, running: usize, waiting: usize) {
        if let Some(of) = self.lost.get_mut(from..(from + running + waiting)) {
            of.rotate_left(running);
        }
    }

    /// All of them in order, with where they were.
    pub(in crate::golden) fn all(&self) -> impl Iterator<Item = (Micros, RequestId, ReplicaId)> + '_ {
        self.lost.iter().filter_map(|(at, id)| Some((*at, *id, *self.broke.get(id)?)))
    }

    /// When a request was lost.
    pub(in crate::golden) fn lost_at(&self, request: RequestId) -> Option<Micros> {
        self.lost.iter().find(|(_, id)| *id == request).map(|(at, _)| *at)
    }

    /// Where a request was that is lost.
    pub(in crate::golden) fn replica(&self, request: RequestId) -> Option<ReplicaId> {
        self.broke.get(&request).copied()
    }

    /// How many were lost at a replica.
    pub(super) fn at(&self, replica: ReplicaId) -> usize {
        self.all().filter(|(.., at)| *at == replica).count()
    }
}

/// Requests in the batch of a replica and in its queue.
pub(in crate::golden) fn inside(engine: &Cluster, fault: &Fault) -> [usize; 2] {
    let Fault::Crash(Crash { replica: Some(number), .. }) = fault else { return [0; 2] };
    let replica = engine.replicas().get(*number as usize);
    replica.map_or([0; 2], |r| [r.running() as usize, r.waiting() as usize])
}
