//! Head-of-line blocking: the first of a queue waits for KV blocks, nobody may overtake it, and one behind it would fit.

use super::{Anomaly, AnomalyKind, Book, Place, Proof};
use crate::base::{Micros, RequestId, Span};
use serde::{Deserialize, Serialize};

/// How long a head must be in the way.
const LASTING: Span = Span(500_000);

/// A request that was found in the way and still waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    request: RequestId,
    behind: RequestId,
    since: Micros,
    /// Its anomaly, once it has lasted long enough.
    told: Option<Place>,
}

/// All replicas. A preempted request that comes back first pushes a head back, so that there can be several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Blocking {
    heads: Vec<Vec<Head>>,
    /// How many of them have not been told.
    unreported: u32,
}

impl Blocking {
    pub(super) fn blocked(&mut self, request: RequestId, behind: RequestId, replica: usize, now: Micros) {
        let heads = super::entry(&mut self.heads, replica);
        if heads.iter().all(|h| h.request != request) {
            heads.push(Head { request, behind, since: now, told: None });
            self.unreported += 1;
        }
    }

    #[inline]
    pub(super) fn look(&mut self, replica: usize, now: Micros, book: &mut Book) {
        if self.unreported > 0 {
            self.tell(replica, now, book);
        }
    }

    fn tell(&mut self, replica: usize, now: Micros, book: &mut Book) {
        let heads = self.heads.get_mut(replica).into_iter().flatten();
        for head in heads.filter(|h| h.told.is_none() && now.since(h.since) >= LASTING) {
            self.unreported -= 1;
            let proof = |request| Proof { request, at: head.since };
            head.told = Some(book.open(Anomaly {
                kind: AnomalyKind::HeadOfLineBlocking,
                start: head.since,
                end: None,
                replica: replica as u32,
                proofs: vec![proof(head.request), proof(head.behind)],
                figure: 1,
                measure: None,
            }));
        }
    }

    /// The batch is full: nobody there waits for blocks.
    pub(super) fn full(&mut self, replica: usize, now: Micros, book: &mut Book) {
        self.look(replica, now, book);
        for head in self.heads.get_mut(replica).into_iter().flat_map(|heads| heads.drain(..)) {
            match head.told {
                Some(place) => book.close(place, now),
                None => self.unreported -= 1,
            }
        }
    }

    /// It waits no more.
    pub(super) fn gone(&mut self, request: RequestId, replica: usize, now: Micros, book: &mut Book) {
        self.look(replica, now, book);
        let Some(heads) = self.heads.get_mut(replica) else { return };
        let Some(i) = heads.iter().position(|h| h.request == request) else { return };
        match heads.remove(i).told {
            Some(place) => book.close(place, now),
            None => self.unreported -= 1,
        }
    }
}
