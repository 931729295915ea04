//! Admission: asks the policy, counts the requests in flight, and queues those that are delayed.
//!
//! A delayed request stays at the gateway, in one of the policy's queues. One that arrives while others wait in its queue
//! joins the end without a decision, so none overtakes; the policy decides again on the head of a queue only, at the
//! instant it named or when an admitted request leaves.

use super::around::Around;
use super::flow::Gauge;
use super::routing::view_of;
use super::state::Gateway;
use crate::clock::ClusterEvent;
use crate::facts::{RequestFact, Sink};
use crate::policy::Reason;
use crate::policy::admission::{AdmissionState, Circumstances, RetryWhen, Verdict};
use crate::replica::Replica;
use crate::request::{Location, Slot};
use base::small::sort::sort_by_key;
use base::{Micros, RequestId};
use document::AdmissionPolicy;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The admission policy with its memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AdmissionQueue {
    policy: AdmissionState,
    /// What a policy goes by that sheds under load.
    pub(super) gauge: Option<Box<Gauge>>,
    /// Requests that were admitted and have not left; in all, and by tenant.
    in_flight: u32,
    in_flight_of: Vec<u32>,
    queues: Vec<DelayQueue>,
    /// Requests in all queues.
    delayed: u32,
    /// The queue whose head is being asked again, so that a request of it that is refused further on asks nothing anew.
    #[serde(skip)]
    retrying: Option<u32>,
}

/// The gauge of a policy that goes by the saturation.
fn gauge_of(policy: &AdmissionPolicy, replicas: &[Replica]) -> Option<Box<Gauge>> {
    let AdmissionPolicy::Shed(s) = policy else { return None };
    Some(Box::new(Gauge::new(&s.detector, replicas)))
}

/// Delayed requests, first come first served.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct DelayQueue {
    requests: VecDeque<Slot>,
    /// Why its head was delayed.
    reason: Reason,
    /// When admission decides on its head again; [`Micros::MAX`] if that is when a request leaves.
    retry_at: Micros,
}

impl AdmissionQueue {
    /// No request in flight and none delayed.
    pub(super) fn new(policy: &AdmissionPolicy, seed: u64, replicas: &[Replica]) -> Self {
        Self {
            policy: AdmissionState::new(policy, seed),
            gauge: gauge_of(policy, replicas),
            in_flight: 0,
            in_flight_of: Vec::new(),
            queues: Vec::new(),
            delayed: 0,
            retrying: None,
        }
    }

    /// Requests that are delayed.
    pub(super) fn delayed(&self) -> u32 {
        self.delayed
    }

    /// Approximate size of a copy of its gauge in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.gauge.as_ref().map_or(0, |gauge| gauge.bytes())
    }

    /// INV-1: the counts of requests in flight and of delayed ones agree with themselves and with `in_flight`.
    pub(crate) fn verify(&self, in_flight: u32) {
        let counted: u32 = self.in_flight_of.iter().sum();
        assert!(
            self.in_flight == in_flight && counted == in_flight,
            "INV-1: {} requests in flight, {counted} by tenant, {in_flight} by their own account",
            self.in_flight
        );
        let queued: usize = self.queues.iter().map(|q| q.requests.len()).sum();
        assert!(
            queued as u32 == self.delayed,
            "INV-1: {} requests delayed, {queued} in queues",
            self.delayed
        );
        let stuck =
            self.delayed > 0 && in_flight == 0 && self.queues.iter().all(|q| q.retry_at == Micros::MAX);
        assert!(!stuck, "INV-8: {} requests are delayed and nothing will admit them", self.delayed);
    }

    /// Requests of a tenant that were let in and have not left.
    pub(super) fn in_flight_of(&self, tenant: u32) -> u32 {
        self.in_flight_of.get(tenant as usize).copied().unwrap_or_default()
    }

    fn counts(&self, tenant: u32) -> Circumstances {
        Circumstances { cluster: self.in_flight, tenant: self.in_flight_of(tenant), saturation: 0.0 }
    }

    fn enter(&mut self, tenant: u32) {
        let tenant = tenant as usize;
        if self.in_flight_of.len() <= tenant {
            self.in_flight_of.resize(tenant + 1, 0);
        }
        self.in_flight += 1;
        self.in_flight_of[tenant] += 1;
    }

    fn leave(&mut self, tenant: u32) {
        let of_tenant = &mut self.in_flight_of[tenant as usize];
        assert!(self.in_flight > 0 && *of_tenant > 0, "INV-1: tenant {tenant} leaves without having entered");
        self.in_flight -= 1;
        *of_tenant -= 1;
    }

    fn queue(&mut self, queue: u32, reason: Reason) -> &mut DelayQueue {
        let queue = queue as usize;
        if self.queues.len() <= queue {
            let empty = DelayQueue { requests: VecDeque::new(), reason, retry_at: Micros::MAX };
            self.queues.resize(queue + 1, empty);
        }
        &mut self.queues[queue]
    }

    fn head(&self, queue: u32) -> Option<(Slot, Reason)> {
        let queue = self.queues.get(queue as usize)?;
        queue.requests.front().map(|&slot| (slot, queue.reason))
    }
}

impl Gateway {
    /// Admission decides on a request that has arrived.
    pub(super) fn admit<S: Sink>(&mut self, slot: Slot, around: &mut Around<'_>, sink: &mut S) {
        let record = around.book.here(around.book.active()[slot].id);
        let (queue, session) = (self.admission.policy.queue(record.tenant), record.session);
        if let Some((_, reason)) = self.admission.head(queue)
            && !self.admission.policy.overtakes(session, around.now)
        {
            self.hold(slot, queue, reason, around, sink);
            return;
        }
        match self.ask(slot, around) {
            Verdict::Admit => self.let_in(slot, around, sink),
            Verdict::Reject(reason) => self.refuse(slot, reason, around, sink),
            Verdict::Delay(reason, when) => {
                self.hold(slot, queue, reason, around, sink);
                self.wait_for(queue, reason, when, around);
            }
        }
    }

    /// The head of a queue is asked again, and those behind it as long as they get in.
    pub(super) fn retry<S: Sink>(&mut self, queue: u32, around: &mut Around<'_>, sink: &mut S) {
        if self.admission.retrying.replace(queue) == Some(queue) {
            return;
        }
        self.retry_heads(queue, around, sink);
        self.admission.retrying = None;
    }

    fn retry_heads<S: Sink>(&mut self, queue: u32, around: &mut Around<'_>, sink: &mut S) {
        while let Some((slot, _)) = self.admission.head(queue) {
            let verdict = self.ask(slot, around);
            if let Verdict::Delay(reason, when) = verdict {
                self.wait_for(queue, reason, when, around);
                return;
            }
            self.admission.queues[queue as usize].requests.pop_front();
            self.admission.delayed -= 1;
            match verdict {
                Verdict::Admit => self.let_in(slot, around, sink),
                Verdict::Reject(reason) => self.refuse(slot, reason, around, sink),
                Verdict::Delay(..) => {}
            }
        }
    }

    /// The instant has come that a queue was waiting for, unless it has been asked in the meantime.
    pub(super) fn retry_if_due<S: Sink>(&mut self, queue: u32, around: &mut Around<'_>, sink: &mut S) {
        let due = self.admission.queues.get_mut(queue as usize).filter(|q| q.retry_at == around.now);
        if let Some(due) = due {
            due.retry_at = Micros::MAX;
            self.retry(queue, around, sink);
        }
    }

    /// Changes the policy: the new one decides on all delayed requests, in order of arrival.
    pub(crate) fn change_admission<S: Sink>(
        &mut self,
        policy: &AdmissionPolicy,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        self.admission.policy.change(policy, self.seed, around.now);
        let before = self.admission.gauge.take();
        self.admission.gauge = gauge_of(policy, around.fleet.replicas());
        if let (Some(gauge), Some(before)) = (&mut self.admission.gauge, before) {
            gauge.resume(*before);
        }
        let mut held: Vec<Slot> = self.admission.queues.drain(..).flat_map(|q| q.requests).collect();
        self.admission.delayed = 0;
        sort_by_key(&mut held, |&slot| u64::from(around.book.active()[slot].id.0));
        for slot in held {
            self.admit(slot, around, sink);
        }
    }

    /// An admitted request has left: delayed ones may follow.
    pub(super) fn release_admission<S: Sink>(
        &mut self,
        request: RequestId,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        let record = around.book.here(request);
        let tenant = record.tenant;
        self.admission.policy.left(record.session, around.now);
        self.admission.leave(tenant);
        if self.admission.delayed == 0 {
            return;
        }
        let queue = self.admission.policy.queue(tenant);
        let waits = self.admission.queues.get(queue as usize).is_some_and(|q| q.retry_at == Micros::MAX);
        if waits {
            self.retry(queue, around, sink);
        }
    }

    fn ask(&mut self, slot: Slot, around: &Around<'_>) -> Verdict {
        let active = &around.book.active()[slot];
        let record = around.book.here(active.id);
        let view = view_of(active, record, around.now);
        let mut seen = self.admission.counts(record.tenant);
        if let Some(gauge) = &mut self.admission.gauge {
            let pools = self.serves[active.model as usize];
            seen.saturation = gauge.saturation(pools, &self.in_flight, around.fleet.replicas(), around.now);
        }
        self.admission.policy.know_tenants(self.source.tenants());
        let verdict = self.admission.policy.decide(&view, seen);
        if let Verdict::Delay(_, when) = verdict {
            let wakes = match when {
                RetryWhen::At(at) => at > around.now,
                RetryWhen::WhenOneLeaves => seen.cluster > 0,
            };
            assert!(wakes, "INV-8: {:?} is delayed at {:?} until {when:?}", active.id, around.now);
        }
        verdict
    }

    fn let_in<S: Sink>(&mut self, slot: Slot, around: &mut Around<'_>, sink: &mut S) {
        let request = around.book.active()[slot].id;
        let record = around.book.here_mut(request);
        record.refused = None;
        if self.flow.is_none() {
            record.admitted = around.now.into();
        }
        self.admission.enter(record.tenant);
        around.book.census_mut().admitted += 1;
        sink.fact(around.now, RequestFact::Admitted { request }.into());
        if self.flow.is_some() {
            self.join_queue(slot, around, sink);
        } else {
            around
                .clock
                .schedule(around.now.saturating_add(self.routing_latency), ClusterEvent::Routing(slot));
        }
    }

    /// A request that was let in long ago is routed at once: it counts as on its way to the router for as long as that takes.
    pub(super) fn back_to_router(&self, request: RequestId, around: &mut Around<'_>) {
        around.book.here_mut(request).admitted =
            Micros(around.now.0.saturating_sub(self.routing_latency.0)).into();
    }

    fn refuse<S: Sink>(&mut self, slot: Slot, reason: Reason, around: &mut Around<'_>, sink: &mut S) {
        let request = around.book.active()[slot].id;
        let record = around.book.relocate(request, Location::Rejected);
        record.refused = Some(reason);
        record.left = around.now.into();
        record.slot = Slot::NONE;
        let (session, client, listed) = (record.session, record.client, record.listed);
        around.book.census_mut().rejected += 1;
        around.session_left(request);
        self.attempts.ended(request);
        around.book.remove(slot);
        self.source.comes_again(request, around.now, false);
        self.source.settled(session, listed, around.now, None);
        self.source.freed(client, around.now, None);
        sink.fact(around.now, RequestFact::Rejected { request, reason, replica: None }.into());
    }

    /// The router has nowhere to send a request that had been let in.
    pub(super) fn turn_away<S: Sink>(
        &mut self,
        slot: Slot,
        reason: Reason,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        let request = around.book.active()[slot].id;
        around.book.census_mut().turned_away += 1;
        if let Some(flow) = &mut self.flow {
            flow.ended(around.book.here(request), around.now);
        }
        self.refuse(slot, reason, around, sink);
        self.release_admission(request, around, sink);
    }

    fn hold<S: Sink>(
        &mut self,
        slot: Slot,
        queue: u32,
        reason: Reason,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        let request = around.book.active()[slot].id;
        around.book.here_mut(request).refused = Some(reason);
        self.admission.queue(queue, reason).requests.push_back(slot);
        self.admission.delayed += 1;
        sink.fact(around.now, RequestFact::Delayed { request, reason }.into());
    }

    fn wait_for(&mut self, queue: u32, reason: Reason, when: RetryWhen, around: &mut Around<'_>) {
        let at = match when {
            RetryWhen::At(at) => at,
            RetryWhen::WhenOneLeaves => Micros::MAX,
        };
        let waiting = self.admission.queue(queue, reason);
        waiting.reason = reason;
        waiting.retry_at = at;
        if at != Micros::MAX {
            assert!(
                at > around.now,
                "INV-3: a queue is asked again at {at:?}, which is not after {:?}",
                around.now
            );
            around.clock.schedule(at, ClusterEvent::Retry { queue });
        }
    }
}
