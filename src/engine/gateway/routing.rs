//! The gateway: arrival, admission, routing, and the signals these decisions are made on.

use crate::base::{Micros, Piece, RequestId, Span};
use crate::engine::Cluster;
use crate::engine::clock::ClusterEvent;
use crate::engine::facts::{Fact, Sink};
use crate::engine::replica::{Replica, look_at, signals_of};
use crate::engine::request::{ActiveRequest, Load, Location, Record, Slot};
use crate::kv::BlockTable;
use crate::perf::Resolved;
use crate::policy::routing::{Excluded, Fleet};
use crate::policy::{PoolView, Reason, ReplicaPhase, ReplicaView, RequestView};
use crate::scenario::{Pool, Served};
use crate::workload::{RequestSpec, Source};

impl Cluster {
    /// How many scores of the router counted as 0 because they were no finite numbers.
    pub fn not_finite_scores(&self) -> u64 {
        self.router.not_finite()
    }

    /// When the gateway's next event runs.
    pub(in crate::engine) fn gateway_at(&self) -> Micros {
        let decision = self.events.next_at();
        let own = self.source.peek().map_or(decision, |arrival| arrival.min(decision));
        own.min(self.scaling_at(own))
    }

    /// Runs the gateway's next event: at one instant all arrivals, then all admissions, then all routings.
    pub(in crate::engine) fn run_gateway_event<S: Sink>(&mut self, sink: &mut S) {
        let arrival = self.source.peek().unwrap_or(Micros::MAX);
        if self.run_scaling_event(arrival.min(self.events.next_at()), sink) {
            return;
        }
        match self.events.pop_unless(arrival, ClusterEvent::Arrival).unwrap_or(ClusterEvent::Arrival) {
            ClusterEvent::Arrival => self.arrive(sink),
            ClusterEvent::Admission(slot) => {
                self.observe();
                self.admit(slot, self.clock, sink);
            }
            ClusterEvent::Routing(slot) => self.route(slot, sink),
            ClusterEvent::Retry { queue } => self.retry_if_due(queue, self.clock, sink),
        }
    }

    fn arrive<S: Sink>(&mut self, sink: &mut S) {
        let now = self.clock;
        let spec = self.source.take().expect("INV-3: an arrival was due and none came");
        assert!(spec.arrival == now, "INV-3: an arrival at {:?} came at {now:?}", spec.arrival);
        let id = RequestId(self.records.len() as u32);
        let slot = self.active.add(new_request(id, &spec));
        self.records.push(Record::new(&spec, slot, &mut self.locations));
        self.census.arrived += 1;
        sink.fact(now, Fact::Arrived { request: id, client: spec.client, class: spec.class });
        self.events.schedule(now.saturating_add(self.admission_latency), ClusterEvent::Admission(slot));
    }

    fn route<S: Sink>(&mut self, slot: Slot, sink: &mut S) {
        self.observe();
        let now = self.clock;
        let active = &self.active[slot];
        let (request, model) = (active.id, active.model);
        let pools = self.serves[model as usize];
        let all = self.all_can_have_it(pools);
        let view = view_of(active, self.records.here(request), now);
        let replicas = &self.replicas;
        let fleet = Fleet {
            replicas: if all {
                &self.views
            } else {
                candidates(&self.views, pools, &self.pool_views, &mut self.decision.seen)
            },
            signals: &self.signals,
            pools: &self.pool_views,
            cached_share: &|id, request| cached_share(&replicas[id.index()], request),
            below_share: &|id, request| below_share(&replicas[id.index()], request),
        };
        let choice = if fleet.replicas.is_empty() {
            self.decision.scores.clear();
            Err(self.nowhere_to_go(model, pools))
        } else {
            let choice = self.router.pick(&view, &fleet, &mut self.decision.scores);
            choice.map(|position| (position, fleet.replicas[position].id))
        };
        let redirected = self.redirected(request, pools);
        if sink.wants_decision(request, self.views.len()) {
            self.remember(request, choice.ok().map(|(position, _)| position), pools);
            self.remember_redirect(redirected);
            sink.decision(now, &self.decision);
        }
        let chosen = match redirected.map_or(choice.map(|(_, chosen)| chosen), Ok) {
            Ok(chosen) => chosen,
            Err(reason) => {
                if !self.hold_for_replica(slot, pools, reason, sink) {
                    self.turn_away(slot, reason, now, sink);
                }
                return;
            }
        };
        let index = chosen.index();
        let age = now.since(self.viewed_at[index]);
        assert!(
            self.sees_all() || age < self.snapshot_refresh,
            "INV-7: {chosen:?} chosen by a signal of {age:?} ago"
        );
        let record = self.records.here_mut(request);
        record.relocate(Location::OnItsWay(chosen), &mut self.locations);
        record.routed = now.into();
        let prompt_tokens = record.prompt_tokens;
        self.in_flight[index] += 1;
        self.views[index].in_flight = self.in_flight[index];
        self.signals[index].tokens_in_flight += u64::from(prompt_tokens);
        sink.fact(now, Fact::Routed { request, replica: chosen });
        let replica = &mut self.replicas[index];
        replica.deliver(slot, &self.active, now, self.timeout);
        self.next_at.set(index, replica.next_at());
    }

    /// Keeps the decision beside the truth. It changes nothing: a run is the same whether it is watched or not.
    fn remember(&mut self, request: RequestId, chosen: Option<usize>, pools: u64) {
        let all = self.all_can_have_it(pools);
        let d = &mut self.decision;
        d.request = Some(request);
        d.chosen = chosen;
        d.seen.clear();
        d.true_load.clear();
        d.excluded.clone_from(&d.scores.excluded);
        if all && self.snapshot_refresh == Span::ZERO {
            d.seen.extend_from_slice(&self.views);
            d.true_load.extend(self.views.iter().map(ReplicaView::load));
            return;
        }
        // Candidates in the order in which the router had them, then those that were left out before.
        let can = |v: &&ReplicaView| can_have(v, pools);
        let full = |v: &&ReplicaView| self.pool_views[v.pool as usize].is_full(v.waiting);
        d.seen.extend(self.views.iter().filter(can).filter(|v| !full(v)));
        let open = d.seen.len();
        d.seen.extend(self.views.iter().filter(can).filter(full));
        if d.seen.len() > open {
            d.excluded.resize(open, None);
            d.excluded.resize(d.seen.len(), Some(Excluded::QueueFull));
        }
        let load = |v: &ReplicaView| look_at(&self.replicas[v.id.index()], v).load();
        d.true_load.extend(d.seen.iter().map(load));
    }

    /// Whether all replicas can have a request for which `pools` serve the model, whatever they look like.
    fn all_can_have_it(&self, pools: u64) -> bool {
        self.not_serving == 0 && !self.bounded && pools == u64::MAX
    }

    /// Why a request for which `pools` serve the model, or all if it names none, has nowhere to go.
    fn nowhere_to_go(&self, model: u32, pools: u64) -> Reason {
        match model {
            _ if self.views.iter().any(|v| can_have(v, pools)) => Reason::QueueFull,
            0 => Reason::NoReplica,
            _ => Reason::NoReplicaOfModel,
        }
    }

    /// Whether the gateway sees every replica as it is: its picture then follows the replicas' events instead of being
    /// taken anew for each decision, which would touch all of them.
    pub(in crate::engine) fn sees_all(&self) -> bool {
        self.snapshot_refresh == Span::ZERO
    }

    /// INV-7: signals are refreshed by pull, at decisions only, and only when they are old enough; in-flight counts are
    /// always current.
    fn observe(&mut self) {
        let (now, refresh) = (self.clock, self.snapshot_refresh);
        if !self.sees_all() && now.since(self.oldest_view) >= refresh {
            self.refresh_views(now, refresh);
        }
    }

    /// Refreshes the views that are at least `age` old.
    pub(in crate::engine) fn refresh_views(&mut self, now: Micros, age: Span) {
        self.oldest_view = now;
        for (i, replica) in self.replicas.iter().enumerate() {
            if now.since(self.viewed_at[i]) >= age {
                self.views[i] = look_at(replica, &self.views[i]);
                self.signals[i] = signals_of(replica, &self.signals[i]);
                self.viewed_at[i] = now;
            }
            self.oldest_view = self.oldest_view.min(self.viewed_at[i]);
        }
    }
}

/// The share of a prompt's full blocks that a replica's cache holds now, from the first one on.
fn cached_share(replica: &Replica, request: &RequestView<'_>) -> f64 {
    let block_tokens = replica.kv.block_tokens();
    let blocks = request.full_blocks(block_tokens);
    if blocks == 0 {
        return 0.0;
    }
    let known = replica.kv.lookup(request.chain(block_tokens));
    f64::from(known.blocks) / f64::from(blocks)
}

/// The share that its CPU tier has of what follows those in its cache.
fn below_share(replica: &Replica, request: &RequestView<'_>) -> f64 {
    let block_tokens = replica.kv.block_tokens();
    let blocks = request.full_blocks(block_tokens);
    if blocks == 0 || !replica.kv.has_store() {
        return 0.0;
    }
    let chain = request.chain(block_tokens);
    let known = replica.kv.lookup(chain);
    f64::from(replica.kv.lookup_below(&chain[known.blocks as usize..]).blocks) / f64::from(blocks)
}

/// Whether the replica takes new requests for which `pools` serve the model, as bits by number.
pub(in crate::engine) fn can_have(view: &ReplicaView, pools: u64) -> bool {
    view.phase == ReplicaPhase::Serving && pools >> view.pool & 1 == 1
}

/// The views of the replicas that can have a request and have room for it in their wait queue, held in `scratch`.
fn candidates<'a>(
    views: &[ReplicaView],
    pools: u64,
    known: &[PoolView],
    scratch: &'a mut Vec<ReplicaView>,
) -> &'a [ReplicaView] {
    let open = |v: &&ReplicaView| can_have(v, pools) && !known[v.pool as usize].is_full(v.waiting);
    scratch.clear();
    scratch.extend(views.iter().filter(open));
    scratch
}

/// What the gateway knows of the pools.
pub(in crate::engine) fn pool_views(pools: &[Pool], resolved: &[Resolved]) -> Vec<PoolView> {
    let view = |((pool, figures), model): ((&Pool, &Resolved), u32)| PoolView {
        model,
        usd_per_hour: figures.usd_per_hour,
        block_tokens: pool.kv.block_tokens,
        max_waiting: pool.engine.max_waiting,
    };
    pools.iter().zip(resolved).zip(Served::new(pools).numbers()).map(view).collect()
}

/// Which pools serve each model that requests ask for; every bit is set if all do. A recorded trace names models as they were called where it was
/// recorded: those that no pool has may go anywhere.
pub(in crate::engine) fn serves(pools: &[Pool], source: &Source) -> Vec<u64> {
    let served = Served::new(pools);
    let all = u64::MAX >> (64 - pools.len());
    let of_model = |model: &String| {
        let serving = served.pools_of(model) & all;
        let anywhere = serving == all || serving == 0 && source.is_recorded();
        if anywhere { u64::MAX } else { serving }
    };
    source.models().iter().map(of_model).collect()
}

/// A request as the policies see it.
pub(in crate::engine) fn view_of<'a>(
    active: &'a ActiveRequest,
    record: &Record,
    now: Micros,
) -> RequestView<'a> {
    RequestView::new(active.id, now, &active.text, active.prompt_tokens)
        .of(record.tenant, record.session, active.model)
        .in_class(record.class)
}

fn new_request(id: RequestId, spec: &RequestSpec) -> ActiveRequest {
    let mut text = spec.prompt.clone();
    let Piece { source, start, len } = spec.output;
    text.push(Piece { source, start, len });
    let shareable = text.shareable();
    ActiveRequest {
        id,
        text,
        model: spec.model,
        shareable,
        prompt_tokens: spec.prompt_tokens,
        output_tokens: spec.output.len,
        arrival: spec.arrival,
        rank: spec.rank,
        prefill: spec.prompt_tokens,
        progress: 0,
        computed: 0,
        granted: 0,
        generated: 0,
        block_table: BlockTable::default(),
        load: Load::None,
        chain: Vec::new(),
        chained: false,
        decoding: false,
        decoding_from: crate::base::Maybe::NONE,
        urgency: 0,
        position: None,
        excess: 0,
        order: u64::MAX,
        before: Slot::NONE,
        after: Slot::NONE,
        anchor_tick: 0,
        due_tick: 0,
        last_token: Micros::MAX,
        behind: false,
        starved_tick: 0,
        fixed_tokens: 0,
        fixed_output: Span::ZERO,
        sat_out: Span::ZERO,
    }
}
