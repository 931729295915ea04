//! What there is to see of requests in the cluster: their progress, batches and queues in order.

use super::slab::Slot;
use super::{Cluster, Location, Progress, Replica};
use crate::base::RequestId;

impl Cluster {
    /// What a request has done so far.
    pub fn progress(&self, request: RequestId) -> Progress {
        let record = self.records.at(request.index());
        if record.slot != Slot::NONE {
            let active = &self.active[record.slot];
            if let Some(replica) = record.replica() {
                return self.replicas[replica.index()].progress_of(active, record.ttft);
            }
            return Progress { prefill: active.prefill, ..Progress::default() };
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

    /// The batch of a replica in order: each request and whether it decodes.
    pub fn batch(&self, replica: &Replica) -> impl Iterator<Item = RequestId> + '_ {
        let mut slot = replica.head;
        std::iter::from_fn(move || {
            let active = (slot != Slot::NONE).then(|| &self.active[slot])?;
            slot = active.after;
            Some(active.id)
        })
    }

    /// Whether a request waits for blocks on their way from the CPU tier.
    pub fn is_loading(&self, request: RequestId) -> bool {
        matches!(self.records.at(request.index()).location(), Location::Loading(_))
    }

    /// The wait queue of a replica in order.
    pub fn queue<'a>(&'a self, replica: &'a Replica) -> impl Iterator<Item = RequestId> + 'a {
        replica.waiting.iter().map(|&s| self.active[s].id)
    }
}
