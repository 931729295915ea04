//! Livelock: the engine says when a thousand preemptions have passed on one replica without anything finishing.

use super::{Anomaly, AnomalyKind, Book, Place, Proof};
use crate::base::{Micros, RequestId};
use serde::{Deserialize, Serialize};

/// All replicas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Livelock {
    open: Vec<Option<Place>>,
}

impl Livelock {
    pub(super) fn found(&mut self, request: RequestId, replica: usize, now: Micros, book: &mut Book) {
        *super::entry(&mut self.open, replica) = Some(book.open(Anomaly {
            kind: AnomalyKind::Livelock,
            start: now,
            end: None,
            replica: replica as u32,
            proofs: vec![Proof { request, at: now }],
            figure: 1,
            measure: None,
        }));
    }

    /// Something finished.
    pub(super) fn over(&mut self, replica: usize, now: Micros, book: &mut Book) {
        if let Some(place) = self.open.get_mut(replica).and_then(Option::take) {
            book.close(place, now);
        }
    }
}
