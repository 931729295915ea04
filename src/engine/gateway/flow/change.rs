//! What the gateway's queue sees of the fleet and of requests, and how it changes with an edit.

use super::lane::{Lane, Served, Waiting};
use super::queue::FlowQueue;
use crate::facts::Sink;
use crate::gateway::picture::PhaseTurn;
use crate::gateway::routing::uncached_tokens;
use crate::gateway::{around::Around, state::Gateway};
use crate::policy::ReplicaPhase;
use crate::replica::Replica;
use crate::request::{Book, Record};
use base::small::sort::sort_by_key;
use base::{Micros, ReplicaId, RequestId, Span};
use document::Scenario;

impl FlowQueue {
    /// A replica was added or is in another phase: lanes may be served now, or not any more.
    pub(in crate::gateway) fn see_phase(
        &mut self,
        replica: &Replica,
        phase: ReplicaPhase,
        now: Micros,
        book: &Book,
    ) {
        self.gauge.see_phase(replica, phase);
        self.look_who_serves(now, book);
        self.try_soon(now);
    }

    /// A replica turns from one phase to another for routers, if they saw it in the first: it was ejected, or readmitted.
    pub(in crate::gateway) fn turn(&mut self, replica: ReplicaId, turn: PhaseTurn, now: Micros) {
        self.gauge.turn(replica, turn);
        self.try_soon(now);
    }

    /// Lanes may be served now, or not any more.
    fn look_who_serves(&mut self, now: Micros, book: &Book) {
        let mut other = false;
        for lane in &mut self.lanes {
            let serves = self.gauge.any_serves(lane.pools);
            if serves != lane.served.now {
                lane.served = Served { now: serves, since: now };
                other = true;
            }
        }
        if other && self.waiting > 0 {
            self.plan_sweep(now, book);
        }
    }

    /// A request is sent to a replica.
    pub(in crate::gateway) fn sent(
        &mut self,
        (request, now): (RequestId, Micros),
        to: &Replica,
        book: &Book,
    ) {
        let record = book.here(request);
        let active = &book.active()[record.slot];
        self.gauge.sent(request, to.id(), || uncached_tokens(to, active, now));
        self.note_sent(request, self.priority(record.class));
    }

    /// The pools of each stage, where prefill is apart.
    pub(in crate::gateway) fn set_stages(&mut self, stages: [u64; 2], now: Micros, book: &Book) {
        if self.gauge.set_stages(stages) {
            self.look_who_serves(now, book);
            self.try_soon(now);
        }
    }

    /// An event of a replica has run at `now`, which has `in_flight` requests now.
    #[inline]
    pub(in crate::gateway) fn gauge_sees(&mut self, replica: &Replica, in_flight: u32, now: Micros) {
        self.gauge.see(replica, in_flight, now);
        if self.waiting > 0 && self.attempt_at == Micros::MAX && self.rests() {
            self.try_soon(now);
        }
    }

    /// Whether requests wait that are tried again only when something happens, although the gauge looks from time to time.
    #[inline(never)]
    fn rests(&self) -> bool {
        let looks = |lane: &Lane| self.gauge.looks() || lane.ceilings.alternates();
        self.lanes.iter().any(|lane| lane.served.now && lane.waiting() > 0 && looks(lane))
    }

    /// The signals of a replica are that late from now on; not any more if that is 0.
    pub(in crate::gateway) fn set_late(&mut self, replica: &Replica, delay: Span, now: Micros) {
        self.gauge.set_late(replica, delay, now);
        self.try_soon(now);
    }

    /// A request has its first token.
    pub(in crate::gateway) fn computed(&mut self, request: RequestId, now: Micros) {
        self.gauge.computed(request);
        if self.gauge.follows_requests() {
            self.try_soon(now);
        }
    }

    /// A request has left a replica.
    pub(in crate::gateway) fn left_replica(&mut self, request: RequestId, now: Micros) {
        self.note_left(request);
        self.computed(request, now);
    }

    /// A request that had joined has left the cluster.
    pub(in crate::gateway) fn ended(&mut self, r: &Record, now: Micros) {
        if r.entered.is_known()
            && let Some(s) = self.accounting(self.priority(r.class))
        {
            let served = r.e2e.is_known().then_some([r.prompt_tokens, r.generated]);
            self.accounts.left(&s, self.flow_of(r), served, now);
        }
    }
}

impl Gateway {
    /// Follows a scenario's flow control: all that wait are queued again, in order of arrival, or go on at once if there is none.
    pub(crate) fn change_flow<S: Sink>(
        &mut self,
        scenario: &Scenario,
        around: &mut Around<'_>,
        sink: &mut S,
    ) {
        let before = self.flow.take();
        let settings = &scenario.cluster.flow_control;
        if before.is_none() && settings.is_none() {
            return;
        }
        let replicas = around.fleet.replicas();
        self.flow = settings.as_ref().map(|s| Box::new(FlowQueue::new(s, scenario, self.timeout, replicas)));
        let mut waiting = Vec::new();
        if let Some(before) = before {
            self.bands.clone_from(&before.known);
            for lane in &before.lanes {
                waiting.extend(lane.joined.iter().filter(|w| w.waits(around.book)).copied());
            }
            if let Some(flow) = &mut self.flow {
                flow.resume(*before);
            }
        }
        sort_by_key(&mut waiting, |w: &Waiting| u64::from(w.request.0));
        for w in waiting {
            self.queue_again(&w, around, sink);
        }
        if let Some(flow) = &mut self.flow {
            flow.know_bands(&self.bands);
            flow.try_soon(around.now);
            flow.plan_sweep(around.now, around.book);
        }
    }

    fn queue_again<S: Sink>(&mut self, w: &Waiting, around: &mut Around<'_>, sink: &mut S) {
        let pools = self.serves[around.book.active()[w.slot].model as usize];
        match &mut self.flow {
            Some(flow) => {
                let lane = flow.lane_of(pools, around.now);
                flow.join_again(lane, w, around);
            }
            None => self.send_on(w, around, sink),
        }
    }
}

impl FlowQueue {
    /// Goes on with what was counted before.
    fn resume(&mut self, before: Self) {
        self.gauge.resume(before.gauge);
        self.accounts = before.accounts;
        self.evicting = before.evicting;
        if self.settings.eviction {
            self.evictable = before.evictable;
        }
    }

    /// Bands that there were before come first, as in the series.
    fn know_bands(&mut self, before: &[i32]) {
        let new = std::mem::replace(&mut self.known, before.to_vec());
        for priority in new {
            if !self.known.contains(&priority) {
                self.known.push(priority);
            }
        }
    }

    /// How long clients wait from now on.
    pub(in crate::gateway) fn set_timeout(&mut self, timeout: Span) {
        self.timeout = timeout;
    }

    /// A request that waited before an edit waits again, whatever the limits.
    fn join_again(&mut self, lane: usize, w: &Waiting, around: &Around<'_>) {
        let record = around.book.here(w.request);
        let priority = self.priority(record.class);
        let flow = self.flow_of(record);
        let key = self.key_of(priority, record, w.since);
        self.put(lane, Waiting { key, seq: self.seq, priority, flow, ..*w }, around);
    }
}
