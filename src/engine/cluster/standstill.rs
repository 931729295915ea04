//! Runs without a horizon that end while requests wait, because nothing more can happen: what the requests wait for.
//!
//! INV-12: every wait has an event that can end it, or the run is over.

use crate::{Cluster, Network};
use base::{Micros, ReplicaId};
use document::Compat;

/// Requests that wait for something that does not come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standstill {
    /// Requests in transfer over a link that carries nothing, or too little to land within the longest run.
    pub in_transfer: u32,
    /// The two replicas of the first of these.
    pub link: Option<[ReplicaId; 2]>,
    /// Requests on replicas that are stuck without an end.
    pub stuck: u32,
    /// The first of these replicas.
    pub stuck_replica: Option<ReplicaId>,
    /// Whether no replica serves or comes back.
    pub none_serves: bool,
    /// All other requests in the system.
    pub others: u32,
}

impl Cluster {
    /// What the requests in the system wait for, if the run has no horizon, and nothing is left to happen.
    pub fn standstill(&self) -> Option<Standstill> {
        let inside = self.book.locations().inside();
        if !self.stands_still() || inside == 0 {
            return None;
        }
        let mut still = Standstill::default();
        for transfer in self.network().into_iter().flat_map(Network::stalled) {
            still.in_transfer += 1;
            still.link.get_or_insert([transfer.from, transfer.to]);
        }
        let now = self.clock.now();
        for replica in self.replicas().iter().filter(|r| r.stuck_until(now) == Some(Micros::MAX)) {
            let here = replica.waiting() + replica.running() + replica.landed();
            if here > 0 {
                still.stuck += here;
                still.stuck_replica.get_or_insert(replica.id());
            }
        }
        still.none_serves = !self.fleet.any_may_serve();
        still.others = inside.saturating_sub(still.in_transfer + still.stuck);
        Some(still)
    }

    fn stands_still(&self) -> bool {
        self.clock.is_endless() && !self.gave_up() && self.next_at() == Micros::MAX
    }

    /// INV-12: a run that is over leaves no request in a replica that works.
    #[inline(never)]
    pub(crate) fn verify_over(&self) {
        let stranded = || self.replicas().iter().any(|r| !r.moving.stranded.is_empty());
        if !self.stands_still() || self.compat() == Compat::Blis || self.faults.any_open() || stranded() {
            return;
        }
        for replica in self.replicas() {
            let left = replica.in_flight();
            assert!(
                left == 0,
                "INV-12: {left} requests wait on {:?} at {:?} and nothing ends their wait",
                replica.id(),
                self.clock.now()
            );
        }
    }
}
