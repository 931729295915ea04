//! Head-of-line blocking: the first of a queue waits for KV blocks, nobody may overtake it, and one behind it would fit.

use super::{Anomaly, AnomalyKind, Book, Place, Proof};
use crate::base::{Micros, RequestId, Span};
use serde::{Deserialize, Serialize};

/// How long a head must be in the way.
const LASTING: Span = Span(500_000);

/// The head of one queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    request: RequestId,
    behind: RequestId,
    since: Micros,
    /// Its anomaly, once it has lasted long enough.
    told: Option<Place>,
}

/// All replicas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Blocking {
    heads: Vec<Option<Head>>,
}

impl Blocking {
    pub(super) fn blocked(
        &mut self,
        request: RequestId,
        behind: RequestId,
        replica: usize,
        now: Micros,
        book: &mut Book,
    ) {
        let head = super::entry(&mut self.heads, replica);
        if head.as_ref().is_some_and(|h| h.request == request) {
            return;
        }
        // A scheduler has put somebody else first.
        if let Some(place) = head.take().and_then(|h| h.told) {
            book.close(place, now);
        }
        *head = Some(Head { request, behind, since: now, told: None });
    }

    pub(super) fn look(&mut self, replica: usize, now: Micros, book: &mut Book) {
        let Some(Some(head)) = self.heads.get_mut(replica) else { return };
        if head.told.is_none() && now.since(head.since) >= LASTING {
            let proof = |request| Proof { request, at: head.since };
            head.told = Some(book.open(Anomaly {
                kind: AnomalyKind::HeadOfLineBlocking,
                start: head.since,
                end: None,
                replica: replica as u32,
                proofs: vec![proof(head.request), proof(head.behind)],
                figure: 1,
            }));
        }
    }

    pub(super) fn gone(&mut self, request: RequestId, replica: usize, now: Micros, book: &mut Book) {
        let Some(slot) = self.heads.get_mut(replica) else { return };
        if let Some(head) = slot.take_if(|h| h.request == request)
            && let Some(place) = head.told
        {
            book.close(place, now);
        }
    }
}
