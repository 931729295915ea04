//! Edits of pools: what changes for the replicas that stay, which replicas are replaced, and how many an edit starts.

use super::blueprint::{self, Blueprint, lead_tokens, lower_tiers, shared_ports, stores};
use super::finishes::Objectives;
use super::state::Fleet;
use crate::clock::Clock;
use crate::facts::Sink;
use crate::network::LowerPlan;
use crate::perf::{Plan, Resolved};
use crate::replica::{Limits, Replica};
use crate::request::{Book, Life, Wishes};
use crate::workload::Source;
use base::{Micros, Span};
use document::{
    BatchLimits, CalibratedSettings, CrossModelCoefficients, ExpertSkew, FittedCoefficients, FsTier,
    Hardware, KvBlocks, KvCache, LatencyModel, P2pTier, PiecewiseRates, Pool, Ranks, Role, RooflineSettings,
    Scaling, SecondaryTier, TierWrite,
};

/// What a fleet works with while it follows an edit.
pub(crate) struct Adoption<'a> {
    pub(crate) now: Micros,
    pub(crate) source: &'a Source,
    pub(crate) book: &'a mut Book,
    pub(crate) clock: &'a mut Clock,
}

impl Fleet {
    /// Follows `new` instead of `old`.
    pub(crate) fn adopt<S: Sink>(&mut self, old: &Plan, new: &Plan, with: &mut Adoption<'_>, sink: &mut S) {
        self.objectives = Objectives::new(&new.scenario().slo);
        self.wishes = Wishes::new(&new.scenario().workload);
        self.adopt_lower(new, with.now);
        self.adopt_life(new);
        self.adopt_scaling(&new.scenario().cluster.pools, with.now, with.clock);
        let known = old.scenario().cluster.pools.len();
        for (i, (pool, resolved)) in new.scenario().cluster.pools.iter().zip(new.resolved()).enumerate() {
            let number = i as u32;
            let mut blueprint = Blueprint::new(pool, resolved, new.scenario(), with.source);
            if i >= known {
                self.pools.push(blueprint);
                self.scale(number, pool.replicas, with.now, with.clock, sink);
                continue;
            }
            let (before, figures) = (&old.scenario().cluster.pools[i], &old.resolved()[i]);
            let revision = self.pools[i].revision;
            let alike = made_of(before) == made_of(pool) && figures.states == resolved.states;
            blueprint.revision = if alike { revision } else { revision + 1 };
            let was = std::mem::replace(&mut self.pools[i], blueprint);
            self.adopt_tiers(number, &was, with.now);
            self.adopt_in_place(number, (before, figures), (pool, resolved), (with.now, with.book));
            if before.replicas != pool.replicas {
                self.scale(number, pool.replicas, with.now, with.clock, sink);
            }
            if self.pools[i].revision != revision {
                // Replicas with another model cannot serve who asks for this one.
                self.pools[i].at_once = before.model != pool.model;
                self.renew(number, with.now, with.clock, sink);
            }
        }
        self.adopt_event_delay(Span(new.scenario().cluster.kv_event_delay_us), with.now);
        if !self.servers.is_empty() {
            // Prompts that waited for those of other ranks may begin now.
            self.rebuild_tournament(with.clock);
        }
    }

    /// Routers see contents that long after they change, from the next decision on.
    fn adopt_event_delay(&mut self, delay: Span, now: Micros) {
        let is_other =
            |r: &&mut Replica| r.kv.is_seen_late() || delay > Span::ZERO && r.kv.caching() && !r.kv.reloads();
        for r in self.replicas.iter_mut().filter(is_other) {
            r.kv.own().see_late(delay, now);
        }
        if let Some(lower) = &mut self.lower {
            lower.see_late(delay, now);
        }
    }

    /// Stores follow the plan from `now` on. Where it is the first with tiers below CPU memory, the replicas there are have none yet.
    fn adopt_lower(&mut self, new: &Plan, now: Micros) {
        if let Some(lower) = &mut self.lower {
            lower.adopt(&stores(new), shared_ports(new), now);
            lower.sources.lead_tokens = lead_tokens(new);
        } else if let Some(mut lower) = lower_tiers(new) {
            for _ in &self.replicas {
                lower.add(&LowerPlan::default());
            }
            self.lower = Some(lower);
        }
    }

    /// The tiers of the replicas of a pool that stay follow their blueprint from `now` on, which was `was` before.
    fn adopt_tiers(&mut self, pool: u32, was: &Blueprint, now: Micros) {
        let b = &self.pools[pool as usize];
        let (others, places) = (was.tier.itself() != b.tier.itself(), was.lower.tiers != b.lower.tiers);
        let stays = |r: &&mut Replica| r.pool == pool && r.revision == b.revision;
        for r in self.replicas.iter_mut().filter(stays) {
            if others {
                b.tier.renew(r.kv.own(), now);
            }
            if let Some(lower) = self.lower.as_mut().filter(|_| places) {
                lower.renew(r.id, &b.lower, now);
            }
        }
    }

    /// What becomes of sessions' KV follows the plan from now on. Caches that have no order of their own get one by use.
    fn adopt_life(&mut self, new: &Plan) {
        match (self.life.as_mut(), Life::new(new.scenario())) {
            (Some(life), _) => life.adopt(new.scenario()),
            (None, life) => self.life = life.map(Box::new),
        }
        if blueprint::lives(new.scenario()) {
            for r in self.replicas.iter_mut().filter(|r| r.kv.caching() && !r.kv.has_order()) {
                r.kv.own().order_by_use();
            }
        }
    }

    /// What changes for the replicas that stay.
    fn adopt_in_place(
        &mut self,
        pool: u32,
        old: (&Pool, &Resolved),
        new: (&Pool, &Resolved),
        (now, book): (Micros, &mut Book),
    ) {
        let b = &self.pools[pool as usize];
        let (before, after) = (&old.0.engine, &new.0.engine);
        let pages = book.pages();
        for r in self.replicas.iter_mut().filter(|r| r.pool == pool) {
            // Ranks that are being replaced go on with the padding of their server.
            let padding = if r.revision == b.revision { b.limits.padding } else { r.limits.padding };
            r.limits = Limits { padding, ..b.limits };
            // Who waits keeps the priority that it came with.
            r.priority = b.priority.clone();
            if before.scheduler != after.scheduler {
                r.reorder(&b.scheduler, pages.active, pages.records);
            }
            if r.revision == b.revision {
                r.adopt_model(&b.resolved.model, pages.active);
                r.usd_per_hour = b.resolved.usd_per_hour;
                if old.1.blocks != new.1.blocks {
                    r.tell_time_of_change(now);
                    r.kv.own().resize(b.resolved.blocks.0);
                }
            }
            r.refused = None;
            if r.lockstep.is_rank() {
                r.let_in(now);
            }
        }
    }
}

/// How many replicas an edit starts at most.
pub fn replicas_started(old: &Plan, new: &Plan) -> u32 {
    let before = &old.scenario().cluster.pools;
    let same_states = |i: usize| old.resolved()[i].states == new.resolved()[i].states;
    let started = |(i, pool): (usize, &Pool)| match before.get(i) {
        Some(was) if made_of(was) == made_of(pool) && same_states(i) => {
            pool.replicas.saturating_sub(was.replicas)
        }
        Some(_) | None => pool.replicas,
    };
    new.scenario().cluster.pools.iter().enumerate().map(started).sum()
}

/// A pool with nothing but what its replicas are made of: another model, GPU, block size, number of CPU blocks, list of tiers, family of latency
/// models or speculative decoding makes other replicas, everything else can change while they run.
fn made_of(pool: &Pool) -> Pool {
    let mut parts = Pool { name: String::new(), role: Role::Mixed, replicas: 0, ..pool.clone() };
    parts.engine = BatchLimits { speculative: parts.engine.speculative, ..BatchLimits::default() };
    parts.scaling = Scaling::default();
    parts.experts.skew = ExpertSkew::default();
    parts.ranks = Ranks { padding: parts.ranks.padding, ..Ranks::default() };
    parts.kv.blocks = KvBlocks::Auto;
    parts.kv.gpu_memory_utilization = 0.0;
    let usual = KvCache::default();
    parts.kv = KvCache {
        load: usual.load,
        load_wait: usual.load_wait,
        load_asked: usual.load_asked,
        cpu_write: usual.cpu_write,
        cpu_eviction: usual.cpu_eviction,
        cpu_ttl_s: usual.cpu_ttl_s,
        offload_prompt_only: usual.offload_prompt_only,
        eviction_order: usual.eviction_order,
        max_protected_share: usual.max_protected_share,
        ..parts.kv
    };
    for tier in &mut parts.kv.secondary_tiers {
        match tier {
            SecondaryTier::Fs(fs) => *fs = FsTier::default(),
            SecondaryTier::Store(store) => store.write = TierWrite::default(),
            SecondaryTier::P2p(p2p) => *p2p = P2pTier::default(),
        }
    }
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
