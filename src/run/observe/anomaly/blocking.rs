//! Head-of-line blocking: the first request of a queue waits for KV blocks and may not be overtaken, and a request
//! behind it would fit.

use super::{Anomaly, AnomalyIndex, AnomalyKind, AnomalyLog, Proof};
use base::{Micros, RequestId, Span};
use serde::{Deserialize, Serialize};

/// How long it must wait before it is an anomaly.
const LASTING: Span = Span(500_000);

/// A request at the head of a queue that waits for KV blocks while one behind it would fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    request: RequestId,
    behind: RequestId,
    since: Micros,
    /// Its anomaly, once the wait has lasted long enough.
    reported: Option<AnomalyIndex>,
}

/// All replicas. A preempted request that comes back first pushes a head back, so that there can be several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Blocking {
    heads: Vec<Vec<Head>>,
    /// How many waits are not anomalies yet.
    unreported: u32,
}

impl Blocking {
    pub(super) fn blocked(&mut self, request: RequestId, behind: RequestId, replica: usize, now: Micros) {
        let heads = super::entry(&mut self.heads, replica);
        if heads.iter().all(|h| h.request != request) {
            heads.push(Head { request, behind, since: now, reported: None });
            self.unreported += 1;
        }
    }

    #[inline]
    pub(super) fn look(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        if self.unreported > 0 {
            self.report(replica, now, log);
        }
    }

    fn report(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        let heads = self.heads.get_mut(replica).into_iter().flatten();
        for head in heads.filter(|h| h.reported.is_none() && now.since(h.since) >= LASTING) {
            self.unreported -= 1;
            let proof = |request| Proof { request, at: head.since };
            head.reported = Some(log.open(Anomaly {
                kind: AnomalyKind::HeadOfLineBlocking,
                start: head.since,
                end: None,
                replica: replica as u32,
                proofs: vec![proof(head.request), proof(head.behind)],
                figure: 1,
                measure: None,
                of: None,
            }));
        }
    }

    /// The batch is full: no request there waits for blocks.
    pub(super) fn full(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        self.look(replica, now, log);
        for head in self.heads.get_mut(replica).into_iter().flat_map(|heads| heads.drain(..)) {
            match head.reported {
                Some(place) => log.close(place, now),
                None => self.unreported -= 1,
            }
        }
    }

    /// The request no longer waits.
    pub(super) fn gone(&mut self, request: RequestId, replica: usize, now: Micros, log: &mut AnomalyLog) {
        self.look(replica, now, log);
        let Some(heads) = self.heads.get_mut(replica) else { return };
        let Some(i) = heads.iter().position(|h| h.request == request) else { return };
        match heads.remove(i).reported {
            Some(place) => log.close(place, now),
            None => self.unreported -= 1,
        }
    }
}
