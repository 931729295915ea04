//! Pools that decide together: who belongs together, and a decision about all of them at one instant.

use super::decided::{Decided, DecidedBy};
use super::state::Fleet;
use crate::policy::scaling::optimizer::NO_LIMIT;
use crate::policy::scaling::{Member, PoolSight, decide_together};
use crate::workload::Source;
use base::Micros;
use document::{Optimizer, Pool, ScalingPolicy, Served};
use serde::{Deserialize, Serialize};

/// Where a pool stands among those that decide together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GroupPlace {
    /// The first of them, at whose ticks all are decided about; none if the pool decides for itself.
    pub(crate) leader: Option<u32>,
    /// The first of them with the same model: its policy judges the model.
    lead: u32,
    /// Its place among all pools in order of name.
    rank: u32,
    /// GPUs that it may hold together with `sharers`; 0 for no limit.
    pub(crate) gpus: u32,
    /// The pools that share these GPUs, itself included, as bits by number.
    pub(crate) sharers: u64,
}

impl GroupPlace {
    /// Whether both are in the same group and model.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        (self.leader, self.lead) == (other.leader, other.lead)
    }

    /// Whether both pools follow the decisions of the same group.
    pub(crate) fn is_led_as(&self, other: &Self) -> bool {
        self.leader.is_some() && self.leader == other.leader
    }
}

/// Where each pool stands.
pub(crate) fn places(pools: &[Pool]) -> Vec<GroupPlace> {
    let numbers = Served::new(pools).numbers();
    let mut all = Vec::new();
    for (i, pool) in pools.iter().enumerate() {
        let own = &pool.scaling;
        let number = i as u32;
        let mut p = GroupPlace { leader: None, lead: number, rank: 0, gpus: own.gpus, sharers: 1 << i };
        for (j, other) in pools.iter().enumerate() {
            p.rank += u32::from(other.name < pool.name);
            let (s, same) = (&other.scaling, numbers[j] == numbers[i]);
            let decides = own.policy != ScalingPolicy::None && s.policy != ScalingPolicy::None;
            if !decides || s.optimizer != own.optimizer || !own.optimizer.joins(same) {
                continue;
            }
            p.leader.get_or_insert(j as u32);
            if same {
                p.lead = p.lead.min(j as u32);
            }
            if i != j && own.optimizer == Optimizer::Greedy && other.gpu == pool.gpu {
                p.gpus += s.gpus;
                p.sharers |= 1 << j;
            }
        }
        all.push(p);
    }
    all
}

impl Fleet {
    /// Decides about all pools that `leader` leads.
    pub(super) fn decide_together(&mut self, leader: u32, now: Micros, source: &Source) -> Vec<Decided> {
        let place = |pool: u32| &self.scalers[pool as usize].place;
        let mut members: Vec<u32> = Vec::new();
        for pool in 0..self.scalers.len() as u32 {
            if place(pool).leader == Some(leader) {
                let key = |pool: u32| (place(pool).lead, place(pool).rank);
                let at = members.iter().position(|other| key(*other) > key(pool)).unwrap_or(members.len());
                members.insert(at, pool);
            }
        }
        let limited = self.scalers[leader as usize].settings.optimizer == Optimizer::Greedy;
        let (mut sights, mut free) = (Vec::new(), Vec::new());
        for pool in &members {
            sights.push(self.sight(*pool, now, source));
            let most = place(*pool).gpus;
            free.push(if limited && most > 0 { most } else { NO_LIMIT });
        }
        let mut budgets = Vec::new();
        for pool in &members {
            let shared = place(*pool).sharers;
            let first = members.iter().position(|other| shared >> other & 1 == 1).unwrap_or(0);
            budgets.push(first as u32);
            if free[first] != NO_LIMIT {
                let sight: &PoolSight = &sights[budgets.len() - 1];
                let held = (sight.current() + sight.draining) * self.pools[*pool as usize].gpus;
                free[first] = free[first].saturating_sub(held);
            }
        }
        let (mut models, mut leads) = (Vec::new(), Vec::new());
        for (k, sight) in sights.iter().enumerate() {
            let p = &self.scalers[members[k] as usize];
            if leads.last() != Some(&p.place.lead) {
                leads.push(p.place.lead);
                models.push(Vec::new());
            }
            models.last_mut().expect("a model was begun").push(Member {
                pool: members[k],
                sight,
                bounds: p.policy.bounds(),
                usd_per_hour: p.settings.usd_per_hour,
                priority: p.settings.priority,
                gpus: self.pools[members[k] as usize].gpus,
                budget: budgets[k],
            });
        }
        let scalers = &mut self.scalers;
        let decisions = decide_together(&models, &mut free, &mut |model, variants| {
            scalers[leads[model] as usize].policy.assess(variants)
        });
        let mut all = Vec::new();
        for ((decision, sight), pool) in decisions.into_iter().zip(sights).zip(members) {
            let lead = self.scalers[pool as usize].place.lead;
            let model = &self.pools[pool as usize].resolved.model;
            let policy = &mut self.scalers[lead as usize].policy;
            let estimate = policy.take_estimate(|size| model.coefficients(size));
            all.push(Decided { pool, sight, decision, estimate, by: DecidedBy::Policy });
        }
        all
    }
}
