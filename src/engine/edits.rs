//! Edits: what changes while the cluster runs, between two events. The cluster is given the plan it follows and the one it is
//! to follow, and adopts the difference.

use super::Cluster;
use super::facts::Sink;
use super::fleet::Blueprint;
use super::gateway::{pool_views, serves};
use super::replica::{Replica, timeout_of};
use super::request::{Slab, Slot};
use crate::base::{Micros, Span};
use crate::perf::{Plan, Resolved, StepModel};
use crate::scenario::{
    BatchLimits, CalibratedSettings, CrossModelCoefficients, FittedCoefficients, Hardware, KvBlocks,
    LatencyModel, PiecewiseRates, Pool, RooflineSettings, Scaling,
};

impl Cluster {
    /// Follows `new` instead of `old` from `now` on, which no event has passed yet. Pools and clients of `old` stand at the
    /// same positions in `new`.
    pub fn adopt<S: Sink>(&mut self, old: &Plan, new: &Plan, now: Micros, sink: &mut S) {
        assert!(now >= self.clock, "INV-3: an edit in the past");
        // Requests that preempted each other may make progress now.
        self.livelock = None;
        for replica in &mut self.replicas {
            replica.preempted_since_progress = 0;
        }
        let (was, is) = (&old.scenario().cluster, &new.scenario().cluster);
        self.admission_latency = Span(is.admission_latency_us);
        self.routing_latency = Span(is.routing_latency_us);
        self.timeout = timeout_of(new.scenario());
        if was.snapshot_refresh_us != is.snapshot_refresh_us {
            if self.sees_all() {
                // What the gateway saw so far was always the present: its picture is the present one.
                self.refresh_views(now, Span::ZERO);
            }
            self.snapshot_refresh = Span(is.snapshot_refresh_us);
        }
        self.source.adopt(old.scenario(), new.scenario(), now);
        self.adopt_scaling(&is.pools, now);
        self.adopt_pools(old, new, now, sink);
        self.pool_views = pool_views(&is.pools, new.resolved());
        self.serves = serves(&is.pools, &self.source);
        self.bounded = is.pools.iter().any(|p| p.engine.max_waiting > 0);
        if was.routing != is.routing {
            self.router.change(&is.routing, self.seed);
        }
        if self.sees_all() {
            self.refresh_views(now, Span::ZERO);
        }
        if was.admission != is.admission {
            self.change_admission(&is.admission, now, sink);
        }
    }

    fn adopt_pools<S: Sink>(&mut self, old: &Plan, new: &Plan, now: Micros, sink: &mut S) {
        let known = old.scenario().cluster.pools.len();
        for (i, (pool, resolved)) in new.scenario().cluster.pools.iter().zip(new.resolved()).enumerate() {
            let number = i as u32;
            let mut blueprint = Blueprint::new(pool, resolved, self.compat, &self.source);
            if i >= known {
                self.pools.push(blueprint);
                self.scale(number, pool.replicas, now, sink);
                continue;
            }
            let (before, figures) = (&old.scenario().cluster.pools[i], &old.resolved()[i]);
            let edition = self.pools[i].edition;
            blueprint.edition = if made_of(before) == made_of(pool) { edition } else { edition + 1 };
            self.pools[i] = blueprint;
            self.adopt_in_place(number, (before, figures), (pool, resolved));
            if before.replicas != pool.replicas {
                self.scale(number, pool.replicas, now, sink);
            }
            if self.pools[i].edition != edition {
                // Replicas with another model cannot serve who asks for this one.
                self.pools[i].at_once = before.model != pool.model;
                self.renew(number, now, sink);
            }
        }
    }

    /// What changes for the replicas that stay.
    fn adopt_in_place(&mut self, pool: u32, old: (&Pool, &Resolved), new: (&Pool, &Resolved)) {
        let b = &self.pools[pool as usize];
        let (before, after) = (&old.0.engine, &new.0.engine);
        for r in self.replicas.iter_mut().filter(|r| r.pool == pool) {
            r.limits = b.limits;
            // Who waits keeps the priority that it came with.
            r.priority = b.priority.clone();
            if before.scheduler != after.scheduler {
                r.reorder(&b.scheduler, &mut self.active, &self.records);
            }
            if r.edition == b.edition {
                r.adopt_model(&b.resolved.model, &mut self.active);
                r.usd_per_hour = b.resolved.usd_per_hour;
                if old.1.blocks != new.1.blocks {
                    r.kv.own().resize(b.resolved.blocks.0);
                }
            }
            r.refused = None;
        }
    }
}

impl Replica {
    /// Takes another latency model. What the tokens shown so far cost their requests stays as it is.
    fn adopt_model(&mut self, model: &StepModel, slab: &mut Slab) {
        let overhead = self.model.output_overhead();
        if overhead != model.output_overhead() {
            let mut slot = self.head;
            while slot != Slot::NONE {
                slab[slot].fix_output_time(overhead, self.decoders.ticks);
                slot = slab[slot].after;
            }
            for &slot in &self.waiting {
                slab[slot].fix_output_time(overhead, self.decoders.ticks);
            }
        }
        self.model = model.clone();
    }
}

/// How many replicas an edit starts at most.
pub fn replicas_started(old: &Plan, new: &Plan) -> u32 {
    let before = &old.scenario().cluster.pools;
    let started = |(i, pool): (usize, &Pool)| match before.get(i) {
        Some(was) if made_of(was) == made_of(pool) => pool.replicas.saturating_sub(was.replicas),
        Some(_) | None => pool.replicas,
    };
    new.scenario().cluster.pools.iter().enumerate().map(started).sum()
}

/// A pool with nothing but what its replicas are made of: another model, GPU, block size, CPU tier or family of latency models
/// makes other replicas, everything else can change while they run.
fn made_of(pool: &Pool) -> Pool {
    let mut parts = Pool { name: String::new(), replicas: 0, ..pool.clone() };
    parts.engine = BatchLimits::default();
    parts.scaling = Scaling::default();
    parts.kv.blocks = KvBlocks::Auto;
    parts.kv.gpu_memory_utilization = 0.0;
    parts.hardware = parts.hardware.map(|hardware| Hardware { usd_per_hour: 0.0, ..hardware });
    parts.latency = match parts.latency {
        LatencyModel::Catalogue => LatencyModel::Catalogue,
        LatencyModel::Fitted(_) => LatencyModel::Fitted(FittedCoefficients::default()),
        LatencyModel::Roofline(_) => LatencyModel::Roofline(RooflineSettings::default()),
        LatencyModel::CrossModel(_) => LatencyModel::CrossModel(CrossModelCoefficients::default()),
        LatencyModel::Calibrated(_) => LatencyModel::Calibrated(CalibratedSettings::default()),
        LatencyModel::Piecewise(_) => LatencyModel::Piecewise(PiecewiseRates::default()),
    };
    parts
}
