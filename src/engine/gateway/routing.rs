//! Arrival and routing, and the signals that the router decides on.

use super::around::Around;
use super::attempts::{BrokenAttempt, ReplicaNews};
use super::ejection::{Takers, any_serves};
use super::held_requests::NoReplicaIn;
use super::servers::Single;
use super::state::Gateway;
use crate::clock::ClusterEvent;
use crate::facts::{BreakReason, FaultFact, RequestFact, Sink, Stage};
use crate::network::LowerTiers;
use crate::perf::StepLoad;
use crate::policy::routing::{Excluded, Fleet};
use crate::policy::{PoolView, Reason, ReplicaView, RequestView};
use crate::replica::{Delivery, Replica};
use crate::request::{ActiveRequest, Handover, Location, Record, Slot};
use base::{Micros, ReplicaId, RequestId};

/// Where a request goes.
struct Destination {
    chosen: ReplicaId,
    /// What it has of a hand-over, where pools have roles.
    handover: Option<Handover>,
}

impl Gateway {
    /// Runs an event of the gateway: at one instant all arrivals, then all admissions, then all routings.
    pub(crate) fn run_event<S: Sink>(&mut self, event: ClusterEvent, around: &mut Around<'_>, sink: &mut S) {
        match event {
            ClusterEvent::Arrival => self.arrive(around, sink),
            ClusterEvent::Admission(slot) => {
                self.picture.observe(around.fleet.replicas(), around.now);
                self.admit(slot, around, sink);
            }
            ClusterEvent::Routing(slot) => self.route(slot, around, sink),
            ClusterEvent::Retry { queue } => self.retry_if_due(queue, around, sink),
            ClusterEvent::Dispatch => self.attempt_all(around, sink),
            ClusterEvent::Sweep => self.sweep(around, sink),
            ClusterEvent::Noticed { replica, serves, crash } => {
                self.notice(ReplicaNews { replica, serves, crash }, around, sink);
            }
            ClusterEvent::Unreached { slot, replica } => {
                self.give_up_connecting(slot, replica, around, sink);
            }
            ClusterEvent::Landing
            | ClusterEvent::BlocksLand
            | ClusterEvent::FlowBegins
            | ClusterEvent::BlocksFlow
            | ClusterEvent::Pause
            | ClusterEvent::TransferTimedOut => {
                panic!("INV-9: a transfer at the gateway")
            }
        }
    }

    fn arrive<S: Sink>(&mut self, around: &mut Around<'_>, sink: &mut S) {
        let now = around.now;
        let spec = self.source.take().expect("INV-3: an arrival was due and none came");
        assert!(spec.arrival == now, "INV-3: an arrival at {:?} came at {now:?}", spec.arrival);
        let (request, slot) = around.book.arrive(&spec);
        sink.fact(now, RequestFact::Arrived { request, client: spec.client, class: spec.class }.into());
        if sink.wants_texts() {
            sink.text(request, &spec.prompt, spec.output);
        }
        if self.source.times_again() > 0 {
            let times = self.source.times_again();
            sink.fact(now, FaultFact::CameAgain { request, times }.into());
        }
        if let Some(life) = around.fleet.life_mut() {
            life.arrived(request, around.book.here(request), &spec.prompt, now);
        }
        self.source.sent(request, spec);
        let at = now.saturating_add(self.admission_latency);
        around.clock.schedule(at, ClusterEvent::Admission(slot));
    }

    fn route<S: Sink>(&mut self, slot: Slot, around: &mut Around<'_>, sink: &mut S) {
        let now = around.now;
        self.picture.observe(around.fleet.replicas(), now);
        let request = Self::begin_routing(slot, around);
        let pools = self.homes_for(around.book.active()[slot].model);
        let serving = self.serves[around.book.active()[slot].model as usize];
        let peer = Self::peer_of(slot, serving, around);
        self.look_at_tiers(slot, Stage::Home, around);
        let choice = self.choose(slot, pools, Stage::Home, around);
        let redirected = self.redirected(request, pools, Stage::Home);
        if sink.wants_decision(request, around.fleet.replicas().len()) {
            self.remember(request, choice.ok(), pools, around);
            self.remember_redirect(redirected);
            self.decision.stage = Stage::Home;
            sink.decision(now, &self.decision);
        }
        let chosen = redirected.map_or(choice.map(|(_, chosen)| chosen), Ok);
        if let (Ok(chosen), None) = (chosen, &self.roles) {
            Self::tell_source(slot, (peer, chosen), around, sink);
        }
        match chosen {
            Ok(chosen) if around.fleet.replicas()[chosen.index()].life.unreachable => {
                self.connect(slot, chosen, around, sink);
            }
            Ok(chosen) if self.is_refused(chosen, around) => {
                self.attempts.counts.attempts += 1;
                sink.fact(now, RequestFact::Routed { request, replica: chosen }.into());
                self.tell_router_it_broke(slot, chosen, around);
                self.attempt_broke(
                    slot,
                    BrokenAttempt::before_prefill(Some(chosen), BreakReason::Refused),
                    around,
                    sink,
                );
            }
            Ok(chosen) => {
                let handover = self.divide(slot, chosen, around, sink);
                let prefill = handover.as_ref().and_then(|handover| handover.prefill);
                if self.roles.is_some() {
                    Self::tell_source(slot, (peer, prefill.unwrap_or(chosen)), around, sink);
                }
                if let Some(prefill) = prefill.filter(|prefill| self.is_refused(*prefill, around)) {
                    self.attempts.counts.attempts += 1;
                    sink.fact(now, RequestFact::Routed { request, replica: prefill }.into());
                    self.leaves_prefill_router(request, prefill, false, around);
                    self.attempt_broke(
                        slot,
                        BrokenAttempt::before_prefill(Some(prefill), BreakReason::Refused),
                        around,
                        sink,
                    );
                    return;
                }
                self.send(slot, Destination { chosen, handover }, around, sink);
            }
            Err(reason) => self.stay_unrouted(slot, NoReplicaIn { pools, reason }, around, sink),
        }
    }

    /// No replica takes a request: it is held for one, its attempt breaks, or it is turned away.
    fn stay_unrouted<S: Sink>(&mut self, slot: Slot, no: NoReplicaIn, around: &mut Around<'_>, sink: &mut S) {
        let (pools, reason) = (no.pools, no.reason);
        if self.hold_for_replica(slot, no, around, sink) {
            return;
        }
        if reason != Reason::QueueFull && around.fleet.any_is_down(pools) {
            self.attempts.counts.attempts += 1;
            let broken = BrokenAttempt::before_prefill(None, BreakReason::NoReplica);
            self.attempt_broke(slot, broken, around, sink);
        } else {
            self.turn_away(slot, reason, around, sink);
        }
    }

    /// A request is routed: what is kept in pauses may follow from that.
    fn begin_routing(slot: Slot, around: &mut Around<'_>) -> RequestId {
        let request = around.book.active()[slot].id;
        if let Some(life) = around.fleet.life_mut() {
            life.routed(request, around.book.here(request), around.now);
        }
        request
    }

    /// The router's choice: its position among those it could choose from, and its number.
    #[inline]
    pub(super) fn choose(
        &mut self,
        slot: Slot,
        pools: u64,
        stage: Stage,
        around: &Around<'_>,
    ) -> Result<(usize, ReplicaId), Reason> {
        let active = &around.book.active()[slot];
        let all = self.all_can_have_it(pools, around);
        let record = around.book.here(active.id);
        let view = view_of(active, record, around.now)
            .aiming_at(self.targets.of(record.class))
            .among(self.admission.in_flight_of(record.tenant));
        let replicas = around.fleet.replicas();
        let views = self.picture.views();
        let single =
            if all { views } else { candidates(views, pools, self.picture.pools(), &mut self.decision.seen) };
        let grouped = self.servers.as_deref().map(|servers| {
            let (picture, tier_shares) = (&self.picture, &self.tier_shares[..]);
            servers.grouped(single, &Single { pools, picture, fleet: around.fleet, tier_shares })
        });
        let of_ranks = |id: ReplicaId, of: &dyn Fn(ReplicaId) -> f64| match &grouped {
            Some(grouped) => grouped.most(id, of),
            None => of(id),
        };
        let step = |id: ReplicaId, load: &StepLoad<'_>| replicas[id.index()].model.step(load);
        let grouped_step = |id: ReplicaId, load: &StepLoad<'_>| match &grouped {
            Some(grouped) => grouped.step(id, load, step),
            None => step(id, load),
        };
        let g = grouped.as_ref();
        let fleet = Fleet {
            replicas: g.map_or(single, |g| &g.views),
            signals: g.map_or(self.picture.signals(), |g| &g.signals),
            adapters: g.map_or(self.picture.adapters(), |g| &g.adapters),
            pools: g.map_or(self.picture.pools(), |g| &g.pools),
            cached_share: &|id, request| of_ranks(id, &|id| cached_share(&replicas[id.index()], request)),
            below_share: &|id, request| of_ranks(id, &|id| below_share(&replicas[id.index()], request)),
            tier_shares: g.map_or(&self.tier_shares, |g| &g.tier_shares),
            priority: &|id| replicas[id.index()].priority_of(active, record),
            step: &grouped_step,
        };
        if fleet.replicas.is_empty() {
            self.decision.scores.clear();
            return Err(self.nowhere_to_go(active.model, pools));
        }
        let router = match (stage, &mut self.roles) {
            (Stage::Prefill, Some(roles)) => &mut roles.router,
            (Stage::Home | Stage::Prefill, _) => &mut self.router,
        };
        let position = router.pick(&view, &fleet, &mut self.decision.scores)?;
        let chosen = match (&grouped, &mut self.servers) {
            (Some(grouped), Some(servers)) => {
                servers.rank_of((grouped, position), active, (self.seed, around.now), around.fleet)
            }
            (_, _) => fleet.replicas[position].id,
        };
        Ok((position, chosen))
    }

    /// A request goes to the replica that was chosen for it.
    #[inline]
    fn send<S: Sink>(&mut self, slot: Slot, destination: Destination, around: &mut Around<'_>, sink: &mut S) {
        let Destination { chosen, handover } = destination;
        let now = around.now;
        let request = around.book.active()[slot].id;
        around.book.active_mut()[slot].take_priority(self.router.priority());
        let (to, decided) = self.bind(slot, chosen, handover, around);
        let record = around.book.relocate(request, Location::OnItsWay(to));
        // An answer that goes on keeps the instants of its first attempt.
        let goes_on = record.ttft.is_known();
        if !goes_on {
            record.routed = now.into();
        }
        self.attempts.counts.attempts += 1;
        let prompt_tokens = record.prompt_tokens;
        let index = chosen.index();
        self.in_flight[index] += 1;
        self.picture.send(index, self.in_flight[index], prompt_tokens, now);
        if let Some(gauge) = &mut self.admission.gauge {
            let replica = &around.fleet.replicas()[index];
            gauge.sent(request, chosen, || uncached_tokens(replica, &around.book.active()[slot], now));
        }
        if let Some(flow) = &mut self.flow {
            flow.sent((request, now), &around.fleet.replicas()[index], around.book);
        }
        sink.fact(now, RequestFact::Routed { request, replica: chosen }.into());
        if let Some(decided) = decided {
            sink.fact(now, decided.into());
        }
        let delivery = Delivery { slot, now, timeout: self.timeout };
        let (next_at, tokenised) = around.fleet.deliver(to, delivery, around.book.active());
        if let Some(tokenised) = tokenised.filter(|_| !goes_on) {
            around.book.here_mut(request).tokenised = tokenised.into();
        }
        around.clock.set_replica(to.index(), next_at);
    }

    /// Keeps the decision beside the truth. It changes nothing: a run is the same whether it is watched or not.
    pub(super) fn remember(
        &mut self,
        request: RequestId,
        chosen: Option<(usize, ReplicaId)>,
        pools: u64,
        around: &Around<'_>,
    ) {
        let all = self.all_can_have_it(pools, around);
        let (views, known) = (self.picture.views(), self.picture.pools());
        let d = &mut self.decision;
        d.request = Some(request);
        d.chosen = chosen.map(|(position, _)| position);
        d.seen.clear();
        d.true_load.clear();
        d.excluded.clone_from(&d.scores.excluded);
        if all && self.picture.sees_all() && !self.picture.any_late() && self.servers.is_none() {
            d.seen.extend_from_slice(views);
            d.true_load.extend(views.iter().map(ReplicaView::load));
            return;
        }
        // Candidates in the order in which the router had them, then those that were left out before.
        let takers = Takers::of(views, pools);
        let can = |v: &&ReplicaView| takers.has(v);
        let full = |v: &&ReplicaView| known[v.pool as usize].is_full(v.waiting);
        d.seen.extend(views.iter().filter(can).filter(|v| !full(v)));
        let mut open = d.seen.len();
        d.seen.extend(views.iter().filter(can).filter(full));
        let replicas = around.fleet.replicas();
        let load = |v: &ReplicaView| replicas[v.id.index()].view(v).load();
        if let Some(servers) = &self.servers {
            let (picture, fleet) = (&self.picture, &*around.fleet);
            let from = Single { pools, picture, fleet, tier_shares: &[] };
            open = servers.regroup((&mut d.seen, open), &from, load, &mut d.true_load);
            if let Some((position, rank)) = chosen {
                d.seen[position].id = rank;
            }
        } else {
            d.true_load.extend(d.seen.iter().map(load));
        }
        if d.seen.len() > open {
            d.excluded.resize(open, None);
            d.excluded.resize(d.seen.len(), Some(Excluded::QueueFull));
        }
    }

    /// Whether all replicas can have a request for which `pools` serve the model, whatever they look like.
    fn all_can_have_it(&self, pools: u64, around: &Around<'_>) -> bool {
        around.fleet.all_serve()
            && !self.bounded
            && pools == u64::MAX
            && self.attempts.hidden == 0
            && self.ejections.are_none()
    }

    /// Why a request for which `pools` serve the model, or all if it names none, has nowhere to go.
    fn nowhere_to_go(&self, model: u32, pools: u64) -> Reason {
        match model {
            _ if any_serves(self.picture.views(), pools) => Reason::QueueFull,
            0 => Reason::NoReplica,
            _ => Reason::NoReplicaOfModel,
        }
    }
}

/// The share of a prompt's full blocks that routers see in a replica's cache, from the first one on.
fn cached_share(replica: &Replica, request: &RequestView<'_>) -> f64 {
    let block_tokens = replica.kv().block_tokens();
    let blocks = request.full_blocks(block_tokens);
    if blocks == 0 {
        return 0.0;
    }
    let known = replica.kv().shown(request.chain(block_tokens), request.now);
    f64::from(known) / f64::from(blocks)
}

/// The share that its CPU tier has of what follows those in its cache.
fn below_share(replica: &Replica, request: &RequestView<'_>) -> f64 {
    let block_tokens = replica.kv().block_tokens();
    let blocks = request.full_blocks(block_tokens);
    if blocks == 0 || !replica.kv().has_tiers() {
        return 0.0;
    }
    let chain = request.chain(block_tokens);
    let known = replica.kv().shown(chain, request.now);
    f64::from(replica.kv().shown_below(&chain[known as usize..], request.now)) / f64::from(blocks)
}

/// Tokens of a request's prompt that a replica would have to compute, as far as its cache is seen at `now`.
pub(super) fn uncached_tokens(replica: &Replica, active: &ActiveRequest, now: Micros) -> u32 {
    active.prompt_tokens - prompt_blocks_of(replica, active, now) * replica.kv().block_tokens()
}

/// Leading blocks of a request's prompt that are seen in a replica's cache at `now`.
pub(super) fn prompt_blocks_of(replica: &Replica, active: &ActiveRequest, now: Micros) -> u32 {
    let block_tokens = replica.kv().block_tokens();
    let blocks = active.shareable.min(active.prompt_tokens) / block_tokens;
    replica.kv().shown(&active.text.chain(block_tokens, blocks), now)
}

/// The same, with those that follow them in its CPU memory and below.
pub(super) fn blocks_in_tiers_of(
    (replica, lower): (&Replica, Option<&mut LowerTiers>),
    active: &ActiveRequest,
    now: Micros,
) -> u32 {
    let found = prompt_blocks_of(replica, active, now);
    let (id, lower) = (replica.id(), lower.filter(|lower| lower.tiers(replica.id()) > 0));
    if !replica.kv().has_cpu_tier() && lower.is_none() {
        return found;
    }
    let block_tokens = replica.kv().block_tokens();
    let blocks = active.prompt_tokens.min(active.shareable) / block_tokens;
    let chain = active.text.chain(block_tokens, blocks);
    let rest = &chain[found as usize..];
    let Some(lower) = lower else { return found + replica.kv().shown_below(rest, now) };
    let mut is_there =
        |hash: u64| replica.kv().shown_below(&[hash], now) > 0 || lower.shows(id, hash, now).is_some();
    found + rest.iter().take_while(|hash| is_there(**hash)).count() as u32
}

/// The views of the replicas that can have a request and have room for it in their wait queue, held in `scratch`.
fn candidates<'a>(
    views: &[ReplicaView],
    pools: u64,
    known: &[PoolView],
    scratch: &'a mut Vec<ReplicaView>,
) -> &'a [ReplicaView] {
    let takers = Takers::of(views, pools);
    let open = |v: &&ReplicaView| takers.has(v) && !known[v.pool as usize].is_full(v.waiting);
    scratch.clear();
    scratch.extend(views.iter().filter(open));
    scratch
}

/// A request as the policies see it.
pub(super) fn view_of<'a>(active: &'a ActiveRequest, record: &Record, now: Micros) -> RequestView<'a> {
    RequestView::new(active.id, now, &active.text, active.prompt_tokens)
        .of(record.tenant, record.session, active.model)
        .in_class(record.class)
        .with_adapter(active.adapter)
}
