//! The clock of a cluster: what is scheduled for the gateway, for autoscaling and for replicas, and when the run ends.

use super::event::{ClusterEvent, EventQueue, ScalingEvent};
use super::tournament::Tournament;
use base::Micros;
use document::limits;
use serde::{Deserialize, Serialize};

/// The instant, the events to come, and the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Clock {
    /// Time of the latest event.
    now: Micros,
    /// Nothing runs after it; [`Micros::MAX`] if there is none.
    horizon: Micros,
    /// Nothing runs there or later: the end of the clock, or of what autoscalers have time for in a run without a horizon.
    end: Micros,
    events_done: u64,
    /// Events of the gateway; arrivals come straight from the source.
    gateway: EventQueue<ClusterEvent>,
    /// When the next event of each replica runs.
    replicas: Tournament,
    scaling: EventQueue<ScalingEvent>,
}

impl Clock {
    /// A clock at time zero.
    pub(crate) fn new(horizon: Micros) -> Self {
        Self {
            now: Micros::ZERO,
            horizon,
            end: Micros::END,
            events_done: 0,
            gateway: EventQueue::default(),
            replicas: Tournament::default(),
            scaling: EventQueue::default(),
        }
    }

    /// Time of the latest event.
    #[inline]
    pub(crate) fn now(&self) -> Micros {
        self.now
    }

    pub(crate) fn horizon(&self) -> Micros {
        self.horizon
    }

    pub(crate) fn is_endless(&self) -> bool {
        self.horizon == Micros::MAX
    }

    pub(crate) fn end(&self) -> Micros {
        self.end
    }

    pub(crate) fn events_done(&self) -> u64 {
        self.events_done
    }

    /// Whether an event at `at` lies beyond the end of the run.
    #[inline]
    pub(crate) fn is_over_at(&self, at: Micros) -> bool {
        at >= self.end || at > self.horizon
    }

    /// An event at `at` begins.
    #[inline]
    pub(crate) fn go_to(&mut self, at: Micros) {
        assert!(at >= self.now, "INV-3: the cluster clock went back from {:?} to {at:?}", self.now);
        self.now = at;
    }

    /// Something happens at `now`, which no event has passed yet: it is the present meanwhile. What was the present before.
    pub(crate) fn stand_at(&mut self, now: Micros) -> Micros {
        std::mem::replace(&mut self.now, now)
    }

    /// An event has run.
    #[inline]
    pub(crate) fn count_event(&mut self) {
        self.events_done += 1;
    }

    /// What all decisions of a run come to is bounded as if it ended there, so a run without a horizon does once any pool is scaled.
    pub(crate) fn limit(&mut self, any_is_scaled: bool) {
        let endless = self.is_endless() && any_is_scaled;
        self.end = if endless { Micros(limits::HORIZON_US) } else { Micros::END };
    }

    /// A run without a horizon ends there too while something happens by itself that no request brought about.
    pub(crate) fn end_at_horizon(&mut self) {
        self.limit(true);
    }

    /// When the next event of the cluster runs, if its next one in no queue is at `own`. Without a horizon a run does not go on for
    /// autoscaling alone, unless requests are held.
    #[inline]
    pub(crate) fn cluster_at(&self, own: Micros, holds: impl FnOnce() -> bool) -> Micros {
        let own = own.min(self.gateway.next_at());
        let scaling = self.scaling.next_at();
        if scaling == Micros::MAX { own } else { own.min(self.scaling_at(scaling, own, holds())) }
    }

    #[inline(never)]
    fn scaling_at(&self, scaling: Micros, gateway: Micros, holds: bool) -> Micros {
        let others = gateway.min(self.replicas.winner().0);
        let goes_on = !self.is_endless() || others < self.end || holds;
        if goes_on { scaling } else { Micros::MAX }
    }

    /// When the next event of a replica runs, and of which.
    #[inline]
    pub(crate) fn replica_at(&self) -> (Micros, usize) {
        self.replicas.winner()
    }

    /// When the next event of replica `index` runs.
    #[inline]
    pub(crate) fn set_replica(&mut self, index: usize, at: Micros) {
        self.replicas.set(index, at);
    }

    /// The replicas are others now; these are the instants of their next events.
    pub(crate) fn set_replicas(&mut self, next_at: impl ExactSizeIterator<Item = Micros>) {
        self.replicas = Tournament::new(next_at.len());
        for (i, at) in next_at.enumerate() {
            self.replicas.set(i, at);
        }
    }

    pub(crate) fn schedule(&mut self, at: Micros, event: ClusterEvent) {
        self.gateway.schedule(at, event);
    }

    pub(crate) fn schedule_scaling(&mut self, at: Micros, event: ScalingEvent) {
        self.scaling.schedule(at, event);
    }

    /// An edit changes the run at `now`. Events of autoscaling and faults that a run without a horizon did not go on for come now.
    pub(crate) fn no_scaling_before(&mut self, now: Micros) {
        self.scaling.not_before(now);
    }

    /// Takes the next event of autoscaling if it comes before the gateway's; whose next one in no queue is at `own`.
    pub(crate) fn pop_scaling(&mut self, own: Micros) -> Option<ScalingEvent> {
        let gateway = own.min(self.gateway.next_at());
        let first = |at: Micros, event: ScalingEvent| {
            at < gateway || (at == gateway && matches!(event, ScalingEvent::Ready { .. }))
        };
        self.scaling.pop_if(first)
    }

    /// Takes the next event of the gateway, whose next one in no queue is `own`.
    pub(crate) fn pop(&mut self, at: Micros, own: ClusterEvent) -> ClusterEvent {
        self.gateway.pop_unless(at, own).unwrap_or(own)
    }

    /// Requests at the gateway that an event is scheduled for.
    pub(crate) fn deciding(&self) -> u32 {
        self.gateway.iter().filter_map(ClusterEvent::request).count() as u32
    }
}
