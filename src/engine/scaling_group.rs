//! Pools that decide together: who belongs together, and a decision about all of them at one instant.

use super::Cluster;
use super::fact::Sink;
use crate::policy::scaling::optimizer::NO_LIMIT;
use crate::policy::scaling::{Member, PoolSight, decide_together};
use crate::scenario::{Optimizer, Pool, ScalingPolicy, Served};
use serde::{Deserialize, Serialize};

/// Where a pool stands among those that decide together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    /// The first of them, at whose ticks all are decided about; none if the pool decides for itself.
    pub(super) leader: Option<u32>,
    /// The first of them with the same model: its policy judges the model.
    lead: u32,
    /// Its place among all pools in order of name.
    rank: u32,
    /// GPUs that it may hold together with `sharers`; 0 for no limit.
    pub(super) gpus: u32,
    /// The pools that share these GPUs, itself included, as bits by number.
    pub(super) sharers: u64,
}

impl Place {
    /// Whether both are in the same group and model.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        (self.leader, self.lead) == (other.leader, other.lead)
    }
}

/// Where each pool stands.
pub(super) fn places(pools: &[Pool]) -> Vec<Place> {
    let numbers = Served::new(pools).numbers();
    let place = |i: usize| {
        let own = &pools[i].scaling;
        let alone = own.optimizer == Optimizer::Alone || own.policy == ScalingPolicy::None;
        let joins = |j: &usize| {
            let (s, same_model) = (&pools[*j].scaling, numbers[*j] == numbers[i]);
            let decides = s.optimizer == own.optimizer && s.policy != ScalingPolicy::None;
            *j == i || (!alone && decides && own.optimizer.joins(same_model))
        };
        let group = || (0..pools.len()).filter(joins);
        let shares =
            |j: &usize| *j == i || (own.optimizer == Optimizer::Greedy && pools[*j].gpu == pools[i].gpu);
        Place {
            leader: group().next().filter(|_| !alone).map(|first| first as u32),
            lead: group().find(|j| numbers[*j] == numbers[i]).unwrap_or(i) as u32,
            rank: pools.iter().filter(|p| p.name < pools[i].name).count() as u32,
            gpus: group().filter(shares).map(|j| pools[j].scaling.gpus).sum(),
            sharers: group().filter(shares).fold(0, |bits, j| bits | 1 << j),
        }
    };
    (0..pools.len()).map(place).collect()
}

impl Cluster {
    /// Decides about all pools that `leader` leads.
    pub(super) fn decide_together<S: Sink>(&mut self, leader: u32, sink: &mut S) {
        let Some(scaling) = &self.scaling else { return };
        let place = |pool: u32| scaling.pools[pool as usize].place;
        let led = |pool: &u32| place(*pool).leader == Some(leader);
        let mut members: Vec<u32> = (0..scaling.pools.len() as u32).filter(led).collect();
        members.sort_by_key(|pool| (place(*pool).lead, place(*pool).rank));
        let sights: Vec<PoolSight> = members.iter().map(|pool| self.sight(*pool)).collect();
        let held =
            |k: usize| (sights[k].current() + sights[k].draining) * self.pools[members[k] as usize].gpus;
        let (mut free, mut models): (Vec<u32>, Vec<Vec<Member<'_>>>) = (Vec::new(), Vec::new());
        let mut leads = Vec::new();
        for (pool, sight) in members.iter().copied().zip(&sights) {
            let (p, settings) = (place(pool), &scaling.pools[pool as usize].settings);
            let shares = |other: u32| p.sharers >> other & 1 == 1;
            let taken: u32 = (0..members.len()).filter(|k| shares(members[*k])).map(held).sum();
            free.push(if p.gpus == 0 { NO_LIMIT } else { p.gpus.saturating_sub(taken) });
            if leads.last() != Some(&p.lead) {
                leads.push(p.lead);
                models.push(Vec::new());
            }
            let member = Member {
                pool,
                sight,
                bounds: scaling.pools[pool as usize].policy.bounds(),
                usd_per_hour: settings.usd_per_hour,
                priority: settings.priority,
                gpus: self.pools[pool as usize].gpus,
                budget: members.iter().position(|other| shares(*other)).unwrap_or(0) as u32,
            };
            models.last_mut().expect("a model was begun").push(member);
        }
        let optimizer = scaling.pools[leader as usize].settings.optimizer;
        let Some(scaling) = &mut self.scaling else { return };
        let decisions = decide_together(optimizer, &models, &mut free, |model, variants| {
            scaling.pools[leads[model] as usize].policy.assess(variants)
        });
        for ((pool, sight), decision) in members.iter().copied().zip(&sights).zip(decisions) {
            let Some(scaling) = &mut self.scaling else { return };
            let lead = scaling.pools[pool as usize].place.lead;
            let model = &self.pools[pool as usize].resolved.model;
            let estimate = scaling.pools[lead as usize].policy.take_estimate(|size| model.coefficients(size));
            self.carry_out(pool, sight, (decision, estimate), sink);
        }
    }
}
