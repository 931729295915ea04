//! What there is to see of requests in the cluster: their progress, batches and queues in order.

use super::Sight;
use crate::replica::Replica;
use crate::request::{Book, Progress, Slot};
use base::RequestId;

impl Sight<'_> {
    /// What a request has done so far.
    pub(crate) fn progress(&self, request: RequestId) -> Progress {
        let record = self.book.records().at(request.index());
        if record.slot != Slot::NONE {
            let active = &self.book.active()[record.slot];
            if let Some(replica) = record.replica() {
                return self.fleet.replicas()[replica.index()].progress_of(active, record.ttft);
            }
            // At the gateway, perhaps with the beginning of an answer that goes on elsewhere.
            return Progress {
                prefill: active.prefill,
                generated: active.generated,
                itl_sum: record.itl_sum,
                itl_count: active.generated.saturating_sub(1),
                output_time: record.output_time,
                ..Progress::default()
            };
        }
        Progress {
            output_time: record.output_time,
            stored: record.progress,
            generated: record.generated,
            itl_sum: record.itl_sum,
            itl_count: record.generated.saturating_sub(1),
            ..Progress::default()
        }
    }
}

/// The batch of a replica in order.
pub(crate) fn batch<'a>(book: &'a Book, replica: &Replica) -> impl Iterator<Item = RequestId> + use<'a> {
    let (mut slot, slab) = (replica.head, book.active());
    std::iter::from_fn(move || {
        let active = (slot != Slot::NONE).then(|| &slab[slot])?;
        slot = active.after;
        Some(active.id)
    })
}

/// The wait queue of a replica in order.
pub(crate) fn queue<'a>(book: &'a Book, replica: &'a Replica) -> impl Iterator<Item = RequestId> + 'a {
    replica.waiting.iter().map(|&slot| book.active()[slot].id)
}
