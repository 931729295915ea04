//! The book of a cluster: the record of every request, where each of them is, and the working state of those in the system.

use super::active::ActiveRequest;
use super::adapter_use::{AdapterUse, AdapterUses};
use super::attempt::Attempt;
use super::batch_stay::Stay;
use super::handover::Handovers;
use super::load_times::{LoadTimes, load_of};
use super::location::{Location, LocationCounts};
use super::record::Record;
use super::records::{Records, Retired};
use super::slab::Slab;
use super::slot::Slot;
use crate::facts::Detail;
use crate::workload::RequestSpec;
use base::{Chunks, Micros, RequestId};
use serde::{Deserialize, Serialize};

/// Counts that the engine keeps while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Census {
    /// Requests that arrived.
    pub arrived: u32,
    /// Let in by admission.
    pub admitted: u32,
    /// Refused.
    pub rejected: u32,
    /// Of those, let in by admission and then refused by the router or a full wait queue.
    pub turned_away: u32,
    /// Given up at the gateway, because their last attempts broke.
    pub lost: u32,
}

/// All that is written down of requests.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Book {
    census: Census,
    records: Records,
    /// By kind of place: how many of them are there.
    locations: LocationCounts,
    active: Slab,
    /// The past of requests that were preempted, in the order in which it came to pass.
    stays: Chunks<Stay>,
    loads: LoadTimes,
    adapters: AdapterUses,
    handovers: Handovers,
    /// Attempts that broke, in the order in which they did.
    attempts: Chunks<Attempt>,
    detail: Option<Box<Detail>>,
}

/// The parts of a book that a replica writes in while it runs an event.
pub(crate) struct Pages<'a> {
    pub(crate) records: &'a mut Records,
    pub(crate) locations: &'a mut LocationCounts,
    pub(crate) active: &'a mut Slab,
    /// What ended in a batch of requests that were preempted.
    pub(crate) stays: &'a mut Chunks<Stay>,
    /// When requests loaded blocks from the CPU tier.
    pub(crate) loads: &'a mut LoadTimes,
    /// The adapters of requests.
    pub(crate) adapters: &'a mut AdapterUses,
    /// Where requests are prefilled, and when their KV moves.
    pub(crate) handovers: &'a mut Handovers,
    pub(crate) detail: &'a mut Option<Box<Detail>>,
}

impl Book {
    /// The parts that a replica writes in.
    #[inline]
    pub(crate) fn pages(&mut self) -> Pages<'_> {
        Pages {
            records: &mut self.records,
            locations: &mut self.locations,
            active: &mut self.active,
            stays: &mut self.stays,
            loads: &mut self.loads,
            adapters: &mut self.adapters,
            handovers: &mut self.handovers,
            detail: &mut self.detail,
        }
    }

    pub(crate) fn handovers(&self) -> &Handovers {
        &self.handovers
    }

    pub(crate) fn handovers_mut(&mut self) -> &mut Handovers {
        &mut self.handovers
    }

    pub(crate) fn census(&self) -> &Census {
        &self.census
    }

    pub(crate) fn census_mut(&mut self) -> &mut Census {
        &mut self.census
    }

    pub(crate) fn records(&self) -> &Records {
        &self.records
    }

    pub(crate) fn locations(&self) -> &LocationCounts {
        &self.locations
    }

    pub(crate) fn active(&self) -> &Slab {
        &self.active
    }

    pub(crate) fn active_mut(&mut self) -> &mut Slab {
        &mut self.active
    }

    pub(crate) fn detail(&self) -> Option<&Detail> {
        self.detail.as_deref()
    }

    /// Records everything from now on.
    pub(crate) fn record_detail(&mut self, detail: Detail) {
        self.detail = Some(Box::new(detail));
    }

    /// A request arrives at the gateway.
    pub(crate) fn arrive(&mut self, spec: &RequestSpec) -> (RequestId, Slot) {
        let id = RequestId(self.records.len() as u32);
        let slot = self.active.add(ActiveRequest::new(id, spec));
        self.records.push(Record::new(spec, slot, &mut self.locations));
        if spec.adapter > 0 {
            self.adapters.insert(id, AdapterUse { adapter: spec.adapter, loaded: None });
        }
        self.census.arrived += 1;
        (id, slot)
    }

    /// From now on forgets the records of requests that have left.
    pub(crate) fn forget_records(&mut self) {
        self.records.forget();
    }

    /// The records that were forgotten since the last call. What else is known of their requests is forgotten too.
    pub(crate) fn take_retired(&mut self) -> Vec<Retired> {
        let retired = self.records.take_retired();
        for Retired { first, records } in &retired {
            let stays = |request: &RequestId| request.0.wrapping_sub(first.0) >= records.len() as u32;
            self.loads.retain(stays);
            self.adapters.retain(stays);
        }
        retired
    }

    /// The record of a request that is in the system, or has left in the event that runs.
    #[inline]
    pub(crate) fn here(&self, request: RequestId) -> &Record {
        self.records.here(request)
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn here_mut(&mut self, request: RequestId) -> &mut Record {
        self.records.here_mut(request)
    }

    /// A request goes to another place; its record.
    #[inline]
    pub(crate) fn relocate(&mut self, request: RequestId, to: Location) -> &mut Record {
        let record = self.records.here_mut(request);
        record.relocate(to, &mut self.locations);
        record
    }

    /// A request has left from the gateway.
    pub(crate) fn remove(&mut self, slot: Slot) {
        self.active.remove(slot);
    }

    /// The stays in a batch of a request that was preempted, in order; those of others are in its record.
    pub(crate) fn stays(&self, request: RequestId) -> impl Iterator<Item = &Stay> {
        let preempted = self.records.at(request.index()).preemptions > 0;
        let all = preempted.then(|| self.stays.iter()).into_iter().flatten();
        all.filter(move |stay| stay.request == request)
    }

    /// The attempts of a request that broke, in order.
    pub(crate) fn attempts(&self, request: RequestId) -> impl Iterator<Item = &Attempt> {
        // They are in order of breaking, and those of a request lie between its arrival and its end.
        let record = self.records.at(request.index());
        let (from, to) = (record.arrival, record.left.get().unwrap_or(Micros::MAX));
        let (mut first, mut last) = (0, self.attempts.len());
        while first < last {
            let middle = usize::midpoint(first, last);
            if self.attempts[middle].broke < from { first = middle + 1 } else { last = middle }
        }
        let after = (first..self.attempts.len()).map(|i| &self.attempts[i]);
        after.take_while(move |attempt| attempt.broke <= to).filter(move |attempt| attempt.request == request)
    }

    /// An attempt broke.
    pub(crate) fn note_attempt(&mut self, attempt: Attempt) {
        self.attempts.push(attempt);
    }

    /// When a request last asked for blocks from the CPU tier, and when they were there or given up.
    pub(crate) fn load(&self, request: RequestId) -> [Option<Micros>; 2] {
        load_of(&self.loads, request)
    }

    /// The adapter of a request, and its latest load; `None` for the base model.
    pub(crate) fn adapter(&self, request: RequestId) -> Option<&AdapterUse> {
        self.adapters.get(&request)
    }

    /// A copy for keeping, which can do nothing until [`Book::unpack`]. Nothing of what is packed is copied.
    pub(crate) fn packed(&mut self) -> Self {
        let packed = self.active.packed();
        let unpacked = std::mem::replace(&mut self.active, packed);
        let mut copy = self.clone();
        self.active = unpacked;
        copy.records.pack();
        copy
    }

    /// Goes on from a copy that was kept; blocks of requests come with the caches.
    pub(crate) fn unpack(&mut self) {
        self.records.unpack();
        self.active.unpack();
    }

    /// About how many bytes of it every copy has for itself.
    pub(crate) fn bytes_alive(&self) -> u64 {
        self.active.bytes() + 40 * (self.loads.len() + self.adapters.len()) as u64
    }

    /// About how many bytes are read to pack it.
    pub(crate) fn bytes_packed_from(&self) -> u64 {
        self.active.bytes()
    }

    /// Bytes of what is at rest that `later`, which went on from a copy of it, does not share.
    pub(crate) fn bytes_at_rest(&self, later: Option<&Self>) -> u64 {
        self.records.bytes_beside(later.map(|l| &l.records))
            + self.stays.bytes_beside(later.map(|l| &l.stays))
            + self.attempts.bytes_beside(later.map(|l| &l.attempts))
    }
}
