//! What a hand-over does beyond one replica: the request goes on to the other one, its KV is transferred, and its blocks change
//! hands at the landing.
//!
//! INV-9: the KV of a request is valid in exactly one place: on its prefill replica until the landing, at home from then on.

use crate::Cluster;
use crate::clock::{ClusterEvent, Event};
use crate::facts::{HandoverFact, Sink};
use crate::network::{Network, NetworkEvent, Rules, Shipment};
use crate::perf::Plan;
use crate::replica::{Delivery, Departure, DepartureReason, HeldKv, Unsettled};
use crate::request::{Location, Remote, Slot};
use base::{Micros, ReplicaId, RequestId, Span};
use document::{KvBytes, Role};

/// A request with the slot that it has, or had.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedRequest {
    pub(crate) request: RequestId,
    pub(crate) slot: Slot,
}

impl Cluster {
    /// Follows the ports and the rules of transfers of a plan from `now` on. A run without roles has no network.
    pub(crate) fn adopt_network(&mut self, plan: &Plan, now: Micros) {
        let c = &plan.scenario().cluster;
        if self.network.is_none() && c.pools.iter().all(|pool| pool.role == Role::Mixed) {
            return;
        }
        let t = c.disaggregation.clone().unwrap_or_default().transfer;
        let kv_bytes = match t.kv_bytes_per_token {
            KvBytes::Auto => None,
            KvBytes::Count(n) => Some(u64::from(n)),
        };
        let gpu_bytes_per_s = base::math::round_to_span(t.port_gb_per_s * 1e9).0;
        let rules = Rules { gpu_bytes_per_s, kv_bytes, overlap_share: t.overlap_share };
        let mut network = self.network.take().unwrap_or_default();
        network.rules = rules;
        let ports: Vec<u64> = self.replicas().iter().map(|r| self.port_of(r.id(), rules)).collect();
        for &port in &ports[network.replicas()..] {
            network.add(port);
        }
        network.change(t.shared_ports, Span(t.base_us), ports.into_iter(), now);
        self.network = Some(network);
        self.adopt_links(now);
    }

    /// Bytes per second of the ports of a replica in each direction.
    fn port_of(&self, replica: ReplicaId, rules: Rules) -> u64 {
        let r = &self.replicas()[replica.index()];
        let own = self.fleet.blueprint(r.pool()).resolved.port_bytes_per_s;
        own.unwrap_or(rules.gpu_bytes_per_s * u64::from(r.gpus()))
    }

    /// Replicas that were added have ports.
    #[inline]
    pub(crate) fn add_ports(&mut self) {
        let Some(network) = &self.network else { return };
        if network.replicas() < self.replicas().len() {
            self.add_missing_ports();
        }
    }

    #[inline(never)]
    fn add_missing_ports(&mut self) {
        let Some(mut network) = self.network.take() else { return };
        for index in network.replicas()..self.replicas().len() {
            network.add(self.port_of(ReplicaId(index as u32), network.rules));
        }
        self.network = Some(network);
    }

    pub(crate) fn network_mut(&mut self) -> &mut Network {
        self.network.as_mut().expect("INV-9: a transfer without a network")
    }

    /// The next event of the cluster that is in no queue: the gateway's own, or a transfer's.
    #[inline]
    pub(crate) fn own_event(&self) -> (Micros, ClusterEvent) {
        let own = self.pause_or(self.flow_event_or(self.gateway.own_event()));
        let Some(network) = &self.network else { return own };
        let (at, event) = network.next_event();
        let event = match event {
            NetworkEvent::Lands => ClusterEvent::Landing,
            NetworkEvent::Flows => ClusterEvent::FlowBegins,
            NetworkEvent::TimesOut => ClusterEvent::TransferTimedOut,
        };
        if (at, event.order()) < (own.0, own.1.order()) { (at, event) } else { own }
    }

    /// Requests among those that left replica `index` have their prompts computed there: they go on to their homes, or their
    /// transfers start.
    pub(crate) fn settle_handovers<S: Sink>(
        &mut self,
        index: usize,
        left: &mut Vec<Departure>,
        sink: &mut S,
    ) {
        if self.network.is_none() {
            return;
        }
        let (now, from) = (self.clock.now(), ReplicaId(index as u32));
        let is_passed_on = |gone: &&Departure| gone.why == DepartureReason::HandedOver;
        for gone in left.iter().filter(is_passed_on).copied().collect::<Vec<_>>() {
            let slot = self.book.here(gone.request).slot;
            let remote = self.remote(slot);
            let (home, push) = (remote.home, remote.push);
            let (gateway, around) = self.at(now);
            gateway.leaves_prefill(gone.request, from, true, &around);
            if push {
                self.start_transfer(slot, sink);
                self.expect_timeout_at(home, slot);
            } else {
                self.fleet.replicas_mut()[home.index()].moving.bound -= 1;
                let delivery = Delivery { slot, now, timeout: self.gateway.timeout() };
                let (next_at, _) = self.fleet.deliver(home, delivery, self.book.active());
                self.clock.set_replica(home.index(), next_at);
            }
        }
        left.retain(|gone| gone.why != DepartureReason::HandedOver);
    }

    /// A request that went to its prefill replica and back is its home's again, where its client may give up.
    fn expect_timeout_at(&mut self, home: ReplicaId, slot: Slot) {
        let (now, timeout) = (self.clock.now(), self.gateway.timeout());
        let replica = &mut self.fleet.replicas_mut()[home.index()];
        replica.expect_timeout(&self.book.active()[slot], now, timeout);
        self.clock.set_replica(home.index(), replica.next_at());
    }

    pub(crate) fn remote(&self, slot: Slot) -> &Remote {
        self.book.active()[slot].remote.as_deref().expect("INV-9: a hand-over to nowhere")
    }

    /// What else follows from an event of replica `index`, in the order in which it happened.
    #[inline(never)]
    pub(crate) fn settle_moves<S: Sink>(&mut self, index: usize, sink: &mut S) {
        for next in self.fleet.take_unsettled() {
            match next {
                Unsettled::Reserved(slot) => self.go_on_reserved(slot, sink),
                Unsettled::Ended { request, slot, remote } if remote.home_lost => {
                    self.end_homeless(request, slot, *remote, sink);
                }
                Unsettled::Ended { request, slot, remote } => {
                    self.end_remote(PlacedRequest { request, slot }, *remote, ReplicaId(index as u32), sink);
                }
                Unsettled::Lent(replica) => self.see(replica, 0, sink),
            }
        }
    }

    /// Blocks are set aside for a request: it goes to its prefill replica, or its transfer starts.
    fn go_on_reserved<S: Sink>(&mut self, slot: Slot, sink: &mut S) {
        let Some(active) = self.book.active().get(slot) else { return };
        let request = active.id;
        let remote = self.remote(slot);
        let (home, prefill, push) = (remote.home, remote.prefill, remote.push);
        if !push {
            self.book.relocate(request, Location::Transferring(home));
            self.start_transfer(slot, sink);
            return;
        }
        let now = self.clock.now();
        let routed = self.book.relocate(request, Location::OnItsWay(prefill)).routed;
        let delivery = Delivery { slot, now, timeout: self.gateway.timeout() };
        let replica = &mut self.fleet.replicas_mut()[prefill.index()];
        replica.moving.bound -= 1;
        replica.deliver_since(delivery, self.book.active(), routed.get().unwrap_or(now));
        self.clock.set_replica(prefill.index(), replica.next_at());
    }

    /// The KV of a request sets out for its home.
    fn start_transfer<S: Sink>(&mut self, slot: Slot, sink: &mut S) {
        let now = self.clock.now();
        self.add_ports();
        let active = &self.book.active()[slot];
        let (request, prompt_tokens) = (active.id, active.prompt_tokens);
        let remote = self.remote(slot);
        let (from, to, cached) = (remote.prefill, remote.home, remote.cached + remote.below);
        let home = &self.replicas()[to.index()];
        let (block, pool) = (home.kv().block_tokens(), home.pool());
        let network = self.network.as_ref().expect("INV-9: a transfer without a network");
        let known = || self.fleet.blueprint(pool).resolved.kv_bytes_per_token;
        let bytes_per_token = network.rules.kv_bytes.or_else(known).unwrap_or(1);
        let blocks = prompt_tokens.div_ceil(block) - cached;
        let bytes = u64::from(blocks) * u64::from(block) * bytes_per_token;
        let since = self.book.handovers().get(request).and_then(|h| h.prefill_scheduled.get());
        let early = network.early(bytes, from, to, now.since(since.unwrap_or(now)));
        let number = self.network_mut().start(Shipment { request, from, to, bytes, early }, now);
        if let Some(remote) = &mut self.book.active_mut()[slot].remote {
            remote.transfer = Some(number);
        }
        let h = self.book.handovers_mut().of(request);
        (h.transfer, h.start) = (Some(number), now.into());
        (h.blocks, h.bytes, h.early) = (blocks, bytes, early);
        sink.fact(now, HandoverFact::TransferStarted { request, from, to, bytes, early }.into());
    }

    /// The first byte of the next transfer moves.
    pub(crate) fn begin_flow<S: Sink>(&mut self, sink: &mut S) {
        let now = self.clock.now();
        let network = self.network_mut();
        let number = network.pop().expect("INV-9: no transfer begins");
        let t = network.begin(number, now);
        let (request, from, to) = (t.request, t.from, t.to);
        self.book.handovers_mut().of(request).flows = now.into();
        sink.fact(now, HandoverFact::Flows { request, from, to }.into());
    }

    /// All bytes of the next transfer are there: the blocks change hands.
    pub(crate) fn land<S: Sink>(&mut self, sink: &mut S) {
        let now = self.clock.now();
        let network = self.network_mut();
        let number = network.pop().expect("INV-9: no transfer lands");
        let t = network.land(number, now);
        let (request, from, to, bytes) = (t.request, t.from, t.to, t.bytes);
        let slot = self.book.relocate(request, Location::Landed(to)).slot;
        let active = &mut self.book.active_mut()[slot];
        let prompt = active.prompt_tokens;
        let mut remote = active.remote.take().expect("INV-9: a landing of what did not travel");
        self.book.handovers_mut().of(request).landed = now.into();
        sink.fact(now, HandoverFact::Landed { request, from, to, bytes }.into());
        let replicas = self.fleet.replicas_mut();
        let source = &mut replicas[from.index()];
        let epoch = remote.epoch;
        let states = source.states_of(&self.book.active()[slot]);
        source.release_held(HeldKv { request, slot, tokens: prompt, states }, &mut remote, now);
        source.moving.end_duty(remote.epoch);
        source.wake_for_work(now);
        let home = &mut replicas[to.index()];
        let pages = self.book.pages();
        home.tell_time_of_change(now);
        home.receive(slot, *remote, pages.records.here(request), pages.active);
        home.moving.end_duty(epoch);
        home.wake_for_work(now);
        self.see(from, 0, sink);
        self.see(to, 0, sink);
    }

    /// A replica has changed outside its own events: `gone` requests no longer count there. The gateway sees it, and it stops if
    /// it was to.
    pub(crate) fn see<S: Sink>(&mut self, replica: ReplicaId, gone: u32, sink: &mut S) {
        let (now, index) = (self.clock.now(), replica.index());
        let r = &self.fleet.replicas()[index];
        self.clock.set_replica(index, r.next_at());
        self.gateway.see_replica(r, gone, now, std::iter::empty());
        if self.fleet.all_serve() {
            return;
        }
        self.fleet.stop_if_drained(replica);
        self.follow(now);
        if self.gateway.has_none(replica) {
            self.fleet.follow_up(replica, now, &mut self.clock, sink);
            self.follow(now);
        }
    }

    /// A request has left replica `at` before its KV landed: its transfer ends, and the other replica gives back what it has of it.
    fn end_remote<S: Sink>(
        &mut self,
        placed: PlacedRequest,
        mut remote: Remote,
        at: ReplicaId,
        sink: &mut S,
    ) {
        let (now, PlacedRequest { request, slot }) = (self.clock.now(), placed);
        let other = remote.counterpart(at);
        if let Some(number) = remote.transfer {
            self.network_mut().give_up(number, now);
        }
        let counts = if other == remote.prefill { !remote.prefilled } else { true };
        let (gateway, around) = self.at(now);
        if counts && other == remote.prefill {
            gateway.leaves_prefill(request, other, false, &around);
        } else if counts {
            gateway.forget_at(other, request, &around);
        }
        if at == remote.prefill {
            // It left there by dropping out or with its only token.
            let done = self.book.here(request).e2e.is_known();
            let (gateway, around) = self.at(now);
            gateway.leaves_prefill_router(request, at, done, &around);
        }
        let states = self.states_of_gone(request, other);
        let prompt = self.book.here(request).prompt_tokens;
        let is_down = self.fleet.is_down(at);
        let kv = HeldKv { request, slot, tokens: prompt, states };
        let replica = &mut self.fleet.replicas_mut()[other.index()];
        let blocks = if remote.is_bound_for(other) {
            replica.moving.bound -= 1;
            0
        } else if other == remote.prefill && remote.prefilled && is_down {
            self.strand(placed, &mut remote, now, sink);
            0
        } else if other == remote.prefill && remote.prefilled {
            replica.release_held(kv, &mut remote, now)
        } else if other == remote.home && remote.is_reserved {
            replica.give_up_reserved(kv, &mut remote, now)
        } else {
            0
        };
        let replica = &mut self.fleet.replicas_mut()[other.index()];
        replica.forget_wishes(request);
        replica.moving.end_duty(remote.epoch);
        replica.wake_for_work(now);
        let own = &mut self.fleet.replicas_mut()[at.index()];
        if own.moving.end_duty(remote.epoch) {
            own.wake_for_work(now);
            self.clock.set_replica(at.index(), own.next_at());
        }
        if blocks > 0 {
            sink.fact(now, HandoverFact::GivenUp { request, replica: other, blocks }.into());
        }
        self.see(other, u32::from(counts), sink);
    }

    /// Blocks of states of a request that has left, on a replica where it had some.
    pub(crate) fn states_of_gone(&self, request: RequestId, replica: ReplicaId) -> u32 {
        let r = self.book.here(request);
        self.replicas()[replica.index()].states_of_length(r.prompt_tokens, r.output_tokens.max(1))
    }
}
