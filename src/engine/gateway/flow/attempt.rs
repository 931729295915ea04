//! Joining the gateway's queue, and attempts to send the next request on.

use super::lane::{Served, Waiting, key};
use super::queue::FlowQueue;
use crate::clock::ClusterEvent;
use crate::facts::{RequestFact, Sink};
use crate::gateway::{around::Around, state::Gateway};
use crate::policy::Reason;
use crate::request::{Record, Slot};
use base::{Micros, RequestId};

/// What came of an attempt.
enum Outcome {
    /// This request goes on.
    Goes(Waiting),
    /// The highest band that may not send has requests of at most this priority at or below it, at this saturation.
    Blocked(Option<i32>, f64),
    /// Nothing waits that may go.
    Idle,
}

impl Gateway {
    /// A request that admission let in joins the gateway's queue, which may send one on at once.
    pub(in crate::gateway) fn join_queue<S: Sink>(
        &mut self,
        slot: Slot,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        let Some(mut flow) = self.flow.take() else { return };
        let active = &around.book.active()[slot];
        let (request, pools) = (active.id, self.serves[active.model as usize]);
        let lane = flow.lane_of(pools, around.now);
        let Some(waiting) = flow.join(lane, slot, request, around) else {
            self.flow = Some(flow);
            self.turn_away(slot, Reason::GatewayFull, around, sink);
            return;
        };
        around.book.here_mut(request).entered = around.now.into();
        let band = waiting.priority;
        sink.fact(around.now, RequestFact::Enqueued { request, band }.into());
        let served = flow.lanes[lane].served.now;
        self.flow = Some(flow);
        if !served {
            self.wake_pools(pools, around, sink);
        }
        self.attempt(lane, around, sink);
        if !around.book.here(request).admitted.is_known() {
            around.book.here_mut(request).refused = Some(Reason::Saturated);
            sink.fact(around.now, RequestFact::Delayed { request, reason: Reason::Saturated }.into());
        }
        if let Some(flow) = &mut self.flow
            && flow.sweep_at == Micros::MAX
        {
            flow.plan_sweep(around.now, around.book);
        }
    }

    /// The tick has come at which another attempt makes sense: one in each lane.
    pub(in crate::gateway) fn attempt_all<S: Sink>(&mut self, around: &mut Around<'_>, sink: &mut S) {
        let lanes = self.flow.as_mut().map_or(0, |flow| {
            flow.attempt_at = Micros::MAX;
            flow.lanes.len()
        });
        for lane in 0..lanes {
            self.attempt(lane, around, sink);
        }
    }

    /// One attempt: sends on at most one request of a lane.
    fn attempt<S: Sink>(&mut self, lane: usize, around: &mut Around<'_>, sink: &mut S) {
        let Some(mut flow) = self.flow.take() else { return };
        let outcome = flow.attempt(lane, &self.in_flight, around);
        match outcome {
            Outcome::Goes(next) => {
                flow.waiting -= 1;
                flow.tokens -= u64::from(next.tokens);
                if flow.lanes[lane].waiting() > 0 {
                    flow.try_soon(around.now);
                }
                self.send_on(&next, around, sink);
            }
            Outcome::Blocked(priority, saturation) => {
                flow.plan_attempt(lane, saturation, around);
                if let Some(priority) = priority {
                    flow.evict_below(priority, around);
                }
            }
            Outcome::Idle => {}
        }
        self.flow = Some(flow);
    }

    /// A request of the gateway's queue goes on to the router.
    pub(super) fn send_on<S: Sink>(&mut self, next: &Waiting, around: &mut Around<'_>, sink: &mut S) {
        let (now, request) = (around.now, next.request);
        let record = around.book.here_mut(request);
        record.refused = None;
        record.admitted = now.into();
        let waited = now.since(next.since);
        sink.fact(now, RequestFact::Dispatched { request, band: next.priority, waited }.into());
        around.clock.schedule(now.saturating_add(self.routing_latency), ClusterEvent::Routing(next.slot));
    }
}

impl FlowQueue {
    /// Its next event.
    #[inline]
    pub(in crate::gateway) fn event(&self) -> (Micros, ClusterEvent) {
        if self.sweep_at < self.attempt_at {
            (self.sweep_at, ClusterEvent::Sweep)
        } else {
            (self.attempt_at, ClusterEvent::Dispatch)
        }
    }

    /// A request joins; `None` if a limit is reached.
    fn join(&mut self, lane: usize, slot: Slot, request: RequestId, around: &Around<'_>) -> Option<Waiting> {
        let record = around.book.here(request);
        let (priority, flow, tokens) =
            (self.priority(record.class), self.flow_of(record), record.prompt_tokens);
        if self.is_full(tokens) || self.lanes[lane].band_of(priority, &self.settings).is_full(tokens) {
            return None;
        }
        let since = around.now;
        let waiting = Waiting {
            key: self.key_of(priority, record, since),
            seq: self.seq,
            slot,
            request,
            priority,
            flow,
            tokens,
            since,
        };
        if let Some(s) = self.accounting(priority) {
            self.accounts.came(&s, flow, since);
        }
        self.put(lane, waiting, around);
        Some(waiting)
    }

    /// What a request that joined at `since` is ordered by.
    pub(super) fn key_of(&self, priority: i32, record: &Record, since: Micros) -> u64 {
        let mut expires = self.expires(Served { now: true, since: Micros::ZERO }, since);
        if self.timeout.0 > 0 {
            expires = expires.min(record.arrival.saturating_add(self.timeout));
        }
        key(self.settings.band(priority).ordering, expires, self.deadline(record))
    }

    /// A request waits in a lane.
    pub(super) fn put(&mut self, lane: usize, waiting: Waiting, around: &Around<'_>) {
        self.seq += 1;
        self.waiting += 1;
        self.tokens += u64::from(waiting.tokens);
        if !self.known.contains(&waiting.priority) {
            self.known.push(waiting.priority);
        }
        self.lanes[lane].push(waiting, &self.settings, around.book);
    }

    /// The bands from the highest on: the first whose ceiling is reached stops the attempt, and the first with a request sends it.
    fn attempt(&mut self, lane: usize, in_flight: &[u32], around: &Around<'_>) -> Outcome {
        if self.lanes[lane].waiting() == 0 {
            return Outcome::Idle;
        }
        let (pools, now) = (self.lanes[lane].pools, around.now);
        let saturation = self.gauge.saturation(pools, in_flight, around.fleet.replicas(), now);
        let bands = &mut self.lanes[lane];
        let mut ceilings = std::mem::take(&mut self.ceilings);
        bands.ceilings.compute(
            saturation,
            bands.bands.iter().map(super::lane::Band::priority),
            &mut ceilings,
        );
        let mut outcome = Outcome::Idle;
        for (place, &ceiling) in ceilings.iter().enumerate() {
            if saturation >= ceiling {
                let waits = bands.bands[place..].iter().find(|band| band.waiting > 0);
                outcome = Outcome::Blocked(waits.map(super::lane::Band::priority), saturation);
                break;
            }
            if let Some(next) = bands.take(place, &self.accounts, now, around.book) {
                outcome = Outcome::Goes(next);
                break;
            }
        }
        self.ceilings = ceilings;
        outcome
    }

    /// After a blocked attempt: when another can end otherwise, beside when something is sent or leaves. In a run without a horizon
    /// the gateway does not look again while what it looks at stays the same.
    fn plan_attempt(&mut self, lane: usize, saturation: f64, around: &Around<'_>) {
        let (now, lane) = (around.now, &self.lanes[lane]);
        let opens = lane.ceilings.alternates() && saturation < 1.0;
        let rests = || around.clock.is_endless() && self.gauge.is_still(around.fleet.replicas(), now);
        if !lane.served.now || !opens && rests() {
            return;
        }
        if lane.ceilings.alternates() {
            self.try_soon(now);
        } else if let Some(at) = self.gauge.looks_again_at(now) {
            self.try_from(at, now);
        }
    }
}
