//! Livelock: the engine says when a thousand preemptions have passed on one replica without anything finishing. This
//! detector keeps the proof: since when, how often, and the latest requests.

use super::{Anomaly, AnomalyIndex, AnomalyKind, AnomalyLog, Proof};
use base::{Micros, RequestId};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// One replica since something last finished there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Struggle {
    since: Option<Micros>,
    preemptions: u64,
    /// The latest preemptions, as many as are kept as proof.
    latest: VecDeque<Proof>,
    open: Option<AnomalyIndex>,
}

/// All replicas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Livelock {
    replicas: Vec<Struggle>,
}

impl Livelock {
    pub(super) fn preempted(
        &mut self,
        request: RequestId,
        replica: usize,
        now: Micros,
        log: &mut AnomalyLog,
    ) {
        let struggle = super::entry(&mut self.replicas, replica);
        struggle.since.get_or_insert(now);
        struggle.preemptions += 1;
        if let Some(anomaly) = struggle.open.and_then(|place| log.at(place)) {
            anomaly.figure = struggle.preemptions;
        }
        super::keep_latest(&mut struggle.latest, Proof { request, at: now });
    }

    /// The engine has counted enough preemptions.
    pub(super) fn found(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        let struggle = super::entry(&mut self.replicas, replica);
        if struggle.open.is_none() {
            struggle.open = Some(log.open(Anomaly {
                kind: AnomalyKind::Livelock,
                start: struggle.since.unwrap_or(now),
                end: None,
                replica: replica as u32,
                proofs: struggle.latest.iter().copied().collect(),
                figure: struggle.preemptions,
                measure: None,
                of: None,
            }));
        }
    }

    /// A request finished, or its client timed out.
    pub(super) fn over(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        let Some(struggle) = self.replicas.get_mut(replica).filter(|s| s.since.is_some()) else { return };
        if let Some(place) = struggle.open.take() {
            log.close(place, now);
        }
        struggle.since = None;
        struggle.preemptions = 0;
        struggle.latest.clear();
    }
}
