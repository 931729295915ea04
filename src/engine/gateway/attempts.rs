//! Attempts that break: whether their requests get another one, and when routers learn which replicas are down.
//!
//! A request whose attempt broke waits for a back-off and is routed again, without admission. It keeps its arrival. INV-11: the
//! retries that wait or are under way are within the budget whenever one is granted.

use super::around::Around;
use super::state::Gateway;
use crate::clock::ClusterEvent;
use crate::facts::{BreakReason, FaultFact, Sink};
use crate::policy::ReplicaPhase;
use crate::request::{Attempt, Location, Slot};
use base::math::round_to_span;
use base::rng::{Purpose, Stream};
use base::{Maybe, ReplicaId, RequestId, Span};
use document::Resilience;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the gateway has counted of attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptCounts {
    /// Attempts begun.
    pub attempts: u64,
    /// Of these, further ones of requests whose attempts broke.
    pub retried: u64,
    /// Attempts that broke, by reason in the order of [`BreakReason::ALL`].
    pub broken: [u64; BreakReason::ALL.len()],
    /// Requests lost, by the reason of their last attempt.
    pub lost: [u64; BreakReason::ALL.len()],
    /// Of these, those that had an attempt left and no budget.
    pub budget_denied: u64,
    /// Prompt tokens computed by attempts that broke.
    pub wasted_prefill_tokens: u64,
    /// Tokens of answers that were shown and given up, or begun again.
    pub wasted_decode_tokens: u64,
    /// How often replicas were ejected.
    pub ejections: u32,
}

/// Attempts of requests, and who gets another one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Attempts {
    retries: u32,
    /// Base and longest time of a back-off, in microseconds.
    backoff_us: [f64; 2],
    share: f64,
    least: u32,
    resume: bool,
    /// Until an attempt breaks whose replica cannot be reached.
    pub(super) connect: Span,
    pub(super) discovery: Span,
    /// Requests whose first attempt broke and that are still here: how many of their attempts did.
    open: BTreeMap<u32, u32>,
    pub(super) counts: AttemptCounts,
    /// How many replicas are other than routers know.
    pub(super) hidden: u32,
}

impl Attempts {
    pub(super) fn new(settings: &Resilience) -> Self {
        let mut attempts = Self {
            retries: 0,
            backoff_us: [0.0; 2],
            share: 0.0,
            least: 0,
            resume: false,
            connect: Span::ZERO,
            discovery: Span::ZERO,
            open: BTreeMap::new(),
            counts: AttemptCounts::default(),
            hidden: 0,
        };
        attempts.adopt(settings);
        attempts
    }

    /// Follows other settings from now on.
    pub(super) fn adopt(&mut self, s: &Resilience) {
        self.retries = s.retries;
        self.backoff_us = [s.backoff_ms * 1000.0, s.backoff_max_ms * 1000.0];
        (self.share, self.least, self.resume) = (s.retry_budget_share, s.retry_budget_least, s.resume);
        self.connect = round_to_span(s.connect_ms * 1000.0);
        self.discovery = round_to_span(s.discovery_ms * 1000.0);
    }

    /// Retries that wait or are under way.
    pub(crate) fn open(&self) -> u32 {
        self.open.len() as u32
    }

    /// How many of a request's attempts broke; none of one that has left.
    pub(crate) fn broken_of(&self, request: RequestId) -> u32 {
        self.open.get(&request.0).copied().unwrap_or(0)
    }

    pub(crate) fn counts(&self) -> &AttemptCounts {
        &self.counts
    }

    /// A request has left.
    #[inline]
    pub(super) fn ended(&mut self, request: RequestId) {
        if !self.open.is_empty() {
            self.open.remove(&request.0);
        }
    }

    /// How long attempt number `k` + 1 of a request waits.
    fn backoff(&self, seed: u64, request: RequestId, k: u32) -> Span {
        let [base, longest] = self.backoff_us;
        let steps = if k < 32 { f64::from(u32::MAX >> (32 - k)) } else { f64::from(u32::MAX) };
        let bound = (steps * base).min(longest);
        let mut stream = Stream::from_draw(seed, Purpose::BackOff, request.0, k - 1);
        round_to_span(stream.unit() * bound)
    }
}

/// A request is as it was before its first attempt, or as after a preemption if its answer goes on.
fn begin_again(slot: Slot, around: &mut Around<'_>) {
    let active = &mut around.book.active_mut()[slot];
    let goes_on = active.generated > 0;
    active.prefill = active.prompt_tokens + active.generated;
    let request = active.id;
    around.book.handovers_mut().forget(request);
    let record = around.book.here_mut(request);
    record.refused = None;
    if goes_on {
        record.preemptions += 1;
        return;
    }
    record.routed = Maybe::NONE;
    record.tokenised = Maybe::NONE;
    record.queued = Maybe::NONE;
    record.first_scheduled = Maybe::NONE;
    record.scheduled = Maybe::NONE;
    (record.sched_step, record.cached_tokens, record.progress) = (0, 0, 0);
}

/// An attempt that broke.
#[derive(Clone, Copy, Debug)]
pub(super) struct BrokenAttempt {
    /// Where it was, if anywhere.
    pub(super) replica: Option<ReplicaId>,
    pub(super) reason: BreakReason,
    /// Tokens of the prompt that were computed in vain.
    pub(super) prefilled: u32,
}

impl BrokenAttempt {
    /// An attempt for which nothing was computed.
    pub(super) fn before_prefill(replica: Option<ReplicaId>, reason: BreakReason) -> Self {
        Self { replica, reason, prefilled: 0 }
    }
}

/// What routers learn of a replica.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReplicaNews {
    pub(super) replica: ReplicaId,
    /// Whether it serves.
    pub(super) serves: bool,
    /// The number of crashes that it had then.
    pub(super) crash: u32,
}

impl Gateway {
    /// What became of attempts.
    pub(crate) fn attempts(&self) -> &Attempts {
        &self.attempts
    }

    /// An attempt of a request at the gateway broke: the request gets another attempt, or it is lost.
    pub(super) fn attempt_broke<S: Sink>(
        &mut self,
        slot: Slot,
        attempt: BrokenAttempt,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        let BrokenAttempt { replica, reason, prefilled } = attempt;
        let (now, request) = (around.now, around.book.active()[slot].id);
        let broken = self.attempts.broken_of(request) + 1;
        let record = around.book.here(request);
        let (generated, class) = (record.generated, record.class);
        around.book.note_attempt(Attempt {
            request,
            replica,
            routed: record.routed.get().unwrap_or(now),
            queued: record.queued,
            scheduled: record.first_scheduled,
            broke: now,
            reason,
            prefilled,
            generated,
        });
        let c = &mut self.attempts.counts;
        c.broken[reason as usize] += 1;
        c.wasted_prefill_tokens += u64::from(prefilled);
        let waiting = replica.map_or(0, |id| around.fleet.replicas()[id.index()].waiting());
        let broke = FaultFact::Broken {
            request,
            replica,
            reason,
            class,
            urgency: around.book.active()[slot].urgency,
            attempt: broken,
            prefilled,
            generated,
            waiting,
        };
        sink.fact(now, broke.into());
        if let Some(replica) = replica {
            self.count_broken(replica, around, sink);
        }
        let may_go_on = generated == 0 || self.attempts.resume;
        let has_attempt = may_go_on && broken <= self.attempts.retries;
        let others = self.attempts.open() - u32::from(broken > 1);
        let inside = f64::from(around.book.locations().inside());
        let budget = self.attempts.least.max((self.attempts.share * inside) as u32);
        if !has_attempt || others >= budget {
            self.lose(slot, reason, has_attempt, around, sink);
            return;
        }
        self.attempts.open.insert(request.0, broken);
        assert!(self.attempts.open() <= budget, "INV-11: more retries than the budget of {budget}");
        begin_again(slot, around);
        let backoff = self.attempts.backoff(self.seed, request, broken);
        self.attempts.counts.retried += 1;
        sink.fact(now, FaultFact::Retried { request, attempt: broken + 1, backoff }.into());
        around.clock.schedule(now.saturating_add(backoff), ClusterEvent::Routing(slot));
    }

    /// A request is lost.
    fn lose<S: Sink>(
        &mut self,
        slot: Slot,
        reason: BreakReason,
        denied: bool,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        let (now, request) = (around.now, around.book.active()[slot].id);
        let c = &mut self.attempts.counts;
        c.lost[reason as usize] += 1;
        c.budget_denied += u64::from(denied);
        let record = around.book.relocate(request, Location::Lost);
        record.drop = Some(reason.lost());
        record.left = now.into();
        record.slot = Slot::NONE;
        c.wasted_decode_tokens += u64::from(record.generated);
        let (session, client, listed) = (record.session, record.client, record.listed);
        let class = record.class;
        around.book.remove(slot);
        around.book.census_mut().lost += 1;
        around.session_left(request);
        self.attempts.ended(request);
        Self::forget_source(request, around);
        sink.fact(now, FaultFact::Lost { request, class, reason, denied }.into());
        if let Some(flow) = &mut self.flow {
            flow.ended(around.book.here(request), now);
        }
        self.release_admission(request, around, sink);
        self.source.comes_again(request, now, false);
        self.source.settled(session, listed, now, None);
        self.source.freed(client, now, None);
    }

    /// A request is sent to a replica that does not run, as routers do not know yet: whether it is refused there.
    #[inline]
    pub(super) fn is_refused(&self, by: ReplicaId, around: &Around<'_>) -> bool {
        self.attempts.hidden > 0 && !around.fleet.replicas()[by.index()].serving()
    }

    /// A replica crashed, or is back: routers know of it now, or in a while.
    pub(super) fn hide(&mut self, replica: ReplicaId, around: &mut Around<'_>) {
        let r = &around.fleet.replicas()[replica.index()];
        let (serves, crash) = (r.serving(), r.crashes());
        if !serves && r.phase() != ReplicaPhase::Failed {
            return;
        }
        if self.attempts.discovery == Span::ZERO {
            self.see_at_once(replica, serves, around);
            return;
        }
        self.attempts.hidden += 1;
        let at = around.now.saturating_add(self.attempts.discovery);
        around.clock.schedule(at, ClusterEvent::Noticed { replica, serves, crash });
    }

    /// Routers know of a replica that it is down, or that it serves again. A return before another crash is passed over, and a crash
    /// before a return that they know of already, because an edit made them quicker.
    pub(super) fn notice<S: Sink>(&mut self, news: ReplicaNews, around: &mut Around<'_>, sink: &mut S) {
        let ReplicaNews { replica, serves, crash } = news;
        self.attempts.hidden -= 1;
        let r = &around.fleet.replicas()[replica.index()];
        if r.crashes() != crash || !serves && !r.life.hidden {
            return;
        }
        sink.fact(around.now, FaultFact::Noticed { replica, serves }.into());
        self.see_at_once(replica, serves, around);
        if serves {
            let pool = around.fleet.replicas()[replica.index()].pool();
            self.release_held(pool, around);
        }
    }

    fn see_at_once(&mut self, replica: ReplicaId, serves: bool, around: &mut Around<'_>) {
        if serves {
            around.fleet.reveal(replica);
            let known = self.known_as(replica, around);
            self.router.forget(known);
            self.forget_prefills(known);
        }
        self.see_phase(replica, around);
        if !serves {
            self.picture.set_down(replica);
        }
    }

    /// The picture, and the gauges, follow the phase of a replica.
    pub(super) fn see_phase(&mut self, replica: ReplicaId, around: &mut Around<'_>) {
        around.fleet.replicas_mut()[replica.index()].show_loss();
        let replica = &around.fleet.replicas()[replica.index()];
        let phase = self.ejections.seen(replica);
        self.picture.set_phase(replica.id(), phase);
        if let Some(gauge) = &mut self.admission.gauge {
            gauge.see_phase(replica, phase);
        }
        if let Some(flow) = &mut self.flow {
            flow.see_phase(replica, phase, around.now, around.book);
        }
    }
}
