//! Where a request is: always in exactly one place (INV-1).

use base::ReplicaId;
use serde::{Deserialize, Serialize};

/// Where a request is, or how it left. INV-2: it moves as [`Location::leads_to`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Location {
    /// At the gateway: admission or the router has yet to decide, or admission delays it.
    Gateway,
    /// On its way to the wait queue of a replica.
    OnItsWay(ReplicaId),
    /// In the wait queue.
    Queue(ReplicaId),
    /// In the wait queue, with blocks on their way to it from the CPU tier.
    Loading(ReplicaId),
    /// In the batch.
    Batch(ReplicaId),
    /// Between its prefill replica and that home: blocks are set aside there, and its KV is on its way.
    Transferring(ReplicaId),
    /// At that home with its KV, but not in the batch yet.
    Landed(ReplicaId),
    /// All tokens shown by that replica.
    Completed(ReplicaId),
    /// Refused by admission or by the router.
    Rejected,
    /// Refused by the full wait queue of that replica.
    Refused(ReplicaId),
    /// Impossible to serve, as that replica found.
    Dropped(ReplicaId),
    /// Given up at the gateway, because its last attempt broke.
    Lost,
}

impl Location {
    /// The replica that has it, or had it when it left.
    pub fn replica(self) -> Option<ReplicaId> {
        match self {
            Self::Gateway | Self::Rejected | Self::Lost => None,
            Self::OnItsWay(r)
            | Self::Queue(r)
            | Self::Loading(r)
            | Self::Batch(r)
            | Self::Transferring(r)
            | Self::Landed(r)
            | Self::Completed(r)
            | Self::Refused(r)
            | Self::Dropped(r) => Some(r),
        }
    }

    /// Whether it is in a queue or the batch of a replica.
    pub fn is_in_replica(self) -> bool {
        match self {
            Self::Queue(_) | Self::Loading(_) | Self::Batch(_) | Self::Transferring(_) | Self::Landed(_) => {
                true
            }
            Self::Gateway
            | Self::OnItsWay(_)
            | Self::Completed(_)
            | Self::Rejected
            | Self::Refused(_)
            | Self::Dropped(_)
            | Self::Lost => false,
        }
    }

    /// Whether it has left.
    pub fn is_gone(self) -> bool {
        match self {
            Self::Gateway
            | Self::OnItsWay(_)
            | Self::Queue(_)
            | Self::Loading(_)
            | Self::Batch(_)
            | Self::Transferring(_)
            | Self::Landed(_) => false,
            Self::Completed(_) | Self::Rejected | Self::Refused(_) | Self::Dropped(_) | Self::Lost => true,
        }
    }

    /// Whether a request can go from here to `next`.
    pub fn leads_to(self, next: Self) -> bool {
        match self {
            Self::Gateway => matches!(next, Self::OnItsWay(_) | Self::Rejected | Self::Lost),
            Self::OnItsWay(r) => {
                next == Self::Queue(r)
                    || next == Self::Refused(r)
                    || next == Self::Dropped(r)
                    || next == Self::Gateway
            }
            // With blocks set aside at home, to its prefill replica (push) or to the transfer (pull).
            Self::Queue(r) => {
                next == Self::Batch(r)
                    || next == Self::Loading(r)
                    || next == Self::Transferring(r)
                    || next == Self::Dropped(r)
                    || next == Self::Gateway
                    || matches!(next, Self::OnItsWay(other) if other != r)
            }
            Self::Loading(r) => next == Self::Queue(r),
            // With its prompt computed, to its home: its wait queue (pull), or the transfer (push).
            Self::Batch(r) => {
                next == Self::Queue(r)
                    || next == Self::Completed(r)
                    || next == Self::Dropped(r)
                    || next == Self::Gateway
                    || matches!(next, Self::OnItsWay(home) | Self::Transferring(home) if home != r)
            }
            // Back to its queue if its KV is lost and its home computes its prompt itself.
            Self::Transferring(r) => {
                next == Self::Landed(r)
                    || next == Self::Queue(r)
                    || next == Self::Dropped(r)
                    || next == Self::Gateway
            }
            Self::Landed(r) => next == Self::Batch(r) || next == Self::Dropped(r) || next == Self::Gateway,
            Self::Completed(_) | Self::Rejected | Self::Refused(_) | Self::Dropped(_) | Self::Lost => false,
        }
    }

    /// Its number among the kinds of places.
    fn kind(self) -> usize {
        match self {
            Self::Gateway => 0,
            Self::OnItsWay(_) => 1,
            Self::Queue(_) => 2,
            Self::Loading(_) => 3,
            Self::Batch(_) => 4,
            Self::Completed(_) => 5,
            Self::Rejected => 6,
            Self::Refused(_) => 7,
            Self::Dropped(_) => 8,
            Self::Transferring(_) => 9,
            Self::Landed(_) => 10,
            Self::Lost => 11,
        }
    }
}

/// How many requests are in places of each kind: INV-1 in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LocationCounts([u32; 12]);

impl LocationCounts {
    /// One more is there.
    #[inline]
    pub(crate) fn enter(&mut self, location: Location) {
        self.0[location.kind()] += 1;
    }

    /// One that is there goes.
    #[inline]
    pub(crate) fn leave(&mut self, location: Location) {
        let n = &mut self.0[location.kind()];
        assert!(*n > 0, "INV-1: a request left {location:?}, where none was");
        *n -= 1;
    }

    /// Requests at the gateway.
    pub(crate) fn at_gateway(&self) -> u32 {
        self.0[Location::Gateway.kind()]
    }

    /// Those that have not left.
    pub(crate) fn inside(&self) -> u32 {
        let gone = [
            Location::Completed(ReplicaId(0)),
            Location::Rejected,
            Location::Refused(ReplicaId(0)),
            Location::Dropped(ReplicaId(0)),
            Location::Lost,
        ];
        self.total() - gone.iter().map(|place| self.0[place.kind()]).sum::<u32>()
    }

    /// All together.
    pub(crate) fn total(&self) -> u32 {
        self.0.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const R: ReplicaId = ReplicaId(3);
    const ALL: [Location; 12] = [
        Location::Gateway,
        Location::OnItsWay(R),
        Location::Queue(R),
        Location::Loading(R),
        Location::Batch(R),
        Location::Transferring(R),
        Location::Landed(R),
        Location::Completed(R),
        Location::Rejected,
        Location::Refused(R),
        Location::Dropped(R),
        Location::Lost,
    ];

    #[test]
    fn a_request_that_has_left_goes_nowhere_and_any_other_can_still_leave() {
        for from in ALL {
            assert_eq!(ALL.iter().all(|to| !from.leads_to(*to)), from.is_gone(), "{from:?}");
            let (mut reached, mut k) = (vec![from], 0);
            while k < reached.len() {
                let next: Vec<Location> = ALL.into_iter().filter(|to| reached[k].leads_to(*to)).collect();
                reached.extend(next.into_iter().filter(|to| !reached.contains(to)).collect::<Vec<_>>());
                k += 1;
            }
            assert!(reached.iter().any(|to| to.is_gone()), "{from:?}");
        }
        assert!(
            !Location::Queue(R).leads_to(Location::Batch(ReplicaId(4))),
            "no replica takes another's request"
        );
    }

    #[test]
    #[should_panic(expected = "INV-1")]
    fn nobody_leaves_a_place_where_nobody_is() {
        let mut counts = LocationCounts::default();
        counts.enter(Location::Queue(R));
        counts.leave(Location::Batch(R));
    }
}
