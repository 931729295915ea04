//! The door: asks the admission policy, counts who is inside, and keeps those who are held back in line.
//!
//! A request that is held back stays at the gateway. Whoever comes while others of its line wait goes to the end of it
//! without being asked, so nobody overtakes; only the head of a line is asked again, when the policy said or when a request
//! that was let in leaves.

use super::Engine;
use super::fact::{Fact, Sink};
use super::gateway::{GatewayEvent, view_of};
use super::request::RequestState;
use super::slab::Slot;
use crate::base::order::sort_by_key;
use crate::base::{Micros, RequestId, Span};
use crate::policy::Reason;
use crate::policy::admission::{AdmissionState, Standing, Verdict, Wake};
use crate::scenario::AdmissionPolicy;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The admission policy with its memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Door {
    policy: AdmissionState,
    /// What the policy was made from.
    settings: AdmissionPolicy,
    /// Requests that were let in and are still here; in all, and by tenant.
    inside: u32,
    inside_of: Vec<u32>,
    lanes: Vec<Lane>,
    /// Requests in all lanes.
    held: u32,
}

/// Requests that are held back, in order.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Lane {
    line: VecDeque<Slot>,
    /// Why its head was held back.
    reason: Reason,
    /// When its head is asked again; [`Micros::MAX`] if that is when somebody leaves.
    retry_at: Micros,
}

impl Door {
    /// An open door with nobody inside.
    pub(super) fn new(policy: &AdmissionPolicy) -> Self {
        Self {
            policy: AdmissionState::new(policy),
            settings: policy.clone(),
            inside: 0,
            inside_of: Vec::new(),
            lanes: Vec::new(),
            held: 0,
        }
    }

    /// Requests that are held back.
    pub(super) fn held(&self) -> u32 {
        self.held
    }

    /// INV-1: the counts of those inside and of those in line agree with themselves and with `inside`.
    pub(super) fn verify(&self, inside: u32) {
        let counted: u32 = self.inside_of.iter().sum();
        assert!(
            self.inside == inside && counted == inside,
            "INV-1: {} requests inside, {counted} by tenant, {inside} by their own account",
            self.inside
        );
        let lined: usize = self.lanes.iter().map(|l| l.line.len()).sum();
        assert!(lined as u32 == self.held, "INV-1: {} requests held back, {lined} in line", self.held);
        let stuck = self.held > 0 && inside == 0 && self.lanes.iter().all(|l| l.retry_at == Micros::MAX);
        assert!(!stuck, "INV-8: {} requests are held back and nothing will let them in", self.held);
    }

    fn standing(&self, tenant: u32) -> Standing {
        let of_tenant = self.inside_of.get(tenant as usize).copied().unwrap_or_default();
        Standing { cluster: self.inside, tenant: of_tenant }
    }

    fn enter(&mut self, tenant: u32) {
        let tenant = tenant as usize;
        if self.inside_of.len() <= tenant {
            self.inside_of.resize(tenant + 1, 0);
        }
        self.inside += 1;
        self.inside_of[tenant] += 1;
    }

    fn leave(&mut self, tenant: u32) {
        let of_tenant = &mut self.inside_of[tenant as usize];
        assert!(self.inside > 0 && *of_tenant > 0, "INV-1: tenant {tenant} leaves without having entered");
        self.inside -= 1;
        *of_tenant -= 1;
    }

    fn lane(&mut self, lane: u32, reason: Reason) -> &mut Lane {
        let lane = lane as usize;
        if self.lanes.len() <= lane {
            let empty = Lane { line: VecDeque::new(), reason, retry_at: Micros::MAX };
            self.lanes.resize(lane + 1, empty);
        }
        &mut self.lanes[lane]
    }

    fn head(&self, lane: u32) -> Option<(Slot, Reason)> {
        let lane = self.lanes.get(lane as usize)?;
        lane.line.front().map(|&slot| (slot, lane.reason))
    }
}

impl Engine {
    /// A request asks to be let in.
    pub(super) fn admit<S: Sink>(&mut self, slot: Slot, now: Micros, sink: &mut S) {
        let lane = self.door.policy.lane(self.tenant_of(slot));
        if let Some((_, reason)) = self.door.head(lane) {
            self.hold(slot, lane, reason, now, sink);
            return;
        }
        match self.ask(slot, now) {
            Verdict::Admit => self.let_in(slot, now, sink),
            Verdict::Reject(reason) => self.refuse(slot, reason, now, sink),
            Verdict::Delay(reason, wake) => {
                self.hold(slot, lane, reason, now, sink);
                self.wait_for(lane, reason, wake, now);
            }
        }
    }

    /// The head of a line is asked again, and those behind it as long as they get in.
    pub(super) fn retry<S: Sink>(&mut self, lane: u32, now: Micros, sink: &mut S) {
        while let Some((slot, _)) = self.door.head(lane) {
            let verdict = self.ask(slot, now);
            if let Verdict::Delay(reason, wake) = verdict {
                self.wait_for(lane, reason, wake, now);
                return;
            }
            self.door.lanes[lane as usize].line.pop_front();
            self.door.held -= 1;
            match verdict {
                Verdict::Admit => self.let_in(slot, now, sink),
                Verdict::Reject(reason) => self.refuse(slot, reason, now, sink),
                Verdict::Delay(..) => {}
            }
        }
    }

    /// The instant has come that a line was waiting for, unless it has been asked in the meantime.
    pub(super) fn retry_if_due<S: Sink>(&mut self, lane: u32, now: Micros, sink: &mut S) {
        let due = self.door.lanes.get_mut(lane as usize).filter(|l| l.retry_at == now);
        if let Some(due) = due {
            due.retry_at = Micros::MAX;
            self.retry(lane, now, sink);
        }
    }

    /// Another policy: it is asked about all who are held back, in order of arrival. The same once more changes nothing.
    pub(super) fn change_admission<S: Sink>(&mut self, policy: &AdmissionPolicy, now: Micros, sink: &mut S) {
        if self.door.settings == *policy {
            return;
        }
        self.door.settings = policy.clone();
        self.door.policy.change(policy, now);
        let mut held: Vec<Slot> = self.door.lanes.drain(..).flat_map(|l| l.line).collect();
        self.door.held = 0;
        sort_by_key(&mut held, |&slot| u64::from(self.lives[slot].id.0));
        for slot in held {
            self.admit(slot, now, sink);
        }
    }

    /// Requests that were let in have left: others may follow.
    pub(super) fn let_others_in<S: Sink>(&mut self, gone: &[RequestId], now: Micros, sink: &mut S) {
        for &request in gone {
            let tenant = self.records[request.index()].tenant;
            self.door.leave(tenant);
            if self.door.held == 0 {
                continue;
            }
            let lane = self.door.policy.lane(tenant);
            let waits = self.door.lanes.get(lane as usize).is_some_and(|l| l.retry_at == Micros::MAX);
            if waits {
                self.retry(lane, now, sink);
            }
        }
    }

    /// Requests have left: whoever waited for the answer has it now, or a little later, or never.
    pub(super) fn tell_users(&mut self, gone: &[RequestId]) {
        for &request in gone {
            let record = &self.records[request.index()];
            let shown = (record.state == RequestState::Completed)
                .then(|| record.arrival.saturating_add(Span(record.e2e.0)).max(self.clock));
            self.source.ended(record.session, shown);
        }
    }

    fn tenant_of(&self, slot: Slot) -> u32 {
        self.records[self.lives[slot].id.index()].tenant
    }

    fn ask(&mut self, slot: Slot, now: Micros) -> Verdict {
        let live = &self.lives[slot];
        let record = &self.records[live.id.index()];
        let view = view_of(live, record, now);
        let standing = self.door.standing(record.tenant);
        let verdict = self.door.policy.decide(&view, standing);
        if let Verdict::Delay(_, wake) = verdict {
            let wakes = match wake {
                Wake::At(at) => at > now,
                Wake::WhenOneLeaves => standing.cluster > 0,
            };
            assert!(wakes, "INV-8: {:?} is held back at {now:?} until {wake:?}", live.id);
        }
        verdict
    }

    fn let_in<S: Sink>(&mut self, slot: Slot, now: Micros, sink: &mut S) {
        let request = self.lives[slot].id;
        let record = &mut self.records[request.index()];
        record.refused = None;
        self.door.enter(record.tenant);
        self.census.admitted += 1;
        sink.fact(now, Fact::Admitted { request });
        self.schedule(now.saturating_add(self.routing_latency), GatewayEvent::Routing(slot));
    }

    fn refuse<S: Sink>(&mut self, slot: Slot, reason: Reason, now: Micros, sink: &mut S) {
        let request = self.lives[slot].id;
        let record = &mut self.records[request.index()];
        record.state = RequestState::Rejected;
        record.refused = Some(reason);
        record.live = Slot::NONE;
        self.census.at_gateway -= 1;
        self.census.rejected += 1;
        let session = record.session;
        self.lives.remove(slot);
        self.source.ended(session, None);
        sink.fact(now, Fact::Rejected { request, reason, replica: None });
    }

    /// The router has nowhere to send a request that had been let in.
    pub(super) fn turn_away<S: Sink>(&mut self, slot: Slot, reason: Reason, now: Micros, sink: &mut S) {
        let request = self.lives[slot].id;
        self.census.turned_away += 1;
        self.refuse(slot, reason, now, sink);
        self.let_others_in(&[request], now, sink);
    }

    fn hold<S: Sink>(&mut self, slot: Slot, lane: u32, reason: Reason, now: Micros, sink: &mut S) {
        let request = self.lives[slot].id;
        self.records[request.index()].refused = Some(reason);
        self.door.lane(lane, reason).line.push_back(slot);
        self.door.held += 1;
        sink.fact(now, Fact::Delayed { request, reason });
    }

    fn wait_for(&mut self, lane: u32, reason: Reason, wake: Wake, now: Micros) {
        let at = match wake {
            Wake::At(at) => at,
            Wake::WhenOneLeaves => Micros::MAX,
        };
        let line = self.door.lane(lane, reason);
        line.reason = reason;
        line.retry_at = at;
        if at != Micros::MAX {
            assert!(at > now, "INV-3: a line is asked again at {at:?}, which is not after {now:?}");
            self.schedule(at, GatewayEvent::Retry { lane });
        }
    }
}

/// Hands facts on and notes who has left.
pub(super) struct Leaving<'a, S> {
    pub(super) sink: &'a mut S,
    pub(super) gone: &'a mut Vec<RequestId>,
}

impl<S: Sink> Sink for Leaving<'_, S> {
    fn fact(&mut self, at: Micros, fact: Fact) {
        if let Fact::Completed { request, .. }
        | Fact::Dropped { request, .. }
        | Fact::Rejected { request, .. } = fact
        {
            self.gone.push(request);
        }
        self.sink.fact(at, fact);
    }

    fn wants_blocked_heads(&self) -> bool {
        self.sink.wants_blocked_heads()
    }
}
