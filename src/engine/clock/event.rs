//! Events and their order: the one place that says what runs first among events at the same instant.
//!
//! Events run by time; at one instant those of the cluster before those of replicas, and among replicas those of the lowest
//! number first. Within the cluster, and within one replica, [`Event::order`] decides, then the order of scheduling.

use crate::facts::DropReason;
use crate::request::Slot;
use base::queue::Queue;
use base::{Micros, ReplicaId, RequestId};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// An event of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ClusterEvent {
    /// The next request of the source arrives. Never in a queue: the source knows when.
    Arrival,
    /// Admission decides on a request.
    Admission(Slot),
    /// The router decides on a request.
    Routing(Slot),
    /// Admission decides again on the head of a queue of delayed requests.
    Retry { queue: u32 },
    /// The KV of a request is at its home. Never in a queue: the network knows when.
    Landing,
    /// Blocks have come up to a replica, or are written below it. Never in a queue: the tiers know when.
    BlocksLand,
    /// The first byte of a transfer moves. Never in a queue: the network knows when.
    FlowBegins,
    /// The first byte of blocks moves. Never in a queue: the tiers know when.
    BlocksFlow,
    /// The gateway's queue may send a request on. Never in a queue: the gateway knows when.
    Dispatch,
    /// The gateway's queue refuses requests that have waited too long. Never in a queue: the gateway knows when.
    Sweep,
    /// Routers learn that a replica is down, or serves again after that crash.
    Noticed { replica: ReplicaId, serves: bool, crash: u32 },
    /// The time for a connection to a replica that cannot be reached is over.
    Unreached { slot: Slot, replica: ReplicaId },
    /// A transfer has taken too long. Never in a queue: the network knows when.
    TransferTimedOut,
    /// Something is due in the pause of a session. Never in a queue: the life of sessions knows when.
    Pause,
}

/// An event of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ReplicaEvent {
    /// A request joins the wait queue.
    Queued(Slot),
    /// The load from the CPU tier that was asked for first is done: before the step, which its request can join then.
    Loaded,
    /// What a request fetches has taken too long, if it still does.
    FetchOver(RequestId),
    /// The replica is taken away, and its requests leave it. Before the step, which would take them in.
    SendAway,
    /// The running step ends and the next one begins. Never in a queue: there is at most one.
    Step,
    /// The client of a request gives up, unless it has left. After the step that ends at the same instant.
    TimedOut(RequestId),
    /// A request makes room for a more urgent one, unless it has left.
    Evicted(RequestId),
    /// A finished request has left (`compat: blis`). It only moves the replica's clock.
    Left,
    /// The load of a prefetch from the CPU tier is done, if it still goes on.
    Prefetched(u32),
}

/// An event of autoscaling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ScalingEvent {
    /// A replica has started, unless this start was given up.
    Ready { replica: ReplicaId, start: u32 },
    /// A request has been held for as long as it may be.
    HoldOver(RequestId),
    /// The replicas of a pool are measured, if its settings are still those.
    Scrape { pool: u32, revision: u32 },
    /// The autoscaler of a pool decides, if its settings are still those.
    Tick { pool: u32, revision: u32 },
    /// The horizontal autoscaler that carries out a pool's decisions decides, if its settings are still those.
    Sync { pool: u32, revision: u32 },
    /// A fault that lasts for a while is over: after all other events of the cluster at that instant.
    FaultEnds(u32),
    /// A replica crashes at random if it serves then, if the settings are still those. `draw` counts such instants of the replica.
    RandomCrash { replica: ReplicaId, draw: u32, revision: u32 },
    /// A replica that drains to be restarted is empty, or has drained for long enough, unless that start was given up.
    Restart { replica: ReplicaId, start: u32 },
    /// A probe of a replica has failed, if it has not crashed since and the settings are still those.
    ProbeFails { replica: ReplicaId, crash: u32, revision: u32 },
    /// A replica that was ejected as an outlier for that time gets requests again.
    Readmit { replica: ReplicaId, time: u32 },
    /// Replicas are probed, if no other event of that kind has taken its place.
    Probe(u32),
    /// A prefill replica gives back blocks that nobody fetched, unless they are gone.
    LeaseOver { replica: ReplicaId, number: u32 },
}

/// An event that may wait in a queue.
pub(crate) trait Event: Copy {
    /// Its rank among events at the same instant; the lowest runs first.
    fn order(self) -> u8;
}

impl Event for ClusterEvent {
    #[inline]
    fn order(self) -> u8 {
        match self {
            Self::Arrival => 0,
            Self::Admission(_) => 1,
            Self::Routing(_) => 2,
            Self::Retry { .. } => 3,
            Self::Landing | Self::BlocksLand => 4,
            Self::FlowBegins | Self::BlocksFlow => 5,
            Self::Pause => 6,
            Self::Dispatch => 7,
            Self::Sweep => 8,
            Self::Noticed { .. } => 9,
            Self::TransferTimedOut => 10,
            Self::Unreached { .. } => 11,
        }
    }
}

impl Event for ReplicaEvent {
    #[inline]
    fn order(self) -> u8 {
        match self {
            Self::Queued(_) => 0,
            Self::Loaded | Self::FetchOver(_) | Self::Prefetched(_) => 1,
            Self::SendAway => 2,
            Self::Step => 3,
            Self::TimedOut(_) | Self::Evicted(_) => 4,
            Self::Left => 5,
        }
    }
}

impl Event for ScalingEvent {
    fn order(self) -> u8 {
        match self {
            Self::Ready { .. } => 0,
            Self::HoldOver(_) => 1,
            Self::Scrape { .. } => 2,
            Self::Tick { .. } => 3,
            Self::Sync { .. } => 4,
            Self::FaultEnds(_) => 5,
            Self::RandomCrash { .. } => 6,
            Self::Restart { .. } => 7,
            Self::ProbeFails { .. } => 8,
            Self::Readmit { .. } => 9,
            Self::Probe(_) => 10,
            Self::LeaseOver { .. } => 11,
        }
    }
}

impl ReplicaEvent {
    /// The request that it stops, and why.
    pub(crate) fn stops(self) -> Option<(RequestId, DropReason)> {
        match self {
            Self::TimedOut(request) => Some((request, DropReason::TimedOut)),
            Self::Evicted(request) => Some((request, DropReason::Evicted)),
            Self::Queued(_)
            | Self::Loaded
            | Self::FetchOver(_)
            | Self::Prefetched(_)
            | Self::SendAway
            | Self::Step
            | Self::Left => None,
        }
    }
}

impl ClusterEvent {
    /// The request at the gateway that it is about; `None` for one that is in no queue of events.
    pub(crate) fn request(self) -> Option<Slot> {
        match self {
            Self::Admission(slot) | Self::Routing(slot) | Self::Unreached { slot, .. } => Some(slot),
            Self::Arrival
            | Self::Retry { .. }
            | Self::Landing
            | Self::BlocksLand
            | Self::FlowBegins
            | Self::BlocksFlow
            | Self::Pause
            | Self::Dispatch
            | Self::Sweep
            | Self::Noticed { .. }
            | Self::TransferTimedOut => None,
        }
    }
}

/// An event with its instant and the number under which it was scheduled.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Scheduled<E> {
    at: Micros,
    seq: u64,
    event: E,
}

impl<E: Event> Scheduled<E> {
    #[inline]
    fn key(&self) -> (Micros, u8, u64) {
        (self.at, self.event.order(), self.seq)
    }
}

impl<E: Event> Ord for Scheduled<E> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<E: Event> PartialOrd for Scheduled<E> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E: Event> PartialEq for Scheduled<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E: Event> Eq for Scheduled<E> {}

/// The scheduled events of the cluster or of one replica.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "E: Event + Serialize + serde::de::DeserializeOwned")]
pub(crate) struct EventQueue<E: Event> {
    queue: Queue<Scheduled<E>>,
    /// The number of the latest one.
    seq: u64,
}

impl<E: Event> Default for EventQueue<E> {
    fn default() -> Self {
        Self { queue: Queue::default(), seq: 0 }
    }
}

impl<E: Event> EventQueue<E> {
    pub(crate) fn schedule(&mut self, at: Micros, event: E) {
        self.seq += 1;
        self.queue.push(Scheduled { at, seq: self.seq, event });
    }

    /// When the next one runs; [`Micros::MAX`] if there is none.
    #[inline]
    pub(crate) fn next_at(&self) -> Micros {
        self.queue.peek().map_or(Micros::MAX, |next| next.at)
    }

    /// Takes the next one, unless `event`, which is not in the queue and runs at `at`, comes first.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "nearly every event of a replica is a step, which is in no queue"
    )]
    pub(crate) fn pop_unless(&mut self, at: Micros, event: E) -> Option<E> {
        let next = self.queue.peek()?;
        if (at, event.order()) < (next.at, next.event.order()) { None } else { self.pop() }
    }

    #[inline(never)]
    fn pop(&mut self) -> Option<E> {
        self.queue.pop().map(|next| next.event)
    }

    /// Takes the next one if it is like that.
    pub(crate) fn pop_if(&mut self, like: impl FnOnce(Micros, E) -> bool) -> Option<E> {
        let next = self.queue.peek().filter(|next| like(next.at, next.event))?.event;
        self.pop();
        Some(next)
    }

    /// Events that should have come before `now` come now, in their order.
    pub(crate) fn not_before(&mut self, now: Micros) {
        while let Some(late) = self.queue.peek().filter(|next| next.at < now).copied() {
            self.pop();
            self.queue.push(Scheduled { at: now, ..late });
        }
    }

    /// Takes all those out that are like that, in their order.
    pub(crate) fn take_all(&mut self, like: impl Fn(E) -> bool) -> Vec<E> {
        let (mut taken, mut others) = (Vec::new(), Vec::new());
        while let Some(next) = self.queue.pop() {
            if like(next.event) {
                taken.push(next.event);
            } else {
                others.push(next);
            }
        }
        for other in others {
            self.queue.push(other);
        }
        taken
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = E> {
        self.queue.iter().map(|scheduled| scheduled.event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_run_by_time_then_kind_then_order_of_scheduling() {
        let mut events = EventQueue::default();
        let retry = |queue| ClusterEvent::Retry { queue };
        for (at, event) in [
            (2, ClusterEvent::Admission(Slot::NONE)),
            (1, retry(7)),
            (1, ClusterEvent::Routing(Slot::NONE)),
            (1, retry(3)),
        ] {
            events.schedule(Micros(at), event);
        }
        assert_eq!(events.pop_unless(Micros(1), ClusterEvent::Arrival), None);
        let mut order = Vec::new();
        while let Some(event) = events.pop_unless(Micros(9), ClusterEvent::Arrival) {
            order.push((event, events.next_at()));
        }
        let expected = [
            (ClusterEvent::Routing(Slot::NONE), Micros(1)),
            (retry(7), Micros(1)),
            (retry(3), Micros(2)),
            (ClusterEvent::Admission(Slot::NONE), Micros::MAX),
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn events_are_taken_in_their_order_and_the_others_stay() {
        let mut events = EventQueue::default();
        let retry = |queue| ClusterEvent::Retry { queue };
        for (at, event) in
            [(9, retry(1)), (3, ClusterEvent::Admission(Slot::NONE)), (5, retry(2)), (5, retry(3))]
        {
            events.schedule(Micros(at), event);
        }
        let taken = events.take_all(|event| matches!(event, ClusterEvent::Retry { .. }));
        assert_eq!(taken, [retry(2), retry(3), retry(1)]);
        assert_eq!(events.iter().collect::<Vec<_>>(), [ClusterEvent::Admission(Slot::NONE)]);
    }

    #[test]
    fn a_step_takes_in_who_joins_and_who_is_loaded_at_its_instant() {
        let mut events = EventQueue::default();
        for event in [ReplicaEvent::Left, ReplicaEvent::Queued(Slot::NONE), ReplicaEvent::Loaded] {
            events.schedule(Micros(5), event);
        }
        let mut next = || events.pop_unless(Micros(5), ReplicaEvent::Step);
        assert_eq!(
            [next(), next(), next()],
            [Some(ReplicaEvent::Queued(Slot::NONE)), Some(ReplicaEvent::Loaded), None]
        );
    }
}
