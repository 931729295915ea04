//! KV thrashing: requests of one replica are preempted, come back and are preempted again; or blocks go to the CPU tier and
//! come back at once.

use super::{Anomaly, AnomalyIndex, AnomalyKind, AnomalyLog, PROOFS, Proof};
use base::{Micros, RequestId, Span};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// This number of repeated preemptions or early reloads ...
const TIMES: usize = 4;
/// ... within this time is thrashing; it is over after the same time without any.
const WITHIN: Span = Span(10_000_000);

/// One replica.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Recent {
    /// The latest of them, at most [`TIMES`].
    latest: VecDeque<Proof>,
    open: Option<AnomalyIndex>,
}

/// All replicas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Thrashing {
    replicas: Vec<Recent>,
    /// Before this instant nothing ends.
    quiet_until: Micros,
}

impl Default for Thrashing {
    fn default() -> Self {
        Self { replicas: Vec::new(), quiet_until: Micros::MAX }
    }
}

impl Thrashing {
    /// A request was preempted again, or reloaded blocks that had just been copied down.
    pub(super) fn again(&mut self, request: RequestId, replica: usize, now: Micros, log: &mut AnomalyLog) {
        let recent = super::entry(&mut self.replicas, replica);
        let proof = Proof { request, at: now };
        if let Some(anomaly) = recent.open.and_then(|place| log.at(place)) {
            anomaly.figure += 1;
            if anomaly.proofs.len() < PROOFS {
                anomaly.proofs.push(proof);
            }
        }
        if recent.latest.len() == TIMES {
            recent.latest.pop_front();
        }
        recent.latest.push_back(proof);
        let first = recent.latest[0];
        if recent.open.is_none() && recent.latest.len() == TIMES && now.since(first.at) <= WITHIN {
            recent.open = Some(log.open(Anomaly {
                kind: AnomalyKind::KvThrashing,
                start: first.at,
                end: None,
                replica: replica as u32,
                proofs: recent.latest.iter().copied().collect(),
                figure: TIMES as u64,
                measure: None,
                of: None,
            }));
            self.quiet_until = self.quiet_until.min(now.saturating_add(WITHIN));
        }
    }

    /// Ends the anomalies of all replicas that have been quiet long enough: an idle replica has no more facts.
    #[inline]
    pub(super) fn look(&mut self, now: Micros, log: &mut AnomalyLog) {
        if now > self.quiet_until {
            self.end_quiet_ones(now, log);
        }
    }

    fn end_quiet_ones(&mut self, now: Micros, log: &mut AnomalyLog) {
        self.quiet_until = Micros::MAX;
        for recent in &mut self.replicas {
            let (Some(place), Some(last)) = (recent.open, recent.latest.back()) else { continue };
            if now.since(last.at) > WITHIN {
                log.close(place, last.at);
                recent.open = None;
                recent.latest.clear();
            } else {
                self.quiet_until = self.quiet_until.min(last.at.saturating_add(WITHIN));
            }
        }
    }
}
