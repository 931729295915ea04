//! What the gateway has: the traffic, its policies with their memory, the requests that wait there, and its picture of the replicas.

use super::admission_queue::AdmissionQueue;
use super::around::Around;
use super::attempts::Attempts;
use super::ejection::{Ejections, Takers};
use super::flow::FlowQueue;
use super::held_requests::HeldRequest;
use super::picture::{Picture, RouterWants};
use super::redirect::Redirects;
use super::roles::{Roles, roles_of};
use super::servers::SeenServers;
use super::targets::Targets;
use super::unreachable::Connecting;
use crate::clock::ClusterEvent;
use crate::facts::Decision;
use crate::fleet::{Change, Fleet};
use crate::perf::{Plan, Resolved};
use crate::policy::PoolView;
use crate::policy::routing::RouterState;
use crate::replica::{Replica, timeout_of};
use crate::workload::{Source, Trace};
use base::{Micros, ReplicaId, RequestId, Span};
use document::{Pool, Served};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;

/// The gateway.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Gateway {
    pub(super) seed: u64,
    pub(super) source: Source,
    /// By number of a model that requests ask for: the pools that serve it, as bits by number.
    pub(super) serves: Vec<u64>,
    pub(super) admission_latency: Span,
    pub(super) routing_latency: Span,
    /// How long clients wait for an answer; 0 for ever.
    pub(super) timeout: Span,
    pub(super) admission: AdmissionQueue,
    pub(super) router: RouterState,
    /// The second decision, where pools have roles.
    pub(super) roles: Option<Box<Roles>>,
    /// How often roles of pools have changed.
    pub(super) epoch: u32,
    pub(super) redirects: Redirects,
    /// Requests that wait for a replica.
    pub(super) held: VecDeque<HeldRequest>,
    /// Requests that wait because the replicas are saturated; none without flow control.
    pub(super) flow: Option<Box<FlowQueue>>,
    /// The priorities of the bands there were before the latest edit of flow control.
    pub(super) bands: Vec<i32>,
    pub(super) picture: Picture,
    /// Servers of ranks that routers see as one replica.
    pub(super) servers: Option<Box<SeenServers>>,
    /// Whether any wait queue has a bound.
    pub(super) bounded: bool,
    /// By replica: requests sent there that have neither finished nor been dropped.
    pub(super) in_flight: Vec<u32>,
    pub(super) targets: Targets,
    /// Attempts that broke, and who gets another one.
    pub(super) attempts: Attempts,
    /// Requests sent to replicas that cannot be reached.
    pub(super) connecting: Connecting,
    /// Replicas that routers leave out.
    pub(super) ejections: Ejections,
    /// Room for the next routing decision.
    #[serde(skip)]
    pub(super) decision: Decision,
    /// By replica: what tiers have for that decision, if the router asks.
    #[serde(skip)]
    pub(super) tier_shares: Vec<f64>,
}

impl Gateway {
    /// The gateway of a plan, before any replica is there.
    pub(crate) fn new(plan: &Plan, source: Source) -> Self {
        let (scenario, c) = (plan.scenario(), &plan.scenario().cluster);
        Self {
            seed: scenario.seed,
            serves: serves(&c.pools, &source),
            source,
            admission_latency: Span(c.admission_latency_us),
            routing_latency: Span(c.routing_latency_us),
            timeout: timeout_of(scenario),
            admission: AdmissionQueue::new(&c.admission, scenario.seed, &[]),
            router: RouterState::new(&c.routing, scenario.seed),
            roles: roles_of(plan),
            epoch: 0,
            redirects: Redirects::default(),
            held: VecDeque::new(),
            bands: Vec::new(),
            flow: c
                .flow_control
                .as_ref()
                .map(|s| Box::new(FlowQueue::new(s, scenario, timeout_of(scenario), &[]))),
            picture: Picture::new(pool_views(&c.pools, plan.resolved()), Span(c.snapshot_refresh_us)),
            servers: SeenServers::of(&c.pools),
            bounded: c.pools.iter().any(|p| p.engine.max_waiting > 0),
            in_flight: Vec::new(),
            targets: Targets::new(&scenario.slo),
            attempts: Attempts::new(&c.resilience),
            connecting: Connecting::default(),
            ejections: Ejections::new(c.resilience.outlier),
            decision: Decision::default(),
            tier_shares: Vec::new(),
        }
    }

    /// How long clients wait for an answer; 0 for ever.
    pub(crate) fn timeout(&self) -> Span {
        self.timeout
    }

    /// The traffic.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Its next event that is in no queue: the next arrival, or what its own queue has to do.
    #[inline]
    pub(crate) fn own_event(&self) -> (Micros, ClusterEvent) {
        let arrival = self.source.peek().unwrap_or(Micros::MAX);
        match &self.flow {
            Some(flow) if flow.event().0 < arrival => flow.event(),
            _ => (arrival, ClusterEvent::Arrival),
        }
    }

    /// Whether a run without a horizon goes on for requests at the gateway: some are held for a while, or wait for replicas that
    /// `may_serve`.
    #[inline]
    pub(crate) fn holds(&self, may_serve: impl FnOnce() -> bool) -> bool {
        !self.held.is_empty() || self.flow.as_ref().is_some_and(|flow| flow.waiting() > 0) && may_serve()
    }

    /// Requests that wait because the replicas are saturated.
    pub(crate) fn flow(&self) -> Option<&FlowQueue> {
        self.flow.as_deref()
    }

    /// Requests that are delayed by admission.
    pub(crate) fn delayed(&self) -> u32 {
        self.admission.delayed()
    }

    /// By replica: requests sent there that have neither finished nor been dropped.
    pub(crate) fn in_flight(&self) -> &[u32] {
        &self.in_flight
    }

    /// Whether a replica has none of them: those that cannot reach it are at the gateway.
    pub(crate) fn has_none(&self, replica: ReplicaId) -> bool {
        self.in_flight[replica.index()] == self.connecting.to(replica)
    }

    pub(crate) fn router(&self) -> &RouterState {
        &self.router
    }

    pub(crate) fn admission(&self) -> &AdmissionQueue {
        &self.admission
    }

    pub(crate) fn picture(&self) -> &Picture {
        &self.picture
    }

    /// Gives a restored source its trace back.
    pub(crate) fn attach(&mut self, trace: Option<&Arc<Trace>>) {
        self.source.attach(trace);
    }

    /// Sees what has become of the fleet: replicas that were added or are in another phase, and pools that serve.
    #[inline]
    pub(crate) fn follow(&mut self, around: &mut Around<'_>) {
        if around.fleet.has_changed() {
            self.follow_changes(around);
        }
    }

    #[inline(never)]
    fn follow_changes(&mut self, around: &mut Around<'_>) {
        let mut latest = None;
        for change in around.fleet.take_changes() {
            let again = latest.replace(change) == Some(change);
            match change {
                Change::Phase(id) => {
                    let replica = &around.fleet.replicas()[id.index()];
                    if id.index() == self.in_flight.len() {
                        self.picture.add(replica);
                        self.in_flight.push(0);
                    }
                    self.picture.look_again(replica, self.wants());
                    self.ejections.begins_anew(replica);
                    if !replica.life.hidden {
                        self.see_phase(id, around);
                    } else if !again {
                        self.hide(id, around);
                    }
                }
                Change::Serves(pool) => self.release_held(pool, around),
            }
        }
    }

    /// An event of replica `index` has run: `gone` requests have left it, and `prefilled` have their first token since.
    #[inline]
    pub(crate) fn see_replica(
        &mut self,
        replica: &Replica,
        gone: u32,
        now: Micros,
        prefilled: impl Iterator<Item = RequestId>,
    ) {
        for request in prefilled {
            self.router.prefilled(request);
            if let Some(gauge) = &mut self.admission.gauge {
                gauge.computed(request);
            }
            if let Some(flow) = &mut self.flow {
                flow.computed(request, now);
            }
        }
        let in_flight = &mut self.in_flight[replica.id().index()];
        assert!(*in_flight >= gone, "INV-1: more requests left {:?} than came", replica.id());
        *in_flight -= gone;
        assert!(
            *in_flight - self.connecting.to(replica.id()) == replica.in_flight(),
            "INV-1: {:?} has {} requests, and not those on their way, waiting or running",
            replica.id(),
            in_flight
        );
        let in_flight = *in_flight;
        self.picture.see(replica, in_flight, now, self.wants());
        if let Some(gauge) = &mut self.admission.gauge {
            gauge.see(replica, in_flight, now);
        }
        if let Some(flow) = &mut self.flow {
            flow.gauge_sees(replica, in_flight, now);
        }
    }

    /// What the router wants to see beyond the views.
    #[inline]
    fn wants(&self) -> RouterWants {
        RouterWants { signals: self.router.wants_signals(), adapters: self.router.wants_adapters() }
    }

    /// Follows `new` instead of `old`, before the fleet does.
    pub(crate) fn adopt_traffic(&mut self, old: &Plan, new: &Plan, now: Micros, fleet: &Fleet) {
        let (was, is) = (&old.scenario().cluster, &new.scenario().cluster);
        self.admission_latency = Span(is.admission_latency_us);
        self.routing_latency = Span(is.routing_latency_us);
        self.timeout = timeout_of(new.scenario());
        if let Some(flow) = &mut self.flow {
            flow.set_timeout(self.timeout);
        }
        self.targets = Targets::new(&new.scenario().slo);
        self.attempts.adopt(&is.resilience);
        self.ejections.adopt(is.resilience.outlier);
        if was.snapshot_refresh_us != is.snapshot_refresh_us {
            if self.picture.sees_all() {
                // What the gateway saw so far was always the present: its picture is the present one.
                self.picture.refresh(fleet.replicas(), now, Span::ZERO);
            }
            self.picture.set_refresh(Span(is.snapshot_refresh_us));
        }
        self.source.adopt(old.scenario(), new.scenario(), now);
    }

    /// Follows `new` instead of `old`, after the fleet did; admission comes last.
    pub(crate) fn adopt_pools(&mut self, old: &Plan, new: &Plan, now: Micros, fleet: &Fleet) {
        let (was, is) = (&old.scenario().cluster, &new.scenario().cluster);
        self.picture.set_pools(pool_views(&is.pools, new.resolved()));
        self.serves = serves(&is.pools, &self.source);
        self.servers = SeenServers::adopted(self.servers.take(), &is.pools);
        self.bounded = is.pools.iter().any(|p| p.engine.max_waiting > 0);
        if was.routing != is.routing {
            self.router.change(&is.routing, self.seed);
        }
        self.see_all_now(now, fleet);
    }

    /// A gateway that sees every replica as it is has a picture of the present.
    pub(crate) fn see_all_now(&mut self, now: Micros, fleet: &Fleet) {
        if self.picture.sees_all() {
            self.picture.refresh(fleet.replicas(), now, Span::ZERO);
        }
    }

    /// Whether `to` takes new requests for which `pools` serve the model, as the gateway sees it.
    pub(super) fn can_take(&self, to: ReplicaId, pools: u64) -> bool {
        let views = self.picture.views();
        views.get(to.index()).is_some_and(|view| Takers::of(views, pools).has(view))
    }
}

/// What the gateway knows of the pools.
fn pool_views(pools: &[Pool], resolved: &[Resolved]) -> Vec<PoolView> {
    let view = |((pool, figures), model): ((&Pool, &Resolved), u32)| PoolView {
        model,
        usd_per_hour: figures.usd_per_hour,
        block_tokens: pool.kv.block_tokens,
        max_waiting: pool.engine.max_waiting,
        step_tokens: figures.max_num_batched_tokens,
        max_running: figures.max_num_seqs,
        max_loras: figures.lora.map_or(0, |lora| lora.slots),
        peak_prefill_tokens_per_s: figures.peak_prefill_tokens_per_s(),
    };
    pools.iter().zip(resolved).zip(Served::new(pools).numbers()).map(view).collect()
}

/// Which pools serve each model that requests ask for; every bit is set if all do. A recorded trace names models as they were called where it was
/// recorded: those that no pool has may go anywhere.
fn serves(pools: &[Pool], source: &Source) -> Vec<u64> {
    let served = Served::new(pools);
    let all = u64::MAX >> (64 - pools.len());
    let of_model = |model: &String| {
        let serving = served.pools_of(model) & all;
        let anywhere = serving == all || serving == 0 && source.is_recorded();
        if anywhere { u64::MAX } else { serving }
    };
    source.models().iter().map(of_model).collect()
}
