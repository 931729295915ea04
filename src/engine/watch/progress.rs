//! What there is to see of requests in the cluster: their progress, batches and queues in order.

use crate::base::{Micros, RequestId};
use crate::engine::Cluster;
use crate::engine::replica::Replica;
use crate::engine::request::{Location, Progress, Slot, Stay, load_of};

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

    /// The stays in a batch of a request that was preempted, in order; those of others are in its record.
    pub fn stays(&self, request: RequestId) -> impl Iterator<Item = &Stay> {
        let preempted = self.records.at(request.index()).preemptions > 0;
        let all = preempted.then(|| self.stays.iter()).into_iter().flatten();
        all.filter(move |stay| stay.request == request)
    }

    /// When a request last asked for blocks from the CPU tier, and when they were there or given up.
    pub fn load(&self, request: RequestId) -> [Option<Micros>; 2] {
        load_of(&self.loads, request)
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
