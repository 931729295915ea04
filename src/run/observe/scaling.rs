//! Records of autoscaling: counts for the report, the latest decisions for a watched run, and when each replica
//! reached each stage of its life.

use base::{Micros, ReplicaId};
use document::Cluster;
use engine::policy::scaling::{Clamped, Estimate};
use engine::{Fact, FaultFact, FleetFact, ScalingRecord};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Most decisions kept for a watched run.
pub(crate) const DECISIONS_KEPT: usize = 4096;

/// The stage of a replica's life, as charts show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Stage {
    Starting,
    Cold,
    Serving,
    Draining,
    Gone,
}

/// A replica reaches a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StageChange {
    pub(crate) at: Micros,
    pub(crate) replica: ReplicaId,
    pub(crate) stage: Stage,
}

/// What a pool's autoscaler did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PoolScaling {
    pub(crate) decisions: u32,
    pub(crate) ups: u32,
    pub(crate) downs: u32,
    pub(crate) clamped_to_min: u32,
    pub(crate) clamped_to_max: u32,
    pub(crate) reversals: u32,
    /// Decisions for more replicas that were not there at the next decision.
    pub(crate) never_reached: u32,
    /// Decisions after which replicas waited for room, and the largest number of these.
    pub(crate) without_room: u32,
    pub(crate) most_unplaced: u32,
    pub(crate) starts: u32,
    pub(crate) starts_given_up: u32,
    pub(crate) redirected: u32,
    /// Times from placement until serving.
    pub(crate) started: u32,
    pub(crate) start_us: u64,
    /// The number wanted last, and whether as many have served since.
    pub(crate) wanted: u32,
    reached: bool,
    serving: u32,
    pub(crate) most_serving: u32,
}

/// What all autoscalers did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ScalingLog {
    pub(crate) pools: Vec<PoolScaling>,
    /// By replica: its pool, and since when it starts or serves.
    replicas: Vec<(u32, Option<Micros>, bool)>,
    pub(crate) stages: Vec<StageChange>,
    /// By pool: how many were wanted at first.
    pub(crate) first_wanted: Vec<u32>,
    /// When another number was wanted: instant, pool, number.
    pub(crate) wanted: Vec<(Micros, u32, u32)>,
    /// The latest decisions.
    pub(crate) kept: VecDeque<ScalingRecord>,
    /// How many were made in all.
    pub(crate) made: u64,
}

impl ScalingLog {
    /// The state for a cluster at its start.
    pub(crate) fn new(cluster: &Cluster) -> Self {
        let mut log = Self::default();
        for (i, pool) in (0..).zip(&cluster.pools) {
            let n = pool.replicas;
            let pool_log = PoolScaling {
                wanted: n,
                serving: n,
                most_serving: n,
                reached: true,
                ..PoolScaling::default()
            };
            log.pools.push(pool_log);
            log.first_wanted.push(n);
            for _ in 0..n {
                let replica = ReplicaId(log.replicas.len() as u32);
                log.replicas.push((i, None, true));
                log.stages.push(StageChange { at: Micros::ZERO, replica, stage: Stage::Serving });
            }
        }
        log
    }

    fn pool(&mut self, pool: u32) -> &mut PoolScaling {
        let index = pool as usize;
        if self.pools.len() <= index {
            self.pools.resize(index + 1, PoolScaling::default());
        }
        &mut self.pools[index]
    }

    fn known(&mut self, replica: ReplicaId, pool: u32) -> &mut (u32, Option<Micros>, bool) {
        if self.replicas.len() <= replica.index() {
            self.replicas.resize(replica.index() + 1, (pool, None, false));
        }
        let known = &mut self.replicas[replica.index()];
        known.0 = pool;
        known
    }

    /// The pool of a replica.
    pub(crate) fn pool_of(&self, replica: ReplicaId) -> u32 {
        self.replicas.get(replica.index()).map_or(0, |known| known.0)
    }

    pub(crate) fn fact(&mut self, at: Micros, fact: &Fact) {
        match *fact {
            Fact::Fleet(fact) => self.fleet(at, fact),
            Fact::Fault(FaultFact::Down { replica, pool, .. }) => {
                let was = std::mem::replace(&mut self.known(replica, pool).2, false);
                self.known(replica, pool).1 = None;
                self.pool(pool).serving -= u32::from(was);
                self.stages.push(StageChange { at, replica, stage: Stage::Gone });
            }
            Fact::Fault(_) | Fact::Request(_) | Fact::Replica(_) | Fact::Cache(_) | Fact::Handover(_) => {}
        }
    }

    fn fleet(&mut self, at: Micros, fact: FleetFact) {
        let change = |replica, stage| StageChange { at, replica, stage };
        match fact {
            FleetFact::Starting { replica, pool, .. } => {
                self.known(replica, pool).1 = Some(at);
                self.pool(pool).starts += 1;
                self.stages.push(change(replica, Stage::Starting));
            }
            FleetFact::StartGivenUp { replica } => {
                let pool = self.pool_of(replica);
                self.known(replica, pool).1 = None;
                self.pool(pool).starts_given_up += 1;
                self.stages.push(change(replica, Stage::Gone));
            }
            FleetFact::Serving { replica, pool } => {
                self.serves(replica, pool, at);
                self.stages.push(change(replica, Stage::Serving));
            }
            FleetFact::Cold { replica } => self.stages.push(change(replica, Stage::Cold)),
            FleetFact::Warm { replica } => self.stages.push(change(replica, Stage::Serving)),
            FleetFact::Draining { replica } => {
                let pool = self.pool_of(replica);
                let was = std::mem::replace(&mut self.known(replica, pool).2, false);
                self.pool(pool).serving -= u32::from(was);
                self.stages.push(change(replica, Stage::Draining));
            }
            FleetFact::Redirected { replica, .. } => {
                let pool = self.pool_of(replica);
                self.pool(pool).redirected += 1;
            }
            FleetFact::Scaled { pool, to, .. } => {
                let p = self.pool(pool);
                p.never_reached += u32::from(!p.reached);
                p.wanted = to;
                p.reached = p.serving >= to;
                self.wanted.push((at, pool, to));
            }
        }
    }

    fn serves(&mut self, replica: ReplicaId, pool: u32, at: Micros) {
        let known = self.known(replica, pool);
        let since = known.1.take();
        let was = std::mem::replace(&mut known.2, true);
        let p = self.pool(pool);
        if let Some(since) = since {
            p.started += 1;
            p.start_us += at.since(since).0;
        }
        p.serving += u32::from(!was);
        p.most_serving = p.most_serving.max(p.serving);
        p.reached |= p.serving >= p.wanted;
    }

    /// A decision.
    pub(crate) fn decided(&mut self, record: &ScalingRecord, keep: bool) {
        let d = &record.decision;
        let p = self.pool(record.pool);
        p.decisions += 1;
        p.ups += u32::from(d.desired > d.current);
        p.downs += u32::from(d.desired < d.current);
        p.clamped_to_min += u32::from(d.clamped == Clamped::ToMin);
        p.clamped_to_max += u32::from(d.clamped == Clamped::ToMax);
        p.reversals += u32::from(record.reverses);
        p.without_room += u32::from(record.unplaced > 0);
        p.most_unplaced = p.most_unplaced.max(record.unplaced);
        self.made += 1;
        if keep {
            if self.kept.len() == DECISIONS_KEPT {
                self.kept.pop_front();
            }
            self.kept.push_back(record.clone());
        }
    }

    /// How often a pool's wanted number changed before that many replicas served, the last number included.
    pub(crate) fn never_reached(&self, pool: u32) -> u32 {
        self.pools.get(pool as usize).map_or(0, |p| p.never_reached + u32::from(!p.reached))
    }

    /// Approximate size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let kept = self.kept.len() * size_of::<ScalingRecord>()
            + self.kept.iter().filter(|r| r.estimate.is_some()).count() * size_of::<Estimate>();
        (kept + 24 * (self.stages.len() + self.replicas.len() + self.wanted.len())) as u64
    }
}
