//! What a cluster answers about itself: each answer is that of the part that knows.

use crate::gateway::{AttemptCounts, BandSight, FlowQueue};
use crate::perf::LoraFigures;
use crate::watch::{self, batch, queue};
use crate::workload::Source;
use crate::{
    AdapterUse, Attempt, Census, Cluster, Detail, Handover, Location, Network, NotRedirected, PoolCounts,
    Progress, Records, Replica, Stay,
};
use base::{Micros, ReplicaId, RequestId, Span};
use document::Compat;
use std::rc::Rc;

impl Cluster {
    /// What has been recorded.
    pub fn detail(&self) -> Option<&Detail> {
        self.book.detail()
    }

    /// Time of the latest event.
    pub fn last_event_at(&self) -> Micros {
        self.clock.now()
    }

    /// The cluster clock: time of the latest event. Under `compat: blis` it ends at the first event beyond the horizon,
    /// because the original looks at its clock only after it has set it.
    pub fn clock(&self) -> Micros {
        let beyond = self.next_at().min(self.source().peek_beyond().unwrap_or(Micros::MAX));
        let overrun = self.compat() == Compat::Blis && beyond > self.horizon() && beyond != Micros::MAX;
        if overrun { beyond } else { self.clock.now() }
    }

    /// When a finished run ended: at its horizon, or at the latest event if it has none or was given up before.
    pub fn end(&self) -> Micros {
        if self.clock.is_endless() || self.gave_up() { self.clock.now() } else { self.horizon() }
    }

    /// End of the run; [`Micros::MAX`] if there is none.
    pub fn horizon(&self) -> Micros {
        self.clock.horizon()
    }

    /// Events run so far.
    pub fn events_done(&self) -> u64 {
        self.clock.events_done()
    }

    /// All replicas that ever were.
    pub fn replicas(&self) -> &[Replica] {
        self.fleet.replicas()
    }

    /// All requests that arrived, in order.
    pub fn records(&self) -> &Records {
        self.book.records()
    }

    /// Requests at the gateway: neither refused nor routed yet.
    pub fn at_gateway(&self) -> u32 {
        self.book.locations().at_gateway()
    }

    /// Of those, requests that wait there: delayed by admission, in the gateway's queue, or held for a replica.
    pub fn held_back(&self) -> u32 {
        self.gateway.delayed() + self.held() + self.gateway.flow().map_or(0, FlowQueue::waiting)
    }

    /// How saturated an attempt at `now` would find the replicas, and the bands of the gateway's queue, the highest first;
    /// `None` without flow control.
    pub fn gateway_queue(&self, now: Micros) -> Option<(f64, Vec<BandSight>)> {
        let flow = self.gateway.flow()?;
        let saturation = flow.saturation(self.gateway.in_flight(), self.replicas(), now);
        Some((saturation, flow.bands(saturation, &self.book)))
    }

    /// The requests that wait in a band of the gateway's queue, in order of joining.
    pub fn gateway_band(&self, priority: i32) -> impl Iterator<Item = RequestId> + '_ {
        self.gateway.flow().into_iter().flat_map(move |flow| flow.in_band(priority, &self.book))
    }

    /// The same as `gateway_queue` in permille, and how many requests wait in each band, with its priority, in the order in which the bands came to
    /// be; `None` without flow control.
    pub fn gateway_gauges(&self, now: Micros) -> Option<(u32, impl Iterator<Item = (i32, u32)> + '_)> {
        let flow = self.gateway.flow()?;
        let permille =
            (flow.saturation(self.gateway.in_flight(), self.replicas(), now) * 1000.0).min(1e9) as u32;
        Some((permille, flow.waiting_by_band()))
    }

    /// Requests held for replicas of a pool.
    pub fn held_for(&self, pool: u32) -> u32 {
        self.gateway.held_for(pool)
    }

    /// Requests held for replicas.
    pub fn held(&self) -> u32 {
        self.gateway.held()
    }

    /// What became of attempts.
    pub fn attempt_counts(&self) -> &AttemptCounts {
        self.gateway.attempts().counts()
    }

    /// Whether routers leave a replica out that runs.
    pub fn is_ejected(&self, replica: ReplicaId) -> bool {
        self.gateway.is_ejected(replica)
    }

    /// Requests whose first attempt broke and that wait for another one, or are in one.
    pub fn retrying(&self) -> u32 {
        self.gateway.attempts().open()
    }

    /// The attempts of a request that broke, in order.
    pub fn attempts(&self, request: RequestId) -> impl Iterator<Item = &Attempt> {
        self.book.attempts(request)
    }

    /// Whether anything broke, or a client came again.
    pub fn is_faulty(&self) -> bool {
        self.faults.count > 0
            || self.client_returns() > 0
            || self.client_returns_denied() > 0
            || self.attempt_counts().broken.iter().any(|&n| n > 0)
    }

    /// How often clients that gave up came again, or are to.
    pub fn client_returns(&self) -> u32 {
        self.gateway.source().returns()
    }

    /// How often a client would have come again and the budget of the clients was spent.
    pub fn client_returns_denied(&self) -> u32 {
        self.gateway.source().returns_denied()
    }

    /// Counts at the gateway.
    pub fn census(&self) -> &Census {
        self.book.census()
    }

    /// The traffic.
    pub fn source(&self) -> &Source {
        self.gateway.source()
    }

    /// Which semantics it follows.
    pub fn compat(&self) -> Compat {
        self.fleet.compat()
    }

    /// By replica: requests sent there that have neither finished nor been dropped.
    pub fn in_flight(&self) -> &[u32] {
        self.gateway.in_flight()
    }

    /// How many scores of the router counted as 0 because they were no finite numbers.
    pub fn not_finite_scores(&self) -> u64 {
        self.gateway.router().not_finite() + self.gateway.not_finite_of_prefill()
    }

    /// The requests that did not go where edits send them, or have not yet.
    pub fn not_redirected(&self) -> impl Iterator<Item = NotRedirected> + '_ {
        self.gateway.not_redirected()
    }

    /// KV blocks of one replica of a pool.
    pub fn blocks_of(&self, pool: u32) -> u32 {
        self.fleet.blueprint(pool).resolved.blocks.0
    }

    /// Price of one replica of a pool in US dollars per hour.
    pub fn usd_per_hour(&self, pool: u32) -> f64 {
        self.fleet.blueprint(pool).resolved.usd_per_hour
    }

    /// Output processing of each token on a pool's replicas now.
    pub fn output_overhead(&self, pool: u32) -> Span {
        self.fleet.blueprint(pool).resolved.model.output_overhead()
    }

    /// Most requests in a batch and most tokens in a step of a pool's replicas now.
    pub fn batch_limits(&self, pool: u32) -> [u32; 2] {
        let limits = &self.fleet.blueprint(pool).limits;
        [limits.max_num_seqs, limits.max_num_batched_tokens]
    }

    /// Blocks in the KV cache of each of a pool's replicas now.
    pub fn kv_blocks(&self, pool: u32) -> u32 {
        self.blocks_of(pool)
    }

    /// Replicas of a pool by phase.
    pub fn pool_counts(&self, pool: u32) -> PoolCounts {
        self.fleet.pool_counts(pool)
    }

    /// Whether a pool has an autoscaler.
    pub fn is_scaled(&self, pool: u32) -> bool {
        self.fleet.is_scaled(pool)
    }

    /// What a request has done so far.
    pub fn progress(&self, request: RequestId) -> Progress {
        self.sight().progress(request)
    }

    /// The stays in a batch of a request that was preempted, in order; those of others are in its record.
    pub fn stays(&self, request: RequestId) -> impl Iterator<Item = &Stay> {
        self.book.stays(request)
    }

    /// When a request last asked for blocks from the CPU tier, and when they were there or given up.
    pub fn load(&self, request: RequestId) -> [Option<Micros>; 2] {
        self.book.load(request)
    }

    /// The adapter of a request, and its latest load; `None` for the base model.
    pub fn adapter(&self, request: RequestId) -> Option<&AdapterUse> {
        self.book.adapter(request)
    }

    /// LoRA adapters of one replica of a pool, if it serves any.
    pub fn lora(&self, pool: u32) -> Option<&LoraFigures> {
        self.fleet.blueprint(pool).resolved.lora.as_ref()
    }

    /// Whether a request waits for blocks on their way from the CPU tier.
    pub fn is_loading(&self, request: RequestId) -> bool {
        matches!(self.records().at(request.index()).location(), Location::Loading(_))
    }

    /// The hand-over of a request; none before its routing, and where no pool has the role prefill or decode.
    pub fn handover(&self, request: RequestId) -> Option<&Handover> {
        self.book.handovers().get(request)
    }

    /// The numbers of the blocks of a replica that a request in the system holds, in order of its tokens. While its KV travels it
    /// holds blocks of two: those held on its prefill replica, and those set aside at its home.
    pub fn blocks_of_request(&self, request: RequestId, replica: ReplicaId) -> &[u32] {
        let record = self.records().at(request.index());
        let Some(active) = self.book.active().get(record.slot) else { return &[] };
        let remote = active.remote.as_deref();
        let table = match remote {
            Some(remote) if remote.prefilled && remote.prefill == replica => &remote.held,
            Some(remote) if remote.is_reserved && remote.home == replica => &remote.reserved,
            Some(_) | None if record.replica() == Some(replica) => &active.block_table,
            Some(_) | None => return &[],
        };
        table.blocks()
    }

    /// Servers whose ranks step together: the ranks of each, and when its step ends, or the latest one ended.
    pub fn servers(&self) -> impl Iterator<Item = (&[ReplicaId], Micros)> {
        self.fleet.servers()
    }

    /// Transfers of KV between replicas; none before any pool has the role prefill or decode.
    pub fn network(&self) -> Option<&Network> {
        self.network.as_deref()
    }

    /// The batch of a replica in order.
    pub fn batch(&self, replica: &Replica) -> impl Iterator<Item = RequestId> + '_ {
        batch(&self.book, replica)
    }

    /// The requests whose blocks are set aside on a replica and whose KV is not there, in order of reservation.
    pub fn incoming<'a>(&'a self, replica: &'a Replica) -> impl Iterator<Item = RequestId> + 'a {
        replica.moving.incoming.iter().map(|&slot| self.book.active()[slot].id)
    }

    /// The requests whose KV is on a replica and that wait for its next step, in order of landing.
    pub fn landed<'a>(&'a self, replica: &'a Replica) -> impl Iterator<Item = RequestId> + 'a {
        replica.moving.landed.iter().map(|&slot| self.book.active()[slot].id)
    }

    /// The requests prefilled on a replica whose blocks are held there, in order of the prefill's end.
    pub fn outgoing<'a>(&'a self, replica: &'a Replica) -> impl Iterator<Item = RequestId> + 'a {
        replica.moving.outgoing.iter().map(|&slot| self.book.active()[slot].id)
    }

    /// The wait queue of a replica in order.
    pub fn queue<'a>(&'a self, replica: &'a Replica) -> impl Iterator<Item = RequestId> + 'a {
        queue(&self.book, replica)
    }

    /// Whether single blocks can be seen: of a small cluster.
    pub fn shows_blocks(&self) -> bool {
        watch::shows_blocks(self.replicas())
    }

    /// A copy for keeping, whose caches are packed. It can do nothing until [`Cluster::unpack`].
    #[must_use]
    pub fn packed(&mut self) -> Self {
        let (fleet, book, packed) = watch::pack(&mut self.fleet, &mut self.book);
        let (clock, gateway, network) = (self.clock.clone(), self.gateway.clone(), self.network.clone());
        Self {
            clock,
            gateway,
            fleet,
            book,
            faults: self.faults.clone(),
            probes: self.probes.clone(),
            network,
            packed: Some(Rc::new(packed)),
        }
    }

    /// Goes on from a copy that was kept.
    pub fn unpack(&mut self) {
        if let Some(packed) = self.packed.take() {
            watch::unpack(&mut self.fleet, &mut self.book, &packed);
        }
    }

    /// A copy in which nothing tells whether the run went on from a packed one.
    #[must_use]
    pub fn as_if_packed(&mut self) -> Self {
        let mut copy = self.packed();
        copy.unpack();
        copy
    }

    /// About how many bytes of it every copy has for itself once it has gone on: caches are shared until then, and counted in full.
    pub fn bytes_alive(&self) -> u64 {
        self.packed.as_ref().map_or(0, |packed| packed.bytes()) + watch::bytes_alive(self.sight())
    }

    /// About how many bytes are read to pack it.
    pub fn bytes_packed_from(&self) -> u64 {
        watch::bytes_packed_from(self.sight())
    }

    /// Bytes of what is at rest that `later`, which went on from a copy of it, does not share.
    pub fn bytes_at_rest(&self, later: Option<&Self>) -> u64 {
        self.book.bytes_at_rest(later.map(|l| &l.book))
    }
}
