//! Anomalies as they are kept: all counted, the first of each kind with what proves them.

use super::kind::{AnomalyKind, UrgentBy};
use base::{Micros, RequestId};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Anomalies kept of each kind, the first ones; later ones are counted only.
pub(super) const KEPT: u32 = 64;

/// Requests named as proof of one anomaly, the first ones.
pub(super) const PROOFS: usize = 8;

/// A request that proves the anomaly, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The request.
    pub request: RequestId,
    pub(crate) at: Micros,
}

/// One anomaly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anomaly {
    /// What kind it is.
    pub kind: AnomalyKind,
    /// When it began.
    pub start: Micros,
    /// `None` while it lasts.
    pub(crate) end: Option<Micros>,
    /// The replica; for an imbalance the most loaded one, for an autoscaler the first of its pool.
    pub replica: u32,
    /// Requests that show it, the first ones.
    pub proofs: Vec<Proof>,
    /// How often, or the largest coefficient of variation in thousandths.
    pub(crate) figure: u64,
    /// For a priority inversion: what makes requests more urgent.
    pub(super) measure: Option<UrgentBy>,
    /// For an autoscaler the name of its pool, for a band of the gateway's queue its priority.
    pub(super) of: Option<String>,
}

impl Anomaly {
    pub(super) fn owner(&self) -> &str {
        self.of.as_deref().unwrap_or_default()
    }
}

/// Index in the list of anomalies kept; `None` for an anomaly that is only counted.
pub(super) type AnomalyIndex = Option<u32>;

/// The anomalies so far: all counted, the first of each kind kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AnomalyLog {
    /// By kind.
    pub(super) counts: [u32; AnomalyKind::ALL.len()],
    pub(super) kept: Vec<Anomaly>,
    /// Anomalies of `kept` before this one have been reported to the event log.
    pub(super) reported: u32,
}

impl AnomalyLog {
    /// Enters an anomaly.
    pub(super) fn open(&mut self, anomaly: Anomaly) -> AnomalyIndex {
        self.open_with(anomaly.kind, || anomaly)
    }

    /// Enters an anomaly of a frequent kind: it is built only if it is kept.
    pub(super) fn open_with(&mut self, kind: AnomalyKind, anomaly: impl FnOnce() -> Anomaly) -> AnomalyIndex {
        let count = &mut self.counts[kind as usize];
        *count += 1;
        if *count > KEPT {
            return None;
        }
        self.kept.push(anomaly());
        Some(self.kept.len() as u32 - 1)
    }

    /// An anomaly that was kept.
    pub(super) fn at(&mut self, place: AnomalyIndex) -> Option<&mut Anomaly> {
        self.kept.get_mut(place? as usize)
    }

    pub(super) fn close(&mut self, place: AnomalyIndex, end: Micros) {
        if let Some(anomaly) = self.at(place) {
            // An edit after the last request comes before events that are scheduled and not awaited.
            anomaly.end = Some(end.max(anomaly.start));
        }
    }
}

/// Adds a proof to the latest ones and keeps at most [`PROOFS`].
pub(super) fn keep_latest(latest: &mut VecDeque<Proof>, proof: Proof) {
    if latest.len() == PROOFS {
        latest.pop_front();
    }
    latest.push_back(proof);
}

/// The entry of a list, which grows as needed.
pub(super) fn entry<T: Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if list.len() <= index {
        list.resize_with(index + 1, T::default);
    }
    &mut list[index]
}
