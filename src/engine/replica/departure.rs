//! Requests that leave a replica: it puts each into its outbox with the reason, and after its event the cluster does what
//! follows from that.

use super::state::Replica;
use super::world::World;
use crate::facts::{BreakReason, RequestFact, Sink};
use crate::policy::Reason;
use crate::request::{Location, Slot};
use base::{Micros, RequestId};

/// Why a request left a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DepartureReason {
    /// It has all its tokens.
    Completed,
    /// It can never be served.
    Dropped,
    /// The wait queue was full.
    Refused,
    /// The replica is taken away: it goes back to the gateway, and the router decides again.
    Redirected,
    /// Its prompt is computed, and another replica decodes it.
    HandedOver,
    /// Its attempt broke, after so many tokens of its prompt were computed in vain.
    Broken { reason: BreakReason, prefilled: u32 },
}

/// A request that has left its replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Departure {
    pub(crate) request: RequestId,
    pub(crate) why: DepartureReason,
}

impl Replica {
    /// The wait queue is full: the request leaves without having joined it.
    pub(super) fn refuse<S: Sink>(&mut self, slot: Slot, now: Micros, w: &mut World<'_, S>) {
        let (request, reason) = (w.active[slot].id, Reason::QueueFull);
        let record = w.records.here_mut(request);
        record.relocate(Location::Refused(self.id), w.locations);
        record.refused = Some(reason);
        record.left = now.into();
        record.slot = Slot::NONE;
        w.end_remote(slot);
        w.active.remove(slot);
        self.totals.refused += 1;
        w.departures.push(Departure { request, why: DepartureReason::Refused });
        w.sink.fact(now, RequestFact::Rejected { request, reason, replica: Some(self.id) }.into());
    }
}
