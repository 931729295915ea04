//! Priority inversion by schedule order: a request joins the batch while an older one of a more urgent class waits on the
//! same replica. One anomaly for each request overtaken, until it joins itself.

use super::{Anomaly, AnomalyKind, Book, PROOFS, Place, Proof};
use crate::base::{Micros, RequestId};
use crate::scenario::{SloClass, Workload};
use crate::workload::class_number;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Ranks of urgency.
const RANKS: usize = SloClass::ALL.len();

/// Those who wait on one replica, by rank of urgency; numbers of requests follow their arrivals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Waiting {
    by_rank: [BTreeSet<u32>; RANKS],
    /// Their anomalies, for those overtaken so far.
    overtaken: BTreeMap<u32, Place>,
}

/// All replicas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Inversion {
    /// Whether requests differ in urgency at all; otherwise there is nothing to keep.
    mixed: bool,
    replicas: Vec<Waiting>,
}

/// Requests of no class, or of one with a name of its own, are as urgent as standard ones.
fn rank_of(class: u32) -> usize {
    let known = SloClass::ALL.into_iter().find(|c| class_number(*c) == class);
    known.unwrap_or_default().rank() as usize
}

/// Whether a scenario's requests differ in urgency.
fn is_mixed(workload: &Workload) -> bool {
    let clients = workload.clients.iter().map(|c| c.slo_class.rank());
    let listed = workload.requests.iter().map(|q| SloClass::named(&q.slo_class).unwrap_or_default().rank());
    let mut ranks = clients.chain(listed);
    ranks.next().is_some_and(|first| ranks.any(|rank| rank != first))
}

impl Inversion {
    pub(super) fn new(workload: &Workload) -> Self {
        Self { mixed: is_mixed(workload), replicas: Vec::new() }
    }

    pub(super) fn waits(&mut self, request: RequestId, replica: usize, class: u32) {
        if self.mixed {
            super::entry(&mut self.replicas, replica).by_rank[rank_of(class)].insert(request.0);
        }
    }

    /// It waits no more. Returns its rank if it did wait.
    pub(super) fn gone(
        &mut self,
        request: RequestId,
        replica: usize,
        now: Micros,
        book: &mut Book,
    ) -> Option<usize> {
        let waiting = self.replicas.get_mut(replica)?;
        let rank = waiting.by_rank.iter_mut().position(|set| set.remove(&request.0))?;
        if let Some(place) = waiting.overtaken.remove(&request.0) {
            book.close(place, now);
        }
        Some(rank)
    }

    pub(super) fn scheduled(&mut self, request: RequestId, replica: usize, now: Micros, book: &mut Book) {
        let Some(rank) = self.gone(request, replica, now, book) else { return };
        let waiting = &mut self.replicas[replica];
        let oldest = waiting.by_rank[..rank].iter().filter_map(BTreeSet::first).min();
        let Some(&victim) = oldest.filter(|&&id| id < request.0) else { return };
        let proof = Proof { request, at: now };
        let place = *waiting.overtaken.entry(victim).or_insert_with(|| {
            book.open(Anomaly {
                kind: AnomalyKind::PriorityInversion,
                start: now,
                end: None,
                replica: replica as u32,
                proofs: vec![Proof { request: RequestId(victim), at: now }],
                figure: 0,
            })
        });
        if let Some(anomaly) = book.at(place) {
            anomaly.figure += 1;
            if anomaly.proofs.len() < PROOFS {
                anomaly.proofs.push(proof);
            }
        }
    }
}
